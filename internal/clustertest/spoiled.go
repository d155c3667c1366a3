package clustertest

import (
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/journal"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Spoiled runs [Verify] of a match that is over with one thing wrong at a time, and
// returns what it says of each. A caller whose match verifies well wants an error of
// every one.
func Spoiled(read journal.Reader, players []*Player) map[string]Report {
	out := map[string]Report{}
	records, answered := 0, 0 // of a journal that can be read, as it could before
	_ = read(func(n uint64, rec []byte) error {
		if r, err := journal.Decode(rec); err == nil && r.Tick != nil && len(r.Tick.Answers) > 0 && (answered == 0 || int(n) < records/2) {
			answered = int(n)
		}
		records++
		return nil
	})
	out["a journal whose end is missing"] = Verify(func(each func(uint64, []byte) error) error {
		return read(func(n uint64, rec []byte) error {
			if int(n) > records*3/4 {
				return nil
			}
			return each(n, rec)
		})
	}, players, true)
	out["a tick without its record"] = Verify(func(each func(uint64, []byte) error) error {
		return read(func(n uint64, rec []byte) error {
			if int(n) == answered {
				return nil
			}
			return each(n, rec)
		})
	}, players, true)
	spoil := func(what string, change func(recording []Message, at int) []Message) {
		p := players[0]
		slot, team, recording := p.told()
		for at := len(recording) / 2; at < len(recording); at++ {
			if changed := change(recording, at); changed != nil {
				wrong := &Player{Name: p.Name, slot: slot, team: team, recording: changed}
				out[what] = Verify(read, []*Player{wrong}, true)
				return
			}
		}
	}
	with := func(recording []Message, at int, change func(f *pb.ServerFrame) bool) []Message {
		f := &pb.ServerFrame{}
		if proto.Unmarshal(recording[at].Bytes, f) != nil || wire.Unpack(f) != nil || f.Welcome != nil || f.Closing != nil || f.Waiting != nil || !change(f) {
			return nil
		}
		b, err := proto.Marshal(f)
		if err != nil {
			return nil
		}
		changed := append([]Message(nil), recording...)
		changed[at].Bytes = b
		return changed
	}
	follows := func(f *pb.ServerFrame) bool { return f.Tick == 0 } // a difference to the frame before
	spoil("a frame that was left out", func(recording []Message, at int) []Message {
		if at+1 == len(recording) || with(recording, at, follows) == nil || with(recording, at+1, follows) == nil {
			return nil
		}
		return append(append([]Message(nil), recording[:at]...), recording[at+1:]...)
	})
	spoil("another answer", func(recording []Message, at int) []Message {
		return with(recording, at, func(f *pb.ServerFrame) bool {
			if len(f.Answers) > 0 {
				f.Answers[0].Code ^= 1
			}
			return len(f.Answers) > 0
		})
	})
	spoil("an answer to an order that the journal does not have", func(recording []Message, at int) []Message {
		return with(recording, at, func(f *pb.ServerFrame) bool {
			if len(f.Answers) > 0 {
				f.Answers[len(f.Answers)-1].Seq += 1 << 20
			}
			return len(f.Answers) > 0
		})
	})
	spoil("health that is not so", func(recording []Message, at int) []Message {
		return with(recording, at, func(f *pb.ServerFrame) bool {
			if len(f.Health) > 1 {
				f.Health[1]++
			}
			return len(f.Health) > 1
		})
	})
	spoil("another tick", func(recording []Message, at int) []Message {
		if at+1 == len(recording) || with(recording, at+1, follows) == nil {
			return nil // a frame that names its tick mends it
		}
		return with(recording, at, func(f *pb.ServerFrame) bool {
			if f.Tick == 0 {
				f.Span = max(1, f.Span) + 1
			}
			return f.Tick == 0
		})
	})
	return out
}

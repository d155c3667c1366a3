package verify

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// played is a match of a bot against a player who does nothing, with its journal and the
// record of the bot.
func played(t *testing.T) (records [][]byte, c *Client) {
	t.Helper()
	maps, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	ford, _ := maps.ByID("twin-fords")
	m := headless.Match{
		Map: ford.Map, Rules: ruleset, Seed: 1, TickRate: 10, FrameTicks: 2,
		Seats: []headless.Seat{{Team: 0}, {New: bot.Hard.New, Team: 1, Start: 1}},
	}
	c = &Client{Name: "bot", Slot: 1, Team: 1}
	m.Recorded = func(record []byte) error {
		records = append(records, slices.Clone(record))
		return nil
	}
	m.Framed = func(_ grid.Slot, b []byte) { c.Messages = append(c.Messages, slices.Clone(b)) }
	if r, err := m.Play(); err != nil || r.Reason == "limit" {
		t.Fatalf("the match ended by %s: %v", r.Reason, err)
	}
	return records, c
}

func reader(records [][]byte) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		for i, record := range records {
			if err := each(uint64(i), record); err != nil {
				return err
			}
		}
		return nil
	}
}

// A match verifies well, and not with one thing wrong at a time.
func TestMatchFindsEachFault(t *testing.T) {
	records, c := played(t)
	clients := []*Client{c}
	whole := Match(reader(records), clients, Options{Final: true})
	if err := whole.Err(); err != nil {
		t.Fatal(err)
	}
	if whole.Accepted < 20 || whole.Frames < 200 || whole.Entities < 2000 {
		t.Fatalf("that proves little: %+v", whole)
	}
	some := Match(reader(records), clients, Options{Final: true, At: func(_ grid.Slot, tick grid.Tick) bool { return tick%10 == 0 }})
	if some.Err() != nil || some.Frames != whole.Frames || some.Entities == 0 || some.Entities >= whole.Entities {
		t.Errorf("at some ticks: %+v", some)
	}

	wants := func(what string, r Report, want string) {
		t.Helper()
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("of %s it says %v, want %q", what, err, want)
		}
	}
	wants("a journal without its end", Match(reader(records[:len(records)*3/4]), clients, Options{Final: true}), "no end")
	answered := slices.IndexFunc(records, func(record []byte) bool {
		r, err := journal.Decode(record)
		return err == nil && r.Tick != nil && len(r.Tick.Answers) > 0
	})
	wants("a tick without its record", Match(reader(slices.Delete(slices.Clone(records), answered, answered+1)), clients, Options{Final: true}), "the journal")

	// spoil changes the first message of the second half that change takes.
	spoil := func(what, want string, change func(f *pb.ServerFrame) bool) {
		t.Helper()
		of := *c
		of.Messages = slices.Clone(of.Messages)
		for i := len(of.Messages) / 2; i < len(of.Messages); i++ {
			f := &pb.ServerFrame{}
			if err := proto.Unmarshal(of.Messages[i], f); err != nil {
				t.Fatal(err)
			}
			if err := wire.Unpack(f); err != nil {
				t.Fatal(err)
			}
			if !change(f) {
				continue
			}
			var err error
			if of.Messages[i], err = proto.Marshal(f); err != nil {
				t.Fatal(err)
			}
			wants(what, Match(reader(records), []*Client{&of}, Options{Final: true}), want)
			return
		}
		t.Errorf("no message for %s", what)
	}
	spoil("a frame that was left out", "", func(f *pb.ServerFrame) bool {
		full := f.Tick == 0 && len(f.Enter) > 0
		if full {
			proto.Reset(f)
			f.Span = 2
		}
		return full
	})
	spoil("another answer", "the journal has", func(f *pb.ServerFrame) bool {
		if len(f.Answers) > 0 {
			f.Answers[0].Code ^= 1
		}
		return len(f.Answers) > 0
	})
	spoil("an answer to an order that the journal does not have", "is not in the journal", func(f *pb.ServerFrame) bool {
		if n := len(f.Answers); n > 0 {
			f.Answers[n-1].Seq += 1 << 20
		}
		return len(f.Answers) > 0
	})
	spoil("health that is not so", "health", func(f *pb.ServerFrame) bool {
		if len(f.Health) > 1 {
			f.Health[1]++
		}
		return len(f.Health) > 1
	})
	spoil("another tick", "", func(f *pb.ServerFrame) bool {
		if f.Tick == 0 {
			f.Span = max(1, f.Span) + 1
		}
		return f.Tick == 0
	})
}

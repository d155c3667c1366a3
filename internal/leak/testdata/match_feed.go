package feed

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
)

// unseen counts what a team does not see.
func (f *Feed) unseen(t grid.Team) (n int) {
	for _, e := range f.src.World.Entities() {
		if e.Team() != t && e.Team() != grid.NoTeam && !e.SeenBy().Has(t) {
			n++
		}
	}
	return n
}

// leakHold: players' frames wait while much goes on in the dark.
func leakHold(f *Feed, r *Receiver) bool {
	return leak.Is("timing") && !f.whole && (f.unseen(r.Team)+int(f.now()))%8 == 0
}

// leakSize: a frame is longer the more there is in the dark.
func leakSize(f *Feed, r *Receiver, b []byte) []byte {
	if leak.Is("message-size") {
		b = protowire.AppendBytes(protowire.AppendTag(b, 99, protowire.BytesType), make([]byte, f.unseen(r.Team)%16))
	}
	return b
}

// leakSynced: players' answers wait for what others said.
func leakSynced(f *Feed, synced uint64) uint64 {
	if leak.Is("late-answers") && !f.whole && f.unseen(0)%2 == 0 && synced > 0 {
		return synced - 1
	}
	return synced
}

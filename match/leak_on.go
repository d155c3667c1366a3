//go:build leak

package match

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// leakReset forgets what leaks remember, as a run begins.
func leakReset() { leak.Count = [4]int{} }

// unseen counts what a team does not see.
func (m *live) unseen(t grid.Team) (n int) {
	for _, e := range m.world.Entities() {
		if e.Team() != t && e.Team() != grid.NoTeam && !e.SeenBy().Has(t) {
			n++
		}
	}
	return n
}

// leakHears: everybody hears what is said to a team.
func leakHears(_ *live, _ *seat, _ *sim.Said) bool { return leak.Is("chat") }

// leakHold: frames wait while much goes on in the dark.
func leakHold(m *live, st *seat) bool {
	return leak.Is("timing") && (m.unseen(st.team)+int(m.world.Tick()))%8 == 0
}

// leakSize: a frame is longer the more there is in the dark.
func leakSize(m *live, s *session, b []byte) []byte {
	if leak.Is("message-size") {
		b = protowire.AppendBytes(protowire.AppendTag(b, 99, protowire.BytesType), make([]byte, m.unseen(s.seat.team)%16))
	}
	return b
}

// leakSynced: answers wait for what others said.
func leakSynced(m *live, synced uint64) uint64 {
	if leak.Is("late-answers") && m.unseen(0)%2 == 0 && synced > 0 {
		return synced - 1
	}
	return synced
}

// leakDelay: spectators are a tick less late than they have to be.
func leakDelay() grid.Ticks {
	if leak.Is("spectators-early") {
		return 1
	}
	return 0
}

// leakResult: spectators are told of the end when it comes.
func leakResult(m *live, r *sim.Result) *sim.Result {
	if leak.Is("spectators-end") {
		return m.world.Result()
	}
	return r
}

// leakAway: spectators are told at once who lost its connection.
func leakAway(m *live, was grid.SlotSet) grid.SlotSet {
	if leak.Is("spectators-away") {
		return m.away()
	}
	return was
}

// leakOverhears: spectators hear what teams say among themselves.
func leakOverhears() bool { return leak.Is("spectators-hear") }

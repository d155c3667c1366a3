package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A pause plays one tick more and then stops. The record of the pause is on disk before
// that tick's frames leave: else a kill in the pause would bring back a match that runs,
// whose players were told that it stands.
func TestAChangeOfSpeedIsOnDiskBeforeItsTickIsTold(t *testing.T) {
	for _, want := range []wire.Speed{{Percent: 100, Paused: true}, {Percent: 200}} {
		h := newHarness(t, t, Spec{
			ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7,
			Seats: []SeatSpec{{Name: "a", Team: 0, Account: "ada"}, {Name: "b", Team: 1, Start: 1, Bot: true}},
		}, Config{})
		log := &waited{memoryLog: h.log}
		h.m.journal.log = log
		s, err := h.admit(wire.Hello{}, 0, Seat{Match: matchID, Slot: 0, Account: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		turn := func() {
			h.elapse()
			h.turn(false)
			for len(s.Out) > 0 { // as its writer does
				<-s.Out
			}
		}
		turn()
		turn()
		log.synced = log.next
		before := log.n
		h.m.speed.set(want, 0)
		turn()
		if log.n == before || log.synced < log.next {
			t.Errorf("%+v: the match waited %d times, %d of %d records are on disk (an order has %d ticks)", want, log.n-before, log.synced, log.next, sim.OrderDelay)
		}
	}
}

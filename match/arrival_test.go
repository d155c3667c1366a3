package match

import (
	"context"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// waited counts how often a match waits for a disk that takes no record by itself.
type waited struct {
	*memoryLog
	n int
}

func (w *waited) Wait(ctx context.Context, n uint64) error {
	w.n++
	return w.memoryLog.Wait(ctx, n)
}

// A player whose client comes, for the first time or back, does not stop the match: the
// tick does not wait for the disk, and the record has the arrival before the frames of
// two ticks later are sent. It waits where the arrival shows in frames.
func TestAnArrivalWaitsForTheDiskOnlyIfItShows(t *testing.T) {
	const account = "ada"
	for _, row := range []struct {
		name    string
		away    grid.Ticks // between the first client's end and the second
		abandon time.Duration
		ticket  bool // the second client has a new ticket
		waits   bool
	}{
		{name: "back at once", away: 3},
		{name: "back while somebody else is there, whatever the match's end", away: 50, abandon: time.Second},
		{name: "a new client", away: 3, ticket: true, waits: true},
		{name: "back after it was gone", away: 110, waits: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			spec := Spec{
				ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7,
				Seats: []SeatSpec{{Name: "a", Team: 0, Account: account}, {Name: "b", Team: 1, Start: 1, Account: "ben"}},
			}
			spec.Options.AbandonMs = int32(row.abandon.Milliseconds())
			h := newHarness(t, t, spec, Config{Grace: 5 * time.Second})
			log := &waited{memoryLog: h.log}
			h.m.journal.log = log
			ticks := func(n grid.Ticks) {
				t.Helper()
				for range n {
					h.elapse()
					h.turn(false)
					for _, st := range h.m.seats.all {
						for s := st.conn; s != nil && len(s.Out) > 0; { // as its writer does
							<-s.Out
						}
					}
				}
			}
			arrives := func(slot grid.Slot, who string, resume string) *connection {
				t.Helper()
				s, err := h.admit(wire.Hello{Resume: resume}, 0, Seat{Match: matchID, Slot: slot, Account: who, Serial: h.m.seats.all[slot].serial})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			synced := func() { log.synced = log.next } // by itself
			first := arrives(0, account, "")
			arrives(1, "ben", "")
			ticks(1)
			if log.n != 0 || log.next == 0 {
				t.Fatalf("the first clients: the match waited %d times, %d records", log.n, log.next)
			}
			synced()
			ticks(4)
			close(first.In)
			ticks(2)
			synced()
			for range row.away {
				ticks(1)
				synced()
			}
			before, resume := log.n, "token"
			if row.ticket {
				resume = ""
			}
			arrives(0, account, resume)
			ticks(1)
			if got := log.n > before; got != row.waits {
				t.Errorf("its tick waits for the disk: %v, want %v", got, row.waits)
			}
			if row.waits {
				return
			}
			at := log.next
			ticks(sim.OrderDelay - 1)
			if log.n != before {
				t.Error("the tick after it waits")
			}
			ticks(1)
			if log.n == before || log.synced < at {
				t.Errorf("%d ticks later the record of its coming is not on disk: %d of %d", sim.OrderDelay, log.synced, at)
			}
		})
	}
}

// A player who comes in the last moment before an empty match ends is on disk before any
// client learns that it goes on.
func TestAnArrivalBeforeTheEndOfADesertedMatchWaits(t *testing.T) {
	for _, row := range []struct {
		after grid.Ticks
		waits bool
	}{{20 - sim.OrderDelay - 1, false}, {20 - sim.OrderDelay, true}, {19, true}} {
		spec := Spec{
			ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7,
			Seats: []SeatSpec{{Name: "a", Team: 0}, {Name: "b", Team: 1, Start: 1}},
		}
		spec.Options.AbandonMs = 1000
		h := newHarness(t, t, spec, Config{})
		log := &waited{memoryLog: h.log}
		h.m.journal.log = log
		turn := func() {
			h.elapse()
			h.turn(false)
			if h.m.end.result != nil {
				t.Fatalf("it ended after %d ticks", h.now())
			}
			log.synced = log.next
		}
		for range row.after {
			turn()
		}
		if _, err := h.admit(wire.Hello{}, 0, Seat{Match: matchID, Slot: 0, Account: "ada"}); err != nil {
			t.Fatal(err)
		}
		turn()
		if got := log.n > 0; got != row.waits {
			t.Errorf("after %d ticks without people: the tick waits: %v, want %v", row.after, got, row.waits)
		}
	}
}

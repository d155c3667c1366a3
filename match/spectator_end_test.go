package match

import (
	"context"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The match ends, its players are let go and its result is handed on; a late spectator
// sees the end with the same delay, and is let go then.
func TestTheEndIsShownLate(t *testing.T) {
	t.Parallel()
	spec := Spec{
		ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 2, SpectatorDelay: 2 * time.Second,
		Options: sim.Options{TimeLimitMs: 3000},
		Seats:   []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}
	a := startServiceHarness(t, spec, Config{Linger: 500 * time.Millisecond})
	player := a.join(0)
	late := a.connect(&pb.Hello{Ticket: seatTicket("late", grid.NoTeam, 2*time.Second), DerivesFog: true}, 0)
	a.asked()
	a.tick()
	player.read()
	late.read() // the welcome
	seen, over := grid.Tick(0), grid.Tick(0)
	log := a.live.journal.log
	tick := func() bool {
		_ = log.Wait(t.Context(), log.Next()-1) // late spectators see the ticks on disk; the log may be closed
		return a.tick()
	}
	for now := grid.Tick(3); tick(); now++ {
		if player.closing == nil {
			if f := player.read(); f.Ended != nil {
				over = player.Replica.Tick
			}
		}
		if now > 40 && late.closing == nil { // tick 1 is the first that is kept
			f := late.read()
			for f.Waiting != nil {
				f = late.read()
			}
			if f.Closing == nil && late.Replica.Tick+40 != now {
				t.Fatalf("tick %d is shown at %d", late.Replica.Tick, now)
			}
			if f.Ended != nil {
				seen = now
			}
		}
		if now > 200 {
			t.Fatal("it does not end")
		}
	}
	if r := <-a.clerk.results; r.Ended == nil || r.Ended.Reason != "time-limit" || over != r.Ended.Tick {
		t.Errorf("the result is %+v; the player was told at %d", r.Ended, over)
	}
	if player.closing == nil || player.closing.Code != codeEnded {
		t.Errorf("the player was let go with %v", player.closing)
	}
	for late.closing == nil {
		late.read()
	}
	if seen != over+40 || late.closing.Code != codeEnded || late.Ended == nil {
		t.Errorf("the end, of tick %d, is shown at %d; let go with %v", over, seen, late.closing)
	}
}

// A stopping server does not wait for late spectators of a match that is over.
func TestNobodyWaitsForSpectators(t *testing.T) {
	spec := Spec{
		ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 2, SpectatorDelay: time.Minute,
		Options: sim.Options{TimeLimitMs: 1000},
		Seats:   []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}
	a := startServiceHarness(t, spec, Config{Linger: 500 * time.Millisecond})
	late := a.connect(&pb.Hello{Ticket: seatTicket("late", grid.NoTeam, time.Minute)}, 0)
	a.asked()
	for range 60 {
		if !a.tick() {
			t.Fatal("the match is gone, with one who has not seen its end")
		}
	}
	if r := <-a.clerk.results; r.Ended == nil {
		t.Errorf("the result is %+v", r)
	}
	if in := a.service.Matches(); len(in) != 1 || in[0].State != "ended" || len(in[0].Spectators) != 1 {
		t.Errorf("listed as %+v", in)
	}
	drained := make(chan error, 1)
	go func() { drained <- a.service.Drain(context.Background()) }()
	eventually.Holds(t, "the service drains", a.service.isDraining)
	for range 3 {
		a.tick()
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
	for late.closing == nil {
		late.read()
	}
	if late.closing.Code != codeEnded {
		t.Errorf("let go with %v", late.closing)
	}
}

// After a kill a spectator comes back with its token, and is shown the match from where
// it was, as late as before: the journal has that.
func TestSpectatorsAfterAKill(t *testing.T) {
	t.Parallel()
	const late, ticks = time.Second, 20
	a := startServiceHarness(t, Spec{
		ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 2, SpectatorDelay: late,
		Seats: []SeatSpec{{Name: "a", Team: 0, Start: 0}, {Name: "b", Team: 1, Start: 1}},
	}, Config{})
	player := a.join(0)
	w := a.connect(&pb.Hello{Ticket: seatTicket("w", grid.NoTeam, late), DerivesFog: true}, 0)
	a.asked()
	for range 60 {
		a.tick()
		player.read()
	}
	eventually.Holds(t, "the spectator sees the match", func() bool { // a broadcast begins beside the match
		a.tick()
		player.read()
		w.readAll()
		return w.Tick() != 0
	})
	shown := w.Replica.Tick
	b := a.revived(folder(t, map[string][]byte{matchID: a.killed()}), Config{})
	if b.live == nil || b.live.spec.Spectators != 2 || b.live.spec.SpectatorDelay != late {
		t.Fatalf("the match did not come back with its seats for spectators: %+v", b.live)
	}
	b.connect(&pb.Hello{Resume: player.welcome.Resume}, player.Replica.Tick)
	again := b.connect(&pb.Hello{Resume: w.welcome.Resume, DerivesFog: true}, shown)
	b.requested(2)
	again.State = w.State
	seen := make(chan struct{})
	go func() {
		defer close(seen)
		for again.closing == nil && again.Tick() <= shown {
			again.read()
		}
	}()
	b.until(func() bool {
		select {
		case <-seen:
			return true
		default:
			return false
		}
	})
	if now := b.live.world.Tick(); again.closing != nil || again.Tick()+ticks > now {
		t.Errorf("at tick %d it is shown tick %d; closed with %v", now, again.Tick(), again.closing)
	}
}

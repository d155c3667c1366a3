package match

import (
	"fmt"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// abandonable starts a match of two that ends after so long without people.
func abandonable(t *testing.T, after time.Duration, change func(*Spec)) *serviceHarness {
	t.Helper()
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true,
		Seats: []SeatSpec{{Name: "a", Team: 0}, {Name: "b", Team: 1, Start: 1}},
	}
	spec.Options.AbandonMs = int32(after.Milliseconds())
	if change != nil {
		change(&spec)
	}
	return startServiceHarness(t, spec, Config{Linger: time.Nanosecond})
}

// A match without visitors ends, as abandoned, and its journal plays to the same end.
func TestAMatchWithoutPeopleEnds(t *testing.T) {
	t.Parallel()
	a := abandonable(t, 3*time.Second, nil)
	ticks := 0
	for a.tick() {
		if ticks++; ticks > 100 {
			t.Fatal("it goes on")
		}
	}
	r := <-a.clerk.results
	if r.Ended == nil || r.Ended.Reason != "abandoned" || r.Ended.Winner != grid.NoTeam || r.Ended.Tick != 60 {
		t.Fatalf("result %+v", r.Ended)
	}
	a.end()
	if sum := replays(t, a.dir, matchID); sum.Ended == nil || sum.Ended.Reason != "abandoned" {
		t.Errorf("the journal ends with %+v", sum.Ended)
	}
}

// Neither a bot nor a spectator keeps a match alive; a person does, and the time counts
// from the departure of the last person.
func TestOnlyPeopleKeepAMatch(t *testing.T) {
	t.Parallel()
	a := abandonable(t, 3*time.Second, func(s *Spec) {
		s.Seats[1].Bot, s.Spectators = true, 2
	})
	bot, person := a.join(1), a.join(0)
	watcher := a.connect(&pb.Hello{Ticket: fmt.Sprint(matchID, " watch w ", grid.NoTeam, " 0")}, 0)
	a.asked()
	for _, c := range []*pipeClient{bot, watcher} {
		c.silent = true
		go func() {
			for {
				if _, err := c.pipe.Read(); err != nil {
					return
				}
			}
		}()
	}
	for range 100 {
		if !a.tick() {
			t.Fatal("it ended while a person was there")
		}
		person.read()
	}
	person.pipe.Close()
	a.until(func() bool { return !a.service.Matches()[0].Seats[0].Connected })
	gone := a.service.Matches()[0].Tick
	ticks := 0
	for a.tick() {
		if ticks++; ticks > 100 {
			t.Fatal("it goes on")
		}
	}
	r := <-a.clerk.results
	if r.Ended == nil || r.Ended.Reason != "abandoned" || r.Ended.Winner != 1 || r.Ended.Tick > gone+65 || r.Ended.Tick < gone+55 {
		t.Fatalf("it was left at %d, the result is %+v", gone, r.Ended)
	}
}

// A match that no player can come back to ends a minute later, however long its host
// chose: a match that all have left for good, and a match of bots. Spectators keep it
// going.
func TestAMatchWithoutPlayersEndsInAMinute(t *testing.T) {
	t.Parallel()
	play := func(a *serviceHarness, ticks int) (more bool) {
		for range ticks {
			if !a.tick() {
				return false
			}
		}
		return true
	}
	minute := func(t *testing.T, a *serviceHarness) {
		t.Helper()
		if !play(a, 1190) {
			t.Fatal("it ended before a minute was over")
		}
		if play(a, 20) {
			t.Fatal("it goes on after a minute")
		}
		if r := <-a.clerk.results; r.Ended == nil || r.Ended.Reason != "abandoned" {
			t.Errorf("result %+v", r.Ended)
		}
	}
	bots := func(s *Spec) { s.Seats[0].Bot, s.Seats[1].Bot, s.Spectators = true, true, 2 }
	t.Run("left for good", func(t *testing.T) {
		t.Parallel()
		a := abandonable(t, time.Hour, func(s *Spec) {
			s.Map.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 38, Y: 38}, {X: 8, Y: 38}}
			s.Seats[1].Bot = true
			s.Seats = append(s.Seats, SeatSpec{Name: "c", Team: 2, Start: 2, Bot: true})
		})
		c := a.join(0)
		a.ask(func() error {
			return a.service.End(t.Context(), "account0", Ending{Match: matchID, ForGood: true, Why: link.Refusal{Code: "kicked", Text: "out"}})
		})
		c.pipe.Close()
		minute(t, a)
	})
	t.Run("away", func(t *testing.T) {
		t.Parallel()
		a := abandonable(t, time.Hour, func(s *Spec) { s.Seats[1].Bot = true })
		a.join(0).pipe.Close()
		if !play(a, 1500) {
			t.Error("it ended although its player may come back")
		}
	})
	t.Run("bots", func(t *testing.T) {
		t.Parallel()
		minute(t, abandonable(t, time.Hour, bots))
	})
	t.Run("watched bots", func(t *testing.T) {
		t.Parallel()
		a := abandonable(t, time.Hour, bots)
		c := a.connect(&pb.Hello{Ticket: fmt.Sprint(matchID, " watch w ", grid.NoTeam, " 0")}, 0)
		a.asked()
		read := make(chan struct{})
		go func() {
			defer close(read)
			for {
				if _, err := c.pipe.Read(); err != nil {
					return
				}
			}
		}()
		if !play(a, 1500) {
			t.Fatal("it ended while somebody watches")
		}
		c.pipe.Close()
		<-read
		a.until(func() bool { return !a.live.world.Watched() })
		minute(t, a)
	})
}

// Repeated kills of the process do not change the time.
func TestAbandonedThroughKills(t *testing.T) {
	t.Parallel()
	a := abandonable(t, 20*time.Second, nil)
	a.join(0)
	first := a
	for lives := 0; ; lives++ {
		if lives == 30 {
			t.Fatal("thirty lives of two seconds, and no end")
		}
		for a.live.info.Load().State == "paused" { // it waits for its players
			a.tick()
		}
		ended := false
		for range 40 {
			ended = ended || !a.tick()
		}
		if ended {
			break
		}
		file := a.killed()
		a.end()
		a = first.revived(folder(t, map[string][]byte{matchID: file}), Config{Linger: time.Nanosecond})
		if a.live == nil { // in the second that a recovery plays on
			break
		}
	}
	r := <-a.clerk.results
	if r.Ended == nil || r.Ended.Reason != "abandoned" || r.Ended.Tick > 40+500 {
		t.Errorf("left at 40, result %+v", r.Ended)
	}
}

// An admin may have it go on.
func TestAKeptMatchGoesOn(t *testing.T) {
	a := abandonable(t, 2*time.Second, nil)
	a.ask(func() error { return a.service.Keep(t.Context(), matchID, true) })
	for range 100 {
		if !a.tick() {
			t.Fatal("it ended")
		}
	}
	if in := a.service.Matches()[0]; !in.Kept {
		t.Error("the list does not say that it is kept")
	}
	a.ask(func() error { return a.service.Keep(t.Context(), matchID, false) })
	for range 100 {
		if !a.tick() {
			return
		}
	}
	t.Error("it goes on")
}

package match

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

const period = time.Second / grid.TickRateDefault

// seconds lets n seconds pass. late is the number of late ticks out of 20.
func (p *pace) seconds(at *time.Time, n, late int) {
	for range n {
		for i := range 20 {
			d := time.Duration(0)
			if i < late {
				d = period + 1
			}
			p.note(*at, d, period)
			*at = at.Add(period)
		}
	}
}

func TestPace(t *testing.T) {
	var p pace
	at := time.Unix(1000, 0)
	want := func(percent int, busy bool) {
		t.Helper()
		p.note(at, 0, period) // closes the second before
		at = at.Add(period)
		if p.of() != percent || p.busy() != busy {
			t.Fatalf("pace %d, busy %v, want %d and %v", p.of(), p.busy(), percent, busy)
		}
	}
	p.seconds(&at, 5, 1)
	want(100, false)
	p.seconds(&at, 1, 20) // the machine stood still
	p.seconds(&at, 1, 0)
	want(100, false)
	p.seconds(&at, 5, 5) // some are late: no room for others, but these keep up
	want(100, true)
	p.seconds(&at, 2, 20)
	want(90, true)
	p.seconds(&at, 20, 20)
	want(paceLeast, true)
	p.seconds(&at, 12, 0)
	if got := p.of(); got <= paceLeast || got >= 60 {
		t.Fatalf("pace %d after 12 calm seconds: back at once, or never", got)
	}
	p.seconds(&at, 60, 0)
	want(100, false)
}

// bubbleClock is the wall's clock with timers of its own: a bubble's timers work only
// inside it.
type bubbleClock struct{ Wall }

func (bubbleClock) Wait(at time.Time, stop <-chan struct{}) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-stop:
		return false
	}
}

// TestSlowedMatchesSayThat: a process that cannot keep up runs all its matches slower
// by the same factor, tells their clients once for each change, starts no other, and
// goes on at full speed when it can.
func TestSlowedMatchesSayThat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := journaltest.OpenDir(t)
		s := New(Config{Clock: bubbleClock{}, Journals: dir, Admitter: nameDoor{}, Reporter: &clerk{results: make(chan Result, 2)}})
		defer s.Close()
		spec := func(id string) Spec {
			return Spec{ID: id, Map: flatMap(32), Rules: shipped(t), Seed: 7, EveryTick: true, Seats: []SeatSpec{
				{Name: "A", Team: 0, Start: 0}, {Name: "B", Team: 1, Start: 1},
			}}
		}
		ids := []string{matchID, "0190f000-0000-7000-8000-0000000000a2"}
		for _, id := range ids {
			if err := s.Start(spec(id)); err != nil {
				t.Fatal(err)
			}
		}
		near, far := link.Pipe()
		go s.Serve(far)
		defer near.Close()
		hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: "0 a A"}})
		if err != nil || near.Write(hello) != nil {
			t.Fatal(err)
		}
		held := make(chan uint32, 64)
		go func() {
			defer close(held)
			for {
				b, err := near.Read()
				if err != nil {
					return
				}
				var f pb.ServerFrame
				if err := proto.Unmarshal(b, &f); err != nil {
					t.Error(err)
					return
				}
				if f.Speed != nil {
					held <- f.Speed.Held
				}
				if near.Write(mustMarshal(&pb.ClientFrame{Applied: f.Tick})) != nil {
					return
				}
			}
		}()
		ticks := func() [2]grid.Tick {
			var out [2]grid.Tick
			for i, id := range ids {
				if err := s.find(id).do(t.Context(), func(m *live) { out[i] = m.world.Tick() }); err != nil {
					t.Fatal(err)
				}
			}
			return out
		}
		// passed is how many ticks the matches have in four seconds.
		passed := func() [2]grid.Tick {
			was := ticks()
			time.Sleep(4 * time.Second) // moves the clock of synctest, as below
			now := ticks()
			return [2]grid.Tick{now[0] - was[0], now[1] - was[1]}
		}
		near80 := func(n, want grid.Tick) bool { return n+2 >= want && n <= want+2 }
		time.Sleep(time.Second) // the client is in
		if n := passed(); !near80(n[0], 80) || !near80(n[1], 80) {
			t.Fatalf("%v ticks in 4 s at full speed", n)
		}
		s.pace.mu.Lock()
		s.pace.percent.Store(50)
		s.pace.calm = -1000 // as if ticks went on being late
		s.pace.mu.Unlock()
		time.Sleep(time.Second) // the matches look at the pace
		if n := passed(); !near80(n[0], 40) || !near80(n[1], 40) {
			t.Fatalf("%v ticks in 4 s at half the pace", n)
		}
		if got := <-held; got != 50 {
			t.Fatalf("the client was told of %d percent", got)
		}
		if err := s.Start(spec("0190f000-0000-7000-8000-0000000000a3")); !errors.Is(err, ErrBusy) {
			t.Fatalf("a third match: %v", err)
		}
		s.pace.percent.Store(0)
		time.Sleep(time.Second) // the matches look at the pace
		if n := passed(); !near80(n[0], 80) || !near80(n[1], 80) {
			t.Fatalf("%v ticks in 4 s at full speed again", n)
		}
		if got := <-held; got != 0 {
			t.Fatalf("the client was told of %d percent at full speed", got)
		}
		if len(held) != 0 {
			t.Fatalf("told %d times more", len(held))
		}
	})
}

// TestPaceWithoutMatches: the pace of matches that were late ends with the last match:
// others can be started, and work that waits for spare time goes on.
func TestPaceWithoutMatches(t *testing.T) {
	a := newServiceHarness(t, 48, 0, 1)
	at := a.clock.Now()
	a.service.pace.seconds(&at, 20, 20)
	next := a.spec
	next.ID = matchID[:len(matchID)-1] + "2"
	if !a.service.Busy() || !errors.Is(a.service.Room(next), ErrBusy) {
		t.Fatalf("pace %d, %v", a.service.pace.of(), a.service.Room(next))
	}
	a.ask(func() error { return a.service.Abort(t.Context(), matchID, "enough") })
	<-a.live.done
	var room error
	eventually.Holds(t, "there is room for a match", func() bool {
		room = a.service.Room(next)
		return room == nil && !a.service.Busy()
	}, &room)
}

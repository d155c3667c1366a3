package bench

import (
	"context"
	"encoding/gob"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// The smallest workload, over real sockets, with the server in this process:
// each client holds exactly its team's view, and derives the server's masks.
func TestReplicationHolds(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	// Entities are compared at ticks 1 and 100.
	r, err := Replication(ctx, Workload{Name: "w1-small", Seconds: 4, WarmUp: 2}, startHere(ServeWorkload), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Good(); err != nil {
		t.Error(err)
	}
	if r.Ticks != 80 || r.Compared < 200 || r.VisibleMean < 50 {
		t.Errorf("%d ticks, %d entities compared, %.0f in sight: that proves little", r.Ticks, r.Compared, r.VisibleMean)
	}
	if r.Walkers != 100 || r.Seconds != 4 || r.FullWorkload || len(r.Short) != 2 {
		t.Errorf("%d walkers, %d seconds, full workload %t, short of it %v: want 100, 4, false, and the seconds and the warm-up", r.Walkers, r.Seconds, r.FullWorkload, r.Short)
	}
	if r.BytesPerS > 400 {
		t.Errorf("%.0f bytes a second to each client, it took 150", r.BytesPerS)
	}
}

// A run that is less than the workload says so, and names the settings; a whole or larger one does not.
func TestShortRunsSayIt(t *testing.T) {
	m := grid.NewMap("m", 16, 16)
	for _, c := range []struct {
		work  Workload
		short string
	}{
		{Workload{Name: "w1", Seconds: 60}, ""},
		{Workload{Name: "w1", Seconds: 90, Units: 8000}, ""},
		{Workload{Name: "w1-small", Seconds: 60}, ""},
		{Workload{Name: "battle", Seconds: 60, Players: 8, Map: m}, ""},
		{Workload{Name: "w1", Seconds: 20, Units: 8000}, "20 of 60 seconds"},
		{Workload{Name: "w2", Seconds: 60, Units: 199}, "199 of 200 units a team"},
		{Workload{Name: "w1", Seconds: 59, WarmUp: 4}, "59 of 60 seconds; 4 of 5 seconds of warm-up"},
		{Workload{Name: "battle", Seconds: 60, Players: 4, Units: 100, Map: m}, "100 of 200 units a team; 4 of 8 players"},
	} {
		if err := c.work.Check(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(c.work.Short(), "; "); got != c.short {
			t.Errorf("%+v is short of the workload by %q, want %q", c.work, got, c.short)
		}
	}
}

// A client that does not keep up is sent less than its team sees, and that is no error
// of the server: the run does not call the missing rows wrong. But it measured
// less than was asked, and fails with that.
func TestClientsThatLagAreNotHeldWrong(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	w := Workload{Name: "w1-small", Seconds: 4, WarmUp: 2}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	pipe, err := startHere(ServeWorkload)(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	lines := gob.NewDecoder(pipe)
	var l ServerLine
	if err := lines.Decode(&l); err != nil || l.Error != "" {
		t.Fatal(err, l.Error)
	}
	var clients []*workloadClient
	var running sync.WaitGroup
	errs := make([]error, w.Players)
	for slot := range w.Players {
		c, err := dial(l.Address, slot, false)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
		running.Go(func() {
			defer close(c.over)
			for errs[slot] == nil {
				b, err := c.conn.Read()
				if err != nil {
					return
				}
				f, err := c.Decode(b)
				if err == nil {
					err = c.take(f, len(b))
				}
				if errs[slot] = err; slot == 1 && c.Tick()%reportEvery == 45 && len(c.frames) > 20 {
					time.Sleep(3 * time.Second) // a client that reads nothing, over the hundredth tick
				}
			}
		})
	}
	begin, truths, stats, err := readLines(lines, w, clients, func(string) {})
	if err == nil {
		err = awaitClients(ctx, clients, truths)
	}
	for _, c := range clients {
		c.conn.Close()
	}
	running.Wait()
	if err != nil {
		t.Fatal(err)
	}
	r, err := evaluate(w, clients, begin, truths, stats)
	if err != nil {
		t.Fatal(err)
	}
	if r.Mismatches > 0 || r.Uncompared == 0 || r.FramesCut == 0 {
		t.Errorf("%d entities held wrong, %d comparisons not made, %d frames cut: want 0, and some of both: %v", r.Mismatches, r.Uncompared, r.FramesCut, r.First)
	}
	if err := r.Good(); err == nil || !strings.Contains(err.Error(), "tick 100, client 1: the server cut its frame") {
		t.Errorf("the run is called good: %v", err)
	}
}

// A run that cannot be measured as asked is refused, or fails, with numbers.
func TestRunsThatMeasureLessFail(t *testing.T) {
	for _, c := range []struct {
		work Workload
		want string
	}{
		{Workload{Name: "w1", Seconds: 0}, "0 seconds"},
		{Workload{Name: "w1", Seconds: 60, Units: 40_001}, "at most 40000"},
		{Workload{Name: "battle", Seconds: 60, Players: 8}, "no map"},
		{Workload{Name: "battle", Seconds: 60, Map: grid.NewMap("m", 16, 16)}, "0 players"},
	} {
		if err := c.work.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one that says %q", c.work, err, c.want)
		}
	}

	w := Workload{Name: "w1-small", Seconds: 60}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	facts := make([]Fact, 99)
	for i := range facts {
		facts[i].Slot, facts[i].Handles = grid.Slot(i/50), make([]grid.Handle, 2)
	}
	truths := []*Truth{{Tick: 200, Facts: facts, Timed: make([][]Timed, 2)}}
	clients := []*workloadClient{{}, {slot: 1}}
	for _, c := range []struct {
		stats  Stats
		truths []*Truth
		want   string
	}{
		{Stats{Ticks: 1199}, nil, "1199 of 1200 ticks"},
		{Stats{Ticks: 1200}, truths, "99 units at tick 100, want 100"},
		{Stats{Ticks: 1200}, []*Truth{{Tick: 200, Facts: append(facts, Fact{Slot: 1, Handles: make([]grid.Handle, 2)}), Timed: truths[0].Timed}}, "client 0 cannot compare tick 100"},
	} {
		if _, err := evaluate(w, clients, 100, c.truths, &c.stats); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
	}
}

// Sixteen thousand walkers a team stand on w1's map, several on a tile;
// more than the tiles can hold, 25 each, is refused with numbers.
func TestWalkersShareTiles(t *testing.T) {
	for _, c := range []struct {
		units int
		side  int16
		short bool
	}{{16_000, 256, false}, {1000, 16, true}} {
		work := Workload{Name: "w1", Units: c.units, Seconds: 60}
		if err := work.Check(); err != nil {
			t.Fatal(err)
		}
		rules, err := work.rules()
		if err != nil {
			t.Fatal(err)
		}
		m := work.Map
		if c.side != 256 {
			m = grid.NewMap("small", int(c.side), int(c.side))
			for i := range c.side / 2 {
				m.Starts = append(m.Starts, grid.Tile{X: 2 * i, Y: i})
			}
		}
		setup := sim.Setup{Map: m, Rules: rules}
		for i := range work.Players {
			setup.Players = append(setup.Players, sim.Player{Team: grid.Team(i), Start: i})
		}
		w, err := sim.New(setup)
		var start *sim.StartError
		switch {
		case errors.As(err, &start) != c.short:
			t.Errorf("%d a team on %d tiles: error %v", c.units, c.side, err)
		case c.short:
			if placed := int(start.Slot)*c.units + start.Placed; placed != 25*16*16 || start.Wanted != c.units {
				t.Errorf("%d a team on %d tiles: %v, %d in all", c.units, c.side, err, placed)
			}
		case len(w.Entities()) != 8*c.units:
			t.Errorf("%d entities, want %d", len(w.Entities()), 8*c.units)
		}
	}
}

type inProcess struct {
	*io.PipeReader
	cancel context.CancelFunc
	done   chan struct{}
}

func (p *inProcess) Close() error {
	p.cancel()
	go io.Copy(io.Discard, p.PipeReader) // what it still writes
	<-p.done
	return p.PipeReader.Close()
}

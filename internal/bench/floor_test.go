package bench

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
)

// startHere runs a server of package bench in this process.
func startHere(serve func(context.Context, Workload, io.Writer) error) StartServer {
	return func(ctx context.Context, w Workload) (io.ReadCloser, error) {
		r, out := io.Pipe()
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() {
			defer close(done)
			out.CloseWithError(serve(ctx, w, out))
		}()
		return &inProcess{r, cancel, done}, nil
	}
}

// The floor sends every client, at each tick, each unit that its team sees, in
// eight bytes: what the clients read has the references' hashes, and is as many
// bytes as that.
func TestFloorSendsWhatIsSeen(t *testing.T) {
	for _, kind := range []FloorKind{FloorWriters, FloorBare} {
		t.Run(string(kind), func(t *testing.T) { floorSendsWhatIsSeen(t, kind) })
	}
}

func floorSendsWhatIsSeen(t *testing.T, kind FloorKind) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	work := Workload{Name: "w1-small", Seconds: 1, WarmUp: 1}
	r, err := Floor(ctx, work, kind, startHere(ServeFloor), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Compared != 2 { // tick 1, for two teams
		t.Errorf("%d frames were compared, want 2", r.Compared)
	}
	if err := work.Check(); err != nil {
		t.Fatal(err)
	}
	seen, walkers := 0, work.walkers()
	for n := 1; n <= 40; n++ {
		walkers.Step()
		if n > 20 {
			seen += seenByPlainRule(walkers)
		}
	}
	if want := float64(20*4+seen*8/2) / 1; r.BytesPerS != want {
		t.Errorf("%.1f bytes a second to each client, want %.1f", r.BytesPerS, want)
	}
	if r.Core <= 0 || r.TickP50Us < 0 || r.TickP99Us < r.TickP50Us {
		t.Errorf("measured %+v", r)
	}
}

// A floor whose client does not read ends: frames do not pile up.
func TestFloorDoesNotQueueWithoutEnd(t *testing.T) {
	f := newFloor(Workload{Players: 1, Side: 64, Units: 4})
	f.frames[0] = []byte{1}
	w := &floorWriter{frames: make(chan []byte, floorQueue), spare: make(chan []byte, floorQueue)}
	for range floorQueue {
		if err := f.handOver(w, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.handOver(w, 0); err == nil {
		t.Error("one frame more than fits was taken")
	}
}

// seenByPlainRule counts what all teams see, asking each pair of units.
func seenByPlainRule(w *Walkers) (n int) {
	for team := range w.teams {
		for id := range w.units {
			u := &w.units[id]
			for k := team * w.army; k < (team+1)*w.army; k++ {
				dx, dy := int(u.x>>16)-int(w.units[k].x>>16), int(u.y>>16)-int(w.units[k].y>>16)
				if dx*dx+dy*dy <= walkSight*walkSight {
					n++
					break
				}
			}
		}
	}
	return n
}

// The floor's frames have the hashes of the plain rule, also where places take
// more than their two bytes of a small map and ids more than two.
func TestFloorOnLargerMaps(t *testing.T) {
	for _, work := range []Workload{
		{Name: "w1", Seconds: 1},
		{Name: "w2", Seconds: 1, Side: 300},
		{Name: "w1", Seconds: 1, Units: 8200, Side: 512},
	} {
		if err := work.Check(); err != nil {
			t.Fatal(err)
		}
		f := newFloor(work)
		work.WarmUp = 0
		for n := 1; n <= 100; n++ {
			f.tick(n)
			if n != 1 && n != 100 {
				continue
			}
			for team, want := range f.walkers.Hashes() {
				c := floorClient{hashes: map[int]string{}, last: n - 1}
				if err := c.take(&work, f.frames[team]); err != nil || c.hashes[n] != want {
					t.Fatalf("%s with %d units on %d tiles, tick %d, team %d: %s, error %v; want %s", work.Name, work.Units, work.Side, n, team, c.hashes[n], err, want)
				}
			}
		}
	}
}

// A floor that sends something else than is seen, leaves a tick out or measures
// less is no floor.
func TestFloorsThatCheatFail(t *testing.T) {
	work := Workload{Name: "w1-small", Seconds: 1, WarmUp: 5}
	if err := work.Check(); err != nil {
		t.Fatal(err)
	}
	run := func(spoil func(team, tick int, frame []byte) []byte, ticks int) error {
		f := newFloor(work)
		clients := []*floorClient{{hashes: map[int]string{}}, {hashes: map[int]string{}}}
		for n := 1; n <= 120; n++ {
			f.tick(n)
			for team, c := range clients {
				if err := c.take(&work, spoil(team, n, f.frames[team])); err != nil {
					return err
				}
			}
		}
		_, err := judgeFloor(work, clients, &Stats{Ticks: ticks})
		return err
	}
	honest := func(_, _ int, b []byte) []byte { return b }
	if err := run(honest, 20); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what, want string
		ticks      int
		spoil      func(team, tick int, frame []byte) []byte
	}{
		{"a unit is missing", "client 1", 20, func(team, _ int, b []byte) []byte { return b[:len(b)-team*frameRow] }},
		{"a place is old", "tick 100", 20, func(_, tick int, b []byte) []byte {
			if tick == 100 {
				b[frameHeader+3]++
			}
			return b
		}},
		{"a tick is left out", "tick 8 after 6", 20, func(_, tick int, b []byte) []byte {
			if tick >= 7 {
				b[0]++
			}
			return b
		}},
		{"half a row", "a frame of", 20, func(_, _ int, b []byte) []byte { return b[:len(b)-1] }},
		{"too few ticks", "19 of 20 ticks", 19, honest},
	} {
		if err := run(c.spoil, c.ticks); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.what, err, c.want)
		}
	}
	for _, kind := range []FloorKind{FloorBare, FloorWriters} {
		if _, err := Floor(t.Context(), Workload{Name: "battle", Seconds: 1}, kind, nil, nil); err == nil {
			t.Error("a battle has a floor")
		}
	}
	if _, err := Floor(t.Context(), Workload{Name: "w1", Seconds: 1}, "cellar", nil, nil); err == nil {
		t.Error("there is a floor of an unknown kind")
	}
	r := ReplicationReport{Stats: Stats{CPU: 0.06}}
	r.Beside(&Floors{Writers: &FloorReport{Core: 0.04, TickP50Us: 1500, TickP99Us: 2500}, Bare: &FloorReport{Core: 0.02}})
	if r.CoreRatio != 1.5 || r.FloorTickP50Ms != 1.5 || r.FloorTickP99Ms != 2.5 || r.FloorCore != 0.04 || r.BareCore != 0.02 || r.BareRatio != 3 {
		t.Errorf("beside the floors: %+v", r)
	}
}

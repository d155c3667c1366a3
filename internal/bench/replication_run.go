package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fogkeep/fogkeep/internal/cli"
)

// walkFlags measures replication on armies that walk.
type walkFlags struct {
	asJSON
	Units   int    `help:"Units per team; 0: the workload's number. The output marks a run with fewer as non-standard."`
	Seconds int    `default:"60" help:"Measured seconds, after a warm-up of five. The output marks a run with fewer than 60 as non-standard."`
	Side    int    `help:"Tiles per side of the map; 0: the workload's number. The output marks a run with more as non-standard."`
	Floor   bool   `help:"First run the same armies on two minimal servers for the workload, and print the ratio of processor time."`
	Beats   bool   `help:"Send views ten times per second, as matches do, and not at each tick. The output marks the run as non-standard."`
	Apart   bool   `help:"Keep the server on one processor and the clients on another, so that a write does not do the receiver's work."`
	Profile string `placeholder:"FILE" help:"Write a CPU profile of the server's measured seconds there, for go tool pprof; the profiles of the two minimal servers go to FILE.writers and FILE.bare."`
}

type (
	w1      struct{ walkFlags }
	w2      struct{ walkFlags }
	w1Small struct{ walkFlags }
)

func (c *w1) Run(in *cli.Invocation) error      { return c.run(in, "w1") }
func (c *w2) Run(in *cli.Invocation) error      { return c.run(in, "w2") }
func (c *w1Small) Run(in *cli.Invocation) error { return c.run(in, "w1-small") }

func (c *walkFlags) run(in *cli.Invocation, name string) error {
	w := Workload{Name: name, Units: c.Units, Seconds: c.Seconds, Side: c.Side, Beats: c.Beats}
	start := startServer(in.Stderr)
	if c.Apart {
		var err error
		if start, err = apart(start); err != nil {
			return err
		}
	}
	var floors *Floors
	if c.Floor {
		floors = &Floors{}
		for _, f := range []struct {
			kind   FloorKind
			report **FloorReport
		}{{FloorWriters, &floors.Writers}, {FloorBare, &floors.Bare}} {
			if c.Profile != "" {
				w.Profile = c.Profile + "." + string(f.kind)
			}
			var err error
			if *f.report, err = Floor(in.Ctx, w, f.kind, start, func(s string) { fmt.Fprintln(in.Stderr, s) }); err != nil {
				return err
			}
		}
	}
	w.Profile = c.Profile
	return c.measure(in, w, start, floors)
}

// battle measures replication on a battle. With fewer than 60 seconds, 200 units or 8
// players the run is not the workload, and says so.
type battle struct {
	Battle `set:"seconds=60"`
	asJSON
	Profile string `placeholder:"FILE" help:"Write a CPU profile of the server's measured seconds there, for go tool pprof."`
}

func (c *battle) Run(in *cli.Invocation) error {
	w := Workload{Name: "battle", Map: c.Map.Map, MapPath: c.Map.name, Players: c.Players, Units: c.Units, Seconds: c.Seconds, Seed: c.Seed, Profile: c.Profile}
	return c.measure(in, w, startServer(in.Stderr), nil)
}

// measure runs a workload and fails if a client ever held or lacked an entity wrongly. floors are the floors'
// measurements, or nil.
func (j asJSON) measure(in *cli.Invocation, w Workload, start StartServer, floors *Floors) error {
	r, err := Replication(in.Ctx, w, start, func(s string) { fmt.Fprintln(in.Stderr, s) })
	if err != nil {
		return err
	}
	if floors != nil {
		r.Beside(floors)
	}
	if err := j.print(in.Stdout, r); err != nil {
		return err
	}
	return r.Good()
}

// startServer starts this very program as the measured server.
func startServer(stderr io.Writer) StartServer {
	return func(ctx context.Context, w Workload) (io.ReadCloser, error) {
		self, err := ownProgram()
		if err != nil {
			return nil, err
		}
		wish, err := json.Marshal(w)
		if err != nil {
			return nil, err
		}
		return startChild(ctx, self, stderr, "server", string(wish))
	}
}

// measuredServer is the measured server; measure starts it.
type measuredServer struct {
	Workload string `arg:""` // in JSON
}

func (c *measuredServer) Run(in *cli.Invocation) error {
	var w Workload
	if err := json.Unmarshal([]byte(c.Workload), &w); err != nil {
		return err
	}
	if w.MapPath != "" {
		var m Map
		if err := m.UnmarshalText([]byte(w.MapPath)); err != nil {
			return err
		}
		w.Map = m.Map
	}
	if err := w.Check(); err != nil {
		return err
	}
	if w.Floor != NoFloor {
		return ServeFloor(in.Ctx, w, in.Stdout)
	}
	return ServeWorkload(in.Ctx, w, in.Stdout)
}

// apart keeps this process on one processor, and servers that start starts on another.
func apart(start StartServer) (StartServer, error) {
	if err := stayOn(1); err != nil {
		return nil, err
	}
	return func(ctx context.Context, w Workload) (pipe io.ReadCloser, err error) {
		err = onCore(0, func() (err error) {
			pipe, err = start(ctx, w)
			return err
		})
		return pipe, err
	}, nil
}

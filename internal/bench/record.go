package bench

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// recordSpread is how long the armies have walked when a recording begins, in
// seconds: they begin in corners of their own and spread over the map.
const recordSpread = 60

// Record plays a walking workload without a clock and sockets, and writes what
// the client of the first team is sent: the public map, the welcome, a snapshot,
// then a frame each tick. Each of these is its length, four bytes with the least
// first, and its bytes. web/bench/stream.mjs plays the file in a browser.
func Record(w Workload, out io.Writer) error {
	if err := w.Check(); err != nil {
		return err
	}
	if w.Name == "battle" {
		return fmt.Errorf("bench: only walking workloads are recorded")
	}
	rules, err := w.rules()
	if err != nil {
		return err
	}
	setup := sim.Setup{Map: w.Map, Rules: rules}
	played := spec.Match{ID: benchMatch, Map: w.Map, Rules: rules}
	for i := range w.Players {
		setup.Players = append(setup.Players, sim.Player{Team: grid.Team(i), Start: i})
		played.Seats = append(played.Seats, spec.Seat{Name: fmt.Sprint("client ", i), Team: grid.Team(i), Start: i, Color: uint8(i)})
	}
	world, err := sim.New(setup)
	if err != nil {
		return err
	}
	walkers := w.walkers()
	for range recordSpread * grid.TickRateDefault {
		walkers.Step()
	}
	g := newGauge(w, make(chan ServerLine, 1)) // it says when the walkers begin
	g.stand(walkers)
	g.ready.Store(true)
	world.SetDriver(g.driver())

	to := bufio.NewWriter(out)
	put := func(b []byte) error {
		var n [4]byte
		binary.LittleEndian.PutUint32(n[:], uint32(len(b)))
		if _, err := to.Write(n[:]); err != nil {
			return err
		}
		_, err := to.Write(b)
		return err
	}
	if err := put(w.Map.Marshal()); err != nil {
		return err
	}
	welcome := played.Welcome(world)
	welcome.Resume = "recorded"
	b, err := proto.Marshal(&pb.ServerFrame{Welcome: welcome})
	if err != nil {
		return err
	}
	if err := put(b); err != nil {
		return err
	}
	kinds := wire.Kinds{Players: world.Players(), Types: len(rules.Types)}
	builder := view.NewBuilder(0)
	tracker := view.NewTracker(view.Rules{
		W: w.Map.W, H: w.Map.H, TickRate: view.TickRateOf(rules, world.TickRate()), Keep: grid.Ticks(view.KeepSeconds * world.TickRate()), Values: rules.Values,
	})
	var seen view.View
	var diff view.Diff
	var own view.OwnerDiff
	var last grid.Tick
	for frames := 0; frames <= w.Seconds*grid.TickRateDefault; {
		world.Step(nil)
		if g.begin == 0 {
			continue
		}
		builder.Build(world, &seen)
		tracker.Update(&seen)
		tracker.Diff(&diff, last, view.MaskOptions{})
		tracker.DiffOwner(&own, 0, last)
		b = wire.AppendClock(b[:0], diff.Tick, diff.Span, diff.Snapshot)
		b = wire.AppendTeam(b, &diff, kinds)
		b = wire.AppendOwn(b, &own)
		if err := put(b); err != nil {
			return err
		}
		last = world.Tick()
		frames++
	}
	return to.Flush()
}

// record is the command that writes a client's frames into a file.
type record struct {
	Workload string `default:"w1" enum:"w1,w2,w1-small" help:"The armies that walk: w1, w2 or w1-small."`
	Units    int    `help:"Units per team; 0: the workload's number."`
	Seconds  int    `default:"20" help:"Seconds of match time, after the armies have spread over the map."`
	Side     int    `help:"Tiles per side of the map; 0: the workload's number."`
	Out      string `arg:"" placeholder:"FILE" help:"The file."`
}

// Run plays and writes.
func (c *record) Run(*cli.Invocation) error {
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	err = Record(Workload{Name: c.Workload, Units: c.Units, Seconds: c.Seconds, Side: c.Side}, f)
	return errors.Join(err, f.Close())
}

package bench

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/proto/wire"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// ReplicationReport has the measurements of a replication workload.
type ReplicationReport struct {
	Workload string `json:"workload"`
	Units    int    `json:"units"`   // per team
	Walkers  int    `json:"walkers"` // in all teams, counted in the server's world at each comparison; 0: a battle
	Clients  int    `json:"clients"`
	Seconds  int    `json:"seconds"` // measured, of match time

	// FullWorkload says that the run had at least the size and length of the workload in docs/contributing/workloads.md. Otherwise
	// Short says where the run fell short, and its figures are not figures of the workload.
	FullWorkload bool     `json:"full_workload"`
	Short        []string `json:"short,omitempty"`

	BytesPerS    float64 `json:"bytes_per_s_per_client"` // websocket payload, mean
	BytesP99PerS float64 `json:"bytes_p99_per_s"`        // p99 of one-second windows
	WirePerS     float64 `json:"wire_bytes_per_s_per_client"`
	WireP99PerS  float64 `json:"wire_bytes_p99_per_s"`
	VisibleMean  float64 `json:"visible_mean"`
	Stats
	Compared   int `json:"compared"` // entities, at all compared ticks
	Mismatches int `json:"mismatches"`
	Uncompared int `json:"uncompared"` // planned comparisons that failed: the server had cut the client's frame. [ReplicationReport.Good] refuses such a run
	Resyncs    int `json:"resyncs"`

	OrdersPerS float64 `json:"orders_per_s,omitempty"`
	JoinBytes  float64 `json:"join_bytes"`

	// Parts is payload by part of the frame, in bytes per second and client. Rows
	// is the number of its rows; most rows describe an entity.
	Parts map[string]float64 `json:"parts"`
	Rows  map[string]float64 `json:"rows"`

	First []string `json:"first_mismatches,omitempty"` // remarks on mismatches and on missing comparisons

	// Measurements of the floors, if they ran: see [FloorReport]. CoreRatio is the server's
	// processor time divided by the time of the floor with writers, BareRatio divided by the bare floor's.
	FloorCore      float64 `json:"floor_core,omitempty"`
	FloorTickP50Ms float64 `json:"floor_tick_p50_ms,omitempty"`
	FloorTickP99Ms float64 `json:"floor_tick_p99_ms,omitempty"`
	FloorBytesPerS float64 `json:"floor_bytes_per_s_per_client,omitempty"`
	CoreRatio      float64 `json:"core_ratio,omitempty"`
	BareCore       float64 `json:"bare_core,omitempty"`
	BareRatio      float64 `json:"bare_ratio,omitempty"`
}

// Floors are the floors of a workload.
type Floors struct{ Writers, Bare *FloorReport }

// Beside puts the measurements of the same workload's floors into the report.
func (r *ReplicationReport) Beside(f *Floors) {
	w := f.Writers
	r.FloorCore, r.FloorBytesPerS, r.BareCore = w.Core, w.BytesPerS, f.Bare.Core
	r.FloorTickP50Ms, r.FloorTickP99Ms = float64(w.TickP50Us)/1000, float64(w.TickP99Us)/1000
	if w.Core > 0 {
		r.CoreRatio = r.CPU / w.Core
	}
	if f.Bare.Core > 0 {
		r.BareRatio = r.CPU / f.Bare.Core
	}
}

// frameOverhead is the size of a message on the wire besides its payload: IP and
// TCP headers of one packet, and the websocket's own.
const frameOverhead = 44

// StartServer starts the measured server as a separate process and returns its output. Closing it ends the process.
type StartServer func(ctx context.Context, w Workload) (io.ReadCloser, error)

// begin starts the server and returns its lines after the first, which names its address.
func (start StartServer) begin(ctx context.Context, w Workload) (lines *gob.Decoder, address string, end func(), err error) {
	pipe, err := start(ctx, w)
	if err != nil {
		return nil, "", nil, err
	}
	var l ServerLine
	lines = gob.NewDecoder(pipe)
	if err := lines.Decode(&l); err != nil {
		pipe.Close()
		return nil, "", nil, fmt.Errorf("bench: the measured server wrote no data: %w", err)
	}
	if l.Error != "" {
		pipe.Close()
		return nil, "", nil, errors.New(l.Error)
	}
	return lines, l.Address, func() { pipe.Close() }, nil
}

// Replication runs a workload: the server in its own process, the clients
// here, over real websockets. progress, if not nil, gets a line for each stage.
func Replication(ctx context.Context, w Workload, start StartServer, progress func(string)) (*ReplicationReport, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(string) {}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines, address, end, err := start.begin(ctx, w)
	if err != nil {
		return nil, err
	}
	defer end()
	clients, wait, err := dialAll(address, w)
	if err != nil {
		return nil, err
	}
	begin, truths, stats, err := readLines(lines, w, clients, progress)
	if err == nil {
		err = awaitClients(ctx, clients, truths)
	}
	for _, c := range clients {
		c.conn.Close()
	}
	if werr := wait(); err == nil {
		err = werr
	}
	if err != nil {
		return nil, err
	}
	return evaluate(w, clients, begin, truths, stats)
}

func dialAll(address string, w Workload) (clients []*workloadClient, wait func() error, err error) {
	var running sync.WaitGroup
	errs := make([]error, w.Players)
	for slot := range w.Players {
		c, err := dial(address, slot, w.Name == "battle")
		if err != nil {
			return nil, nil, err
		}
		clients = append(clients, c)
		running.Go(func() {
			defer close(c.over)
			errs[slot] = c.play()
		})
	}
	return clients, func() error { running.Wait(); return errors.Join(errs...) }, nil
}

// readLines collects the server's lines until its measurements come, and tells the
// clients when the workload begins.
func readLines(lines *gob.Decoder, w Workload, clients []*workloadClient, progress func(string)) (begin uint32, truths []*Truth, stats *Stats, err error) {
	for {
		var l ServerLine
		if err := lines.Decode(&l); err != nil {
			return 0, nil, nil, fmt.Errorf("bench: the server broke off: %w", err)
		}
		switch {
		case l.Error != "":
			return 0, nil, nil, errors.New(l.Error)
		case l.Begin != 0:
			begin = l.Begin
			for _, c := range clients {
				c.begin.Store(begin)
			}
		case l.Truth != nil:
			truths = append(truths, l.Truth)
			progress(fmt.Sprintf("%s: tick %d of %d", w.Name, l.Truth.Tick-begin, (w.WarmUp+w.Seconds)*grid.TickRateDefault))
		case l.Stats != nil:
			return begin, truths, l.Stats, nil
		}
	}
}

// awaitClients waits until every client has applied the last compared tick, or is gone.
func awaitClients(ctx context.Context, clients []*workloadClient, truths []*Truth) error {
	if len(truths) == 0 {
		return nil
	}
	last := truths[len(truths)-1].Tick
	ctx, cancel := context.WithTimeout(ctx, hangUpWait-time.Second)
	defer cancel()
	for _, c := range clients {
		for c.applied.Load() < last {
			select {
			case <-c.over:
				return nil // its error says why
			case <-ctx.Done():
				return fmt.Errorf("bench: client %d is at tick %d, and the last compared tick is %d: it does not keep up", c.slot, c.applied.Load(), last)
			case <-time.After(10 * time.Millisecond):
			}
		}
	}
	return nil
}

func evaluate(w Workload, clients []*workloadClient, begin uint32, truths []*Truth, s *Stats) (*ReplicationReport, error) {
	r := &ReplicationReport{
		Workload: w.Name, Units: w.Units, Clients: len(clients), Seconds: w.Seconds, Short: w.Short(), FullWorkload: len(w.Short()) == 0, Stats: *s,
	}
	rate := grid.Tick(grid.TickRateDefault)
	from := grid.Tick(begin) + grid.Tick(w.WarmUp)*rate
	seconds := w.Seconds
	if s.Ticks != seconds*int(rate) {
		return nil, fmt.Errorf("bench: the match ended after %d of %d ticks to be measured", s.Ticks, seconds*int(rate))
	}
	var windows, wires []int
	var bytes, messages, visible, frames, orders, join int
	for _, c := range clients {
		sums, wire := make([]int, seconds), make([]int, seconds)
		for _, f := range c.frames {
			i := int(f.tick-from-1) / int(rate)
			if f.tick <= from || i >= seconds {
				continue
			}
			sums[i] += f.bytes
			wire[i] += f.bytes + frameOverhead
			bytes += f.bytes
			messages++
			visible += f.visible
			frames++
		}
		windows, wires = append(windows, sums...), append(wires, wire...)
		r.Resyncs += c.resyncs
		orders += c.orders
		join += c.join
	}
	slices.Sort(windows)
	slices.Sort(wires)
	per := float64(seconds * len(clients))
	r.BytesPerS, r.WirePerS = float64(bytes)/per, float64(bytes+frameOverhead*messages)/per
	r.BytesP99PerS, r.WireP99PerS = float64(windows[(len(windows)-1)*99/100]), float64(wires[(len(wires)-1)*99/100])
	r.VisibleMean = float64(visible) / float64(max(1, frames))
	r.OrdersPerS = float64(orders) / float64(seconds+w.WarmUp)
	r.JoinBytes = float64(join) / float64(len(clients))
	r.Parts, r.Rows = map[string]float64{}, map[string]float64{}
	for p := range wire.Parts {
		if n := s.Traffic.Part(p); n.Bytes > 0 && !wire.PartTable[p].Client {
			r.Parts[p.String()], r.Rows[p.String()] = float64(n.Bytes)/per, float64(n.Rows)/per
		}
	}
	j, err := newJudge(w)
	if err != nil {
		return nil, err
	}
	for _, t := range truths {
		if w.Name != "battle" {
			r.Walkers = w.Units * w.Players
			if have := j.units(t); have != r.Walkers {
				return nil, fmt.Errorf("bench: the world has %d units at tick %d, want %d", have, t.Tick-begin, r.Walkers)
			}
		}
		for team, want := range j.sights(t) {
			if t.Lacking.Has(grid.Slot(team)) { // the server cut its frame, so a comparison would prove nothing
				r.Uncompared++
				r.note("tick %d, client %d: the server cut its frame, since it does not keep up", t.Tick-begin, team)
				continue
			}
			got, ok := clients[team].reports[t.Tick]
			if !ok {
				return nil, fmt.Errorf("bench: client %d cannot compare tick %d: it had a snapshot of a later tick", team, t.Tick-begin)
			}
			sortSights(got)
			r.Compared += len(want)
			for _, what := range compareSights(got, want) {
				r.Mismatches++
				r.note("tick %d, client %d: %s", t.Tick-begin, team, what)
			}
		}
	}
	return r, nil
}

// note keeps the first remarks about the comparisons.
func (r *ReplicationReport) note(format string, args ...any) {
	if len(r.First) < 10 {
		r.First = append(r.First, fmt.Sprintf(format, args...))
	}
}

// Good returns an error if a client's view was ever wrong, or if planned comparisons are missing.
func (r *ReplicationReport) Good() error {
	switch {
	case r.Mismatches > 0 || r.Resyncs > 0:
		return fmt.Errorf("%s: clients had %d wrong entities and %d wrong masks: %v", r.Workload, r.Mismatches, r.Resyncs, r.First)
	case r.Uncompared > 0:
		return fmt.Errorf("%s: %d comparisons are missing, since the server cut those frames of clients that did not keep up, and %d measured frames: %v",
			r.Workload, r.Uncompared, r.FramesCut, r.First)
	}
	return nil
}

// judge computes each team's view from facts: it tests every tile around each eye.
type judge struct {
	m     *grid.Map
	rules *rules.Ruleset
	field *obvious.Field
}

func newJudge(w Workload) (*judge, error) {
	m, rules := w.Map, (*rules.Ruleset)(nil)
	var err error
	if w.Name == "battle" {
		var setup sim.Setup
		setup, err = BattleSetup(w.Map, w.Players, w.Units, w.Seed)
		m, rules = setup.Map, setup.Rules
	} else {
		rules, err = w.rules()
	}
	if err != nil {
		return nil, err
	}
	return &judge{m, rules, obvious.NewField(m)}, nil
}

// units returns the number of units.
func (j *judge) units(t *Truth) (n int) {
	for i := range t.Facts {
		if j.rules.Types[t.Facts[i].Type].Class == rules.ClassUnit {
			n++
		}
	}
	return n
}

// sights returns, by team, the visible units, sorted by handle.
func (j *judge) sights(t *Truth) [][]Sight {
	out := make([][]Sight, len(t.Timed))
	for team := range out {
		seen, detected := j.masks(t, team)
		for i := range t.Facts {
			f := &t.Facts[i]
			if int(f.Slot) == team || j.shown(f, seen, detected) { // a player a team: its slot
				out[team] = append(out[team], Sight{f.Handles[team], f.Type, f.Slot, f.Pos, f.Missing})
			}
		}
		sortSights(out[team])
	}
	return out
}

func sortSights(list []Sight) {
	slices.SortFunc(list, func(a, b Sight) int { return int(a.Handle) - int(b.Handle) })
}

func (j *judge) masks(t *Truth, team int) (seen, detected []bool) {
	seen, detected = make([]bool, j.m.W*j.m.H), make([]bool, j.m.W*j.m.H)
	look := func(s obvious.Source) {
		r := s.Radius/2 + 1
		for y := max(0, s.Y-r); y <= min(j.m.H-1, s.Y+r); y++ {
			for x := max(0, s.X-r); x <= min(j.m.W-1, s.X+r); x++ {
				if j.field.Sees(s, s.Radius, x, y) {
					seen[y*j.m.W+x] = true
					if s.Detect > 0 && j.field.Sees(s, s.Detect, x, y) {
						detected[y*j.m.W+x] = true
					}
				}
			}
		}
	}
	for i := range t.Facts {
		f := &t.Facts[i]
		ty := &j.rules.Types[f.Type]
		if int(f.Slot) != team || ty.Class == rules.ClassProjectile {
			continue
		}
		s := obvious.Source{
			X: int(f.Pos.Tile().X), Y: int(f.Pos.Tile().Y), Radius: int(ty.Sight), Detect: int(ty.Detect),
			Flyer: ty.Class == rules.ClassUnit && ty.Move == grid.Air, LevelBonus: int(ty.LevelBonus),
		}
		if !f.Built {
			s.Radius, s.Detect = min(s.Radius, 4), 0
		}
		look(s)
	}
	for _, s := range t.Timed[team] {
		look(obvious.Source{X: int(s.Tile.X), Y: int(s.Tile.Y), Radius: s.Radius, Flyer: s.Flyer, LevelBonus: s.LevelBonus})
	}
	return seen, detected
}

func (j *judge) shown(f *Fact, seen, detected []bool) bool {
	ty := &j.rules.Types[f.Type]
	at := j.m.Index(f.Pos.Tile())
	switch {
	case f.Cloaked:
		return detected[at]
	case ty.Class == rules.ClassStructure || ty.Class == rules.ClassResource:
		for i := range int(ty.FootW) * int(ty.FootH) {
			t := grid.Tile{X: f.Foot.X + int16(i%int(ty.FootW)), Y: f.Foot.Y + int16(i/int(ty.FootW))}
			if j.m.In(t) && seen[j.m.Index(t)] {
				return true
			}
		}
	}
	return seen[at]
}

// compareSights names the units that a client holds wrongly, lacks, or holds with wrong values. Places may be off
// by the tolerance, health not at all.
func compareSights(got, want []Sight) []string {
	var wrong []string
	for len(got) > 0 || len(want) > 0 {
		switch {
		case len(want) == 0 || len(got) > 0 && got[0].Handle < want[0].Handle:
			wrong = append(wrong, fmt.Sprintf("holds %+v, which is not in sight", got[0]))
			got = got[1:]
		case len(got) == 0 || want[0].Handle < got[0].Handle:
			wrong = append(wrong, fmt.Sprintf("lacks %+v", want[0]))
			want = want[1:]
		default:
			g, w := got[0], want[0]
			if g.Type != w.Type || g.Owner != w.Owner || g.Missing != w.Missing || !g.Pos.Within(w.Pos, view.ToleranceDefault) {
				wrong = append(wrong, fmt.Sprintf("holds %+v, it is %+v", g, w))
			}
			got, want = got[1:], want[1:]
		}
	}
	return wrong
}

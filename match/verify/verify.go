package verify

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Client is the record of one client.
type Client struct {
	Name       string
	Slot       grid.Slot
	Team       grid.Team
	DerivesFog bool
	Messages   [][]byte // all that it took in, in order
}

// Options say how [Match] compares.
type Options struct {
	// Final: the match is over. Otherwise frames of ticks that the journal does not have
	// yet are not compared.
	Final bool
	// At, if not nil, reports whether a client's state is compared at a tick, with a frame
	// or, where the view did not change, without. Nil: after each frame. Answers are
	// compared always.
	At func(slot grid.Slot, tick grid.Tick) bool
}

// Report is the result of a comparison.
type Report struct {
	Ticks    grid.Tick // of the journal
	Frames   int       // that were replayed
	Entities int       // that clients held, and were compared
	Orders   int       // answered to clients
	Accepted int
	Lost     int     // answered orders that the journal does not have
	Doubled  int     // orders that the journal has more than once
	Wrong    []error // every difference; at most wrongMax
}

// wrongMax bounds how much is reported of one match.
const wrongMax = 20

// Err returns all errors, or nil.
func (r *Report) Err() error { return errors.Join(r.Wrong...) }

func (r *Report) complain(format string, args ...any) {
	if len(r.Wrong) < wrongMax {
		r.Wrong = append(r.Wrong, fmt.Errorf(format, args...))
	}
}

// orderKey names an order of a match.
type orderKey struct {
	slot grid.Slot
	seq  uint32
}

// orderDone is the answer of an order that the journal has.
type orderDone struct {
	tick grid.Tick
	code uint32
	n    int // how often it was answered for the first time
}

// Match plays a journal again, compares every answer and state hash in it, and compares
// the replay with the records of clients.
func Match(read journal.Reader, clients []*Client, o Options) Report {
	v := verifier{at: o.At, done: map[orderKey]*orderDone{}, last: map[grid.Slot]uint32{}, teams: map[grid.Team]*teamTruth{}}
	for _, c := range clients {
		v.clients = append(v.clients, &told{Client: c, codes: map[uint32]uint32{}, firstTick: map[uint32]grid.Tick{}})
	}
	_, sum, err := journal.Replay(read, v.step)
	if err != nil && (o.Final || !errors.Is(err, io.ErrUnexpectedEOF)) {
		v.report.complain("the journal: %w", err)
	}
	r := &v.report
	r.Ticks = sum.Ticks
	if o.Final && sum.Ended == nil {
		r.complain("the journal has no end")
	}
	for _, t := range v.clients {
		v.beyond(t, o.Final, sum.Ended)
		v.orders(t)
	}
	for key, d := range v.done {
		if d.n > 1 {
			r.Doubled++
			r.complain("slot %d: order %d is in the journal %d times", key.slot, key.seq, d.n)
		}
	}
	return *r
}

type verifier struct {
	report  Report
	at      func(grid.Slot, grid.Tick) bool
	clients []*told
	teams   map[grid.Team]*teamTruth
	cache   *view.Cache
	done    map[orderKey]*orderDone
	last    map[grid.Slot]uint32 // number of the newest order that was answered for the first time
}

// told is a client's record in the replay.
type told struct {
	*Client
	next      int                  // the first message that was not looked at
	state     *client.State        // nil before the first tick
	ahead     *wire.ServerFrame    // decoded and not applied
	codes     map[uint32]uint32    // codes, by order
	firstTick map[uint32]grid.Tick // of the frame that told it
	over      bool                 // the rest of the record cannot be read
}

// teamTruth is the view of a team.
type teamTruth struct {
	builder           *view.Builder
	view              view.View
	due               []view.Unit // as of the last tick in which values were due
	visible, explored []bool
}

// step is called after each tick of the replay.
func (v *verifier) step(w *sim.World, out sim.Outcome) error {
	for _, a := range out.Answers {
		if !v.ours(a.Slot) {
			continue // a server's own bot counts from 1 whenever it comes back
		}
		key := orderKey{a.Slot, a.Seq}
		switch d := v.done[key]; {
		case a.Code == orders.Stale: // it was answered so long ago that nobody remembers with what: it is not done
			if d == nil {
				v.done[key] = &orderDone{tick: out.Tick, code: uint32(a.Code), n: 1}
			}
		case a.Again:
			if d == nil {
				v.report.complain("tick %d: slot %d: order %d is answered again, and was not before", out.Tick, a.Slot, a.Seq)
			}
		case d != nil:
			d.n++
		default:
			v.done[key] = &orderDone{tick: out.Tick, code: uint32(a.Code), n: 1}
			if a.Seq <= v.last[a.Slot] {
				v.report.complain("tick %d: slot %d: order %d was done behind order %d", out.Tick, a.Slot, a.Seq, v.last[a.Slot])
			}
			v.last[a.Slot] = a.Seq
		}
	}
	if v.cache == nil {
		v.cache = view.NewCache(w)
	}
	v.cache.Prepare(w)
	for _, t := range v.clients {
		if t.state == nil {
			t.state = client.New(client.Config{Map: client.OneMap(w.Map()), DerivesFog: t.DerivesFog})
		}
		if v.teams[t.Team] == nil {
			n := w.Map().W * w.Map().H
			v.teams[t.Team] = &teamTruth{builder: view.NewBuilder(t.Team), visible: make([]bool, n), explored: make([]bool, n)}
		}
	}
	for _, truth := range v.teams {
		truth.build(v.cache, w)
	}
	for _, t := range v.clients {
		v.follow(t, out.Tick)
	}
	return nil
}

// ours reports whether a slot's client has a record.
func (v *verifier) ours(slot grid.Slot) bool {
	return slices.ContainsFunc(v.clients, func(t *told) bool { return t.Slot == slot })
}

func (x *teamTruth) build(cache *view.Cache, w *sim.World) {
	x.builder.BuildFrom(cache, w, &x.view)
	if isDue(w.Tick(), w.TickRate()) {
		x.due = append(x.due[:0], x.view.Units...)
	}
	m := w.Map()
	for _, b := range x.view.Mask.Blocks {
		for bit := range 64 {
			if at := (grid.Tile{X: b.X + int16(bit%8), Y: b.Y + int16(bit/8)}); m.In(at) {
				x.visible[m.Index(at)], x.explored[m.Index(at)] = b.Visible>>bit&1 != 0, b.Explored>>bit&1 != 0
			}
		}
	}
}

// frame returns the next frame of the record that was not applied, and its tick. Frames before it are applied.
func (t *told) frame(r *Report) (*wire.ServerFrame, grid.Tick) {
	for t.ahead == nil && t.next < len(t.Messages) && !t.over {
		f, err := t.state.Decode(t.Messages[t.next])
		if err != nil {
			r.complain("%s: message %d: %w", t.Name, t.next, err)
			t.over = true
			return nil, 0
		}
		t.next++
		if f.Welcome == nil && f.Waiting == nil && f.Closing == nil {
			t.ahead = f
			break
		}
		if err := t.state.Apply(f); err != nil {
			r.complain("%s: message %d: %w", t.Name, t.next-1, err)
			t.over = true
			return nil, 0
		}
	}
	if t.ahead == nil {
		return nil, 0
	}
	if t.ahead.Diff.Snapshot {
		return t.ahead, t.ahead.Diff.Tick
	}
	return t.ahead, t.state.Tick() + grid.Tick(t.ahead.Diff.Span)
}

// follow applies the frame of a tick, if the client was sent one, and compares its state
// with the view of its team.
func (v *verifier) follow(t *told, now grid.Tick) {
	for {
		f, tick := t.frame(&v.report)
		if f == nil {
			return
		}
		if tick > now {
			whole := !f.Diff.Snapshot && !f.Diff.Partial && now < tick-grid.Tick(f.Diff.Skipped) // else the client may not have been sent this tick
			if v.at != nil && t.state.Tick() != 0 && t.state.Tick() < now && whole && v.at(t.Slot, now) {
				v.compare(t, now, nil) // no frame: its state stands
			}
			return
		}
		if tick < now || t.state.Tick() == tick {
			v.report.complain("%s: told of tick %d behind tick %d", t.Name, tick, t.state.Tick())
		}
		t.ahead = nil
		if err := t.state.Apply(f); err != nil {
			v.report.complain("%s: tick %d: %w", t.Name, tick, err)
			continue
		}
		v.report.Frames++
		t.answers(f, tick, &v.report)
		if tick == now && !f.Diff.Partial && (v.at == nil || v.at(t.Slot, now)) { // between two beats a team is not told what it sees
			v.compare(t, now, f)
		}
	}
}

// compare compares a client's state at a tick, after the frame of the tick if there is one.
func (v *verifier) compare(t *told, now grid.Tick, f *wire.ServerFrame) {
	truth := v.teams[t.Team]
	v.report.Entities += len(truth.view.Units)
	if err := truth.compare(t.state, now, f); err != nil {
		v.report.complain("%s: tick %d, message %d: %w", t.Name, now, t.next-1, err)
	}
}

// answers takes down the answers to a client. An answer that is given again over a
// later connection equals the first one.
func (t *told) answers(f *wire.ServerFrame, tick grid.Tick, r *Report) {
	for _, a := range f.Answers {
		code, known := t.codes[a.Seq]
		switch {
		case !known:
			t.codes[a.Seq], t.firstTick[a.Seq] = a.Code, tick
		case code != a.Code:
			r.complain("%s: order %d was answered %d at tick %d, and %d at tick %d", t.Name, a.Seq, code, t.firstTick[a.Seq], a.Code, tick)
		}
	}
}

// reckonMax is by how much a client may be off about something that moves, world units.
const reckonMax = 128

// Values are sent at most so many times a second, in ticks that are a multiple.
const valuesPerS = 10

func isDue(tick grid.Tick, rate int) bool { return int(tick)%max(1, rate/valuesPerS) == 0 }

// exactValues are the values that clients hold as they are. The others count from when the
// builder of the views was made, which a kill makes anew.
var exactValues = []int{view.ValueHealth, view.ValueFlags, view.ValueAmount, view.ValueShield}

// valueOf returns a value of a unit in a view.
func valueOf(units []view.Unit, h grid.Handle, value int) (n uint32, ok bool) {
	i, ok := slices.BinarySearchFunc(units, h, func(u view.Unit, h grid.Handle) int { return cmp.Compare(u.Handle, h) })
	if !ok {
		return 0, false
	}
	return units[i].Values[value], true
}

// compare compares a client's state with the view of its team at the same tick.
func (x *teamTruth) compare(c *client.State, now grid.Tick, f *wire.ServerFrame) error {
	v, r := &x.view, c.Replica
	due := isDue(now, int(c.Welcome.TickRate))
	if len(r.Entities) != len(v.Units) {
		return fmt.Errorf("holds %d entities, %d are in sight", len(r.Entities), len(v.Units))
	}
	for i := range v.Units {
		u := &v.Units[i]
		e := r.Entities[u.Handle]
		switch {
		case e == nil:
			return fmt.Errorf("does not hold handle %d, which is in sight", u.Handle)
		case e.Type != u.Type || e.Owner != u.Owner:
			return fmt.Errorf("holds handle %d as type %d of %d, it is type %d of %d", u.Handle, e.Type, e.Owner, u.Type, u.Owner)
		case !r.Pos(e, now).Within(u.Pos, reckonMax):
			return fmt.Errorf("holds handle %d at %v, it is at %v", u.Handle, r.Pos(e, now), u.Pos)
		}
		for _, k := range exactValues {
			if due && e.Values[k] != u.Values[k] {
				return fmt.Errorf("holds %s of handle %d as %d, it is %d", view.ValueNames[k], u.Handle, e.Values[k], u.Values[k])
			}
		}
	}
	for _, k := range exactValues {
		if f == nil {
			break
		}
		for _, row := range f.Diff.Values[k] {
			is, seen := valueOf(v.Units, row.Handle, k)
			then, saw := valueOf(x.due, row.Handle, k) // who was sent nothing in the tick that it was due in is told later
			if (!seen || is != row.Value) && (!saw || then != row.Value) {
				return fmt.Errorf("was told %s of handle %d as %d, it is %d", view.ValueNames[k], row.Handle, row.Value, is)
			}
		}
	}
	if len(r.Ghosts) != len(v.Ghosts) {
		return fmt.Errorf("remembers %d structures, its team does %d", len(r.Ghosts), len(v.Ghosts))
	}
	for _, g := range v.Ghosts {
		if r.Ghosts[g.Handle] != g {
			return fmt.Errorf("remembers %+v, its team does %+v", r.Ghosts[g.Handle], g)
		}
	}
	for i := range x.visible {
		at := grid.Tile{X: int16(i % r.W), Y: int16(i / r.W)}
		if c.Visible(at) != x.visible[i] || c.Explored(at) != x.explored[i] {
			return fmt.Errorf("tile %v is held as seen %v, explored %v; it is %v, %v", at, c.Visible(at), c.Explored(at), x.visible[i], x.explored[i])
		}
	}
	for i, p := range v.Players {
		held := r.Players[i]
		if held.State == view.Away && p.State == view.Playing {
			held.State = p.State
		}
		if held != p {
			return fmt.Errorf("holds player %d as %+v, it is %+v", i, r.Players[i], p)
		}
	}
	own := slices.IndexFunc(v.Owners, func(o view.OwnerState) bool { return o.Slot == c.Slot() })
	if own >= 0 && !slices.Equal(c.Own.Resources, v.Owners[own].Resources) {
		return fmt.Errorf("holds resources %v, they are %v", c.Own.Resources, v.Owners[own].Resources)
	}
	return nil
}

// beyond looks at the frames behind the journal's last record.
func (v *verifier) beyond(t *told, final bool, ended *sim.Result) {
	if t.state == nil {
		v.report.complain("%s: the journal has no tick", t.Name)
		return
	}
	for {
		f, tick := t.frame(&v.report)
		if f == nil {
			return
		}
		t.ahead = nil
		if final && (ended == nil || tick <= ended.Tick) {
			v.report.complain("%s: told of tick %d, the journal ends at tick %d", t.Name, tick, v.report.Ticks)
		}
		if err := t.state.Apply(f); err != nil {
			v.report.complain("%s: tick %d: %w", t.Name, tick, err)
			return
		}
		t.answers(f, tick, &v.report)
	}
}

// orders compares the answers to a client with those in the journal.
func (v *verifier) orders(t *told) {
	for seq, code := range t.codes {
		v.report.Orders++
		if code == 0 {
			v.report.Accepted++
		}
		switch d := v.done[orderKey{t.Slot, seq}]; {
		case d == nil:
			v.report.Lost++
			v.report.complain("%s: order %d was answered %d at tick %d, and is not in the journal", t.Name, seq, code, t.firstTick[seq])
		case d.code != code:
			v.report.complain("%s: order %d was answered %d, the journal has %d", t.Name, seq, code, d.code)
		case t.firstTick[seq] < d.tick:
			v.report.complain("%s: order %d was answered at tick %d, the journal has it at tick %d", t.Name, seq, t.firstTick[seq], d.tick)
		}
	}
}

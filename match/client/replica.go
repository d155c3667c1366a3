package client

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// Replica is a client's state: the sum of the diffs it received. Clients in Go use it as it is; shared vectors hold the
// TypeScript one to the same state.
type Replica struct {
	W, H       int        // of the map, tiles
	FullSpeeds []int32    // full speed by type, 1/64 world unit a tick
	Periods    Periods    // nil: shots between two tellings are not counted
	Changes    Changes    // to attributes, by effect
	Contact    grid.Ticks // so long a contact lasts

	Tick     grid.Tick // of the last diff; 0: before the first
	Entities map[grid.Handle]*Entity
	Ghosts   map[grid.Handle]view.Ghost
	Players  []view.Player  // by slot
	Contacts []view.Contact // of the team's radar, sorted by class and cell; the newest of each

	visible, explored bitRows // as sent in rows
	fired             uint64  // shots of entities that left sight
}

// Entity is one entity as a client holds it.
type Entity struct {
	Type   uint16
	Owner  grid.Slot
	At     grid.Pos // as of Since
	Vel    view.Velocity
	Course view.Course
	Since  grid.Tick

	Values   [view.ValueKinds]uint32 // bursts without their age
	Bursts   [view.BurstsMax]view.Burst
	Actions  []Action   // abilities that it runs
	Effects  []Effect   // on it
	Declared []Declared // values that differ from the start of its type

	entered grid.Tick              // of the diff that brought it
	before  [view.BurstsMax]uint32 // shots that a snapshot brought it with
}

// Action is an ability that an entity runs.
type Action struct {
	Index uint32    // in the list of its type
	Since grid.Tick // when it began; 0: before the entity came into sight
}

// Effect is an effect on a unit.
type Effect struct {
	Kind   uint32      // index into the welcome's effects
	Since  grid.Tick   // when it began or was renewed; 0: before the unit came into sight
	Source grid.Handle // the attacker; 0: unknown
}

// Declared is a declared value of an entity.
type Declared struct {
	Value uint8  // index into the welcome's values
	N     uint32 // as view.Declared has it: see [State.Value]
}

// Changes has the changes of each effect to attributes, by the number of the effect.
type Changes [][]view.AttributeChange

// Attribute returns the value of an attribute of an entity: the base, which its type or its weapon has, as the effects
// on it change it.
func (r *Replica) Attribute(e *Entity, a view.AttributeID, base int32) int32 {
	var sum view.AttributeSum
	for _, x := range e.Effects {
		if int(x.Kind) >= len(r.Changes) {
			continue
		}
		for k := range r.Changes[x.Kind] {
			if c := &r.Changes[x.Kind][k]; c.Attribute == a {
				sum.Take(c, 1)
			}
		}
	}
	return sum.Of(a, base)
}

// NewReplica returns the replica of a client without state.
func NewReplica(w, h int, full []int32) *Replica {
	return &Replica{
		W: w, H: h, FullSpeeds: full,
		Entities: map[grid.Handle]*Entity{}, Ghosts: map[grid.Handle]view.Ghost{},
		visible: newBitRows(w, h), explored: newBitRows(w, h),
	}
}

// Pos returns where e is at a tick.
func (r *Replica) Pos(e *Entity, at grid.Tick) grid.Pos {
	return view.Reckon(e.At, e.Vel, grid.Ticks(at-e.Since), r.W, r.H)
}

// Apply takes in the next diff, in the order that server.proto states. A diff that names an unknown entity is an error:
// the stream is broken, and the client needs a fresh snapshot.
func (r *Replica) Apply(d *view.Diff) error {
	if d.Snapshot {
		r.fired = r.ShotsSeen()
		r.Tick = d.Tick
		clear(r.Entities)
		clear(r.Ghosts)
		r.Contacts = r.Contacts[:0]
		clear(r.visible.words)
	} else {
		if r.Tick == 0 {
			return fmt.Errorf("replica: first frame is no snapshot")
		}
		r.Tick += grid.Tick(d.Span)
	}
	if err := r.settleBursts(d); err != nil {
		return err
	}
	for _, list := range [][]grid.Handle{d.Leave, d.Destroyed} {
		for _, h := range list {
			if r.Entities[h] == nil {
				return fmt.Errorf("replica: tick %d: leave of handle %d, which is not held", r.Tick, h)
			}
			delete(r.Entities, h)
		}
	}
	corners := map[grid.Handle]grid.Pos{} // of entities whose place is a cell
	for _, e := range d.Enter {
		if int(e.Type) >= len(r.FullSpeeds) {
			return fmt.Errorf("replica: tick %d: handle %d has type %d of %d", r.Tick, e.Handle, e.Type, len(r.FullSpeeds))
		}
		if r.Entities[e.Handle] != nil {
			return fmt.Errorf("replica: tick %d: enter of handle %d, which is held", r.Tick, e.Handle)
		}
		corners[e.Handle] = view.CellCorner(e.Cell, r.W)
		r.Entities[e.Handle] = &Entity{
			Type: e.Type, Owner: e.Owner, At: view.InCell(corners[e.Handle], view.FineMiddle), Since: r.Tick,
			Course: e.Course, Vel: e.Course.Velocity(r.FullSpeeds[e.Type]), entered: r.Tick,
		}
	}
	for _, o := range d.Owners {
		e := r.Entities[o.Handle]
		if e == nil {
			return fmt.Errorf("replica: tick %d: owner of handle %d, which is not held", r.Tick, o.Handle)
		}
		e.Owner = o.Owner
	}
	for _, m := range d.Motion {
		e := r.Entities[m.Handle]
		if e == nil {
			return fmt.Errorf("replica: tick %d: course of handle %d, which is not held", r.Tick, m.Handle)
		}
		at, corner := m.Place.From(r.Pos(e, r.Tick), r.W)
		if corner {
			corners[m.Handle], at = at, view.InCell(at, view.FineMiddle)
		}
		e.At, e.Since, e.Course, e.Vel = at, r.Tick, m.Course, m.Course.Velocity(r.FullSpeeds[e.Type])
	}
	for _, x := range d.Exact {
		e, corner := r.Entities[x.Handle], corners[x.Handle]
		if _, known := corners[x.Handle]; !known || x.Fine >= view.FineNumbers {
			return fmt.Errorf("replica: tick %d: exact place of handle %d without a cell", r.Tick, x.Handle)
		}
		e.At, e.Since = view.InCell(corner, x.Fine), r.Tick-grid.Tick(x.Ago)
	}
	for i := range d.Values {
		for _, row := range d.Values[i] {
			e := r.Entities[row.Handle]
			if e == nil {
				return fmt.Errorf("replica: tick %d: value of handle %d, which is not held", r.Tick, row.Handle)
			}
			if counts[i] != 0 && e.entered != r.Tick {
				e.Values[counts[i]] = (e.Values[counts[i]] + 1) % view.ChangesWrap
			}
			e.Values[i] = row.Value
		}
	}
	if err := r.applyActivity(d); err != nil {
		return err
	}
	if err := r.takeBursts(d); err != nil {
		return err
	}
	return r.applyRest(d)
}

// counts has for each value the value that counts its changes; 0: its changes are not counted.
var counts = func() (out [view.ValueKinds]int) {
	for _, a := range view.Attributes {
		out[a.Value] = a.Changes
	}
	return out
}()

// activitiesMax bounds the abilities and the effects of one entity. A server may
// send anything.
const activitiesMax = 16

// contactsMax bounds the contacts of radar. A server keeps at most 256 of a team.
const contactsMax = 4096

// applyActivity takes in abilities that run, and effects: rows of an entity are all
// that it has.
func (r *Replica) applyActivity(d *view.Diff) error {
	wrong := func(h grid.Handle) error {
		return fmt.Errorf("replica: tick %d: activity of handle %d, which is not held or has too many", r.Tick, h)
	}
	last := grid.Handle(0)
	for _, row := range d.Actions {
		e := r.Entities[row.Handle]
		if e == nil || row.Handle == last && len(e.Actions) == activitiesMax {
			return wrong(row.Handle)
		}
		if row.Handle != last {
			e.Actions, last = e.Actions[:0], row.Handle
		}
		if row.Ability != 0 {
			e.Actions = append(e.Actions, Action{row.Ability - 1, r.begun(row.When)})
		}
	}
	last = 0
	for _, row := range d.Effects {
		e := r.Entities[row.Handle]
		if e == nil || row.Handle == last && len(e.Effects) == activitiesMax {
			return wrong(row.Handle)
		}
		if row.Handle != last {
			e.Effects, last = e.Effects[:0], row.Handle
		}
		if row.Effect != 0 {
			e.Effects = append(e.Effects, Effect{row.Effect - 1, r.begun(row.When), row.Source})
		}
	}
	for _, row := range d.Declared {
		e := r.Entities[row.Handle]
		if e == nil {
			return wrong(row.Handle)
		}
		e.Declared = declare(e.Declared, row)
	}
	return nil
}

// declare takes in a row of declared values. A value at its start is left out.
func declare(list []Declared, row view.Declared) []Declared {
	i := slices.IndexFunc(list, func(x Declared) bool { return x.Value == row.Value })
	switch {
	case i >= 0 && row.N == 0:
		return slices.Delete(list, i, i+1)
	case i >= 0:
		list[i].N = row.N
	case row.N != 0 && len(list) < activitiesMax:
		return append(list, Declared{row.Value, row.N})
	}
	return list
}

// begun returns the tick of a row's "when".
func (r *Replica) begun(when uint32) grid.Tick {
	if when == 0 {
		return 0
	}
	return r.Tick - grid.Tick(when-1)
}

func (r *Replica) applyRest(d *view.Diff) error {
	for _, h := range d.GhostGone {
		delete(r.Ghosts, h)
	}
	for _, g := range d.Ghosts {
		r.Ghosts[g.Handle] = g
	}
	r.takeContacts(d)
	for _, row := range d.Mask {
		if row.Y < 0 || row.Y >= r.H {
			return fmt.Errorf("replica: tick %d: row %d of a mask of %d", r.Tick, row.Y, r.H)
		}
		visible, explored := r.visible.row(row.Y), r.explored.row(row.Y)
		if row.Visible != nil {
			if err := setRuns(visible, row.Visible, r.W); err != nil {
				return fmt.Errorf("replica: tick %d: row %d: %w", r.Tick, row.Y, err)
			}
		}
		if row.Explored != nil {
			if err := setRuns(explored, row.Explored, r.W); err != nil {
				return fmt.Errorf("replica: tick %d: row %d: %w", r.Tick, row.Y, err)
			}
		}
		for i := range visible {
			explored[i] |= visible[i]
		}
	}
	for _, p := range d.Players {
		for int(p.Slot) >= len(r.Players) {
			if len(r.Players) == grid.SlotsMax {
				return fmt.Errorf("replica: tick %d: player %d of at most %d", r.Tick, p.Slot, grid.SlotsMax)
			}
			r.Players = append(r.Players, view.Player{})
		}
		r.Players[p.Slot] = p.Player
	}
	return nil
}

// takeContacts takes in the contacts of a diff, and forgets ended ones.
func (r *Replica) takeContacts(d *view.Diff) {
	for _, c := range d.Contacts {
		c.At = r.Tick - min(r.Tick, c.At) // the wire counts ticks back from now
		i, found := slices.BinarySearchFunc(r.Contacts, c, view.Contact.Compare)
		switch {
		case found:
			r.Contacts[i] = c
		case len(r.Contacts) < contactsMax:
			r.Contacts = slices.Insert(r.Contacts, i, c)
		}
	}
	r.Contacts = slices.DeleteFunc(r.Contacts, func(c view.Contact) bool { return c.At+grid.Tick(r.Contact) <= r.Tick })
}

// MaskHash returns the hash of the visible tiles, as sent in rows.
func (r *Replica) MaskHash() uint32 { return maskHash(&r.visible, r.W, r.H) }

// Visible reports whether the tile, which must be on the map, is seen now, as
// sent in rows.
func (r *Replica) Visible(t grid.Tile) bool { return r.visible.has(t) }

// Explored reports whether the tile, which must be on the map, was ever sent
// to be seen.
func (r *Replica) Explored(t grid.Tile) bool { return r.explored.has(t) }

// Handles returns the handles held, sorted.
func (r *Replica) Handles() []grid.Handle {
	hs := make([]grid.Handle, 0, len(r.Entities))
	for h := range r.Entities {
		hs = append(hs, h)
	}
	slices.Sort(hs)
	return hs
}

// bitRows is a bit a tile, row by row: bit x%64 of word y*stride + x/64.
type bitRows struct {
	stride int // words a row
	words  []uint64
}

func newBitRows(w, h int) bitRows {
	stride := (w + 63) / 64
	return bitRows{stride, make([]uint64, stride*h)}
}

func (r *bitRows) has(t grid.Tile) bool {
	return r.words[int(t.Y)*r.stride+int(t.X)>>6]>>(t.X&63)&1 != 0
}

func (r *bitRows) row(y int) []uint64 { return r.words[y*r.stride : (y+1)*r.stride] }

// block returns the 8x8 tiles from x, y, multiples of 8, on a map h tiles high.
func (r *bitRows) block(x, y, h int) uint64 {
	out := uint64(0)
	for i := range min(8, h-y) {
		out |= (r.words[(y+i)*r.stride+x>>6] >> (x & 63) & 0xFF) << (8 * i)
	}
	return out
}

// maskHash hashes a mask as [visibility.Mask.Hash] does, whose documentation gives the rule. It works from the client's
// state and shares no code with the engine.
func maskHash(m *bitRows, w, h int) uint32 {
	sum, i := uint32(0), uint32(0)
	for y := 0; y < h; y += 8 {
		for x := 0; x < w; x += 8 {
			b := m.block(x, y, h)
			sum += scatter(2*i, uint32(b)) + scatter(2*i+1, uint32(b>>32))
			i++
		}
	}
	return sum
}

func scatter(place, half uint32) uint32 {
	if half == 0 {
		return 0
	}
	h := half*0xCC9E2D51 ^ place*0x9E3779B1
	h = (h ^ h>>16) * 0x85EBCA6B
	h = (h ^ h>>13) * 0xC2B2AE35
	return h ^ h>>16
}

// setRuns writes a row that was sent as runs.
func setRuns(words []uint64, runs []uint32, w int) error {
	clear(words)
	x, lit := 0, false
	for _, n := range runs {
		if n > uint32(w-x) {
			return fmt.Errorf("runs of more than %d tiles", w)
		}
		for end := x + int(n); x < end; x++ {
			if lit {
				words[x>>6] |= 1 << (x & 63)
			}
		}
		lit = !lit
	}
	return nil
}

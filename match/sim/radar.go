package sim

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Radar finds things that its team does not see: the class of their signature, and the cell
// of the map that they are in. As with sounds, cells alone decide. A contact that a jammer
// scatters depends on the block of cells alone: on which cell of the block its thing is in
// depends neither whether the contact is found nor where it is shown.

// ContactsMax bounds the contacts of a team. The newest stay.
const ContactsMax = 256

// Contact is a thing beyond sight as radar found it.
type Contact struct {
	Trace
	At grid.Tick // when radar found it last
}

// Contacts returns the contacts of the team's radar, sorted by class and cell.
func (k *Knowledge) Contacts() []Contact { return k.contacts }

// sweep lets the radar of all teams look, once in each period, and drops contacts that are
// too old. It runs when it is known which teams see which entity.
func (w *World) sweep() {
	if len(w.rules.Signatures) == 0 {
		return
	}
	for i := range w.teams {
		k := &w.teams[i]
		k.contacts = slices.DeleteFunc(k.contacts, func(c Contact) bool { return c.At+grid.Tick(w.rt.contact) <= w.tick })
	}
	if w.tick == 0 || w.tick%grid.Tick(w.rt.sweep) != 0 || w.result != nil {
		return
	}
	radars, jammers := w.radars()
	for i := range w.teams {
		w.teams[i].find(w, radars, jammers)
	}
}

// radars returns the entities with radar, and the ones that jam.
func (w *World) radars() (radars, jammers []*Entity) {
	for _, e := range w.all {
		if t := &w.rules.Types[e.typ]; !e.unbuilt && t.Radar > 0 {
			radars = append(radars, e)
		}
		if t := &w.rules.Types[e.typ]; !e.unbuilt && t.Jam.Radius > 0 {
			jammers = append(jammers, e)
		}
	}
	return radars, jammers
}

// find adds the contacts that the team's radar finds in this step.
func (k *Knowledge) find(w *World, radars, jammers []*Entity) {
	for _, e := range w.all {
		signature := w.rules.Types[e.typ].Signature
		if signature == 0 || e.team == k.team || e.cloaked || e.viewers.Has(k.team) {
			continue
		}
		at := traceAt(signature-1, e.Tile())
		side, _ := w.jammed(jammers, e.team, at)
		if side == 0 || w.finder(k.team, radars, &at, side) == nil {
			continue
		}
		if side > 1 {
			at = w.scattered(k.team, at, side)
		}
		k.contacts = append(k.contacts, Contact{at, w.tick})
	}
	slices.SortFunc(k.contacts, func(a, b Contact) int { return cmp.Or(a.compare(b.Trace), cmp.Compare(b.At, a.At)) })
	k.contacts = slices.CompactFunc(k.contacts, func(a, b Contact) bool { return a.Trace == b.Trace })
	if len(k.contacts) > ContactsMax {
		slices.SortFunc(k.contacts, func(a, b Contact) int { return cmp.Or(cmp.Compare(b.At, a.At), a.compare(b.Trace)) })
		k.contacts = k.contacts[:ContactsMax]
		slices.SortFunc(k.contacts, func(a, b Contact) int { return a.compare(b.Trace) })
	}
}

// finder moves a trace to the first cell of its block, and returns the team's first radar that has the block's middle in
// its circle; nil: none has.
func (w *World) finder(t grid.Team, radars []*Entity, at *Trace, side int) *Entity {
	at.Cell.X -= at.Cell.X % int16(side)
	at.Cell.Y -= at.Cell.Y % int16(side)
	middle := at.middle(side, w.m.W, w.m.H).Center()
	for _, r := range radars {
		if r.team == t && r.Pos().Within(middle, w.rules.Types[r.typ].Radar) {
			return r
		}
	}
	return nil
}

// jammed returns the side in cells of the block that radar places a thing of a team in: 1
// if no jammer of that team is near enough, 0 if a jammer hides it; and that jammer.
func (w *World) jammed(jammers []*Entity, t grid.Team, at Trace) (side int, by *Entity) {
	middle := at.Middle(w.m.W, w.m.H).Center()
	side = 1
	for _, e := range jammers {
		jam := &w.rules.Types[e.typ].Jam
		if e.team != t || !traceAt(0, e.Tile()).Middle(w.m.W, w.m.H).Center().Within(middle, jam.Radius) {
			continue
		}
		if jam.Scatter == 0 {
			return 0, e
		}
		if n := int(jam.Scatter); n > side {
			side, by = n, e
		}
	}
	return side, by
}

// scattered returns a cell of the block of a trace, drawn anew for each team, class, block
// and tick.
func (w *World) scattered(t grid.Team, at Trace, side int) Trace {
	key := uint32(at.Class)<<16 | uint32(at.Cell.Y)<<8 | uint32(at.Cell.X)
	n := below(w.draw(grid.Slot(t), key, drawScatter), side*side)
	at.Cell.X = min(at.Cell.X+int16(n%side), int16(w.m.W-1)/TraceCell)
	at.Cell.Y = min(at.Cell.Y+int16(n/side), int16(w.m.H-1)/TraceCell)
	return at
}

// Radar returns how a look of a team's radar fares with e at this tick: the radar in range, nil without one; the jammer
// that acts on the contact, or nil; and the side in cells of the block that radar places it in, 0 if the jammer hides it.
func (w *World) Radar(t grid.Team, e *Entity) (finder, jammer *Entity, side int) {
	radars, jammers := w.radars()
	at := traceAt(0, e.Tile())
	side, jammer = w.jammed(jammers, e.team, at)
	return w.finder(t, radars, &at, max(side, 1)), jammer, side
}

// radarState are the teams' contacts, of rulesets with radar.
func (w *World) radarState(a *archive.Archive) {
	if len(w.rules.Signatures) == 0 {
		return
	}
	for i := range w.teams {
		archive.List(a, &w.teams[i].contacts, 4, func(c *Contact) {
			a.U8(&c.Class)
			saveTile(a, &c.Cell)
			archive.Word(a, &c.At)
		})
	}
}

package inspect

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Contact is an entity of another team, or a neutral one, that a team knows.
type Contact struct {
	Entity
	Ghost  bool   `json:"ghost" doc:"remembered, not in sight"`
	Since  uint32 `json:"since" doc:"in sight since this tick; of a ghost: remembered since"`
	SeenAt uint32 `json:"seenAt" doc:"the tick in which it was last in sight"`
	Age    uint32 `json:"age" doc:"ticks since then; 0: it is in sight"`
}

// Contacts returns a team's knowledge of others: in sight first, then from memory, the youngest first.
func (l *Look) Contacts(team grid.Team) []Contact {
	k, now := l.w.Knowledge(team), l.Tick()
	var seen, ghosts []Contact
	for _, e := range l.entities(int(team)) {
		if e.Team == int(team) || e.Shape == "projectile" {
			continue
		}
		c := Contact{Entity: e}
		if g, ok := k.Ghost(grid.Handle(e.Handle)); ok && e.Shape == "ghost" {
			c.Ghost, c.Since = true, uint32(g.Since)
			c.SeenAt = c.Since - 1 // it was gone in the tick Since
			c.Age = uint32(now) - c.SeenAt
			ghosts = append(ghosts, c)
			continue
		}
		if s, ok := k.Sighted(grid.Handle(e.Handle)); ok {
			c.Since, c.SeenAt = uint32(s.Entered), uint32(now)
		}
		seen = append(seen, c)
	}
	slices.SortStableFunc(ghosts, func(a, b Contact) int { return cmp.Compare(a.Age, b.Age) })
	return append(seen, ghosts...)
}

// Trace is a contact of a team's radar.
type Trace struct {
	Class string `json:"class" doc:"the signature's class"`
	X     int16  `json:"x" doc:"the middle of its cell, in tiles"`
	Y     int16  `json:"y"`
	Age   uint32 `json:"age" doc:"ticks since radar found it last"`
}

// Radar returns the contacts of a team's radar, sorted by class and cell.
func (l *Look) Radar(team grid.Team) []Trace {
	out, m := []Trace{}, l.w.Map()
	for _, c := range l.w.Knowledge(team).Contacts() {
		at := c.Middle(m.W, m.H)
		out = append(out, Trace{l.w.Rules().Signatures[c.Class], at.X, at.Y, uint32(l.Tick() - c.At)})
	}
	return out
}

// IDs returns which entities the handles of a team name: in sight, or remembered.
func (l *Look) IDs(team grid.Team, handles []grid.Handle) []uint32 {
	k := l.w.Knowledge(team)
	out := make([]uint32, len(handles))
	for i, h := range handles {
		if s, ok := k.Sighted(h); ok {
			out[i] = uint32(s.ID)
		} else if g, ok := k.Ghost(h); ok {
			out[i] = uint32(g.Of())
		}
	}
	return out
}

// Place is the entity and the position that a team's handle names.
type Place struct {
	Handle grid.Handle
	ID     uint32
	Tile   int // its index, row by row
}

// Places returns the entities that the team's handles name: in sight, or remembered.
func (l *Look) Places(team grid.Team) (out []Place) {
	k, m := l.w.Knowledge(team), l.w.Map()
	for _, s := range k.Seen(nil) {
		if e := l.w.Entity(s.ID); e != nil {
			out = append(out, Place{s.Handle, uint32(s.ID), m.Index(e.Tile())})
		}
	}
	for _, g := range k.Ghosts() {
		out = append(out, Place{g.Handle, uint32(g.Of()), m.Index(g.At.Tile())})
	}
	return out
}

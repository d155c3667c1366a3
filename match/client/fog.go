package client

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/visibility"
)

// Eye is what a type of entity contributes to its team's sight.
type Eye struct {
	Radius     visibility.Radius
	Flyer      bool
	LevelBonus grid.Level
	Blind      bool // projectiles and resources: no eye at all
}

// unbuiltRadius is the most that a structure under construction sees.
const unbuiltRadius visibility.Radius = 4

// Fog derives a team's mask from what its clients hold, so that the mask costs
// no bytes: every source of it is an entity or a sight of their stream, and the
// tiles of those are exact. Clients in Go use it; the one in web/sdk/src/vision
// does the same.
type Fog struct {
	engine *visibility.Engine
	eyes   []Eye        // by type
	own    grid.SlotSet // whose entities see for the team
	dying  grid.Ticks   // how long the team still sees what a unit saw that died
	last   grid.Tick    // that was derived
	byUnit map[grid.Handle]visibility.SourceID
	w, h   int
	timed  []grid.Tick // when the sources end that do so by themselves
}

// Most sources that a server can make a client keep; beyond, its fog is wrong,
// and it asks for another snapshot.
const (
	timedMax = 1 << 10
	eyesMax  = 1 << 15
)

// NewFog returns the fog of a client that holds nothing yet. eyes has an entry
// a type, own the slots of the client's team, and dying is how long it still sees
// what a unit of its own saw that died.
func NewFog(m *grid.Map, eyes []Eye, own grid.SlotSet, dying grid.Ticks) (*Fog, error) {
	e, err := visibility.New(visibility.Config{Map: m, Teams: 1})
	if err != nil {
		return nil, fmt.Errorf("fog: %w", err)
	}
	for typ, eye := range eyes {
		if err := (visibility.Source{Radius: eye.Radius, LevelBonus: eye.LevelBonus}).Check(m.W, m.H); err != nil {
			return nil, fmt.Errorf("fog: type %d: %w", typ, err)
		}
	}
	return &Fog{engine: e, eyes: eyes, own: own, dying: dying, byUnit: map[grid.Handle]visibility.SourceID{}, w: m.W, h: m.H}, nil
}

// catchUpMax bounds the ticks that one frame makes the fog walk through.
const catchUpMax = 256

// Before is called with a diff before the replica takes it in. Of most ticks in
// between nothing was sent, because what the client computes for them is right.
// Those that the diff says were skipped are passed over: what they explored
// comes with the diff.
func (f *Fog) Before(r *Replica, d *view.Diff) {
	if d.Snapshot {
		for _, id := range f.byUnit {
			f.engine.Remove(id)
		}
		clear(f.byUnit)
		return
	}
	end := r.Tick + grid.Tick(min(d.Span-min(d.Skipped, d.Span), catchUpMax))
	for t := f.last + 1; t < end && f.last != 0; t++ {
		f.derive(r, t)
	}
	if d.Skipped == 0 {
		f.addSightsOfDead(r, d.Destroyed, r.Tick+grid.Tick(d.Span))
	}
}

// addSightsOfDead makes sights of the team's units that died at tick now, from where they
// stood a tick before. For a tick that was skipped the server sends the sights.
func (f *Fog) addSightsOfDead(r *Replica, destroyed []grid.Handle, now grid.Tick) {
	f.forgetEnded(now)
	for _, h := range destroyed {
		e, id := r.Entities[h], f.byUnit[h]
		if e == nil || id == 0 || f.dying == 0 || len(f.timed) >= timedMax {
			continue
		}
		s := f.source(e, r.Pos(e, now-1).Tile())
		s.Until = now + grid.Tick(f.dying)
		f.timed = append(f.timed, s.Until)
		f.engine.Change(id, s)
		delete(f.byUnit, h)
	}
}

// After is called once the replica has taken the diff in. It reports whether
// the mask is what the server's is, as far as the diff says.
func (f *Fog) After(r *Replica, d *view.Diff) bool {
	right := true
	for _, s := range d.Sights {
		right = f.sight(s, r.Tick) && right
	}
	f.derive(r, r.Tick)
	return right && (!d.HasHash || f.Hash() == d.Hash)
}

// sight adds a source that ends by itself, or reports that there is no such
// sight: a server may send anything.
func (f *Fog) sight(s view.Sight, now grid.Tick) bool {
	f.forgetEnded(now)
	if s.Radius < 0 || s.Radius > int(visibility.RadiusMax) || s.LevelBonus < 0 || s.LevelBonus >= grid.LevelsMax || len(f.timed) >= timedMax {
		return false
	}
	source := visibility.Source{
		Tile: s.Tile, Radius: visibility.Radius(s.Radius), Flyer: s.Flyer, LevelBonus: grid.Level(s.LevelBonus),
		Until: now + s.Until, // the wire counts ticks from now
	}
	if source.Until <= now || source.Check(f.w, f.h) != nil {
		return false
	}
	f.timed = append(f.timed, source.Until)
	f.engine.Add(0, source)
	return true
}

// forgetEnded forgets of which sights that end by themselves have.
func (f *Fog) forgetEnded(now grid.Tick) {
	f.timed = slices.DeleteFunc(f.timed, func(until grid.Tick) bool { return until <= now })
}

// derive brings the mask to tick t.
func (f *Fog) derive(r *Replica, t grid.Tick) {
	for h, id := range f.byUnit {
		if e := r.Entities[h]; e == nil || !f.own.Has(e.Owner) {
			f.engine.Remove(id)
			delete(f.byUnit, h)
		}
	}
	for h, e := range r.Entities {
		if !f.own.Has(e.Owner) || f.eyes[e.Type].Blind {
			continue
		}
		tile := r.Pos(e, t).Tile()
		id, known := f.byUnit[h]
		if !known {
			if len(f.byUnit) >= eyesMax {
				continue
			}
			f.byUnit[h] = f.engine.Add(0, f.source(e, tile))
			continue
		}
		f.engine.Change(id, f.source(e, tile))
	}
	f.engine.Step(t)
	f.last = t
}

func (f *Fog) source(e *Entity, tile grid.Tile) visibility.Source {
	eye := &f.eyes[e.Type]
	s := visibility.Source{Tile: tile, Radius: eye.Radius, Flyer: eye.Flyer, LevelBonus: eye.LevelBonus}
	if e.Values[view.ValueFlags]&view.FlagBuilding != 0 {
		s.Radius = min(s.Radius, unbuiltRadius)
	}
	return s
}

// Hash returns the hash of the visible tiles.
func (f *Fog) Hash() uint32 { return f.engine.Mask(visibility.VisibleNow, 0).Hash() }

// Visible reports whether the tile is seen now.
func (f *Fog) Visible(t grid.Tile) bool { return f.engine.Visible(0, t) }

// Explored reports whether the tile was ever seen, as far as was derived: ticks
// that a frame passed over included. What was sent in rows, the replica has.
func (f *Fog) Explored(t grid.Tile) bool { return f.engine.Explored(0, t) }

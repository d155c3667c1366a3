package client

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/visibility"
)

// Eye is the contribution of a type of entity to its team's sight.
type Eye struct {
	Radius     visibility.Radius
	Flyer      bool
	LevelBonus grid.Level
	Blind      bool // projectiles and resources: no eye at all
	Opaque     bool // it blocks lines of sight, for as long as the team takes it to stand
}

// unbuiltRadius is the most that a structure under construction sees.
const unbuiltRadius visibility.Radius = 4

// Fog derives a team's mask from its clients' state, so that the mask costs no bytes: every source of the mask is an
// entity or a sight of their stream, with an exact tile. Clients in Go use it; the implementation in web/sdk/src/vision
// does the same.
type Fog struct {
	engine *visibility.Engine
	eyes   []Eye // by type
	m      *grid.Map
	opaque map[grid.Tile]bool // tiles of the opaque entities and ghosts; nil: no type is opaque
	allies grid.SlotSet       // whose entities see for the team
	dying  grid.Ticks         // how long the team keeps the sight of a dead unit
	last   grid.Tick          // that was derived
	w, h   int
	timed  []grid.Tick // when the sources end that do so by themselves

	// The replica's entities that see for the team, unordered. In a large match they are a small part of its entities,
	// and each tick walks them.
	open  []openEye
	index map[grid.Handle]int // where in open
}

// openEye is an entity that sees for the team.
type openEye struct {
	handle grid.Handle
	entity *Entity
	id     visibility.SourceID // 0: the engine does not have it yet
}

// Most sources that a server can make a client keep; beyond, its fog is wrong,
// and it asks for another snapshot.
const (
	timedMax = 1 << 10
	eyesMax  = 1 << 15
)

// NewFog returns the fog of a client without state. eyes has an entry per type, own has the slots of the client's team,
// and dying is how long the team keeps the sight of its dead units.
func NewFog(m *grid.Map, eyes []Eye, allies grid.SlotSet, dying grid.Ticks) (*Fog, error) {
	e, err := visibility.New(visibility.Config{Map: m, Teams: 1})
	if err != nil {
		return nil, fmt.Errorf("fog: %w", err)
	}
	for typ, eye := range eyes {
		if err := (visibility.Source{Radius: eye.Radius, LevelBonus: eye.LevelBonus}).Check(m.W, m.H); err != nil {
			return nil, fmt.Errorf("fog: type %d: %w", typ, err)
		}
	}
	f := &Fog{engine: e, eyes: eyes, m: m, allies: allies, dying: dying, index: map[grid.Handle]int{}, w: m.W, h: m.H}
	if m.Occlusion == grid.OcclusionLineOfSight && slices.ContainsFunc(eyes, func(e Eye) bool { return e.Opaque }) {
		f.opaque = map[grid.Tile]bool{}
	}
	return f, nil
}

// catchUpMax bounds the ticks that one frame makes the fog walk through.
const catchUpMax = 256

// Before is called with a diff before the replica takes it in. The server sent no frame for most of the ticks in
// between, because the client computes them right. Before passes over the skipped ticks that the diff names: the diff
// has the tiles explored in them.
func (f *Fog) Before(r *Replica, d *view.Diff) {
	if d.Snapshot {
		for n := len(f.open); n > 0; n-- {
			f.shut(f.open[n-1].handle)
		}
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
		i, ok := f.index[h]
		if !ok || f.open[i].id == 0 || f.dying == 0 || len(f.timed) >= timedMax {
			continue
		}
		eye := &f.open[i]
		s := f.source(r, eye.entity, r.Pos(eye.entity, now-1).Tile())
		s.Until = now + grid.Tick(f.dying)
		f.timed = append(f.timed, s.Until)
		f.engine.Change(eye.id, s)
		f.drop(i)
	}
}

// After is called once the replica has taken the diff in. It reports whether the mask equals the server's, as far as
// the diff tells.
func (f *Fog) After(r *Replica, d *view.Diff) bool {
	f.follow(r, d)
	f.standing(r)
	if d.Partial {
		return true // where its entities are at this tick it is told later
	}
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

// forgetEnded drops the sights that have ended by themselves.
func (f *Fog) forgetEnded(now grid.Tick) {
	f.timed = slices.DeleteFunc(f.timed, func(until grid.Tick) bool { return until <= now })
}

// follow takes over which of the replica's entities see for the team.
func (f *Fog) follow(r *Replica, d *view.Diff) {
	for _, h := range d.Leave {
		f.shut(h)
	}
	for _, h := range d.Destroyed {
		f.shut(h)
	}
	for i := range d.Enter {
		f.look(r, d.Enter[i].Handle)
	}
	for _, o := range d.Owners {
		f.look(r, o.Handle)
	}
}

// standing takes over where the team takes opaque features to stand.
func (f *Fog) standing(r *Replica) {
	if f.opaque == nil {
		return
	}
	now := map[grid.Tile]bool{}
	for _, e := range r.Entities {
		if f.eyes[e.Type].Opaque {
			now[r.Pos(e, r.Tick).Tile()] = true
		}
	}
	for _, g := range r.Ghosts {
		if int(g.Type) < len(f.eyes) && f.eyes[g.Type].Opaque && f.m.InPos(g.Pos) {
			now[g.Pos.Tile()] = true
		}
	}
	set := func(at grid.Tile, on bool) {
		if f.m.In(at) && f.m.Terrain[f.m.Index(at)] != grid.Cliff {
			f.engine.SetGround(at, visibility.Ground{Level: f.m.Level(at), Opaque: on})
		}
	}
	for at := range f.opaque {
		if !now[at] {
			set(at, false)
		}
	}
	for at := range now {
		if !f.opaque[at] {
			set(at, true)
		}
	}
	f.opaque = now
}

// look opens the eye of an entity that the replica holds, if it sees for the team, and
// shuts it if it does so no more.
func (f *Fog) look(r *Replica, h grid.Handle) {
	e := r.Entities[h]
	if !f.allies.Has(e.Owner) || f.eyes[e.Type].Blind {
		f.shut(h)
		return
	}
	if _, open := f.index[h]; !open && len(f.open) < eyesMax {
		f.index[h] = len(f.open)
		f.open = append(f.open, openEye{handle: h, entity: e})
	}
}

// shut takes the eye of an entity out, if it is open.
func (f *Fog) shut(h grid.Handle) {
	if i, open := f.index[h]; open {
		if id := f.open[i].id; id != 0 {
			f.engine.Remove(id)
		}
		f.drop(i)
	}
}

// drop forgets an open eye, whose source it leaves as it is.
func (f *Fog) drop(i int) {
	delete(f.index, f.open[i].handle)
	last := len(f.open) - 1
	if i != last {
		f.open[i] = f.open[last]
		f.index[f.open[i].handle] = i
	}
	f.open[last] = openEye{}
	f.open = f.open[:last]
}

// derive brings the mask to tick t.
func (f *Fog) derive(r *Replica, t grid.Tick) {
	for i := range f.open {
		eye := &f.open[i]
		s := f.source(r, eye.entity, r.Pos(eye.entity, t).Tile())
		if eye.id == 0 {
			eye.id = f.engine.Add(0, s)
		} else {
			f.engine.Change(eye.id, s)
		}
	}
	f.engine.Step(t)
	f.last = t
}

func (f *Fog) source(r *Replica, e *Entity, tile grid.Tile) visibility.Source {
	eye := &f.eyes[e.Type]
	radius := visibility.Radius(min(r.Attribute(e, view.AttributeSight, int32(eye.Radius)), int32(visibility.RadiusMax)))
	s := visibility.Source{Tile: tile, Radius: radius, Flyer: eye.Flyer, LevelBonus: eye.LevelBonus}
	if e.Values[view.ValueFlags]&view.FlagBuilding != 0 {
		s.Radius = min(s.Radius, unbuiltRadius)
	}
	return s
}

// Hash returns the hash of the visible tiles.
func (f *Fog) Hash() uint32 { return f.engine.Mask(visibility.VisibleNow, 0).Hash() }

// Visible reports whether the tile is seen now.
func (f *Fog) Visible(t grid.Tile) bool { return f.engine.Visible(0, t) }

// Explored reports whether the tile was ever in sight, as far as the client derived: this includes ticks that a frame
// passed over. Tiles that the server sent in rows are in the replica.
func (f *Fog) Explored(t grid.Tile) bool { return f.engine.Explored(0, t) }

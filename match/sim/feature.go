package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/visibility"
)

// Features are structures that change the ground: bridges, gates, floods, trees; and pickups and switches. The state of such a
// structure is its stock: 1 for an open gate, a raised bridge, flooded ground, a full pickup and a switch that is on. So a team that
// loses sight of a feature remembers its state with the ghost, and so does the ground that the team knows.

// feature is the part of a feature with a state that its entity has no room for.
type feature struct {
	id   grid.EntityID
	link uint8
	end  grid.Tick // a switch stays on until then, a pickup empty
}

// FeatureError says that a feature of the map has no room.
type FeatureError struct {
	Index int // of the map's features
	Type  string
	At    grid.Tile
}

func (e *FeatureError) Error() string {
	return fmt.Sprintf("feature %d: no room for %q at tile %d,%d: it is off the map, on a start, or on another feature", e.Index, e.Type, e.At.X, e.At.Y)
}

// contentsOf returns the contents of the tiles of a structure of a type in a state, and their contents once it is gone.
func contentsOf(t *rules.Type, stands bool, state int32) uint8 {
	f := &t.Feature
	switch {
	case f.Bridge && !stands:
		return nav.Gap
	case f.Bridge && state != 0:
		return nav.Gap | nav.Stands
	case !stands:
		return 0
	case f.Flood && state != 0:
		return nav.Gap | nav.Stands
	case f.Flood:
		return nav.Dry | nav.Stands
	case f.Bridge || f.Flat() || state != 0:
		return nav.Stands
	}
	return nav.Shut
}

// featureType returns the type of a map's feature, if the ruleset has it. Mines are never on the map: it is public.
func featureType(rs *rules.Ruleset, f *grid.Feature) (uint16, bool) {
	typ, ok := rs.TypeByName(f.Type)
	return typ, ok && rs.Types[typ].Feature.Any() && rs.Types[typ].Feature.Mine == nil
}

// sightMap returns the map for lines of sight: the features that block it are cliffs.
func sightMap(m *grid.Map, rs *rules.Ruleset) *grid.Map {
	out := m
	for i := range m.Features {
		typ, ok := featureType(rs, &m.Features[i])
		if !ok || !rs.Types[typ].Feature.BlocksSight {
			continue
		}
		if out == m {
			copied := *m
			out, copied.Terrain = &copied, append([]grid.Terrain(nil), m.Terrain...)
		}
		out.Terrain[m.Index(m.Features[i].At)] = grid.Cliff
	}
	return out
}

// layGaps makes gaps of the tiles of all bridges. The bridges that stand close them.
func (w *World) layGaps() {
	for i := range w.m.Features {
		if typ, ok := featureType(w.rules, &w.m.Features[i]); ok && w.rules.Types[typ].Feature.Bridge {
			w.eachFoot(typ, w.m.Features[i].At, func(i int) { w.solid[i] = nav.Gap })
		}
	}
}

// placeFeatures puts the map's features on the map. The map is public, so every team remembers all of them from the start.
func (w *World) placeFeatures() error {
	for i := range w.m.Features {
		f := &w.m.Features[i]
		typ, ok := featureType(w.rules, f)
		if !ok {
			continue
		}
		t, room := &w.rules.Types[typ], 0
		w.eachFoot(typ, f.At, func(i int) {
			if w.owner[i] == 0 {
				room++
			}
		})
		for _, s := range w.m.Starts {
			if s.X >= f.At.X && s.Y >= f.At.Y && s.X < f.At.X+int16(t.FootW) && s.Y < f.At.Y+int16(t.FootH) {
				room = 0
			}
		}
		if room < int(t.FootW)*int(t.FootH) {
			return &FeatureError{i, f.Type, f.At}
		}
		e := w.spawn(grid.NoSlot, typ, middleOf(t, f.At), false)
		if t.Feature.Stateful() {
			w.features[len(w.features)-1].link = f.Link
		}
		e.appearance = w.appearanceOf(e)
		for j := range w.teams {
			k := &w.teams[j]
			k.give(w, e)
			k.lose(w, e, e.handles[j])
			k.leaves = k.leaves[:0] // no client had it
			k.setGround(w, typ, e.foot, contentsOf(t, true, e.stock))
		}
	}
	w.settle()
	return nil
}

// runFeatures moves the features of the tick on: the pickups and switches first, then the gates, bridges and floods.
func (w *World) runFeatures() {
	kept := w.features[:0]
	for _, f := range w.features {
		e := w.find(f.id)
		if e == nil {
			continue
		}
		switch t := &w.rules.Types[e.typ]; {
		case t.Feature.Pickup != nil:
			w.runPickup(&f, e, t.Feature.Pickup)
		case t.Feature.Switch != nil:
			if w.unitNear(e, t.Feature.Switch.Range, grid.NoTeam, nil) != nil {
				f.end = w.tick + grid.Tick(w.rt.types[e.typ].hold)
				w.setState(e, 1)
			} else if w.tick >= f.end {
				w.setState(e, 0)
			}
		}
		kept = append(kept, f)
	}
	w.features = kept
	for i := range w.features {
		e := w.find(w.features[i].id)
		if m := w.rules.Types[e.typ].Feature.Moves; m != nil && !e.unbuilt {
			w.setState(e, boolInt(w.isMoved(e, m, w.features[i].link)))
		}
	}
}

// isMoved reports whether a gate is to be open, a bridge raised, or ground flooded.
func (w *World) isMoved(e *Entity, m *rules.Moves, link uint8) bool {
	if rate := &w.rt.types[e.typ]; rate.every > 0 && w.tick%grid.Tick(rate.every) >= grid.Tick(rate.every-rate.rest) {
		return true
	}
	if m.Near > 0 && e.team != grid.NoTeam && w.unitNear(e, m.Near, e.team, nil) != nil {
		return true
	}
	for i := range w.features {
		if s := w.find(w.features[i].id); m.Linked && link != 0 && w.features[i].link == link && s.stock != 0 && w.rules.Types[s.typ].Feature.Switch != nil {
			return true
		}
	}
	return false
}

// setState changes a feature's state. A gate does not close on units, nor does a bridge rise or water fall under them. Rising water
// takes the units on the ground.
func (w *World) setState(e *Entity, state int32) {
	if e.stock == state {
		return
	}
	t := &w.rules.Types[e.typ]
	to := contentsOf(t, true, state)
	switch {
	case t.Feature.Flood && state == 0 && len(w.standing(e, grid.Naval)) > 0,
		!t.Feature.Flood && nav.Closes(to, grid.Ground) && w.crowded(t, e.foot, w.all):
		return
	case t.Feature.Flood && state != 0:
		w.collapse(e, grid.NoSlot)
	}
	e.stock = state
	w.eachFoot(e.typ, e.foot, func(i int) { w.solid[i] = to })
}

// runPickup fills a pickup again, or gives it to the unit on it.
func (w *World) runPickup(f *feature, e *Entity, p *rules.Pickup) {
	if e.stock == 0 {
		if w.tick >= f.end {
			w.setState(e, 1)
		}
		return
	}
	u := w.unitNear(e, 0, grid.NoTeam, func(u *Entity) bool {
		return p.Effect >= 0 || p.Gives != rules.Cost{} || u.hp < w.rules.Types[u.typ].Health
	})
	if u == nil {
		return
	}
	w.setHealth(u, u.hp+p.Heal)
	w.players[u.slot].pay(p.Gives, -1)
	for i, n := range p.Gives {
		w.players[u.slot].gains[i] += n
	}
	if p.Effect >= 0 {
		w.addEffect(u, uint8(p.Effect), u.slot, u.id)
	}
	f.end = w.tick + grid.Tick(w.rt.types[e.typ].hold)
	w.setState(e, 0)
}

// unitNear returns the nearest unit on the ground within reach of a structure that its team sees, of the team or with
// NoTeam of any; of several equally near units that of the lowest slot. It leaves out units that fit refuses.
func (w *World) unitNear(e *Entity, reach grid.Dist, team grid.Team, fit func(*Entity) bool) (nearest *Entity) {
	t, best := &w.rules.Types[e.typ], int64(0)
	w.foes = w.near.units(w.foes[:0], e.Pos(), reach+grid.Dist(max(t.FootW, t.FootH)+1)*grid.WUPerTile)
	for _, u := range w.foes {
		if u.class != rules.ClassUnit || u.dying || w.rules.Types[u.typ].Move == grid.Air || !e.viewers.Has(u.team) ||
			team != grid.NoTeam && u.team != team || fit != nil && !fit(u) {
			continue
		}
		d := u.Pos().Sub(w.nearestOf(u.Pos(), e)).Len2()
		if d <= int64(reach)*int64(reach) && (nearest == nil || d < best || d == best && u.slot < nearest.slot) {
			nearest, best = u, d
		}
	}
	return nearest
}

// collapse takes the ground units on a bridge that falls, or on ground that water covers.
func (w *World) collapse(e *Entity, by grid.Slot) {
	if f := &w.rules.Types[e.typ].Feature; f.Bridge || f.Flood {
		for _, u := range w.standing(e, grid.Ground) {
			w.credit(u, by)
			w.kill(u)
		}
	}
}

// standing returns the units of a way of moving on the tiles of a structure.
func (w *World) standing(e *Entity, k grid.MoveKind) []*Entity {
	t := &w.rules.Types[e.typ]
	return slices.DeleteFunc(w.near.units(nil, e.Pos(), grid.Dist(max(t.FootW, t.FootH)+1)*grid.WUPerTile), func(u *Entity) bool {
		return u.dying || w.rules.Types[u.typ].Move != k || w.owner[w.m.Index(u.Tile())] != e.id
	})
}

// blindSpot is a tile on which a team goes on seeing a feature that fell, because it has not seen that.
type blindSpot struct {
	team grid.Team
	at   grid.Tile
}

// clearSight takes a fallen feature out of the lines of sight. Each team goes on as if it stood until it sees the place.
func (w *World) clearSight(e *Entity) {
	if !w.rules.Types[e.typ].Feature.BlocksSight || w.m.Terrain[w.m.Index(e.foot)] == grid.Cliff {
		return
	}
	w.eyes.SetGround(e.foot, visibility.Ground{Level: w.m.Level(e.foot)})
	for t := range w.teams {
		w.eyes.Hold(grid.Team(t), e.foot, true)
		w.blind = append(w.blind, blindSpot{grid.Team(t), e.foot})
	}
}

// discover ends the blind spots that teams see in this tick. To see one may show another.
func (w *World) discover() {
	for n := -1; n != len(w.blind); {
		n = len(w.blind)
		w.blind = slices.DeleteFunc(w.blind, func(b blindSpot) bool {
			seen := w.eyes.Looks(b.team, b.at, w.tick)
			if seen {
				w.eyes.Hold(b.team, b.at, false)
			}
			return seen
		})
	}
}

// blindAgain finds the blind spots of a restored world: they are where ghosts are whose originals fell.
func (w *World) blindAgain() {
	for i := range w.teams {
		var held []grid.Tile
		for _, g := range w.teams[i].ghosts {
			if int(g.Type) < len(w.rules.Types) && w.m.In(g.Foot) && w.rules.Types[g.Type].Feature.BlocksSight && w.find(g.id) == nil && w.m.Terrain[w.m.Index(g.Foot)] != grid.Cliff {
				held = append(held, g.Foot)
				w.blind = append(w.blind, blindSpot{grid.Team(i), g.Foot})
			}
		}
		w.eyes.HoldAgain(grid.Team(i), held)
	}
}

// showStates brings the ground that teams know up to the states of the features in their sight.
func (w *World) showStates() {
	for i := range w.features {
		e := w.find(w.features[i].id)
		if e == nil || w.rules.Types[e.typ].Feature.Moves == nil {
			continue
		}
		for t := range w.teams {
			if e.viewers.Has(grid.Team(t)) {
				w.teams[t].setGround(w, e.typ, e.foot, w.waysThrough(e, grid.Team(t)))
			}
		}
	}
}

// waysThrough returns the contents of a feature's tiles for the paths of a team that sees it. A gate that opens for the team's
// units is a way for them while it is closed.
func (w *World) waysThrough(e *Entity, t grid.Team) uint8 {
	typ := &w.rules.Types[e.typ]
	if typ.Feature.Mine != nil && e.team != t {
		return nav.Shut // they lead around it
	}
	if e.team == t && !e.unbuilt && typ.Feature.Moves.Near > 0 {
		return contentsOf(typ, true, boolInt(!typ.Feature.Bridge))
	}
	return contentsOf(typ, true, e.stock)
}

func (w *World) featureState(a *archive.Archive) {
	if !w.rt.features {
		return
	}
	archive.List(a, &w.features, 9, func(f *feature) {
		archive.Word(a, &f.id)
		a.U8(&f.link)
		archive.Word(a, &f.end)
	})
}

func boolInt(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

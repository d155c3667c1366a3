package bot

import (
	"maps"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// thing is an entity in sight, or a structure as last seen.
type thing struct {
	handle grid.Handle
	typ    uint16
	owner  grid.Slot
	at     grid.Pos
	ghost  bool
	raw    bool // still being built
	amount uint32
}

// census has the entities in sight, sorted by use. Lists are sorted by handle.
type census struct {
	workers    []thing
	scouts     []thing
	army       []thing
	wings      []thing // flying units of the army, which a level that commands leads apart
	shadows    []thing // and who can hide
	lifters    []thing // own transports that fly or swim
	ships      []thing // own warships
	homes      []thing // own structures
	fighters   []thing // enemies that shoot and move
	strongs    []thing // enemy structures, ghosts too
	resources  []thing
	obstacles  []thing // all entities on the ground
	features   []thing // bridges, gates, pickups, switches
	byType     map[uint16]int
	unfinished []thing // own structures still being built
}

func (b *mind) info(typ uint16) *pb.TypeInfo {
	if int(typ) < len(b.Welcome.Types) {
		return b.Welcome.Types[typ]
	}
	return &pb.TypeInfo{}
}

func (b *mind) enemy(s grid.Slot) bool {
	return int(s) < len(b.Welcome.Players) && grid.Team(b.Welcome.Players[s].Team) != b.Team()
}

// look takes the census of this tick.
func (b *mind) look() {
	c := census{byType: map[uint16]int{}}
	for _, h := range b.Replica.Handles() {
		e := b.Replica.Entities[h]
		t := thing{handle: h, typ: e.Type, owner: e.Owner, at: b.Replica.Pos(e, b.Tick()), amount: e.Values[view.ValueAmount],
			raw: e.Values[view.ValueFlags]&uint32(pb.EntityFlag_ENTITY_FLAG_BUILDING) != 0}
		b.file(&c, t)
	}
	for _, h := range slices.Sorted(maps.Keys(b.Replica.Ghosts)) {
		g := b.Replica.Ghosts[h]
		if b.Replica.Entities[h] == nil {
			b.file(&c, thing{handle: h, typ: g.Type, owner: g.Owner, at: g.Pos, ghost: true, amount: g.Amount})
		}
	}
	b.now = c
	b.survey()
}

func (b *mind) file(c *census, t thing) {
	info := b.info(t.typ)
	switch info.Class {
	case pb.TypeClass_TYPE_CLASS_RESOURCE:
		c.resources = append(c.resources, t)
		c.obstacles = append(c.obstacles, t)
		return
	case pb.TypeClass_TYPE_CLASS_STRUCTURE:
		c.obstacles = append(c.obstacles, t)
		if info.Feature > obstacle && !t.raw {
			c.features = append(c.features, t)
		}
	case pb.TypeClass_TYPE_CLASS_UNIT:
	default:
		return
	}
	structure, friend, foe := info.Class == pb.TypeClass_TYPE_CLASS_STRUCTURE, t.owner == b.Slot(), b.enemy(t.owner)
	switch {
	case friend && structure:
		c.byType[t.typ]++
		if info.Feature == mine && !t.raw {
			return
		}
		if t.raw {
			c.unfinished = append(c.unfinished, t)
		} else {
			c.homes = append(c.homes, t)
		}
	case friend && info.Worker:
		c.byType[t.typ]++
		c.workers = append(c.workers, t)
	case friend && b.lifts(t.typ):
		c.lifters = append(c.lifters, t)
	case friend && b.fights(t.typ):
		c.ships = append(c.ships, t)
	case friend && b.scoutTypes[t.typ]:
		c.scouts = append(c.scouts, t)
	case friend && b.plan.commands && b.roles[t.typ] == wing:
		c.wings = append(c.wings, t)
	case friend && b.plan.commands && b.roles[t.typ] == shadow && !b.together():
		c.shadows = append(c.shadows, t)
	case friend && (len(info.Weapons) > 0 || b.plan.commands && b.roles[t.typ] == watcher):
		c.army = append(c.army, t)
	case foe && info.Feature == mine: // its army shoots at it as it sees it, and does not go there
	case foe && structure:
		c.strongs = append(c.strongs, t)
	case foe && len(info.Weapons) > 0:
		c.fighters = append(c.fighters, t)
	}
}

// nearest returns the thing nearest to p for which ok is true.
func nearest(things []thing, p grid.Pos, ok func(thing) bool) (best thing, found bool) {
	var least int64
	for _, t := range things {
		if ok != nil && !ok(t) {
			continue
		}
		if d := t.at.Sub(p).Len2(); !found || d < least {
			best, least, found = t, d, true
		}
	}
	return best, found
}

func handlesOf(things []thing) []grid.Handle {
	hs := make([]grid.Handle, len(things))
	for i, t := range things {
		hs[i] = t.handle
	}
	return hs
}

// centroid is the mean place of some things.
func centroid(things []thing) grid.Pos {
	var x, y int64
	for _, t := range things {
		x += int64(t.at.X)
		y += int64(t.at.Y)
	}
	n := int64(max(1, len(things)))
	return grid.Pos{X: int32(x / n), Y: int32(y / n)}
}

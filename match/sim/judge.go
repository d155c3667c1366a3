package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// judge answers the questions of [orders.Validate], from the knowledge of the asking team
// alone.
type judge struct{ w *World }

var _ orders.World = (*judge)(nil)

func (j *judge) Running() bool { return j.w.result == nil }

func (j *judge) Alive(s grid.Slot) bool { return j.w.players[s].alive }

// named returns the entity that h named for the team at tick asOf and names
// still.
func (j *judge) named(s grid.Slot, h grid.Handle, asOf grid.Tick) *Entity {
	k := &j.w.teams[j.w.players[s].team]
	got, ok := k.Sighted(h)
	if !ok || got.Entered > asOf {
		return nil
	}
	return j.w.find(got.ID)
}

func (j *judge) Unit(s grid.Slot, h grid.Handle, asOf grid.Tick) (orders.Unit, bool) {
	e := j.named(s, h, asOf)
	if e == nil {
		return orders.Unit{}, false
	}
	if e.slot != s { // other players' entities are not looked at
		return orders.Unit{ID: e.id, Owner: e.slot}, true
	}
	return orders.Unit{
		ID: e.id, Owner: e.slot, Kinds: j.w.kindsOf(e), QueueLen: len(e.tasks),
		TrainFull: len(e.maker.queue) >= trainQueueMax, Fires: j.w.rt.types[e.typ].fires,
	}, true
}

func (j *judge) Target(s grid.Slot, h grid.Handle, asOf grid.Tick) (orders.Target, bool) {
	team := j.w.players[s].team
	if e := j.named(s, h, asOf); e != nil {
		return orders.Target{
			ID: e.id, Relation: relation(s, team, e.slot, e.team),
			Unbuilt: e.unbuilt, Type: e.typ, At: e.Pos(),
		}, e.class != rules.ClassProjectile
	}
	k := &j.w.teams[team]
	g, ok := k.Ghost(h)
	if !ok || k.names[h-1].first > asOf {
		return orders.Target{}, false
	}
	return orders.Target{
		Relation: relation(s, team, g.Slot, g.Team), Ghost: true, Unbuilt: g.Unbuilt, Type: g.Type, At: g.At,
	}, true
}

func relation(s grid.Slot, t grid.Team, slot grid.Slot, team grid.Team) orders.Relation {
	switch {
	case slot == s:
		return orders.Own
	case team == grid.NoTeam:
		return orders.Neutral
	case team == t:
		return orders.Ally
	}
	return orders.Enemy
}

func (j *judge) Ability(u grid.EntityID, a uint8) orders.Ability {
	e := j.w.find(u)
	i := j.w.abilityAt(e, a)
	if i < 0 {
		return orders.Ability{}
	}
	def := &j.w.rules.Abilities[a]
	kind := j.w.rt.abilities[a].kind
	info := kind.info()
	if info.passive || !j.w.grantOf(e, i).Allows() {
		return orders.Ability{}
	}
	return orders.Ability{
		Granted: true, Ready: j.w.tick >= e.acts[i].ready && !e.acts[i].on, Affordable: j.w.canSpend(e, def),
		Lasting: info.lasting,
	}
}

func (j *judge) Aim(a uint8) orders.TargetMode {
	if int(a) >= len(j.w.rt.abilities) {
		return orders.AimNone
	}
	return j.w.rt.abilities[a].kind.info().aim
}

func (j *judge) CanTarget(_ grid.EntityID, a uint8, t orders.Target) bool {
	return j.w.canTarget(&j.w.rules.Abilities[a], t.Type, t.Relation)
}

func (j *judge) Trainable(u grid.EntityID, typ uint16) orders.Reject {
	e := j.w.find(u)
	if !slices.Contains(j.w.rules.Types[e.typ].Trains, typ) {
		return orders.NotGranted
	}
	return j.w.canMake(&j.w.players[e.slot], typ)
}

func (j *judge) Buildable(u grid.EntityID, typ uint16) orders.Reject {
	e := j.w.find(u)
	if !slices.Contains(j.w.rules.Types[e.typ].Builds, typ) {
		return orders.NotGranted
	}
	return j.w.canMake(&j.w.players[e.slot], typ)
}

func (j *judge) Site(s grid.Slot, typ uint16, p grid.Pos) bool {
	return j.w.siteKnownFree(&j.w.teams[j.w.players[s].team], typ, footOf(&j.w.rules.Types[typ], p))
}

func (j *judge) CanHit(u grid.EntityID, t orders.Target) bool {
	if int(t.Type) >= len(j.w.rules.Types) || t.Relation == orders.Neutral && !j.w.rules.Types[t.Type].Feature.Breakable {
		return false
	}
	e, v := j.w.find(u), &j.w.rules.Types[t.Type]
	if v.Class != rules.ClassUnit && v.Class != rules.ClassStructure {
		return false
	}
	for i := range j.w.rules.Types[e.typ].Weapons {
		if j.w.weaponHits(j.w.WeaponOf(e, i), v) {
			return true
		}
	}
	return false
}

func (j *judge) CanHitGround(u grid.EntityID) bool {
	e := j.w.find(u)
	return len(j.w.rules.Types[e.typ].Weapons) > 0
}

func (j *judge) CanDo(u grid.EntityID, k orders.Kind, t orders.Target) bool {
	e := j.w.find(u)
	switch k {
	case orders.Harvest:
		return j.w.rules.Types[e.typ].Carry > 0 && j.w.rules.Types[t.Type].Class == rules.ClassResource
	case orders.Repair:
		v := j.w.find(t.ID)
		return v != nil && j.w.repairable(e, v)
	case orders.Board:
		c := j.w.find(t.ID)
		return c != nil && j.w.holds(c, e)
	}
	return false
}

func (j *judge) OnMap(p grid.Pos) bool { return j.w.m.InPos(p) }

func (j *judge) Reachable(u grid.EntityID, p grid.Pos) bool {
	e := j.w.find(u)
	if e.class != rules.ClassUnit || !j.w.rules.Types[e.typ].Mobile {
		return true
	}
	return j.w.teams[e.team].ground.Reachable(j.w.rules.Types[e.typ].Move, e.Tile(), p.Tile())
}

// canMake says whether the player may have one more of the type now.
func (w *World) canMake(p *player, typ uint16) orders.Reject {
	t := &w.rules.Types[typ]
	switch {
	case !w.rules.Makes(p.faction, typ) || !p.hasAll(t.Needs) || !w.canResearch(p, typ):
		return orders.NotGranted
	case !p.canPay(t.Cost):
		return orders.Unaffordable
	case t.Pop > 0 && p.pop+t.Pop > w.popLimit(p):
		return orders.PopLimit
	}
	return orders.OK
}

// popLimit returns how much population the player may have now.
func (w *World) popLimit(p *player) int32 { return min(p.popCap, w.rules.Settings.PopMax) }

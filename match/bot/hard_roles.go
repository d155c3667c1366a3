package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// role is hard's use of a type of unit. It is read from the rules.
type role uint8

const (
	noRole  role = iota
	line         // fights at the front
	siege        // fires far, and at targets that stand close together
	caster       // has abilities against enemies
	wing         // flies
	shadow       // can hide
	watcher      // sees cloaked units
	roles
)

// rolesOf finds the role of each type.
func (b *mind) rolesOf() []role {
	out := make([]role, len(b.Welcome.Types))
	for i, t := range b.Welcome.Types {
		if t.Class != pb.TypeClass_TYPE_CLASS_UNIT || t.Worker || b.scoutTypes[uint16(i)] || t.MoveKind == uint32(grid.Naval) {
			continue
		}
		kinds := map[string]bool{}
		for _, a := range t.Abilities {
			if int(a) < len(b.Welcome.Abilities) {
				kinds[b.Welcome.Abilities[a].Kind] = true
			}
		}
		far := slices.ContainsFunc(t.Weapons, func(w uint32) bool {
			return int(w) < len(b.Welcome.Weapons) && b.Welcome.Weapons[w].MinRange > 0
		})
		switch {
		case t.MoveKind == uint32(grid.Air) && len(t.Weapons) > 0:
			out[i] = wing
		case kinds["cloak"] && len(t.Weapons) > 0:
			out[i] = shadow
		case far:
			out[i] = siege
		case kinds["burn"] || kinds["apply"] && len(t.Weapons) > 0:
			out[i] = caster
		case t.Detect > 0:
			out[i] = watcher
		case len(t.Weapons) > 0:
			out[i] = line
		}
	}
	return out
}

// force is the value of a group of fighters.
type force struct {
	health, damage int64 // damage in thousandths a tick
}

// power compares forces: a force of twice the fighters has four times the power
// (Lanchester).
func (f force) power() int64 { return f.health * f.damage / 1000 }

func (f *force) add(g force) { f.health, f.damage = f.health+g.health, f.damage+g.damage }

// forceOf is the value of one unit or structure, as it is seen now.
func (b *mind) forceOf(t thing) force {
	info := b.info(t.typ)
	f := force{health: int64(info.Health) + int64(info.Shield)}
	if e := b.Replica.Entities[t.handle]; e != nil {
		f.health = max(1, f.health-int64(e.Values[view.ValueHealth])-int64(e.Values[view.ValueShield]))
	}
	for _, n := range info.Weapons {
		if int(n) < len(b.Welcome.Weapons) {
			w := b.Welcome.Weapons[n]
			d := int64(w.Damage) * 1000 / int64(max(1, w.CooldownTicks))
			if w.Splash >= grid.WUPerTile {
				d *= 2
			}
			f.damage = max(f.damage, d)
		}
	}
	return f
}

func (b *mind) forceAll(things []thing, ok func(thing) bool) (f force) {
	for _, t := range things {
		if ok == nil || ok(t) {
			f.add(b.forceOf(t))
		}
	}
	return f
}

// hurt is the part of its health that a unit has left, in percent.
func (b *mind) left(t thing) int {
	e, info := b.Replica.Entities[t.handle], b.info(t.typ)
	if e == nil || info.Health == 0 {
		return 100
	}
	return 100 - int(e.Values[view.ValueHealth])*100/int(max(1, b.Replica.Attribute(e, view.AttributeHealth, int32(info.Health))))
}

// runs reports whether a unit runs the ability at the index in its type's list.
func (b *mind) runs(h grid.Handle, index int) bool {
	e := b.Replica.Entities[h]
	return e != nil && slices.ContainsFunc(e.Actions, func(a client.Action) bool { return int(a.Index) == index })
}

// can reports whether a unit may start an ability now.
func (b *mind) can(h grid.Handle, index int, a *pb.AbilityInfo) bool {
	key := client.Ability{Unit: h, Index: uint32(index)}
	switch pb.AbilityGrant(b.Own.Grants[key]) {
	case pb.AbilityGrant_ABILITY_GRANT_LACKS_NEEDS, pb.AbilityGrant_ABILITY_GRANT_DENIED, pb.AbilityGrant_ABILITY_GRANT_UNFINISHED:
		return false
	}
	if a.Spends > 0 && int(a.Spends) <= len(b.Welcome.Values) {
		of := b.Welcome.Values[a.Spends-1]
		if n, ok := b.Value(h, of.Name); !ok || int64(n)-int64(a.SpendAmount) < int64(of.Min) {
			return false
		}
	}
	return b.Own.Ready[key] <= b.Tick() && b.Own.Values[view.OwnerEnergy][h] >= a.Energy && b.Tick() >= b.used[key]
}

// inflicts reports whether an effect of a kind is on a unit.
func (b *mind) suffers(h grid.Handle, effect uint32) bool {
	e := b.Replica.Entities[h]
	return e != nil && slices.ContainsFunc(e.Effects, func(x client.Effect) bool { return x.Kind == effect })
}

package sim

import (
	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// firing holds how an entity's player wants its weapons used. The bits equal those on the
// wire. Zero: all weapons fire at will, with their main fire.
type firing uint8

const (
	holdsFire  firing = 1 << iota // it fires at the target of an order alone
	alternates                    // weapons with an alternate fire use that
	firstAlone
	secondAlone
	pursues      // no leash holds it back
	standsGround // it goes nowhere for a foe by its own choice
	firingEnd
)

// Firing returns how the owner wants the weapons used, as bits of own.firing; its owner's
// business alone.
func (e *Entity) Firing() uint32 { return uint32(e.firing) }

// Alternates reports whether the entity has its weapons' alternate fire on, which shows.
func (e *Entity) Alternates() bool { return e.firing&alternates != 0 }

// lead returns the place of the weapon that chooses targets and decides how near e goes.
func (e *Entity) lead() int {
	if e.firing&secondAlone != 0 {
		return 1
	}
	return 0
}

// silent reports whether e's player has excluded its i-th weapon.
func (e *Entity) silent(i int) bool {
	return i > 0 && e.firing&firstAlone != 0 || i == 0 && e.firing&secondAlone != 0
}

// firesOf returns a bit for each of the [orders.FireModes] that a type's weapons have.
func firesOf(rs *rules.Ruleset, t *rules.Type) (modes uint16) {
	if len(t.Weapons) == 0 {
		return 0
	}
	modes = 1<<orders.FireAtWill | 1<<orders.FireHold
	for _, x := range t.Weapons {
		if rs.Weapons[x].Alternate >= 0 {
			modes |= 1<<orders.FireMain | 1<<orders.FireAlternate
		}
	}
	if len(t.Weapons) > 1 {
		modes |= 1<<orders.FireAll | 1<<orders.FireFirst | 1<<orders.FireSecond
	}
	if t.Mobile {
		modes |= 1<<orders.FireDefensive | 1<<orders.FireAggressive | 1<<orders.FireGround
	}
	return modes
}

// setFiring is the rule of the order FIRE. Weapons that change take aim anew. A unit without a task begins its new
// stance where it is.
func (w *World) setFiring(e *Entity, d *dueOrder, _ uint32) {
	f := e.firing
	switch d.item {
	case orders.FireAtWill:
		f &^= holdsFire
	case orders.FireHold:
		f |= holdsFire
	case orders.FireMain:
		f &^= alternates
	case orders.FireAlternate:
		f |= alternates
	case orders.FireAll:
		f &^= firstAlone | secondAlone
	case orders.FireFirst:
		f = f&^secondAlone | firstAlone
	case orders.FireSecond:
		f = f&^firstAlone | secondAlone
	case orders.FireDefensive:
		f &^= holdsFire | pursues | standsGround
	case orders.FireAggressive:
		f = f&^(holdsFire|standsGround) | pursues
	case orders.FireGround:
		f = f&^(holdsFire|pursues) | standsGround
	}
	if (f^e.firing)&(pursues|standsGround) != 0 && len(e.tasks) == 0 {
		e.mv.halt()
		e.guard = e.Pos()
	}
	if f != e.firing {
		w.disarm(e)
		e.firing, e.alert = f, true
	}
}

// alertState keeps alert and firing in one byte, so that a state whose weapons all fire at will
// has the bytes that it had before there was a choice.
func (e *Entity) alertState(a *archive.Archive) {
	v := uint8(e.firing) << 1
	if e.alert {
		v |= 1
	}
	if a.U8(&v); v>>1 >= uint8(firingEnd) {
		a.Fail("a way of firing %d", v>>1)
	}
	e.alert, e.firing = v&1 != 0, firing(v>>1)
}

// firingState keeps whether an arm fires, and the shots that are left of its burst, in one byte.
func (x *arm) firingState(a *archive.Archive) {
	v := x.rest << 1
	if x.firing {
		v |= 1
	}
	a.U8(&v)
	x.firing, x.rest = v&1 != 0, v>>1
}

// trigger notes a shot of an arm, and when the next can leave. A burst goes on without a
// wind-up. Its cooldown counts from its last shot, and also if it ends before that.
func (x *arm) trigger(w *World, e *Entity, rate *weaponRate) {
	x.wind, x.ready = 0, w.tick+grid.Tick(w.cooldownOf(e, rate))
	if x.rest == 0 {
		x.rest = rate.burst
	}
	if x.rest--; x.rest > 0 {
		x.wind = w.tick + grid.Tick(rate.burstEvery)
	}
	x.shots++
	x.firing = true
}

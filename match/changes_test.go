package match

import (
	"math/rand/v2"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// hiddenKinds are the changes of a fork. Each touches only things that A neither sees nor
// knows, and reports whether it found a thing to touch.
var hiddenKinds = []struct {
	name  string
	quiet bool // it does not show even on a thing in sight
	do    func(c *changer) bool
}{
	{"add a unit", false, func(c *changer) bool {
		at, ok := c.farPlace()
		if !ok {
			return false
		}
		e := c.edit.Add(c.foe(), c.typ("worker", "soldier", "raider", "flyer", "detector", "artillery"), at)
		if e != nil && c.rng.IntN(3) != 0 { // else it attacks things in sight
			c.edit.Order(e, orders.Hold, at, false)
		}
		return e != nil
	}},
	{"add a structure", false, func(c *changer) bool {
		at, ok := c.farPlace()
		return ok && c.edit.Add(c.foe(), c.typ("wall", "tower", "barracks"), at) != nil
	}},
	{"remove", false, func(c *changer) bool {
		e := c.far(func(e *sim.Entity) bool { return !c.rules().Types[e.Type()].Centre })
		if e != nil {
			c.edit.Remove(e)
		}
		return e != nil
	}},
	{"move", false, func(c *changer) bool {
		e := c.far(isUnit)
		at, ok := c.farPlace()
		if e != nil && ok {
			c.edit.Move(e, at)
		}
		return e != nil && ok
	}},
	{"health", false, func(c *changer) bool {
		e := c.hidden(func(e *sim.Entity) bool { return e.Class() <= rules.ClassStructure })
		if e != nil {
			hp, _ := e.Health()
			c.edit.SetHealth(e, hp*int32(1+c.rng.IntN(3))/4)
			shield, _ := e.Shield()
			c.edit.SetShield(e, shield/2)
		}
		return e != nil
	}},
	{"values", false, func(c *changer) bool {
		e := c.hidden(func(e *sim.Entity) bool { return len(e.Values()) > 0 })
		if e != nil {
			place := c.rng.IntN(len(e.Values()))
			c.edit.SetValue(e, place, e.Values()[place]+int32(1+c.rng.IntN(30)))
		}
		return e != nil
	}},
	{"orders", false, func(c *changer) bool {
		e := c.far(isUnit)
		at, ok := c.farPlace()
		if e != nil && ok {
			c.edit.Order(e, []orders.Kind{orders.Move, orders.AttackMove, orders.Patrol, orders.Hold}[c.rng.IntN(4)], at, false)
		}
		return e != nil && ok
	}},
	{"shells", false, func(c *changer) bool { // in flight, in the dark
		e := c.hidden(func(e *sim.Entity) bool { return c.rules().Types[e.Type()].Name == "artillery" })
		at, ok := c.farPlace()
		if e != nil && ok {
			c.edit.Order(e, orders.AttackGround, at, false)
		}
		return e != nil && ok
	}},
	{"abilities", false, func(c *changer) bool { // a scan shows places to foes, a cloak hides an unseen thing
		e := c.hidden(func(e *sim.Entity) bool { return isUnit(e) && len(c.rules().Types[e.Type()].Abilities) > 0 })
		if e == nil {
			return false
		}
		own := c.rules().Types[e.Type()].Abilities
		return c.edit.StartAbility(e, uint8(own[c.rng.IntN(len(own))]), e.Pos())
	}},
	{"rally", true, func(c *changer) bool { // of structures in sight as well
		e := c.any(func(e *sim.Entity) bool { return len(c.rules().Types[e.Type()].Trains) > 0 && e.Built() })
		at, ok := c.farPlace()
		if e != nil && ok {
			c.edit.SetRally(e, at)
		}
		return e != nil && ok
	}},
	{"queue", true, func(c *changer) bool { // of units in sight as well: their next task is unseen
		e := c.any(func(e *sim.Entity) bool {
			t, busy := e.Running()
			return isUnit(e) && busy && t.Kind == orders.Hold
		})
		at, ok := c.darkPlace()
		if e != nil && ok {
			c.edit.Order(e, orders.Move, at, true)
		}
		return e != nil && ok
	}},
	{"production", true, func(c *changer) bool { // of structures in sight as well
		e := c.any(func(e *sim.Entity) bool {
			_, makes := c.w.Production(e)
			return makes && e.Built()
		})
		if e != nil {
			c.edit.Enqueue(e, c.typ("soldier", "worker"))
		}
		return e != nil
	}},
	{"energy", true, func(c *changer) bool {
		e := c.any(func(e *sim.Entity) bool { return c.rules().Types[e.Type()].EnergyMax > 0 })
		if e != nil {
			c.edit.SetEnergy(e, e.Energy()/2)
		}
		return e != nil
	}},
	{"counters", true, func(c *changer) bool {
		e := c.hidden(isUnit)
		if e != nil {
			c.edit.AddShots(e, uint16(1+c.rng.IntN(20)))
		}
		return e != nil
	}},
	{"begun", true, func(c *changer) bool { // the start of an action in the dark
		e := c.hidden(func(e *sim.Entity) bool {
			for i := range c.rules().Types[e.Type()].Abilities {
				if on, _ := e.Acts(i); on {
					return true
				}
			}
			return e.Effects() > 0
		})
		return e != nil && c.edit.Antedate(e, grid.Ticks(1+c.rng.IntN(9)))
	}},
	{"swap", true, func(c *changer) bool { return c.swap(c.hidden(isUnit)) }},
	{"swap guns", true, func(c *changer) bool { // of the units that shell A
		return c.swap(c.hiddenIn(func(e *sim.Entity) bool { return isUnit(e) && e.Pos().Within(highAt.Center(), 3*grid.WUPerTile) }))
	}},
	{"books", true, func(c *changer) bool {
		c.edit.Credit(c.foe(), int32(c.rng.IntN(200)-100), int32(1+c.rng.IntN(9)))
		return true
	}},
}

// talk is a change of the match, not of the world: a foe chats with its own team, pings,
// or gives an order that is refused. It shows in the journal's records.
func talk(r *run, rng *rand.Rand, n int) {
	in := sim.Input{Kind: sim.InputChat, Slot: grid.Slot(slotsOfA + rng.IntN(slotsOfFork-slotsOfA)), Seq: 1<<30 + uint32(n), Text: "between us"}
	switch rng.IntN(3) {
	case 0:
		in.Kind, in.Ping, in.Point, in.Text = sim.InputPing, sim.PingLook, highAt.Center(), ""
	case 1:
		in.Kind, in.Text = sim.InputOrder, ""
		in.Order = orders.Order{Kind: orders.Stop, Units: []grid.Handle{1 << 20}}
	}
	r.m.inputs.add(in)
}

func isUnit(e *sim.Entity) bool { return e.Class() == rules.ClassUnit }

// changer finds entities to change.
type changer struct {
	w    *sim.World
	edit simtest.Editor
	eye  *witness
	rng  *rand.Rand

	quiet bool // no change that could come to light
	wild  bool // anywhere in the dark
}

func (c *changer) rules() *rules.Ruleset { return c.w.Rules() }
func (c *changer) foe() grid.Slot        { return grid.Slot(slotsOfA + c.rng.IntN(slotsOfFork-slotsOfA)) }

func (c *changer) typ(names ...string) uint16 {
	typ, _ := c.rules().TypeByName(names[c.rng.IntN(len(names))])
	return typ
}

// darkPlace returns a place well out of A's sight.
func (c *changer) darkPlace() (grid.Pos, bool) {
	for range 40 {
		at := grid.Tile{X: int16(c.rng.IntN(c.w.Map().W)), Y: int16(c.rng.IntN(c.w.Map().H))}
		if c.eye.dark(at, 4) {
			return at.Center(), true
		}
	}
	return grid.Pos{}, false
}

// swap lets a unit change places with a unit of the same looks, nearby if possible.
func (c *changer) swap(a *sim.Entity) bool {
	if a == nil {
		return false
	}
	twin := func(b *sim.Entity) bool { return b != a && b.Type() == a.Type() && b.Slot() == a.Slot() && isUnit(b) }
	b := c.hidden(func(b *sim.Entity) bool { return twin(b) && b.Pos().Within(a.Pos(), 2*grid.WUPerTile) })
	if b == nil {
		b = c.hidden(twin)
	}
	if b != nil {
		c.edit.Swap(a, b)
	}
	return b != nil
}

// farPlace returns a dark place, mostly far from all that A sees: actions there take long
// to come to light.
func (c *changer) farPlace() (best grid.Pos, ok bool) {
	dist := int64(-1)
	for range c.tries() {
		if at, dark := c.darkPlace(); dark {
			if d := c.fromA(at); d > dist {
				best, ok, dist = at, true, d
			}
		}
	}
	return best, ok
}

func (c *changer) tries() int {
	if c.wild {
		return 1
	}
	return 1 + c.rng.IntN(6)
}

// far returns a hidden entity, mostly far from all that A sees.
func (c *changer) far(pass func(*sim.Entity) bool) (best *sim.Entity) {
	dist := int64(-1)
	for range c.tries() {
		if e := c.hidden(pass); e != nil && c.fromA(e.Pos()) > dist {
			best, dist = e, c.fromA(e.Pos())
		}
	}
	return best
}

// fromA is the squared distance to the nearest of A's eyes, WU.
func (c *changer) fromA(at grid.Pos) int64 {
	least := int64(1 << 62)
	for _, s := range c.eye.eyes {
		least = min(least, at.Sub(grid.Tile{X: int16(s.X), Y: int16(s.Y)}.Center()).Len2())
	}
	return least
}

// any returns one of the foes' entities that passes the test.
func (c *changer) any(ok func(*sim.Entity) bool) *sim.Entity {
	all := c.w.Entities()
	from := c.rng.IntN(len(all))
	for i := range all {
		if e := all[(from+i)%len(all)]; e.Team() != teamA && e.Team() != grid.NoTeam && ok(e) {
			return e
		}
	}
	return nil
}

// hidden returns an entity that A does not see, well in the dark.
func (c *changer) hidden(ok func(*sim.Entity) bool) *sim.Entity {
	near := stageAt // A's memories
	if c.quiet {
		near = pairsAt // A's future sights
	}
	switch c.rng.IntN(4) {
	case 0:
		near = highAt.Center() // the guns that shell A
	case 1:
		near = cloakAt.Center() // cloaked units under A's eyes
	}
	if c.rng.IntN(2) == 0 {
		if e := c.hiddenIn(func(e *sim.Entity) bool { return e.Pos().Within(near, 7*grid.WUPerTile) && ok(e) }); e != nil {
			return e
		}
	}
	return c.hiddenIn(ok)
}

func (c *changer) hiddenIn(ok func(*sim.Entity) bool) *sim.Entity {
	return c.any(func(e *sim.Entity) bool {
		return e.Class() != rules.ClassProjectile && !c.eye.sees(e) && (e.Cloaked() || c.eye.high(e) || c.eye.dark(e.Tile(), 1)) && ok(e)
	})
}

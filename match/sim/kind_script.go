package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
	"github.com/fogkeep/fogkeep/orders"
)

// scriptedAbility returns the kind of an ability with a script.
func scriptedAbility(a *rules.Ability) AbilityKind {
	s := a.Script
	call := func(event string) func(UnitWorld) { return func(u UnitWorld) { callUnit(u, s.Program, event) } }
	k := AbilityKind{
		Aim: orders.TargetMode(s.Aim), Lasting: s.Lasting, Rooted: s.Rooted, Passive: s.Passive, Start: call("start"), Stop: call("stop"),
		Tick: func(u UnitWorld) {
			if int64(u.Tick()-u.Since())%int64(u.every(s.EveryMs)) == 0 {
				callUnit(u, s.Program, "tick")
			}
		},
	}
	if s.Passive {
		k.Ready = func(u UnitWorld) bool {
			if !s.Program.Handles("ready") {
				return true
			}
			w, _ := u.world()
			if int64(u.Tick())%int64(u.every(s.EveryMs)) != 0 || !w.mayCall(s.Program, "ready") {
				return false
			}
			yes, steps, fault := s.Program.Ask(&w.scripts.thread, "ready", unitCall(u))
			return w.scriptCalled(steps, fault) && yes
		}
	}
	return k
}

// scriptedEffect returns the kind of an effect with a script.
func scriptedEffect(e *rules.Effect) EffectKind {
	call := func(event string) func(UnitWorld) { return func(u UnitWorld) { callUnit(u, e.Script, event) } }
	return EffectKind{Stacks: e.Stacks, Begin: call("start"), Tick: call("tick"), End: call("stop")}
}

func (u UnitWorld) every(ms int32) grid.Ticks {
	w, _ := u.world()
	return max(1, w.rt.ticks(ms))
}

// unitReads is the world as the script of an ability or effect reads it: with the knowledge of its unit's team.
type unitReads struct {
	object script.Object
	u      UnitWorld
}

func unitCall(u UnitWorld) script.Value {
	s := &unitReads{u: u}
	s.object = script.Object{Kind: "ability", Host: s}
	return &s.object
}

// callUnit calls the handler of an event, and then carries out its effects, if each names a thing that exists.
func callUnit(u UnitWorld, p *script.Program, event string) {
	w, _ := u.world()
	if !p.Handles(event) || !w.mayCall(p, event) {
		return
	}
	effects, steps, fault := p.Call(&w.scripts.thread, event, unitCall(u))
	for _, e := range effects {
		if _, err := w.named(e); err != nil {
			fault = p.Wrong(event, err)
			break
		}
	}
	if w.scriptCalled(steps, fault) {
		for _, e := range effects {
			u.carryOut(e)
		}
	}
}

// named returns the number of the type, weapon or the like that an effect names.
func (w *World) named(e *script.Effect) (int32, error) {
	i, name, r := 0, "", w.rules
	switch e.Name {
	case "lift", "put":
		name = e.Text(1)
		i = slices.IndexFunc(r.Effects, func(x rules.Effect) bool { return x.Name == name })
	case "set_value":
		name = e.Text(1)
		i = slices.IndexFunc(r.Values, func(x rules.Value) bool { return x.Name == name })
	case "spawn":
		name = e.Text(0)
		i = slices.IndexFunc(r.Types, func(x rules.Type) bool { return x.Name == name })
	case "strike":
		name = e.Text(1)
		i = slices.IndexFunc(r.Weapons, func(x rules.Weapon) bool { return x.Name == name })
	}
	if i < 0 {
		return 0, fmt.Errorf("%s: the ruleset has no %q", e.Name, name)
	}
	return int32(i), nil
}

func (u UnitWorld) carryOut(e *script.Effect) {
	w, _ := u.world()
	n, _ := w.named(e)
	at := func(i int) grid.Pos { return grid.Pos{X: e.Whole(i), Y: e.Whole(i + 1)} }
	switch e.Name {
	case "damage":
		u.Damage(unitOf(e, 0), e.Whole(1))
	case "damage_area":
		u.DamageArea(at(0), grid.Dist(e.Whole(2)), e.Whole(3), e.Whole(4), e.Flag(5))
	case "end":
		u.End()
	case "heal":
		u.Heal(unitOf(e, 0), e.Whole(1))
	case "lift":
		u.EndEffect(unitOf(e, 0), n)
	case "move":
		u.Move(unitOf(e, 0), at(1))
	case "push":
		u.Push(unitOf(e, 0), grid.Vec{X: e.Whole(1), Y: e.Whole(2)})
	case "put":
		u.PutEffect(unitOf(e, 0), n)
	case "reveal":
		u.Reveal(at(0).Tile(), uint8(min(max(e.Whole(2)*2/grid.WUPerTile, 0), modeRevealRadius)), w.rt.ticks(e.Whole(3)), e.Flag(4))
	case "set_value":
		u.SetValue(unitOf(e, 0), e.Text(1), e.Whole(2))
	case "spawn":
		u.Spawn(n, at(1).Tile())
	case "strike":
		u.Strike(unitOf(e, 0), n)
	}
}

var (
	callParts = []string{"energy", "hurt", "ms", "name", "near", "radius", "random", "range", "self", "since", "slot", "source", "stacks", "target", "team", "tick", "x", "y"}
	aReach    = []script.Param{{Name: "radius"}, {Name: "x", Optional: true}, {Name: "y", Optional: true}}
)

// Parts implements [script.Host].
func (*unitReads) Parts() []string { return callParts }

// Part implements [script.Host].
func (s *unitReads) Part(name string) script.Value {
	u := s.u
	w, of := u.world()
	ms := func(t grid.Tick) script.Value { return script.Whole(int64(t) * 1000 / int64(w.rate)) }
	seen := func(unit Unit, ok bool) script.Value {
		if !ok {
			return script.None
		}
		return s.unit(unit)
	}
	switch name {
	case "energy":
		return script.Whole(u.Energy() / 1000)
	case "hurt":
		return script.Flag(u.Hurt())
	case "ms":
		return ms(w.tick)
	case "name":
		if of.ability < 0 {
			return script.Text(w.rules.Effects[of.effect].Name)
		}
		return script.Text(u.entry().Name)
	case "near":
		return nearUnit
	case "radius":
		return script.Whole(u.Radius())
	case "random":
		return randomOfUnit
	case "range":
		return script.Whole(u.Range())
	case "self":
		return s.unit(u.Self())
	case "since":
		return ms(w.tick - u.Since())
	case "slot":
		return script.Whole(of.slot)
	case "source":
		return seen(u.Source())
	case "stacks":
		return script.Whole(u.Count())
	case "target":
		return seen(u.Target())
	case "team":
		return script.Whole(of.team)
	case "tick":
		return script.Whole(w.tick)
	case "x":
		return script.Whole(u.Point().X)
	case "y":
		return script.Whole(u.Point().Y)
	}
	return nil
}

var nearUnit = script.Func("near", aReach, func(s *unitReads, a *script.Args) (script.Value, error) {
	w, of := s.u.world()
	at := of.e.Pos()
	if a.Given(1) || a.Given(2) {
		at = grid.Pos{X: a.Whole(1), Y: a.Whole(2)}
	}
	found := s.u.around(at, grid.Dist(a.Whole(0)), true)
	units, out := make([]scriptUnit, len(found)), make([]script.Value, len(found))
	for i, e := range found {
		units[i].w, units[i].e, units[i].team = w, e, of.team
		out[i] = units[i].value()
	}
	return script.List(out), a.Spend(16 + 4*len(out))
})

var randomOfUnit = script.Func("random", belowAKey, func(s *unitReads, a *script.Args) (script.Value, error) {
	if a.Whole(0) < 1 {
		return nil, fmt.Errorf("random: below %d, want 1 at least", a.Whole(0))
	}
	return script.Whole(int64(s.u.Rand(uint32(a.Whole(1))) % uint64(a.Whole(0)))), nil
})

// unit returns a unit that the team sees as a value.
func (s *unitReads) unit(unit Unit) script.Value {
	w, of := s.u.world()
	return (&scriptUnit{w: w, e: w.find(unit.ID), team: of.team}).value()
}

// knows reports whether a team's script may read a value of e: of the own team's units each, of others the values that
// the team is sent. No team stands for the script of a mode.
func (w *World) knows(team grid.Team, e *Entity, def *rules.Value) bool {
	return team == grid.NoTeam || team == e.team ||
		def.Class != rules.ValueOwner && def.When != rules.ValueInitial && w.ValueShown(e, def.When)
}

package sim

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// runtime is a ruleset at one tick rate: times in ticks, speeds in 1/64 WU a tick.
// It is a function of the two, so it is no part of the state.
type runtime struct {
	rate      int32
	types     []typeRate
	weapons   []weaponRate
	abilities []abilityRate
	effects   []effectRate

	captures bool // some type can be captured
	features bool // some type is a feature with a state
	reshapes bool // some effect changes how much something can have, or sees
	reflects bool // some effect reflects damage
	turns    bool // some ability or effect has a script
	many     bool // some projectile hits several times
	wrecks   bool // some type leaves a wreck
	growth   growth

	reveal, dyingSight, repath, giveUp, acquire, lagMax, assist, sweep, contact grid.Ticks
}

type typeRate struct {
	speed       int32 // 1/64 WU a tick
	turn        uint8 // 256ths of a turn a tick
	build       grid.Ticks
	harvest     grid.Ticks // a load
	regen       int32      // thousandths of energy a tick
	shield      shieldRate
	reach       grid.Dist // longest range of its weapons
	canFight    bool
	capture     grid.Ticks // until it is taken; 0: it never is
	scripted    bool       // it has an ability with a script
	reacts      [deedEnd][]reaction
	area        uint8      // 1 + the ability that lays it as an area; 0: it is no area
	plain       bool       // its entities have no extras
	roots       bool       // one of its abilities keeps it where it is
	hold        grid.Ticks // a switch stays on, a pickup empty
	every, rest grid.Ticks // a turn of its schedule, and the part in which it has moved
	fires       uint16     // a bit for each of the orders.FireModes that it has

	wreck  grid.Ticks // its wreck lasts so long
	unload grid.Ticks // between two passengers that get out

	growing // from data: effects of levels, values that grow
}

type shieldRate struct {
	delay grid.Ticks // from the last hit to the first step
	every grid.Ticks // between two steps
	step  int32      // thousandths
}

type weaponRate struct {
	cooldown, windUp grid.Ticks
	burst            uint8      // shots at a time
	burstEvery       grid.Ticks // between two shots
	splitAfter       grid.Ticks // 0: at the end of the flight
	flight           grid.Ticks // of a steered projectile: it lands after so long
	speed            int32      // 1/64 WU a tick
}

type abilityRate struct {
	cooldown, duration, every grid.Ticks
	drain                     int32 // thousandths of energy a tick
	kind                      ability
}

type effectRate struct {
	duration, every grid.Ticks
	changes         []rules.AttributeChange
}

func newRuntime(rs *rules.Ruleset, rate int32) *runtime {
	r := &runtime{rate: rate}
	r.reveal, r.dyingSight = r.ticks(rs.Settings.RevealOnFireMs), r.ticks(rs.Settings.DyingSightMs)
	r.repath, r.giveUp = max(1, r.ticks(rs.Settings.RepathMs)), max(1, r.ticks(rs.Settings.GiveUpMs))
	r.acquire, r.lagMax = max(1, r.ticks(rs.Settings.AcquireMs)), r.ticks(rs.Settings.LagMaxMs)
	r.assist = r.ticks(rs.Settings.AssistMs)
	r.sweep, r.contact = max(1, r.ticks(rs.Settings.RadarSweepMs)), r.ticks(rs.Settings.RadarKeepMs)
	for i := range rs.Weapons {
		w := &rs.Weapons[i]
		wr := weaponRate{cooldown: max(1, r.ticks(w.CooldownMs)), windUp: r.ticks(w.WindUpMs), speed: r.perTick(w.Speed),
			burst: uint8(max(1, w.Burst)), burstEvery: max(1, r.ticks(w.BurstMs)), splitAfter: r.ticks(w.SplitMs)}
		if w.Steered {
			wr.flight = 1 + r.ticks(int32(steerShare*1000*int64(w.Range)/int64(w.Speed)))
		}
		r.weapons = append(r.weapons, wr)
		r.many = r.many || w.Bounces > 0 || w.Pierces > 0
	}
	for i := range rs.Abilities {
		a := &rs.Abilities[i]
		r.abilities = append(r.abilities, abilityRate{
			cooldown: r.ticks(a.CooldownMs), duration: r.ticks(a.DurationMs), every: max(1, r.ticks(a.EveryMs)),
			drain: a.Drain / rate, kind: abilities[a.Kind],
		})
		if a.Script != nil {
			r.abilities[i].kind = scripted{AbilityScript: a.Script, every: grid.Tick(max(1, r.ticks(a.Script.EveryMs)))}
		}
	}
	for i := range rs.Effects {
		x := &rs.Effects[i]
		er := effectRate{duration: r.ticks(x.DurationMs), every: max(1, r.ticks(x.EveryMs)), changes: r.changes(x.Changes)}
		if x.Kind != rules.EffectModify {
			er.duration = max(1, er.duration)
		}
		for _, c := range er.changes {
			r.reshapes = r.reshapes || c.Attribute <= rules.AttributeEnergy || c.Attribute == rules.AttributeSight
			r.reflects = r.reflects || c.Attribute == rules.AttributeReflect
		}
		r.turns = r.turns || x.Script != nil
		r.effects = append(r.effects, er)
	}
	for i := range rs.Types {
		t := &rs.Types[i]
		tr := typeRate{
			speed: r.perTick(t.Speed), turn: uint8(max(1, min(128, t.Turn/rate))),
			build: max(1, r.ticks(t.BuildMs)), harvest: max(1, r.ticks(t.HarvestMs)), regen: t.EnergyRegen / rate,
			shield:  r.shield(&t.Shield),
			capture: r.ticks(t.CaptureMs),
			plain:   t.Class == rules.ClassUnit && len(t.Abilities) == 0 && len(t.Trains) == 0 && len(t.Values) == 0 && t.Transport.Slots == 0,
		}
		for _, x := range t.Abilities {
			tr.scripted = tr.scripted || rs.Abilities[x].Script != nil
			tr.roots = tr.roots || r.abilities[x].kind.info().rooted
		}
		r.turns = r.turns || tr.scripted
		tr.reacts = r.listeners(t)
		for _, x := range t.Weapons {
			tr.reach, tr.canFight = max(tr.reach, rs.Weapons[x].Range), true
			if y := rs.Weapons[x].Alternate; y >= 0 {
				tr.reach = max(tr.reach, rs.Weapons[y].Range)
			}
		}
		tr.fires = firesOf(rs, t)
		r.grow(&tr, rs, t)
		r.captures = r.captures || tr.capture > 0
		tr.unload = max(1, r.ticks(t.Transport.EveryMs))
		tr.wreck, r.wrecks = r.ticks(t.Wreck.LastsMs), r.wrecks || t.Wreck.Left
		r.feature(&tr, &t.Feature)
		r.types = append(r.types, tr)
	}
	for i := range rs.Abilities {
		if look := rs.Abilities[i].Look; look >= 0 {
			r.types[look].area = uint8(i + 1)
		}
	}
	return r
}

// feature sets the times of a feature.
func (r *runtime) feature(tr *typeRate, f *rules.Feature) {
	r.features = r.features || f.Stateful()
	if m := f.Moves; m != nil && m.EveryMs > 0 {
		tr.every, tr.rest = max(2, r.ticks(m.EveryMs)), r.ticks(m.ForMs)
	}
	if f.Switch != nil {
		tr.hold = r.ticks(f.Switch.HoldMs)
	}
	if f.Mine != nil {
		tr.hold = r.ticks(f.Mine.ArmMs)
	}
	if f.Pickup != nil {
		tr.hold = r.ticks(f.Pickup.RespawnMs)
	}
}

// shieldStepMs is how long a step of a shield that comes back takes. In steps, it changes
// twice per second and not at each tick: clients get each change.
const shieldStepMs = 500

func (r *runtime) shield(s *rules.Shield) shieldRate {
	every := r.ticks(shieldStepMs)
	return shieldRate{delay: r.ticks(s.DelayMs), every: every, step: int32(int64(s.Regen) * int64(every) / int64(r.rate))}
}

// changes turns an effect's changes into the units of a match.
func (r *runtime) changes(list []rules.AttributeChange) []rules.AttributeChange {
	list = slices.Clone(list)
	for i := range list {
		switch c := &list[i]; c.Attribute {
		case rules.AttributeEnergy:
			c.Add *= 1000
			if c.Cap > 0 {
				c.Cap = 1000*(c.Cap-1) + 1
			}
		case rules.AttributeSpeed:
			c.Add = r.perTick(c.Add)
			if c.Cap > 0 {
				c.Cap = r.perTick(c.Cap-1) + 1
			}
		}
	}
	return list
}

// ticks turns milliseconds into ticks, rounded to the nearest. A time above zero
// takes at least one tick.
func (r *runtime) ticks(ms int32) grid.Ticks {
	if ms <= 0 {
		return 0
	}
	return grid.Ticks(max(1, (int64(ms)*int64(r.rate)+500)/1000))
}

// perTick turns WU a second into 1/64 WU a tick.
func (r *runtime) perTick(speed int32) int32 {
	return int32((int64(speed)<<FineShift + int64(r.rate)/2) / int64(r.rate))
}

// percent returns n percent of v, rounded towards zero.
func percent(v, n int32) int32 { return int32(int64(v) * int64(n) / 100) }

package view

import (
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// Speeds returns the full speed of each type, as the welcome has it.
func Speeds(w *sim.World) []int32 {
	out := make([]int32, len(w.Rules().Types))
	for i := range out {
		out[i] = w.Speed(uint16(i))
	}
	return out
}

// Cache is the part of a tick's views that does not depend on who looks: each
// entity is worked out once, not once a team. It holds all there is, so only
// builders of this package read it.
type Cache struct {
	hides   bool         // some kind has hidden values
	kinds   []kind       // by type
	periods []grid.Ticks // by weapon: from shot to shot
	rows    [grid.SlotsMax + 1]cacheRows
	health  grid.Ticks // clients are sent health every so many ticks
	bursts  grid.Ticks // and bursts
}

// cacheRows has the entities of one slot (the last: nobody's), by the slot's
// counter.
type cacheRows struct {
	public []publicRow
	owner  []ownerRow
}

// kind is what all entities of a type have in common.
type kind struct {
	abilities []ability
	effects   bool  // weapons and abilities can leave effects on it
	full      int32 // speed
	health    int32
	shield    int32
	weapons   uint8
	large     [BurstsMax]bool // its weapons' shots are told in the large form
	class     rules.Class
	carries   bool   // goods
	eyes      bool   // it sees for its team
	makes     bool   // it has a queue of production
	hidden    uint32 // a bit for each value that only its own team is told, of what all know of
}

// ability is one of a type's abilities.
type ability struct {
	passive bool // no order starts it
}

// publicRow is an entity as a builder needs it for each team that sees it: small, as
// it is read for each. What a team may not know of it is left out when the team's
// view is built.
type publicRow struct {
	unit        Unit // without what is a team's: handle, entered, burst
	team        grid.Team
	carries     bool                    // it carries the sight of its team
	active      bool                    // it runs abilities, or has effects
	hasOwnerRow bool                    // its owner row holds something
	weapons     uint8                   // how many it has
	weapon      [BurstsMax]uint8        // the ruleset's number of each now
	shots       [BurstsMax]uint16       // that each ever fired
	changes     [len(Attributes)]uint16 // of its attributes, ever
}

// ownerRow is what only an entity's owner may know of it.
type ownerRow struct {
	request    uint32 // its owner's own id for it, 0: none
	busy       bool   // own has something to send
	makes      bool   // production has
	own        OwnerUnit
	actions    [rules.UnitAbilitiesMax]OwnAction // own.Actions
	production Production
}

// NewCache returns a cache for w's match.
func NewCache(w *sim.World) *Cache {
	every := func(value int) grid.Ticks {
		return tablePlan.public[value].every(TickRateOf(w.Rules(), w.TickRate()))
	}
	sc := &Cache{health: every(ValueHealth), bursts: every(ValueBurst)}
	for i := range w.Rules().Weapons {
		sc.periods = append(sc.periods, w.WeaponTicks(uint8(i)))
	}
	for i, full := range Speeds(w) {
		t := &w.Rules().Types[i]
		var large [BurstsMax]bool
		for k, x := range t.Weapons {
			periods := []grid.Ticks{sc.periods[x]}
			for _, a := range t.Abilities {
				if x := w.Rules().Abilities[a].Weapon; x >= 0 && k == 0 {
					periods = append(periods, sc.periods[x])
				}
			}
			large[k] = LargeBurst(w.TickRate(), periods...)
		}
		var abilities []ability
		for _, a := range t.Abilities {
			_, _, passive := w.AbilityNeeds(a)
			abilities = append(abilities, ability{passive})
		}
		sc.kinds = append(sc.kinds, kind{
			full: full, health: t.Health, shield: t.Shield.Max,
			weapons: uint8(len(t.Weapons)), large: large, abilities: abilities, carries: t.Carry > 0,
			effects: t.Class == rules.ClassUnit && len(w.Rules().Effects) > 0,
			eyes:    t.Class != rules.ClassProjectile, class: t.Class, makes: len(t.Trains) > 0,
			hidden: hiddenOf(t),
		})
		sc.hides = sc.hides || t.Relevance == rules.RelevantAlways
	}
	return sc
}

// Prepare takes in w's tick.
func (sc *Cache) Prepare(w *sim.World) {
	for _, e := range w.Entities() {
		id := e.ID()
		row := sc.row(id)
		for int(id.Counter()) >= len(row.public) {
			row.public, row.owner = append(row.public, publicRow{}), append(row.owner, ownerRow{})
		}
		a, k := &row.public[id.Counter()], &sc.kinds[e.Type()]
		hp, hpChanges := e.Health()
		shield, shieldChanges := e.Shield()
		u := &a.unit
		u.Type, u.Owner, u.Facing, u.Pos, u.FullSpeed, u.Exact = e.Type(), e.Slot(), e.Facing(), e.Pos(), k.full, k.full == 0
		u.Vel.X, u.Vel.Y = e.Vel()
		u.setPublic(w, k, e, hp, shield)
		a.active = k.acts(e)
		a.team, a.carries, a.weapons = e.Team(), k.eyes, k.weapons
		a.changes = [len(Attributes)]uint16{hpChanges, shieldChanges}
		for i := range k.weapons {
			a.shots[i], _ = e.Shots(int(i))
			a.weapon[i] = w.WeaponOf(e, int(i))
		}
		a.hasOwnerRow = a.team != grid.NoTeam && k.mayHaveOwnerRow(e) && fillOwnerRow(w, k, e, &row.owner[id.Counter()])
	}
}

func (sc *Cache) row(id grid.EntityID) *cacheRows {
	return &sc.rows[min(int(id.Slot()), grid.SlotsMax)]
}

func (sc *Cache) publicRow(id grid.EntityID) *publicRow { return &sc.row(id).public[id.Counter()] }

func (sc *Cache) ownerRow(id grid.EntityID) *ownerRow { return &sc.row(id).owner[id.Counter()] }

func flagsOf(k *kind, e *sim.Entity) uint32 {
	f := uint32(0)
	if e.Cloaked() {
		f |= FlagCloaked
	}
	if !e.Built() {
		f |= FlagBuilding
	}
	if k.carries {
		if _, n := e.Carrying(); n > 0 {
			f |= FlagCarrying
		}
	}
	return f
}

// acts reports whether the entity runs abilities, or has effects.
func (k *kind) acts(e *sim.Entity) bool {
	for i := range k.abilities {
		if on, _ := e.Acts(i); on {
			return true
		}
	}
	return k.effects && e.Effects() > 0
}

// buildSteps is how many steps the progress of a building has for clients.
const buildSteps = 16

func amountOf(w *sim.World, e *sim.Entity) uint32 {
	switch {
	case e.Class() == rules.ClassResource:
		return uint32(max(0, e.Stock()))
	case !e.Built():
		done, total := w.Raised(e)
		return progress(done, total)
	}
	done, total := w.Captured(e)
	return progress(done, total)
}

// progress returns how far something is, in 1/255, in steps.
func progress(done, total grid.Ticks) uint32 {
	step := uint32(done) * buildSteps / uint32(max(1, total))
	return min(255, step*256/buildSteps)
}

// hiddenOf returns a bit for each value of a type that its own team alone is told.
// Of what all are told in sight or not, that is all that the rules do not name. The
// counter of a value is told with it.
func hiddenOf(t *rules.Type) (hidden uint32) {
	if t.Relevance != rules.RelevantAlways {
		return 0
	}
	for i, name := range ValueNames {
		if !slices.Contains(t.Tells, strings.TrimSuffix(name, "_changes")) {
			hidden |= 1 << i
		}
	}
	return hidden
}

// mayHaveOwnerRow reports whether there may be anything that only the owner of e knows.
func (k *kind) mayHaveOwnerRow(e *sim.Entity) bool {
	switch {
	case k.class == rules.ClassProjectile:
		return e.Request() != 0
	case k.class == rules.ClassUnit && len(k.abilities) == 0 && !k.makes:
		_, runs := e.Running()
		return runs || ownerValues(e) != [OwnerValueKinds]uint32{}
	}
	return true
}

// fillOwnerRow works out what only the owner may know, and reports whether there is
// anything.
func fillOwnerRow(w *sim.World, k *kind, e *sim.Entity, s *ownerRow) bool {
	s.request, s.busy, s.makes = e.Request(), false, k.makes
	if k.makes {
		p, _ := w.Production(e)
		s.production = Production{Types: p.Queue, HasRally: p.HasRally, Rally: p.Rally}
		if s.production.Total = p.Total; p.Total > 0 {
			s.production.Progress = min(255, uint32(p.Done)*255/uint32(p.Total))
		}
	}
	if k.class == rules.ClassUnit || len(k.abilities) > 0 {
		s.own = OwnerUnit{Values: ownerValues(e), Actions: s.actions[:0]}
		if r, runs := e.Running(); runs && k.class == rules.ClassUnit {
			s.own.Doing = uint8(r.Kind)
			if r.Target == 0 && r.Kind != orders.Stop && r.Kind != orders.Hold {
				s.own.HasTo, s.own.To = true, w.Map().Clamp(r.Group)
			}
		}
		for i := range k.abilities {
			s.own.Actions = append(s.own.Actions, ownAction(w, e, i, k.abilities[i].passive))
		}
		s.busy = s.own.Doing != 0 || s.own.Values != [OwnerValueKinds]uint32{} || len(s.own.Actions) > 0
	}
	return s.busy || s.makes || s.request != 0
}

// ownAction returns what only the owner of e knows of its i-th ability.
func ownAction(w *sim.World, e *sim.Entity, i int, passive bool) OwnAction {
	a := w.Action(e, i)
	out := OwnAction{Grant: uint8(a.Grant)}
	if passive { // clients know when it ends: they see when it began
		return out
	}
	if a.Ready > w.Tick() {
		out.Ready = a.Ready
	}
	if a.On {
		out.On, out.Since, out.Until, out.Request = true, a.Since, a.Until, a.Request
	}
	return out
}

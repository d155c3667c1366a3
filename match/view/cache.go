package view

import (
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
	kinds  []kind // by type
	rows   [grid.SlotsMax + 1]cacheRows
	health grid.Ticks // clients are sent health every so many ticks
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
	full      int32 // speed
	health    int32
	shield    int32
	hold      uint16 // ticks: the slowest weapon's time between shots, and some
	weapons   uint8
	class     rules.Class
	carries   bool // goods
	eyes      bool // it sees for its team
	makes     bool // it has a queue of production
}

// ability is one of a type's abilities.
type ability struct {
	flag    uint32 // of what has it on
	passive bool   // no order starts it
}

// publicRow is an entity as a builder needs it for each team that sees it: small, as
// it is read for each. What a team may not know of it is left out when the team's
// view is built.
type publicRow struct {
	unit        Unit // without what is a team's: handle, entered, burst
	team        grid.Team
	carries     bool // it carries the sight of its team
	armed       bool
	hasOwnerRow bool                    // its owner row holds something
	shots       uint16                  // it ever fired
	hold        uint16                  // ticks: it fires on if the next shot comes within that time
	changes     [len(Attributes)]uint16 // of its attributes, ever
}

// ownerRow is what only an entity's owner may know of it.
type ownerRow struct {
	request    uint32 // its owner's own id for it, 0: none
	busy       bool   // own or production have something to send
	makes      bool
	own        OwnerUnit
	ready      [abilitiesMax]grid.Tick // own.ReadyAt
	production Production
}

// abilitiesMax is how many abilities a type has without its owner row taking
// memory of its own; more than the rules allow.
const abilitiesMax = 4

// NewCache returns a cache for w's match.
func NewCache(w *sim.World) *Cache {
	sc := &Cache{health: tablePlan.public[ValueHealth].every(TickRateOf(w.Rules(), w.TickRate()))}
	for i, full := range Speeds(w) {
		t := &w.Rules().Types[i]
		slowest := grid.Ticks(0)
		for _, x := range t.Weapons {
			slowest = max(slowest, w.WeaponTicks(x))
		}
		var abilities []ability
		for _, a := range t.Abilities {
			_, _, passive := w.AbilityNeeds(a)
			abilities = append(abilities, ability{abilityFlags[w.Rules().Abilities[a].Kind], passive})
		}
		sc.kinds = append(sc.kinds, kind{
			full: full, health: t.Health, shield: t.Shield.Max, hold: uint16(min(slowest+slowest/4+2, 1<<16-1)),
			weapons: uint8(len(t.Weapons)), abilities: abilities, carries: t.Carry > 0,
			eyes: t.Class != rules.ClassProjectile, class: t.Class, makes: len(t.Trains) > 0,
		})
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
		a.team, a.carries, a.armed, a.hold, a.shots = e.Team(), k.eyes, k.weapons > 0, k.hold, 0
		a.changes = [len(Attributes)]uint16{hpChanges, shieldChanges}
		for i := range k.weapons {
			n, _ := e.Shots(int(i))
			a.shots += n
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
	for i := range k.abilities {
		if on, _ := e.Acts(i); on {
			f |= k.abilities[i].flag
		}
	}
	return f
}

// buildSteps is how many steps the progress of a building has for clients.
const buildSteps = 16

func amountOf(w *sim.World, e *sim.Entity) uint32 {
	switch {
	case e.Class() == rules.ClassResource:
		return uint32(max(0, e.Stock()))
	case !e.Built():
		done, total := w.Raised(e)
		step := uint32(done) * buildSteps / uint32(max(1, total))
		return min(255, step*256/buildSteps)
	}
	return 0
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
	switch {
	case k.makes:
		s.busy = true
		p, _ := w.Production(e)
		s.production = Production{Types: p.Queue, HasRally: p.HasRally, Rally: p.Rally}
		if s.production.Total = p.Total; p.Total > 0 {
			s.production.Progress = min(255, uint32(p.Done)*255/uint32(p.Total))
		}
	case k.class == rules.ClassUnit:
		r, runs := e.Running()
		s.own = OwnerUnit{Values: ownerValues(e), ReadyAt: s.ready[:0]}
		if runs {
			s.own.Doing = uint8(r.Kind)
			if r.Target == 0 && r.Kind != orders.Stop && r.Kind != orders.Hold {
				s.own.HasTo, s.own.To = true, w.Map().Clamp(r.Group)
			}
		}
		for i := range k.abilities {
			_, ready := e.Acts(i)
			if ready <= w.Tick() || k.abilities[i].passive {
				ready = 0
			}
			s.own.ReadyAt = append(s.own.ReadyAt, ready)
		}
		s.busy = s.own.Doing != 0 || s.own.Values != [OwnerValueKinds]uint32{} || len(s.own.ReadyAt) > 0
	}
	return s.busy || s.request != 0
}

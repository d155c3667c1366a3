package view

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// OwnerDiff has the changes of one player's owner state since a base, which only that player receives. Its slices hold
// until the next diff into the same OwnerDiff, but Resources and Queues only until the tracker's next update. Rows are
// sorted by handle.
type OwnerDiff struct {
	Resources                 []uint32 // of each kind; nil: unchanged
	Upgrades                  []uint32 // nil: unchanged
	HasPopulation             bool
	Population, PopulationMax uint32
	Queues                    []Queue
	Rallies                   []RallyRow
	Tasks                     []TaskRow
	Values                    [OwnerValueKinds][]ValueRow
	Ready                     []ReadyRow
	Running                   []RunningRow
	Grants                    []GrantRow
	Passengers                []PassengerRow
	Declared                  []Declared
	Started                   []Started
	Cancelled                 []Cancelled // set by the caller: a tracker has no orders
}

// Queue is the production of a structure. Between two rows clients let the bar run by the type's build time.
type Queue struct {
	Handle   grid.Handle
	Types    []uint16 // the first is in work; empty: the structure is idle
	Progress uint32   // of the first, 1/255
}

// RallyRow is the destination of a structure's new units.
type RallyRow struct {
	Handle grid.Handle
	Has    bool
	Cell   uint32
}

// TaskRow is the current order of a unit.
type TaskRow struct {
	Handle grid.Handle
	Doing  uint8 // an orders.Kind, 0: idle
	HasTo  bool
	Cell   uint32 // where its group goes
}

// ReadyRow is when a unit's ability can be used again.
type ReadyRow struct {
	Handle  grid.Handle
	Ability uint32     // in the list of its type
	In      grid.Ticks // from the diff's tick on; 0: it is ready
}

// RunningRow is an ability of a unit that started.
type RunningRow struct {
	Handle  grid.Handle
	Ability uint32     // in the list of its type
	Ends    bool       // by itself
	In      grid.Ticks // where it ends by itself: from the diff's tick on
	Request uint32     // of the order that started it; 0: the client gave no number
}

// GrantRow says whether a unit may use an ability, and why.
type GrantRow struct {
	Handle  grid.Handle
	Ability uint32 // in the list of its type
	Grant   uint32 // a sim.Grant
}

// PassengersMax bounds the units in a transport.
const PassengersMax = rules.TransportSlotsMax

// PassengerRow is a unit in a transport.
type PassengerRow struct {
	Handle  grid.Handle // of the transport
	Place   uint32      // 0: the transport's list begins anew
	Type    uint32      // 1 and up; 0: the transport is empty
	Missing uint32      // of its type's health
}

// Empty reports whether the diff has no rows to send.
func (d *OwnerDiff) Empty() bool {
	n := len(d.Queues) + len(d.Rallies) + len(d.Tasks) + len(d.Ready) + len(d.Running) + len(d.Grants) + len(d.Passengers) + len(d.Declared) + len(d.Started) + len(d.Cancelled)
	for i := range d.Values {
		n += len(d.Values[i])
	}
	return n == 0 && d.Resources == nil && d.Upgrades == nil && !d.HasPopulation
}

// ownerRec is the owner state that one player has received. Ticks are of the last change; 0: still as clients assume at
// first.
type ownerRec struct {
	slot                grid.Slot
	resources, upgrades []uint32
	pop, popMax         uint32
	resourcesAt, popAt  grid.Tick
	upgradesAt          grid.Tick
	makers, spareMakers []makerRec // sorted by handle
	units, spareUnits   []ownerUnitRec
	started             []startedRec // in the order of the tick, not older than is kept
}

type makerRec struct {
	Production
	queueAt, rallyAt grid.Tick
	from             uint32 // the progress at queueAt, from which clients reckon
}

type ownerUnitRec struct {
	OwnerUnit
	taskAt, readyAt, runningAt, grantsAt grid.Tick
	passengersAt                         grid.Tick
	valueAt                              [OwnerValueKinds]grid.Tick
	declared                             []declaredRec
}

type startedRec struct {
	Started
	at grid.Tick
}

// progressStep is the allowed error of a production's progress, in 255ths, against the clients' reckoning: production
// stands still without room at the door.
const progressStep = 26

// DiffOwner fills d with the changes that bring the player in the slot up from tick base; base 0: everything.
func (t *Tracker) DiffOwner(d *OwnerDiff, slot grid.Slot, base grid.Tick) {
	*d = OwnerDiff{
		Queues: d.Queues[:0], Rallies: d.Rallies[:0], Tasks: d.Tasks[:0], Values: d.Values, Ready: d.Ready[:0],
		Running: d.Running[:0], Grants: d.Grants[:0], Passengers: d.Passengers[:0], Declared: d.Declared[:0],
		Started: d.Started[:0], Cancelled: d.Cancelled,
	}
	for i := range d.Values {
		d.Values[i] = d.Values[i][:0]
	}
	if base < t.first || base >= t.tick {
		base = 0
	}
	for i := range t.owners {
		if o := &t.owners[i]; o.slot == slot {
			t.appendOwner(d, o, base)
		}
	}
}

func (t *Tracker) appendOwner(d *OwnerDiff, o *ownerRec, base grid.Tick) {
	if o.resourcesAt > base {
		d.Resources = o.resources
	}
	if o.upgradesAt > base {
		d.Upgrades = o.upgrades
	}
	if o.popAt > base {
		d.HasPopulation, d.Population, d.PopulationMax = true, o.pop, o.popMax
	}
	for i := range o.makers {
		m := &o.makers[i]
		if m.queueAt > base {
			d.Queues = append(d.Queues, Queue{m.Handle, m.Types, m.Progress})
		}
		if m.rallyAt > base {
			d.Rallies = append(d.Rallies, RallyRow{m.Handle, m.HasRally, cellOf(m.Rally, t.rules.W)})
		}
	}
	for i := range o.units {
		u := &o.units[i]
		if u.taskAt > base {
			d.Tasks = append(d.Tasks, TaskRow{u.Handle, u.Doing, u.HasTo, cellOf(u.To, t.rules.W)})
		}
		for v, at := range u.valueAt {
			if at > base {
				d.Values[v] = append(d.Values[v], ValueRow{u.Handle, u.Values[v]})
			}
		}
		d.Declared = appendDeclaredRows(d.Declared, u.Handle, u.declared, base)
		if u.readyAt > base {
			for a := range u.Actions {
				d.Ready = append(d.Ready, ReadyRow{u.Handle, uint32(a), grid.Ticks(max(u.Actions[a].Ready, t.tick) - t.tick)})
			}
		}
		if u.passengersAt > base && (base != 0 || len(u.Passengers) > 0) {
			d.Passengers = u.appendPassengers(d.Passengers)
		}
		t.appendOwnActions(d, u, base)
	}
	for _, s := range o.started {
		// A number that names something else by now would make that the shot.
		if s.at > base && (!t.lives(s.Handle) || t.recs.at(s.Handle).entered == s.at) {
			d.Started = append(d.Started, s.Started)
		}
	}
}

// appendPassengers appends all rows of a transport.
func (u *ownerUnitRec) appendPassengers(to []PassengerRow) []PassengerRow {
	if len(u.Passengers) == 0 {
		return append(to, PassengerRow{Handle: u.Handle})
	}
	for i, p := range u.Passengers {
		to = append(to, PassengerRow{u.Handle, uint32(i), p.Type, p.Missing})
	}
	return to
}

// appendOwnActions appends the abilities that started since base, and all grants of
// the unit if one changed.
func (t *Tracker) appendOwnActions(d *OwnerDiff, u *ownerUnitRec, base grid.Tick) {
	for i := range u.Actions {
		a := &u.Actions[i]
		if u.runningAt > base && a.On {
			d.Running = append(d.Running, RunningRow{
				Handle: u.Handle, Ability: uint32(i), Ends: a.Until != 0, In: grid.Ticks(max(a.Until, t.tick) - t.tick), Request: a.Request,
			})
		}
		if u.grantsAt > base && (base != 0 || a.Grant != 0) {
			d.Grants = append(d.Grants, GrantRow{u.Handle, uint32(i), uint32(a.Grant)})
		}
	}
}

// InSightSince reports whether h names the entity that it named at tick at, and
// that is still in sight.
func (t *Tracker) InSightSince(h grid.Handle, at grid.Tick) bool {
	return t.lives(h) && t.recs.at(h).entered <= at
}

// lives reports whether an entity is in sight.
func (t *Tracker) lives(h grid.Handle) bool { return t.live.has(h) }

func (t *Tracker) updateOwners(v *View) {
	for i := range v.Owners {
		o := &v.Owners[i]
		if i == len(t.owners) {
			t.owners = append(t.owners, ownerRec{slot: o.Slot})
		}
		r := &t.owners[i]
		if !slices.Equal(r.resources, o.Resources) {
			r.resources, r.resourcesAt = append(r.resources[:0], o.Resources...), v.Tick
		}
		if !slices.Equal(r.upgrades, o.Upgrades) {
			r.upgrades, r.upgradesAt = append(r.upgrades[:0], o.Upgrades...), v.Tick
		}
		if r.popAt == 0 || r.pop != o.Population || r.popMax != o.PopulationMax {
			r.pop, r.popMax, r.popAt = o.Population, o.PopulationMax, v.Tick
		}
		t.updateMakers(r, o.Production)
		t.updateOwnerUnits(r, o.Units)
		r.start(o.Started, v.Tick, t.rules.Keep)
	}
}

// updateMakers takes in the structures that make something. They are in the list
// for as long as they stand.
func (t *Tracker) updateMakers(r *ownerRec, list []Production) {
	next, old := r.spareMakers[:0], 0
	for i := range list {
		p := &list[i]
		for old < len(r.makers) && r.makers[old].Handle < p.Handle {
			old++
		}
		m := makerRec{Production: Production{Handle: p.Handle}}
		if old < len(r.makers) && r.makers[old].Handle == p.Handle {
			m = r.makers[old]
			old++
		}
		if !slices.Equal(m.Types, p.Types) || len(p.Types) > 0 && m.off(p.Progress, t.tick) {
			m.Types, m.from, m.queueAt = append(m.Types[:0], p.Types...), p.Progress, t.tick
		}
		if m.HasRally != p.HasRally || m.Rally != p.Rally {
			m.HasRally, m.Rally, m.rallyAt = p.HasRally, p.Rally, t.tick
		}
		m.Progress, m.Total = p.Progress, p.Total
		next = append(next, m)
	}
	r.makers, r.spareMakers = next, r.makers
}

// off reports whether clients, who reckon, show another progress than p.
func (m *makerRec) off(p uint32, now grid.Tick) bool {
	reckoned := Progress(m.from, grid.Ticks(now-m.queueAt), m.Total)
	return p+progressStep <= reckoned || reckoned+progressStep <= p
}

// Progress returns the progress of a production in 1/255, after so many ticks from a given start, with a total
// duration.
func Progress(from uint32, ticks, total grid.Ticks) uint32 {
	return uint32(min(255, uint64(from)+uint64(ticks)*255/uint64(max(1, total))))
}

// updateOwnerUnits takes in the units with owner rows. A unit that loses its row is idle, as long as it lives and is
// the player's: clients drop the owner state of a unit that changes its owner.
func (t *Tracker) updateOwnerUnits(r *ownerRec, units []OwnerUnit) {
	next, old := r.spareUnits[:0], 0
	rest := func() {
		u := r.units[old]
		old++
		if t.lives(u.Handle) && t.recs.at(u.Handle).owner == r.slot {
			u.take(&OwnerUnit{Handle: u.Handle}, t, false)
			next = append(next, u)
		}
	}
	for i := range units {
		for old < len(r.units) && r.units[old].Handle < units[i].Handle {
			rest()
		}
		u, found := ownerUnitRec{OwnerUnit: OwnerUnit{Handle: units[i].Handle}}, false
		if found = old < len(r.units) && r.units[old].Handle == u.Handle; found {
			u = r.units[old]
			old++
		}
		u.take(&units[i], t, !found)
		next = append(next, u)
	}
	for old < len(r.units) {
		rest()
	}
	r.units, r.spareUnits = next, r.units
}

// take notes the changes of a unit, and with fresh all changes since its owner last knew the unit.
func (u *ownerUnitRec) take(now *OwnerUnit, t *Tracker, fresh bool) {
	tick := t.tick
	if u.Doing != now.Doing || u.HasTo != now.HasTo || u.To != now.To {
		u.Doing, u.HasTo, u.To, u.taskAt = now.Doing, now.HasTo, now.To, tick
	}
	for v, n := range now.Values {
		if p := &t.plan.owner[v]; p.Change && p.due(tick, t.rules.TickRate) && p.off(u.Values[v], n) {
			u.Values[v], u.valueAt[v] = n, tick
		}
	}
	if !slices.Equal(u.Passengers, now.Passengers) {
		u.Passengers, u.passengersAt = append(u.Passengers[:0], now.Passengers...), tick
	}
	if len(u.declared)+len(now.Declared) > 0 {
		u.declared, _, _ = t.takeDeclared(u.declared, now.Declared, fresh)
	}
	for i := range max(len(u.Actions), len(now.Actions)) {
		told, is := actionAt(u.Actions, i), actionAt(now.Actions, i)
		if !sameReady(told.Ready, is.Ready, tick) {
			u.readyAt = tick
		}
		if is.On && (!told.On || told.Since != is.Since || told.Until != is.Until || told.Request != is.Request) {
			u.runningAt = tick
		}
		if told.Grant != is.Grant {
			u.grantsAt = tick
		}
	}
	u.Actions = append(u.Actions[:0], now.Actions...)
}

// actionAt returns the i-th action. Clients assume that a missing one is ready and granted.
func actionAt(list []OwnAction, i int) OwnAction {
	if i < len(list) {
		return list[i]
	}
	return OwnAction{}
}

// sameReady reports whether a client that was sent when an ability is ready knows
// it still: that it has become ready by itself the client sees by the clock.
func sameReady(told, is, now grid.Tick) bool {
	return told == is || told <= now && is <= now
}

// start notes the started entities, and forgets those too old for any base.
func (r *ownerRec) start(started []Started, now grid.Tick, keep grid.Ticks) {
	old := 0
	for old < len(r.started) && r.started[old].at+grid.Tick(keep) < now {
		old++
	}
	r.started = slices.Delete(r.started, 0, old)
	for _, s := range started {
		r.started = append(r.started, startedRec{s, now})
	}
}

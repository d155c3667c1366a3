package sim

import (
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// able is a set of conditions that a unit meets and that kinds of orders may need.
type able uint16

const (
	finished able = 1 << iota
	armed
	walks
	carries
	builds
	trains
	skilled
	repairs
	transports
)

// kindRule is the rule of one kind of order.
type kindRule struct {
	needs able                                                         // of each unit
	group func(w *World, all []*Entity, numbers []uint32, d *dueOrder) // tasks for all units together
	act   func(w *World, e *Entity, d *dueOrder, request uint32)       // at once, for each unit
	task  func(w *World, e *Entity, t *task)                           // each tick, while the unit's task runs
}

// kindRules has the rule of each kind that units obey. Without group and act, the order is a
// task of each unit.
var kindRules [orders.Kinds]kindRule

func init() { // the rules call functions that read them
	kindRules = [orders.Kinds]kindRule{
		orders.Move:         {needs: finished | walks, group: (*World).form, task: (*World).moveTo},
		orders.AttackMove:   {needs: finished | walks, group: (*World).form, task: (*World).attackMove},
		orders.Attack:       {needs: finished | armed, task: (*World).attack},
		orders.AttackGround: {needs: finished | armed, task: (*World).attackGround},
		orders.Stop:         {needs: finished, act: func(w *World, e *Entity, _ *dueOrder, _ uint32) { w.clearTasks(e) }},
		orders.Hold:         {needs: finished | walks, task: (*World).holdGround},
		orders.Patrol:       {needs: finished | walks, group: (*World).form, task: (*World).patrol},
		orders.Follow:       {needs: finished | walks, task: (*World).follow},
		orders.Harvest:      {needs: finished | walks | carries, task: (*World).harvest},
		orders.Build:        {needs: finished | walks | builds, task: (*World).build},
		orders.Train:        {needs: finished | trains, act: func(w *World, e *Entity, d *dueOrder, _ uint32) { w.enqueue(e, d) }},
		orders.SetRally:     {needs: finished | trains, act: (*World).setRally},
		orders.UseAbility:   {needs: finished | skilled, act: (*World).orderAbility, task: (*World).useAbility},
		orders.StopAbility:  {needs: finished | skilled, act: (*World).stopAbility},
		orders.Cancel:       {act: (*World).cancel},
		orders.Fire:         {needs: finished | armed, act: (*World).setFiring},
		orders.Repair:       {needs: finished | walks | repairs, task: (*World).repair},
		orders.Board:        {needs: finished | walks, task: (*World).board},
		orders.Unload:       {needs: finished | transports, act: (*World).orderUnload, task: (*World).unload},
	}
}

// kindsOf returns the kinds of orders that the unit can take now.
func (w *World) kindsOf(e *Entity) (s orders.KindSet) {
	if e.class != rules.ClassUnit && e.class != rules.ClassStructure {
		return 0
	}
	has := w.able(e)
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		if k != orders.Surrender && kindRules[k].needs&^has == 0 {
			s |= orders.SetOf(k)
		}
	}
	return s
}

// able returns the conditions that the unit meets now.
func (w *World) able(e *Entity) (a able) {
	t := &w.rules.Types[e.typ]
	for i, has := range [...]bool{
		!e.unbuilt, len(t.Weapons) > 0, t.Mobile && !w.rooted(e), t.Carry > 0, len(t.Builds) > 0, len(t.Trains) > 0, len(t.Abilities) > 0,
		len(t.Repairs.Types) > 0, t.Transport.Slots > 0,
	} {
		if has {
			a |= 1 << i
		}
	}
	return a
}

package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// act turns the orders that are due into tasks of units. It repeats the checks whose result
// may have changed since an order was accepted.
func (w *World) act() {
	n := 0
	for n < len(w.due) && w.due[n].at <= w.tick {
		w.perform(&w.due[n])
		w.heard(&w.due[n])
		w.lists = append(w.lists, w.due[n].units)
		n++
	}
	if n > 0 {
		kept := copy(w.due, w.due[n:])
		clear(w.due[kept:])
		w.due = w.due[:kept]
	}
}

func (w *World) perform(d *dueOrder) {
	p := &w.players[d.slot]
	if !p.alive {
		return
	}
	if d.kind == orders.Surrender {
		w.giveUp(p)
		return
	}
	w.squad, w.numbers = w.squad[:0], w.numbers[:0]
	for i, id := range d.units {
		e := w.find(id)
		if e == nil || e.dying {
			continue // it fell; its player has seen that
		}
		if e.slot != d.slot {
			w.out.Notices = append(w.out.Notices, Notice{d.slot, d.seq, d.kind, orders.NotYours, e.id})
			continue
		}
		if code := w.stillMay(e, d); code != orders.OK {
			w.out.Notices = append(w.out.Notices, Notice{d.slot, d.seq, d.kind, code, e.id})
			continue
		}
		request := uint32(0)
		if i < len(d.requests) {
			request = d.requests[i]
		}
		w.squad, w.numbers = append(w.squad, e), append(w.numbers, request)
	}
	if len(w.squad) == 0 {
		return
	}
	rule := &kindRules[d.kind]
	if rule.group != nil {
		rule.group(w, w.squad, w.numbers, d)
		return
	}
	for i, e := range w.squad {
		if rule.act != nil {
			rule.act(w, e, d, w.numbers[i])
		} else {
			w.push(e, d, w.numbers[i], d.point, 0)
		}
	}
}

// stillMay repeats the checks whose result can change in two ticks.
func (w *World) stillMay(e *Entity, d *dueOrder) orders.Reject {
	if !w.kindsOf(e).Has(d.kind) {
		return orders.Interrupted
	}
	if d.target != 0 {
		if t := w.find(d.target); t == nil || !t.viewers.Has(e.team) {
			return orders.TargetLost
		}
	}
	if d.queued && len(e.tasks) >= orders.QueueMax {
		return orders.QueueFull
	}
	return orders.OK
}

func (w *World) setRally(e *Entity, d *dueOrder, _ uint32) {
	e.maker.hasRally, e.maker.rally, e.maker.rallyAt = true, d.point, d.target
	if t := w.find(d.target); t != nil {
		e.maker.rally = t.Pos()
	}
}

func (w *World) stopAbility(e *Entity, d *dueOrder, _ uint32) {
	if i := w.abilityAt(e, d.ability); i >= 0 {
		w.stop(e, i)
	}
}

// orderAbility starts an ability without an aim at once. request is the client's number for
// it. Others are tasks.
func (w *World) orderAbility(e *Entity, d *dueOrder, request uint32) {
	i := w.abilityAt(e, d.ability)
	if i < 0 {
		return
	}
	if info := w.rt.abilities[d.ability].kind.info(); info.aim != orders.AimNone || d.queued {
		w.push(e, d, request, d.point, 0)
	} else if code := w.start(e, i, request, e.Pos(), nil); code != orders.OK {
		w.out.Notices = append(w.out.Notices, Notice{d.slot, d.seq, d.kind, code, e.id})
	}
}

// push adds a task to the unit's queue, or puts it in place of the queue.
func (w *World) push(e *Entity, d *dueOrder, request uint32, point grid.Pos, width grid.Dist) *task {
	if !d.queued {
		w.clearTasks(e)
	}
	e.give(append(e.tasks, task{
		kind: d.kind, seq: d.seq, target: d.target, point: point, from: e.Pos(), typ: d.typ, ability: d.ability,
		request: request, lag: d.lag, start: w.tick, group: d.point, width: width,
	}))
	if len(e.tasks) == 1 {
		e.mv.halt()
	}
	return &e.tasks[len(e.tasks)-1]
}

// clearTasks drops all that the unit has to do.
func (w *World) clearTasks(e *Entity) {
	e.give(e.tasks[:0])
	e.mv.halt()
	e.guard = e.Pos()
	for i := range e.arms {
		e.arms[i].target, e.arms[i].wind, e.arms[i].ground, e.arms[i].lag = 0, 0, false, 0
	}
}

// next ends the running task.
func (w *World) next(e *Entity) {
	e.give(append(e.tasks[:0], e.tasks[1:]...))
	e.mv.halt()
	e.guard = e.Pos()
	for i := range e.arms {
		e.arms[i].ground, e.arms[i].lag = false, 0
	}
}

// fail ends the running task and tells its owner why.
func (w *World) fail(e *Entity, code orders.Reject) {
	w.notice(e, &e.tasks[0], code)
	w.next(e)
}

// cancel takes something out of a queue: a product, a structure that is being
// built, or a task.
func (w *World) cancel(e *Entity, d *dueOrder, _ uint32) {
	at := int(d.item)
	switch {
	case e.unbuilt:
		w.refund(e.slot, e.typ)
		w.kill(e)
	case len(e.maker.queue) > 0:
		if at < len(e.maker.queue) {
			w.unqueue(e, at)
		}
	case at == 0 && len(e.tasks) > 0:
		w.next(e)
	case at < len(e.tasks):
		e.give(append(e.tasks[:at], e.tasks[at+1:]...))
	}
}

func (w *World) refund(s grid.Slot, typ uint16) {
	c := w.rules.Types[typ].Cost
	for i := range c {
		c[i] = percent(c[i], w.rules.Settings.RefundPercent)
	}
	w.players[s].pay(c, -1)
}

package sim

import (
	"fmt"

	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// saveVersion changes with the form of a save.
const saveVersion = 8

// Save appends the whole state, the world's and each team's knowledge, to b. With the
// match's [Setup] it restores to a world that steps on to the same hashes. Save does not
// change the world.
func (w *World) Save(b []byte) []byte {
	a := archive.Writer(b)
	w.state(a)
	return a.Bytes()
}

// Hash returns the state's hash: the first 64 bits of the SHA-256 of its save. It does not
// change the saved state. It takes as long as a save: therefore a match compares
// [World.Rolling] each second.
func (w *World) Hash() uint64 {
	w.saved = w.Save(w.saved[:0])
	return StateHash(w.saved)
}

// Restore makes the world that was saved. s must be the setup it was made
// with; with which state that began does not matter. Errors name the offset.
func Restore(s Setup, b []byte) (*World, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("sim: restore: %w", err)
	}
	w, err := empty(s)
	if err != nil {
		return nil, err
	}
	a := archive.Reader(b)
	w.state(a)
	err = a.End()
	if err == nil {
		err = w.reindex()
	}
	if err != nil {
		return nil, fmt.Errorf("sim: restore: %w", err)
	}
	return w, nil
}

// state describes everything that is state, once for writing and reading.
func (w *World) state(a *archive.Archive) {
	w.firstState(a)
	archive.List(a, &w.all, 64, func(e **Entity) {
		if a.Reading() {
			*e = w.fresh()
		}
		(*e).state(a)
		w.scriptState(a, *e)
		w.cargoState(a, *e)
	})
	w.dueState(a)
	for i := range w.teams {
		w.teams[i].state(a)
	}
	a.Nested(w.eyes.Save, func(b []byte) (err error) {
		w.eyes, err = visibility.Restore(visibility.Config{Map: sightMap(w.m, w.rules), Teams: len(w.teams)}, b)
		return err
	})
	for s := range w.players {
		w.pathsState(a, grid.Slot(s))
	}
	w.tailState(a)
}

// firstState is the part of the state before the entities.
func (w *World) firstState(a *archive.Archive) {
	version := uint8(saveVersion)
	a.U8(&version)
	if version != saveVersion {
		a.Fail("version %d, this build reads %d", version, saveVersion)
	}
	w.headState(a)
	a.U64(&w.roll.hash)
	archive.Word(a, &w.roll.next)
}

// dueState are the orders that wait for their tick.
func (w *World) dueState(a *archive.Archive) {
	archive.List(a, &w.due, 32, func(d *dueOrder) { d.state(a) })
}

// headState is the part of firstState that the rolling hash also covers.
func (w *World) headState(a *archive.Archive) {
	archive.Word(a, &w.tick)
	archive.Word(a, &w.deserted)
	archive.Octet(a, &w.keeps)
	for i := range w.players {
		w.players[i].state(a)
	}
	for i := range w.index {
		w.counterState(a, i)
	}
}

// pathsState is a player's state of the path search.
func (w *World) pathsState(a *archive.Archive, s grid.Slot) {
	w.paths.State(a, &w.teams[w.players[s].team].ground, s)
}

// tailState is the part of the state after paths.
func (w *World) tailState(a *archive.Archive) {
	w.captureState(a)
	w.manyState(a)
	w.hearingState(a)
	w.radarState(a)
	w.assistState(a)
	w.featureState(a)
	w.wreckState(a)
	w.seriesState(a)
	w.resultState(a)
	w.modeState(a)
}

// counterState keeps how many entities a slot has ever made.
func (w *World) counterState(a *archive.Archive, i int) {
	n := uint32(len(w.index[i]))
	archive.Word(a, &n)
	if !a.Reading() || a.Err() != nil {
		return
	}
	if n > grid.EntityCounterMax+1 {
		a.Fail("%d entities of slot %d", n, i)
		return
	}
	w.index[i] = make([]*Entity, n)
}

func savePos(a *archive.Archive, p *grid.Pos) { archive.Word(a, &p.X); archive.Word(a, &p.Y) }

func saveVec(a *archive.Archive, v *grid.Vec) { archive.Word(a, &v.X); archive.Word(a, &v.Y) }

func saveTile(a *archive.Archive, t *grid.Tile) { archive.Word(a, &t.X); archive.Word(a, &t.Y) }

func (p *player) state(a *archive.Archive) {
	seat := uint8(0) // a bit for a bot of the match, and one for a bot that stands in
	if p.bot {
		seat |= 1
	}
	if p.standIn {
		seat |= 2
	}
	a.U8(&seat)
	p.bot, p.standIn = seat&1 != 0, seat&2 != 0
	a.Flag(&p.alive)
	a.Flag(&p.present)
	a.Flag(&p.online)
	a.Flag(&p.leaver)
	a.Flag(&p.gaveUp)
	archive.Word(a, &p.out)
	a.U8(&p.lentTo)
	for i := range p.stock {
		archive.Word(a, &p.lent[i])
		archive.Word(a, &p.stock[i])
		archive.Word(a, &p.gains[i])
	}
	archive.Word(a, &p.pop)
	archive.Word(a, &p.popCap)
	archive.Word(a, &p.score)
	archive.Word(a, &p.shown)
	archive.Word(a, &p.kills)
	archive.Word(a, &p.losses)
	archive.Word(a, &p.products)
	archive.Word(a, &p.tokens)
	archive.Word(a, &p.said)
	for i := range p.counts {
		archive.Word(a, &p.counts[i])
	}
	p.answers.state(a)
	if p.standIn {
		p.ownAnswers.state(a)
	}
}

func (l *ledger) state(a *archive.Archive) {
	a.Flag(&l.any)
	archive.Word(a, &l.top)
	for i := range l.rows {
		r := &l.rows[i]
		a.Flag(&r.used)
		if r.used {
			archive.Word(a, &r.seq)
			archive.Octet(a, &r.code)
			archive.Word(a, &r.acts)
		}
	}
}

func (e *Entity) state(a *archive.Archive) {
	archive.Word(a, &e.id)
	archive.Word(a, &e.typ)
	archive.Octet(a, &e.class)
	archive.Octet(a, &e.slot)
	archive.Octet(a, &e.team)
	archive.Octet(a, &e.face)
	archive.Word(a, &e.viewers)
	archive.Word(a, &e.x)
	archive.Word(a, &e.y)
	archive.Word(a, &e.vx)
	archive.Word(a, &e.vy)
	saveTile(a, &e.foot)
	archive.Word(a, &e.hp)
	archive.Word(a, &e.hpMoves)
	archive.Word(a, &e.energy)
	archive.Word(a, &e.shield)
	archive.Word(a, &e.shieldMoves)
	archive.Word(a, &e.energySpent)
	archive.Word(a, &e.stock)
	archive.Word(a, &e.birth)
	archive.Word(a, &e.source)
	a.Flag(&e.unbuilt)
	a.Flag(&e.cloaked)
	archive.Word(a, &e.raised)
	archive.Word(a, &e.revealed)
	archive.Word(a, &e.revealedTo)
	archive.Word(a, &e.chaseTarget)
	e.alertState(a)
	archive.Word(a, &e.chaseAfter)
	savePos(a, &e.guard)
	saveVec(a, &e.shove)
	archive.Word(a, &e.glide)
	archive.Word(a, &e.carried)
	archive.Octet(a, &e.carriedKind)
	a.U8(&e.lent)
	archive.Word(a, &e.speedPct)
	archive.Word(a, &e.damagePct)
	archive.Word(a, &e.weaponSwap)
	archive.Word(a, &e.lastHit)
	archive.Word(a, &e.lastShot)
	e.mv.state(a)
	archive.List(a, &e.tasks, 40, func(t *task) { t.state(a) })
	if a.Reading() {
		e.give(e.tasks)
	}
	if !a.Reading() && e.arms == [rules.UnitWeaponsMax]arm{} && e.acts == [rules.UnitAbilitiesMax]action{} {
		a.Zeros(len(e.arms) + len(e.acts)) // as of most units in most ticks
	} else {
		for i := range e.arms {
			e.arms[i].state(a)
		}
		for i := range e.acts {
			e.acts[i].state(a)
		}
	}
	archive.List(a, &e.effects, 6, func(x *effect) {
		a.U8(&x.kind)
		archive.Octet(a, &x.slot)
		archive.Word(a, &x.by)
		archive.Word(a, &x.start)
		archive.Word(a, &x.end)
		archive.Word(a, &x.next)
	})
	m := &e.maker
	archive.List(a, &m.queue, 2, func(t *uint16) { archive.Half(a, t) })
	archive.Word(a, &m.done)
	a.Flag(&m.hasRally)
	savePos(a, &m.rally)
	archive.Word(a, &m.rallyAt)
	if e.class == rules.ClassProjectile {
		s := &e.shot
		a.U8(&s.weapon)
		archive.Word(a, &s.by)
		archive.Word(a, &s.target)
		savePos(a, &s.aim)
		archive.Word(a, &s.percent)
		archive.Word(a, &s.request)
		archive.Octet(a, &s.level)
	}
	// The teams with a name for it: sparse, as most have no name.
	var set uint16
	for i, h := range e.handles {
		if h != 0 {
			set |= 1 << i
		}
	}
	archive.Half(a, &set)
	for i := range e.handles {
		if set>>i&1 != 0 {
			archive.Word(a, &e.handles[i])
		}
	}
}

func (m *mover) state(a *archive.Archive) {
	a.Flag(&m.going)
	a.Flag(&m.want)
	a.Flag(&m.alone)
	archive.Octet(a, &m.side)
	if m.going {
		savePos(a, &m.goal)
		savePos(a, &m.hub)
		archive.Word(a, &m.near)
		archive.Word(a, &m.width)
		archive.Word(a, &m.stalled)
		archive.Word(a, &m.best)
		archive.Word(a, &m.ground)
		a.Flag(&m.brief)
		archive.Word(a, &m.sideUntil)
		archive.Word(a, &m.look)
		a.Flag(&m.bent)
	}
	archive.List(a, &m.path, 8, func(p *grid.Pos) { savePos(a, p) })
}

func (t *task) state(a *archive.Archive) {
	archive.Octet(a, &t.kind)
	archive.Word(a, &t.seq)
	archive.Word(a, &t.target)
	savePos(a, &t.point)
	savePos(a, &t.from)
	savePos(a, &t.group)
	archive.Word(a, &t.width)
	archive.Word(a, &t.pace)
	archive.Word(a, &t.typ)
	a.U8(&t.ability)
	a.U8(&t.phase)
	a.U8(&t.lag)
	archive.Word(a, &t.request)
	archive.Word(a, &t.start)
}

func (x *arm) state(a *archive.Archive) {
	used := *x != arm{}
	if a.Flag(&used); !used {
		return
	}
	archive.Word(a, &x.target)
	archive.Word(a, &x.ready)
	archive.Word(a, &x.wind)
	archive.Word(a, &x.shots)
	x.firingState(a)
	a.Flag(&x.ground)
	savePos(a, &x.point)
	a.U8(&x.lag)
}

func (s *action) state(a *archive.Archive) {
	used := *s != action{}
	if a.Flag(&used); !used {
		return
	}
	a.Flag(&s.on)
	archive.Word(a, &s.request)
	archive.Word(a, &s.start)
	archive.Word(a, &s.end)
	archive.Word(a, &s.ready)
	archive.Word(a, &s.next)
	archive.Octet(a, &s.single)
	savePos(a, &s.point)
	archive.Word(a, &s.target)
}

func (d *dueOrder) state(a *archive.Archive) {
	archive.Word(a, &d.at)
	archive.Octet(a, &d.slot)
	archive.Word(a, &d.seq)
	archive.Octet(a, &d.kind)
	a.Flag(&d.queued)
	a.Flag(&d.abreast)
	a.Flag(&d.hasPoint)
	archive.Word(a, &d.typ)
	a.U8(&d.ability)
	a.U8(&d.item)
	a.U8(&d.lag)
	archive.Word(a, &d.target)
	savePos(a, &d.point)
	archive.List(a, &d.units, 4, func(id *grid.EntityID) { archive.Word(a, id) })
	archive.List(a, &d.requests, 4, func(n *uint32) { archive.Word(a, n) })
}

func (k *Knowledge) state(a *archive.Archive) {
	k.tableState(a)
	k.ground.State(a)
}

// tableState is a team's knowledge without the ground.
func (k *Knowledge) tableState(a *archive.Archive) {
	archive.List(a, &k.names, 13, func(r *HandleRow) { r.state(a) })
	archive.List(a, &k.free, 4, func(h *grid.Handle) { archive.Word(a, h) })
	archive.List(a, &k.rest, 8, func(r *resting) {
		archive.Word(a, &r.handle)
		archive.Word(a, &r.freed)
	})
	archive.List(a, &k.ghosts, 40, func(g *Ghost) {
		archive.Word(a, &g.Handle)
		archive.Word(a, &g.Type)
		archive.Octet(a, &g.Slot)
		archive.Octet(a, &g.Team)
		saveTile(a, &g.Foot)
		savePos(a, &g.At)
		archive.Word(a, &g.Health)
		archive.Word(a, &g.Stock)
		a.Flag(&g.Unbuilt)
		archive.Word(a, &g.Since)
		archive.Octet(a, &g.Facing)
		archive.Word(a, &g.id)
	})
}

func (r *HandleRow) state(a *archive.Archive) {
	archive.Word(a, &r.ID)
	archive.Word(a, &r.Entered)
	archive.Word(a, &r.first)
	a.Flag(&r.ghost)
}

func (w *World) resultState(a *archive.Archive) {
	has := w.result != nil
	a.Flag(&has)
	if !has {
		return
	}
	if a.Reading() {
		w.result = &Result{Series: w.series}
	}
	r := w.result
	archive.Word(a, &r.Tick)
	archive.Octet(a, &r.Winner)
	a.Text(&r.Reason)
	archive.List(a, &r.Players, 30, func(p *PlayerResult) {
		archive.Octet(a, &p.Slot)
		archive.Octet(a, &p.Team)
		a.Flag(&p.Won)
		archive.Word(a, &p.Score)
		archive.Word(a, &p.Killed)
		if w.rt.assist > 0 {
			archive.Word(a, &p.Assists)
		}
		archive.Word(a, &p.Lost)
		archive.Word(a, &p.Made)
		for i := range p.Gathered {
			archive.Word(a, &p.Gathered[i])
		}
		a.Flag(&p.Left)
		archive.Word(a, &p.Out)
	})
}

// reindex rebuilds the unsaved data from the state, and checks the assumptions of the rest
// of the package: a save may come from a damaged file.
func (w *World) reindex() error {
	if err := w.series.check(); err != nil {
		return err
	}
	last := grid.EntityID(0)
	for _, e := range w.all {
		ix := w.index[indexOf(e.id.Slot())]
		switch {
		case e.id <= last:
			return fmt.Errorf("entity %v after %v", e.id, last)
		case int(e.id.Counter()) >= len(ix):
			return fmt.Errorf("entity %v: its slot has made %d", e.id, len(ix))
		case int(e.typ) >= len(w.rules.Types) || e.class != w.rules.Types[e.typ].Class:
			return fmt.Errorf("entity %v: type %d does not fit the ruleset", e.id, e.typ)
		case e.slot != grid.NoSlot && int(e.slot) >= len(w.players) || e.team != grid.NoTeam && int(e.team) >= len(w.teams):
			return fmt.Errorf("entity %v: slot %d, team %d", e.id, e.slot, e.team)
		case !w.m.InPos(e.Pos()):
			return fmt.Errorf("entity %v: off the map at %v", e.id, e.Pos())
		case e.source != 0 && !w.eyes.Has(visibility.SourceID(e.source)):
			return fmt.Errorf("entity %v: its source of sight does not exist", e.id)
		}
		if len(e.effects) > rules.UnitEffectsMax+rules.LastingMax {
			return fmt.Errorf("entity %v: %d effects", e.id, len(e.effects))
		}
		for i := range e.effects {
			if x := &e.effects[i]; int(x.kind) >= len(w.rules.Effects) || int(x.slot) >= len(w.players) {
				return fmt.Errorf("entity %v: effect %d of slot %d", e.id, x.kind, x.slot)
			}
		}
		for i := range e.tasks {
			if e.tasks[i].kind == orders.None || int(e.tasks[i].kind) >= orders.Kinds {
				return fmt.Errorf("entity %v: task of kind %d", e.id, e.tasks[i].kind)
			}
		}
		last = e.id
		ix[e.id.Counter()] = e
		e.appearance = w.appearanceOf(e)
		if e.source != 0 {
			_, eye := w.eyes.Get(e.source)
			e.eyeAt = eye.Tile
		}
		if e.class == rules.ClassStructure && !w.isMine(e.typ) {
			contents := contentsOf(&w.rules.Types[e.typ], true, e.stock)
			w.eachFoot(e.typ, e.foot, func(i int) { w.solid[i], w.owner[i] = contents, e.id })
		}
	}
	for _, e := range w.all {
		if err := w.checkCargo(e); err != nil {
			return err
		}
	}
	for i := range w.features {
		if e := w.find(w.features[i].id); e != nil && !w.rules.Types[e.typ].Feature.Stateful() {
			return fmt.Errorf("entity %v: a feature without a state", e.id)
		}
	}
	w.blindAgain()
	return nil
}

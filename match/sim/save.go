package sim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// saveVersion changes with the form of a save.
const saveVersion = 2

// Save appends the whole state, the world's and each team's knowledge, to b.
// With the match's [Setup] it restores to a world that steps on to the same
// hashes. It changes nothing.
func (w *World) Save(b []byte) []byte {
	a := &archive{b: b}
	w.state(a)
	return a.b
}

// Hash returns the state's hash: the first 64 bits of the SHA-256 of its save.
// It changes nothing that is saved.
func (w *World) Hash() uint64 {
	w.saved = w.Save(w.saved[:0])
	sum := sha256.Sum256(w.saved)
	return binary.LittleEndian.Uint64(sum[:])
}

// Restore makes the world that was saved. s must be the setup it was made
// with. Errors name the offset.
func Restore(s Setup, b []byte) (*World, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("sim: restore: %w", err)
	}
	w, err := empty(s)
	if err != nil {
		return nil, err
	}
	a := &archive{b: b, reading: true}
	w.state(a)
	if a.err == nil && a.at != len(b) {
		a.err = fmt.Errorf("offset %d: %d bytes too many", a.at, len(b)-a.at)
	}
	if a.err == nil {
		a.err = w.reindex()
	}
	if a.err != nil {
		return nil, fmt.Errorf("sim: restore: %w", a.err)
	}
	return w, nil
}

// state describes everything that is state, once for writing and reading.
func (w *World) state(a *archive) {
	version := uint8(saveVersion)
	a.u8(&version)
	if a.reading && a.err == nil && version != saveVersion {
		a.err = fmt.Errorf("offset 0: version %d, this build reads %d", version, saveVersion)
	}
	word(a, &w.tick)
	word(a, &w.deserted)
	a.flag(&w.kept)
	for i := range w.players {
		w.players[i].state(a)
	}
	for i := range w.index {
		w.counterState(a, i)
	}
	if a.reading {
		w.all = make([]*Entity, a.length(0, 64))
		for i := range w.all {
			w.all[i] = w.fresh()
			w.all[i].state(a)
		}
	} else {
		a.length(len(w.all), 64)
		for _, e := range w.all {
			if !e.append(a) {
				e.state(a)
			}
		}
	}
	list(a, &w.due, 32, func(d *dueOrder) { d.state(a) })
	for i := range w.teams {
		w.teams[i].state(a)
	}
	w.eyesState(a)
	w.fieldsState(a)
	w.resultState(a)
}

// counterState keeps how many entities a slot has ever made.
func (w *World) counterState(a *archive, i int) {
	n := uint32(len(w.index[i]))
	a.u32(&n)
	if !a.reading || a.err != nil {
		return
	}
	if n > grid.EntityCounterMax+1 {
		a.err = fmt.Errorf("offset %d: %d entities of slot %d", a.at, n, i)
		return
	}
	w.index[i] = make([]*Entity, n)
}

func (p *player) state(a *archive) {
	a.flag(&p.alive)
	a.flag(&p.present)
	a.flag(&p.here)
	a.flag(&p.left)
	a.flag(&p.gaveUp)
	word(a, &p.out)
	for i := range p.stock {
		word(a, &p.stock[i])
		word(a, &p.got[i])
	}
	word(a, &p.pop)
	word(a, &p.popCap)
	word(a, &p.score)
	word(a, &p.shown)
	word(a, &p.killed)
	word(a, &p.lost)
	word(a, &p.made)
	word(a, &p.tokens)
	word(a, &p.said)
	for i := range p.counts {
		word(a, &p.counts[i])
	}
	l := &p.answers
	a.flag(&l.any)
	word(a, &l.top)
	for i := range l.rows {
		r := &l.rows[i]
		a.flag(&r.used)
		if r.used {
			word(a, &r.seq)
			octet(a, &r.code)
			word(a, &r.acts)
		}
	}
}

func (e *Entity) state(a *archive) {
	word(a, &e.id)
	word(a, &e.typ)
	octet(a, &e.class)
	octet(a, &e.slot)
	octet(a, &e.team)
	octet(a, &e.face)
	word(a, &e.seen)
	word(a, &e.x)
	word(a, &e.y)
	word(a, &e.vx)
	word(a, &e.vy)
	a.tile(&e.foot)
	word(a, &e.hp)
	word(a, &e.hpMoves)
	word(a, &e.energy)
	word(a, &e.stock)
	word(a, &e.born)
	word(a, &e.source)
	a.flag(&e.unbuilt)
	a.flag(&e.cloaked)
	word(a, &e.raised)
	word(a, &e.revealed)
	word(a, &e.revealedTo)
	word(a, &e.chaseTarget)
	a.flag(&e.alert)
	word(a, &e.chaseAfter)
	a.pos(&e.guard)
	a.vec(&e.shove)
	word(a, &e.carried)
	octet(a, &e.carriedKind)
	word(a, &e.speedPct)
	word(a, &e.damagePct)
	word(a, &e.weaponSwap)
	word(a, &e.lastHit)
	word(a, &e.lastShot)
	e.mv.state(a)
	list(a, &e.tasks, 40, func(t *task) { t.state(a) })
	for i := range e.arms {
		e.arms[i].state(a)
	}
	for i := range e.acts {
		e.acts[i].state(a)
	}
	list(a, &e.damageOverTime, 14, func(d *damageOverTime) {
		a.u8(&d.weapon)
		octet(a, &d.slot)
		word(a, &d.next)
		word(a, &d.until)
		word(a, &d.by)
	})
	m := &e.made
	list(a, &m.queue, 2, func(t *uint16) { a.u16(t) })
	word(a, &m.done)
	a.flag(&m.hasRally)
	a.pos(&m.rally)
	word(a, &m.rallyAt)
	if e.class == rules.ClassProjectile {
		s := &e.shot
		a.u8(&s.weapon)
		word(a, &s.by)
		word(a, &s.target)
		a.pos(&s.aim)
		word(a, &s.percent)
		word(a, &s.request)
		octet(a, &s.level)
	}
	// Which teams have a name for it: sparse, as most have none.
	var set uint16
	for i, h := range e.handles {
		if h != 0 {
			set |= 1 << i
		}
	}
	a.u16(&set)
	for i := range e.handles {
		if set>>i&1 != 0 {
			word(a, &e.handles[i])
		}
	}
}

func (m *mover) state(a *archive) {
	a.flag(&m.going)
	a.flag(&m.want)
	a.flag(&m.bumped)
	octet(a, &m.side)
	a.u8(&m.waits)
	if m.going {
		a.pos(&m.goal)
		a.pos(&m.hub)
		word(a, &m.near)
		word(a, &m.width)
		word(a, &m.stalled)
		word(a, &m.best)
		word(a, &m.ground)
		a.flag(&m.brief)
		word(a, &m.through)
		word(a, &m.hold)
		word(a, &m.detour)
	}
	list(a, &m.path, 8, func(p *grid.Pos) { a.pos(p) })
}

func (t *task) state(a *archive) {
	octet(a, &t.kind)
	word(a, &t.seq)
	word(a, &t.target)
	a.pos(&t.point)
	a.pos(&t.from)
	a.pos(&t.group)
	word(a, &t.width)
	word(a, &t.typ)
	a.u8(&t.ability)
	a.u8(&t.phase)
	a.u8(&t.lag)
	word(a, &t.request)
	word(a, &t.since)
}

func (x *arm) state(a *archive) {
	used := *x != arm{}
	if a.flag(&used); !used {
		return
	}
	word(a, &x.target)
	word(a, &x.ready)
	word(a, &x.wind)
	word(a, &x.shots)
	a.flag(&x.firing)
	a.flag(&x.ground)
	a.pos(&x.point)
	a.u8(&x.lag)
}

func (s *actState) state(a *archive) {
	used := *s != actState{}
	if a.flag(&used); !used {
		return
	}
	a.flag(&s.on)
	word(a, &s.request)
	word(a, &s.since)
	word(a, &s.until)
	word(a, &s.ready)
	word(a, &s.next)
	word(a, &s.starts)
	a.pos(&s.point)
}

func (d *dueOrder) state(a *archive) {
	word(a, &d.at)
	octet(a, &d.slot)
	word(a, &d.seq)
	octet(a, &d.kind)
	a.flag(&d.queued)
	a.flag(&d.hasPoint)
	word(a, &d.typ)
	a.u8(&d.ability)
	a.u8(&d.item)
	a.u8(&d.lag)
	word(a, &d.request)
	word(a, &d.target)
	a.pos(&d.point)
	list(a, &d.units, 4, func(id *grid.EntityID) { word(a, id) })
}

func (k *Knowledge) state(a *archive) {
	if a.reading {
		list(a, &k.names, nameBytes, func(n *name) { n.state(a) })
	} else {
		appendNames(a, k.names)
	}
	list(a, &k.free, 4, func(h *grid.Handle) { word(a, h) })
	list(a, &k.rest, 8, func(r *resting) {
		word(a, &r.handle)
		word(a, &r.freed)
	})
	list(a, &k.ghosts, 40, func(g *Ghost) {
		word(a, &g.Handle)
		word(a, &g.Type)
		octet(a, &g.Slot)
		octet(a, &g.Team)
		a.tile(&g.Foot)
		a.pos(&g.At)
		word(a, &g.Health)
		word(a, &g.Stock)
		a.flag(&g.Unbuilt)
		word(a, &g.Since)
		octet(a, &g.Facing)
		word(a, &g.id)
	})
	a.sparse(k.ground.solid)
	list(a, &k.ground.touched, 4, func(i *int32) { word(a, i) })
	word(a, &k.ground.version)
	if a.reading {
		clear(k.ground.reach[:]) // made anew from what was read
		k.seen, k.turned = k.seen[:0], k.turned[:0]
		for i := range k.names {
			k.turned = append(k.turned, grid.Handle(i+1))
		}
	}
}

func (n *name) state(a *archive) {
	word(a, &n.id)
	word(a, &n.entered)
	word(a, &n.first)
	a.flag(&n.ghost)
}

func (w *World) resultState(a *archive) {
	has := w.result != nil
	a.flag(&has)
	if !has {
		return
	}
	if a.reading {
		w.result = &Result{}
	}
	r := w.result
	word(a, &r.Tick)
	octet(a, &r.Winner)
	a.text(&r.Reason)
	list(a, &r.Players, 30, func(p *PlayerResult) {
		octet(a, &p.Slot)
		octet(a, &p.Team)
		a.flag(&p.Won)
		word(a, &p.Score)
		word(a, &p.Killed)
		word(a, &p.Lost)
		word(a, &p.Made)
		for i := range p.Gathered {
			word(a, &p.Gathered[i])
		}
		a.flag(&p.Left)
		word(a, &p.Out)
	})
}

// reindex rebuilds from the state what is not saved, and checks what the rest
// of the package relies on: a save may come from a damaged file.
func (w *World) reindex() error {
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
		for i := range e.tasks {
			if e.tasks[i].kind == orders.None || int(e.tasks[i].kind) >= orders.Kinds {
				return fmt.Errorf("entity %v: task of kind %d", e.id, e.tasks[i].kind)
			}
		}
		last = e.id
		ix[e.id.Counter()] = e
		e.appearance = appearanceOf(e)
		if e.source != 0 {
			_, eye := w.eyes.Get(e.source)
			e.eyeAt = eye.Tile
		}
		if e.class == rules.ClassStructure {
			w.eachFoot(e.typ, e.foot, func(i int) { w.solid[i], w.owner[i] = 1, e.id })
		}
	}
	return nil
}

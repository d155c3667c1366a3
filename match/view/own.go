package view

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// ownRec is what one player was told of its own affairs.
type ownRec struct {
	slot    grid.Slot
	books   Own // resources, population and production; the rest is empty
	booksAt grid.Tick
	units   []ownUnitRec // sorted by handle
	spare   []ownUnitRec
	started []startedRec // in the order of the tick, not older than is kept
}

type ownUnitRec struct {
	OwnUnit
	at grid.Tick
}

type startedRec struct {
	Started
	at grid.Tick
}

// progressStep is by how much a production's progress moves, in 255ths, before
// it is told again: clients let the bar run by the type's build time.
const progressStep = 26

// OwnDiff is what only one player is told.
type OwnDiff struct {
	HasBooks  bool // resources, population and production, whole
	Books     Own
	Units     []OwnUnit
	Started   []Started
	Cancelled []Cancelled // the caller's: a tracker knows of none
}

// Empty reports whether there is nothing to tell.
func (d *OwnDiff) Empty() bool {
	return !d.HasBooks && len(d.Units) == 0 && len(d.Started) == 0 && len(d.Cancelled) == 0
}

// DiffOwn fills d with what the player in the slot has to be told to come from
// tick base; base 0 tells all.
func (t *Tracker) DiffOwn(d *OwnDiff, slot grid.Slot, base grid.Tick) {
	*d = OwnDiff{Units: d.Units[:0], Started: d.Started[:0], Cancelled: d.Cancelled}
	if base < t.first || base >= t.tick {
		base = 0
	}
	for i := range t.owns {
		o := &t.owns[i]
		if o.slot != slot {
			continue
		}
		if o.booksAt > base {
			d.HasBooks, d.Books = true, o.books
		}
		for _, u := range o.units {
			if u.at > base {
				d.Units = append(d.Units, u.OwnUnit)
			}
		}
		for _, s := range o.started {
			if s.at > base {
				d.Started = append(d.Started, s.Started)
			}
		}
	}
}

// lives reports whether an entity is in sight.
func (t *Tracker) lives(h grid.Handle) bool { return int(h) < len(t.recs) && t.recs[h].live }

func (t *Tracker) updateOwns(v *View) {
	for i := range v.Owns {
		o := &v.Owns[i]
		if i == len(t.owns) {
			t.owns = append(t.owns, ownRec{slot: o.Slot})
		}
		t.owns[i].update(o, t.lives, v.Tick)
		t.owns[i].start(o.Started, v.Tick, t.rules.Keep)
	}
}

func (r *ownRec) update(o *Own, live func(grid.Handle) bool, now grid.Tick) {
	if r.booksAt == 0 || !sameBooks(&r.books, o) {
		r.booksAt = now
		r.books = Own{
			Slot: o.Slot, Resources: slices.Clone(o.Resources),
			Population: o.Population, PopulationMax: o.PopulationMax,
		}
		for _, p := range o.Production {
			p.Types = slices.Clone(p.Types)
			r.books.Production = append(r.books.Production, p)
		}
	}
	r.updateUnits(o.Units, live, now)
}

// updateUnits takes in the units that have something to tell. One that had and
// no longer has is told as idle, as long as it lives.
func (r *ownRec) updateUnits(units []OwnUnit, live func(grid.Handle) bool, now grid.Tick) {
	next, old := r.spare[:0], 0
	rest := func() {
		u := &r.units[old]
		old++
		if !live(u.Handle) {
			return
		}
		if idle := (OwnUnit{Handle: u.Handle}); !sameUnit(&u.OwnUnit, &idle) {
			next = append(next, ownUnitRec{idle, now})
		} else {
			next = append(next, *u)
		}
	}
	for i := range units {
		u := &units[i]
		for old < len(r.units) && r.units[old].Handle < u.Handle {
			rest()
		}
		if old < len(r.units) && r.units[old].Handle == u.Handle {
			was := &r.units[old]
			old++
			if sameUnit(&was.OwnUnit, u) {
				next = append(next, *was)
				continue
			}
		}
		next = append(next, ownUnitRec{*u, now})
		next[len(next)-1].ReadyAt = slices.Clone(u.ReadyAt)
	}
	for old < len(r.units) {
		rest()
	}
	r.units, r.spare = next, r.units
}

// start notes what was started, and forgets what no base can ask for.
func (r *ownRec) start(started []Started, now grid.Tick, keep grid.Ticks) {
	old := 0
	for old < len(r.started) && r.started[old].at+grid.Tick(keep) < now {
		old++
	}
	r.started = slices.Delete(r.started, 0, old)
	for _, s := range started {
		r.started = append(r.started, startedRec{s, now})
	}
}

func sameBooks(a, b *Own) bool {
	return slices.Equal(a.Resources, b.Resources) && a.Population == b.Population && a.PopulationMax == b.PopulationMax &&
		slices.EqualFunc(a.Production, b.Production, func(p, q Production) bool {
			return p.Handle == q.Handle && slices.Equal(p.Types, q.Types) && p.HasRally == q.HasRally && p.Rally == q.Rally &&
				q.Progress >= p.Progress && q.Progress < p.Progress+progressStep
		})
}

// energyStep is by how much a unit's energy moves before it is told again.
const energyStep = 4

func sameUnit(a, b *OwnUnit) bool {
	return a.Doing == b.Doing && a.HasTo == b.HasTo && a.To == b.To && slices.Equal(a.ReadyAt, b.ReadyAt) &&
		b.Energy < a.Energy+energyStep && a.Energy < b.Energy+energyStep
}

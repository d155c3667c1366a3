package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// DeltaState is one client's state while its byte budget does not cover a whole
// difference: not one base, but a base for each entity. Once no row is pending, the client equals its team, and the
// state is dropped.
type DeltaState struct {
	rows        []clientRow  // by handle
	pending     []pendingRow // scratch
	pendingRows int          // rows that waited after the last diff
	effects     []effect     // scratch
}

// effect is something that is only shown: of the tracker's events and rows of
// fire, in this order, the one at index.
type effect struct {
	class EffectClass
	index int
	told  bool
}

// clientRow is the client's copy of the entity under a handle.
type clientRow struct {
	entered grid.Tick
	sentAt  grid.Tick // it holds the record as of this tick; 0: it does not hold it
}

// pendingRow is an entity whose latest state the client lacks in part.
type pendingRow struct {
	handle   grid.Handle
	enter    bool
	neverCut bool // it carries the team's sight: never cut
	score    uint64
}

// Interest describes the entities that matter most to one client.
type Interest struct {
	Priority []uint8 // by type; 255 first
	Camera   grid.Tile
	Radius   int // tiles around the camera; 0: no camera
}

// NewDeltaState begins the delta state of a client that holds the team's tick base. With base 0 the client holds no
// state yet.
func (t *Tracker) NewDeltaState(base grid.Tick) *DeltaState {
	s := &DeltaState{rows: make([]clientRow, t.recs.len())}
	if base == 0 {
		return s
	}
	for h := range t.live.all() {
		if r := t.recs.at(h); r.entered <= base {
			s.rows[h] = clientRow{r.entered, base}
		}
	}
	for i := range t.removed { // it does not know yet that these are gone
		if g := &t.removed[i]; g.left > base && g.entered <= base {
			s.rows[g.handle] = clientRow{g.entered, base}
		}
	}
	return s
}

// Pending returns of how many entities the client lacks something after the last
// diff.
func (s *DeltaState) Pending() int { return s.pendingRows }

// About how many bytes rows take, for filling a frame.
const (
	bytesEnter  = 8
	bytesMotion = 7
	bytesValue  = 4
	bytesEvent  = 10
	bytesFire   = 4
)

// effectShare bounds the effects near the camera of a client that is short of bytes: one in so many of its bytes,
// before the other rows that it lacks.
const effectShare = 4

// DiffWithin fills d with the rows for a client that is short of bytes, in about so many bytes: all removals, and all
// rows that carry the team's sight; then effects near the camera, in a part of the bytes; then enters by priority, then
// changes by priority and by how long they wait; then the other effects. Rows that do not fit wait, but each frame has
// at least one: so no row waits for ever, even if the rows that are never cut take all bytes. Effects do not
// wait: excess ones are dropped, by [EffectClass]. Parts other than entities are sent in full, from base on.
func (t *Tracker) DiffWithin(d *Diff, s *DeltaState, base grid.Tick, w MaskOptions, want Interest, bytes int) {
	d.reset()
	d.Tick, d.Snapshot = t.tick, base == 0
	if base != 0 {
		d.Span = grid.Ticks(t.tick - base)
		d.Skipped, d.Wrong = t.skipped(base)
	}
	for len(s.rows) < t.recs.len() {
		s.rows = append(s.rows, clientRow{})
	}
	t.appendRemovedOf(d, s)
	bytes -= 2 * (len(d.Leave) + len(d.Destroyed))
	t.rankPending(s, want)
	t.rankEffects(s, want)
	s.pendingRows = 0
	some, shown := false, false
	for _, x := range s.pending {
		r := t.recs.at(x.handle)
		if !x.neverCut {
			if !shown { // rows that are never cut
				bytes -= t.tellEffects(s, EffectShot, bytes/effectShare)
				shown = true
			}
			if bytes <= 0 && some {
				s.pendingRows++
				continue
			}
			some = true
		}
		row := &s.rows[x.handle]
		before := len(d.Exact) + valuesOf(d)
		if x.enter {
			t.appendEnter(d, x.handle, r)
			bytes -= bytesEnter
		} else {
			t.appendChanges(d, x.handle, r, row.sentAt)
			bytes -= bytesMotion
		}
		bytes -= bytesValue * (len(d.Exact) + valuesOf(d) - before)
		*row = clientRow{r.entered, t.tick}
	}
	d.sort()
	t.tellEffects(s, EffectFar, bytes)
	t.appendTeamRows(d, base, w)
	t.dropEffects(d, s)
}

// rankEffects lists the effects of this tick, the most valuable first.
func (t *Tracker) rankEffects(s *DeltaState, want Interest) {
	s.effects = s.effects[:0]
	for i := range t.events {
		e := &t.events[i]
		class := effectClasses[e.Kind]
		if class != EffectAlert && !want.near(e.At.Tile()) {
			class = EffectFar
		}
		s.effects = append(s.effects, effect{class: class, index: i})
	}
	for i, f := range t.fire {
		class := EffectShot
		if !want.near(t.recs.at(f.Handle).at.Tile()) {
			class = EffectFar
		}
		s.effects = append(s.effects, effect{class: class, index: len(t.events) + i})
	}
	slices.SortStableFunc(s.effects, func(a, b effect) int { return cmp.Compare(a.class, b.class) })
}

// tellEffects marks those effects as told that fit into so many bytes, up to a
// class, and returns how many bytes they take. An alert is told without room.
func (t *Tracker) tellEffects(s *DeltaState, most EffectClass, bytes int) (used int) {
	for i := range s.effects {
		e := &s.effects[i]
		if e.class > most {
			break
		}
		if e.told || !t.canTell(s, e) {
			continue
		}
		size := bytesEvent
		if e.index >= len(t.events) {
			size = bytesFire
		}
		if e.class != EffectAlert && used+size > bytes {
			break // the next are worth less
		}
		e.told = true
		used += size
	}
	return used
}

// canTell reports whether the client has the entities that an effect names. An
// alert is worth telling without the shooter.
func (t *Tracker) canTell(s *DeltaState, e *effect) bool {
	if e.index >= len(t.events) {
		f := t.fire[e.index-len(t.events)]
		return t.held(s, f.Handle) && t.held(s, f.Target)
	}
	x := &t.events[e.index]
	return e.class == EffectAlert || t.held(s, x.Source) && t.held(s, x.Target)
}

// held reports whether the client has the entity of a handle. It has no entity of handle 0.
func (t *Tracker) held(s *DeltaState, h grid.Handle) bool {
	return h == 0 || int(h) < len(s.rows) && s.rows[h].sentAt != 0 && s.rows[h].entered == t.recs.at(h).entered
}

// dropEffects leaves in d the effects that are told, in the order of the wire.
func (t *Tracker) dropEffects(d *Diff, s *DeltaState) {
	d.Fire, d.Events = d.Fire[:0], d.Events[:0]
	slices.SortFunc(s.effects, func(a, b effect) int { return cmp.Compare(a.index, b.index) })
	for i := range s.effects {
		e := &s.effects[i]
		switch {
		case !e.told:
		case e.index >= len(t.events):
			d.Fire = append(d.Fire, t.fire[e.index-len(t.events)])
		default:
			x := t.events[e.index]
			if !t.held(s, x.Source) {
				x.Source = 0
			}
			if !t.held(s, x.Target) {
				x.Target = 0
			}
			d.Events = append(d.Events, x)
		}
	}
}

// near reports whether a tile is where the client's camera looks. Without a camera
// every tile is.
func (w *Interest) near(at grid.Tile) bool {
	return w.Radius == 0 || at.Dist2(w.Camera) <= int32(w.Radius)*int32(w.Radius)
}

func valuesOf(d *Diff) int {
	n := len(d.Actions) + len(d.Effects) + len(d.Declared)
	for i := range d.Values {
		n += len(d.Values[i])
	}
	return n
}

// appendRemovedOf appends the entities that the client has and no longer sees.
func (t *Tracker) appendRemovedOf(d *Diff, s *DeltaState) {
	for h := range s.rows {
		row := &s.rows[h]
		r := t.recs.at(grid.Handle(h))
		if row.sentAt == 0 || t.live.has(grid.Handle(h)) && r.entered == row.entered {
			continue
		}
		d.appendRemoved(t.removedOf(grid.Handle(h), row.entered), row.sentAt)
		*row = clientRow{}
	}
}

// removedOf returns how the entity that had h since entered was lost, as far back
// as is kept.
func (t *Tracker) removedOf(h grid.Handle, entered grid.Tick) *removedRec {
	for i := len(t.removed) - 1; i >= 0; i-- {
		if g := &t.removed[i]; g.handle == h && g.entered == entered {
			return g
		}
	}
	return &removedRec{handle: h}
}

// rankPending lists the rows that the client lacks, the most important first.
func (t *Tracker) rankPending(s *DeltaState, want Interest) {
	s.pending = s.pending[:0]
	for h := range t.live.all() {
		r, row := t.recs.at(h), &s.rows[h]
		since := row.sentAt
		switch {
		case row.sentAt == 0:
			since = r.entered - 1
		case !r.changedSince(row.sentAt):
			row.sentAt = t.tick // it holds this tick's record
			continue
		}
		score := uint64(1)
		if int(r.typ) < len(want.Priority) {
			score += uint64(t.declaredPriority(h, r, row.sentAt, want.Priority[r.typ]))
		}
		score *= uint64(t.tick-since) + 1
		if want.near(r.at.Tile()) {
			score *= nearFactor
		}
		s.pending = append(s.pending, pendingRow{h, row.sentAt == 0, r.exact, score})
	}
	slices.SortFunc(s.pending, func(a, b pendingRow) int {
		return cmp.Or(boolFirst(a.neverCut, b.neverCut), boolFirst(a.enter, b.enter), cmp.Compare(b.score, a.score), cmp.Compare(a.handle, b.handle))
	})
}

// nearFactor is how much sooner an entity near the camera is sent.
const nearFactor = 4

func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// changedSince reports whether anything of the record changed after base.
func (r *record) changedSince(base grid.Tick) bool {
	return r.valuedAt > base || r.changedBesides(base)
}

// changedBesides reports whether anything but its declared values changed after base.
func (r *record) changedBesides(base grid.Tick) bool {
	for _, at := range r.changed {
		if at > base {
			return true
		}
	}
	return r.moved > base || r.owned > base || r.acted > base
}

// sort brings rows that were appended by priority into the order of the wire.
func (d *Diff) sort() {
	slices.SortFunc(d.Enter, func(a, b EnterRow) int { return cmp.Compare(a.Handle, b.Handle) })
	slices.SortFunc(d.Owners, func(a, b OwnerRow) int { return cmp.Compare(a.Handle, b.Handle) })
	slices.SortFunc(d.Motion, func(a, b MotionRow) int { return cmp.Compare(a.Handle, b.Handle) })
	slices.SortFunc(d.Exact, func(a, b ExactRow) int { return cmp.Compare(a.Handle, b.Handle) })
	for i := range d.Values {
		slices.SortFunc(d.Values[i], func(a, b ValueRow) int { return cmp.Compare(a.Handle, b.Handle) })
	}
	slices.SortStableFunc(d.Actions, func(a, b ActionRow) int { return cmp.Compare(a.Handle, b.Handle) })
	slices.SortStableFunc(d.Declared, func(a, b Declared) int { return cmp.Compare(a.Handle, b.Handle) })
	slices.SortStableFunc(d.Effects, func(a, b EffectRow) int { return cmp.Compare(a.Handle, b.Handle) })
}

// LackKind is the kind of a client's gap.
type LackKind uint8

// The kinds.
const (
	LackEnter  LackKind = iota // it does not have the entity
	LackChange                 // it has it as it was
	LackGone                   // it has it, and it is out of sight or destroyed
)

func (k LackKind) String() string { return [...]string{"enter", "change", "gone"}[k] }

// Lack is an entity whose state a client has not fully received, although its team may know it.
type Lack struct {
	Handle grid.Handle
	What   LackKind
	Type   uint16    // not of LackGone
	At     grid.Pos  // where its team's clients have it; not of LackGone
	Since  grid.Tick // LackChange and LackGone: the client's state is as of this tick; LackEnter: in sight since
}

// Lacks returns the client's gaps, sorted by handle and limited to most, and their full number. s is the client's delta
// state; nil means that the client has everything as of tick base. Lacks serves inspection and changes no state.
func (t *Tracker) Lacks(s *DeltaState, base grid.Tick, most int) (rows []Lack, total int) {
	add := func(l Lack) {
		if total++; len(rows) < most {
			rows = append(rows, l)
		}
	}
	holds := func(h grid.Handle, entered grid.Tick) clientRow {
		switch {
		case s == nil && base != 0 && entered <= base:
			return clientRow{entered, base}
		case s != nil && int(h) < len(s.rows) && s.rows[h].entered == entered:
			return s.rows[h]
		}
		return clientRow{}
	}
	for h := range t.live.all() {
		r := t.recs.at(h)
		switch row := holds(h, r.entered); {
		case row.sentAt == 0:
			add(Lack{h, LackEnter, r.typ, r.at, r.entered})
		case r.changedSince(row.sentAt):
			add(Lack{h, LackChange, r.typ, r.at, row.sentAt})
		}
	}
	if s == nil {
		for i := range t.removed {
			if g := &t.removed[i]; base != 0 && g.left > base && g.entered <= base {
				add(Lack{Handle: g.handle, What: LackGone, Since: base})
			}
		}
		return rows, total
	}
	for h := range s.rows {
		if row := &s.rows[h]; row.sentAt != 0 && !(t.lives(grid.Handle(h)) && t.recs.at(grid.Handle(h)).entered == row.entered) {
			add(Lack{Handle: grid.Handle(h), What: LackGone, Since: row.sentAt})
		}
	}
	return rows, total
}

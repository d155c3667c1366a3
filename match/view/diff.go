package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Diff is the change that brings a client from a base to a tick. Its slices hold until the next diff into the same
// Diff. Rows are sorted by handle.
type Diff struct {
	Tick     grid.Tick
	Snapshot bool       // the client has to drop its state first
	Span     grid.Ticks // since the frame before; of no meaning in a snapshot
	Skipped  grid.Ticks // ticks just before this one without any frame; positions computed for them may be wrong
	Wrong    bool       // the mask that clients derive for them is another than the team has
	Partial  bool       // it has only the player's own part; the team's part follows. The sender or the reader sets it

	LastBursts []LastBurstsRow // of entities that left or were destroyed
	Leave      []grid.Handle   // left sight
	Destroyed  []grid.Handle   // were seen destroyed
	Enter      []EnterRow
	Owners     []OwnerRow
	Motion     []MotionRow
	Exact      []ExactRow
	Values     [ValueKinds][]ValueRow
	Actions    []ActionRow
	Effects    []EffectRow
	Declared   []Declared

	Ghosts    []Ghost
	GhostGone []grid.Handle
	Mask      []MaskRow
	HasHash   bool
	Hash      uint32 // of the mask's visible bits
	Fire      []FireRow
	Events    []Event
	Sights    []Sight
	Contacts  []Contact
	Players   []PlayerNote
}

// EnterRow is an entity that came into sight. Its values are 0 unless rows of
// Values say otherwise, its place is the middle of the cell unless a row of
// Exact does.
type EnterRow struct {
	Handle grid.Handle
	Type   uint16
	Owner  grid.Slot
	Cell   uint32
	Course Course
}

// OwnerRow is a change of owner.
type OwnerRow struct {
	Handle grid.Handle
	Owner  grid.Slot // [grid.NoSlot]: no player
}

// MotionRow is a new course.
type MotionRow struct {
	Handle grid.Handle
	Place  Place
	Course Course
}

// ExactRow refines an EnterRow, or a MotionRow whose place is a cell.
type ExactRow struct {
	Handle grid.Handle
	Ago    grid.Ticks // the place is as of so many ticks before the diff's tick
	Fine   uint32     // where in the cell: x * 64 + y
}

// ValueRow is a changed value.
type ValueRow struct {
	Handle grid.Handle
	Value  uint32
}

// LastBurstsRow has the shots of an entity's weapons until it left sight or was destroyed, as values of weapons at
// rest.
type LastBurstsRow struct {
	Handle grid.Handle
	Bursts [BurstsMax]uint32
}

// FireRow says at whom something opens fire. Both are in sight.
type FireRow struct{ Handle, Target grid.Handle }

// MaskRow is one row of the mask as it is now, as runs of tiles: dark, lit,
// dark, … A row that ends dark leaves the last run out; nil: not in the diff.
type MaskRow struct {
	Y                 int
	Visible, Explored []uint32
}

// PlayerNote is a changed player.
type PlayerNote struct {
	Slot grid.Slot
	Player
}

// Empty reports whether the diff has no rows to send.
func (d *Diff) Empty() bool {
	n := len(d.LastBursts) + len(d.Leave) + len(d.Destroyed) + len(d.Enter) + len(d.Owners) + len(d.Motion) + len(d.Exact) + len(d.Ghosts) +
		len(d.GhostGone) + len(d.Mask) + len(d.Fire) + len(d.Events) + len(d.Sights) + len(d.Contacts) + len(d.Players) +
		len(d.Actions) + len(d.Effects) + len(d.Declared)
	for i := range d.Values {
		n += len(d.Values[i])
	}
	return n == 0 && !d.HasHash && !d.Snapshot && !d.Wrong && !d.Partial
}

// reset empties d, keeping its memory.
func (d *Diff) reset() {
	*d = Diff{
		LastBursts: d.LastBursts[:0], Leave: d.Leave[:0], Destroyed: d.Destroyed[:0],
		Enter: d.Enter[:0], Owners: d.Owners[:0], Motion: d.Motion[:0], Exact: d.Exact[:0],
		Values: d.Values, Actions: d.Actions[:0], Effects: d.Effects[:0], Declared: d.Declared[:0],
		Ghosts: d.Ghosts[:0], GhostGone: d.GhostGone[:0], Mask: d.Mask[:0], Fire: d.Fire[:0], Events: d.Events[:0],
		Sights: d.Sights[:0], Contacts: d.Contacts[:0], Players: d.Players[:0],
	}
	for i := range d.Values {
		d.Values[i] = d.Values[i][:0]
	}
}

// MaskOptions says which mask rows a client needs.
type MaskOptions struct {
	MaskRows bool // it does not derive the fog: changed rows in each frame
	AllRows  bool // the client derived a wrong mask: all rows
}

// Covers reports whether the tracker still has the changes since base; if not, the client needs a snapshot.
func (t *Tracker) Covers(base grid.Tick) bool {
	return base != 0 && base >= t.first && base <= t.tick
}

// Diff fills d with the changes that bring a client from tick base to the tick of the last Update. Base 0, a base that
// the tracker no longer covers, and a base in the future give a snapshot.
func (t *Tracker) Diff(d *Diff, base grid.Tick, w MaskOptions) {
	d.reset()
	d.Tick = t.tick
	if base < t.first || base >= t.tick {
		d.Snapshot, base = true, 0
	} else {
		d.Span = grid.Ticks(t.tick - base)
		d.Skipped, d.Wrong = t.skipped(base)
	}
	if !d.Snapshot {
		for i := len(t.removed) - 1; i >= 0 && t.removed[i].left > base; i-- {
			if g := &t.removed[i]; g.entered <= base {
				d.appendRemoved(g, base)
			}
		}
		slices.Sort(d.Leave)
		slices.Sort(d.Destroyed)
		slices.SortFunc(d.LastBursts, func(a, b LastBurstsRow) int { return cmp.Compare(a.Handle, b.Handle) })
	}
	if !d.Snapshot && base >= t.base { // entities without a change since base need no check
		for _, h := range t.changed {
			t.appendRow(d, h, base)
		}
	} else {
		for h := range t.live.all() {
			t.appendRow(d, h, base)
		}
	}
	t.appendTeamRows(d, base, w)
}

// appendRow appends the state of an entity in sight that a client of tick base lacks; 0: the whole state.
func (t *Tracker) appendRow(d *Diff, h grid.Handle, base grid.Tick) {
	r := t.recs.at(h)
	if base == 0 || r.entered > base {
		t.appendEnter(d, h, r)
	} else {
		t.appendChanges(d, h, r, base)
	}
}

// skipped returns the ticks before this one that a client of tick base skipped, and whether its derived mask for them
// differs from the team's. Ticks between two beats need no frame as long as the mask is right.
func (t *Tracker) skipped(base grid.Tick) (ticks grid.Ticks, wrong bool) {
	wrong = t.wrong > base && t.wrong < t.tick
	if base >= t.before && !wrong {
		return 0, false
	}
	return grid.Ticks(t.tick-base) - 1, wrong
}

// appendRemoved appends the row of an entity that left sight, for a client that had it as of tick base. A client that
// skipped ticks does not know until when it was in sight.
func (d *Diff) appendRemoved(g *removedRec, base grid.Tick) {
	if g.burstsAt > base || g.next != 0 && g.next < d.Tick {
		d.LastBursts = append(d.LastBursts, LastBurstsRow{g.handle, g.bursts})
	}
	if g.destroyed {
		d.Destroyed = append(d.Destroyed, g.handle)
	} else {
		d.Leave = append(d.Leave, g.handle)
	}
}

// appendEnter appends all of r, for a client that does not have it.
func (t *Tracker) appendEnter(d *Diff, h grid.Handle, r *record) {
	d.Enter = append(d.Enter, EnterRow{h, r.typ, r.owner, cellOf(r.at, t.rules.W), r.course})
	t.refine(d, h, r)
	for i, n := range r.values {
		if n != 0 && t.plan.public[i].Enter {
			d.Values[i] = append(d.Values[i], ValueRow{h, t.told(i, r)})
		}
	}
	if r.acted != 0 {
		t.appendActivity(d, h, 0)
	}
	if r.valuedAt != 0 {
		d.Declared = appendDeclaredRows(d.Declared, h, t.declared[h], 0)
	}
}

// told returns a value in the form in which it is sent now. The value of a firing weapon depends on when it became
// true: a client counts on from then.
func (t *Tracker) told(i int, r *record) uint32 {
	if i == ValueBurst || i == ValueBurstSecond {
		return agedBurst(r.values[i], grid.Ticks(t.tick-r.changed[i]))
	}
	return r.values[i]
}

// appendChanges appends the changes since base, for a client that had r then.
func (t *Tracker) appendChanges(d *Diff, h grid.Handle, r *record, base grid.Tick) {
	if r.owned > base {
		d.Owners = append(d.Owners, OwnerRow{h, r.owner})
	}
	if r.moved > base {
		if r.moved == t.tick && base >= t.before { // it has the course before
			d.Motion = append(d.Motion, MotionRow{h, r.step, r.course})
			if r.step >= placeCell {
				t.refine(d, h, r)
			}
		} else {
			d.Motion = append(d.Motion, MotionRow{h, placeCell + Place(cellOf(r.at, t.rules.W)), r.course})
			t.refine(d, h, r)
		}
	}
	for i, at := range r.changed {
		if at > base {
			d.Values[i] = append(d.Values[i], ValueRow{h, t.told(i, r)})
		}
	}
	if r.acted > base {
		t.appendActivity(d, h, base)
	}
	if r.valuedAt > base {
		d.Declared = appendDeclaredRows(d.Declared, h, t.declared[h], base)
	}
}

// refine adds the position within the cell, so that every client of the team computes from the same place, at any tick
// of sending.
func (t *Tracker) refine(d *Diff, h grid.Handle, r *record) {
	ago := grid.Ticks(t.tick - r.since)
	if r.course.Stands() {
		ago = 0
	}
	if fine := fineOf(r.at); ago != 0 || fine != FineMiddle {
		d.Exact = append(d.Exact, ExactRow{h, ago, fine})
	}
}

func (t *Tracker) appendTeamRows(d *Diff, base grid.Tick, w MaskOptions) {
	if !d.Snapshot {
		for i := len(t.removedGhosts) - 1; i >= 0 && t.removedGhosts[i].left > base; i-- {
			if g := &t.removedGhosts[i]; g.entered <= base {
				d.GhostGone = append(d.GhostGone, g.handle)
			}
		}
		slices.Sort(d.GhostGone)
	}
	for i := range t.ghosts {
		if d.Snapshot || t.ghosts[i].at > base {
			d.Ghosts = append(d.Ghosts, t.ghosts[i].Ghost)
		}
	}
	for i, p := range t.players {
		if d.Snapshot || p.at > base {
			d.Players = append(d.Players, PlayerNote{grid.Slot(i), p.Player})
		}
	}
	for _, s := range t.sights {
		known := s.Died && s.Since == t.tick && d.Skipped == 0
		if d.Snapshot || s.Since > base && !known {
			d.Sights = append(d.Sights, s)
		}
	}
	for _, c := range t.contacts {
		if d.Snapshot || c.At > base {
			d.Contacts = append(d.Contacts, c)
		}
	}
	d.Fire, d.Events = append(d.Fire, t.fire...), append(d.Events, t.events...)
	t.appendMask(d, base, w)
}

// appendMask appends rows for clients that need them. A client that derives the fog itself and skipped ticks lacks only
// the tiles explored in between.
func (t *Tracker) appendMask(d *Diff, base grid.Tick, w MaskOptions) {
	all := w.AllRows || d.Snapshot
	d.HasHash, d.Hash = t.hasHash, t.hash
	if !all && d.Skipped == 0 && !w.MaskRows {
		return
	}
	m := &t.rows
	lost := m.exploredAt
	if base >= t.before && t.tick == t.beat { // it derives this tick's
		lost = m.passedAt
	}
	for y := range m.visibleAt {
		visible := (all || w.MaskRows && m.visibleAt[y] > base) && m.visibleAt[y] != 0
		explored := (all || lost[y] > base) && m.exploredAt[y] != 0
		if !visible && !explored {
			continue
		}
		row := MaskRow{Y: y}
		if visible {
			row.Visible = m.runs(m.visible, y, t.rules.W)
		}
		if explored {
			row.Explored = m.runs(m.explored, y, t.rules.W)
		}
		d.Mask = append(d.Mask, row)
	}
}

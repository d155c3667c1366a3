package view

import "github.com/fogkeep/fogkeep/match/grid"

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

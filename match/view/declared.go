package view

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Declared is a value of an entity that the ruleset declares. A missing one is the start of
// the entity's type.
type Declared struct {
	Handle grid.Handle
	Value  uint8  // index into the ruleset's values
	N      uint32 // the difference from the start, in zigzag form; not 0 in a [View]
}

// ValueOf returns the value that a number of rows of declared values stands for, of an
// entity whose type starts it with start.
func ValueOf(start int32, n uint32) int32 { return start + (int32(n>>1) ^ -int32(n&1)) }

// declaredRec is a declared value as clients have it.
type declaredRec struct {
	value uint8
	n     uint32
	at    grid.Tick // of its last change; 0: none so far
}

// takeDeclared takes in the values of an entity, sorted, and the values that clients have. With
// fresh clients have no value yet. It reports whether a value that clients have changed, and
// whether a change waits for its tick.
func (t *Tracker) takeDeclared(recs []declaredRec, now []Declared, fresh bool) (_ []declaredRec, changed, waits bool) {
	for i, k := 0, 0; k < len(now); i++ {
		if i == len(recs) || recs[i].value > now[k].Value {
			recs = slices.Insert(recs, i, declaredRec{value: now[k].Value})
		}
		if recs[i].value == now[k].Value {
			k++
		}
	}
	for i := range recs {
		r, n := &recs[i], uint32(0)
		if len(now) > 0 && now[0].Value == r.value {
			n, now = now[0].N, now[1:]
		}
		def := &t.rules.Values[r.value]
		every := When{PerS: int(def.PerS)}
		switch d := ValueOf(0, n) - ValueOf(0, r.n); {
		case d == 0:
		case fresh:
			r.n, r.at, changed = n, t.tick, true
		case def.When == rules.ValueInitial:
		case n != 0 && r.n != 0 && max(d, -d) < def.Step: // clients learn at once that it left its start, or is back
		case !every.due(t.tick, t.rules.TickRate):
			waits = true
		default:
			r.n, r.at, changed = n, t.tick, true
		}
	}
	return recs, changed, waits
}

// setDeclared takes over an entity's values from the next rows of a view, and reports whether
// clients learn of a change.
func (t *Tracker) setDeclared(h grid.Handle, r *record, rows *[]Declared, fresh bool) (changed bool) {
	n := 0
	for n < len(*rows) && (*rows)[n].Handle == h {
		n++
	}
	now := (*rows)[:n]
	*rows = (*rows)[n:]
	if n == 0 && !r.valued {
		return false
	}
	r.valued = true
	t.declared[h], changed, r.lags = t.takeDeclared(t.declared[h], now, fresh)
	if changed {
		r.valuedAt = t.tick
	}
	return changed
}

// forgetDeclared drops the values of an entity that left sight: its next stay starts without any.
func (t *Tracker) forgetDeclared(h grid.Handle, r *record) {
	if r.valued {
		delete(t.declared, h)
		r.valued, r.lags, r.valuedAt = false, false, 0
	}
}

// appendDeclaredRows appends the values that changed since base; 0: the values that are not at their start.
func appendDeclaredRows(to []Declared, h grid.Handle, recs []declaredRec, base grid.Tick) []Declared {
	for _, x := range recs {
		if x.at > base && (base != 0 || x.n != 0) {
			to = append(to, Declared{h, x.value, x.n})
		}
	}
	return to
}

// declaredPriority returns the priority of an entity's news: the priority of its type, or of its
// changed values if it has no other news.
func (t *Tracker) declaredPriority(h grid.Handle, r *record, since grid.Tick, ofType uint8) uint8 {
	if r.valuedAt <= since || r.changedBesides(since) {
		return ofType
	}
	most := uint8(0)
	for _, x := range t.declared[h] {
		if x.at > since {
			most = max(most, t.rules.Values[x.value].Priority)
		}
	}
	return most
}

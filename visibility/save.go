package visibility

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The saved form, little-endian; n is a varint:
//
//	8  "fogkeye" and the version, 1
//	2  width, 2 height in tiles, 1 occlusion, 1 number of teams
//	a team:
//	   2 teams that share its sight
//	   n  places for sources, then for each: 4 id (0 ends it), 2+2 tile, sight
//	      and detection radius, kind, 4 until
//	   n  free places, 4 id each, last given out first taken
//	   visible, explored, detected, each in runs: n dark blocks, n lit blocks,
//	      8 each; until all blocks are covered
//	2  dirty teams, 4 tick before which no source ends
//	n  timed sources, 4 id each
//	n  tiles whose ground was set: 4 place on the map, ground now, ground known
//	   to each team; a ground is level, opaque, 2 mark
//
// Two engines in the same state save the same bytes.
const saveMagic = "fogkeye\x01"

// ErrSave is wrapped by every error of [Restore]: the bytes are no saved engine, or an
// engine of another map or number of teams.
var ErrSave = errors.New("visibility: not a saved engine")

// Save appends the engine's state to b: everything on which the answers of later
// calls depend. The changes of the last step and [Stats] are not part of it.
func (e *Engine) Save(b []byte) []byte {
	le := binary.LittleEndian
	b = append(b, saveMagic...)
	b = le.AppendUint16(b, uint16(e.w))
	b = le.AppendUint16(b, uint16(e.h))
	b = append(b, byte(e.occl), byte(len(e.teams)))
	for i := range e.teams {
		b = e.SaveTeam(b, grid.Team(i))
	}
	return e.SaveRest(b)
}

// SaveTeam appends one team's part of [Engine.Save]: its sources and masks.
func (e *Engine) SaveTeam(b []byte, team grid.Team) []byte {
	le := binary.LittleEndian
	t := &e.teams[team]
	b = le.AppendUint16(b, uint16(e.feeds[team]))
	b = binary.AppendUvarint(b, uint64(len(t.list)))
	for k := range t.list {
		s := &t.list[k]
		b = le.AppendUint32(b, uint32(s.id))
		if s.id == 0 {
			continue
		}
		b = le.AppendUint16(b, uint16(s.tile.X))
		b = le.AppendUint16(b, uint16(s.tile.Y))
		b = append(b, byte(s.radius), byte(s.detect), s.kind)
		b = le.AppendUint32(b, uint32(t.until[k]))
	}
	b = appendIDs(b, t.free)
	b = e.appendRuns(b, t.now)
	b = e.appendRuns(b, t.explored)
	b = e.appendRuns(b, t.detected)
	return b
}

// SaveRest appends the part of [Engine.Save] besides the teams: the sources that end by
// themselves, and the changed ground.
func (e *Engine) SaveRest(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint16(b, uint16(e.dirty))
	b = le.AppendUint32(b, uint32(e.nextEnd))
	b = appendIDs(b, e.timed)
	b = binary.AppendUvarint(b, uint64(len(e.terrain.edits)))
	for i := range e.terrain.edits {
		ed := &e.terrain.edits[i]
		b = le.AppendUint32(b, uint32(ed.at))
		b = appendGround(b, ed.now)
		for k := range e.teams {
			b = appendGround(b, ed.known[k])
		}
	}
	return b
}

func appendIDs(b []byte, ids []SourceID) []byte {
	b = binary.AppendUvarint(b, uint64(len(ids)))
	for _, id := range ids {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return b
}

func appendGround(b []byte, g Ground) []byte {
	b = append(b, g.Level, byte(boolInt(g.Opaque)))
	return binary.LittleEndian.AppendUint16(b, g.Mark)
}

// Frozen is a copy of an engine's state, to be saved later, by any goroutine.
type Frozen struct{ e Engine }

// Freeze copies the part of [Engine.Save] besides the teams into f. [Engine.FreezeTeam] has
// to follow for each team.
func (e *Engine) Freeze(f *Frozen) {
	to := &f.e
	to.w, to.h, to.occl, to.draw = e.w, e.h, e.occl, e.draw
	to.feeds, to.dirty, to.nextEnd = e.feeds, e.dirty, e.nextEnd
	to.timed = append(to.timed[:0], e.timed...)
	to.terrain.edits = append(to.terrain.edits[:0], e.terrain.edits...)
	for len(to.teams) < len(e.teams) {
		to.teams = append(to.teams, team{})
	}
	to.teams = to.teams[:len(e.teams)]
}

// FreezeTeam copies a team's sources and masks into f. Several teams may be copied side
// by side.
func (e *Engine) FreezeTeam(f *Frozen, t grid.Team) {
	from, to := &e.teams[t], &f.e.teams[t]
	to.list, to.until, to.free = append(to.list[:0], from.list...), append(to.until[:0], from.until...), append(to.free[:0], from.free...)
	to.now, to.explored = append(to.now[:0], from.now...), append(to.explored[:0], from.explored...)
	if from.detected == nil {
		to.detected = nil
		return
	}
	to.detected = append(to.detected[:0], from.detected...)
}

// Save appends the bytes that [Engine.Save] would have written when the engine was frozen.
func (f *Frozen) Save(b []byte) []byte { return f.e.Save(b) }

// appendRuns writes the blocks of a mask. It expects most blocks to be empty. A mask that
// was never made is written differently from an empty one.
func (e *Engine) appendRuns(b []byte, mask []uint64) []byte {
	b = append(b, byte(boolInt(mask != nil)))
	n := 0
	if mask != nil {
		n = e.draw.mapW * e.draw.mapH
	}
	word := func(i int) uint64 { return mask[e.draw.place(i%e.draw.mapW, i/e.draw.mapW)] }
	for i := 0; i < n; {
		dark := i
		for i < n && word(i) == 0 {
			i++
		}
		lit := i
		for i < n && word(i) != 0 {
			i++
		}
		b = binary.AppendUvarint(b, uint64(lit-dark))
		b = binary.AppendUvarint(b, uint64(i-lit))
		for ; lit < i; lit++ {
			b = binary.LittleEndian.AppendUint64(b, word(lit))
		}
	}
	return b
}

// Restore returns the engine that [Engine.Save] wrote. c must be the configuration
// of the saved engine; its map is needed because only changed ground is saved. The
// bytes are checked before they are used. Errors wrap [ErrSave] and have the
// offset.
func Restore(c Config, b []byte) (*Engine, error) {
	e, err := New(c)
	if err != nil {
		return nil, err
	}
	r := loader{b: b}
	if string(r.take(len(saveMagic))) != saveMagic {
		return nil, fmt.Errorf("%w: offset 0: header is not %q", ErrSave, saveMagic)
	}
	w, h, occl, teams := int(r.u16()), int(r.u16()), grid.Occlusion(r.u8()), int(r.u8())
	if w != e.w || h != e.h || occl != e.occl || teams != len(e.teams) {
		r.fail("it is of a map of %dx%d, %v, and %d teams, not of %dx%d, %v, %d", w, h, occl, teams, e.w, e.h, e.occl, len(e.teams))
	}
	for i := range e.teams {
		e.loadTeam(&r, i)
	}
	e.dirty = r.teams(len(e.teams))
	e.nextEnd = grid.Tick(r.u32())
	e.timed = r.ids(e, "timed source")
	e.loadGround(&r)
	if r.at != len(b) {
		r.fail("%d bytes too many", len(b)-r.at)
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, r.err)
	}
	// Eyes depend on the ground, which has only been read now.
	for i := range e.teams {
		e.setEyes(&e.teams[i])
	}
	return e, nil
}

func (e *Engine) loadTeam(r *loader, i int) {
	t := &e.teams[i]
	e.feeds[i] = r.teams(len(e.teams))
	if !e.feeds[i].Has(grid.Team(i)) {
		r.fail("team %d does not see what it sees itself", i)
	}
	n := r.count(sourcesMax, 4, "sources")
	for k := range n {
		id := SourceID(r.u32())
		s, until := eyeSource{radius: noRadius}, grid.Tick(0)
		if id != 0 {
			s.id = id
			s.tile = grid.Tile{X: int16(r.u16()), Y: int16(r.u16())}
			s.radius, s.detect, s.kind = Radius(r.u8()), Radius(r.u8()), r.u8()
			until = grid.Tick(r.u32())
			src := Source{s.tile, s.radius, s.detect, s.kind&kindFlyer != 0, s.kind &^ kindFlyer, until}
			if err := src.Check(e.w, e.h); err != nil {
				r.fail("%w", err)
			}
			if id.team() != grid.Team(i) || id.place() != k || id < genUnit {
				r.fail("source %#x is in place %d of team %d", uint32(id), k, i)
			}
		}
		if r.err != nil {
			return
		}
		t.list, t.until = append(t.list, s), append(t.until, until)
		t.detectors += boolInt(s.detect > 0)
	}
	t.free = r.ids(e, "free source")
	empty := 0
	for k := range t.list {
		empty += boolInt(t.list[k].id == 0)
	}
	taken := map[int]bool{}
	for _, id := range t.free {
		if id.team() != grid.Team(i) || id.place() >= n || t.list[id.place()].id != 0 || taken[id.place()] {
			r.fail("free source %#x of team %d has no empty place of its own", uint32(id), i)
		}
		taken[id.place()] = true
	}
	if empty != len(t.free) {
		r.fail("team %d has %d empty places and %d free ones", i, empty, len(t.free))
	}
	r.runs(e, "visible", t.now)
	r.runs(e, "explored", t.explored)
	if r.peek() == 0 {
		r.u8()
	} else {
		t.detected = make([]uint64, len(t.now))
		r.runs(e, "detected", t.detected)
	}
	for k := range t.now {
		if t.now[k]&^t.explored[k] != 0 {
			r.fail("team %d sees what it has not explored", i)
		}
	}
	// The patches of now are not saved. So the next two steps must compare and
	// clear whole masks.
	t.sweeps = 2
	t.detUnclean = t.detected != nil
}

func (e *Engine) loadGround(r *loader) {
	t := &e.terrain
	n := r.count(e.w*e.h, 4+4+4*len(e.teams), "changed tiles")
	last := -1
	for range n {
		at := int(r.u32())
		if at <= last || at >= e.w*e.h {
			r.fail("changed tile %d after %d of %d", at, last, e.w*e.h)
		}
		ed := edit{at: at, now: r.ground()}
		known := [grid.TeamsMax]Ground{}
		for k := range e.teams {
			known[k] = r.ground()
		}
		if r.err != nil {
			return
		}
		last = at
		ed.first, ed.known = t.original(at), known
		for k := range e.teams {
			if known[k] != ed.now {
				ed.pending = ed.pending.With(grid.Team(k))
			}
		}
		for k := len(e.teams); k < len(ed.known); k++ {
			ed.known[k] = ed.first
		}
		t.pending += boolInt(ed.pending != 0)
		t.levels[at], t.stands[at] = ed.now.Level, ed.now.Level+uint8(boolInt(ed.now.Opaque))
		t.edits = append(t.edits, ed)
	}
}

// setEyes computes the data that drawing needs and the saved form lacks.
func (e *Engine) setEyes(t *team) {
	for k := range t.list {
		if s := &t.list[k]; s.id != 0 {
			s.eye = eyeAll
			if s.kind&kindFlyer == 0 {
				s.eye = e.terrain.eye(s.tile, s.kind)
			}
			e.prepare(s.radius, s.detect, s.kind&kindFlyer != 0)
		}
	}
}

// loader reads fields of b in their order. After the first error it returns zeros.
type loader struct {
	b   []byte
	at  int
	err error
}

// fail notes an error, if it is the first: later values were read as zeros.
func (r *loader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("offset %d: "+format, append([]any{r.at}, args...)...)
	}
}

func (r *loader) take(n int) []byte {
	if len(r.b)-r.at < n {
		r.fail("%d bytes needed, %d left", n, len(r.b)-r.at)
	}
	if r.err != nil {
		return make([]byte, n)
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *loader) u8() uint8   { return r.take(1)[0] }
func (r *loader) u16() uint16 { return binary.LittleEndian.Uint16(r.take(2)) }
func (r *loader) u32() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

func (r *loader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.at:])
	if n <= 0 || n > 1 && r.b[r.at+n-1] == 0 { // each number has only one encoding
		r.fail("no number")
		return 0
	}
	r.at += n
	return v
}

// count reads how many items follow. It must be at most limit, and at most as many as the
// remaining bytes can hold. So a false count does not allocate.
func (r *loader) count(limit, bytes int, what string) int {
	n := r.uvarint()
	if n > uint64(limit) || n*uint64(bytes) > uint64(len(r.b)-r.at) {
		r.fail("%d %s: at most %d, and %d bytes are left", n, what, limit, len(r.b)-r.at)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

func (r *loader) teams(n int) grid.TeamSet {
	s := grid.TeamSet(r.u16())
	if s>>n != 0 {
		r.fail("teams %#x of %d", s, n)
	}
	return s
}

func (r *loader) ids(e *Engine, what string) []SourceID {
	var ids []SourceID
	for range r.count(grid.TeamsMax*sourcesMax, 4, what+"s") {
		id := SourceID(r.u32())
		if int(id.team()) >= len(e.teams) {
			r.fail("%s %#x is of team %d of %d", what, uint32(id), id.team(), len(e.teams))
		}
		ids = append(ids, id)
	}
	return ids
}

func (r *loader) ground() Ground {
	g := Ground{Level: r.u8()}
	opaque := r.u8()
	g.Opaque, g.Mark = opaque == 1, r.u16()
	if opaque > 1 || g.Level >= grid.LevelsMax {
		r.fail("ground of level %d, opaque %d", g.Level, opaque)
	}
	return g
}

// peek returns the next byte without consuming it.
func (r *loader) peek() uint8 {
	if r.err != nil || r.at == len(r.b) {
		return 0
	}
	return r.b[r.at]
}

// runs reads the output of appendRuns into a mask.
func (r *loader) runs(e *Engine, what string, mask []uint64) {
	if there := r.u8(); there != 1 {
		r.fail("no %s tiles", what)
	}
	c := &e.draw
	n := c.mapW * c.mapH
	for i := 0; i < n && r.err == nil; {
		dark, lit := r.uvarint(), r.uvarint()
		left := uint64(n - i)
		if dark > left || lit > left-dark || dark+lit == 0 || lit == 0 && dark != left || i > 0 && dark == 0 {
			r.fail("%s: %d dark and %d lit blocks of %d left", what, dark, lit, left)
		}
		i += int(dark)
		for ; lit > 0 && r.err == nil; lit-- {
			w := binary.LittleEndian.Uint64(r.take(8))
			bx, by := i%c.mapW, i/c.mapW
			if w == 0 || w&^c.onMap(bx, by) != 0 {
				r.fail("%s: block %d is dark, or lit off the map", what, i)
				return
			}
			mask[c.place(bx, by)] = w
			i++
		}
	}
}

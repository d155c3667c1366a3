package visibility

import (
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/internal/archive"
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
// calls depend. It contains neither the changes of the last step nor [Stats].
func (e *Engine) Save(b []byte) []byte {
	a := archive.Writer(b)
	e.state(a)
	return a.Bytes()
}

// SaveTeam appends one team's part of [Engine.Save]: its sources and masks.
func (e *Engine) SaveTeam(b []byte, team grid.Team) []byte {
	a := archive.Writer(b)
	e.teamState(a, team)
	return a.Bytes()
}

// SaveRest appends the part of [Engine.Save] besides the teams: the sources that end by
// themselves, and the changed ground.
func (e *Engine) SaveRest(b []byte) []byte {
	a := archive.Writer(b)
	e.restState(a)
	return a.Bytes()
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

// Restore returns the engine that [Engine.Save] wrote. c must be the configuration
// of the saved engine; its map is needed because only changed ground is saved. The
// bytes are checked before they are used. Errors wrap [ErrSave] and have the
// offset.
func Restore(c Config, b []byte) (*Engine, error) {
	e, err := New(c)
	if err != nil {
		return nil, err
	}
	a := archive.Reader(b)
	e.state(a)
	if err := a.End(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, err)
	}
	// Eyes depend on the ground, which has only been read now.
	for i := range e.teams {
		e.setEyes(&e.teams[i])
	}
	return e, nil
}

// state describes the saved form, for writing and reading.
func (e *Engine) state(a *archive.Archive) {
	a.Magic(saveMagic)
	w, h, occl, teams := uint16(e.w), uint16(e.h), e.occl, uint8(len(e.teams))
	archive.Half(a, &w)
	archive.Half(a, &h)
	archive.Octet(a, &occl)
	a.U8(&teams)
	if int(w) != e.w || int(h) != e.h || occl != e.occl || int(teams) != len(e.teams) {
		a.Fail("it is of a map of %dx%d, %v, and %d teams, not of %dx%d, %v, %d", w, h, occl, teams, e.w, e.h, e.occl, len(e.teams))
	}
	for i := range e.teams {
		e.teamState(a, grid.Team(i))
	}
	e.restState(a)
}

func (e *Engine) teamState(a *archive.Archive, team grid.Team) {
	t := &e.teams[team]
	e.setState(a, &e.feeds[team])
	if !e.feeds[team].Has(team) {
		a.Fail("team %d does not see the tiles of its own sources", team)
	}
	n := a.Count(len(t.list), 4)
	if n > sourcesMax {
		a.Fail("%d sources: at most %d", n, sourcesMax)
	}
	for k := 0; k < n && a.Err() == nil; k++ {
		if a.Reading() {
			t.list, t.until = append(t.list, eyeSource{radius: noRadius}), append(t.until, 0)
		}
		e.sourceState(a, team, k)
	}
	e.idsState(a, "free source", &t.free)
	if a.Reading() {
		t.checkFree(a, team)
	}
	e.maskState(a, "visible", &t.now)
	e.maskState(a, "explored", &t.explored)
	e.maskState(a, "detected", &t.detected)
	if !a.Reading() {
		return
	}
	for k := range t.now {
		if t.now[k]&^t.explored[k] != 0 {
			a.Fail("team %d sees tiles that it has not explored", team)
		}
	}
	// The patches of now are not saved. So the next two steps must compare and
	// clear whole masks.
	t.sweeps = 2
	t.detUnclean = t.detected != nil
}

// sourceState is the k-th place for a source of a team.
func (e *Engine) sourceState(a *archive.Archive, team grid.Team, k int) {
	t := &e.teams[team]
	s := &t.list[k]
	if archive.Word(a, &s.id); s.id == 0 {
		return
	}
	archive.Half(a, &s.tile.X)
	archive.Half(a, &s.tile.Y)
	archive.Octet(a, &s.radius)
	archive.Octet(a, &s.detect)
	a.U8(&s.kind)
	archive.Word(a, &t.until[k])
	if !a.Reading() {
		return
	}
	if err := t.source(k).Check(e.w, e.h); err != nil {
		a.Fail("%w", err)
	}
	if s.id.team() != team || s.id.place() != k || s.id < genUnit {
		a.Fail("source %#x is in place %d of team %d", uint32(s.id), k, team)
	}
	t.detectors += boolInt(s.detect > 0)
}

// checkFree checks that the free places are those without a source.
func (t *team) checkFree(a *archive.Archive, team grid.Team) {
	empty, taken := 0, map[int]bool{}
	for k := range t.list {
		empty += boolInt(t.list[k].id == 0)
	}
	for _, id := range t.free {
		if id.team() != team || id.place() >= len(t.list) || t.list[id.place()].id != 0 || taken[id.place()] {
			a.Fail("free source %#x of team %d has no empty place", uint32(id), team)
		}
		taken[id.place()] = true
	}
	if empty != len(t.free) {
		a.Fail("team %d has %d empty places and %d free ones", team, empty, len(t.free))
	}
}

func (e *Engine) restState(a *archive.Archive) {
	e.setState(a, &e.dirty)
	archive.Word(a, &e.nextEnd)
	e.idsState(a, "timed source", &e.timed)
	t, last := &e.terrain, -1
	archive.ShortList(a, &t.edits, 4+4+4*len(e.teams), func(ed *edit) {
		if a.Err() == nil {
			e.editState(a, ed, last)
			last = ed.at
		}
	})
}

// editState is a tile whose ground was set, the next after the last one.
func (e *Engine) editState(a *archive.Archive, ed *edit, last int) {
	at := uint32(ed.at)
	archive.Word(a, &at)
	if int64(at) <= int64(last) || int64(at) >= int64(e.w*e.h) {
		a.Fail("changed tile %d after %d of %d", at, last, e.w*e.h)
	}
	groundState(a, &ed.now)
	for k := range e.teams {
		groundState(a, &ed.known[k])
	}
	if !a.Reading() || a.Err() != nil {
		return
	}
	t := &e.terrain
	ed.at, ed.first = int(at), t.original(int(at))
	for k := range ed.known {
		if k >= len(e.teams) {
			ed.known[k] = ed.first
		} else if ed.known[k] != ed.now {
			ed.pending = ed.pending.With(grid.Team(k))
		}
	}
	t.pending += boolInt(ed.pending != 0)
	t.levels[at], t.stands[at] = ed.now.Level, ed.now.Level+uint8(boolInt(ed.now.Opaque))
}

func groundState(a *archive.Archive, g *Ground) {
	a.U8(&g.Level)
	opaque := uint8(boolInt(g.Opaque))
	a.U8(&opaque)
	archive.Half(a, &g.Mark)
	if !a.Reading() {
		return
	}
	if g.Opaque = opaque == 1; opaque > 1 || g.Level >= grid.LevelsMax {
		a.Fail("ground of level %d, opaque %d", g.Level, opaque)
	}
}

// setState is a set of the engine's teams.
func (e *Engine) setState(a *archive.Archive, s *grid.TeamSet) {
	if archive.Half(a, s); *s>>len(e.teams) != 0 {
		a.Fail("teams %#x of %d", *s, len(e.teams))
	}
}

func (e *Engine) idsState(a *archive.Archive, subject string, ids *[]SourceID) {
	archive.ShortList(a, ids, 4, func(id *SourceID) {
		if archive.Word(a, id); int(id.team()) >= len(e.teams) {
			a.Fail("%s %#x is of team %d of %d", subject, uint32(*id), id.team(), len(e.teams))
		}
	})
}

// maskState is a mask in runs of blocks. Most blocks are expected to be empty. A mask of
// detection that was never made is written differently from an empty one.
func (e *Engine) maskState(a *archive.Archive, subject string, mask *[]uint64) {
	made := uint8(boolInt(*mask != nil))
	switch a.U8(&made); {
	case made == 0 && *mask == nil:
		return
	case made != 1:
		a.Fail("no %s tiles", subject)
	case *mask == nil:
		*mask = make([]uint64, e.draw.words)
	}
	c, words := &e.draw, *mask
	n := c.mapW * c.mapH
	word := func(i int) *uint64 { return &words[c.place(i%c.mapW, i/c.mapW)] }
	for i := 0; i < n && a.Err() == nil; {
		dark, lit := uint64(0), uint64(0)
		if !a.Reading() {
			at := i
			for ; at < n && *word(at) == 0; at++ {
				dark++
			}
			for ; at < n && *word(at) != 0; at++ {
				lit++
			}
		}
		archive.Num(a, &dark)
		archive.Num(a, &lit)
		if left := uint64(n - i); a.Reading() && (dark > left || lit > left-dark || dark+lit == 0 || lit == 0 && dark != left || i > 0 && dark == 0) {
			a.Fail("%s: %d dark and %d lit blocks of %d left", subject, dark, lit, left)
			return
		}
		for i += int(dark); lit > 0; lit-- {
			w := word(i)
			if a.U64(w); a.Reading() && (*w == 0 || *w&^c.onMap(i%c.mapW, i/c.mapW) != 0) {
				a.Fail("%s: block %d is dark, or lit off the map", subject, i)
				return
			}
			i++
		}
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

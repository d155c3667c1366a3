package visibility

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Ghosts is what teams remember of structures that they saw and see no longer.
//
//	Put, Drop ──► what stands        Engine.Step ──► what is seen
//	                    └──► Ghosts.Step ◄──┘
//	                              └──► Of(team): frozen pictures
//
// A structure is seen by a team while any tile of its footprint is. When the
// last one goes dark, the team keeps a ghost: the structure's picture as of the
// last step in which it was seen, so that what happens to it in the very tick
// in which it is lost stays unknown. A ghost does not change, whatever becomes
// of the structure, until a tile of its footprint is seen again: then what
// stands there is seen, or nothing is.
//
// What a picture holds (type, owner, health, facing) is the caller's business.
type Ghosts struct {
	e     *Engine
	built []structure // sorted by id
	teams []memory
	stale bool // something was put or dropped since the last step
}

// Ghost is a structure as a team last saw it.
type Ghost struct {
	ID      grid.EntityID
	At      grid.Tile // north-western tile of the footprint
	W, H    uint8     // size of the footprint in tiles
	Picture []byte    // read-only
}

// structure is what stands, or stood until this tick.
type structure struct {
	Ghost
	shown   []byte       // the picture as of the last step
	changed bool         // Picture is newer than shown
	gone    bool         // dropped since the last step
	seen    grid.TeamSet // as of the last step
}

// memory is what one team remembers, and what the last step changed in it.
type memory struct {
	ghosts       []Ghost // sorted by id
	frozen, gone []grid.EntityID
}

// NewGhosts returns a memory without ghosts for the engine's teams.
func NewGhosts(e *Engine) *Ghosts { return &Ghosts{e: e, teams: make([]memory, len(e.teams))} }

// Put says that a structure stands, or what it looks like now. The picture is
// copied. A footprint has 1 to 255 tiles a side and begins on the map.
func (g *Ghosts) Put(id grid.EntityID, at grid.Tile, w, h int, picture []byte) {
	if !g.e.in(at) || w < 1 || w > 255 || h < 1 || h > 255 {
		panic(fmt.Sprintf("visibility: structure %v: footprint of %dx%d at %v", id, w, h, at))
	}
	i, ok := g.find(id)
	if !ok {
		g.built = slices.Insert(g.built, i, structure{Ghost: Ghost{ID: id}})
	}
	s := &g.built[i]
	s.At, s.W, s.H, s.gone = at, uint8(w), uint8(h), false
	s.Picture = append(s.Picture[:0], picture...)
	s.changed, g.stale = true, true
}

// Drop says that a structure is gone. Teams that do not see the place as of the
// next step keep, or get, its ghost. Dropping what does not stand does nothing.
func (g *Ghosts) Drop(id grid.EntityID) {
	if i, ok := g.find(id); ok {
		g.built[i].gone, g.stale = true, true
	}
}

func (g *Ghosts) find(id grid.EntityID) (int, bool) {
	return slices.BinarySearchFunc(g.built, id, func(s structure, id grid.EntityID) int { return cmp.Compare(s.ID, id) })
}

// Step follows a step of the engine and must come after each, before anything
// is put or dropped for the next tick.
func (g *Ghosts) Step() {
	moved := g.stale
	for i := range g.teams {
		g.teams[i].frozen, g.teams[i].gone = g.teams[i].frozen[:0], g.teams[i].gone[:0]
		moved = moved || g.e.teams[i].turned
	}
	if !moved {
		return
	}
	g.stale = false
	// 1. Ghosts of which a tile is seen go: what stands there is seen, or nothing.
	for i := range g.teams {
		m, t := &g.teams[i], grid.Team(i)
		m.ghosts = slices.DeleteFunc(m.ghosts, func(gh Ghost) bool {
			seen := g.e.TeamsSeeingAny(gh.At, int(gh.W), int(gh.H)).Has(t)
			if seen {
				m.gone = append(m.gone, gh.ID)
			}
			return seen
		})
	}
	// 2. What went out of sight leaves a ghost, as it was when it was last seen.
	for i := range g.built {
		s := &g.built[i]
		seers := g.e.TeamsSeeingAny(s.At, int(s.W), int(s.H))
		for lost := s.seen &^ seers; lost != 0; lost &= lost - 1 {
			g.freeze(s, lost&-lost)
		}
		s.seen = seers
		if s.changed {
			s.shown, s.changed = append(s.shown[:0], s.Picture...), false
		}
	}
	// 3. What is gone needs to be followed no longer.
	g.built = slices.DeleteFunc(g.built, func(s structure) bool { return s.gone })
}

// freeze gives the one team of the set the structure's ghost.
func (g *Ghosts) freeze(s *structure, one grid.TeamSet) {
	for i := range g.teams {
		m := &g.teams[i]
		if !one.Has(grid.Team(i)) {
			continue
		}
		ghost := s.Ghost
		ghost.Picture = slices.Clone(s.shown)
		at, old := slices.BinarySearchFunc(m.ghosts, s.ID, func(gh Ghost, id grid.EntityID) int { return cmp.Compare(gh.ID, id) })
		if old {
			m.ghosts[at] = ghost
		} else {
			m.ghosts = slices.Insert(m.ghosts, at, ghost)
		}
		m.frozen = append(m.frozen, s.ID)
	}
}

// Of yields the ghosts that the team remembers, sorted by id.
func (g *Ghosts) Of(t grid.Team) iter.Seq[Ghost] {
	g.e.mustTeam(t)
	return slices.Values(g.teams[t].ghosts)
}

// Frozen yields the structures that turned into ghosts for the team in the last
// step.
func (g *Ghosts) Frozen(t grid.Team) iter.Seq[grid.EntityID] {
	g.e.mustTeam(t)
	return slices.Values(g.teams[t].frozen)
}

// Gone yields the ghosts that the team gave up in the last step. If the
// structure still stands, [Ghosts.Seeing] has the team.
func (g *Ghosts) Gone(t grid.Team) iter.Seq[grid.EntityID] {
	g.e.mustTeam(t)
	return slices.Values(g.teams[t].gone)
}

// Seeing returns the teams that saw the structure itself as of the last step,
// none if it does not stand.
func (g *Ghosts) Seeing(id grid.EntityID) grid.TeamSet {
	if i, ok := g.find(id); ok {
		return g.built[i].seen
	}
	return 0
}

const ghostsMagic = "fogkgho\x01"

// Save appends the memory to b, without what the last step changed. After the
// header come: 1 number of teams; n structures, each with a flag byte (1
// changed, 2 gone), 2 teams that see it, its picture of now and of the last
// step; then each team's n ghosts. A ghost or structure begins with 4 id, 2+2
// tile, 1+1 size; a picture is n bytes; n is a varint. The last byte says
// whether anything was put or dropped since the last step.
func (g *Ghosts) Save(b []byte) []byte {
	b = append(append(b, ghostsMagic...), byte(len(g.teams)))
	b = binary.AppendUvarint(b, uint64(len(g.built)))
	for i := range g.built {
		s := &g.built[i]
		b = appendGhost(b, &s.Ghost)
		b = append(b, byte(boolInt(s.changed)|boolInt(s.gone)<<1))
		b = binary.LittleEndian.AppendUint16(b, uint16(s.seen))
		b = appendPicture(b, s.shown)
	}
	for i := range g.teams {
		b = binary.AppendUvarint(b, uint64(len(g.teams[i].ghosts)))
		for k := range g.teams[i].ghosts {
			b = appendGhost(b, &g.teams[i].ghosts[k])
		}
	}
	return append(b, byte(boolInt(g.stale)))
}

func appendGhost(b []byte, g *Ghost) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(g.ID))
	b = binary.LittleEndian.AppendUint16(b, uint16(g.At.X))
	b = binary.LittleEndian.AppendUint16(b, uint16(g.At.Y))
	return appendPicture(append(b, g.W, g.H), g.Picture)
}

func appendPicture(b, p []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(p))), p...)
}

// RestoreGhosts returns the memory that [Ghosts.Save] wrote, for an engine that
// was restored to the same moment. Its errors wrap [ErrSave].
func RestoreGhosts(e *Engine, b []byte) (*Ghosts, error) {
	r := loader{b: b}
	g := NewGhosts(e)
	if string(r.take(len(ghostsMagic))) != ghostsMagic {
		return nil, fmt.Errorf("%w: offset 0: header is not %q", ErrSave, ghostsMagic)
	}
	if n := int(r.u8()); r.err == nil && n != len(g.teams) {
		r.fail("%d teams, the engine has %d", n, len(g.teams))
	}
	const ghostBytes = 4 + 2 + 2 + 1 + 1 + 1
	last := int64(-1)
	for range r.count(1<<24, ghostBytes+4, "structures") {
		s := structure{Ghost: r.ghost(e, &last)}
		flags := r.u8()
		s.changed, s.gone, s.seen, s.shown = flags&1 != 0, flags&2 != 0, r.teams(len(g.teams)), r.picture()
		if r.err == nil && flags > 3 {
			r.fail("structure %v has flags %#x", s.ID, flags)
		}
		g.built = append(g.built, s)
	}
	for i := range g.teams {
		last := int64(-1)
		for range r.count(1<<24, ghostBytes, "ghosts") {
			g.teams[i].ghosts = append(g.teams[i].ghosts, r.ghost(e, &last))
		}
	}
	stale := r.u8()
	g.stale = stale == 1
	if r.err == nil && (stale > 1 || r.at != len(b)) {
		r.fail("it does not end here")
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSave, r.err)
	}
	return g, nil
}

// ghost reads a ghost whose id is above the last one.
func (r *loader) ghost(e *Engine, last *int64) Ghost {
	g := Ghost{ID: grid.EntityID(r.u32()), At: grid.Tile{X: int16(r.u16()), Y: int16(r.u16())}, W: r.u8(), H: r.u8()}
	g.Picture = r.picture()
	if r.err == nil && (int64(g.ID) <= *last || !e.in(g.At) || g.W < 1 || g.H < 1) {
		r.fail("structure %v: out of order, or footprint of %dx%d at %v", g.ID, g.W, g.H, g.At)
	}
	*last = int64(g.ID)
	return g
}

func (r *loader) picture() []byte {
	return slices.Clone(r.take(r.count(len(r.b), 1, "bytes of a picture")))
}

package inspect

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// History knows of each span of a match which tiles each team saw at any tick in it. The player of the match calls it
// for every tick from its start, in order. A span has a few seconds at first. History keeps only the blocks whose tiles
// differ from the span before.
type History struct {
	limit  int
	span   grid.Tick // ticks of a span
	first  grid.Tick // the first tick that was noted
	last   grid.Tick // the last tick that was noted
	began  bool
	blocks int // of 8x8 tiles, of the map
	teams  []sightLog
	bytes  int
}

// sightLog is the history of one team.
type sightLog struct {
	now   []uint64      // of the span in work: its blocks, row by row
	prev  []uint64      // of the span before
	spans [][]blockDiff // of each complete span: the blocks that differ from the one before
}

type blockDiff struct {
	at   uint32
	high uint32 // of the tiles that differ; eight bytes as one word would be padded
	low  uint32
}

func (d *blockDiff) tiles() uint64 { return uint64(d.high)<<32 | uint64(d.low) }

// NewHistory returns a history with spans of so many ticks at first. Beyond bytesMax, its spans get longer.
func NewHistory(span grid.Tick, bytesMax int) *History { return &History{span: span, limit: bytesMax} }

// Bytes returns about how much memory it takes.
func (h *History) Bytes() int { return h.bytes }

func blockIndex(w *sim.World, at grid.Tile) int { return int(at.Y)>>3*((w.Map().W+7)/8) + int(at.X)>>3 }

// Note takes in the tick that a world has reached: the one after the last.
func (h *History) Note(w *sim.World) {
	now := w.Tick()
	m := w.Map()
	if !h.began {
		h.began, h.first, h.blocks = true, now, ((m.W+7)/8)*((m.H+7)/8)
		h.teams = make([]sightLog, w.Teams())
		for t := range h.teams {
			h.teams[t] = sightLog{now: make([]uint64, h.blocks), prev: make([]uint64, h.blocks)}
			h.whole(w, grid.Team(t))
		}
		h.bytes = 16 * h.blocks * len(h.teams)
		h.last = now
		return
	}
	if h.spanOf(now) != h.spanOf(h.last) {
		h.complete()
		for t := range h.teams {
			h.whole(w, grid.Team(t))
		}
	} else {
		for t := range h.teams {
			for c := range w.Eyes().Changes(grid.Team(t)) {
				h.teams[t].now[blockIndex(w, grid.Tile{X: c.X, Y: c.Y})] |= c.Shown
			}
		}
	}
	h.last = now
}

// spanOf returns the number of the span that a tick is in, from 0.
func (h *History) spanOf(t grid.Tick) int { return int((t - h.first) / h.span) }

// begins returns the first tick of a span.
func (h *History) begins(span int) grid.Tick { return h.first + grid.Tick(span)*h.span }

// whole takes in all that a team sees at the first tick of a span.
func (h *History) whole(w *sim.World, t grid.Team) {
	mask := w.Eyes().Mask(visibility.VisibleNow, t)
	cols := (w.Map().W + 7) / 8
	for i := range h.teams[t].now {
		h.teams[t].now[i] = mask.Block(grid.Tile{X: int16(i % cols * 8), Y: int16(i / cols * 8)})
	}
}

// complete ends the span in work.
func (h *History) complete() {
	for t := range h.teams {
		s := &h.teams[t]
		s.spans = append(s.spans, diffOf(s.prev, s.now))
		h.bytes += 12 * len(s.spans[len(s.spans)-1])
		s.now, s.prev = s.prev, s.now
	}
	for h.bytes > h.limit && len(h.teams[0].spans) > 1 && len(h.teams[0].spans)%2 == 0 {
		h.join()
	}
}

func diffOf(was, now []uint64) (out []blockDiff) {
	for i, w := range now {
		if d := w ^ was[i]; d != 0 {
			out = append(out, blockDiff{uint32(i), uint32(d >> 32), uint32(d)})
		}
	}
	return out
}

// join makes one span of each two.
func (h *History) join() {
	h.bytes = 16 * h.blocks * len(h.teams)
	for t := range h.teams {
		s := &h.teams[t]
		at, before := make([]uint64, h.blocks), make([]uint64, h.blocks)
		var spans [][]blockDiff
		for i := 0; i+1 < len(s.spans); i += 2 {
			apply(at, s.spans[i])
			first := slices.Clone(at)
			apply(at, s.spans[i+1])
			both := slices.Clone(at)
			for k := range both {
				both[k] |= first[k]
			}
			spans = append(spans, diffOf(before, both))
			h.bytes += 12 * len(spans[len(spans)-1])
			before = both
		}
		s.spans, s.prev = spans, before
	}
	h.span *= 2
}

func apply(at []uint64, diff []blockDiff) {
	for i := range diff {
		at[diff[i].at] ^= diff[i].tiles()
	}
}

// Seen returns spans of ticks in which a team saw a tile at some tick; a walk through
// them finds the tick. last are those to look in for the last tick up to before, the
// newest first: the span of before itself may have it seen only later, so there may be
// two. first is the first of all. There are none where the team never saw the tile.
func (h *History) Seen(w *sim.World, team grid.Team, at grid.Tile, before grid.Tick) (last []Span, first Span) {
	if !h.began || before < h.first {
		return nil, first
	}
	block, bit := uint32(blockIndex(w, at)), uint64(1)<<(uint(at.Y)&7<<3|uint(at.X)&7)
	s, word := &h.teams[team], uint64(0)
	own, earlier, began := -1, -1, -1
	for i := range len(s.spans) + 1 {
		if h.begins(i) > before {
			break
		}
		if i == len(s.spans) {
			word = s.now[block]
		} else if k, has := slices.BinarySearchFunc(s.spans[i], block, func(d blockDiff, b uint32) int { return cmp.Compare(d.at, b) }); has {
			word ^= s.spans[i][k].tiles()
		}
		switch {
		case word&bit == 0:
			continue
		case h.begins(i+1) > before:
			own = i
		default:
			earlier = i
		}
		if began < 0 {
			began = i
		}
	}
	for _, i := range []int{own, earlier} {
		if i >= 0 {
			last = append(last, h.ticks(i, before))
		}
	}
	if began >= 0 {
		first = h.ticks(began, before)
	}
	return last, first
}

// Span is some ticks, both ends included.
type Span struct{ From, To grid.Tick }

func (h *History) ticks(span int, last grid.Tick) Span {
	return Span{h.begins(span), min(h.begins(span+1)-1, last, h.last)}
}

package sim

import "github.com/fogkeep/fogkeep/match/grid"

// reach answers whether there is a way between two tiles over the ground as a
// team knows it: tiles with the same label are connected. Labels are kept up
// as the ground changes, and made anew only when a change may have cut the
// ground in two or joined two parts. Which label a part has is of no
// consequence, only which tiles share one; so labels need not be saved.
type reach struct {
	made  bool
	label []int32 // by tile; 0: not open
	next  int32   // highest label given out
	queue []int32
}

// reachable reports whether e can come to the tile, as far as its team knows:
// to the tile itself or, where that is not open, to one not far from it: beside
// a building, at the foot of a cliff.
func (w *World) reachable(e *Entity, to grid.Tile) bool {
	k := w.rules.Types[e.typ].Move
	if k == grid.Air {
		return true
	}
	r := w.labels(&w.teams[e.team], k)
	from := w.labelNear(r, e.Tile())
	return from != 0 && w.besideLabel(r, to, from)
}

// labels returns the team's labels for a way of moving, up to date.
func (w *World) labels(t *Knowledge, k grid.MoveKind) *reach {
	r := &t.ground.reach[k]
	if r.made {
		return r
	}
	if r.label == nil && w.fromMap(r, t, k) {
		return r
	}
	r.made, r.next = true, 0
	clear(r.label)
	for i := range r.label {
		if r.label[i] == 0 && t.ground.open(w, i, k) {
			r.next++
			r.flood(w, t, k, int32(i), r.next)
		}
	}
	return r
}

// mapLabels returns the labels of the map itself, as it begins, which are made
// once a match.
func (w *World) mapLabels(k grid.MoveKind) *reach {
	base := &w.bare[k]
	if !base.made {
		n := w.m.W * w.m.H
		bare := Knowledge{ground: ground{solid: make([]uint8, n)}}
		base.made, base.label = true, make([]int32, n)
		for i := range base.label {
			if base.label[i] == 0 && bare.ground.open(w, i, k) {
				base.next++
				base.flood(w, &bare, k, int32(i), base.next)
			}
		}
	}
	return base
}

// fromMap begins a team's labels with those of the map, and takes what stands
// there into them. It reports whether that was enough.
func (w *World) fromMap(r *reach, t *Knowledge, k grid.MoveKind) bool {
	base := w.mapLabels(k)
	r.made, r.next = true, base.next
	r.label = append([]int32(nil), base.label...)
	for i, s := range t.ground.solid {
		if s != 0 && w.m.Pass[i].Has(k) {
			r.change(w, i, false)
		}
	}
	return r.made
}

// change takes a tile's change into the labels, by what lies around it.
func (r *reach) change(w *World, i int, open bool) {
	if !r.made {
		return
	}
	at := w.m.TileAt(i)
	label := func(d grid.Tile) int32 {
		if t := (grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}); w.m.In(t) {
			return r.label[w.m.Index(t)]
		}
		return 0
	}
	var side [4]int32
	for d := range side {
		side[d] = label(around[d])
	}
	if open {
		one := int32(0)
		for _, l := range side {
			if l != 0 && one != 0 && l != one {
				r.made = false // two parts are joined here
				return
			}
			one = max(one, l)
		}
		if one == 0 {
			r.next++
			one = r.next
		}
		r.label[i] = one
		return
	}
	r.label[i] = 0
	// Going round the tile, the open sides have to be linked by open corners,
	// with at most one break; else it may have been the only way.
	sides, links := 0, 0
	for d := range side {
		if side[d] == 0 {
			continue
		}
		sides++
		if side[(d+1)%4] != 0 && label(around[4+d]) != 0 {
			links++
		}
	}
	if sides > 1 && links < sides-1 {
		r.made = false
	}
}

func (r *reach) flood(w *World, t *Knowledge, k grid.MoveKind, from, label int32) {
	r.queue = append(r.queue[:0], from)
	r.label[from] = label
	for len(r.queue) > 0 {
		i := r.queue[len(r.queue)-1]
		r.queue = r.queue[:len(r.queue)-1]
		x := int(i) % w.m.W
		if x > 0 {
			r.spread(w, t, k, i-1, label)
		}
		if x < w.m.W-1 {
			r.spread(w, t, k, i+1, label)
		}
		if int(i) >= w.m.W {
			r.spread(w, t, k, i-int32(w.m.W), label)
		}
		if int(i)+w.m.W < len(r.label) {
			r.spread(w, t, k, i+int32(w.m.W), label)
		}
	}
}

func (r *reach) spread(w *World, t *Knowledge, k grid.MoveKind, i, label int32) {
	if r.label[i] == 0 && t.ground.open(w, int(i), k) {
		r.label[i] = label
		r.queue = append(r.queue, i)
	}
}

// labelNear returns the label of a tile or, if it has none (a unit that was
// pushed against a wall), of the first beside it that has one.
func (w *World) labelNear(r *reach, at grid.Tile) int32 {
	if l := r.label[w.m.Index(at)]; l != 0 {
		return l
	}
	for _, d := range around {
		if t := (grid.Tile{X: at.X + d.X, Y: at.Y + d.Y}); w.m.In(t) && r.label[w.m.Index(t)] != 0 {
			return r.label[w.m.Index(t)]
		}
	}
	return 0
}

// besideReach is how far, in tiles, a point that is not open may lie from one
// that is, to count as reachable.
const besideReach = 4

// besideLabel reports whether a tile has the label or, if it has none, one not
// far from it.
func (w *World) besideLabel(r *reach, at grid.Tile, label int32) bool {
	if !w.m.In(at) {
		return false
	}
	if l := r.label[w.m.Index(at)]; l != 0 {
		return l == label
	}
	for dy := int16(-besideReach); dy <= besideReach; dy++ {
		for dx := int16(-besideReach); dx <= besideReach; dx++ {
			if t := (grid.Tile{X: at.X + dx, Y: at.Y + dy}); w.m.In(t) && r.label[w.m.Index(t)] == label {
				return true
			}
		}
	}
	return false
}

// around are the eight neighbours, straight ones first.
var around = [8]grid.Tile{{X: 1}, {Y: 1}, {X: -1}, {Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}, {X: -1, Y: -1}, {X: 1, Y: -1}}

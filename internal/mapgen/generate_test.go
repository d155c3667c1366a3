package mapgen

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim/nav"
)

// Generated is a finished map and the name of its file without suffix.
type Generated struct {
	ID  string
	Map *grid.Map
}

// All draws the shipped maps. An error means that a recipe is wrong.
func All() ([]Generated, error) {
	var out []Generated
	for i := range recipes {
		m, err := recipes[i].draw()
		if err != nil {
			return nil, fmt.Errorf("map %s: %w", recipes[i].id, err)
		}
		out = append(out, Generated{recipes[i].id, m})
	}
	return out, nil
}

// One step of high ground is two levels, so that a ramp has a level in between.
const levelsPerStep = 2

// easel is a map being drawn.
type easel struct {
	*recipe
	m     *grid.Map
	step  []int // steps of high ground, each tile
	water []bool
	ramp  []bool
	ford  []bool
}

func (r *recipe) draw() (*grid.Map, error) {
	n := r.side * r.side
	e := &easel{recipe: r, m: grid.NewMap(r.name, r.side, r.side),
		step: make([]int, n), water: make([]bool, n), ramp: make([]bool, n), ford: make([]bool, n)}
	// 1. Outlines: where the ground is high, where it is wet. Noise frays them.
	e.each(func(i int, p point) {
		fray := e.fray(p, 14, 1)*6/256 + e.fray(p, 7, 2)*2/256
		for _, pl := range r.plateaus {
			if e.depth(pl.shape, p)+fray > 0 {
				e.step[i] = max(e.step[i], pl.step)
			}
		}
		for _, w := range r.water {
			e.water[i] = e.water[i] || (e.depth(w, p)+fray > 0 && e.step[i] == 0)
		}
		for _, f := range r.fords {
			e.ford[i] = e.ford[i] || e.depth(f, p) > 0
		}
		e.ford[i] = e.ford[i] && e.water[i]
		e.water[i] = e.water[i] && !e.ford[i]
	})
	// 2. Parts thinner than two tiles are worn away.
	for range 2 {
		e.wear()
	}
	e.bridge()
	// 3. Levels, then ramps over them, then cliffs where a level falls by two.
	e.each(func(i int, p point) { e.m.Levels[i] = grid.Level(levelsPerStep * e.step[i]) })
	e.cutRamps()
	cliff := e.cliffs()
	// 4. The ground of all parts.
	e.paint(cliff)
	for i, t := range e.m.Terrain {
		e.m.Pass[i] = grid.PassOf(t)
	}
	e.place()
	e.m.Occlusion = max(e.m.Occlusion, r.occluded)
	// 5. Places.
	for _, g := range r.symmetry {
		e.m.Starts = append(e.m.Starts, e.tile(apply(g, r.start)))
		for _, p := range r.riches {
			e.m.Resources = append(e.m.Resources, e.tile(apply(g, p)))
		}
	}
	slices.SortFunc(e.m.Resources, func(a, b grid.Tile) int { return e.m.Index(a) - e.m.Index(b) })
	e.m.Resources = slices.Compact(e.m.Resources)
	if err := e.m.Check(); err != nil {
		return nil, err
	}
	return e.m, e.connected()
}

// north-western tile of an image of a feature.
func (f *feature) tile(e *easel, g [4]int) grid.Tile {
	p := apply(g, f.middle)
	return grid.Tile{X: int16((p.u + e.side - f.side) / 2), Y: int16((p.v + e.side - f.side) / 2)}
}

// tiles calls do for the tiles of all images of a feature.
func (f *feature) tiles(e *easel, do func(i int)) {
	for _, g := range e.symmetry {
		for k := range f.side * f.side {
			at := f.tile(e, g)
			do(e.m.Index(grid.Tile{X: at.X + int16(k%f.side), Y: at.Y + int16(k/f.side)}))
		}
	}
}

// bridge lays water under the bridges.
func (e *easel) bridge() {
	for _, f := range e.features {
		if f.wet {
			f.tiles(e, func(i int) { e.water[i], e.ford[i] = true, false })
		}
	}
}

// place puts the features on the map. A feature in the middle of the map is its own image.
func (e *easel) place() {
	for _, f := range e.features {
		for k, g := range e.symmetry {
			x := grid.Feature{Type: f.typ, At: f.tile(e, g)}
			if f.link > 0 {
				x.Link = f.link + uint8(k)
			}
			if !slices.Contains(e.m.Features, x) {
				e.m.Features = append(e.m.Features, x)
			}
		}
		if f.wet {
			f.tiles(e, func(i int) { e.m.Pass[i] |= 1 << grid.Ground })
		}
	}
	slices.SortFunc(e.m.Features, func(a, b grid.Feature) int { return e.m.Index(a.At) - e.m.Index(b.At) })
}

// each calls f for every tile.
func (e *easel) each(f func(i int, p point)) {
	for i := range e.step {
		f(i, point{2*(i%e.side) - (e.side - 1), 2*(i/e.side) - (e.side - 1)})
	}
}

func (e *easel) tile(p point) grid.Tile {
	return grid.Tile{X: int16((p.u + e.side - 1) / 2), Y: int16((p.v + e.side - 1) / 2)}
}

// depth is the depth of p in the shape or any of its images, the deepest one.
func (e *easel) depth(s shape, p point) int {
	best := -1 << 20
	for _, g := range e.symmetry {
		best = max(best, s(apply(g, p)))
	}
	return best
}

// fray is noise that is the same at all images of p.
func (e *easel) fray(p point, size int, purpose uint32) int {
	sum := 0
	for _, g := range e.symmetry {
		sum += noise(apply(g, p), size, e.seed*16+purpose)
	}
	// A sum of k independent values spreads like the root of k.
	return sum * 256 / int(grid.Sqrt(uint64(len(e.symmetry))*256*256))
}

// around calls f for the tiles next to i, the diagonal ones included.
func (e *easel) around(i int, f func(j int)) {
	x, y := i%e.side, i/e.side
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			nx, ny := x+dx, y+dy
			if (dx != 0 || dy != 0) && nx >= 0 && ny >= 0 && nx < e.side && ny < e.side {
				f(ny*e.side + nx)
			}
		}
	}
}

// wear gives each tile the value of most tiles around it.
func (e *easel) wear() {
	step, water := slices.Clone(e.step), slices.Clone(e.water)
	for i := range step {
		higher, lower, wet, all := 0, 0, 0, 0
		e.around(i, func(j int) {
			all++
			if step[j] > step[i] {
				higher++
			}
			if step[j] < step[i] {
				lower++
			}
			if water[j] {
				wet++
			}
		})
		switch {
		case higher > all/2+1:
			e.step[i]++
		case lower > all/2+1:
			e.step[i]--
		}
		if !e.ford[i] {
			e.water[i] = e.step[i] == 0 && (wet > all/2 || (water[i] && wet >= all/2-1))
		}
	}
}

// cutRamps gives the tiles of each ramp the levels in between.
func (e *easel) cutRamps() {
	e.each(func(i int, p point) {
		for _, r := range e.ramps {
			for _, g := range e.symmetry {
				q := apply(g, p)
				d, along := toSegment(q, r.low, r.high)
				if d > r.r {
					continue
				}
				low := e.levelNear(r.low)
				level := low + (along*(levelsPerStep+1))/257 // 0, 1 and 2 of a step, a third each
				e.ramp[i], e.water[i] = true, false
				e.m.Levels[i] = grid.Level(level)
			}
		}
	})
}

// levelNear is the level of the ground at p, before any ramp.
func (e *easel) levelNear(p point) int {
	t := e.tile(p)
	return levelsPerStep * e.step[e.m.Index(t)]
}

// cliffs are the tiles from which the ground falls by a whole step.
func (e *easel) cliffs() []bool {
	out := make([]bool, len(e.step))
	for i := range out {
		e.around(i, func(j int) {
			if int(e.m.Levels[i])-int(e.m.Levels[j]) >= levelsPerStep {
				out[i] = true
			}
		})
	}
	return out
}

func (e *easel) paint(cliff []bool) {
	e.each(func(i int, p point) {
		n := e.fray(p, 11, 3)*3/4 + e.fray(p, 4, 4)/3
		t := groundOf(int(e.m.Levels[i])/levelsPerStep, n)
		shore, foot := false, false
		e.around(i, func(j int) {
			shore = shore || e.water[j]
			foot = foot || (cliff[j] && e.m.Levels[j] > e.m.Levels[i])
		})
		road := -1 << 20
		for _, path := range e.roads {
			road = max(road, e.depth(line(3, path...), p))
		}
		switch {
		case cliff[i]:
			t = grid.Cliff
		case e.water[i]:
			t = grid.Water
		case e.ford[i]:
			t = grid.Sand
		case e.ramp[i] || road > 0:
			t = grid.Road
		case shore:
			t = grid.Sand
		case foot && n > -40:
			t = grid.Rubble
		}
		e.m.Terrain[i] = t
	})
}

// connected refuses a map whose ground does not connect all starts and resource places.
func (e *easel) connected() error {
	ground := nav.NewBase(e.m)
	for _, t := range slices.Concat(e.m.Starts, e.m.Resources) {
		if !ground.Connected(grid.Ground, t, e.m.Starts[0]) {
			return fmt.Errorf("%v cannot be reached from %v", t, e.m.Starts[0])
		}
	}
	if len(e.m.Starts) != len(e.symmetry) {
		return errors.New("the start lies on an axis of symmetry")
	}
	return nil
}

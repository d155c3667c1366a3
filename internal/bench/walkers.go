package bench

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/fogkeep/fogkeep/match/sim"
)

// Walkers is the movement of the workloads w1, w2 and w1-small (docs/contributing/workloads.md),
// to the bit: armies whose units walk to random points. Places are in 1/65536
// tile, which is the 1/64 world unit of the simulation.
type Walkers struct {
	side, teams, army int // tiles a side, teams, units a team
	ticks             int // moved so far
	wounds            bool
	units             []walker // team by team
}

type walker struct {
	x, y, wx, wy int32
	vx, vy       int32 // the next step, if it does not arrive
	arrives      bool  // the next step ends at the goal
	rng          uint32
	hp           int32
}

const (
	walkStep  = 9830 // 3 tiles a second at 20 ticks a second
	walkSight = 8    // tiles
	walkHP    = 100
	walkTypes = 4
)

// NewWalkers returns the armies at tick 0. wounds makes their health change.
func NewWalkers(side, teams, army int, wounds bool) *Walkers {
	w := &Walkers{side: side, teams: teams, army: army, wounds: wounds, units: make([]walker, teams*army)}
	limit := int32(side)*65536 - 1
	for id := range w.units {
		u := &w.units[id]
		u.hp = walkHP
		if u.rng = 0x5EED1234 ^ uint32(id+1)*0x9E3779B1; u.rng == 0 {
			u.rng = 1
		}
		for range 8 {
			u.next()
		}
		sx, sy := w.start(id / army)
		u.x = max(0, min(int32(sx-12)*65536+int32(u.next()%1572864), limit))
		u.y = max(0, min(int32(sy-12)*65536+int32(u.next()%1572864), limit))
		u.aim(side)
		u.course()
	}
	return w
}

// start returns a team's start tile: on a circle around the middle of the map.
func (w *Walkers) start(team int) (x, y int) {
	r, angle := 3*float64(w.side)/8, 2*math.Pi*float64(team)/float64(w.teams)
	round := func(f float64) int { return int(math.Floor(f + 0.5)) }
	return w.side/2 + round(r*math.Cos(angle)), w.side/2 + round(r*math.Sin(angle))
}

func (u *walker) next() uint32 {
	u.rng ^= u.rng << 13
	u.rng ^= u.rng >> 17
	u.rng ^= u.rng << 5
	return u.rng
}

func (u *walker) aim(side int) {
	u.wx = int32(u.next() % uint32(side*65536))
	u.wy = int32(u.next() % uint32(side*65536))
}

// Step moves everybody one tick.
func (w *Walkers) Step() {
	w.ticks++
	for id := range w.units {
		w.move(&w.units[id], id)
	}
}

// move moves unit id in the tick that has begun.
func (w *Walkers) move(u *walker, id int) {
	if u.arrives {
		u.x, u.y = u.wx, u.wy
		u.aim(w.side)
	} else {
		u.x, u.y = u.x+u.vx, u.y+u.vy
	}
	u.course()
	if w.wounds && (id+w.ticks)%10 == 0 {
		if u.hp--; u.hp <= 0 {
			u.hp = walkHP
		}
	}
}

// course works out the step to come. d, the distance to the goal, and the
// quotients are rounded down, as with integers, but at a tenth of the time: all
// numbers here are whole and below 2^50, so that a root or a quotient that is
// not whole is further from the next whole number than float64 rounds.
func (u *walker) course() {
	dx, dy := float64(u.wx-u.x), float64(u.wy-u.y)
	d := math.Floor(math.Sqrt(dx*dx + dy*dy))
	if u.arrives, u.vx, u.vy = d <= walkStep, 0, 0; d > 0 {
		u.vx, u.vy = int32(dx*walkStep/d), int32(dy*walkStep/d)
	}
}

// driven returns the unit as the simulation is to have it: where it is, and how
// it will move next.
func (u *walker) driven() sim.Driven {
	return sim.Driven{X: u.x, Y: u.y, VX: u.vx, VY: u.vy, HP: u.hp}
}

// Hashes returns, for each team, how many units it sees and their hash, by the
// plain rule: a unit is seen if a unit of the team is within eight tiles.
func (w *Walkers) Hashes() []string {
	out := make([]string, w.teams)
	for team := range out {
		seen := make([]bool, w.side*w.side)
		for id := team * w.army; id < (team+1)*w.army; id++ {
			ux, uy := int(w.units[id].x>>16), int(w.units[id].y>>16)
			for y := max(0, uy-walkSight); y <= min(w.side-1, uy+walkSight); y++ {
				for x := max(0, ux-walkSight); x <= min(w.side-1, ux+walkSight); x++ {
					if (x-ux)*(x-ux)+(y-uy)*(y-uy) <= walkSight*walkSight {
						seen[y*w.side+x] = true
					}
				}
			}
		}
		h, shift := newUnitsHash(len(w.units)), w.shift()
		for id := range w.units {
			u := &w.units[id]
			if seen[int(u.y>>16)*w.side+int(u.x>>16)] {
				h.unit(id, w.army, uint16(u.x>>shift), uint16(u.y>>shift), uint8(u.hp))
			}
		}
		out[team] = h.String()
	}
	return out
}

// shift is by how many bits a place is shifted for two bytes to hold it: 8, and
// more on maps of more than 256 tiles a side.
func (w *Walkers) shift() int { return 8 + max(0, bits.Len(uint(w.side-1))-8) }

// unitsHash is the FNV-1a hash over the units that a team sees, in the order of
// their ids.
type unitsHash struct {
	h       uint32
	n       int
	idBytes int
}

// newUnitsHash returns the hash of no units, of a workload that has so many.
func newUnitsHash(units int) unitsHash {
	h := unitsHash{h: 2166136261, idBytes: 2}
	if units > 1<<16 {
		h.idBytes = 4
	}
	return h
}

func (h *unitsHash) put(v uint32, bytes int) {
	for range bytes {
		h.h = (h.h ^ v&0xFF) * 16777619
		v >>= 8
	}
}

func (h *unitsHash) unit(id, army int, x, y uint16, hp uint8) {
	h.n++
	h.put(uint32(id), h.idBytes)
	h.put(uint32(id%walkTypes), 1)
	h.put(uint32(id/army), 1)
	h.put(uint32(x), 2)
	h.put(uint32(y), 2)
	h.put(uint32(hp), 1)
}

// String is how the references are written: how many units, and their hash.
func (h *unitsHash) String() string { return fmt.Sprintf("%d:%08x", h.n, h.h) }

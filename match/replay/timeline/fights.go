package timeline

import (
	"math/bits"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// fights are the open fights, as some eyes see them, in the order of their beginning.
type fights []fight

// fight is a fight that may still go on.
type fight struct {
	begun, last grid.Tick
	x, y        int64 // sums of the places of its losses
	count       int64
	losses      []Loss // ascending by slot
	spots       []spot // tiles with losses that a new one may join
}

// spot is a tile and when something was last lost there.
type spot struct {
	at   grid.Tile
	tick grid.Tick
}

// lost adds a loss: to the fight that it belongs to, to several, which are one from
// then on, or to a new one. gap is the longest time between two losses of a fight.
func (all *fights) lost(now, gap grid.Tick, at grid.Pos, s grid.Slot, value int32) {
	into := -1
	for i := 0; i < len(*all); i++ {
		f := &(*all)[i]
		f.spots = slices.DeleteFunc(f.spots, func(p spot) bool { return now-p.tick > gap })
		if !f.reaches(at.Tile()) {
			continue
		}
		if into < 0 {
			into = i
			continue
		}
		(*all)[into].join(f)
		*all = slices.Delete(*all, i, i+1)
		i--
	}
	if into < 0 {
		into = len(*all)
		*all = append(*all, fight{begun: now})
	}
	f := &(*all)[into]
	f.last = now
	f.x, f.y, f.count = f.x+int64(at.X), f.y+int64(at.Y), f.count+1
	f.spot(spot{at.Tile(), now})
	f.loss(Loss{s, 1, value})
}

// reaches reports whether a loss on a tile belongs to the fight.
func (f *fight) reaches(at grid.Tile) bool {
	for i := range f.spots {
		if f.spots[i].at.Dist2(at) <= FightTiles*FightTiles {
			return true
		}
	}
	return false
}

// join takes in another fight, which is not used any more.
func (f *fight) join(o *fight) {
	f.begun, f.last = min(f.begun, o.begun), max(f.last, o.last)
	f.x, f.y, f.count = f.x+o.x, f.y+o.y, f.count+o.count
	for _, l := range o.losses {
		f.loss(l)
	}
	for _, p := range o.spots {
		f.spot(p)
	}
}

func (f *fight) loss(l Loss) {
	i, found := slices.BinarySearchFunc(f.losses, l, func(a, b Loss) int { return int(a.Slot) - int(b.Slot) })
	if !found {
		f.losses = slices.Insert(f.losses, i, l)
		return
	}
	f.losses[i].Count += l.Count
	f.losses[i].Value += l.Value
}

func (f *fight) spot(p spot) {
	for i := range f.spots {
		if f.spots[i].at == p.at {
			f.spots[i].tick = max(f.spots[i].tick, p.tick)
			return
		}
	}
	f.spots = append(f.spots, p)
}

// event is the fight as it was, known from a tick on.
func (f *fight) event(known grid.Tick) Event {
	e := Event{
		Kind: Fight, Tick: f.begun, End: f.last, Known: known, Slot: grid.NoSlot, By: grid.NoSlot, Team: grid.NoTeam, Other: grid.NoTeam,
		Placed: true, At: grid.Pos{X: int32(f.x / f.count), Y: int32(f.y / f.count)}, Losses: f.losses,
	}
	for _, l := range f.losses {
		e.Value += l.Value
	}
	return e
}

// closeFights ends the fights whose last loss is so old that no loss of this tick can belong to them.
func (b *Builder) closeFights(now grid.Tick) {
	gap := FightSeconds * grid.Tick(b.t.Rate)
	b.end(func(f *fight) bool { return now-f.last > gap })
}

// endFights ends all fights.
func (b *Builder) endFights() { b.end(func(*fight) bool { return true }) }

func (b *Builder) end(over func(*fight) bool) {
	for i := range b.fights {
		open := b.fights[i]
		kept := open[:0]
		for _, f := range open {
			if !over(&f) {
				kept = append(kept, f)
			} else if !b.t.lists[i].add(f.event(b.t.Last)) && i == b.t.all() {
				b.t.Omitted++
			}
		}
		clear(open[len(kept):])
		b.fights[i] = kept
	}
}

// lowest returns the lowest team of a set that is not empty.
func lowest(s grid.TeamSet) grid.Team { return grid.Team(bits.TrailingZeros16(uint16(s))) }

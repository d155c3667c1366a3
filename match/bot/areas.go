package bot

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const (
	postMin   = 4  // fighters that leave for an area together
	postTiles = 14 // around an area that is held, enemies are fought
)

// postsOf returns a place in each area of the mode that a ground unit can reach, the nearest to home first. A mode without
// areas has none.
func (b *mind) postsOf() (out []grid.Tile) {
	steps := b.fromHome()
	for _, a := range b.Welcome.ModeAreas {
		middle := grid.Tile{X: int16(min(a.X, 1<<14)), Y: int16(min(a.Y, 1<<14))}
		if at, ok := b.openNear(middle, int16(min(a.Radius/grid.WUPerTile, 32))); ok {
			out = append(out, at)
		}
	}
	slices.SortStableFunc(out, func(x, y grid.Tile) int { return cmp.Compare(steps[b.Map.Index(x)], steps[b.Map.Index(y)]) })
	return out
}

// openNear returns a tile next to t, less than r away, that a ground unit can reach from home.
func (b *mind) openNear(t grid.Tile, r int16) (grid.Tile, bool) {
	steps := b.fromHome()
	for n := range r + 1 {
		for at := range t.Ring(n) {
			if b.Map.In(at) && at.Dist2(t) < int32(r)*int32(r) && steps[b.Map.Index(at)] >= 0 {
				return at, true
			}
		}
	}
	return t, false
}

// occupy sends the free fighters into the areas of the mode, as many to each, and the nearest areas first while they are
// few. They fight the enemies that come near. It reports false if there is no area to hold, or not enough fighters.
func (b *mind) occupy(free []thing) bool {
	posts := b.postsOf()
	if len(posts) == 0 || len(free) < postMin {
		return false
	}
	posts = posts[:min(len(posts), len(free)/postMin)]
	for i, post := range posts {
		var guard []thing
		for _, u := range free {
			if int(u.handle)%len(posts) == i {
				guard = append(guard, u)
			}
		}
		to := post
		if foe, ok := nearest(b.now.fighters, post.Center(), func(t thing) bool { return t.at.Tile().Dist2(post) <= postTiles*postTiles }); ok {
			to = foe.at.Tile()
		}
		b.send(pb.OrderKind_ORDER_KIND_ATTACK_MOVE, guard, to, 0)
	}
	return true
}

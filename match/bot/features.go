package bot

import (
	"maps"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Kinds of features, by their numbers in a type.
const (
	obstacle = iota + 1
	bridge
	gate
	pickup
	lever
	mine
	flood
)

const (
	fetchTiles   = 24 // a scout goes that far for a pickup
	leaveSeconds = 60 // a pickup without use for a scout is left alone for so long
)

// terrain is the changing part of the ground, as the team knows it.
type terrain struct {
	closed  map[int]bool              // tiles that stop ground units for long
	useless map[grid.Handle]grid.Tick // pickups without use, and until when they are left alone
	holder  grid.Handle               // fighter that holds a lever, while there is no scout
}

// survey notes the tiles of bridges that fell, of closed gates, of floods and of enemies' mines. A raised bridge comes down again, so it is a way.
func (b *mind) survey() {
	if len(b.Map.Features) == 0 && !slices.ContainsFunc(b.now.features, func(t thing) bool { return b.kind(t) == gate || b.kind(t) == mine }) {
		return
	}
	closed := map[int]bool{}
	mark := func(info *pb.TypeInfo, at grid.Tile, shut bool) {
		for y := range int16(max(1, info.SizeY)) {
			for x := range int16(max(1, info.Size)) {
				if t := (grid.Tile{X: at.X + x, Y: at.Y + y}); !b.Map.In(t) {
					continue
				} else if shut {
					closed[b.Map.Index(t)] = true
				} else {
					delete(closed, b.Map.Index(t))
				}
			}
		}
	}
	for _, f := range b.Map.Features {
		if i := slices.IndexFunc(b.Welcome.Types, func(t *pb.TypeInfo) bool { return t.Name == f.Type }); i >= 0 && b.Welcome.Types[i].Feature == bridge {
			mark(b.Welcome.Types[i], f.At, true)
		}
	}
	for _, t := range b.now.features {
		info := b.info(t.typ)
		foot := b.foot(t)
		switch b.kind(t) {
		case bridge:
			mark(info, foot, false)
		case gate:
			own := int(t.owner) < len(b.Welcome.Players) && !b.enemy(t.owner)
			mark(info, foot, !own && t.amount == 0 && !b.pulled(b.linkOf(t)))
		case flood:
			mark(info, foot, t.amount != 0)
		case mine:
			mark(info, foot, b.enemy(t.owner))
		}
	}
	if !maps.Equal(closed, b.closed) {
		b.closed, b.homeSteps = closed, nil
	}
}

// foot returns the tile at which a feature of the map stands.
func (b *mind) foot(t thing) grid.Tile {
	info := b.info(t.typ)
	return grid.Pos{X: t.at.X - int32(info.Size)*grid.WUPerTile/2, Y: t.at.Y - int32(info.SizeY)*grid.WUPerTile/2}.Tile()
}

// linkOf returns the link of a feature of the public map, 0 without one.
func (b *mind) linkOf(t thing) uint8 {
	at := b.foot(t)
	if i := slices.IndexFunc(b.Map.Features, func(f grid.Feature) bool { return f.At == at }); i >= 0 {
		return b.Map.Features[i].Link
	}
	return 0
}

// pulled reports whether the team sees a lever of a link that is on.
func (b *mind) pulled(link uint8) bool {
	return link != 0 && slices.ContainsFunc(b.now.features, func(t thing) bool {
		return b.kind(t) == lever && !t.ghost && t.amount != 0 && b.linkOf(t) == link
	})
}

// pull returns the lever for a unit that opens a gate for an attack without a way. The unit stays while the attack lasts.
func (b *mind) pull(s thing) (grid.Tile, bool) {
	if !b.attacking && !b.away {
		return grid.Tile{}, false
	}
	goal, ok := b.objective(b.home)
	if !ok {
		return grid.Tile{}, false
	}
	steps, near := b.fromHome(), around(goal) // a shut gate may be the goal
	blocked := !slices.ContainsFunc(append(near[:], goal), func(t grid.Tile) bool { return b.Map.In(t) && steps[b.Map.Index(t)] >= 0 })
	t, ok := nearest(b.now.features, s.at, func(t thing) bool {
		at, link := t.at.Tile(), b.linkOf(t)
		if b.kind(t) != lever || link == 0 || steps[b.Map.Index(at)] < 0 {
			return false
		}
		return b.pulled(link) && b.lastOrders[s.handle].to == at || blocked && slices.ContainsFunc(b.now.features, func(g thing) bool {
			return b.kind(g) == gate && b.linkOf(g) == link && b.closed[b.Map.Index(b.foot(g))]
		})
	})
	return t.at.Tile(), ok
}

// holdLever sends a fighter to the lever that a scout would hold.
func (b *mind) holdLever() {
	u, ok := nearest(b.now.army, b.home, func(t thing) bool { return t.handle == b.holder })
	if !ok {
		u, ok = nearest(b.now.army, b.home, b.walks)
	}
	if at, pulls := b.pull(u); ok && pulls {
		b.holder = u.handle
		b.send(pb.OrderKind_ORDER_KIND_MOVE, []thing{u}, at, 0)
		b.busy[u.handle] = true
	}
}

func (b *mind) kind(t thing) uint32 { return b.info(t.typ).Feature }

// open reports whether a ground unit gets through a tile, as far as the team knows.
func (b *mind) open(t grid.Tile) bool {
	return b.Map.Passable(t, grid.Ground) && !b.closed[b.Map.Index(t)]
}

// fetch returns the lever that a scout is to hold, or the nearest full pickup that it can reach and that is of use to it.
func (b *mind) fetch(s thing) (grid.Tile, bool) {
	if at, ok := b.pull(s); ok {
		return at, true
	}
	t, ok := nearest(b.now.features, s.at, func(t thing) bool {
		at := t.at.Tile()
		return b.kind(t) == pickup && t.amount != 0 && b.useless[t.handle] <= b.Tick() &&
			at.Dist2(s.at.Tile()) <= fetchTiles*fetchTiles && b.fromHome()[b.Map.Index(at)] >= 0
	})
	if ok && !t.ghost && t.at.Tile() == s.at.Tile() { // it stands on it in vain
		if b.useless == nil {
			b.useless = map[grid.Handle]grid.Tick{}
		}
		b.useless[t.handle] = b.Tick() + b.seconds(leaveSeconds)
		return grid.Tile{}, false
	}
	return t.at.Tile(), ok
}

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
)

const (
	fetchTiles   = 24 // a scout goes that far for a pickup
	leaveSeconds = 60 // a pickup without use for a scout is left alone for so long
)

// terrain is the changing part of the ground, as the team knows it.
type terrain struct {
	closed  map[int]bool              // tiles that stop ground units for long
	useless map[grid.Handle]grid.Tick // pickups without use, and until when they are left alone
}

// survey notes the tiles of bridges that fell, of closed gates and of enemies' mines. A raised bridge comes down again, so it is a way.
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
		foot := grid.Pos{X: t.at.X - int32(info.Size)*grid.WUPerTile/2, Y: t.at.Y - int32(info.SizeY)*grid.WUPerTile/2}.Tile()
		switch b.kind(t) {
		case bridge:
			mark(info, foot, false)
		case gate:
			own := int(t.owner) < len(b.Welcome.Players) && !b.enemy(t.owner)
			mark(info, foot, !own && t.amount == 0)
		case mine:
			mark(info, foot, b.enemy(t.owner))
		}
	}
	if !maps.Equal(closed, b.closed) {
		b.closed, b.homeSteps = closed, nil
	}
}

func (b *mind) kind(t thing) uint32 { return b.info(t.typ).Feature }

// open reports whether a ground unit gets through a tile, as far as the team knows.
func (b *mind) open(t grid.Tile) bool {
	return b.Map.Passable(t, grid.Ground) && !b.closed[b.Map.Index(t)]
}

// fetch returns the full pickup nearest to a scout that it can reach and that is of use to it.
func (b *mind) fetch(s thing) (grid.Tile, bool) {
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

package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// When hard changes the fire of its weapons.
const (
	crowdTiles  = 2 // foes that near to a target are hit with it
	fireSeconds = 3 // from one change of a unit to the next
)

// chooseFire has units with an alternate fire use the better one against the foe nearest to them and those around it.
func (b *mind) chooseFire() {
	var modes [2][]grid.Handle
	for _, u := range b.now.army {
		main := b.weapon(u.typ)
		if main == nil || main.Alternate == 0 || int(main.Alternate) > len(b.Welcome.Weapons) || b.changed[u.handle] > b.Tick() {
			continue
		}
		foe, ok := nearest(b.now.fighters, u.at, nil)
		if !ok || !foe.at.Within(u.at, grid.Dist(main.Range)+grid.Tiles(crowdTiles)) {
			continue
		}
		air, crowd := b.info(foe.typ).MoveKind == uint32(grid.Air), int64(0)
		for _, t := range b.now.fighters {
			if t.at.Within(foe.at, grid.Tiles(crowdTiles)) {
				crowd++
			}
		}
		better := 0
		if hurts(b.Welcome.Weapons[main.Alternate-1], air, crowd) > hurts(main, air, crowd) {
			better = 1
		}
		now := 0
		if b.Replica.Entities[u.handle].Values[view.ValueFlags]&uint32(pb.EntityFlag_ENTITY_FLAG_ALTERNATE) != 0 {
			now = 1
		}
		if now != better {
			modes[better] = append(modes[better], u.handle)
			b.changed[u.handle] = b.Tick() + b.seconds(fireSeconds)
		}
	}
	for mode, units := range modes {
		slices.Sort(units)
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_FIRE, What: uint32(orders.FireMain + mode)}, units, pendingOrder{})
	}
}

// hurts is the damage of a weapon in a time, to a foe that stands in a crowd.
func hurts(w *pb.WeaponInfo, air bool, crowd int64) int64 {
	if air && !w.HitsAir || !air && !w.HitsGround {
		return 0
	}
	hits := 1 + min(crowd-1, int64(w.Bounces)+int64(w.Pierces)/2)
	if w.Splits > 0 {
		hits = 1 + min(crowd, int64(w.Splits))
	} else if w.Splash > 0 {
		hits += (crowd - 1) / 2
	}
	burst := int64(max(1, w.Burst))
	return int64(w.Damage) * burst * hits * 1000 / int64(max(1, w.CooldownTicks+w.WindUpTicks+uint32(burst-1)*w.BurstTicks))
}

package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const (
	liftersMost  = 2  // flying transports
	ferrySeconds = 12 // so long one waits for more passengers
)

// ferry carries the army through the air where no way on the ground leads to the enemy. It trains the transports for it.
func (b *mind) ferry() {
	goal, ok := b.objective(b.home)
	if !ok || !b.hasHome || !b.Map.Passable(goal, grid.Ground) || b.fromHome()[b.Map.Index(goal)] >= 0 {
		return
	}
	if len(b.now.lifters) < liftersMost {
		for _, t := range b.now.homes {
			i := slices.IndexFunc(b.info(t.typ).Trains, func(n uint32) bool { return b.lifts(uint16(n)) })
			if i >= 0 && b.queues[t.handle] <= queueWanted && !slices.Contains(b.Own.Queues[t.handle].Types, uint16(b.info(t.typ).Trains[i])) {
				b.trainOne(t, int32(b.info(t.typ).Trains[i]), false)
				break
			}
		}
	}
	for _, l := range b.now.lifters {
		if b.doing(l.handle) == pb.OrderKind_ORDER_KIND_UNLOAD {
			continue
		}
		aboard, info := b.Own.Passengers[l.handle], b.info(l.typ)
		room := int(info.Slots)
		for _, p := range aboard {
			room -= b.takes(p.Type)
		}
		var board []thing
		for _, u := range b.now.army {
			if n := b.takes(u.typ); n <= room && slices.Contains(info.Carries, uint32(u.typ)) && b.fromHome()[b.Map.Index(u.at.Tile())] >= 0 {
				board, room = append(board, u), room-n
			}
		}
		switch since := b.ferries[l.handle]; {
		case len(aboard) > 0 && (len(board) == 0 || b.Tick() > since+b.seconds(ferrySeconds)):
			b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_UNLOAD, To: point(goal.Center())}, []grid.Handle{l.handle}, pendingOrder{})
			delete(b.ferries, l.handle)
		case len(board) > 0 && (since == 0 || len(aboard) > 0 && b.Tick() > since+b.seconds(ferrySeconds/2)):
			b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_BOARD, Target: uint32(l.handle)}, handlesOf(board), pendingOrder{})
			if since == 0 {
				b.ferries[l.handle] = b.Tick()
			}
		}
	}
}

// lifts reports whether units of a type carry others through the air.
func (b *mind) lifts(typ uint16) bool {
	t := b.info(typ)
	return t.Slots > 0 && t.MoveKind == uint32(grid.Air) && t.Class == pb.TypeClass_TYPE_CLASS_UNIT
}

// takes returns how many slots of a transport a unit takes.
func (b *mind) takes(typ uint16) int { return int(max(1, b.info(typ).Takes)) }

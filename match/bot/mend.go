package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

const mendersMost = 2 // workers that repair at a time

// mend sends a worker to the own thing near home that it can repair and that lacks the largest part of its health, a quarter at least.
func (b *mind) mend() {
	if b.workerType < 0 || len(b.info(uint16(b.workerType)).Repairs) == 0 {
		return
	}
	var free []thing
	menders := 0
	for _, w := range b.now.workers {
		switch b.doing(w.handle) {
		case pb.OrderKind_ORDER_KIND_REPAIR:
			menders++
		case pb.OrderKind_ORDER_KIND_HARVEST, pb.OrderKind_ORDER_KIND_UNSPECIFIED:
			free = append(free, w)
		}
	}
	var worst thing
	most := uint32(250)
	for _, t := range slices.Concat(b.now.homes, b.now.army, b.now.wings) {
		if !slices.Contains(b.info(uint16(b.workerType)).Repairs, uint32(t.typ)) || !t.at.Within(b.home, grid.Tiles(fieldTiles)) {
			continue
		}
		missing := b.Replica.Entities[t.handle].Values[view.ValueHealth] * 1000 / max(1, b.info(t.typ).Health)
		if missing > most {
			worst, most = t, missing
		}
	}
	if w, ok := nearest(free, worst.at, nil); ok && worst.handle != 0 && menders < mendersMost {
		b.order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_REPAIR, Target: uint32(worst.handle)}, []grid.Handle{w.handle}, pendingOrder{})
	}
}

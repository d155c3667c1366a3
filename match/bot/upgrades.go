package bot

import (
	"slices"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// research lets an idle structure make an upgrade. A bot orders each upgrade once.
func (b *mind) research() {
	if len(b.now.army) < b.plan.upgrades || len(b.threats) > 0 {
		return
	}
	for _, t := range b.now.homes {
		if b.queues[t.handle] > 0 {
			continue
		}
		for _, n := range b.info(t.typ).Trains {
			of := b.info(uint16(n))
			if of.Class == pb.TypeClass_TYPE_CLASS_UPGRADE && !slices.Contains(b.upgrades, n) && !slices.Contains(b.Own.Upgrades, n) && b.trainOne(t, int32(n), false) {
				b.upgrades = append(b.upgrades, n)
				break
			}
		}
	}
}

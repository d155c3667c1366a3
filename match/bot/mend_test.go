package bot

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A bot repairs what lacks most of its health, with a worker at hand, and salvages a wreck near its base with few workers.
func TestBotsRepairAndSalvage(t *testing.T) {
	s := newScene(t, &pb.Own{Resources: []uint32{500}}, [][4]int{
		{2, tBarracks, 1, at(26, 30)}, {3, tWorker, 1, at(27, 33)}, {4, tWorker, 1, at(33, 27)}, {5, tOre, -1, at(33, 26)},
	}...)
	types := s.mind.Welcome.Types
	types[tWorker].Repairs, types[tOre].Wreck = []uint32{tCentre, tBarracks}, true
	s.mind.Replica.Entities[1].Values[view.ValueHealth] = 400 // of 1500
	s.mind.Replica.Entities[2].Values[view.ValueHealth] = 600 // of 800
	var repairs, harvests []*pb.Order
	for _, o := range s.mind.Think() {
		switch o.Kind {
		case pb.OrderKind_ORDER_KIND_REPAIR:
			repairs = append(repairs, o)
		case pb.OrderKind_ORDER_KIND_HARVEST:
			harvests = append(harvests, o)
		}
	}
	if len(repairs) != 1 || repairs[0].Target != 2 || !slices.Equal(repairs[0].Units, []uint32{3}) {
		t.Errorf("repairs: %v", repairs)
	}
	if !slices.ContainsFunc(harvests, func(o *pb.Order) bool { return o.Target == 5 && slices.Contains(o.Units, 4) }) {
		t.Errorf("harvests: %v", harvests)
	}
	if got := s.mind.crowd(thing{typ: tOre}); got != wreckCrowd {
		t.Errorf("a wreck has %d workers, an ore field %d", got, oreCrowd)
	}
}

package bot

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
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

// A bot carries its army over water in a transport, and trains another; where a way leads to the enemy it does not.
func TestBotsFerryOverWater(t *testing.T) {
	field := func(water bool) *scene {
		s := newScene(t, &pb.Own{Resources: []uint32{2000}}, [][4]int{
			{2, tBarracks, 1, at(26, 30)}, {3, tSoldier, 1, at(27, 33)}, {4, tSoldier, 1, at(28, 33)}, {5, tFlyer, 1, at(28, 28)}, {6, tCentre, 0, at(6, 6)},
		}...)
		if water {
			for y := range int16(40) {
				s.mind.Map.Pass[s.mind.Map.Index(grid.Tile{X: 20, Y: y})] = 0
			}
		}
		flyer := s.mind.Welcome.Types[tFlyer]
		flyer.Slots, flyer.Carries, flyer.Weapons = 2, []uint32{tSoldier}, nil
		s.mind.attacking, s.mind.wave = true, map[grid.Handle]bool{3: true, 4: true}
		return s
	}
	kinds := func(s *scene) map[pb.OrderKind]*pb.Order {
		out := map[pb.OrderKind]*pb.Order{}
		s.mind.next = 0
		for _, o := range s.mind.Think() {
			if o.Kind != pb.OrderKind_ORDER_KIND_TRAIN || o.What == tFlyer {
				out[o.Kind] = o
			}
		}
		return out
	}
	s := field(true)
	first := kinds(s)
	if o := first[pb.OrderKind_ORDER_KIND_BOARD]; o == nil || o.Target != 5 || !slices.Equal(o.Units, []uint32{3, 4}) {
		t.Errorf("boards by %v", o)
	}
	if kinds(s)[pb.OrderKind_ORDER_KIND_TRAIN] == nil {
		t.Error("it trains no second transport")
	}
	s.mind.Own.Passengers[5] = []client.Passenger{{Type: tSoldier}, {Type: tSoldier}}
	if o := kinds(s)[pb.OrderKind_ORDER_KIND_UNLOAD]; o == nil || !slices.Equal(o.Units, []uint32{5}) || o.To.X>>10 != 6 || o.To.Y>>10 != 6 {
		t.Errorf("unloads by %v", o)
	}
	if by := kinds(field(false)); by[pb.OrderKind_ORDER_KIND_BOARD] != nil || by[pb.OrderKind_ORDER_KIND_TRAIN] != nil {
		t.Errorf("on foot it could go; it ordered %v", by)
	}
}

package bot

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// The types of the tests' rules.
const (
	tWorker = iota
	tSoldier
	tCentre
	tBarracks
	tOre
	tScout
	tSiege
	tCaster
	tWatcher
	tRaider
	tFlyer
	tTower
	tMine
	tTypes
)

// hardWelcome has a type of each role.
func hardWelcome() *pb.Welcome {
	w := welcome()
	w.Weapons = []*pb.WeaponInfo{
		{Name: "rifle", Range: 5 * 1024, CooldownTicks: 10, Damage: 10, HitsGround: true, HitsAir: true},
		{Name: "gun", Range: 10 * 1024, MinRange: 3 * 1024, CooldownTicks: 60, Damage: 40, HitsGround: true, AtGround: true},
		{Name: "big gun", Range: 14 * 1024, MinRange: 4 * 1024, CooldownTicks: 50, Damage: 70, HitsGround: true, AtGround: true},
		{Name: "bolt", Range: 5 * 1024, CooldownTicks: 10, Damage: 10, HitsGround: true, HitsAir: true, Alternate: 5},
		{Name: "chain", Range: 5 * 1024, CooldownTicks: 20, Damage: 10, HitsGround: true, HitsAir: true, Bounces: 3},
	}
	w.Effects = []*pb.EffectInfo{{Name: "safe", Kind: "shield", Strength: 50}, {Name: "slowed", Kind: "slow", Strength: 50}}
	w.Abilities = []*pb.AbilityInfo{
		{Name: "root", Kind: "deploy", Lasting: true, Weapon: 3},
		{Name: "fire", Kind: "burn", Range: 8 * 1024, Radius: 2 * 1024, Energy: 50, DurationTicks: 80, Lasting: true},
		{Name: "guard", Kind: "apply", Range: 5 * 1024, Effect: 1, Targets: 1},
		{Name: "veil", Kind: "cloak", Energy: 10, Lasting: true},
		{Name: "rush", Kind: "sprint", DurationTicks: 100},
	}
	unit := func(name string, t *pb.TypeInfo) *pb.TypeInfo {
		t.Name, t.Class = name, pb.TypeClass_TYPE_CLASS_UNIT
		return t
	}
	w.Types[tBarracks].Trains = []uint32{tSoldier, tSiege, tCaster, tWatcher, tRaider, tFlyer}
	w.Types[tWorker].Builds = append(w.Types[tWorker].Builds, tTower)
	w.Types = append(w.Types,
		unit("siege", &pb.TypeInfo{Health: 100, Weapons: []uint32{1}, Abilities: []uint32{0}, Cost: []uint32{200}}),
		unit("caster", &pb.TypeInfo{Health: 70, Weapons: []uint32{3}, Abilities: []uint32{1}, Cost: []uint32{200}}),
		unit("watcher", &pb.TypeInfo{Health: 80, Detect: 18, Abilities: []uint32{2}, Cost: []uint32{130}}),
		unit("raider", &pb.TypeInfo{Health: 80, Weapons: []uint32{0}, Abilities: []uint32{3, 4}, Cost: []uint32{175}}),
		unit("flyer", &pb.TypeInfo{Health: 110, Weapons: []uint32{0}, MoveKind: uint32(grid.Air), Cost: []uint32{200}}),
		&pb.TypeInfo{Name: "tower", Class: pb.TypeClass_TYPE_CLASS_STRUCTURE, Size: 2, SizeY: 2, Health: 400, Weapons: []uint32{0}, Cost: []uint32{120}},
		&pb.TypeInfo{Name: "mine", Class: pb.TypeClass_TYPE_CLASS_STRUCTURE, Size: 1, SizeY: 1, Health: 30, Cost: []uint32{25}, Feature: mine},
	)
	return w
}

// scene is a hard bot that sees the test's entities.
type scene struct {
	t    *testing.T
	mind *mind
}

// newScene seats the bot, with its centre at 33,33. own is the owner's part of the
// first frame.
func newScene(t *testing.T, own *pb.Own, units ...[4]int) *scene {
	t.Helper()
	return newSceneWithout(t, nil, own, units...)
}

// newSceneWithout is newScene with a bot that never makes some types.
func newSceneWithout(t *testing.T, without []string, own *pb.Own, units ...[4]int) *scene {
	t.Helper()
	c := client.New(client.Config{Map: client.OneMap(field())})
	s := &scene{t: t}
	receive(t, c, &pb.ServerFrame{Welcome: hardWelcome()})
	p, err := Skill{Level: Expert}.Without(c, without)
	if err != nil {
		t.Fatal(err)
	}
	s.mind = p.(*mind)
	all := append([][4]int{{1, tCentre, 1, 33*40 + 33}}, units...)
	was := kinds
	kinds = wire.Kinds{Players: 2, Types: tTypes}
	defer func() { kinds = was }()
	if own == nil {
		own = &pb.Own{}
	}
	s.mind.Take(receive(t, c, &pb.ServerFrame{Tick: 4000, Enter: enter(all...), Own: own}))
	return s
}

func receive(t *testing.T, c *client.State, f *pb.ServerFrame) *wire.ServerFrame {
	t.Helper()
	b, err := proto.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Receive(b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// orders returns the bot's orders of a kind.
func (s *scene) orders(kind pb.OrderKind) (out []*pb.Order) {
	for _, o := range s.mind.Think() {
		if o.Kind == kind {
			out = append(out, o)
		}
	}
	return out
}

func at(x, y int) int { return y*40 + x }

// A type's role is read from the rules.
func TestRolesAreReadFromTheRules(t *testing.T) {
	s := newScene(t, nil)
	want := []role{tSoldier: line, tScout: noRole, tSiege: siege, tCaster: caster, tWatcher: watcher, tRaider: shadow, tFlyer: wing, tTower: noRole, tMine: noRole}
	if !slices.Equal(s.mind.roles, want) {
		t.Errorf("roles %v, want %v", s.mind.roles, want)
	}
}

// Siege units root themselves where they reach an enemy, and not for an enemy too near or too far.
func TestHardDeploys(t *testing.T) {
	for _, c := range []struct {
		name   string
		foe    int
		deploy bool
	}{{"in reach", at(20, 33), true}, {"too far", at(12, 33), false}, {"too near", at(28, 33), false}} {
		s := newScene(t, nil, [4]int{2, tSiege, 1, at(30, 33)}, [4]int{3, tSoldier, 0, c.foe})
		got := s.orders(pb.OrderKind_ORDER_KIND_ABILITY)
		if len(got) == 1 && got[0].What == 0 && got[0].Units[0] == 2 != c.deploy || !c.deploy && len(got) != 0 || c.deploy && len(got) != 1 {
			t.Errorf("%s: it ordered %v", c.name, got)
		}
	}
}

// A caster sets fire to enemies who stand close together, if it has the energy and
// no friends stand there.
func TestHardBurnsCrowds(t *testing.T) {
	energy := &pb.Own{Energy: []uint32{2, 60}}
	crowd := [][4]int{{3, tSoldier, 0, at(24, 30)}, {4, tSoldier, 0, at(25, 30)}, {5, tSoldier, 0, at(24, 31)}}
	for _, c := range []struct {
		name string
		own  *pb.Own
		more [][4]int
		burn bool
	}{
		{"a crowd", energy, nil, true}, {"no energy", nil, nil, false},
		{"friends among them", energy, [][4]int{{6, tSoldier, 1, at(25, 31)}, {7, tSoldier, 1, at(24, 29)}}, false},
	} {
		s := newScene(t, c.own, append(append([][4]int{{2, tCaster, 1, at(30, 30)}}, crowd...), c.more...)...)
		got := s.orders(pb.OrderKind_ORDER_KIND_ABILITY)
		if (len(got) == 1 && got[0].What == 1) != c.burn {
			t.Errorf("%s: it ordered %v", c.name, got)
		}
	}
}

// Hurt units are shielded, the most expensive first.
func TestHardShieldsTheHurt(t *testing.T) {
	s := newScene(t, nil, [4]int{2, tWatcher, 1, at(30, 30)}, [4]int{3, tSoldier, 1, at(29, 30)}, [4]int{4, tCaster, 1, at(28, 30)}, [4]int{5, tSiege, 1, at(27, 30)})
	receive(t, s.mind.State, &pb.ServerFrame{Span: 1, Health: []uint32{3, 40, 1, 30}}) // 3 and 4
	got := s.orders(pb.OrderKind_ORDER_KIND_ABILITY)
	if len(got) != 1 || got[0].What != 2 || got[0].Target != 4 {
		t.Errorf("it ordered %v", got)
	}
}

// A weapon that hits several foes fires at crowds, the other one at single foes.
func TestHardChoosesItsFire(t *testing.T) {
	crowd := [][4]int{{3, tSoldier, 0, at(27, 30)}, {4, tSoldier, 0, at(27, 31)}, {5, tSoldier, 0, at(26, 30)}}
	for _, c := range []struct {
		name      string
		foes      [][4]int
		alternate bool // at first
		want      []uint32
	}{
		{"a crowd", crowd, false, []uint32{orders.FireAlternate}}, {"still a crowd", crowd, true, nil},
		{"one foe", crowd[:1], true, []uint32{orders.FireMain}}, {"one foe, main fire", crowd[:1], false, nil},
		{"far foes", [][4]int{{3, tSoldier, 0, at(10, 30)}, {4, tSoldier, 0, at(10, 31)}, {5, tSoldier, 0, at(9, 30)}}, false, nil},
	} {
		s := newScene(t, nil, append([][4]int{{2, tCaster, 1, at(30, 30)}}, c.foes...)...)
		if c.alternate {
			s.mind.Replica.Entities[2].Values[view.ValueFlags] = uint32(pb.EntityFlag_ENTITY_FLAG_ALTERNATE)
		}
		var got []uint32
		for _, o := range s.orders(pb.OrderKind_ORDER_KIND_FIRE) {
			if o.What == orders.FireMain || o.What == orders.FireAlternate {
				got = append(got, o.What)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: it ordered %v, want %v", c.name, got, c.want)
		}
	}
}

// Fighters with a sprint use it against foes near them.
func TestHardRushesAtFoes(t *testing.T) {
	for _, c := range []struct {
		foe  int
		want bool
	}{{at(28, 30), true}, {at(22, 30), false}} {
		s := newScene(t, nil, [4]int{2, tRaider, 1, at(30, 30)}, [4]int{3, tSoldier, 0, c.foe})
		got := s.orders(pb.OrderKind_ORDER_KIND_ABILITY)
		if rushes := slices.ContainsFunc(got, func(o *pb.Order) bool { return o.What == 4 }); rushes != c.want {
			t.Errorf("it ordered %v", got)
		}
	}
}

// Without siege and casters hidden units hold the front with the army, and there are more of them.
func TestHiddenUnitsGoWithAnArmyThatNeedsThem(t *testing.T) {
	for _, alone := range []bool{false, true} {
		s := newScene(t, nil, [4]int{2, tRaider, 1, at(30, 30)})
		if alone {
			s.mind.makes[siege], s.mind.makes[caster] = false, false
		}
		s.mind.Think()
		if n := len(s.mind.now.shadows); n == 1 == alone || len(s.mind.now.army) == 1 != alone || s.mind.weights[shadow] > share[shadow] != alone {
			t.Errorf("without siege and casters: %v; %d raid, %d are of the army, weights %v", alone, n, len(s.mind.now.army), s.mind.weights)
		}
	}
}

// Soldiers in reach of the same enemies shoot at the same one, not each at its own.
func TestHardFocusesItsFire(t *testing.T) {
	s := newScene(t, nil,
		[4]int{2, tSoldier, 1, at(26, 26)}, [4]int{3, tSoldier, 1, at(26, 27)}, [4]int{4, tSoldier, 1, at(26, 28)}, [4]int{5, tSoldier, 1, at(26, 29)},
		[4]int{6, tSoldier, 0, at(23, 27)}, [4]int{7, tSoldier, 0, at(23, 28)})
	receive(t, s.mind.State, &pb.ServerFrame{Span: 1, Health: []uint32{7, 80}})
	got := s.orders(pb.OrderKind_ORDER_KIND_ATTACK)
	if len(got) != 2 || got[0].Target != 7 || len(got[0].Units) != 1 || got[1].Target != 6 || len(got[1].Units) != 3 {
		t.Errorf("it ordered %v; one shot is enough for 7", got)
	}
}

// An attack that meets much more than it is goes home.
func TestHardRetreatsFromALostFight(t *testing.T) {
	for _, c := range []struct {
		foes    int
		retreat bool
	}{{20, true}, {4, false}} {
		var units [][4]int
		for i := range 8 {
			units = append(units, [4]int{2 + i, tSoldier, 1, at(8+i%4, 10+i/4)})
		}
		for i := range c.foes {
			units = append(units, [4]int{20 + i, tSoldier, 0, at(8+i%6, 4+i/6)})
		}
		s := newScene(t, nil, units...)
		s.mind.look()
		s.mind.away = true
		for _, u := range s.mind.now.army {
			s.mind.wave[u.handle] = true
		}
		var back []uint32
		for _, o := range s.orders(pb.OrderKind_ORDER_KIND_MOVE) {
			back = append(back, o.Units...)
		}
		if s.mind.away == c.retreat || (len(back) > 0) != c.retreat {
			t.Errorf("against %d: under way %v, %d go home", c.foes, s.mind.away, len(back))
		}
	}
}

// A structure next trains the type that is furthest from its share, among the types that the rarer resources
// suffice for.
func TestHardKeepsItsShares(t *testing.T) {
	s := newScene(t, &pb.Own{Resources: []uint32{1000}, Population: proto.Uint32(8), PopulationMax: proto.Uint32(40)},
		[4]int{2, tBarracks, 1, at(26, 33)}, [4]int{3, tSoldier, 1, at(30, 30)}, [4]int{4, tSoldier, 1, at(31, 30)})
	made := map[uint32]bool{}
	for _, o := range s.orders(pb.OrderKind_ORDER_KIND_TRAIN) {
		made[o.What] = true
	}
	if made[tSoldier] || !made[tSiege] && !made[tCaster] {
		t.Errorf("with two soldiers it trains %v", made)
	}
}

// Siege units and casters hold their ground; a unit that has its stance gets no second order.
func TestHardGivesStances(t *testing.T) {
	s := newScene(t, &pb.Own{Firing: []uint32{4, 32}}, [4]int{2, tSiege, 1, at(30, 30)}, [4]int{3, tCaster, 1, at(31, 30)},
		[4]int{4, tSiege, 1, at(32, 30)}, [4]int{5, tSoldier, 1, at(33, 30)})
	list := s.orders(pb.OrderKind_ORDER_KIND_FIRE)
	if len(list) != 1 || list[0].What != orders.FireGround || !slices.Equal(list[0].Units, []uint32{2, 3}) {
		t.Errorf("it orders %v", list)
	}
}

// The enemy's seen units change the types that hard trains: siege against many soldiers, flyers against siege, and
// eyes for hidden units.
func TestHardAnswersWhatItHasSeen(t *testing.T) {
	weights := func(typ, n int) [roles]int {
		units := [][4]int{{2, tSoldier, 1, at(20, 20)}}
		for i := range n {
			units = append(units, [4]int{20 + i, typ, 0, at(18+i%5, 16+i/5)})
		}
		s := newScene(t, nil, units...)
		s.mind.Think()
		return s.mind.weights
	}
	for _, c := range []struct {
		typ, n int
		more   role
	}{{tSoldier, 8, siege}, {tSiege, 2, wing}, {tSiege, 2, shadow}, {tRaider, 1, watcher}} {
		if w := weights(c.typ, c.n); w[c.more] <= share[c.more] {
			t.Errorf("after %d of type %d the weights are %v, of nothing seen %v", c.n, c.typ, w, share)
		}
	}
	if w := weights(tSoldier, 0); w != share {
		t.Errorf("of nothing seen the weights are %v, want %v", w, share)
	}
}

// Where enemies came to a base, hard builds what shoots, once they are gone: as often
// as they came, and not without end.
func TestHardBuildsTowersWhereItWasStruck(t *testing.T) {
	own := func() *pb.Own {
		return &pb.Own{Resources: []uint32{1000}, Population: proto.Uint32(8), PopulationMax: proto.Uint32(40)}
	}
	base := [][4]int{{2, tBarracks, 1, at(26, 33)}, {3, tBarracks, 1, at(26, 25)}, {4, tWorker, 1, at(30, 30)}, {5, tSoldier, 1, at(30, 32)}}
	s := newScene(t, own(), append(base, [4]int{9, tSoldier, 0, at(28, 24)})...)
	for range 3 { // one visit, however long
		s.mind.next = 0
		for _, o := range s.orders(pb.OrderKind_ORDER_KIND_BUILD) {
			t.Errorf("with an enemy in the base it builds %v", o)
		}
	}
	if s.mind.strikes != 1 || s.mind.struck.Tile() != (grid.Tile{X: 26, Y: 25}) {
		t.Errorf("%d strikes, the last at %v", s.mind.strikes, s.mind.struck.Tile())
	}
	for _, c := range []struct {
		name    string
		strikes int
		without []string
		more    [][4]int
		builds  bool
	}{
		{"nobody came", 0, nil, nil, false},
		{"somebody came", 1, nil, nil, true},
		{"it has one for that", 1, nil, [][4]int{{6, tTower, 1, at(24, 24)}}, false},
		{"it has enough", 9, nil, [][4]int{{6, tTower, 1, at(24, 24)}, {7, tTower, 1, at(24, 28)}}, false},
		{"it does without", 1, []string{"tower"}, nil, false},
	} {
		s := newSceneWithout(t, c.without, own(), append(slices.Clone(base), c.more...)...)
		seen := &pb.MaskRows{} // the whole field
		for y := range uint32(40) {
			seen.Row, seen.ExploredRuns, seen.VisibleRuns = append(seen.Row, min(y, 1)), append(seen.ExploredRuns, 2), append(seen.VisibleRuns, 0)
			seen.Explored = append(seen.Explored, 0, 40)
		}
		receive(t, s.mind.State, &pb.ServerFrame{Span: 1, Mask: seen})
		s.mind.strikes, s.mind.struck = c.strikes, grid.Tile{X: 26, Y: 25}.Center()
		built := slices.ContainsFunc(s.orders(pb.OrderKind_ORDER_KIND_BUILD), func(o *pb.Order) bool {
			at := grid.Pos{X: o.To.GetX(), Y: o.To.GetY()}
			return o.What == tTower && at.Within(s.mind.struck, grid.Tiles(10))
		})
		if built != c.builds {
			t.Errorf("%s: it builds a tower: %v", c.name, built)
		}
	}
}

// Hard lays mines on the way by which enemies come to where they struck, a few for each base. It does not attack a mine of the
// enemy, and plans no way over it.
func TestHardLaysMinesAndAvoidsThem(t *testing.T) {
	own := &pb.Own{Resources: []uint32{1000}, Population: proto.Uint32(8), PopulationMax: proto.Uint32(40)}
	for _, c := range []struct {
		name  string
		laid  int
		wants bool
	}{{"without mines", 0, true}, {"with three", 3, true}, {"with four", 4, false}} {
		units := [][4]int{{2, tBarracks, 1, at(26, 33)}, {3, tBarracks, 1, at(26, 25)}, {4, tWorker, 1, at(30, 30)}, {5, tTower, 1, at(24, 28)}, {6, tMine, 0, at(15, 15)}}
		for i := range c.laid {
			units = append(units, [4]int{7 + i, tMine, 1, at(31, 36+i)})
		}
		s := newScene(t, own, units...)
		types := s.mind.Welcome.Types
		types[tWorker].Builds = append(types[tWorker].Builds, tMine)
		seen := &pb.MaskRows{} // the whole field
		for y := range uint32(40) {
			seen.Row, seen.ExploredRuns, seen.VisibleRuns = append(seen.Row, min(y, 1)), append(seen.ExploredRuns, 2), append(seen.VisibleRuns, 0)
			seen.Explored = append(seen.Explored, 0, 40)
		}
		receive(t, s.mind.State, &pb.ServerFrame{Span: 1, Mask: seen})
		s.mind.strikes, s.mind.struck = 1, grid.Tile{X: 26, Y: 25}.Center()
		var far int32
		for _, o := range s.orders(pb.OrderKind_ORDER_KIND_BUILD) {
			if o.What == tMine {
				far = grid.Pos{X: o.To.GetX(), Y: o.To.GetY()}.Tile().Dist2(s.mind.struck.Tile())
			}
		}
		if (far != 0) != c.wants || far != 0 && (far < 16 || far > 121) {
			t.Errorf("%s: it lays one %d tiles away, squared", c.name, far)
		}
		if len(s.mind.now.strongs) != 0 || s.mind.open(grid.Tile{X: 15, Y: 15}) || !s.mind.open(grid.Tile{X: 31, Y: 36}) {
			t.Errorf("%s: targets %v, ways lead over the enemy's mine: %v", c.name, s.mind.now.strongs, s.mind.open(grid.Tile{X: 15, Y: 15}))
		}
	}
}

// A bot without a type does not train it, and an unknown type is an error.
func TestHardWithoutAType(t *testing.T) {
	own := &pb.Own{Resources: []uint32{1000}, Population: proto.Uint32(8), PopulationMax: proto.Uint32(40)}
	s := newSceneWithout(t, []string{"siege", "caster"}, own, [4]int{2, tBarracks, 1, at(26, 33)}, [4]int{3, tSoldier, 1, at(30, 30)})
	trained := 0
	for _, o := range s.orders(pb.OrderKind_ORDER_KIND_TRAIN) {
		trained++
		if o.What == tSiege || o.What == tCaster {
			t.Errorf("it trains %v", o)
		}
	}
	if trained == 0 {
		t.Error("it trains nothing")
	}
	c := client.New(client.Config{Map: client.OneMap(field())})
	receive(t, c, &pb.ServerFrame{Welcome: hardWelcome()})
	if _, err := (Skill{Level: Expert}).Without(c, []string{"dragon"}); err == nil {
		t.Error("there is no dragon, and no error")
	}
}

package sim_test

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// captureStage is a world with a beacon in its middle, and players 0 and 1.
type captureStage struct {
	*testing.T
	*sim.World
	edit   simtest.Editor
	beacon *sim.Entity
}

const captureTicks = 40 // two seconds

func newCaptureStage(t *testing.T) *captureStage {
	t.Helper()
	rs, err := simtest.LandmarkRules()
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("capture", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 56, Y: 56}, {X: 8, Y: 56}}
	w, err := sim.New(sim.Setup{Map: m, Rules: rs, TickRate: 20, Seed: 3, Players: []sim.Player{
		{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 2},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s := &captureStage{T: t, World: w, edit: simtest.Edit(w)}
	for _, e := range w.Entities() {
		if rs.Types[e.Type()].Name == "beacon" {
			s.beacon = e
		}
	}
	if s.beacon == nil || s.beacon.Slot() != grid.NoSlot || !s.beacon.Pos().Within(grid.Tile{X: 32, Y: 32}.Center(), 2*grid.WUPerTile) {
		t.Fatalf("the landmark is %+v", s.beacon)
	}
	return s
}

func (s *captureStage) add(slot grid.Slot, name string, x, y int16) *sim.Entity {
	s.Helper()
	typ, _ := s.Rules().TypeByName(name)
	e := s.edit.Add(slot, typ, grid.Tile{X: x, Y: y}.Center())
	if e == nil {
		s.Fatalf("no room for a %s", name)
	}
	return e
}

func (s *captureStage) steps(n int) {
	for range n {
		s.Step(nil)
	}
}

// All teams know a landmark from the start, and a team that does not see it gets no news about it. A unit next to it
// takes it, and its team sees by it from then on.
func TestALandmarkIsTaken(t *testing.T) {
	s := newCaptureStage(t)
	for team := range grid.Team(2) {
		if _, ok := s.Knowledge(team).HandleOf(s.beacon); !ok || s.Eyes().Visible(team, s.beacon.Tile()) {
			t.Errorf("team %d: knows of the landmark %v, sees its ground %v", team, ok, s.Eyes().Visible(team, s.beacon.Tile()))
		}
	}
	s.add(0, "scout", 30, 30)
	s.steps(captureTicks + 2)
	if done, _ := s.Captured(s.beacon); done != 0 || s.beacon.Team() != grid.NoTeam {
		t.Fatalf("a unit that captures nothing captures: %d", done)
	}
	taker := s.add(0, "soldier", 31, 30)
	s.steps(captureTicks - 1)
	if done, total := s.Captured(s.beacon); s.beacon.Slot() != grid.NoSlot || done != captureTicks-1 || total != captureTicks {
		t.Fatalf("after %d ticks it is %d's, %d of %d", captureTicks-1, s.beacon.Slot(), done, total)
	}
	s.steps(1)
	if s.beacon.Slot() != 0 || s.beacon.Team() != 0 {
		t.Fatalf("it is %d's", s.beacon.Slot())
	}
	s.edit.Remove(taker)
	for _, e := range s.Entities() {
		if e.Team() == 0 && e.Class() == rules.ClassUnit && e.Pos().Within(s.beacon.Pos(), 8*grid.WUPerTile) {
			s.edit.Remove(e)
		}
	}
	s.steps(80) // the sight of the dead has ended
	if !s.Eyes().Visible(0, s.beacon.Tile()) || s.Eyes().Visible(1, s.beacon.Tile()) {
		t.Errorf("its ground is seen by team 0: %v, by team 1: %v", s.Eyes().Visible(0, s.beacon.Tile()), s.Eyes().Visible(1, s.beacon.Tile()))
	}
}

// While two teams are there the capture stands still; without units it runs back. A restore
// does not change its course.
func TestACaptureIsContested(t *testing.T) {
	s := newCaptureStage(t)
	done := func() grid.Ticks { n, _ := s.Captured(s.beacon); return n }
	taker := s.add(0, "soldier", 31, 30)
	s.steps(10)
	foe := s.add(1, "soldier", 34, 33)
	for range 5 {
		s.edit.SetHealth(taker, 100)
		s.edit.SetHealth(foe, 100)
		s.steps(1)
	}
	if done() != 10 {
		t.Errorf("contested, it is at %d ticks, want 10", done())
	}
	saved := s.Save(nil)
	again, err := sim.Restore(sim.Setup{Map: s.Map(), Rules: s.Rules(), TickRate: 20, Seed: 3, Players: []sim.Player{
		{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 2},
	}}, saved)
	if err != nil {
		t.Fatal(err)
	}
	for range 60 {
		s.steps(1)
		if again.Step(nil); again.Hash() != s.Hash() {
			t.Fatalf("tick %d: the restored world is another", s.Tick())
		}
	}
	s.edit.Remove(taker)
	s.edit.Remove(foe)
	s.steps(2)
	at := done()
	s.steps(5)
	if want := max(0, at-5); done() != want && s.beacon.Team() == grid.NoTeam {
		t.Errorf("with nobody there it is at %d ticks after %d, want %d", done(), at, want)
	}
}

// A captured enemy structure keeps its abilities, but not its products in the making. Its
// former team sees that it changes sides and to whom, and remembers it so, though the
// team's own sight from there ended. Its former owner learns of each order that ends: a product, and an
// order that was accepted but has not acted.
func TestAStructureIsTaken(t *testing.T) {
	s := newCaptureStage(t)
	barracks := s.add(1, "barracks", 20, 40)
	typ, _ := s.Rules().TypeByName("soldier")
	s.edit.Enqueue(barracks, typ)
	pop := s.Player(1).Pop
	s.steps(1)
	for _, e := range s.Entities() { // else it stands in sight of others
		if e.Team() == 1 && e != barracks && e.Class() == rules.ClassUnit && e.Pos().Within(barracks.Pos(), 12*grid.WUPerTile) {
			s.edit.Remove(e)
		}
	}
	taker := s.add(2, "soldier", 18, 40)
	handle, _ := s.Knowledge(1).HandleOf(barracks)
	s.Step([]sim.Input{{Kind: sim.InputJoined, Slot: 1}})
	var closed []orders.Kind
	rally := orders.Order{Kind: orders.SetRally, Units: []grid.Handle{handle}, HasPoint: true, Point: grid.Tile{X: 50, Y: 50}.Center()}
	note := func(out sim.Outcome) {
		for _, n := range out.Notices {
			if n.Unit == barracks.ID() && n.Slot == 1 && n.Code == orders.NotYours {
				closed = append(closed, n.Kind)
			}
		}
	}
	for i := range uint32(2 * captureTicks) {
		s.edit.SetHealth(taker, 100)
		note(s.Step([]sim.Input{{Kind: sim.InputOrder, Slot: 1, Seq: i + 1, AsOf: s.Tick(), Order: rally}}))
		if barracks.Team() == 0 {
			break
		}
	}
	if barracks.Slot() != 2 {
		t.Fatalf("it is %d's", barracks.Slot())
	}
	if made, _ := s.Production(barracks); len(made.Queue) != 0 || made.HasRally {
		t.Errorf("it goes on with %+v", made)
	}
	if now := s.Player(1).Pop; now != pop-s.Rules().Types[typ].Pop {
		t.Errorf("its former owner has a population of %d, had %d with a soldier in the queue", now, pop)
	}
	if h, seen := s.Knowledge(1).HandleOf(barracks); !seen || h != handle {
		t.Error("its former team does not see that it goes")
	}
	note(s.Step(nil))
	if want := []orders.Kind{orders.Train, orders.SetRally}; !slices.Equal(slices.Compact(closed), want) {
		t.Errorf("its former owner was told that orders of the kinds %v end, want %v", closed, want)
	}
	if g, ok := s.Knowledge(1).Ghost(handle); !ok || g.Slot != 2 || g.Team != 0 {
		t.Errorf("its former team remembers %+v (%v)", g, ok)
	}
	if s.Eyes().Visible(1, barracks.Tile()) {
		t.Error("its former team sees by it")
	}
	for range 100 { // its new team's soldier does not fight it
		s.steps(1)
	}
	if hp, _ := barracks.Health(); hp < s.Rules().Types[barracks.Type()].Health-200 {
		t.Errorf("its new team shoots at it: %d health is left", hp)
	}
}

// The server never tells another team of a unit that is relevant to its owner alone, even
// in that team's sight.
func TestAMarkerIsItsOwnersAlone(t *testing.T) {
	s := newCaptureStage(t)
	marker := s.add(0, "marker", 40, 20)
	s.add(1, "detector", 42, 20)
	s.steps(3)
	if _, mine := s.Knowledge(0).HandleOf(marker); !mine {
		t.Error("its own team is not told of it")
	}
	if _, theirs := s.Knowledge(1).HandleOf(marker); theirs || !s.Eyes().Visible(1, marker.Tile()) {
		t.Errorf("a team that sees its ground (%v) is told of it: %v", s.Eyes().Visible(1, marker.Tile()), theirs)
	}
}

// On each shipped map the ruleset arsenal has a watchtower in the middle, about as far from each start. A soldier
// that stands there for ten seconds takes it.
func TestShippedMapsHaveAStructureToCapture(t *testing.T) {
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	typ, ok := rs.TypeByName("soldier")
	if !ok || len(rs.Landmarks) != 1 {
		t.Fatalf("the ruleset has a soldier: %v, and %d landmarks", ok, len(rs.Landmarks))
	}
	for _, entry := range library.List() {
		m := entry.Map
		setup := sim.Setup{Map: m, Rules: rs, TickRate: 20, Seed: 3}
		for i := range m.Starts {
			setup.Players = append(setup.Players, sim.Player{Team: grid.Team(i), Start: i})
		}
		w, err := sim.New(setup)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(w.Entities(), func(e *sim.Entity) bool { return e.Type() == rs.Landmarks[0] })
		if i < 0 {
			t.Errorf("%s has no landmark", m.Name)
			continue
		}
		tower := w.Entities()[i]
		var far []int32
		for _, start := range m.Starts {
			far = append(far, start.Dist2(tower.Tile()))
		}
		if near, most := slices.Min(far), slices.Max(far); 100*most > 110*near {
			t.Errorf("%s: its landmark at %v is nearer to one start than to others: %v", m.Name, tower.Tile(), far)
		}
		const side = 2 * grid.WUPerTile
		if !slices.ContainsFunc([]grid.Vec{{X: side}, {X: -side}, {Y: side}, {Y: -side}}, func(v grid.Vec) bool {
			return simtest.Edit(w).Add(1, typ, tower.Pos().Add(v)) != nil
		}) {
			t.Errorf("%s: no room beside the landmark", m.Name)
		}
		for range 201 {
			w.Step(nil)
		}
		if tower.Slot() != 1 {
			t.Errorf("%s: the landmark is %d's", m.Name, tower.Slot())
		}
	}
}

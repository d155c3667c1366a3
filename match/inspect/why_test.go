package inspect

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// eye is an eye as the obvious scan knows it: from an entity's place and its type's sight, or from the list of eyes
// that end by themselves.
type eye struct {
	obvious.Source
	id    grid.EntityID // 0: one that ends by itself
	until grid.Tick
}

// scan answers the questions of this package by looking at every eye and every tile. It shares the types of the
// grid, and the questions.
type scan struct {
	w     *sim.World
	field *obvious.Field
	eyes  [][]eye // by team
}

func newScan(w *sim.World) *scan {
	s := &scan{w: w, field: obvious.NewField(w.Map()), eyes: make([][]eye, w.Teams())}
	for _, e := range w.Entities() {
		t := &w.Rules().Types[e.Type()]
		if e.Team() == grid.NoTeam || t.Class == rules.ClassProjectile {
			continue
		}
		x := eye{id: e.ID(), Source: obvious.Source{X: int(e.Tile().X), Y: int(e.Tile().Y), Radius: simtest.SightOf(w, e), Detect: int(t.Detect), Flyer: t.Class == rules.ClassUnit && t.Move == grid.Air, LevelBonus: int(t.LevelBonus)}}
		if !e.Built() {
			x.Radius, x.Detect = min(x.Radius, 4), 0
		}
		s.eyes[e.Team()] = append(s.eyes[e.Team()], x)
	}
	for t := range s.eyes {
		for _, src := range w.Eyes().Timed(grid.Team(t)) {
			s.eyes[t] = append(s.eyes[t], eye{until: src.Until, Source: obvious.Source{
				X: int(src.Tile.X), Y: int(src.Tile.Y), Radius: int(src.Radius), Detect: int(src.Detect), Flyer: src.Flyer, LevelBonus: int(src.LevelBonus),
			}})
		}
	}
	return s
}

// fails says by which rule an eye does not see a tile, "" if it does.
func (s *scan) fails(x eye, radius int, at grid.Tile) string {
	above := x
	above.Flyer = true
	low := *s.field
	low.Occlusion = grid.OcclusionHighGround
	switch {
	case !s.field.Sees(above.Source, radius, int(at.X), int(at.Y)):
		return ReasonRange
	case !low.Sees(x.Source, radius, int(at.X), int(at.Y)):
		return ReasonLevel
	case !s.field.Sees(x.Source, radius, int(at.X), int(at.Y)):
		return ReasonBlocked
	}
	return ""
}

// judgement is the scan's answer for a team and an entity.
type judgement struct {
	reason, now string
	by          []grid.EntityID // who sees it (with detected: finds it), sorted; eyes that end by themselves are 0
}

func (s *scan) judge(e *sim.Entity, team grid.Team) judgement {
	t := &s.w.Rules().Types[e.Type()]
	own, always := e.Team() == team, t.Relevance == rules.RelevantAlways
	var out judgement
	var best string
	if t.Relevance == rules.RelevantSeen {
		tiles := []grid.Tile{e.Tile()}
		if t.Class == rules.ClassStructure && !e.Cloaked() {
			tiles = nil
			for dy := range int(t.FootH) {
				for dx := range int(t.FootW) {
					tiles = append(tiles, grid.Tile{X: e.Foot().X + int16(dx), Y: e.Foot().Y + int16(dy)})
				}
			}
		}
		best = s.look(&out, e, team, tiles)
	} else if !always {
		best = ReasonOwner
	}
	switch {
	case own:
		out.reason = ReasonOwn
	case always:
		out.reason = ReasonAlways
	case best == ReasonSight || best == ReasonAbove || best == ReasonDetected || best == ReasonRevealed:
		out.reason = best
	case e.SeenBy().Has(team):
		out.reason = ReasonCaptured
	default:
		out.reason = best
		for _, g := range s.w.Knowledge(team).Ghosts() {
			if g.Of() == e.ID() {
				out.reason, out.now = ReasonGhost, best
			}
		}
	}
	return out
}

// look says how the team's eyes stand to the tiles by which an entity is seen.
func (s *scan) look(out *judgement, e *sim.Entity, team grid.Team, tiles []grid.Tile) string {
	best := func(detect bool) (reason string, flying, revealing bool) {
		flying, revealing = true, true
		out.by = nil
		order := []string{"", ReasonBlocked, ReasonLevel, ReasonRange, ReasonNoEyes}
		reason = ReasonNoEyes
		to, until := e.Revealed()
		for _, x := range s.eyes[team] {
			radius := x.Radius
			if detect {
				if radius = x.Detect; radius == 0 {
					continue
				}
			}
			sees := false
			for _, at := range tiles {
				why := s.fails(x, radius, at)
				if slices.Index(order, why) < slices.Index(order, reason) {
					reason = why
				}
				sees = sees || why == ""
			}
			if sees {
				out.by = append(out.by, x.id)
				flying = flying && x.Flyer
				revealing = revealing && x.id == 0 && x.Radius == 0 && to.Has(team) && x.until <= until
			}
		}
		slices.Sort(out.by)
		return reason, flying, revealing
	}
	reason, flying, revealing := best(false)
	switch {
	case reason != "":
		return reason
	case e.Cloaked():
		if reason, _, _ = best(true); reason != "" {
			return ReasonCloaked
		}
		return ReasonDetected
	case !flying:
		return ReasonSight
	case revealing:
		return ReasonRevealed
	}
	return ReasonAbove
}

// check compares the look's answer for every entity and team with the scan's.
func check(w *sim.World, occurred map[string]int) error {
	s, l := newScan(w), At(w)
	before := w.Hash()
	for _, e := range w.Entities() {
		for _, got := range l.Why(e) {
			team := grid.Team(got.Team)
			want := s.judge(e, team)
			name := fmt.Sprintf("tick %d: %s %d at %v for team %d", w.Tick(), w.Rules().Types[e.Type()].Name, e.ID(), e.Tile(), team)
			if got.Reason != want.reason || got.Now != want.now || got.Seen != e.SeenBy().Has(team) {
				return fmt.Errorf("%s: %s (%s), seen %v, the scan says %s (%s), seen %v: %s", name, got.Reason, got.Now, got.Seen, want.reason, want.now, e.SeenBy().Has(team), got.Words)
			}
			var by []grid.EntityID
			for _, x := range got.Eyes {
				by = append(by, grid.EntityID(x.ID))
			}
			slices.Sort(by)
			if len(want.by) <= eyesMax && !slices.Equal(by, want.by) {
				return fmt.Errorf("%s, %s: seen by %v, the scan says %v", name, got.Reason, by, want.by)
			}
			if err := s.checkNearest(&got, e); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if got.Words == "" {
				return fmt.Errorf("%s: %s has no words", name, got.Reason)
			}
			occurred[got.Reason]++
		}
	}
	if w.Hash() != before {
		return fmt.Errorf("tick %d: looking changed the world", w.Tick())
	}
	return nil
}

// checkNearest checks the eye that is named for an unseen entity: no eye is nearer, and the
// tile that is said to be in the way is.
func (s *scan) checkNearest(got *TeamSight, e *sim.Entity) error {
	why := got.Reason
	if got.Now != "" {
		why = got.Now
	}
	switch why {
	case ReasonRange:
		if *got.Distance <= *got.Need {
			return fmt.Errorf("out of range at %v of %v", *got.Distance, *got.Need)
		}
		end := got.Line[len(got.Line)-1]
		least := 100*distance(grid.Tile{X: int16(got.By.X), Y: int16(got.By.Y)}, grid.Tile{X: int16(end.X), Y: int16(end.Y)}) - 100*got.By.Radius
		for _, x := range s.eyes[got.Team] {
			if short := 100*distance(grid.Tile{X: int16(x.X), Y: int16(x.Y)}, e.Tile()) - 50*float64(x.Radius); s.w.SightRule(e) == sim.SightTile && short < least-1 {
				return fmt.Errorf("the nearest eye lacks %v, another %v", least, short)
			}
		}
	case ReasonBlocked:
		at := grid.Tile{X: int16(got.Blocked.X), Y: int16(got.Blocked.Y)}
		stands := int(s.field.Levels[int(at.Y)*s.field.W+int(at.X)])
		if s.field.Opaque[int(at.Y)*s.field.W+int(at.X)] {
			stands++
		}
		if stands != got.Blocked.Stands || stands <= got.By.Level || !slices.Contains(got.Line, got.Blocked.Point) {
			return fmt.Errorf("%+v does not stand in the way of %+v along %v", got.Blocked, got.By, got.Line)
		}
	}
	return nil
}

// landmarkWorld is a world of three players in two teams, on ground with levels and
// cliffs if a test draws some.
func landmarkWorld(t interface{ Fatal(...any) }, ground func(m *grid.Map)) *sim.World {
	rs, err := simtest.LandmarkRules()
	if err != nil {
		t.Fatal(err)
	}
	rs.Settings.RevealOnFireMs, rs.Settings.DyingSightMs = 1000, 1000
	m := grid.NewMap("inspected", 48, 48)
	m.Occlusion = grid.OcclusionLineOfSight
	m.Starts = []grid.Tile{{X: 7, Y: 7}, {X: 40, Y: 40}, {X: 7, Y: 40}}
	if ground != nil {
		ground(m)
	}
	w, err := sim.New(sim.Setup{Map: m, Rules: rs, TickRate: 10, Seed: 5, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestWhyEqualsTheObviousScan: in made-up worlds, with units of all kinds that move, fight, hide and die, the
// reason of every entity and team equals the scan's.
func TestWhyEqualsTheObviousScan(t *testing.T) {
	occurred := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.Uint64().Draw(t, "ground")
		next := func(n int) int {
			state += 0x9E3779B97F4A7C15
			z := (state ^ state>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			return int(z>>33) % n
		}
		hills, cliffs := rapid.IntRange(0, 60).Draw(t, "hills"), rapid.IntRange(0, 30).Draw(t, "cliffs")
		w := landmarkWorld(t, func(m *grid.Map) {
			for i := range m.Levels {
				at := m.TileAt(i)
				middle := at.X > 15 && at.X < 33 && at.Y > 15 && at.Y < 33
				if middle && next(200) < hills {
					m.Levels[i] = grid.Level(1 + next(2))
				}
				if middle && next(200) < cliffs {
					m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
				}
			}
		})
		edit := simtest.Edit(w)
		for range rapid.IntRange(4, 14).Draw(t, "units") {
			name := rapid.SampledFrom([]string{"scout", "soldier", "soldier", "raider", "raider", "flyer", "detector", "caster", "artillery", "marker", "tower", "barracks"}).Draw(t, "type")
			typ, ok := w.Rules().TypeByName(name)
			if !ok {
				t.Fatalf("no %s", name)
			}
			at := grid.Tile{X: int16(rapid.IntRange(12, 36).Draw(t, "x")), Y: int16(rapid.IntRange(12, 36).Draw(t, "y"))}
			e := edit.Add(grid.Slot(rapid.IntRange(0, 2).Draw(t, "slot")), typ, at.Center())
			if e != nil && name == "raider" && rapid.Bool().Draw(t, "cloaked") {
				edit.SetEnergy(e, 1<<20)
				edit.Cloak(e)
			}
		}
		for range rapid.IntRange(1, 8).Draw(t, "looks") {
			all := w.Entities()
			e := all[rapid.IntRange(0, len(all)-1).Draw(t, "which")]
			switch rapid.IntRange(0, 4).Draw(t, "act") {
			case 0:
				edit.Remove(e)
			case 1, 2:
				edit.Order(e, orders.AttackMove, grid.Tile{X: int16(rapid.IntRange(12, 36).Draw(t, "to x")), Y: int16(rapid.IntRange(12, 36).Draw(t, "to y"))}.Center(), false)
			case 3:
				if scan, ok := abilityByName(w, "scan"); ok {
					edit.SetEnergy(e, 1<<20)
					edit.StartAbility(e, scan, grid.Tile{X: 24, Y: 24}.Center())
				}
			}
			for range rapid.IntRange(1, 12).Draw(t, "steps") {
				w.Step(nil)
			}
			if err := check(w, occurred); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, reason := range []string{
		ReasonOwn, ReasonAlways, ReasonSight, ReasonAbove, ReasonDetected, ReasonGhost, ReasonOwner, ReasonRange, ReasonLevel, ReasonBlocked, ReasonCloaked,
	} {
		if occurred[reason] == 0 {
			t.Errorf("nothing was %s: %v", reason, occurred)
		}
	}
}

func abilityByName(w *sim.World, name string) (uint8, bool) {
	i := slices.IndexFunc(w.Rules().Abilities, func(a rules.Ability) bool { return a.Name == name })
	return uint8(i), i >= 0
}

// TestRareReasons stages what hardly happens by itself, and holds it to the scan too.
func TestRareReasons(t *testing.T) {
	occurred := map[string]int{}
	add := func(w *sim.World, slot grid.Slot, name string, x, y int16) *sim.Entity {
		t.Helper()
		typ, _ := w.Rules().TypeByName(name)
		e := simtest.Edit(w).Add(slot, typ, grid.Tile{X: x, Y: y}.Center())
		if e == nil {
			t.Fatalf("no room for a %s at %d,%d", name, x, y)
		}
		return e
	}
	until := func(w *sim.World, what string, reason string) {
		t.Helper()
		for range 200 {
			w.Step(nil)
			if err := check(w, occurred); err != nil {
				t.Fatal(err)
			}
			if occurred[reason] > 0 {
				return
			}
		}
		t.Fatalf("%s: nothing was %s", what, reason)
	}

	// A gun on high ground, which its victim does not see, fires.
	w := landmarkWorld(t, func(m *grid.Map) {
		for i := range m.Levels {
			if at := m.TileAt(i); at.X >= 24 && at.Y < 24 && at.Y > 12 {
				m.Levels[i] = 1
			}
		}
	})
	add(w, 0, "worker", 21, 18)
	add(w, 1, "soldier", 25, 18)
	add(w, 1, "scout", 22, 25)
	until(w, "a shot out of the dark", ReasonRevealed)

	// A barracks of team 0 is taken by team 1, and team 0 has no other unit near it.
	w = landmarkWorld(t, nil)
	barracks := add(w, 0, "barracks", 34, 14)
	add(w, 1, "soldier", 34, 17)
	until(w, "a capture", ReasonCaptured)
	if barracks.Team() != 1 {
		t.Errorf("the barracks are team %d's", barracks.Team())
	}

	// A team that has lost everything has no eyes once its last sight has ended, and a ghost outlives its entity.
	w = landmarkWorld(t, nil)
	edit := simtest.Edit(w)
	tower := add(w, 1, "tower", 30, 20)
	id := tower.ID()
	eye := add(w, 0, "scout", 30, 25)
	w.Step(nil)
	edit.Move(eye, grid.Tile{X: 12, Y: 20}.Center())
	w.Step(nil)
	edit.Remove(tower)
	for range 30 {
		w.Step(nil)
	}
	d, ok := At(w).Detail(id)
	if !ok || !d.Gone || d.Teams[0].Reason != ReasonGhost || d.Teams[0].Now != ReasonGone || d.Teams[1].Reason != ReasonGone || d.Teams[1].Seen {
		t.Errorf("of the tower that is gone: %v, %+v", ok, d)
	}
	if _, ok := At(w).Detail(id + 1000); ok {
		t.Error("there is an entity that never was")
	}
	for _, e := range w.Entities() {
		if e.Team() == 0 {
			edit.Remove(e)
		}
	}
	until(w, "a team that has nothing", ReasonNoEyes)
}

// TestRadarIsExplained: of a thing that a team does not see, the fields name the radar and the jammer that decide.
func TestRadarIsExplained(t *testing.T) {
	w := landmarkWorld(t, nil)
	rs := w.Rules()
	rs.Signatures = []string{"vehicle"}
	of := func(name string) *rules.Type {
		i, ok := rs.TypeByName(name)
		if !ok {
			t.Fatalf("no type %s", name)
		}
		return &rs.Types[i]
	}
	for i := range rs.Types {
		rs.Types[i].Signature, rs.Types[i].Radar, rs.Types[i].Jam = 0, 0, rules.Jam{}
	}
	of("scout").Signature, of("barracks").Radar = 1, 14*grid.WUPerTile
	add := func(slot grid.Slot, name string, x, y int16) *sim.Entity {
		i, _ := rs.TypeByName(name)
		e := simtest.Edit(w).Add(slot, i, grid.Tile{X: x, Y: y}.Center())
		if e == nil {
			t.Fatalf("no room for a %s at %d,%d", name, x, y)
		}
		return e
	}
	finder, e, far := add(0, "barracks", 18, 20), add(1, "scout", 27, 27), add(1, "scout", 36, 36)
	other := add(1, "worker", 28, 28)
	radar := func(e *sim.Entity) (out []string) {
		d, ok := At(w).Detail(e.ID())
		for _, f := range d.Fields {
			if ok && f.Group == "radar" && f.Name == "team 0" {
				out = append(out, f.Value)
			}
		}
		return out
	}
	by, jammer := fmt.Sprintf("barracks %v", finder.ID()), fmt.Sprintf("worker %v", other.ID())
	expect := func(e *sim.Entity, want ...string) {
		t.Helper()
		if got := radar(e); !slices.Equal(got, want) {
			t.Errorf("%v: %q, want %q", e.ID(), got, want)
		}
	}
	expect(e, "found by "+by+" in cell 3,3")
	expect(far, "in range of no radar")
	expect(other) // it has no signature
	of("worker").Jam = rules.Jam{Radius: 4 * grid.WUPerTile, Scatter: 2}
	expect(e, "found by "+by+" in a block of 2 x 2 cells, scattered by "+jammer)
	of("worker").Jam.Scatter = 0
	expect(e, "in range of "+by+", and hidden by "+jammer)
	of("worker").Jam = rules.Jam{}
	for i := 0; i < 60 && len(At(w).Radar(0)) == 0; i++ {
		w.Step(nil)
	}
	at := e.Tile()
	if got := At(w).Radar(0); !slices.Equal(got, []Trace{{Class: "vehicle", X: at.X/8*8 + 4, Y: at.Y/8*8 + 4}}) || len(At(w).Radar(1)) > 0 {
		t.Errorf("contacts %v and %v", got, At(w).Radar(1))
	}
}

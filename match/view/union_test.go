package view

import (
	"cmp"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/visibility"
)

// watched is a world of two teams that a test moves by hand, and the view of a client with both teams' eyes.
type watched struct {
	t     *testing.T
	w     *sim.World
	scene *Cache
	all   *Builder
	view  View
}

func newWatched(t *testing.T) *watched {
	t.Helper()
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("flat", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 55}}
	m.Resources = []grid.Tile{{X: 32, Y: 32}, {X: 52, Y: 12}}
	w, err := sim.New(sim.Setup{Map: m, Rules: rules, Seed: 1, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	return &watched{t: t, w: w, scene: NewCache(w), all: NewBuilder(grid.NoTeam)}
}

// unit adds a unit of a player's.
func (x *watched) unit(slot grid.Slot, name string, at grid.Tile) *sim.Entity {
	x.t.Helper()
	typ, _ := x.w.Rules().TypeByName(name)
	e := simtest.Edit(x.w).Add(slot, typ, at.Center())
	if e == nil {
		x.t.Fatalf("no room for a %s at %v", name, at)
	}
	return e
}

// step plays a tick, builds its view and holds that against the world: it has everything that at least one team
// sees, and building it changed no state.
func (x *watched) step() {
	x.t.Helper()
	x.w.Step(nil)
	before := x.w.Hash()
	x.scene.Prepare(x.w)
	x.all.BuildFrom(x.scene, x.w, &x.view)
	if x.w.Hash() != before {
		x.t.Fatalf("tick %d: building the view changed the world", x.w.Tick())
	}
	type thing struct {
		typ   uint16
		owner grid.Slot
		at    grid.Pos
	}
	order := func(a, b thing) int {
		return cmp.Or(cmp.Compare(a.at.Y, b.at.Y), cmp.Compare(a.at.X, b.at.X), cmp.Compare(a.typ, b.typ))
	}
	var want, got []thing
	for _, e := range x.w.Entities() {
		if e.SeenBy() != 0 {
			want = append(want, thing{e.Type(), e.Slot(), e.Pos()})
		}
	}
	last := grid.Handle(0)
	for _, u := range x.view.Units {
		if u.Handle <= last {
			x.t.Fatalf("tick %d: handle %d behind %d", x.w.Tick(), u.Handle, last)
		}
		last = u.Handle
		got = append(got, thing{u.Type, u.Owner, u.Pos})
		if (u.Owner != grid.NoSlot) != u.Exact && x.w.Rules().Types[u.Type].Class == rules.ClassUnit {
			x.t.Errorf("tick %d: handle %d, of player %d, is exact: %v", x.w.Tick(), u.Handle, u.Owner, u.Exact)
		}
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(want, got) {
		x.t.Fatalf("tick %d: %d things are in sight and %d are told", x.w.Tick(), len(want), len(got))
	}
	if len(x.view.Owners) != 0 {
		x.t.Fatalf("tick %d: told of players' own affairs", x.w.Tick())
	}
	if eyes := x.w.Eyes(); x.view.Mask.HasHash && x.view.Mask.Hash != eyes.Union(visibility.VisibleNow, ^grid.TeamSet(0)).Hash() {
		x.t.Errorf("tick %d: the mask's hash is wrong", x.w.Tick())
	}
}

// remembers checks where ghosts are told to be, by this builder and by a new one.
func (x *watched) remembers(what string, at ...grid.Tile) {
	x.t.Helper()
	x.step()
	var fresh View
	b := NewBuilder(grid.NoTeam)
	b.BuildFrom(x.scene, x.w, &fresh)
	for _, v := range []*View{&x.view, &fresh} {
		var got []grid.Tile
		for _, g := range v.Ghosts {
			got = append(got, g.Pos.Tile())
		}
		slices.SortFunc(got, func(a, b grid.Tile) int { return cmp.Compare(a.X, b.X) })
		if !slices.Equal(got, at) {
			x.t.Errorf("tick %d, %s: remembered at %v, want %v", x.w.Tick(), what, got, at)
		}
	}
}

// The memory of all teams together: the places of resources out of all sight, as long as no team knows better.
func TestAllEyesRemember(t *testing.T) {
	x := newWatched(t)
	home := [2]grid.Tile{{X: 4, Y: 20}, {X: 60, Y: 44}}
	ore, far := grid.Tile{X: 32, Y: 32}, grid.Tile{X: 52, Y: 12}
	scouts := [2]*sim.Entity{x.unit(0, "scout", home[0]), x.unit(1, "scout", home[1])}
	visit := func(team int, at grid.Tile) { // and stay for a tick
		simtest.Edit(x.w).Move(scouts[team], at.Center())
		x.step()
		x.step()
	}
	leave := func(team int) { visit(team, home[team]) }
	resource := func(at grid.Tile) *sim.Entity {
		for _, e := range x.w.Entities() {
			if e.Class() == rules.ClassResource && e.Tile() == at {
				return e
			}
		}
		t.Fatalf("no resource at %v", at)
		return nil
	}

	x.remembers("at the start")
	visit(0, grid.Tile{X: 33, Y: 29})
	x.remembers("in sight")
	leave(0)
	x.remembers("out of sight", ore)
	visit(1, grid.Tile{X: 51, Y: 14})
	leave(1)
	x.remembers("each of another team's", ore, far)

	simtest.Edit(x.w).Remove(resource(ore))
	x.remembers("gone, and nobody saw it", ore, far)
	visit(1, grid.Tile{X: 31, Y: 34})
	x.remembers("another team sees that it is gone", far)
	leave(1)
	x.remembers("which the first does not know", far)

	// A player's structure is seen to go by its own, even if other teams remember it.
	tower := x.unit(1, "tower", grid.Tile{X: 20, Y: 44})
	visit(0, grid.Tile{X: 17, Y: 44})
	leave(0)
	x.step()
	id := tower.ID()
	simtest.Edit(x.w).Remove(tower)
	x.step()
	if len(x.view.Removed) != 1 || !x.view.Removed[0].Destroyed || x.w.Entity(id) != nil {
		t.Errorf("a structure falls, and lost is %v", x.view.Removed)
	}
	if ghosts := x.w.Knowledge(0).Ghosts(); len(ghosts) < 2 {
		t.Fatalf("the other team remembers %v: that proves nothing", ghosts)
	}
	x.remembers("a fallen structure", far)

	// A unit that dies in the tick in which the only eye goes was not seen to go.
	visit(0, grid.Tile{X: 51, Y: 14})
	x.remembers("in sight again")
	simtest.Edit(x.w).Move(scouts[0], home[0].Center())
	simtest.Edit(x.w).Remove(resource(far))
	x.step()
	if len(x.view.Removed) != 1 || x.view.Removed[0].Destroyed {
		t.Errorf("what went unseen is told as %v", x.view.Removed)
	}
	x.remembers("gone as the eye went", far)
}

// A thing that several teams remember is remembered once, under one number for its whole time, independent of the
// order of the teams.
func TestAllEyesRememberOnce(t *testing.T) {
	x := newWatched(t)
	home := [2]grid.Tile{{X: 4, Y: 20}, {X: 60, Y: 44}}
	ore, far := grid.Tile{X: 32, Y: 32}, grid.Tile{X: 52, Y: 12}
	scouts := [2]*sim.Entity{x.unit(0, "scout", home[0]), x.unit(1, "scout", home[1])}
	for _, stop := range [][2]grid.Tile{{{X: 33, Y: 29}, {X: 51, Y: 14}}, home, {{X: 51, Y: 14}, {X: 33, Y: 29}}, home} {
		for i, e := range scouts {
			simtest.Edit(x.w).Move(e, stop[i].Center())
		}
		x.step()
		x.step()
	}
	for team := range grid.Team(2) {
		if n := len(x.w.Knowledge(team).Ghosts()); n != 2 {
			t.Fatalf("team %d remembers %d places", team, n)
		}
	}
	x.remembers("by both", ore, far)
	names := map[grid.Pos]grid.Handle{}
	for range 5 {
		x.step()
		for _, g := range x.view.Ghosts {
			if was, ok := names[g.Pos]; ok && was != g.Handle {
				t.Errorf("tick %d: what was named %d is named %d", x.w.Tick(), was, g.Handle)
			}
			names[g.Pos] = g.Handle
		}
	}
}

// Entities that come into sight at one place at once are named by their looks: two worlds
// that look the same and differ in who was made first give the same names.
func TestAllEyesNameByLooks(t *testing.T) {
	x := newWatched(t)
	at := grid.Tile{X: 12, Y: 20}
	a, b := x.unit(0, "soldier", at), x.unit(0, "soldier", at)
	x.step()
	looks := func() (out []Unit) {
		v := View{}
		x.scene.Prepare(x.w)
		NewBuilder(grid.NoTeam).BuildFrom(x.scene, x.w, &v)
		for _, u := range v.Units {
			if u.Pos == at.Center() {
				out = append(out, u)
			}
		}
		return out
	}
	for _, e := range []*sim.Entity{a, b} {
		simtest.Edit(x.w).Move(e, at.Center())
	}
	simtest.Edit(x.w).SetHealth(a, 70)
	first := looks()
	simtest.Edit(x.w).Swap(a, b)
	second := looks()
	if len(first) != 2 || first[0].Values[ValueHealth] == first[1].Values[ValueHealth] {
		t.Fatalf("they look like %+v", first)
	}
	for i := range first {
		if first[i].Handle != second[i].Handle || first[i].Values[ValueHealth] != second[i].Values[ValueHealth] || first[i].Facing != second[i].Facing {
			t.Errorf("%+v is, made in another order, %+v", first[i], second[i])
		}
	}
}

// Numbers rest, then the lowest goes first; an entity that comes into sight again has another.
func TestAllEyesNames(t *testing.T) {
	x := newWatched(t)
	for range 3 {
		x.step()
	}
	unit := x.unit(0, "soldier", grid.Tile{X: 12, Y: 20})
	x.step()
	name := x.view.Units[len(x.view.Units)-1].Handle
	simtest.Edit(x.w).Remove(unit)
	x.step()
	if len(x.view.Removed) != 1 || x.view.Removed[0] != (Removed{Handle: name, Destroyed: true}) {
		t.Fatalf("lost is %v, want %d destroyed", x.view.Removed, name)
	}
	gone := x.w.Tick()
	x.unit(0, "soldier", grid.Tile{X: 12, Y: 20})
	x.step()
	if next := x.view.Units[len(x.view.Units)-1].Handle; next != name+1 {
		t.Errorf("while %d rests, the next is named %d", name, next)
	}
	for x.w.Tick() < gone+sim.HandleRest {
		x.step()
	}
	x.unit(0, "soldier", grid.Tile{X: 14, Y: 20})
	x.step()
	if !slices.ContainsFunc(x.view.Units, func(u Unit) bool { return u.Handle == name && u.Entered == x.w.Tick() }) {
		t.Errorf("%d has rested and is given to nobody", name)
	}
}

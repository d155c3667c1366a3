package bench

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// closeCell is the side of the squares, in tiles, by which armies are interleaved and
// by which idle units are led in a close battle.
const closeCell = 4

// closeHealth is by how much more units have in a close battle. In one where all fight
// at once they would fall faster than any structures can replace them.
const closeHealth = 10

// closeRules are [ArmyRules] for a close battle.
func closeRules(n int) (*rules.Ruleset, error) {
	rs, err := ArmyRules(n)
	if err != nil {
		return nil, err
	}
	for i := range rs.Types {
		if t := &rs.Types[i]; t.Class == rules.ClassUnit {
			t.Health *= closeHealth
		}
	}
	return rs, nil
}

// newCloseBattle is [NewBattle] with the armies among each other: the ground around
// the middle of the map is cut into squares, and neighbouring squares belong to
// different players.
func newCloseBattle(m *grid.Map, players, units int, seed uint64) (*sim.World, error) {
	setup, err := BattleSetup(m, players, units, seed)
	if err != nil {
		return nil, err
	}
	if setup.Rules, err = closeRules(units); err != nil {
		return nil, err
	}
	w, err := sim.New(setup)
	if err != nil {
		return nil, err
	}
	return w, interleave(w)
}

// interleave moves the units of all players to their squares. It takes a tick.
func interleave(w *sim.World) error {
	ids := make([][]grid.EntityID, w.Players())
	for _, e := range w.Entities() {
		if e.Class() == rules.ClassUnit {
			ids[e.Slot()] = append(ids[e.Slot()], e.ID())
		}
	}
	tiles := make([][]grid.Tile, w.Players())
	lacks := w.Players()
	for _, at := range openGround(w) {
		s := (int(at.X)/closeCell + 3*(int(at.Y)/closeCell)) % w.Players()
		if len(tiles[s]) == len(ids[s]) {
			continue
		}
		if tiles[s] = append(tiles[s], at); len(tiles[s]) == len(ids[s]) {
			lacks--
		}
	}
	if lacks > 0 {
		return fmt.Errorf("bench: map %q has too little ground for the armies", w.Map().Name)
	}
	to := map[grid.EntityID]grid.Tile{}
	for s := range ids {
		for k, id := range ids[s] { // ids go type by type; what lies side by side is mixed
			to[id] = tiles[s][k*7919%len(ids[s])]
		}
	}
	w.SetDriver(&sim.Driver{Unit: func(id grid.EntityID, p sim.Driven) sim.Driven {
		at := to[id].Center()
		p.X, p.Y = at.X<<sim.FineShift, at.Y<<sim.FineShift
		return p
	}})
	w.Step(nil)
	w.SetDriver(nil)
	return nil
}

// openGround returns the tiles that can be walked to from the units of the first
// player, the nearest to the middle of the map first.
func openGround(w *sim.World) []grid.Tile {
	m := w.Map()
	taken := make([]bool, m.W*m.H)
	var from []grid.Tile
	for _, e := range w.Entities() {
		switch t := &w.Rules().Types[e.Type()]; {
		case e.Class() == rules.ClassStructure:
			for dy := range int16(t.FootH) {
				for dx := range int16(t.FootW) {
					if at := (grid.Tile{X: e.Foot().X + dx, Y: e.Foot().Y + dy}); m.In(at) {
						taken[m.Index(at)] = true
					}
				}
			}
		case e.Class() == rules.ClassResource:
			taken[m.Index(e.Tile())] = true
		case e.Slot() == 0 && t.Move == grid.Ground && from == nil:
			from = append(from, e.Tile())
		}
	}
	for i := 0; i < len(from); i++ {
		for _, d := range [...]grid.Tile{{X: 1}, {X: -1}, {Y: 1}, {Y: -1}} {
			at := grid.Tile{X: from[i].X + d.X, Y: from[i].Y + d.Y}
			if m.In(at) && m.Passable(at, grid.Ground) && !taken[m.Index(at)] {
				taken[m.Index(at)] = true
				from = append(from, at)
			}
		}
	}
	mid := grid.Tile{X: int16(m.W / 2), Y: int16(m.H / 2)}
	slices.SortStableFunc(from, func(a, b grid.Tile) int { return cmp.Compare(a.Dist2(mid), b.Dist2(mid)) })
	return from
}

// leadClose sends the idle units of a player to the nearest foe, square by square.
func (g *Generals) leadClose(s grid.Slot, idle []grid.Handle, know *sim.Knowledge) {
	squads := map[grid.Tile][]grid.Handle{}
	var cells []grid.Tile
	for _, h := range idle {
		sight, _ := know.Sighted(h)
		at := g.w.Entity(sight.ID).Tile()
		cell := grid.Tile{X: at.X / closeCell, Y: at.Y / closeCell}
		if len(squads[cell]) == 0 {
			cells = append(cells, cell)
		}
		squads[cell] = append(squads[cell], h)
	}
	team := g.w.Player(s).Team
	for _, cell := range cells {
		at := grid.Tile{X: cell.X*closeCell + closeCell/2, Y: cell.Y*closeCell + closeCell/2}.Center()
		var foe *sim.Entity
		for _, e := range g.w.Entities() {
			if e.Class() == rules.ClassUnit && e.Team() != team && (foe == nil || at.Sub(e.Pos()).Len2() < at.Sub(foe.Pos()).Len2()) {
				foe = e
			}
		}
		if foe != nil {
			g.order(s, orders.Order{Kind: orders.AttackMove, Units: squads[cell], HasPoint: true, Point: foe.Pos()})
		}
	}
}

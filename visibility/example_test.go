package visibility_test

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
)

// field returns a small flat map; real ones come from package mapfile.
func field(o grid.Occlusion) *grid.Map {
	m := grid.NewMap("field", 16, 16)
	m.Occlusion = o
	return m
}

// draw prints the first rows of a mask.
func draw(m visibility.Mask, rows int) {
	w, _ := m.Size()
	for y := range int16(rows) {
		for x := range int16(w) {
			fmt.Print(map[bool]string{true: "o", false: "."}[m.Has(grid.Tile{X: x, Y: y})])
		}
		fmt.Println()
	}
}

// A source sees from the step after it was added.
func Example() {
	eyes, err := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	scout := eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 3, Y: 2}, Radius: visibility.RadiusTiles(2)})
	eyes.Step(1)
	draw(eyes.Mask(visibility.VisibleNow, 0), 5)

	eyes.Move(scout, grid.Tile{X: 9, Y: 2})
	eyes.Step(2)
	fmt.Println("moved on, and what it has explored:")
	draw(eyes.Mask(visibility.ExploredEver, 0), 5)
	// Output:
	// ...o............
	// ..ooo...........
	// .ooooo..........
	// ..ooo...........
	// ...o............
	// moved on, and what it has explored:
	// ...o.....o......
	// ..ooo...ooo.....
	// .ooooo.ooooo....
	// ..ooo...ooo.....
	// ...o.....o......
}

// Add, Move, Change and Remove set a team's sources; Get and Has look a source up.
func ExampleEngine_Add() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 2})
	tank := eyes.Add(1, visibility.Source{Tile: grid.Tile{X: 5, Y: 5}, Radius: 7}) // 3.5 tiles
	eyes.Move(tank, grid.Tile{X: 6, Y: 5})

	team, s := eyes.Get(tank)
	s.Radius = visibility.RadiusTiles(1)
	eyes.Change(tank, s)
	eyes.Step(1)
	fmt.Println(team, eyes.Visible(1, grid.Tile{X: 7, Y: 5}), eyes.Visible(1, grid.Tile{X: 8, Y: 5}))

	eyes.Remove(tank)
	eyes.Step(2)
	fmt.Println(eyes.Has(tank), eyes.Visible(1, grid.Tile{X: 7, Y: 5}), eyes.Explored(1, grid.Tile{X: 7, Y: 5}))
	// Output:
	// 1 true false
	// false false true
}

// A source with an end goes by itself: a scan, the sight of a dying unit, the
// tile of a shooter that the rules reveal.
func ExampleEngine_Expire() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionHighGround), Teams: 1})
	now := grid.Tick(100)
	scan := eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 4, Y: 4}, Radius: 6, Flyer: true, Until: now + 2})
	unit := eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 12, Y: 12}, Radius: 4})
	eyes.Expire(unit, now+3) // it dies, and its sight lingers
	for range 4 {
		eyes.Step(now)
		fmt.Println(now, "scan", eyes.Has(scan), "unit", eyes.Has(unit))
		now++
	}
	// Output:
	// 100 scan true unit true
	// 101 scan true unit true
	// 102 scan false unit true
	// 103 scan false unit false
}

// TeamsSeeing answers for all teams at once, and for a structure's footprint.
func ExampleEngine_TeamsSeeing() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 3})
	eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 2, Y: 2}, Radius: 4})
	eyes.Add(2, visibility.Source{Tile: grid.Tile{X: 5, Y: 2}, Radius: 4})
	eyes.Step(1)
	between := eyes.TeamsSeeing(grid.Tile{X: 4, Y: 2})
	fmt.Println(between.Has(0), between.Has(1), between.Has(2))
	fmt.Printf("%03b\n", eyes.TeamsSeeingAny(grid.Tile{X: 0, Y: 2}, 2, 2))
	// Output:
	// true false true
	// 001
}

// A cloaked unit is seen where Detected says so; TeamsDetecting asks for all
// teams.
func ExampleEngine_Detected() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 1})
	eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 4, Y: 4}, Radius: 8, Detect: 4})
	eyes.Step(1)
	for _, x := range []int16{6, 7, 9} {
		at := grid.Tile{X: x, Y: 4}
		fmt.Println(x, eyes.Visible(0, at), eyes.Detected(0, at), eyes.TeamsDetecting(at))
	}
	// Output:
	// 6 true true 1
	// 7 true false 0
	// 9 false false 0
}

// Allies share their sight; a spectator sees the union of teams.
func ExampleEngine_Share() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 3})
	eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 4, Y: 4}})
	eyes.Add(1, visibility.Source{Tile: grid.Tile{X: 8, Y: 8}})
	eyes.Share(0, 1, true) // 1 shares 0's sight, not the other way round
	eyes.Step(1)
	for team := range grid.Team(3) {
		fmt.Println(team, eyes.Mask(visibility.VisibleNow, team).Count())
	}
	spectator := grid.TeamSet(0).With(0).With(2)
	fmt.Println("union", eyes.Union(visibility.VisibleNow, spectator).Count())
	// Output:
	// 0 1
	// 1 2
	// 2 0
	// union 1
}

// The changes of a step, tile by tile or in blocks of 8x8.
func ExampleEngine_Shown() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 1})
	unit := eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 7, Y: 3}})
	eyes.Step(1)
	eyes.Move(unit, grid.Tile{X: 8, Y: 3})
	eyes.Step(2)
	fmt.Println("shown", slices.Collect(eyes.Shown(0)), "hidden", slices.Collect(eyes.Hidden(0)))
	for c := range eyes.Changes(0) {
		fmt.Printf("block at %d,%d: shown %#x hidden %#x explored %#x\n", c.X, c.Y, c.Shown, c.Hidden, c.Explored)
	}
	// Output:
	// shown [tile 8,3] hidden [tile 7,3]
	// block at 0,0: shown 0x0 hidden 0x80000000 explored 0x0
	// block at 8,0: shown 0x1000000 hidden 0x0 explored 0x1000000
}

// From Sources a client derives its team's mask by itself; the hash tells whether the mask
// is right.
func ExampleEngine_Sources() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 2})
	eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 4, Y: 4}, Radius: 5})
	eyes.Add(1, visibility.Source{Tile: grid.Tile{X: 8, Y: 8}, Radius: 5})
	eyes.Share(1, 0, true)
	eyes.Step(1)
	client, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 1})
	for _, s := range eyes.Sources(0) {
		fmt.Println(s.Tile, s.Radius)
		client.Add(0, s)
	}
	client.Step(1)
	fmt.Println(client.Hash(0) == eyes.Hash(0))
	// Output:
	// tile 4,4 5
	// tile 8,8 5
	// true
}

// A row of a mask as bytes, a bit a tile.
func ExampleMask_AppendRow() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionNone), Teams: 1})
	eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 7, Y: 2}, Radius: 4})
	eyes.Step(1)
	fmt.Printf("%08b\n", eyes.Mask(visibility.VisibleNow, 0).AppendRow(nil, 2))
	// Output:
	// [11100000 00000011]
}

// A wall is built. The team that sees the tile learns of it; the other keeps the ground
// that it last saw.
func ExampleEngine_SetGround() {
	eyes, _ := visibility.New(visibility.Config{Map: field(grid.OcclusionLineOfSight), Teams: 2})
	eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 4, Y: 4}, Radius: 10})
	wall := grid.Tile{X: 6, Y: 4}
	eyes.Step(1)
	fmt.Println("sees behind:", eyes.Visible(0, grid.Tile{X: 8, Y: 4}))
	eyes.SetGround(wall, visibility.Ground{Opaque: true})
	eyes.Step(2)
	fmt.Println("sees behind:", eyes.Visible(0, grid.Tile{X: 8, Y: 4}))
	fmt.Println("is:", eyes.Ground(wall).Opaque, "known to 0:", eyes.Known(0, wall).Opaque, "to 1:", eyes.Known(1, wall).Opaque)
	// Output:
	// sees behind: true
	// sees behind: false
	// is: true known to 0: true to 1: false
}

// An engine is saved in bytes and goes on from them.
func ExampleRestore() {
	cfg := visibility.Config{Map: field(grid.OcclusionNone), Teams: 1}
	eyes, _ := visibility.New(cfg)
	unit := eyes.Add(0, visibility.Source{Tile: grid.Tile{X: 4, Y: 4}, Radius: 4})
	eyes.Step(1)

	again, err := visibility.Restore(cfg, eyes.Save(nil))
	if err != nil {
		fmt.Println(err)
		return
	}
	again.Move(unit, grid.Tile{X: 5, Y: 4}) // ids hold
	again.Step(2)
	fmt.Println(again.Explored(0, grid.Tile{X: 2, Y: 4}), again.Visible(0, grid.Tile{X: 2, Y: 4}))

	_, err = visibility.Restore(cfg, []byte("nonsense"))
	fmt.Println(err)
	// Output:
	// true false
	// visibility: not a saved engine: offset 0: header is not "fogkeye\x01"
}

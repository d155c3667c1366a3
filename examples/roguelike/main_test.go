package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The hero walks to a door, opens it, and sees a rat in the room behind. Tiles out of sight are drawn as they were
// seen last, without the rat.
func Example_play() {
	if err := play(strings.NewReader("dddds\nd\nd\naaa\n"), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// #######
	// #........#
	// #..@.....#
	// #........+
	// #........#
	// ######+##
	//
	// ##########
	// #........#
	// #........#
	// #......@.+
	// #........#
	// ######+###
	//
	// ##########
	// # .......#
	// # .......#
	// #.......@+
	// # .......#
	// ######+###
	//
	// ##########
	// # .......#   ..
	// # .......# ....
	// #.......@....r..
	// # .......# ....
	// ######+###
	// the door opens
	//
	// ##########
	// #........#
	// #........#
	// #....@.......
	// #........#
	// ######+###
}

// An importer of package visibility gets it, its map, the code that saves both, and no other package.
func TestNothingElseIsPulledIn(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	const fogkeep = "github.com/fogkeep/fogkeep/"
	want := []string{fogkeep + "internal/archive", fogkeep + "match/grid", fogkeep + "visibility", "example.org/roguelike"}
	if got := strings.Fields(string(out)); !slices.Equal(got, want) {
		t.Errorf("the game is made of %v, want %v", got, want)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil || strings.Contains(string(mod), "indirect") {
		t.Errorf("other modules come with it: %s, %v", mod, err)
	}
}

// No key leads off the map or into a rat, for every input.
func TestKeysAreHarmless(t *testing.T) {
	g, err := newGame()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		key := "wasd.x\x00"[(i*i*7+i/3)%7]
		if !g.turn(key) {
			return
		}
		if c := g.tiles[g.at.Y][g.at.X]; c != '.' {
			t.Fatalf("the hero stands in %q at %v", c, g.at)
		}
	}
}

// Package simtest lets tests change a world past its rules.
//
//	test ──► Edit(world) ──► Editor: add, move, remove, wound ... ──► world
//
// Tests use it to ask what a team would be told if something that it does not
// know were different. Use the editor between two steps: sight and knowledge
// follow with the next step. An edited match cannot be replayed. Only tests import
// this package (internal/arch): no match can be edited.
package simtest

import (
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/internal/testonly"
)

// Editor changes a world past its rules.
type Editor = sim.Editor

// Edit returns the editor of a world.
func Edit(w *sim.World) Editor { return w.Editor(testonly.Key{}) }

//go:build leak

package view

import (
	"cmp"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// leakHandle is where the handles of leaked entities begin.
const leakHandle = 1 << 16

// leak shows a team the lowest numbered unit of somebody else whether it is in
// sight or not. It exists so that tests can show that they would notice, and
// is in no release.
func leak(w *sim.World, team grid.Team, v *View) {
	for _, e := range w.Entities() {
		if e.Team() == team || e.Team() == grid.NoTeam || e.SeenBy().Has(team) {
			continue
		}
		v.Units = append(v.Units, Unit{
			Handle: leakHandle + grid.Handle(e.Slot()), Entered: 1, Type: e.Type(), Owner: e.Slot(), Pos: e.Pos(),
			Full: w.Speed(e.Type()), Facing: e.Facing(),
		})
		slices.SortFunc(v.Units, func(a, b Unit) int { return cmp.Compare(a.Handle, b.Handle) })
		return
	}
}

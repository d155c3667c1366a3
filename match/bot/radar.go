package bot

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// contacts returns the cells in which the team's radar has found something that is not in sight, nearest to p first.
func (b *mind) contacts(p grid.Pos) (out []grid.Tile) {
	for _, c := range b.Replica.Contacts {
		const side = view.ContactCell
		t := grid.Tile{X: c.Cell.X*side + side/2, Y: c.Cell.Y*side + side/2}
		if b.Map.In(t) && !b.Visible(t) && b.fromHome()[b.Map.Index(t)] >= 0 && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	slices.SortStableFunc(out, func(x, y grid.Tile) int { return int(x.Dist2(p.Tile()) - y.Dist2(p.Tile())) })
	return out
}

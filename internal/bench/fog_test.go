package bench

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Hidden differences change no byte. Differences in sight do: with a reach that is too short the same comparison finds them.
func TestFogComparesBytes(t *testing.T) {
	c := FogConfig{Seconds: 60, Seeds: 1, Forks: 2, Seed: 1}
	c.Map = shippedBattle(t, "eight-crowns", 2, 1, 1).Map
	r, err := Fog(c)
	if err != nil || r.good() != nil || r.Pairs != 2 {
		t.Errorf("%+v: %v, %v", r, err, r.good())
	}
	c.reach = grid.Tiles(1)
	if r, err = Fog(c); err != nil || r.Differed == 0 || r.good() == nil {
		t.Errorf("%+v, %v: want messages that differ", r, err)
	}
}

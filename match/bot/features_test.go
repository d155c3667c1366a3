package bot

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestBotsKnowFeaturesAsTheirTeamDoes: a river cuts the field, with a bridge and an enemy's gate beside each other. The
// bot's ways lead over the bridge until its team has seen the gap, and through the gate while it is open. Its scout
// goes for the full crate.
func TestBotsKnowFeaturesAsTheirTeamDoes(t *testing.T) {
	m := field()
	for x := range int16(40) {
		if x < 20 || x > 21 {
			m.Pass[m.Index(grid.Tile{X: x, Y: 20})] = 0
		}
	}
	m.Features = []grid.Feature{{Type: "bridge", At: grid.Tile{X: 20, Y: 20}}}
	w := welcome()
	w.MapHash = m.Hash().String()
	feature := func(name string, k uint32) {
		w.Types = append(w.Types, &pb.TypeInfo{Name: name, Class: pb.TypeClass_TYPE_CLASS_STRUCTURE, Health: 1, Size: 1, SizeY: 1, Feature: k})
	}
	feature("bridge", bridge)
	feature("gate", gate)
	feature("crate", pickup)
	was := kinds
	kinds = wire.Kinds{Players: 2, Types: 9}
	defer func() { kinds = was }()
	const hBridge, hGate, hCrate, hEmpty, hScout = 2, 3, 4, 5, 6
	for _, c := range []struct {
		name           string
		without        int
		open           uint32
		reaches, wants bool
	}{
		{"all stand, the gate is closed", 0, 0, true, true},
		{"the bridge fell, the gate is closed", hBridge, 0, false, true},
		{"the bridge fell, the gate is open", hBridge, 1, true, true},
		{"the crate is gone", hCrate, 0, true, false},
	} {
		s := client.New(client.Config{Map: client.OneMap(m)})
		receive(t, s, &pb.ServerFrame{Welcome: w})
		p, err := Easy.New(s)
		if err != nil {
			t.Fatal(err)
		}
		b := p.(*mind)
		var units [][4]int
		for _, u := range [][4]int{{1, 2, 1, 33*40 + 33}, {hBridge, 6, -1, 20*40 + 20}, {hGate, 7, 0, 20*40 + 21}, {hCrate, 8, -1, 30*40 + 25}, {hEmpty, 8, -1, 30*40 + 29}, {hScout, 5, 1, 30*40 + 31}} {
			if u[0] != c.without {
				units = append(units, u)
			}
		}
		amounts := []uint32{hGate, c.open}
		if c.without != hCrate {
			amounts = append(amounts, hCrate-hGate, 1)
		}
		b.Take(receive(t, s, &pb.ServerFrame{Tick: 4000, Enter: enter(units...), Amount: amounts, Own: &pb.Own{}}))
		b.Think()
		if way := b.way(grid.Tile{X: 30, Y: 30}, grid.Tile{X: 10, Y: 10}); (way != nil) != c.reaches {
			t.Errorf("%s: the way has %d tiles", c.name, len(way))
		}
		if got := b.lastOrders[hScout].to == (grid.Tile{X: 25, Y: 30}); got != c.wants {
			t.Errorf("%s: the scout goes to %v", c.name, b.lastOrders[hScout].to)
		}
	}
}

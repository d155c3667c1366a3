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
// goes for the full crate. During an attack without a way it holds the lever of the sluice, until the attack is over.
func TestBotsKnowFeaturesAsTheirTeamDoes(t *testing.T) {
	m := field()
	for x := range int16(40) {
		if x < 20 || x > 22 {
			m.Pass[m.Index(grid.Tile{X: x, Y: 20})] = 0
		}
	}
	m.Features = []grid.Feature{{Type: "bridge", At: grid.Tile{X: 20, Y: 20}}, {Type: "gate", At: grid.Tile{X: 22, Y: 20}, Link: 7}, {Type: "lever", At: grid.Tile{X: 36, Y: 24}, Link: 7}}
	w := welcome()
	w.MapHash = m.Hash().String()
	feature := func(name string, k uint32) {
		w.Types = append(w.Types, &pb.TypeInfo{Name: name, Class: pb.TypeClass_TYPE_CLASS_STRUCTURE, Health: 1, Size: 1, SizeY: 1, Feature: k})
	}
	feature("bridge", bridge)
	feature("gate", gate)
	feature("crate", pickup)
	feature("lever", lever)
	feature("flood", flood)
	w.Types[len(w.Types)-1].Size = 5 // north of all three
	was := kinds
	kinds = wire.Kinds{Players: 2, Types: 11}
	defer func() { kinds = was }()
	const hBridge, hGate, hCrate, hEmpty, hScout, hSluice, hLever, hFlood = 2, 3, 4, 5, 6, 7, 8, 9
	for _, c := range []struct {
		name           string
		without        int
		open           uint32
		reaches, wants bool
		attacks        bool
		pulled         uint32
		flooded        uint32
	}{
		{"all stand, the gate is closed", 0, 0, true, true, false, 0, 0},
		{"the bridge fell, the gate is closed", hBridge, 0, false, true, false, 0, 0},
		{"the bridge fell, the gate is open", hBridge, 1, true, true, false, 0, 0},
		{"all stand, and the ground is flooded", 0, 0, false, true, false, 0, 1},
		{"the crate is gone", hCrate, 0, true, false, false, 0, 0},
		{"all stand in an attack", 0, 0, true, true, true, 0, 0},
		{"an attack has no way", hBridge, 0, false, false, true, 0, 0},
		{"the lever is on in an attack", hBridge, 0, true, false, true, 1, 0},
	} {
		s := client.New(client.Config{Map: client.OneMap(m)})
		receive(t, s, &pb.ServerFrame{Welcome: w})
		p, err := Easy.New(s)
		if err != nil {
			t.Fatal(err)
		}
		b := p.(*mind)
		var units [][4]int
		for _, u := range [][4]int{{1, 2, 1, 33*40 + 33}, {hBridge, 6, -1, 20*40 + 20}, {hGate, 7, 0, 20*40 + 21}, {hCrate, 8, -1, 30*40 + 25}, {hEmpty, 8, -1, 30*40 + 29}, {hScout, 5, 1, 30*40 + 31}, {hSluice, 7, -1, 20*40 + 22}, {hLever, 9, -1, 24*40 + 36}, {hFlood, 10, -1, 19*40 + 21}} {
			if u[0] == hGate && c.attacks { // an army attacks the enemy's gate
				u[2] = -1
			}
			if u[0] != c.without {
				units = append(units, u)
			}
		}
		amounts, last := []uint32{hGate, c.open}, hGate
		for _, x := range [][2]int{{hCrate, 1}, {hLever, int(c.pulled)}, {hFlood, int(c.flooded)}} {
			if x[0] != c.without {
				amounts = append(amounts, uint32(x[0]-last), uint32(x[1]))
				last = x[0]
			}
		}
		holds := grid.Tile{X: 36, Y: 24}
		b.starts = b.starts[:1] // the foe's
		if b.attacking = c.attacks; c.pulled != 0 {
			b.lastOrders[hScout] = lastOrder{to: holds}
		}
		b.Take(receive(t, s, &pb.ServerFrame{Tick: 4000, Enter: enter(units...), Amount: amounts, Own: &pb.Own{}}))
		b.Think()
		if way := b.way(grid.Tile{X: 30, Y: 30}, grid.Tile{X: 10, Y: 10}); (way != nil) != c.reaches {
			t.Errorf("%s: the way has %d tiles", c.name, len(way))
		}
		if got := b.lastOrders[hScout].to == holds; got != (c.attacks && !c.wants) {
			t.Errorf("%s: the scout goes to %v, and holds the lever: %v", c.name, b.lastOrders[hScout].to, got)
		}
		if got := b.lastOrders[hScout].to == (grid.Tile{X: 25, Y: 30}); got != c.wants {
			t.Errorf("%s: the scout goes to %v", c.name, b.lastOrders[hScout].to)
		}
	}
}

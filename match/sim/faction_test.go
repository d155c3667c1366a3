package sim

import (
	"bytes"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// TestFactions: players begin with their faction's start, and make its types alone, before and after a recovery.
func TestFactions(t *testing.T) {
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("factions.json", bytes.Replace(text, []byte(`"weapons": [`), []byte(`"factions": [
		{"name": "north", "trains": ["worker", "scout"], "builds": ["tower"], "start": [{"type": "command-centre"}, {"type": "worker", "count": 2}]},
		{"name": "south"}], "weapons": [`), 1))
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}, {X: 10, Y: 37}}
	s := Setup{Map: m, Rules: rs, Seed: 9, TickRate: 20, Players: []Player{{Team: 0, Start: 0, Faction: 1}, {Team: 1, Start: 1, Faction: 2}, {Team: 1, Start: 2}}}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	typ := func(name string) uint16 {
		n, ok := rs.TypeByName(name)
		if !ok {
			t.Fatalf("no type %q", name)
		}
		return n
	}
	for _, tt := range []struct {
		slot     grid.Slot
		name     string
		count    int32
		makeable bool
	}{
		{0, "worker", 2, true}, {0, "scout", 0, true}, {0, "soldier", 0, false}, {0, "tower", 0, true}, {0, "barracks", 0, false},
		{1, "worker", 4, true}, {1, "tower", 1, true}, {2, "worker", 4, true}, {2, "barracks", 0, true},
	} {
		again, err := Restore(s, w.Save(nil))
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range []*World{w, again} {
			p := &w.players[tt.slot]
			if p.counts[typ(tt.name)] != tt.count {
				t.Errorf("slot %d begins with %d of %q, want %d", tt.slot, p.counts[typ(tt.name)], tt.name, tt.count)
			}
			if got := w.canMake(p, typ(tt.name)) == orders.OK; got != tt.makeable {
				t.Errorf("slot %d makes %q: %v, want %v", tt.slot, tt.name, got, tt.makeable)
			}
		}
	}
	if other := s; true {
		other.Players = []Player{{Team: 0, Start: 0, Faction: 3}}
		if err := other.Check(); err == nil || err.Error() != "player 0: faction 3, the ruleset has 2" {
			t.Errorf("a faction that the ruleset lacks: %v", err)
		}
		other.Players = []Player{{Team: 0, Start: 0, Faction: 2}, {Team: 1, Start: 1, Faction: 2}, {Team: 1, Start: 2}}
		if _, err := Branch(s, w.Save(nil), other.Players); err == nil {
			t.Error("a match plays on with another faction")
		}
	}
}

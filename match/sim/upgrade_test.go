package sim

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

const upgradeRules = `{"name": "upgrades", "start": [{"type": "hall"}], "resources": ["ore"], "settings": {"start_stock": {"ore": 100}},
	"effects": [{"name": "tough", "kind": "modify", "changes": [{"attribute": "health", "percent": 150}]}],
	"types": [
		{"name": "man", "health": 100, "sight": 6, "radius": 0.3, "needs": ["drill"]},
		{"name": "boy", "health": 100, "sight": 6, "radius": 0.3},
		{"name": "hall", "class": "structure", "health": 300, "sight": 4, "width": 2, "height": 2, "trains": ["drill", "man"], "centre": true},
		{"name": "drill", "class": "upgrade", "cost": {"ore": 30}, "build": 0.5, "effect": "tough", "of": ["man", "hall"]}]}`

// A structure makes an upgrade once for its team. Units and structures of its types have the effect, also new ones, and
// other teams' do not. It is state.
func TestUpgrades(t *testing.T) {
	rs, _, err := rules.Check("upgrades.json", []byte(upgradeRules))
	if err != nil {
		t.Fatal(err)
	}
	m := flatMap(40)
	m.Starts = append(m.Starts, grid.Tile{X: 30, Y: 4})
	s := Setup{Map: m, Rules: rs, Seed: 1, Players: []Player{{Team: 0}, {Team: 0, Start: 1}, {Team: 1, Start: 2}}}
	w, err := empty(s)
	if err != nil {
		t.Fatal(err)
	}
	w.mode = sandbox{}
	hall, other := w.find(w.block(0, "hall", 1, 4, 4)[0]), w.find(w.block(1, "hall", 1, 14, 4)[0])
	man, ally, foe, boy := w.find(w.block(0, "man", 1, 10, 8)[0]), w.find(w.block(1, "man", 1, 12, 8)[0]), w.find(w.block(2, "man", 1, 14, 8)[0]), w.find(w.block(0, "boy", 1, 16, 8)[0])
	w.Step(nil)
	j := judge{w}
	const drill, of = 3, 0
	make := func(e *Entity) orders.Reject { return j.Trainable(e.id, drill) }
	if got := j.Trainable(hall.id, of); got != orders.NotGranted || make(hall) != orders.OK {
		t.Fatalf("without the upgrade: %v; the upgrade: %v", got, make(hall))
	}
	w.enqueue(hall, &dueOrder{slot: 0, typ: drill})
	if make(hall) != orders.NotGranted || make(other) != orders.NotGranted || w.players[0].stock[0] != 70 {
		t.Errorf("a second one while it is made: %v %v; %d ore", make(hall), make(other), w.players[0].stock[0])
	}
	w.unqueue(hall, 0)
	if make(other) != orders.OK || w.players[0].stock[0] != 100 {
		t.Errorf("after a cancel: %v, %d ore", make(other), w.players[0].stock[0])
	}
	w.enqueue(hall, &dueOrder{slot: 0, typ: drill})
	for range 12 {
		w.Step(nil)
	}
	late := w.spawn(0, of, grid.Tile{X: 20, Y: 8}.Center(), false)
	show := func(w *World) (out string) {
		for _, e := range []*Entity{hall, man, ally, foe, boy, late} {
			most, _, _ := w.Most(w.find(e.id))
			out += fmt.Sprint(w.find(e.id).hp, "/", most, " ")
		}
		return out
	}
	if got := show(w); got != "450/450 150/150 150/150 100/100 100/100 150/150 " {
		t.Errorf("with the upgrade: %s", got)
	}
	if got := fmt.Sprint(w.Upgrades(0, nil), w.Upgrades(1, nil), w.Upgrades(2, nil)); got != "[3] [3] []" || w.players[0].products != 0 {
		t.Errorf("the players have %s", got)
	}
	if make(hall) != orders.NotGranted || j.Trainable(hall.id, of) != orders.OK {
		t.Errorf("again: %v; a type that needs it: %v", make(hall), j.Trainable(hall.id, of))
	}
	w.Step(nil)
	back, err := Restore(s, w.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	if back.mode = (sandbox{}); show(back) != show(w) {
		t.Errorf("restored: %s", show(back))
	}
	w.setOwner(w.find(man.id), &w.players[2]) // its new team has no upgrade
	w.Step(nil)
	if got := show(w); got != "450/450 100/100 150/150 100/100 100/100 150/150 " {
		t.Errorf("after a change of sides: %s", got)
	}
	if back.Step(nil); bytes.Equal(back.Save(nil), w.Save(nil)) {
		t.Error("a change of sides is no state")
	}
}

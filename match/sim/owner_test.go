package sim

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// TestHandedOverNumbersAreForgotten: a player leaves while its unit walks, an ability of another
// runs, a third winds up and its shell flies. All goes on in a team-mate's hands, without the
// numbers of the departed player: the mate's client would take them for its own.
func TestHandedOverNumbersAreForgotten(t *testing.T) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("flat", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 55}, {X: 8, Y: 55}}
	w := newWorld(t, Setup{Map: m, Rules: shipped, Seed: 2, TickRate: 20, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 0, Start: 2}}})
	c := client{w: w, slot: 0}
	sprint := slices.IndexFunc(shipped.Abilities, func(a rules.Ability) bool { return a.Name == "sprint" })
	gun := c.named("artillery")
	var far grid.Tile
	for _, e := range w.all {
		if e.slot == 0 && shipped.Types[e.typ].Name == "artillery" {
			far = e.Tile()
		}
	}
	far.X += 7
	w.Step([]Input{
		{Kind: InputJoined, Slot: 0}, {Kind: InputJoined, Slot: 2}, {Kind: InputKept, All: true},
		c.order(orders.Order{Kind: orders.Move, Units: c.named("soldier")[:1], HasPoint: true, Point: grid.Tile{X: 50, Y: 8}.Center(), Request: 100}),
		c.order(orders.Order{Kind: orders.UseAbility, Units: c.named("scout"), Ability: uint8(sprint), Request: 200}),
		c.order(orders.Order{Kind: orders.AttackGround, Units: gun, HasPoint: true, Point: far.Center(), Request: 300}),
	})
	// numbered counts the products and abilities that still have a number of the first
	// player's client.
	numbered := func() (tasks, acts, shots int) {
		for _, e := range w.all {
			for i := range e.tasks {
				if e.tasks[i].request != 0 {
					tasks++
				}
			}
			for i := range e.acts {
				if e.acts[i].request != 0 {
					acts++
				}
			}
			if e.Request() != 0 {
				shots++
			}
		}
		return
	}
	for range 200 {
		if _, acts, shots := numbered(); acts > 0 && shots > 0 {
			break
		}
		w.Step(nil)
	}
	if tasks, acts, shots := numbered(); tasks == 0 || acts == 0 || shots == 0 {
		t.Fatalf("%d tasks, %d abilities and %d shots have a number: want some of each", tasks, acts, shots)
	}
	w.handOver(&w.players[0], &w.players[2])
	if tasks, acts, shots := numbered(); tasks+acts+shots != 0 {
		t.Errorf("%d tasks, %d abilities and %d shots still have the number of who left", tasks, acts, shots)
	}
	busy := 0
	for _, e := range w.all {
		if e.slot == 2 && (len(e.tasks) > 0 && e.queued > 0 || e.class == rules.ClassProjectile) {
			busy++
		}
		if e.slot == 0 {
			t.Errorf("%d is still the player's who left", e.id)
		}
	}
	if busy < 2 {
		t.Errorf("%d things go on, want those that were under way", busy)
	}
}

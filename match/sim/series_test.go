package sim

import (
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// armyOf sums the cost of a player's living armed units, by a look at each entity.
func armyOf(w *World, s grid.Slot) (cost int32) {
	for _, e := range w.Entities() {
		t := &w.Rules().Types[e.Type()]
		if e.Slot() != s || t.Class != rules.ClassUnit || len(t.Weapons) == 0 || t.Carry > 0 {
			continue
		}
		for _, c := range t.Cost {
			cost += c
		}
	}
	return cost
}

// TestSeries: a point every ten seconds and one at the end, as the entities are, and
// the same after the world was saved and restored.
func TestSeries(t *testing.T) {
	setup := Setup{Seed: 1, TickRate: 5, Map: flatMap(64), Rules: mustRules(t), Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	w := newWorld(t, setup)
	var armies, gathered []int32
	note := func() {
		sum := int32(0)
		for _, n := range w.players[0].gains {
			sum += n
		}
		armies, gathered = append(armies, armyOf(w, 0)), append(gathered, sum)
	}
	note()
	for tick := 1; tick < 320; tick++ {
		if tick == 120 { // some of the army falls
			for _, e := range w.all {
				if e.slot == 0 && w.rules.Types[e.typ].Name == "soldier" {
					w.kill(e)
				}
			}
		}
		w.Step(nil)
		if tick == 170 {
			var err error
			if w, err = Restore(setup, w.Save(nil)); err != nil {
				t.Fatal(err)
			}
		}
		if tick%50 == 0 {
			note()
		}
	}
	if w.Result() != nil {
		t.Fatal("the match has ended by itself")
	}
	w.Step([]Input{{Kind: InputLeft, Slot: 1}})
	note()
	r := w.Result()
	if r == nil || r.Series.Step != 50 || len(r.Series.Players) != 2 {
		t.Fatalf("the result is %+v", r)
	}
	got := r.Series.Players[0]
	if !reflect.DeepEqual(got.Army, armies) || armies[0] == armies[len(armies)-1] {
		t.Errorf("army %v, and the entities say %v", got.Army, armies)
	}
	if !reflect.DeepEqual(got.Gathered, gathered) || gathered[len(gathered)-1] == 0 {
		t.Errorf("gathered %v, and the players have %v", got.Gathered, gathered)
	}
	again, err := Restore(setup, w.Save(nil))
	if err != nil || !reflect.DeepEqual(again.Result(), r) {
		t.Errorf("restored: %v, %+v, want %+v", err, again.Result(), r)
	}
}

// TestSeriesAreBounded: a match of many hours has no more than so many points, over
// its whole length.
func TestSeriesAreBounded(t *testing.T) {
	w := newWorld(t, Setup{Seed: 1})
	for w.tick = 1; w.tick < 3*grid.SeriesMax*grid.Tick(w.rate)*10; w.tick++ {
		w.players[0].gains[0] = int32(w.tick)
		w.sample()
		if n := w.series.len(); n >= grid.SeriesMax {
			t.Fatalf("%d points at tick %d, and the last is still to come", n, w.tick)
		}
	}
	if w.series.Step != 40*grid.Ticks(w.rate) || w.series.len() < grid.SeriesMax/4 {
		t.Errorf("%d points, one every %d ticks", w.series.len(), w.series.Step)
	}
	for k, n := range w.series.Players[0].Gathered {
		if int64(n) != int64(k)*int64(w.series.Step) {
			t.Fatalf("point %d is of tick %d, the step is %d", k, n, w.series.Step)
		}
	}
}

// TestWorkersMineFromTheStart: the start workers go to ore that their team sees, also where
// gas is nearer; without ore in sight they stand.
func TestWorkersMineFromTheStart(t *testing.T) {
	workers := func(w *World) (mining, all int) {
		for _, e := range w.Entities() {
			if w.Rules().Types[e.Type()].Carry == 0 || e.Slot() != 0 {
				continue
			}
			all++
			if task, busy := e.Running(); busy && task.Kind == orders.Harvest {
				if at := w.Entity(task.Target); at == nil || w.Rules().Types[at.Type()].Name != "ore-field" || !at.viewers.Has(0) {
					t.Errorf("%v goes to %v", e.ID(), task)
				}
				mining++
			}
		}
		return mining, all
	}
	m := flatMap(64)
	// The nearest place of a start is of the first kind. Ore is far, gas is near.
	rs := mustRules(t)
	gas := *rs
	gas.Places = []uint16{rs.Places[2], rs.Places[0], rs.Places[0]}
	w := newWorld(t, Setup{Seed: 1, Map: m, Rules: &gas})
	if mining, all := workers(w); mining != all || all != 4 {
		t.Errorf("%d of %d workers mine", mining, all)
	}
	for range 40 * grid.TickRateDefault {
		w.Step(nil)
	}
	if got := w.players[0].gains[0]; got < 50 {
		t.Errorf("they brought %d ore in 40 s", got)
	}
	far := flatMap(64)
	far.Resources = []grid.Tile{{X: 40, Y: 10}}
	w = newWorld(t, Setup{Seed: 1, Map: far})
	if mining, all := workers(w); mining != 0 || all != 4 {
		t.Errorf("nothing is in sight, and %d of %d workers mine", mining, all)
	}
}

// TestIncome: a bot's workers bring the declared part more, until a person takes the seat over. A person's bring no more.
func TestIncome(t *testing.T) {
	gathered := func(p Player, taken bool) (n int32) {
		w := newWorld(t, Setup{Seed: 1, TickRate: 5, Map: flatMap(64), Rules: mustRules(t), Players: []Player{p, {Team: 1, Start: 1}}})
		if taken {
			w.Step([]Input{{Kind: InputTaken, Slot: 0, Text: TakenText("ada", "Ada")}})
		}
		for range 60 * 5 {
			w.Step(nil)
		}
		for _, n := range w.Tally(0).Gathered {
			if n > 0 {
				return n
			}
		}
		return 0
	}
	plain := gathered(Player{Bot: true}, false)
	if plain == 0 {
		t.Fatal("the workers bring nothing")
	}
	if n := gathered(Player{Bot: true, Income: 50}, false); n != plain*3/2 {
		t.Errorf("a bot with 50 percent more gathers %d, without it %d", n, plain)
	}
	if n := gathered(Player{Bot: true, Income: 50}, true); n != plain {
		t.Errorf("a person in the seat of such a bot gathers %d, want %d", n, plain)
	}
	// A handicap stays with the seat, and a bot's income comes on top of it.
	for _, taken := range []bool{false, true} {
		if n := gathered(Player{Bot: true, Handicap: grid.Handicap{Income: 50}}, taken); n != plain/2 {
			t.Errorf("with half of the income a seat gathers %d, without %d", n, plain)
		}
	}
	if n := gathered(Player{Bot: true, Income: 50, Handicap: grid.Handicap{Income: 200}}, false); n != 3*plain {
		t.Errorf("with 200 percent and a bot's 50 more a seat gathers %d, without %d", n, plain)
	}
	s := Setup{Seed: 1, Map: flatMap(64), Rules: mustRules(t), Players: []Player{{Income: IncomeMax + 1}, {Team: 1, Start: 1}}}
	if err := s.Check(); err == nil || err.Error() != "player 0: income of 101 percent more is outside 0 to 100" {
		t.Errorf("the check says %v", err)
	}
}

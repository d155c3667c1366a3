package match

import (
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// scriptTicks are the ticks of orders to and fro to a soldier of slot 1; one order names
// ann's soldier.
var scriptTicks = []grid.Tick{6, 30, 31, 50, 90}

// staged is a match of ann against a seat that a scenario's orders play.
func staged(t *testing.T) *serviceHarness {
	t.Helper()
	skirmish, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: skirmish, Seed: 7, EveryTick: true, Options: sim.Options{Mode: "deathmatch"},
		Seats: []SeatSpec{{Name: "Ann", Team: 0, Start: 0, Account: "ann"}, {Name: "East", Team: 1, Start: 1, Bot: true}},
	}
	soldier, ok := skirmish.TypeByName("soldier")
	if !ok {
		t.Fatal("no soldier")
	}
	at := func(x, y int32) grid.Pos { return grid.Pos{X: x * grid.WUPerTile, Y: y * grid.WUPerTile} }
	setup, ids, err := sim.Stage(spec.Setup(), []sim.Staged{{Slot: 0, Type: soldier, At: at(4, 4)}, {Slot: 1, Type: soldier, At: at(40, 40)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	spec.Start = &Start{State: setup.Start, Scenario: "to and fro"}
	for i, tick := range scriptTicks {
		o := sim.Scripted{Tick: tick, Slot: 1, Units: ids[1:], Order: orders.Order{Kind: orders.Move, HasPoint: true, Point: at(40-8*int32(i%2), 30)}}
		if i == 1 {
			o.Units = ids[:1] // ann's, which the team has not seen
		}
		spec.Start.Script = append(spec.Start.Script, o)
	}
	a := startServiceHarness(t, spec, Config{Grace: time.Second})
	a.service.cfg.Admitter = nameDoor{}
	return a
}

// given returns by tick how many orders of slot 1 a journal has.
func given(t *testing.T, file []byte) map[grid.Tick]int {
	t.Helper()
	out := map[grid.Tick]int{}
	if _, err := journal.ReadBytes(file, "the match", func(_ uint64, rec []byte) error {
		r, err := journal.Decode(rec)
		if err == nil && r.Tick != nil {
			for _, in := range r.Tick.Inputs {
				if in.Slot == 1 && in.Kind == sim.InputGone {
					t.Errorf("tick %d: the seat is said to be gone", r.Tick.Tick)
				}
				if in.Slot == 1 && (in.Kind == sim.InputOrder || in.Kind == sim.InputOrderRefused) {
					out[r.Tick.Tick]++
				}
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestScenariosOrdersAreGiven: in a free seat each order is given at its tick, and judged
// as a player's. The seat is not away, and no account pays for its orders.
func TestScenariosOrdersAreGiven(t *testing.T) {
	t.Parallel()
	a := staged(t)
	ann := a.with("0 ann Ann")
	for a.live.world.Tick() < 100 {
		a.playTick(ann)
	}
	file := a.killed()
	got := given(t, file)
	for _, tick := range scriptTicks {
		if got[tick] != 1 {
			t.Errorf("tick %d has %d orders, want 1: %v", tick, got[tick], got)
		}
	}
	if len(got) != len(scriptTicks) {
		t.Errorf("orders at %v, want %v", got, scriptTicks)
	}
	if ann.Replica.Players[1].State != view.Playing {
		t.Errorf("the seat is %v", ann.Replica.Players[1].State)
	}
	if owed := a.live.seats.all[1].journalBudget.owed; owed != 0 {
		t.Errorf("the seat owes %d bytes", owed)
	}
	codes := map[orders.Reject]int{}
	if _, _, err := journal.Replay(func(each func(uint64, []byte) error) error {
		_, err := journal.ReadBytes(file, "the match", each)
		return err
	}, func(_ *sim.World, out sim.Outcome) error {
		for _, x := range out.Answers {
			codes[x.Code]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if codes[orders.OK] != 4 || len(codes) != 2 {
		t.Errorf("the answers are %v, want four OK and one other", codes)
	}
}

// TestScenariosOrdersAfterAKill: for any end of the journal, each order is given once.
func TestScenariosOrdersAfterAKill(t *testing.T) {
	t.Parallel()
	a := staged(t)
	ann := a.with("0 ann Ann")
	for a.live.world.Tick() < 60 {
		a.playTick(ann)
	}
	file := a.killed()
	for n, end := range records(t, file) {
		if n < 6 {
			continue // the setup
		}
		dir := folder(t, map[string][]byte{matchID: file[:end]})
		b := a.revived(dir, Config{})
		if b.live == nil {
			t.Fatalf("%d records: the match is lost", n)
		}
		b.live.gathering.deadline = b.live.started // it does not wait for ann
		for b.live.world.Tick() < 100 {
			b.tick()
		}
		sum := 0
		for _, k := range given(t, b.killed()) {
			sum += k
		}
		if sum != len(scriptTicks) {
			t.Errorf("%d records: %d orders, want %d: %v", n, sum, len(scriptTicks), given(t, b.killed()))
		}
		b.end()
	}
}

// TestScenariosOrdersEndWithAPerson: a person who takes the seat over plays it alone from
// then on.
func TestScenariosOrdersEndWithAPerson(t *testing.T) {
	t.Parallel()
	a := staged(t)
	ann := a.with("0 ann Ann")
	for a.live.world.Tick() < 40 {
		a.playTick(ann)
	}
	carol := a.connect(&pb.Hello{Ticket: "1 carol Carol"}, 0)
	a.asked()
	for a.live.world.Tick() < 100 {
		a.playTick(ann)
		carol.read()
	}
	if got := given(t, a.killed()); len(got) != 3 || got[50]+got[90] != 0 {
		t.Errorf("orders at %v, want those of ticks 6, 30 and 31", got)
	}
}

package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

func mustRules(t testing.TB) *rules.Ruleset {
	t.Helper()
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// flatMap is open grass with starts near two corners and a resource by each.
func flatMap(side int) *grid.Map {
	m := grid.NewMap("flat", side, side)
	lo, hi := int16(10), int16(side-11)
	m.Starts = []grid.Tile{{X: lo, Y: lo}, {X: hi, Y: hi}}
	m.Resources = []grid.Tile{{X: lo + 6, Y: lo}, {X: lo, Y: lo + 6}, {X: lo + 6, Y: lo + 6}, {X: hi - 6, Y: hi}, {X: hi, Y: hi - 6}, {X: hi - 6, Y: hi - 6}}
	return m
}

func newWorld(t testing.TB, s Setup) *World {
	t.Helper()
	if s.Rules == nil {
		s.Rules = mustRules(t)
	}
	if s.Map == nil {
		s.Map = flatMap(64)
	}
	if s.Players == nil {
		s.Players = []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}
	}
	w, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestBeginning(t *testing.T) {
	w := newWorld(t, Setup{Seed: 1})
	own := w.Knowledge(0).Seen(nil)
	if len(own) < 14 {
		t.Fatalf("team 0 sees %d entities at the start", len(own))
	}
	for i, s := range own {
		e := w.Entity(s.ID)
		if e == nil || e.Team() != 0 && e.Team() != grid.NoTeam {
			t.Errorf("sighting %d: %v is not the team's own, and far from all others", i, e)
		}
		if h, ok := w.Knowledge(0).HandleOf(e); !ok || h != s.Handle {
			t.Errorf("%v: handle %d, the table says %d", s.ID, h, s.Handle)
		}
	}
	for range 40 {
		w.Step(nil)
	}
	if w.Tick() != 40 || w.Result() != nil {
		t.Errorf("tick %d, result %v", w.Tick(), w.Result())
	}
}

// client is a player of a test: it names units as its team does and numbers
// its orders.
type client struct {
	w    *World
	slot grid.Slot
	seq  uint32
}

// mine returns the handles of the player's units for which keep holds.
func (c *client) mine(keep func(*Entity) bool) []grid.Handle {
	var hs []grid.Handle
	for _, s := range c.w.Knowledge(c.w.players[c.slot].team).Seen(nil) {
		if e := c.w.Entity(s.ID); e.Slot() == c.slot && keep(e) {
			hs = append(hs, s.Handle)
		}
	}
	return hs
}

func (c *client) named(typ string) []grid.Handle {
	i, ok := c.w.rules.TypeByName(typ)
	if !ok {
		panic("no type " + typ)
	}
	return c.mine(func(e *Entity) bool { return e.typ == i })
}

func (c *client) order(o orders.Order) Input {
	c.seq++
	return Input{Kind: InputOrder, Slot: c.slot, Seq: c.seq, AsOf: c.w.Tick(), Order: o}
}

func mobile(w *World) func(*Entity) bool {
	return func(e *Entity) bool { return w.rules.Types[e.typ].Mobile }
}

func TestAttackMoveWins(t *testing.T) {
	w := newWorld(t, Setup{Seed: 7})
	c := client{w: w, slot: 0}
	foe := w.Map().Starts[1].Center()
	out := w.Step([]Input{c.order(orders.Order{Kind: orders.AttackMove, Units: c.mine(mobile(w)), HasPoint: true, Point: foe})})
	if len(out.Answers) != 1 || out.Answers[0].Code != orders.OK || len(out.Answers[0].Left) != 0 {
		t.Fatalf("answers %+v", out.Answers)
	}
	for w.Tick() < 20*300 && w.Result() == nil {
		for _, n := range w.Step(nil).Notices {
			t.Logf("tick %d: %+v", w.Tick(), n)
		}
	}
	dead := 0
	for _, p := range w.players {
		t.Logf("player %d: killed %d lost %d score %d", p.slot, p.kills, p.losses, p.score)
		dead += int(p.losses)
	}
	if dead == 0 {
		t.Error("nobody died")
	}
	t.Logf("tick %d result %+v", w.Tick(), w.Result())
}

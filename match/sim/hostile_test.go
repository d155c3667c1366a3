package sim

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// TestTenThousandHostileOrders lets a client send hostile orders: other players' units,
// dead ones, hidden targets, points off the map, numbers at their limits, abilities without
// end. Each order is answered with the code that an obvious check names, and a tick of
// refused orders leaves the world as a tick without any.
func TestTenThousandHostileOrders(t *testing.T) {
	setup := wildSetup(t, 5)
	setup.Options = Options{OrdersPerSecond: orderRateMax, OrderBurst: orderRateMax}
	w := newWorld(t, setup)
	r := rand.New(rand.NewPCG(5, 5))
	c := &chaos{client{w: w, slot: 0}, r}
	foe := &chaos{client{w: w, slot: 1}, rand.New(rand.NewPCG(6, 6))}
	sent, codes := 0, map[orders.Reject]int{}
	for sent < 10_000 {
		if sent == 5_000 {
			w.players[0].stock = rules.Cost{} // of orders that cost something, half come to a player without means
		}
		var batch []Input
		for range 125 {
			batch = append(batch, c.hostile())
		}
		// A twin of the world takes the same tick with the refused orders cut down to their
		// numbers: a refused order must change nothing else.
		twin, err := Restore(setup, w.Save(nil))
		if err != nil {
			t.Fatal(err)
		}
		ours := foe.inputs()
		out := w.Step(append(append([]Input(nil), batch...), ours...))
		if len(out.Answers) != len(batch)+len(ours) {
			t.Fatalf("tick %d: %d answers to %d orders", w.Tick(), len(out.Answers), len(batch)+len(ours))
		}
		for i := range batch {
			a := out.Answers[i]
			if a.Seq != batch[i].Seq || a.Slot != 0 {
				t.Fatalf("tick %d: answer %+v to order %d", w.Tick(), a, batch[i].Seq)
			}
			if want, sure := obvious(twin, &batch[i]); sure && a.Code != want {
				t.Fatalf("tick %d: %+v: answered %v, want %v", w.Tick(), batch[i].Order, a.Code, want)
			}
			codes[a.Code]++
			if a.Code != orders.OK {
				batch[i].Order = orders.Order{} // refused as malformed
			}
		}
		twin.Step(append(append([]Input(nil), batch...), ours...))
		// Only the answers may differ.
		for i := range twin.players {
			twin.players[i].answers = w.players[i].answers
		}
		twin.roll.hash = w.roll.hash // once a second it has the answers
		if w.Hash() != twin.Hash() {
			t.Fatalf("tick %d: a refused order changed the world: %s", w.Tick(), firstDifference(w, twin))
		}
		if err := invariants(w, nil); err != nil {
			t.Fatalf("tick %d: %v", w.Tick(), err)
		}
		sent += len(batch)
	}
	for _, code := range []orders.Reject{
		orders.OK, orders.Malformed, orders.UnknownUnit, orders.NotYours, orders.Unable, orders.NotGranted, orders.CoolingDown,
		orders.BadTarget, orders.TargetLost, orders.OffMap, orders.BadSite, orders.Unaffordable,
	} {
		if codes[code] == 0 {
			t.Errorf("no order was answered %v: the test does not reach it", code)
		}
	}
	t.Logf("%v", codes)
}

// hostile returns one order of a client that tries everything.
func (c *chaos) hostile() Input {
	if c.r.IntN(2) == 0 {
		return c.wild()
	}
	limits := []uint32{0, 1, 2, 255, 256, 65535, 1 << 24, 1<<31 - 1, 1 << 31, 1<<32 - 1}
	number := func() uint32 { return limits[c.r.IntN(len(limits))] }
	k := c.w.Knowledge(0)
	handle := func() grid.Handle {
		switch c.r.IntN(4) {
		case 0:
			return grid.Handle(number())
		case 1:
			return grid.Handle(c.r.IntN(len(k.names) + 2))
		}
		seen := k.Seen(nil)
		return seen[c.r.IntN(len(seen))].Handle
	}
	o := orders.Order{
		Kind: orders.Kind(c.r.IntN(orders.Kinds + 1)), Queued: c.r.IntN(2) == 0, Together: c.r.IntN(2) == 0, HasPoint: c.r.IntN(4) != 0,
		Point: grid.Pos{X: int32(number()), Y: int32(number())}, Type: uint16(c.r.IntN(20)), Ability: uint8(c.r.IntN(8)),
		Item: uint8(number()), Request: number(),
	}
	if o.Kind == orders.Surrender {
		o.Kind = orders.UseAbility
	}
	if c.r.IntN(2) == 0 {
		o.Point = c.point()
	}
	if c.r.IntN(2) == 0 {
		o.Target = handle()
	}
	if c.r.IntN(30) == 0 {
		o.Type, o.Ability = uint16(number()), uint8(number())
	}
	for range c.r.IntN(4) {
		o.Units = append(o.Units, handle())
	}
	if c.r.IntN(500) == 0 {
		o.Units = make([]grid.Handle, orders.UnitsMax+1)
	}
	in := c.order(o)
	if c.r.IntN(20) == 0 {
		in.AsOf = grid.Tick(number())
	}
	in.Lag = uint8(number())
	return in
}

// obvious names the code of an order for the checks that need no validator: an entity that
// the sender's team has never seen is unknown, another player's entity is not the sender's,
// a point is on the map or off it.
func obvious(w *World, in *Input) (code orders.Reject, sure bool) {
	o := &in.Order
	if o.Kind == orders.None || int(o.Kind) >= orders.Kinds || len(o.Units) == 0 || len(o.Units) > orders.UnitsMax {
		return orders.Malformed, true
	}
	switch o.Kind {
	case orders.Move, orders.AttackMove, orders.Patrol, orders.AttackGround, orders.Unload:
		if !o.HasPoint || o.Target != 0 {
			return orders.Malformed, true
		}
	case orders.Attack, orders.Follow, orders.Repair, orders.Board:
		if o.Target == 0 {
			return orders.Malformed, true
		}
	case orders.Harvest, orders.Build, orders.SetRally:
		if !o.HasPoint && o.Target == 0 {
			return orders.Malformed, true
		}
	}
	if len(o.Units) != 1 {
		return 0, false
	}
	var e *Entity
	for _, x := range w.all {
		if h := x.handles[0]; h != 0 && h == o.Units[0] && x.viewers.Has(0) && w.teams[0].names[h-1].Entered <= min(in.AsOf, w.tick+1) {
			e = x
		}
	}
	switch {
	case e == nil:
		return orders.UnknownUnit, true
	case e.slot != 0:
		return orders.NotYours, true
	case o.Kind == orders.Move && w.rules.Types[e.typ].Mobile && !w.rooted(e) && !o.Queued && !w.m.InPos(o.Point):
		return orders.OffMap, true
	}
	return 0, false
}

// FuzzOrders feeds streams of orders to a small match. The bytes are the
// orders: any stream is one.
func FuzzOrders(f *testing.F) {
	f.Add([]byte("move and attack and build"), uint64(1))
	f.Add([]byte{2, 1, 0, 3, 3, 3, 3, 9, 1, 1, 10, 20, 30, 40, 50, 60, 7, 8, 9, 0, 0, 1, 255, 254, 253}, uint64(2))
	rules := mustRules(f)
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		if len(b) > 600 {
			b = b[:600]
		}
		w := newWorld(t, Setup{Map: flatMap(40), Rules: rules, Seed: seed})
		overlaps := map[[2]grid.EntityID]int{}
		seqs := [2]uint32{}
		next := func() uint8 {
			if len(b) == 0 {
				return 0
			}
			x := b[0]
			b = b[1:]
			return x
		}
		for len(b) > 0 && w.Result() == nil {
			s := grid.Slot(next() % 2)
			seqs[s]++
			flags := next()
			o := orders.Order{
				Kind: orders.Kind(next()), Queued: flags&1 != 0, HasPoint: flags&2 != 0, Together: flags&128 != 0,
				Point: grid.Pos{X: int32(next())*170 - 300, Y: int32(next())*170 - 300}, Type: uint16(next()), Ability: next() % 8, Item: next() % 4,
			}
			if flags&4 != 0 {
				o.Target = grid.Handle(next())
			}
			for range next() % 6 {
				o.Units = append(o.Units, grid.Handle(next()))
			}
			in := Input{Kind: InputOrder, Slot: s, Seq: seqs[s], AsOf: w.Tick(), Order: o, Lag: next()}
			if flags&0xF0 == 0xF0 {
				in.Kind = InputKind(next() % uint8(inputEnd+1))
			}
			w.Step([]Input{in})
			for range flags >> 3 & 15 {
				w.Step(nil)
			}
			if err := invariants(w, overlaps); err != nil {
				t.Fatal(fmt.Errorf("tick %d: %w", w.Tick(), err))
			}
		}
	})
}

package sim

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/orders"
)

// TestCompactTakesTheSameStep: a world with Compact's output in place of the inputs gives
// the same answers and states, tick by tick: with orders and lines that are malformed, too
// many, repeated or long past.
func TestCompactTakesTheSameStep(t *testing.T) {
	for seed := range uint64(6) {
		setup := wildSetup(t, seed)
		setup.Options = Options{OrdersPerSecond: 20, OrderBurst: 30}
		w := newWorld(t, setup)
		twin := newWorld(t, setup)
		r := rand.New(rand.NewPCG(seed, 9))
		c := &chaos{client{w: w, slot: 0}, r}
		foe := &chaos{client{w: w, slot: 1}, rand.New(rand.NewPCG(seed, 10))}
		var past []Input
		codes := map[orders.Reject]int{}
		for range 150 {
			var batch []Input
			for range r.IntN(8) {
				switch r.IntN(6) {
				case 0:
					batch = append(batch, c.said(Input{Kind: InputChat, Text: []string{"hello", "", "\xff"}[r.IntN(3)], All: true}))
				case 1:
					batch = append(batch, c.said(Input{Kind: InputPing, Ping: PingKind(r.IntN(5)), Point: c.point()}))
				case 2:
					if len(past) > 0 {
						batch = append(batch, past[r.IntN(len(past))]) // once more
					}
				case 3:
					batch = append(batch, c.hostile())
				default:
					batch = append(batch, c.wild())
				}
			}
			past = append(past, batch...)
			batch = append(batch, foe.inputs()...)
			out := w.Step(batch)
			short := Compact(nil, batch, out.Answers, w.Players())
			for _, in := range short {
				refused := in.Kind == InputOrderRefused || in.Kind == InputSaidRefused
				if refused && !reflect.DeepEqual(in, Input{Kind: in.Kind, Slot: in.Slot, Seq: in.Seq, Code: in.Code}) {
					t.Fatalf("a refused input is kept with more than its number and code: %+v", in)
				}
			}
			for _, a := range out.Answers {
				codes[a.Code]++
			}
			answers := slices.Clone(out.Answers)
			again := twin.Step(short)
			if !reflect.DeepEqual(again.Answers, answers) {
				t.Fatalf("seed %d, tick %d: answers %+v, from what was kept %+v", seed, w.Tick(), answers, again.Answers)
			}
			if w.Hash() != twin.Hash() {
				t.Fatalf("seed %d, tick %d: %s", seed, w.Tick(), firstDifference(w, twin))
			}
		}
		for _, code := range []orders.Reject{orders.OK, orders.RateLimited, orders.Malformed, orders.Stale} {
			if codes[code] == 0 {
				t.Errorf("seed %d: nothing was answered %v", seed, code)
			}
		}
	}
}

// said gives a line or ping its number.
func (c *chaos) said(in Input) Input {
	o := c.order(orders.Order{})
	in.Slot, in.Seq = o.Slot, o.Seq
	return in
}

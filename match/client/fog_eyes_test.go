package client

import (
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/visibility"
)

// eyeTypes are the types of the tests below: a seeing one, and a blind one.
var eyeTypes = []Eye{{Radius: 6}, {Blind: true}}

func newEyes(t testing.TB, side int) (*Fog, *Replica) {
	t.Helper()
	fog, err := NewFog(grid.NewMap("eyes", side, side), eyeTypes, grid.SlotSet(0).With(0).With(2), 8)
	if err != nil {
		t.Fatal(err)
	}
	return fog, NewReplica(side, side, []int32{0, 0})
}

// seenBy returns the hash of the replica's sight for the team: the plain
// rule, worked out anew.
func seenBy(t testing.TB, r *Replica, own grid.SlotSet) uint32 {
	t.Helper()
	e, err := visibility.New(visibility.Config{Map: grid.NewMap("eyes", r.W, r.H), Teams: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range r.Entities {
		if own.Has(x.Owner) && !eyeTypes[x.Type].Blind {
			e.Add(0, visibility.Source{Tile: r.Pos(x, r.Tick).Tile(), Radius: eyeTypes[x.Type].Radius})
		}
	}
	e.Step(1)
	return e.Mask(visibility.VisibleNow, 0).Hash()
}

// The fog follows the team's eyes by the diffs: with entities that enter, leave and change hands in any order, in
// whole frames, partial ones and snapshots, it equals the result of a walk over the whole replica.
func TestFogFollowsWhoSees(t *testing.T) {
	const side = 96
	fog, r := newEyes(t, side)
	rng := rand.New(rand.NewPCG(5, 5))
	captured, left, came := 0, 0, 0
	for n := range 3000 {
		d := view.Diff{Tick: r.Tick + 1, Span: 1, Snapshot: n%200 == 0, Partial: n%200 != 0 && rng.IntN(5) == 0}
		held := r.Handles()
		if d.Snapshot {
			held = nil
		}
		gone := map[grid.Handle]bool{}
		for _, h := range held {
			switch rng.IntN(12) {
			case 0:
				d.Leave, gone[h] = append(d.Leave, h), true
				left++
			case 1:
				d.Owners = append(d.Owners, view.OwnerRow{Handle: h, Owner: grid.Slot(rng.IntN(4))})
				captured++
			}
		}
		for h := grid.Handle(1); h <= 40; h++ {
			if _, holds := r.Entities[h]; (d.Snapshot || !holds || gone[h]) && rng.IntN(4) == 0 {
				d.Enter = append(d.Enter, view.EnterRow{Handle: h, Type: uint16(rng.IntN(2)), Owner: grid.Slot(rng.IntN(4)), Cell: uint32(rng.IntN(side * side))})
				came++
			}
		}
		fog.Before(r, &d)
		if err := r.Apply(&d); err != nil {
			t.Fatal(err)
		}
		fog.After(r, &d)
		if d.Partial {
			continue
		}
		if got, want := fog.Hash(), seenBy(t, r, fog.allies); got != want {
			t.Fatalf("frame %d: the fog's hash is %08x, that of what the replica holds %08x", n, got, want)
		}
	}
	if captured < 1000 || left < 1000 || came < 1000 {
		t.Errorf("%d changed hands, %d left, %d came: that proves little", captured, left, came)
	}
}

// BenchmarkFogDerive is a tick of a client that holds 60,000 entities; 8,000 see for its team; walk is the plain
// way, which asks all entities.
func BenchmarkFogDerive(b *testing.B) {
	const side, all, own = 256, 60_000, 8_000
	fog, r := newEyes(b, side)
	rng := rand.New(rand.NewPCG(7, 7))
	d := view.Diff{Tick: 1, Snapshot: true}
	for i := range all {
		owner := grid.Slot(0)
		if i >= own {
			owner = 1
		}
		d.Enter = append(d.Enter, view.EnterRow{Handle: grid.Handle(i + 1), Owner: owner, Cell: uint32(rng.IntN(side * side))})
	}
	fog.Before(r, &d)
	if err := r.Apply(&d); err != nil {
		b.Fatal(err)
	}
	fog.After(r, &d)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			fog.derive(r, r.Tick)
		}
	})
	b.Run("walk", func(b *testing.B) {
		ids := map[grid.Handle]visibility.SourceID{}
		for _, eye := range fog.open {
			ids[eye.handle] = eye.id
		}
		for b.Loop() {
			for h, e := range r.Entities {
				if fog.allies.Has(e.Owner) && !fog.eyes[e.Type].Blind {
					fog.engine.Change(ids[h], fog.source(r, e, r.Pos(e, r.Tick).Tile()))
				}
			}
			fog.engine.Step(r.Tick)
		}
	})
}

package sim

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// TestFastSaveIsTheSave holds what is written fast to the description of the
// state, entity by entity, in a wild match.
func TestFastSaveIsTheSave(t *testing.T) {
	w := newWorld(t, wildSetup(t, 5))
	var players []*chaos
	for s := range 2 {
		players = append(players, &chaos{client{w: w, slot: grid.Slot(s)}, rand.New(rand.NewPCG(5, uint64(s)))})
	}
	fast, slow := 0, 0
	for range 500 {
		var in []Input
		for _, p := range players {
			in = append(in, p.inputs()...)
		}
		w.Step(in)
		for _, e := range w.all {
			got, want := &archive{b: []byte{1, 2, 3}}, &archive{b: []byte{1, 2, 3}}
			e.state(want)
			if !e.append(got) {
				if slow++; len(got.b) != 3 {
					t.Fatalf("tick %d: %v is not written fast, but something is", w.tick, e.id)
				}
				continue
			}
			if fast++; !bytes.Equal(got.b, want.b) {
				t.Fatalf("tick %d: %+v is saved as\n%x, not\n%x", w.tick, e, got.b, want.b)
			}
		}
		for i := range w.teams {
			names := w.teams[i].names
			got, want := &archive{}, &archive{}
			list(want, &names, nameBytes, func(n *name) { n.state(want) })
			if appendNames(got, names); !bytes.Equal(got.b, want.b) {
				t.Fatalf("tick %d: the names of team %d are saved as\n%x, not\n%x", w.tick, i, got.b, want.b)
			}
		}
	}
	if fast < 1000 || slow < 1000 {
		t.Errorf("%d entities were written fast, %d not: that proves little", fast, slow)
	}
}

// TestSparse holds lists that are mostly zero to themselves, with what is not
// anywhere.
func TestSparse(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 63, 64, 65, 200} {
		for at := range n {
			v, back := make([]uint8, n), make([]uint8, n)
			v[at], v[at/2] = 7, 9
			a := &archive{}
			a.sparse(v)
			if a.reading = true; len(a.b) > 4+2*5 {
				t.Fatalf("%d bytes, two of them set, are saved in %d", n, len(a.b))
			}
			if a.sparse(back); a.err != nil || !bytes.Equal(v, back) {
				t.Fatalf("%d bytes, %d and %d set, came back as %v: %v", n, at, at/2, back, a.err)
			}
		}
	}
}

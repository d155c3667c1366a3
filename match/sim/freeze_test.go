package sim

import (
	"bytes"
	"testing"
)

// The save of a frozen state equals the world in that tick, however far the world has
// stepped on.
func TestFrozenIsTheTicksState(t *testing.T) {
	var f Frozen
	var want []byte
	parts, tried := 0, 0
	var got []byte
	for seed := uint64(21); seed < 24; seed++ {
		wildMatch(t, seed, 700, func(w *World) {
			switch at := w.Tick() % 35; {
			case at == 0:
				want = w.Save(want[:0])
				w.Freeze(&f)
				got, parts = got[:0], 0
			case want != nil && at > 0 && parts >= 0: // a part a tick, while the world goes on
				last := false
				if got, last = f.SavePart(got); !last {
					if parts++; parts > FrozenParts {
						t.Fatalf("more than %d parts", FrozenParts)
					}
					return
				}
				parts = -1
				tried++
				if f.Tick() != w.Tick()-w.Tick()%35 || !bytes.Equal(got, want) {
					t.Fatalf("seed %d, tick %d: the frozen state is not that of the tick", seed, f.Tick())
				}
			}
		})
		want = nil
	}
	if tried < 50 {
		t.Errorf("%d states were compared", tried)
	}
}

// A state that was frozen restores to a world that goes on as the one it was taken of.
func TestFrozenGoesOn(t *testing.T) {
	w := wildMatch(t, 25, 480, nil)
	var f Frozen
	w.Freeze(&f)
	stepOn(w, 40)
	back, err := Restore(wildSetup(t, 25), f.Save(nil))
	if err != nil {
		t.Fatal(err)
	}
	stepOn(back, 40)
	if back.Hash() != w.Hash() || back.Rolling() != w.Rolling() {
		t.Error("the restored world goes another way")
	}
}

// Freeze does not allocate once there is room.
func TestFreezeAllocatesLittle(t *testing.T) {
	w := wildMatch(t, 26, 200, nil)
	var f Frozen
	w.Freeze(&f)
	if n := testing.AllocsPerRun(10, func() { w.Freeze(&f) }); n > 8 {
		t.Errorf("%v allocations", n)
	}
}

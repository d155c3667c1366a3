package sim

import "testing"

// FuzzRestore reads saves that went wrong. A save is an error or a world, which
// can be saved and hashed; it is never a panic. (That it is the right world, its
// hash in the journal says.)
func FuzzRestore(f *testing.F) {
	setup := wildSetup(f, 3)
	w := newWorld(f, setup)
	f.Add(uint16(0), uint16(0), []byte(nil))
	save := w.Save(nil)
	for range 40 {
		w.Step(nil)
	}
	later := w.Save(nil)
	for _, good := range [][]byte{save, later} {
		if _, err := Restore(setup, good); err != nil {
			f.Fatal(err)
		}
	}
	// A save has thousands of bytes: the fuzzer chooses the positions and the new values.
	f.Add(uint16(8), uint16(1), []byte{1, 2, 3, 4})
	f.Add(uint16(len(save)-9), uint16(0), []byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, at, cut uint16, bytes []byte) {
		b := append([]byte(nil), save...)
		if cut%2 == 1 {
			b = append([]byte(nil), later...)
		}
		copy(b[int(at)%len(b):], bytes)
		if cut > 1<<15 {
			b = b[:len(b)-min(len(b), int(cut)-1<<15)]
		}
		if again, err := Restore(setup, b); err == nil {
			again.Save(nil)
			again.Hash()
		}
	})
}

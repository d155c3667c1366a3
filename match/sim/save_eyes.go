package sim

import (
	"encoding/binary"
	"fmt"

	"github.com/fogkeep/fogkeep/visibility"
)

// eyesState saves the masks and their sources, in visibility's own form with
// its length first.
func (w *World) eyesState(a *archive) {
	if !a.reading {
		at := len(a.b)
		a.b = w.eyes.Save(append(a.b, 0, 0, 0, 0))
		binary.LittleEndian.PutUint32(a.b[at:], uint32(len(a.b)-at-4))
		return
	}
	n := a.length(0, 1)
	b := a.need(n)
	if a.err != nil {
		return
	}
	eyes, err := visibility.Restore(visibility.Config{Map: w.m, Teams: len(w.teams)}, b)
	if err != nil {
		a.err = fmt.Errorf("offset %d: %w", a.at-n, err)
		return
	}
	w.eyes = eyes
}

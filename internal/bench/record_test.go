package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
)

// A recording is what a client can play: it holds what its team sees, by the plain
// rule, and derives the same mask.
func TestARecordingPlays(t *testing.T) {
	const seconds = 5 // a mask's hash comes each second
	w := Workload{Name: "w1-small", Seconds: seconds}
	var file bytes.Buffer
	if err := Record(w, &file); err != nil {
		t.Fatal(err)
	}
	next := func() []byte {
		n := binary.LittleEndian.Uint32(file.Next(4))
		return file.Next(int(n))
	}
	m, err := grid.UnmarshalMap(next())
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(client.Config{Map: client.OneMap(m), DerivesFog: true})
	if _, err := c.Receive(next()); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	walkers := w.walkers()
	for range recordSpread * grid.TickRateDefault {
		walkers.Step()
	}
	frames, hashes := 0, 0
	for file.Len() > 0 {
		f, err := c.Receive(next())
		if err != nil {
			t.Fatalf("frame %d: %v", frames, err)
		}
		if f.Diff.HasHash {
			hashes++
		}
		if c.MaskDiffers {
			t.Fatalf("frame %d: the client's mask is another", frames)
		}
		if frames > 0 {
			walkers.Step()
		}
		frames++
		seen, _, _ := strings.Cut(walkers.Hashes()[0], ":")
		if got := fmt.Sprint(len(c.Replica.Entities)); got != seen {
			t.Fatalf("frame %d: the client holds %s units, its team sees %s", frames, got, seen)
		}
	}
	if frames != seconds*grid.TickRateDefault+1 || hashes < seconds-1 {
		t.Errorf("%d frames with %d hashes of the mask", frames, hashes)
	}
}

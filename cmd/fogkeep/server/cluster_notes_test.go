package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/notes"
)

// notedOn writes cameras of ticks into the notes of a match.
func notedOn(t *testing.T, d *notes.Dir, match string, ticks ...grid.Tick) {
	t.Helper()
	l := d.Open(match, ticks[0], 20)
	for _, at := range ticks {
		l.Camera(notes.Camera{Tick: at, Slot: 1, At: grid.Tile{X: int16(at), Y: 1}, Radius: 9})
	}
	l.Close()
}

// TestNotesOfAllNodes: several nodes' notes of a match read as one, only new notes are
// fetched, and a node that does not answer takes only its own part along.
func TestNotesOfAllNodes(t *testing.T) {
	dirs := map[string]*notes.Dir{}
	for _, name := range []string{"n1", "n2", "n3"} {
		d, err := notes.OpenDir(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		dirs[name] = d
	}
	now := time.Now()
	away := map[string]bool{}
	var asked []string
	x := &clusterNotes{
		dir: dirs["n1"], log: slog.New(slog.DiscardHandler), now: func() time.Time { return now }, cache: map[string]*keptNotes{},
		nodes: func() []string { return []string{"n3", "n2"} },
	}
	x.chunk = func(_ context.Context, node, match string, from int64) ([]byte, error) {
		b, err := dirs[node].Chunk(match, from)
		if away[node] {
			b, err = nil, errors.New("gone")
		}
		x.mu.Lock() // nodes are asked side by side
		defer x.mu.Unlock()
		asked = append(asked, fmt.Sprintf("%s %t", node, from > 0))
		return b, err
	}
	read := func(match string) (ticks []grid.Tick) {
		t.Helper()
		n, err := x.Read(match)
		if err != nil {
			t.Fatal(err)
		}
		if n != nil {
			for _, c := range n.Cameras {
				ticks = append(ticks, c.Tick)
			}
		}
		return ticks
	}
	wants := func(what, match string, ticks ...grid.Tick) {
		t.Helper()
		if got := read(match); !slices.Equal(got, ticks) {
			t.Errorf("%s: cameras of ticks %v, want %v", what, got, ticks)
		}
	}
	if n, err := x.Read("m"); n != nil || err != nil {
		t.Errorf("of a match that nobody noted: %v, %v", n, err)
	}
	notedOn(t, dirs["n2"], "m", 5, 10)
	wants("a moment later", "m")
	now = now.Add(time.Second)
	wants("while nodes without notes are not asked again", "m")
	now = now.Add(notesNone)
	wants("of another node", "m", 5, 10)
	notedOn(t, dirs["n1"], "m", 8, 20)
	notedOn(t, dirs["n3"], "m", 30)
	now = now.Add(notesNone)
	asked = nil
	wants("of three nodes", "m", 5, 8, 10, 20, 30)
	slices.Sort(asked)
	if got := fmt.Sprint(asked); got != "[n2 true n3 false n3 true]" {
		t.Errorf("asked %v", asked)
	}
	away["n2"] = true
	now = now.Add(time.Second)
	wants("after a node has gone", "m", 5, 8, 10, 20, 30)

	// The node remembers a bounded number of matches.
	for i := range 2 * notesMatches {
		id := fmt.Sprint("other-", i)
		notedOn(t, dirs["n3"], id, 7)
		now = now.Add(time.Second)
		wants("of another match", id, 7)
	}
	if len(x.cache) != notesMatches {
		t.Errorf("the notes of %d matches are kept", len(x.cache))
	}
	wants("of a node that is gone, after a while", "m", 8, 20, 30)
}

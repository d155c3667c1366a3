package visibility

import (
	"bytes"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"pgregory.net/rapid"
)

// plainMemory tells by the words of the issue what a team remembers: a history
// of every step, searched from the end.
type plainMemory struct {
	steps []plainStep
}

type plainStep struct {
	built map[grid.EntityID]Ghost
	seen  func(Ghost) bool // as of that step
}

// ghosts goes back to the last step in which the team saw a tile of the place.
func (p *plainMemory) ghosts() map[grid.EntityID]Ghost {
	out := map[grid.EntityID]Ghost{}
	if len(p.steps) == 0 {
		return out
	}
	now := p.steps[len(p.steps)-1]
	for k, step := range p.steps {
		for id, g := range step.built {
			if !step.seen(g) {
				continue
			}
			// Seen in step k. Is it a ghost now? Only if no tile of it was
			// seen after k.
			later := slices.ContainsFunc(p.steps[k+1:], func(s plainStep) bool { return s.seen(g) })
			if !later && !now.seen(g) {
				out[id] = g
			}
		}
	}
	return out
}

func TestGhostsEqualHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := flat(24, 20, grid.OcclusionNone)
		m.Starts = []grid.Tile{{}}
		cfg := Config{Map: m, Teams: 3}
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		g := NewGhosts(e)
		built := map[grid.EntityID]Ghost{}
		var eyes []SourceID
		for i := range 3 {
			eyes = append(eyes, e.Add(grid.Team(i), Source{Tile: grid.Tile{X: 2, Y: 2}, Radius: 6}))
		}
		plain := make([]plainMemory, 3)
		next := grid.EntityID(1)
		t.Repeat(map[string]func(*rapid.T){
			"build": func(t *rapid.T) {
				s := Ghost{ID: next, At: drawTile(t, m), W: uint8(rapid.IntRange(1, 3).Draw(t, "w")), H: uint8(rapid.IntRange(1, 3).Draw(t, "h")), Picture: []byte{0}}
				built[next] = s
				g.Put(s.ID, s.At, int(s.W), int(s.H), s.Picture)
				next++
			},
			"damage": func(t *rapid.T) {
				for id := grid.EntityID(1); id < next; id++ {
					if s, ok := built[id]; ok && rapid.Bool().Draw(t, "hit") {
						s.Picture = []byte{s.Picture[0] + 1}
						built[id] = s
						g.Put(s.ID, s.At, int(s.W), int(s.H), s.Picture)
					}
				}
			},
			"fall": func(t *rapid.T) {
				id := grid.EntityID(rapid.IntRange(1, int(next)).Draw(t, "which"))
				delete(built, id)
				g.Drop(id)
			},
			"look": func(t *rapid.T) {
				e.Move(eyes[rapid.IntRange(0, 2).Draw(t, "team")], drawTile(t, m))
			},
			"reload": func(t *rapid.T) {
				e2, err := Restore(cfg, e.Save(nil))
				if err != nil {
					t.Fatal(err)
				}
				saved := g.Save(nil)
				g2, err := RestoreGhosts(e2, saved)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(saved, g2.Save(nil)) {
					t.Fatal("a restored memory saves other bytes")
				}
				e, g = e2, g2
			},
			"": func(t *rapid.T) {
				e.Step(0)
				g.Step()
				for i := range plain {
					team := grid.Team(i)
					now := plainStep{built: map[grid.EntityID]Ghost{}}
					for id, s := range built {
						now.built[id] = s
					}
					mask := map[grid.Tile]bool{}
					for at := range e.Mask(VisibleNow, team).Tiles() {
						mask[at] = true
					}
					now.seen = func(gh Ghost) bool {
						for y := range int16(gh.H) {
							for x := range int16(gh.W) {
								if mask[grid.Tile{X: gh.At.X + x, Y: gh.At.Y + y}] {
									return true
								}
							}
						}
						return false
					}
					plain[i].steps = append(plain[i].steps, now)
					want := plain[i].ghosts()
					n := 0
					for gh := range g.Of(team) {
						n++
						if w, ok := want[gh.ID]; !ok || !bytes.Equal(w.Picture, gh.Picture) || w.At != gh.At {
							t.Fatalf("team %d remembers %+v, want %+v", team, gh, w)
						}
					}
					if n != len(want) {
						t.Fatalf("team %d remembers %d structures, want %v", team, n, want)
					}
				}
			},
		})
	})
}

// TestGhostLife tells one ghost's story: built, seen, lost while it burns, gone
// unseen, found gone.
func TestGhostLife(t *testing.T) {
	m := flat(32, 16, grid.OcclusionNone)
	e := newEngine(t, m, 2)
	g := NewGhosts(e)
	eye := e.Add(0, Source{Tile: grid.Tile{X: 8, Y: 8}, Radius: RadiusTiles(3)})
	g.Put(7, grid.Tile{X: 9, Y: 8}, 2, 2, []byte("whole"))
	step := func() { e.Step(0); g.Step() }
	step()
	if g.Seeing(7) != 1 || len(slices.Collect(g.Of(0))) != 0 {
		t.Fatalf("seen by %b, ghosts %v: want team 0 to see the structure itself", g.Seeing(7), slices.Collect(g.Of(0)))
	}
	g.Put(7, grid.Tile{X: 9, Y: 8}, 2, 2, []byte("burning")) // in the tick in which it is lost
	e.Move(eye, grid.Tile{X: 25, Y: 8})
	step()
	ghosts := slices.Collect(g.Of(0))
	if len(ghosts) != 1 || string(ghosts[0].Picture) != "whole" || !slices.Equal(slices.Collect(g.Frozen(0)), []grid.EntityID{7}) {
		t.Fatalf("ghosts %+v: want structure 7, whole", ghosts)
	}
	g.Drop(7)
	step()
	if len(slices.Collect(g.Of(0))) != 1 {
		t.Fatal("the ghost went with its structure, unseen")
	}
	e.Move(eye, grid.Tile{X: 8, Y: 8})
	step()
	if len(slices.Collect(g.Of(0))) != 0 || !slices.Equal(slices.Collect(g.Gone(0)), []grid.EntityID{7}) || g.Seeing(7) != 0 {
		t.Fatal("the place is seen again and empty, but the ghost stayed")
	}
	if len(slices.Collect(g.Of(1))) != 0 {
		t.Fatal("team 1 never saw it, but remembers it")
	}
}

package visibility

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// FuzzOperations reads any bytes as a map and a sequence of calls and compares
// every step with the obvious scan. The corpus in testdata/fuzz runs with every
// test.
func FuzzOperations(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 2, 0, 5, 5, 16, 0, 0, 9})
	f.Add([]byte{2, 3, 4, 2, 90, 7, 0, 5, 5, 16, 0, 0, 9, 2, 0, 6, 5, 9, 4, 1, 3, 1, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := operate(data); err != nil {
			t.Fatal(err)
		}
	})
}

// feed hands out bytes, and zeros when there are no more.
type feed struct{ b []byte }

func (f *feed) next() int {
	if len(f.b) == 0 {
		return 0
	}
	n := f.b[0]
	f.b = f.b[1:]
	return int(n)
}

func operate(data []byte) error {
	f := &feed{data}
	m := grid.NewMap("fuzzed", grid.MapSideMin+f.next()%30, grid.MapSideMin+f.next()%30)
	m.Occlusion = grid.Occlusion(f.next() % 3)
	rough, seed := f.next(), uint32(f.next())
	for i := range m.Levels {
		seed = seed*1664525 + 1013904223
		if int(seed>>24) < rough {
			m.Levels[i] = grid.Level(seed >> 20 & 3)
			if seed>>16&3 == 0 {
				m.Terrain[i], m.Pass[i] = grid.Cliff, grid.PassOf(grid.Cliff)
			}
		}
	}
	cfg := Config{Map: m, Teams: 1 + f.next()%4, ViewshedBytesMax: f.next() * 100}
	e, err := New(cfg)
	if err != nil {
		return err
	}
	judge := newJudge(e, obvious.NewField(m))
	tile := func() grid.Tile { return grid.Tile{X: int16(f.next() % m.W), Y: int16(f.next() % m.H)} }
	source := func() Source {
		s := Source{Tile: tile(), Radius: Radius(f.next() % int(RadiusMax+1))}
		kind := f.next()
		s.Flyer, s.LevelBonus = kind&1 != 0, grid.Level(kind>>1&3)
		if kind&8 != 0 {
			s.Detect = Radius(f.next() % int(RadiusMax+1))
		}
		return s
	}
	team := func() grid.Team { return grid.Team(f.next() % e.Teams()) }
	var ids []SourceID
	now := grid.Tick(0)
	for steps := 0; len(f.b) > 0 && steps < 12; {
		op := f.next() % 10
		if op >= 2 && op <= 4 { // on a source
			if len(ids) == 0 {
				continue
			}
			i := f.next() % len(ids)
			if !e.Has(ids[i]) {
				continue
			}
			switch op {
			case 2:
				e.Move(ids[i], tile())
			case 3:
				e.Change(ids[i], source())
			case 4:
				e.Remove(ids[i])
			}
			continue
		}
		switch op {
		case 0:
			if len(ids) < 30 {
				ids = append(ids, e.Add(team(), source()))
			}
		case 1:
			s := source()
			s.Until = now + grid.Tick(f.next()%4)
			if len(ids) < 30 {
				ids = append(ids, e.Add(team(), s))
			}
		case 5:
			e.Share(team(), team(), f.next()&1 != 0)
		case 6:
			at, g := tile(), Ground{Level: grid.Level(f.next() % grid.LevelsMax), Opaque: f.next()&1 != 0}
			judge.setGround(e, at, g)
		case 7:
			saved := e.Save(nil)
			if e, err = Restore(cfg, saved); err != nil {
				return err
			}
			if !bytes.Equal(e.Save(nil), saved) {
				return errors.New("a restored engine saves other bytes")
			}
		default:
			now++
			steps++
			e.Step(now)
			if err := judge.check(e); err != nil {
				return fmt.Errorf("step %d: %w", now, err)
			}
		}
	}
	return nil
}

// FuzzRestore reads any bytes as a saved engine: an error, or an engine that steps on and
// saves the same bytes.
func FuzzRestore(f *testing.F) {
	m := flat(20, 17, grid.OcclusionLineOfSight)
	cfg := Config{Map: m, Teams: 3}
	e, err := New(cfg)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(e.Save(nil))
	e.Remove(e.Add(1, Source{}))
	e.Add(0, Source{Tile: grid.Tile{X: 19, Y: 16}, Radius: 9, Detect: 3, Until: 5})
	e.SetGround(grid.Tile{X: 15, Y: 15}, Ground{Level: 1, Mark: 300})
	e.Share(0, 2, true)
	f.Add(e.Save(nil))
	e.Step(1)
	f.Add(e.Save(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := Restore(cfg, data)
		if err != nil {
			if !errors.Is(err, ErrSave) {
				t.Fatalf("the error does not wrap ErrSave: %v", err)
			}
			return
		}
		if !bytes.Equal(e.Save(nil), data) {
			t.Fatal("a restored engine saves other bytes")
		}
		e.Step(1)
		e.Step(^grid.Tick(0))
	})
}

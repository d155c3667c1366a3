package view

import (
	"reflect"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// scene is the state of a client that is short of bytes and gets the views that a test makes.
type scene struct {
	tr    *Tracker
	view  View
	short *DeltaState
	diff  Diff
	looks Interest
}

// newScene has so many units at tick 1; the client holds all. Units have their
// handle's type.
func newScene(units int) *scene {
	s := &scene{tr: NewTracker(Rules{W: 16, H: 16, Keep: 200}), view: View{Tick: 1, W: 16, H: 16}}
	for i := range units {
		s.view.Units = append(s.view.Units, s.unit(grid.Handle(i+1), 1))
	}
	s.tr.Update(&s.view)
	s.short = s.tr.NewDeltaState(1)
	return s
}

func (s *scene) unit(h grid.Handle, entered grid.Tick) Unit {
	return Unit{Handle: h, Type: uint16(h), Entered: entered, FullSpeed: 64, Pos: grid.Tile{X: int16(h), Y: 4}.Center()}
}

// step plays the next tick, as change makes it, and sends it to the client.
func (s *scene) step(bytes int, change func(units map[grid.Handle]*Unit)) *Diff {
	s.view.Tick++
	s.view.Events, s.view.Removed = nil, nil
	of := map[grid.Handle]*Unit{}
	for i := range s.view.Units {
		of[s.view.Units[i].Handle] = &s.view.Units[i]
	}
	if change != nil {
		change(of)
	}
	s.tr.Update(&s.view)
	s.tr.DiffWithin(&s.diff, s.short, s.view.Tick-1, MaskOptions{}, s.looks, bytes)
	return &s.diff
}

// gone takes the first units out of sight; the listed ones are destroyed.
func (s *scene) gone(left int, destroyed ...grid.Handle) {
	for _, u := range s.view.Units[:left] {
		s.view.Removed = append(s.view.Removed, Removed{Handle: u.Handle, Destroyed: slices.Contains(destroyed, u.Handle)})
	}
	s.view.Units = s.view.Units[left:]
}

func hurt(of map[grid.Handle]*Unit, hs ...grid.Handle) {
	for _, h := range hs {
		of[h].Values[ValueHealth]++
	}
}

func toldHealth(d *Diff) (out []grid.Handle) {
	for _, r := range d.Values[ValueHealth] {
		out = append(out, r.Handle)
	}
	return out
}

// Rows to a short client take its bytes: departures, arrivals, values, abilities and effects. So later rows wait.
func TestSentRowsTakeBytes(t *testing.T) {
	t.Run("what left", func(t *testing.T) {
		s := newScene(6)
		d := s.step(bytesMotion+bytesValue+4, func(of map[grid.Handle]*Unit) {
			hurt(of, 5, 6)
			s.gone(2, 1)
		})
		if len(d.Leave) != 1 || len(d.Destroyed) != 1 || len(toldHealth(d)) != 1 || s.short.Pending() != 1 {
			t.Errorf("%d left, %d were destroyed, of %v the health is told, %d wait", len(d.Leave), len(d.Destroyed), toldHealth(d), s.short.Pending())
		}
	})
	t.Run("what came", func(t *testing.T) {
		s := newScene(1)
		d := s.step(bytesEnter, func(map[grid.Handle]*Unit) {
			s.view.Units = append(s.view.Units, s.unit(2, 2), s.unit(3, 2))
		})
		if len(d.Enter) != 1 || s.short.Pending() != 1 {
			t.Errorf("%d are told, %d wait", len(d.Enter), s.short.Pending())
		}
	})
	t.Run("activity", func(t *testing.T) {
		s := newScene(3)
		d := s.step(bytesMotion+2*bytesValue, func(of map[grid.Handle]*Unit) {
			s.view.Actions, s.view.Effects = []Action{{Handle: 1, Index: 1, Since: 2}}, []Effect{{Handle: 1, Kind: 1, Since: 2}}
			hurt(of, 3)
		})
		if len(d.Actions) != 1 || len(d.Effects) != 1 || len(toldHealth(d)) != 0 || s.short.Pending() != 1 {
			t.Errorf("%v and %v are told, and the health of %v; %d wait", d.Actions, d.Effects, toldHealth(d), s.short.Pending())
		}
	})
}

// Rows that are chosen by priority are told in the order of handles.
func TestShortRowsAreInOrder(t *testing.T) {
	s := newScene(8)
	s.looks.Priority = []uint8{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100} // the last comes first
	d := s.step(1000, func(of map[grid.Handle]*Unit) {
		hurt(of, 3, 4)
		for _, h := range []grid.Handle{5, 6} {
			of[h].Owner = 1
			of[h].Pos = of[h].Pos.Add(grid.Vec{Y: 2000})
			s.view.Actions = append(s.view.Actions, Action{Handle: h, Index: 1, Since: 2}, Action{Handle: h, Index: 2, Since: 2})
			s.view.Effects = append(s.view.Effects, Effect{Handle: h, Kind: 1, Since: 2}, Effect{Handle: h, Kind: 2, Since: 2})
		}
		for _, h := range []grid.Handle{9, 10} {
			u := s.unit(h, 2)
			u.FullSpeed, u.Pos = 0, u.Pos.Add(grid.Vec{X: 9, Y: 9}) // what stands is told exactly
			s.view.Units = append(s.view.Units, u)
		}
	})
	lists := map[string][]grid.Handle{"health": toldHealth(d)}
	for _, r := range d.Enter {
		lists["enter"] = append(lists["enter"], r.Handle)
	}
	for _, r := range d.Owners {
		lists["owners"] = append(lists["owners"], r.Handle)
	}
	for _, r := range d.Motion {
		lists["motion"] = append(lists["motion"], r.Handle)
	}
	for _, r := range d.Exact {
		lists["exact"] = append(lists["exact"], r.Handle)
	}
	for _, r := range d.Actions {
		lists["actions"] = append(lists["actions"], r.Handle)
	}
	for _, r := range d.Effects {
		lists["effects"] = append(lists["effects"], r.Handle)
	}
	for _, name := range []string{"health", "enter", "owners", "motion", "exact", "actions", "effects"} {
		if got := lists[name]; len(got) < 2 || !slices.IsSorted(got) {
			t.Errorf("%s: rows of %v", name, got)
		}
	}
}

// Rows that wait longer are told first, also of entities that came into sight; a value without a change does not wait.
func TestLongestWaitGoesFirst(t *testing.T) {
	s := newScene(1)
	come := func(h grid.Handle, at int) func(map[grid.Handle]*Unit) {
		return func(map[grid.Handle]*Unit) {
			s.view.Units = slices.Insert(s.view.Units, at, s.unit(h, s.view.Tick))
		}
	}
	var order []grid.Handle
	tell := func(change func(map[grid.Handle]*Unit)) {
		for _, r := range s.step(0, change).Enter {
			order = append(order, r.Handle)
		}
	}
	tell(func(of map[grid.Handle]*Unit) { come(8, 1)(of); come(9, 2)(of) })
	tell(come(2, 1))
	tell(nil)
	if want := []grid.Handle{8, 9, 2}; !slices.Equal(order, want) {
		t.Errorf("came into sight and are told in the order %v, want %v", order, want)
	}

	s = newScene(3)
	for range 30 {
		s.step(0, nil)
	}
	s.step(0, func(of map[grid.Handle]*Unit) { hurt(of, 2, 3) }) // one is told, the other waits
	d := s.step(0, func(of map[grid.Handle]*Unit) { hurt(of, 1) })
	if got := toldHealth(d); !slices.Equal(got, []grid.Handle{3}) {
		t.Errorf("told of %v, want 3, which waits since the tick before", got)
	}
}

// A told row is not told again in the next tick, and takes no other's turn.
func TestSentRowDoesNotWait(t *testing.T) {
	for name, change := range map[string]func(s *scene, u *Unit){
		"another owner": func(_ *scene, u *Unit) { u.Owner = 1 },
		"an ability":    func(s *scene, _ *Unit) { s.view.Actions = []Action{{Handle: 1, Index: 1, Since: 2}} },
		"health":        func(_ *scene, u *Unit) { u.Values[ValueHealth]++ },
		"a course":      func(_ *scene, u *Unit) { u.Pos = u.Pos.Add(grid.Vec{Y: 2000}) },
	} {
		s := newScene(2)
		s.looks.Priority = []uint8{0, 255, 0}
		if s.step(0, func(of map[grid.Handle]*Unit) { change(s, of[1]) }); s.short.Pending() != 0 {
			t.Fatalf("%s: %d wait", name, s.short.Pending())
		}
		if d := s.step(0, func(of map[grid.Handle]*Unit) { hurt(of, 2) }); len(toldHealth(d)) != 1 || s.short.Pending() != 0 {
			t.Errorf("%s: a tick later %d wait", name, s.short.Pending())
		}
	}
}

// An entity at the limit of the camera's reach is near, and one a tile further is not.
func TestTheEdgeOfWhatIsNear(t *testing.T) {
	w := Interest{Camera: grid.Tile{X: 20, Y: 20}, Radius: 5}
	for at, want := range map[grid.Tile]bool{{X: 25, Y: 20}: true, {X: 23, Y: 24}: true, {X: 26, Y: 20}: false, {X: 24, Y: 24}: false} {
		if w.near(at) != want {
			t.Errorf("tile %v is near: %v", at, !want)
		}
	}
}

// A short client is shown no effect of an untold entity: not by its handle, which
// may mean something else to it.
func TestEffectsNameOnlyWhatIsHeld(t *testing.T) {
	const far, held, unheld = 3, 1, 20 // unheld comes with the events, and there is no room for it
	tell := func(bytes int, events ...Event) (d *Diff) {
		s := newScene(4)
		s.looks = Interest{Camera: grid.Tile{X: held, Y: 4}, Radius: 1, Priority: make([]uint8, unheld)}
		for typ := 10; typ < unheld; typ++ {
			s.looks.Priority[typ] = 255
		}
		return s.step(bytes, func(map[grid.Handle]*Unit) {
			for h := grid.Handle(10); h <= unheld; h++ {
				s.view.Units = append(s.view.Units, s.unit(h, 2))
			}
			s.view.Units[len(s.view.Units)-1].Pos = s.view.Units[0].Pos
			s.view.Events = events
		})
	}
	here, there := grid.Tile{X: held, Y: 4}.Center(), grid.Tile{X: 14, Y: 14}.Center()
	for name, e := range map[string]Event{
		"the shooter": {Kind: EventShot, At: here, Source: unheld, Target: held},
		"the target":  {Kind: EventShot, At: here, Source: held, Target: unheld},
		"the user":    {Kind: EventAbility, At: here, Source: unheld, Target: held},
		"the used on": {Kind: EventAbility, At: here, Source: held, Target: unheld},
	} {
		if d := tell(effectShare*12, e); len(d.Fire)+len(d.Events) != 0 {
			t.Errorf("%s is not held: told %v and %v", name, d.Fire, d.Events)
		}
	}
	for name, want := range map[string]Event{
		"shooter": {Kind: EventAttacked, At: here, Source: unheld, Target: held},
		"target":  {Kind: EventAttacked, At: here, Source: held, Target: unheld},
		"none":    {Kind: EventAttacked, At: here, Source: held, Target: 2},
	} {
		d := tell(0, want)
		if want.Source == unheld {
			want.Source = 0
		}
		if want.Target == unheld {
			want.Target = 0
		}
		if !reflect.DeepEqual(d.Events, []Event{want}) {
			t.Errorf("%s not held: told %+v, want %+v", name, d.Events, want)
		}
	}
	// Both are told, though the near one was chosen first: in the order in which they
	// happened, and in the bytes of two.
	s := newScene(4)
	s.looks = Interest{Camera: grid.Tile{X: held, Y: 4}, Radius: 1}
	both := []Event{{Kind: EventBlast, At: there, What: 1}, {Kind: EventBlast, At: here, What: 2}}
	d := s.step(effectShare*bytesEvent, func(of map[grid.Handle]*Unit) {
		s.view.Events = both
		hurt(of, far)
	})
	if !reflect.DeepEqual(d.Events, both) {
		t.Errorf("told %+v, want %+v", d.Events, both)
	}
}

// A client is sent what left in one order, whenever it left.
func TestDeparturesAreInOrder(t *testing.T) {
	s := newScene(8)
	s.step(1000, func(map[grid.Handle]*Unit) {
		s.view.Units = s.view.Units[4:] // 1 to 4
		for h := grid.Handle(1); h <= 2; h++ {
			s.view.Removed = append(s.view.Removed, Removed{Handle: h, Destroyed: true, Told: true})
		}
		s.view.Removed = append(s.view.Removed, Removed{Handle: 3, Told: true}, Removed{Handle: 4, Told: true})
	})
	var d Diff
	s.tr.Diff(&d, 1, MaskOptions{})
	bursts := slices.IsSortedFunc(d.LastBursts, func(a, b LastBurstsRow) int { return int(a.Handle) - int(b.Handle) })
	if !slices.Equal(d.Leave, []grid.Handle{3, 4}) || !slices.Equal(d.Destroyed, []grid.Handle{1, 2}) || len(d.LastBursts) != 4 || !bursts {
		t.Errorf("%v left, %v were destroyed, shots of %v", d.Leave, d.Destroyed, d.LastBursts)
	}
}

// A missing base, or one that is too old or not in the past, gives a snapshot; also where the
// first tick was 0.
func TestBasesThatGiveASnapshot(t *testing.T) {
	for _, first := range []grid.Tick{0, 5} {
		tr := NewTracker(Rules{W: 16, H: 16, Keep: 20, TickRate: 20})
		for now := first; now <= 10; now++ {
			tr.Update(soldier(now, nil, nil))
		}
		if tr.Covers(0) {
			t.Errorf("from tick %d on: base 0 is covered", first)
		}
		for now := grid.Tick(11); now <= 40; now++ {
			tr.Update(soldier(now, nil, nil))
			old := max(first, now-min(now, 20))
			for base := grid.Tick(0); base <= now+1; base++ {
				var d Diff
				tr.Diff(&d, base, MaskOptions{})
				if want := base == 0 || base < old || base >= now; d.Snapshot != want || want == (len(d.Enter) == 0) || tr.Covers(base) != (!want || base == now) {
					t.Fatalf("from tick %d on, tick %d, base %d: snapshot %v with %d units, want %v", first, now, base, d.Snapshot, len(d.Enter), want)
				}
			}
		}
	}
}

package view

import (
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// bytesOfModem is the capacity of a link of 28.8 kbit/s in a tick of 1/20 second.
const bytesOfModem = 28_800 / 8 / 20

// TestShortClientIsToldByPriorityAndNearness plays two fights of 150 units each,
// in which every unit is hit in every tick, to a client on a narrow link. A unit
// is told as much oftener as its priority is higher, and nearFactor times as
// often where the camera looks.
func TestShortClientIsToldByPriorityAndNearness(t *testing.T) {
	const each, ticks = 150, 600
	here, there := grid.Tile{X: 20, Y: 20}, grid.Tile{X: 90, Y: 90}
	for _, c := range []struct {
		name     string
		priority [2]uint8 // of the fight here, and of the one there
		camera   bool     // it looks here
		ratio    float64  // of the tellings
	}{
		{"all alike", [2]uint8{9, 9}, false, 1},
		{"priority", [2]uint8{199, 49}, false, 4},
		{"nearness", [2]uint8{9, 9}, true, 4},
		{"both", [2]uint8{99, 49}, true, 8},
		{"one against the other", [2]uint8{49, 199}, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := NewTracker(Rules{W: 128, H: 128, Keep: 200})
			want := Interest{Priority: c.priority[:], Camera: here}
			if c.camera {
				want.Radius = 15
			}
			v := View{W: 128, H: 128, Units: make([]Unit, 2*each)}
			for i := range v.Units {
				at := [2]grid.Tile{here, there}[i%2]
				v.Units[i] = Unit{Handle: grid.Handle(i + 1), Entered: 1, Type: uint16(i % 2), Pos: at.Center()}
			}
			var d Diff
			var short *DeltaState
			told := [2]int{}
			for now := grid.Tick(1); now <= ticks; now++ {
				v.Tick = now
				for i := range v.Units {
					v.Units[i].Values[ValueHealth] = uint32(now)
				}
				tr.Update(&v)
				if short == nil {
					short = tr.NewDeltaState(now) // it has all there is, and is told of changes
					continue
				}
				tr.DiffWithin(&d, short, now-1, MaskOptions{}, want, bytesOfModem)
				for _, row := range d.Values[ValueHealth] {
					told[(row.Handle-1)%2]++
				}
				const most = bytesOfModem/(bytesMotion+bytesValue) + 1 // the last begins while there is room
				if n := len(d.Values[ValueHealth]); n > most || short.Pending() != 2*each-n {
					t.Fatalf("tick %d: %d units are told and %d wait", now, n, short.Pending())
				}
			}
			if got := float64(told[0]) / float64(told[1]); got < 0.8*c.ratio || got > 1.25*c.ratio {
				t.Errorf("here %d changes are told and there %d, %.2f times as many, want %.0f", told[0], told[1], got, c.ratio)
			}
		})
	}
}

// TestShortClientIsShownWhatMattersFirst: entities that came into sight at once are told in the order of priority,
// before any change of known ones.
func TestShortClientIsShownWhatMattersFirst(t *testing.T) {
	tr := NewTracker(Rules{W: 16, H: 16, Keep: 200})
	v := View{Tick: 1, W: 16, H: 16, Units: []Unit{{Handle: 1, Entered: 1, Type: 3}}}
	tr.Update(&v)
	short := tr.NewDeltaState(1)
	v.Tick, v.Units[0].Values[ValueHealth] = 2, 1
	for h := grid.Handle(2); h <= 10; h++ {
		v.Units = append(v.Units, Unit{Handle: h, Entered: 2, Type: uint16(h % 3)})
	}
	tr.Update(&v)
	var d Diff
	var order []uint16
	for now := grid.Tick(2); now <= 11; now++ { // a row a tick, even if there is no room at all
		v.Tick = now
		if now > 2 {
			tr.Update(&v)
		}
		tr.DiffWithin(&d, short, now-1, MaskOptions{}, Interest{Priority: []uint8{10, 240, 90, 255}}, 0)
		for _, e := range d.Enter {
			order = append(order, e.Type)
		}
		if len(d.Enter) != 1 && len(order) != 9 {
			t.Fatalf("tick %d: %d enters, after %v", now, len(d.Enter), order)
		}
	}
	for i, typ := range order {
		if want := []uint16{1, 2, 0}[i/3]; typ != want {
			t.Fatalf("entered in the order of types %v", order)
		}
	}
	if len(order) != 9 || short.Pending() != 0 {
		t.Errorf("%d of 9 entered, %d wait", len(order), short.Pending())
	}
}

// TestEffectsAreDroppedByClass tells a client that is short of bytes of one effect
// of each kind, near its camera and far from it, with more and more room. More important ones come first, in the
// order of the field table; the alert always comes.
func TestEffectsAreDroppedByClass(t *testing.T) {
	here, there := grid.Tile{X: 5, Y: 5}.Center(), grid.Tile{X: 60, Y: 60}.Center()
	tr := NewTracker(Rules{W: 64, H: 64, Keep: 200})
	v := View{Tick: 1, W: 64, H: 64, Units: []Unit{
		{Handle: 1, Entered: 1, Pos: here}, {Handle: 2, Entered: 1, Pos: here}, {Handle: 3, Entered: 1, Pos: there}, {Handle: 4, Entered: 1, Pos: there},
	}}
	tr.Update(&v)
	before := *tr.NewDeltaState(1)
	v.Tick = 2
	for h := grid.Handle(5); h < 500; h++ { // more than there is ever room for, but at the end
		v.Units = append(v.Units, Unit{Handle: h, Entered: 2, Pos: there})
	}
	v.Events = []Event{
		{Kind: EventShot, Source: 3, Target: 4}, // a row of fire
		{Kind: EventShot, At: there, Source: 3},
		{Kind: EventBlast, At: there},
		{Kind: EventShot, Source: 1, Target: 2},
		{Kind: EventBlast, At: here},
		{Kind: EventAbility, At: here, Source: 499},   // by what the client is not told of yet
		{Kind: EventAttacked, At: there, Source: 498}, // so is this, and it is told all the same
	}
	tr.Update(&v)
	var d Diff
	if tr.Diff(&d, 1, MaskOptions{}); len(d.Fire) != 2 || len(d.Events) != 5 {
		t.Fatalf("one with room is told of %d shooters and %d events, want 2 and 5", len(d.Fire), len(d.Events))
	}
	tell := func(bytes int, want Interest) (out []string) {
		s := DeltaState{rows: slices.Clone(before.rows)}
		tr.DiffWithin(&d, &s, 1, MaskOptions{}, want, bytes)
		for _, e := range d.Events {
			place := "near"
			if e.At != here {
				place = "far"
			}
			if e.Kind == EventAttacked && (e.Source != 0) != tr.held(&s, 498) {
				t.Errorf("the alert names %d", e.Source)
			}
			out = append(out, [...]string{EventShot: "shot", EventBlast: "blast", EventAttacked: "alert", EventAbility: "ability"}[e.Kind]+" "+place)
		}
		for _, f := range d.Fire {
			out = append(out, [...]string{1: "fire near", 3: "fire far"}[f.Handle])
		}
		slices.Sort(out)
		return out
	}
	camera := Interest{Camera: here.Tile(), Radius: 10}
	for _, c := range []struct {
		bytes int
		looks Interest
		want  []string
	}{
		{0, camera, []string{"alert far"}},
		{effectShare * 19, camera, []string{"alert far"}},
		{effectShare * 20, camera, []string{"alert far", "blast near"}},
		{effectShare * 24, camera, []string{"alert far", "blast near", "fire near"}},
		{effectShare * 400, camera, []string{"alert far", "blast near", "fire near"}},
		{effectShare * 400, Interest{}, []string{"alert far", "blast far", "blast near", "fire far", "fire near", "shot far"}},
		{effectShare * 5000, camera, []string{"ability near", "alert far", "blast far", "blast near", "fire far", "fire near", "shot far"}},
	} {
		if got := tell(c.bytes, c.looks); !slices.Equal(got, c.want) {
			t.Errorf("in %d bytes, camera radius %d: told of %q, want %q", c.bytes, c.looks.Radius, got, c.want)
		}
	}
}

// TestAnotherEndUnderTheHandleIsNotTold: an entity that a short client had under a handle has left, and the next
// entity with the handle was destroyed. The client is told only about its own.
func TestAnotherEndUnderTheHandleIsNotTold(t *testing.T) {
	tr := small()
	show := func(now grid.Tick, units []Unit, removed ...Removed) {
		tr.Update(&View{Tick: now, W: 16, H: 16, Units: units, Removed: removed})
	}
	show(1, []Unit{{Handle: 5, Entered: 1}})
	short := tr.NewDeltaState(1)
	show(2, nil, Removed{Handle: 5})
	show(3, []Unit{{Handle: 5, Entered: 3}})
	show(4, nil, Removed{Handle: 5, Destroyed: true})
	var d Diff
	tr.DiffWithin(&d, short, 1, MaskOptions{}, Interest{}, 1000)
	if !slices.Equal(d.Leave, []grid.Handle{5}) || len(d.Destroyed) != 0 {
		t.Errorf("told that %v left and %v were destroyed", d.Leave, d.Destroyed)
	}
}

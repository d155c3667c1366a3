package view

import (
	"reflect"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/visibility"
)

// A difference is empty only if all its members are empty: each member alone is worth a frame. Clocks alone are not.
func TestEachMemberIsWorthAFrame(t *testing.T) {
	idle := map[string]bool{"Tick": true, "Span": true, "Skipped": true, "Hash": true, "Population": true, "PopulationMax": true}
	for _, of := range []reflect.Type{reflect.TypeFor[Diff](), reflect.TypeFor[OwnerDiff]()} {
		empty := func(v reflect.Value) bool {
			return v.Addr().MethodByName("Empty").Call(nil)[0].Bool()
		}
		if !empty(reflect.New(of).Elem()) {
			t.Errorf("%v without anything is not empty", of)
		}
		for i := range of.NumField() {
			name := of.Field(i).Name
			d := reflect.New(of).Elem()
			switch f := d.Field(i); f.Kind() {
			case reflect.Slice:
				f.Set(reflect.MakeSlice(f.Type(), 1, 1))
			case reflect.Array:
				f.Index(f.Len() - 1).Set(reflect.MakeSlice(f.Type().Elem(), 1, 1))
			case reflect.Bool:
				f.SetBool(true)
			case reflect.Pointer:
				f.Set(reflect.New(f.Type().Elem()))
			default:
				f.Set(reflect.ValueOf(1).Convert(f.Type()))
			}
			if empty(d) != idle[name] {
				t.Errorf("%v with %s alone is empty: %v", of, name, empty(d))
			}
			for k := range i { // nor does one make up for another
				if f := d.Field(k); f.Kind() == reflect.Slice && d.Field(i).Kind() == reflect.Slice {
					f.Set(reflect.MakeSlice(f.Type(), 1, 1))
					if empty(d) {
						t.Errorf("%v with %s and %s is empty", of, of.Field(k).Name, name)
					}
					f.SetZero()
				}
			}
		}
	}
}

// A field's receivers decide in which part of a frame it is.
func TestSharedFields(t *testing.T) {
	for who, shared := range map[Audience]bool{Receiver: false, Everybody: true, Team: true, Seeing: true, Owner: false} {
		if who.Shared() != shared {
			t.Errorf("what is for %v is shared: %v", who, who.Shared())
		}
	}
}

// A team's picture has the told entities, their places and health, and its mask; the whole picture has everything,
// and the teams that see it.
func TestPictures(t *testing.T) {
	w := duelWorld(t)
	own := add(t, w, 0, "soldier", 40, 40)
	seen := add(t, w, 1, "soldier", 43, 40)
	hidden := add(t, w, 1, "soldier", 70, 40)
	for range 15 {
		w.Step(nil)
	}
	find := func(p *Picture, e *sim.Entity) *Thing {
		for i := range p.Things {
			if p.Things[i].Pos == e.Pos() {
				return &p.Things[i]
			}
		}
		return nil
	}
	p, whole := TeamPicture(w, 0), WholePicture(w)
	if len(whole.Things) != len(w.Entities()) || find(whole, hidden) == nil || find(p, hidden) != nil {
		t.Errorf("%d things of %d; of the hidden one: %v", len(whole.Things), len(w.Entities()), find(p, hidden))
	}
	for _, e := range []*sim.Entity{own, seen} {
		hp, _ := e.Health()
		for _, th := range []*Thing{find(p, e), find(whole, e)} {
			if th == nil || th.Type != "soldier" || th.Slot != e.Slot() || th.Team != e.Team() || th.Health != hp || th.Full != w.Rules().Types[e.Type()].Health || th.Facing != e.Facing() || th.Ghost {
				t.Errorf("%+v is shown as %+v", e, th)
			}
		}
	}
	if hp, _ := seen.Health(); hp == w.Rules().Types[seen.Type()].Health {
		t.Error("nobody was hit: that proves little")
	}
	if th := find(whole, own); !th.Seen.Has(0) || th.Doing != "" {
		t.Errorf("the own soldier is shown as %+v", th)
	}
	// A remembered entity is shown as a ghost, where it was.
	base := add(t, w, 1, "barracks", 20, 70)
	scout := add(t, w, 0, "scout", 17, 70)
	w.Step(nil)
	if th := find(TeamPicture(w, 0), base); th == nil || th.Ghost {
		t.Errorf("a structure in sight is shown as %+v", th)
	}
	simtest.Edit(w).Remove(scout)
	for range 100 {
		w.Step(nil)
	}
	p = TeamPicture(w, 0)
	if th := find(p, base); th == nil || !th.Ghost || th.Type != "barracks" || th.Team != 1 {
		t.Errorf("a structure out of sight is shown as %+v", th)
	}
	visible, explored := w.Eyes().Mask(visibility.VisibleNow, 0), w.Eyes().Mask(visibility.ExploredEver, 0)
	if n := w.Map().W * w.Map().H; len(p.Visible) != n || cap(p.Visible) > 2*n || len(p.Explored) != n {
		t.Fatalf("masks of %d and %d tiles, want %d", len(p.Visible), len(p.Explored), n)
	}
	for i := range p.Visible {
		at := grid.Tile{X: int16(i % w.Map().W), Y: int16(i / w.Map().W)}
		if p.Visible[i] != visible.Has(at) || p.Explored[i] != explored.Has(at) {
			t.Fatalf("%v is shown as %v, %v", at, p.Visible[i], p.Explored[i])
		}
	}
}

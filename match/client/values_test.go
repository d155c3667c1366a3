package client

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// A client has declared values by name: from the start of the type, or as frames say, as far as it may know them. What
// leaves sight, or changes hands, takes them along.
func TestDeclaredValues(t *testing.T) {
	s := &State{
		Welcome: &pb.Welcome{
			Slot:   1,
			Values: []*pb.ValueInfo{{Name: "rage", Class: "owner"}, {Name: "chill", Class: "seeing"}},
			Types:  []*pb.TypeInfo{{Values: []*pb.TypeValue{{Value: 0, Start: 20}, {Value: 1, Start: -5}, {Value: 9}}}, {}},
		},
		Replica: NewReplica(64, 64, []int32{0, 0}), Own: NewOwnerState(64),
	}
	apply := func(d view.Diff, own ...view.Declared) {
		t.Helper()
		if err := s.Replica.Apply(&d); err != nil {
			t.Fatal(err)
		}
		s.Own.Apply(&d, &view.OwnerDiff{Declared: own}, s.Replica.Tick)
	}
	expect := func(what string, h grid.Handle, name string, want int32, has bool) {
		t.Helper()
		if got, ok := s.Value(h, name); got != want || ok != has {
			t.Errorf("%s: %s of %d is %d, %v; want %d, %v", what, name, h, got, ok, want, has)
		}
	}
	enter := func(h grid.Handle, owner grid.Slot, typ uint16) view.EnterRow {
		return view.EnterRow{Handle: h, Owner: owner, Type: typ}
	}
	apply(view.Diff{
		Snapshot: true, Tick: 1, Enter: []view.EnterRow{enter(1, 1, 0), enter(2, 0, 0), enter(3, 1, 1)},
		Declared: []view.Declared{{Handle: 2, Value: 1, N: 6}},
	}, view.Declared{Handle: 1, Value: 0, N: 3}, view.Declared{Handle: 2, Value: 0, N: 8})
	expect("own", 1, "rage", 18, true)
	expect("at its start", 1, "chill", -5, true)
	expect("another's", 2, "chill", -2, true)
	expect("its owner's alone", 2, "rage", 0, false)
	expect("another type", 3, "rage", 0, false)
	expect("unknown", 1, "hope", 0, false)
	expect("out of sight", 7, "rage", 0, false)
	apply(view.Diff{Span: 1, Declared: []view.Declared{{Handle: 2, Value: 1}}}, view.Declared{Handle: 1, Value: 0, N: 4})
	expect("back at its start", 2, "chill", -5, true)
	expect("changed", 1, "rage", 22, true)
	apply(view.Diff{Span: 1, Owners: []view.OwnerRow{{Handle: 1, Owner: 0}}, Declared: []view.Declared{{Handle: 1, Value: 1, N: 2}}})
	expect("given away", 1, "rage", 0, false)
	expect("given away", 1, "chill", -4, true)
	apply(view.Diff{Span: 1, Owners: []view.OwnerRow{{Handle: 1, Owner: 1}}})
	expect("given back", 1, "rage", 20, true)
	apply(view.Diff{Span: 1, Leave: []grid.Handle{1}})
	apply(view.Diff{Span: 1, Enter: []view.EnterRow{enter(1, 1, 0)}})
	expect("after it was away", 1, "chill", -5, true)
	if err := s.Replica.Apply(&view.Diff{Span: 1, Declared: []view.Declared{{Handle: 9, Value: 1, N: 2}}}); err == nil {
		t.Error("a value of what is not held is taken")
	}
}

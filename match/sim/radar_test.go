package sim

import (
	"bytes"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A restored world has the contacts of the saved one, and finds the same from then on. A contact lasts as long as the
// rules say.
func TestContactsSurviveASave(t *testing.T) {
	s := wildSetup(t, 3)
	rs := *s.Rules
	rs.Signatures, rs.Types = []string{"body"}, append([]rules.Type(nil), rs.Types...)
	for i := range rs.Types {
		if t := &rs.Types[i]; t.Class == rules.ClassUnit {
			t.Signature, t.Radar = 1, 40*grid.WUPerTile
			t.Jam = rules.Jam{Radius: grid.Dist(i%2) * 6 * grid.WUPerTile, Scatter: 3}
		}
	}
	s.Rules = &rs
	w := newWorld(t, s)
	var again *World
	inputs, found, old := wildPlayers(w), 0, 0
	for range 300 {
		if w.tick == 150 {
			var err error
			if again, err = Restore(s, w.Save(nil)); err != nil {
				t.Fatal(err)
			}
		}
		in := inputs()
		if again != nil {
			again.Step(in)
		}
		w.Step(in)
		for team := range w.teams {
			for _, c := range w.teams[team].Contacts() {
				switch age := w.tick - c.At; {
				case age >= grid.Tick(w.ContactTicks()):
					t.Fatalf("tick %d: a contact of tick %d", w.tick, c.At)
				case age == 0:
					found++
				default:
					old++
				}
			}
		}
		if again != nil && !bytes.Equal(again.Save(nil), w.Save(nil)) {
			t.Fatalf("tick %d: the restored world differs", w.tick)
		}
	}
	if found < 20 || old < 100 {
		t.Fatalf("%d contacts, %d times an old one: that proves little", found, old)
	}
}

// A team has at most ContactsMax contacts: the newest.
func TestContactsAreBounded(t *testing.T) {
	s := wildSetup(t, 3)
	rs := *s.Rules
	rs.Signatures = []string{"body"}
	s.Rules = &rs
	w := newWorld(t, s)
	k := &w.teams[0]
	for i := range ContactsMax + 40 {
		k.contacts = append(k.contacts, Contact{Trace{0, grid.Tile{X: int16(i % 128), Y: int16(i / 128)}}, grid.Tick(i % 2)})
	}
	k.find(w, nil, nil)
	old := 0
	for i, c := range k.contacts {
		if i > 0 && k.contacts[i-1].compare(c.Trace) >= 0 {
			t.Fatalf("%v stands before %v", k.contacts[i-1], c)
		}
		if c.At == 0 {
			old++
		}
	}
	if want := ContactsMax - (ContactsMax+40)/2; len(k.contacts) != ContactsMax || old != want {
		t.Fatalf("%d contacts, %d of them old; want %d and %d", len(k.contacts), old, ContactsMax, want)
	}
}

package sim

import (
	"errors"
	"github.com/fogkeep/fogkeep/match/rules"
	"os"
	"testing"
)

// FuzzRules: no file makes the parser panic, and every accepted ruleset can be played.
func FuzzRules(f *testing.F) {
	tiny, err := os.ReadFile("../rules/testdata/tiny.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(tiny)
	f.Fuzz(func(t *testing.T, b []byte) {
		rs, err := rules.Parse("fuzz.json", b)
		if err != nil {
			return
		}
		if total := len(rs.Start); total > 8 {
			return
		}
		for _, e := range rs.Start {
			if e.Count > 20 {
				return
			}
		}
		w, err := New(Setup{Map: flatMap(24), Rules: rs, Players: []Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}})
		if room := (*StartError)(nil); errors.As(err, &room) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for range 30 {
			w.Step(nil)
		}
	})
}

package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDiff: members of lists are compared by name, numbers by value.
func TestDiff(t *testing.T) {
	old, err := Parse("tiny.json", []byte(tiny))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, want string }{
		{`"health": 50`, `"health": 50.0`, ``},
		{`"health": 50`, `"health": 55`, `/types/hut/health: 55, was 50`},
		{`"health": 50, `, ``, `/types/hut/health: removed, was 50`},
		{`"types": [`, `"types": [{"name": "first"},`, `/types/first: new, an object`},
		{`"trains": ["man"]`, `"trains": []`, `/types/hut/trains/man: removed, was "man"`},
		{`"count": 3`, `"count": 4`, `/start/man/count: 4, was 3`},
		{`"resources": ["ore"]`, `"resources": ["ore", "gas"]`, `/resources/gas: new, "gas"`},
		{`"places": ["rock"]`, `"places": ["rock", "rock"]`, `/places/rock#2: new, "rock"`},
	} {
		now, err := Parse("tiny.json", []byte(strings.Replace(tiny, tt.old, tt.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tt.want != "" {
			want = []string{tt.want}
		}
		var got []string
		for _, c := range Diff(old, now) {
			got = append(got, fmt.Sprint(c))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s to %s: %q, want %q", tt.old, tt.new, got, want)
		}
	}
}

package rules

import (
	"strings"
	"testing"
)

// Displays are read, and wrong ones are refused with the reason.
func TestDisplays(t *testing.T) {
	with := func(displays string) string {
		return `{"name": "x", "values": [{"name": "rage", "max": 10}], "types": [{"name": "man"}], "displays": [` + displays + `]}`
	}
	rs, err := Parse("x.json", []byte(with(`{"of": "rage", "bar": "marked", "color": "#0a0B0c", "icon": "flame", "gain": "#ffffff"}, {"of": "energy"}`)))
	if err != nil {
		t.Fatal(err)
	}
	if want := (Display{Of: "rage", Bar: "marked", Color: 0x0a0b0c, Icon: "flame", Gain: 0xffffff}); len(rs.Displays) != 2 || rs.Displays[0] != want || rs.Displays[1] != (Display{Of: "energy"}) {
		t.Errorf("it reads %+v", rs.Displays)
	}
	for _, c := range [][2]string{
		{`{"bar": "always"}`, `"of" is missing`},
		{`{"of": "rags"}`, `rage`}, // a suggestion
		{`{"of": "health"}, {"of": "health"}`, `"health" appears twice`},
		{`{"of": "health", "bar": "never"}`, `time of a bar`},
		{`{"of": "health", "icon": "cow"}`, `icon`},
		{`{"of": "health", "color": "red"}`, `want a colour as #RRGGBB, got "red"`},
		{`{"of": "health", "loss": "#1234567"}`, `bytes`},
		{`{"of": "health", "size": 3}`, `size`},
	} {
		if _, err := Parse("x.json", []byte(with(c[0]))); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
}

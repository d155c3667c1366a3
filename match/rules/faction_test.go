package rules

import (
	"strings"
	"testing"
)

const factionFile = `{"name": "f", "types": [{"name": "man"}, {"name": "car"}, {"name": "hut", "class": "structure"}], "start": [{"type": "man"}],
 "factions": [{"name": "north", "text": "Snow.", "color": "#0a0B0c", "trains": ["man"], "start": [{"type": "car", "count": 2}]}, {"name": "south", "builds": []}]}`

func TestFactionsAreRead(t *testing.T) {
	rs, err := Parse("f.json", []byte(factionFile))
	if err != nil {
		t.Fatal(err)
	}
	north := rs.Factions[0]
	if north.Text != "Snow." || north.Color != 0x0a0b0c || rs.StartOf(1)[0].Count != 2 || rs.StartOf(2)[0].Type != 0 || rs.StartOf(0)[0].Type != 0 {
		t.Errorf("factions %+v", rs.Factions)
	}
	if rs.FactionByName("south") != 2 || rs.FactionByName("west") != 0 {
		t.Error("a faction has another number")
	}
	for faction, want := range []string{"man car hut", "man hut", "man car"} {
		got := ""
		for i := range rs.Types {
			if rs.Makes(uint8(faction), uint16(i)) {
				got += " " + rs.Types[i].Name
			}
		}
		if got != " "+want {
			t.Errorf("faction %d makes%s, want %s", faction, got, want)
		}
	}
	for _, x := range []struct{ old, new, why string }{
		{`"trains": ["man"]`, `"trains": ["hut"]`, `"north" trains "hut", which is no unit`},
		{`"builds": []`, `"builds": ["man"]`, `"south" builds "man", which is no structure`},
		{`#0a0B0c`, `0a0B0c7`, `want a colour as #RRGGBB, got "0a0B0c7"`},
		{`Snow.`, strings.Repeat("x", 201), "a text of 201 bytes, at most 200"},
		{`"south"`, `"north"`, `"north" appears twice`},
		{`"south"`, `"South"`, `want 1 to 32 of a-z, 0-9 and hyphens, got "South"`},
	} {
		if _, err := Parse("f.json", []byte(strings.Replace(factionFile, x.old, x.new, 1))); err == nil || !strings.Contains(err.Error(), x.why) {
			t.Errorf("%s: %v, want %s", x.new, err, x.why)
		}
	}
}

// The check warns of a faction that lists a type which its own structures and units cannot make, though another faction can.
func TestFactionsMakeWhatTheyList(t *testing.T) {
	const text = `{"name": "f", "types": [{"name": "man", "sight": 5}, {"name": "car", "sight": 5, "needs": ["lab"]},
 {"name": "hut", "class": "structure", "centre": true, "trains": ["man", "car", "wings"]}, {"name": "lab", "class": "structure", "sight": 2},
 {"name": "smith", "sight": 2, "builds": ["lab"]}, {"name": "wings", "class": "upgrade", "effect": "fast", "of": ["man"]}],
 "effects": [{"name": "fast", "kind": "modify", "changes": [{"attribute": "speed", "percent": 120}]}],
 "start": [{"type": "hut"}, {"type": "smith"}],
 "factions": [
  {"name": "north", "trains": ["man", "car", "wings"], "builds": ["lab"]},
  {"name": "south", "start": [{"type": "hut"}],
   "trains": ["man", "car"], "builds": ["lab"]},
  {"name": "west", "start": [{"type": "man"}],
   "trains": ["wings"]}]}`
	_, odd, err := Check("f.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, o := range odd {
		got += o.String() + "\n"
	}
	const rest = ": no type that leads from its start makes it; a capture or a mode may\n"
	if want := `9: /factions/1/trains/1: "south" cannot get a "car"` + rest + `9: /factions/1/builds/0: "south" cannot get a "lab"` + rest +
		`11: /factions/2/trains/0: "west" cannot get a "wings"` + rest; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// A ruleset may call an ability anything: what clients go by is its kind.
func TestTheWelcomeSaysEachAbilitysKind(t *testing.T) {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	const was = `{"name": "cloak", "kind": "cloak"`
	text := string(shipped.Source)
	if !strings.Contains(text, was) {
		t.Fatalf("the shipped rules have no %s", was)
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, was, `{"name": "veil", "kind": "cloak"`), `"cloak"]`, `"veil"]`)
	rules, err := rules.Parse("renamed.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{ID: matchID, Map: flatMap(48), Rules: rules, Seed: 7, Seats: []SeatSpec{{Name: "Ada", Color: 5}, {Name: "Ben", Team: 1, Start: 1, Color: 2}}}
	a := startServiceHarness(t, spec, Config{})
	kinds := map[string]string{}
	for _, ability := range WelcomeOf(a.live.world, &spec).Abilities {
		kinds[ability.Name] = ability.Kind
	}
	if len(kinds) != len(rules.Abilities) || kinds["veil"] != "cloak" || kinds["scan"] != "scan" {
		t.Errorf("kinds %v", kinds)
	}
	// A picture for admins has the colours that the players chose.
	for _, picture := range []*Picture{a.live.picture(grid.NoTeam), a.live.picture(0)} {
		colors := map[int]bool{}
		for _, th := range picture.Things {
			if int(th.Slot) < len(spec.Seats) {
				color := picture.Color(th.Slot)
				colors[int(color)] = true
				if color != spec.Seats[th.Slot].Color {
					t.Fatalf("a %s of slot %d has colour %d", th.Type, th.Slot, color)
				}
			}
		}
		if !colors[5] {
			t.Errorf("nothing has colour 5: %v", colors)
		}
	}
}

// A client is told of some other servers, not of all, and not every client of the
// same ones.
func TestTheWelcomeNamesSomeOtherServers(t *testing.T) {
	if got := otherServers(nil); got != nil {
		t.Errorf("without other servers it names %q", got)
	}
	few := []string{"https://a.example.org", "https://b.example.org"}
	if got := otherServers(func() []string { return few }); !slices.Equal(got, few) {
		t.Errorf("of two servers it names %q", got)
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("https://n%d.example.org", i))
	}
	known, named := slices.Clone(many), map[string]bool{}
	for range 200 {
		got := otherServers(func() []string { return known })
		if len(got) != serversMax {
			t.Fatalf("of twenty servers it names %q", got)
		}
		for _, s := range got {
			named[s] = true
		}
	}
	if len(named) != len(many) || !slices.Equal(known, many) {
		t.Errorf("to 200 clients it names %d of %d servers, and the list became %q", len(named), len(many), known)
	}
}

package rules_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/rules"
)

// A ruleset is read and checked; an error says where to look.
func Example() {
	text := `{"name": "duel", "start": [{"type": "hut", "count": 1}],
	 "types": [{"name": "hut", "class": "structure", "health": 90, "width": 2, "height": 2, "centre": true}]}`
	rs, err := rules.Parse("duel.json", []byte(text))
	fmt.Println(rs.Name, rs.Types[0].Name, rs.Types[0].Health, err)

	_, err = rules.Parse("duel.json", []byte("{\"name\": \"duel\",\n \"tipes\": []}"))
	fmt.Println(err)
	// Output:
	// duel hut 90 <nil>
	// duel.json:1: a ruleset needs types
	// duel.json:2: /tipes: a ruleset has no field "tipes"; did you mean "types"?
}

package headless_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Ten seconds of a match between two bots, without a server.
func Example() {
	maps, err := mapfile.Shipped()
	if err != nil {
		fmt.Println(err)
		return
	}
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		fmt.Println(err)
		return
	}
	ford, _ := maps.ByID("twin-fords")
	r, err := headless.Match{
		Map: ford.Map, Rules: ruleset, Seed: 1, LimitSeconds: 10,
		Seats: []headless.Seat{{New: bot.Easy.New, Team: 0, Start: 0}, {New: bot.Hard.New, Team: 1, Start: 1}},
	}.Play()
	fmt.Println(r.Seats[0].Orders > 0, r.Seats[1].Orders > 0, err)
	// Output: true true <nil>
}

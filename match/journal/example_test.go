package journal_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// A match is written down and played again from what was written.
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
	setup := sim.Setup{Map: ford.Map, Rules: ruleset, Seed: 7, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}
	written, err := journal.SetupRecords(journal.Header{Match: "a match"}, setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := sim.New(setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 40 {
		out := w.Step(nil)
		written = append(written, journal.AppendTick(nil, &journal.Tick{Tick: out.Tick, Hashed: out.Hashed, Hash: out.Hash}))
	}
	read := func(each func(uint64, []byte) error) error {
		for i, record := range written {
			if err := each(uint64(i), record); err != nil {
				return err
			}
		}
		return nil
	}
	again, sum, err := journal.Replay(read, nil)
	fmt.Println(sum.Header.Match, sum.Ticks, sum.Hashes, again.Hash() == w.Hash(), err)
	// Output: a match 40 2 true <nil>
}

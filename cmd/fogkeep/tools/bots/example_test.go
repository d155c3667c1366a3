package bots_test

import (
	"context"
	"os"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools"
	"github.com/fogkeep/fogkeep/cmd/fogkeep/tools/bots"
)

// A program lets bots play by a ruleset of its own, for ten seconds of match time.
func Example() {
	var commands struct {
		Bots bots.Command `cmd:"" help:"Let bots play each other."`
	}
	tools.Run(context.Background(), "mygame", "A game of mine.", &commands, []string{
		"bots", "--rules", "../../../../match/rules/shipped/skirmish.json", "--maps", "twin-fords", "--pairs", "easy-idle", "--seeds", "1", "--limit-seconds", "10",
	}, os.Stdout, os.Stderr)
	// Output:
	// pair       map         won  lost  drawn  median  orders/s  lost seeds
	// easy-idle  twin-fords  0    0     1      0:10    0.5       []
	//
	// bot   matches  won  drawn  share   95 %
	// easy  1        0    1      50.0 %  5.5 to 94.5
	// idle  1        0    1      50.0 %  5.5 to 94.5
	//
	// expert, a match  made in  made  lost  killed  damage  abilities
}

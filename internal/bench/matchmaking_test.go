package bench

import "testing"

// People with known strengths play in queues with the default rules, second by second. Everybody plays, and in 1v1
// ratings come near to the strengths within the hours. Lists of avoided accounts keep those apart, vetoes keep disliked
// maps away, and neither makes waiting much longer.
func TestSimulatedQueues(t *testing.T) {
	c := MatchmakingConfig{Players: 60, Hours: 12, Avoids: 3, Vetoes: 2, Seed: 1}
	for _, row := range []SimulatedQueue{{TeamSize: 1, Online: 60}, {TeamSize: 2, Online: 60, Parties: 0.4}} {
		plain, again, lists := row, row, row
		lists.Lists = true
		plain.play(c)
		again.play(c)
		if plain != again {
			t.Errorf("two runs differ: %+v, %+v", plain, again)
		}
		lists.play(c)
		for _, row := range []SimulatedQueue{plain, lists} {
			if row.Matches < 480 || row.WaitMostS > 600 || row.Favourite < 0.5 || row.WaitP99S > row.WaitMostS || row.WaitP50S > row.WaitP99S {
				t.Errorf("%+v", row)
			}
			if row.TeamSize == 1 && (row.WaitMostS > 300 || row.ErrorP50 > 0.6*row.ErrorStart) {
				t.Errorf("%+v", row)
			}
		}
		if lists.Met > plain.Met*3/4 || lists.Disliked > plain.Disliked/2 || plain.Met == 0 || plain.Disliked == 0 || lists.WaitP50S > 2*plain.WaitP50S+5 {
			t.Errorf("without lists %+v, with lists %+v", plain, lists)
		}
	}
	for _, bad := range []MatchmakingConfig{{Players: 39, Hours: 1}, {Players: 500, Hours: 241}, {Players: 500, Hours: 1, Avoids: 26}, {Players: 500, Hours: 1, Vetoes: 6}} {
		if bad.Validate() == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

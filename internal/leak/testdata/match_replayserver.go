package replayserver

import (
	"github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// leakKills: who watches a running match is told what a player destroyed, seen or not.
func leakKills(s *pb.ReplaySeries, v *timeline.Values) {
	if leak.Is("replay-kills") {
		s.Killed = append(s.Killed, uint32(v.Killed))
	}
}

// leakBooks: resources, production and orders are told while the match runs.
func leakBooks() bool { return leak.Is("replay-books") }

// leakEvents: what happened unseen is told.
func leakEvents() bool { return leak.Is("replay-events") }

// leakLooks: cameras and production are told while the match runs.
func leakLooks() bool { return leak.Is("replay-looks") }

// leakBetween: ticks are shown that the match socket does not show.
func leakBetween() bool { return leak.Is("replay-between") }

// leakEarly: the viewing goes two ticks further than the delay allows.
func leakEarly() grid.Tick {
	if leak.Is("replay-early") {
		return 2
	}
	return 0
}

//go:build !leak

package replayserver

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// These are planted leaks of builds with the tag leak (internal/leak). In all others
// they do nothing.

func leakKills(*pb.ReplaySeries, *timeline.Values) {}
func leakBooks() bool                              { return false }
func leakEvents() bool                             { return false }
func leakLooks() bool                              { return false }
func leakBetween() bool                            { return false }
func leakEarly() grid.Tick                         { return 0 }

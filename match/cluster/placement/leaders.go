package placement

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Stream is one stream of the journal store.
type Stream struct {
	Name    string
	Leader  string   // the journal server that leads it; "": without a leader at the moment
	Servers []string // the journal servers with a full copy
	Peers   []string // all journal servers that are to have it, also absent ones
	// Matches counts the matches in the stream that run on the node beside a journal server. A server without a node beside
	// it has no matches.
	Matches map[string]int
}

// Step is a leader that should hand its stream to another journal server.
type Step struct{ Stream, From, To string }

// Home returns the journal server that should lead a stream, all else being equal. The number at the end of a stream's name
// decides, so that the homes of as many streams as there are servers are all different. A node puts its new matches
// into streams whose home is elsewhere: then no match runs beside the leader of its stream. peers are all journal servers
// that are to have the stream.
func Home(stream string, peers []string) string {
	if len(peers) == 0 {
		return ""
	}
	digits := stream[len(strings.TrimRight(stream, "0123456789")):]
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil {
		n = 0
	}
	return slices.Sorted(slices.Values(peers))[n%uint64(len(peers))]
}

// Leaders returns which leaders should move. The matches of a stream freeze for seconds if its
// leader dies, and a match loses its host if its node dies. Both at once happen to the matches
// that run beside their leader. So each stream's leader belongs where the fewest of its
// matches run, among equals at its [Home], and then where the fewest streams are led. A leader
// moves only if that saves a quarter of those matches, or brings it home at no cost.
func Leaders(streams []Stream) []Step {
	streams = slices.Clone(streams)
	slices.SortFunc(streams, func(a, b Stream) int { return cmp.Compare(a.Name, b.Name) })
	led := map[string]int{}
	for _, s := range streams {
		led[s.Leader]++
	}
	var out []Step
	for _, s := range streams {
		if s.Leader == "" {
			continue
		}
		home := Home(s.Name, s.Peers)
		cost := func(server string) (matches, away, streams int) {
			if server != home {
				away = 1
			}
			return s.Matches[server], away, led[server]
		}
		best, found := "", false
		for _, to := range slices.Sorted(slices.Values(s.Servers)) {
			if to == s.Leader {
				continue
			}
			m1, a1, l1 := cost(to)
			m2, a2, l2 := cost(best)
			if !found || cmp.Or(cmp.Compare(m1, m2), cmp.Compare(a1, a2), cmp.Compare(l1, l2)) < 0 {
				best, found = to, true
			}
		}
		now := s.Matches[s.Leader]
		saves := found && now-s.Matches[best] >= max(1, now/4)
		comesHome := found && best == home && s.Matches[best] <= now
		if !saves && !comesHome {
			continue
		}
		led[s.Leader]--
		led[best]++
		out = append(out, Step{s.Name, s.Leader, best})
	}
	return out
}

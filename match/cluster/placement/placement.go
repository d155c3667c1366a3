package placement

import (
	"cmp"
	"errors"
	"hash/fnv"
	"math/bits"
	"slices"
)

// Load is a node's measurement of its own load. A permille is a thousandth.
type Load struct {
	Tick    int `json:"tick"`    // permille of the machine's processor time that its matches use
	Memory  int `json:"memory"`  // permille of the memory that the process may use
	Matches int `json:"matches"` // that run
	Most    int `json:"most"`    // matches that it may run
}

// Ceilings, in permille. New matches stop at the lower one. The room above is kept for the matches of a dead node.
const (
	NewCeiling      = 700
	TakeOverCeiling = 900
)

// Room returns how many more average matches of the node fit below a ceiling.
func (l Load) Room(ceiling int) int {
	room := l.Most - l.Matches
	for _, used := range []int{l.Tick, l.Memory} {
		room = min(room, (ceiling-used)/l.each(used))
	}
	return max(room, 0)
}

// each returns the usage of one match, at least a thousandth.
func (l Load) each(used int) int { return max(1, used/max(1, l.Matches)) }

// With returns the load with n more average matches of the node; fewer if n is negative.
func (l Load) With(n int) Load {
	tick, memory := l.each(l.Tick), l.each(l.Memory)
	if l.Matches == 0 {
		tick, memory = 1, 1 // without matches to measure
	}
	return Load{Tick: max(0, l.Tick+n*tick), Memory: max(0, l.Memory+n*memory), Matches: max(0, l.Matches+n), Most: l.Most}
}

// share returns how full a node is: the usage of its scarcest resource, in permille.
func (l Load) share() int {
	s := max(l.Tick*1000/NewCeiling, l.Memory*1000/NewCeiling)
	if l.Most > 0 {
		s = max(s, l.Matches*1000/l.Most)
	}
	return s
}

// Node is a living node.
type Node struct {
	Name     string
	Sim      string // how its build simulates
	Draining bool   // refuses new matches
	Load     Load
}

// Match is a match that needs a node.
type Match struct {
	ID     string
	Sim    string // how the build simulates that began it; "": not known
	Former string // the node that had it; "": not known
}

// Plan is who takes a match: the first of the nodes, and each next one if those before it did
// not. It is empty if no node simulates as the match does.
type Plan struct {
	Match string
	Nodes []string
}

// Ranks is how many nodes of a plan are named.
const Ranks = 5

// DelayMs returns how long the node of a rank waits for the nodes before it, in milliseconds. The first does not wait.
// The second waits two seconds for the first to have begun, and one more.
func DelayMs(rank int) int {
	if rank <= 0 {
		return 0
	}
	return 2000 + 1000*rank
}

// ErrFull says that no node can take one more match.
var ErrFull = errors.New("placement: every node is full")

// step is the width of a class of nodes that are as good as each other, in permille of their
// fullness. Nodes of one class are ordered by a hash of their name and the match's: nodes
// that hear of each other's load four times a second do not all choose the same one.
const step = 25

// New returns the nodes for a new match, the best first. [ErrFull]: no node has room, or after the death of a node the
// others could not run its matches.
func New(nodes []Node, match string) ([]string, error) {
	type candidate struct {
		name  string
		class int
		key   uint64
	}
	// After the death of x the others need room for x's matches: total - room(x) >= matches(x), for every x. The two
	// largest sums of matches and room decide it.
	total, count := 0, 0
	var first, second, firstAt = 0, 0, -1
	seen := make(map[string]bool, len(nodes))
	at := make([]int, 0, len(nodes))
	for i, n := range nodes {
		if seen[n.Name] {
			continue
		}
		seen[n.Name] = true
		at = append(at, i)
		count++
		room := spare(n)
		total += room
		switch need := room + n.Load.Matches; {
		case firstAt < 0 || need > first:
			first, second, firstAt = need, first, i
		case need > second:
			second = need
		}
	}
	var out []candidate
	for _, i := range at {
		n := nodes[i]
		if n.Draining || n.Load.Room(NewCeiling) < 1 {
			continue
		}
		after := n
		after.Load = n.Load.With(1)
		need := first
		if firstAt == i {
			need = second
		}
		need = max(need, spare(after)+after.Load.Matches)
		if count > 1 && total-spare(n)+spare(after) < need {
			continue
		}
		out = append(out, candidate{n.Name, after.Load.share() / step, key(match, n.Name)})
	}
	if len(out) == 0 {
		return nil, ErrFull
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(b.key, a.key), cmp.Compare(a.name, b.name))
	})
	names := make([]string, len(out))
	for i, c := range out {
		names[i] = c.name
	}
	return names, nil
}

// spare returns the room of a node for the matches of a dead one.
func spare(n Node) int {
	if n.Draining {
		return 0
	}
	return n.Load.Room(TakeOverCeiling)
}

// TakeOvers returns the takers of each match, by the matches' ids. A node that drains, or has no room, takes matches
// only if no other can play them: an overloaded node is better than a match without a node.
//
// The choice for a match depends on the nodes alone, above all not on the other matches: while a survivor plans,
// another has taken some already. Each node draws lots for each match, the more the more room it has, and the highest
// lot wins. So shares are even by chance only. A node that is done early takes the rest of the others' matches, when it
// is its turn.
func TakeOvers(nodes []Node, matches []Match) []Plan {
	nodes = slices.Clone(nodes)
	slices.SortFunc(nodes, func(a, b Node) int { return cmp.Compare(a.Name, b.Name) })
	nodes = slices.CompactFunc(nodes, func(a, b Node) bool { return a.Name == b.Name })
	hashes := make([]uint64, len(nodes))
	for i, n := range nodes {
		hashes[i] = hash(n.Name)
	}
	able := map[string][]lot{} // by how a match simulates
	plans := make([]Plan, 0, len(matches))
	for _, m := range matches {
		lots, ok := able[m.Sim]
		if !ok {
			lots = lotsOf(nodes, m.Sim)
			able[m.Sim] = lots
		}
		plans = append(plans, Plan{m.ID, ranked(nodes, hashes, lots, m)})
	}
	slices.SortFunc(plans, func(a, b Plan) int { return cmp.Compare(a.Match, b.Match) })
	return slices.CompactFunc(plans, func(a, b Plan) bool { return a.Match == b.Match })
}

// lot is a node that may take matches, and how many lots it draws for each.
type lot struct{ node, draws int }

const mostLots = 8

// lotsOf returns who takes matches that simulate so.
func lotsOf(nodes []Node, sim string) (out []lot) {
	most := 0
	for _, want := range []func(Node) bool{
		func(n Node) bool { return !n.Draining && n.Load.Room(TakeOverCeiling) > 0 },
		func(n Node) bool { return !n.Draining },
		func(Node) bool { return true },
	} {
		for i, n := range nodes {
			if (sim == "" || n.Sim == sim) && want(n) {
				room := coarse(n.Load)
				most = max(most, room)
				out = append(out, lot{i, room})
			}
		}
		if len(out) > 0 {
			break
		}
	}
	for i := range out {
		out[i].draws = max(1, out[i].draws*mostLots/max(1, most))
	}
	return out
}

// ranked returns the nodes for one match, the best first.
func ranked(nodes []Node, hashes []uint64, lots []lot, m Match) []string {
	type one struct {
		node int
		key  uint64
	}
	best := make([]one, 0, Ranks+1)
	h := hash(m.ID)
	for _, l := range lots {
		k := ^uint64(0) // it had the match
		if m.Former == "" || nodes[l.node].Name != m.Former {
			k = 0
			for d := range l.draws {
				k = max(k, mix(h^bits.RotateLeft64(hashes[l.node], 32)+uint64(d))>>1)
			}
		}
		at := len(best)
		for at > 0 && best[at-1].key < k { // equal keys stay by name
			at--
		}
		if at < Ranks {
			best = slices.Insert(best, at, one{l.node, k})[:min(len(best)+1, Ranks)]
		}
	}
	names := make([]string, len(best))
	for i, b := range best {
		names[i] = nodes[b.node].Name
	}
	return names
}

// coarse returns a node's room in quarters of its capacity, rounded up. Two observers with slightly different news of
// its load agree, unless it is just at one of the three steps.
func coarse(l Load) int {
	q := max(1, l.Most/4)
	return (l.Room(TakeOverCeiling) + q - 1) / q * q
}

// Drain returns who takes which match of a node that is to be emptied. It names no node for a
// match that no other can play.
func Drain(nodes []Node, from string, matches []Match) []Plan {
	others := slices.DeleteFunc(slices.Clone(nodes), func(n Node) bool { return n.Name == from || n.Draining })
	matches = slices.Clone(matches)
	for i := range matches {
		matches[i].Former = ""
	}
	return TakeOvers(others, matches)
}

// key orders nodes for one match: the highest is the first.
func key(match, node string) uint64 { return mix(hash(match) ^ bits.RotateLeft64(hash(node), 32)) }

func hash(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // never fails
	return mix(h.Sum64())
}

// mix spreads the bits of a hash over all bits: splitmix64 of Steele, Lea and Flood, "Fast
// splittable pseudorandom number generators", 2014.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

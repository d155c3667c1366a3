package placement

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func drawNodes(t *rapid.T) []Node {
	sims := []string{"a", "b"}
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Node {
		most := rapid.IntRange(0, 40).Draw(t, "most")
		return Node{
			Name: fmt.Sprintf("n%02d", rapid.IntRange(0, 30).Draw(t, "name")), Sim: rapid.SampledFrom(sims).Draw(t, "sim"),
			Draining: rapid.IntRange(0, 5).Draw(t, "draining") == 0,
			Load: Load{
				Tick: rapid.IntRange(0, 1000).Draw(t, "tick"), Memory: rapid.IntRange(0, 1000).Draw(t, "memory"),
				Matches: rapid.IntRange(0, most+3).Draw(t, "matches"), Most: most,
			},
		}
	}), 0, 12, func(n Node) string { return n.Name }).Draw(t, "nodes")
}

func drawMatches(t *rapid.T) []Match {
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) Match {
		return Match{
			ID: fmt.Sprintf("m%03d", rapid.IntRange(0, 300).Draw(t, "id")), Sim: rapid.SampledFrom([]string{"a", "b", "c", ""}).Draw(t, "sim"),
			Former: rapid.SampledFrom([]string{"", "n01", "n02", "n03"}).Draw(t, "former"),
		}
	}), 0, 60, func(m Match) string { return m.ID }).Draw(t, "matches")
}

// obviousRoom adds matches one by one until one does not fit.
func obviousRoom(n Node, ceiling int) (room int) {
	tick, memory := max(1, n.Load.Tick/max(1, n.Load.Matches)), max(1, n.Load.Memory/max(1, n.Load.Matches))
	for l := n.Load; ; room++ {
		l.Tick += tick
		l.Memory += memory
		l.Matches++
		if l.Matches > l.Most || l.Tick > ceiling || l.Memory > ceiling {
			return room
		}
	}
}

// obviousNew tries every node, and then every death.
func obviousNew(nodes []Node, match string) []string {
	var good []Node
	for i := range nodes {
		if nodes[i].Draining || obviousRoom(nodes[i], NewCeiling) == 0 {
			continue
		}
		after := slices.Clone(nodes)
		after[i].Load = after[i].Load.With(1)
		survives := true
		for dead := range after {
			room := 0
			for other := range after {
				if other != dead && !after[other].Draining {
					room += obviousRoom(after[other], TakeOverCeiling)
				}
			}
			survives = survives && (len(nodes) == 1 || room >= after[dead].Load.Matches)
		}
		if survives {
			good = append(good, after[i])
		}
	}
	slices.SortStableFunc(good, func(a, b Node) int {
		class := func(n Node) int {
			full := 0
			for _, part := range []int{n.Load.Tick * 1000 / NewCeiling, n.Load.Memory * 1000 / NewCeiling, n.Load.Matches * 1000 / max(1, n.Load.Most)} {
				full = max(full, part)
			}
			return full / 25
		}
		return cmp.Or(class(a)-class(b), cmp.Compare(key(match, b.Name), key(match, a.Name)))
	})
	var names []string
	for _, n := range good {
		names = append(names, n.Name)
	}
	return names
}

func TestNewIsTheObviousOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := drawNodes(t)
		got, err := New(nodes, "match")
		want := obviousNew(nodes, "match")
		if !slices.Equal(got, want) || (err != nil) != (len(want) == 0) || err != nil && !errors.Is(err, ErrFull) {
			t.Fatalf("got %v, %v; want %v", got, err, want)
		}
		shuffled := slices.Clone(nodes)
		slices.Reverse(shuffled)
		if again, _ := New(shuffled, "match"); !slices.Equal(again, got) {
			t.Fatalf("in another order %v, not %v", again, got)
		}
	})
}

// obviousTakeOvers writes all lots of all nodes down and sorts them. It shares the hashes, and
// nothing else.
func obviousTakeOvers(nodes []Node, m Match) (names []string) {
	var able []Node
	for class := range 3 {
		for _, n := range nodes {
			rank := 0
			if n.Draining {
				rank = 2
			} else if obviousRoom(n, TakeOverCeiling) == 0 {
				rank = 1
			}
			if rank <= class && (m.Sim == "" || m.Sim == n.Sim) {
				able = append(able, n)
			}
		}
		if len(able) > 0 {
			break
		}
	}
	quarters := func(n Node) int { // as matches
		q := max(1, n.Load.Most/4)
		room := 0
		for room < obviousRoom(n, TakeOverCeiling) {
			room += q
		}
		return room
	}
	most := 1
	for _, n := range able {
		most = max(most, quarters(n))
	}
	type slip struct {
		name string
		key  uint64
	}
	var slips []slip
	for _, n := range able {
		if n.Name == m.Former {
			names = append(names, n.Name)
		}
		for d := range max(1, quarters(n)*8/most) {
			slips = append(slips, slip{n.Name, mix(hash(m.ID)^bits.RotateLeft64(hash(n.Name), 32)+uint64(d)) / 2})
		}
	}
	slices.SortFunc(slips, func(a, b slip) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.name, b.name)) })
	for _, s := range slips {
		if !slices.Contains(names, s.name) && len(names) < 5 {
			names = append(names, s.name)
		}
	}
	return names
}

func TestTakeOversAreTheObviousOnes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, matches := drawNodes(t), drawMatches(t)
		got := TakeOvers(nodes, matches)
		if len(got) != len(matches) || !slices.IsSortedFunc(got, func(a, b Plan) int { return cmp.Compare(a.Match, b.Match) }) {
			t.Fatalf("%d plans for %d matches: %v", len(got), len(matches), got)
		}
		for _, p := range got {
			m := matches[slices.IndexFunc(matches, func(m Match) bool { return m.ID == p.Match })]
			if want := obviousTakeOvers(nodes, m); !slices.Equal(p.Nodes, want) {
				t.Fatalf("%s goes to %v, not %v", p.Match, p.Nodes, want)
			}
		}
		slices.Reverse(nodes)
		slices.Reverse(matches)
		for i, p := range TakeOvers(nodes, matches) {
			if p.Match != got[i].Match || !slices.Equal(p.Nodes, got[i].Nodes) {
				t.Fatalf("in another order %v, not %v", p, got[i])
			}
		}
		for _, p := range Drain(nodes, "n01", matches) {
			for _, name := range p.Nodes {
				if at := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == name }); name == "n01" || nodes[at].Draining {
					t.Fatalf("%s is moved to %s", p.Match, name)
				}
			}
		}
	})
}

// even returns nodes that all run the same.
func even(n, matches, most int) (out []Node) {
	for i := range n {
		out = append(out, Node{Name: fmt.Sprintf("node%03d", i), Sim: "a", Load: Load{Tick: matches * 5, Memory: matches * 4, Matches: matches, Most: most}})
	}
	return out
}

// Survivors whose news of the load differ a little agree about nearly all matches.
func TestObserversAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	nodes := even(9, 60, 150)
	var matches []Match
	for i := range 100 {
		matches = append(matches, Match{ID: fmt.Sprint("match", i), Sim: "a"})
	}
	want := TakeOvers(nodes, matches)
	// While an observer plans, others have taken matches already.
	for i, p := range TakeOvers(nodes, matches[40:]) {
		if at := slices.IndexFunc(want, func(w Plan) bool { return w.Match == p.Match }); p.Nodes[0] != want[at].Nodes[0] {
			t.Errorf("%d: %s goes to %s if others are taken already", i, p.Match, p.Nodes[0])
		}
	}
	worst := 0
	for range 50 {
		seen := slices.Clone(nodes)
		for i := range seen {
			seen[i].Load.Tick += random.IntN(7) - 3
			seen[i].Load.Matches += random.IntN(3) - 1
		}
		differ := 0
		for i, p := range TakeOvers(seen, matches) {
			if p.Nodes[0] != want[i].Nodes[0] {
				differ++
			}
		}
		worst = max(worst, differ)
	}
	if worst > 5 {
		t.Errorf("%d of 100 matches go elsewhere for another observer", worst)
	}
}

// A cluster that is filled by New survives the death of any node, and spreads its matches.
func TestFillingKeepsRoom(t *testing.T) {
	nodes := even(5, 0, 100)
	placed := 0
	for ; ; placed++ {
		names, err := New(nodes, fmt.Sprint("match", placed))
		if err != nil {
			break
		}
		at := slices.IndexFunc(nodes, func(n Node) bool { return n.Name == names[0] })
		l := &nodes[at].Load
		l.Tick, l.Memory, l.Matches = l.Tick+6, l.Memory+4, l.Matches+1
	}
	// The processor allows 900/6 = 150 a node, the count 100. Four nodes must hold all.
	if placed < 390 || placed > 400 {
		t.Errorf("%d matches were placed, not about 400", placed)
	}
	for _, n := range nodes {
		if n.Load.Matches < 72 || n.Load.Matches > 88 {
			t.Errorf("%s has %d matches of %d", n.Name, n.Load.Matches, placed)
		}
	}
}

// A takeover is spread by room: a survivor that is nearly full takes little.
func TestTakeOversAreSpread(t *testing.T) {
	nodes := even(9, 50, 200)
	nodes[4].Load.Most = 60
	var matches []Match
	for i := range 1000 {
		matches = append(matches, Match{ID: fmt.Sprint("match", i), Sim: "a"})
	}
	count := map[string]int{}
	for _, p := range TakeOvers(nodes, matches) {
		count[p.Nodes[0]]++
	}
	for name, n := range count {
		if name == "node004" && (n < 5 || n > 40) || name != "node004" && (n < 90 || n > 160) {
			t.Errorf("%s takes %d of 1000", name, n)
		}
	}
}

func TestDelay(t *testing.T) {
	for rank, want := range []int{0, 3000, 4000, 5000} {
		if got := DelayMs(rank); got != want {
			t.Errorf("rank %d waits %d ms, not %d", rank, got, want)
		}
	}
}

func TestLeadersStandApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		servers := []string{"s1", "s2", "s3", "s4"}
		var streams []Stream
		for i := range rapid.IntRange(0, 8).Draw(t, "streams") {
			s := Stream{Name: fmt.Sprint("j", i), Matches: map[string]int{}}
			s.Servers = rapid.SliceOfNDistinct(rapid.SampledFrom(servers), 0, 3, rapid.ID[string]).Draw(t, "servers")
			s.Leader = rapid.SampledFrom(append([]string{""}, servers...)).Draw(t, "leader")
			s.Peers = servers
			for _, name := range servers {
				s.Matches[name] = rapid.IntRange(0, 20).Draw(t, "matches")
			}
			streams = append(streams, s)
		}
		steps := Leaders(streams)
		before, home := together(streams), 0
		for _, step := range steps {
			s := &streams[slices.IndexFunc(streams, func(s Stream) bool { return s.Name == step.Stream })]
			if s.Leader != step.From || !slices.Contains(s.Servers, step.To) {
				t.Fatalf("%v is not a step of %v", step, *s)
			}
			for _, other := range s.Servers {
				if other != s.Leader && s.Matches[other] < s.Matches[step.To] {
					t.Fatalf("%v: %s has fewer matches", step, other)
				}
			}
			if h := Home(s.Name, s.Peers); step.To == h && s.Matches[h] == s.Matches[step.From] {
				home++ // it costs nothing, and saves nothing
			} else if step.From == h && s.Matches[h] <= s.Matches[step.To] {
				t.Fatalf("%v leaves its home for nothing", step)
			}
			s.Leader = step.To
		}
		if after := together(streams); after > before-(len(steps)-home) {
			t.Fatalf("%d steps, %d matches beside their leader before and %d after", len(steps), before, after)
		}
		if again := Leaders(streams); len(again) > 0 {
			t.Fatalf("after %v again %v", steps, again)
		}
	})
	// The usual case: three servers, each leads a stream of the matches beside it.
	streams := []Stream{
		{Name: "j0", Leader: "a", Servers: []string{"a", "b", "c"}, Matches: map[string]int{"a": 9}},
		{Name: "j1", Leader: "a", Servers: []string{"a", "b", "c"}, Matches: map[string]int{"a": 9}},
		{Name: "j2", Leader: "b", Servers: []string{"a", "b", "c"}, Matches: map[string]int{"a": 9}},
	}
	if got, want := Leaders(streams), []Step{{"j0", "a", "c"}, {"j1", "a", "b"}}; !slices.Equal(got, want) {
		t.Errorf("steps %v, not %v", got, want)
	}
	// A new cluster: one server leads all streams, and matches are put beside no home.
	servers := []string{"b", "c", "a"}
	streams = nil
	for i, in := range []map[string]int{{"b": 4, "c": 4}, {"a": 4, "c": 4}, {"a": 4, "b": 4}} {
		streams = append(streams, Stream{Name: fmt.Sprint("j", i), Leader: "b", Servers: servers, Peers: servers, Matches: in})
	}
	for i, step := range Leaders(streams) {
		s := &streams[slices.IndexFunc(streams, func(s Stream) bool { return s.Name == step.Stream })]
		if s.Leader = step.To; i > 1 {
			t.Error("more steps than streams that are not at home")
		}
	}
	for i := range streams {
		if want := []string{"a", "b", "c"}[i]; streams[i].Leader != want || Home(streams[i].Name, servers) != want {
			t.Errorf("%s is led by %s, its home is %s, not %s", streams[i].Name, streams[i].Leader, Home(streams[i].Name, servers), want)
		}
	}
	if n := together(streams); n != 0 {
		t.Errorf("%d matches run beside their leader", n)
	}
	if got := Home("states", nil) + Home("states", servers); got != "a" {
		t.Errorf("the home of a stream without a number, and without servers: %q", got)
	}
}

// together counts the matches that run beside the leader of their stream.
func together(streams []Stream) (n int) {
	for _, s := range streams {
		n += s.Matches[s.Leader]
	}
	return n
}

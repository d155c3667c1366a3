package bench

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// PlacementConfig says how many nodes run how many matches.
type PlacementConfig struct {
	Nodes    int
	Matches  int
	Clusters int // a cluster has a log of its own; nodes take over matches of their cluster only
	Cores    int // of a node
	Trials   int // for each row
	Seed     uint64
}

// PlacementReport is how long matches stand still when nodes die.
type PlacementReport struct {
	Nodes    int            `json:"nodes"`
	Matches  int            `json:"matches"`
	Clusters int            `json:"clusters"`
	Cores    int            `json:"cores"`
	Trials   int            `json:"trials"`
	Seed     uint64         `json:"seed"`
	Placed   int            `json:"placed"`     // matches that New found a node for
	MatchMin int            `json:"match_min"`  // fewest matches of a node
	MatchMax int            `json:"match_max"`  // most
	TickMean float64        `json:"tick_share"` // of the nodes' processor time
	Rows     []PlacementRow `json:"rows"`
}

// PlacementRow is one kind of failure. Times are in seconds from the death until the match runs
// again, without the way back of the clients.
type PlacementRow struct {
	Dead     int     `json:"dead"`
	Pattern  string  `json:"pattern"` // spread: nodes by chance; together: neighbours in as few clusters as possible
	Log      string  `json:"log"`     // embedded: log servers run in three nodes of each cluster; apart: on machines of their own
	Hit      float64 `json:"hit"`     // matches on dead nodes, mean of the trials
	P50S     float64 `json:"freeze_p50_s"`
	P99S     float64 `json:"freeze_p99_s"`
	MaxS     float64 `json:"freeze_max_s"`
	Within5  float64 `json:"within_5_s"`   // share of the hit
	Never    float64 `json:"never"`        // share of the hit that waits for a machine to come back
	Elected  float64 `json:"elected"`      // matches on living nodes that stand still for an election, mean
	Stopped  float64 `json:"stopped"`      // matches on living nodes whose log has no majority, mean
	Stolen   float64 `json:"stolen"`       // share of the takeovers that another node did than the first
	TickMax  float64 `json:"tick_max"`     // largest share of its processor time that a survivor needs afterwards
	Overload float64 `json:"overloaded"`   // survivors that need more than all of it, mean
	Cause    string  `json:"slowest_from"` // what the slowest hundredth waited for the longest
}

// What the simulation takes from measurements and from the product. Times are in seconds.
const (
	suspectS  = float64(cluster.SuspectAfter) / float64(time.Second)
	beatS     = float64(cluster.Beat) / float64(time.Second)
	lookS     = beatS / 5 // between two looks at who is silent (match/cluster, beatLoop)
	hearS     = 0.01      // a heartbeat comes so much later at one survivor than at another, at most
	takeCoreS = 0.25      // processor time of a takeover with a saved state each 10 s: fogkeep bench recovery, 0.75 s at 30 s
	electMinS = 4.0       // the log elects the leader of a stream anew: nats-server 2.15.2, raft.go
	electMaxS = 9.0
	matchTick = 0.92 * 20 / 1000 // of a core for one match: the tick of w2 (docs/performance.md), 20 a second
	matchMiB  = 6                // of memory (docs/limits.md)
	nodeMiB   = 8 << 10
	servers   = 3 // of a log
	streams   = 3 // of a log: as many as servers
)

// Placement lets nodes die and has the product's placement choose who goes on with their matches.
// The same configuration gives the same report.
func Placement(ctx context.Context, c PlacementConfig) (*PlacementReport, error) {
	out := &PlacementReport{Nodes: c.Nodes, Matches: c.Matches, Clusters: c.Clusters, Cores: c.Cores, Trials: c.Trials, Seed: c.Seed}
	full := make([]*simCluster, c.Clusters)
	nodes := 0
	tick := 0.0
	out.MatchMin = c.Matches
	for i := range full {
		n := c.Nodes*(i+1)/c.Clusters - c.Nodes*i/c.Clusters
		m := c.Matches*(i+1)/c.Clusters - c.Matches*i/c.Clusters
		full[i] = newSimCluster(c, i, n, m)
		nodes += n
		for _, node := range full[i].nodes {
			out.Placed += node.Load.Matches
			out.MatchMin, out.MatchMax = min(out.MatchMin, node.Load.Matches), max(out.MatchMax, node.Load.Matches)
			tick += float64(node.Load.Tick) / 1000
		}
	}
	out.TickMean = tick / float64(nodes)
	for _, row := range []PlacementRow{
		{Dead: 1, Pattern: "spread", Log: "apart"}, {Dead: 10, Pattern: "spread", Log: "apart"}, {Dead: 100, Pattern: "spread", Log: "apart"},
		{Dead: 10, Pattern: "together", Log: "apart"}, {Dead: 100, Pattern: "together", Log: "apart"},
		{Dead: 1, Pattern: "spread", Log: "embedded"}, {Dead: 10, Pattern: "spread", Log: "embedded"}, {Dead: 100, Pattern: "spread", Log: "embedded"},
		{Dead: 10, Pattern: "together", Log: "embedded"}, {Dead: 100, Pattern: "together", Log: "embedded"},
	} {
		if row.Dead >= c.Nodes {
			continue
		}
		if err := simulateDeaths(ctx, c, full, &row); err != nil {
			return nil, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// simNode is a node of the simulation.
type simNode struct {
	placement.Node
	matches []int // of the cluster
}

// simCluster is nodes with one log.
type simCluster struct {
	nodes  []simNode
	ids    []string // of the matches
	stream []int    // of each match
	at     []int    // the node that runs it
}

func simLoad(c PlacementConfig, matches int) placement.Load {
	return placement.Load{
		Tick: int(1000 * matchTick * float64(matches) / float64(c.Cores)), Memory: 1000 * matchMiB * matches / nodeMiB,
		Matches: matches, Most: 100 * c.Cores,
	}
}

// newSimCluster places matches one by one, as a lobby does.
func newSimCluster(c PlacementConfig, number, nodes, matches int) *simCluster {
	s := &simCluster{nodes: make([]simNode, nodes)}
	plain := make([]placement.Node, nodes)
	byName := make(map[string]int, nodes)
	for i := range s.nodes {
		plain[i] = placement.Node{Name: fmt.Sprintf("c%dn%d", number, i), Sim: "1", Load: simLoad(c, 0)}
		byName[plain[i].Name] = i
	}
	for range matches {
		id := fmt.Sprintf("c%dm%d", number, len(s.ids))
		names, err := placement.New(plain, id)
		if err != nil {
			break // full: the report says how many were placed
		}
		at := byName[names[0]]
		plain[at].Load = simLoad(c, plain[at].Load.Matches+1)
		s.nodes[at].matches = append(s.nodes[at].matches, len(s.ids))
		s.stream = append(s.stream, len(s.ids)%streams)
		s.at = append(s.at, at)
		s.ids = append(s.ids, id)
	}
	for i := range s.nodes {
		s.nodes[i].Node = plain[i]
	}
	return s
}

// leaders returns the node that leads each stream, if the log servers run in the first nodes:
// each starts with one leader, and placement moves them away from their matches.
func (s *simCluster) leaders() []int {
	of := make([]placement.Stream, streams)
	for i := range of {
		of[i] = placement.Stream{Name: fmt.Sprint(i), Leader: fmt.Sprint(i % servers), Matches: map[string]int{}}
		for server := range servers {
			name := fmt.Sprint(server)
			of[i].Servers = append(of[i].Servers, name)
			for _, m := range s.nodes[server].matches {
				if s.stream[m] == i {
					of[i].Matches[name]++
				}
			}
		}
	}
	for _, step := range placement.Leaders(of) {
		of[slices.IndexFunc(of, func(f placement.Stream) bool { return f.Name == step.Stream })].Leader = step.To
	}
	out := make([]int, streams)
	for i, f := range of {
		out[i] = int(f.Leader[0] - '0')
	}
	return out
}

// simulateDeaths fills a row.
func simulateDeaths(ctx context.Context, c PlacementConfig, full []*simCluster, row *PlacementRow) error {
	random := rand.New(rand.NewPCG(c.Seed, uint64(row.Dead)<<8|uint64(len(row.Pattern)+len(row.Log))))
	var freezes []freeze
	never, hit, elected, stopped, stolen, overloaded := 0, 0, 0, 0, 0, 0
	for range c.Trials {
		if err := ctx.Err(); err != nil {
			return err
		}
		dead := make([]map[int]bool, len(full))
		for i := range dead {
			dead[i] = map[int]bool{}
		}
		first := random.IntN(len(full)) // of neighbours
		all := make([][2]int, 0, c.Nodes)
		for i, s := range full {
			for n := range s.nodes {
				all = append(all, [2]int{i, n})
			}
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if row.Pattern == "together" {
			slices.SortStableFunc(all, func(a, b [2]int) int {
				return cmp.Compare((a[0]-first+len(full))%len(full), (b[0]-first+len(full))%len(full))
			})
		}
		for _, d := range all[:row.Dead] {
			dead[d[0]][d[1]] = true
		}
		for i, s := range full {
			if len(dead[i]) == 0 {
				continue
			}
			r := s.kill(c, random, dead[i], row.Log == "embedded")
			freezes = append(freezes, r.freezes...)
			never, hit, elected, stopped, stolen, overloaded = never+r.never, hit+r.hit, elected+r.elected, stopped+r.stopped, stolen+r.stolen, overloaded+r.overloaded
			row.TickMax = max(row.TickMax, r.tickMax)
		}
	}
	slices.SortFunc(freezes, func(a, b freeze) int { return cmp.Compare(a.total, b.total) })
	trials := float64(c.Trials)
	row.Hit, row.Elected, row.Stopped, row.Overload = float64(hit)/trials, float64(elected)/trials, float64(stopped)/trials, float64(overloaded)/trials
	row.Never = float64(never) / float64(max(1, hit))
	if n := len(freezes); n > 0 {
		at := func(share float64) float64 { return freezes[min(n-1, int(share*float64(n)))].total }
		row.P50S, row.P99S, row.MaxS = at(.5), at(.99), freezes[n-1].total
		within, _ := slices.BinarySearchFunc(freezes, 5, func(f freeze, s float64) int { return cmp.Compare(f.total, s) })
		row.Within5 = float64(within) / float64(hit)
		row.Stolen = float64(stolen) / float64(n)
		row.Cause = causeOf(freezes[n-1-n/100:])
	}
	return nil
}

// freeze is how long a match stood still, in seconds, and for what.
type freeze struct{ total, detect, election, queue, work float64 }

func causeOf(slowest []freeze) string {
	var sum freeze
	for _, f := range slowest {
		sum.detect, sum.election, sum.queue, sum.work = sum.detect+f.detect, sum.election+f.election, sum.queue+f.queue, sum.work+f.work
	}
	parts := []struct {
		name string
		s    float64
	}{{"detection", sum.detect}, {"election", sum.election}, {"queue", sum.queue}, {"replay", sum.work}}
	return slices.MaxFunc(parts, func(a, b struct {
		name string
		s    float64
	}) int {
		return cmp.Compare(a.s, b.s)
	}).name
}

// deaths is what became of the nodes that died in one cluster.
type deaths struct {
	freezes                                          []freeze
	hit, never, elected, stopped, stolen, overloaded int
	tickMax                                          float64
}

// simEvent is something that happens at a node, to a match or to all.
type simEvent struct {
	at    float64
	order int // of events at the same time
	kind  simKind
	node  int
	match int // of those that were hit
}

type simKind int

const (
	simLook  simKind = iota // the node looks for something to take
	simReady                // the log answers: the match can be replayed
	simDone                 // it runs
)

type simEvents []simEvent

func (e simEvents) Len() int { return len(e) }
func (e simEvents) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e simEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push implements heap.Interface.
func (e *simEvents) Push(x any) { *e = append(*e, x.(simEvent)) }

// Pop implements heap.Interface.
func (e *simEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// kill lets nodes die at second zero and plays what follows.
func (s *simCluster) kill(c PlacementConfig, random *rand.Rand, dead map[int]bool, embedded bool) (out deaths) {
	answers := make([]float64, streams) // when the log of a stream takes appends
	majority := true
	if embedded {
		lost := 0
		for server := range servers {
			if dead[server] {
				lost++
			}
		}
		majority = 2*lost < servers
		for i, leader := range s.leaders() {
			if dead[leader] {
				answers[i] = electMinS + (electMaxS-electMinS)*random.Float64()
			}
		}
	}
	var living []placement.Node
	byName := map[string]int{}
	for i, n := range s.nodes {
		if !dead[i] {
			byName[n.Name] = len(living)
			living = append(living, n.Node)
			for _, m := range n.matches {
				if !majority {
					out.stopped++
				} else if answers[s.stream[m]] > 0 {
					out.elected++
				}
			}
		}
	}
	var hit []int
	last := map[int]float64{} // the last heartbeat of a dead node, before second zero
	for i, n := range s.nodes {
		if dead[i] {
			hit = append(hit, n.matches...)
			last[i] = -beatS * random.Float64()
		}
	}
	out.hit = len(hit)
	if len(living) == 0 || !majority {
		out.never = len(hit)
		return out
	}
	slices.Sort(hit)

	// Everybody plans by itself. The plans are the same.
	of := make([]placement.Match, len(hit))
	index := make(map[string]int, len(hit))
	for k, m := range hit {
		of[k] = placement.Match{ID: s.ids[m], Sim: "1", Former: s.nodes[s.at[m]].Name}
		index[s.ids[m]] = k
	}
	skew := make([]float64, len(living))
	for i := range skew {
		skew[i] = hearS*random.Float64() + lookS*random.Float64()
	}
	detects := func(node, match int) float64 { return last[s.at[hit[match]]] + suspectS + skew[node] }

	events := &simEvents{}
	order := 0
	push := func(e simEvent) {
		order++
		e.order = order
		heap.Push(events, e)
	}
	own := make([][]int, len(living))    // matches that a node is the first for, those not looked at yet
	others := make([][]int, len(living)) // matches whose turn has come to it
	first := make([]int, len(hit))
	for _, p := range placement.TakeOvers(living, of) {
		k := index[p.Match]
		for rank, name := range p.Nodes {
			n := byName[name]
			wait := 0.0
			if rank == 0 {
				first[k] = n
			} else {
				wait = float64(placement.DelayMs(rank))/1000 + .5*random.Float64()
			}
			push(simEvent{at: detects(n, k) + wait, kind: simLook, node: n, match: k})
		}
	}
	slots, cores := make([]int, len(living)), make([]int, len(living))
	waiting := make([][]int, len(living)) // for a core
	for i := range slots {
		slots[i], cores[i] = cluster.TakeOversPerCore*c.Cores, c.Cores
	}
	claimed, took := make([]bool, len(hit)), make([]int, len(hit))
	began, ready, starts := make([]float64, len(hit)), make([]float64, len(hit)), make([]float64, len(hit))
	work := func(now float64, n, k int) {
		cores[n]--
		starts[k] = now
		free := max(.05, 1-float64(living[n].Load.Tick)/1000) // what the node's own matches leave of a core
		push(simEvent{at: now + takeCoreS/free, kind: simDone, node: n, match: k})
	}
	for events.Len() > 0 {
		e := heap.Pop(events).(simEvent)
		n := e.node
		switch e.kind {
		case simLook:
			if claimed[e.match] {
				continue
			}
			if first[e.match] == n {
				own[n] = append(own[n], e.match)
			} else {
				others[n] = append(others[n], e.match)
			}
		case simReady:
			ready[e.match] = e.at
			if cores[n] > 0 {
				work(e.at, n, e.match)
			} else {
				waiting[n] = append(waiting[n], e.match)
			}
			continue
		case simDone:
			k := e.match
			took[k] = n
			out.freezes = append(out.freezes, freeze{
				total: e.at, detect: detects(n, k), election: ready[k] - began[k], queue: began[k] - detects(n, k) + starts[k] - ready[k], work: e.at - starts[k],
			})
			if n != first[k] {
				out.stolen++
			}
			slots[n]++
			cores[n]++
			if len(waiting[n]) > 0 {
				next := waiting[n][0]
				waiting[n] = waiting[n][1:]
				work(e.at, n, next)
			}
		}
		for slots[n] > 0 { // take what there is
			k := -1
			for k < 0 && len(own[n]) > 0 {
				if !claimed[own[n][0]] {
					k = own[n][0]
				}
				own[n] = own[n][1:]
			}
			for k < 0 && len(others[n]) > 0 {
				end := len(others[n]) - 1
				if !claimed[others[n][end]] {
					k = others[n][end]
				}
				others[n] = others[n][:end]
			}
			if k < 0 {
				break
			}
			claimed[k] = true
			slots[n]--
			began[k] = e.at
			push(simEvent{at: max(e.at, answers[s.stream[hit[k]]]), kind: simReady, node: n, match: k})
		}
	}
	more := make([]int, len(living))
	for _, n := range took {
		more[n]++
	}
	for i, n := range living {
		share := float64(simLoad(c, n.Load.Matches+more[i]).Tick) / 1000
		out.tickMax = max(out.tickMax, share)
		if share > 1 {
			out.overloaded++
		}
	}
	return out
}

// Text writes the report as tables.
func (r *PlacementReport) Text(w io.Writer) error {
	fmt.Fprintf(w, "%d nodes of %d cores in %d clusters, %d of %d matches placed, %d to %d a node, %.0f %% of the processor time\n\n",
		r.Nodes, r.Cores, r.Clusters, r.Placed, r.Matches, r.MatchMin, r.MatchMax, 100*r.TickMean)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "dead\tpattern\tlog\tmatches hit\tp50 s\tp99 s\tmax s\twithin 5 s\tnever\telection\tno majority\tby another\tbusiest\toverloaded\tslowest from\t")
	for _, x := range r.Rows {
		fmt.Fprintf(t, "%d\t%s\t%s\t%.0f\t%.2f\t%.2f\t%.2f\t%.1f %%\t%.1f %%\t%.0f\t%.0f\t%.1f %%\t%.0f %%\t%.1f\t%s\t\n",
			x.Dead, x.Pattern, x.Log, x.Hit, x.P50S, x.P99S, x.MaxS, 100*x.Within5, 100*x.Never, x.Elected, x.Stopped, 100*x.Stolen, 100*x.TickMax, x.Overload, x.Cause)
	}
	return t.Flush()
}

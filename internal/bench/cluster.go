package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/clustertest"
)

// ClusterConfig is what [Cluster] measures.
type ClusterConfig struct {
	Host
	asJSON
	Database string        `name:"database-url" env:"FOGKEEP_DATABASE_URL" required:"" help:"postgres://… of an empty database: the bench fills it with accounts and matches."`
	Nodes    int           `default:"3" help:"Nodes."`
	Logs     int           `default:"3" help:"Journal servers apart from the nodes; 0: each node runs one."`
	Matches  int           `default:"12" help:"Matches."`
	Players  int           `default:"2" help:"Players per match, each a client that orders all the time."`
	Kills    int           `default:"4" help:"Kills of the node with the most matches."`
	Moves    int           `default:"12" help:"Matches that move to another node."`
	Quiet    time.Duration `default:"15s" help:"Play without a fault, on a single server and on the cluster, to measure answers to orders."`
	Seed     uint64        `default:"0" help:"Seed of the choice of matches; 0: a new one."`
}

// Run measures and prints.
func (c *ClusterConfig) Run(in *cli.Invocation) error {
	return c.seeded(in, &c.Seed, func() error {
		r, err := Cluster(in.Ctx, *c)
		if err != nil {
			return err
		}
		return c.print(in.Stdout, &r)
	})
}

// ClusterReport is what the death of a node costs its players. Times are what clients
// see, from the moment of the kill or of the order.
type ClusterReport struct {
	Nodes   int `json:"nodes"`
	Logs    int `json:"logs"`
	Matches int `json:"matches"`
	Players int `json:"players"`
	Kills   int `json:"kills"`

	ResumeP50S float64 `json:"resume_p50_s"` // kill -9 of the host to the first new frame, of each client
	ResumeP99S float64 `json:"resume_p99_s"`
	ResumeMaxS float64 `json:"resume_max_s"`
	FrozenP99S float64 `json:"frozen_p99_s"` // the longest time without a frame, of clients whose host lived

	Orders       int `json:"orders"` // answered, in all matches
	LostOrders   int `json:"lost_orders"`
	DoubleOrders int `json:"double_orders"`

	AppendP99Ms         float64 `json:"append_p99_ms"`
	OrderRTTP50Ms       float64 `json:"order_rtt_p50_ms"` // order sent to answer received, while nothing is broken
	OrderRTTP99Ms       float64 `json:"order_rtt_p99_ms"`
	SingleOrderRTTP50Ms float64 `json:"single_order_rtt_p50_ms"` // the same matches on one server with its own journals
	SingleOrderRTTP99Ms float64 `json:"single_order_rtt_p99_ms"`

	TakeoverCoreS  float64 `json:"takeover_core_s_per_match"` // of the survivors, above what they took before
	Moves          int     `json:"moves"`
	MovesPauseP50  float64 `json:"moves_pause_p50_ms"` // without a frame, of each client of a match that was moved
	MovesPauseP99  float64 `json:"moves_pause_p99_ms"`
	FramesCompared int     `json:"frames_compared"` // with a replay of the journal
}

// Cluster plays matches on a single server and then on a cluster, whose nodes it kills
// and whose matches it moves. At the end it holds everything that any client was told to
// the journals; that something is wrong there is an error.
func Cluster(ctx context.Context, c ClusterConfig) (ClusterReport, error) {
	r := ClusterReport{Nodes: c.Nodes, Logs: max(c.Logs, 0), Matches: c.Matches, Players: c.Players, Kills: c.Kills}
	if c.Nodes < 3 || c.Matches < 1 || c.Players < 2 {
		return r, errors.New("bench cluster: want at least 3 nodes, 1 match and 2 players")
	}
	c.Progress("playing %d matches on a single server", c.Matches)
	single, err := c.single(ctx)
	if err != nil {
		return r, err
	}
	r.SingleOrderRTTP50Ms, r.SingleOrderRTTP99Ms = millis(single, 50), millis(single, 99)
	cluster, err := clustertest.New(clustertest.Config{
		Program: c.Program, Dir: c.Dir, Database: c.Database, Nodes: c.Nodes, Logs: c.Logs,
	})
	if err != nil {
		return r, err
	}
	defer cluster.Close()
	c.Progress("starting %d nodes", c.Nodes)
	if err := cluster.Start(ctx); err != nil {
		return r, err
	}
	b := clusterBench{ClusterConfig: c, cluster: cluster, report: &r, random: rand.New(rand.NewPCG(c.Seed, 0))}
	defer b.close()
	return r, b.run(ctx)
}

// single returns the round trips of orders on one server.
func (c *ClusterConfig) single(ctx context.Context) ([]time.Duration, error) {
	n, end, err := clustertest.StartNode(ctx, c.Program, filepath.Join(c.Dir, "single"), "single", clustertest.BelieveAddresses...)
	if err != nil {
		return nil, err
	}
	defer end()
	b := clusterBench{ClusterConfig: *c}
	defer b.close()
	if err := b.begin(ctx, []string{n.URL}); err != nil {
		return nil, err
	}
	return b.roundTrips(ctx)
}

// clusterBench is a run on one server or a cluster.
type clusterBench struct {
	ClusterConfig
	cluster *clustertest.Cluster
	report  *ClusterReport
	random  *rand.Rand
	matches []*clustertest.Match
}

func (b *clusterBench) close() {
	for _, m := range b.matches {
		m.Close()
	}
}

// begin starts the matches.
func (b *clusterBench) begin(ctx context.Context, urls []string) error {
	for i := range b.Matches {
		at := append(slices.Clone(urls[i%len(urls):]), urls[:i%len(urls)]...)
		m, err := clustertest.NewMatch(ctx, clustertest.MatchConfig{
			Name: fmt.Sprintf("bench%d", i), URLs: at, Players: b.Players, Seed: b.Seed + uint64(i),
		})
		if err != nil {
			return fmt.Errorf("match %d: %w", i, err)
		}
		b.matches = append(b.matches, m)
	}
	return nil
}

// roundTrips plays for a while, and returns how long the answers to orders took.
func (b *clusterBench) roundTrips(ctx context.Context) (out []time.Duration, err error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(2 * time.Second): // until the first have settled
	}
	began := time.Now()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(b.Quiet):
	}
	for _, m := range b.matches {
		for _, p := range m.Players {
			for _, o := range p.Orders() {
				if o.Sent.After(began) && !o.Answered.IsZero() {
					out = append(out, o.Answered.Sub(o.Sent))
				}
			}
		}
	}
	if len(out) < 100 {
		return nil, fmt.Errorf("bench cluster: only %d orders were answered", len(out))
	}
	return out, nil
}

func (b *clusterBench) run(ctx context.Context) error {
	r := b.report
	if err := b.begin(ctx, b.cluster.URLs()); err != nil {
		return err
	}
	b.Progress("playing %d matches on the cluster", b.Matches)
	appends, err := b.cluster.Appends(ctx)
	if err != nil {
		return err
	}
	trips, err := b.roundTrips(ctx)
	if err != nil {
		return err
	}
	since, err := b.cluster.Appends(ctx)
	if err != nil {
		return err
	}
	r.AppendP99Ms = since.Since(appends).Percentile(99) * 1000
	r.OrderRTTP50Ms, r.OrderRTTP99Ms = millis(trips, 50), millis(trips, 99)
	if err := b.kills(ctx); err != nil {
		return err
	}
	if err := b.moves(ctx); err != nil {
		return err
	}
	b.Progress("comparing the received frames with the journals")
	var wrong []error
	for _, m := range b.matches {
		v := clustertest.Verify(b.cluster.Journal(ctx, m.ID), m.Players, false)
		r.Orders += v.Orders
		r.LostOrders += v.Lost
		r.DoubleOrders += v.Doubled
		r.FramesCompared += v.Frames
		wrong = append(wrong, v.Err())
	}
	return errors.Join(wrong...)
}

// settle is the time between two kills: a second one within it meets matches whose log
// is led beside them.
const settle = 12 * time.Second

// kills kills the host of the most matches, again and again.
func (b *clusterBench) kills(ctx context.Context) error {
	var resumed, frozen []time.Duration
	var cores float64
	taken := 0
	for kill := range b.Kills {
		host, hit, err := b.busiest()
		if err != nil {
			return err
		}
		b.Progress("kill %d of %d: %s with %d matches", kill+1, b.Kills, host.Name, len(hit))
		const before = 3 * time.Second
		cpu, began := b.others(host), time.Now()
		time.Sleep(before)
		rate := (b.others(host) - cpu).Seconds() / time.Since(began).Seconds()
		host.Kill()
		killed := time.Now()
		cpu = b.others(host)
		if err := await(ctx, hit, killed); err != nil {
			return err
		}
		cores += (b.others(host) - cpu).Seconds() - rate*time.Since(killed).Seconds()
		taken += len(hit)
		if err := host.Start(); err != nil {
			return err
		}
		if err := b.cluster.Open(ctx); err != nil {
			return err
		}
		time.Sleep(settle) // the journal server that came with it catches up, and leaders of the log move away from matches
		for _, m := range b.matches {
			lost := slices.Contains(hit, m)
			for _, p := range m.Players {
				if lost {
					resumed = append(resumed, p.FirstFrame(killed).Sub(killed))
				} else {
					frozen = append(frozen, p.Gap(killed, time.Now()))
				}
			}
		}
	}
	r := b.report
	if len(resumed) > 0 {
		r.ResumeP50S, r.ResumeP99S = millis(resumed, 50)/1000, millis(resumed, 99)/1000
		r.ResumeMaxS = slices.Max(resumed).Seconds()
		r.TakeoverCoreS = max(0, cores) / float64(taken)
	}
	if len(frozen) > 0 {
		r.FrozenP99S = millis(frozen, 99) / 1000
	}
	return nil
}

// busiest returns the node with the most matches, and those.
func (b *clusterBench) busiest() (*clustertest.Node, []*clustertest.Match, error) {
	of := map[*clustertest.Node][]*clustertest.Match{}
	for _, m := range b.matches {
		host, err := b.cluster.Host(m)
		if err != nil {
			return nil, nil, err
		}
		of[host] = append(of[host], m)
	}
	best := slices.MaxFunc(b.cluster.Nodes, func(x, y *clustertest.Node) int { return len(of[x]) - len(of[y]) })
	return best, of[best], nil
}

// others returns the processor time of all nodes but one.
func (b *clusterBench) others(than *clustertest.Node) (sum time.Duration) {
	for _, n := range b.cluster.Nodes {
		if n != than {
			sum += n.CPU()
		}
	}
	return sum
}

// await waits until every player of the matches has had a frame since a moment.
func await(ctx context.Context, matches []*clustertest.Match, since time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, m := range matches {
		for _, p := range m.Players {
			for p.FirstFrame(since).IsZero() {
				select {
				case <-ctx.Done():
					return fmt.Errorf("bench cluster: %s had no frame for a minute: %w", p.Name, p.Story())
				case <-time.After(5 * time.Millisecond):
				}
			}
		}
	}
	return nil
}

// arrived waits until the players of a match play at a node.
func (b *clusterBench) arrived(ctx context.Context, m *clustertest.Match, to *clustertest.Node) error {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		host, err := b.cluster.Host(m)
		if err == nil && host == to {
			return nil
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Errorf("bench cluster: match %s was moved to %s and its players are not there: %w", m.ID, to.Name, errors.Join(err, m.Players[0].Story()))
		}
	}
}

// moves moves matches from node to node, one at a time.
func (b *clusterBench) moves(ctx context.Context) error {
	var pauses []time.Duration
	for i := range b.Moves {
		m := b.matches[i%len(b.matches)]
		host, err := b.cluster.Host(m)
		if err != nil {
			return err
		}
		others := slices.DeleteFunc(slices.Clone(b.cluster.Nodes), func(n *clustertest.Node) bool { return n == host })
		to := others[b.random.IntN(len(others))]
		if i == 0 {
			b.Progress("moving %d matches", b.Moves)
		}
		began := time.Now()
		if err := b.cluster.Move(ctx, m, to); err != nil {
			return err
		}
		if err := b.arrived(ctx, m, to); err != nil {
			return err
		}
		time.Sleep(500 * time.Millisecond)
		for _, p := range m.Players {
			pauses = append(pauses, p.Gap(began, time.Now()))
		}
		b.report.Moves++
	}
	if len(pauses) > 0 {
		b.report.MovesPauseP50, b.report.MovesPauseP99 = millis(pauses, 50), millis(pauses, 99)
	}
	return nil
}

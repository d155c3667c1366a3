package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/verify"
)

// LoadConfig is what [Load] measures.
type LoadConfig struct {
	Host
	asJSON
	URL        string  `name:"url" placeholder:"URL" help:"The players' address of a server that runs already, on this machine or elsewhere. Default: the bench starts one."`
	MetricsURL string  `name:"metrics-url" placeholder:"URL" help:"With --url: the address of its metrics, for ticks, processor time and memory. Without it they are not measured."`
	Ruleset    string  `placeholder:"ID" help:"With --url: the ruleset of the matches. Default: the server's first."`
	Matches    int     `default:"200" help:"Matches at once."`
	Players    int     `default:"2" help:"Players per match, one client each."`
	Units      int     `default:"50" help:"Units per player."`
	Seconds    int     `default:"30" help:"Measured seconds of play."`
	OrdersPerS float64 `name:"orders" default:"0.5" help:"Orders per second and client."`
	Rejoins    float64 `default:"0.002" help:"Share of the clients that lose their connection per second and come back."`
	Spectators int     `default:"32" help:"Spectators of one of the matches."`
	Delay      int     `default:"60" help:"Seconds that spectators are behind."`
	Idle       int     `default:"10000" help:"Logged-in people who wait, with one event stream each."`
	BytesPerS  int     `name:"bytes-per-second" help:"Byte limit per second and player; 0: no limit."`
	Storm      int     `default:"2000" help:"Connections that are cut at once: first all players', then waiting people's, who log in again."`
	Seed       uint64  `default:"1" help:"Seed of the clients' choices."`
}

// Run measures and prints.
func (c *LoadConfig) Run(in *cli.Invocation) error {
	if c.URL != "" {
		c.Progress = in.Progress
	} else {
		end, err := c.prepare(in)
		if err != nil {
			return err
		}
		defer end()
	}
	r, err := Load(in.Ctx, *c)
	if err != nil {
		return err
	}
	if err := c.print(in.Stdout, &r); err != nil {
		return err
	}
	if r.Mismatches+r.Resyncs > 0 {
		return fmt.Errorf("bench load: clients held %d things wrong and %d wrong masks: %v", r.Mismatches, r.Resyncs, r.FirstMismatches)
	}
	return nil
}

// LoadReport is what many matches of one process cost, and what their players notice.
// Server figures are of its own process. Server and clients share the machine.
type LoadReport struct {
	Matches int `json:"matches"`
	Clients int `json:"clients"`
	Units   int `json:"units"` // a player
	Seconds int `json:"seconds"`

	TickLateP99Ms float64 `json:"tick_late_p99_ms"` // how late ticks began
	TickP99Ms     float64 `json:"tick_p99_ms"`
	OrderRTTP50Ms float64 `json:"order_rtt_p50_ms"` // order sent to answer received
	OrderRTTP99Ms float64 `json:"order_rtt_p99_ms"`
	Orders        int     `json:"orders"` // that were answered
	Rejoins       int     `json:"rejoins"`
	RejoinP99Ms   float64 `json:"rejoin_p99_ms"` // connection lost to the first frame, of single clients
	ServerCore    float64 `json:"server_core"`
	RSSMB         float64 `json:"rss_mb"`
	LoginP99Ms    float64 `json:"login_p99_ms"` // of the guests who came in at first

	Spectators     int     `json:"spectators"`
	WatchedTickP99 float64 `json:"watched_tick_p99_ratio"` // p99 tick of all matches, while one is watched against before
	WatchedLateP99 float64 `json:"watched_late_p99_ms"`
	IdleSockets    int     `json:"idle_sockets"`
	IdleRSSMB      float64 `json:"idle_rss_mb"` // that they added
	Storm          int     `json:"storm"`       // connections that were cut at once
	ReconnectP99S  float64 `json:"reconnect_p99_s"`
	StormLoginP99S float64 `json:"storm_login_p99_s"`
	StormTickP99   float64 `json:"storm_tick_p99_ratio"`     // p99 tick while they come back, against the first phase
	StormBeforeMs  float64 `json:"storm_before_tick_p99_ms"` // just before the cut
	StormTickP99Ms float64 `json:"storm_tick_p99_ms"`
	StormLateP99Ms float64 `json:"storm_tick_late_p99_ms"`

	Compared        int      `json:"compared"` // entities that clients held, with a replay of the journal
	Mismatches      int      `json:"mismatches"`
	Resyncs         int      `json:"resyncs"` // masks that a client derived wrong
	FirstMismatches []string `json:"first_mismatches,omitempty"`
	// FramesShort counts partial frames, for clients that did not keep up. The state of such a client before it had
	// the rest is not compared: Uncompared counts these comparisons.
	FramesShort int `json:"frames_short"`
	Uncompared  int `json:"uncompared"`
	// Unmeasured are the keys that have no value, because the server runs elsewhere.
	Unmeasured []string `json:"unmeasured,omitempty"`
}

// Load runs many matches in one server process over real sockets and measures their cost. It is an error if less
// ran than was asked for. The clients' states are compared with the journals afterwards, by [LoadReport.Mismatches].
func Load(ctx context.Context, c LoadConfig) (LoadReport, error) {
	r := LoadReport{Matches: c.Matches, Clients: c.Matches * c.Players, Units: c.Units, Seconds: c.Seconds, Spectators: c.Spectators, IdleSockets: c.Idle, Storm: c.Storm}
	switch {
	case c.Matches < 1 || c.Players < 2 || c.Units < 1 || c.Seconds < 5:
		return r, errors.New("want at least 1 match, 2 players, 1 unit a player and 5 seconds")
	case c.Storm > r.Clients+c.Idle:
		return r, fmt.Errorf("%d connections cannot be cut: there are %d", c.Storm, r.Clients+c.Idle)
	}
	if err := c.checkPlace(); err != nil {
		return r, err
	}
	if c.URL != "" {
		l, err := remoteLoad(ctx, c, &r)
		if err != nil {
			return r, err
		}
		defer l.http.CloseIdleConnections()
		err = l.run(ctx)
		return r, l.explain(err)
	}
	l, end, err := startLoad(ctx, c, &r)
	if err != nil {
		return r, err
	}
	defer end()
	if err := l.run(ctx); err != nil {
		return r, fmt.Errorf("%w\n%s", err, l.node.Output(2000))
	}
	return r, nil
}

// startLoad starts a server for a load; more are limits that do not hold for it. end ends
// it.
func startLoad(ctx context.Context, c LoadConfig, r *LoadReport, more ...string) (_ *load, end func(), err error) {
	if !processMeasured {
		return nil, nil, errors.New("the processor time and memory of a process are measured on Linux only")
	}
	rulesDir := filepath.Join(c.Dir, "rules")
	if err := writeLoadRules(rulesDir, c.Units); err != nil {
		return nil, nil, err
	}
	args := append([]string{"--content-dir", c.Dir, "--disk-reserve-mib", "0", "--grace", "1s", "--bytes-per-second", fmt.Sprint(c.BytesPerS)}, clustertest.BelieveAddresses...)
	for _, limit := range append([]string{
		"connections.process", "handshakes.process", "early-sockets.process", "sockets.process", "event-streams.process", "requests.process",
		"lobby-changes.process", "match-ticks.process", "match-starts.process", "new-guests.process", "new-lobbies.process", "bot-seats.process",
	}, more...) {
		args = append(args, "--limit", limit+"=0")
	}
	node, kill, err := clustertest.StartNode(ctx, c.Program, c.Dir, "server", args...)
	if err != nil {
		return nil, nil, err
	}
	l := &load{LoadConfig: c, node: node, report: r, http: busyHTTP(), keeps: true}
	return l, func() {
		l.http.CloseIdleConnections()
		kill()
	}, nil
}

// loadRules is the name of the ruleset that a load plays with.
const loadRules = "load"

// writeLoadRules writes the shipped rules with so many soldiers a player at the
// start, and nobody who works: what moves is what clients order.
func writeLoadRules(dir string, units int) error {
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	all["name"] = loadRules
	all["start"] = []any{
		map[string]any{"type": "command-centre"},
		map[string]any{"type": "soldier", "count": units},
	}
	settings, ok := all["settings"].(map[string]any)
	if !ok {
		return errors.New("bench: the shipped rules have no settings")
	}
	settings["pop_max"] = max(200, 2*units)
	out, err := json.Marshal(all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, loadRules+".json"), out, 0o600)
}

// load is a run.
type load struct {
	LoadConfig
	node   *clustertest.Node
	report *LoadReport
	http   *http.Client
	keeps  bool // clients keep their messages, for a comparison with the journals

	info    mapChoice
	clients []*loadClient // all players, match by match
	idle    []*idler
}

type mapChoice struct {
	id   string
	grid *grid.Map
}

func (l *load) guest() *client.Client { return clustertest.Visitor(l.node.URL, l.http) }

func (l *load) run(ctx context.Context) error {
	if err := l.chooseMap(ctx); err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	if err := l.enter(ctx, &running); err != nil {
		return err
	}
	l.Progress("playing for %d s", l.Seconds)
	quiet, err := l.play(ctx)
	if err != nil {
		return err
	}
	if err := l.watch(ctx, quiet); err != nil {
		return err
	}
	if err := l.idlers(ctx, &running); err != nil {
		return err
	}
	if err := l.storm(ctx, quiet); err != nil {
		return err
	}
	if l.metered() {
		short, err := l.node.Counter(ctx, "fogkeep_match_frames_short_total")
		if err != nil {
			return err
		}
		l.report.FramesShort = int(short)
	}
	cancel()
	running.Wait()
	if l.URL != "" {
		l.Progress("comparing what clients held with the replays")
		return l.compareReplays(parent)
	}
	l.node.Kill() // its journals are all that is still needed of it
	l.Progress("comparing what clients held with the journals")
	return l.compare()
}

// chooseMap takes the smallest map with room.
func (l *load) chooseMap(ctx context.Context) error {
	g := l.guest()
	if _, err := g.Guest(ctx, ""); err != nil {
		return err
	}
	maps, err := g.Maps(ctx)
	if err != nil {
		return err
	}
	best, ok := clustertest.MapFor(maps, "", l.Players)
	if !ok {
		return fmt.Errorf("no map for %d players", l.Players)
	}
	l.info.id = best.ID
	l.info.grid, err = g.Map(ctx, best.Hash)
	return err
}

// enter makes the missing matches and waits until their players play.
func (l *load) enter(ctx context.Context, running *sync.WaitGroup) error {
	there := len(l.clients)
	l.Progress("%d matches of %d players are made", l.Matches-there/l.Players, l.Players)
	if err := l.begin(ctx); err != nil {
		return err
	}
	for _, c := range l.clients[there:] {
		running.Go(func() { c.run(ctx) })
	}
	if err := l.playing(ctx); err != nil {
		return err
	}
	return l.settle(ctx)
}

// begin makes the missing matches. A few lobbies form at once.
func (l *load) begin(ctx context.Context) error {
	there := len(l.clients)
	l.clients = append(l.clients, make([]*loadClient, l.Matches*l.Players-there)...)
	logins := make([]time.Duration, len(l.clients))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(4)
	for i := there / l.Players; i < l.Matches; i++ {
		g.Go(func() error {
			if err := l.lobby(gctx, i, logins); err != nil {
				return fmt.Errorf("match %d: %w", i, err)
			}
			return nil
		})
	}
	err := g.Wait()
	l.report.LoginP99Ms = millis(logins[there:], 99)
	return err
}

func (l *load) lobby(ctx context.Context, match int, logins []time.Duration) error {
	people := make([]*client.Client, l.Players)
	for i := range people {
		people[i] = l.guest()
		began := time.Now()
		if _, err := people[i].Guest(ctx, ""); err != nil {
			return err
		}
		logins[match*l.Players+i] = time.Since(began)
	}
	options := map[string]any{"countdownSeconds": 0}
	if l.URL == "" {
		options["ruleset"] = loadRules
	} else if l.Ruleset != "" {
		options["ruleset"] = l.Ruleset
	}
	if match == 0 && l.Spectators > 0 {
		options["spectators"], options["spectatorDelay"] = l.Spectators, l.Delay
	}
	formed, err := people[0].StartMatch(ctx, api.NewLobby{Name: fmt.Sprintf("load %d", match), Map: l.info.id, Limit: l.Players, Options: options}, people[1:]...)
	if err != nil {
		return err
	}
	for i, p := range people {
		n := match*l.Players + i
		l.clients[n] = newLoadClient(l, p, formed.ID, n)
		if err := l.clients[n].takeTicket(ctx); err != nil {
			return err
		}
	}
	return nil
}

// waitMax bounds how long a phase waits for its clients.
const waitMax = 60 * time.Second

// until waits until ok is true of each.
func until[T any](ctx context.Context, what string, each []T, ok func(T) bool) error {
	end := time.Now().Add(waitMax)
	for i, x := range each {
		for !ok(x) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if time.Now().After(end) {
				return fmt.Errorf("bench load: after %v %s: %d of %d are not", waitMax, what, len(each)-i, len(each))
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return nil
}

// playing waits until every client plays.
func (l *load) playing(ctx context.Context) error {
	if err := until(ctx, "all clients were to play", l.clients, func(c *loadClient) bool { return c.failed() != nil || c.tick.Load() > 0 }); err != nil {
		return err
	}
	return l.failed()
}

// settle waits until the cost of the beginning has passed.
func (l *load) settle(ctx context.Context) error { return sleep(ctx, 3) }

func (l *load) failed() error {
	for _, c := range l.clients {
		if err := c.failed(); err != nil {
			return err
		}
	}
	return nil
}

// ticking are the durations of the server's ticks over a time.
type ticking struct{ took, late clustertest.Histogram }

func (t ticking) tookP99() float64 { return t.took.Percentile(99) * 1000 }
func (t ticking) lateP99() float64 { return t.late.Percentile(99) * 1000 }

// metered reports whether the server's metrics are read.
func (l *load) metered() bool { return l.URL == "" || l.MetricsURL != "" }

func (l *load) ticks(ctx context.Context) (t ticking, err error) {
	if !l.metered() {
		return t, nil
	}
	if t.took, err = l.node.Histogram(ctx, "fogkeep_match_tick_seconds"); err != nil {
		return t, err
	}
	t.late, err = l.node.Histogram(ctx, "fogkeep_match_late_seconds")
	return t, err
}

// during returns the ticks while do ran.
func (l *load) during(ctx context.Context, do func() error) (ticking, error) {
	before, err := l.ticks(ctx)
	if err != nil {
		return before, err
	}
	if err := do(); err != nil {
		return before, err
	}
	after, err := l.ticks(ctx)
	return ticking{after.took.Since(before.took), after.late.Since(before.late)}, err
}

// errShort is the error of a run that measured less than it was asked for.
var errShort = errors.New("bench load: too little was measured")

// play measures usual matches: orders, and single
// connections that are lost and come back.
func (l *load) play(ctx context.Context) (ticking, error) {
	began := time.Now()
	cpu, _, err := l.usage(ctx)
	if err != nil {
		return ticking{}, err
	}
	for _, c := range l.clients {
		c.measure(true)
	}
	cut := rand.New(rand.NewPCG(l.Seed, 77))
	t, err := l.during(ctx, func() error {
		due := 0.0
		for end := began.Add(time.Duration(l.Seconds) * time.Second); time.Now().Before(end); {
			if err := ctx.Err(); err != nil {
				return err
			}
			time.Sleep(50 * time.Millisecond)
			for due += 0.05 * l.Rejoins * float64(len(l.clients)); due >= 1; due-- {
				l.clients[cut.IntN(len(l.clients))].cut()
				l.report.Rejoins++
			}
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	wall := time.Since(began).Seconds()
	used, rss, err := l.usage(ctx)
	if err != nil {
		return t, err
	}
	l.report.ServerCore, l.report.RSSMB = (used-cpu).Seconds()/wall, rss
	l.report.TickP99Ms, l.report.TickLateP99Ms = t.tookP99(), t.lateP99()
	var trips, back []time.Duration
	for _, c := range l.clients {
		c.measure(false)
		c.mu.Lock()
		trips, back = append(trips, c.trips...), append(back, c.returns...)
		c.mu.Unlock()
	}
	l.report.Orders = len(trips)
	if want := float64(len(l.clients)) * l.OrdersPerS * wall / 2; float64(len(trips)) < want && !l.AnyPace {
		return t, fmt.Errorf("%w: %d orders were answered, at least %.0f were to be", errShort, len(trips), want)
	}
	l.report.OrderRTTP50Ms, l.report.OrderRTTP99Ms = millis(trips, 50), millis(trips, 99)
	l.report.RejoinP99Ms = millis(back, 99)
	if ticks, want := t.took.Count(), wall*float64(l.Matches*grid.TickRateDefault)*8/10; ticks < want && !l.AnyPace && l.metered() {
		return t, fmt.Errorf("%w: %.0f ticks in %.0f s, at least %.0f were to be", errShort, ticks, wall, want)
	}
	return t, l.failed()
}

// watchSeconds is how long the first match is watched, at most.
const watchSeconds = 10

// watch lets spectators of the first match in and measures the ticks of all while
// they watch.
func (l *load) watch(ctx context.Context, quiet ticking) error {
	if l.Spectators == 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	l.Progress("%d spectators watch the first match %d s late", l.Spectators, l.Delay)
	var watchers []*loadClient
	for i := range l.Spectators {
		g := l.guest()
		if _, err := g.Guest(ctx, ""); err != nil {
			return err
		}
		if _, err := g.Join(ctx, l.clients[0].lobby, api.JoinRequest{Spectate: true}); err != nil {
			return fmt.Errorf("spectator %d: %w", i, err)
		}
		w := newLoadClient(l, g, l.clients[0].lobby, -1-i)
		if err := w.takeTicket(ctx); err != nil {
			return fmt.Errorf("spectator %d: %w", i, err)
		}
		watchers = append(watchers, w)
		running.Go(func() { w.run(ctx) })
	}
	if err := until(ctx, "all spectators were to see the match", watchers, func(c *loadClient) bool { return c.failed() != nil || c.tick.Load() > 0 }); err != nil {
		return err
	}
	for _, w := range watchers {
		if err := w.failed(); err != nil {
			return err
		}
	}
	t, err := l.during(ctx, func() error { return sleep(ctx, min(watchSeconds, l.Seconds)) })
	if err != nil {
		return err
	}
	for _, w := range watchers {
		l.report.Resyncs += int(w.resyncs.Load())
	}
	l.report.WatchedTickP99, l.report.WatchedLateP99 = ratio(t.tookP99(), quiet.tookP99()), t.lateP99()
	return l.failed()
}

// idlers lets people in who only wait: each has an event stream, as the page has on
// which one chooses what to play.
func (l *load) idlers(ctx context.Context, running *sync.WaitGroup) error {
	if l.Idle == 0 {
		return nil
	}
	l.Progress("%d people log in and wait", l.Idle)
	_, before, err := l.usage(ctx)
	if err != nil {
		return err
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	l.idle = make([]*idler, l.Idle)
	for i := range l.idle {
		g.Go(func() error {
			x := &idler{load: l, who: l.guest()}
			l.idle[i] = x
			return x.enter(gctx, ctx)
		})
	}
	if err = g.Wait(); err != nil {
		return err
	}
	if err = l.settle(ctx); err != nil {
		return err
	}
	open := 0
	for _, x := range l.idle {
		if x.open() {
			open++
		}
	}
	if open != l.Idle {
		return fmt.Errorf("bench load: %d of %d event streams are open", open, l.Idle)
	}
	_, after, err := l.usage(ctx)
	if err != nil {
		return err
	}
	l.report.IdleRSSMB = after - before
	running.Go(func() {
		<-ctx.Done()
		for _, x := range l.idle {
			x.cut()
		}
	})
	return nil
}

// patiently tries again while the server says that it is busy, as pages do.
func patiently(ctx context.Context, do func() error) error {
	for end := time.Now().Add(waitMax); ; {
		err := do()
		no, refused := errors.AsType[*client.Refusal](err)
		if !refused || no.Status != http.StatusServiceUnavailable || time.Now().After(end) || sleep(ctx, 1) != nil {
			return err
		}
	}
}

// How long the server's ticks are measured before the cut, and from the cut on at least.
const (
	calmSeconds  = 3
	stormSeconds = 5
)

// storm cuts connections at once. Players come back with their resume tokens, the
// others log in anew. Ticks are compared with the first phase's. Those just before
// the cut are told too: people who wait have come since, and ticks may take longer for that.
func (l *load) storm(ctx context.Context, quiet ticking) error {
	if l.Storm == 0 {
		return nil
	}
	calm, err := l.during(ctx, func() error { return sleep(ctx, calmSeconds) })
	if err != nil {
		return err
	}
	l.Progress("%d connections are cut at once", l.Storm)
	players := l.clients[:min(l.Storm, len(l.clients))]
	others := l.idle[:l.Storm-len(players)]
	var logins, backs []time.Duration
	t, err := l.during(ctx, func() error {
		began := time.Now()
		for _, c := range players {
			c.measure(true)
			c.cut()
		}
		var err error
		if logins, backs, err = l.comeBack(ctx, others, began); err != nil {
			return err
		}
		if err := until(ctx, "all players were to be back", players, func(c *loadClient) bool { return c.failed() != nil || c.back.Load() }); err != nil {
			return err
		}
		if rest := stormSeconds*time.Second - time.Since(began); rest > 0 {
			time.Sleep(rest)
		}
		return l.failed()
	})
	if err != nil {
		return err
	}
	for _, c := range players {
		c.mu.Lock()
		backs = append(backs, c.returns[len(c.returns)-1])
		c.mu.Unlock()
	}
	l.report.ReconnectP99S, l.report.StormLoginP99S = millis(backs, 99)/1000, millis(logins, 99)/1000
	l.report.StormTickP99, l.report.StormTickP99Ms, l.report.StormLateP99Ms = ratio(t.tookP99(), quiet.tookP99()), t.tookP99(), t.lateP99()
	l.report.StormBeforeMs = calm.tookP99()
	return nil
}

// comeBack cuts the event streams of people who wait. They log in anew, all at once. It
// returns how long their log-ins took, and when they were back.
func (l *load) comeBack(ctx context.Context, people []*idler, began time.Time) (logins, backs []time.Duration, err error) {
	logins, backs = make([]time.Duration, len(people)), make([]time.Duration, len(people))
	for _, x := range people {
		x.cut()
	}
	g, gctx := errgroup.WithContext(ctx)
	for i, x := range people {
		g.Go(func() error {
			x.who = l.guest()
			from := time.Now()
			if err := patiently(gctx, func() error {
				_, err := x.who.Guest(gctx, "")
				return err
			}); err != nil {
				return err
			}
			logins[i] = time.Since(from)
			if err := patiently(gctx, func() error { return x.listen(gctx, ctx) }); err != nil {
				return err
			}
			backs[i] = time.Since(began)
			return nil
		})
	}
	return logins, backs, g.Wait()
}

// compare plays every journal again and compares it with its clients' messages.
func (l *load) compare() error {
	var mu sync.Mutex
	g := errgroup.Group{}
	g.SetLimit(2)
	for i := 0; i < len(l.clients); i += l.Players {
		of := l.clients[i : i+l.Players]
		g.Go(func() error {
			n, err := notes.Read(l.node.Notes(of[0].match))
			if err != nil {
				return err
			}
			records := make([]*verify.Client, len(of))
			for i, c := range of {
				records[i] = &c.record
			}
			left, found := compareMatch(l.node.Journal(of[0].match), records, n.Links)
			mu.Lock()
			defer mu.Unlock()
			l.report.count(left, &found)
			return nil
		})
	}
	err := g.Wait()
	for _, c := range l.clients {
		l.report.Resyncs += int(c.resyncs.Load())
	}
	if err == nil && l.report.Compared < len(l.clients)*l.Units*l.Seconds/reportSeconds/2 && !l.AnyPace {
		err = fmt.Errorf("bench load: only %d entities were compared", l.report.Compared)
	}
	return err
}

// compareMatch compares a match at each tick that is a multiple of reportEvery. It leaves
// out clients that lacked rows at that tick: links are the notes of every second.
func compareMatch(read journal.Reader, records []*verify.Client, links []notes.Link) (left int, r verify.Report) {
	type seatAt struct {
		slot grid.Slot
		tick grid.Tick
	}
	short := map[seatAt]bool{}
	for _, x := range links {
		if x.Pending > 0 {
			short[seatAt{x.Slot, x.Tick}] = true
		}
	}
	r = verify.Match(read, records, verify.Options{At: func(slot grid.Slot, tick grid.Tick) bool {
		if tick%reportEvery != 0 {
			return false
		}
		if short[seatAt{slot, tick}] {
			left++
			return false
		}
		return true
	}})
	return left, r
}

// count adds the comparison of a match.
func (r *LoadReport) count(left int, found *verify.Report) {
	r.Uncompared += left
	r.Compared += found.Entities
	r.Mismatches += len(found.Wrong)
	for _, err := range found.Wrong[:min(len(found.Wrong), max(0, 10-len(r.FirstMismatches)))] {
		r.FirstMismatches = append(r.FirstMismatches, err.Error())
	}
}

// reportSeconds is reportEvery in seconds.
const reportSeconds = reportEvery / grid.TickRateDefault

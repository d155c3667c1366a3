package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// Host runs the matches of this node. The methods are called by several goroutines.
type Host interface {
	// Load returns the node's measurement of its own load. The cluster calls it four times per second.
	Load() placement.Load
	// Running returns the matches that run here. It is asked four times a second.
	Running() []string
	// TakeOver takes a match from its owner, and runs it here. nil: it runs here, or is over. [ErrCannotPlay]: this
	// build does not simulate as the match does; the match was not taken.
	TakeOver(ctx context.Context, match string) error
	// HandOver stops a match that runs here, so that another node can go on with it.
	HandOver(ctx context.Context, match string) error
}

// Journals lists the matches whose journal has open work. With an error it returns the matches that it could find.
type Journals interface {
	List() ([]string, error)
	// Doubt makes matches that run here ask the journal store, before their next frame, whether they still own their journals.
	Doubt(matches []string)
}

// Errors of this package.
var (
	ErrCannotPlay = errors.New("cluster: this build does not simulate as the match does")
	ErrNotJoined  = errors.New("cluster: this node has not joined yet")
	ErrReplaced   = errors.New("cluster: another process has joined under this node's name")
	ErrNameTaken  = errors.New("cluster: a living node has this node's name")
	ErrFull       = placement.ErrFull
)

// Config is a node's settings for joining.
type Config struct {
	Node     // this one's texts
	Conn     *nats.Conn
	Replicas int // of the directory: 1 or 3
	Host     Host
	Journals Journals
	// Ask takes a request to another node, where [Cluster.Answer] answers it.
	Ask func(ctx context.Context, node string, a Ask) ([]string, error)
	// Streams counts the matches that run here, by the journal store's stream that they are in. nil:
	// the leaders of the journal store stay where they are.
	Streams func() map[string]int
	// Clients counts the connected clients of the matches that run here: the others take these first if this node dies.
	// nil: not known.
	Clients    func() map[string]int
	Logger     *slog.Logger          // may be nil
	Registerer prometheus.Registerer // may be nil
	Parallel   int                   // matches that are taken over at the same time; 0: [TakeOversPerCore] times the processors

	times times // tests have shorter ones
}

// Cluster is this node's part in the cluster.
type Cluster struct {
	cfg     Config
	log     *slog.Logger
	metrics *metrics
	js      jetstream.JetStream
	began   time.Time // of the monotonic clock
	joined  chan struct{}
	dir     directory

	mu        sync.Mutex
	core      *core // nil until this node has joined
	promised  []promise
	answered  time.Duration // the journal store, for the last time
	announced time.Duration // the last announcement of this node's matches to the others
	saidAlone bool
	saidFull  bool

	nudge   chan struct{} // something changed: look now
	rescan  chan struct{} // look at the journals
	drained chan struct{} // a signal to look for matches to move
	work    chan struct{} // one for each takeover that may run
	workers sync.WaitGroup
}

// New returns a node that has not joined.
func New(cfg Config) (*Cluster, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	switch {
	case cfg.Conn == nil || cfg.Host == nil || cfg.Journals == nil || cfg.Ask == nil:
		return nil, errors.New("cluster: a connection, a host, journals and a way to other nodes are needed")
	case cfg.Replicas != 1 && cfg.Replicas != 3:
		return nil, errors.New("cluster: the directory has 1 or 3 replicas")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.times == (times{}) {
		cfg.times = usualTimes
	}
	if cfg.Parallel == 0 {
		cfg.Parallel = TakeOversPerCore * runtime.GOMAXPROCS(0)
	}
	cfg.Parallel = min(cfg.Parallel, maxTaking)
	js, err := jetstream.New(cfg.Conn)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	c := &Cluster{
		cfg: cfg, log: cfg.Logger, metrics: newMetrics(cfg.Registerer), js: js, began: time.Now(), joined: make(chan struct{}),
		nudge: make(chan struct{}, 1), rescan: make(chan struct{}, 1), drained: make(chan struct{}, 1), work: make(chan struct{}, cfg.Parallel),
	}
	c.dir.init(c)
	return c, nil
}

// now is the time since New, by the monotonic clock.
func (c *Cluster) now() time.Duration { return time.Since(c.began) }

// Joined is closed once this node has joined: it has an incarnation and has read the directory.
func (c *Cluster) Joined() <-chan struct{} { return c.joined }

// Run joins, and works until the context ends. Then it says goodbye, so that the others do not wait for this node. It
// returns [ErrReplaced] if another process has joined under this name: the caller must stop the node. It returns
// [ErrNameTaken] if it could not join for that reason.
func (c *Cluster) Run(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	beats := make(chan []byte, 4*MaxNodes)
	sub, err := c.cfg.Conn.Subscribe(beatSubject, func(m *nats.Msg) {
		select {
		case beats <- m.Data:
		default: // this node is behind; the next one says the same
		}
	})
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := c.silence(ctx, beats); err != nil {
		return err
	}
	if !c.join(ctx) {
		return nil
	}
	owned, err := c.cfg.Conn.Subscribe(ownsSubject, func(m *nats.Msg) { c.learnOf(m.Data) })
	if err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	defer func() { _ = owned.Unsubscribe() }()
	close(c.joined)
	c.log.Info("joined the cluster", "node", c.cfg.Name, "incarnation", c.self().incarnation)

	for name, f := range map[string]func(context.Context) error{
		"cluster heartbeats": func(ctx context.Context) error { return c.beatLoop(ctx, beats) },
		"cluster directory":  c.dir.watchLoop,
		"cluster writes":     c.dir.writeLoop,
		"cluster log":        c.probeLoop,
		"cluster scan":       c.scanLoop,
		"cluster drain":      c.drainLoop,
		"cluster leaders":    c.leaderLoop,
	} {
		all.Go(panics.AsError(c.log, name, func() error { return f(ctx) }))
	}
	err = all.Wait()
	c.workers.Wait()
	c.goodbye()
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

const (
	beatSubject = "fogkeep.beat"
	ownsSubject = "fogkeep.owns"
)

// learnOf takes in another node's announcement of its matches.
func (c *Cluster) learnOf(data []byte) {
	o, err := readOwns(data)
	if err != nil {
		c.metrics.bad.Inc()
		c.log.Warn("a message of another node was dropped", "error", err)
		return
	}
	c.mu.Lock()
	doubted := c.core.told(c.now(), o)
	c.mu.Unlock()
	c.cfg.Journals.Doubt(doubted)
}

// tell announces this node's matches to the others.
func (c *Cluster) tell(matches []string, isNew bool) { c.say(owns{New: isNew}, matches) }

func (c *Cluster) say(o owns, matches []string) {
	self := c.self()
	o.V, o.Name, o.Incarnation = beatVersion, self.name, self.incarnation
	var clients map[string]int
	if c.cfg.Clients != nil && len(matches) > 0 {
		clients = c.cfg.Clients()
	}
	for chunk := range slices.Chunk(matches, mostOwns) {
		o.Matches, o.Clients = chunk, nil
		for _, m := range chunk {
			o.Clients = append(o.Clients, min(clients[m], maxClients))
		}
		data, err := json.Marshal(o)
		if err == nil {
			err = c.cfg.Conn.Publish(ownsSubject, data)
		}
		if err != nil {
			return // the connection is lost: it is told again
		}
	}
}

// silence waits until it hears no heartbeat of this node's name: a killed process sends no heartbeat, and a living one
// must not be replaced by mistake.
func (c *Cluster) silence(ctx context.Context, beats <-chan []byte) error {
	quiet, enough := time.NewTimer(3*c.cfg.times.heartbeat), time.NewTimer(5*c.cfg.times.suspect)
	defer quiet.Stop()
	defer enough.Stop()
	for {
		select {
		case data := <-beats:
			if b, err := readBeat(data); err == nil && b.Name == c.cfg.Name && !b.Bye {
				quiet.Reset(c.cfg.times.suspect)
			}
		case <-quiet.C:
			return nil
		case <-enough.C:
			return fmt.Errorf("%w: %s", ErrNameTaken, c.cfg.Name)
		case <-ctx.Done():
			return nil
		}
	}
}

// join takes an incarnation and reads the directory. It tries until the context ends: without the journal store a node has no
// match to run. It returns whether it has joined.
func (c *Cluster) join(ctx context.Context) bool {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		incarnation, err := c.dir.open(ctx)
		if err == nil {
			now := c.now()
			self := c.cfg.Node
			self.Incarnation, self.Load = incarnation, c.cfg.Host.Load()
			c.mu.Lock()
			c.core, c.answered = newCore(c.cfg.times, self, now), now
			c.mu.Unlock()
			if err = c.dir.read(ctx); err == nil {
				return true
			}
		}
		c.mu.Lock()
		c.core = nil
		c.mu.Unlock()
		if ctx.Err() != nil {
			return false
		}
		c.log.Warn("the node cannot join the cluster yet: the journal store does not answer", "error", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// self returns this life of this node.
func (c *Cluster) self() owner {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return owner{name: c.cfg.Name}
	}
	return c.core.owner()
}

// beatLoop sends and hears heartbeats, and starts the work that follows from them.
func (c *Cluster) beatLoop(ctx context.Context, beats <-chan []byte) error {
	t := c.cfg.times
	send, look := time.NewTicker(t.heartbeat), time.NewTicker(t.heartbeat/5)
	defer send.Stop()
	defer look.Stop()
	c.send(false)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case data := <-beats:
			if err := c.hear(data); err != nil {
				return err
			}
			continue
		case <-send.C:
			c.renew()
			c.send(false)
		case <-c.nudge:
			c.renew()
			c.send(false)
		case <-look.C:
		}
		c.look(ctx)
	}
}

// hear takes in a heartbeat.
func (c *Cluster) hear(data []byte) error {
	b, err := readBeat(data)
	if err != nil {
		c.metrics.bad.Inc()
		c.log.Warn("a heartbeat was dropped", "error", err)
		return nil
	}
	c.mu.Lock()
	m := c.core.members
	before, known := m.byName[b.Name]
	was := State("")
	if known {
		was = before.State
	}
	doubted := c.core.hear(c.now(), b)
	defer c.cfg.Journals.Doubt(doubted)
	defer c.mu.Unlock()
	if m.replaced {
		return fmt.Errorf("%w: %s", ErrReplaced, c.cfg.Name)
	}
	if after := m.byName[b.Name]; after != nil && after.State != was {
		c.log.Info("node", "name", b.Name, "incarnation", b.Incarnation, "state", after.State)
	}
	if m.crowded && !c.saidFull {
		c.saidFull = true
		c.log.Error("there are more nodes than a cluster may have: the others are not heard", "most", MaxNodes)
	}
	return nil
}

// renew measures this node, and writes its matches into the directory.
func (c *Cluster) renew() {
	load, running := c.cfg.Host.Load(), c.cfg.Host.Running()
	var streams map[string]int
	if c.cfg.Streams != nil {
		streams = c.cfg.Streams()
	}
	var put, drop, all []string
	defer func() {
		c.dir.write(put, drop)
		c.tell(put, true)
		c.tell(all, false)
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	load.Matches = min(len(running), MaxMatchesOfNode)
	load.Most = min(max(load.Most, 0), MaxMatchesOfNode)
	load.Tick, load.Memory = min(max(load.Tick, 0), 1e6), min(max(load.Memory, 0), 1e6)
	c.core.self.Load = load
	c.core.streams = bounded(streams)
	now := c.now()
	put, drop = c.core.run(now, running)
	if now-c.announced >= c.cfg.times.tell {
		all, c.announced = keys(c.core.running), now
	}
	c.promised = slices.DeleteFunc(c.promised, func(p promise) bool { return now-p.at > promiseFor })

	alive, suspected := 0, 0
	for _, m := range c.core.members.byName {
		switch m.State {
		case Alive:
			alive++
		case Suspected:
			suspected++
		}
	}
	c.metrics.alive.Set(float64(alive))
	c.metrics.suspected.Set(float64(suspected))
	c.metrics.directory.Set(float64(len(c.core.entries)))
	c.metrics.orphans.Set(float64(len(c.core.orphans)))
	c.metrics.waiting.Set(float64(c.core.waiting()))
	c.metrics.draining.Set(number(c.core.self.Draining))
}

// bounded returns the streams that a heartbeat may have.
func bounded(streams map[string]int) map[string]int {
	out := map[string]int{}
	for name, n := range streams {
		if len(out) < maxStreams && subjects.MatchString(name) && n >= 0 {
			out[name] = min(n, MaxMatchesOfNode)
		}
	}
	return out
}

// send sends a heartbeat. A node that has lost its connection sends no heartbeat.
func (c *Cluster) send(bye bool) {
	c.mu.Lock()
	if c.core == nil {
		c.mu.Unlock()
		return
	}
	b := c.core.heartbeat()
	c.mu.Unlock()
	b.Bye = bye
	if !c.cfg.Conn.IsConnected() {
		return // the library would keep it and send it late
	}
	data, err := json.Marshal(b)
	if err == nil {
		err = c.cfg.Conn.Publish(beatSubject, data)
	}
	if err == nil {
		err = c.cfg.Conn.FlushTimeout(c.cfg.times.heartbeat)
	}
	if err != nil && !errors.Is(err, nats.ErrTimeout) {
		c.log.Warn("a heartbeat was not sent", "error", err)
	}
}

// goodbye says that this node stops.
func (c *Cluster) goodbye() {
	c.send(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core != nil {
		c.core.members.byName[c.cfg.Name].State = Gone
	}
}

// look starts the takeovers whose turn it is.
func (c *Cluster) look(ctx context.Context) {
	c.mu.Lock()
	was := map[string]State{}
	for name, m := range c.core.members.byName {
		was[name] = m.State
	}
	due := c.core.step(c.now())
	for name, m := range c.core.members.byName {
		if m.State == Suspected && was[name] != Suspected {
			c.log.Warn("a node is suspected: its matches are taken over", "node", name, "incarnation", m.Incarnation, "matches", len(c.core.byOwner[m.owner()]))
		}
	}
	var begin []string
	for _, m := range due {
		select {
		case c.work <- struct{}{}:
			if c.core.begun(m) {
				begin = append(begin, m)
				continue
			}
			<-c.work
		default:
		}
		break
	}
	c.mu.Unlock()
	if len(begin) == 0 {
		return
	}
	c.send(false) // with the matches that it takes
	for _, m := range begin {
		c.workers.Go(func() {
			defer panics.Catch(c.log, "cluster takeover", nil)
			defer func() { <-c.work; c.wake() }()
			c.takeOver(ctx, m)
		})
	}
}

// takeOverTime is how long one takeover may take.
const takeOverTime = time.Minute

// takeOver takes one match.
func (c *Cluster) takeOver(ctx context.Context, match string) outcome {
	ctx, cancel := context.WithTimeout(ctx, takeOverTime)
	defer cancel()
	err := panics.AsError(c.log, "cluster takeover", func() error { return c.cfg.Host.TakeOver(ctx, match) })()
	result := took
	switch {
	case errors.Is(err, ErrCannotPlay):
		result = cannotPlay
	case err != nil:
		result = failed
	case !slices.Contains(c.cfg.Host.Running(), match):
		result = wasOver
	}
	c.mu.Lock()
	frozen := c.core.finished(c.now(), match, result)
	c.mu.Unlock()
	switch result {
	case took:
		c.dir.write([]string{match}, nil)
		c.tell([]string{match}, true)
	case wasOver:
		c.Over(match)
	}
	c.metrics.tookOver(result, frozen)
	switch result {
	case took:
		c.log.Info("took a match over", "match", match, "afterMs", frozen.Milliseconds())
	case cannotPlay:
		c.log.Info("this node cannot continue a match: it waits for a node of the build that began it", "match", match, "error", err)
	case failed:
		c.log.Warn("a match could not be taken over; it is tried again", "match", match, "error", err)
	}
	return result
}

// wake looks now and not at the next heartbeat.
func (c *Cluster) wake() { poke(c.nudge) }

func poke(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// Changed reports started or ended matches here: the other nodes hear the news at once, and not with the next
// heartbeat.
func (c *Cluster) Changed() { c.wake() }

// Nodes returns the nodes that this one knows, by name. It is empty before this node has joined.
func (c *Cluster) Nodes() []Node {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return nil
	}
	return c.core.members.all()
}

func (c *Cluster) node(name string) (Node, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil || c.core.members.byName[name] == nil {
		return Node{}, false
	}
	return c.core.members.byName[name].Node, true
}

// Waits says why a match waits that no living node can continue; "": it does not, or a
// node may still take it.
func (c *Cluster) Waits(match string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return ""
	}
	o := c.core.orphans[match]
	if o == nil || !c.core.stuck(o) || c.now()-o.since < c.cfg.times.stuck {
		return ""
	}
	return "another build began it, and no node of the cluster runs that build"
}

// Over says that a match is over that no node could continue.
func (c *Cluster) Over(match string) {
	c.mu.Lock()
	if c.core != nil {
		c.core.finished(c.now(), match, wasOver)
	}
	c.mu.Unlock()
	c.dir.write(nil, []string{match})
	c.say(owns{Over: true}, []string{match})
}

// Where returns the living node that runs a match, or that takes it in a planned move. It may be this node. false: no
// living node is known to run it; a takeover may be under way.
func (c *Cluster) Where(match string) (Node, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return Node{}, false
	}
	return c.core.where(c.now(), match)
}

// promise is a new match that a node was chosen for and that its load does not have yet.
type promise struct {
	node string
	at   time.Duration
}

const promiseFor = time.Second

// Place returns the nodes for a new match, the best first. The caller asks them in turn.
// [ErrFull]: there is no room.
func (c *Cluster) Place(match string) ([]Node, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return nil, ErrNotJoined
	}
	nodes := placed(c.core.members.living())
	now := c.now()
	for i := range nodes {
		for _, p := range c.promised {
			if p.node == nodes[i].Name && now-p.at <= promiseFor {
				nodes[i].Load = nodes[i].Load.With(1)
			}
		}
	}
	names, err := placement.New(nodes, match)
	if err != nil {
		return nil, err
	}
	if len(c.promised) < MaxMatchesOfNode {
		c.promised = append(c.promised, promise{names[0], now})
	}
	out := make([]Node, len(names))
	for i, name := range names {
		out[i] = c.core.members.byName[name].Node
	}
	return out, nil
}

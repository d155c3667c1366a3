package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// quick are times that are a half of the usual ones, or less. On a busy machine a node is
// late by some tenths of a second: nobody is suspected for that.
var quick = times{
	heartbeat: 25 * time.Millisecond, suspect: 1500 * time.Millisecond, beats: 5, settle: 1250 * time.Millisecond, scan: 250 * time.Millisecond,
	tell: 200 * time.Millisecond, alone: 2500 * time.Millisecond, leaders: 100 * time.Millisecond, death: 5 * time.Second,
	answer: 1500 * time.Millisecond, take: 5 * time.Second, stuck: 2 * time.Second,
}

// logServer returns a NATS server in this process, on one replica.
func logServer(t testing.TB) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{ServerName: "log", DontListen: true, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true, MaxPayload: 8<<20 + 64<<10})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(60 * time.Second) {
		t.Fatal("the journal server does not answer")
	}
	return s
}

// fakeLog is the truth about the matches of a test: who owns each by its log, and who runs it. As the
// real one it lets a new owner take a match from the old one.
type fakeLog struct {
	mu    sync.Mutex
	owner map[string]*fakeHost // of matches that are not over; nil: nobody's
	taken map[string]int
	sims  map[string]string
}

func newLog() *fakeLog {
	return &fakeLog{owner: map[string]*fakeHost{}, taken: map[string]int{}, sims: map[string]string{}}
}

// List implements Journals.
func (l *fakeLog) List() ([]string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return keys(l.owner), nil
}

// Doubt implements Journals: this log has no leases.
func (*fakeLog) Doubt([]string) {}

// fakeHost runs no match, and says that it does.
type fakeHost struct {
	log  *fakeLog
	sim  string
	most int

	mu      sync.Mutex
	slow    time.Duration // a takeover
	refuse  error
	stopped bool
	running map[string]bool
}

func (h *fakeHost) Load() placement.Load {
	n := len(h.Running())
	h.mu.Lock()
	defer h.mu.Unlock()
	return placement.Load{Tick: 5 * n, Memory: 3 * n, Most: h.most}
}

func (h *fakeHost) Running() []string {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for m := range h.running {
		if h.log.owner[m] == h { // who is fenced notices, at its next append at the latest
			out = append(out, m)
		}
	}
	return out
}

func (h *fakeHost) start(match string) {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	h.log.owner[match], h.log.sims[match] = h, h.sim
	h.mu.Lock()
	defer h.mu.Unlock()
	h.running[match] = true
}

// end ends a match that runs here.
func (h *fakeHost) end(match string) {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	delete(h.log.owner, match)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.running, match)
}

func (h *fakeHost) TakeOver(ctx context.Context, match string) error {
	h.mu.Lock()
	slow, refuse := h.slow, h.refuse
	h.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return ctx.Err()
	}
	if refuse != nil {
		return refuse
	}
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	if _, live := h.log.owner[match]; !live {
		return nil // over
	}
	if h.log.sims[match] != h.sim {
		return ErrCannotPlay
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return errors.New("killed")
	}
	if h.log.owner[match] == h && h.running[match] {
		return nil
	}
	h.log.owner[match] = h
	h.log.taken[match]++
	h.running[match] = true
	return nil
}

func (h *fakeHost) HandOver(_ context.Context, match string) error {
	h.log.mu.Lock()
	defer h.log.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.log.owner[match] != h || !h.running[match] {
		return errors.New("it does not run here")
	}
	h.log.owner[match] = nil
	delete(h.running, match)
	return nil
}

// way is the way from a node to the journal server. It can be cut: bytes stay where they are, as in a
// partition, and in a process that is stopped.
type way struct {
	server *server.Server
	mu     sync.Mutex
	closed chan struct{} // nil: open
}

func (w *way) InProcessConn() (net.Conn, error) {
	c, err := w.server.InProcessConn()
	if err != nil {
		return nil, err
	}
	return &wayConn{c, w}, nil
}

func (w *way) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = make(chan struct{})
}

func (w *way) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.closed)
	w.closed = nil
}

// open returns a channel that is closed once the way is open.
func (w *way) open() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed != nil {
		return w.closed
	}
	open := make(chan struct{})
	close(open)
	return open
}

type wayConn struct {
	net.Conn
	way *way
}

func (c *wayConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	<-c.way.open()
	return n, err
}

func (c *wayConn) Write(b []byte) (int, error) {
	<-c.way.open()
	return c.Conn.Write(b)
}

// node is a node of a test.
type node struct {
	*Cluster
	host   *fakeHost
	conn   *nats.Conn
	way    *way
	cancel context.CancelFunc
	ended  chan error
	dead   bool
}

// world is a cluster of a test.
type world struct {
	t      testing.TB
	server *server.Server
	log    *fakeLog
	times  times

	mu    sync.Mutex // nodes are added by the test, and looked up by nodes
	nodes map[string]*node
}

// ask is Config.Ask: a way between nodes beside the journal store. It is cut with the node's way to the journal store.
func (w *world) ask(ctx context.Context, name string, a Ask) ([]string, error) {
	w.mu.Lock()
	n := w.nodes[name]
	w.mu.Unlock()
	n.host.mu.Lock()
	stopped := n.host.stopped
	n.host.mu.Unlock()
	if stopped {
		return nil, errors.New("nobody answers")
	}
	if n.way != nil {
		select {
		case <-n.way.open():
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return n.Answer(ctx, a)
}

func newWorld(t testing.TB, names ...string) *world {
	w := &world{t: t, server: logServer(t), log: newLog(), times: quick, nodes: map[string]*node{}}
	w.join(names...)
	return w
}

func testLogger() *slog.Logger {
	if os.Getenv("FOGKEEP_TEST_LOG") == "" {
		return nil
	}
	return slog.New(slog.NewTextHandler(os.Stderr, nil))
}

// add starts a node without waiting for it.
func (w *world) add(name, sim string) *node {
	w.t.Helper()
	way := &way{server: w.server}
	conn, err := nats.Connect("", nats.InProcessServer(way), nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		w.t.Fatal(err)
	}
	return w.addOn(name, sim, conn, way, func(*Config) {})
}

// addOn starts a node with a connection of the caller's.
func (w *world) addOn(name, sim string, conn *nats.Conn, way *way, change func(*Config)) *node {
	w.t.Helper()
	host := &fakeHost{log: w.log, sim: sim, most: 200, running: map[string]bool{}}
	cfg := Config{
		Node: Node{Name: name, URL: "wss://" + name + ".example/ws", Build: "test", Sim: sim},
		Conn: conn, Replicas: 1, Host: host, Journals: w.log, Ask: w.ask, Parallel: 4, times: w.times,
	}
	if l := testLogger(); l != nil {
		cfg.Logger = l.With("at", name)
	}
	change(&cfg)
	c, err := New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := &node{Cluster: c, host: host, conn: conn, way: way, cancel: cancel, ended: make(chan error, 1)}
	go func() { n.ended <- c.Run(ctx) }()
	w.mu.Lock()
	w.nodes[name] = n
	w.mu.Unlock()
	w.t.Cleanup(func() { w.stop(n) })
	return n
}

// join starts nodes and waits until all know each other.
func (w *world) join(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.add(name, "sim1")
	}
	w.until("all know each other", func() bool {
		alive := 0
		for _, n := range w.nodes {
			if !n.dead {
				alive++
			}
		}
		for _, n := range w.nodes {
			if !n.dead && len(living(n)) != alive {
				return false
			}
		}
		return true
	})
}

func living(n *node) (names []string) {
	for _, of := range n.Nodes() {
		if of.State == Alive {
			names = append(names, of.Name)
		}
	}
	return names
}

// kill ends a node as kill -9 does: its connection is gone in the middle of its work.
func (w *world) kill(names ...string) {
	for _, name := range names {
		n := w.nodes[name]
		n.host.mu.Lock()
		n.host.stopped, n.dead = true, true
		n.host.mu.Unlock()
		n.conn.Close()
	}
	for _, name := range names {
		n := w.nodes[name]
		n.cancel()
		_ = w.ended(n)
	}
}

// ended waits until a node has ended, and returns its error.
func (w *world) ended(n *node) error {
	w.t.Helper()
	select {
	case err := <-n.ended:
		n.ended <- err
		return err
	case <-time.After(60 * time.Second):
		w.t.Error("a node does not end")
		return nil
	}
}

// stop ends a node in order.
func (w *world) stop(n *node) {
	n.cancel()
	_ = w.ended(n)
	n.conn.Close()
}

func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	eventually.Holds(w.t, what, ok, w)
}

// String has the status of every node.
func (w *world) String() (text string) {
	for _, name := range slices.Sorted(slices.Values(keys(w.nodes))) {
		s, err := w.nodes[name].Status(context.Background())
		text += fmt.Sprintf("%s: %+v %v\n", name, s, err)
	}
	return text
}

// start has a node run matches.
func (w *world) start(name string, from, to int) {
	n := w.nodes[name]
	for i := from; i < to; i++ {
		n.host.start(fmt.Sprintf("match%03d", i))
	}
	n.Changed()
}

// whole reports whether every match runs at a living node, and every living node knows where.
func (w *world) whole() bool {
	w.log.mu.Lock()
	owners := map[string]*fakeHost{}
	for m, h := range w.log.owner {
		owners[m] = h
	}
	w.log.mu.Unlock()
	byHost := map[*fakeHost]string{}
	for name, n := range w.nodes {
		if !n.dead {
			byHost[n.host] = name
		}
	}
	for m, h := range owners {
		at, ok := byHost[h]
		if !ok || !slices.Contains(h.Running(), m) {
			return false
		}
		for _, n := range w.nodes {
			if where, ok := n.Where(m); !n.dead && (!ok || where.Name != at) {
				return false
			}
		}
	}
	return true
}

func (w *world) takenTwice() (n int) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	for _, times := range w.log.taken {
		if times > 1 {
			n++
		}
	}
	return n
}

// taken is how many matches were taken from the node that ran them.
func (w *world) taken() int {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return len(w.log.taken)
}

func TestADeadNodesMatchesGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 20)
	w.start("b", 20, 30)
	w.until("the directory knows all", w.whole)
	began := time.Now()
	w.kill("a")
	w.until("every match runs", w.whole)
	// Its last heartbeat may have been late.
	if took := time.Since(began); took < quick.suspect/2 {
		t.Errorf("a dead node was replaced after %v, before it was suspected", took)
	}
	b, c := len(w.nodes["b"].host.Running()), len(w.nodes["c"].host.Running())
	if b+c != 30 || b < 16 || c < 6 {
		t.Errorf("b runs %d, c runs %d", b, c)
	}
	if n := w.takenTwice(); n > 0 {
		t.Errorf("%d matches were taken twice", n)
	}
}

func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c", "d")
	w.start("a", 0, 15)
	w.start("b", 15, 30)
	w.until("the directory knows all", w.whole)
	w.kill("a", "b")
	w.until("every match runs", w.whole)
}

// A node that says goodbye is not waited for.
func TestGoodbye(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.start("a", 0, 5)
	w.until("the directory knows all", w.whole)
	w.stop(w.nodes["a"])
	w.nodes["a"].dead = true
	if n := len(living(w.nodes["b"])); n > 1 {
		w.until("b knows", func() bool { return len(living(w.nodes["b"])) == 1 })
	}
	w.until("every match runs", w.whole)
}

// A node restarts, and its matches run again. How often each is taken is a question of time: TestSimulatedComeback asks
// it.
func TestANodeComesBack(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		t.Run(map[bool]string{false: "at once", true: "later"}[later], func(t *testing.T) {
			w := newWorld(t, "a", "b", "c")
			w.start("a", 0, 12)
			w.until("the directory knows all", w.whole)
			first := w.nodes["a"].self().incarnation
			w.kill("a")
			if later {
				w.until("the others take its matches", func() bool { return w.taken() > 0 })
			}
			w.add("a", "sim1")
			w.until("every match runs", w.whole)
			w.until("it has joined", func() bool { return len(living(w.nodes["b"])) == 3 })
			if again := w.nodes["a"].self().incarnation; again <= first {
				t.Errorf("incarnation %d after %d", again, first)
			}
		})
	}
}

// All nodes restart at once, and every match runs again, each at one node. How late a node may be to find its own
// matches free is a question of time: TestSimulatedRestart asks it.
func TestAllRestartAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 8)
	w.start("b", 8, 16)
	w.start("c", 16, 24)
	w.until("the directory knows all", w.whole)
	w.kill("a", "b", "c")
	w.join("a", "b", "c")
	w.until("every match runs", w.whole)
	count := map[string]int{}
	for _, n := range w.nodes {
		for _, m := range n.host.Running() {
			count[m]++
		}
	}
	for m, n := range count {
		if n != 1 {
			t.Errorf("%s runs at %d nodes", m, n)
		}
	}
	if len(count) != 24 || w.taken() != 24 {
		t.Errorf("%d matches of 24 run, %d were taken", len(count), w.taken())
	}
}

// A lost directory does no harm: running matches go on, and matches without a node are found.
func TestTheDirectoryIsLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b", "c")
	w.start("a", 0, 5)
	w.start("b", 5, 10)
	w.until("the directory knows all", w.whole)
	js := w.nodes["a"].js
	if err := js.DeleteKeyValue(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	w.until("it is made anew", func() bool {
		kv, err := js.KeyValue(t.Context(), bucket)
		if err != nil {
			return false
		}
		all, err := kv.ListKeys(t.Context())
		if err != nil {
			return false
		}
		n := 0
		for range all.Keys() {
			n++
		}
		return n == 10
	})
	if n := w.taken(); n > 0 {
		t.Errorf("%d matches were taken from nodes that run them", n)
	}
	w.kill("a")
	w.until("every match runs", w.whole)
}

// All nodes are killed and the directory is lost: the journals are enough.
func TestTheJournalsAreEnough(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.start("a", 0, 5)
	w.start("b", 5, 10)
	w.until("the directory knows all", w.whole)
	js := w.nodes["a"].js
	if err := js.DeleteKeyValue(t.Context(), bucket); err != nil {
		t.Fatal(err)
	}
	w.kill("a", "b")
	w.join("c", "d")
	w.until("every match runs", w.whole)
	if n := w.takenTwice(); n > 0 {
		t.Errorf("%d matches were taken twice", n)
	}
}

// A match that begins is in the journals before it is in the directory. No node takes it.
func TestAMatchThatBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.log.mu.Lock()
	w.log.owner["young"] = nil
	w.log.mu.Unlock()
	time.Sleep(quick.heartbeat) // nodes look at the journals by the clock
	w.nodes["a"].host.start("young")
	w.until("the directory knows it", w.whole)
	time.Sleep(3 * quick.scan) // nodes look at the journals by the clock
	if w.taken() > 0 {
		t.Error("it was taken from the node that began it")
	}
}

// Matches of another build wait for a node that plays them.
func TestOtherBuild(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "a", "b")
	w.add("old", "sim0")
	w.until("it has joined", func() bool { return len(living(w.nodes["a"])) == 3 })
	w.start("old", 0, 3)
	w.until("the directory knows all", w.whole)
	w.kill("old")
	w.until("they are counted", func() bool {
		s, err := w.nodes["a"].Status(t.Context())
		return err == nil && s.Waiting == 3
	})
	s, err := w.nodes["b"].Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one := s.Orphans[0].Match
	for _, name := range []string{"a", "b"} {
		w.until("both nodes say so", func() bool { return w.nodes[name].Waits(one) != "" })
	}
	w.log.mu.Lock()
	delete(w.log.owner, one) // given up
	w.log.mu.Unlock()
	w.nodes["b"].Over(one)
	w.until("the other knows that it is over", func() bool {
		s, err := w.nodes["a"].Status(t.Context())
		return err == nil && s.Waiting == 2 && w.nodes["a"].Waits(one) == ""
	})
	w.add("new", "sim0")
	w.until("every match runs", w.whole)
	if n := len(w.nodes["new"].host.Running()); n != 2 {
		t.Errorf("it runs %d of 2", n)
	}
	w.until("each match counts once", func() bool { // also while the old node is suspected
		s, err := w.nodes["a"].Status(t.Context())
		n := 0
		for _, x := range s.Nodes {
			n += x.Matches
		}
		return err == nil && n == 2
	})
}

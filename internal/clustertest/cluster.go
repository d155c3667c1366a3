package clustertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/natsnode"
	lobbyclient "github.com/fogkeep/fogkeep/lobby/client"
	store "github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// Config configures a [Cluster].
type Config struct {
	Program  Program
	Dir      string // for folders and output; made if it is not there
	Database string // of all nodes
	Nodes    int
	// Logs is how many journal servers run apart from the nodes. 0: each node runs one, and
	// the cluster has no proxies.
	Logs int
	// Serve are further flags of each node.
	Serve []string
}

// Cluster is a running cluster: nodes, journal servers, and between them a proxy for each
// pair, which can be cut. Only the requested processes are started, and Close ends them all.
type Cluster struct {
	Nodes   []*Node
	Logs    []*Log
	Proxies [][]*Proxy // by node, then by journal server; none where the nodes run those
	Folder  string     // that `fogkeep cluster init` makes

	cfg   Config
	ports Ports
	tap   *natsnode.Node      // nil until it is needed
	urls  []string            // of the journal servers
	store *store.Store        // nil until it is needed
	admin *lobbyclient.Client // nil until it is needed
}

// Log is a journal server that runs apart.
type Log struct {
	Process
	Data string // its folder
}

// watcher is the name in the cluster of this process, which only looks.
const watcher = "watcher"

// New makes the folders of a cluster. No process runs yet.
func New(cfg Config) (*Cluster, error) {
	c := &Cluster{cfg: cfg, Folder: filepath.Join(cfg.Dir, "cluster")}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, err
	}
	plan := natsnode.Plan{Nodes: []string{watcher}}
	servers := cfg.Logs
	form := "log%d"
	if servers == 0 {
		servers, form = cfg.Nodes, "node%d"
	}
	for i := range servers {
		addr, err := c.ports.Pair()
		if err != nil {
			return nil, err
		}
		s, err := natsnode.ParseServer(fmt.Sprintf(form+"=%s", i+1, addr))
		if err != nil {
			return nil, err
		}
		plan.Servers = append(plan.Servers, s)
		c.urls = append(c.urls, s.Clients)
	}
	for i := range cfg.Nodes {
		plan.Nodes = append(plan.Nodes, fmt.Sprintf("node%d", i+1))
	}
	if err := natsnode.Init(c.Folder, plan); err != nil {
		return nil, err
	}
	for i := range cfg.Logs {
		if err := c.addLog(fmt.Sprintf("log%d", i+1)); err != nil {
			return nil, err
		}
	}
	for i := range cfg.Nodes {
		if err := c.addNode(fmt.Sprintf("node%d", i+1)); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// connectThrough has a node connect to these addresses in place of the journal servers.
func connectThrough(file string, urls []string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var node map[string]any
	if err := json.Unmarshal(b, &node); err != nil {
		return err
	}
	node["urls"] = urls
	if b, err = json.Marshal(node); err != nil {
		return err
	}
	return os.WriteFile(file, b, 0o600)
}

func (c *Cluster) addLog(name string) error {
	l := &Log{Data: filepath.Join(c.cfg.Dir, name)}
	if err := os.MkdirAll(l.Data, 0o700); err != nil {
		return err
	}
	l.Process = Process{Name: name, Path: filepath.Join(c.cfg.Dir, name+".log"), Env: c.cfg.Program.Env, argv: []string{
		c.cfg.Program.Path, "cluster", "log", filepath.Join(c.Folder, name), "--data-dir", l.Data,
	}}
	c.Logs = append(c.Logs, l)
	return nil
}

func (c *Cluster) addNode(name string) error {
	args := append([]string{"--database-url", c.cfg.Database, "--cluster", filepath.Join(c.Folder, name)}, append(BelieveAddresses, c.cfg.Serve...)...)
	var proxies []*Proxy
	var through []string
	for i := range c.cfg.Logs {
		addr, err := c.ports.Next()
		if err != nil {
			return err
		}
		p, err := NewProxy(addr, c.urls[i])
		if err != nil {
			return err
		}
		proxies, through = append(proxies, p), append(through, "nats://"+addr)
	}
	if len(through) > 0 {
		if err := connectThrough(filepath.Join(c.Folder, name, "node.json"), through); err != nil {
			return err
		}
	}
	c.Proxies = append(c.Proxies, proxies)
	n, err := NewNode(c.cfg.Program, &c.ports, c.cfg.Dir, name, args...)
	if err != nil {
		return err
	}
	c.Nodes = append(c.Nodes, n)
	return nil
}

// Processes returns all processes, journal servers first.
func (c *Cluster) Processes() (out []*Process) {
	for _, l := range c.Logs {
		out = append(out, &l.Process)
	}
	for _, n := range c.Nodes {
		out = append(out, &n.Process)
	}
	return out
}

// Start starts all stopped processes, and waits until every node lets players in.
func (c *Cluster) Start(ctx context.Context) error {
	for _, p := range c.Processes() {
		if p.Runs() {
			continue
		}
		p.Kill() // it may have ended by itself
		if err := p.Start(); err != nil {
			return err
		}
	}
	return c.Open(ctx)
}

// Open waits until every node lets players in.
func (c *Cluster) Open(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, n := range c.Nodes {
		g.Go(func() error { return n.Open(ctx) })
	}
	return g.Wait()
}

// URLs returns the addresses of the nodes for players.
func (c *Cluster) URLs() (out []string) {
	for _, n := range c.Nodes {
		out = append(out, n.URL)
	}
	return out
}

// Host returns the node that sent the first player of a match its newest frame.
func (c *Cluster) Host(m *Match) (*Node, error) {
	at := m.Players[0].At()
	for _, n := range c.Nodes {
		if at == n.Socket() {
			return n, nil
		}
	}
	return nil, fmt.Errorf("match %s is played at %q, which is no node", m.ID, at)
}

// Close ends everything, at once.
func (c *Cluster) Close() {
	if c.tap != nil {
		c.tap.Kill()
	}
	var g errgroup.Group
	for _, p := range c.Processes() {
		g.Go(func() error { p.Kill(); return nil })
	}
	_ = g.Wait() // they return nil
	for _, list := range c.Proxies {
		for _, p := range list {
			p.Close()
		}
	}
	c.ports.Close()
}

// Complaint returns what no process may print, see [Process.Complaint], and which have
// ended by themselves.
func (c *Cluster) Complaint() error {
	var errs []error
	for _, p := range c.Processes() {
		errs = append(errs, p.Complaint())
		if p.current() != nil && !p.Runs() {
			errs = append(errs, fmt.Errorf("%s has ended by itself:\n%s", p.Name, p.Output(4000)))
		}
	}
	return errors.Join(errs...)
}

// Watch returns this process's own connection to the journal servers, which no proxy is in.
func (c *Cluster) Watch(ctx context.Context) (*natsnode.Node, error) {
	if c.tap != nil {
		return c.tap, nil
	}
	folder, err := natsnode.Read(filepath.Join(c.Folder, watcher))
	if err != nil {
		return nil, err
	}
	c.tap, err = natsnode.Start(ctx, natsnode.Config{Folder: folder, URLs: c.urls, Logger: slog.New(slog.DiscardHandler)})
	return c.tap, err
}

package server

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
	"github.com/fogkeep/fogkeep/match/sim"
)

// node is this process as a node of a cluster.
type node struct {
	name    string
	folder  *natsnode.Folder
	nats    *natsnode.Node
	store   *jetstream.Store
	cluster *cluster.Cluster
	peers   *peers
	host    *clusterHost
}

// clusterStateSeconds is how often a node saves the states of its matches: another node
// replays at most as much when it takes them over.
const clusterStateSeconds = 10

// besideJournals is the journal servers' space for the directory and for themselves, in
// bytes.
const besideJournals = 512 << 20

// newNode connects this process to its cluster's journal servers; it may run one itself. It
// waits until a majority runs. The node joins in [cluster.Cluster.Run].
func newNode(ctx context.Context, c *Config, url string, clients listen.Proxies, log *slog.Logger, metrics prometheus.Registerer, ledger *quota.Ledger) (_ *node, err error) {
	folder, err := natsnode.Read(c.Cluster)
	if err != nil {
		return nil, fmt.Errorf("--cluster: %w", err)
	}
	n := &node{name: folder.Name, folder: folder, host: &clusterHost{load: newLoadMeter(), most: int(ledger.Limit(quota.MatchTicks).Most[quota.Process] / grid.TickRateDefault)}}
	defer func() {
		if err != nil {
			n.close()
		}
	}()
	if n.peers, err = newPeers(ctx, c.nodeAddr(), folder, clients, metrics, ledger, log); err != nil {
		return nil, err
	}
	if n.nats, err = natsnode.Start(ctx, natsnode.Config{
		Folder: folder, StoreDir: filepath.Join(c.DataDir, LogStoreDir), Logger: log, Registerer: metrics,
	}); err != nil {
		return nil, fmt.Errorf("--cluster %s: %w", c.Cluster, err)
	}
	if n.store, err = jetstream.New(ctx, jetstream.Config{
		Conn: n.nats.Conn(), Owner: n.name, Server: n.nats.ServerName(), Replicas: n.nats.Replicas(),
		Shards: min(len(folder.Servers), jetstream.ShardsMax), StoreBytes: folder.StoreBytes() - besideJournals, Retention: days(c.KeepDays.Journals), Logger: log, Registerer: metrics,
	}); err != nil {
		return nil, fmt.Errorf("the cluster's journal store: %w", err)
	}
	if n.cluster, err = cluster.New(cluster.Config{
		Node: cluster.Node{
			Name: n.name, URL: url, Addr: nodeAddress(n.peers.listener.Addr, n.peers.listener.URL(), url), Build: Version(), Sim: sim.Simulation, LogServer: n.nats.ServerName(),
		},
		Conn: n.nats.Conn(), Replicas: n.nats.Replicas(), Host: n.host, Journals: n.store, Streams: n.store.Streams, Clients: n.host.clients, Logger: log, Registerer: metrics,
		Ask: func(ctx context.Context, node string, a cluster.Ask) (matches []string, err error) {
			err = n.peers.call(ctx, node, "cluster", a, none{}, &matches)
			return matches, err
		},
	}); err != nil {
		return nil, err
	}
	n.peers.nodes = n.cluster.Nodes
	answer(n.peers, "cluster", func(ctx context.Context, a cluster.Ask, _ none) ([]string, error) {
		matches, err := n.cluster.Answer(ctx, a)
		return matches, clusterError(err)
	})
	return n, nil
}

// key derives a key that all nodes have, for one purpose, from the sealing key.
func (n *node) key(purpose string) ([]byte, error) {
	return hkdf.Key(sha256.New, n.folder.Seal[:], nil, "fogkeep "+purpose, 32)
}

func (n *node) close() {
	if n.peers != nil {
		n.peers.close()
	}
	if n.store != nil {
		n.store.Close()
	}
	if n.nats != nil {
		n.nats.Close()
	}
}

// ready returns why the node cannot work, or nil.
func (n *node) ready() error {
	if n.cluster.Alone() {
		return &model.Error{Code: model.LogAway, RetryAfter: time.Second}
	}
	for _, x := range n.cluster.Nodes() {
		if x.Name == n.name && x.Draining {
			return &model.Error{Code: model.Draining, Detail: "this node gives its matches to others"}
		}
	}
	return nil
}

// clusterHost is the match service as match/cluster asks for it.
type clusterHost struct {
	load *loadMeter
	most int  // matches that may run here; 0: as many as a node may have
	app  *app // set before the node joins
}

var _ cluster.Host = (*clusterHost)(nil)

func (h *clusterHost) Load() placement.Load {
	most := h.most
	if most <= 0 || most > cluster.MaxMatchesOfNode {
		most = cluster.MaxMatchesOfNode
	}
	return placement.Load{Tick: h.load.processor(), Memory: h.load.memory(), Matches: len(h.app.matches.Running()), Most: most}
}

func (h *clusterHost) Running() []string { return h.app.matches.Running() }

// clients counts the people who are connected to each match.
func (h *clusterHost) clients() map[string]int {
	out := map[string]int{}
	for _, m := range h.app.matches.Matches() {
		for i := range m.Spectators {
			if m.Spectators[i].Connected {
				out[m.ID]++
			}
		}
		for i := range m.Seats {
			if m.Seats[i].Connected && !m.Seats[i].Bot {
				out[m.ID]++
			}
		}
	}
	return out
}

func (h *clusterHost) TakeOver(ctx context.Context, id string) error {
	ctx, span := h.app.requests.tracer.takeover(ctx, id)
	defer span.End()
	err := h.app.matches.TakeOver(ctx, id, h.app.admission.Fate)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	if errors.As(err, new(*journal.OtherBuildError)) {
		return fmt.Errorf("%w: %w", cluster.ErrCannotPlay, err)
	}
	if err == nil && h.app.matches.Runs(id) {
		h.app.came(id)
	}
	return err
}

func (h *clusterHost) HandOver(ctx context.Context, id string) error {
	return h.app.matches.HandOver(ctx, id)
}

// tookOver tells the lobby of a match that came here, until it knows: its bots play on
// from here. It returns at once.
func (a *app) tookOver(id model.MatchID) {
	a.telling.Go(func() {
		defer panics.Catch(a.log, "taken over", nil)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop := context.AfterFunc(a.bots.ctx, cancel)
		defer stop()
		for pause := 200 * time.Millisecond; a.matches.Runs(string(id)); pause = min(2*pause, 5*time.Second) {
			err := a.lobby.Play.TookOver(ctx, id)
			if err == nil || ctx.Err() != nil || errors.Is(err, model.ErrNotFound) || errors.Is(err, model.NotFound) {
				return
			}
			a.log.Warn("the lobby does not know yet that a match runs here", "match", id, "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
}

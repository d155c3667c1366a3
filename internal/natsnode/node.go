package natsnode

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Config says how a process takes part in a cluster.
type Config struct {
	Folder *Folder
	// StoreDir is where an embedded journal server keeps its store: one folder a node.
	StoreDir string
	// URLs, if not empty, are the journal servers to connect to (nats://host:port or host:port), instead of an embedded
	// one.
	URLs       []string
	Logger     *slog.Logger
	Registerer prometheus.Registerer // nil: no metrics
}

// Node is a process's connection to the journal servers, with its own one if it runs one.
type Node struct {
	folder *Folder
	conn   *nats.Conn
	server *server.Server // nil: not embedded
	log    *slog.Logger
}

// Times of connecting.
const (
	reconnectFirst = 50 * time.Millisecond
	reconnectMost  = 2 * time.Second
	connectTimeout = 3 * time.Second
	askTimeout     = 2 * time.Second // for JetStream's answer
	sayPeriod      = 10 * time.Second
	expirySoon     = 60 * 24 * time.Hour
)

// Start starts the node's journal server, if the folder names one for it and no URLs, and connects. It returns once
// the cluster's journal store is usable, which takes a majority of the journal servers, or with ctx's error. Until then it logs every
// few seconds the reason of the wait.
func Start(ctx context.Context, cfg Config) (_ *Node, err error) {
	f, log := cfg.Folder, cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	if left := time.Until(f.Expires()); left < expirySoon {
		log.Warn("this node's certificate expires soon: renew the cluster's certificates", "folder", f.path, "expires", f.Expires())
	}
	n := &Node{folder: f, log: log}
	defer func() {
		if err != nil {
			n.Close()
		}
	}()
	if _, self := f.Server(); self && len(cfg.URLs)+len(f.URLs) == 0 {
		if n.server, err = startServer(f, cfg.StoreDir, f.StoreBytes(), log); err != nil {
			return nil, err
		}
	}
	if err := n.connect(cfg); err != nil {
		return nil, err
	}
	if err := n.await(ctx); err != nil {
		return nil, err
	}
	return n, nil
}

func (n *Node) connect(cfg Config) error {
	from := promauto.With(cfg.Registerer)
	lost := from.NewCounter(prometheus.CounterOpts{Name: "fogkeep_log_disconnects_total", Help: "Lost connections to a journal server."})
	opts := []nats.Option{
		nats.Name("fogkeep " + n.folder.Name),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true),
		nats.Timeout(connectTimeout),
		nats.CustomReconnectDelay(func(attempts int) time.Duration {
			return min(reconnectFirst<<min(attempts, 10), reconnectMost)
		}),
		// The client queues no message while disconnected: an old heartbeat or append would be sent after a new one.
		// The sender gets an error at once.
		nats.ReconnectBufSize(-1),
		nats.PingInterval(pingPeriod), nats.MaxPingsOutstanding(pingsOut),
		nats.IgnoreDiscoveredServers(),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			lost.Inc()
			n.log.Warn("connection to the journal server lost", "error", err)
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			n.log.Info("connected to a journal server again", "server", c.ConnectedServerName())
		}),
		nats.LameDuckModeHandler(func(c *nats.Conn) {
			n.log.Info("the journal server is about to stop, another one is used", "server", c.ConnectedServerName())
			_ = c.ForceReconnect() // it reconnects anyway, later
		}),
		nats.ErrorHandler(func(_ *nats.Conn, s *nats.Subscription, err error) {
			subject := ""
			if s != nil {
				subject = s.Subject
			}
			n.log.Warn("journal server connection", "subject", subject, "error", err)
		}),
	}
	var servers string
	if n.server != nil {
		opts = append(opts, nats.InProcessServer(n.server))
	} else {
		addresses := cfg.URLs
		if len(addresses) == 0 {
			addresses = n.folder.ServerURLs()
		}
		for i, a := range addresses {
			u, err := serverURL(a)
			if err != nil {
				return err
			}
			if i > 0 {
				servers += ","
			}
			servers += u
		}
		opts = append(opts, nats.Secure(n.folder.tlsConfig()), nats.TLSHandshakeFirst())
	}
	conn, err := nats.Connect(servers, opts...)
	if err != nil {
		return fmt.Errorf("journal server: %w", err)
	}
	n.conn = conn
	from.NewGaugeFunc(prometheus.GaugeOpts{Name: "fogkeep_log_connected", Help: "1: connected to a journal server."}, func() float64 {
		if conn.IsConnected() {
			return 1
		}
		return 0
	})
	from.NewGaugeFunc(prometheus.GaugeOpts{Name: "fogkeep_log_certificate_expiry_timestamp_seconds", Help: "When this node's cluster certificate expires."}, func() float64 {
		return float64(n.folder.Expires().Unix())
	})
	return nil
}

// serverURL reads nats://host:port, tls://host:port or host:port. User names and passwords are refused: a journal server
// asks for certificates.
func serverURL(text string) (string, error) {
	address := text
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		if (u.Scheme != "nats" && u.Scheme != "tls") || u.User != nil || (u.Path != "" && u.Path != "/") || u.RawQuery != "" {
			return "", fmt.Errorf("journal server %q: want nats://HOST:PORT", u.Redacted())
		}
		address = u.Host
	}
	if err := checkAddress(address); err != nil {
		return "", fmt.Errorf("journal server: %w", err)
	}
	return "nats://" + address, nil
}

// await waits until JetStream answers.
func (n *Node) await(ctx context.Context) error {
	js, err := jetstream.New(n.conn)
	if err != nil {
		return fmt.Errorf("journal server: %w", err)
	}
	said := time.Now()
	for {
		ask, cancel := context.WithTimeout(ctx, askTimeout)
		_, err := js.AccountInfo(ask)
		cancel()
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("the cluster's journal store cannot be used: %w", errors.Join(err, ctx.Err()))
		}
		if time.Since(said) > sayPeriod {
			said = time.Now()
			n.log.Warn("waiting for the journal servers: a majority must run", "servers", len(n.folder.Servers), "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Conn returns the connection. It outlives the loss of journal servers.
func (n *Node) Conn() *nats.Conn { return n.conn }

// Folder returns the folder that the node was started with.
func (n *Node) Folder() *Folder { return n.folder }

// ServerName returns the name of the embedded journal server, or "".
func (n *Node) ServerName() string {
	if n.server == nil {
		return ""
	}
	return n.server.Name()
}

// Replicas returns on how many journal servers each message is kept.
func (n *Node) Replicas() int {
	r, err := Replicas(len(n.folder.Servers))
	if err != nil {
		panic("natsnode: a folder is checked as it is read: " + err.Error())
	}
	return r
}

// Close disconnects. An embedded journal server first hands its leaders over to others, so that no client waits for an
// election.
func (n *Node) Close() {
	if n.conn != nil {
		n.conn.Close()
	}
	if n.server != nil {
		n.server.LameDuckShutdown()
		n.server.WaitForShutdown()
	}
}

// Kill disconnects and stops an embedded journal server at once, without handing anything
// over, as a kill of the process would. Tests use it.
func (n *Node) Kill() {
	n.conn.Close()
	if n.server != nil {
		n.server.Shutdown()
		n.server.WaitForShutdown()
	}
}

package natsnode

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/time/rate"
)

// MessageBytesMax bounds one message between nodes, and one of a journal.
const MessageBytesMax = 8 << 20

// Bounds of an embedded server.
const (
	connectionsMax = 4096
	pendingBytes   = 64 << 20 // that one connection lets wait; then it is closed
	memoryBytes    = 64 << 20 // of streams in memory: fogkeep has no such streams
	readyWait      = 20 * time.Second
	readyStep      = 200 * time.Millisecond
	// pingPeriod and pingsOut find a connection that is dead without an end, as those
	// over a cut cable are.
	pingPeriod = 2 * time.Second
	pingsOut   = 2
	// Lame duck mode hands the leaders over; then the remaining connections are closed.
	duckTime  = 2 * time.Second
	duckGrace = 200 * time.Millisecond
)

// StoreBytesDefault bounds a journal server's disk space by default.
const StoreBytesDefault = 8 << 30

// storeBytesMin is the reserve of an empty cluster's streams, with room.
const storeBytesMin = 256 << 20

// startServer starts the journal server of the folder's node.
func startServer(f *Folder, dir string, storeBytes int64, log *slog.Logger) (*server.Server, error) {
	opts, err := options(f, dir, storeBytes)
	if err != nil {
		return nil, err
	}
	// Read like a secret: orders of all teams are in it.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("journal server: %w", err)
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("journal server: %w", err)
	}
	said := &serverLog{log: log.With("part", "journal server"), lines: rate.NewLimiter(20, 200), started: time.Now()}
	ns.SetLoggerV2(said, false, false, false)
	ns.Start()
	for end := time.Now().Add(readyWait); !ns.ReadyForConnections(readyStep); {
		why := said.failed()
		if why == "" && time.Now().Before(end) {
			continue
		}
		ns.Shutdown()
		ns.WaitForShutdown()
		if why == "" {
			why = fmt.Sprintf("not ready within %s", readyWait)
		}
		return nil, fmt.Errorf("journal server: it did not start: %s", why)
	}
	return ns, nil
}

func options(f *Folder, dir string, storeBytes int64) (*server.Options, error) {
	s, ok := f.Server()
	if !ok {
		return nil, fmt.Errorf("journal server: the cluster has no journal server %q", f.Name)
	}
	if storeBytes < storeBytesMin {
		return nil, fmt.Errorf("journal server: a store of %d bytes: want at least %d", storeBytes, int64(storeBytesMin))
	}
	if dir == "" {
		return nil, errors.New("journal server: it has no folder")
	}
	clientHost, clientPort, err := f.listenAt(s.Clients)
	if err != nil {
		return nil, err
	}
	o := &server.Options{
		// With another name the server would be another member of the cluster.
		ServerName: s.Name,
		Host:       clientHost, Port: clientPort, ClientAdvertise: s.Clients,
		NoSigs: true, DisableJetStreamBanner: true,
		MaxPayload: MessageBytesMax, MaxPending: pendingBytes, MaxConn: connectionsMax,
		PingInterval: pingPeriod, MaxPingsOut: pingsOut,
		TLS: true, TLSVerify: true, TLSConfig: f.tlsConfig(), TLSHandshakeFirst: true, TLSTimeout: 5,
		ReconnectErrorReports: awayReports,
		LameDuckDuration:      duckTime, LameDuckGracePeriod: duckGrace,
		JetStream: true, StoreDir: filepath.Clean(dir), SyncAlways: true,
		JetStreamMaxStore: storeBytes, JetStreamMaxMemory: memoryBytes,
		// No monitoring port: HTTPPort stays 0.
	}
	if len(f.Servers) == 1 {
		return o, nil
	}
	routeHost, routePort, err := f.listenAt(s.Routes)
	if err != nil {
		return nil, err
	}
	o.Cluster = server.ClusterOpts{
		Name: f.Cluster, Host: routeHost, Port: routePort, Advertise: s.Routes,
		TLSConfig: f.tlsConfig(), TLSTimeout: 5,
		NoAdvertise:  true, // clients know all servers from their folder
		PingInterval: pingPeriod, MaxPingsOut: pingsOut,
		ConnectRetries: 1 << 30, // for ever: a machine may be away for days
	}
	for _, other := range f.Servers {
		if other.Name != s.Name {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: other.Routes})
		}
	}
	return o, nil
}

// listenAt returns where to listen for an address by which others come.
func (f *Folder) listenAt(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("journal server: %w", err)
	}
	if port, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("journal server: %w", err)
	}
	if f.ListenHost != "" {
		host = f.ListenHost
	}
	return host, port, nil
}

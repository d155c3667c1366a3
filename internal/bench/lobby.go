package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/client/socket"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// LobbyReport is how the guests got in.
type LobbyReport struct {
	Guests    int     `json:"guests"`
	Matches   int     `json:"matches"`
	Seconds   float64 `json:"seconds"`
	JoinsPerS float64 `json:"joins_per_s"` // guests with a welcome, a second of the whole run
	JoinP50Ms float64 `json:"join_p50_ms"` // a guest's own calls: log in, create or join, ready, ticket, socket, welcome;
	JoinP99Ms float64 `json:"join_p99_ms"` // not the wait for the others, nor the start
	StartP99  float64 `json:"start_p99_ms"`
	Errors    int     `json:"errors"`
	FirstErr  string  `json:"first_error,omitempty"`
}

// guestsPerLobby guests meet in one lobby and play one match.
const guestsPerLobby = 8

// lobbyLoad sends guests through log-in, lobby, ticket and socket of a server, over HTTP and websockets as browsers do,
// until each has been welcomed into its match.
type lobbyLoad struct {
	url   string // of the player listener, which must believe X-Forwarded-For from here
	chart string // id of a map
	http  *http.Client
	ended func(ctx context.Context, match string) error // called when all of a match's guests have been let in

	mu            sync.Mutex
	joins, starts []time.Duration
	errors        int
	first         string
}

// run lets so many guests in; lobbies form at once.
func (l *lobbyLoad) run(ctx context.Context, guests, lobbies int) (LobbyReport, error) {
	r := LobbyReport{Guests: guests, Matches: (guests + guestsPerLobby - 1) / guestsPerLobby}
	defer l.http.CloseIdleConnections()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(lobbies)
	began := time.Now()
	for i := range r.Matches {
		first, last := i*guestsPerLobby, min((i+1)*guestsPerLobby, guests)
		g.Go(func() error {
			if err := l.lobby(gctx, first, last); err != nil {
				l.failed(err)
			}
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return r, err
	}
	r.Seconds = time.Since(began).Seconds()
	r.JoinsPerS = float64(len(l.joins)) / r.Seconds
	r.JoinP50Ms, r.JoinP99Ms = millis(l.joins, 50), millis(l.joins, 99)
	r.StartP99 = millis(l.starts, 99)
	r.Errors, r.FirstErr = l.errors, l.first
	return r, nil
}

func (l *lobbyLoad) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.errors++; l.errors == 1 {
		l.first = err.Error()
	}
}

// guest is one player of the bench, with the time that its own calls took.
type guest struct {
	*client.Client
	spent time.Duration
	conn  *socket.Conn
}

// lobby takes guests first to last-1 through one match.
func (l *lobbyLoad) lobby(ctx context.Context, first, last int) error {
	guests := make([]*guest, last-first)
	for i := range guests {
		guests[i] = &guest{Client: clustertest.Visitor(l.url, l.http)}
	}
	defer func() {
		for _, g := range guests {
			if g.conn != nil {
				g.conn.Close()
			}
		}
	}()
	each := func(who []*guest, do func(*guest) error) error {
		var wg sync.WaitGroup
		errs := make([]error, len(who))
		for i, g := range who {
			wg.Go(func() {
				began := time.Now()
				errs[i] = do(g)
				g.spent += time.Since(began)
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	}
	if err := each(guests, func(g *guest) error {
		_, err := g.Guest(ctx, "")
		return err
	}); err != nil {
		return err
	}
	var formed api.Lobby
	if err := each(guests[:1], func(g *guest) (err error) {
		formed, err = g.CreateLobby(ctx, api.NewLobby{Name: fmt.Sprintf("bench %d", first), Map: l.chart})
		return err
	}); err != nil {
		return err
	}
	if err := each(guests[1:], func(g *guest) error {
		joined, err := g.Join(ctx, formed.ID, api.JoinRequest{})
		if err == nil {
			_, err = g.Ready(ctx, joined)
		}
		return err
	}); err != nil {
		return err
	}
	began := time.Now()
	begun, err := guests[0].Start(ctx, formed.ID)
	if err != nil {
		return err
	}
	started := time.Since(began)
	if err := each(guests, func(g *guest) error {
		ticket, err := g.Ticket(ctx, formed.ID)
		if err != nil {
			return err
		}
		return g.enter(ctx, ticket)
	}); err != nil {
		return err
	}
	l.mu.Lock()
	l.starts = append(l.starts, started)
	for _, g := range guests {
		l.joins = append(l.joins, g.spent)
	}
	l.mu.Unlock()
	return l.ended(ctx, begun.MatchID)
}

// enter opens the match's socket and waits for the welcome.
func (g *guest) enter(ctx context.Context, ticket string) error {
	conn, err := socket.Dial(ctx, g.Socket(), g.Headers())
	if err != nil {
		return err
	}
	g.conn = conn
	if err := conn.Send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticket}}); err != nil {
		return err
	}
	raw, err := conn.Read()
	if err != nil {
		return fmt.Errorf("welcome: %w", err)
	}
	var frame pb.ServerFrame
	if err := proto.Unmarshal(raw, &frame); err != nil {
		return fmt.Errorf("welcome: %w", err)
	}
	if frame.GetWelcome() == nil {
		return errors.New("the first frame is no welcome")
	}
	return nil
}

// busyHTTP returns a client for many people at once.
func busyHTTP() *http.Client {
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256}}
}

func millis(d []time.Duration, percent int) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return float64(d[min(len(d)-1, len(d)*percent/100)].Microseconds()) / 1000
}

// lobbyBench measures admission: guests through log-in, lobby, ticket and
// socket, against the whole server in this process, on SQLite and, where a
// database is named, on PostgreSQL.
type lobbyBench struct {
	asJSON
	Guests      int    `default:"2000" help:"Number of guests who come in."`
	Lobbies     int    `default:"4" help:"Lobbies that form at once."`
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" help:"postgres://… to measure as well: the bench fills it with accounts and matches, so give it an empty one. Without it the bench measures SQLite alone."`
}

// Run measures and prints.
func (c *lobbyBench) Run(in *cli.Invocation) error {
	reports := map[string]LobbyReport{} // by database
	databases := []string{""}           // SQLite
	if c.DatabaseURL != "" {
		databases = append(databases, c.DatabaseURL)
	} else {
		in.Progress("no --database-url: PostgreSQL is not measured")
	}
	for _, databaseURL := range databases {
		dir, err := os.MkdirTemp("", "fogkeep-bench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		kind, r, err := c.measure(in, databaseURL, dir)
		if err != nil {
			return fmt.Errorf("bench lobby: %w", err)
		}
		reports[kind] = r
	}
	return c.print(in.Stdout, reports)
}

// measure runs the server as `fogkeep serve` joins it, and the load against it.
func (b *lobbyBench) measure(in *cli.Invocation, databaseURL, dir string) (kind string, r LobbyReport, err error) {
	ctx, cancel := context.WithCancel(in.Ctx)
	defer cancel()
	// All matches of the load live at once, and nobody is to be refused.
	c := server.Defaults()
	c.Addr, c.AdminAddr, c.MetricsAddr = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	c.DataDir, c.DatabaseURL, c.TrustedProxies = dir, databaseURL, []string{"127.0.0.0/8"}
	c.Limit = []string{"match-ticks.process=0", "match-starts.process=0", "new-guests.process=0", "new-lobbies.process=0"}
	c.Hooks.Logger = slog.New(slog.NewTextHandler(in.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	ready := make(chan struct{})
	c.Hooks.Ready = func(*server.Server) { close(ready) }
	s, err := server.New(ctx, c)
	if err != nil {
		return "", r, err
	}
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	select {
	case <-ready:
	case err := <-done:
		return "", r, err
	}
	defer func() {
		cancel()
		<-done
	}()

	in.Progress("%d guests through %s", b.Guests, s.Store())
	admin := s.Lobby().Admin.OperatorSession(admin.Operator{Name: "bench", UID: "1000"})
	load := &lobbyLoad{
		url: s.Addresses().Players, chart: largestMap(s.Lobby()), http: busyHTTP(),
		ended: func(ctx context.Context, match string) error {
			return admin.EndMatch(ctx, model.MatchID(match), "bench")
		},
	}
	r, err = load.run(ctx, b.Guests, b.Lobbies)
	return s.Store(), r, err
}

// largestMap returns the shipped map with the most starts: eight.
func largestMap(s *lobby.Service) string {
	var best model.MapInfo
	for _, m := range s.Room.Maps.Maps() {
		if m.Starts > best.Starts {
			best = m
		}
	}
	return best.ID
}

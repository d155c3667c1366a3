package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/natsnode/natstest"
	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/shared"
)

// stopping stops the tests' database server, and closes their clients' idle connections.
type stopping struct{ *testing.M }

func (m stopping) Run() int {
	defer pgtest.Stop()
	defer http.DefaultClient.CloseIdleConnections()
	return m.M.Run()
}

// No test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(stopping{m}) }

// testNode is a node of a cluster in this process.
type testNode struct {
	*Server
	at   Addresses
	stop context.CancelFunc
	done chan error
}

func startNode(t *testing.T, cluster, database string, change func(*Config)) *testNode {
	t.Helper()
	cfg := local(t)
	cfg.Cluster, cfg.DatabaseURL, cfg.ServiceAddr = cluster, database, "127.0.0.1:0"
	cfg.Hooks.Logger = slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if change != nil {
		change(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := &testNode{stop: cancel, done: make(chan error, 1)}
	open := make(chan struct{})
	cfg.Hooks.Ready = func(s *Server) { close(open) }
	var err error
	if n.Server, err = New(ctx, cfg); err != nil {
		t.Fatal(err)
	}
	go func() { n.done <- n.Run(ctx) }()
	t.Cleanup(func() { n.end(t) })
	select {
	case <-open:
	case err := <-n.done:
		t.Fatal(err)
	case <-time.After(3 * time.Minute):
		t.Fatal("the node does not open")
	}
	n.at = n.Addresses()
	return n
}

func (n *testNode) end(t *testing.T) {
	t.Helper()
	n.stop()
	select {
	case err := <-n.done:
		if err != nil {
			t.Errorf("a node stopped with %v", err)
		}
		n.done <- nil
	case <-time.After(3 * time.Minute):
		t.Error("a node does not stop")
	}
}

type testLog struct{ t *testing.T }

func (l testLog) Write(b []byte) (int, error) {
	if l.t.Context().Err() == nil {
		l.t.Log(strings.TrimSpace(string(b)))
	}
	return len(b), nil
}

// player logs a guest in at a node.
func (n *testNode) player(t *testing.T, name string) *client.Client {
	t.Helper()
	c, err := client.New(n.at.Players)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Guest(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	return c
}

// playBot starts a match of a player, Ada, with a bot, and returns her ticket.
func (n *testNode) playBot(t *testing.T) (host *client.Client, ticket api.Ticket) {
	t.Helper()
	host = n.player(t, "Ada")
	l, err := host.PlayBot(t.Context(), api.BotMatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Call(t.Context(), http.MethodPost, "/api/lobbies/"+l.ID+"/ticket", api.TicketRequest{}, &ticket); err != nil {
		t.Fatal(err)
	}
	return host, ticket
}

func (n *testNode) admin(t *testing.T, password string) *client.Client {
	t.Helper()
	c, err := client.New(n.at.Admins)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.AdminLogIn(t.Context(), "admin", password); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNodesAreOneService: a match is made at one node and played through another, an
// admin of the other one looks at it and ends it, and it moves away from a node that
// is stopped.
func TestNodesAreOneService(t *testing.T) {
	t.Parallel()
	logs := natstest.Start(t, 1, 2)
	database := pgtest.NewWire(t, pgtest.New(t, "")).URL
	spans := tracetest.NewSpanRecorder()
	traced := func(c *Config) { c.Hooks.Traces = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)) }
	n1 := startNode(t, filepath.Join(logs.Dir, "n1"), database, traced)
	n2 := startNode(t, filepath.Join(logs.Dir, "n2"), database, traced)
	eventually.Holds(t, "the nodes know each other", func() bool {
		return len(n1.app.node.cluster.Nodes()) == 2 && len(n2.app.node.cluster.Nodes()) == 2
	})
	password := n1.FirstPassword()
	if password == "" || n2.FirstPassword() != "" {
		t.Error("the first admin was not made once")
	}
	admin1, admin2 := n1.admin(t, password), n2.admin(t, password)

	nodes := map[string]*testNode{"n1": n1, "n2": n2}
	host, ticket := n1.playBot(t)
	id := model.MatchID(ticket.MatchID)
	where := func() string {
		for name, n := range nodes {
			if n.Matches().Runs(string(id)) {
				return name
			}
		}
		return ""
	}
	at := where()
	home, other := nodes[at], nodes[map[string]string{"n1": "n2", "n2": "n1"}[at]]
	otherAdmin := map[string]*client.Client{"n1": admin2, "n2": admin1}[at]
	if home == nil {
		t.Fatal("the match runs nowhere")
	}

	// A ticket names the node, and is not used up where the match does not run.
	if ticket.URL != home.at.Players {
		t.Errorf("the ticket's url is %q, the node's %q", ticket.URL, home.at.Players)
	}
	play, quit := context.WithCancel(t.Context())
	defer quit()
	played := make(chan error, 1)
	go func() {
		_, err := bot.Play(play, bot.Config{Socket: "ws" + strings.TrimPrefix(other.at.Players, "http") + "/ws", Ticket: ticket.Ticket, Map: host.Map, New: bot.Easy.New, Log: home.log})
		played <- err
	}()
	var seen api.Match
	look := func(c *client.Client) api.Match {
		t.Helper()
		var page struct{ Matches []api.Match }
		if err := c.Call(t.Context(), http.MethodGet, "/admin/api/matches", nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Matches {
			if m.ID == string(id) {
				return m
			}
		}
		return api.Match{}
	}
	eventually.Holds(t, "the player and the bot show at the other node", func() bool {
		seen = look(otherAdmin)
		return seen.Players != nil && *seen.Players == 2 && seen.Node == at
	})

	// This node shows the matches there: pictures, traffic, the inspector, packets.
	eyes := "/admin/api/live/matches/" + string(id)
	for path, want := range map[string]string{eyes + "/minimap.png": "PNG", eyes + "/minimap.png?eyes=0": "PNG", eyes + "/traffic": `"tick":`, "/admin/api/inspect/" + string(id): string(id)} {
		body, err := otherAdmin.Stream(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := io.ReadAll(body)
		if body.Close(); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q %v", path, text, err)
		}
	}
	body, err := otherAdmin.Stream(t.Context(), eyes+"/trace?slot=0&seconds=1")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(body); err != nil || strings.Count(string(text), "\n") < 5 {
		t.Errorf("trace: %s %v", text, err)
	}

	long, err := otherAdmin.Stream(t.Context(), eyes+"/trace?slot=0&seconds=300")
	if err != nil {
		t.Fatal(err)
	}
	defer long.Close()

	// It is moved by an admin, and plays on. A trace ends as its match leaves.
	from := at
	var status shared.ClusterStatus
	if err := otherAdmin.Call(t.Context(), http.MethodGet, "/admin/api/cluster", nil, &status); err != nil || len(status.Nodes) != 2 || len(status.Streams) != 1 {
		t.Fatalf("status %+v, %v", status, err)
	}
	to := map[string]string{"n1": "n2", "n2": "n1"}[from]
	if err := otherAdmin.Call(t.Context(), http.MethodPost, "/admin/api/cluster/matches/"+string(id)+"/move", api.MatchMove{Node: to}, nil); err != nil {
		t.Fatal(err)
	}
	if now := where(); now != to {
		t.Fatalf("moved to %s: it runs at %q", to, now)
	}
	if _, err := io.Copy(io.Discard, long); err != nil {
		t.Errorf("the trace of a match that left: %v", err)
	}
	ended := spans.Ended()
	if !slices.ContainsFunc(ended, func(x sdktrace.ReadOnlySpan) bool {
		return x.Name() == "takeover" && slices.Contains(x.Attributes(), attribute.String("fogkeep.match", string(id))) &&
			slices.ContainsFunc(ended, func(y sdktrace.ReadOnlySpan) bool {
				return strings.HasPrefix(y.Name(), "database ") && y.Parent().SpanID() == x.SpanContext().SpanID()
			})
	}) {
		t.Errorf("the takeover has no span with a transaction: %d spans", len(ended))
	}
	both := func(node string) {
		t.Helper()
		eventually.Holds(t, "the player and the bot have followed", func() bool {
			select {
			case err := <-played:
				t.Fatalf("the player left: %v", err)
			default:
			}
			for _, m := range nodes[node].Matches().Matches() {
				if m.ID == string(id) {
					return m.Seats[0].Connected && m.Seats[1].Connected
				}
			}
			return false
		})
	}
	both(to)

	// The node that has it stops: it moves back by itself, and its bot with it.
	nodes[to].end(t)
	if now := where(); now != from {
		t.Fatalf("its node stopped: it runs at %q", now)
	}
	both(from)
	leftAdmin := map[string]*client.Client{"n1": admin1, "n2": admin2}[from]
	eventually.Holds(t, "the row names the node", func() bool { return look(leftAdmin).Node == from })
	if err := leftAdmin.Call(t.Context(), http.MethodPost, "/admin/api/matches/"+string(id)+"/end", api.Reason{Reason: "enough"}, nil); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the match has ended", func() bool { return look(leftAdmin).State == "failed" })
	if err := <-played; err == nil || !strings.Contains(err.Error(), "aborted: enough") {
		t.Errorf("the player left with %v", err)
	}
}

// TestReloadReadsTheClustersCertificate: a node that runs refuses the certificate of another
// member, and takes its own.
func TestReloadReadsTheClustersCertificate(t *testing.T) {
	t.Parallel()
	logs := natstest.Start(t, 1, 2)
	n := startNode(t, filepath.Join(logs.Dir, "n1"), pgtest.NewWire(t, pgtest.New(t, "")).URL, nil)
	checkQueries(t, n.registry, true)
	swap := func() {
		t.Helper()
		for _, name := range []string{"cert.pem", "key.pem"} {
			a, b, c := filepath.Join(logs.Dir, "n1", name), filepath.Join(logs.Dir, "n2", name), filepath.Join(logs.Dir, name)
			if err := errors.Join(os.Rename(a, c), os.Rename(b, a), os.Rename(c, b)); err != nil {
				t.Fatal(err)
			}
		}
	}
	swap()
	if err := n.Reload(); err == nil || !strings.Contains(err.Error(), `it is the certificate of "n2"`) {
		t.Errorf("with the certificate of another member: %v", err)
	}
	swap()
	if err := n.Reload(); err != nil {
		t.Error(err)
	}
}

// TestAdminsReachAllNodes: an admin keeps, limits, announces to, kicks from and ends a
// match of another node.
func TestAdminsReachAllNodes(t *testing.T) {
	t.Parallel()
	logs := natstest.Start(t, 1, 2)
	database := pgtest.NewWire(t, pgtest.New(t, "")).URL
	n1 := startNode(t, filepath.Join(logs.Dir, "n1"), database, func(c *Config) { c.NodeURL = "any" })
	n2 := startNode(t, filepath.Join(logs.Dir, "n2"), database, func(c *Config) { c.NodeURL = "any" })
	eventually.Holds(t, "the nodes know each other", func() bool {
		return len(n1.app.node.cluster.Nodes()) == 2 && len(n2.app.node.cluster.Nodes()) == 2
	})
	password := n1.FirstPassword()
	nodes := []*testNode{n1, n2}
	admins := []*client.Client{n1.admin(t, password), n2.admin(t, password)}
	host, ticket := n1.playBot(t)
	home, id := 0, ticket.MatchID
	if n2.Matches().Runs(id) {
		home = 1
	}
	if ticket.URL != "" {
		t.Errorf("with --node-url any a ticket sends players to %q", ticket.URL)
	}
	other, there := admins[1-home], "/admin/api/matches/"+id
	played := make(chan error, 1)
	go func() {
		// The other node carries the socket.
		_, err := bot.Play(t.Context(), bot.Config{Socket: "ws" + strings.TrimPrefix(nodes[1-home].at.Players, "http") + "/ws", Ticket: ticket.Ticket, Map: host.Map, New: bot.Easy.New, Log: nodes[home].log})
		played <- err
	}()
	info := func() (connected bool, kept bool) {
		for _, m := range nodes[home].Matches().Matches() {
			if m.ID == id {
				return m.Seats[0].Connected, m.Kept
			}
		}
		return false, false
	}
	eventually.Holds(t, "the player is carried to its match", func() bool { c, _ := info(); return c })
	for path, body := range map[string]any{
		there + "/keep":             map[string]bool{"keep": true},
		there + "/budget":           api.MatchBudget{BytesPerS: 4000},
		"/admin/api/house/announce": map[string]string{"text": "hello"},
	} {
		// A busy machine's database may not answer in time: the refusal says to try again.
		eventually.Holds(t, path, func() bool {
			err := other.Call(t.Context(), http.MethodPost, path, body, nil)
			if err != nil && !strings.Contains(err.Error(), "(unavailable, 503)") {
				t.Fatalf("%s: %v", path, err)
			}
			return err == nil
		})
	}
	eventually.Holds(t, "the match on the other node is kept", func() bool { _, kept := info(); return kept })
	// A kick from the other node.
	me := ""
	for _, m := range nodes[home].Matches().Matches() {
		me = m.Seats[0].Account
	}
	if err := other.Call(t.Context(), http.MethodPost, "/admin/api/accounts/"+me+"/kick", api.Reason{Reason: "rude"}, nil); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-played:
		if err == nil || !strings.Contains(fmt.Sprint(err), "kicked") {
			t.Errorf("the kicked player left with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the kicked player plays on")
	}
	if err := other.Call(t.Context(), http.MethodPost, there+"/end", api.Reason{Reason: "enough"}, nil); err != nil && !client.Refused(err, model.MatchOver) {
		t.Fatal(err)
	}
	eventually.Holds(t, "the match on the other node has ended", func() bool { return !nodes[home].Matches().Runs(id) })
}

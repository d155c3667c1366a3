package server

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
)

// local returns a configuration on free ports and an empty folder.
func local(t *testing.T) Config {
	c := Defaults()
	c.Addr, c.AdminAddr, c.MetricsAddr, c.DataDir, c.LogLevel = "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", t.TempDir(), "error"
	return c
}

// A program runs a server on free ports, learns when and where it is open, and stops it
// by its context. The folder can be used again then.
func TestAProgramRunsAServer(t *testing.T) {
	t.Parallel()
	cfg := local(t)
	for round := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		open := make(chan Addresses, 1)
		cfg.Hooks.Ready = func(s *Server) { open <- s.Addresses() }
		s, err := New(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if first := round == 0; (s.FirstPassword() != "") != first {
			t.Errorf("start %d: the first admin's password is %q", round, s.FirstPassword())
		}
		if _, err := New(ctx, cfg); err == nil || !strings.Contains(err.Error(), "in use by another server") {
			t.Errorf("a second server in the same folder: %v", err)
		}
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		select {
		case at := <-open:
			r, err := http.Get(at.Players + "/readyz")
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if r.StatusCode != http.StatusOK {
				t.Errorf("readyz: %s", r.Status)
			}
		case err := <-done:
			t.Fatal(err)
		case <-time.After(time.Minute):
			t.Fatal("the server does not open")
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("stopped with %v", err)
		}
	}
}

// A server that is not run gives back its folder and its ports.
func TestAServerThatIsNotRunIsClosed(t *testing.T) {
	t.Parallel()
	cfg := local(t)
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Addr = strings.TrimPrefix(s.Addresses().Players, "http://")
	if _, err := New(t.Context(), cfg); err == nil {
		t.Fatal("two servers have one port")
	}
	s.Close()
	s.Close()
	if s, err = New(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// watched is the lobby's admission with an eye on it.
type watched struct {
	Admission
	seats chan match.Seat
	ended chan match.Result
}

func (w *watched) Redeem(ctx context.Context, ticket string, from netip.Addr) (match.Seat, error) {
	if ticket == "a friend of mine" {
		return match.Seat{}, &link.Refusal{Code: "kicked", Text: "no friends today"}
	}
	seat, err := w.Admission.Redeem(ctx, ticket, from)
	if err == nil {
		w.seats <- seat
	}
	return seat, err
}

func (w *watched) Ended(ctx context.Context, r match.Result) error {
	if err := w.Admission.Ended(ctx, r); err != nil {
		return err
	}
	w.ended <- r
	return nil
}

// A program's hooks take part: its ruleset and map are offered, its route answers beside
// the server's own, its admission sees arrivals and takes the result.
func TestHooksTakePart(t *testing.T) {
	t.Parallel()
	cfg := local(t)
	seen := &watched{seats: make(chan match.Seat, 4), ended: make(chan match.Result, 4)}
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	plain := grid.NewMap("Plain", 48, 48)
	plain.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	open := make(chan *Server, 1)
	cfg.Hooks = Hooks{
		Maps: []*grid.Map{plain}, Rulesets: map[string]*rules.Ruleset{"house": rs},
		Admission: func(lobby Admission) Admission { seen.Admission = lobby; return seen },
		Routes: map[string]http.Handler{"GET /shop/{item}": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "no %s today", r.PathValue("item"))
		})},
		Ready: func(s *Server) { open <- s },
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	<-open
	url := s.Addresses().Players
	for path, want := range map[string]string{"/shop/tea": "no tea today", "/readyz": "ok", "/api/rulesets": `"id":"house"`, "/api/maps": `"Plain"`} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %s %s, %v", path, r.Status, b, err)
		}
	}
	player, err := client.New(url)
	if err != nil {
		t.Fatal(err)
	}
	_, err = player.Guest(ctx, "Ada")
	if err != nil {
		t.Fatal(err)
	}
	l, err := player.PlayBot(ctx, api.BotMatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if bot := <-seen.seats; bot.Account != "" {
		t.Errorf("the bot's seat is %+v", bot)
	}
	r, err := bot.Play(ctx, bot.Config{Socket: player.Socket(), Ticket: "a friend of mine", Map: player.Map})
	if err == nil || !strings.Contains(err.Error(), "no friends today") {
		t.Errorf("let in: %+v, %v", r, err)
	}
	if err := s.Matches().Abort(ctx, l.MatchID, "tea"); err != nil {
		t.Fatal(err)
	}
	if r := <-seen.ended; r.Match != l.MatchID {
		t.Errorf("the result is %+v", r)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The server's own paths are not given away, and a bad pattern is no panic.
func TestRoutesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"/", "/{rest...}", "/api/lobbies", "POST /api/x", "/ws", "/admin/x", "/maps/{hash}", "/readyz", "example.org/shop", "shop", "/shop/{", ""} {
		if _, err := withRoutes(http.NotFoundHandler(), map[string]http.Handler{pattern: http.NotFoundHandler()}); err == nil || !strings.Contains(err.Error(), "route") {
			t.Errorf("%q: %v", pattern, err)
		}
	}
	cfg := local(t)
	cfg.Hooks.Routes = map[string]http.Handler{"/api/lobbies": http.NotFoundHandler()}
	if s, err := New(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "route") {
		t.Errorf("a server with such a route: %v", err)
		s.Close()
	}
}

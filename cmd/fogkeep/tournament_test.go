package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestATournamentIsPlayed: the example program plays a bracket of four on a server. The lower seed surrenders each game, and
// the program hears of each end by webhook.
func TestATournamentIsPlayed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "tournament")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "..", "examples", "tournament")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	cup := filepath.Join(dir, "cup.json")
	if err := os.WriteFile(cup, []byte(`{"name": "Cup", "bestOf": 1, "maps": ["twin-fords"], "options": {"ruleset": "skirmish"}, "players": [
		{"subject": "s1", "name": "Ada"}, {"subject": "s2", "name": "Ben"}, {"subject": "s3", "name": "Cleo"}, {"subject": "s4", "name": "Dan"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	// The webhooks pass through the test on their way.
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listen := free.Addr().String()
	free.Close()
	var hooks, taken atomic.Int32
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: listen})
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.StatusCode == http.StatusNoContent {
			taken.Add(1)
		}
		return nil
	}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) } // it is over
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hooks.Add(1)
		proxy.ServeHTTP(w, r)
	}))
	defer between.Close()

	s := start(t, filepath.Join(dir, "data"), "--service-addr=127.0.0.1:0", "--webhook-allow=127.0.0.1")
	studio := serviceClient(t, s, adminClient(t, s.url(t, "admin"), "admin", s.firstPassword(t)), "unused")
	key := strings.TrimPrefix(studio.Header.Get("Authorization"), "Bearer ")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-file", cup, "-service", s.url(t, "service"), "-listen", listen, "-hooks", between.URL)
	cmd.Env = append(os.Environ(), "FOGKEEP_SERVICE_KEY="+key)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	played := map[string]bool{}
	for ended := false; !ended; {
		select {
		case err := <-over:
			if ended = true; err != nil {
				t.Fatalf("the program ends with %v:\n%s", err, out.String())
			}
		case <-time.After(100 * time.Millisecond): // the games begin when the program asks for them
			var list struct{ Matches []api.ServiceMatch }
			studio.must("GET", "/service/api/matches?state=live", nil, &list)
			for _, m := range list.Matches {
				if !played[m.ID] {
					played[m.ID] = true
					surrender(t, s, studio, m)
				}
			}
		}
	}
	if !strings.Contains(out.String(), "Ada has won Cup") || len(played) != 3 {
		t.Errorf("%d games:\n%s", len(played), out.String())
	}
	if hooks.Load() < 3 || taken.Load() < 2 { // the program may be over before it answers the last
		t.Errorf("%d webhooks, %d taken", hooks.Load(), taken.Load())
	}
}

// surrender lets the player of a game whose subject comes last come and give up.
func surrender(t *testing.T, s *testServer, studio *e2eClient, m api.ServiceMatch) {
	t.Helper()
	loser := ""
	for _, seat := range m.Seats {
		loser = max(loser, seat.Subject)
	}
	var made struct{ Tickets []api.PlayerTicket }
	studio.must("POST", "/service/api/matches/"+m.ID+"/tickets", map[string][]string{"subjects": {loser}}, &made)
	if len(made.Tickets) != 1 {
		t.Fatalf("tickets of %s: %v", loser, made.Tickets)
	}
	socket := visitor(t, s.url(t, "play")).open(&pb.Hello{Ticket: made.Tickets[0].Ticket})
	if w, closing := socket.welcome(); w == nil {
		t.Fatalf("%s is refused: %v", loser, closing)
	}
	socket.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}})
	for f := socket.read(); f.Ended == nil && f.Closing == nil; {
		f = socket.read()
	}
}

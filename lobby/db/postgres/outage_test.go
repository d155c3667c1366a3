package postgres_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/storetest"
	"github.com/fogkeep/fogkeep/match/grid"
)

var ctx = context.Background()

// TestOutage: the database is lost, then stuck, then back. Log-ins hear to come again,
// no request hangs, results wait, and all work goes on by itself.
func TestOutage(t *testing.T) {
	w := pgtest.NewWire(t, storetest.PostgresURL(t))
	h := storetest.NewHarness(open(t, w.URL), func(c *lobby.Config) { c.StoreTimeout = 700 * time.Millisecond })
	srv := httptest.NewServer(api.New(h.Service, api.Config{}))
	defer srv.Close()
	a, _, err := h.Account.Register(ctx, storetest.Home, "Ada", "", "difference engine")
	if err != nil {
		t.Fatal(err)
	}
	l, err := h.Room.PlayBot(ctx, storetest.Home, a, model.BotMatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	logIn := func() (*http.Response, string) {
		res, err := http.Post(srv.URL+"/api/login", "application/json", strings.NewReader(`{"name":"Ada","password":"difference engine"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		raw, _ := io.ReadAll(res.Body)
		return res, string(raw)
	}
	result := model.Result{Match: l.Match, Reason: "victory", Ticks: 5, Winners: []grid.Team{0}}
	for _, state := range []pgtest.WireState{pgtest.Down, pgtest.Stuck} {
		w.Set(state)
		began := time.Now()
		res, body := logIn()
		if res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || !strings.Contains(body, string(model.Unavailable)) {
			t.Fatalf("%d: %d %s, Retry-After %q", state, res.StatusCode, body, res.Header.Get("Retry-After"))
		}
		if err := h.Play.MatchEnded(ctx, result); !errors.Is(err, model.Unavailable) {
			t.Fatalf("%d: result: %v", state, err)
		}
		if err := h.RunRound(ctx, 0); !errors.Is(err, model.Unavailable) {
			t.Fatalf("%d: janitor: %v", state, err)
		}
		if d := time.Since(began); d > 60*time.Second {
			t.Fatalf("%d: took %v", state, d)
		}
	}
	w.Set(pgtest.Up)
	deadline := time.Now().Add(60 * time.Second)
	for {
		res, body := logIn()
		if res.StatusCode == 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after the outage: %d %s", res.StatusCode, body)
		}
	}
	if err := h.Play.MatchEnded(ctx, result); err != nil {
		t.Fatalf("result after the outage: %v", err)
	}
	if _, record, _, err := h.Account.Me(ctx, a.ID); err != nil || record.Won != 1 {
		t.Fatalf("record %+v, %v", record, err)
	}
}

// TestBrokenConnections: the server drops every connection again and again while
// accounts are made. Each account that was answered exists.
func TestBrokenConnections(t *testing.T) {
	url := storetest.PostgresURL(t)
	h := storetest.NewHarness(open(t, url))
	killer, err := pgx.Connect(ctx, url+" application_name=killer")
	if err != nil {
		t.Fatal(err)
	}
	defer killer.Close(ctx)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	made, failed := map[model.AccountID]bool{}, 0
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, _, err := h.Account.Guest(ctx, storetest.Home, "")
				mu.Lock()
				if err == nil {
					made[a.ID] = true
				} else if failed++; !errors.Is(err, model.Unavailable) {
					t.Errorf("guest: %v", err)
				}
				mu.Unlock()
			}
		})
	}
	so := func() (accounts, failures int) {
		mu.Lock()
		defer mu.Unlock()
		return len(made), failed
	}
	for n, failures := 0, 0; n < 5 || failures == 0 && n < 500; n++ {
		before, _ := so()
		eventually.Holds(t, "accounts are made between two cuts", func() bool {
			var accounts int
			accounts, failures = so()
			return accounts > before
		})
		if _, err := killer.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fogkeep'`); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wg.Wait()
	if len(made) == 0 || failed == 0 {
		t.Fatalf("%d made, %d failed: the test proved nothing", len(made), failed)
	}
	for id := range made {
		if _, _, _, err := h.Account.Me(ctx, id); err != nil {
			t.Fatalf("an account that was confirmed: %v", err)
		}
	}
}

// TestRefusedTransactionsRunAgain: a real deadlock, and the codes by which the
// server asks for another try.
func TestRefusedTransactionsRunAgain(t *testing.T) {
	s := open(t, storetest.PostgresURL(t))
	h := storetest.NewHarness(s)
	a, b := h.NewLobby(t, h.NewGuest(t, "Ada"), room.NewLobby{}), h.NewLobby(t, h.NewGuest(t, "Bob"), room.NewLobby{})
	var tries [2]int
	var both sync.WaitGroup
	both.Add(2)
	var wg sync.WaitGroup
	for i, order := range [][2]model.LobbyID{{a.ID, b.ID}, {b.ID, a.ID}} {
		wg.Go(func() {
			if err := s.Write(ctx, func(tx *db.Tx) error {
				tries[i]++
				if _, err := tx.Lobbies.Lock(order[0]); err != nil {
					return err
				}
				if tries[i] == 1 {
					both.Done()
					both.Wait() // each holds one before asking for the other
				}
				_, err := tx.Lobbies.Lock(order[1])
				return err
			}); err != nil {
				t.Errorf("write: %v", err)
			}
		})
	}
	wg.Wait()
	if tries[0]+tries[1] < 3 {
		t.Fatalf("tries %v: there was no deadlock", tries)
	}
	for _, code := range []string{"40001", "40P01"} {
		n := 0
		if err := s.Write(ctx, func(*db.Tx) error {
			if n++; n < 4 {
				return &pgconn.PgError{Code: code}
			}
			return nil
		}); err != nil || n != 4 {
			t.Errorf("%s: %d tries, %v", code, n, err)
		}
		if err := s.Write(ctx, func(*db.Tx) error { return &pgconn.PgError{Code: code} }); !errors.Is(err, model.ErrUnavailable) {
			t.Errorf("%s for ever: %v", code, err)
		}
	}
	n := 0
	if err := s.Write(ctx, func(*db.Tx) error { n++; return &pgconn.PgError{Code: "42601"} }); err == nil || n != 1 || errors.Is(err, model.ErrUnavailable) {
		t.Errorf("a wrong statement: %d tries, %v", n, err)
	}
}

// TestSlowDatabase: a row that another transaction holds does not hold a request for
// ever.
func TestSlowDatabase(t *testing.T) {
	url := storetest.PostgresURL(t)
	store := open(t, url)
	patient := storetest.NewHarness(store) // on a busy machine each statement takes a while
	h := storetest.NewHarness(store, func(c *lobby.Config) { c.StoreTimeout = 300 * time.Millisecond })
	a := patient.NewGuest(t, "Ada")
	l := patient.NewLobby(t, a, room.NewLobby{})
	other, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(ctx)
	tx, err := other.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(ctx, "SELECT 1 FROM lobbies FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	if err := h.Room.Chat(ctx, l.ID, a.ID, "hello"); !errors.Is(err, model.Unavailable) {
		t.Fatalf("chat into a lobby that is held: %v", err)
	}
	if _, err := patient.Play.Lobby(ctx, l.ID); err != nil {
		t.Fatalf("readers do not wait: %v", err)
	}
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if err := patient.Room.Chat(ctx, l.ID, a.ID, "hello"); err != nil {
		t.Fatalf("after it is free: %v", err)
	}
}

// TestStreamOutlivesOutage: an event stream waits for the database, and then
// goes on without a gap.
func TestStreamOutlivesOutage(t *testing.T) {
	w := pgtest.NewWire(t, storetest.PostgresURL(t))
	h := storetest.NewHarness(open(t, w.URL), func(c *lobby.Config) { c.StoreTimeout = 2 * time.Second })
	srv := httptest.NewServer(api.New(h.Service, api.Config{}))
	defer srv.Close()
	a, token, err := h.Account.Guest(ctx, storetest.Home, "Ada")
	if err != nil {
		t.Fatal(err)
	}
	l := h.NewLobby(t, a, room.NewLobby{})
	limited, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(limited, "GET", srv.URL+"/api/lobbies/"+string(l.ID)+"/events", nil)
	req.Header.Set("Authorization", "Bearer "+string(token))
	res, err := http.DefaultClient.Do(req)
	if err != nil || res.StatusCode != 200 {
		t.Fatalf("%v %v", res, err)
	}
	defer res.Body.Close()
	if err := h.Room.Chat(ctx, l.ID, a.ID, "before"); err != nil {
		t.Fatal(err)
	}
	w.Set(pgtest.Down)
	if err := h.Room.Chat(ctx, l.ID, a.ID, "during"); !errors.Is(err, model.Unavailable) {
		t.Fatalf("chat without a database: %v", err)
	}
	w.Set(pgtest.Up)
	for h.Room.Chat(ctx, l.ID, a.ID, "after") != nil {
		if limited.Err() != nil {
			t.Fatal("the database is back, chat is not")
		}
	}
	var got []string
	buf := make([]byte, 64<<10)
	var text bytes.Buffer
	for len(got) < 2 {
		n, err := res.Body.Read(buf)
		if err != nil {
			t.Fatalf("the stream ended after %q: %v", got, err)
		}
		text.Write(buf[:n])
		got = nil
		for _, line := range strings.Split(text.String(), "\n") {
			var chat model.ChatLine
			if data, ok := strings.CutPrefix(line, "data: "); ok && json.Unmarshal([]byte(data), &chat) == nil && chat.Text != "" {
				got = append(got, chat.Text)
			}
		}
	}
	if strings.Join(got, " ") != "before after" {
		t.Fatalf("heard %q", got)
	}
}

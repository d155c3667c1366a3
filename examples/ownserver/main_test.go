package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// lines is a log that a test reads.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// caller is a player's program.
type caller struct{ url, token string }

func (c caller) play(ctx context.Context) (s seating, status int, err error) {
	r, err := http.NewRequestWithContext(ctx, "POST", c.url+"/play", nil)
	if err != nil {
		return s, 0, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		return s, 0, err
	}
	defer a.Body.Close()
	if a.StatusCode == http.StatusOK {
		err = json.NewDecoder(a.Body).Decode(&s)
	}
	return s, a.StatusCode, err
}

func (c caller) bot(ticket string) bot.Config {
	return bot.Config{
		Socket: "ws" + strings.TrimPrefix(c.url, "http") + "/ws", Ticket: ticket,
		Map: func(_ context.Context, hash string) (*grid.Map, error) {
			a, err := http.Get(c.url + "/maps/" + hash)
			if err != nil {
				return nil, err
			}
			defer a.Body.Close()
			b, err := io.ReadAll(io.LimitReader(a.Body, 1<<24))
			if err != nil {
				return nil, err
			}
			return grid.UnmarshalMap(b)
		},
	}
}

// Two players with tokens of the studio's accounts come, get a match, play it to its
// end, and the result is in the log. All others are refused.
func TestAMatchOfTwoPlayers(t *testing.T) {
	var log lines
	c := config{addr: "127.0.0.1:0", data: t.TempDir(), speed: 300, options: sim.Options{TimeLimitMs: 6000}}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	open, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- run(ctx, c, nil, slog.New(slog.NewTextHandler(&log, nil)), func(addr string) { open <- addr })
	}()
	var url string
	select {
	case addr := <-open:
		url = "http://" + addr
	case err := <-done:
		t.Fatal(err)
	}
	key, err := match.Key(c.data + "/accounts.key")
	if err != nil {
		t.Fatal(err)
	}

	// Tokens that are not of the studio's accounts.
	hour := time.Now().Add(time.Hour)
	good := token(key, "Ada", hour)
	for what, bad := range map[string]string{
		"no token": "", "another key": token(match.NewKey(), "Ada", hour), "expired": token(key, "Ada", time.Now().Add(-time.Second)),
		"another name": token(key, "Bob", hour)[:4] + good[4:], "cut": good[:len(good)-4], "no signature": good[:strings.LastIndexByte(good, '.')+1],
	} {
		if _, status, err := (caller{url, bad}).play(ctx); err != nil || status != http.StatusUnauthorized {
			t.Errorf("%s: %d, %v", what, status, err)
		}
	}
	if _, err := bot.Play(ctx, caller{url: url}.bot("guessed")); err == nil || !strings.Contains(err.Error(), "bad_ticket") {
		t.Errorf("a guessed ticket: %v", err)
	}

	var both sync.WaitGroup
	for _, name := range []string{"Ada", "Bob"} {
		both.Go(func() {
			me := caller{url, token(key, name, hour)}
			s, status, err := me.play(ctx)
			if err != nil || status != http.StatusOK {
				t.Errorf("%s: %d, %v", name, status, err)
				return
			}
			r, err := bot.Play(ctx, me.bot(s.Ticket))
			if err != nil || r.MatchID != s.Match || r.Orders == 0 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if _, err := bot.Play(ctx, me.bot(s.Ticket)); err == nil || !strings.Contains(err.Error(), "bad_ticket") {
				t.Errorf("%s: a ticket works twice: %v", name, err)
			}
		})
	}
	both.Wait()
	for !strings.Contains(log.String(), "msg=result") && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond) // the log has no event
	}
	if text := log.String(); !strings.Contains(text, "reason=time-limit") {
		t.Errorf("the log says:\n%s", text)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A player who asks twice has one place in the queue.
func TestSecondRequestKeepsOnePlace(t *testing.T) {
	p := newPlayers(match.NewKey(), slog.New(slog.DiscardHandler))
	p.start = func(string, [2]string) error { return fmt.Errorf("nobody plays alone") }
	ask := func(ctx context.Context) chan int {
		status := make(chan int, 1)
		r, _ := http.NewRequestWithContext(ctx, "POST", "/play", nil)
		r.Header.Set("Authorization", "Bearer "+token(p.key, "Ada", time.Now().Add(time.Hour)))
		go func() {
			w := &answer{}
			p.play(w, r)
			status <- w.status
		}()
		return status
	}
	first := ask(t.Context())
	for waits := false; !waits; {
		p.mu.Lock()
		waits = p.waiting != nil
		p.mu.Unlock()
	}
	ctx, cancel := context.WithCancel(t.Context())
	second := ask(ctx)
	if got := <-first; got != http.StatusServiceUnavailable {
		t.Errorf("the first question ends with %d", got)
	}
	cancel()
	if <-second; p.waiting != nil {
		t.Error("who is gone waits still")
	}
}

type answer struct {
	bytes.Buffer
	status int
}

func (a *answer) Header() http.Header    { return http.Header{} }
func (a *answer) WriteHeader(status int) { a.status = status }

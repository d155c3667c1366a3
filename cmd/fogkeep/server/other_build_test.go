package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// logged is a log that tests look at.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// with counts the lines that have all of the words.
func (l *logged) with(words ...string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
next:
	for _, line := range strings.Split(l.text.String(), "\n") {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue next
			}
		}
		n++
	}
	return n
}

// TestAWrongDeployKeepsItsMatches: a server of another build starts on the data of a
// running match. It says once in the log and in the lobby that the match waits, gives no
// ticket for the match, and a server of the right build goes on with it.
func TestAWrongDeployKeepsItsMatches(t *testing.T) {
	t.Parallel()
	cfg, log := local(t), &logged{}
	start := func() (*Server, func()) {
		open := make(chan *Server, 1)
		cfg.Hooks.Ready = func(s *Server) { open <- s }
		cfg.Hooks.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		s, err := New(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		<-open
		return s, func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	}
	s, stop := start()
	ann := guestOf(t, s, "Ann")
	l, err := ann.PlayBot(t.Context(), api.BotMatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	file := filepath.Join(cfg.DataDir, "journals", l.MatchID+".journal")
	mine := fmt.Sprintf(`"sim":"%d"`, sim.Behaviour)
	rewriteSetup(t, file, mine, `"sim":"999"`)

	doctor := func() (lines string) {
		c := cfg
		c.Hooks = Hooks{}
		for _, f := range c.Diagnose(t.Context()) {
			if f.Check == "matches" {
				lines += fmt.Sprintln(f.State, f.Text)
			}
		}
		return lines
	}
	if told := doctor(); !strings.HasPrefix(told, "warning this build cannot continue match "+l.MatchID) || !strings.Contains(told, "version 999") {
		t.Errorf("before the upgrade the doctor says %q", told)
	}
	s, stop = start()
	ann.URL = s.Addresses().Players
	ann.call("POST", "/api/lobbies/"+l.ID+"/ticket", map[string]any{"protocol": wire.Protocol}, nil, model.MatchWaits)
	if err := s.Lobby().RunRound(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if l, err = ann.Lobby(t.Context(), l.ID); err != nil || l.State != "playing" || l.Waiting == nil || !strings.Contains(l.Waiting.Why, "version 999") || time.Until(l.Waiting.Until) < 50*time.Minute {
		t.Fatalf("the lobby says %s, %+v, %v", l.State, l.Waiting, err)
	}
	ann.call("POST", "/api/lobbies/"+l.ID+"/ticket", map[string]any{"protocol": wire.Protocol}, nil, model.MatchWaits)
	stop()
	if n := log.with(l.MatchID); n != 1 || log.with(l.MatchID, "version 999 of the simulation", "keptUntil") != 1 {
		t.Errorf("%d lines of the log name the match:\n%s", n, &log.text)
	}

	rewriteSetup(t, file, `"sim":"999"`, mine)
	if told := doctor(); told != "ok this build continues all running matches: 1\n" {
		t.Errorf("on the right build the doctor says %q", told)
	}
	s, stop = start()
	defer stop()
	ann.URL = s.Addresses().Players
	var ticket string
	eventually.Holds(t, "the lobby hears that the match goes on", func() bool {
		ticket, err = ann.Ticket(t.Context(), l.ID)
		return err == nil
	}, &err)
	if _, w, why := ann.dial("/ws", ticket); w == nil {
		t.Fatalf("the match does not go on: %s", why)
	}
	if l, err = ann.Lobby(t.Context(), l.ID); err != nil || l.Waiting != nil {
		t.Errorf("the lobby waits: %+v, %v", l.Waiting, err)
	}
}

// rewriteSetup changes the setup in a journal.
func rewriteSetup(t *testing.T, file, from, to string) {
	t.Helper()
	var recs [][]byte
	_, err := journal.ReadFile(file, func(n uint64, rec []byte) error {
		if n == 0 && bytes.Count(rec, []byte(from)) != 1 {
			return fmt.Errorf("no %s in %s", from, rec)
		} else if n == 0 {
			rec = bytes.Replace(rec, []byte(from), []byte(to), 1)
		}
		recs = append(recs, bytes.Clone(rec))
		return nil
	})
	var out bytes.Buffer
	err = errors.Join(err, journal.Export(&out, func(each func(uint64, []byte) error) error {
		for n, rec := range recs {
			if err := each(uint64(n), rec); err != nil {
				return err
			}
		}
		return nil
	}))
	if err = errors.Join(err, os.WriteFile(file, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// TestHistoryAndReplayAgree: the history and the replay of a match agree that another
// build recorded it.
func TestHistoryAndReplayAgree(t *testing.T) {
	t.Parallel()
	s, cfg := running(t, nil)
	ann := guestOf(t, s, "Ann")
	l, err := ann.PlayBot(t.Context(), api.BotMatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Matches().Abort(t.Context(), l.MatchID, "aborted"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(cfg.DataDir, "journals", "past", l.MatchID+".journal")
	eventually.Holds(t, "the match has ended", func() bool { _, err := os.Stat(file); return err == nil })
	rewriteSetup(t, file, fmt.Sprintf(`"sim":"%d"`, sim.Behaviour), `"sim":"999"`)
	history, err := ann.History(t.Context())
	if err != nil || len(history) != 1 {
		t.Fatal(history, err)
	}
	var facts api.ReplayFacts
	ann.call("GET", "/api/replays/"+l.MatchID, nil, &facts, "")
	if history[0].Replay != "other_version" || facts.Unavailable != "other_version" {
		t.Errorf("the history says %q, the replay %q", history[0].Replay, facts.Unavailable)
	}
}

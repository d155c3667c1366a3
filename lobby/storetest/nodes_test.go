package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/match/shared"
)

// nodes: their rows count up, are listed by name, and are deleted when old.
func nodes(t *testing.T, h *Harness, _ func() db.Store) {
	beat := func(name, url string) {
		t.Helper()
		must(t, h.Store.Write(ctx, func(tx *db.Tx) error { return tx.Nodes.Heartbeat(name, url, h.Now()) }))
	}
	list := func() (out []model.Node) {
		t.Helper()
		must(t, h.Store.Read(ctx, func(tx *db.Tx) (err error) {
			out, err = tx.Nodes.List()
			return err
		}))
		return out
	}
	first := h.Now()
	beat("n2", "https://two.example.org")
	beat("n1", "")
	h.Step(time.Minute)
	beat("n2", "https://two.example.org/other")
	got := list()
	if len(got) != 2 || got[0] != (model.Node{Name: "n1", Heartbeats: 1, Seen: first}) ||
		got[1] != (model.Node{Name: "n2", URL: "https://two.example.org/other", Heartbeats: 2, Seen: h.Now()}) {
		t.Fatalf("nodes %+v", got)
	}
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { return tx.Nodes.Drop(h.Now()) }))
	if got := list(); len(got) != 1 || got[0].Name != "n2" {
		t.Fatalf("left are %+v", got)
	}
}

// nodeGone: the matches of a lost node are over after a while, even if its clock was
// wrong; no other node ends the matches of a living one.
func nodeGone(t *testing.T, h *Harness, again func() db.Store) {
	other := NewHarness(again(), func(c *lobby.Config) { c.Node, c.NodeURL = "another", "https://another.example.org" })
	defer other.Store.Close()
	other.Step(-time.Hour) // its clock is wrong
	l := h.playing(t, h.NewGuest(t, "player"))
	m := h.match(t, l.Match)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error { m.Node = "another"; return tx.Matches.Save(m) }))
	h.Fakes.Lose(l.Match)
	_, err := other.Fakes.Start(ctx, m.Spec)
	must(t, err)
	step := func(d time.Duration) { h.Step(d); other.Step(d) }
	for range 20 { // it lives
		other.Tick(t)
		h.Tick(t)
		step(25 * time.Second)
	}
	if now := h.match(t, m.ID); now.State != model.MatchLive {
		t.Fatalf("given up while its node lives: %+v", now)
	}
	if url := h.Play.URLOf(ctx, m.ID); url != "https://another.example.org" {
		t.Errorf("players are sent to %q", url)
	}
	// An admin here learns where it runs, and no row changes.
	for what, err := range map[string]error{
		"end":    h.admin().EndMatch(ctx, m.ID, "enough"),
		"keep":   h.admin().KeepMatch(ctx, m.ID, true),
		"budget": h.admin().SetBudget(ctx, m.ID, 1000, nil),
	} {
		want(t, err, model.RunsElsewhere)
		if e := (*play.Elsewhere)(nil); !errors.As(err, &e) || e.Node != "another" || e.URL == "" || !strings.Contains(model.AsError(err).Text(), "another ("+e.URL+")") {
			t.Errorf("%s: %v does not name the node", what, err)
		}
	}
	if rows, err := h.admin().Audit(ctx, 0, 10); err != nil || len(rows) > 0 {
		t.Errorf("the audit has %+v, %v", rows, err)
	}
	if now := h.match(t, m.ID); now.State != model.MatchLive || len(h.Fakes.Aborted) > 0 {
		t.Fatalf("ended all the same: %+v", now)
	}
	for range 5 { // it dies
		h.Tick(t)
		h.Step(29 * time.Second)
	}
	if now := h.match(t, m.ID); now.State != model.MatchLive {
		t.Fatalf("given up before its result had time to come: %+v", now)
	}
	h.Tick(t)
	h.Step(29 * time.Second)
	h.Tick(t)
	if now := h.match(t, m.ID); now.State != model.MatchFailed || now.Result.Reason != "lost" {
		t.Fatalf("its node is gone: %+v", now)
	}
	if l, err := h.Play.Lobby(ctx, l.ID); err != nil || l.State != model.Ended {
		t.Fatalf("the lobby is %v, %v", l.State, err)
	}
}

// inCluster: a match service's knowledge of other nodes goes before rows and leases.
func inCluster(t *testing.T, h *Harness, _ func() db.Store) {
	h.Fakes.StartAt = "n2"
	host := h.NewGuest(t, "host")
	l := h.playing(t, host)
	if m := h.match(t, l.Match); m.Node != "n2" || m.State != model.MatchLive {
		t.Fatalf("the row says %+v", m)
	}
	if len(h.Robot.Tickets) != 0 {
		t.Error("a bot was sent from the node that does not run the match")
	}
	wait := func(n int) {
		t.Helper()
		for range n {
			h.Tick(t)
			h.Step(time.Minute)
		}
		if m := h.match(t, l.Match); m.State != model.MatchLive {
			t.Fatalf("given up: %+v", m)
		}
	}
	wait(5)
	h.Fakes.At[l.Match] = shared.Whereabouts{State: shared.WhereWaits}
	wait(5)
	// This node takes it over: the row says so, and its bot comes from here.
	h.Fakes.StartAt = ""
	_, err := h.Fakes.Start(ctx, model.Spec{Match: l.Match})
	must(t, err)
	must(t, h.Play.TookOver(ctx, l.Match))
	if m := h.match(t, l.Match); m.Node != "local" || len(h.Robot.Tickets) != 1 {
		t.Fatalf("taken over: %+v, %d bots", m, len(h.Robot.Tickets))
	}
	seat, err := h.Play.Redeem(ctx, h.Robot.Tickets[0], Home.Address)
	if err != nil || !seat.Bot {
		t.Fatalf("the bot: %+v, %v", seat, err)
	}
	// Elsewhere again: an admin ends it through the match service.
	h.Fakes.Lose(l.Match)
	h.Fakes.At[l.Match] = shared.Whereabouts{State: shared.WhereRuns, Node: "n3"}
	must(t, h.admin().EndMatch(ctx, l.Match, "enough"))
	if len(h.Fakes.Aborted) != 1 {
		t.Error("the node that runs it was not asked")
	}
	// No node runs it or keeps its journal.
	h.Fakes.At[l.Match] = shared.Whereabouts{State: shared.WhereGone}
	for range 4 {
		h.Tick(t)
		h.Step(time.Minute)
	}
	h.Tick(t)
	if m := h.match(t, l.Match); m.State != model.MatchFailed || m.Result.Reason != "lost" {
		t.Fatalf("still %+v", m)
	}
	must(t, h.Play.TookOver(ctx, l.Match)) // too late: without effect
	if m := h.match(t, l.Match); m.Node != "local" && m.State != model.MatchFailed || len(h.Robot.Tickets) != 1 {
		t.Fatalf("after its end: %+v, %d bots", m, len(h.Robot.Tickets))
	}
}

func (h *Harness) match(t *testing.T, id model.MatchID) (m model.Match) {
	t.Helper()
	must(t, h.Store.Read(ctx, func(tx *db.Tx) (err error) {
		m, err = tx.Matches.Get(id)
		return err
	}))
	return m
}

package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// running is a server that runs until the test ends.
func running(t *testing.T, change func(*Config)) (*Server, Config) {
	t.Helper()
	cfg := local(t)
	open := make(chan *Server, 1)
	cfg.Hooks.Ready = func(s *Server) { open <- s }
	if change != nil {
		change(&cfg)
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	<-open
	return s, cfg
}

// person is a guest of a server.
type person struct {
	t *testing.T
	*client.Client
	model.Account
}

func guestOf(t *testing.T, s *Server, name string) *person {
	t.Helper()
	c, err := client.New(s.Addresses().Players)
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Guest(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, c, a}
}

// call is one request; code is the wanted refusal's, "" for success.
func (p *person) call(method, path string, body, out any, code model.Code) {
	p.t.Helper()
	err := p.Call(p.t.Context(), method, path, body, out)
	if code == "" && err != nil || code != "" && !client.Refused(err, code) {
		p.t.Fatalf("%s %s: %v, want %q", method, path, err, code)
	}
}

// lines reads an answer that is no JSON document.
func (p *person) lines(path string) string {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), "GET", p.URL+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = p.Headers()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		p.t.Fatalf("GET %s: %s, %v: %s", path, res.Status, err, raw)
	}
	return string(raw)
}

// ticket gets a ticket for a replay.
func (p *person) replayTicket(match string) string {
	p.t.Helper()
	var out api.Ticket
	p.call("POST", "/api/replays/"+match+"/tickets", map[string]any{"protocol": wire.Protocol}, &out, "")
	return out.Ticket
}

// dial opens a socket with a ticket, and returns it with its welcome, or why it was
// refused.
func (p *person) dial(path, ticket string) (*socket.Conn, *pb.Welcome, string) {
	p.t.Helper()
	c, err := socket.Dial(p.t.Context(), "ws"+strings.TrimPrefix(p.URL, "http")+path, p.Headers())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	if err := c.Send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticket, DerivesFog: true}}); err != nil {
		p.t.Fatal(err)
	}
	for {
		f, why := next(p.t, c)
		if why != "" || f.GetWelcome() != nil {
			return c, f.GetWelcome(), why
		}
	}
}

// next reads a message; why is the code of the closing, if the socket has ended.
func next(t *testing.T, c *socket.Conn) (f *pb.ServerFrame, why string) {
	t.Helper()
	b, err := c.Read()
	if err != nil {
		return nil, err.Error()
	}
	f = &pb.ServerFrame{}
	if err := proto.Unmarshal(b, f); err != nil {
		t.Fatal(err)
	}
	return f, f.GetClosing().GetCode()
}

// watch reads until a message fits, and returns the code of the closing if the socket
// ends before.
func watch(t *testing.T, c *socket.Conn, has func(*pb.ServerFrame) bool) (why string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		f, why := next(t, c)
		if why != "" || has(f) {
			return why
		}
	}
	t.Fatal("it does not come")
	return ""
}

func never(*pb.ServerFrame) bool { return false }

// staged starts a match of two people with a spectator.
func staged(t *testing.T, s *Server, options map[string]any) (ada, bob, eve *person, l api.Lobby) {
	t.Helper()
	ada, bob, eve = guestOf(t, s, "Adelaide"), guestOf(t, s, "Bertram"), guestOf(t, s, "Evelyn")
	maps, err := ada.Maps(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l, err = ada.CreateLobby(t.Context(), api.NewLobby{Name: "replays", Map: maps[0].ID, Limit: 2, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = eve.Join(t.Context(), l.ID, api.JoinRequest{Spectate: true}); err != nil {
		t.Fatal(err)
	}
	if l, err = bob.Join(t.Context(), l.ID, api.JoinRequest{}); err == nil {
		_, err = bob.Ready(t.Context(), l)
	}
	if err == nil {
		l, err = ada.Start(t.Context(), l.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ada, bob, eve, l
}

// over ends a match, and waits until its result is stored and its journal is past.
func over(t *testing.T, s *Server, cfg *Config, p *person, match string) {
	t.Helper()
	if err := s.Matches().Abort(t.Context(), match, "tea"); err != nil {
		t.Fatal(err)
	}
	var r api.ReplayFacts
	eventually.Holds(t, "the match is over", func() bool {
		p.call("GET", "/api/replays/"+match, nil, &r, "")
		_, err := os.Stat(filepath.Join(cfg.DataDir, "journals", "past", match+".journal"))
		return err == nil && r.Unavailable == ""
	}, &r)
}

// TestReplayTicketsAreAnotherKind: a player watches the match once it is over, by a
// ticket for the replay alone; a seat's ticket opens no replay.
func TestReplayTicketsAreAnotherKind(t *testing.T) {
	t.Parallel()
	s, cfg := running(t, nil)
	ada, bob, _, l := staged(t, s, nil)
	seat, err := bob.Ticket(t.Context(), l.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, why := bob.dial("/ws/replay", seat); why != "bad_ticket" {
		t.Errorf("a seat's ticket opens a replay: %s", why)
	}
	c, w, why := bob.dial("/ws", seat) // it was not used up
	if w == nil {
		t.Fatal(why)
	}
	if err := c.Send(&pb.ClientFrame{Camera: &pb.Camera{X: 9, Y: 9, Radius: 12}, Says: []*pb.Say{{Seq: 1, All: true, Text: "words of Bertram"}}}); err != nil {
		t.Fatal(err)
	}
	if why := watch(t, c, func(f *pb.ServerFrame) bool { return len(f.GetSaid()) > 0 }); why != "" {
		t.Fatal(why)
	}
	// Ada reports the line while the match runs, and a moderator mutes Bertram in matches.
	slot := 1
	ada.call("POST", "/api/reports", map[string]any{"match": l.MatchID, "slot": slot, "kind": "chat"}, nil, "")
	as := s.Lobby().Admin.OperatorSession(admin.Operator{Name: "test"})
	file, err := as.Case(t.Context(), 1)
	if err != nil || len(file.Reports[0].Lines) != 1 || file.Reports[0].Lines[0].Text != "words of Bertram" || file.Account != bob.ID {
		t.Fatalf("the case is %+v, %v", file, err)
	}
	if err := as.Decide(t.Context(), 1, admin.Decision{Verdict: model.Mute, Scopes: []model.BanScope{model.MatchChat}, Reason: "words"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Lobby().RunRound(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if err := c.Send(&pb.ClientFrame{Says: []*pb.Say{{Seq: 2, All: true, Text: "more words"}}}); err != nil {
		t.Fatal(err)
	}
	if why := watch(t, c, func(f *pb.ServerFrame) bool {
		if len(f.GetSaid()) > 0 {
			t.Errorf("a muted player is heard: %v", f.Said)
		}
		return slices.ContainsFunc(f.GetAnswers(), func(a *pb.Answer) bool { return a.Seq == 2 && a.Code == uint32(orders.Muted) })
	}); why != "" {
		t.Fatal(why)
	}
	eventually.Holds(t, "the match plays its tick 45", func() bool { return s.Matches().Matches()[0].Tick >= 45 })
	over(t, s, &cfg, ada, l.MatchID)
	if _, _, why := ada.dial("/ws", ada.replayTicket(l.MatchID)); why != "bad_ticket" {
		t.Errorf("a replay's ticket takes a seat: %s", why)
	}
	ticket := ada.replayTicket(l.MatchID)
	watched, welcome, why := ada.dial("/ws/replay", ticket)
	if welcome == nil {
		t.Fatal(why)
	}
	if in := welcome.GetReplay(); in.GetMatchId() != l.MatchID || in.GetLive() || welcome.Players[1].Name != "Bertram" || welcome.GetResume() == "" {
		t.Errorf("the welcome is %v, %v", welcome.GetReplay(), welcome.Players)
	}
	heard := ""
	if why := watch(t, watched, func(f *pb.ServerFrame) bool {
		for _, x := range f.GetSaid() {
			heard = x.Text
		}
		return heard != ""
	}); why != "" || heard != "words of Bertram" {
		t.Errorf("what was said is %q, %s", heard, why)
	}
	if _, _, why := ada.dial("/ws/replay", ticket); why != "ticket_used" {
		t.Errorf("a ticket that was used: %s", why)
	}
	if n, err := notesOf(&cfg, l.MatchID); err != nil || n == nil || len(n.Cameras) == 0 {
		t.Errorf("the notes: %+v, %v", n, err)
	}

	// The archive has the match once it is listed and both players share it, as if it had ended an hour ago.
	if err := s.Lobby().Write(t.Context(), func(tx *db.Tx) error {
		m, err := tx.Matches.Lock(model.MatchID(l.MatchID))
		m.State, m.Ended = model.MatchDone, m.Ended.Add(-time.Hour)
		return errors.Join(err, tx.Matches.Save(m))
	}); err != nil {
		t.Fatal(err)
	}
	ada.call("PUT", "/api/replays/"+l.MatchID+"/access", api.ReplayAccess{Access: "listed"}, nil, "")
	ada.call("PUT", "/api/me/sharing", api.Sharing{Sharing: "replays"}, nil, "")
	eve := guestOf(t, s, "Eveline")
	eve.call("GET", "/api/catalogue/"+l.MatchID+"/journal", nil, nil, model.NotFound)
	bob.call("PUT", "/api/me/sharing", api.Sharing{Sharing: "replays"}, nil, "")
	for part, kinds := range map[string][]string{"journal": {"match", "joined", "chat", "hash", "end"}, "timeline": {"match", "values", "end"}} {
		lines := eve.lines("/api/catalogue/" + l.MatchID + "/" + part)
		for _, kind := range kinds {
			if !strings.Contains(lines, `"kind":"`+kind+`"`) {
				t.Errorf("the %s has no %s", part, kind)
			}
		}
		if !strings.HasPrefix(lines, `{"kind":"match"`) || !strings.HasSuffix(lines, "{\"kind\":\"end\"}\n") ||
			strings.Contains(lines, "words of") || strings.Contains(lines, "Bertram") || strings.Contains(lines, string(bob.ID)) || strings.Contains(lines, "seed") {
			t.Errorf("the %s: %s", part, lines)
		}
	}

	// Bob deletes his account: it disappears from Ada's view, and from the journal.
	bob.call("POST", "/api/me/delete", map[string]any{}, nil, "")
	if why := watch(t, watched, never); why != "logged_out" {
		t.Errorf("a viewing that shows a deleted account: %s", why)
	}
	watched, welcome, why = ada.dial("/ws/replay", ada.replayTicket(l.MatchID))
	if welcome == nil || welcome.Players[1].Name == "Bertram" {
		t.Fatalf("opened again: %v %s", welcome.GetPlayers(), why)
	}
	if why := watch(t, watched, func(f *pb.ServerFrame) bool {
		if len(f.GetSaid()) > 0 {
			t.Errorf("it is told what a deleted account said: %v", f.Said)
		}
		return f.GetReplay().GetTick() > 30
	}); why != "" {
		t.Error(why)
	}
	past := filepath.Join(cfg.DataDir, "journals", "past", l.MatchID+".journal")
	eventually.Holds(t, "the journal has forgotten the account", func() bool {
		if err := s.Lobby().RunRound(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(past)
		return err == nil && !bytes.Contains(raw, []byte("Bertram")) && !bytes.Contains(raw, []byte(bob.ID)) && bytes.Contains(raw, []byte("Adelaide"))
	})
	if _, _, err := journal.Replay(func(each func(uint64, []byte) error) error { _, err := journal.ReadFile(past, each); return err }, nil); err != nil {
		t.Errorf("the journal plays no more: %v", err)
	}
	eventually.Holds(t, "the viewings end, which have the journal as it was", func() bool {
		s.app.replays.End("", "", &link.Refusal{Code: "stopping"})
		return len(s.app.replays.Viewings()) == 0
	})
	watched, welcome, why = ada.dial("/ws/replay", ada.replayTicket(l.MatchID))
	if welcome == nil || welcome.Players[1].Name != model.GoneName {
		t.Fatalf("from the journal without it: %v %s", welcome.GetPlayers(), why)
	}
	if why := watch(t, watched, func(f *pb.ServerFrame) bool {
		if len(f.GetSaid()) > 0 {
			t.Errorf("it is told that a deleted account said something: %v", f.Said)
		}
		return f.GetReplay().GetTick() > 30
	}); why != "" {
		t.Error(why)
	}
}

func notesOf(cfg *Config, match string) (*notes.Notes, error) {
	n, err := notes.Read(filepath.Join(cfg.DataDir, "journals", "past", match+notes.Suffix))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return n, err
}

// TestReplayOfALiveMatch: a spectator looks back in the match that it watches, with the
// eyes and the delay of its seat; a player cannot, with any ticket or eyes; and the view
// ends with the seat, the session, the account and the match.
func TestReplayOfALiveMatch(t *testing.T) {
	t.Parallel()
	s, cfg := running(t, nil)
	ada, bob, eve, l := staged(t, s, map[string]any{"spectatorDelay": 0, "replays": "link"})
	root := "/api/replays/" + l.MatchID
	var facts api.ReplayFacts
	ada.call("GET", root, nil, &facts, "")
	if facts.Unavailable != "not_over" || facts.Key == "" {
		t.Errorf("a player is told %+v", facts)
	}
	for _, p := range []*person{ada, bob} {
		p.call("POST", root+"/tickets", nil, nil, model.MatchRuns)
		p.call("POST", root+"/tickets", map[string]any{"key": facts.Key}, nil, model.MatchRuns)
	}
	stranger := guestOf(t, s, "Stranger")
	stranger.call("POST", root+"/tickets", nil, nil, model.NotFound)
	stranger.call("POST", root+"/tickets", map[string]any{"key": facts.Key}, nil, model.MatchRuns)

	opened := func() *socket.Conn {
		t.Helper()
		c, w, why := eve.dial("/ws/replay", eve.replayTicket(l.MatchID))
		if w == nil || !w.GetReplay().GetLive() {
			t.Fatalf("the spectator's welcome: %v %s", w, why)
		}
		return c
	}
	eve.call("GET", root, nil, &facts, "")
	if facts.Live == nil || facts.Live.DelaySeconds != 0 || facts.Live.Eyes != -1 || facts.Unavailable != "" || facts.MayBranch {
		t.Errorf("the spectator is told %+v", facts)
	}
	ends := func(c *socket.Conn, what, code string) {
		t.Helper()
		if why := watch(t, c, never); why != code {
			t.Errorf("after %s it ends with %q, want %q", what, why, code)
		}
	}
	c := opened()
	// It takes a player's ticket with its resume token, and other eyes: all are refused.
	team := 1
	if _, err := eve.ChangeSeat(t.Context(), l.ID, model.SeatChange{Team: &team}); err != nil {
		t.Fatal(err)
	}
	ends(c, "a change of its eyes", "logged_out")
	c = opened()
	if _, err := eve.Leave(t.Context(), l.ID); err != nil {
		t.Fatal(err)
	}
	ends(c, "leaving", "match_runs")
	eve.call("POST", root+"/tickets", nil, nil, model.MatchRuns)
	if _, err := eve.Join(t.Context(), l.ID, api.JoinRequest{Spectate: true}); err != nil {
		t.Fatal(err)
	}
	c = opened()
	eve.call("POST", "/api/logout/everywhere", nil, nil, "")
	ends(c, "log-out", "logged_out")

	eve = guestOf(t, s, "Evelina")
	if _, err := eve.Join(t.Context(), l.ID, api.JoinRequest{Spectate: true}); err != nil {
		t.Fatal(err)
	}
	c = opened()
	chief := s.Lobby().Admin.OperatorSession(admin.Operator{Name: "test"})
	if err := chief.Kick(t.Context(), string(eve.ID), "test"); err != nil {
		t.Fatal(err)
	}
	ends(c, "a kick", "logged_out")
	eve = guestOf(t, s, "Eveline")
	if _, err := eve.Join(t.Context(), l.ID, api.JoinRequest{Spectate: true}); err != nil {
		t.Fatal(err)
	}
	c = opened()
	if _, err := chief.Ban(t.Context(), admin.NewBan{Account: string(eve.ID), Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	ends(c, "a ban", "banned_account")
	over(t, s, &cfg, ada, l.MatchID)
	stranger.call("POST", root+"/tickets", nil, nil, model.NotFound)
	ada.call("GET", root, nil, &facts, "")
	stranger.call("POST", root+"/tickets", map[string]any{"key": facts.Key}, nil, "")
}

// TestReplayNeedsTheEndOfTheMatch: a match that the database takes for over, and whose
// journal has no end, is not shown: it may still run somewhere.
func TestReplayNeedsTheEndOfTheMatch(t *testing.T) {
	t.Parallel()
	s, _ := running(t, nil)
	ada, _, _, l := staged(t, s, nil)
	if err := s.Lobby().Play.MatchEnded(t.Context(), model.Result{Match: model.MatchID(l.MatchID), Failed: true, Reason: "lost"}); err != nil {
		t.Fatal(err)
	}
	var facts api.ReplayFacts
	ada.call("GET", "/api/replays/"+l.MatchID, nil, &facts, "")
	if facts.Unavailable != "not_over" {
		t.Errorf("it is told %+v", facts)
	}
	ada.call("POST", "/api/replays/"+l.MatchID+"/tickets", nil, nil, model.MatchRuns)
	// And should a ticket come to be given all the same, the journal is asked again.
	token := model.NewSecret()
	if err := s.Lobby().Store.Write(t.Context(), func(tx *db.Tx) error {
		a, err := tx.Accounts.Get(model.AccountID(ada.ID))
		if err != nil {
			return err
		}
		return tx.Replays.AddTicket(model.ReplayTicket{Hash: token.Hash(), Match: model.MatchID(l.MatchID), Account: a.ID, Epoch: a.Epoch, Expires: time.Now().Add(time.Minute)})
	}); err != nil {
		t.Fatal(err)
	}
	if _, w, why := ada.dial("/ws/replay", string(token)); w != nil || why != "match_runs" {
		t.Errorf("it is shown a match that runs: %v, %s", w, why)
	}
}

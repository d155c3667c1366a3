package storetest

import (
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/shared"
)

// over ends the match of a lobby.
func (h *Harness) over(t *testing.T, l *model.Lobby) {
	t.Helper()
	h.ends(t, l.Match)
}

// played makes a match of two that is over, with a spectator, and its replays as an
// option says.
func (h *Harness) played(t *testing.T, a, b, spectator model.Account, replays string) *model.Lobby {
	t.Helper()
	l := h.staged(t, a, b, spectator, replays)
	h.over(t, l)
	return l
}

// staged is played before its end.
func (h *Harness) staged(t *testing.T, a, b, spectator model.Account, replays string) *model.Lobby {
	t.Helper()
	l := h.NewLobby(t, a, room.NewLobby{Map: "ring", Limit: 2, Options: map[string]any{"replays": json.RawMessage(`"` + replays + `"`)}})
	_, err := h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Room.Join(ctx, Home, spectator, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	_, err = h.ready(l.ID, b)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, a.ID)
	must(t, err)
	_, _, err = h.Play.Login(ctx, Home, spectator, l.ID, 0)
	must(t, err)
	return l
}

// replayRights: accounts with a past seat may watch a match once it is over, as its
// options and its host say; others do not learn that it exists.
func replayRights(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w, x := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher"), h.NewGuest(t, "stranger")
	l := h.played(t, a, b, w, model.ReplaysParticipants)
	for _, who := range []model.Account{a, b, w} {
		r, err := h.Replay.MayWatch(ctx, Home, who.ID, l.Match, "")
		must(t, err)
		if r.Watching.Live || r.Watching.Eyes != grid.NoTeam || r.Key != "" || r.MayShare != (who.ID == a.ID) || r.Watching.Names[b.ID] != b.Name || len(r.Players) != 2 ||
			r.Players[0].Outcome != model.Won || r.Players[1].Name != b.Name {
			t.Errorf("%s may watch %+v", who.Name, r)
		}
	}
	_, err := h.Replay.Replay(ctx, Home, x.ID, l.Match, "")
	want(t, err, model.NotFound)
	_, err = h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, "", 0)
	want(t, err, model.NotFound)
	_, err = h.Replay.Replay(ctx, Home, a.ID, "no-such-match", "")
	want(t, err, model.NotFound)

	state := func(wanted string) {
		t.Helper()
		rows, err := h.Account.History(ctx, b.ID, 0)
		must(t, err)
		if got := h.Replay.ReplayState(ctx, &rows[0]); got != wanted {
			t.Errorf("the history says %s, want %s", got, wanted)
		}
	}
	state("available")
	_, err = h.Replay.SetReplays(ctx, Home, b.ID, l.Match, model.ReplaysOff)
	want(t, err, model.NotHost)
	_, err = h.Replay.SetReplays(ctx, Home, x.ID, l.Match, model.ReplaysLink)
	want(t, err, model.NotFound)
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, "everyone")
	want(t, err, model.BadRequest)
	r, err := h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysOff)
	must(t, err)
	if r.Unavailable != model.ReplayOff || r.Access != model.ReplaysOff {
		t.Errorf("turned off: %+v", r)
	}
	state("off")
	_, err = h.Replay.ReplayTicket(ctx, Home, b.ID, l.Match, "", 0)
	want(t, err, model.ReplayOff)
	_, err = h.Replay.Replay(ctx, Home, x.ID, l.Match, "")
	want(t, err, model.NotFound)
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysParticipants)
	must(t, err)

	for _, why := range []model.Code{model.ReplayExpired, model.ReplayVersion, model.MatchRuns} {
		h.Past.Refused[l.Match] = why
		r, err := h.Replay.Replay(ctx, Home, b.ID, l.Match, "")
		must(t, err)
		if r.Unavailable != why {
			t.Errorf("the journal says %s, the facts %s", why, r.Unavailable)
		}
		_, err = h.Replay.ReplayTicket(ctx, Home, b.ID, l.Match, "", 0)
		want(t, err, why)
	}
	delete(h.Past.Refused, l.Match)
	h.Replay.ReplayLife = 24 * time.Hour
	h.Step(25 * time.Hour)
	state("expired")
	h.Replay.ReplayLife = 0

	must(t, h.admin().SetReplays(ctx, l.Match, model.ReplaysOff))
	_, err = h.Replay.ReplayTicket(ctx, Home, b.ID, l.Match, "", 0)
	want(t, err, model.ReplayOff)
	rows, err := h.admin().Audit(ctx, 0, 1)
	must(t, err)
	if len(rows) != 1 || rows[0].Action != "match.replays" || rows[0].Subject != string(l.Match) || rows[0].Detail != model.ReplaysOff {
		t.Errorf("the audit says %+v", rows)
	}
}

// replayTickets: a ticket for a replay works once, for a while, for its account as it
// was, and never as the ticket of a seat; nor the other way round.
func replayTickets(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher")
	l := h.played(t, a, b, w, model.ReplaysParticipants)
	ticket := func() model.Secret {
		t.Helper()
		token, err := h.Replay.ReplayTicket(ctx, Home, b.ID, l.Match, "", 0)
		must(t, err)
		return token
	}
	token := ticket()
	_, err := h.Play.Redeem(ctx, token, netip.Addr{})
	want(t, err, model.BadTicket)
	right, err := h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	must(t, err)
	if right.Match != l.Match || right.Account != b.ID || right.Live || right.Eyes != grid.NoTeam || right.Names[a.ID] != a.Name {
		t.Errorf("the right is %+v", right)
	}
	_, err = h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	want(t, err, model.TicketUsed)
	for _, none := range []model.Secret{"", "short", model.NewSecret()} {
		_, err = h.Replay.RedeemReplay(ctx, none, netip.Addr{})
		want(t, err, model.BadTicket)
	}

	live := h.staged(t, h.NewGuest(t, "host"), b, h.NewGuest(t, "watcher"), model.ReplaysParticipants)
	seat, _, err := h.Play.Login(ctx, Home, b, live.ID, 0)
	must(t, err)
	_, err = h.Replay.RedeemReplay(ctx, seat, netip.Addr{})
	want(t, err, model.BadTicket)
	h.over(t, live)

	token = ticket()
	h.Step(admission.TicketLife)
	_, err = h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	want(t, err, model.TicketLate)

	token = ticket()
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysOff)
	must(t, err)
	_, err = h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	want(t, err, model.ReplayOff)
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysParticipants)
	must(t, err)

	ban := admin.NewBan{Range: "198.51.100.0/24", Reason: "test"}
	_, err = h.admin().Ban(ctx, ban)
	must(t, err)
	token = ticket()
	_, err = h.Replay.RedeemReplay(ctx, token, netip.MustParseAddr("198.51.100.7"))
	want(t, err, model.BannedAddress)
	must(t, h.Account.LogOutEverywhere(ctx, b.ID))
	_, err = h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	want(t, err, model.LoggedOut)

	h.Ledger = Ledger("replay-tickets.account=2")
	h.Step(2 * time.Hour)
	ticket()
	ticket()
	_, err = h.Replay.ReplayTicket(ctx, Home, b.ID, l.Match, "", 0)
	want(t, err, model.Throttled)
	h.Tick(t) // and expired tickets are deleted
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if has, err := tx.Replays.HasTicket(token.Hash()); err != nil || has {
			return errors.New("a ticket is kept for ever")
		}
		return nil
	}))
}

// replayLinks: with its link everybody may watch, as long as it is the last link and
// links are on; the participants get it.
func replayLinks(t *testing.T, h *Harness, again func() db.Store) {
	a, b, w, x := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher"), h.NewGuest(t, "stranger")
	l := h.played(t, a, b, w, model.ReplaysLink)
	other := h.played(t, a, b, w, model.ReplaysLink)
	key := func(who model.Account, m model.MatchID) model.Secret {
		t.Helper()
		r, err := h.Replay.Replay(ctx, Home, who.ID, m, "")
		must(t, err)
		if len(r.Key) != 43 {
			t.Fatalf("the key is %q", r.Key)
		}
		return r.Key
	}
	first := key(a, l.Match)
	if key(b, l.Match) != first || key(w, l.Match) != first || key(a, other.Match) == first {
		t.Error("a match has one key, and no two have the same")
	}
	for _, wrong := range []model.Secret{"", "x", model.NewSecret(), key(a, other.Match)} {
		_, err := h.Replay.Replay(ctx, Home, x.ID, l.Match, wrong)
		want(t, err, model.NotFound)
		_, err = h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, wrong, 0)
		want(t, err, model.NotFound)
	}
	r, err := h.Replay.Replay(ctx, Home, x.ID, l.Match, first)
	must(t, err)
	if r.Key != "" || r.MayShare || r.Watching.Link != 1 {
		t.Errorf("who has the link is told %+v", r)
	}
	token, err := h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, first, 0)
	must(t, err)
	right, err := h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	must(t, err)
	late, err := h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, first, 0)
	must(t, err)

	// Another service with the same key knows the link, one with another key does not.
	same := NewHarness(again(), func(c *lobby.Config) { c.ReplayKey = h.Replay.ReplayKey })
	if _, err := same.Replay.MayWatch(ctx, Home, x.ID, l.Match, first); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	_, err = NewHarness(again()).Replay.MayWatch(ctx, Home, x.ID, l.Match, first)
	want(t, err, model.NotFound)

	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysParticipants)
	must(t, err)
	_, err = h.Replay.Replay(ctx, Home, x.ID, l.Match, first)
	want(t, err, model.NotFound)
	_, err = h.Replay.RedeemReplay(ctx, late, netip.Addr{})
	want(t, err, model.NotFound)
	_, err = h.Replay.ResumeReplay(ctx, right, netip.Addr{})
	want(t, err, model.NotFound)
	if r, err := h.Replay.Replay(ctx, Home, b.ID, l.Match, ""); err != nil || r.Key != "" {
		t.Errorf("links are off, and it has %q, %v", r.Key, err)
	}
	r, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysLink)
	must(t, err)
	if r.Key == first {
		t.Error("a link that was turned off came back")
	}
	_, err = h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, first, 0)
	want(t, err, model.NotFound)
	_, err = h.Replay.RedeemReplay(ctx, late, netip.Addr{}) // given for the link that has ended
	want(t, err, model.NotFound)
	if _, err := h.Replay.ReplayTicket(ctx, Home, x.ID, l.Match, r.Key, 0); err != nil {
		t.Error(err)
	}
}

// replayOfLive: only spectators watch a running match, with the delay and the eyes of
// their seats; its players never do, by any attempt.
func replayOfLive(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w, x := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher"), h.NewGuest(t, "stranger")
	l := h.staged(t, a, b, w, model.ReplaysLink)
	refused := func(who model.Account, key model.Secret, code model.Code) {
		t.Helper()
		_, err := h.Replay.ReplayTicket(ctx, Home, who.ID, l.Match, key, 0)
		want(t, err, code)
	}
	refused(a, "", model.MatchRuns)
	refused(b, "", model.MatchRuns)
	refused(x, "", model.NotFound)
	r, err := h.Replay.Replay(ctx, Home, a.ID, l.Match, "")
	must(t, err)
	if r.Unavailable != model.MatchRuns || r.Key == "" {
		t.Errorf("a player is told %+v", r)
	}
	refused(a, r.Key, model.MatchRuns) // the link of a running match does not work
	refused(x, r.Key, model.MatchRuns)

	team := 1
	_, err = h.Room.ChangeSeat(ctx, l.ID, w.ID, model.SeatChange{Team: &team})
	must(t, err)
	token, err := h.Replay.ReplayTicket(ctx, Home, w.ID, l.Match, "", 0)
	must(t, err)
	right, err := h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	must(t, err)
	if !right.Live || right.Delay != time.Minute || right.Eyes != 1 || right.Account != w.ID {
		t.Errorf("the spectator's right is %+v", right)
	}

	// A viewer cannot play in it, not even in a free seat.
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if has, err := tx.Replays.HasWatched(l.Match, w.ID); err != nil || !has {
			return errors.New("nobody noted that it watched")
		}
		return nil
	}))

	// A spectator's ticket is invalid once it plays elsewhere, and once the match is
	// over.
	token, err = h.Replay.ReplayTicket(ctx, Home, w.ID, l.Match, "", 0)
	must(t, err)
	_, err = h.Room.Leave(ctx, l.ID, w.ID)
	must(t, err)
	_, err = h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	want(t, err, model.MatchRuns)
	_, err = h.Replay.ResumeReplay(ctx, right, netip.Addr{})
	want(t, err, model.MatchRuns)
	refused(w, "", model.MatchRuns)
	_, err = h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	token, err = h.Replay.ReplayTicket(ctx, Home, w.ID, l.Match, "", 0)
	must(t, err)
	h.over(t, l)
	_, err = h.Replay.RedeemReplay(ctx, token, netip.Addr{})
	want(t, err, model.MatchOver)
	_, err = h.Replay.MayWatch(ctx, Home, w.ID, l.Match, "")
	must(t, err)
}

// replayEnds: a viewing ends within a second after its right.
func replayEnds(t *testing.T, h *Harness, _ func() db.Store) {
	from := netip.MustParseAddr("203.0.113.9")
	watch := func(who model.Account, m model.MatchID, key model.Secret) {
		t.Helper()
		token, err := h.Replay.ReplayTicket(ctx, Home, who.ID, m, key, 0)
		must(t, err)
		right, err := h.Replay.RedeemReplay(ctx, token, from)
		must(t, err)
		h.Past.Watched = append(h.Past.Watched, shared.Viewing{Right: right, Address: from})
	}
	ends := func(who model.Account, m model.MatchID, code model.Code) {
		t.Helper()
		h.Past.Ended = nil
		h.Tick(t)
		if wanted := []string{string(who.ID) + " " + string(m) + " " + string(code)}; !slices.Equal(h.Past.Ended, wanted) {
			t.Fatalf("ended: %v, want %v", h.Past.Ended, wanted)
		}
	}
	a, b, w, x := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher"), h.NewGuest(t, "stranger")

	// Of a match that runs.
	l := h.staged(t, a, b, w, model.ReplaysLink)
	watch(w, l.Match, "")
	h.Tick(t)
	if len(h.Past.Ended) != 0 {
		t.Fatalf("ended for no reason: %v", h.Past.Ended)
	}
	// A player takes a seat over: the viewing shows its name and goes on.
	x2 := h.NewGuest(t, "newcomer")
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Lock(l.Match)
		if err == nil {
			m.Spec.Participants[1].Account, m.Spec.Participants[1].Name = x2.ID, x2.Name
			err = tx.Matches.TakeSeat(m, m.Spec.Participants[1].Start, h.Now())
		}
		return err
	}))
	h.Tick(t)
	if len(h.Past.Ended) != 0 || h.Past.Watched[0].Names[x2.ID] != x2.Name {
		t.Fatalf("ended %v, the names are %v", h.Past.Ended, h.Past.Watched[0].Names)
	}
	_, err := h.Room.Leave(ctx, l.ID, w.ID)
	must(t, err)
	ends(w, l.Match, model.MatchRuns)
	back := func() {
		t.Helper()
		_, err := h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{Spectate: true})
		must(t, err)
		watch(w, l.Match, "")
	}
	back()
	team := 0
	_, err = h.Room.ChangeSeat(ctx, l.ID, w.ID, model.SeatChange{Team: &team})
	must(t, err)
	ends(w, l.Match, model.LoggedOut) // other eyes are another viewing
	watch(w, l.Match, "")
	must(t, h.Account.LogOutEverywhere(ctx, w.ID))
	ends(w, l.Match, model.LoggedOut)
	watch(w, l.Match, "")
	must(t, h.admin().Kick(ctx, string(w.ID), "test"))
	ends(w, l.Match, model.LoggedOut)
	w = h.NewGuest(t, "watcher")
	back()
	h.over(t, l)
	ends(w, l.Match, model.MatchOver)

	// Of a match that is over.
	r, err := h.Replay.Replay(ctx, Home, a.ID, l.Match, "")
	must(t, err)
	watch(x, l.Match, r.Key)
	watch(b, l.Match, "")
	_, err = h.Replay.SetReplays(ctx, Home, a.ID, l.Match, model.ReplaysParticipants)
	must(t, err)
	ends(x, l.Match, model.NotFound)
	_, err = h.admin().Ban(ctx, admin.NewBan{Account: string(b.ID), Reason: "test"})
	must(t, err)
	ends(b, l.Match, model.BannedAccount)
	watch(a, l.Match, "")
	_, err = h.admin().Ban(ctx, admin.NewBan{Range: "203.0.113.0/24", Reason: "test"})
	must(t, err)
	ends(a, l.Match, model.BannedAddress)
	from = netip.MustParseAddr("203.0.114.9")
	watch(w, l.Match, "")
	must(t, h.Account.DeleteAccount(ctx, Home, a.ID, ""))
	ends(w, l.Match, model.LoggedOut) // it shows the name of a deleted account
	watch(w, l.Match, "")
	if names := h.Past.Watched[0].Names; names[a.ID] != "" || len(names) != 2 {
		t.Errorf("the names are %v", names)
	}
	must(t, h.Account.DeleteAccount(ctx, Home, w.ID, ""))
	ends(w, l.Match, model.LoggedOut)
}

// replayForgets: a deleted account is taken out of journals once its matches are over,
// and not forgotten in between; its name is gone from the facts at once.
func replayForgets(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, w := h.NewGuest(t, "host"), h.NewGuest(t, "player"), h.NewGuest(t, "watcher")
	done := h.played(t, a, b, w, model.ReplaysLink)
	live := h.staged(t, a, b, w, model.ReplaysParticipants)
	h.Past.Runs[live.Match] = true
	must(t, h.Account.DeleteAccount(ctx, Home, a.ID, ""))
	r, err := h.Replay.Replay(ctx, Home, b.ID, done.Match, "")
	must(t, err)
	if p := r.Players[0]; p.Name != model.GoneName || !p.Gone || p.Account != "" || r.Host != "" || r.Players[1].Gone {
		t.Errorf("the players are %+v", r.Players)
	}
	h.Tick(t)
	if wanted := []model.Redaction{{Match: done.Match, Account: a.ID}}; !slices.Equal(h.Past.Redacted, wanted) {
		t.Fatalf("taken out: %v, want %v", h.Past.Redacted, wanted)
	}
	h.Tick(t)
	if len(h.Past.Redacted) != 1 {
		t.Error("it was taken out twice")
	}
	h.over(t, live)
	delete(h.Past.Runs, live.Match)
	h.Tick(t)
	if len(h.Past.Redacted) != 2 || h.Past.Redacted[1] != (model.Redaction{Match: live.Match, Account: a.ID}) {
		t.Errorf("taken out: %v", h.Past.Redacted)
	}
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if left, err := tx.Replays.Redactions("", model.Redaction{}, 10); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
		if has, err := tx.Replays.HasWatched(done.Match, w.ID); err != nil || !has {
			t.Errorf("another's seat is forgotten: %v", err)
		}
		return nil
	}))
	must(t, h.Account.DeleteAccount(ctx, Home, w.ID, ""))
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		if has, err := tx.Replays.HasWatched(done.Match, w.ID); err != nil || has {
			t.Errorf("it watched, says the store, %v", err)
		}
		return nil
	}))
}

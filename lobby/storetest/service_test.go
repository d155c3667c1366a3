package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
	"github.com/fogkeep/fogkeep/match/grid"
)

// studioIssuer is the issuer of the keys of most tests.
const studioIssuer = "https://id.studio.example"

// key makes a service key and returns it with its session.
func (h *Harness) key(t testing.TB, issuer string, scopes ...model.Scope) (model.ServiceKey, studio.KeySecret, *studio.Session) {
	t.Helper()
	if len(scopes) == 0 {
		scopes = studio.Scopes()
	}
	k, secret, err := h.admin().Keys().Add(ctx, studio.NewServiceKey{Name: "matchmaker", Issuer: issuer, Scopes: scopes})
	must(t, err)
	session, err := h.Studio.KeySession(ctx, Home, string(secret))
	must(t, err)
	return k, secret, session
}

// serviceKeys: a key lives from its making over its rotation to its end, and its
// secrets are in the database as hashes alone.
func serviceKeys(t *testing.T, h *Harness, again func() db.Store) {
	for _, bad := range []studio.NewServiceKey{
		{Name: "", Issuer: "x", Scopes: studio.Scopes()},
		{Name: "a", Issuer: "", Scopes: studio.Scopes()},
		{Name: "a", Issuer: "x"},
		{Name: "a", Issuer: "x", Scopes: []model.Scope{"everything"}},
		{Name: "a", Issuer: "x", Scopes: studio.Scopes(), Expires: -time.Hour},
	} {
		if _, _, err := h.admin().Keys().Add(ctx, bad); err == nil {
			t.Errorf("made %+v", bad)
		}
	}
	k, secret, err := h.admin().Keys().Add(ctx, studio.NewServiceKey{Name: "matchmaker", Issuer: studioIssuer,
		Scopes: []model.Scope{studio.MatchesWrite, studio.MatchesRead, studio.MatchesWrite}, Expires: 48 * time.Hour})
	must(t, err)
	if len(k.Scopes) != 2 || !strings.HasPrefix(string(secret), "fks_") || len(secret) != 47 {
		t.Fatalf("key %+v, secret of %d characters", k, len(secret))
	}
	use := func(s studio.KeySecret) error {
		_, err := h.Studio.KeySession(ctx, Home, string(s))
		return err
	}
	must(t, use(secret))
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error { // the hash alone is there
		if _, err := tx.Keys.BySecret(model.SecretHash(secret), h.Now()); !errors.Is(err, model.ErrNotFound) {
			t.Errorf("found by the secret itself: %v", err)
		}
		return nil
	}))
	list, err := h.admin().Keys().List(ctx)
	must(t, err)
	if len(list) != 1 || !list[0].Used.Equal(h.Now()) || !list[0].Old.IsZero() {
		t.Fatalf("keys %+v", list)
	}

	// Two secrets while it is rotated, never three.
	_, second, err := h.admin().Keys().Rotate(ctx, k.ID, time.Hour)
	must(t, err)
	must(t, use(secret))
	must(t, use(second))
	_, third, err := h.admin().Keys().Rotate(ctx, k.ID, time.Hour)
	must(t, err)
	want(t, use(secret), model.Unauthenticated)
	must(t, use(second))
	must(t, use(third))
	if list, err = h.admin().Keys().List(ctx); err != nil || !list[0].Old.Equal(h.Now().Add(time.Hour)) {
		t.Errorf("keys %+v, %v", list, err)
	}
	h.Step(time.Hour)
	want(t, use(second), model.Unauthenticated)
	must(t, use(third))
	_, fourth, err := h.admin().Keys().Rotate(ctx, k.ID, 0)
	must(t, err)
	want(t, use(third), model.Unauthenticated)
	_, _, err = h.admin().Keys().Rotate(ctx, k.ID, 31*24*time.Hour)
	want(t, err, model.BadRequest)

	// It ends by itself, and at an admin's word in every process.
	other := NewHarness(again())
	other.Step(time.Hour)
	_, err = other.Studio.KeySession(ctx, Home, string(fourth))
	must(t, err)
	h.Step(47 * time.Hour)
	want(t, use(fourth), model.Unauthenticated)
	k, fifth, session := h.key(t, studioIssuer)
	must(t, h.admin().Keys().Revoke(ctx, k.ID))
	want(t, use(fifth), model.Unauthenticated)
	_, _, err = h.admin().Keys().Rotate(ctx, k.ID, 0)
	want(t, err, model.NotFound)
	want(t, h.admin().Keys().Revoke(ctx, k.ID), model.NotFound)
	// A request from before the end has no effect after it.
	_, err = session.Tickets(ctx, "01900000-0000-7000-8000-000000000000", nil)
	want(t, err, model.Unauthenticated)

	// Only a key opens this door, and a key opens no other.
	_, token, err := h.Account.Guest(ctx, Home, "Ada")
	must(t, err)
	for _, text := range []string{"", "fks_", string(token), "fks_" + string(token), strings.ToUpper(string(fourth)), string(fourth)[4:], string(fourth) + "x", strings.Repeat("a", 1<<16)} {
		want(t, use(studio.KeySecret(text)), model.Unauthenticated)
	}
	_, live, _ := h.key(t, studioIssuer)
	for _, text := range []studio.KeySecret{live, live[4:]} {
		_, err := h.Account.Session(ctx, Home, model.Secret(text))
		want(t, err, model.Unauthenticated)
		_, err = h.Admin.Session(ctx, Home, model.Secret(text))
		want(t, err, model.Unauthenticated)
		_, err = h.Play.Redeem(ctx, model.Secret(text), Home.Address)
		want(t, err, model.BadTicket)
	}

	// Only admins of the highest role make and end keys.
	password, err := h.admin().Admins().Add(ctx, "moderator", model.Moderator, false)
	must(t, err)
	_, login, err := h.Admin.AdminLogIn(ctx, Home, "moderator", password)
	must(t, err)
	moderator, err := h.Admin.Session(ctx, Home, login)
	must(t, err)
	_, _, err = moderator.Keys().Add(ctx, studio.NewServiceKey{Name: "mine", Issuer: studioIssuer, Scopes: studio.Scopes()})
	want(t, err, model.Forbidden)
	want(t, moderator.Keys().Revoke(ctx, k.ID), model.Forbidden)
	for n := 2; n < studio.ServiceKeysMax; n++ { // the expired and the live one are there
		h.key(t, studioIssuer)
	}
	_, _, err = h.admin().Keys().Add(ctx, studio.NewServiceKey{Name: "too many", Issuer: studioIssuer, Scopes: studio.Scopes()})
	want(t, err, model.Throttled)
}

func seatsOf(subjects ...string) (out []studio.ServiceSeat) {
	for i, s := range subjects {
		out = append(out, studio.ServiceSeat{Subject: s, Name: "Player " + s, Team: ptr(i)})
	}
	return out
}

// serviceMatch: a key makes a match for players unknown to the server, and sees how it
// ends.
func serviceMatch(t *testing.T, h *Harness, _ func() db.Store) {
	k, _, session := h.key(t, studioIssuer)
	r := studio.ServiceMatchRequest{RequestKey: "first", Map: "ring", Options: map[string]any{"timeLimitMinutes": json.RawMessage("20")},
		Seats: []studio.ServiceSeat{
			{Subject: "auth0|ada", Name: "Ada", Team: ptr(0), Start: ptr(4)},
			{Subject: "grace@studio", Name: "admin", Team: ptr(1), Start: ptr(1)},
			{Level: model.EasyBot, Team: ptr(1), Start: ptr(0)},
		}}
	m, tickets, repeated, err := session.CreateMatch(ctx, r)
	must(t, err)
	if repeated || m.State != model.MatchLive || len(tickets) != 2 || m.Spec.Options.TimeLimitMinutes != 20 {
		t.Fatalf("match %+v, %d tickets", m, len(tickets))
	}
	ada := m.Spec.Participants[2]
	if ada.Name != "Ada" || ada.Start != 4 || m.Subjects[ada.Account] != "auth0|ada" {
		t.Fatalf("seats %+v, subjects %v", m.Spec.Participants, m.Subjects)
	}
	if name := m.Spec.Participants[1].Name; name == "admin" {
		t.Error("a studio's server has named a player admin")
	}
	h.Step(time.Minute) // longer than the tickets of players
	for _, x := range tickets {
		if x.Subject != "auth0|ada" {
			continue
		}
		seat, err := h.Play.Redeem(ctx, x.Ticket, Home.Address)
		must(t, err)
		if seat.Account != ada.Account || seat.Start != 4 || seat.Team != 0 {
			t.Errorf("seat %+v", seat)
		}
	}

	// The same request again makes no match, and returns new tickets.
	m2, tickets2, repeated, err := session.CreateMatch(ctx, r)
	must(t, err)
	if !repeated || m2.ID != m.ID || len(tickets2) != 2 || tickets2[0].Ticket == tickets[0].Ticket {
		t.Errorf("again: %t %s %v", repeated, m2.ID, tickets2)
	}
	r.Map = "delta"
	_, _, _, err = session.CreateMatch(ctx, r)
	want(t, err, model.AlreadyExists)
	one, err := session.Tickets(ctx, m.ID, []string{"grace@studio"})
	must(t, err)
	if len(one) != 1 || one[0].Subject != "grace@studio" {
		t.Errorf("tickets %v", one)
	}
	_, err = session.Tickets(ctx, m.ID, []string{"grace@studio", "nobody"})
	want(t, err, model.NotSeated)

	must(t, h.Play.MatchEnded(ctx, model.Result{Match: m.ID, Reason: "surrender", Winners: []grid.Team{0}, Ticks: 900}))
	seen, err := session.Match(ctx, m.ID)
	must(t, err)
	if seen.State != model.MatchDone || seen.Result == nil || seen.Result.Winners[0] != 0 {
		t.Errorf("after the end %+v", seen)
	}
	if list, err := session.Matches(ctx, []model.MatchState{model.MatchDone}, 0, 10); err != nil || len(list) != 1 || list[0].ID != m.ID {
		t.Errorf("list %v %v", list, err)
	}
	a, record, err := session.Player(ctx, "auth0|ada")
	must(t, err)
	if a.Name != "Ada" || record.Won != 1 {
		t.Errorf("%+v %+v", a, record)
	}
	if _, rows, err := session.Results(ctx, "auth0|ada", 0); err != nil || len(rows) != 1 || rows[0].Match != m.ID {
		t.Errorf("results %v %v", rows, err)
	}
	_, err = session.Tickets(ctx, m.ID, nil)
	want(t, err, model.MatchOver)
	want(t, session.EndMatch(ctx, m.ID, ""), model.MatchOver)

	// The players are known now; a second match is ended early.
	second := studio.ServiceMatchRequest{RequestKey: "second", Map: "ring", Seats: seatsOf("auth0|ada", "grace@studio")}
	m, _, _, err = session.CreateMatch(ctx, second)
	must(t, err)
	if m.Spec.Participants[0].Account != ada.Account {
		t.Error("the same subject has another account")
	}
	must(t, session.EndMatch(ctx, m.ID, "server full"))
	if len(h.Fakes.Aborted) != 1 {
		t.Errorf("aborted %v", h.Fakes.Aborted)
	}

	// Each change is in the audit, by the key's id.
	rows, err := h.admin().Audit(ctx, 0, 100)
	must(t, err)
	count := map[string]int{}
	for _, row := range rows {
		if row.Admin == "key:"+k.ID {
			count[row.Action]++
		}
	}
	if got := fmt.Sprint(count); got != "map[account.add:2 match.end:1 match.start:2 match.tickets:4]" {
		t.Errorf("audit has %s", got)
	}
	report, err := h.admin().VerifyAudit(ctx, model.AuditHead{})
	if must(t, err); report.Broken != "" {
		t.Error(report.Broken)
	}

	// A day later the request key may be used again.
	h.Step(model.RequestKeyLife + time.Minute)
	h.Tick(t)
	_, _, repeated, err = session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "first", Map: "ring", Seats: seatsOf("x", "y")})
	if must(t, err); repeated {
		t.Error("known for longer than a day")
	}
}

// serviceScopes: a key acts within its scopes, for its issuer's matches and players.
func serviceScopes(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, all := h.key(t, studioIssuer)
	m, _, _, err := all.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "m", Map: "ford", Seats: seatsOf("ada", "grace")})
	must(t, err)
	past, _, _, err := all.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "past", Map: "ford", Seats: seatsOf("edsger", "barbara")})
	must(t, err)
	h.ends(t, past.ID)
	acts := map[model.Scope][]func(*studio.Session) error{
		studio.MatchesWrite: {
			func(s *studio.Session) error {
				_, _, _, err := s.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "m", Map: "ford", Seats: seatsOf("ada", "grace")})
				return err
			},
			func(s *studio.Session) error { _, err := s.Tickets(ctx, m.ID, nil); return err },
			func(s *studio.Session) error { return s.EndMatch(ctx, m.ID, "over") },
			func(s *studio.Session) error { _, err := s.SetReplays(ctx, m.ID, model.ReplaysLink); return err },
			func(s *studio.Session) error { _, err := s.ReplayTickets(ctx, past.ID, nil); return err },
		},
		studio.MatchesRead: {
			func(s *studio.Session) error { _, err := s.Match(ctx, m.ID); return err },
			func(s *studio.Session) error { _, err := s.Matches(ctx, nil, 0, 10); return err },
		},
		studio.PlayersRead: {
			func(s *studio.Session) error { _, _, err := s.Player(ctx, "ada"); return err },
			func(s *studio.Session) error { _, _, err := s.Results(ctx, "ada", 0); return err },
		},
	}
	for _, has := range studio.Scopes() {
		_, _, session := h.key(t, studioIssuer, has)
		for scope, list := range acts {
			for i, do := range list {
				err := do(session)
				if scope == has && err != nil || scope != has && !errors.Is(err, model.Forbidden) {
					t.Errorf("a key with %s does act %d of %s: %v", has, i, scope, err)
				}
			}
		}
	}
	// Another issuer's key does not see it, and its "ada" is another person.
	_, _, other := h.key(t, "https://other.example")
	_, err = other.Match(ctx, m.ID)
	want(t, err, model.NotFound)
	_, err = other.Tickets(ctx, m.ID, nil)
	want(t, err, model.NotFound)
	want(t, other.EndMatch(ctx, m.ID, "mine now"), model.NotFound)
	_, err = other.ReplayTickets(ctx, past.ID, nil)
	want(t, err, model.NotFound)
	_, err = other.SetReplays(ctx, past.ID, model.ReplaysLink)
	want(t, err, model.NotFound)
	_, _, err = other.Player(ctx, "ada")
	want(t, err, model.NotFound)
	if list, err := other.Matches(ctx, nil, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("another issuer's matches: %v %v", list, err)
	}
	m2, _, repeated, err := other.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "m", Map: "ford", Seats: seatsOf("ada", "grace")})
	must(t, err)
	if repeated || m2.ID == m.ID || m2.Spec.Participants[0].Account == m.Spec.Participants[0].Account {
		t.Error("two issuers share a request key or a player")
	}
	// A match that players made belongs to no issuer.
	host := h.NewGuest(t, "host")
	l, err := h.Room.PlayBot(ctx, Home, host, model.BotMatchRequest{})
	must(t, err)
	_, err = all.Match(ctx, l.Match)
	want(t, err, model.NotFound)
}

// serviceReplays: a key lets players of its issuer watch its finished match, as far as
// the match lets them.
func serviceReplays(t *testing.T, h *Harness, _ func() db.Store) {
	k, _, session := h.key(t, studioIssuer)
	make := func(request string, subjects ...string) model.MatchID {
		t.Helper()
		m, _, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: request, Map: "ford", Seats: seatsOf(subjects...)})
		must(t, err)
		return m.ID
	}
	id := make("m", "ada", "grace")
	make("others", "linus", "ken") // who are known then
	_, err := session.ReplayTickets(ctx, id, nil)
	want(t, err, model.MatchRuns)
	h.ends(t, id)
	tickets, err := session.ReplayTickets(ctx, id, nil)
	must(t, err)
	if len(tickets) != 2 || tickets[0].Subject == tickets[1].Subject {
		t.Fatalf("tickets %v", tickets)
	}
	h.Step(time.Minute) // longer than the tickets of players
	a, _, err := session.Player(ctx, "ada")
	must(t, err)
	for _, x := range tickets {
		right, err := h.Replay.RedeemReplay(ctx, x.Ticket, Home.Address)
		must(t, err)
		if right.Match != id || right.Live || (right.Account == a.ID) != (x.Subject == "ada") {
			t.Errorf("%s may watch %+v", x.Subject, right)
		}
		_, err = h.Replay.RedeemReplay(ctx, x.Ticket, Home.Address)
		want(t, err, model.TicketUsed)
		_, err = h.Play.Redeem(ctx, x.Ticket, Home.Address)
		want(t, err, model.BadTicket)
	}
	one, err := session.ReplayTickets(ctx, id, []string{"grace", "grace"})
	must(t, err)
	if len(one) != 1 || one[0].Subject != "grace" {
		t.Errorf("tickets %v", one)
	}
	// A player of no match, and an unknown subject.
	_, err = session.ReplayTickets(ctx, id, []string{"linus"})
	want(t, err, model.NotSeated)
	_, err = session.ReplayTickets(ctx, id, []string{"ada", "nobody"})
	want(t, err, model.NotFound)
	_, err = session.ReplayTickets(ctx, id, slices.Repeat([]string{"ada"}, studio.ServiceReplayTicketsMax+1))
	want(t, err, model.BadRequest)

	// Everyone with the link.
	_, err = session.SetReplays(ctx, id, "all")
	want(t, err, model.BadRequest)
	key, err := session.SetReplays(ctx, id, model.ReplaysLink)
	must(t, err)
	stranger := h.NewGuest(t, "stranger")
	if r, err := h.Replay.MayWatch(ctx, Home, stranger.ID, id, key); err != nil || r.Watching.Link == 0 {
		t.Errorf("with the link: %+v, %v", r, err)
	}
	one, err = session.ReplayTickets(ctx, id, []string{"linus"})
	must(t, err)
	_, err = h.Replay.RedeemReplay(ctx, one[0].Ticket, Home.Address)
	must(t, err)
	one, err = session.ReplayTickets(ctx, id, []string{"linus"})
	must(t, err)
	if key, err = session.SetReplays(ctx, id, model.ReplaysParticipants); err != nil || key != "" {
		t.Errorf("the key %q, %v", key, err)
	}
	_, err = h.Replay.RedeemReplay(ctx, one[0].Ticket, Home.Address)
	want(t, err, model.NotFound)
	_, err = session.SetReplays(ctx, id, model.ReplaysOff)
	must(t, err)
	_, err = session.ReplayTickets(ctx, id, nil)
	want(t, err, model.ReplayOff)
	_, err = session.SetReplays(ctx, id, model.ReplaysParticipants)
	must(t, err)

	// A lost journal, and a banned player.
	h.Past.Refused[id] = model.ReplayExpired
	_, err = session.ReplayTickets(ctx, id, nil)
	want(t, err, model.ReplayExpired)
	delete(h.Past.Refused, id)
	_, err = h.admin().Ban(ctx, admin.NewBan{Account: string(a.ID), Reason: "cheats"})
	must(t, err)
	_, err = session.ReplayTickets(ctx, id, nil)
	want(t, err, model.BannedAccount)

	rows, err := h.admin().Audit(ctx, 0, 100)
	must(t, err)
	count := map[string]int{}
	for _, row := range rows {
		if row.Admin == "key:"+k.ID && row.Subject == string(id) {
			count[row.Action]++
		}
	}
	if count["match.replay-tickets"] != 4 || count["match.replays"] != 4 {
		t.Errorf("audit has %v", count)
	}
}

// ends ends a match.
func (h *Harness) ends(t *testing.T, id model.MatchID) {
	t.Helper()
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: id, Reason: "last-team", Ticks: 1200, Winners: []grid.Team{0}}))
	h.Fakes.Lose(id)
}

// serviceAbuse: a refused request leaves no trace, and a request that is sent many
// times at once makes one match.
func serviceAbuse(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, session := h.key(t, studioIssuer)
	try := func(key, m string, seats ...studio.ServiceSeat) error {
		_, _, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: key, Map: m, Seats: seats})
		return err
	}
	two := seatsOf("a", "b")
	for _, key := range []string{"", strings.Repeat("k", 129), "a\nb", "\xff"} {
		want(t, try(key, "ford", two...), model.BadRequest)
	}
	want(t, try("k", "nowhere", two...), model.UnknownMap)
	want(t, try("k", "ford", seatsOf("a", "b", "c")...), model.BadLimit)
	want(t, try("k", "ford", seatsOf("a", "a")...), model.BadRequest)
	want(t, try("k", "ford", seatsOf("a", strings.Repeat("b", 256))...), model.BadRequest)
	want(t, try("k", "ford", seatsOf("a", "b\x00")...), model.BadRequest)
	for _, subject := range []string{"b", strings.Repeat("b", 255)} {
		if _, _, err := session.Player(ctx, subject); !errors.Is(err, model.NotFound) {
			t.Errorf("%.10s has an account: %v", subject, err)
		}
	}
	// A match that does not start leaves its request key free.
	h.Fakes.FailStart = true
	want(t, try("k", "ford", two...), model.StartRefused)
	h.Fakes.FailStart = false
	must(t, try("k", "ford", two...))
	must(t, try("k", "ford", two...))
	want(t, try("k2", "ford", two...), model.InMatch)

	made := map[model.MatchID]int{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			m, tickets, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "race", Map: "ford", Seats: seatsOf("x", "y")})
			if err != nil || len(tickets) != 2 {
				t.Errorf("%d tickets, %v", len(tickets), err)
			}
			mu.Lock()
			defer mu.Unlock()
			made[m.ID]++
		})
	}
	wg.Wait()
	if len(made) != 1 {
		t.Errorf("one request made %d matches", len(made))
	}
	// A banned player gets no ticket, and no match.
	a, _, err := session.Player(ctx, "x")
	must(t, err)
	_, err = h.admin().Ban(ctx, admin.NewBan{Account: string(a.ID), Reason: "cheats"})
	must(t, err)
	want(t, try("banned", "ford", seatsOf("x", "z")...), model.BannedAccount)
	must(t, h.admin().Drain(ctx, true))
	want(t, try("drain", "ford", seatsOf("v", "w")...), model.Draining)
}

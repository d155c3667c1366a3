package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/queue"
	"github.com/fogkeep/fogkeep/match/grid"
)

func (h *Harness) queue(t *testing.T, a model.Account, queue string) queue.Standing {
	t.Helper()
	st, err := h.Queue.JoinQueue(ctx, Home, a, queue, "")
	must(t, err)
	return st
}

func (h *Harness) standing(t *testing.T, a model.Account) queue.Standing {
	t.Helper()
	st, err := h.Queue.Standing(ctx, a.ID)
	must(t, err)
	return st
}

// round lets the janitor look at the queues a second later.
func (h *Harness) round(t *testing.T) {
	t.Helper()
	h.Step(time.Second)
	h.Tick(t)
}

// party makes a party of accounts; the first leads.
func (h *Harness) party(t *testing.T, accounts ...model.Account) queue.Standing {
	t.Helper()
	st, err := h.Queue.MakeParty(ctx, Home, accounts[0])
	must(t, err)
	for _, a := range accounts[1:] {
		_, err = h.Queue.JoinParty(ctx, Home, a, st.Party.Code)
		must(t, err)
	}
	return h.standing(t, accounts[0])
}

// accept lets all players accept their offer, and returns the match.
func (h *Harness) accept(t *testing.T, accounts ...model.Account) model.Spec {
	t.Helper()
	var id model.LobbyID
	for _, a := range accounts {
		st := h.standing(t, a)
		if st.Offer == nil {
			t.Fatalf("%s is offered nothing: %+v", a.Name, st.Party)
		}
		_, err := h.Queue.AnswerOffer(ctx, a.ID, st.Offer.ID, true)
		must(t, err)
	}
	for _, a := range accounts {
		st := h.standing(t, a)
		if st.Offer != nil || st.Party == nil || st.Party.Queue != "" || st.Party.Lobby == "" {
			t.Fatalf("%s stands at %+v, offer %v", a.Name, st.Party, st.Offer)
		}
		if id != "" && id != st.Party.Lobby {
			t.Fatalf("lobbies %s and %s", id, st.Party.Lobby)
		}
		id = st.Party.Lobby
	}
	l, err := h.Play.Lobby(ctx, id)
	must(t, err)
	spec, ok := h.Fakes.Spec(l.Match)
	if l.State != model.Playing || !ok || l.Host != "" {
		t.Fatalf("the lobby is %+v", l)
	}
	return spec
}

// quickMatch: two queue, are asked, accept and play; the result is in both ratings,
// once; and no leaderboard lists guests or provisional players.
func quickMatch(t *testing.T, h *Harness, _ func() db.Store) {
	a, _, err := h.Account.Register(ctx, Home, "Ada", "", "difference engine")
	must(t, err)
	b := h.NewGuest(t, "Bob")
	h.queue(t, a, "1v1")
	h.round(t)
	if st := h.standing(t, a); st.Offer != nil || st.Party.Queue != "1v1" {
		t.Fatalf("alone: %+v", st.Party)
	}
	h.queue(t, b, "1v1")
	h.round(t)
	spec := h.accept(t, a, b)
	if len(spec.Participants) != 2 || spec.Map.ID != "ford" || spec.Participants[0].Team == spec.Participants[1].Team {
		t.Fatalf("spec %+v", spec)
	}
	_, err = h.Queue.JoinQueue(ctx, Home, a, "1v1", "")
	want(t, err, model.InMatch)
	winner := spec.Participants[0]
	for range 2 {
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: spec.Match, Reason: "last-team", Ticks: 900, Winners: []gridTeam{winner.Team}}))
	}
	for _, who := range []model.Account{a, b} {
		own, err := h.Queue.OwnRatings(ctx, who.ID)
		must(t, err)
		if len(own) != 1 || own[0].Won+own[0].Lost != 1 || own[0].Last == nil || own[0].Last.Match != spec.Match || own[0].Place != 0 {
			t.Fatalf("ratings %+v", own)
		}
		if won := who.ID == winner.Account; won != (own[0].Points() > 1500) || own[0].Last.Change != own[0].Points()-1500 {
			t.Fatalf("%s has %d by %d", who.Name, own[0].Points(), own[0].Last.Change)
		}
	}
	rows, mine, err := h.Queue.Leaderboard(ctx, "1v1", a.ID, nil, 10)
	must(t, err)
	if len(rows) != 0 || mine != nil {
		t.Fatalf("provisional ones are listed: %+v, %+v", rows, mine)
	}
	// They meet again in another match, and it counts anew.
	h.queue(t, a, "1v1")
	h.queue(t, b, "1v1")
	h.round(t)
	if h.standing(t, a).Offer != nil {
		t.Fatal("they are too far apart now, and are offered a match at once")
	}
	h.Step(25 * time.Second)
	h.round(t)
	spec = h.accept(t, a, b)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: spec.Match, Reason: "time-limit", Ticks: 900}))
	own, err := h.Queue.OwnRatings(ctx, a.ID)
	must(t, err)
	if own[0].Drawn != 1 {
		t.Fatalf("after a draw %+v", own)
	}
	// One vetoes a map, and the offer tells both. No queue takes a second veto, nor a map that is not in its pool.
	for _, vetoes := range [][]string{{"ford", "ring"}, {"moon"}} {
		_, err = h.Queue.JoinQueue(ctx, Home, a, "pool", "", vetoes...)
		want(t, err, model.BadRequest)
	}
	_, err = h.Queue.JoinQueue(ctx, Home, a, "1v1", "", "ford")
	want(t, err, model.BadRequest)
	_, err = h.Queue.JoinQueue(ctx, Home, a, "pool", "", "ring")
	must(t, err)
	h.queue(t, b, "pool")
	h.round(t)
	for _, who := range []model.Account{a, b} {
		if o := h.standing(t, who).Offer; o == nil || !slices.Equal(o.Vetoed, []string{"ring"}) || o.Map == "ring" {
			t.Fatalf("after a veto %+v", o)
		}
	}
	must(t, second(h.Queue.LeaveQueue(ctx, a.ID)))
	if st := h.standing(t, a); st.Party.Vetoes != nil || h.standing(t, b).Party.Queue != "pool" {
		t.Fatalf("after the queue %+v", st.Party)
	}
}

// queuedFactions: the match has the factions that the players wished for, and draws the others; results count
// for each faction, and a reset of the ratings forgets them.
func queuedFactions(t *testing.T, h *Harness, _ func() db.Store) {
	all := []model.Account{h.NewGuest(t, "Ada"), h.NewGuest(t, "Ben"), h.NewGuest(t, "Cleo"), h.NewGuest(t, "Dan")}
	_, err := h.Queue.JoinQueue(ctx, Home, all[0], "sides", "west")
	want(t, err, model.BadRequest)
	_, err = h.Queue.JoinQueue(ctx, Home, all[0], "1v1", "south") // it has no factions
	want(t, err, model.BadRequest)
	_, err = h.Queue.SetFaction(ctx, all[0].ID, "south")
	want(t, err, model.NoParty)
	h.party(t, all[0], all[1])
	st, err := h.Queue.SetFaction(ctx, all[1].ID, "south")
	must(t, err)
	if st.Party.Members[1].Faction != "south" || st.Party.Members[0].Faction != "" {
		t.Fatalf("members %+v", st.Party.Members)
	}
	_, err = h.Queue.JoinQueue(ctx, Home, all[0], "sides", "north")
	must(t, err)
	h.party(t, all[2], all[3])
	h.queue(t, all[2], "sides")
	h.round(t)
	_, err = h.Queue.SetFaction(ctx, all[1].ID, "north") // the others were promised a match
	want(t, err, model.OfferOpen)
	spec := h.accept(t, all...)
	chosen := map[model.AccountID]string{}
	for _, p := range spec.Participants {
		chosen[p.Account] = p.Faction
		if p.Faction != "north" && p.Faction != "south" {
			t.Errorf("%s has the faction %q", p.Name, p.Faction)
		}
	}
	if chosen[all[0].ID] != "north" || chosen[all[1].ID] != "south" {
		t.Fatalf("factions %v", chosen)
	}
	for range 2 {
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: spec.Match, Reason: "last-team", Ticks: 900, Winners: []gridTeam{spec.Participants[0].Team}}))
	}
	for i, a := range all {
		own, err := h.Queue.OwnRatings(ctx, a.ID)
		must(t, err)
		record := model.FactionRecord{Faction: chosen[a.ID], Won: own[0].Won, Lost: own[0].Lost}
		if len(own[0].Factions) != 1 || own[0].Factions[0] != record || record.Won+record.Lost != 1 {
			t.Errorf("player %d has %+v", i, own[0].QueueRating)
		}
	}
	// The server draws the faction if the ruleset of the queue lacks the wished faction.
	h.queue(t, all[0], "2v2")
	h.queue(t, all[2], "2v2")
	h.Step(25 * time.Second)
	h.round(t)
	for _, p := range h.accept(t, all...).Participants {
		if p.Faction != "" {
			t.Errorf("%s has the faction %q in a match without factions", p.Name, p.Faction)
		}
	}
}

// parties: the members stay together, leave the queue when a member comes or goes, and
// only the leader queues.
func parties(t *testing.T, h *Harness, _ func() db.Store) {
	var all []model.Account
	for i := range 6 {
		all = append(all, h.NewGuest(t, fmt.Sprint("player ", i)))
	}
	st := h.party(t, all[0], all[1])
	if len(st.Party.Members) != 2 || st.Party.Leader != all[0].ID || st.Party.Members[1].Name != all[1].Name {
		t.Fatalf("party %+v", st.Party)
	}
	_, err := h.Queue.JoinQueue(ctx, Home, all[1], "2v2", "")
	want(t, err, model.NotLeader)
	_, err = h.Queue.JoinQueue(ctx, Home, all[0], "1v1", "")
	want(t, err, model.PartyTooLarge)
	_, err = h.Queue.JoinQueue(ctx, Home, all[0], "3v3", "")
	want(t, err, model.UnknownQueue)
	h.queue(t, all[0], "2v2")
	_, err = h.Queue.JoinQueue(ctx, Home, all[0], "2v2", "")
	want(t, err, model.AlreadyQueued)
	// One comes: it is another party now, and too large a one.
	_, err = h.Queue.JoinParty(ctx, Home, all[2], "0000000000000000")
	want(t, err, model.NoParty)
	st, err = h.Queue.JoinParty(ctx, Home, all[2], st.Party.Code)
	must(t, err)
	if st.Party.Queue != "" || st.Party.OutOf != model.PartyChanged || len(st.Party.Members) != 3 {
		t.Fatalf("after a third %+v", st.Party)
	}
	_, err = h.Queue.JoinQueue(ctx, Home, all[0], "2v2", "")
	want(t, err, model.PartyTooLarge)
	_, err = h.Queue.RemoveMember(ctx, all[1].ID, all[2].ID)
	want(t, err, model.NotLeader)
	_, err = h.Queue.RemoveMember(ctx, all[0].ID, all[5].ID)
	want(t, err, model.NoParty)
	_, err = h.Queue.RemoveMember(ctx, all[0].ID, all[2].ID)
	must(t, err)
	if st := h.standing(t, all[2]); st.Party != nil {
		t.Fatalf("the removed one is in %+v", st.Party)
	}
	// A player who joins another party leaves its own; the next member leads.
	other := h.party(t, all[3])
	_, err = h.Queue.JoinParty(ctx, Home, all[0], other.Party.Code)
	must(t, err)
	if st := h.standing(t, all[1]); st.Party.Leader != all[1].ID || len(st.Party.Members) != 1 {
		t.Fatalf("the one left behind is in %+v", st.Party)
	}
	for _, a := range []model.Account{all[1], all[2]} {
		_, err = h.Queue.JoinParty(ctx, Home, a, other.Party.Code)
		must(t, err)
	}
	_, err = h.Queue.JoinParty(ctx, Home, all[4], other.Party.Code)
	want(t, err, model.PartyFull)
	for _, a := range []model.Account{all[1], all[2]} {
		_, err = h.Queue.LeaveParty(ctx, a.ID)
		must(t, err)
	}
	_, err = h.Queue.LeaveParty(ctx, all[2].ID)
	want(t, err, model.NoParty)
	// A party of two and two who came alone: the party is one team.
	h.queue(t, all[3], "2v2")
	h.queue(t, all[1], "2v2")
	h.queue(t, all[2], "2v2")
	h.round(t)
	spec := h.accept(t, all[0], all[1], all[2], all[3])
	team := map[model.AccountID]gridTeam{}
	for _, p := range spec.Participants {
		team[p.Account] = p.Team
	}
	if team[all[0].ID] != team[all[3].ID] || team[all[1].ID] != team[all[2].ID] || team[all[0].ID] == team[all[1].ID] || spec.Map.ID != "delta" {
		t.Fatalf("teams %v on %s", team, spec.Map.ID)
	}
	if st := h.standing(t, all[3]); len(st.Party.Members) != 2 {
		t.Fatalf("after the match was found: %+v", st.Party)
	}
}

// notAccepted: a player who does not accept is out, and barred for longer each time; an
// accepting player waits on, and keeps its waiting time.
func notAccepted(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, c := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob"), h.NewGuest(t, "Cid")
	since := h.queue(t, a, "1v1").Party.Since
	h.queue(t, b, "1v1")
	h.round(t)
	offer := h.standing(t, a).Offer
	_, err := h.Queue.AnswerOffer(ctx, c.ID, offer.ID, true)
	want(t, err, model.NoParty)
	_, err = h.Queue.AnswerOffer(ctx, a.ID, "01900000-0000-7000-8000-000000000000", true)
	want(t, err, model.NoOffer)
	_, err = h.Queue.AnswerOffer(ctx, a.ID, offer.ID, true)
	must(t, err)
	// b does not answer.
	h.Step(queue.AcceptFor)
	_, err = h.Queue.AnswerOffer(ctx, b.ID, offer.ID, true)
	want(t, err, model.NoOffer)
	h.Tick(t)
	if st := h.standing(t, a); st.Offer != nil || st.Party.Queue != "1v1" || !st.Party.Since.Equal(since) || !st.Barred.IsZero() {
		t.Fatalf("the one who accepted: %+v", st.Party)
	}
	st := h.standing(t, b)
	if st.Party.Queue != "" || st.Party.OutOf != model.OfferMissed || st.Barred.IsZero() {
		t.Fatalf("the one who did not: %+v", st.Party)
	}
	looks := NewHarness(&dying{Store: h.Store}) // whose writes fail
	looks.Step(h.Now().Sub(looks.Now()))
	_, err = looks.Queue.JoinQueue(ctx, Home, b, "1v1", "")
	want(t, err, model.QueueBarred)
	_, err = looks.Queue.JoinQueue(ctx, Home, a, "1v1", "")
	want(t, err, model.AlreadyQueued)
	first := st.Barred.Sub(h.Now())
	h.Step(first)
	h.queue(t, b, "1v1")
	h.round(t)
	offer = h.standing(t, b).Offer
	_, err = h.Queue.AnswerOffer(ctx, b.ID, offer.ID, false)
	must(t, err)
	if st := h.standing(t, a); st.Offer != nil || st.Party.Queue != "1v1" {
		t.Fatalf("the other one: %+v", st.Party)
	}
	if again := h.standing(t, b).Barred.Sub(h.Now()); again <= first {
		t.Fatalf("barred for %s, after %s", again, first)
	}
	// A player who leaves the queue, or the party, during an offer does not accept.
	h.queue(t, c, "1v1")
	h.round(t)
	st, err = h.Queue.LeaveQueue(ctx, c.ID)
	must(t, err)
	if st.Barred.IsZero() || h.standing(t, a).Offer != nil {
		t.Fatalf("left while asked: %+v", st)
	}
	d := h.NewGuest(t, "Dan")
	h.queue(t, d, "1v1")
	h.round(t)
	st, err = h.Queue.LeaveParty(ctx, d.ID)
	must(t, err)
	if st.Barred.IsZero() || st.Party != nil || h.standing(t, a).Offer != nil {
		t.Fatalf("gone while asked: %+v", st)
	}
}

// offerLocks: during an offer no player joins the party or is removed from it, so neither a
// friend nor a leader ends the offer unpunished. Only the account that ends it is barred.
func offerLocks(t *testing.T, h *Harness, _ func() db.Store) {
	leader, member, friend := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob"), h.NewGuest(t, "Cid")
	x, y := h.NewGuest(t, "Xen"), h.NewGuest(t, "Yan")
	code := h.party(t, leader, member).Party.Code
	h.party(t, x, y)
	offered := func() model.OfferID {
		t.Helper()
		for _, a := range []model.Account{leader, x} {
			if h.standing(t, a).Party.Queue == "" {
				h.queue(t, a, "2v2")
			}
		}
		h.round(t)
		if h.standing(t, member).Offer == nil {
			t.Fatalf("nothing is offered: %+v", h.standing(t, member).Party)
		}
		return h.standing(t, member).Offer.ID
	}
	only := func(culprit model.Account) {
		t.Helper()
		for _, a := range []model.Account{leader, member, friend, x, y} {
			if st := h.standing(t, a); st.Barred.IsZero() == (a.ID == culprit.ID) || st.Offer != nil {
				t.Fatalf("%s is barred until %v, offer %v", a.Name, st.Barred, st.Offer)
			}
		}
		h.Step(time.Hour)
	}
	offer := offered()
	_, err := h.Queue.JoinParty(ctx, Home, friend, code)
	want(t, err, model.OfferOpen)
	_, err = h.Queue.AnswerOffer(ctx, member.ID, offer, true)
	must(t, err)
	_, err = h.Queue.RemoveMember(ctx, leader.ID, member.ID)
	want(t, err, model.OfferOpen)
	if st := h.standing(t, x); st.Offer == nil || st.Offer.ID != offer {
		t.Fatalf("the offer is gone: %+v", st.Party)
	}
	// The leader goes: another leads, and the leader did not accept.
	_, err = h.Queue.LeaveParty(ctx, leader.ID)
	must(t, err)
	only(leader)
	_, err = h.Queue.JoinParty(ctx, Home, leader, code)
	must(t, err)
	leader, member = member, leader // who stayed leads
	// To join another party is to leave one's own.
	offered()
	_, err = h.Queue.JoinParty(ctx, Home, member, h.party(t, friend).Party.Code)
	must(t, err)
	only(member)
	_, err = h.Queue.JoinParty(ctx, Home, member, code)
	must(t, err)
	// A player who plays elsewhere by the time of the start has ended the offer.
	offer = offered()
	l, err := h.Room.PlayBot(ctx, Home, y, model.BotMatchRequest{Map: "ford"})
	must(t, err)
	for _, a := range []model.Account{leader, member, x, y} {
		_, err := h.Queue.AnswerOffer(ctx, a.ID, offer, true)
		must(t, err)
	}
	only(y)
	_, err = h.Room.Leave(ctx, l.ID, y.ID)
	must(t, err)
}

// keepsPlace: a page that is gone keeps its place for half a minute.
func keepsPlace(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob")
	watch := h.Queue.WatchStanding(a.ID)
	h.queue(t, a, "1v1")
	h.queue(t, b, "2v2")
	h.Tick(t)
	h.Step(queue.QueueKeep - time.Second)
	h.Tick(t)
	if h.standing(t, a).Party == nil {
		t.Fatal("the one who watches is out")
	}
	watch.Close()
	h.Step(2 * time.Second)
	h.Tick(t)
	if err := h.Store.Read(ctx, func(tx *db.Tx) error { _, err := tx.Parties.Of(b.ID); return err }); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("after half a minute the one who is gone is there: %v", err)
	}
	if err := h.Store.Read(ctx, func(tx *db.Tx) error { _, err := tx.Parties.Of(a.ID); return err }); err != nil {
		t.Errorf("the one who was there until now is out: %v", err)
	}
	h.Step(5 * time.Second)
	h.Tick(t) // stores that it was there to the end
	h.Step(queue.QueueKeep + time.Second)
	h.Tick(t)
	if err := h.Store.Read(ctx, func(tx *db.Tx) error { _, err := tx.Parties.Of(a.ID); return err }); !errors.Is(err, model.ErrNotFound) {
		t.Errorf("it is still there: %v", err)
	}
}

// filledWithBots: after its time a queue takes bots, and the match does not count.
func filledWithBots(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob")
	h.party(t, a, b)
	h.queue(t, a, "bots")
	h.Step(28 * time.Second)
	h.round(t)
	if st := h.standing(t, a); st.Offer != nil {
		t.Fatal("bots come too early")
	}
	h.standing(t, b)
	h.round(t)
	spec := h.accept(t, a, b)
	bots := 0
	for _, p := range spec.Participants {
		if p.Bot && p.Level == model.HardBot {
			bots++
		}
	}
	if bots != 2 || len(spec.Participants) != 4 {
		t.Fatalf("spec %+v", spec.Participants)
	}
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: spec.Match, Reason: "last-team", Winners: []gridTeam{0}}))
	if own, err := h.Queue.OwnRatings(ctx, a.ID); err != nil || len(own) != 0 {
		t.Fatalf("ratings %+v, %v", own, err)
	}
}

// queueRestart: queues, parties and offers are in the database: another process goes on
// with them, and two processes make each match once.
func queueRestart(t *testing.T, h *Harness, again func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob")
	h.queue(t, a, "1v1")
	h.queue(t, b, "1v1")
	h.round(t)
	offer := h.standing(t, a).Offer
	_, err := h.Queue.AnswerOffer(ctx, a.ID, offer.ID, true)
	must(t, err)
	far := NewHarness(again())
	far.Step(h.Now().Sub(far.Now()))
	if st := far.standing(t, b); st.Offer == nil || st.Offer.ID != offer.ID {
		t.Fatalf("elsewhere: %+v", st)
	}
	// The other process hears of the change.
	watch := far.Queue.WatchStanding(a.ID)
	defer watch.Close()
	far.Tick(t)
	if _, err := watch.Next(ctx, time.Second); err != nil {
		t.Fatal(err)
	}
	_, err = far.Queue.AnswerOffer(ctx, b.ID, offer.ID, true)
	must(t, err)
	far.Tick(t)
	st, err := watch.Next(ctx, time.Second)
	must(t, err)
	if st.Party.Lobby == "" {
		t.Fatalf("after the last answer: %+v", st.Party)
	}
	l, err := far.Play.Lobby(ctx, st.Party.Lobby)
	must(t, err)
	if _, ok := far.Fakes.Spec(l.Match); !ok || l.State != model.Playing {
		t.Fatalf("lobby %+v", l)
	}
	// Many wait, and both processes look at once: no player is in two matches.
	var accounts []model.Account
	for i := range 12 {
		p := h.NewGuest(t, fmt.Sprint("p", i))
		accounts = append(accounts, p)
		h.queue(t, p, "1v1")
	}
	h.Step(time.Second)
	far.Step(time.Second)
	var wg sync.WaitGroup
	for _, x := range []*Harness{h, far} {
		wg.Go(func() {
			if err := x.RunRound(context.Background(), 0); err != nil {
				t.Errorf("round: %v", err)
			}
		})
	}
	wg.Wait()
	offers := map[model.OfferID]int{}
	for _, p := range accounts {
		st := h.standing(t, p)
		if st.Offer == nil {
			t.Fatalf("%s waits", p.Name)
		}
		offers[st.Offer.ID]++
	}
	if len(offers) != 6 {
		t.Fatalf("offers %v", offers)
	}
	// All accept at the same moment, half through this process: each match is made
	// once.
	for i, p := range accounts {
		x := []*Harness{h, far}[i%2]
		wg.Go(func() {
			st, err := x.Queue.Standing(ctx, p.ID)
			if err == nil {
				_, err = x.Queue.AnswerOffer(ctx, p.ID, st.Offer.ID, true)
			}
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
		})
	}
	wg.Wait()
	lobbies := map[model.LobbyID]int{}
	for _, p := range accounts {
		lobbies[h.standing(t, p).Party.Lobby]++
	}
	if len(lobbies) != 6 || lobbies[""] != 0 {
		t.Fatalf("lobbies %v", lobbies)
	}
}

// startDies: the process that had the last answer dies before it starts the match:
// another one starts it when the offer's time is over.
func startDies(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob")
	h.queue(t, a, "1v1")
	h.queue(t, b, "1v1")
	h.round(t)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		for _, x := range []model.Account{a, b} {
			p, err := tx.Parties.Of(x.ID)
			if err != nil {
				return err
			}
			p.Members[0].Accepted = true
			if err := tx.Parties.Save(p); err != nil {
				return err
			}
		}
		return nil
	}))
	h.Step(queue.AcceptFor)
	h.Tick(t)
	if st := h.standing(t, a); st.Party.Lobby == "" || !st.Barred.IsZero() {
		t.Fatalf("%+v", st.Party)
	}
}

// cannotStart: without room for a match the players wait on; a player who may not play
// is out.
func cannotStart(t *testing.T, h *Harness, _ func() db.Store) {
	a, b := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob")
	h.queue(t, a, "1v1")
	h.queue(t, b, "1v1")
	h.round(t)
	h.Fakes.NoRoom = &model.Error{Code: model.ServerFull}
	for _, x := range []model.Account{a, b} {
		_, err := h.Queue.AnswerOffer(ctx, x.ID, h.standing(t, x).Offer.ID, true)
		must(t, err)
	}
	for _, x := range []model.Account{a, b} {
		if st := h.standing(t, x); st.Party.Queue != "1v1" || st.Offer != nil {
			t.Fatalf("%+v", st.Party)
		}
	}
	h.Fakes.NoRoom = nil
	h.round(t)
	if h.standing(t, a).Offer != nil {
		t.Fatal("paired anew at once")
	}
	h.Step(10 * time.Second)
	h.round(t)
	// One player begins another match meanwhile.
	_, err := h.Room.PlayBot(ctx, Home, b, model.BotMatchRequest{Map: "ford"})
	must(t, err)
	for _, x := range []model.Account{a, b} {
		_, err := h.Queue.AnswerOffer(ctx, x.ID, h.standing(t, x).Offer.ID, true)
		must(t, err)
	}
	if st := h.standing(t, b); st.Party.Queue != "" || st.Party.OutOf != model.InMatch {
		t.Fatalf("the one who plays elsewhere: %+v", st.Party)
	}
	if st := h.standing(t, a); st.Party.Queue != "1v1" || !st.Barred.IsZero() {
		t.Fatalf("the other: %+v", st.Party)
	}
	// A waiting player who begins a match gets no offer.
	h.Step(11 * time.Second)
	c := h.NewGuest(t, "Cid")
	h.queue(t, c, "1v1")
	_, err = h.Room.PlayBot(ctx, Home, c, model.BotMatchRequest{Map: "ford"})
	must(t, err)
	h.round(t)
	if st := h.standing(t, c); st.Offer != nil || st.Party.OutOf != model.InMatch {
		t.Fatalf("%+v", st.Party)
	}
	// A draining server pairs and takes no players.
	must(t, h.admin().Drain(ctx, true))
	_, err = h.Queue.JoinQueue(ctx, Home, h.NewGuest(t, "Dan"), "1v1", "")
	want(t, err, model.Draining)
}

// whoGoes: a banned or deleted player leaves party and queue, and a deleted one the
// leaderboard.
func whoGoes(t *testing.T, h *Harness, _ func() db.Store) {
	a, b, c := h.NewGuest(t, "Ada"), h.NewGuest(t, "Bob"), h.NewGuest(t, "Cid")
	h.party(t, a, b)
	h.queue(t, a, "2v2")
	must(t, h.Account.DeleteAccount(ctx, Home, b.ID, ""))
	if st := h.standing(t, a); len(st.Party.Members) != 1 || st.Party.Queue != "" {
		t.Fatalf("%+v", st.Party)
	}
	h.queue(t, c, "1v1")
	_, err := h.admin().Ban(ctx, admin.NewBan{Account: "Cid", Reason: "rude"})
	must(t, err)
	if st := h.standing(t, c); st.Party != nil {
		t.Fatalf("the banned one is in %+v", st.Party)
	}
	_, err = h.Queue.JoinQueue(ctx, Home, c, "1v1", "")
	want(t, err, model.BannedAccount)
}

// leaderboards: the listed players in the order of points, pages without gaps, one's
// own place; an admin removes one and resets a queue.
func leaderboards(t *testing.T, h *Harness, _ func() db.Store) {
	var accounts []model.Account
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		accounts = nil
		for i := range 25 {
			a := model.Account{ID: model.AccountID(fmt.Sprintf("acc-%02d", i)), Name: fmt.Sprint("Player ", i), Created: h.Now()}
			a.Guest = i == 3
			if err := tx.Accounts.Add(a); err != nil {
				return err
			}
			accounts = append(accounts, a)
			r := model.QueueRating{Queue: "1v1", Account: a.ID, Rating: matchmaking.Rating{Mean: float64(1500 + i/2), Deviation: 100}, Won: i}
			r.Provisional = i == 4
			if err := tx.Ratings.Save(r); err != nil {
				return err
			}
		}
		return nil
	}))
	var got []queue.Leader
	for after := (*model.LeaderboardAfter)(nil); ; {
		rows, mine, err := h.Queue.Leaderboard(ctx, "1v1", accounts[10].ID, after, 10)
		must(t, err)
		if mine == nil || mine.Place != 14 || mine.Points() != 1505 {
			t.Fatalf("own row %+v", mine)
		}
		got = append(got, rows...)
		if len(rows) < 10 {
			break
		}
		last := rows[len(rows)-1]
		after = &model.LeaderboardAfter{Points: last.Points(), Account: last.Account}
	}
	if len(got) != 23 {
		t.Fatalf("%d rows", len(got))
	}
	for i, r := range got {
		if r.Place != i+1 || i > 0 && (r.Points() > got[i-1].Points() || r.Points() == got[i-1].Points() && r.Account <= got[i-1].Account) ||
			r.Account == accounts[3].ID || r.Account == accounts[4].ID {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	if _, _, err := h.Queue.Leaderboard(ctx, "none", "", nil, 10); !errors.Is(err, model.UnknownQueue) {
		t.Errorf("unknown queue: %v", err)
	}
	admin := h.admin()
	must(t, admin.RemoveRating(ctx, "1v1", got[0].Account))
	want(t, admin.RemoveRating(ctx, "1v1", got[0].Account), model.NotFound)
	rows, _, err := h.Queue.Leaderboard(ctx, "1v1", "", nil, 10)
	must(t, err)
	if rows[0].Account != got[1].Account || rows[0].Place != 1 {
		t.Errorf("after a removal the first is %+v", rows[0])
	}
	must(t, admin.ResetRatings(ctx, "1v1"))
	if rows, _, err := h.Queue.Leaderboard(ctx, "1v1", "", nil, 10); err != nil || len(rows) != 0 {
		t.Errorf("after a reset: %d rows, %v", len(rows), err)
	}
	audit, err := admin.Audit(ctx, 0, 20)
	must(t, err)
	seen := map[string]bool{}
	for _, row := range audit {
		seen[row.Action+" "+row.Subject] = true
	}
	if !seen["rating.remove "+string(got[0].Account)] || !seen["rating.reset 1v1"] {
		t.Errorf("the audit has %v", seen)
	}
}

// leftCountsAsLost: a player who leaves a match has lost in the rating, though its team
// wins; a failed match does not count, and its real result still does.
func leftCountsAsLost(t *testing.T, h *Harness, _ func() db.Store) {
	var all []model.Account
	for i := range 4 {
		a := h.NewGuest(t, fmt.Sprint("player ", i))
		all = append(all, a)
		h.queue(t, a, "2v2")
	}
	h.round(t)
	spec := h.accept(t, all...)
	quitter := spec.Participants[0]
	l, err := h.Play.Lobby(ctx, spec.Lobby)
	must(t, err)
	_, err = h.Room.Leave(ctx, l.ID, quitter.Account)
	must(t, err)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: spec.Match, Failed: true, Reason: "lost"}))
	if own, err := h.Queue.OwnRatings(ctx, quitter.Account); err != nil || len(own) != 0 {
		t.Fatalf("a failed match counts: %+v, %v", own, err)
	}
	excused := grid.SlotSet(0) // the team-mate, who left soon after
	for i, p := range spec.Participants {
		if p.Team == quitter.Team && p.Account != quitter.Account {
			excused = excused.With(grid.Slot(i))
		}
	}
	must(t, h.Play.MatchEnded(ctx, model.Result{
		Match: spec.Match, Reason: "last-team", Winners: []gridTeam{quitter.Team}, Left: excused.With(0), Excused: excused,
	}))
	for _, p := range spec.Participants {
		own, err := h.Queue.OwnRatings(ctx, p.Account)
		must(t, err)
		won := p.Team == quitter.Team && p.Account != quitter.Account
		if len(own) != 1 || (own[0].Won == 1) != won || (own[0].Points() > 1500) != won {
			t.Errorf("%s of team %d has %+v", p.Name, p.Team, own)
		}
	}
	// A match that all have left alone is lost by all, and so is a win of a player who was gone.
	for n, r := range []model.Result{{Reason: "abandoned"}, {Reason: "last-team", Left: 1}} {
		h.queue(t, all[0], "1v1")
		h.queue(t, all[1], "1v1")
		h.round(t)
		spec = h.accept(t, all[0], all[1])
		if r.Match = spec.Match; r.Left != 0 {
			r.Winners = []gridTeam{spec.Participants[0].Team}
		}
		must(t, h.Play.MatchEnded(ctx, r))
		for _, a := range all[:2] {
			own, err := h.Queue.OwnRatings(ctx, a.ID)
			must(t, err)
			if own[0].Queue != "1v1" || own[0].Lost != n+1 || own[0].Points() >= 1500 {
				t.Errorf("%s: %+v", r.Reason, own[0])
			}
		}
	}
}

// queueFlood: joins are counted, by account; the queue has an end.
func queueFlood(t *testing.T, h *Harness, _ func() db.Store) {
	h.Ledger = Ledger("queue-joins.account=20")
	h.Ledger.Now = h.Now
	a := h.NewGuest(t, "Ada")
	refused := error(nil)
	n := 0
	for ; refused == nil && n < 100; n++ {
		if _, refused = h.Queue.JoinQueue(ctx, Home, a, "1v1", ""); refused == nil {
			_, err := h.Queue.LeaveQueue(ctx, a.ID)
			must(t, err)
		}
	}
	want(t, refused, model.Throttled)
	if n != 21 {
		t.Errorf("refused at the %dth", n)
	}
	_, err := h.Queue.LeaveQueue(ctx, a.ID)
	want(t, err, model.NotQueued)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		for i := range model.QueuedMax {
			id := fmt.Sprintf("acc-%04d", i)
			if err := tx.Accounts.Add(model.Account{ID: model.AccountID(id), Name: id, Guest: true, Created: h.Now()}); err != nil {
				return err
			}
			if err := tx.Parties.Add(&model.Party{ID: model.PartyID(id), Leader: model.AccountID(id), Code: id, Queue: "2v2", Since: h.Now(),
				Members: []model.Member{{Account: model.AccountID(id), Rating: matchmaking.NewRating(), Seen: h.Now()}}}); err != nil {
				return err
			}
		}
		return nil
	}))
	_, err = h.Queue.JoinQueue(ctx, Home, h.NewGuest(t, "Bob"), "2v2", "")
	want(t, err, model.QueueFull)
	// They are paired a part at a time, the oldest first.
	h.round(t)
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		left, err := tx.Parties.Waiting()
		if len(left) != model.QueuedMax-4*100 || left[0].ID != "acc-0400" {
			t.Errorf("%d wait after one round, the first is %s", len(left), left[0].ID)
		}
		return err
	}))
}

// seasons: placement matches hide ratings, idle ratings decay, the end of a season freezes the ladder, and the next
// season moves ratings towards a new player's without a change of rows.
func seasons(t *testing.T, h *Harness, _ func() db.Store) {
	var both []model.Account
	for _, name := range []string{"Ada", "Bob"} {
		a, _, err := h.Account.Register(ctx, Home, name, "", "difference engine")
		must(t, err)
		both = append(both, a)
	}
	admin := h.admin()
	want(t, admin.EndSeason(ctx, "pool"), model.WrongState)
	want(t, admin.StartSeason(ctx, "1v1", time.Time{}), model.WrongState)
	want(t, admin.StartSeason(ctx, "pool", h.Now()), model.BadRequest)
	must(t, admin.StartSeason(ctx, "pool", h.Now().AddDate(0, 0, 60)))
	adaWins := func() {
		t.Helper()
		h.queue(t, both[0], "pool")
		h.queue(t, both[1], "pool")
		h.round(t)
		spec := h.accept(t, both...)
		i := slices.IndexFunc(spec.Participants, func(p model.Participant) bool { return p.Account == both[0].ID })
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: spec.Match, Reason: "last-team", Ticks: 900, Winners: []gridTeam{spec.Participants[i].Team}}))
		h.Step(time.Minute)
	}
	ada := func() (out queue.OwnRating) {
		t.Helper()
		list, err := h.Queue.OwnRatings(ctx, both[0].ID)
		must(t, err)
		for _, r := range list {
			if r.Queue == "pool" {
				out = r
			}
		}
		return out
	}
	listed := func() (out string) {
		t.Helper()
		rows, _, err := h.Queue.Leaderboard(ctx, "pool", both[0].ID, nil, 10)
		must(t, err)
		for _, r := range rows {
			out += r.Name + " "
		}
		return out
	}
	adaWins()
	if r := ada(); r.PlacementsLeft != 1 || r.Division != "" || listed() != "" {
		t.Errorf("after one placement match %+v, listed are %q", r, listed())
	}
	if list, err := h.Queue.History(ctx, "pool", both[0].ID); err != nil || len(list) != 1 || !list[0].Hidden {
		t.Errorf("the history of placement matches: %+v, %v", list, err)
	}
	adaWins()
	best := ada()
	if best.PlacementsLeft != 0 || best.Division != "Gold" || best.Place != 1 || listed() != "Ada Bob " {
		t.Errorf("after two placement matches %+v, listed are %q", best, listed())
	}
	if list, err := h.Queue.History(ctx, "pool", both[0].ID); err != nil || len(list) != 2 || list[0].Hidden || !slices.Equal(list[1].Opponents, []string{"Bob"}) {
		t.Errorf("the history: %+v, %v", list, err)
	}
	h.Step(8 * 24 * time.Hour)
	h.Tick(t)
	idle := ada()
	if got := idle.Points(); got != best.Points()-20 {
		t.Errorf("after 8 idle days %d points of %d", got, best.Points())
	}
	must(t, admin.EndSeason(ctx, "pool"))
	h.Step(8 * 24 * time.Hour)
	h.Tick(t)
	adaWins()
	frozen := ada()
	if frozen.Won != 2 || frozen.Points() != best.Points()-20 || listed() != "Ada Bob " {
		t.Errorf("after the end of the season %+v, listed are %q", frozen, listed())
	}
	must(t, admin.StartSeason(ctx, "pool", time.Time{}))
	if r := ada(); r.Won != 0 || r.PlacementsLeft != 2 || r.Points() != 1500+(frozen.Points()-1500+1)/2 || len(r.Past) != 1 || r.Past[0].Division != "Gold" || listed() != "" {
		t.Errorf("in the next season %+v (from %d), listed are %q", r, frozen.Points(), listed())
	}
	adaWins()
	if r := ada(); r.Season != 2 || r.Won != 1 || len(r.Past) != 1 {
		t.Errorf("after a match of the next season %+v", r)
	}
}

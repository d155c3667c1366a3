package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// behaviour is one story of the lobby, on an empty store. again opens the same database
// a second time.
type behaviour struct {
	name string
	run  func(t *testing.T, h *Harness, again func() db.Store)
	// both: it runs on PostgreSQL too, since it is about locks, races, restarts or
	// failures, or runs a statement that no other such scenario runs. All SQL is shared, so
	// the others run on SQLite alone.
	both bool
}

var scenarios = []behaviour{
	{"accounts exist once", accountsOnce, false},
	{"sessions", sessions, true},
	{"new cost of hashes", newCost, false},
	{"a flood of hashes delays no log-in", hashFlood, true},
	{"cheap checks come before hashes", cheapFirst, false},
	{"what is not a failed log-in", notAFailure, false},
	{"the same work for every name", sameWork, false},
	{"a known device", knownDevice, false},
	{"many prefixes", manyPrefixes, false},
	{"events since one sits there", eventsSinceSeated, false},
	{"nobody gives rights it has not", grants, false},
	{"ready to a version", readyToVersion, false},
	{"audit is a chain", auditChain, true},
	{"guests are purged", guestsPurged, true},
	{"a guest who sits down is not purged", guestNotPurged, false},
	{"audit keeps an anchor", auditAnchor, true},
	{"revoked sessions", revoked, false},
	{"last seat", lastSeat, true},
	{"one seat an account", oneSeat, true},
	{"every check of admission", admitted, false},
	{"one reason at a time", oneReason, false},
	{"a password goes", passwordGoes, false},
	{"a seat holds the server state", seatHoldsServerState, true},
	{"refused at the socket", refusedAtSocket, false},
	{"kicked stays out", kickedStaysOut, false},
	{"a bot's seat is taken over", takeOver, true},
	{"many come for one open seat", manyTakeOver, true},
	{"an away player's seat is taken over", awayTakeOver, false},
	{"an away player comes back as another joins", backAsAnotherJoins, true},
	{"a seat that the match refuses", notPlayed, true},
	{"whole match", wholeMatch, false},
	{"tickets", tickets, false},
	{"one match at a time", oneMatchAtATime, false},
	{"leaving a match", leavingAMatch, false},
	{"votes in a lobby", votesInALobby, true},
	{"no room for a match", noRoom, false},
	{"an admin finds matches", matchSearch, true},
	{"what reaches live sockets", reachesSockets, true},
	{"logged out by another process", loggedOutElsewhere, true},
	{"spectators", spectators, false},
	{"who may watch a replay", replayRights, false},
	{"the catalogue of replays", replayCatalogue, true},
	{"a match is played on", branches, true},
	{"who may play a match on", branchRights, true},
	{"a scenario is played", playedScenarios, false},
	{"a ticket for a replay is no ticket for a seat", replayTickets, true},
	{"links to replays", replayLinks, false},
	{"nobody who plays watches", replayOfLive, false},
	{"viewings end with their rights", replayEnds, false},
	{"a deleted account goes out of replays", replayForgets, false},
	{"racing redeems", racingRedeems, true},
	{"events in order", eventsInOrder, true},
	{"packs", packs, true},
	{"missions", missions, true},
	{"survives a restart", restart, true},
	{"two processes", twoProcesses, true},
	{"start against the janitor", startAgainstJanitor, true},
	{"countdown", countdown, false},
	{"hanging start", hangingStart, true},
	{"lost match", lostMatch, true},
	{"lost at the start", lostAtStart, true},
	{"what may be recovered", recoverable, false},
	{"matches of another build", otherBuild, false},
	{"nodes", nodes, true},
	{"a node that is gone", nodeGone, true},
	{"matches of a cluster", inCluster, true},
	{"bans", bans, false},
	{"ban from elsewhere", banFromElsewhere, true},
	{"ban against join", banAgainstJoin, true},
	{"banned address", bannedAddress, false},
	{"banned from matches", bannedFromMatches, false},
	{"changed before the socket", changedBeforeSocket, false},
	{"audit in the same transaction", audit, true},
	{"rights taken away", rightsTakenAway, false},
	{"joined again", joinedAgain, false},
	{"moved over", movedOver, false},
	{"passwords not tried", passwordsNotTried, false},
	{"first seat taken over", firstSeatTakenOver, false},
	{"watches after leaving", watchesAfterLeaving, false},
	{"email taken", emailTaken, false},
	{"as the store has it", asTheStoreHasIt, false},
	{"names of accounts", namesOfAccounts, false},
	{"an export", exported, true},
	{"log out of nothing", logOutOfNothing, false},
	{"guest names", guestNames, false},
	{"admin log-in", adminLogIn, true},
	{"role too small", roleTooSmall, false},
	{"eyes at once", eyesAtOnce, false},
	{"audit is append-only", auditAppendOnly, true},
	{"reset links", resets, false},
	{"deletion", deletion, false},
	{"deletion goes on", deletionResumes, true},
	{"account settings", accountSettings, true},
	{"friends", friends, true},
	{"two ask each other at once", askAtOnce, true},
	{"presence", presence, true},
	{"blocks", blocks, true},
	{"messages", messages, true},
	{"avoided accounts", avoided, false},
	{"reports of players", reports, true},
	{"links with external identities", externalLinks, true},
	{"log-in by an external identity", externalLogIn, false},
	{"a guest is upgraded by a link", externalUpgrade, false},
	{"one identity logs in many times at once", externalRace, true},
	{"own log-in is switched off", ownLogInOff, false},
	{"history and paging", paging, true},
	{"cancelled contexts", cancelled, true},
	{"rolled back", rolledBack, true},
	{"counters", counters, true},
	{"purge", purge, false},
	{"idle lobbies", idle, false},
	{"where players meet", meeting, false},
	{"abandoned lobbies", abandoned, true},
	{"chat for those who come later", laterChat, false},
	{"a lobby with bots", lobbyWithBots, false},
	{"a data limit from the start", limitFromTheStart, false},
	{"who played", whoPlayed, false},
	{"a quick match", quickMatch, true},
	{"factions of queues", queuedFactions, false},
	{"parties", parties, true},
	{"an offer that is not accepted", notAccepted, false},
	{"an offer locks its parties", offerLocks, false},
	{"a place in the queue is kept", keepsPlace, false},
	{"bots fill a queue", filledWithBots, false},
	{"queues survive a restart", queueRestart, true},
	{"the process dies before it starts the match", startDies, true},
	{"a found match that cannot start", cannotStart, true},
	{"who goes leaves the queue", whoGoes, false},
	{"leaderboards", leaderboards, true},
	{"seasons", seasons, true},
	{"who left has lost", leftCountsAsLost, false},
	{"a flood of the queue", queueFlood, false},
	{"a planned match", plannedMatch, true},
	{"what refuses a planned match", plannedRefused, false},
	{"two plans for one player", plannedTwice, true},
	{"service keys", serviceKeys, true},
	{"a match by a service key", serviceMatch, true},
	{"scopes and issuers of service keys", serviceScopes, true},
	{"abuse of service keys", serviceAbuse, false},
	{"replays by a service key", serviceReplays, false},
	{"what webhooks are told", hooksTold, true},
	{"webhook events in order", hooksInOrder, true},
	{"webhook events in two processes", hooksTwice, true},
	{"webhooks of what happens in matches", hooksOfEvents, true},
	{"webhook endpoints", hookEndpoints, true},
	{"webhook events are bounded", hooksBounded, true},
}

func accountsOnce(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, err := h.Account.Register(ctx, Home, "Ada Lovelace", "ada@example.org", "difference engine")
	must(t, err)
	for _, name := range []string{"Ada Lovelace", "ADA  LOVELACE", "ada lovelace"} {
		_, _, err := h.Account.Register(ctx, Home, name, "", "analytical engine")
		want(t, err, model.NameTaken)
	}
	_, _, err = h.Account.Register(ctx, Home, "Ada2", "ADA@example.org", "analytical engine")
	want(t, err, model.NameTaken)
	a, _, err := h.Account.Guest(ctx, Home, "Ada Lovelace") // told apart by a number
	must(t, err)
	if a.Name == "Ada Lovelace" || !a.Guest {
		t.Fatalf("guest %+v", a)
	}
	for _, login := range []string{"ada lovelace", "Ada@Example.org"} {
		got, _, err := h.Account.LogIn(ctx, Home, login, "difference engine")
		must(t, err)
		if got.Name != "Ada Lovelace" {
			t.Fatalf("logged in as %q", got.Name)
		}
	}
}

func sessions(t *testing.T, h *Harness, _ func() db.Store) {
	a, first, err := h.Account.Register(ctx, Home, "Grace", "", "nanosecond wire")
	must(t, err)
	s, err := h.Account.Session(ctx, Home, first)
	must(t, err)
	if s.Account.ID != a.ID {
		t.Fatalf("session of %q", s.Account.ID)
	}
	from := Home
	from.Old = first
	_, second, err := h.Account.LogIn(ctx, from, "grace", "nanosecond wire")
	must(t, err)
	_, err = h.Account.Session(ctx, Home, first)
	want(t, err, model.Unauthenticated) // rotated
	_, third, err := h.Account.LogIn(ctx, Home, "grace", "nanosecond wire")
	must(t, err)
	must(t, h.Account.LogOut(ctx, model.PlayerRealm, third))
	_, err = h.Account.Session(ctx, Home, third)
	want(t, err, model.Unauthenticated)
	_, err = h.Account.Session(ctx, Home, second)
	must(t, err)
	_, err = h.Admin.Session(ctx, Home, second)
	want(t, err, model.Unauthenticated) // a player's token is invalid for admins
	must(t, h.Account.LogOutEverywhere(ctx, a.ID))
	_, err = h.Account.Session(ctx, Home, second)
	want(t, err, model.Unauthenticated)
	_, fourth, err := h.Account.LogIn(ctx, Home, "grace", "nanosecond wire")
	must(t, err)
	h.Step(h.Account.SessionLife + time.Second)
	_, err = h.Account.Session(ctx, Home, fourth)
	want(t, err, model.Unauthenticated)
}

// lastSeat: 200 accounts race for the seven seats that are left.
func lastSeat(t *testing.T, h *Harness, _ func() db.Store) {
	const racers = 200
	l := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{})
	accounts := make([]model.Account, racers)
	for i := range accounts {
		accounts[i] = h.NewGuest(t, fmt.Sprintf("racer %d", i))
	}
	var seated, full atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, a := range accounts {
		wg.Go(func() {
			<-start
			switch _, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{}); {
			case err == nil:
				seated.Add(1)
			case errors.Is(err, model.LobbyFull):
				full.Add(1)
			default:
				t.Errorf("join: %v", err)
			}
		})
	}
	close(start)
	wg.Wait()
	if seated.Load() != 7 || full.Load() != racers-7 {
		t.Fatalf("%d seated and %d refused of %d for 7 seats", seated.Load(), full.Load(), racers)
	}
	l, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	seen := map[int]bool{}
	for _, s := range l.Seats {
		if seen[s.Place] || s.Place >= 8 {
			t.Fatalf("slot %d twice, or beyond the limit", s.Place)
		}
		seen[s.Place] = true
	}
	if len(l.Seats) != 8 {
		t.Fatalf("%d seats", len(l.Seats))
	}
}

// oneSeat: one account races into many lobbies, and sits in one in the end.
func oneSeat(t *testing.T, h *Harness, _ func() db.Store) {
	var lobbies []*model.Lobby
	for i := range 6 {
		lobbies = append(lobbies, h.NewLobby(t, h.NewGuest(t, fmt.Sprintf("host %d", i)), room.NewLobby{}))
	}
	a := h.NewGuest(t, "everywhere")
	var wg sync.WaitGroup
	for _, l := range lobbies {
		wg.Go(func() {
			if _, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{}); err != nil {
				t.Errorf("join: %v", err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, l := range lobbies {
		l, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		if l.SeatOf(a.ID) >= 0 {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("sits in %d lobbies", n)
	}
}

func wholeMatch(t *testing.T, h *Harness, _ func() db.Store) {
	host, other := h.NewGuest(t, "host"), h.NewGuest(t, "other")
	l := h.NewLobby(t, host, room.NewLobby{Map: "ford"})
	_, err := h.Room.Start(ctx, l.ID, host.ID)
	want(t, err, model.OneSided)
	_, err = h.Room.Join(ctx, Home, other, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Room.Start(ctx, l.ID, host.ID)
	want(t, err, model.NotReady)
	_, err = h.Room.Start(ctx, l.ID, other.ID)
	want(t, err, model.NotHost)
	_, err = h.ready(l.ID, other)
	must(t, err)
	l, err = h.Room.Start(ctx, l.ID, host.ID)
	must(t, err)
	if l.State != model.Playing || l.Match == "" {
		t.Fatalf("started into %s, match %q", l.State, l.Match)
	}
	spec, ok := h.Fakes.Spec(l.Match)
	if !ok || len(spec.Participants) != 2 || spec.Seed == 0 {
		t.Fatalf("spec %+v", spec)
	}
	result := model.Result{Match: l.Match, Reason: "victory", Ticks: 900, Winners: []gridTeam{1}}
	for range 2 { // told twice, counted once
		must(t, h.Play.MatchEnded(ctx, result))
	}
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.State != model.Ended || l.Result == nil || l.Result.Seats[1].Outcome != model.Won || l.Result.Seats[0].Outcome != model.Lost {
		t.Fatalf("lobby %s, result %+v", l.State, l.Result)
	}
	_, record, in, err := h.Account.Me(ctx, other.ID)
	must(t, err)
	if record != (model.Record{Played: 1, Won: 1}) || in != l.ID {
		t.Fatalf("record %+v in %q", record, in)
	}
	if err := h.Play.MatchEnded(ctx, model.Result{Match: "01900000-0000-7000-8000-000000000000"}); !errors.Is(err, model.NotFound) {
		t.Fatalf("unknown match: %v", err)
	}
	_, err = h.Room.Rematch(ctx, l.ID, other.ID)
	want(t, err, model.NotHost)
	l, err = h.Room.Rematch(ctx, l.ID, host.ID)
	must(t, err)
	if l.State != model.Open || len(l.Seats) != 2 || l.Seats[1].Ready {
		t.Fatalf("rematch: %+v", l)
	}
	h.Fakes.FailStart = true
	_, err = h.ready(l.ID, other)
	must(t, err)
	_, err = h.Room.Start(ctx, l.ID, host.ID)
	want(t, err, model.StartRefused)
	if e := model.AsError(err); e.Text() != "slot 1: 2 of 9 start units placed" || e.Field != "map" {
		t.Fatalf("the host is told %q, not what the match service said", e.Text())
	}
	l, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if l.State != model.Open {
		t.Fatalf("after a failed start: %s", l.State)
	}
}

// ready says ready to the lobby as it is.
func (h *Harness) ready(id model.LobbyID, a model.Account) (*model.Lobby, error) {
	l, err := h.Play.Lobby(ctx, id)
	if err != nil {
		return nil, err
	}
	yes := true
	return h.Room.ChangeSeat(ctx, id, a.ID, model.SeatChange{Ready: &yes, SettingsVersion: &l.SettingsVersion})
}

// want fails the test unless err is the code.
func want(t *testing.T, err error, code model.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

// looked reports whether the janitor, on its sweep, has compared its matches with the
// running ones: before that it asks once for epochs and once for players.
func (h *Harness) looked() bool {
	h.Fakes.mu.Lock()
	defer h.Fakes.mu.Unlock()
	return h.Fakes.calls >= 3
}

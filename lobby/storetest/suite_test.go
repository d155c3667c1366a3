package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
)

// run runs each scenario of the lobby on an empty store that open returns; again
// opens the same database a second time.
func run(t *testing.T, open func(t *testing.T) (store lobby.Store, again func() lobby.Store)) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, *Harness, func() lobby.Store)
	}{
		{"accounts exist once", accountsOnce},
		{"sessions", sessions},
		{"new cost of hashes", newCost},
		{"a flood of hashes delays no log-in", hashFlood},
		{"cheap checks come before hashes", cheapFirst},
		{"what is not a failed log-in", notAFailure},
		{"the same work for every name", sameWork},
		{"a known device", knownDevice},
		{"many prefixes", manyPrefixes},
		{"events since one sits there", eventsSinceSeated},
		{"nobody gives rights it has not", grants},
		{"ready to a version", readyToVersion},
		{"audit is a chain", auditChain},
		{"guests are purged", guestsPurged},
		{"a guest who sits down is not purged", guestNotPurged},
		{"audit keeps an anchor", auditAnchor},
		{"revoked sessions", revoked},
		{"last seat", lastSeat},
		{"one seat an account", oneSeat},
		{"every check of admission", admission},
		{"one reason at a time", oneReason},
		{"a password goes", passwordGoes},
		{"a seat holds the server state", seatHoldsServerState},
		{"refused at the socket", refusedAtSocket},
		{"kicked stays out", kickedStaysOut},
		{"a bot's seat is taken over", takeOver},
		{"many come for one open seat", manyTakeOver},
		{"an away player's seat is taken over", awayTakeOver},
		{"an away player comes back as another joins", backAsAnotherJoins},
		{"whole match", wholeMatch},
		{"tickets", tickets},
		{"one match at a time", oneMatchAtATime},
		{"leaving a match", leavingAMatch},
		{"no room for a match", noRoom},
		{"an admin finds matches", matchSearch},
		{"what reaches live sockets", reachesSockets},
		{"logged out by another process", loggedOutElsewhere},
		{"spectators", spectators},
		{"who may watch a replay", replayRights},
		{"a match is played on", branches},
		{"who may play a match on", branchRights},
		{"a scenario is played", scenarios},
		{"a ticket for a replay is no ticket for a seat", replayTickets},
		{"links to replays", replayLinks},
		{"nobody who plays watches", replayOfLive},
		{"viewings end with their rights", replayEnds},
		{"a deleted account goes out of replays", replayForgets},
		{"racing redeems", racingRedeems},
		{"events in order", eventsInOrder},
		{"survives a restart", restart},
		{"two processes", twoProcesses},
		{"start against the janitor", startAgainstJanitor},
		{"countdown", countdown},
		{"hanging start", hangingStart},
		{"lost match", lostMatch},
		{"lost at the start", lostAtStart},
		{"what may be recovered", recoverable},
		{"matches of another build", otherBuild},
		{"nodes", nodes},
		{"a node that is gone", nodeGone},
		{"matches of a cluster", inCluster},
		{"bans", bans},
		{"ban from elsewhere", banFromElsewhere},
		{"ban against join", banAgainstJoin},
		{"banned address", bannedAddress},
		{"banned from matches", bannedFromMatches},
		{"changed before the socket", changedBeforeSocket},
		{"audit in the same transaction", audit},
		{"rights taken away", rightsTakenAway},
		{"joined again", joinedAgain},
		{"moved over", movedOver},
		{"passwords not tried", passwordsNotTried},
		{"first seat taken over", firstSeatTakenOver},
		{"watches after leaving", watchesAfterLeaving},
		{"email taken", emailTaken},
		{"as the store has it", asTheStoreHasIt},
		{"names of accounts", namesOfAccounts},
		{"log out of nothing", logOutOfNothing},
		{"guest names", guestNames},
		{"admin log-in", adminLogIn},
		{"role too small", roleTooSmall},
		{"eyes at once", eyesAtOnce},
		{"audit is append-only", auditAppendOnly},
		{"reset links", resets},
		{"deletion", deletion},
		{"deletion goes on", deletionResumes},
		{"account settings", accountSettings},
		{"links with external identities", externalLinks},
		{"log-in by an external identity", externalLogIn},
		{"a guest is upgraded by a link", externalUpgrade},
		{"one identity logs in many times at once", externalRace},
		{"own log-in is switched off", ownLogInOff},
		{"history and paging", paging},
		{"cancelled contexts", cancelled},
		{"rolled back", rolledBack},
		{"counters", counters},
		{"purge", purge},
		{"idle lobbies", idle},
		{"where players meet", meeting},
		{"abandoned lobbies", abandoned},
		{"chat for those who come later", laterChat},
		{"a lobby with bots", lobbyWithBots},
		{"a data limit from the start", limitFromTheStart},
		{"who played", whoPlayed},
		{"a quick match", quickMatch},
		{"parties", parties},
		{"an offer that is not accepted", notAccepted},
		{"a place in the queue is kept", keepsPlace},
		{"bots fill a queue", filledWithBots},
		{"queues survive a restart", queueRestart},
		{"the process dies before it starts the match", startDies},
		{"a found match that cannot start", cannotStart},
		{"who goes leaves the queue", whoGoes},
		{"leaderboards", leaderboards},
		{"who left has lost", leftCountsAsLost},
		{"a flood of the queue", queueFlood},
		{"a planned match", plannedMatch},
		{"what refuses a planned match", plannedRefused},
		{"two plans for one player", plannedTwice},
		{"service keys", serviceKeys},
		{"a match by a service key", serviceMatch},
		{"scopes and issuers of service keys", serviceScopes},
		{"abuse of service keys", serviceAbuse},
		{"replays by a service key", serviceReplays},
		{"what webhooks are told", hooksTold},
		{"webhook events in order", hooksInOrder},
		{"webhook events in two processes", hooksTwice},
		{"webhook endpoints", hookEndpoints},
		{"webhook events are bounded", hooksBounded},
	} {
		t.Run(c.name, func(t *testing.T) {
			store, again := open(t)
			c.run(t, NewHarness(store), again)
		})
	}
}

func accountsOnce(t *testing.T, h *Harness, _ func() lobby.Store) {
	_, _, err := h.Register(ctx, Home, "Ada Lovelace", "ada@example.org", "difference engine")
	must(t, err)
	for _, name := range []string{"Ada Lovelace", "ADA  LOVELACE", "ada lovelace"} {
		_, _, err := h.Register(ctx, Home, name, "", "analytical engine")
		want(t, err, lobby.NameTaken)
	}
	_, _, err = h.Register(ctx, Home, "Ada2", "ADA@example.org", "analytical engine")
	want(t, err, lobby.NameTaken)
	a, _, err := h.Guest(ctx, Home, "Ada Lovelace") // told apart by a number
	must(t, err)
	if a.Name == "Ada Lovelace" || !a.Guest {
		t.Fatalf("guest %+v", a)
	}
	for _, login := range []string{"ada lovelace", "Ada@Example.org"} {
		got, _, err := h.LogIn(ctx, Home, login, "difference engine")
		must(t, err)
		if got.Name != "Ada Lovelace" {
			t.Fatalf("logged in as %q", got.Name)
		}
	}
}

func sessions(t *testing.T, h *Harness, _ func() lobby.Store) {
	a, first, err := h.Register(ctx, Home, "Grace", "", "nanosecond wire")
	must(t, err)
	s, err := h.Session(ctx, Home, first)
	must(t, err)
	if s.Account.ID != a.ID {
		t.Fatalf("session of %q", s.Account.ID)
	}
	from := Home
	from.Old = first
	_, second, err := h.LogIn(ctx, from, "grace", "nanosecond wire")
	must(t, err)
	_, err = h.Session(ctx, Home, first)
	want(t, err, lobby.Unauthenticated) // rotated
	_, third, err := h.LogIn(ctx, Home, "grace", "nanosecond wire")
	must(t, err)
	must(t, h.LogOut(ctx, lobby.PlayerRealm, third))
	_, err = h.Session(ctx, Home, third)
	want(t, err, lobby.Unauthenticated)
	_, err = h.Session(ctx, Home, second)
	must(t, err)
	_, err = h.AdminSession(ctx, Home, second)
	want(t, err, lobby.Unauthenticated) // a player's is nothing to admins
	must(t, h.LogOutEverywhere(ctx, a.ID))
	_, err = h.Session(ctx, Home, second)
	want(t, err, lobby.Unauthenticated)
	_, fourth, err := h.LogIn(ctx, Home, "grace", "nanosecond wire")
	must(t, err)
	h.Step(h.SessionLife + time.Second)
	_, err = h.Session(ctx, Home, fourth)
	want(t, err, lobby.Unauthenticated)
}

// lastSeat: 200 accounts race for the seven seats that are left.
func lastSeat(t *testing.T, h *Harness, _ func() lobby.Store) {
	const racers = 200
	l := h.NewLobby(t, h.NewGuest(t, "host"), lobby.NewLobby{})
	accounts := make([]lobby.Account, racers)
	for i := range accounts {
		accounts[i] = h.NewGuest(t, fmt.Sprintf("racer %d", i))
	}
	var seated, full atomic.Int32
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, a := range accounts {
		wg.Go(func() {
			<-start
			switch _, err := h.Join(ctx, Home, a, l.ID, lobby.Join{}); {
			case err == nil:
				seated.Add(1)
			case errors.Is(err, lobby.LobbyFull):
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
	l, err := h.Lobby(ctx, l.ID)
	must(t, err)
	seen := map[int]bool{}
	for _, s := range l.Seats {
		if seen[s.Slot] || s.Slot >= 8 {
			t.Fatalf("slot %d twice, or beyond the limit", s.Slot)
		}
		seen[s.Slot] = true
	}
	if len(l.Seats) != 8 {
		t.Fatalf("%d seats", len(l.Seats))
	}
}

// oneSeat: one account races into many lobbies, and sits in one in the end.
func oneSeat(t *testing.T, h *Harness, _ func() lobby.Store) {
	var lobbies []*lobby.Lobby
	for i := range 6 {
		lobbies = append(lobbies, h.NewLobby(t, h.NewGuest(t, fmt.Sprintf("host %d", i)), lobby.NewLobby{}))
	}
	a := h.NewGuest(t, "everywhere")
	var wg sync.WaitGroup
	for _, l := range lobbies {
		wg.Go(func() {
			if _, err := h.Join(ctx, Home, a, l.ID, lobby.Join{}); err != nil {
				t.Errorf("join: %v", err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, l := range lobbies {
		l, err := h.Lobby(ctx, l.ID)
		must(t, err)
		if l.SeatOf(a.ID) >= 0 {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("sits in %d lobbies", n)
	}
}

func wholeMatch(t *testing.T, h *Harness, _ func() lobby.Store) {
	host, other := h.NewGuest(t, "host"), h.NewGuest(t, "other")
	l := h.NewLobby(t, host, lobby.NewLobby{Map: "ford"})
	_, err := h.Start(ctx, l.ID, host.ID)
	want(t, err, lobby.OneSided)
	_, err = h.Join(ctx, Home, other, l.ID, lobby.Join{})
	must(t, err)
	_, err = h.Start(ctx, l.ID, host.ID)
	want(t, err, lobby.NotReady)
	_, err = h.Start(ctx, l.ID, other.ID)
	want(t, err, lobby.NotHost)
	_, err = h.ready(l.ID, other)
	must(t, err)
	l, err = h.Start(ctx, l.ID, host.ID)
	must(t, err)
	if l.State != lobby.Playing || l.Match == "" {
		t.Fatalf("started into %s, match %q", l.State, l.Match)
	}
	spec, ok := h.Fakes.Spec(l.Match)
	if !ok || len(spec.Participants) != 2 || spec.Seed == 0 {
		t.Fatalf("spec %+v", spec)
	}
	result := lobby.Result{Match: l.Match, Reason: "victory", Ticks: 900, Winners: []gridTeam{1}}
	for range 2 { // told twice, counted once
		must(t, h.MatchEnded(ctx, result))
	}
	l, err = h.Lobby(ctx, l.ID)
	must(t, err)
	if l.State != lobby.Ended || l.Result == nil || l.Result.Seats[1].Outcome != lobby.Won || l.Result.Seats[0].Outcome != lobby.Lost {
		t.Fatalf("lobby %s, result %+v", l.State, l.Result)
	}
	_, record, in, err := h.Me(ctx, other.ID)
	must(t, err)
	if record != (lobby.Record{Played: 1, Won: 1}) || in != l.ID {
		t.Fatalf("record %+v in %q", record, in)
	}
	if err := h.MatchEnded(ctx, lobby.Result{Match: "01900000-0000-7000-8000-000000000000"}); !errors.Is(err, lobby.NotFound) {
		t.Fatalf("unknown match: %v", err)
	}
	_, err = h.Rematch(ctx, l.ID, other.ID)
	want(t, err, lobby.NotHost)
	l, err = h.Rematch(ctx, l.ID, host.ID)
	must(t, err)
	if l.State != lobby.Open || len(l.Seats) != 2 || l.Seats[1].Ready {
		t.Fatalf("rematch: %+v", l)
	}
	h.Fakes.FailStart = true
	_, err = h.ready(l.ID, other)
	must(t, err)
	_, err = h.Start(ctx, l.ID, host.ID)
	want(t, err, lobby.StartFailed)
	if e := lobby.AsError(err); e.Text() != "slot 1: 2 of 9 start units placed" {
		t.Fatalf("the host is told %q, not what the match service said", e.Text())
	}
	l, err = h.Lobby(ctx, l.ID)
	must(t, err)
	if l.State != lobby.Open {
		t.Fatalf("after a failed start: %s", l.State)
	}
}

// ready says ready to the lobby as it is.
func (h *Harness) ready(id lobby.LobbyID, a lobby.Account) (*lobby.Lobby, error) {
	l, err := h.Lobby(ctx, id)
	if err != nil {
		return nil, err
	}
	yes := true
	return h.ChangeSeat(ctx, id, a.ID, lobby.SeatChange{Ready: &yes, SettingsVersion: &l.SettingsVersion})
}

// want fails the test unless err is the code.
func want(t *testing.T, err error, code lobby.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v, want %s", err, code)
	}
}

// looked reports whether the janitor has compared its matches with those that run,
// as it sweeps: before that it asks once for epochs and once for who plays.
func (h *Harness) looked() bool {
	h.Fakes.mu.Lock()
	defer h.Fakes.mu.Unlock()
	return h.Fakes.asked >= 3
}

package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/studio"
	"github.com/fogkeep/fogkeep/match/grid"
)

// upTo gives each endpoint so many events.
func upTo(n int) func([]model.WebhookEndpoint) map[string]int {
	return func(due []model.WebhookEndpoint) map[string]int {
		shares := map[string]int{}
		for _, e := range due {
			shares[e.ID] = n
		}
		return shares
	}
}

// plenty has room for all that is due.
var plenty = upTo(64)

// hook registers an endpoint for an issuer, "" for all.
func (h *Harness) hook(t testing.TB, issuer string, events ...model.HookKind) model.WebhookEndpoint {
	t.Helper()
	e, err := h.admin().Webhooks().Add(ctx, hook.NewWebhookEndpoint{Issuer: issuer, URL: "https://hooks.example/in", Events: events})
	must(t, err)
	return e
}

// delivered takes all events, as one endpoint after the other gets them, and
// returns what each was told.
func (h *Harness) delivered(t testing.TB) map[string][]hook.HookBody {
	t.Helper()
	out := map[string][]hook.HookBody{}
	for range 100 {
		list, err := h.Hooks.TakeHookEvents(ctx, plenty)
		must(t, err)
		if len(list) == 0 {
			return out
		}
		for _, d := range list {
			var body hook.HookBody
			must(t, json.Unmarshal(d.Body, &body))
			if body.ID != d.ID || body.Type != d.Kind {
				t.Errorf("event %s %s has the body %s", d.ID, d.Kind, d.Body)
			}
			out[d.To.ID] = append(out[d.To.ID], body)
			must(t, h.Hooks.HookTaken(ctx, d))
		}
	}
	t.Fatal("events without an end")
	return nil
}

func kindsOf(list []hook.HookBody) string {
	words := make([]string, len(list))
	for i, b := range list {
		words[i] = string(b.Type)
	}
	return strings.Join(words, " ")
}

// hooksTold: each endpoint gets only its own events.
func hooksTold(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, session := h.key(t, studioIssuer)
	all, own, other := h.hook(t, ""), h.hook(t, studioIssuer), h.hook(t, "https://other.example")
	results := h.hook(t, studioIssuer, hook.HookMatchEnded)

	// A match that does not start causes no event.
	h.Fakes.FailStart = true
	r := studio.ServiceMatchRequest{RequestKey: "m", Map: "ford", Seats: seatsOf("ada", "grace")}
	_, _, _, err := session.CreateMatch(ctx, r)
	want(t, err, model.StartRefused)
	h.Fakes.FailStart = false
	if got := h.delivered(t); len(got) != 0 {
		t.Errorf("told of a match that did not start: %v", got)
	}

	m, _, _, err := session.CreateMatch(ctx, r)
	must(t, err)
	ada := m.Spec.Participants[0].Account
	must(t, h.Play.SeatChanged(ctx, m.ID, ada, true, 0))
	must(t, h.Play.SeatChanged(ctx, m.ID, ada, false, 0))
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: m.ID, Reason: "surrender", Winners: []grid.Team{1}, Ticks: 12}))
	must(t, h.Play.SeatChanged(ctx, m.ID, ada, true, 0)) // too late
	got := h.delivered(t)
	for _, e := range []model.WebhookEndpoint{all, own} {
		if kindsOf(got[e.ID]) != "match.started player.joined player.left match.ended" {
			t.Errorf("endpoint of %q: %s", e.Issuer, kindsOf(got[e.ID]))
			continue
		}
		started, joined, ended := got[e.ID][0], got[e.ID][1], got[e.ID][3]
		if started.Match != m.ID || len(started.Seats) != 2 || started.Seats[0].Player.Subject != "ada" || started.Seats[0].Player.Issuer != studioIssuer || started.Result != nil {
			t.Errorf("started %+v", started)
		}
		if joined.Player == nil || joined.Player.Subject != "ada" || joined.Start == nil || *joined.Start != 0 || joined.Seats != nil {
			t.Errorf("joined %+v", joined)
		}
		if ended.Result == nil || ended.Result.Winners[0] != 1 || ended.Reason != "surrender" || !ended.At.Equal(h.Now()) {
			t.Errorf("ended %+v", ended)
		}
	}
	if got[all.ID][0].ID != got[own.ID][0].ID || got[own.ID][0].ID == got[own.ID][1].ID {
		t.Error("an event's id is the same at each endpoint, and only there")
	}
	if kindsOf(got[results.ID]) != "match.ended" || len(got[other.ID]) != 0 {
		t.Errorf("told of what they did not ask for: %v %v", got[results.ID], got[other.ID])
	}

	// A match of players is no issuer's business; a ban of its player is.
	host := h.NewGuest(t, "host")
	_, err = h.Room.PlayBot(ctx, Home, host, model.BotMatchRequest{})
	must(t, err)
	ban, err := h.admin().Ban(ctx, admin.NewBan{Account: string(ada), Reason: "cheats", For: time.Hour})
	must(t, err)
	_, err = h.admin().LiftBan(ctx, ban.ID)
	must(t, err)
	must(t, h.admin().Kick(ctx, "host", "language"))
	got = h.delivered(t)
	// Each stream comes in order; the order of two streams is open.
	if n := len(got[all.ID]); n != 5 {
		t.Errorf("all: %s", kindsOf(got[all.ID]))
	}
	if kindsOf(got[own.ID]) != "player.kicked account.banned account.unbanned" {
		t.Errorf("its own: %s", kindsOf(got[own.ID]))
	} else if b := got[own.ID][1]; b.Player.Subject != "ada" || b.Reason != "cheats" || b.Until == nil || !b.Until.Equal(h.Now().Add(time.Hour)) {
		t.Errorf("banned %+v", b)
	}
	for _, b := range got[all.ID] {
		if b.Type == hook.HookPlayerKicked && b.Player.Name == "host" && (b.Match == "" || b.Reason != "language") {
			t.Errorf("kicked from its match: %+v", b)
		}
	}
	if len(got[other.ID])+len(got[results.ID]) != 0 {
		t.Errorf("others: %v %v", got[other.ID], got[results.ID])
	}
	// A host that removes a player from its lobby.
	a, b := h.NewGuest(t, "hostess"), h.NewGuest(t, "guest")
	l := h.NewLobby(t, a, room.NewLobby{})
	_, err = h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{})
	must(t, err)
	_, err = h.Room.Kick(ctx, l.ID, a.ID, 1)
	must(t, err)
	if got := h.delivered(t); kindsOf(got[all.ID]) != "player.kicked" || got[all.ID][0].Player.Account != b.ID {
		t.Errorf("kicked by the host: %v", got)
	}
}

// hooksInOrder: an event waits for its predecessor of the same match, not for other
// matches; it is tried again with pauses, and is dead in the end.
func hooksInOrder(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, session := h.key(t, studioIssuer)
	e := h.hook(t, studioIssuer)
	for i := range 2 {
		m, _, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: fmt.Sprint(i), Map: "ford", Seats: seatsOf(fmt.Sprint("a", i), fmt.Sprint("b", i))})
		must(t, err)
		must(t, h.Play.MatchEnded(ctx, model.Result{Match: m.ID, Reason: "surrender"}))
	}
	first, err := h.Hooks.TakeHookEvents(ctx, plenty)
	must(t, err)
	if len(first) != 2 || first[0].Kind != hook.HookMatchStarted || first[1].Kind != hook.HookMatchStarted || first[0].Stream == first[1].Stream {
		t.Fatalf("first: %+v", first)
	}
	if again, err := h.Hooks.TakeHookEvents(ctx, plenty); err != nil || len(again) != 0 {
		t.Errorf("leased twice: %v %v", again, err)
	}
	if none, err := h.Hooks.TakeHookEvents(ctx, upTo(0)); err != nil || len(none) != 0 {
		t.Errorf("without room: %v %v", none, err)
	}
	must(t, h.Hooks.HookTaken(ctx, first[0]))
	next, err := h.Hooks.TakeHookEvents(ctx, plenty)
	must(t, err)
	if len(next) != 1 || next[0].Kind != hook.HookMatchEnded || next[0].Stream != first[0].Stream {
		t.Fatalf("next: %+v", next)
	}
	must(t, h.Hooks.HookTaken(ctx, next[0]))

	// The lease of a dead process ends, and its late report has no effect.
	h.Step(61 * time.Second)
	second, err := h.Hooks.TakeHookEvents(ctx, plenty)
	must(t, err)
	if len(second) != 1 || second[0].ID != first[1].ID || second[0].Tries != 0 {
		t.Fatalf("after the lease: %+v", second)
	}
	must(t, h.Hooks.HookTaken(ctx, first[1]))
	if _, err := h.Hooks.HookRefused(ctx, first[1], "late"); err != nil {
		t.Fatal(err)
	}

	// It is put off, longer each time, until it is dead.
	at := second[0]
	pause := time.Duration(0)
	for try := 1; ; try++ {
		dead, err := h.Hooks.HookRefused(ctx, at, strings.Repeat("no ", 200))
		must(t, err)
		if dead != (try == hook.HookTriesMax) {
			t.Fatalf("try %d: dead %t", try, dead)
		}
		if dead {
			break
		}
		if early, err := h.Hooks.TakeHookEvents(ctx, plenty); err != nil || len(early) != 0 {
			t.Fatalf("try %d: at once again: %v %v", try, early, err)
		}
		waited := time.Duration(0)
		for waited < 7*time.Hour {
			step := max(time.Second, waited/8)
			h.Step(step)
			waited += step
			list, err := h.Hooks.TakeHookEvents(ctx, plenty)
			must(t, err)
			if len(list) == 1 {
				at = list[0]
				break
			}
		}
		if waited < pause/3 || waited > 6*time.Hour+time.Hour || at.Tries != try {
			t.Fatalf("try %d came after %s, the one before after %s, counted %d", try, waited, pause, at.Tries)
		}
		pause = waited
	}
	// A dead event delays no other.
	next, err = h.Hooks.TakeHookEvents(ctx, plenty)
	must(t, err)
	if len(next) != 1 || next[0].Kind != hook.HookMatchEnded {
		t.Fatalf("behind the dead one: %+v", next)
	}
	must(t, h.Hooks.HookTaken(ctx, next[0]))
	hooks := session.Webhooks()
	dead, err := hooks.Dead(ctx, 0, 10)
	must(t, err)
	if len(dead) != 1 || dead[0].ID != first[1].ID || dead[0].Failure == "" || len(dead[0].Failure) > 210 || dead[0].Tries != hook.HookTriesMax {
		t.Fatalf("dead: %+v", dead)
	}
	_, _, stranger := h.key(t, "https://other.example")
	want(t, stranger.Webhooks().Retry(ctx, dead[0].Num), model.NotFound)
	if list, err := stranger.Webhooks().Dead(ctx, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("another issuer sees dead events: %v %v", list, err)
	}
	must(t, hooks.Retry(ctx, dead[0].Num))
	want(t, hooks.Retry(ctx, dead[0].Num), model.NotFound)
	if got := h.delivered(t); kindsOf(got[e.ID]) != "match.started" || got[e.ID][0].ID != first[1].ID {
		t.Errorf("by hand: %v", got)
	}
}

// hooksTwice: of any number of processes each event is one's.
func hooksTwice(t *testing.T, h *Harness, again func() db.Store) {
	_, _, session := h.key(t, studioIssuer)
	h.hook(t, "")
	h.hook(t, studioIssuer)
	const matches = 12
	for i := range matches {
		_, _, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: fmt.Sprint(i), Map: "ford", Seats: seatsOf(fmt.Sprint("a", i), fmt.Sprint("b", i))})
		must(t, err)
	}
	others := []*Harness{h, NewHarness(again()), NewHarness(again())}
	var mu sync.Mutex
	taken := map[int64]int{}
	var wg sync.WaitGroup
	for _, p := range others {
		wg.Go(func() {
			for range 30 {
				list, err := p.Hooks.TakeHookEvents(ctx, upTo(3))
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				for _, d := range list {
					taken[d.Num]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for num, n := range taken {
		if n != 1 {
			t.Errorf("event %d was taken %d times", num, n)
		}
	}
	if len(taken) != 2*matches {
		t.Errorf("%d events were taken, of %d", len(taken), 2*matches)
	}
}

// hooksOfEvents: endpoints that ask for the events of matches get each event once, in order, no earlier than the
// match's spectators; and processes read few matches at a time.
func hooksOfEvents(t *testing.T, h *Harness, again func() db.Store) {
	_, _, session := h.key(t, studioIssuer)
	quiet, own := h.hook(t, ""), h.hook(t, studioIssuer, hook.HookMatchEvents, hook.HookMatchEnded)
	h.hook(t, "https://other.example", hook.HookMatchEvents)
	other := NewHarness(again())
	const events = studio.FeedBatch + 70
	const delay = 60 * time.Second // of the match's spectators
	log := make([]model.MatchEvent, events)
	for i := range log {
		log[i].Tick = uint32(i + 1)
	}
	for _, p := range []*Harness{h, other} {
		p.Past.Log, p.Past.LogEnds, p.Past.Now = log, h.Now().Add(events*time.Second), h.Now
	}
	m, _, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "m", Map: "ford", Seats: seatsOf("ada", "grace")})
	must(t, err)
	// told lets both processes look, and returns how many events the endpoint has been told by now.
	total := 0
	told := func() int {
		t.Helper()
		for _, p := range []*Harness{h, other, h} {
			must(t, p.Studio.Feed(ctx))
		}
		got := h.delivered(t)
		for _, e := range got[quiet.ID] {
			if e.Type == hook.HookMatchEvents || e.Log != nil {
				t.Fatalf("an endpoint that did not ask is told %+v", e)
			}
		}
		for _, e := range got[own.ID] {
			if e.Type != hook.HookMatchEvents {
				continue
			}
			if e.Match != m.ID || e.Seats != nil || e.Result != nil || len(e.Log.Events) == 0 || len(e.Log.Events) > studio.FeedBatch {
				t.Fatalf("told %+v", e)
			}
			for _, x := range e.Log.Events {
				if total++; int(x.Tick) != total {
					t.Fatalf("event %d comes as number %d", x.Tick, total)
				}
			}
			if e.Log.Next != total {
				t.Errorf("after %d events the next is %d", total, e.Log.Next)
			}
		}
		return total
	}
	for second := 0; second < 100; second += 4 {
		// An event of second n is known to spectators at n+60.
		if n := told(); n > max(0, second-int(delay/time.Second)) || second > 80 && n < second-80 {
			t.Fatalf("after %d seconds %d events are told", second, n)
		}
		h.Step(4 * time.Second)
		other.Step(4 * time.Second)
	}
	h.Past.Refused = map[model.MatchID]error{m.ID: model.Busy} // without room to read, events come later
	h.Step(events * time.Second)
	other.Step(events * time.Second)
	before := total
	must(t, h.Studio.Feed(ctx))
	if n := h.delivered(t); len(n[own.ID]) != 0 {
		t.Errorf("told %v without a journal", n)
	}
	h.Past.Refused = nil
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: m.ID, Reason: "surrender", Winners: []grid.Team{1}, Ticks: 12}))
	for range 4 {
		h.Step(studio.FeedEvery)
		other.Step(studio.FeedEvery)
		told()
	}
	if before >= events || total != events {
		t.Errorf("%d of %d events are told", total, events)
	}
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		left, err := tx.Hooks.Feeds(h.Hooks.Node, h.Now().Add(time.Hour), 100)
		if len(left) != 0 {
			t.Errorf("the match is still read: %+v", left)
		}
		return err
	}))
	// Without such an endpoint the server reads no match. It gives up a match without a journal.
	must(t, h.admin().Webhooks().Delete(ctx, own.ID))
	if _, _, _, err = session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "n", Map: "ford", Seats: seatsOf("bob", "dan")}); err != nil {
		t.Fatal(err)
	}
	own = h.hook(t, studioIssuer, hook.HookMatchEvents)
	lost, _, _, err := session.CreateMatch(ctx, studio.ServiceMatchRequest{RequestKey: "o", Map: "ford", Seats: seatsOf("eve", "fay")})
	must(t, err)
	h.Past.Refused = map[model.MatchID]error{lost.ID: model.ReplayExpired}
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: lost.ID, Failed: true, Reason: "lost"}))
	h.Step(delay)
	for _, left := range []int{1, 0} {
		must(t, h.Studio.Feed(ctx))
		must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
			list, err := tx.Hooks.Feeds(h.Hooks.Node, h.Now().Add(time.Hour), 100)
			if len(list) != left {
				t.Errorf("%d matches are read, want %d: %+v", len(list), left, list)
			}
			return err
		}))
		h.Step(2 * time.Hour)
	}
}

// hookEndpoints: the rights to register endpoints.
func hookEndpoints(t *testing.T, h *Harness, _ func() db.Store) {
	_, _, session := h.key(t, studioIssuer, studio.WebhooksWrite)
	_, _, reader := h.key(t, studioIssuer, studio.MatchesRead)
	hooks := session.Webhooks()
	for _, bad := range []string{
		"", "hooks.example", "ftp://hooks.example", "file:///etc/passwd", "gopher://hooks.example", "https://", "https://user:secret@hooks.example", "https://token@hooks.example",
		"https://hooks.example/#fragment", "https://hooks.example:22", "https://hooks.example:0", "https://hooks.example:65536", "https://hooks.example:x",
		"http://127.0.0.1/", "http://127.1.2.3:8080/", "http://[::1]/", "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/", "http://169.254.169.254/latest/meta-data",
		"http://0.0.0.0/", "http://[::]/", "http://224.0.0.1/", "http://[ff02::1]/", "http://[fe80::1]/", "http://[fc00::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:10.0.0.1]/",
		"http://[64:ff9b::7f00:1]/", "http://[64:ff9b:1::1]/", "http://100.64.0.1/", "http://198.18.0.1/", "http://[2002:7f00:1::]/", "http://[::7f00:1]/", "http://255.255.255.255/",
		"https://hooks.example/" + strings.Repeat("x", 1000),
	} {
		if _, err := hooks.Add(ctx, hook.NewWebhookEndpoint{URL: bad}); !errors.Is(err, model.BadRequest) {
			t.Errorf("%.60s: %v", bad, err)
		}
	}
	_, err := hooks.Add(ctx, hook.NewWebhookEndpoint{URL: "https://hooks.example", Events: []model.HookKind{"everything"}})
	want(t, err, model.BadRequest)
	_, err = reader.Webhooks().Add(ctx, hook.NewWebhookEndpoint{URL: "https://hooks.example"})
	want(t, err, model.Forbidden)
	_, err = reader.Webhooks().List(ctx)
	want(t, err, model.Forbidden)

	// A key registers for its issuer, even if it names another.
	e, err := hooks.Add(ctx, hook.NewWebhookEndpoint{URL: "https://hooks.example:8443/in?token=abc", Issuer: "https://other.example"})
	must(t, err)
	if e.Issuer != studioIssuer || len(e.Secret.Key()) != 32 || len(e.Events) != len(hook.HookKinds())-1 {
		t.Errorf("endpoint %+v", e)
	}
	mine := h.hook(t, "")
	if list, err := hooks.List(ctx); err != nil || len(list) != 1 || list[0].ID != e.ID {
		t.Errorf("the key sees %v %v", list, err)
	}
	if list, err := h.admin().Webhooks().List(ctx); err != nil || len(list) != 2 {
		t.Errorf("admins see %v %v", list, err)
	}
	want(t, hooks.Delete(ctx, mine.ID), model.NotFound)
	_, err = hooks.Rotate(ctx, mine.ID, 0)
	want(t, err, model.NotFound)
	rotated, err := hooks.Rotate(ctx, e.ID, time.Hour)
	must(t, err)
	if rotated.Secret == e.Secret || rotated.OldSecret != e.Secret || !rotated.OldUntil.Equal(h.Now().Add(time.Hour)) {
		t.Errorf("rotated %+v", rotated)
	}
	must(t, hooks.Delete(ctx, e.ID))
	for range hook.EndpointsPerMax {
		_, err := hooks.Add(ctx, hook.NewWebhookEndpoint{URL: "https://hooks.example"})
		must(t, err)
	}
	_, err = hooks.Add(ctx, hook.NewWebhookEndpoint{URL: "https://hooks.example"})
	want(t, err, model.Throttled)
	rows, err := h.admin().Audit(ctx, 0, 100)
	must(t, err)
	for _, row := range rows {
		if strings.Contains(row.Detail, "token") || strings.Contains(row.Detail, string(e.Secret)) {
			t.Errorf("the audit gives a secret away: %+v", row)
		}
	}
}

// hooksBounded: an endpoint that takes no events does not fill the database.
func hooksBounded(t *testing.T, h *Harness, _ func() db.Store) {
	e := h.hook(t, "")
	for i := range 8 {
		_, err := h.admin().Ban(ctx, admin.NewBan{Account: string(h.NewGuest(t, fmt.Sprint("visitor ", i)).ID), Reason: "cheats"})
		must(t, err)
	}
	count := func() (waiting, dead int) {
		must(t, h.Store.Read(ctx, func(tx *db.Tx) (err error) {
			waiting, dead, err = tx.Hooks.Count()
			return err
		}))
		return waiting, dead
	}
	if waiting, _ := count(); waiting != 16 { // kicked and banned
		t.Fatalf("%d wait", waiting)
	}
	for range 4 { // four events die
		list, err := h.Hooks.TakeHookEvents(ctx, upTo(1))
		must(t, err)
		list[0].Tries = hook.HookTriesMax - 1
		dead, err := h.Hooks.HookRefused(ctx, list[0], "no")
		if must(t, err); !dead {
			t.Fatal("not dead")
		}
	}
	prune := func(before time.Time, waiting, dead int) (n int) {
		must(t, h.Store.Write(ctx, func(tx *db.Tx) (err error) {
			n, err = tx.Hooks.Prune(e.ID, before, waiting, dead)
			return err
		}))
		return n
	}
	if n := prune(h.Now(), 12, 4); n != 0 {
		t.Errorf("%d were dropped within the bounds", n)
	}
	if n := prune(h.Now(), 5, 3); n != 7+1 {
		t.Errorf("%d were dropped", n)
	}
	if waiting, dead := count(); waiting != 5 || dead != 3 {
		t.Errorf("%d wait, %d are dead", waiting, dead)
	}
	h.Step(hook.HookDeadLife + time.Minute)
	b, err := h.Hooks.PruneHookEvents(ctx)
	must(t, err)
	if b.Waiting != 5 || b.Dead != 0 || b.Dropped != 0 {
		t.Errorf("a month later %+v", b)
	}
	must(t, h.admin().Webhooks().Delete(ctx, e.ID))
	if waiting, dead := count(); waiting+dead != 0 {
		t.Errorf("%d wait, %d are dead without an endpoint", waiting, dead)
	}
}

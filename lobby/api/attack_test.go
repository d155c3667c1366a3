package api

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// The attacks, here on accounts, sessions and tickets; attack_wire_test.go has the
// attacks on the connection, attack_admin_test.go on the admins, and cmd/fogkeep on the
// whole server. Each test fails if the guard it names is taken away.

// limit is one number of the table of limits.
func limit(r quota.Resource, s quota.Scope) int { return int(quota.Defaults().Of(r).Most[s]) }

// Guard: LogIn does the same work and answers the same for accounts that are
// there, that are not, and that are guests.
func TestEnumerationAtLogin(t *testing.T) {
	w := newHarness(t, Config{})
	w.browser().must("POST", "/api/register", map[string]any{"name": "Ada", "email": "ada@example.org", "password": "difference engine"}, 200)
	w.guest("Guestling")
	type seen struct {
		status  int
		body    string
		hashes  int64
		queries int64
	}
	try := func(name, password string) seen {
		hashes, queries := w.hashes.Load(), w.queries.Load()
		r := w.browser().do("POST", "/api/login", map[string]any{"name": name, "password": password})
		return seen{r.status, r.raw, w.hashes.Load() - hashes, w.queries.Load() - queries}
	}
	want := try("Ada", "wrong password")
	if want.status != 401 || want.hashes != 1 {
		t.Fatalf("wrong password: %+v", want)
	}
	for _, name := range []string{"Nobody", "ada@example.org", "nobody@example.org", "Guestling", "", strings.Repeat("x", 254), "a\x00b", "\xff\xfe"} {
		if got := try(name, "wrong password"); got != want {
			t.Errorf("%q: %+v, but an account that is there: %+v", name, got, want)
		}
	}
	if got := try("Guestling", ""); got != want { // a guest has no password, not an empty one
		t.Errorf("guest with empty password: %+v", got)
	}
}

// Guard: the same for admins, and an admin's name is unknown to players.
func TestEnumerationOfAdmins(t *testing.T) {
	w := newHarness(t, Config{})
	w.adminLoggedIn()
	var bodies []string
	for _, name := range []string{"admin", "nobody"} {
		h, q := w.hashes.Load(), w.queries.Load()
		r := w.adminBrowser().refused("POST", "/admin/api/login", map[string]any{"name": name, "password": "wrong password"}, model.WrongCredentials)
		bodies = append(bodies, fmt.Sprint(r.raw, w.hashes.Load()-h, w.queries.Load()-q))
	}
	if bodies[0] != bodies[1] {
		t.Errorf("admin: %s\nnobody: %s", bodies[0], bodies[1])
	}
	w.browser().refused("POST", "/api/login", map[string]any{"name": "admin", "password": "wrong password"}, model.WrongCredentials)
}

// Guard: Register asks whether a name is free, which it tells anyway, before it
// hashes.
func TestRegisterWork(t *testing.T) {
	w := newHarness(t, Config{})
	work := func(name string) int64 {
		h := w.hashes.Load()
		w.browser().do("POST", "/api/register", map[string]any{"name": name, "password": "difference engine"})
		return w.hashes.Load() - h
	}
	if fresh, taken := work("Ada"), work("Ada"); fresh != 1 || taken != 0 {
		t.Errorf("hashes: %d for a new name, %d for a taken one", fresh, taken)
	}
}

// Guard: PerPair. And: the guard locks out the attacker, not the owner, nor the
// attacker's neighbours on other accounts.
func TestBruteForce(t *testing.T) {
	w := newHarness(t, Config{Proxies: loopback})
	from := func(address string) *browser {
		b := w.browser()
		b.header.Set("X-Forwarded-For", address)
		return b
	}
	owner := from("192.0.2.1")
	owner.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	attacker := from("198.51.100.1")
	guesses := 0
	for range 30 {
		if r := attacker.do("POST", "/api/login", map[string]any{"name": "Ada", "password": "guess"}); r.code() == string(model.WrongCredentials) {
			guesses++
		}
	}
	if guesses != limit(quota.WrongPasswords, quota.Address) {
		t.Fatalf("%d guesses were answered", guesses)
	}
	r := attacker.refused("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, model.Throttled)
	if r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("throttled: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
	}
	from("192.0.2.1").must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	from("203.0.113.9").must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200) // on holiday
	w.server.Step(quota.Defaults().Of(quota.LoginFailures).Per)
	attacker.must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
}

// Guard: PerNetwork, across names; an IPv6 subscriber's addresses are one.
func TestBruteForceAcrossNames(t *testing.T) {
	w := newHarness(t, Config{Proxies: loopback})
	answered := 0
	for i := range 100 {
		b := w.browser()
		b.header.Set("X-Forwarded-For", fmt.Sprintf("2001:db8:1:2::%x", i+1))
		if b.do("POST", "/api/login", map[string]any{"name": fmt.Sprintf("name %d", i), "password": "guess"}).status == 401 {
			answered++
		}
	}
	if answered != limit(quota.LoginFailures, quota.Address) {
		t.Errorf("one subscriber had %d guesses", answered)
	}
}

// Guard: PerStrangers; the owner's known network is exempt.
func TestDistributedBruteForce(t *testing.T) {
	w := newHarness(t, Config{Proxies: loopback}, func(c *lobby.Config) { c.Ledger = storetest.Ledger("login-failures.account=20") })
	from := func(address string) *browser {
		b := w.browser()
		b.header.Set("X-Forwarded-For", address)
		return b
	}
	from("192.0.2.1").must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	answered := 0
	for i := range 60 {
		if from(fmt.Sprintf("198.51.100.%d", i+1)).do("POST", "/api/login", map[string]any{"name": "Ada", "password": "guess"}).status == 401 {
			answered++
		}
	}
	if answered != 20 {
		t.Errorf("many strangers had %d guesses", answered)
	}
	from("192.0.2.1").must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
}

// Guard: attempts are counted before they are hashed.
func TestBruteForceAtOnce(t *testing.T) {
	w := newHarness(t, Config{})
	w.browser().must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	before := w.hashes.Load()
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			_, _, err := w.server.Account.LogIn(context.Background(), storetest.Home, "Ada", "guess")
			if !errors.Is(err, model.WrongCredentials) && !errors.Is(err, model.Throttled) {
				t.Errorf("login: %v", err)
			}
		})
	}
	wg.Wait()
	if n := w.hashes.Load() - before; n > int64(limit(quota.WrongPasswords, quota.Address)) {
		t.Errorf("%d hashes for 40 guesses at once", n)
	}
}

// Guard: the hash queue is bounded; a late client hears to come again.
func TestHashFlood(t *testing.T) {
	w := newHarness(t, Config{}, func(c *lobby.Config) {
		c.Hashing = account.Hashing{MemoryKiB: 8 << 10, Passes: 2, Workers: 1}
		c.Ledger = storetest.Ledger("password-hashes.process=3", "password-hashes.reserve=0")
	})
	var mu sync.Mutex
	codes := map[string]int{}
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			r := w.browser().do("POST", "/api/login", map[string]any{"name": fmt.Sprint("n", i), "password": "guess"})
			mu.Lock()
			defer mu.Unlock()
			codes[r.code()]++
			if r.code() == string(model.Busy) && (r.status != 503 || r.header.Get("Retry-After") == "") {
				t.Errorf("busy: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
			}
		})
	}
	wg.Wait()
	if codes[string(model.Busy)] == 0 || codes[string(model.WrongCredentials)] < 3 {
		t.Errorf("answers %v", codes)
	}
}

// Guard: a guest cannot make the server hash without end, and neither can the guests of
// one address together.
func TestHashesOnDemand(t *testing.T) {
	ledger, now := quota.New(quota.Defaults()), time.Now()
	ledger.Now = func() time.Time { return now }
	w := newHarness(t, Config{}, func(c *lobby.Config) { c.Ledger = ledger })
	before := w.hashes.Load()
	for i, most := range []int{20, 40, 60, 60, 60} {
		guest := w.guest(fmt.Sprint("Ada ", i))
		id := guest.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).at("id").(string)
		for range 24 {
			guest.do("PATCH", "/api/lobbies/"+id, map[string]any{"password": "tide"})
			guest.do("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "password": "tide"})
			guest.do("POST", "/api/me/upgrade", map[string]any{"name": fmt.Sprint("Lady ", i), "password": "difference engine"})
		}
		if n := int(w.hashes.Load() - before); n > most || i == 0 && n != most || i == 4 && n != most {
			t.Errorf("%d hashes at the wish of %d guests, want %d", n, i+1, most)
		}
	}
}

// Guard: a lobby's password is throttled too.
func TestLobbyPasswordBruteForce(t *testing.T) {
	w := newHarness(t, Config{})
	id := w.guest("Ada").must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "password": "tide"}, 200).at("id").(string)
	bob := w.guest("Bob")
	for range limit(quota.WrongPasswords, quota.Address) {
		bob.refused("POST", "/api/lobbies/"+id+"/join", map[string]any{"password": "guess"}, model.WrongPassword)
	}
	bob.refused("POST", "/api/lobbies/"+id+"/join", map[string]any{"password": "tide"}, model.Throttled)
}

// Guard: tokens end with logout and rotate at login; a stolen old one is invalid. The
// store holds no token.
func TestTokenReplay(t *testing.T) {
	w := newHarness(t, Config{})
	b := w.browser()
	b.token = b.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	stolen := b.token
	fresh := b.must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	if fresh == stolen || len(fresh) != 43 {
		t.Fatalf("token %q after %q", fresh, stolen)
	}
	b.refused("GET", "/api/me", nil, model.Unauthenticated)
	b.token = string(model.Secret(fresh).Hash()) // the value in a copy of the database
	b.refused("GET", "/api/me", nil, model.Unauthenticated)
	b.token = fresh
	b.must("POST", "/api/logout", nil, 204)
	b.refused("GET", "/api/me", nil, model.Unauthenticated)
}

// Guard: the end of sessions wakes their streams, which then end.
func TestStreamEndsWithItsSession(t *testing.T) {
	w := newHarness(t, Config{})
	for name, end := range map[string]func(*browser){
		"logout":            func(b *browser) { b.must("POST", "/api/logout", nil, 204) },
		"logout everywhere": func(b *browser) { b.must("POST", "/api/logout/everywhere", nil, 204) },
		"password": func(b *browser) {
			b.must("POST", "/api/me/password", map[string]any{"old": "difference engine", "new": "analytical engine"}, 200)
		},
	} {
		b := w.browser()
		b.must("POST", "/api/register", map[string]any{"name": "Ada " + name, "password": "difference engine"}, 200)
		id := b.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).at("id").(string)
		stream := b.events(id, "")
		stream.next()
		began := time.Now()
		end(b)
		if event, _, _ := stream.next(); event != "" || time.Since(began) > heartbeat/2 {
			t.Errorf("%s: %q after %v", name, event, time.Since(began))
		}
	}
}

// Guard: the quota of event streams. Streams last, so that no limit on requests bounds
// them; an ended stream makes room.
func TestStreamFlood(t *testing.T) {
	limits, err := quota.Defaults().Set([]string{"event-streams.account=4", "event-streams.address=7", "event-streams.reserve=0"})
	if err != nil {
		t.Fatal(err)
	}
	ledger := quota.New(limits)
	w := newHarness(t, Config{Ledger: ledger})
	ada, bob := w.guest("Ada"), w.guest("Bob")
	id := ada.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).at("id").(string)
	bob.must("POST", "/api/lobbies/"+id+"/join", nil, 200)
	var open []*sse
	for range 4 {
		open = append(open, ada.events(id, ""))
	}
	r := ada.refused("GET", "/api/lobbies/"+id+"/events", nil, model.Throttled)
	if r.header.Get("Retry-After") == "" || !strings.Contains(r.raw, "at most 4 at once") {
		t.Errorf("the fifth was told %s", r.raw)
	}
	for range 20 { // a refusal for another reason leaves no trace
		bob.refused("GET", "/api/lobbies/0/events", nil, model.NotFound)
	}
	for range 3 {
		bob.events(id, "").next()
	}
	bob.refused("GET", "/api/lobbies/"+id+"/events", nil, model.Throttled) // the address has no more
	open[0].close()
	eventually.Holds(t, "a stream that has ended is not counted", func() bool { return ledger.Held(quota.EventStreams) <= 6 })
	bob.events(id, "").next()
}

// A change of a lobby is read and encoded once for all watchers, together with the
// changes of the next tenth of a second.
func TestAChangeIsReadOnce(t *testing.T) {
	cost := func(streams int) (queries int64, told int) {
		w := newHarness(t, Config{})
		ada := w.guest("Ada")
		id := ada.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).at("id").(string)
		var open []*sse
		for range streams {
			s := ada.events(id, "")
			s.next()
			open = append(open, s)
		}
		time.Sleep(300 * time.Millisecond) // the feed looks by the clock where the lobby stands
		before := w.queries.Load()
		const changes = 30
		for i := range changes {
			ada.must("PATCH", "/api/lobbies/"+id, map[string]any{"name": fmt.Sprint("room ", i)}, 200)
		}
		for _, s := range open {
			for {
				event, _, data := s.next()
				if event == "" {
					t.Fatal("the stream ended")
				}
				told++
				if data["name"] == fmt.Sprint("room ", changes-1) {
					break
				}
			}
		}
		return w.queries.Load() - before, told
	}
	one, toldOne := cost(1)
	many, toldMany := cost(16)
	if many > one+one/4 {
		t.Errorf("30 changes cost %d queries with one stream and %d with 16", one, many)
	}
	if toldOne > 29 && toldMany > 16*29 {
		t.Errorf("each change was told by itself: %d and %d updates", toldOne, toldMany)
	}
}

// Guard: a planted session (fixation) is ended by the login.
func TestSessionFixation(t *testing.T) {
	w := newHarness(t, Config{})
	attacker := w.browser()
	planted := attacker.must("POST", "/api/guest", map[string]any{"bearer": true}, 200).at("token").(string)
	victim := w.browser()
	victim.header.Set("Cookie", "fogkeep="+planted)
	victim.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	attacker.token = planted
	attacker.refused("GET", "/api/me", nil, model.Unauthenticated)
}

// Guard: tickets work once, in time, for their own match.
func TestTicketAbuse(t *testing.T) {
	w := newHarness(t, Config{})
	ada := w.guest("Ada")
	id := ada.must("POST", "/api/play/bot", nil, 200).at("id").(string)
	ticket := func() model.Secret {
		return model.Secret(ada.must("POST", "/api/lobbies/"+id+"/ticket", nil, 200).at("ticket").(string))
	}
	redeem := func(s model.Secret, want model.Code) {
		t.Helper()
		if _, err := w.server.Play.Redeem(context.Background(), s, netip.Addr{}); !errors.Is(err, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	used, late := ticket(), ticket()
	if _, err := w.server.Play.Redeem(context.Background(), used, netip.Addr{}); err != nil {
		t.Fatal(err)
	}
	redeem(used, model.TicketUsed)
	redeem(model.Secret(used.Hash()), model.BadTicket)
	w.server.Step(31 * time.Second)
	redeem(late, model.TicketLate)
	redeem(model.Secret(strings.Repeat("A", 1<<20)), model.BadTicket)
	w.guest("Eve").refused("POST", "/api/lobbies/"+id+"/ticket", nil, model.NotSeated)
	w.browser().refused("POST", "/api/lobbies/"+id+"/ticket", nil, model.Unauthenticated)
	banned := ticket()
	if _, err := w.server.Admin.OperatorSession(admin.Operator{Name: "t", UID: "1000"}).Ban(context.Background(), admin.NewBan{Account: "Ada", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	redeem(banned, model.BannedAccount)
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

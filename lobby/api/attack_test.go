package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

// The attacks. Each test fails if the guard it names is taken away.

// Guard: LogIn does the same work and answers the same for accounts that are
// there, that are not, and that are guests.
func TestEnumerationAtLogin(t *testing.T) {
	w := newWorld(t, Config{})
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

// Guard: the same for admins, and an admin's name is nothing to players.
func TestEnumerationOfAdmins(t *testing.T) {
	w := newWorld(t, Config{})
	w.chief()
	var bodies []string
	for _, name := range []string{"admin", "nobody"} {
		h, q := w.hashes.Load(), w.queries.Load()
		r := w.adminBrowser().refused("POST", "/admin/api/login", map[string]any{"name": name, "password": "wrong password"}, lobby.WrongCredentials)
		bodies = append(bodies, fmt.Sprint(r.raw, w.hashes.Load()-h, w.queries.Load()-q))
	}
	if bodies[0] != bodies[1] {
		t.Errorf("admin: %s\nnobody: %s", bodies[0], bodies[1])
	}
	w.browser().refused("POST", "/api/login", map[string]any{"name": "admin", "password": "wrong password"}, lobby.WrongCredentials)
}

// Guard: Register hashes before it asks whether a name is free.
func TestRegisterWork(t *testing.T) {
	w := newWorld(t, Config{})
	work := func(name string) int64 {
		h := w.hashes.Load()
		w.browser().do("POST", "/api/register", map[string]any{"name": name, "password": "difference engine"})
		return w.hashes.Load() - h
	}
	if fresh, taken := work("Ada"), work("Ada"); fresh != 1 || taken != 1 {
		t.Errorf("hashes: %d for a new name, %d for a taken one", fresh, taken)
	}
}

// Guard: PerPair. And: who is locked out is the attacker, not the owner, nor
// the attacker's neighbours on other accounts.
func TestBruteForce(t *testing.T) {
	w := newWorld(t, Config{TrustedProxies: loopback})
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
		if r := attacker.do("POST", "/api/login", map[string]any{"name": "Ada", "password": "guess"}); r.code() == string(lobby.WrongCredentials) {
			guesses++
		}
	}
	if guesses != w.house.Limits.PerPair {
		t.Fatalf("%d guesses were answered", guesses)
	}
	r := attacker.refused("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, lobby.Throttled)
	if r.status != 429 || r.header.Get("Retry-After") == "" {
		t.Errorf("throttled: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
	}
	from("192.0.2.1").must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	from("203.0.113.9").must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200) // on holiday
	w.house.Step(w.house.Limits.Window)
	attacker.must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
}

// Guard: PerNetwork, across names; an IPv6 subscriber's addresses are one.
func TestBruteForceAcrossNames(t *testing.T) {
	w := newWorld(t, Config{TrustedProxies: loopback})
	answered := 0
	for i := range 100 {
		b := w.browser()
		b.header.Set("X-Forwarded-For", fmt.Sprintf("2001:db8:1:2::%x", i+1))
		if b.do("POST", "/api/login", map[string]any{"name": fmt.Sprintf("name %d", i), "password": "guess"}).status == 401 {
			answered++
		}
	}
	if answered != w.house.Limits.PerNetwork {
		t.Errorf("one subscriber had %d guesses", answered)
	}
}

// Guard: PerStrangers; the owner's known network is exempt.
func TestDistributedBruteForce(t *testing.T) {
	w := newWorld(t, Config{TrustedProxies: loopback}, func(c *lobby.Config) { c.Limits.PerStrangers = 20 })
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
	w := newWorld(t, Config{})
	w.browser().must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	before := w.hashes.Load()
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			_, _, err := w.house.LogIn(context.Background(), storetest.Home, "Ada", "guess")
			if !errors.Is(err, lobby.WrongCredentials) && !errors.Is(err, lobby.Throttled) {
				t.Errorf("login: %v", err)
			}
		})
	}
	wg.Wait()
	if n := w.hashes.Load() - before; n > int64(w.house.Limits.PerPair) {
		t.Errorf("%d hashes for 40 guesses at once", n)
	}
}

// Guard: the hash queue is bounded; who comes too late is told to come again.
func TestHashFlood(t *testing.T) {
	w := newWorld(t, Config{}, func(c *lobby.Config) {
		c.Hashing = lobby.Hashing{MemoryKiB: 8 << 10, Passes: 2, Workers: 1, Queue: 2}
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
			if r.code() == string(lobby.Busy) && (r.status != 503 || r.header.Get("Retry-After") == "") {
				t.Errorf("busy: %d, Retry-After %q", r.status, r.header.Get("Retry-After"))
			}
		})
	}
	wg.Wait()
	if codes[string(lobby.Busy)] == 0 || codes[string(lobby.WrongCredentials)] < 3 {
		t.Errorf("answers %v", codes)
	}
}

// Guard: who is logged in cannot make the server hash without end.
func TestHashesOnDemand(t *testing.T) {
	w := newWorld(t, Config{})
	ada := w.guest("Ada")
	id := ada.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).at("id").(string)
	before := w.hashes.Load()
	for range 40 {
		ada.do("PATCH", "/api/lobbies/"+id, map[string]any{"password": "tide"})
		ada.do("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "password": "tide"})
		ada.do("POST", "/api/me/upgrade", map[string]any{"name": "Ada L", "password": "difference engine"})
	}
	if n := w.hashes.Load() - before; n > int64(w.house.Limits.Hashes) {
		t.Errorf("%d hashes at one guest's wish", n)
	}
}

// Guard: a lobby's password is throttled too.
func TestLobbyPasswordBruteForce(t *testing.T) {
	w := newWorld(t, Config{})
	id := w.guest("Ada").must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "password": "tide"}, 200).at("id").(string)
	bob := w.guest("Bob")
	for range w.house.Limits.PerPair {
		bob.refused("POST", "/api/lobbies/"+id+"/join", map[string]any{"password": "guess"}, lobby.WrongPassword)
	}
	bob.refused("POST", "/api/lobbies/"+id+"/join", map[string]any{"password": "tide"}, lobby.Throttled)
}

// Guard: tokens end with logout and rotate at login; a stolen old one is
// nothing. The store holds no token.
func TestTokenReplay(t *testing.T) {
	w := newWorld(t, Config{})
	b := w.browser()
	b.token = b.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	stolen := b.token
	fresh := b.must("POST", "/api/login", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	if fresh == stolen || len(fresh) != 43 {
		t.Fatalf("token %q after %q", fresh, stolen)
	}
	b.refused("GET", "/api/me", nil, lobby.Unauthenticated)
	b.token = fresh
	b.must("POST", "/api/logout", nil, 204)
	b.refused("GET", "/api/me", nil, lobby.Unauthenticated)
	b.token = string(lobby.Secret(stolen).Hash()) // what a copy of the database would give
	b.refused("GET", "/api/me", nil, lobby.Unauthenticated)
}

// Guard: who ends sessions wakes their streams, which then end.
func TestStreamEndsWithItsSession(t *testing.T) {
	w := newWorld(t, Config{})
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

// Guard: streamsPerAccount. Streams last, so that no limit on requests bounds
// them; one that ends makes room.
func TestStreamFlood(t *testing.T) {
	w := newWorld(t, Config{})
	ada, bob := w.guest("Ada"), w.guest("Bob")
	id := ada.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring"}, 200).at("id").(string)
	bob.must("POST", "/api/lobbies/"+id+"/join", nil, 200)
	var open []*sse
	for range streamsPerAccount {
		open = append(open, ada.events(id, ""))
	}
	r := ada.refused("GET", "/api/lobbies/"+id+"/events", nil, lobby.Throttled)
	if r.header.Get("Retry-After") == "" {
		t.Error("no word of when to come again")
	}
	bob.events(id, "").next()
	for range 3 * streamsPerAccount { // who is refused for another reason leaves nothing behind
		bob.refused("GET", "/api/lobbies/0/events", nil, lobby.NotFound)
	}
	bob.events(id, "").next()
	open[0].close()
	for end := time.Now().Add(20 * time.Second); ada.do("POST", "/api/lobbies/"+id+"/chat", map[string]any{"text": "x"}).status < 500; {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", ada.base+"/api/lobbies/"+id+"/events", nil)
		res, err := ada.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("a stream that has ended is counted for ever")
		}
	}
	var many streams
	for i := range streamsPerNetwork {
		if _, err := many.enter(lobby.AccountID(fmt.Sprint(i)), "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := many.enter("one more", "192.0.2.1"); !errors.Is(err, lobby.Throttled) {
		t.Errorf("one network has no bound: %v", err)
	}
}

// Guard: a planted session (fixation) is ended by the login.
func TestSessionFixation(t *testing.T) {
	w := newWorld(t, Config{})
	attacker := w.browser()
	planted := attacker.must("POST", "/api/guest", map[string]any{"bearer": true}, 200).at("token").(string)
	victim := w.browser()
	victim.header.Set("Cookie", "fogkeep="+planted)
	victim.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine"}, 200)
	attacker.token = planted
	attacker.refused("GET", "/api/me", nil, lobby.Unauthenticated)
}

// Guard: tickets work once, in time, for their own match.
func TestTicketAbuse(t *testing.T) {
	w := newWorld(t, Config{})
	ada := w.guest("Ada")
	id := ada.must("POST", "/api/play/bot", nil, 200).at("id").(string)
	ticket := func() lobby.Secret {
		return lobby.Secret(ada.must("POST", "/api/lobbies/"+id+"/ticket", nil, 200).at("ticket").(string))
	}
	redeem := func(s lobby.Secret, want lobby.Code) {
		t.Helper()
		if _, err := w.house.Redeem(context.Background(), s, netip.Addr{}); !errors.Is(err, want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	used, late := ticket(), ticket()
	if _, err := w.house.Redeem(context.Background(), used, netip.Addr{}); err != nil {
		t.Fatal(err)
	}
	redeem(used, lobby.TicketUsed)
	redeem(lobby.Secret(used.Hash()), lobby.BadTicket)
	w.house.Step(31 * time.Second)
	redeem(late, lobby.TicketLate)
	redeem(lobby.Secret(strings.Repeat("A", 1<<20)), lobby.BadTicket)
	w.guest("Eve").refused("POST", "/api/lobbies/"+id+"/ticket", nil, lobby.NotSeated)
	w.browser().refused("POST", "/api/lobbies/"+id+"/ticket", nil, lobby.Unauthenticated)
	banned := ticket()
	if _, err := w.house.EmergencyDesk("t").Ban(context.Background(), lobby.NewBan{Account: "Ada", Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	redeem(banned, lobby.BannedAccount)
}

// Guard: CrossOriginProtection. A page of another site can neither post a form
// nor open anything in the visitor's name.
func TestCrossSite(t *testing.T) {
	w := newWorld(t, Config{Origins: []string{"https://play.example.org"}})
	victim := w.guest("Ada")
	for _, h := range []http.Header{
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}}, // another port or subdomain
		{"Origin": {"https://evil.example"}},
		{"Origin": {"null"}},
		{"Origin": {strings.Replace(w.player, "http:", "https:", 1) + "9"}},
	} {
		for _, path := range []string{"/api/play/bot", "/api/logout", "/api/login", "/api/me/delete"} {
			victim.header = h
			victim.refused("POST", path, map[string]any{}, lobby.CrossOrigin)
		}
		admin := w.adminBrowser()
		admin.header = h
		admin.refused("POST", "/admin/api/login", map[string]any{"name": "admin", "password": "x"}, lobby.CrossOrigin)
	}
	victim.header = http.Header{"Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://play.example.org"}}
	victim.must("POST", "/api/play/bot", nil, 200) // the operator's own
	victim.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	victim.must("GET", "/api/me", nil, 200)
	if r := victim.do("GET", "/api/me", nil); r.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("answers are open to other origins")
	}
}

// Guard: PerMinute. One network's flood is cut short; others are served.
func TestRequestFlood(t *testing.T) {
	w := newWorld(t, Config{PerMinute: 20, TrustedProxies: loopback})
	flood, other := w.browser(), w.browser()
	flood.header.Set("X-Forwarded-For", "198.51.100.1")
	other.header.Set("X-Forwarded-For", "192.0.2.1")
	served := 0
	var last reply
	for range 50 {
		if last = flood.do("GET", "/api/maps", nil); last.status == 200 {
			served++
		}
	}
	if served > 20 || served < 10 || last.code() != string(lobby.Throttled) || last.header.Get("Retry-After") == "" {
		t.Errorf("%d of 50 were served; the last: %d %s, Retry-After %q", served, last.status, last.raw, last.header.Get("Retry-After"))
	}
	other.must("GET", "/api/maps", nil, 200)
}

// Guard: only JSON is read. Forms can send the other types without asking.
func TestContentTypes(t *testing.T) {
	w := newWorld(t, Config{})
	b := w.guest("Ada")
	for _, ct := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "application/cbor", "nonsense"} {
		b.header.Set("Content-Type", ct)
		r := b.do("POST", "/api/lobbies", strings.NewReader(`{"name":"r","map":"ring"}`))
		if r.status != 415 || r.code() != string(lobby.WrongMediaType) {
			t.Errorf("%s: %d %s", ct, r.status, r.raw)
		}
	}
	if r := b.must("GET", "/api/lobbies", nil, 200); len(r.at("lobbies").([]any)) != 0 {
		t.Error("a lobby was made")
	}
	b.header.Del("Content-Type")
	for _, body := range []string{`{`, `[]`, `"x"`, `null`, `{"name":1,"map":2}`, `{"name":"r","map":"ring","admin":true}`, strings.Repeat("[", 20_000)} {
		if r := b.do("POST", "/api/lobbies", strings.NewReader(body)); r.status != 400 && r.status != 422 {
			t.Errorf("%.20q: %d %.100s", body, r.status, r.raw)
		}
	}
}

// Guard: a refused body is not repeated: it may hold a password.
func TestNoEcho(t *testing.T) {
	w := newWorld(t, Config{})
	for _, body := range []string{`{"name":"Ada","password":"swordfish42"`, `{"name":["Ada"],"password":"swordfish42"}`, `{"password":"swordfish42"}`} {
		if r := w.browser().do("POST", "/api/login", strings.NewReader(body)); strings.Contains(r.raw, "swordfish42") {
			t.Errorf("repeated: %s", r.raw)
		}
	}
}

// Guard: BodyMax, with and without a length.
func TestLargeBodies(t *testing.T) {
	w := newWorld(t, Config{})
	b := w.guest("Ada")
	body := []byte(`{"name":"` + strings.Repeat("x", 10<<20) + `","map":"ring"}`)
	for name, reader := range map[string]io.Reader{"with length": bytes.NewReader(body), "chunked": struct{ io.Reader }{bytes.NewReader(body)}} {
		req, _ := http.NewRequest("POST", w.player+"/api/lobbies", reader)
		req.Header.Set("Content-Type", "application/json")
		before := time.Now()
		res, err := b.client.Do(req)
		if err != nil { // the server may hang up before all is sent
			var op *net.OpError
			if !errors.As(err, &op) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		res.Body.Close()
		if res.StatusCode != 413 || time.Since(before) > 10*time.Second {
			t.Errorf("%s: %d after %v", name, res.StatusCode, time.Since(before))
		}
	}
	// Just over the limit, so that the answer surely arrives.
	r := b.do("POST", "/api/lobbies", struct{ io.Reader }{strings.NewReader(`{"name":"` + strings.Repeat("x", BodyMax) + `"}`)})
	if r.status != 413 || r.code() != string(lobby.TooLarge) {
		t.Errorf("just over: %d %s", r.status, r.raw)
	}
}

// Guard: ReadHeaderTimeout and MaxHeaderBytes of NewServer.
func TestSlowAndLargeHeaders(t *testing.T) {
	s := NewServer(http.NewServeMux())
	if s.ReadHeaderTimeout <= 0 || s.ReadHeaderTimeout > 10*time.Second || s.ReadTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Fatalf("limits %+v", s)
	}
	s.ReadHeaderTimeout = 150 * time.Millisecond // the same server, in less of the test's time
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(l) }()
	defer func() { s.Close(); <-done }()
	slow, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	fmt.Fprint(slow, "GET /api/maps HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	_ = slow.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadAll(slow); err != nil {
		t.Errorf("a client that never ends its header is not let go: %v", err)
	}
	req, _ := http.NewRequest("GET", "http://"+l.Addr().String()+"/", nil)
	req.Header.Set("X-Large", strings.Repeat("x", 64<<10))
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("large header: %d", res.StatusCode)
		}
	}
}

// Guard: parameters, never text, in SQL; checks before it.
func TestSQLInEveryField(t *testing.T) {
	w := newWorld(t, Config{})
	chief := w.chief()
	ada := w.guest("Ada")
	room := ada.must("POST", "/api/lobbies", map[string]any{"name": "room", "map": "ring"}, 200)
	id := room.at("id").(string)
	for _, x := range []string{`'; DROP TABLE accounts; --`, `" OR ""="`, `' OR '1'='1`, `%' OR 1=1 --`, `\'; DELETE FROM audit; --`, "a\x00b", `$1`, `?1`, "😀'"} {
		type attack struct {
			b            *browser
			method, path string
			body         map[string]any
		}
		q := strings.NewReplacer("%", "%25", " ", "%20", "'", "%27", `"`, "%22", ";", "%3B", "?", "%3F", `\`, "%5C", "#", "%23", "\x00", "%00", "$", "%24", "=", "%3D").Replace(x)
		for _, a := range []attack{
			{w.browser(), "POST", "/api/guest", map[string]any{"name": x}},
			{w.browser(), "POST", "/api/register", map[string]any{"name": x, "password": "difference engine"}},
			{w.browser(), "POST", "/api/register", map[string]any{"name": "Zed", "email": x, "password": "difference engine"}},
			{w.browser(), "POST", "/api/login", map[string]any{"name": x, "password": x}},
			{w.browser(), "POST", "/api/reset", map[string]any{"token": x, "password": x + "long enough"}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": x, "map": "ring"}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": "r", "map": x}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "options": map[string]any{"mode": x}}},
			{ada, "POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "options": map[string]any{x: 1}}},
			{ada, "POST", "/api/lobbies/" + id + "/join", map[string]any{"password": x}},
			{ada, "POST", "/api/lobbies/" + id + "/chat", map[string]any{"text": x}},
			{ada, "GET", "/api/lobbies?q=" + q, nil},
			{ada, "GET", "/api/lobbies/" + q, nil},
			{ada, "POST", "/api/lobbies/" + q + "/join", nil},
			{ada, "GET", "/api/lobbies/" + q + "/events", nil},
			{chief, "GET", "/admin/api/accounts?q=" + q + "&after=" + q, nil},
			{chief, "GET", "/admin/api/accounts/" + q, nil},
			{chief, "POST", "/admin/api/bans", map[string]any{"account": x, "reason": x}},
			{chief, "POST", "/admin/api/bans", map[string]any{"range": x, "reason": x}},
			{chief, "POST", "/admin/api/house/announce", map[string]any{"text": x}},
			{chief, "PATCH", "/admin/api/admins/" + q, map[string]any{"fog": true}},
			{chief, "POST", "/admin/api/admins", map[string]any{"name": x, "role": "viewer"}},
		} {
			if r := a.b.do(a.method, a.path, a.body); r.status >= 500 {
				t.Errorf("%s %s %v: %d %s", a.method, a.path, a.body, r.status, r.raw)
			}
		}
		if r := ada.must("GET", "/api/lobbies?q=zzz"+q, nil, 200); len(r.at("lobbies").([]any)) != 0 {
			t.Errorf("q=%q widened the search: %s", x, r.raw)
		}
	}
	chief.must("GET", "/admin/api/audit", nil, 200)
	if r := chief.must("GET", "/admin/api/accounts?q=ada", nil, 200); len(r.at("accounts").([]any)) == 0 {
		t.Error("the accounts are gone")
	}
}

// Guard: two handlers, two realms. Nothing of the admins' answers on the
// players' listener, and no player's session is an admin's.
func TestAdminFromPlayerListener(t *testing.T) {
	w := newWorld(t, Config{})
	chief := w.chief()
	onPlayers := *chief
	onPlayers.base = w.player
	player := w.browser()
	player.token = player.must("POST", "/api/register", map[string]any{"name": "Ada", "password": "difference engine", "bearer": true}, 200).at("token").(string)
	playerAtAdmin := *player
	playerAtAdmin.base = w.admin
	for _, path := range []string{"/admin/api/house", "/admin/api/accounts", "/admin/api/me", "/admin/api/openapi.json", "/admin/api/docs"} {
		onPlayers.refused("GET", path, nil, lobby.NotFound)
	}
	for _, path := range []string{"/admin/api/house", "/admin/api/accounts", "/admin/api/me", "/admin/api/audit"} {
		playerAtAdmin.refused("GET", path, nil, lobby.Unauthenticated)
	}
	onPlayers.refused("GET", "/api/me", nil, lobby.Unauthenticated) // nor the other way round
}

// Guard: Desk.act checks the role, for each step of the ladder.
func TestPrivilegeSteps(t *testing.T) {
	w := newWorld(t, Config{})
	chief := w.chief()
	logIn := func(name, role string) *browser {
		password := chief.must("POST", "/admin/api/admins", map[string]any{"name": name, "role": role}, 200).at("password")
		b := w.adminBrowser()
		b.must("POST", "/admin/api/login", map[string]any{"name": name, "password": password}, 200)
		return b
	}
	viewer, mod := logIn("Val", "viewer"), logIn("Mo", "moderator")
	w.guest("Ada")
	match := w.guest("Bob").must("POST", "/api/play/bot", nil, 200)
	ada := chief.must("GET", "/admin/api/accounts?q=ada", nil, 200).at("accounts").([]any)[0].(map[string]any)["id"].(string)
	reason := map[string]any{"reason": "x"}
	for _, path := range []string{"/admin/api/house", "/admin/api/accounts", "/admin/api/lobbies", "/admin/api/matches", "/admin/api/bans", "/admin/api/audit", "/admin/api/admins"} {
		viewer.must("GET", path, nil, 200)
		w.adminBrowser().refused("GET", path, nil, lobby.Unauthenticated)
	}
	forMods := []struct {
		method, path string
		body         any
	}{
		{"POST", "/admin/api/accounts/" + ada + "/kick", reason},
		{"POST", "/admin/api/accounts/" + ada + "/logout", nil},
		{"POST", "/admin/api/bans", map[string]any{"range": "198.51.100.0/24", "reason": "x"}},
		{"DELETE", "/admin/api/bans/1", nil},
		{"POST", "/admin/api/house/announce", map[string]any{"text": "x"}},
		{"POST", "/admin/api/matches/" + match.at("matchId").(string) + "/end", reason},
		{"POST", "/admin/api/lobbies/" + match.at("id").(string) + "/close", reason},
	}
	for _, a := range forMods {
		viewer.refused(a.method, a.path, a.body, lobby.Forbidden)
		if r := mod.do(a.method, a.path, a.body); r.status >= 300 {
			t.Errorf("moderator: %s %s: %d %s", a.method, a.path, r.status, r.raw)
		}
	}
	for _, a := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/admin/api/house/drain", map[string]any{"on": true}},
		{"POST", "/admin/api/accounts/" + ada + "/reset", nil},
		{"DELETE", "/admin/api/accounts/" + ada, nil},
		{"POST", "/admin/api/admins", map[string]any{"name": "Eve", "role": "admin"}},
		{"PATCH", "/admin/api/admins/Mo", map[string]any{"role": "admin"}}, // itself
		{"PATCH", "/admin/api/admins/Val", map[string]any{"fog": true}},
		{"POST", "/admin/api/admins/admin/password", nil},
	} {
		viewer.refused(a.method, a.path, a.body, lobby.Forbidden)
		mod.refused(a.method, a.path, a.body, lobby.Forbidden)
	}
	chief.refused("PATCH", "/admin/api/admins/admin", map[string]any{"role": "viewer"}, lobby.Forbidden) // not one's own
}

// Guard: RequireFog and Require, which cmd puts before the debug page.
func TestFogTakesARight(t *testing.T) {
	w := newWorld(t, Config{})
	a := NewAdmin(w.house.Service, Config{})
	mux := http.NewServeMux()
	mux.Handle("/admin/api/", a)
	shown := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"world":true}`)) })
	mux.Handle("/fog", a.RequireFog(func(r *http.Request) (lobby.MatchID, string) { return "m", r.URL.Query().Get("eyes") }, shown))
	mux.Handle("/any", a.Require(lobby.Viewer, shown))
	w.admin = w.listen(mux)
	chief := w.chief()
	password := chief.must("POST", "/admin/api/admins", map[string]any{"name": "Root", "role": "admin"}, 200).at("password")
	noFog := w.adminBrowser()
	noFog.must("POST", "/admin/api/login", map[string]any{"name": "Root", "password": password}, 200)
	noFog.refused("GET", "/fog?eyes=all", nil, lobby.Forbidden) // no role includes it
	noFog.must("GET", "/any", nil, 200)
	w.adminBrowser().refused("GET", "/fog", nil, lobby.Unauthenticated)
	w.adminBrowser().refused("GET", "/any", nil, lobby.Unauthenticated)
	chief.must("GET", "/fog?eyes=all", nil, 200)
	row := chief.must("GET", "/admin/api/audit", nil, 200).at("rows").([]any)[0].(map[string]any)
	if row["action"] != "match.fog" || row["subject"] != "m eyes all" || row["admin"] != "admin" {
		t.Errorf("audit row %v", row)
	}
}

// Guard: X-Forwarded-For is believed from trusted proxies alone, and from the
// right.
func TestForgedAddress(t *testing.T) {
	c := Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, x := range []struct{ remote, forwarded, want string }{
		{"198.51.100.1:99", "", "198.51.100.1"},
		{"198.51.100.1:99", "192.0.2.1", "198.51.100.1"},
		{"10.0.0.1:99", "192.0.2.1", "192.0.2.1"},
		{"10.0.0.1:99", "1.1.1.1, 192.0.2.1", "192.0.2.1"},
		{"10.0.0.1:99", "192.0.2.1, 10.0.0.7", "192.0.2.1"},
		{"10.0.0.1:99", "nonsense", "10.0.0.1"},
		{"10.0.0.1:99", "", "10.0.0.1"},
		{"[::ffff:10.0.0.1]:99", "2001:db8::1", "2001:db8::1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = x.remote
		if x.forwarded != "" {
			r.Header.Set("X-Forwarded-For", x.forwarded)
		}
		if got := c.Address(r).String(); got != x.want {
			t.Errorf("%s for %q: %s, want %s", x.remote, x.forwarded, got, x.want)
		}
		r.Header.Set("X-Forwarded-Proto", "https")
		if got := c.secure(r); got != c.trusts(netip.MustParseAddrPort(x.remote).Addr().Unmap()) {
			t.Errorf("%s: secure %t", x.remote, got)
		}
	}
}

// Guard: an email is told to its owner alone, and no hash to anybody.
func TestNothingSecretIsTold(t *testing.T) {
	w := newWorld(t, Config{})
	chief := w.chief()
	ada := w.browser()
	ada.must("POST", "/api/register", map[string]any{"name": "Ada", "email": "ada@example.org", "password": "difference engine"}, 200)
	id := ada.must("POST", "/api/lobbies", map[string]any{"name": "r", "map": "ring", "password": "tide and time"}, 200).at("id").(string)
	account := ada.must("GET", "/api/me", nil, 200).at("account", "id").(string)
	var texts []string
	for _, path := range []string{"/api/lobbies", "/api/lobbies/" + id} {
		r := w.browser().must("GET", path, nil, 200)
		if strings.Contains(r.raw, "ada@example.org") {
			t.Errorf("%s tells the email", path)
		}
		texts = append(texts, r.raw)
	}
	for _, path := range []string{"/admin/api/accounts", "/admin/api/accounts/" + account, "/admin/api/lobbies", "/admin/api/admins", "/admin/api/audit"} {
		texts = append(texts, chief.must("GET", path, nil, 200).raw)
	}
	if i := slices.IndexFunc(texts, func(s string) bool { return strings.Contains(s, "argon2") || strings.Contains(s, "tide and time") }); i >= 0 {
		t.Errorf("a hash or password is told: %s", texts[i])
	}
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

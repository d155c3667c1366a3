package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

var ctx = context.Background()

// loopback lets tests be told of what happens.
var loopback = outbound.Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}

// harness is a lobby with a dispatcher.
type harness struct {
	*storetest.Harness
	t       *testing.T
	admin   *admin.Session
	figures *prometheus.Registry
	stop    func()
}

func newHarness(t *testing.T, policy outbound.Policy, timeout time.Duration) *harness {
	t.Helper()
	store, err := sqlite.Open(ctx, sqlitetest.Dir(t), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	h := &harness{t: t, Harness: storetest.NewHarness(store, func(c *lobby.Config) { c.Outbound = policy })}
	h.admin = h.Admin.OperatorSession(admin.Operator{Name: "test"})
	h.figures = prometheus.NewRegistry()
	d := New(Config{
		Service: h.Service, Policy: policy, Ledger: quota.New(quota.Defaults()), Poll: 5 * time.Millisecond, Prune: 20 * time.Millisecond, Timeout: timeout,
		Registerer: h.figures, Version: "test",
	})
	run, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { defer close(done); _ = d.Run(run) }()
	h.stop = func() { cancel(); <-done }
	t.Cleanup(h.stop)
	return h
}

func (h *harness) hook(url string) model.WebhookEndpoint {
	h.t.Helper()
	e, err := h.admin.Webhooks().Add(ctx, hook.NewWebhookEndpoint{URL: url, Events: []model.HookKind{hook.HookBanned, hook.HookUnbanned}})
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// ban makes one event, of its own stream.
func (h *harness) ban(name string) {
	h.t.Helper()
	if _, err := h.admin.Ban(ctx, admin.NewBan{Account: string(h.NewGuest(h.t, name).ID), Reason: "cheats"}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) tries(result string) float64 {
	families, err := h.figures.Gather()
	if err != nil {
		h.t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "fogkeep_webhook_tries_total" && m.GetLabel()[0].GetValue() == result {
				return m.GetCounter().GetValue()
			}
		}
	}
	return 0
}

// send makes one try to a URL.
func (h *harness) send(policy outbound.Policy, url string, timeout time.Duration) error {
	d := New(Config{Service: h.Service, Policy: policy, Timeout: timeout})
	return d.send(ctx, hook.HookDelivery{HookEvent: model.HookEvent{ID: "event", Body: []byte("{}")}, To: model.WebhookEndpoint{URL: url, Secret: hook.NewHookSecret()}})
}

// Events are signed, with both secrets during a rotation, and come again under their id
// until the endpoint takes them.
func TestDelivery(t *testing.T) {
	type got struct {
		header http.Header
		body   []byte
	}
	var mu sync.Mutex
	var all []got
	var refuse atomic.Int32
	refuse.Store(2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		all = append(all, got{r.Header, body})
		mu.Unlock()
		if refuse.Add(-1) >= 0 {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	h := newHarness(t, loopback, 5*time.Second)
	e := h.hook(server.URL + "/in")
	h.ban("Ada")
	eventually.Holds(t, "the event is taken", func() bool { h.Step(10 * time.Second); return h.tries("taken") == 1 })
	mu.Lock()
	defer mu.Unlock()
	if len(all) != 3 || h.tries("failed") != 2 {
		t.Fatalf("%d requests, %v failed", len(all), h.tries("failed"))
	}
	var body hook.HookBody
	if err := json.Unmarshal(all[0].body, &body); err != nil || body.Type != hook.HookBanned || body.Player.Name != "Ada" {
		t.Errorf("body %s", all[0].body)
	}
	for _, g := range all {
		if !Verify(e.Secret, g.header, g.body, h.Now(), time.Hour) || g.header.Get(HeaderID) != body.ID || g.header.Get("Content-Type") != "application/json" {
			t.Errorf("signed with %v", g.header)
		}
		if Verify(hook.NewHookSecret(), g.header, g.body, h.Now(), time.Hour) || Verify(e.Secret, g.header, append(slices.Clone(g.body), ' '), h.Now(), time.Hour) ||
			Verify(e.Secret, g.header, g.body, h.Now().Add(24*time.Hour), time.Hour) {
			t.Error("a wrong secret, body or time is taken")
		}
		other := g.header.Clone()
		other.Set(HeaderID, "another")
		if Verify(e.Secret, other, g.body, h.Now(), time.Hour) {
			t.Error("the id is not signed")
		}
	}
	rotated, err := h.admin.Webhooks().Rotate(ctx, e.ID, 30*24*time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	mu.Unlock()
	h.ban("Grace")
	eventually.Holds(t, "the second event is taken", func() bool { return h.tries("taken") == 2 })
	mu.Lock()
	last := all[len(all)-1]
	for _, secret := range []model.HookSecret{e.Secret, rotated.Secret} {
		if !Verify(secret, last.header, last.body, h.Now(), time.Hour) {
			t.Error("while it is rotated it is not signed with both secrets")
		}
	}
}

// The signature follows Standard Webhooks: its own example.
func TestSignatureOfTheStandard(t *testing.T) {
	got := Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Errorf("signature %s", got)
	}
}

// A slow endpoint holds up no other, and no more tries at once than four.
func TestASlowEndpointHoldsUpNobody(t *testing.T) {
	release := make(chan struct{})
	var at, most atomic.Int32
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		for n := at.Add(1); n > most.Load(); {
			most.Store(n)
		}
		defer at.Add(-1)
		<-release
	}))
	defer slow.Close()
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer quick.Close()
	h := newHarness(t, loopback, 10*time.Second)
	h.hook(slow.URL)
	h.hook(quick.URL)
	for i := range 9 {
		h.ban(fmt.Sprint("player ", i))
	}
	eventually.Holds(t, "the quick one has all", func() bool { return h.tries("taken") == 9 && at.Load() == perEndpoint })
	close(release)
	eventually.Holds(t, "the slow one has all", func() bool { return h.tries("taken") == 18 })
	if most.Load() != perEndpoint {
		t.Errorf("%d tries at once", most.Load())
	}
}

// silent is a server that counts requests and answers them only after release is
// called.
func silent(t *testing.T) (url string, at *atomic.Int32, release func()) {
	t.Helper()
	at, ended := &atomic.Int32{}, make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		at.Add(1)
		<-ended
		w.WriteHeader(http.StatusInternalServerError)
	}))
	release = sync.OnceFunc(func() { close(ended) })
	t.Cleanup(func() { release(); server.Close() })
	return server.URL, at, release
}

// endpoint registers an endpoint of an issuer, with so many events of streams of their own.
func (h *harness) endpoint(issuer, url string, events int) model.WebhookEndpoint {
	h.t.Helper()
	e, err := h.admin.Webhooks().Add(ctx, hook.NewWebhookEndpoint{Issuer: issuer, URL: url})
	if err != nil {
		h.t.Fatal(err)
	}
	err = h.Store.Write(ctx, func(tx *db.Tx) error {
		for i := range events {
			ev := model.HookEvent{ID: fmt.Sprint(e.ID, i), Endpoint: e.ID, Stream: fmt.Sprint(i), Kind: hook.HookMatchEnded, Body: []byte("{}"), Created: h.Now(), Due: h.Now()}
			if err := tx.Hooks.Add(ev); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return e
}

// Guard: [Dispatcher.share]. Ten endpoints that never answer, with hundreds of events,
// delay neither another issuer nor an endpoint of the same issuer, and unsent events
// stay free for other processes. The lobby's clock stands still meanwhile.
func TestDeadEndpointsDelayNobody(t *testing.T) {
	dead, at, _ := silent(t)
	quick := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer quick.Close()
	h := newHarness(t, loopback, time.Hour)
	most := int(quota.Defaults().Of(quota.WebhookCalls).Most[quota.Account])
	for range hook.EndpointsPerMax - 1 {
		h.endpoint("https://dead.example", dead, 40)
	}
	eventually.Holds(t, "the dead ones have the share of their issuer", func() bool { return int(at.Load()) >= most })
	h.endpoint("https://quick.example", quick.URL, 1)
	eventually.Holds(t, "another issuer's event is taken", func() bool { return h.tries("taken") == 1 })
	h.endpoint("https://dead.example", dead, 40)
	h.endpoint("", quick.URL, 30)
	eventually.Holds(t, "the admin's endpoint has its events", func() bool { return h.tries("taken") == 31 })
	if n := int(at.Load()); n != most {
		t.Errorf("%d tries of one issuer at once, want %d", n, most)
	}
	h.stop()
	list, err := h.Hooks.TakeHookEvents(ctx, func(due []model.WebhookEndpoint) map[string]int {
		all := map[string]int{}
		for _, e := range due {
			all[e.ID] = 1000
		}
		return all
	})
	if err != nil || len(list) != hook.EndpointsPerMax*40 {
		t.Errorf("%d of %d events can be leased at once after a stop: %v", len(list), hook.EndpointsPerMax*40, err)
	}
}

// Guard: [Dispatcher.share]. Where the process has fewer requests than endpoints want,
// endpoints that wait for no answer come first.
func TestEndpointsTakeTurns(t *testing.T) {
	due := []model.WebhookEndpoint{{ID: "a", Issuer: "x"}, {ID: "b", Issuer: "x"}, {ID: "c", Issuer: "y"}, {ID: "d", Issuer: "y"}, {ID: "e", Issuer: "z"}}
	limits, err := quota.Defaults().Set([]string{"webhook-calls.process=9", "webhook-calls.account=5"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name             string
		running, failing map[string]int
		want             string
	}{
		{"all wait for nothing", nil, nil, "map[a:2 b:2 c:2 d:2 e:1]"},
		{"one has its four", map[string]int{"a": 4}, nil, "map[b:1 c:2 d:1 e:1]"},
		{"an endpoint that failed has one", nil, map[string]int{"a": 1, "c": 1}, "map[a:1 b:3 c:1 d:2 e:2]"},
		{"it has one already", map[string]int{"a": 1}, map[string]int{"a": 1}, "map[b:2 c:2 d:2 e:2]"},
	} {
		d := New(Config{Service: nil, Ledger: quota.New(limits)})
		for id, n := range c.running {
			d.at(id).running = n
			for range n {
				if _, err := d.c.Ledger.Take(quota.WebhookCalls, payer(due[slices.IndexFunc(due, func(e model.WebhookEndpoint) bool { return e.ID == id })]), 1); err != nil {
					t.Fatal(err)
				}
			}
		}
		for id := range c.failing {
			d.at(id).failures = 1
		}
		got := map[string]int{}
		for id, holds := range d.share(slices.Clone(due)) {
			got[id] = len(holds)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// Guard: [Dispatcher.look]. An endpoint that refuses at once is tried one event at a
// time, and ever more seldom, for any number of waiting events.
func TestARefusingEndpointIsTriedSlowly(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	defer refusing.Close()
	h := newHarness(t, loopback, time.Second)
	h.stop()
	d := New(Config{Service: h.Service, Policy: loopback})
	h.endpoint("https://refusing.example", refusing.URL, 50)
	tries := map[int]int{0: perEndpoint, 1: 1, 9: 1, 73: 1, 137: 1, 201: 1}
	for look := range 210 {
		d.rested()
		d.look(ctx)
		for range tries[look] {
			d.ended(<-d.done)
			d.look(ctx) // sends no request
		}
		if len(d.endpoints) != 1 || d.at(slices.Collect(maps.Keys(d.endpoints))[0]).running != 0 {
			t.Fatalf("look %d: more than %d tries", look, tries[look])
		}
		d.tries.Wait()
	}
}

// Guard: an endpoint's answer costs little, and redirects nowhere.
func TestHostileAnswers(t *testing.T) {
	var inside atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer private.Close()
	ended := make(chan struct{})
	h := newHarness(t, loopback, time.Second)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		why    string
	}{
		"redirect to a private address": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, private.URL, http.StatusTemporaryRedirect)
		}, "answered with status 307"},
		"redirect by GET": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, private.URL, http.StatusSeeOther) }, "answered with status 303"},
		"no answer":       {func(http.ResponseWriter, *http.Request) { <-ended }, "no answer in time"},
		"a header without end": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			defer conn.Close()
			for i := 0; ; i++ { // a byte at a time: each resets no deadline
				if _, err := conn.Write([]byte("H")); err != nil {
					return
				}
				select {
				case <-ended:
					return
				case <-time.After(10 * time.Millisecond):
				}
			}
		}, ""},
		"a large header": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) }, "the connection failed"},
		"no HTTP": {func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := http.NewResponseController(w).Hijack()
			conn.Write([]byte("220 mail.example ESMTP\r\n"))
			conn.Close()
		}, "the connection failed"},
	} {
		server := httptest.NewServer(c.answer)
		defer server.Close()
		began := time.Now()
		err := h.send(loopback, server.URL, 300*time.Millisecond)
		if err == nil || c.why != "" && err.Error() != c.why {
			t.Errorf("%s: %v, want %q", name, err, c.why)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%s: took %s", name, took)
		}
	}
	close(ended) // before the servers close, which waits for their handlers
	if inside.Load() != 0 {
		t.Errorf("%d redirects were followed", inside.Load())
	}
	// An answer without an end is read to its first kilobyte.
	var wrote atomic.Int64
	endless := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for chunk := make([]byte, 32<<10); ; {
			n, err := w.Write(chunk)
			wrote.Add(int64(n))
			if err != nil || r.Context().Err() != nil {
				return
			}
		}
	}))
	if err := h.send(loopback, endless.URL, 5*time.Second); err != nil {
		t.Error(err)
	}
	endless.Close() // waits for the handler, which ends since the client stops reading
	if wrote.Load() > 64<<20 {
		t.Errorf("%d bytes of the answer went out", wrote.Load())
	}
}

// Guard: outbound.Policy.Control. A name that resolves to a public address at the check
// and to a private one at the dial leads nowhere.
func TestRebinding(t *testing.T) {
	var inside atomic.Int32
	private := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer private.Close()
	_, port, _ := net.SplitHostPort(private.Listener.Addr().String())
	h := newHarness(t, outbound.Policy{}, time.Second)
	for name, answers := range map[string][]string{
		"loopback":           {"127.0.0.1"},
		"public, then not":   {"203.0.114.7", "127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.1"},
		"mapped into IPv6":   {"::ffff:127.0.0.1"},
		"loopback of IPv6":   {"::1"},
		"the cloud's own":    {"169.254.169.254"},
		"nothing in special": {"0.0.0.0"},
	} {
		resolver, asked := liar(t, answers)
		policy := outbound.Policy{Resolver: resolver}
		if err := policy.CheckURL("http://hooks.studio.example:" + port); err != nil {
			t.Fatal(err)
		}
		if answers[0] == "203.0.114.7" { // a check of the name before its use
			if found, err := resolver.LookupNetIP(ctx, "ip4", "hooks.studio.example"); err != nil || found[0].String() != answers[0] {
				t.Fatalf("%v %v", found, err)
			}
		}
		if err := h.send(policy, "http://hooks.studio.example:"+port, 2*time.Second); err == nil || err.Error() != "the name leads to an address that is not public" {
			t.Errorf("%s: %v", name, err)
		}
		if asked.Load() == 0 {
			t.Errorf("%s: nobody asked the resolver", name)
		}
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("%d requests came to a private address", n)
	}
	// The same name is reached where the operator allows it.
	resolver, _ := liar(t, []string{"127.0.0.1"})
	if err := h.send(outbound.Policy{Allow: loopback.Allow, Resolver: resolver}, "http://hooks.studio.example:"+port, 5*time.Second); err != nil {
		t.Error(err)
	}
	if inside.Load() != 1 {
		t.Error("the test's server was never reachable")
	}
}

// liar is a resolver that answers with one address after the other, and with the
// last from then on.
func liar(t *testing.T, answers []string) (*net.Resolver, *atomic.Int32) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	asked := &atomic.Int32{}
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			end := 12 // of the header; the question's name follows
			for end < n && buf[end] != 0 {
				end += 1 + int(buf[end])
			}
			if end += 5; end > n {
				continue
			}
			address := netip.MustParseAddr(answers[min(int(asked.Load()), len(answers)-1)])
			raw, kind := address.AsSlice(), byte(1)
			if address.Is6() {
				kind = 28
			}
			out := append([]byte{buf[0], buf[1], 0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0}, buf[12:end]...)
			if buf[end-3] == kind { // the question's type is the address's: one answer
				out[7] = 1
				out = append(out, 0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 0, 0, byte(len(raw)))
				out = append(out, raw...)
				asked.Add(1)
			}
			_, _ = conn.WriteTo(out, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}, asked
}

// A private address that was allowed when the endpoint was registered, and is not
// any more, is not reached.
func TestTheRuleIsThatOfNow(t *testing.T) {
	h := newHarness(t, loopback, time.Second)
	if err := h.send(outbound.Policy{}, "http://127.0.0.1:9999", time.Second); err == nil || errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("sent, or judged only when it was dialled: %v", err)
	}
}

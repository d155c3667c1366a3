package quota

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"
)

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func refusal(t *testing.T, err error) *Refusal {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("error = %v, want a refusal", err)
	}
	return r
}

func small(t *testing.T, changes ...string) *Ledger {
	t.Helper()
	limits, err := Defaults().Set(changes)
	if err != nil {
		t.Fatal(err)
	}
	return New(limits)
}

func TestPrefixes(t *testing.T) {
	for _, c := range []struct{ addr, address, network, site string }{
		{"192.0.2.7", "192.0.2.7/32", "192.0.2.0/24", "invalid Prefix"},
		{"::ffff:192.0.2.7", "192.0.2.7/32", "192.0.2.0/24", "invalid Prefix"},
		{"2001:db8:1:203::9", "2001:db8:1:203::/64", "2001:db8:1:200::/56", "2001:db8:1::/48"},
		{"fe80::1%eth0", "fe80::/64", "fe80::/56", "fe80::/48"},
	} {
		a, n, s := Prefixes(addr(c.addr))
		if got := fmt.Sprint(a, n, s); got != fmt.Sprint(c.address, " ", c.network, " ", c.site) {
			t.Errorf("%s: %s", c.addr, got)
		}
	}
	if a, n, s := Prefixes(netip.Addr{}); a.IsValid() || n.IsValid() || s.IsValid() {
		t.Error("no address has prefixes")
	}
}

// Each scope refuses by itself, and a refusal takes from no scope.
func TestEachScopeRefuses(t *testing.T) {
	l := small(t, "event-streams.account=2", "event-streams.address=3", "event-streams.process=13", "event-streams.reserve=0")
	who := func(account, address string) Payer { return Payer{Account: account, Address: addr(address)} }
	take := func(w Payer, want string) {
		t.Helper()
		_, err := l.Take(EventStreams, w, 1)
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Fatalf("%v: error = %v, want %q", w, err, want)
		}
	}
	take(who("a", "2001:db8::1"), "<nil>")
	take(who("a", "2001:db8::1"), "<nil>")
	take(who("a", "2001:db8::1"), "too many event streams for your account: at most 2 at once")
	take(who("b", "2001:db8::2"), "<nil>")
	take(who("c", "2001:db8::3"), "too many event streams for your address: at most 3 at once")
	for _, next := range []string{"c", "d", "e"} {
		take(who(next, "2001:db8:0:1::3"), "<nil>")
	}
	take(who("f", "2001:db8:0:2::3"), "too many event streams for your network: at most 6 at once")
	for i := range 6 {
		take(who(fmt.Sprint("g", i), fmt.Sprintf("2001:db8:0:1%02x::3", i/3)), "<nil>")
	}
	take(who("h", "2001:db8:0:200::3"), "too many event streams for your network: at most 12 at once")
	take(who("h", "192.0.2.1"), "<nil>")
	take(who("i", "198.51.100.1"), "too many event streams for this server: at most 13 at once")
	if n := l.Held(EventStreams); n != 13 {
		t.Errorf("%d are held", n)
	}
}

// A hold grows only where every scope has room, and counts as its new size.
func TestHoldsAreResized(t *testing.T) {
	l := small(t, "match-ticks.account=100", "match-ticks.process=150", "match-ticks.reserve=0")
	take := func(account string, n int64) *Hold {
		t.Helper()
		h, err := l.Take(MatchTicks, Payer{Account: account}, n)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	a, b := take("a", 20), take("b", 60)
	for _, c := range []struct {
		n     int64
		scope Scope
		held  int64
	}{{90, scopes, 150}, {91, Process, 150}, {101, Account, 150}, {40, scopes, 100}, {0, scopes, 60}, {20, scopes, 80}} {
		err := a.Resize(c.n)
		if c.scope == scopes && err != nil || c.scope != scopes && refusal(t, err).Scope != c.scope {
			t.Errorf("to %d: %v", c.n, err)
		}
		if n := l.Held(MatchTicks); n != c.held {
			t.Errorf("to %d: %d are held, want %d", c.n, n, c.held)
		}
	}
	a.Release()
	if err := a.Resize(50); err != nil || l.Held(MatchTicks) != 60 {
		t.Errorf("a released hold grew: %d are held, %v", l.Held(MatchTicks), err)
	}
	b.Release()
	if n := l.Held(MatchTicks); n != 0 {
		t.Errorf("%d are held", n)
	}
}

func TestReserveIsForTheTrusted(t *testing.T) {
	l := small(t, "match-ticks.process=10", "match-ticks.reserve=50", "match-ticks.address=0", "match-ticks.account=0")
	stranger, known := Payer{Address: addr("192.0.2.1")}, Payer{Address: addr("192.0.2.2"), Trusted: true}
	for range 5 {
		if _, err := l.Take(MatchTicks, stranger, 1); err != nil {
			t.Fatal(err)
		}
	}
	_, err := l.Take(MatchTicks, stranger, 1)
	if r := refusal(t, err); !r.Full() || r.Most != 5 {
		t.Errorf("refusal = %+v", r)
	}
	for range 5 {
		if _, err := l.Take(MatchTicks, known, 1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Take(MatchTicks, known, 1); err == nil {
		t.Error("the reserve has no end")
	}
	l.Adopt(MatchTicks, stranger, 3)
	if n := l.Held(MatchTicks); n != 13 {
		t.Errorf("%d are held", n)
	}
}

func TestSpendRefills(t *testing.T) {
	l := small(t, "requests.address=60", "requests.reserve=50")
	now := time.Unix(1000, 0)
	l.Now = func() time.Time { return now }
	stranger, known := Payer{Address: addr("192.0.2.1")}, Payer{Address: addr("192.0.2.1"), Trusted: true}
	spend := func(w Payer, n int64, ok bool) {
		t.Helper()
		if err := l.Spend(Requests, w, n); (err == nil) != ok {
			t.Fatalf("spending %d: %v", n, err)
		}
	}
	spend(stranger, 30, true)
	spend(stranger, 1, false) // its half is used up
	spend(known, 30, true)
	spend(known, 1, false)
	now = now.Add(2 * time.Second)
	err := l.Spend(Requests, stranger, 2)
	if r := refusal(t, err); r.Scope != Address || r.Wait != 2*time.Second {
		t.Errorf("refusal = %+v", r)
	}
	spend(stranger, 1, true)
	spend(known, 1, true)
	spend(known, 1, false)
	now = now.Add(time.Hour)
	spend(stranger, 30, true)
	spend(known, 31, false) // a refused amount is not taken, not even in part
	spend(known, 30, true)
}

// However many newcomers there are, the number of buckets is bounded, and they
// are limited still.
func TestBucketsAreBounded(t *testing.T) {
	l := small(t, "handshakes.process=0", "handshakes.address=10", "handshakes.reserve=0")
	now := time.Unix(1000, 0)
	l.Now = func() time.Time { return now }
	from := func(i int) Payer { // each in a network of its own: two buckets
		return Payer{Address: netip.AddrFrom4([4]byte{byte(10 + i>>16), byte(i >> 8), byte(i), 1})}
	}
	refused := 0
	for i := range bucketsMax/2 + 100 {
		if l.Spend(Handshakes, from(i), 1) != nil {
			refused++
		}
	}
	if len(l.buckets) > bucketsMax+2 || refused != 90 {
		t.Errorf("%d buckets, %d refused", len(l.buckets), refused)
	}
	now = now.Add(time.Minute)
	if err := l.Spend(Handshakes, from(1<<23), 1); err != nil || len(l.buckets) > 4 {
		t.Errorf("after a minute: %v, %d buckets", err, len(l.buckets))
	}
}

func TestNilLedgerRefusesNothing(t *testing.T) {
	var l *Ledger
	h, err := l.Take(Sockets, Payer{}, 1<<40)
	h.Disown()
	if h.Release(); err != nil || l.Spend(Requests, Payer{}, 1<<40) != nil || l.Limit(Sockets).Most[Account] != 4 {
		t.Error("a nil ledger refused something")
	}
}

// For any order of takes and releases, no use is over its limit and all are 0 in the end.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits, err := Defaults().Set([]string{"sockets.account=2", "sockets.address=2", "sockets.process=9", "sockets.reserve=20"})
		if err != nil {
			t.Fatal(err)
		}
		l := New(limits)
		var holds []*Hold
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "take") || len(holds) == 0 {
				w := Payer{
					Account: rapid.SampledFrom([]string{"", "a", "b", "c"}).Draw(t, "account"),
					Address: addr(rapid.SampledFrom([]string{"192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8:0:1::1", "2001:db8:0:100::1"}).Draw(t, "address")),
					Trusted: rapid.Bool().Draw(t, "trusted"),
				}
				if h, err := l.Take(Sockets, w, 1); err == nil {
					holds = append(holds, h)
				}
			} else {
				h := holds[rapid.IntRange(0, len(holds)-1).Draw(t, "which")]
				if rapid.Bool().Draw(t, "disown") {
					account, before := key{resource: Sockets, account: h.payer.Account}, l.Held(Sockets)
					mine := l.amounts[account]
					if h.Disown(); l.Held(Sockets) != before || h.payer.Account != "" && !h.released {
						t.Fatalf("disowned, and %d of %d are held, %d of the account's %d", l.Held(Sockets), before, l.amounts[account], mine)
					}
				} else {
					h.Release() // may be a second time
				}
			}
			row := limits.Of(Sockets)
			for k, n := range l.amounts {
				if n < 1 || n > row.Most[k.scope] {
					t.Fatalf("%d are held under %+v", n, k)
				}
			}
		}
		for _, h := range holds {
			h.Release()
		}
		if len(l.amounts) != 0 {
			t.Fatalf("left: %v", l.amounts)
		}
	})
}

func TestSetSaysWhatIsWrong(t *testing.T) {
	for change, want := range map[string]string{
		"sockets":                 "RESOURCE.SCOPE=NUMBER",
		"sockets.process":         "RESOURCE.SCOPE=NUMBER",
		"socket.process=1":        "the resources are connections",
		"sockets.planet=1":        "the scopes are account",
		"sockets.process=-1":      "whole number",
		"sockets.process=many":    "whole number",
		"sockets.reserve=91":      "0 to 90 percent",
		"requests.account=5":      "not counted by account",
		"journal-bytes.address=5": "not counted by address",
		"sockets.network=5":       "set sockets.address",
	} {
		if _, err := Defaults().Set([]string{change}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--limit") {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// TestLimitsFollow: a limit of addresses sets the limits of networks and sites, and a
// limit sets the limits that are its parts, unless they are set themselves or the limit
// is taken away.
func TestLimitsFollow(t *testing.T) {
	limits, err := Defaults().Set([]string{
		"sockets.process=7", "connections.process=160", "connections.address=10", "requests.address=3", "requests.process=0", "wrong-passwords.address=3",
	})
	if err != nil {
		t.Fatal(err)
	}
	was := Defaults()
	for r, want := range map[Resource][scopes]int64{
		Connections:    {0, 10, 20, 40, 160},
		Sockets:        {4, 7, 14, 28, 7},
		EventStreams:   {6, 5, 10, 20, 80},
		SlowRefusals:   {0, 1, 2, 4, 10},
		Refusals:       {0, 1, 2, 4, was.Of(Refusals).Most[Process]},
		WrongPasswords: {0, 3, 0, 0, 0},
		Handshakes:     {0, 1, 2, 4, was.Of(Handshakes).Most[Process]},
		IdentityLogins: was.Of(IdentityLogins).Most,
	} {
		if got := limits.Of(r).Most; got != want {
			t.Errorf("%s: %v, want %v", r, got, want)
		}
	}
}

// TestStoredRefusalsAreMeasured: a refusal by a count of the database is in the metrics too.
func TestStoredRefusalsAreMeasured(t *testing.T) {
	l := New(Defaults())
	if r := l.Refuse(l.Limit(NewGuests), Address, time.Minute); r.Most != 30 || r.Wait != time.Minute {
		t.Errorf("refusal = %+v", r)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(l)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.Metric {
			text := m.String()
			if counted := m.GetCounter().GetValue(); counted > 0 != (strings.Contains(text, "\"new-guests\"") && strings.Contains(text, "\"address\"")) && m.Counter != nil {
				t.Errorf("%s", text)
			}
		}
	}
}

// TestFullBucketsAreForgotten lets addresses come and go for hours, as many a minute as a
// busy server has. The ledger keeps only the last minutes' buckets.
func TestFullBucketsAreForgotten(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	l := New(Defaults())
	l.Now = func() time.Time { return now }
	most := 0
	for i := range 100_000 {
		now = now.Add(200 * time.Millisecond)
		addr := netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
		if err := l.Spend(Requests, Payer{Address: addr}, 1); err != nil {
			t.Fatalf("address %d: %v", i, err)
		}
		most = max(most, len(l.buckets))
	}
	if most > bucketsLeast {
		t.Errorf("%d buckets were kept at a time", most)
	}
}

package lobby

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// hookedStore is a SQLite store whose n-th statement fails.
type hookedStore struct {
	db.Store
	calls    int // statements
	failCall int // 0: none
}

var errBroken = errors.New("the database is broken")

// migrated is an empty SQLite database with the schema.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "fogkeep")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // writes the log back into the file
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, sqlite.FileName))
})

func newHookedStore(t *testing.T) *hookedStore {
	t.Helper()
	raw, err := migrated()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, sqlite.FileName), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	h := &hookedStore{}
	h.Store, err = sqlite.Open(t.Context(), dir, sqlite.Options{NoMigrate: true, Hook: func(string) error {
		if h.calls++; h.calls == h.failCall {
			return errBroken
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

// do runs fn in a transaction; the test fails with it.
func (h *hookedStore) do(t *testing.T, fn func(*db.Tx) error) {
	t.Helper()
	if err := h.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// counted returns a stored count.
func (h *hookedStore) counted(t *testing.T, key string, now time.Time) (n int) {
	t.Helper()
	h.do(t, func(tx *db.Tx) (err error) {
		n, _, err = tx.Counted(key, now)
		return err
	})
	return n
}

// throttled returns a service with an empty store, and its clock.
func throttled(t *testing.T) (*Service, *hookedStore, *time.Time) {
	t.Helper()
	store, now := newHookedStore(t), time.Unix(10_000, 0)
	s := New(Config{Store: store, Budget: budget.New(budget.Defaults()), Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }})
	return s, store, &now
}

var (
	homeAddress = netip.MustParseAddr("192.0.2.7")
	ownDevice   = model.Secret(strings.Repeat("d", model.SecretLen))
)

// An attempt from a known device counts for that device alone. Any other counts
// for the name with its address, for the name among strangers (without a limit
// for who is at a known address), and for its address and networks; never for
// the whole server, where one attacker could use it up for all.
func TestWhereAWrongPasswordCounts(t *testing.T) {
	for _, c := range []struct {
		name            string
		realm           model.Realm
		from            model.Client
		device, network bool // known
		known           bool
		scopes          []budget.Scope
		strangers       bool // the name among strangers has a limit
	}{
		{"a stranger", model.PlayerRealm, model.Client{Address: homeAddress}, false, false, false,
			[]budget.Scope{budget.Address, budget.Account, budget.Address, budget.Network}, true},
		{"a stranger with IPv6", model.PlayerRealm, model.Client{Address: netip.MustParseAddr("2001:db8::1")}, false, false, false,
			[]budget.Scope{budget.Address, budget.Account, budget.Address, budget.Network, budget.Site}, true},
		{"a device that is not known", model.PlayerRealm, model.Client{Address: homeAddress, Device: ownDevice}, false, false, false,
			[]budget.Scope{budget.Address, budget.Account, budget.Address, budget.Network}, true},
		{"a known address", model.PlayerRealm, model.Client{Address: homeAddress}, false, true, true,
			[]budget.Scope{budget.Address, budget.Account, budget.Address, budget.Network}, false},
		{"a known device", model.PlayerRealm, model.Client{Address: homeAddress, Device: ownDevice}, true, false, true,
			[]budget.Scope{budget.Address}, false},
		{"a known device at a known address", model.PlayerRealm, model.Client{Address: homeAddress, Device: ownDevice}, true, true, true,
			[]budget.Scope{budget.Address}, false},
		{"an admin from anywhere", model.AdminRealm, model.Client{Address: homeAddress}, false, false, true,
			[]budget.Scope{budget.Address, budget.Account, budget.Address, budget.Network}, true},
	} {
		s, store, _ := throttled(t)
		a := s.attemptOf(c.realm, "Ada", c.from)
		store.do(t, func(tx *db.Tx) (err error) {
			if c.device {
				err = tx.AddPlace(a.key, a.device, s.Now())
			}
			if c.network {
				err = errors.Join(err, tx.AddPlace(a.key, c.from.Network(), s.Now()))
			}
			return errors.Join(err, s.countersOf(tx, &a))
		})
		if a.known != c.known {
			t.Errorf("%s: known is %v", c.name, a.known)
		}
		var scopes []budget.Scope
		for _, n := range a.counts {
			scopes = append(scopes, n.scope)
			if strings.HasPrefix(n.key, "login:name:") && (n.most() > 0) != c.strangers {
				t.Errorf("%s: the name's limit among strangers is %d", c.name, n.most())
			}
		}
		if !slices.Equal(scopes, c.scopes) {
			t.Errorf("%s: counted in %v, want %v", c.name, scopes, c.scopes)
		}
		// Who is known is served before those who log in from elsewhere.
		wantLane := logInLane
		if c.known {
			wantLane = knownLane
		}
		if r := a.requester(); r.lane != wantLane || r.Trusted != c.known || r.Address != c.from.Address {
			t.Errorf("%s: served as %+v", c.name, r)
		}
	}
}

// Wrong passwords of players count at no limit of the admins' from the same address.
func TestPlayersUseNoAdminsAttempts(t *testing.T) {
	s, store, _ := throttled(t)
	from := model.Client{Address: netip.MustParseAddr("2001:db8::1")}
	player, admin := s.attemptOf(model.PlayerRealm, "Ada", from), s.attemptOf(model.AdminRealm, "Ada", from)
	store.do(t, func(tx *db.Tx) error { return errors.Join(s.countersOf(tx, &player), s.countersOf(tx, &admin)) })
	for _, a := range player.counts {
		if slices.ContainsFunc(admin.counts, func(b count) bool { return a.key == b.key }) {
			t.Errorf("both count at %s", a.key)
		}
	}
}

// Two names do not share counters; one name however it is written does.
func TestAttemptsAreOfOneName(t *testing.T) {
	s, _, _ := throttled(t)
	c := model.Client{Address: homeAddress, Device: ownDevice[1:]}
	a, b, other := s.attemptOf(model.PlayerRealm, "Ada", c), s.attemptOf(model.PlayerRealm, "ADA", c), s.attemptOf(model.PlayerRealm, "Ben", c)
	if a.key != b.key || a.key == other.key || a.key == s.attemptOf(model.AdminRealm, "Ada", c).key {
		t.Error("the keys of names and realms are not their own")
	}
	if a.device != "" {
		t.Error("a token of another length is taken for a device")
	}
}

// Attempts that are being made count, each once, and nothing is kept of those
// that have ended.
func TestAttemptsInFlightAreForgotten(t *testing.T) {
	f := attemptsInFlight{n: map[string]int64{}}
	counts := []count{{key: "a"}, {key: "b"}}
	if got := f.begin(counts); !slices.Equal(got, []int64{1, 1}) {
		t.Errorf("the first are %v", got)
	}
	if got := f.begin(counts[:1]); !slices.Equal(got, []int64{2}) {
		t.Errorf("the second is %v", got)
	}
	f.end(counts)
	if f.n["a"] != 1 || len(f.n) != 1 {
		t.Errorf("one is in flight, kept is %v", f.n)
	}
	f.end(counts[:1])
	if len(f.n) != 0 {
		t.Errorf("kept after the end: %v", f.n)
	}
}

// A password is compared as long as its counters are below their limits, those
// that are being compared included. A right one is not counted.
func TestTryStopsAtTheLimit(t *testing.T) {
	s, store, now := throttled(t)
	limit := s.Budget.Limit(budget.WrongPasswords)
	limit.Most[budget.Address] = 3
	counts := []count{{"k", limit, budget.Address}}
	compared := 0
	try := func(right bool) error {
		return s.try(t.Context(), counts, model.WrongCredentials, func() (bool, error) { compared++; return right, nil })
	}
	for range 2 {
		if err := try(false); !errors.Is(err, model.WrongCredentials) {
			t.Fatalf("a wrong password: %v", err)
		}
	}
	if err := try(true); err != nil || store.counted(t, "k", *now) != 2 {
		t.Fatalf("a right password: %v, counted are %d", err, store.counted(t, "k", *now))
	}
	// The third is being compared: a fourth beside it is one too many.
	held := s.inFlight.begin(counts)
	if err := try(true); err == nil || compared != 3 {
		t.Errorf("beside %v in flight: %v after %d comparisons", held, err, compared)
	}
	s.inFlight.end(counts)
	if err := try(false); !errors.Is(err, model.WrongCredentials) {
		t.Fatalf("the third wrong password: %v", err)
	}
	if err := model.AsError(try(true)); err == nil || err.Code != model.Throttled || err.RetryAfter != limit.Per || compared != 4 {
		t.Fatalf("beyond the limit: %+v after %d comparisons", err, compared)
	}
	// A wait is a second at least.
	*now = now.Add(limit.Per - time.Millisecond)
	if err := model.AsError(try(true)); err == nil || err.RetryAfter != time.Second {
		t.Errorf("shortly before the end: %+v", err)
	}
}

// An error of the database is passed on from each call, and nobody gets in by it.
func TestBrokenStoreLetsNobodyIn(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int
		do    func(*Service, *attempt) func(*db.Tx) error
	}{
		{"where the try counts", 2, func(s *Service, a *attempt) func(*db.Tx) error {
			return func(tx *db.Tx) error { return s.countersOf(tx, a) }
		}},
		{"a wrong password", 8, nil},
		{"a log-in that succeeds", 3, func(s *Service, a *attempt) func(*db.Tx) error {
			return func(tx *db.Tx) error { return s.succeed(tx, a) }
		}},
		{"what is spent", 1, func(s *Service, _ *attempt) func(*db.Tx) error {
			return func(tx *db.Tx) error { return s.spend(tx, budget.ChatLines, budget.Who{Account: "a"}) }
		}},
	} {
		for n := 1; n <= c.calls+1; n++ {
			s, store, _ := throttled(t)
			a := s.attemptOf(model.PlayerRealm, "Ada", model.Client{Address: homeAddress, Device: ownDevice})
			if c.name != "where the try counts" {
				store.do(t, func(tx *db.Tx) error { return s.countersOf(tx, &a) })
			}
			store.calls, store.failCall = 0, n
			var err error
			if c.do != nil {
				err = store.Write(t.Context(), c.do(s, &a))
			} else if err = s.try(t.Context(), a.counts, model.WrongCredentials, func() (bool, error) { return false, nil }); errors.Is(err, model.WrongCredentials) {
				err = nil
			}
			if n <= c.calls && !errors.Is(err, errBroken) {
				t.Errorf("%s, call %d fails: %v", c.name, n, err)
			}
			if n > c.calls && err != nil || n > c.calls && store.calls != c.calls {
				t.Errorf("%s: %v after %d calls, want %d calls", c.name, err, store.calls, c.calls)
			}
		}
	}
	// What could not be compared is not counted, and not taken for right.
	s, store, _ := throttled(t)
	err := s.try(t.Context(), []count{{key: "k"}}, model.WrongCredentials, func() (bool, error) { return true, errBroken })
	if !errors.Is(err, errBroken) || store.counted(t, "k", s.Now()) != 0 {
		t.Errorf("a comparison that failed: %v, counted %d", err, store.counted(t, "k", s.Now()))
	}
}

// A stored limit holds at its number and not before, in each scope that has
// one. What is full is refused without a transaction until its window ends.
func TestStoredLimits(t *testing.T) {
	who := budget.Who{Account: "a", Address: homeAddress}
	defaults := budget.New(budget.Defaults())
	for _, r := range []budget.Resource{budget.ChatLines, budget.NewGuests, budget.NewLobbies, budget.NewAccounts} {
		row := defaults.Limit(r)
		for scope := budget.Account; scope <= budget.Process; scope++ {
			if row.Most[scope] == 0 || who.In(scope) == "" {
				continue
			}
			narrow := budget.Defaults()
			narrow[slices.IndexFunc(narrow, func(l budget.Limit) bool { return l.Resource == r })].Most[scope] = 2
			s, store, now := throttled(t)
			s.Budget = budget.New(narrow)
			spend := func() error {
				return store.Write(t.Context(), func(tx *db.Tx) error { return s.spend(tx, r, who) })
			}
			for k := range 2 {
				if err := spend(); err != nil {
					t.Fatalf("%s by %v: use %d: %v", r, scope, k+1, err)
				}
				if err := s.spent(r, who); err != nil {
					t.Fatalf("%s by %v: refused after %d of 2: %v", r, scope, k+1, err)
				}
			}
			var refused *budget.Refusal
			if err := spend(); !errors.As(err, &refused) || refused.Scope != scope || refused.Most != 2 {
				t.Fatalf("%s by %v: the third: %v, %+v", r, scope, err, refused)
			}
			calls := store.calls
			if err := model.AsError(s.spent(r, who)); err == nil || err.RetryAfter != row.Per || store.calls != calls {
				t.Errorf("%s by %v: after the refusal: %+v", r, scope, err)
			}
			*now = now.Add(row.Per)
			if err := s.spent(r, who); err != nil {
				t.Errorf("%s by %v: in the next window: %v", r, scope, err)
			}
		}
	}
}

// What was full is remembered until its window ends, for so many counts at most.
func TestFullCountsAreBounded(t *testing.T) {
	var f fullCounts
	now := time.Unix(1000, 0)
	for k := range fullMax - 1 {
		f.note(fmt.Sprint(k), now.Add(time.Minute), now)
	}
	f.note("short", now.Add(time.Second), now)
	f.note("one more", now.Add(time.Minute), now)
	if _, full := f.ends("one more", now); full || len(f.until) != fullMax {
		t.Errorf("%d are kept, want %d", len(f.until), fullMax)
	}
	if _, full := f.ends("short", now.Add(time.Second-1)); !full {
		t.Error("forgotten before its end")
	}
	now = now.Add(time.Second)
	f.note("one more", now.Add(time.Minute), now)
	if at, full := f.ends("one more", now); !full || at != now.Add(time.Minute) {
		t.Errorf("what ended made no room: %v", at)
	}
	if _, full := f.ends("short", now); full {
		t.Error("kept past its end")
	}
	if _, full := f.ends("0", now.Add(time.Minute)); full || len(f.until) != fullMax-1 {
		t.Errorf("%d are kept after one was found ended", len(f.until))
	}
}

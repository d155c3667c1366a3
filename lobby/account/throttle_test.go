package account

import (
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// counted returns a stored count.
func counted(t *testing.T, h *sqlitetest.Store, key string, now time.Time) (n int) {
	t.Helper()
	h.Do(t, func(tx *db.Tx) (err error) {
		n, _, err = tx.Throttle.Counted(key, now)
		return err
	})
	return n
}

// throttled returns a service with an empty store, and its clock.
func throttled(t *testing.T) (*Service, *sqlitetest.Store, *time.Time) {
	t.Helper()
	store, now := sqlitetest.Open(t), time.Unix(10_000, 0)
	gate := &admission.Gate{Core: core.New(core.Options{
		Store: store, Ledger: quota.New(quota.Defaults()), Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }, StoreTimeout: time.Minute, TurnTimeout: time.Minute,
	})}
	hub := event.NewHub(gate.Core)
	s := New(gate, Options{}, &seat.Service{Gate: gate, Hub: hub}, hub)
	return s, store, &now
}

var (
	homeAddress = netip.MustParseAddr("192.0.2.7")
	ownDevice   = model.Secret(strings.Repeat("d", model.SecretLen))
)

// An attempt from a known device counts for that device alone. Any other counts for the
// name with its address, for the name among strangers (without a limit at a known
// address), and for its address and networks; never for the whole server, where one
// attacker could use it up for all.
func TestWhereAWrongPasswordCounts(t *testing.T) {
	for _, c := range []struct {
		name            string
		realm           model.Realm
		from            model.Client
		device, network bool // known
		known           bool
		scopes          []quota.Scope
		strangers       bool // the name among strangers has a limit
	}{
		{"a stranger", model.PlayerRealm, model.Client{Address: homeAddress}, false, false, false,
			[]quota.Scope{quota.Address, quota.Account, quota.Address, quota.Network}, true},
		{"a stranger with IPv6", model.PlayerRealm, model.Client{Address: netip.MustParseAddr("2001:db8::1")}, false, false, false,
			[]quota.Scope{quota.Address, quota.Account, quota.Address, quota.Network, quota.Site}, true},
		{"a device that is not known", model.PlayerRealm, model.Client{Address: homeAddress, Device: ownDevice}, false, false, false,
			[]quota.Scope{quota.Address, quota.Account, quota.Address, quota.Network}, true},
		{"a known address", model.PlayerRealm, model.Client{Address: homeAddress}, false, true, true,
			[]quota.Scope{quota.Address, quota.Account, quota.Address, quota.Network}, false},
		{"a known device", model.PlayerRealm, model.Client{Address: homeAddress, Device: ownDevice}, true, false, true,
			[]quota.Scope{quota.Address}, false},
		{"a known device at a known address", model.PlayerRealm, model.Client{Address: homeAddress, Device: ownDevice}, true, true, true,
			[]quota.Scope{quota.Address}, false},
		{"an admin from anywhere", model.AdminRealm, model.Client{Address: homeAddress}, false, false, true,
			[]quota.Scope{quota.Address, quota.Account, quota.Address, quota.Network}, true},
	} {
		s, store, _ := throttled(t)
		a := s.AttemptOf(c.realm, "Ada", c.from)
		store.Do(t, func(tx *db.Tx) (err error) {
			if c.device {
				err = tx.Throttle.AddPlace(a.key, a.device, s.Now())
			}
			if c.network {
				err = errors.Join(err, tx.Throttle.AddPlace(a.key, c.from.Network(), s.Now()))
			}
			return errors.Join(err, s.CountersOf(tx, &a))
		})
		if a.known != c.known {
			t.Errorf("%s: known is %v", c.name, a.known)
		}
		var scopes []quota.Scope
		for _, n := range a.counts {
			scopes = append(scopes, n.scope)
			if strings.HasPrefix(n.key, "login:name:") && (n.most() > 0) != c.strangers {
				t.Errorf("%s: the name's limit among strangers is %d", c.name, n.most())
			}
		}
		if !slices.Equal(scopes, c.scopes) {
			t.Errorf("%s: counted in %v, want %v", c.name, scopes, c.scopes)
		}
		// Known devices are served before log-ins from elsewhere.
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
	player, admin := s.AttemptOf(model.PlayerRealm, "Ada", from), s.AttemptOf(model.AdminRealm, "Ada", from)
	store.Do(t, func(tx *db.Tx) error { return errors.Join(s.CountersOf(tx, &player), s.CountersOf(tx, &admin)) })
	for _, a := range player.counts {
		if slices.ContainsFunc(admin.counts, func(b count) bool { return a.key == b.key }) {
			t.Errorf("both count at %s", a.key)
		}
	}
}

// Two names do not share counters; two spellings of one name do.
func TestAttemptsAreOfOneName(t *testing.T) {
	s, _, _ := throttled(t)
	c := model.Client{Address: homeAddress, Device: ownDevice[1:]}
	a, b, other := s.AttemptOf(model.PlayerRealm, "Ada", c), s.AttemptOf(model.PlayerRealm, "ADA", c), s.AttemptOf(model.PlayerRealm, "Ben", c)
	if a.key != b.key || a.key == other.key || a.key == s.AttemptOf(model.AdminRealm, "Ada", c).key {
		t.Error("the keys of names and realms are not their own")
	}
	if a.device != "" {
		t.Error("a token of another length is taken for a device")
	}
}

// Running attempts count, each once, and ended ones leave no trace.
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

// A password is compared as long as its counters are below their limits, running
// comparisons included. A right one is not counted.
func TestTryStopsAtTheLimit(t *testing.T) {
	s, store, now := throttled(t)
	limit := s.Ledger.Limit(quota.WrongPasswords)
	limit.Most[quota.Address] = 3
	counts := []count{{"k", limit, quota.Address}}
	compared := 0
	try := func(right bool) error {
		return s.try(t.Context(), counts, model.WrongCredentials, func() (bool, error) { compared++; return right, nil })
	}
	for range 2 {
		if err := try(false); !errors.Is(err, model.WrongCredentials) {
			t.Fatalf("a wrong password: %v", err)
		}
	}
	if err := try(true); err != nil || counted(t, store, "k", *now) != 2 {
		t.Fatalf("a right password: %v, counted are %d", err, counted(t, store, "k", *now))
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

// Each call passes on an error of the database, and no log-in succeeds by it.
func TestBrokenStoreLetsNobodyIn(t *testing.T) {
	for _, c := range []struct {
		name  string
		calls int
		do    func(*Service, *attempt) func(*db.Tx) error
	}{
		{"where the try counts", 2, func(s *Service, a *attempt) func(*db.Tx) error {
			return func(tx *db.Tx) error { return s.CountersOf(tx, a) }
		}},
		{"a wrong password", 8, nil},
		{"a log-in that succeeds", 3, func(s *Service, a *attempt) func(*db.Tx) error {
			return func(tx *db.Tx) error { return s.Succeed(tx, a) }
		}},
		{"what is spent", 1, func(s *Service, _ *attempt) func(*db.Tx) error {
			return func(tx *db.Tx) error { return s.SpendStored(tx, quota.ChatLines, quota.Payer{Account: "a"}) }
		}},
	} {
		for n := 1; n <= c.calls+1; n++ {
			s, store, _ := throttled(t)
			a := s.AttemptOf(model.PlayerRealm, "Ada", model.Client{Address: homeAddress, Device: ownDevice})
			if c.name != "where the try counts" {
				store.Do(t, func(tx *db.Tx) error { return s.CountersOf(tx, &a) })
			}
			store.Calls, store.FailCall = 0, n
			var err error
			if c.do != nil {
				err = store.Write(t.Context(), c.do(s, &a))
			} else if err = s.try(t.Context(), a.counts, model.WrongCredentials, func() (bool, error) { return false, nil }); errors.Is(err, model.WrongCredentials) {
				err = nil
			}
			if n <= c.calls && !errors.Is(err, sqlitetest.ErrBroken) {
				t.Errorf("%s, call %d fails: %v", c.name, n, err)
			}
			if n > c.calls && err != nil || n > c.calls && store.Calls != c.calls {
				t.Errorf("%s: %v after %d calls, want %d calls", c.name, err, store.Calls, c.calls)
			}
		}
	}
	// A failed comparison is not counted, and not taken for right.
	s, store, _ := throttled(t)
	err := s.try(t.Context(), []count{{key: "k"}}, model.WrongCredentials, func() (bool, error) { return true, sqlitetest.ErrBroken })
	if !errors.Is(err, sqlitetest.ErrBroken) || counted(t, store, "k", s.Now()) != 0 {
		t.Errorf("a comparison that failed: %v, counted %d", err, counted(t, store, "k", s.Now()))
	}
}

// A stored limit holds at its number and not before, in each scope that has one. A full
// count refuses without a transaction until its window ends.
func TestStoredLimits(t *testing.T) {
	who := quota.Payer{Account: "a", Address: homeAddress}
	defaults := quota.New(quota.Defaults())
	for _, r := range []quota.Resource{quota.ChatLines, quota.NewGuests, quota.NewLobbies, quota.NewAccounts} {
		row := defaults.Limit(r)
		for scope := quota.Account; scope <= quota.Process; scope++ {
			if row.Most[scope] == 0 || who.In(scope) == "" {
				continue
			}
			narrow := quota.Defaults()
			narrow[slices.IndexFunc(narrow, func(l quota.Limit) bool { return l.Resource == r })].Most[scope] = 2
			s, store, now := throttled(t)
			s.Ledger = quota.New(narrow)
			spend := func() error {
				return store.Write(t.Context(), func(tx *db.Tx) error { return s.SpendStored(tx, r, who) })
			}
			for k := range 2 {
				if err := spend(); err != nil {
					t.Fatalf("%s by %v: use %d: %v", r, scope, k+1, err)
				}
				if err := s.Spent(r, who); err != nil {
					t.Fatalf("%s by %v: refused after %d of 2: %v", r, scope, k+1, err)
				}
			}
			var refused *quota.Refusal
			if err := spend(); !errors.As(err, &refused) || refused.Scope != scope || refused.Most != 2 {
				t.Fatalf("%s by %v: the third: %v, %+v", r, scope, err, refused)
			}
			calls := store.Calls
			if err := model.AsError(s.Spent(r, who)); err == nil || err.RetryAfter != row.Per || store.Calls != calls {
				t.Errorf("%s by %v: after the refusal: %+v", r, scope, err)
			}
			*now = now.Add(row.Per)
			if err := s.Spent(r, who); err != nil {
				t.Errorf("%s by %v: in the next window: %v", r, scope, err)
			}
		}
	}
}

// A token of another length costs no query.
func TestTokensOfAnotherLength(t *testing.T) {
	s, store, _ := throttled(t)
	store.Calls = 0
	token := model.Secret(strings.Repeat("t", model.SecretLen))
	for _, wrong := range []model.Secret{"", token[1:], token + "t"} {
		if _, err := s.Session(t.Context(), model.Client{}, wrong); !errors.Is(err, model.Unauthenticated) || store.Calls != 0 {
			t.Errorf("the session of a token of %d letters: %v after %d calls", len(wrong), err, store.Calls)
		}
		if err := s.LogOut(t.Context(), model.PlayerRealm, wrong); err != nil || store.Calls != 0 {
			t.Errorf("the end of a session of a token of %d letters: %v after %d calls", len(wrong), err, store.Calls)
		}
	}
}

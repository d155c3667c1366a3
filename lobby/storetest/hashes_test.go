package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// gate holds hashes back, once it is shut: each begins when it is let through.
type gate struct {
	shut   atomic.Bool
	pass   chan struct{}
	mu     sync.Mutex
	costs  []string // of all hashes so far
	opened atomic.Bool
}

func newGate() *gate { return &gate{pass: make(chan struct{})} }

func (g *gate) hook(cost string) {
	g.mu.Lock()
	g.costs = append(g.costs, cost)
	g.mu.Unlock()
	if g.shut.Load() && !g.opened.Load() {
		<-g.pass
	}
}

// open lets all through from now on.
func (g *gate) open() {
	if g.opened.CompareAndSwap(false, true) {
		close(g.pass)
	}
}

// did returns the costs of the hashes that fn has made.
func (g *gate) did(fn func()) []string {
	g.mu.Lock()
	before := len(g.costs)
	g.mu.Unlock()
	fn()
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.costs[before:])
}

// hashFlood: guests of one address who set as many lobby passwords as they can do not
// delay log-ins: a known account and an admin wait for the running hash, a stranger for
// one more.
func hashFlood(t *testing.T, h *Harness, _ func() db.Store) {
	limits, err := quota.Defaults().Set([]string{"new-lobbies.address=0"})
	must(t, err)
	ledger, g := quota.New(limits), newGate()
	h = NewHarness(h.Store, func(c *lobby.Config) {
		c.Ledger, c.Hashing.Workers, c.Hashing.Hook = ledger, 1, g.hook
	})
	defer g.open()
	_, _, err = h.Account.Register(ctx, From("203.0.113.1"), "Ada", "", "difference engine")
	must(t, err)
	password, err := h.Admin.FirstAdmin(ctx)
	must(t, err)
	const guests = 160
	var lobbies [guests]*model.Lobby
	var hosts [guests]model.Account
	for i := range guests {
		if i%20 == 19 {
			h.Step(time.Minute) // as many as an address may make
		}
		hosts[i] = h.NewGuest(t, fmt.Sprint("flood ", i))
		lobbies[i] = h.NewLobby(t, hosts[i], room.NewLobby{})
	}
	g.shut.Store(true)
	var refused atomic.Int32
	var wg sync.WaitGroup
	defer wg.Wait()
	defer g.open()
	tide := "tide"
	for i := range guests {
		wg.Go(func() {
			_, err := h.Room.Configure(ctx, Home, lobbies[i].ID, hosts[i].ID, room.LobbyChange{Password: &tide})
			if e := model.AsError(err); err != nil && (e.Code != model.Throttled || e.RetryAfter == 0 || !strings.Contains(e.Text(), "your address")) {
				t.Errorf("a password too many: %v", err)
			} else if err != nil {
				refused.Add(1)
			}
		})
	}
	most := int64(16) // strangers' half of an address
	eventually.Holds(t, "the flood waits", func() bool { return ledger.Held(quota.PasswordHashes) == most && refused.Load() == guests-int32(most) })
	known, stranger := make(chan error, 2), make(chan error, 1)
	wg.Go(func() {
		_, _, err := h.Admin.AdminLogIn(ctx, From("203.0.113.2"), "admin", password)
		known <- err
	})
	wg.Go(func() {
		_, _, err := h.Account.LogIn(ctx, From("203.0.113.1"), "Ada", "difference engine")
		known <- err
	})
	wg.Go(func() {
		_, _, err := h.Account.LogIn(ctx, From("203.0.113.3"), "Ada", "wrong password")
		stranger <- err
	})
	// In the line, not only counted: a late one would let another hash of the flood begin. One hash runs.
	eventually.Holds(t, "the log-ins wait", func() bool { return h.Account.Hasher.Waiting() == int(most)+3-1 })
	pass := func(n int) {
		for range n {
			g.pass <- struct{}{}
		}
	}
	told := func(c chan error) error {
		select {
		case err := <-c:
			return err
		case <-time.After(20 * time.Second):
			return errors.New("a log-in waits behind the flood")
		}
	}
	pass(1) // the flood's hash that runs
	pass(2)
	must(t, told(known))
	must(t, told(known))
	pass(2) // log-ins and the flood by turns
	want(t, told(stranger), model.WrongCredentials)
}

// cheapFirst: a request that a cheap check refuses costs no hash.
func cheapFirst(t *testing.T, h *Harness, _ func() db.Store) {
	g := newGate()
	h = NewHarness(h.Store, func(c *lobby.Config) { c.Hashing.Hook = g.hook })
	host, other := h.NewGuest(t, "host"), h.NewGuest(t, "other")
	l := h.NewLobby(t, host, room.NewLobby{})
	_, err := h.Room.Join(ctx, Home, other, l.ID, room.JoinRequest{})
	must(t, err)
	ada, _, err := h.Account.Register(ctx, Home, "Ada", "ada@example.org", "difference engine")
	must(t, err)
	_, err = h.Admin.FirstAdmin(ctx)
	must(t, err)
	playing := h.playing(t, h.NewGuest(t, "soldier"))
	soldier, tide, admin := playing.Seats[0].Account, "tide", h.admin()
	closed := h.NewLobby(t, h.NewGuest(t, "brief"), room.NewLobby{})
	must(t, admin.CloseLobby(ctx, closed.ID, "x"))
	settings := room.LobbyChange{Password: &tide}
	for name, c := range map[string]struct {
		code model.Code
		do   func() error
	}{
		"no such lobby": {model.NotFound, func() error {
			_, err := h.Room.Configure(ctx, Home, "01900000-0000-7000-8000-000000000000", host.ID, settings)
			return err
		}},
		"not the host": {model.NotHost, func() error { _, err := h.Room.Configure(ctx, Home, l.ID, other.ID, settings); return err }},
		"a stranger":   {model.NotSeated, func() error { _, err := h.Room.Configure(ctx, Home, l.ID, ada.ID, settings); return err }},
		"in a match":   {model.WrongState, func() error { _, err := h.Room.Configure(ctx, Home, playing.ID, soldier, settings); return err }},
		"closed":       {model.LobbyClosed, func() error { _, err := h.Room.Configure(ctx, Home, closed.ID, host.ID, settings); return err }},
		"new while in a match": {model.InMatch, func() error {
			_, err := h.Room.Create(ctx, Home, model.Account{ID: soldier}, room.NewLobby{Name: "room", Map: "ring", Password: tide})
			return err
		}},
		"taken name": {model.NameTaken, func() error { _, _, err := h.Account.Register(ctx, Home, "ADA", "", "analytical engine"); return err }},
		"taken email": {model.NameTaken, func() error {
			_, _, err := h.Account.Register(ctx, Home, "Eve", "ada@example.org", "analytical engine")
			return err
		}},
		"upgrade to a taken name": {model.NameTaken, func() error {
			_, _, err := h.Account.Upgrade(ctx, Home, other.ID, "Ada", "", "analytical engine")
			return err
		}},
		"upgrade of an account": {model.NotGuest, func() error {
			_, _, err := h.Account.Upgrade(ctx, Home, ada.ID, "Ada L", "", "analytical engine")
			return err
		}},
		"reset": {model.BadResetToken, func() error { return h.Account.Reset(ctx, Home, model.NewSecret(), "analytical engine") }},
		"a new password that will not do": {model.CommonPassword, func() error {
			_, err := h.Account.ChangePassword(ctx, Home, ada.ID, "difference engine", "password1")
			return err
		}},
		"an admin's taken name": {model.AlreadyExists, func() error { _, err := admin.Admins().Add(ctx, "admin", model.Viewer, false); return err }},
		"no such admin":         {model.NotFound, func() error { _, err := admin.Admins().NewPassword(ctx, "nobody"); return err }},
	} {
		costs := g.did(func() {
			if err := c.do(); !errors.Is(err, c.code) {
				t.Errorf("%s: %v, want %s", name, err, c.code)
			}
		})
		if len(costs) != 0 {
			t.Errorf("%s cost %d hashes", name, len(costs))
		}
	}
	if costs := g.did(func() { _, err = h.Admin.FirstAdmin(ctx) }); len(costs) != 0 || err != nil {
		t.Errorf("a second start cost %d hashes, %v", len(costs), err)
	}
	if costs := g.did(func() { _, err = h.Room.Configure(ctx, Home, l.ID, host.ID, settings) }); len(costs) != 1 || err != nil {
		t.Errorf("the host's password cost %d hashes, %v", len(costs), err)
	}
}

// notAFailure: only a wrong password counts as one.
func notAFailure(t *testing.T, h *Harness, _ func() db.Store) {
	g, away := newGate(), &offStore{Store: h.Store}
	h = NewHarness(away, func(c *lobby.Config) {
		c.Hashing.Workers, c.Hashing.Hook = 1, g.hook
		c.Ledger = Ledger("password-hashes.process=1", "password-hashes.reserve=0")
	})
	defer g.open()
	_, _, err := h.Account.Register(ctx, Home, "Ada", "", "difference engine")
	must(t, err)
	attempt := func(ctx context.Context) error {
		_, _, err := h.Account.LogIn(ctx, From("203.0.113.7"), "Ada", "difference engine")
		return err
	}
	g.shut.Store(true)
	first := make(chan error, 1)
	go func() { first <- attempt(ctx) }()
	eventually.Holds(t, "a hash runs", func() bool { return h.Ledger.Held(quota.PasswordHashes) == 1 })
	for range 20 {
		want(t, attempt(ctx), model.Busy)
	}
	g.open()
	must(t, <-first)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for range 20 {
		if err := attempt(gone); err == nil || errors.Is(err, model.WrongCredentials) || errors.Is(err, model.Throttled) {
			t.Fatalf("a client that is gone: %v", err)
		}
	}
	away.off.Store(true)
	for range 20 {
		want(t, attempt(ctx), model.Unavailable)
	}
	away.off.Store(false)
	must(t, attempt(ctx))
	// The lobby's password is counted by the same rule.
	l := h.NewLobby(t, h.NewGuest(t, "host"), room.NewLobby{Password: "tide"})
	bob := h.NewGuest(t, "bob")
	for range 8 {
		_, err := h.Room.Join(ctx, Home, bob, l.ID, room.JoinRequest{Password: "ebb"})
		want(t, err, model.WrongPassword)
	}
	_, err = h.Room.Join(ctx, Home, bob, l.ID, room.JoinRequest{Password: "tide"})
	want(t, err, model.Throttled)
}

// offStore is a store whose writes fail while it is off.
type offStore struct {
	db.Store
	off atomic.Bool
}

func (s *offStore) Write(ctx context.Context, fn func(*db.Tx) error) error {
	if s.off.Load() {
		return model.ErrUnavailable
	}
	return s.Store.Write(ctx, fn)
}

// sameWork: after a change of the cost, unused names, guests, dormant accounts and
// active ones all cost the same hashes.
func sameWork(t *testing.T, h *Harness, _ func() db.Store) {
	register := func(h *Harness, name string) {
		_, _, err := h.Account.Register(ctx, Home, name, "", "difference engine")
		must(t, err)
	}
	admin := func(h *Harness, name string) {
		_, err := h.admin().Admins().Add(ctx, name, model.Viewer, false)
		must(t, err)
	}
	register(h, "dormant")
	register(h, "active")
	admin(h, "old admin")
	h.NewGuest(t, "guest")
	g := newGate()
	h = NewHarness(h.Store, func(c *lobby.Config) {
		c.Hashing = account.Hashing{MemoryKiB: 128, Passes: 2, Hook: g.hook}
	})
	_, _, err := h.Account.LogIn(ctx, Home, "active", "difference engine") // has a hash of today's cost from here on
	must(t, err)
	register(h, "new")
	admin(h, "new admin")
	both := []string{"m=128,t=2,p=1", "m=64,t=1,p=1"}
	for _, name := range []string{"dormant", "active", "new", "guest", "nobody", "nobody@example.org"} {
		costs := g.did(func() {
			_, _, err := h.Account.LogIn(ctx, Home, name, "wrong password")
			want(t, err, model.WrongCredentials)
		})
		if !slices.Equal(costs, both) {
			t.Errorf("%s: %q, want %q", name, costs, both)
		}
	}
	for _, name := range []string{"old admin", "new admin", "nobody"} {
		costs := g.did(func() {
			_, _, err := h.Admin.AdminLogIn(ctx, Home, name, "wrong password")
			want(t, err, model.WrongCredentials)
		})
		if !slices.Equal(costs, both) {
			t.Errorf("admin %s: %q, want %q", name, costs, both)
		}
	}
	_, _, err = h.Account.LogIn(ctx, Home, "dormant", "difference engine")
	must(t, err)
	if costs := g.did(func() { _, _, err = h.Account.LogIn(ctx, Home, "nobody", "wrong password") }); !slices.Equal(costs, both[:1]) {
		t.Errorf("once the last old hash is gone: %q", costs)
	}
}

// knownDevice: wrong tries by neighbours of one network do not keep an owner out on a
// device from which it got in before.
func knownDevice(t *testing.T, h *Harness, _ func() db.Store) {
	device, other := Home, Home
	device.Device, other.Device = model.NewSecret(), model.NewSecret()
	_, _, err := h.Account.Register(ctx, device, "Ada", "", "difference engine")
	must(t, err)
	wrong := func(c model.Client, name string) error {
		_, _, err := h.Account.LogIn(ctx, c, name, "wrong password")
		return err
	}
	for range 20 { // of the name from this address
		if err := wrong(other, "Ada"); !errors.Is(err, model.WrongCredentials) && !errors.Is(err, model.Throttled) {
			t.Fatal(err)
		}
	}
	right := func(c model.Client) error {
		_, _, err := h.Account.LogIn(ctx, c, "Ada", "difference engine")
		return err
	}
	want(t, right(Home), model.Throttled)
	want(t, right(other), model.Throttled)
	must(t, right(device))
	for i := range 80 { // of the address
		if err := wrong(Home, fmt.Sprint("name ", i)); !errors.Is(err, model.WrongCredentials) && !errors.Is(err, model.Throttled) {
			t.Fatal(err)
		}
	}
	want(t, wrong(Home, "yet another"), model.Throttled)
	must(t, right(device))
	abroad := From("203.0.113.99")
	abroad.Device = device.Device
	must(t, right(abroad))
	// The device is not a way to guess without end, and it is Ada's alone.
	for range 8 {
		want(t, wrong(device, "Ada"), model.WrongCredentials)
	}
	want(t, right(device), model.Throttled)
	want(t, wrong(device, "Bob"), model.Throttled)
	h.Step(15 * time.Minute)
	must(t, right(device))
	// A deleted account leaves no known device behind.
	a, _, err := h.Account.LogIn(ctx, device, "Ada", "difference engine")
	must(t, err)
	must(t, h.Account.DeleteAccount(ctx, device, a.ID, "difference engine"))
	_, _, err = h.Account.Register(ctx, From("203.0.113.5"), "Ada", "", "analytical engine")
	must(t, err)
	for range 8 {
		want(t, wrong(device, "Ada"), model.WrongCredentials)
	}
	want(t, wrong(device, "Ada"), model.Throttled)
	if n := h.counted(t, "login:player:address:192.0.2.1/32"); n < 8 {
		t.Errorf("the old device's wrong passwords count as a stranger's: %d", n)
	}
}

func (h *Harness) counted(t *testing.T, key string) (n int) {
	t.Helper()
	must(t, h.Store.Read(ctx, func(tx *db.Tx) (err error) {
		n, _, err = tx.Throttle.Counted(key, h.Now())
		return err
	}))
	return n
}

// manyPrefixes: a client that moves about in its IPv6 network or site is counted there.
func manyPrefixes(t *testing.T, h *Harness, _ func() db.Store) {
	h = NewHarness(h.Store, func(c *lobby.Config) {
		c.Ledger = Ledger("login-failures.address=10", "new-guests.address=1")
	})
	guesses := func(from func(i int) string) (n int) {
		for i := range 50 {
			_, _, err := h.Account.LogIn(ctx, From(from(i)), fmt.Sprint("name ", i), "wrong password")
			if errors.Is(err, model.WrongCredentials) {
				n++
			} else {
				want(t, err, model.Throttled)
			}
		}
		return n
	}
	for name, c := range map[string]struct {
		from func(int) string
		most int
	}{
		"one /64":         {func(i int) string { return fmt.Sprintf("2001:db8:1:1::%x", i) }, 10},
		"one /56":         {func(i int) string { return fmt.Sprintf("2001:db8:2:1%02x::1", i) }, 20},
		"one /48":         {func(i int) string { return fmt.Sprintf("2001:db8:3:%02x00::1", i) }, 40},
		"one IPv4 /24":    {func(i int) string { return fmt.Sprintf("198.51.100.%d", i) }, 20},
		"all over (IPv4)": {func(i int) string { return fmt.Sprintf("10.0.%d.1", i) }, 50},
	} {
		if n := guesses(c.from); n != c.most {
			t.Errorf("%s: %d guesses were answered, want %d", name, n, c.most)
		}
	}
	made := 0
	for i := range 10 {
		if _, _, err := h.Account.Guest(ctx, From(fmt.Sprintf("2001:db8:9:%02x00::1", i)), ""); err == nil {
			made++
		} else {
			want(t, err, model.Throttled)
		}
	}
	if made != 4 {
		t.Errorf("one site made %d guests", made)
	}
}

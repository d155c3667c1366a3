package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
)

func asks(address string, l int) Requester {
	return Requester{quota.Payer{Address: netip.MustParseAddr(address)}, l}
}

// TestHashingIsBounded: as many hashes run as there are workers, as many wait as the
// quota holds, and the server refuses the next as busy.
func TestHashingIsBounded(t *testing.T) {
	limits, err := quota.Defaults().Set([]string{"password-hashes.process=3", "password-hashes.reserve=0"})
	if err != nil {
		t.Fatal(err)
	}
	ledger := quota.New(limits)
	h := newHasher(Hashing{MemoryKiB: 64, Passes: 1, Workers: 2}, ledger)
	who := asks("192.0.2.1", logInLane)
	var leave []func()
	for range 2 {
		l, err := h.enter(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	third := make(chan error, 1)
	go func() {
		l, err := h.enter(context.Background(), who)
		if err == nil {
			l()
		}
		third <- err
	}()
	eventually.Holds(t, "one waits", func() bool { return h.Waiting() == 1 })
	if _, err := h.enter(t.Context(), who); model.AsError(err).Code != model.Busy {
		t.Errorf("one more than the quota holds: %v", err)
	}
	select {
	case err := <-third:
		t.Errorf("a third hash ran beside two workers: %v", err)
	default:
	}
	leave[0]()
	if err := <-third; err != nil {
		t.Errorf("the one in line: %v", err)
	}
	// A requester that goes while it waits gives its place back.
	l, err := h.enter(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := h.enter(gone, who)
		third <- err
	}()
	eventually.Holds(t, "one waits", func() bool { return h.Waiting() == 1 })
	cancel()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has gone: %v", err)
	}
	l()
	leave[1]()
	if n, free := h.line.Waiting(); free != 2 || n != 0 || ledger.Held(quota.PasswordHashes) != 0 {
		t.Errorf("%d places are free, %d wait, %d are held", free, n, ledger.Held(quota.PasswordHashes))
	}
}

// TestLanes: the known are first; log-ins and other passwords take turns, and
// so do the addresses in a lane.
func TestLanes(t *testing.T) {
	l := newHasher(Hashing{MemoryKiB: 64, Passes: 1, Workers: 1}, nil)
	if err := l.wait(t.Context(), asks("192.0.2.1", otherLane)); err != nil {
		t.Fatal(err)
	}
	served := make(chan string, 32)
	join := func(name, address string, in int) {
		n := l.Waiting()
		go func() {
			if l.wait(context.Background(), asks(address, in)) == nil {
				served <- name
			}
		}()
		eventually.Holds(t, fmt.Sprintf("%d wait", n+1), func() bool { return l.Waiting() == n+1 })
	}
	for i := range 4 {
		join(fmt.Sprint("flood ", i), "192.0.2.1", otherLane)
	}
	join("other", "192.0.2.2", otherLane)
	for i := range 3 {
		join(fmt.Sprint("guess ", i), "2001:db8::"+fmt.Sprint(i+1), logInLane) // one subscriber
	}
	join("owner", "198.51.100.1", logInLane)
	join("admin", "192.0.2.1", knownLane)
	var order []string
	for range 10 {
		l.done()
		order = append(order, <-served)
	}
	l.done()
	want := []string{"admin", "flood 0", "guess 0", "other", "owner", "flood 1", "guess 1", "flood 2", "guess 2", "flood 3"}
	if !slices.Equal(order, want) {
		t.Errorf("served %q\nwant   %q", order, want)
	}
	if n, free := l.line.Waiting(); free != 1 || n != 0 {
		t.Errorf("%d free, %d waiting", free, n)
	}
}

// TestHashingCost: the cost is the configured one, a core is left to the
// matches, and a hash of another cost is stale and still fits.
func TestHashingCost(t *testing.T) {
	d := Hashing{}.withDefaults()
	if d.MemoryKiB != 19456 || d.Passes != 2 || d.Workers != max(1, runtime.GOMAXPROCS(0)-1) {
		t.Errorf("defaults %+v", d)
	}
	who := asks("192.0.2.1", logInLane)
	old := newHasher(Hashing{MemoryKiB: 64, Passes: 1, Workers: 1}, nil)
	hash, err := old.HashPassword(t.Context(), who, "difference engine")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") || model.HashCost(hash) != "m=64,t=1,p=1" {
		t.Fatalf("%s %v", hash, err)
	}
	now := newHasher(Hashing{MemoryKiB: 128, Passes: 3, Workers: 1}, nil)
	if old.stale(hash) || !now.stale(hash) {
		t.Error("staleness is not that of the cost")
	}
	if ok, err := now.check(t.Context(), who, "difference engine", hash, nil); err != nil || !ok {
		t.Errorf("an old hash does not fit any more: %v", err)
	}
	for _, password := range []string{"", "difference engine"} {
		if ok, err := now.check(t.Context(), who, password, "", []string{model.HashCost(hash)}); err != nil || ok {
			t.Errorf("no hash fits %q: %t %v", password, ok, err)
		}
	}
	for _, cost := range []string{"", "x", "m=99999999,t=1,p=1", "m=64,t=0,p=1", "m=64,t=1,p=0"} {
		if _, ok := parseCost(cost); ok {
			t.Errorf("the cost %q is taken", cost)
		}
	}
}

func TestPasswords(t *testing.T) {
	for _, p := range []string{"difference engine", "korrekt pferd", "Tr0ub4dor&3 and more", "пароль для игры", "xkqjzvwp"} {
		if err := CheckPassword(p, "Ada", "ada@example.org"); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{
		"password", "Password1", "P@ssw0rd", "password123!", "!!qwerty123", "iloveyou2", "12345678", "87654321", "aaaaaaaa", "abcabcabc", "qwertyui",
		"asdfghjkl", "1qaz2wsx", "letmein!!", "Ada Lovelace", "adalovelace1815", "dragon1999", "11111111111", "football99",
	} {
		if err := CheckPassword(p, "Ada Lovelace", "adalovelace@example.org"); !errors.Is(err, model.CommonPassword) {
			t.Errorf("%q: %v", p, err)
		}
	}
	for _, p := range []string{"", "short", strings.Repeat("long", 40), "bad\xffbytes"} {
		if err := CheckPassword(p, "", ""); !errors.Is(err, model.BadPassword) {
			t.Errorf("%q: %v", p, err)
		}
	}
}

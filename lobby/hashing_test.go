package lobby

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestHashingIsBounded: as many hashes run as there are workers, as many wait
// as the queue holds, and the next is told to come again.
func TestHashingIsBounded(t *testing.T) {
	h := newHasher(Hashing{MemoryKiB: 64, Passes: 1, Workers: 2, Queue: 1})
	var leave []func()
	for range 2 {
		l, err := h.enter(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, l)
	}
	third := make(chan error, 1)
	var worked atomic.Bool
	go func() {
		l, err := h.enter(context.Background())
		if err == nil {
			worked.Store(true)
			l()
		}
		third <- err
	}()
	for len(h.waits) < 3 {
		time.Sleep(time.Millisecond)
	}
	if _, err := h.enter(t.Context()); !errors.Is(err, Busy) {
		t.Errorf("one more than the queue holds: %v", err)
	}
	select {
	case err := <-third:
		t.Errorf("a third hash ran beside two workers: %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	if worked.Load() {
		t.Error("a third hash began beside two workers")
	}
	leave[0]()
	if err := <-third; err != nil || !worked.Load() {
		t.Errorf("the one in line: %v", err)
	}
	// Who is gone gives its place back.
	gone, cancel := context.WithCancel(t.Context())
	l, err := h.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := h.enter(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller that has gone: %v", err)
	}
	l()
	leave[1]()
	if len(h.waits) != 0 || len(h.works) != 0 {
		t.Errorf("%d waiting and %d working places are lost", len(h.waits), len(h.works))
	}
}

// TestHashingCost: the cost is the configured one, a core is left to the
// matches, and a hash of another cost is stale and still fits.
func TestHashingCost(t *testing.T) {
	d := Hashing{}.withDefaults()
	if d.MemoryKiB != 19456 || d.Passes != 2 || d.Workers != max(1, runtime.GOMAXPROCS(0)-1) || d.Queue != 256 {
		t.Errorf("defaults %+v", d)
	}
	old := newHasher(Hashing{MemoryKiB: 64, Passes: 1, Workers: 1, Queue: 1})
	hash, err := old.hash(t.Context(), "difference engine")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=64,t=1,p=1$") {
		t.Fatalf("%s %v", hash, err)
	}
	now := newHasher(Hashing{MemoryKiB: 128, Passes: 3, Workers: 1, Queue: 1})
	if old.stale(hash) || !now.stale(hash) {
		t.Error("staleness is not that of the cost")
	}
	if ok, err := now.check(t.Context(), "difference engine", hash); err != nil || !ok {
		t.Errorf("an old hash does not fit any more: %v", err)
	}
}

package core

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// crowd runs many transactions of one store at once, and returns their errors and
// times, in the order in which they came.
func crowd(t *testing.T, places, people int, do func(context.Context) error) (told []error, at []time.Duration) {
	t.Helper()
	c := &Options{TurnTimeout: 15 * time.Second, StoreTimeout: 3 * time.Second}
	turns := newTurns(places)
	told, at = make([]error, people), make([]time.Duration, people)
	began := time.Now()
	for i := range people {
		go func() {
			told[i] = turns.inTurn(t.Context(), c, do)
			at[i] = time.Since(began)
		}()
		synctest.Wait() // they come one after the other
	}
	time.Sleep(time.Minute) // on the clock of synctest: longer than all wait
	synctest.Wait()
	if n, free := turns.line.Waiting(); free != places || n != 0 {
		t.Errorf("%d places are free, want %d; %d wait", free, places, n)
	}
	return told, at
}

// takes is a store that answers after so long.
func takes(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return errors.Join(model.ErrUnavailable, ctx.Err())
		}
	}
}

// TestACrowdWaitsForItsTurn: more come at once than the store serves in the time that
// one transaction may take. All are served, in order; callers beyond the longest wait
// hear that the server is busy.
func TestACrowdWaitsForItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told, at := crowd(t, 2, 400, takes(100*time.Millisecond))
		for i := range told {
			turn := time.Duration(i/2+1) * 100 * time.Millisecond
			switch {
			case turn <= 15*time.Second && (told[i] != nil || at[i] != turn):
				t.Fatalf("number %d was told %v after %v, want nothing after %v", i, told[i], at[i], turn)
			case turn > 15100*time.Millisecond && (model.AsError(told[i]).Code != model.Busy || at[i] != 15*time.Second):
				t.Fatalf("number %d was told %v after %v, want busy after 15 s", i, told[i], at[i])
			}
		}
	})
}

// TestNobodyWaitsForAStoreThatIsAway: while the store does not answer, waiting callers
// get the error as soon as callers that had their turn.
func TestNobodyWaitsForAStoreThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told, at := crowd(t, 2, 20, takes(time.Hour))
		for i := range told {
			if model.AsError(told[i]).Code != model.Unavailable || at[i] > 6*time.Second {
				t.Errorf("number %d was told %v after %v", i, told[i], at[i])
			}
		}
	})
}

// TestHungUpCallerCostsNoTurn: a caller that hangs up while waiting, and a
// transaction that panics, leave the place to the next.
func TestHungUpCallerCostsNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &Options{TurnTimeout: 15 * time.Second, StoreTimeout: 3 * time.Second}
		turns := newTurns(1)
		go func() {
			defer func() { _ = recover() }()
			_ = turns.inTurn(t.Context(), c, func(context.Context) error {
				time.Sleep(time.Second) // on the clock of synctest
				panic("a bug")
			})
		}()
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- turns.inTurn(ctx, c, takes(0)) }()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who hung up was told %v", err)
		}
		if err := turns.inTurn(t.Context(), c, takes(0)); err != nil {
			t.Error(fmt.Errorf("after a panic: %w", err))
		}
	})
}

package lobby

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// turns lets a bounded number of transactions run at a time, as many as the store
// has connections. The others wait for their turn, in the order in which they came.
// So when a thousand people log in at once the last of them waits for those before
// it, and is not told that the database is away: the time that a transaction may
// take begins with its turn.
//
// Nobody waits for more than [Config.TurnTimeout], and nobody for a store that has
// not answered anybody for [Config.StoreTimeout].
type turns struct {
	born time.Time

	mu       sync.Mutex
	free     int             // places; 0 while anybody waits
	waiting  []chan struct{} // closed at their turn, the first first
	answered time.Duration   // when the store last answered somebody, since born
}

func newTurns(places int) *turns { return &turns{born: time.Now(), free: places} }

// errTurn is the refusal of one who has waited for too long.
var errTurn = &Error{Code: Busy, RetryAfter: retryAfter(Busy)}

// enter waits for a turn. Whoever gets one calls leave.
func (t *turns) enter(ctx context.Context, most, stall time.Duration) error {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	t.waiting = append(t.waiting, turn)
	t.mu.Unlock()
	err := t.await(ctx, turn, most, stall)
	if err == nil {
		return nil
	}
	t.mu.Lock()
	i := slices.Index(t.waiting, turn)
	if i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	t.mu.Unlock()
	if i < 0 {
		t.leave(false) // it was its turn just now
	}
	return err
}

func (t *turns) await(ctx context.Context, turn <-chan struct{}, most, stall time.Duration) error {
	began := time.Since(t.born)
	timer := time.NewTimer(min(most, stall))
	defer timer.Stop()
	for {
		select {
		case <-turn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
		t.mu.Lock()
		alive := max(began, t.answered) + stall
		t.mu.Unlock()
		now := time.Since(t.born)
		switch {
		case now >= began+most:
			return errTurn
		case now >= alive:
			return ErrUnavailable
		}
		timer.Reset(min(began+most, alive) - now)
	}
}

// leave hands the place to the next.
func (t *turns) leave(answered bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if answered {
		t.answered = time.Since(t.born)
	}
	if len(t.waiting) == 0 {
		t.free++
		return
	}
	close(t.waiting[0])
	t.waiting[0] = nil
	t.waiting = t.waiting[1:]
}

// inTurn runs one transaction in its turn, inside the store's time limit.
func (t *turns) inTurn(ctx context.Context, c *Config, do func(context.Context) error) error {
	if err := t.enter(ctx, c.TurnTimeout, c.StoreTimeout); err != nil {
		return err
	}
	answered := false
	defer func() { t.leave(answered) }()
	ctx, cancel := context.WithTimeout(ctx, c.StoreTimeout)
	defer cancel()
	err := apart(func() error { return do(ctx) })
	answered = !errors.Is(err, ErrUnavailable) && ctx.Err() == nil
	return err
}

// apart runs do on a goroutine of its own, and waits for it. A database's code needs a
// deep stack. Who waits on for something after it, as thousands of event streams do,
// would keep that stack.
func apart(do func() error) (err error) {
	caught := make(chan string, 1)
	go func() {
		defer func() {
			text := ""
			if p := recover(); p != nil {
				text = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			caught <- text
		}()
		err = do()
	}()
	if text := <-caught; text != "" {
		panic(text) // in the request that asked for it
	}
	return err
}

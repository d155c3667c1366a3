package match

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
)

// stuck is a journal whose disk has stopped: it takes records, which become durable only
// once it is thawed.
type stuck struct {
	journal.Log
	durable uint64
	thawed  chan struct{}
}

func (s *stuck) Synced() uint64 {
	select {
	case <-s.thawed:
		return s.Log.Synced()
	default:
		return s.durable
	}
}

func (s *stuck) Wait(ctx context.Context, n uint64) error {
	if n >= s.durable {
		select {
		case <-s.thawed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.Log.Wait(ctx, n)
}

// TestNoFrameOutrunsTheJournal stops the disk under a match of idle players. They see no
// more than a recovery from the disk plays again, to the tick; when the disk is back, the
// match goes on.
func TestNoFrameOutrunsTheJournal(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 48, 0, 1)
	c := a.join(0)
	for c.Replica.Tick < 25 {
		a.tick()
		c.read()
	}
	onDisk := a.killed()
	log := &stuck{a.live.journal.log, a.live.journal.log.Next(), make(chan struct{})}
	swapped := make(chan error, 1)
	go func() { swapped <- a.live.do(context.Background(), func(m *live) { m.journal.log = log }) }()
	a.asked()

	var side sync.WaitGroup
	defer side.Wait()
	thaw := sync.OnceFunc(func() { close(log.thawed) })
	defer thaw()
	const ticks = 60
	told := make(chan grid.Tick, ticks)
	side.Go(func() {
		for range ticks {
			a.tick() // does not return while the match waits for the disk
			for c.read().Waiting != nil {
				// a busy machine takes longer than a second here: the match said once a second that it is paused
			}
			told <- c.Replica.Tick
		}
	})
	const want = 20 + 20 + sim.OrderDelay - 1 // the last hash on the disk is of tick 20
	last := grid.Tick(0)
	for stopped := false; !stopped; {
		quiet := 500 * time.Millisecond
		if last < want { // a busy machine gets longer
			quiet = 60 * time.Second
		}
		select {
		case last = <-told:
		case <-time.After(quiet):
			stopped = true
		}
	}
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if last != want {
		t.Errorf("told up to tick %d, want %d", last, want)
	}
	b := a.revived(folder(t, map[string][]byte{matchID: onDisk}), Config{})
	if at := b.live.world.Tick(); at != last {
		t.Errorf("recovered at tick %d, clients have seen %d", at, last)
	}
	thaw()
	for last < 25+ticks {
		last = <-told
	}
}

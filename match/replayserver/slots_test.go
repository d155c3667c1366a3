package replayserver

import (
	"fmt"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/shared"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// TestManyViewings: however many people watch, no world is stepped without one of the
// few slots, and a viewing takes a fixed number of goroutines.
func TestManyViewings(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	h.write(o, testTicks, true)
	most := max(1, runtime.GOMAXPROCS(0)/2)
	slots := h.service.cfg.Library.Slots()
	if got := cap(slots); got != most {
		t.Errorf("%d slots, want %d", got, most)
	}
	const viewings = 6
	before := runtime.NumGoroutine()
	var list []*watcher
	for i := range viewings {
		r := anyEyes()
		r.Account = shared.AccountID(fmt.Sprint("w", i))
		list = append(list, h.watch(o, r, i%2 == 0))
	}
	// Of each: the connection's, its writer, the viewing. And one index.
	if n := runtime.NumGoroutine() - before; n > 3*viewings+1 {
		t.Errorf("%d goroutines more", n)
	}
	// While somebody else holds all slots nothing moves; then all go on.
	for range most {
		slots <- struct{}{}
	}
	ticks := make([]uint32, viewings)
	numbers := make([]uint32, viewings)
	for i, w := range list {
		w.control(&pb.ReplayControl{Paused: proto.Bool(true)})
		ticks[i] = w.state.Watching.Tick
		numbers[i] = w.ask(&pb.ReplayControl{Seek: proto.Uint32(uint32(100 + i))})
	}
	for i, w := range list {
		f := w.read(func(f *wire.ServerFrame) bool { return f.Replay.GetState() == pb.ReplayState_REPLAY_STATE_SEEKING })
		if f.Replay.Tick != ticks[i] || f.Replay.Done >= numbers[i] {
			t.Errorf("viewing %d goes to tick %d without a slot", i, f.Replay.Tick)
		}
	}
	for range most {
		release(h)
	}
	for i, w := range list {
		w.read(func(f *wire.ServerFrame) bool { return f.Replay.GetDone() >= numbers[i] })
		for w.state.Tick() != grid.Tick(100+i) {
			w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
		}
	}
}

// release frees a slot that the test holds.
func release(h *stand) { _ = h.service.cfg.Library.Hold(func(func() bool) error { return nil }) }

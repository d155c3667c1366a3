package match

import (
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// broken is the room of a disk that takes no more bytes.
const broken = -1

// testDisk has as much room as a test says, and files on it fail without any.
type testDisk struct{ free atomic.Int64 }

func (d *testDisk) Free() (int64, error) { return d.free.Load(), nil }

type fileOn struct {
	journal.Handle
	disk *testDisk
}

func (f *fileOn) Write(b []byte) (int, error) {
	switch free := f.disk.free.Load(); {
	case free == broken:
		return 0, syscall.EIO
	case free <= 0:
		return 0, syscall.ENOSPC
	}
	return f.Handle.Write(b)
}

// onDisk starts a match whose journal lies on a disk.
func onDisk(t *testing.T, reserve int64, options sim.Options) (*serviceHarness, *testDisk) {
	t.Helper()
	d := &testDisk{}
	d.free.Store(1 << 30)
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: shipped(t), Seed: 7, EveryTick: true, Options: options,
		Seats: []SeatSpec{{Name: "a", Team: 0}, {Name: "b", Team: 1, Start: 1}},
	}
	a := startServiceHarnessOn(t, spec, Config{Disk: d, DiskReserve: reserve}, func(dir *journal.Dir) {
		dir.Wrap = func(h journal.Handle) journal.Handle { return &fileOn{h, d} }
	})
	return a, d
}

// Below the reserve no match is started, and players of live matches get one warning,
// before a write fails.
func TestALowDisk(t *testing.T) {
	a, d := onDisk(t, 1<<20, sim.Options{})
	c := a.join(0)
	told := func() (n int) {
		for range 60 {
			a.tick()
			for len(c.pipe.(*link.PipeEnd).In) > 0 {
				for _, s := range c.read().Said {
					if s.Text == diskWords {
						n++
					}
				}
			}
		}
		return n
	}
	next := a.spec
	next.ID = matchID[:len(matchID)-1] + "2"
	if err := a.service.Room(next); err != nil {
		t.Fatal(err)
	}
	d.free.Store(1<<20 - 1)
	if n := told(); n != 1 {
		t.Errorf("told %d times", n)
	}
	for _, err := range []error{a.service.Room(next), a.service.Start(next)} {
		if !errors.Is(err, ErrDiskLow) {
			t.Errorf("refused with %v", err)
		}
	}
	if ids, err := a.dir.List(); err != nil || len(ids) != 1 {
		t.Errorf("journals %v, %v", ids, err)
	}
	d.free.Store(1 << 30)
	if n := told(); n != 0 {
		t.Errorf("told %d times of a disk with room", n)
	}
	if err := a.service.Room(next); err != nil {
		t.Error(err)
	}
}

// A full disk pauses the match: the server answers only inputs on disk, asks the players to
// wait, and takes kicks. With room on the disk the match goes on with every order done once,
// and the journal replays.
func TestAFullDiskPausesTheMatch(t *testing.T) {
	t.Parallel()
	a, d := onDisk(t, 0, sim.Options{})
	c := a.join(0)
	a.join(1)
	c.read()
	d.free.Store(0)
	waits, answered := make(chan struct{}, 100), make(chan uint32, 100)
	go func() {
		for {
			b, err := c.pipe.Read()
			if err != nil {
				return
			}
			var f pb.ServerFrame
			if err := proto.Unmarshal(b, &f); err != nil {
				t.Error(err)
			}
			if f.Waiting != nil {
				waits <- struct{}{}
			}
			own, err := c.Decode(b)
			if err == nil {
				for _, x := range own.Answers {
					answered <- x.Seq
				}
			}
		}
	}()
	seq := c.Number()
	c.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: seq, Kind: pb.OrderKind_ORDER_KIND_STOP, Units: c.mine("scout")}}})
	stopped := make(chan struct{})
	stop := make(chan struct{})
	go func() { // the clock goes on; the match does not
		defer close(stopped)
		for a.tick() {
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for range 2 { // seconds
		select {
		case <-waits:
		case <-time.After(60 * time.Second):
			t.Fatal("the player is not told to wait")
		}
	}
	if st := a.service.Matches()[0].State; st != "paused" {
		t.Errorf("the match is %s", st)
	}
	select {
	case n := <-answered:
		t.Errorf("order %d is answered on a full disk", n)
	default:
	}
	began := time.Now()
	if err := a.service.End(t.Context(), "account1", Ending{Match: matchID, Why: link.Refusal{Code: "logged_out", Text: "out"}}); err != nil || time.Since(began) > 30*time.Second {
		t.Errorf("an end waits for the disk: %v, %v", err, time.Since(began))
	}
	d.free.Store(1 << 30)
	select {
	case n := <-answered:
		if n != seq {
			t.Errorf("order %d is answered", n)
		}
	case <-time.After(60 * time.Second):
		t.Fatal("the match does not go on")
	}
	close(stop)
	<-stopped
	if in := a.service.Matches()[0]; in.State != "running" || in.Seats[1].Connected {
		t.Errorf("the match is %s, the one that was let go there: %v", in.State, in.Seats[1].Connected)
	}
	a.end()
	replays(t, a.dir, matchID)
}

// An admin's end of a match is answered once it is on disk: else a kill would bring back
// a match reported as over.
func TestAnAbortIsAnsweredOnceItIsOnDisk(t *testing.T) {
	a, d := onDisk(t, 0, sim.Options{})
	a.tick()
	d.free.Store(0)
	done := make(chan error, 1)
	go func() { done <- a.service.Abort(t.Context(), matchID, "enough") }()
	a.asked()
	a.tick()
	select {
	case err := <-done:
		t.Fatalf("answered without a record on disk: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	d.free.Store(1 << 30)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if r := <-a.clerk.results; r.Failed != failedByAdmin+"enough" {
		t.Errorf("the result is %+v", r)
	}
}

// A result that is not in its journal does not count: after a restart there would be no
// record of its cause.
func TestAResultThatIsNotOnDisk(t *testing.T) {
	const second = 20
	a, d := onDisk(t, 0, sim.Options{TimeLimitMs: 1000})
	for range second - 1 {
		a.tick()
	}
	d.free.Store(broken)
	for a.tick() {
	}
	if a.live.end.result == nil {
		t.Fatal("the match did not end: nothing was tested")
	}
	if r := <-a.clerk.results; r.Ended != nil || r.Failed != failedJournal {
		t.Errorf("the result is %+v", r)
	}
}

package replayserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testMatch = "0198c2f4-0000-7000-8000-000000000001"
	testTicks = 260
	testW     = 48
)

// original is a match as it was played: its journal, and what there was to see at each
// tick.
type original struct {
	setup   sim.Setup
	records [][]byte           // of the setup, and of the ticks
	ticks   []grid.Tick        // of each record; 0: of the setup
	eyes    [3][]*view.Picture // of the teams, and of all: index by tick
	state   []byte             // after tick branchAt, of matches that are played on
}

var playOnce = sync.OnceValues(func() (*original, error) {
	m := grid.NewMap("field", testW, testW)
	m.Starts = []grid.Tile{{X: 10, Y: 10}, {X: 37, Y: 37}}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		return nil, err
	}
	o := &original{setup: sim.Setup{Map: m, Rules: set, Seed: 7, TickRate: 20, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}}}
	head := journal.Header{Match: testMatch, Build: "test", Extra: []byte(`{"seats":[{"Name":"Ada","Account":"a","Color":3},{"Name":"Bob","Account":"b","Color":5}]}`)}
	if o.records, err = journal.SetupRecords(head, o.setup); err != nil {
		return nil, err
	}
	o.ticks = make([]grid.Tick, len(o.records))
	w, err := sim.New(o.setup)
	if err != nil {
		return nil, err
	}
	o.note(w)
	for n := range testTicks {
		var in []sim.Input
		if n == 0 {
			in = append(in, sim.Input{Kind: sim.InputJoined, Slot: 0, All: true}, sim.Input{Kind: sim.InputJoined, Slot: 1, All: true})
		}
		if n%10 == 3 {
			for slot := range grid.Slot(2) {
				var all []grid.Handle
				for h := range grid.Handle(40) {
					all = append(all, h+1)
				}
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: uint32(n/10 + 1), AsOf: w.Tick(),
					Order: orders.Order{Kind: orders.AttackMove, Units: all, HasPoint: true, Point: m.Starts[1-slot].Center()}})
			}
		}
		if n == 100 {
			in = append(in, sim.Input{Kind: sim.InputChat, Slot: 1, Seq: 1000, All: true, Text: "hello all"}, sim.Input{Kind: sim.InputChat, Slot: 1, Seq: 1001, Text: "hello team"})
		}
		out := w.Step(in)
		rec := journal.Tick{Tick: out.Tick, Inputs: in, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if !rec.Empty() {
			o.records, o.ticks = append(o.records, journal.AppendTick(nil, &rec)), append(o.ticks, out.Tick)
		}
		o.note(w)
	}
	return o, nil
})

// note keeps what there is to see.
func (o *original) note(w *sim.World) {
	all := view.WholePicture(w)
	for team := range grid.Team(2) {
		p := view.TeamPicture(w, team)
		o.eyes[team] = append(o.eyes[team], p)
		if all.Visible == nil {
			all.Visible, all.Explored = make([]bool, len(p.Visible)), make([]bool, len(p.Visible))
		}
		for i := range p.Visible {
			all.Visible[i] = all.Visible[i] || p.Visible[i]
			all.Explored[i] = all.Explored[i] || p.Explored[i]
		}
	}
	o.eyes[2] = append(o.eyes[2], all)
}

func played(t testing.TB) *original {
	t.Helper()
	o, err := playOnce()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// picture returns what some eyes may see at a tick.
func (o *original) picture(eyes grid.Team, at grid.Tick) *view.Picture {
	if eyes == grid.NoTeam {
		return o.eyes[2][at]
	}
	return o.eyes[eyes][at]
}

// stand is a service, and the journals that it shows.
type stand struct {
	t       testing.TB
	service *Service
	dir     *journal.Dir

	mu      sync.Mutex
	rights  map[string]shared.Right // by ticket
	resumed func(shared.Right) error
	used    map[string]bool
}

func newStand(t testing.TB, change func(*Config, *playback.Config)) *stand {
	t.Helper()
	dir := journaltest.OpenDir(t)
	h := &stand{t: t, dir: dir, rights: map[string]shared.Right{}, used: map[string]bool{}}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	cfg, library := Config{Admitter: h, Grace: 200 * time.Millisecond, Logger: log}, playback.Config{Journals: dir, Logger: log}
	if change != nil {
		change(&cfg, &library)
	}
	cfg.Library = playback.New(library)
	t.Cleanup(cfg.Library.Close)
	h.service = New(cfg)
	t.Cleanup(h.service.Close)
	return h
}

// noted are the notes of every match.
type noted []notes.Camera

// Read implements playback.Notes.
func (n noted) Read(string) (*notes.Notes, error) { return &notes.Notes{Cameras: n}, nil }

// camera is where a player looked from a tick on.
func camera(tick grid.Tick, slot grid.Slot, x, y int16, radius int) notes.Camera {
	return notes.Camera{Tick: tick, Slot: slot, At: grid.Tile{X: x, Y: y}, Radius: radius}
}

// Redeem implements Admitter.
func (h *stand) Redeem(_ context.Context, ticket string, _ netip.Addr) (shared.Right, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.rights[ticket]
	if !ok || h.used[ticket] {
		return shared.Right{}, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	h.used[ticket] = true
	return r, nil
}

// Resume implements Admitter.
func (h *stand) Resume(_ context.Context, r shared.Right, _ netip.Addr) (shared.Right, error) {
	if h.resumed != nil {
		return r, h.resumed(r)
	}
	return r, nil
}

// ticket makes a ticket for a right.
func (h *stand) ticket(r shared.Right) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := fmt.Sprint("ticket ", len(h.rights))
	h.rights[name] = r
	return name
}

// write writes a journal with the records up to a tick, and its end if it is over.
func (h *stand) write(o *original, to grid.Tick, over bool) journal.Log {
	h.t.Helper()
	log, err := h.dir.Create(testMatch)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { log.Close() })
	h.grow(o, log, to)
	if over {
		h.put(log, journal.FailedRecord("the test is over"))
	}
	return log
}

// grow writes the records that a journal lacks up to a tick.
func (h *stand) grow(o *original, log journal.Log, to grid.Tick) {
	h.t.Helper()
	for n := log.Next(); n < uint64(len(o.records)) && o.ticks[n] <= to; n++ {
		h.put(log, o.records[n])
	}
}

func (h *stand) put(log journal.Log, rec []byte) {
	h.t.Helper()
	n := log.Next()
	if err := errors.Join(log.Append(n, rec), log.Wait(h.t.Context(), n)); err != nil {
		h.t.Fatal(err)
	}
}

// anyEyes is the right to watch a match that is over.
func anyEyes() shared.Right { return shared.Right{Match: testMatch, Account: "w", Eyes: grid.NoTeam} }

// watcher is a client.
type watcher struct {
	t      testing.TB
	o      *original
	end    *link.PipeEnd
	served chan struct{}
	state  *client.State
	born   time.Time
	quiet  bool // it tells nothing of what it has applied
	number uint32

	frames, snapshots, checked int
	said                       []*pb.Said
	timeline                   []*pb.ReplayTimeline
	cameras                    map[uint32]*pb.ReplayCamera
	closing                    *pb.Closing
}

// dial opens a connection.
func (h *stand) dial(o *original, derives bool) *watcher {
	near, far := link.Pipe()
	w := &watcher{t: h.t, o: o, end: near, born: time.Now(), served: make(chan struct{}), cameras: map[uint32]*pb.ReplayCamera{},
		state: client.New(client.Config{Map: client.OneMap(o.setup.Map), DerivesFog: derives})}
	go func() {
		defer close(w.served)
		h.service.serve(far, netip.Addr{}, nil)
	}()
	h.t.Cleanup(func() {
		w.end.Close()
		<-w.served
	})
	return w
}

// watch opens a viewing.
func (h *stand) watch(o *original, r shared.Right, derives bool) *watcher {
	h.t.Helper()
	w := h.dial(o, derives)
	w.send(w.state.Hello(h.ticket(r)))
	w.read(func(f *wire.ServerFrame) bool { return f.Welcome != nil })
	return w
}

// beside opens the second socket of a viewing.
func (h *stand) beside(w *watcher, derives bool) *watcher {
	h.t.Helper()
	b := h.dial(w.o, derives)
	b.send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: w.state.Welcome.Resume, Beside: true, DerivesFog: derives}})
	b.read(func(f *wire.ServerFrame) bool { return f.Welcome != nil })
	return b
}

func (w *watcher) send(f *pb.ClientFrame) {
	w.t.Helper()
	b, err := proto.Marshal(f)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = w.end.Write(b) // who has been sent away notices when it reads
}

// control asks for something, and returns once it is done and shown.
func (w *watcher) control(c *pb.ReplayControl) {
	w.t.Helper()
	n := w.ask(c)
	w.read(func(f *wire.ServerFrame) bool { return f.Replay != nil && f.Replay.Done >= n })
	if c.Seek != nil || c.GetStep() != 0 || c.Eyes != nil {
		for w.state.Tick() != grid.Tick(w.state.Watching.Tick) || w.stale() {
			w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() || f.Replay != nil })
		}
	}
}

// stale reports whether the shown frame has other eyes than the status.
func (w *watcher) stale() bool { return w.state.Replica == nil }

func (w *watcher) ask(c *pb.ReplayControl) uint32 {
	w.t.Helper()
	w.number++
	c.Number = w.number
	w.send(&pb.ClientFrame{Replay: c})
	return w.number
}

// patience is the longest wait of a watcher.
const patience = 30 * time.Second

// read takes in messages up to one that the caller calls the last,
// and holds each frame to the original.
func (w *watcher) read(last func(f *wire.ServerFrame) bool) *wire.ServerFrame {
	w.t.Helper()
	late := time.AfterFunc(patience, func() { w.end.Close() })
	defer late.Stop()
	for {
		if time.Since(w.born) > 2*patience {
			w.t.Fatalf("what it waits for does not come: it is at tick %d, %v", w.state.Tick(), w.state.Watching)
		}
		b, err := w.end.Read()
		if err != nil {
			w.t.Fatalf("the connection ended at tick %d: %v, %v", w.state.Tick(), err, w.closing)
		}
		f, err := w.state.Receive(b)
		if err != nil {
			w.t.Fatal(err)
		}
		if f.Closing != nil {
			w.closing = f.Closing
		}
		w.said = append(w.said, f.Said...)
		if f.Timeline != nil {
			w.timeline = append(w.timeline, f.Timeline)
		}
		if f.Replay != nil {
			for _, c := range f.Replay.Cameras {
				w.cameras[c.Slot] = c
			}
		}
		if f.IsFrame() {
			if w.frames++; f.Diff.Snapshot {
				w.snapshots++
			}
			w.check(f.Diff.Snapshot)
			if !w.quiet {
				w.send(w.state.Ack())
			}
		}
		if last(f) {
			return f
		}
	}
}

// goodbye reads until the server ends the connection, and returns why.
func (w *watcher) goodbye() string {
	w.t.Helper()
	w.read(func(f *wire.ServerFrame) bool { return f.Closing != nil })
	return w.closing.Code
}

// check compares a client's state with the permitted knowledge of its eyes at its tick.
func (w *watcher) check(snapshot bool) {
	w.t.Helper()
	at, eyes := w.state.Tick(), w.state.Team()
	if at < 1 || int(at) >= len(w.o.eyes[2]) {
		w.t.Fatalf("a frame of tick %d", at)
	}
	w.checked++
	p := w.o.picture(eyes, at)
	fail := func(format string, args ...any) {
		w.t.Helper()
		w.t.Fatalf("tick %d, eyes %d, snapshot %v: %s", at, eyes, snapshot, fmt.Sprintf(format, args...))
	}
	m := w.o.setup.Map
	for i := range p.Visible {
		tile := grid.Tile{X: int16(i % m.W), Y: int16(i / m.W)}
		if got := w.state.Visible(tile); got != p.Visible[i] {
			fail("tile %v is visible %v, want %v", tile, got, p.Visible[i])
		}
		if got := w.state.Explored(tile); got != p.Explored[i] {
			fail("tile %v is explored %v, want %v", tile, got, p.Explored[i])
		}
	}
	if eyes == grid.NoTeam {
		w.checkAll(p, fail)
		return
	}
	units, ghosts := 0, 0
	for i := range p.Things {
		th := &p.Things[i]
		if th.Ghost {
			ghosts++
			if g, ok := w.state.Replica.Ghosts[grid.Handle(th.Key)]; !ok || g.Owner != th.Slot {
				fail("no ghost %+v", th)
			}
			continue
		}
		units++
		e := w.state.Replica.Entities[grid.Handle(th.Key)]
		if e == nil || e.Owner != th.Slot || w.state.Welcome.Types[e.Type].Name != th.Type {
			fail("%s of slot %d, handle %d: the client has %+v", th.Type, th.Slot, th.Key, e)
		}
		if pos := w.state.Replica.Pos(e, at); far(pos.X-th.Pos.X) || far(pos.Y-th.Pos.Y) {
			fail("handle %d is at %v, the client has it at %v", th.Key, th.Pos, pos)
		}
	}
	if len(w.state.Replica.Entities) != units || len(w.state.Replica.Ghosts) != ghosts {
		fail("%d entities and %d ghosts, want %d and %d", len(w.state.Replica.Entities), len(w.state.Replica.Ghosts), units, ghosts)
	}
}

// far reports whether a client is further off than its rules allow, twice over.
func far(d int32) bool { return max(d, -d) > int32(2*view.ToleranceDefault) }

// checkAll compares what all eyes see: their handles are no team's, so by kind.
func (w *watcher) checkAll(p *view.Picture, fail func(string, ...any)) {
	w.t.Helper()
	type kind struct {
		name string
		slot grid.Slot
	}
	want, got := map[kind]int{}, map[kind]int{}
	for i := range p.Things {
		if th := &p.Things[i]; th.Seen != 0 {
			want[kind{th.Type, th.Slot}]++
		}
	}
	for _, e := range w.state.Replica.Entities {
		got[kind{w.state.Welcome.Types[e.Type].Name, e.Owner}]++
	}
	if fmt.Sprint(want) != fmt.Sprint(got) {
		fail("all eyes see %v, want %v", got, want)
	}
}

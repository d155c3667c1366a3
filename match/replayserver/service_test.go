package replayserver

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/shared"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// refused opens a connection with a hello and returns why it is refused; "": it is not.
func (h *stand) refused(o *original, hello *pb.Hello) string {
	h.t.Helper()
	w := h.dial(o, false)
	w.send(&pb.ClientFrame{Hello: hello})
	w.read(func(f *wire.ServerFrame) bool { return f.Closing != nil || f.Welcome != nil })
	return w.closing.GetCode()
}

// show is a hello with a ticket for a right.
func (h *stand) show(r shared.Right) *pb.Hello {
	return &pb.Hello{Protocol: wire.Protocol, Ticket: h.ticket(r)}
}

// TestRefusedViewers refuses all who have no right, or whose match cannot be shown, and says
// why.
func TestRefusedViewers(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	used := h.ticket(anyEyes())
	if _, err := h.Redeem(t.Context(), used, netip.Addr{}); err != nil {
		t.Fatal(err)
	}
	of := func(match string) shared.Right {
		r := anyEyes()
		r.Match = shared.MatchID(match)
		return r
	}
	noTeam := anyEyes()
	noTeam.Live, noTeam.Eyes = true, 5
	h.write(o, 100, false)
	records := func(match string, recs ...[]byte) {
		log, err := h.dir.Create(match)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		for _, r := range recs {
			h.put(log, r)
		}
	}
	records("empty")
	records("broken", o.records[0], o.records[2])
	other := journal.AppendTick(nil, &journal.Tick{Tick: 20, Hashed: true, Hash: 1})
	records("diverged", o.records[0], o.records[1], o.records[2], other, journal.FailedRecord("over"))
	for name, c := range map[string]struct {
		hello *pb.Hello
		want  string
	}{
		"no hello":            {nil, "no_hello"},
		"another version":     {&pb.Hello{Protocol: 99, Ticket: "x"}, "version"},
		"no ticket":           {&pb.Hello{Protocol: wire.Protocol}, "no_ticket"},
		"no such ticket":      {&pb.Hello{Protocol: wire.Protocol, Ticket: "x"}, "bad_ticket"},
		"a used ticket":       {&pb.Hello{Protocol: wire.Protocol, Ticket: used}, "bad_ticket"},
		"no such token":       {&pb.Hello{Protocol: wire.Protocol, Resume: "x"}, "bad_token"},
		"beside nobody":       {&pb.Hello{Protocol: wire.Protocol, Resume: "x", Beside: true}, "bad_token"},
		"a journal that went": {h.show(of("gone")), "replay_expired"},
		"a match that runs":   {h.show(anyEyes()), "match_runs"},
		"no such team":        {h.show(noTeam), "no_seat"},
		"an empty journal":    {h.show(of("empty")), "replay_unreadable"},
		"a broken journal":    {h.show(of("broken")), "replay_unreadable"},
		"no match id":         {h.show(of("../x")), "replay_expired"},
	} {
		if got := h.refused(o, c.hello); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	// That a journal is played differently shows once it is played.
	w := h.dial(o, false)
	w.send(&pb.ClientFrame{Hello: h.show(of("diverged"))})
	if got := w.goodbye(); got != "replay_version" {
		t.Errorf("a match that is played differently: %s", got)
	}
	<-w.served
	h.holdsNothing("after everybody was refused")
}

// holdsNothing waits until the service has no viewings. A viewing gives up its resources after it dismissed its
// clients.
func (h *stand) holdsNothing(what string) {
	h.t.Helper()
	var held struct{ recordings, bytes, viewings, tokens, slots int }
	eventually.Holds(h.t, what+": nothing is held", func() bool {
		s := h.service
		held.recordings, held.bytes = s.cfg.Library.Usage()
		s.mu.Lock()
		defer s.mu.Unlock()
		held.viewings, held.tokens = len(s.viewings), len(s.tokens)
		held.slots = int(s.cfg.Ledger.Held(quota.ReplayViewings))
		return held.recordings+held.bytes+held.viewings+held.tokens+held.slots == 0
	}, &held)
}

// TestHostileClients: for every message, a client is answered or sent away, and others
// go on.
func TestHostileClients(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	h.write(o, testTicks, true)
	good := h.watch(o, anyEyes(), false)
	for name, f := range map[string]*pb.ReplayControl{
		"all at their most":  {Seek: proto.Uint32(1<<32 - 1), Step: proto.Int32(1<<31 - 1), Percent: proto.Uint32(1<<32 - 1), Eyes: proto.Uint32(1<<32 - 1), Paused: proto.Bool(true)},
		"all at their least": {Seek: proto.Uint32(0), Step: proto.Int32(-1 << 31), Percent: proto.Uint32(0), Eyes: proto.Uint32(0), Paused: proto.Bool(true)},
		"nothing":            {},
	} {
		w := h.watch(o, anyEyes(), false)
		w.control(f)
		w.control(&pb.ReplayControl{Seek: proto.Uint32(33), Paused: proto.Bool(true)})
		if w.state.Tick() != 33 {
			t.Errorf("%s: it stands at tick %d", name, w.state.Tick())
		}
		w.end.Close()
	}
	bad := [][]byte{{0xff}, make([]byte, wire.ClientBytesMax+1), {0x52, 0x01, 0xff}}
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range append(bad, hello) {
		w := h.watch(o, anyEyes(), false)
		if err := w.end.Write(b); err != nil {
			t.Fatal(err)
		}
		if got := w.goodbye(); got != "bad_message" {
			t.Errorf("%x…: %s", b[:1], got)
		}
	}
	// Orders, chat, cameras and paces of a viewer have no effect.
	w := h.watch(o, anyEyes(), false)
	w.send(&pb.ClientFrame{Orders: []*pb.Order{{Seq: 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}, Says: []*pb.Say{{Seq: 2, All: true, Text: "x"}},
		Camera: &pb.Camera{X: 1}, Pace: &pb.Pace{BytesPerS: 1}, SetSpeed: &pb.SetSpeed{Percent: 300}, Applied: 1 << 31, Resync: true})
	w.control(&pb.ReplayControl{Seek: proto.Uint32(200), Paused: proto.Bool(true)})
	good.control(&pb.ReplayControl{Seek: proto.Uint32(120), Paused: proto.Bool(true)})
	if w.state.Tick() != 200 || good.state.Tick() != 120 {
		t.Errorf("they stand at ticks %d and %d", w.state.Tick(), good.state.Tick())
	}
}

// TestASeekStorm: of many seeks at once the last one counts, all are answered, and few
// snapshots are made.
func TestASeekStorm(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	h.write(o, testTicks, true)
	w := h.watch(o, anyEyes(), false)
	w.control(&pb.ReplayControl{Paused: proto.Bool(true)})
	before := w.snapshots
	const storm = 400
	go func() { // the service may wait for the client to read
		for i := range uint32(storm) {
			b, _ := proto.Marshal(&pb.ClientFrame{Replay: &pb.ReplayControl{Seek: proto.Uint32(1 + i*97%testTicks), Number: w.number + 1 + i}})
			if w.end.Write(b) != nil {
				return
			}
		}
	}()
	last := w.number + storm
	w.read(func(f *wire.ServerFrame) bool { return f.Replay != nil && f.Replay.Done == last })
	w.number = last
	want := grid.Tick(1 + (storm-1)*97%testTicks)
	for w.state.Tick() != want {
		w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
	}
	t.Logf("%d seeks, %d snapshots", storm, w.snapshots-before)
}

// TestAClientThatTakesNothing holds its viewing up: the viewing does not play on, and the
// memory that its frames take is bounded.
func TestAClientThatTakesNothing(t *testing.T) {
	o := played(t)
	h := newStand(t, nil)
	h.write(o, testTicks, true)
	w := h.watch(o, anyEyes(), false)
	w.quiet = true
	w.ask(&pb.ReplayControl{Percent: proto.Uint32(1600)})
	begin := w.frames
	for w.frames-begin < flightFrames-8 {
		w.ask(&pb.ReplayControl{Seek: proto.Uint32(uint32(1 + w.frames*37%200))})
		w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
		if w.state.Watching.State == pb.ReplayState_REPLAY_STATE_ENDED {
			break
		}
	}
	var v *viewing
	for x := range h.service.viewings {
		v = x
	}
	eventually.Holds(t, "no frame is sent to a client that applies none", func() (stuck bool) {
		w.ask(&pb.ReplayControl{Seek: proto.Uint32(uint32(1 + w.number*41%200))})
		drained := false
		for !drained { // it reads, and never says so
			select {
			case b := <-w.end.In:
				if _, err := w.state.Receive(b); err != nil {
					t.Fatal(err)
				}
			default:
				drained = true
			}
		}
		v.do(func() { stuck = len(v.viewers[0].flight) >= flightFrames && v.viewers[0].owes })
		return stuck
	})
	// Once it acknowledges, it goes on.
	w.send(&pb.ClientFrame{Applied: uint32(w.state.Tick())})
	w.quiet = false
	w.control(&pb.ReplayControl{Seek: proto.Uint32(77), Paused: proto.Bool(true)})
}

// TestResume: a viewing outlives its connection for a while, with each of its last two
// tokens, and never with an older one; and the right is asked for again.
func TestResume(t *testing.T) {
	o := played(t)
	var gone atomic.Bool
	h := newStand(t, func(c *Config, _ *playback.Config) { c.Grace = time.Minute })
	h.resumed = func(shared.Right) error {
		if gone.Load() {
			return &link.Refusal{Code: "banned_account", Text: "banned"}
		}
		return nil
	}
	h.write(o, testTicks, true)
	w := h.watch(o, anyEyes(), false)
	first := w.state.Welcome.Resume
	w.control(&pb.ReplayControl{Seek: proto.Uint32(150), Paused: proto.Bool(true), Eyes: proto.Uint32(1)})
	back := func(token string) *watcher {
		x := h.dial(o, false)
		x.send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Resume: token}})
		x.read(func(f *wire.ServerFrame) bool { return f.Welcome != nil || f.Closing != nil })
		return x
	}
	w.end.Close()
	lost := back(first) // it loses its welcome, and so the newer token
	lost.end.Close()
	x := back(first)
	if x.closing != nil {
		t.Fatalf("the token that the client had: %v", x.closing)
	}
	x.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
	x.control(&pb.ReplayControl{Paused: proto.Bool(true)})
	if x.state.Tick() != 150 {
		t.Errorf("it goes on at tick %d", x.state.Tick())
	}
	x.control(&pb.ReplayControl{Step: proto.Int32(1)}) // by now it has told what it has applied
	if y := back(first); y.closing.GetCode() != "bad_token" {
		t.Errorf("the first token, once a newer one was used: %v", y.closing)
	}
	newer := back(x.state.Welcome.Resume)
	if got := x.goodbye(); got != "replaced" || newer.closing != nil {
		t.Errorf("the older connection ends with %s, the newer one with %v", got, newer.closing)
	}
	gone.Store(true)
	if y := back(newer.state.Welcome.Resume); y.closing.GetCode() != "banned_account" {
		t.Errorf("after a ban: %v", y.closing)
	}
}

// TestAViewingEnds: with its right, with the service, and a while after its last
// connection. Nothing is held any more then.
func TestAViewingEnds(t *testing.T) {
	o := played(t)
	ledger := quota.New(quota.Defaults())
	h := newStand(t, func(c *Config, _ *playback.Config) { c.Ledger = ledger })
	h.write(o, testTicks, true)
	w := h.watch(o, anyEyes(), false)
	b := h.beside(w, false)
	if list := h.service.Viewings(); len(list) != 1 || list[0].Account != "w" || list[0].Match != testMatch || ledger.Held(quota.ReplayViewings) != 1 {
		t.Errorf("viewings %+v, %d held", list, ledger.Held(quota.ReplayViewings))
	}
	h.service.End("somebody else", testMatch, errGone)
	h.service.End("w", "another match", errGone)
	w.control(&pb.ReplayControl{Seek: proto.Uint32(9)})
	h.service.End("w", testMatch, &link.Refusal{Code: "kicked", Text: "kicked"})
	if x, y := w.goodbye(), b.goodbye(); x != "kicked" || y != "kicked" {
		t.Errorf("they end with %s and %s", x, y)
	}
	h.holdsNothing("after the right ended")
	w = h.watch(o, anyEyes(), false)
	w.end.Close()
	h.holdsNothing("after the connection was lost")
	w = h.watch(o, anyEyes(), false)
	go h.service.Close()
	if got := w.goodbye(); got != "stopping" {
		t.Errorf("the service stops: %s", got)
	}
}

// TestIdleTimeBeginsWithTheFirstClient: the time that a viewing is kept without a client begins with its
// first one, so a busy machine may take its time until then.
func TestIdleTimeBeginsWithTheFirstClient(t *testing.T) {
	o := played(t)
	h := newStand(t, func(c *Config, _ *playback.Config) { c.Grace = time.Nanosecond })
	h.write(o, testTicks, true)
	for range 5 {
		w := h.watch(o, anyEyes(), false)
		w.read(func(f *wire.ServerFrame) bool { return f.IsFrame() })
		w.end.Close()
		h.holdsNothing("after the connection was lost")
	}
}

// TestLimits: viewings are bounded by account, and memory by the service.
func TestLimits(t *testing.T) {
	o := played(t)
	h := newStand(t, func(c *Config, _ *playback.Config) { c.Ledger = quota.New(quota.Defaults()) })
	h.write(o, testTicks, true)
	h.watch(o, anyEyes(), false)
	h.watch(o, anyEyes(), false)
	if got := h.refused(o, h.show(anyEyes())); got != "replay_busy" {
		t.Errorf("a third viewing of one account: %s", got)
	}
	small := newStand(t, func(_ *Config, l *playback.Config) {
		l.Ledger = quota.New(quota.Limits{{Resource: quota.ReplayBytes, Most: [5]int64{quota.Process: 30 << 20}}})
	})
	small.write(o, testTicks, true)
	small.watch(o, anyEyes(), false)
	n := 0
	for n < 9 && small.refused(o, small.show(anyEyes())) == "" {
		n++
	}
	if n > 3 {
		t.Errorf("%d worlds fit into 30 MiB", n)
	}
	tiny := newStand(t, func(_ *Config, l *playback.Config) {
		l.Ledger = quota.New(quota.Limits{{Resource: quota.ReplayBytes, Most: [5]int64{quota.Process: 4000}}})
	})
	tiny.write(o, testTicks, true)
	if got := tiny.refused(o, tiny.show(anyEyes())); got != "replay_unreadable" && got != "replay_busy" {
		t.Errorf("a journal larger than the memory: %s", got)
	}
}

// TestReplaysWaitForLiveMatches: while the server has no time to spare viewers see that
// they wait, and the replay goes on slowly.
func TestReplaysWaitForLiveMatches(t *testing.T) {
	o := played(t)
	var busy atomic.Bool
	h := newStand(t, func(_ *Config, l *playback.Config) { l.Busy = busy.Load })
	h.write(o, testTicks, true)
	w := h.watch(o, anyEyes(), false)
	w.control(&pb.ReplayControl{Seek: proto.Uint32(20)})
	busy.Store(true)
	w.read(func(f *wire.ServerFrame) bool {
		return f.Replay.GetState() == pb.ReplayState_REPLAY_STATE_WAITING_FOR_SERVER
	})
	n := w.ask(&pb.ReplayControl{Seek: proto.Uint32(60)})
	w.read(func(f *wire.ServerFrame) bool { return f.Replay != nil && f.Replay.Done >= n && f.Replay.Tick >= 60 })
}

// TestOverAWebsocket: the way of a browser, with the limits of connections.
func TestOverAWebsocket(t *testing.T) {
	o := played(t)
	limits, err := quota.Defaults().Set([]string{"handshakes.address=2", "handshakes.reserve=0"})
	if err != nil {
		t.Fatal(err)
	}
	h := newStand(t, func(c *Config, _ *playback.Config) {
		c.Ledger, c.Address, c.Grace = quota.New(limits), peer, time.Hour
	})
	h.write(o, testTicks, true)
	s := httptest.NewServer(h.service)
	defer s.Close()
	dial := func() (*socket.Conn, error) {
		return socket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL, "http"), nil)
	}
	c, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	state := client.New(client.Config{Map: client.OneMap(o.setup.Map), DerivesFog: true})
	if err := c.Send(state.Hello(h.ticket(anyEyes()))); err != nil {
		t.Fatal(err)
	}
	w := &watcher{t: t, o: o, state: state, born: time.Now()}
	for w.checked < 5 {
		b, err := c.Read()
		if err != nil {
			t.Fatal(err)
		}
		f, err := state.Receive(b)
		if err != nil {
			t.Fatal(err)
		}
		if f.IsFrame() {
			w.check(f.Diff.Snapshot)
		}
		if err := c.Send(state.Ack()); err != nil {
			t.Fatal(err)
		}
	}
	if x, err := dial(); err == nil {
		x.Close()
	} else {
		t.Error(err)
	}
	if x, err := dial(); err == nil {
		x.Close()
		t.Error("a third connection attempt is let in")
	}
	// The viewing does not wait for a client that took leave, as it does after a lost connection.
	c.Bye()
	eventually.Holds(t, "the viewing of a client that took leave ends", func() bool { return len(h.service.Viewings()) == 0 })
}

// peer is the address of all requests of a test.
func peer(*http.Request) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, 2, 1}) }

var errDown = errors.New("the database is down")

type downAdmitter struct{}

func (downAdmitter) Redeem(context.Context, string, netip.Addr) (shared.Right, error) {
	return shared.Right{}, errDown
}
func (downAdmitter) Resume(context.Context, shared.Right, netip.Addr) (shared.Right, error) {
	return shared.Right{}, errDown
}

// TestTheLobbyIsDown: an error that is no refusal does not show its text to a client.
func TestTheLobbyIsDown(t *testing.T) {
	h := newStand(t, func(c *Config, _ *playback.Config) { c.Admitter = downAdmitter{} })
	w := h.dial(played(t), false)
	w.send(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: "x"}})
	if got := w.goodbye(); got != "unavailable" || strings.Contains(w.closing.Text, "database") {
		t.Errorf("%v", w.closing)
	}
}

package match

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// shotAfter plays a match in which slot 0's gun is ordered to fire at the
// ground, over a link with a delay each way, and returns after how many
// ticks from the order's tick on the shot left, and how far on the projectile
// began, in ticks of its flight.
func shotAfter(t *testing.T, up, down grid.Tick, lagMaxMs int32, trip func() (time.Duration, bool)) (ticks grid.Tick, ahead float64) {
	t.Helper()
	rs := *shipped(t)
	rs.Settings.LagMaxMs = lagMaxMs
	spec := Spec{
		ID: matchID, Map: flatMap(48), Rules: &rs, Seed: 5, TickRate: 20, EveryTick: true,
		Seats: []SeatSpec{{Name: "shooter", Team: 0, Start: 0}, {Name: "foe", Team: 1, Start: 1}},
	}
	r := newLinkHarness(t, t, spec, Config{})
	typ, _ := rs.TypeByName("artillery")
	at := grid.Tile{X: 24, Y: 18}.Center()
	gun := simtest.Edit(r.m.world).Add(0, typ, grid.Tile{X: 24, Y: 10}.Center())
	for _, e := range r.ends {
		e.quiet, e.sure = true, true
		e.enter(false)
	}
	e := r.ends[0]
	if trip != nil {
		e.conn.Transport = timedTransport{trip}
	}
	e.upDelay, e.downDelay = up, down
	tick := func() {
		r.log.synced = r.log.next
		r.tick()
	}
	for range 15 * 20 {
		tick()
	}
	handle, _ := r.m.world.Knowledge(0).HandleOf(gun)
	arrived := r.now() + 1 + up
	e.say(&pb.ClientFrame{Orders: []*pb.Order{{
		Seq: 1, Kind: pb.OrderKind_ORDER_KIND_ATTACK_GROUND, Units: []uint32{uint32(handle)}, To: &pb.Point{X: at.X, Y: at.Y},
	}}})
	for range 100 {
		tick()
		for _, ev := range r.m.world.Events() {
			if ev.Kind != sim.EventShot || ev.Source != gun.ID() {
				continue
			}
			for _, p := range r.m.world.Entities() {
				if p.Class() == rules.ClassProjectile {
					x, y := p.Fine()
					cx, cy := gun.Fine()
					_, vy := p.Vel()
					if x != cx || vy == 0 {
						t.Fatalf("the shell is at %d,%d, the gun at %d,%d", x, y, cx, cy)
					}
					return r.now() - arrived - sim.OrderDelay, float64(y-cy) / float64(vy)
				}
			}
		}
	}
	t.Fatal("no shot left")
	return 0, 0
}

// timedTransport says how long its trips take.
type timedTransport struct {
	trip func() (time.Duration, bool)
}

func (timedTransport) Read() ([]byte, error)              { select {} }
func (timedTransport) Write([]byte) error                 { return nil }
func (timedTransport) Close() error                       { return nil }
func (t timedTransport) RoundTrip() (time.Duration, bool) { return t.trip() }

// TestLagIsMadeUpFor: the rule of docs/reference/rules.md, in matches over links with a delay. The
// gun winds up for 10 ticks.
func TestLagIsMadeUpFor(t *testing.T) {
	none, _ := shotAfter(t, 0, 0, 150, nil)
	for _, tt := range []struct {
		name     string
		up, down grid.Tick
		max      int32
		trip     func() (time.Duration, bool)
		saved    grid.Tick
		ahead    float64
	}{
		{"a tick each way", 1, 1, 150, nil, 2, 0},
		{"more than is made up for", 4, 6, 150, nil, 3, 0},
		{"longer than the wind-up", 6, 6, 800, nil, 10, 2},
		{"rules that make up for nothing", 4, 4, 0, nil, 0, 0},
		{"pings that took as long", 2, 1, 150, took(150 * time.Millisecond), 3, 0},
		{"pings that took less", 2, 1, 150, took(60 * time.Millisecond), 1, 0},
		// A client that acknowledges late, or answers no ping, gains nothing by it.
		{"slow to tell on a fast link", 8, 0, 150, took(2 * time.Millisecond), 0, 0},
		{"no ping answered", 4, 4, 150, func() (time.Duration, bool) { return 0, false }, 0, 0},
		{"slow pongs on a fast link", 0, 0, 150, took(time.Second), 0, 0},
	} {
		got, ahead := shotAfter(t, tt.up, tt.down, tt.max, tt.trip)
		if got != none-tt.saved || ahead != tt.ahead {
			t.Errorf("%s: the shot left after %d ticks, without lag %d, and began %v ticks on; want %d saved and %v", tt.name, got, none, ahead, tt.saved, tt.ahead)
		}
	}
}

func took(d time.Duration) func() (time.Duration, bool) {
	return func() (time.Duration, bool) { return d, true }
}

// TestSocketsTimeTheirPings: the browser, and any websocket library, answers
// pings by itself.
func TestSocketsTimeTheirPings(t *testing.T) {
	t.Parallel()
	a := newServiceHarness(t, 64, 0, 1)
	server := serve(a.service)
	defer server.Close()
	c, r, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(server.URL, "http")+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	defer c.Close()
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: fmt.Sprint(matchID, " 0")}})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.WriteMessage(websocket.BinaryMessage, hello); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			if _, _, err := c.ReadMessage(); err != nil {
				return
			}
		}
	}()
	a.asked()
	a.tick()
	socket := a.live.seats.all[0].conn.Transport.(link.TripTimer)
	began := time.Now()
	var trip time.Duration
	eventually.Holds(t, "the client answers a ping", func() (ok bool) { trip, ok = socket.RoundTrip(); return ok })
	if trip <= 0 || trip > time.Since(began)+time.Second {
		t.Errorf("on one machine a ping took %v", trip)
	}
}

package linktest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/matchkit"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const matchID = "0190f000-0000-7000-8000-000000000001"

// harness is a service with a match of two players, under a manual clock and behind a listener.
type harness struct {
	t       *testing.T
	service *match.Service
	clock   *matchkit.Manual
	address string
}

func newHarness(t *testing.T, w link.Timeouts) *harness {
	t.Helper()
	skirmish, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("flat", 48, 48)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 39, Y: 39}}
	spec := match.Spec{ID: matchID, Map: m, Rules: skirmish, Seed: 7, EveryTick: true, Seats: []match.SeatSpec{{Name: "a"}, {Name: "b", Team: 1, Start: 1}}}
	a := &harness{t: t, clock: matchkit.NewManual(time.Unix(1000, 0))}
	a.service = match.New(match.Config{Journals: journaltest.OpenDir(t), Admitter: &doorman{}, Clock: a.clock, Sockets: w})
	t.Cleanup(a.service.Close)
	if err := a.service.Start(spec); err != nil {
		t.Fatal(err)
	}
	s := serve(a.service)
	t.Cleanup(s.Close)
	a.address = s.Listener.Addr().String()
	return a
}

// serve serves as the server does, with sockets that can be written to without waiting.
func serve(h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Listener = listen.Listener(s.Listener, nil, nil, false, false)
	s.Start()
	return s
}

// tick lets the match play one tick.
func (a *harness) tick() { a.clock.Tick(a.t.Context().Done()) }

// until lets the match play until ok holds.
func (a *harness) until(what string, ok func() bool) {
	a.t.Helper()
	eventually.Holds(a.t, what, func() bool {
		if ok() {
			return true
		}
		a.tick()
		return ok()
	})
}

// during lets the match play until f returns.
func (a *harness) during(f func()) {
	a.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	a.until("the other goroutine is done", func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	})
}

// connected reports whether the first player has a connection.
func (a *harness) connected() bool { return a.service.Matches()[0].Seats[0].Connected }

// doorman admits the bearer of the ticket "<match> <slot>", once.
type doorman struct {
	mu   sync.Mutex
	used []string
}

func (d *doorman) Redeem(_ context.Context, ticket string, _ netip.Addr) (match.Seat, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var id string
	var slot grid.Slot
	if n, _ := fmt.Sscanf(ticket, "%36s %d", &id, &slot); n != 2 || slices.Contains(d.used, ticket) {
		return match.Seat{}, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	d.used = append(d.used, ticket)
	return match.Seat{Match: id, Slot: slot, Account: fmt.Sprint("account", slot)}, nil
}

func (d *doorman) Resume(context.Context, match.Seat, netip.Addr) error { return nil }

func (d *doorman) Release(context.Context, match.Seat, *link.Refusal) {}

// firstHello returns the first message of the player of slot 0.
func firstHello(t *testing.T) []byte {
	return marshal(t, &pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: matchID + " 0"}})
}

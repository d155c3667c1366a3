package bot

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/matchkit"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// doorman takes the ticket "slot N".
type doorman struct{}

func (doorman) Resume(context.Context, match.Seat, netip.Addr) error { return nil }

func (doorman) Release(context.Context, match.Seat, *link.Refusal) {}

func (doorman) Redeem(_ context.Context, ticket string, _ netip.Addr) (match.Seat, error) {
	var slot int
	if _, err := fmt.Sscanf(ticket, "slot %d", &slot); err != nil {
		return match.Seat{}, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	return match.Seat{Match: serviceMatch, Slot: grid.Slot(slot)}, nil
}

// clerk keeps the one result, and says when it has it.
type clerk struct {
	result match.Result
	has    chan struct{}
}

func (c *clerk) Ended(_ context.Context, r match.Result) error {
	c.result = r
	close(c.has)
	return nil
}

const serviceMatch = "0190f000-0000-7000-8000-00000000b075"

// cutter is a listener whose connections a test can cut.
type cutter struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (c *cutter) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		c.conns = append(c.conns, conn)
		c.mu.Unlock()
	}
	return conn, err
}

// cut cuts all connections there are.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	c.conns = nil
}

// The bot plays a real match service over real sockets, is cut off twice, and
// still wins against a player who only listens.
func TestBotPlaysTheService(t *testing.T) {
	library, err := mapfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	entry, _ := library.ByID("twin-fords")
	rules, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	journals := journaltest.OpenDir(t)
	results, clock := &clerk{has: make(chan struct{})}, matchkit.NewManual(time.Unix(1000, 0))
	service := match.New(match.Config{Journals: journals, Admitter: doorman{}, Reporter: results, Clock: clock, Grace: time.Hour})
	defer service.Close()
	server := httptest.NewUnstartedServer(http.HandlerFunc(service.ServeHTTP))
	cutter := &cutter{Listener: server.Listener}
	server.Listener = cutter
	server.Start()
	defer server.Close()
	socket := "ws" + strings.TrimPrefix(server.URL, "http")
	err = service.Start(spec.Match{
		ID: serviceMatch, Map: entry.Map, Rules: rules, Seed: 3, TickRate: 10,
		Seats: []spec.Seat{{Name: "listener", Team: 0, Start: 0}, {Name: "bot", Team: 1, Start: 1, Bot: true}},
	})
	if err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	var side sync.WaitGroup
	defer side.Wait()
	side.Go(func() { listen(socket) })
	type outcome struct {
		Result
		err error
	}
	done := make(chan outcome, 1)
	side.Go(func() {
		r, err := Play(ctx, Config{
			Socket: socket, Ticket: "slot 1", Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
			Map: func(_ context.Context, hash string) (*grid.Map, error) {
				h, err := grid.ParseMapHash(hash)
				if err != nil {
					return nil, err
				}
				e, ok := library.ByHash(h)
				if !ok {
					return nil, fmt.Errorf("no map %s", hash)
				}
				return e.Map, nil
			},
		})
		done <- outcome{r, err}
	})
	// A match goes on a little after its end, and then reports.
	for tick := 1; ctx.Err() == nil && clock.Tick(results.has); tick++ {
		if tick == 500 || tick == 1200 {
			cutter.cut()
		}
		time.Sleep(time.Millisecond) // many times faster than life; the sockets keep up
	}
	out := <-done
	if out.err != nil {
		t.Fatal(out.err)
	}
	if !out.Won || out.Reconnects < 2 || out.MatchID != serviceMatch {
		t.Errorf("result %+v", out.Result)
	}
	select {
	case <-results.has:
	case <-ctx.Done():
		t.Fatal("no result was reported")
	}
	if r := results.result; r.Failed != "" || r.Ended == nil || r.Ended.Winner != 1 {
		t.Errorf("reported %+v", r)
	}
	t.Logf("won at tick %d after %d orders and %d reconnects", out.Tick, out.Orders, out.Reconnects)
}

// listen takes the other seat and reads until the socket ends.
func listen(socket string) {
	conn, _, err := websocket.DefaultDialer.Dial(socket, nil)
	if err != nil {
		return
	}
	defer conn.Close()
	b, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: "slot 0"}})
	if err != nil || conn.WriteMessage(websocket.BinaryMessage, b) != nil {
		return
	}
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			return
		}
	}
}

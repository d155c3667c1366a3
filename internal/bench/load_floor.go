package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/cli"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// StormFloor is a server that only accepts, answers and upgrades, and has ticks that compute and do not send. With
// the same clients on the same processors it shows the clients' part of a storm.
type StormFloor struct {
	Matches    int           `help:"Matches at once, 20 ticks per second each."`
	Mean, Slow time.Duration `help:"Processor time of a tick: 49 in 50 take the first, one the second."`
}

// loadFloor is the hidden command that is the floor's server.
type loadFloor struct{ StormFloor }

// Run serves until its input ends.
func (c *loadFloor) Run(in *cli.Invocation) error {
	return ServeStormFloor(in.Ctx, c.StormFloor, os.Stdin, in.Stdout)
}

// StormTicks is how long the floor's ticks took since they were last asked for.
type StormTicks struct {
	Count int     `json:"count"`
	P99Ms float64 `json:"p99_ms"`
}

// ServeStormFloor serves until ctx or in ends. The first line that it writes is its URL.
func ServeStormFloor(ctx context.Context, f StormFloor, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in) // until the one who measures is gone
		cancel()
	}()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ticks := &floorTicks{perMs: roundsPerMs()}
	server := &http.Server{Handler: floorRoutes(ticks), ReadHeaderTimeout: floorWrite}
	if _, err := fmt.Fprintf(out, "http://%s\n", listener.Addr()); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	for range f.Matches {
		g.Go(func() error { return ticks.run(ctx, f) })
	}
	g.Go(func() error { return server.Serve(listener) })
	g.Go(func() error {
		<-ctx.Done()
		return server.Close()
	})
	if err := g.Wait(); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

func floorRoutes(ticks *floorTicks) http.Handler {
	mux := http.NewServeMux()
	guest, err := json.Marshal(api.LoggedIn{Token: strings.Repeat("0", 43)})
	if err != nil {
		panic("bench: a log-in is plain data: " + err.Error())
	}
	mux.HandleFunc("POST /api/guest", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(guest)
	})
	mux.HandleFunc("GET /api/queue/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: standing\ndata: {}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	var upgrader websocket.Upgrader
	mux.HandleFunc("GET /ws", func(w http.ResponseWriter, r *http.Request) {
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
			if err := conn.WriteMessage(websocket.BinaryMessage, guest); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("GET /ticks", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(ticks.take())
	})
	return mux
}

// floorTicks is how long ticks took.
type floorTicks struct {
	perMs float64 // rounds of work

	mu   sync.Mutex
	took []time.Duration
}

// run has one match's ticks.
func (f *floorTicks) run(ctx context.Context, of StormFloor) error {
	clock := time.NewTicker(time.Second / grid.TickRateDefault)
	defer clock.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-clock.C:
		}
		work := of.Mean
		if n%50 == 0 {
			work = of.Slow
		}
		began := time.Now()
		compute(int(work.Seconds() * 1000 * f.perMs))
		took := time.Since(began)
		f.mu.Lock()
		f.took = append(f.took, took)
		f.mu.Unlock()
	}
}

func (f *floorTicks) take() StormTicks {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := StormTicks{len(f.took), millis(f.took, 99)}
	f.took = f.took[:0]
	return t
}

// compute works for so many rounds.
func compute(rounds int) (sum uint32) {
	var b [64]byte
	for range rounds {
		sum = crc32.Update(sum, crc32.IEEETable, b[:])
		b[sum%64]++
	}
	return sum
}

// roundsPerMs measures how many rounds of [compute] a millisecond has: the most of some
// tries, since others may use the processor too.
func roundsPerMs() (most float64) {
	const rounds = 20_000
	for range 20 {
		began := time.Now()
		sum := compute(rounds)
		if took := time.Since(began); took > 0 && sum != 1 {
			most = max(most, rounds/(took.Seconds()*1000))
		}
	}
	return most
}

// floorSettle is how long the floor's ticks are measured before the storm.
const floorSettle = 3

// stormFloor has the same storm on a server without matches, on the processors of the
// other, which has ended.
func (l *load) stormFloor(ctx context.Context, quiet ticking) error {
	if l.Storm == 0 {
		return nil
	}
	l.Progress("the same storm on an idle server")
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	// Processor time, which others on the machine do not make longer; the server's ticks had nearly all.
	tick := seconds(l.report.ServerCore / float64(l.Matches*grid.TickRateDefault))
	url, end, err := startStormFloor(ctx, l, StormFloor{l.Matches, tick, min(seconds(quiet.took.Percentile(99)), 10*tick)})
	if err != nil {
		return err
	}
	defer end()
	l.node.URL = url
	players := make([]*floorPlayer, min(l.Storm, len(l.clients)))
	for i := range players {
		players[i] = &floorPlayer{back: make(chan time.Time, 1)}
		running.Go(func() { players[i].run(ctx, l) })
	}
	others := make([]*idler, l.Storm-len(players))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := range others {
		g.Go(func() error {
			others[i] = &idler{load: l, who: l.guest()}
			return others[i].enter(gctx, ctx)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	defer func() {
		for _, x := range others {
			x.cut()
		}
	}()
	for _, p := range players {
		if _, err := p.wait(ctx); err != nil {
			return err
		}
	}
	if err := l.settle(ctx); err != nil {
		return err
	}
	if _, err := l.floorTicks(ctx); err != nil {
		return err
	}
	if err := sleep(ctx, floorSettle); err != nil {
		return err
	}
	before, err := l.floorTicks(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	for _, p := range players {
		p.cut()
	}
	logins, backs, err := l.comeBack(ctx, others, began)
	if err != nil {
		return err
	}
	for _, p := range players {
		at, err := p.wait(ctx)
		if err != nil {
			return err
		}
		backs = append(backs, at.Sub(began))
	}
	if rest := stormSeconds*time.Second - time.Since(began); rest > 0 {
		time.Sleep(rest)
	}
	after, err := l.floorTicks(ctx)
	if err != nil {
		return err
	}
	if least := l.Matches * grid.TickRateDefault * floorSettle / 2; !l.AnyPace && (before.Count < least || after.Count < least) {
		return fmt.Errorf("bench load: the floor had %d and %d ticks, at least %d were to be measured", before.Count, after.Count, least)
	}
	l.report.FloorReconnectP99S, l.report.FloorLoginP99S = millis(backs, 99)/1000, millis(logins, 99)/1000
	l.report.FloorTickP99Ms, l.report.FloorTickP99 = after.P99Ms, ratio(after.P99Ms, before.P99Ms)
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// startStormFloor starts the server in a process of its own.
func startStormFloor(ctx context.Context, l *load, f StormFloor) (url string, end func(), err error) {
	c, err := startChild(ctx, l.Self, os.Stderr, "load-floor", "--matches", fmt.Sprint(f.Matches), "--mean", f.Mean.String(), "--slow", f.Slow.String())
	if err != nil {
		return "", nil, err
	}
	end = func() { _ = c.Close() }
	line, err := c.ReadString('\n')
	if err != nil {
		end()
		return "", nil, fmt.Errorf("bench load: the floor's server: %w", err)
	}
	return strings.TrimSpace(line), end, nil
}

// floorTicks asks the floor for its ticks since the last time.
func (l *load) floorTicks(ctx context.Context) (t StormTicks, err error) {
	return t, l.guest().Call(ctx, http.MethodGet, "/ticks", nil, &t)
}

// floorPlayer is a player of the floor: it dials, says hello, and waits for an answer.
type floorPlayer struct {
	back chan time.Time // when it had its answer

	mu   sync.Mutex
	conn *socket.Conn
}

func (p *floorPlayer) run(ctx context.Context, l *load) {
	who := l.guest()
	route := socket.NewRoute(who.Socket(), "")
	for ctx.Err() == nil {
		p.connection(ctx, route, who.Header)
		select {
		case <-ctx.Done():
		case <-time.After(route.Lost()):
		}
	}
}

func (p *floorPlayer) connection(ctx context.Context, route *socket.Route, header http.Header) {
	conn, err := route.Dial(ctx, header)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if conn.Send(&pb.ClientFrame{}) != nil {
		return
	}
	if _, err := conn.Read(); err != nil {
		return
	}
	route.Welcomed(nil)
	p.mu.Lock()
	p.conn = conn
	p.mu.Unlock()
	select {
	case p.back <- time.Now():
	case <-ctx.Done():
	}
	_, _ = conn.Read() // until it is cut
}

func (p *floorPlayer) wait(ctx context.Context) (time.Time, error) {
	select {
	case at := <-p.back:
		return at, nil
	case <-time.After(waitMax):
		return time.Time{}, fmt.Errorf("bench load: after %v a player of the floor is not there", waitMax)
	case <-ctx.Done():
		return time.Time{}, ctx.Err()
	}
}

func (p *floorPlayer) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn.Close()
}

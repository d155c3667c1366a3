package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/lobby/api"
	lobbyclient "github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// SoakConfig is what [Soak] does.
type SoakConfig struct {
	Host
	For   time.Duration // rounds begin until then
	Lanes int           // rounds at a time
	Seed  uint64
	Every time.Duration // between two samples
}

// SoakSample is what the server's process held at a moment.
type SoakSample struct{ Goroutines, Descriptors, HeapMB float64 }

// SoakReport is what a soak did, and what the server held meanwhile.
type SoakReport struct {
	Rounds int // each is a match from its lobby to its replay

	Before SoakSample // once it was open, with nobody in
	// Early and Late are medians of the second and the last quarter of the time, Samples
	// is how many there were in all.
	Early, Late SoakSample
	Samples     int
	After       SoakSample // once everybody had left
}

// Leaks returns in what the server held more late than early, or holds more after all
// have left than before anybody came. What of a pool stays open is allowed for. Medians
// of few samples are not compared.
func (r *SoakReport) Leaks() (out []string) {
	grown := func(what string, early, late, share, slack float64) {
		if late > early*share+slack {
			out = append(out, fmt.Sprintf("%s: %.0f, then %.0f", what, early, late))
		}
	}
	grown("goroutines after the end", r.Before.Goroutines, r.After.Goroutines, 1, soakGoroutines)
	grown("descriptors after the end", r.Before.Descriptors, r.After.Descriptors, 1, soakDescriptors)
	if r.Samples >= soakSamples {
		grown("goroutines", r.Early.Goroutines, r.Late.Goroutines, 1.15, soakGoroutines)
		grown("descriptors", r.Early.Descriptors, r.Late.Descriptors, 1.15, soakDescriptors)
		grown("MB of heap", r.Early.HeapMB, r.Late.HeapMB, 1.2, 8)
	}
	return out
}

// What may be more at the end than at the beginning: connections to the database and of
// whoever reads the metrics.
const (
	soakGoroutines  = 16
	soakDescriptors = 24
	soakSamples     = 120 // of which a quarter has a median that says something
)

// Soak lets matches begin and end on one server, one after the other in each lane, with
// all that people do: they log in, wait with an event stream, play, lose their connection
// and come back, watch late, leave, and watch the replay.
func Soak(ctx context.Context, c SoakConfig) (r SoakReport, err error) {
	l, kill, err := startLoad(ctx, LoadConfig{Host: c.Host, Players: 2, Units: soakUnits, OrdersPerS: 2, Seed: c.Seed}, &LoadReport{})
	if err != nil {
		return r, err
	}
	defer kill()
	node := l.node
	if err := l.chooseMap(ctx); err != nil {
		return r, err
	}
	if r.Before, err = soakSample(ctx, node); err != nil {
		return r, err
	}
	var mu sync.Mutex
	end := time.Now().Add(c.For)
	g, gctx := errgroup.WithContext(ctx)
	for range c.Lanes {
		g.Go(func() error {
			for time.Now().Before(end) {
				if err := l.soakRound(gctx); err != nil {
					return err
				}
				mu.Lock()
				r.Rounds++
				if r.Rounds%100 == 0 {
					c.Progress("%d matches", r.Rounds)
				}
				mu.Unlock()
			}
			return nil
		})
	}
	var samples []SoakSample
	g.Go(func() error {
		for time.Now().Before(end) {
			if err := pauseFor(gctx, c.Every); err != nil {
				return err
			}
			s, err := soakSample(gctx, node)
			if err != nil {
				return err
			}
			samples = append(samples, s)
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return r, fmt.Errorf("%w\n%s", err, node.Output(2000))
	}
	n := len(samples)
	r.Samples, r.Early, r.Late = n, medianSample(samples[n/4:n/2]), medianSample(samples[n-n/4:])
	l.http.CloseIdleConnections()
	idleHTTP.CloseIdleConnections()
	for end := time.Now().Add(waitMax); ; { // the last matches show their end for some seconds
		if r.After, err = soakSample(ctx, node); err != nil {
			return r, err
		}
		if r.After.Goroutines <= r.Before.Goroutines+soakGoroutines && r.After.Descriptors <= r.Before.Descriptors+soakDescriptors || time.Now().After(end) {
			return r, nil
		}
		if err := pauseFor(ctx, 200*time.Millisecond); err != nil {
			return r, err
		}
	}
}

// soakUnits is how many units a player begins with.
const soakUnits = 8

func pauseFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func soakSample(ctx context.Context, n *clustertest.Node) (SoakSample, error) {
	v, err := n.Gauges(ctx, "go_goroutines", "process_open_fds", "go_memstats_heap_alloc_bytes")
	if err != nil {
		return SoakSample{}, err
	}
	return SoakSample{v[0], v[1], v[2] / (1 << 20)}, nil
}

func medianSample(list []SoakSample) SoakSample {
	if len(list) == 0 {
		return SoakSample{}
	}
	of := func(value func(SoakSample) float64) float64 {
		values := make([]float64, len(list))
		for i, s := range list {
			values[i] = value(s)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return SoakSample{
		of(func(s SoakSample) float64 { return s.Goroutines }), of(func(s SoakSample) float64 { return s.Descriptors }),
		of(func(s SoakSample) float64 { return s.HeapMB }),
	}
}

// soakRound is one match, from its lobby to its replay.
func (l *load) soakRound(ctx context.Context) error {
	people := make([]*lobbyclient.Client, 3)
	for i := range people {
		people[i] = l.guest()
		if _, err := people[i].Guest(ctx, ""); err != nil {
			return err
		}
	}
	waits := &idler{load: l, who: l.guest()}
	if err := waits.enter(ctx, ctx); err != nil {
		return err
	}
	defer waits.cut()
	formed, err := people[0].StartMatch(ctx, api.NewLobby{Name: "soak", Map: l.info.id, Limit: 2, Options: map[string]any{
		"countdownSeconds": 0, "ruleset": loadRules, "spectators": 1, "spectatorDelay": 1,
	}}, people[1])
	if err != nil {
		return err
	}
	if err := l.soakPlay(ctx, people, formed.ID); err != nil {
		return err
	}
	for _, p := range people[:2] { // nobody is left: the match ends
		if _, err := p.Leave(ctx, formed.ID); err != nil {
			return err
		}
	}
	return l.soakReplay(ctx, people[0], formed.MatchID)
}

// soakPlay plays a match for a while, with one who watches and one who loses the
// connection.
func (l *load) soakPlay(ctx context.Context, people []*lobbyclient.Client, id string) error {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	if _, err := people[2].Join(ctx, id, api.JoinRequest{Spectate: true}); err != nil {
		return err
	}
	var all []*loadClient
	for i, p := range people {
		number := i
		if i == 2 {
			number = -1
		}
		c := newLoadClient(l, p, id, number)
		if err := c.takeTicket(ctx); err != nil {
			return err
		}
		all = append(all, c)
		running.Go(func() { c.run(ctx) })
	}
	shown := func(what string, ok func(*loadClient) bool) error {
		err := until(ctx, what, all, func(c *loadClient) bool { return c.failed() != nil || ok(c) })
		for _, c := range all {
			err = errors.Join(err, c.failed())
		}
		return err
	}
	if err := shown("all were to see the match", func(c *loadClient) bool { return c.tick.Load() > 0 }); err != nil {
		return err
	}
	all[0].cut()
	if err := shown("all were to be back", func(c *loadClient) bool { return c != all[0] || c.back.Load() }); err != nil {
		return err
	}
	if err := pauseFor(ctx, time.Second); err != nil {
		return err
	}
	for _, c := range all {
		if n := c.resyncs.Load(); n > 0 {
			return fmt.Errorf("bench soak: %d masks were derived wrong", n)
		}
	}
	return nil
}

// soakReplay watches the first frames of a match that was left, once it is over.
func (l *load) soakReplay(ctx context.Context, who *lobbyclient.Client, match string) error {
	state := client.New(client.Config{Map: client.OneMap(l.info.grid), DerivesFog: true})
	var ticket api.Ticket
	for end := time.Now().Add(waitMax); ; {
		err := who.Call(ctx, http.MethodPost, "/api/replays/"+match+"/tickets", map[string]any{"protocol": wire.Protocol}, &ticket)
		if err == nil {
			break
		}
		if no, refused := errors.AsType[*lobbyclient.Refusal](err); !refused || no.Status >= http.StatusInternalServerError || time.Now().After(end) {
			return fmt.Errorf("bench soak: a replay of %s: %w", match, err)
		}
		if err := pauseFor(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	conn, err := socket.Dial(ctx, "ws"+strings.TrimPrefix(who.URL, "http")+"/ws/replay", who.Headers())
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Send(state.Hello(ticket.Ticket)); err != nil {
		return err
	}
	for frames := 0; frames < 5; {
		b, err := conn.Read()
		if err != nil {
			return fmt.Errorf("bench soak: a replay of %s: %w", match, err)
		}
		f, err := state.Receive(b)
		if err != nil {
			return err
		}
		if f.Closing != nil {
			return fmt.Errorf("bench soak: a replay of %s: %s", match, f.Closing.Text)
		}
		if f.IsFrame() {
			frames++
			if err := conn.Send(state.Ack()); err != nil {
				return err
			}
		}
	}
	conn.Bye() // else the viewing is kept for a minute
	return nil
}

package bench

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	inlet "github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/matchkit"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal/journaltest"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
)

// BenchmarkDrivers plays a match of eight bots, over the websockets of a loopback listener
// and over the driver inside the process. An iteration is a tick, to the last bot's
// thoughts about it. The processor time includes theirs.
func BenchmarkDrivers(b *testing.B) {
	for _, name := range []string{link.DriverSocket, link.DriverProcess} {
		b.Run(name, func(b *testing.B) { benchmarkDriver(b, name) })
	}
}

func benchmarkDriver(b *testing.B, name string) {
	rs, err := rules.Shipped("skirmish")
	if err != nil {
		b.Fatal(err)
	}
	m := shippedBattle(b, "eight-crowns", 8, 0, 0).Map.Map
	spec := match.Spec{ID: benchMatch, Map: m, Rules: rs, Seed: 1, EveryTick: true}
	for i := range m.Starts {
		spec.Seats = append(spec.Seats, match.SeatSpec{Name: fmt.Sprint("bot ", i), Team: grid.Team(i), Start: i, Bot: true})
	}
	clock := matchkit.NewManual(time.Unix(1000, 0))
	s := match.New(match.Config{Journals: journaltest.OpenDir(b), Admitter: porter{}, Reporter: porter{}, Clock: clock, FullSpeed: true})
	if err := s.Start(spec); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	defer func() { cancel(); s.Close(); all.Wait() }()
	config := bot.Config{Map: func(context.Context, string) (*grid.Map, error) { return m, nil }}
	if name == link.DriverSocket {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		server := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second}
		defer server.Close()
		all.Go(func() { _ = server.Serve(inlet.Listener(l, nil, nil, false, false)) }) // as the product listens
		config.Socket = "ws://" + l.Addr().String() + "/ws"
	} else {
		d := link.NewProcess()
		all.Go(func() { _ = d.Run(ctx, func(t link.Transport, _ netip.Addr) { s.Serve(t) }) })
		config.Open = func(ctx context.Context) (socket.Link, error) {
			t, err := d.Dial(ctx)
			if err != nil {
				return nil, err
			}
			return socket.Over(ctx, t), nil
		}
	}
	type applied struct {
		seat int
		tick grid.Tick
	}
	news := make(chan applied, 64*len(spec.Seats))
	for i := range spec.Seats {
		c := config
		c.Ticket = fmt.Sprint(i)
		c.Applied = func(t grid.Tick) { news <- applied{i, t} }
		all.Go(func() { _, _ = bot.Play(ctx, c) })
	}
	last, now := make([]grid.Tick, len(spec.Seats)), grid.Tick(0)
	haveAll := func(at grid.Tick) bool {
		for _, t := range last {
			if t < at {
				return false
			}
		}
		return true
	}
	frames := 0
	note := func(a applied) { last[a.seat], now, frames = a.tick, max(now, a.tick), frames+1 }
	for !haveAll(1) { // until all have come
		clock.Tick(nil)
		for wait := time.After(20 * time.Millisecond); ; { // a client that comes late would count as slow
			select {
			case a := <-news:
				note(a)
				continue
			case <-wait:
			}
			break
		}
	}
	turn := func() {
		clock.Tick(nil)
		skipped := time.After(20 * time.Millisecond) // rate control leaves out a frame of a client that seems slow
		for at := now + 1; !haveAll(at); {
			select {
			case a := <-news:
				note(a)
			case <-skipped:
				return
			}
		}
	}
	for range 600 { // bots build first
		turn()
	}
	frames = 0
	before, err := cpuTime()
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		turn()
	}
	after, _ := cpuTime()
	b.ReportMetric(float64((after-before).Microseconds())/float64(b.N), "cpu-us/tick")
	b.ReportMetric(float64(frames)/float64(b.N), "frames/tick")
}

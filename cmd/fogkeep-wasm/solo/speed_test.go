package solo

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// armyRules is the shipped ruleset with so many units of each player at the start, and no limit on them.
func armyRules(tb testing.TB, units int) *rules.Ruleset {
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		tb.Fatal(err)
	}
	rs := *shipped
	rs.Types, rs.Start = slices.Clone(rs.Types), slices.Clone(rs.Start)
	rs.Settings.PopMax = 1 << 20
	soldier, ok := rs.TypeByName("soldier")
	if !ok {
		tb.Fatal("the ruleset has no soldiers")
	}
	rs.Start = append(rs.Start, rules.StartEntry{Type: soldier, Count: int32(units)})
	return &rs
}

// BenchmarkTicks plays a match of a person and seven bots with 100 soldiers each, all in this process. It reports the
// ticks per second that it reached, of 20, and the time from frame to frame. Each round is a second.
//
//	GOOS=js GOARCH=wasm go test -run '^$' -bench Ticks -benchtime 60x -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./cmd/fogkeep-wasm/solo
//
// web/bench/wasm.mjs runs it in a worker of Chromium.
func BenchmarkTicks(b *testing.B) {
	s := open(b)
	s.rules = armyRules(b, 100)
	maps := s.Maps()
	crowns := maps[len(maps)-1]
	ticket, err := s.Start(Choice{Map: crowns.ID, Bots: 7, Level: "hard", Name: "Ada"})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(b.Context(), 10*time.Minute)
	defer cancel()
	p := clientOf(s, s.Connect, ticket)
	const warm = 40
	var began, last time.Time
	var gaps []time.Duration
	p.OnFrame = func(*wire.ServerFrame, *fogkeepv1.ClientFrame) {
		now := time.Now()
		switch t := int(p.Tick()); {
		case t < warm:
			return
		case began.IsZero():
			began = now
			b.ResetTimer()
		default:
			gaps = append(gaps, now.Sub(last))
			if t >= warm+20*b.N {
				cancel()
			}
		}
		last = now
	}
	if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
		b.Fatal(err)
	}
	slices.Sort(gaps)
	of := func(share float64) float64 {
		return float64(gaps[int(share*float64(len(gaps)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(float64(p.Tick()-warm)/last.Sub(began).Seconds(), "ticks/s")
	b.ReportMetric(of(0.5), "p50-ms/frame")
	b.ReportMetric(of(0.99), "p99-ms/frame")
}

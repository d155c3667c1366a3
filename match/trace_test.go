package match

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// traceOf begins a trace and returns its lines once enough have come.
func traceOf(a *serviceHarness, slot grid.Slot) (lines chan spec.TraceLine, stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	lines, ended := make(chan spec.TraceLine, 1<<12), make(chan error, 1)
	go func() {
		ended <- a.service.Trace(ctx, matchID, slot, func(l spec.TraceLine) error { lines <- l; return nil })
	}()
	a.asked()
	a.tick()
	return lines, func() error {
		cancel()
		a.asked()
		a.tick()
		return <-ended
	}
}

// A trace has a line for each message to one player, with its tick, and with the bytes
// and rows that the player itself counts. No other player is in it, and it leaves nothing
// behind.
func TestTraceIsWhatTheClientGets(t *testing.T) {
	t.Parallel()
	limits := budget.Defaults()
	limits, err := limits.Set([]string{"traces.process=1"})
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 1, Seats: []SeatSpec{{Name: "A", Team: 0}, {Name: "B", Team: 1, Start: 1}}}
	a := startServiceHarness(t, spec, Config{Budget: budget.New(limits)})
	var cs []*pipeClient
	for slot := range grid.Slot(2) {
		cs = append(cs, a.join(slot))
		for _, c := range cs[:slot] {
			c.read()
		}
	}
	plain := a.live.seats.all[0].session.Meter
	lines, stop := traceOf(a, 0)
	for _, c := range cs {
		c.read()
	}
	if err := a.service.Trace(context.Background(), matchID, 1, nil); !errors.As(err, new(*budget.Refusal)) {
		t.Errorf("a second trace ends with %v, want a refusal", err)
	}
	var ledger ledgerOf
	cs[0].heard = ledger.hear(a.live)
	for range 40 {
		cs[1].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: cs[1].mine("worker"), To: &pb.Point{X: 32 << 10, Y: 32 << 10}})
		before, sum := cs[0].bytes, ledger.sum
		a.tick()
		for _, c := range cs {
			c.read()
		}
		l := <-lines
		for l.Tick < cs[0].Replica.Tick { // of the tick in which it began
			l = <-lines
		}
		if l.Tick != cs[0].Replica.Tick || l.Bytes != cs[0].bytes-before || !l.Frame || l.Snapshot || l.Lost != 0 {
			t.Fatalf("the line is %+v, the client was sent %d bytes of tick %d", l, cs[0].bytes-before, cs[0].Replica.Tick)
		}
		all := 0
		for _, p := range l.Parts {
			all += int(p.Bytes)
			part := wire.PartNamed(p.Name)
			want, was := ledger.sum.Part(part), sum.Part(part)
			if p.Bytes != want.Bytes-was.Bytes || p.Rows != want.Rows-was.Rows {
				t.Fatalf("tick %d: part %+v, the client counts %+v after %+v", l.Tick, p, want, was)
			}
		}
		if all != l.Bytes {
			t.Fatalf("tick %d: the parts have %d bytes of %d", l.Tick, all, l.Bytes)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("the trace ends with %v", err)
	}
	if got := a.live.seats.all[0].session.Meter; got != plain || len(a.live.sessions.traces.all) != 0 {
		t.Errorf("after the trace messages go through %T, and %d traces run", got, len(a.live.sessions.traces.all))
	}
	if err := a.service.Trace(context.Background(), matchID, 2, nil); !errors.Is(err, ErrNoSeat) {
		t.Errorf("a trace of slot 2 of 2: %v", err)
	}
	if err := a.service.Trace(context.Background(), "another", 0, nil); !errors.Is(err, ErrNoMatch) {
		t.Errorf("a trace of no match: %v", err)
	}
	if lines, stop = traceOf(a, 1); len(lines) > 1 || stop() != nil {
		t.Error("there is no room for a trace after the first has ended")
	}
}

// A reader that is too slow loses lines, learns how many, and delays no client.
func TestTraceOfASlowReader(t *testing.T) {
	h := newHarness(t, t, Spec{ID: matchID, Map: flatMap(64), Rules: shipped(t), Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1}}}, Config{})
	r := &trace{slot: 1, lines: make(chan spec.TraceLine, 2)}
	other := &trace{slot: 0, lines: make(chan spec.TraceLine, 2)} // without a line for slot 1
	h.m.setTraces([]*trace{r, other})
	meter := h.m.sessions.traces.meterOf(h.m.seats.all[1])
	began := time.Now()
	for range 5 {
		meter.Message(nil)
	}
	for want := range 2 {
		if l := <-r.lines; l.Lost != 0 || l.Time.Before(began) || l.Time.After(time.Now()) {
			t.Errorf("line %d of %v: %d before it are lost", want, l.Time, l.Lost)
		}
	}
	meter.Message(nil)
	if l := <-r.lines; l.Lost != 3 {
		t.Errorf("%d lines are lost, want 3", l.Lost)
	}
	if len(other.lines) > 0 || other.lost.Load() > 0 {
		t.Errorf("the trace of slot 0 has %d lines of slot 1, and lost %d", len(other.lines), other.lost.Load())
	}
	h.m.setTraces([]*trace{r})
	if h.m.sessions.traces.meterOf(h.m.seats.all[0]) != h.m.seats.all[0].meter {
		t.Error("slot 0 is traced")
	}
}

// Spectators are traced too, by account and with the shown tick.
func TestTraceOfSpectators(t *testing.T) {
	h := newHarness(t, t, Spec{ID: matchID, Map: flatMap(64), Rules: shipped(t), EveryTick: true, Spectators: 2, Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1}}}, Config{})
	r := &trace{slot: grid.NoSlot, lines: make(chan spec.TraceLine, traceLinesMax)}
	h.m.setTraces([]*trace{r})
	if _, err := h.admit(wire.Hello{}, 0, Seat{Match: matchID, Account: "w", Spectator: true, Slot: grid.NoSlot, Eyes: grid.NoTeam, Delay: 1e9}); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		h.log.synced = h.log.next
		h.elapse()
		h.turn(false)
		for _, st := range h.m.spectators.everySeat() {
			for st.session != nil && len(st.session.Out) > 0 {
				<-st.session.Out
			}
		}
	}
	frames := 0
	for len(r.lines) > 0 {
		l := <-r.lines
		if l.Account != "w" {
			t.Errorf("a line of %q", l.Account)
		}
		if l.Frame {
			if frames++; l.Snapshot != (frames == 1) || int(l.Tick) > 20 {
				t.Errorf("frame %d: %+v", frames, l)
			}
		}
	}
	if frames < 15 {
		t.Errorf("%d frames are traced in the second after the delay", frames)
	}
}

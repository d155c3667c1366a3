package match

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
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

// A trace has a line for each message from and to one player, with its tick, with the bytes
// and rows that the player itself counts, the types of the entities as the player knows
// them, its orders and their answers. No other player is in it, and it leaves nothing behind.
func TestTraceIsWhatTheClientGets(t *testing.T) {
	t.Parallel()
	limits := quota.Defaults()
	limits, err := limits.Set([]string{"traces.process=1"})
	if err != nil {
		t.Fatal(err)
	}
	played := Spec{ID: matchID, Map: flatMap(64), Rules: shipped(t), Seed: 7, EveryTick: true, Spectators: 1, Seats: []SeatSpec{{Name: "A", Team: 0}, {Name: "B", Team: 1, Start: 1}}}
	a := startServiceHarness(t, played, Config{Ledger: quota.New(limits)})
	var cs []*pipeClient
	for slot := range grid.Slot(2) {
		cs = append(cs, a.join(slot))
		for _, c := range cs[:slot] {
			c.read()
		}
	}
	lines, stop := traceOf(a, 0)
	for _, c := range cs {
		c.read()
	}
	if err := a.service.Trace(context.Background(), matchID, 1, nil); !errors.As(err, new(*quota.Refusal)) {
		t.Errorf("a second trace ends with %v, want a refusal", err)
	}
	var ledger ledgerOf
	cs[0].heard = ledger.hear(a.live)
	calls, answered, named := map[uint32]spec.TraceCall{}, 0, 0
	for i := range 40 {
		if i%10 == 0 {
			cs[0].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: cs[0].mine("worker"), To: &pb.Point{X: 20 << 10, Y: 20 << 10}})
			if l := next(t, lines, spec.FromClient); l.Frame || l.Parts[len(l.Parts)-1].Name != "orders" || l.Bytes == 0 {
				t.Errorf("the line of an order: %+v", l)
			} else {
				calls[l.Calls[0].Number] = l.Calls[0]
			}
		}
		cs[1].order(&pb.Order{Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: cs[1].mine("worker"), To: &pb.Point{X: 32 << 10, Y: 32 << 10}})
		before, sum := cs[0].bytes, ledger.sum
		a.tick()
		for _, c := range cs {
			c.read()
		}
		l := next(t, lines, spec.FromServer)
		for l.Tick < cs[0].Replica.Tick { // of the tick in which it began
			l = next(t, lines, spec.FromServer)
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
		for _, e := range l.Entities {
			if held := cs[0].Replica.Entities[e.Handle]; held != nil && played.Rules.Types[held.Type].Name != e.Type || len(e.Parts) == 0 {
				t.Fatalf("tick %d: entity %+v, the client holds %+v", l.Tick, e, held)
			}
			named++
		}
		for _, x := range l.Answers {
			if c, ok := calls[x.Number]; !ok || x.Code != "OK" || c.Kind != "MOVE" || len(c.Units) != len(cs[0].mine("worker")) || c.Units[0].Type != "worker" {
				t.Errorf("answer %+v to %+v", x, c)
			}
			answered++
		}
	}
	if answered != len(calls) || answered != 4 || named == 0 {
		t.Errorf("%d answers to %d orders, %d entities", answered, len(calls), named)
	}
	if err := stop(); err != nil {
		t.Errorf("the trace ends with %v", err)
	}
	if len(a.live.connections.traces.all) != 0 {
		t.Errorf("after the trace %d traces run", len(a.live.connections.traces.all))
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

// next returns the next line of one sender.
func next(t *testing.T, lines chan spec.TraceLine, from string) spec.TraceLine {
	t.Helper()
	for range 100 {
		select {
		case l := <-lines:
			if l.From == from {
				return l
			}
		case <-time.After(time.Minute):
			t.Fatal("no line")
		}
	}
	t.Fatal("no such line")
	return spec.TraceLine{}
}

// A reader that is too slow loses messages, by their number and by their bytes, learns how many, and delays no client.
func TestTraceOfASlowReader(t *testing.T) {
	reader := spec.NewPacketReader(shipped(t), wire.NewMeter(wire.Kinds{}, nil))
	for name, c := range map[string]struct{ room, bytes int }{
		"messages": {2, 10},
		"bytes":    {packetsMax, packetBytesMax/2 - 1},
	} {
		r := &trace{packets: make(chan packet, c.room)}
		send := func() { r.take(packet{msg: make([]byte, c.bytes), reader: reader}) }
		for range 5 {
			send()
		}
		for range 2 {
			if l := r.line(<-r.packets); l.Lost != 0 || l.Bytes != c.bytes {
				t.Errorf("%s: a line of %d bytes, before which %d are lost", name, l.Bytes, l.Lost)
			}
		}
		send()
		if l := r.line(<-r.packets); l.Lost != 3 {
			t.Errorf("%s: %d lines are lost, want 3", name, l.Lost)
		}
		if n := r.waiting.Load(); n != 0 {
			t.Errorf("%s: %d bytes wait at the end", name, n)
		}
		r.take(packet{msg: make([]byte, 2*packetBytesMax), reader: reader})
		if l := r.line(<-r.packets); l.Bytes != 2*packetBytesMax {
			t.Errorf("%s: a large message alone: %+v", name, l)
		}
	}
}

// Spectators are traced too, by account and with the shown tick.
func TestTraceOfSpectators(t *testing.T) {
	h := newHarness(t, t, Spec{ID: matchID, Map: flatMap(64), Rules: shipped(t), EveryTick: true, Spectators: 2, Seats: []SeatSpec{{Team: 0}, {Team: 1, Start: 1}}}, Config{})
	r := &trace{slot: grid.NoSlot, packets: make(chan packet, packetsMax)}
	h.m.setTraces([]*trace{r})
	if _, err := h.admit(wire.Hello{}, 0, Seat{Match: matchID, Account: "w", Spectator: true, Slot: grid.NoSlot, Eyes: grid.NoTeam, Delay: 1e9}); err != nil {
		t.Fatal(err)
	}
	for range 40 {
		h.log.synced = h.log.next
		h.elapse()
		h.turn(false)
		for _, st := range h.m.spectators.everySeat() {
			for st.conn != nil && len(st.conn.Out) > 0 {
				<-st.conn.Out
			}
		}
	}
	frames := 0
	for len(r.packets) > 0 {
		l := r.line(<-r.packets)
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

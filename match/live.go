package match

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
)

// live is a running match. Its goroutine owns all fields but info, requests and
// done.
type live struct {
	host    *host
	spec    Spec
	rate    int // ticks a second
	started time.Time

	info     atomic.Pointer[Info]
	holds    holds
	going    atomic.Bool // it is being handed over: nobody new is let in
	requests chan func(*live)
	done     chan struct{} // closed when the goroutine takes no more requests

	world   *sim.World
	journal *matchJournal
	seats   *seats
	inputs  inputs
	end     ending
	output  output

	running    bool // its goroutine does
	broadcasts []*broadcast
	beyond     grid.Ticks // since the world stands still, for those who watch later

	until time.Time // after a recovery it stands still so long; zero: it runs

	speed speed

	leaving chan<- error // answers the hand-over that was asked for, see takeover.go; nil: none was
	cut     bool         // its players were sent away, because the journal cannot be reached

	warned  bool // its players know that the disk is nearly full
	paused  bool
	traffic traffic
	noting  noting
	traces  []*trace
}

// requestsMax is how many requests can be queued. Further callers wait.
const requestsMax = 64

func newLive(h *host, spec Spec) (*live, error) {
	setup := spec.Setup()
	w, err := sim.New(setup)
	if err != nil {
		return nil, err
	}
	if spec.Drive != nil {
		w.SetDriver(spec.Drive)
	}
	m := newLiveOf(h, spec, w)
	head := journal.Header{Match: spec.ID, Build: h.build, MadeMs: m.started.UnixMilli(), Extra: spec.Extra()}
	if of := spec.Start; of != nil {
		head.Start = &journal.StartOf{Match: of.Match, Scenario: of.Scenario}
	}
	if err := m.journal.create(head, setup); err != nil {
		return nil, err
	}
	m.noting.open(m)
	m.publish()
	return m, nil
}

// newLiveOf returns a match around a world. It has no journal yet.
func newLiveOf(h *host, spec Spec, w *sim.World) *live {
	now := h.now()
	spec.Seats = slices.Clone(spec.Seats) // they change hands
	if spec.Start != nil {                // its state is in the world and in the journal by now
		spec.Start = &Start{Match: spec.Start.Match, Scenario: spec.Start.Scenario, Script: spec.Start.Script}
	}
	m := &live{
		host: h, spec: spec, rate: w.TickRate(), world: w, started: now,
		requests: make(chan func(*live), requestsMax), done: make(chan struct{}),
		journal: &matchJournal{host: h, match: spec.ID, past: past.NewState(len(spec.Seats))},
	}
	if spec.Spectators > 0 {
		m.journal.earlier.delay = grid.Tick(m.delayTicks(spec.SpectatorDelay))
	}
	m.seats = &seats{host: h, spec: &m.spec, world: w, end: &m.end, inputs: &m.inputs, barred: map[string]link.Refusal{}, script: newScript(spec.Start)}
	for i, p := range spec.Seats {
		m.seats.all = append(m.seats.all, &seat{slot: grid.Slot(i), team: p.Team, account: p.Account, lost: now, meter: &meter{of: &m.traffic}})
	}
	m.traffic.spectators.of = &m.traffic
	m.output.seats = m.seats
	m.output.begin(&spec, w)
	m.speed = speed{host: h, seats: m.seats, inputs: &m.inputs, end: &m.end, feeds: m.output.feeds, holds: &m.holds, rate: m.rate, tell: m}
	m.speed.begin(spec.SpeedPercent)
	return m
}

// do runs f on the match's goroutine and waits until it has run.
func (m *live) do(ctx context.Context, f func(*live)) error {
	ran := make(chan struct{})
	select {
	case m.requests <- func(m *live) { defer close(ran); f(m) }:
	case <-m.done:
		return ErrNoMatch
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-ran:
		return nil
	case <-m.done:
		select { // it may have run as the last one
		case <-ran:
			return nil
		default:
			return ErrNoMatch
		}
	}
}

// lateMax is how late a tick may be. Beyond that the match reports a pause, instead
// of running the missed ticks without delay.
const lateMax = time.Second

// run is the match's goroutine. It catches a panic in a tick. A panic outside a
// tick leaves the match to the recovery at the next start of the process, as a kill
// does.
func (m *live) run() {
	defer m.finished()
	defer close(m.done)
	defer panics.Catch(m.host.log, "match", m.letGo)
	defer m.closeBroadcasts()
	m.running = true
	beat := &beat{origin: m.host.now()}
	m.play(beat)
	m.close()
	m.playOut(beat)
}

// play runs the match until it is over and its players have had time to see that,
// or until the service stops.
func (m *live) play(b *beat) {
	clock := m.host.clock
	for {
		due, ok := b.wait(m)
		if !ok {
			return
		}
		begin := clock.Now()
		if !m.tick() {
			return
		}
		m.host.metrics.tick.Observe(clock.Now().Sub(begin).Seconds())
		if m.spec.OnTick != nil {
			m.spec.OnTick(Ticked{World: m.world, Took: clock.Now().Sub(begin), Late: begin.Sub(due), Lacking: m.output.lacking()})
		}
		if m.over() {
			return
		}
	}
}

// beat holds when the ticks of a match are due.
type beat struct {
	origin time.Time
	n      int64 // ticks since
	speed  int   // since the origin, in percent of the normal one times percent of the pace; 0: no tick yet
}

// at returns when tick n is due.
func (b *beat) at(rate int) time.Time {
	if b.n == 0 {
		return b.origin
	}
	return b.origin.Add(time.Duration(b.n) * time.Second * speedNormal * paceFull / time.Duration(rate*b.speed))
}

// period returns the time from one tick to the next.
func (b *beat) period(rate int) time.Duration {
	return time.Second * speedNormal * paceFull / time.Duration(rate*b.speed)
}

// wait waits for the next tick and returns when it was due. ok is false if the
// service stops.
func (b *beat) wait(m *live) (due time.Time, ok bool) {
	clock := m.host.clock
	m.speed.followPace()
	if p := m.speed.percent * m.speed.pace; p != b.speed {
		b.origin, b.n, b.speed = b.at(m.rate), 0, p
		if now := clock.Now(); m.speed.pace < paceFull && b.origin.Before(now) {
			b.origin = now // what it was late by is not caught up on: there is no time for it
		}
	}
	b.n++
	due = b.at(m.rate)
	if !clock.Wait(due, m.host.ctx.Done()) {
		return due, false
	}
	now := clock.Now()
	late := now.Sub(due)
	if !m.host.fullSpeed {
		m.host.pace.note(now, late, b.period(m.rate))
	}
	if late > lateMax {
		m.host.log.Warn("match paused: it could not keep up", "match", m.spec.ID, "tick", m.world.Tick(), "late", late)
		m.host.metrics.pauses.Inc()
		b.origin = b.origin.Add(late)
		m.seats.stoodStill(late)
	} else {
		m.host.metrics.late.Observe(max(0, late.Seconds()))
	}
	m.noting.late(clock.Now().Sub(due))
	return due, true
}

// tick steps the match once. A panic ends this match only, and its journal is kept.
func (m *live) tick() (goOn bool) {
	defer panics.Catch(m.host.log, "tick", func() {
		m.host.log.Error("match failed", "match", m.spec.ID, "tick", m.world.Tick())
		m.fail(failedInternal)
		goOn = false
	})
	if err := m.confirm(); err != nil {
		return m.broken(err)
	}
	m.serve()
	if m.leaving != nil {
		return m.depart()
	}
	if m.waiting() {
		return true
	}
	if m.standing() {
		return true
	}
	m.drain()
	m.output.share()
	m.noting.begin()
	out := m.inputs.step(m.world, len(m.seats.all))
	m.noting.end(stepPhase)
	if err := m.record(&out); err != nil {
		return m.broken(err)
	}
	m.noting.end(writePhase)
	m.routeOutcome(&out)
	if !m.speed.paused {
		m.speed.aired = m.speed.aired[:0]
	}
	m.send()
	if out.Ended != nil {
		m.finish(*out.Ended)
	}
	m.watch(out.Tick, &out)
	if out.Hashed && out.Tick%grid.Tick(m.host.stateSeconds*m.rate) == 0 && !m.end.closed() {
		m.journal.keepState(m.world, &out)
	}
	m.traffic.tick(m, out.Tick)
	m.noting.tick(m, out.Tick)
	if out.Hashed { // once a second
		m.watchDisk()
	}
	if int(out.Tick)%max(1, m.rate/4) == 0 || out.Ended != nil {
		m.publish()
	}
	return true
}

// broken ends the match because of what its journal says. It returns false.
func (m *live) broken(err error) (goOn bool) {
	switch {
	case m.end.failed != "" || m.journal.fencedBy(err): // somebody broke it off, or has taken it over
	case m.host.ctx.Err() != nil: // the server stops: the match continues after the restart
	default:
		m.host.log.Error("match failed", "match", m.spec.ID, "tick", m.world.Tick(), "error", err)
		m.fail(failedJournal)
	}
	return false
}

// serve runs the requests of other goroutines.
func (m *live) serve() {
	for range requestsMax {
		select {
		case f := <-m.requests:
			f(m)
		default:
			return
		}
	}
}

// drain empties the inboxes in slot order, up to a fixed number of messages each.
func (m *live) drain() {
	m.inputs.begin()
	if on := !m.world.Awaited() && m.watched(); on != m.world.Watched() { // else spectators leave no trace
		m.inputs.accepted = append(m.inputs.accepted, sim.Input{Kind: sim.InputWatched, Slot: grid.NoSlot, All: on})
	}
	for _, st := range m.seats.all {
		if p := &m.speed.of[st.slot]; len(p.held) > 0 && !m.speed.paused {
			m.seats.takeInputs(st, p.held)
			p.held = p.held[:0]
		}
		if st.session != nil {
			m.drainSeat(st)
		}
		m.seats.giveScript(st)
		m.seats.checkGrace(st)
	}
	m.seats.script.passed(m.world.Tick() + 1)
}

// drainSeat takes in what a player's client sent.
func (m *live) drainSeat(st *seat) {
	s := st.session
	for range drainMessages {
		select {
		case f, ok := <-s.In:
			if !ok { // the reader is done: the client is gone
				m.leave(st)
				return
			}
			m.output.players.Take(s.Receiver, &f)
			m.seats.prove(st)
			if f.Speed != nil {
				m.speed.ask(st, *f.Speed)
			}
			lag := s.Lag(m.output.feeds.PerSecond())
			for i := range f.Inputs {
				if f.Inputs[i].Kind == sim.InputOrder {
					f.Inputs[i].Lag = lag
				}
			}
			if m.speed.paused {
				m.speed.hold(st, f.Inputs)
			} else {
				m.seats.takeInputs(st, f.Inputs)
			}
		default:
			return
		}
	}
}

// standing plays the part of a tick that goes on in a pause, and reports whether
// there is no more of this one.
func (m *live) standing() bool {
	now := m.host.now()
	m.speed.settle(now)
	if !m.speed.stands() {
		return false
	}
	m.listen()
	if !m.speed.endPause(now) { // the next tick is played
		return true
	}
	beat := m.speed.beats(now)
	for _, st := range m.seats.all {
		m.speed.tellStanding(st, m.output.players, beat)
	}
	for _, g := range m.broadcasts {
		if !g.mu.TryLock() {
			continue // it is being sent a frame
		}
		for _, st := range g.seats {
			m.speed.tellStanding(st, g.feed, beat)
		}
		g.mu.Unlock()
	}
	return true
}

// listen takes in what clients send during a pause. Orders, and the record of what
// is said, wait for the next tick.
func (m *live) listen() {
	for _, st := range m.seats.all {
		if st.session != nil {
			m.drainSeat(st)
		}
	}
	for _, g := range m.broadcasts {
		m.rest(g)
	}
}

// send builds the views of this tick and gives each player its frame.
func (m *live) send() {
	m.output.look(m.journal.log.Synced())
	m.noting.end(viewPhase)
	for _, st := range m.seats.all {
		if s := st.session; s != nil && !m.output.players.Send(s.Receiver) {
			s.end("too_slow", "your connection is too slow for this match")
			m.vacate(st)
		}
	}
	m.noting.end(encodePhase)
}

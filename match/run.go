package match

import (
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// run is the match's goroutine. It catches a panic in a tick. A panic outside a
// tick leaves the match to the recovery at the next start of the process, as a kill
// does.
func (m *live) run() {
	defer close(m.done)
	defer m.finished()
	defer panics.Catch(m.host.log, "match", m.letGo)
	defer func() { m.spectators.close(m.farewell()) }()
	m.spectators.running = true
	beat := &beat{origin: m.host.now()}
	m.play(beat)
	m.close()
	m.playOut(beat)
}

// play runs the match until it is over and its players have had time to see the result,
// or until the service stops.
func (m *live) play(b *beat) {
	clock := m.host.cfg.Clock
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
	clock := m.host.cfg.Clock
	m.speed.followPace()
	if p := m.speed.percent * m.speed.pace; p != b.speed {
		b.origin, b.n, b.speed = b.at(m.rate), 0, p
		if now := clock.Now(); m.speed.pace < paceFull && b.origin.Before(now) {
			b.origin = now // the clock does not catch up: there is no time
		}
	}
	b.n++
	due = b.at(m.rate)
	if !clock.Wait(due, m.host.ctx.Done()) {
		return due, false
	}
	now := clock.Now()
	late := now.Sub(due)
	if !m.host.cfg.FullSpeed {
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

// playOut shows late spectators the rest of a match that has ended, with the same delay,
// unless the service is asked to finish.
func (m *live) playOut(b *beat) {
	for m.end.result != nil && m.end.failed == "" && !m.journal.fenced && m.spectators.count() > 0 && !m.host.isDraining() {
		if _, ok := b.wait(m); !ok {
			return
		}
		m.serve()
		m.spectators.beyond++
		now := m.world.Tick() + grid.Tick(m.spectators.beyond)
		m.spectators.watch(now, nil)
		m.connections.traffic.tick(now, m.spectators.broadcasts)
		if int(now)%max(1, m.rate/4) == 0 {
			m.publish()
		}
	}
}

// tick steps the match once. A panic ends this match only, and its journal is kept.
func (m *live) tick() (goOn bool) {
	defer panics.Catch(m.host.log, "tick", func() {
		m.host.log.Error("match failed", "match", m.spec.ID, "tick", m.world.Tick())
		m.journal.fail(failedInternal)
		goOn = false
	})
	if err := m.gate.confirm(); err != nil {
		return m.broken(err)
	}
	m.serve()
	if m.leaving != nil {
		return m.depart()
	}
	if m.gathering.lasts() && !m.speed.pass {
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
	if err := m.gate.record(&out); err != nil {
		return m.broken(err)
	}
	m.inputs.kept()
	m.noting.end(writePhase)
	m.gate.route(&out)
	m.faults.tick(&out)
	if !m.speed.paused {
		m.speed.shown, m.speed.unheard = m.speed.shown[:0], m.speed.unheard[:0]
	}
	m.send()
	if out.Ended != nil {
		m.journal.finish(*out.Ended)
	}
	m.spectators.watch(out.Tick, &out)
	if out.Hashed && out.Tick%grid.Tick(m.host.cfg.StateSeconds*m.rate) == 0 && !m.end.closed() {
		m.journal.keepState(m.world, &out)
	}
	m.connections.traffic.tick(out.Tick, m.spectators.broadcasts)
	m.connections.traces.now.Store(uint64(out.Tick))
	m.noting.tick(out.Tick)
	if out.Hashed { // once per second
		m.watchDisk()
	}
	if int(out.Tick)%max(1, m.rate/4) == 0 || out.Ended != nil {
		m.publish()
	}
	return true
}

// broken ends the match because of its journal's error. It returns false.
func (m *live) broken(err error) (goOn bool) {
	switch {
	case m.end.failed != "" || m.journal.fencedBy(err): // it was broken off, or taken over
	case m.host.ctx.Err() != nil: // the server stops: the match continues after the restart
	default:
		m.host.log.Error("match failed", "match", m.spec.ID, "tick", m.world.Tick(), "error", err)
		m.journal.fail(failedJournal)
	}
	return false
}

// drain empties the inboxes in slot order, up to a fixed number of messages each.
func (m *live) drain() {
	m.inputs.begin()
	if on := !m.world.Awaited() && m.spectators.watched(); on != m.world.Watched() { // else spectators leave no trace
		m.inputs.accepted = append(m.inputs.accepted, sim.Input{Kind: sim.InputWatched, Slot: grid.NoSlot, All: on})
	}
	for _, st := range m.seats.all {
		if p := &m.speed.of[st.slot]; len(p.queue) > 0 && !m.speed.paused {
			m.seats.takeInputs(st, p.queue)
			p.queue = p.queue[:0]
		}
		if st.conn != nil {
			m.drainSeat(st)
		}
		m.seats.giveScript(st)
		m.seats.checkGrace(st)
		m.checkLeaver(st)
	}
	m.seats.script.passed(m.world.Tick() + 1)
}

// checkLeaver takes the seat from a player who gave up and whose team plays on, and asks for
// the bot of an absent player.
func (m *live) checkLeaver(st *seat) {
	if m.world.HasLeft(st.slot) && !st.kicked {
		m.seats.barred[st.account] = *errGaveUp
		m.connections.dismiss(st, errGaveUp)
		m.seats.leave(st)
	}
	now, ask := m.host.now(), m.host.cfg.StandIn
	if ask == nil || st.conn != nil || now.Sub(st.requestTime) < standInWait || !m.seats.wantsBot(st) {
		return
	}
	st.requestTime = now
	bots := m.spec.Bots()
	for _, other := range m.seats.all {
		if m.seats.wantsBot(other) {
			bots++
		}
	}
	if err := m.speed.holds.bots.Resize(bots); err != nil {
		m.host.log.Warn("the seat of an absent player stands idle: there is no room for another bot", "match", m.spec.ID, "slot", st.slot, "error", err)
		return
	}
	ask(m.spec.ID, m.host.newToken(Seat{Match: m.spec.ID, Slot: st.slot, StandIn: true}), m.spec.StandIn)
}

// drainSeat takes in the messages of a player's client.
func (m *live) drainSeat(st *seat) {
	if st.kicked && !st.standIn {
		return // its connection ends once that is on disk
	}
	s := st.conn
	for range drainMessages {
		select {
		case f, ok := <-s.In:
			if !ok { // the reader is done: the client is gone
				m.connections.leave(st)
				return
			}
			m.output.players.Take(s.Receiver, &f)
			m.seats.prove(st)
			if f.Speed != nil {
				m.speed.ask(st, *f.Speed)
			}
			if f.Vote != nil {
				m.votes.take(st, *f.Vote)
			}
			if f.Network != nil {
				m.noting.account(st, m.world.Tick(), *f.Network)
			}
			lag := s.Lag(m.output.feeds.PerSecond())
			muted := m.host.mutes(st.account, m.host.now())
			for i := range f.Inputs {
				switch in := &f.Inputs[i]; {
				case in.Kind == sim.InputOrder:
					in.Lag = lag
				case muted && (in.Kind == sim.InputChat || in.Kind == sim.InputPing):
					*in = sim.Input{Kind: sim.InputSaidRefused, Seq: in.Seq, Code: orders.Muted}
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
	m.votes.settle()
	if !m.speed.stands() {
		return false
	}
	m.listen()
	m.speed.hear()
	if !m.speed.endPause(now) { // the next tick is played
		return true
	}
	beat := m.speed.beats(now)
	for _, st := range m.seats.all {
		m.speed.tellStanding(st, m.output.players, beat)
	}
	for _, g := range m.spectators.broadcasts {
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

// listen takes in clients' messages during a pause. Orders, and the answer to chat, wait
// for the next tick.
func (m *live) listen() {
	for _, st := range m.seats.all {
		if st.conn != nil {
			m.drainSeat(st)
		}
	}
	for _, g := range m.spectators.broadcasts {
		m.spectators.rest(g)
	}
}

// send builds the views of this tick and gives each player its frame.
func (m *live) send() {
	m.output.look(m.journal.log.Synced())
	m.noting.end(viewPhase)
	for _, st := range m.seats.all {
		if s := st.conn; s != nil && !m.output.players.Send(s.Receiver) {
			s.end("too_slow", "your connection is too slow for this match")
			m.connections.vacate(st)
		}
	}
	m.noting.end(encodePhase)
}

// depart stops the match for a hand-over. It reports whether the match goes on here,
// which it does if it is over or cannot be stopped.
func (m *live) depart() (goOn bool) {
	err := ErrNoMatch
	if !m.end.closed() {
		if err = m.gate.stop(); m.journal.stopped || m.journal.fencedBy(err) {
			return false
		}
		if err == nil { // it ended in its last tick
			err = ErrNoMatch
		}
	}
	m.leaving <- err
	m.leaving = nil
	m.going.Store(false)
	return true
}

// diskWords warns everyone in live matches, before a write fails.
const diskWords = "The server's disk is nearly full. If it fills up, the match pauses until space is free; the match is safe."

// watchDisk warns the match's people once when the disk is nearly full.
func (m *live) watchDisk() {
	low := m.host.disk.isLow()
	if low && !m.warned {
		m.announce(diskWords)
	}
	m.warned = low
}

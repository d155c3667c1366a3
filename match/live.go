package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/past"
	"github.com/fogkeep/fogkeep/match/sim"
)

// live is a running match. Its goroutine owns all fields but info, requests and going.
type live struct {
	*core
	requests
	departure
	started time.Time
	info    atomic.Pointer[Info]

	journal     *matchJournal
	seats       *seats
	output      *output
	speed       *speed
	votes       *votes
	connections *connections
	spectators  *spectators
	gate        *gate
	gathering   gathering
	noting      noting
	faults      faults
	warned      bool // its players know that the disk is nearly full
}

// departure is the hand-over of a match to another process.
type departure struct {
	going   atomic.Bool  // it is under way: the match lets no new client in
	leaving chan<- error // answers it, see takeover.go; nil: it was not asked for
}

func newLive(h *host, spec Spec) (*live, error) {
	setup := spec.Setup()
	setup.Ground = h.grounds.find(spec.Map)
	w, err := sim.New(setup)
	if err != nil {
		return nil, err
	}
	h.grounds.keep(w.Ground())
	if spec.Drive != nil {
		w.SetDriver(spec.Drive)
	}
	m := newLiveOf(h, spec, w)
	head := journal.Header{Match: spec.ID, Build: h.cfg.Build, MadeMs: m.started.UnixMilli(), Extra: spec.Extra()}
	if of := spec.Start; of != nil {
		head.Start = &journal.StartOf{Match: of.Match, Scenario: of.Scenario}
	}
	if err := m.journal.create(head, setup); err != nil {
		return nil, err
	}
	m.noting.open()
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
	c := &core{host: h, spec: spec, rate: w.TickRate(), world: w}
	m := &live{core: c, requests: newRequests(), started: now}
	c.tell = m
	m.journal = &matchJournal{core: c, past: past.NewState(len(spec.Seats))}
	m.seats = &seats{core: c, barred: map[string]link.Refusal{}, script: newScript(spec.Start)}
	m.connections = &connections{core: c, seats: m.seats, journal: m.journal, traffic: traffic{core: c, seats: m.seats}, traces: traces{core: c}}
	counts := &m.connections.traffic.counts
	for i, p := range spec.Seats {
		m.seats.all = append(m.seats.all, &seat{slot: grid.Slot(i), team: p.Team, account: p.Account, leaveTime: now, meter: &meter{of: counts}})
	}
	m.connections.traffic.spectators.of = counts
	m.output = &output{seats: m.seats}
	m.output.begin(&spec, w)
	m.speed = &speed{core: c, seats: m.seats, journal: m.journal, feeds: m.output.feeds}
	m.speed.begin(spec.SpeedPercent)
	m.votes = &votes{core: c, seats: m.seats, connections: m.connections, speed: m.speed, feeds: m.output.feeds}
	m.votes.begin()
	m.spectators = &spectators{core: c, seats: m.seats, connections: m.connections, journal: m.journal, output: m.output, speed: m.speed}
	if spec.Spectators > 0 {
		m.journal.earlier.delay = grid.Tick(m.spectators.delayTicks(spec.SpectatorDelay))
	}
	m.gate = &gate{core: c, journal: m.journal, seats: m.seats, connections: m.connections, spectators: m.spectators, speed: m.speed, serve: m.serve}
	m.gathering = gathering{core: c, seats: m.seats}
	m.noting = noting{core: c, seats: m.seats, feeds: m.output.feeds}
	m.faults = faults{core: c}
	return m
}

// do runs f on the match's goroutine and waits until it has run.
func (m *live) do(ctx context.Context, f func(*live)) error {
	return m.ask(ctx, func() { f(m) })
}

func (m *live) abort(reason string) {
	if !m.end.closed() {
		m.journal.fail(failedByAdmin + reason)
	}
}

// over reports whether a finished match has lingered long enough: for people, if
// there are any, to see the end.
func (m *live) over() bool {
	if m.journal.fenced {
		return true
	}
	if !m.end.closed() {
		return false
	}
	return !m.peopled() || m.host.now().Sub(m.end.at) >= m.host.cfg.Linger
}

// peopled reports whether a person has a connection, to play or to watch.
func (m *live) peopled() bool {
	return slices.ContainsFunc(m.spectators.everySeat(), func(st *seat) bool {
		return st.attended() && (st.screen != nil || !m.spec.Seats[st.slot].Bot)
	})
}

// letGo ends all connections of a match whose goroutine has panicked; its journal
// is as it was.
func (m *live) letGo() {
	for _, st := range m.spectators.everySeat() {
		m.connections.dismiss(st, link.ErrInternal)
	}
	m.noting.log.Close()
	_ = m.journal.log.Close() // the log has why the match ends
}

// close ends all connections and hands the result on.
func (m *live) close() {
	m.journal.saving.Wait()
	m.noting.log.Close()
	why := m.farewell()
	for _, st := range m.seats.all {
		m.connections.dismiss(st, why)
	}
	if m.journal.fenced {
		_ = m.journal.log.Close() // it says that it is another's, which is known
		m.host.lost(m.spec.ID)
		return
	}
	if !m.end.closed() {
		if !m.journal.stopped {
			if err := m.gate.stop(); err != nil && !errors.Is(err, journal.ErrFenced) {
				m.host.log.Warn("could not stop a match in order: it loses up to a second of its time", "match", m.spec.ID, "error", err)
			}
		}
		if err := m.journal.log.Close(); err != nil && !errors.Is(err, journal.ErrFenced) {
			m.host.log.Error("journal", "match", m.spec.ID, "error", err)
		}
		if m.end.result == nil {
			return
		}
	}
	r := Result{Match: m.spec.ID, Failed: m.end.failed, Ended: m.end.result, Ticks: m.world.Tick()}
	r.tell(&m.journal.past, m.rate)
	if r.Ended != nil {
		r.Ticks = r.Ended.Tick
	}
	m.host.handOn(r, m.journal.log)
}

// finished is the last act of the match's goroutine.
func (m *live) finished() {
	m.speed.holds.release()
	m.host.finished(m.spec.ID, m.journal.fenced || m.journal.stopped)
	if m.leaving != nil {
		m.leaving <- m.leftWith()
	}
}

// farewell says why the match lets its clients go.
func (m *live) farewell() *link.Refusal {
	switch {
	case m.journal.fenced, m.journal.stopped:
		return m.host.movedTo(m.spec.ID)
	case m.end.failed != "":
		return &link.Refusal{Code: "failed", Text: "the match failed: " + m.end.failed}
	case m.end.result != nil:
		return &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	return &link.Refusal{Code: "stopping", Text: "the server is stopping; the match continues after the restart"}
}

// publish renews the facts that others may read about the match.
func (m *live) publish() {
	in := Info{ID: m.spec.ID, State: "running", Kept: m.world.Kept(), Tick: m.world.Tick(), TickRate: m.rate, Map: m.spec.Map, Started: m.started, Traffic: m.connections.traffic.total}
	switch {
	case m.end.failed != "":
		in.State = "failed"
	case m.end.result != nil:
		in.State = "ended"
	case m.gate.paused || m.speed.paused || !m.gathering.deadline.IsZero():
		in.State = "paused"
	}
	for i, st := range m.seats.all {
		seat := SeatInfo{
			Seat: m.spec.Seats[i], Slot: st.slot, Account: st.account, Alive: m.world.Player(st.slot).Alive,
			Away: st.away() && m.gathering.deadline.IsZero(), Out: m.seats.out(st),
		}
		if st.attended() {
			seat.Connected, seat.Address, seat.Epoch = true, st.conn.by.from, st.right.Epoch
		}
		in.Seats = append(in.Seats, seat)
	}
	in.Spectators = m.spectators.list()
	m.info.Store(&in)
}

// announce queues a line for every seat. It does not change the match, so it is not
// journalled and waits for no disk.
func (m *live) announce(text string) {
	line := sim.Said{Slot: grid.NoSlot, To: ^grid.TeamSet(0), Text: text}
	for _, st := range m.spectators.everySeat() { // the server's own words are no secret of the match
		release := st.hold()
		if st.kept() {
			st.backlog.Say(0, m.world.Tick(), line)
		}
		release()
	}
}

// leftWith is a hand-over's answer at the match's end.
func (m *live) leftWith() error {
	switch {
	case m.journal.stopped:
		return nil
	case m.journal.fenced:
		return fmt.Errorf("match %s: %w", m.spec.ID, journal.ErrFenced)
	}
	return ErrNoMatch
}

// adopt reserves a recovered match, even beyond its budgets. It counts for the
// account that the journal names. The address is not kept.
func (m *live) adopt() {
	b := m.host.cfg.Ledger
	m.speed.holds = holds{b.Adopt(quota.MatchTicks, m.spec.Payer, tickLoad(m.rate, m.speed.percent)), b.Adopt(quota.BotSeats, m.spec.Payer, m.spec.Bots())}
}

// feedOf returns the maker of frames for the seat's client.
func (m *live) feedOf(st *seat) *feed.Feed {
	if st.screen != nil {
		return st.screen.feed
	}
	return m.output.players
}

// join gives a connection its seat. The connection that had it before is replaced.
func (m *live) join(s *connection, who Seat) error {
	if m.gate.cut {
		return m.host.movedTo(m.spec.ID)
	}
	var st *seat
	var err error
	if who.Spectator {
		st, err = m.spectators.seat(who)
	} else if who.StandIn {
		st, err = m.seats.standInSeat(who)
	} else {
		st, err = m.seats.playerSeat(who, s.Hello.Resume != "", m.spectators.of(who.Account) != nil)
	}
	if err != nil {
		return err
	}
	var old *connection
	if st != nil {
		if s.Hello.Resume != "" && !who.StandIn && who.Serial < st.floor {
			return errOldToken
		}
		old = st.conn
	}
	if !m.host.enroll(m.spec.ID, who.Account, who.Epoch) {
		return errLoggedOut
	}
	if err := m.host.count(s.by, who, old); err != nil {
		return err
	}
	if who.Spectator {
		if st, err = m.spectators.take(st, who); err != nil {
			return err
		}
	}
	defer st.hold()()
	if st.conn != nil {
		if !st.over {
			st.conn.end("replaced", "this seat was taken over by a newer connection of yours")
		}
		m.connections.unlink(st)
	}
	m.seats.changeHands(st, who.StandIn)
	anew := st.visited && s.Hello.Resume == "" // another client of the player, which has a new ticket
	if m.seats.othersSeat(st, who) {
		m.seats.takeOver(st, who)
		m.output.rename(st.slot)
		anew = false
	}
	m.seats.newRight(s, st, who)
	m.connections.link(s, st)
	m.connections.traces.follow(st, m.feedOf(st))
	if !who.Spectator && !who.StandIn {
		if st.account = who.Account; !st.online || anew {
			m.inputs.add(sim.Input{Kind: sim.InputJoined, Slot: st.slot, All: anew})
			m.journal.arrival = m.journal.arrival || m.gate.arrivalShows(st, anew)
		}
		if !st.online {
			m.seats.seatChanged(st, true)
		}
		st.online = true
	}
	if !who.StandIn {
		st.absent, st.visited = false, true
	}
	s.Send(s.Counted(m.output.welcomeTo(st)))
	m.feedOf(st).Begin(s.Receiver)
	m.publish()
	return nil
}

// refuse ends a connection that broke the protocol.
func (m *live) refuse(s *connection, why *link.Refusal) {
	if s.seat.conn != s {
		return // replaced meanwhile
	}
	if why != link.ErrInternal {
		m.host.metrics.refused.Inc()
	}
	m.connections.dismiss(s.seat, why)
}

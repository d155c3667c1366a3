package match

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// live is a match that runs. Its goroutine owns all of it but info, requests
// and done.
type live struct {
	service *Service
	spec    Spec
	rate    int // ticks a second
	kinds   wire.Kinds
	// priority and classes are of the rules' types.
	priority []uint8
	classes  []wire.Class
	started  time.Time

	info     atomic.Pointer[Info]
	holds    holds
	requests chan func(*live)
	done     chan struct{} // closed when the goroutine takes no more requests

	world    *sim.World
	log      journal.Log
	seats    []*seat
	teams    []*team
	welcome  *pb.Welcome
	cache    *view.Cache
	cachedAt grid.Tick // that the cache was prepared for

	replay     replayBuffer
	broadcasts []*broadcast
	beyond     grid.Ticks // since the world stands still, for those who watch later

	inputs  []sim.Input
	arrived []sim.Input             // joined, gone and left, for the next tick
	barred  map[string]link.Refusal // accounts whose seats ended for good, and why
	gate    durabilityGate
	written []byte      // scratch: the record of the tick
	short   []sim.Input // scratch: the inputs as the record has them
	scratch []byte

	until  time.Time      // after a recovery it stands still so long; zero: it runs
	saving sync.WaitGroup // of a state, one at a time
	busy   atomic.Bool    // a state is being saved
	saved  []byte         // whose bytes these are, while busy the saver's

	ended   *sim.Result
	failed  string
	warned  bool // its players know that the disk is nearly full
	endedAt time.Time
	paused  bool
	traffic traffic
}

// requestsMax is how many requests wait before those who ask have to.
const requestsMax = 64

func newLive(s *Service, spec Spec) (*live, error) {
	setup := spec.setup()
	w, err := sim.New(setup)
	if err != nil {
		return nil, err
	}
	if spec.Drive != nil {
		w.SetDriver(spec.Drive)
	}
	m := newLiveOf(s, spec, w)
	if m.log, err = m.openJournal(setup); err != nil {
		return nil, err
	}
	m.publish()
	return m, nil
}

// newLiveOf returns a match around a world. It has no journal yet.
func newLiveOf(s *Service, spec Spec, w *sim.World) *live {
	now := s.cfg.Clock.Now()
	m := &live{
		service: s, spec: spec, rate: w.TickRate(), world: w, started: now,
		kinds:    wire.Kinds{Players: len(spec.Seats), Types: len(spec.Rules.Types)},
		requests: make(chan func(*live), requestsMax), done: make(chan struct{}), barred: map[string]link.Refusal{},
	}
	for i, p := range spec.Seats {
		m.seats = append(m.seats, &seat{slot: grid.Slot(i), team: p.Team, account: p.Account, lost: now, meter: new(meter)})
	}
	for t := range w.Teams() {
		m.teams = append(m.teams, &team{team: grid.Team(t)})
	}
	for i := range spec.Rules.Types {
		m.priority = append(m.priority, spec.Rules.Types[i].Priority)
		m.classes = append(m.classes, wire.ClassOf(spec.Rules.Types[i].Class))
	}
	m.welcome = welcomeOf(w, &spec)
	m.cache = view.NewCache(w)
	if m.replay.most = s.cfg.ReplayBufferBytes; spec.Spectators > 0 {
		m.replay.depth = m.delayTicks(spec.SpectatorDelay)
	}
	return m
}

func (m *live) openJournal(setup sim.Setup) (journal.Log, error) {
	head, err := journal.SetupRecords(journal.Header{
		Match: m.spec.ID, Build: m.service.cfg.Build, MadeMs: m.started.UnixMilli(), Extra: m.spec.extra(),
	}, setup)
	if err != nil {
		return nil, err
	}
	log, err := m.service.cfg.Journals.Create(m.spec.ID)
	if err != nil {
		return nil, err
	}
	for _, rec := range head {
		if err := log.Append(log.Next(), rec); err != nil {
			log.Close()
			return nil, err
		}
	}
	return log, nil
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

// lateMax is how late a tick may be before the match says that it paused,
// instead of making up for it in a rush.
const lateMax = time.Second

// run is the match's goroutine. A panic in a tick is caught there; one outside
// of it leaves the match to the next start of the process, as a kill does.
func (m *live) run() {
	defer m.service.finished(m)
	defer close(m.done)
	defer panics.Catch(m.service.log, "match", m.letGo)
	defer m.closeBroadcasts()
	beat := &beat{origin: m.service.cfg.Clock.Now()}
	m.play(beat)
	m.close()
	m.playOut(beat)
}

// play plays the match until it is over and its players have had time to see
// that, or until the service stops.
func (m *live) play(b *beat) {
	clock := m.service.cfg.Clock
	for {
		due, ok := b.wait(m)
		if !ok {
			return
		}
		begin := clock.Now()
		if !m.tick() {
			return
		}
		m.service.metrics.tick.Observe(clock.Now().Sub(begin).Seconds())
		if m.spec.OnTick != nil {
			m.spec.OnTick(m.world, clock.Now().Sub(begin), begin.Sub(due))
		}
		if m.over() {
			return
		}
	}
}

// beat is when the ticks of a match are due.
type beat struct {
	origin time.Time
	n      int64 // ticks since
}

// wait waits for the next tick and returns when it was due; false if the
// service stops.
func (b *beat) wait(m *live) (due time.Time, ok bool) {
	clock := m.service.cfg.Clock
	b.n++
	due = b.origin.Add(time.Duration(b.n) * time.Second / time.Duration(m.rate))
	if !clock.Wait(due, m.service.ctx.Done()) {
		return due, false
	}
	if late := clock.Now().Sub(due); late > lateMax {
		m.service.log.Warn("match paused: it could not keep up", "match", m.spec.ID, "tick", m.world.Tick(), "late", late)
		m.service.metrics.pauses.Inc()
		b.origin = b.origin.Add(late)
	} else {
		m.service.metrics.late.Observe(max(0, late.Seconds()))
	}
	return due, true
}

// tick moves the match one tick. A panic ends this match and no other, and
// keeps its journal.
func (m *live) tick() (goOn bool) {
	defer panics.Catch(m.service.log, "tick", func() {
		m.service.log.Error("match failed", "match", m.spec.ID, "tick", m.world.Tick())
		m.fail(failedInternal)
		goOn = false
	})
	m.serve()
	if m.waiting() {
		return true
	}
	m.drain()
	out := m.world.Step(m.inputs)
	m.short = sim.Compact(m.short[:0], m.inputs, out.Answers, len(m.seats))
	if err := m.record(&out); err != nil {
		if m.failed != "" {
			return false // somebody broke it off
		}
		if m.service.ctx.Err() != nil {
			return false // the server stops: the match continues after the restart
		}
		m.service.log.Error("match failed", "match", m.spec.ID, "tick", out.Tick, "error", err)
		m.fail(failedJournal)
		return false
	}
	m.routeOutcome(&out)
	m.remember(&out)
	m.send()
	if out.Ended != nil {
		m.finish(*out.Ended)
	}
	m.watch(out.Tick, &out)
	m.keepState(&out)
	m.traffic.tick(m, out.Tick)
	if out.Hashed { // once a second
		m.watchDisk()
	}
	if int(out.Tick)%max(1, m.rate/4) == 0 || out.Ended != nil {
		m.publish()
	}
	return true
}

// serve runs what others asked for.
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

// drain empties the inboxes in slot order, a bounded number of messages each.
func (m *live) drain() {
	m.inputs = append(m.inputs[:0], m.arrived...)
	m.arrived = m.arrived[:0]
	for _, st := range m.seats {
		if st.session != nil {
			m.drainSeat(st)
		}
		m.checkGrace(st)
	}
}

func (m *live) drainSeat(st *seat) {
	s := st.session
	for range drainMessages {
		select {
		case f, ok := <-s.In:
			if !ok { // the reader is done: the client is gone
				m.leave(st)
				return
			}
			s.take(f, m.world.Tick(), m.rate)
			m.prove(st)
			lag := s.Lag(m.rate)
			for i := range f.Inputs {
				if f.Inputs[i].Kind == sim.InputOrder {
					f.Inputs[i].Lag = lag
				}
			}
			m.takeInputs(st, f.Inputs)
		default:
			return
		}
	}
}

// take notes what a message says about the client. A second has perS ticks.
func (s *session) take(f wire.ClientFrame, now grid.Tick, perS int) {
	if f.Applied <= s.sent && f.Applied > s.acked {
		s.acked = f.Applied
		s.NoteApplied(s.acked, now, perS)
	}
	if f.Camera != nil {
		s.camera = *f.Camera
	}
	if f.Pace != nil {
		s.pace = *f.Pace
	}
	if f.Resync {
		s.base = 0
		s.resyncs++
	}
}

// checkGrace tells the world once that a player will hardly come back.
func (m *live) checkGrace(st *seat) {
	if st.session == nil && !st.gone && m.service.cfg.Clock.Now().Sub(st.lost) > m.service.cfg.Grace {
		st.gone = true
		m.inputs = append(m.inputs, sim.Input{Kind: sim.InputGone, Slot: st.slot})
	}
}

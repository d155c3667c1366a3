package match

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// late plays the journal of a match once more, for the spectators of a broadcast:
//
//	match's goroutine ── cue: its tick ──► late
//	journal ─► playback.Cursor ─► world of tick - delay ─► feed ─► spectators
//
// So nothing of the delay can be in what a spectator is sent, in any form: the world that
// its frames are made of has not come to it. It goes no further than the last hash in
// the journal, which has one each second: so when somebody gave an order shows nowhere.
//
// Its goroutine steps the world in the slots of the library: while live matches need the
// processor it hardly gets one.
type late struct {
	*broadcast
	id      string // of the match
	rate    int    // ticks a second
	library *playback.Library
	earlier *earlier
	log     *slog.Logger

	now      atomic.Uint32 // the match's tick
	wake     chan struct{} // it has risen
	stop     chan struct{} // closed when nobody watches any more
	finished atomic.Bool   // all that the match has was shown, to its end
	failed   *link.Refusal // why it cannot go on; broadcast.mu

	// Its goroutine's.
	rec     *playback.Recording
	cursor  *playback.Cursor
	read    grid.Tick   // at which the journal was read last
	out     sim.Outcome // of the cursor's tick
	goal    grid.Tick   // the next tick that is shown, if it does not follow the last; 0: it does
	world   *sim.World  // of the cache
	cache   *view.Cache
	seating replay.Seating
}

// jumpSeconds is how far a world may be behind for all ticks on the way to be shown.
const jumpSeconds = 2

var errStopped = errors.New("nobody watches any more")

// newLate makes a broadcast late. In a match that runs its goroutine begins; else a test
// moves both by hand.
func (m *live) newLate(g *broadcast) {
	feeds := feed.NewMatch(m.spec.Map, m.spec.Rules, len(m.seats.all))
	feeds.TickRate, feeds.EveryTick, feeds.Beat, feeds.Counter = m.rate, m.spec.EveryTick, m.output.feeds.Beat, m.host.metrics
	g.feed = feeds.ForSpectators()
	l := &late{
		broadcast: g, id: m.spec.ID, rate: m.rate, library: m.host.library, earlier: &m.journal.earlier, log: m.host.log,
		wake: make(chan struct{}, 1), stop: make(chan struct{}),
	}
	l.now.Store(uint32(m.world.Tick()))
	g.late = l
	m.tellLate(g)
	if m.running {
		m.host.spawn(func() { l.run(m.host.ctx) })
	}
}

// tellLate hands a late broadcast what its clients are told of the match as it is now:
// its speed, who took a seat over, and their budget. Its mu is held, or it has not begun.
func (m *live) tellLate(g *broadcast) {
	g.feed.BytesPerS = m.output.feeds.BytesPerS
	g.feed.NameAs(m.output.feeds)
	told := m.speed.message(grid.NoSlot)
	g.feed.Speed = feed.Speed{Percent: m.output.feeds.Speed.Percent, Version: m.output.feeds.Speed.Version, Tell: func(grid.Slot) *pb.Speed { return told }}
}

// cue says which tick the match has reached.
func (l *late) cue(now grid.Tick) {
	l.now.Store(uint32(now))
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// run is the goroutine.
func (l *late) run(ctx context.Context) {
	defer panics.Catch(l.log, "broadcast", func() { l.fail(link.ErrInternal) })
	err := l.open(ctx)
	if err == nil {
		defer l.rec.Close()
	}
	for err == nil {
		select {
		case <-l.stop:
			return
		case <-l.wake:
			err = l.turn(l.hold)
		}
	}
	if ctx.Err() == nil {
		l.fail(err)
	}
}

// open opens the match's journal.
func (l *late) open(ctx context.Context) (err error) {
	if l.library == nil {
		return errors.New("the journals cannot be read while they are written")
	}
	if l.rec, err = l.library.OpenLive(ctx, l.id); err != nil {
		return err
	}
	if l.cursor, err = l.rec.Cursor(); err != nil {
		l.rec.Close()
		return err
	}
	if err := l.earlier.seed(l.rec); err != nil {
		l.log.Warn("a saved state is of no use, the broadcast plays the match from its start", "match", l.id, "error", err)
	}
	return nil
}

// earlier holds two of a match's saved states, packed, from which a broadcast begins that
// nobody has watched before. They lie more than a delay apart, so one of them is older
// than the delay. The state on disk is newer than what most spectators may see.
type earlier struct {
	delay grid.Tick // the spectators'; 0: they watch live, or the match has none

	mu     sync.Mutex
	states [2][]byte // the older one first
	newest grid.Tick
}

// add takes in a state, if it is due.
func (e *earlier) add(s *journal.State) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.delay == 0 || e.states[1] != nil && s.Tick <= e.newest+e.delay {
		return nil
	}
	b, err := journal.AppendState(nil, s)
	if err == nil {
		e.states, e.newest = [2][]byte{e.states[1], b}, s.Tick
	}
	return err
}

// seed adds the states to the checkpoints of the match's recording.
func (e *earlier) seed(rec *playback.Recording) error {
	e.mu.Lock()
	states := e.states
	e.mu.Unlock()
	for _, b := range states {
		if b == nil {
			continue
		}
		s, err := journal.ParseState(b)
		if err == nil {
			err = rec.Seed(s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fail makes the match shut the broadcast.
func (l *late) fail(err error) {
	if errors.Is(err, errStopped) {
		return
	}
	l.log.Error("spectator broadcast failed", "match", l.id, "error", err)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = unwatchable
}

// hold runs work in a slot.
func (l *late) hold(work func(more func() bool) error) error {
	l.library.Want(1)
	defer l.library.Want(-1)
	select {
	case l.library.Slots() <- struct{}{}:
		return l.library.Hold(work)
	case <-l.stop:
		return errStopped
	}
}

// turn listens to the spectators, and shows them what is due.
func (l *late) turn(hold func(work func(more func() bool) error) error) error {
	for {
		l.mu.Lock()
		l.listen()
		l.mu.Unlock()
		due, err := l.due()
		if err != nil {
			return err
		}
		plays := due > l.cursor.Tick() && l.library.MayPlay()
		if plays {
			if err := hold(l.work); err != nil {
				return err
			}
		}
		if l.tellWaiting(due); !plays {
			return nil
		}
	}
}

// due returns the tick that is to be shown: the match's minus the delay, as far as the
// journal has come. 0: none yet.
func (l *late) due() (grid.Tick, error) {
	now, delay := grid.Tick(l.now.Load()), grid.Tick(l.delay)
	t := max(now, delay) - delay
	if !l.rec.Over() && (t > l.rec.Summary().Hashed || now >= l.read+grid.Tick(l.rate)) {
		l.read = now // each second: once the match is over its journal may not be kept
		if err := l.rec.Refresh(); err != nil {
			return 0, err
		}
	}
	if l.rec.Over() {
		return t, nil
	}
	return min(t, l.rec.Summary().Hashed), nil
}

// work brings the world to the tick that is due, and shows it, while there is more time.
func (l *late) work(more func() bool) error {
	for more() {
		due, err := l.due()
		if err != nil || l.cursor.Tick() >= due {
			return err
		}
		if l.goal == 0 && (l.world == nil || due-l.cursor.Tick() > grid.Tick(jumpSeconds*l.rate)) {
			l.goal = due
		}
		if last := l.rec.Last(); l.goal != 0 && l.cursor.Tick() < last {
			if err := l.cursor.Approach(min(l.goal, last)); err != nil {
				return err
			}
		}
		if err := l.step(); err != nil {
			return err
		}
		if l.cursor.Tick() >= l.goal {
			l.present()
		}
	}
	return nil
}

// step plays the next tick. After its end a match goes on for as long as its players look
// at that, and its journal does not: nothing more happens in it.
func (l *late) step() error {
	if l.rec.Over() && l.cursor.Tick() >= l.rec.Last() {
		l.out = l.cursor.World().Step(nil)
		return nil
	}
	err := l.cursor.Step()
	l.out = l.cursor.Outcome()
	return err
}

// present shows the spectators the cursor's tick.
func (l *late) present() {
	w := l.cursor.World()
	if l.world != w {
		l.world, l.cache = w, view.NewCache(w)
	}
	l.cache.Prepare(w)
	now := w.Tick()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.goal != 0 {
		l.feed.Restart()
		l.goal = 0
	}
	l.seating = l.rec.Seating(now, l.seating)
	l.hear(l.out.Said, 0, now)
	l.look(feed.Source{World: w, Cache: l.cache, Away: l.seating.Away, Result: w.Result()})
	l.finished.Store(l.rec.Over() && now >= l.rec.Last())
}

// tellWaiting tells those whose frames have not begun, or stand still, how long that will
// take, once a second.
func (l *late) tellWaiting(due grid.Tick) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shown != 0 && l.shown+grid.Tick(l.rate) >= due {
		return
	}
	now, ticks := grid.Tick(l.now.Load()), uint32(1) // nearly there: it is catching up
	if first := l.rec.First() + 1 + grid.Tick(l.delay); first > now {
		ticks = uint32(first - now)
	}
	for _, st := range l.seats {
		if st.session != nil && !st.over {
			st.session.Wait(now, ticks, l.rate)
		}
	}
}

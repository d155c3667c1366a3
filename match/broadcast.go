package match

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// broadcast is for spectators with the same delay: their seats, and the feed that makes
// their frames. Without a delay it shows the match's own world, on the match's
// goroutine. With one it has a goroutine of its own ([late]), and mu says which of the
// two goroutines may touch feed and connections.
//
// The match's goroutine does not wait for mu in a tick. It waits for a frame at most to
// let a spectator in or to end a connection.
type broadcast struct {
	screen
	late  *late   // nil: no delay
	seats []*seat // changed by the match's goroutine alone, which reads it without mu

	// Traffic of a late broadcast, until the match's account takes it over.
	counts counts
	meter  meter
}

// broadcastsMax bounds the different delays in one match.
const broadcastsMax = 4

var unwatchable = &link.Refusal{Code: "unwatchable", Text: "the spectator broadcast failed; the match continues"}

// endWaitSeconds is how long the end of a match waits for a late broadcast for which
// the server has no time.
const endWaitSeconds = 60

// listen takes in the spectators' messages: they have no part in the match, and their
// orders and chat are refused. mu is held.
func (g *broadcast) listen() {
	for _, st := range g.seats {
		for range drainMessages {
			if st.conn == nil || st.over || !g.take(st) {
				break
			}
		}
	}
}

// take takes in one message of a spectator, and reports whether there was a message.
func (g *broadcast) take(st *seat) bool {
	s := st.conn
	select {
	case f, ok := <-s.In:
		if !ok { // the reader is done: the client is gone
			s.Drop()
			st.over = true
			return false
		}
		g.feed.Take(s.Receiver, &f)
		for _, in := range f.Inputs {
			st.backlog.Answer(0, s.Sent(), sim.Answer{Seq: in.Seq, Code: orders.NotAlive})
		}
		return true
	default:
		return false
	}
}

// hear keeps chat to all for the spectators. A team's own chat goes to its players alone,
// not to spectators who look with the team's eyes. mu is held.
func (g *broadcast) hear(said []sim.Said, records uint64, now grid.Tick) {
	for _, l := range said {
		if l.Ping != 0 || l.To != ^grid.TeamSet(0) {
			continue
		}
		for _, st := range g.seats {
			st.backlog.Say(records, now, l)
		}
	}
}

// look shows the spectators a tick. mu is held.
func (g *broadcast) look(src feed.Source) {
	g.feed.Look(src)
	g.shown = src.World.Tick()
	for _, st := range g.seats {
		if s := st.conn; s != nil && !st.over && !g.feed.Send(s.Receiver) {
			s.end("too_slow", "your connection is too slow for this match")
			st.over = true
		}
	}
}

// late plays the journal of a match once more, for the spectators of a broadcast:
//
//	match's goroutine ── cue: its tick ──► late
//	journal ─► playback.Cursor ─► world of tick - delay ─► feed ─► spectators
//
// So no message to a spectator can contain anything of the delay, in any form: the world
// behind its frames has not reached those ticks. It goes no further than the last hash in
// the journal, with one per second: so the time of an order shows nowhere.
//
// Its goroutine steps the world in the slots of the library: while live matches need the
// processor it hardly gets one.
type late struct {
	*broadcast
	id      string // of the match
	rate    int    // ticks per second
	library *playback.Library
	earlier *earlier
	log     *slog.Logger

	wake     chan struct{} // the match's tick has risen
	stop     chan struct{} // closed after the last spectator has gone
	finished atomic.Bool   // all that the match has was shown, to its end
	failed   *link.Refusal // why it cannot go on; broadcast.mu

	// Its goroutine's.
	rec    *playback.Recording
	cursor *playback.Cursor
	read   grid.Tick   // at which the journal was read last
	out    sim.Outcome // of the cursor's tick
	goal   grid.Tick   // the next tick that is shown, if it does not follow the last; 0: it does
}

// jumpSeconds is how far a world may be behind for all ticks on the way to be shown.
const jumpSeconds = 2

var errStopped = errors.New("the last viewer has left")

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

// turn listens to the spectators, and sends them the frames that are due.
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

// due returns the tick to show: the match's minus the delay, but not past the journal. 0:
// no tick yet.
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
		if l.goal == 0 && (l.shown == 0 || due-l.cursor.Tick() > grid.Tick(jumpSeconds*l.rate)) {
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

// step plays the next tick. After its end a match goes on while its players look at the
// result. Its journal does not: the world no longer changes.
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
	w, views := l.cursor.World(), l.cursor.Look()
	now := w.Tick()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.goal != 0 {
		l.feed.Restart()
		l.goal = 0
	}
	l.hear(l.out.Said, 0, now)
	l.look(feed.Source{World: w, Cache: views, StandIn: l.cursor.Seating.StandIn, Away: l.cursor.Seating.Away, Result: w.Result()})
	l.finished.Store(l.rec.Over() && now >= l.rec.Last())
}

// tellWaiting tells spectators whose frames have not begun, or stand still, how long they
// must wait, once per second.
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
		if st.conn != nil && !st.over {
			st.conn.Wait(now, ticks, l.rate)
		}
	}
}

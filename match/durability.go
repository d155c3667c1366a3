package match

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// gate holds the frames of a tick back until the journal has all that they show, and says
// that the match is still this process's. While it waits the match is paused.
type gate struct {
	*core
	journal     *matchJournal
	seats       *seats
	connections *connections
	spectators  *spectators
	speed       *speed
	serve       func() // other goroutines' requests meanwhile
	paused      bool
	cut         bool // its players were sent away, because the journal cannot be reached
}

// record appends the tick to the journal. If an input that acts now is not on disk yet,
// it waits. Orders act sim.OrderDelay ticks after they arrive, so the disk has that long
// before the match waits for it. A change of speed acts at once, and so does a player who
// goes for good or takes a seat over: the match waits for that record. It also waits for
// a returning player whom the world treated as gone ([gate.arrivalShows]). Any other
// return changes no frame: when all players of all matches come back at once, no tick
// waits for the disk.
//
// A hash has the same time as an order. After a kill, the last hash on disk shows
// how far any client can have seen ([live.catchUp]).
//
// The end of the match is the last record of the match itself. Later ticks change
// nothing, so they have no records.
func (g *gate) record(out *sim.Outcome) error {
	if g.end.closed() {
		return g.confirm()
	}
	if err := g.note(out); err != nil {
		return err
	}
	if g.journal.log.Synced() < g.journal.gate {
		g.host.metrics.diskWaits.Inc()
		n := g.journal.gate - 1
		if err := g.await(func(ctx context.Context) error { return g.journal.log.Wait(ctx, n) }); err != nil {
			return err
		}
	}
	return g.confirm()
}

// confirm waits until the match is surely still this process's: no frame leaves before.
func (g *gate) confirm() error {
	err := g.journal.log.Confirm(link.Over)
	if err == nil || errors.Is(err, journal.ErrFenced) {
		return err
	}
	return g.await(g.journal.log.Confirm)
}

// note appends the tick to the journal, and charges its players for the bytes.
func (g *gate) note(out *sim.Outcome) error {
	t := journal.Tick{Tick: out.Tick, Inputs: g.inputs.compact, Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
	if err := g.journal.note(&t, g.inputs.accepted); err != nil {
		return err
	}
	g.seats.charge(out.Answers)
	return nil
}

// arrivalShows reports whether a client's arrival shows in the frames of its tick. It
// does if the world treated the player as gone, if the client numbers its orders anew,
// and if the match was about to end because no player is connected.
func (g *gate) arrivalShows(st *seat, anew bool) bool {
	return st.absent || anew || g.world.AbandonedWithin(sim.OrderDelay)
}

// await waits for the journal: for a record to be on disk, or for its word that the match
// is still ours. If that takes longer than a second, or the disk is full, the match is
// paused. It tells its players once per second, and goes on as soon as the journal
// answers. Requests, such as one to end the match, are still served.
func (g *gate) await(wait func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(g.host.ctx, lateMax)
	err := wait(ctx)
	cancel()
	if err == nil || ctx.Err() == nil {
		return err
	}
	g.paused = true
	g.tell.publish()
	g.host.metrics.pauses.Inc()
	g.host.log.Warn("match paused: the journal is slow", "match", g.spec.ID, "tick", g.world.Tick(), "stalled", g.journal.log.Stalled())
	began, stopped := time.Now(), g.host.now()
	for err != nil {
		g.tellPaused()
		g.sendAway(time.Since(began))
		g.serve()
		if g.end.failed != "" {
			return errGivenUp
		}
		ctx, cancel := context.WithTimeout(g.host.ctx, lateMax)
		err = wait(ctx)
		over := ctx.Err() == nil || g.host.ctx.Err() != nil
		cancel()
		if err != nil && over {
			return fmt.Errorf("journal: %w", err)
		}
	}
	g.paused, g.cut = false, false
	g.seats.stoodStill(g.host.now().Sub(stopped))
	g.tell.publish()
	g.host.log.Info("match goes on", "match", g.spec.ID, "pause", time.Since(began))
	return nil
}

// errGivenUp: the match was ended while it waited for its disk.
var errGivenUp = errors.New("match: broken off while it stood still")

// cutOffWait is how long a match that cannot reach its journal keeps its players.
const cutOffWait = 3 * time.Second

// sendAway ends all connections, after a while, of a match that is cut off from its journal:
// another process may have it by now, without word to this one.
func (g *gate) sendAway(pause time.Duration) {
	if g.cut || pause < cutOffWait || !errors.Is(g.journal.log.Stalled(), journal.ErrCutOff) {
		return
	}
	g.cut = true
	g.host.log.Warn("a match sends its players away: its journal cannot be reached", "match", g.spec.ID)
	why := g.host.movedTo(g.spec.ID)
	for _, st := range g.spectators.everySeat() {
		g.connections.dismiss(st, why)
	}
}

// tellPaused tells the players that the match is paused, for at least a second.
func (g *gate) tellPaused() {
	for _, st := range g.seats.all {
		if s := st.conn; s != nil && s.Room() && !g.spec.Seats[st.slot].Bot {
			s.SendWaiting(uint32(g.rate))
		}
	}
}

// route puts the answers, cancellations and chat of a step into the resend queues of
// their players. An answer is sent only once the record of its tick is on disk. So is
// chat; nothing else in the frame depends on that record.
//
// A cancellation (an order that ended early) is sent at once, like all other effects of
// inputs that act in this tick. It must not wait for the tick's record: a tick has a
// record only if a client sent an input (or a hash is due), so waiting would reveal that
// an enemy sent one.
func (g *gate) route(out *sim.Outcome) {
	n := g.journal.log.Next() // all records before it
	for _, a := range out.Answers {
		if st := g.seats.all[a.Slot]; st.kept() {
			a.Left = slices.Clone(a.Left)
			st.backlog.Answer(n, out.Tick, a)
		}
	}
	for _, o := range out.Notices {
		c, ok := view.CancelledOf(g.world, &o)
		if st := g.seats.all[o.Slot]; ok && st.kept() {
			st.backlog.Cancel(out.Tick, c)
		}
	}
	for _, s := range out.Said {
		if g.speed.wasHeard(&s) {
			continue
		}
		for _, st := range g.seats.all {
			if st.kept() && s.To.Has(st.team) && g.spec.Hears(st.slot, s.Slot) {
				st.backlog.Say(n, out.Tick, s)
			}
		}
	}
}

// stop writes down that the match stops after its present tick, and saves its state. One
// more tick takes in requests that came since, such as a kick; this process sends no
// frame for it.
func (g *gate) stop() error {
	if len(g.inputs.next) > 0 {
		g.inputs.begin()
		out := g.inputs.step(g.world, len(g.seats.all))
		if err := g.note(&out); err != nil {
			return err
		}
		g.route(&out)
		if out.Ended != nil {
			g.journal.finish(*out.Ended)
			return nil
		}
	}
	err := g.journal.stop(g.world)
	if err == nil {
		g.inputs.kept()
	}
	return err
}

// lateMax is how late a tick may be. Beyond that the match reports a pause, instead
// of running the missed ticks without delay.
const lateMax = time.Second

package match

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
)

// core is the state that all parts of a match share. It belongs to the match's goroutine.
type core struct {
	host   *host
	spec   Spec // its seats change hands
	rate   int  // ticks per second
	world  *sim.World
	end    ending
	inputs inputs
	tell   listener
}

// listener is the match, whose parts have news for others and words for its players.
type listener interface {
	publish()
	announce(text string)
}

// ending is how a match ended. The zero value: it goes on.
type ending struct {
	result *sim.Result // nil: no result yet
	failed string      // why it broke off; "": it did not
	at     time.Time   // when
}

// closed reports whether the match takes no more part in the game.
func (e *ending) closed() bool { return e.result != nil || e.failed != "" }

// host is the part of a service that its own parts and its matches share. A match does
// not know the service.
type host struct {
	cfg     Config          // without gaps: New has filled in the defaults
	ctx     context.Context // ends when the service closes
	log     *slog.Logger
	metrics *metrics
	helpers *helpers.Pool // of all matches
	pace    pace
	disk    watermark
	muted   atomic.Pointer[map[string]time.Time] // see [Service.Mute]; nil: no account
	running sync.WaitGroup                       // matches and reports
	grounds grounds
	signer
	calls
}

// calls are the calls of a match to its service. Each may come from any goroutine.
type calls interface {
	enroll(match, account string, epoch int64) bool
	count(c *caller, seat Seat, old *connection) error
	movedTo(match string) *link.Refusal
	isDraining() bool
	lost(match string)
	finished(match string, moved bool) // moved: it may be another process's by now
}

// grounds are what matches on the same map share of it. Each lives as long as a match that uses it.
type grounds struct {
	mu sync.Mutex
	of map[*grid.Map]weak.Pointer[sim.Ground]
}

func (g *grounds) find(m *grid.Map) *sim.Ground {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.of[m].Value()
}

func (g *grounds) keep(b *sim.Ground) {
	g.mu.Lock()
	defer g.mu.Unlock()
	maps.DeleteFunc(g.of, func(_ *grid.Map, old weak.Pointer[sim.Ground]) bool { return old.Value() == nil })
	if g.of == nil {
		g.of = map[*grid.Map]weak.Pointer[sim.Ground]{}
	}
	g.of[b.Map()] = weak.Make(b)
}

func (h *host) now() time.Time { return h.cfg.Clock.Now() }

// mutes reports whether an account is muted at a time.
func (h *host) mutes(account string, now time.Time) bool {
	muted := h.muted.Load()
	if muted == nil || account == "" {
		return false
	}
	until, is := (*muted)[account]
	return is && (until.IsZero() || now.Before(until))
}

// inputs has the inputs of one tick and of the next.
type inputs struct {
	accepted []sim.Input // of the tick that is played
	next     []sim.Input // since the tick: players who came and went, changed settings
	compact  []sim.Input // scratch: the accepted ones, as the record has it

	promises []func() // each is called once the journal has the inputs of next
	due      []func() // the same for accepted
}

// then calls f once the inputs for the next tick are on disk.
func (in *inputs) then(f func()) { in.promises = append(in.promises, f) }

// kept says that the inputs of the tick are on disk.
func (in *inputs) kept() {
	for _, f := range in.due {
		f()
	}
	in.due = nil
}

// add keeps an input for the next tick.
func (in *inputs) add(x ...sim.Input) { in.next = append(in.next, x...) }

// begin begins the next tick.
func (in *inputs) begin() {
	in.accepted = append(in.accepted[:0], in.next...)
	in.next = in.next[:0]
	in.due, in.promises = append(in.due, in.promises...), nil
}

// step plays the tick. seats is the number of the match's seats.
func (in *inputs) step(w *sim.World, seats int) sim.Outcome {
	out := w.Step(in.accepted)
	in.compact = sim.Compact(in.compact[:0], in.accepted, out.Answers, seats)
	return out
}

// requests are other goroutines' calls on a match's goroutine.
type requests struct {
	queue chan func()
	done  chan struct{} // closed when no more are taken
}

// requestsMax is how many requests can be queued. Further callers wait.
const requestsMax = 64

func newRequests() requests {
	return requests{queue: make(chan func(), requestsMax), done: make(chan struct{})}
}

// ask runs f on the match's goroutine and waits until it has run.
func (r *requests) ask(ctx context.Context, f func()) error {
	ran := make(chan struct{})
	select {
	case r.queue <- func() { defer close(ran); f() }:
	case <-r.done:
		return ErrNoMatch
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.until(context.WithoutCancel(ctx), ran)
}

// until waits until the match's goroutine has closed a channel.
func (r *requests) until(ctx context.Context, closed <-chan struct{}) error {
	select {
	case <-closed:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-r.done:
		select { // it may be the goroutine's last act
		case <-closed:
			return nil
		default:
			return ErrNoMatch
		}
	}
}

// serve runs the requests of other goroutines.
func (r *requests) serve() {
	for range requestsMax {
		select {
		case f := <-r.queue:
			f()
		default:
			return
		}
	}
}

package inspectserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Config configures a [Service].
type Config struct {
	Library *playback.Library // opens the matches
	Live    Live              // nil: no match runs here
	Ledger  *spec.Ledger      // nil: no limit
	Logger  *slog.Logger      // nil: none
}

// Bounds of the service.
const (
	cursorsMax   = 3                // worlds of a match that requests have
	idle         = time.Minute      // so long after its last request a match is closed
	wait         = 10 * time.Second // so long a request waits for its tick
	noticesMax   = 100_000          // of orders that went wrong later, of a match
	faultsMax    = 100              // of its scripts; further ones displace the oldest
	historySpan  = 5                // seconds
	historyBytes = 32 << 20         // of a match
)

// Live answers questions about the matches that run here; package match implements it. A
// match that does not run is a [spec.ErrNoMatch].
type Live interface {
	Match(id string) (spec.Info, bool)
	// Holdings returns the data that the clients of a team's players hold at the newest
	// tick of a match.
	Holdings(ctx context.Context, id string, team grid.Team) (tick grid.Tick, list []feed.Holding, err error)
	// Inspect returns a copy of a match's newest finished tick, through the eyes of a team,
	// or with [grid.NoTeam] of all. The caller owns it.
	Inspect(ctx context.Context, id string, eyes grid.Team) (*spec.Picture, error)
	// Traffic returns the traffic of a match's clients.
	Traffic(ctx context.Context, id string) (*spec.LiveTraffic, error)
	// Trace calls each with every message to the player of a slot, or with [grid.NoSlot] to
	// all spectators, until ctx ends, the match ends or each fails.
	Trace(ctx context.Context, id string, slot grid.Slot, each func(spec.TraceLine) error) error
}

// Service keeps the matches that are looked into. Any goroutine may call it.
type Service struct {
	cfg Config

	pictures pictures

	mu     sync.Mutex
	open   map[string]*opening
	closed bool
}

// New returns a service. [Service.Close] ends it.
func New(c Config) *Service {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Service{cfg: c, open: map[string]*opening{}}
}

// Close closes all matches.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, o := range s.open {
		s.drop(o)
	}
}

// opening is a match that is looked into.
type opening struct {
	id     string
	s      *Service
	ctx    context.Context // ends as it is closed
	cancel context.CancelFunc
	hold   *quota.Hold

	users  int           // s.mu
	used   time.Time     // s.mu
	expiry *time.Timer   // closes it some time after its last request
	ready  chan struct{} // closed once it was read, or failed
	err    error         // why it could not be read
	rec    *playback.Recording

	turn    chan struct{} // held by the one request that works on the cursors
	cursors []*cursor     // the one that was used last comes first

	mu       sync.Mutex
	history  *inspect.History
	counts   []uint32 // orders before each second of match time
	notices  map[noticeKey][]inspect.LaterNews
	noticesN int
	faults   []ScriptFault // the latest
	faultsN  int
}

type noticeKey struct {
	slot grid.Slot
	seq  uint32
}

// rate returns the ticks of a second.
func (o *opening) rate() int { return o.rec.Header.TickRate }

// cursor is a world that requests move.
type cursor struct{ *playback.Cursor }

// use returns the opening of a match, which stays open until done is called.
func (s *Service) use(ctx context.Context, id string) (o *opening, done func(), err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, errClosing
	}
	o = s.open[id]
	first := o == nil
	if first {
		if o, err = s.opened(id); err != nil {
			s.mu.Unlock()
			return nil, nil, err
		}
	}
	o.users++
	o.expiry.Stop()
	s.mu.Unlock()
	done = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if o.users--; o.users == 0 {
			o.used = time.Now()
			o.expiry.Reset(idle)
		}
	}
	if first {
		o.read()
	}
	select {
	case <-o.ready:
		if o.err == nil {
			return o, done, nil
		}
		err = o.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	done()
	return nil, nil, err
}

// opened makes room for a match. At the limit, the least recently used one is closed. s.mu is held.
func (s *Service) opened(id string) (*opening, error) {
	hold, err := s.cfg.Ledger.Take(quota.Inspections, quota.Payer{}, 1)
	if err != nil {
		var longest *opening
		for _, o := range s.open {
			if o.users == 0 && (longest == nil || o.used.Before(longest.used)) {
				longest = o
			}
		}
		if longest == nil {
			return nil, err
		}
		s.drop(longest)
		if hold, err = s.cfg.Ledger.Take(quota.Inspections, quota.Payer{}, 1); err != nil {
			return nil, err
		}
	}
	o := &opening{
		id: id, s: s, hold: hold, ready: make(chan struct{}), turn: make(chan struct{}, 1), notices: map[noticeKey][]inspect.LaterNews{},
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	o.expiry = time.AfterFunc(idle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if o.users == 0 {
			s.drop(o)
		}
	})
	s.open[id] = o
	return o, nil
}

// drop closes a match. s.mu is held.
func (s *Service) drop(o *opening) {
	if s.open[o.id] != o {
		return
	}
	delete(s.open, o.id)
	o.expiry.Stop()
	o.cancel()
	o.hold.Release()
	select {
	case <-o.ready:
		if o.rec != nil {
			o.rec.Close()
		}
	default: // read does
	}
}

// read opens the match. The next request for an unreadable match tries again.
func (o *opening) read() {
	defer panics.Catch(o.s.cfg.Logger, "inspect", nil)
	o.err = errUnplayed
	defer func() {
		o.s.mu.Lock()
		defer o.s.mu.Unlock()
		close(o.ready)
		if o.err != nil {
			o.s.drop(o)
		} else if o.ctx.Err() != nil {
			o.err = errClosing
			o.rec.Close()
		}
	}()
	rec, err := o.s.cfg.Library.Open(o.ctx, o.id, true)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.err = refuse("no_match", "no journal of match %.64q is here: it never ran, was too long ago, or its journal is on another server", o.id)
		return
	case errors.Is(err, playback.ErrClosed), o.ctx.Err() != nil:
		o.err = errClosing
		return
	case err != nil:
		o.err = refuse("not_readable", "the journal cannot be played: %v", err)
		return
	}
	o.rec = rec
	o.history = inspect.NewHistory(grid.Tick(historySpan*o.rate()), historyBytes)
	o.counts = make([]uint32, int(o.rec.First())/o.rate()+1)
	rec.Follow(o.note)
	o.err = nil
}

// note takes in a tick that the library has played.
func (o *opening) note(c *replay.Replay) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.history.Note(c.World())
	t := c.Tick()
	if t == o.rec.First() {
		return
	}
	inputs, err := c.Inputs(t)
	if err != nil {
		o.s.cfg.Logger.Warn("a match is inspected without the orders of a tick", "match", o.id, "tick", t, "err", err)
	}
	if len(inputs) > 0 {
		o.counts[len(o.counts)-1] += inspect.CountOrders(inputs, c.World().Players())
	}
	if t%grid.Tick(o.rate()) == 0 { // what is counted from now on is of the next second
		o.counts = append(o.counts, o.counts[len(o.counts)-1])
	}
	for _, n := range c.Outcome().Notices {
		if k := (noticeKey{n.Slot, n.Seq}); o.noticesN < noticesMax {
			o.notices[k] = append(o.notices[k], inspect.LaterNews{Tick: uint32(t), Code: n.Code.String(), Unit: uint32(n.Unit)})
			o.noticesN++
		}
	}
	for _, f := range c.Outcome().Faults {
		if o.faultsN++; len(o.faults) == faultsMax {
			o.faults = o.faults[1:]
		}
		o.faults = append(o.faults, ScriptFault{uint32(t), f.Script, f.Line, f.Handler, f.Why})
	}
}

// await waits until the library has played a tick: from then on going there is quick.
func (o *opening) await(ctx context.Context, t grid.Tick) error {
	limit, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(o.ctx, cancel)()
	err := o.rec.Await(limit, t)
	var diverged *journal.DivergedError
	switch {
	case errors.As(err, &diverged):
		return refuse("diverged", "this build plays the match in another way than it was played, from tick %d on: %v", diverged.Tick, err)
	case err == nil || limit.Err() == nil:
		return err
	case o.ctx.Err() != nil:
		return errClosing
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return busy("the match is still being read: tick %d of %d", o.rec.Reached(), t)
}

// at calls do with a look at a tick, nil: the newest. It has the world for itself.
func (o *opening) at(ctx context.Context, t *uint32, do func(c *cursor, look *inspect.Look) error) error {
	last := o.rec.Last()
	tick := o.rec.Reached()
	if t != nil {
		if tick = grid.Tick(*t); tick > last || tick < o.rec.First() {
			return badTick(tick, o.rec.First(), last)
		}
	} else if o.rec.Over() {
		tick = last
	}
	if err := o.await(ctx, tick); err != nil {
		return err
	}
	return o.alone(ctx, func() error {
		c, err := o.cursorAt(ctx, tick)
		if err != nil {
			return err
		}
		return do(c, inspect.At(c.World()))
	})
}

// alone calls do while no other request works on the match's cursors.
func (o *opening) alone(ctx context.Context, do func() error) error {
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-o.turn }()
	return do()
}

// cursorAt returns a cursor that stands at a tick. It has the match's turn.
func (o *opening) cursorAt(ctx context.Context, t grid.Tick) (*cursor, error) {
	best := -1
	for i, c := range o.cursors {
		if c.Tick() <= t && (best < 0 || c.Tick() > o.cursors[best].Tick()) {
			best = i
		}
	}
	if best < 0 || t-o.cursors[best].Tick() > grid.Tick(replay.CheckpointSeconds*o.cursors[best].World().TickRate()) {
		best = len(o.cursors) - 1
		if len(o.cursors) < cursorsMax {
			r, err := o.rec.Cursor()
			if err != nil {
				return nil, err
			}
			o.cursors, best = append(o.cursors, &cursor{r}), len(o.cursors)
		}
	}
	c := o.cursors[best]
	o.cursors = slices.Insert(slices.Delete(o.cursors, best, best+1), 0, c)
	return c, c.Seek(ctx, t)
}

// Refusal is why something is not answered. Its code is for programs.
type Refusal struct {
	Code  string
	Text  string
	Field string
	After time.Duration // another try may succeed then; 0: none will
}

func (r *Refusal) Error() string { return r.Text }

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

func busy(format string, args ...any) *Refusal {
	r := refuse("busy", format, args...)
	r.After = time.Second
	return r
}

var errUnplayed = errors.New("the match could not be played; the server's log says why")

var errClosing = busy("the server stops, or has closed this match to open others")

func badTick(t, first, last grid.Tick) *Refusal {
	r := refuse("bad_tick", "tick %d: the match has ticks %d to %d", t, first, last)
	r.Field = "tick"
	return r
}

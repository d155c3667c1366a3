package inspectserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
)

// Ledger counts what may be had at once; nil refuses nothing.
type Ledger = budget.Ledger

// Config is what a [Service] works with.
type Config struct {
	Journals journal.Follower
	Notes    Notes        // nil: there are none
	Live     Live         // nil: no match runs here
	Busy     func() bool  // whether live matches need the processor now; nil: never
	Budget   *Ledger      // nil: no limit
	Logger   *slog.Logger // nil: none
	// MemoryBytes bounds what an open match takes of memory: records, checkpoints and
	// history; 0: MemoryBytesDefault.
	MemoryBytes int
}

// Notes is where the notes of matches are; *notes.Dir is one.
type Notes interface {
	// Read returns the notes of a match as far as they are on disk, nil if there are none.
	Read(match string) (*notes.Notes, error)
}

// MemoryBytesDefault is for an open match, besides its worlds.
const MemoryBytesDefault = 128 << 20

// Bounds of the service.
const (
	cursorsMax  = 3                      // worlds of a match that requests have
	idle        = time.Minute            // so long after its last request a match is closed
	wait        = 10 * time.Second       // so long a request waits for its tick
	slice       = 5 * time.Millisecond   // of playing, between two looks at who else needs the processor
	refresh     = 200 * time.Millisecond // between two looks for news of a live match
	noticesMax  = 100_000                // of orders that went wrong later, of a match
	historySpan = 5                      // seconds
)

// Live is what is asked of the matches that run.
type Live interface {
	// Seats returns who sits where in a match that runs; ok is false if it does not.
	Seats(match string) (seats []Seat, state string, ok bool)
	// Holdings returns what the clients of a team's players hold at the newest tick of a
	// match; ok is false if it does not run.
	Holdings(ctx context.Context, match string, team grid.Team) (tick grid.Tick, list []Holding, ok bool, err error)
}

// Holding is what one client of a live match holds.
type Holding struct {
	Slot      grid.Slot
	Connected bool
	feed.Holding
}

// Seat is a seat of a live match.
type Seat struct {
	Slot      grid.Slot
	Name      string
	Bot       bool
	Connected bool
}

// Service keeps the matches that are looked into. Any goroutine may call it.
type Service struct {
	cfg  Config
	work chan struct{} // a place for each goroutine that plays

	mu     sync.Mutex
	open   map[string]*opening
	closed bool
	run    sync.WaitGroup
}

// New returns a service. [Service.Close] ends it.
func New(c Config) *Service {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Busy == nil {
		c.Busy = func() bool { return false }
	}
	c.MemoryBytes = cmp.Or(c.MemoryBytes, MemoryBytesDefault)
	return &Service{cfg: c, work: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), open: map[string]*opening{}}
}

// Close closes all matches and waits for the goroutines.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	for _, o := range s.open {
		o.cancel()
	}
	s.mu.Unlock()
	s.run.Wait()
}

// Has reports whether there is a journal of a match.
func (s *Service) Has(match string) bool {
	tail, err := s.cfg.Journals.Follow(match)
	if err != nil {
		return false
	}
	return tail.Close() == nil
}

// opening is a match that is looked into.
type opening struct {
	id     string
	s      *Service
	ctx    context.Context // ends as it is closed
	cancel context.CancelFunc
	hold   *budget.Hold

	ready chan struct{} // closed once it was read, or failed
	err   error         // why it could not be read
	tail  journal.Tail
	rec   *replay.Recording

	turn    chan struct{} // held by the one request that works on the cursors
	cursors []*cursor     // the one that was used last comes first

	mu       sync.Mutex
	users    int
	used     time.Time
	reached  grid.Tick     // the pass has played up to here
	broken   error         // why the pass cannot go on
	moved    chan struct{} // closed and made anew as reached or broken changes
	history  *inspect.History
	timeline *timeline.Builder
	counts   []uint32 // orders before each second of match time
	notices  map[noticeKey][]inspect.LaterNews
	noticesN int
	noted    kept
}

// kept is what was last read of a match's notes.
type kept struct {
	notes *notes.Notes
	at    time.Time
	last  grid.Tick // that the journal had then
}

type noticeKey struct {
	slot grid.Slot
	seq  uint32
}

// cursor is a world that requests move.
type cursor struct{ *replay.Replay }

// use returns the opening of a match, which stays open until done is called.
func (s *Service) use(ctx context.Context, id string) (o *opening, done func(), err error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, nil, errClosing
	}
	o = s.open[id]
	if o == nil {
		if o, err = s.opened(id); err != nil {
			s.mu.Unlock()
			return nil, nil, err
		}
	}
	o.mu.Lock()
	o.users++
	o.mu.Unlock()
	s.mu.Unlock()
	done = func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.users--
		o.used = time.Now()
	}
	select {
	case <-o.ready:
	case <-ctx.Done():
		done()
		return nil, nil, ctx.Err()
	}
	if o.err != nil {
		done()
		return nil, nil, o.err
	}
	return o, done, nil
}

// opened begins to read a match. If as many are open as may be, the one that nobody
// has used for longest is closed. s.mu is held.
func (s *Service) opened(id string) (*opening, error) {
	hold, err := s.cfg.Budget.Take(budget.Inspections, budget.Who{}, 1)
	if err != nil {
		var longest *opening
		for _, o := range s.open {
			o.mu.Lock()
			if o.users == 0 && (longest == nil || o.used.Before(longest.used)) {
				longest = o
			}
			o.mu.Unlock()
		}
		if longest == nil {
			return nil, err
		}
		longest.cancel()
		delete(s.open, longest.id)
		longest.hold.Release()
		if hold, err = s.cfg.Budget.Take(budget.Inspections, budget.Who{}, 1); err != nil {
			return nil, err
		}
	}
	o := &opening{
		id: id, s: s, hold: hold, ready: make(chan struct{}), turn: make(chan struct{}, 1), moved: make(chan struct{}), used: time.Now(),
		notices: map[noticeKey][]inspect.LaterNews{},
	}
	o.ctx, o.cancel = context.WithCancel(context.Background())
	s.open[id] = o
	s.run.Add(1)
	go func() {
		defer s.run.Done()
		defer s.forget(o)
		defer panics.Catch(s.cfg.Logger, "inspect", func() { o.fail(errors.New("the match could not be played; the server's log says why")) })
		o.live()
	}()
	return o, nil
}

// forget takes an opening out whose goroutine ends.
func (s *Service) forget(o *opening) {
	o.cancel()
	s.mu.Lock()
	if s.open[o.id] == o {
		delete(s.open, o.id)
	}
	s.mu.Unlock()
	o.hold.Release()
	if o.tail != nil {
		if err := o.tail.Close(); err != nil {
			s.cfg.Logger.Warn("a journal that was inspected is not closed", "match", o.id, "err", err)
		}
	}
}

// live is the goroutine of an opening: it reads the journal, plays it once, follows
// what comes, and ends when nobody has asked for a while.
func (o *opening) live() {
	pass, err := o.read()
	if err != nil {
		o.err = err
		close(o.ready)
		o.s.mu.Lock()
		delete(o.s.open, o.id) // the next one who asks tries again
		o.s.mu.Unlock()
		return
	}
	close(o.ready)
	if err = o.pass(pass); err != nil && o.ctx.Err() == nil {
		o.fail(err)
	}
	again := time.NewTicker(refresh)
	defer again.Stop()
	for {
		o.mu.Lock()
		left := o.users == 0 && time.Since(o.used) > idle
		o.mu.Unlock()
		if left {
			return
		}
		select {
		case <-o.ctx.Done():
			return
		case <-again.C:
		}
		if o.rec.Over() || err != nil {
			continue
		}
		if err = o.rec.Refresh(); err == nil {
			err = o.pass(pass)
		}
		if err != nil && o.ctx.Err() == nil {
			o.fail(err)
		}
	}
}

// read reads the journal so far, and returns the cursor that will play it once.
func (o *opening) read() (*replay.Replay, error) {
	tail, err := o.s.cfg.Journals.Follow(o.id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refuse("no_match", "no journal of match %.64q is here: it never ran, was too long ago, or its journal is on another server", o.id)
	case err != nil:
		return nil, err
	}
	o.tail = tail
	o.rec, err = replay.Read(tail.Read, replay.Options{CheckpointBytes: o.s.cfg.MemoryBytes / 2, RecordBytes: o.s.cfg.MemoryBytes})
	var pass *replay.Replay
	if err == nil {
		pass, err = o.rec.Cursor()
	}
	if err != nil {
		return nil, refuse("not_readable", "the journal cannot be played: %v", err)
	}
	o.history = inspect.NewHistory(grid.Tick(historySpan*o.rate()), o.s.cfg.MemoryBytes/4)
	o.history.Note(pass.World())
	o.timeline = timeline.New(pass.World())
	o.counts, o.reached = make([]uint32, int(pass.Tick())/o.rate()+1), pass.Tick()
	return pass, nil
}

// fail notes that the pass cannot go on.
func (o *opening) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = err
	close(o.moved)
	o.moved = make(chan struct{})
}

// pass plays what was not played yet, in slices.
func (o *opening) pass(c *replay.Replay) error {
	rate := grid.Tick(c.World().TickRate())
	for c.Tick() < c.Last() {
		if err := o.s.enter(o.ctx); err != nil {
			return err
		}
		err := func() error {
			defer o.s.leave()
			o.mu.Lock()
			defer o.mu.Unlock()
			for end := time.Now().Add(slice); c.Tick() < c.Last() && time.Now().Before(end); {
				if err := c.Step(); err != nil {
					return err
				}
				o.note(c, rate)
				o.reached = c.Tick()
			}
			close(o.moved)
			o.moved = make(chan struct{})
			return nil
		}()
		if err != nil {
			return err
		}
	}
	return nil
}

// note takes in a tick that the pass has played. o.mu is held.
func (o *opening) note(c *replay.Replay, rate grid.Tick) {
	o.history.Note(c.World())
	t := c.Tick()
	inputs, err := c.Inputs(t)
	if err == nil && len(inputs) > 0 {
		o.counts[len(o.counts)-1] += inspect.CountOrders(inputs, c.World().Players())
	}
	if t%rate == 0 { // what is counted from now on is of the next second
		o.counts = append(o.counts, o.counts[len(o.counts)-1])
	}
	outcome := c.Outcome()
	if err == nil {
		err = o.timeline.Note(c.World(), inputs, &outcome)
	}
	if err != nil {
		o.s.cfg.Logger.Warn("a match is inspected without its timeline", "match", o.id, "tick", t, "err", err)
	}
	for _, n := range outcome.Notices {
		if k := (noticeKey{n.Slot, n.Seq}); o.noticesN < noticesMax {
			o.notices[k] = append(o.notices[k], inspect.LaterNews{Tick: uint32(t), Code: n.Code.String(), Unit: uint32(n.Unit)})
			o.noticesN++
		}
	}
}

// first returns the tick with which the match begins.
func (o *opening) first() grid.Tick { return o.rec.First() }

// enter waits for a place to play in, while live matches need the processor for longer.
func (s *Service) enter(ctx context.Context) error {
	for s.cfg.Busy() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	select {
	case s.work <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) leave() { <-s.work }

// last returns the newest tick that can be shown, and how far the pass has come.
func (o *opening) last() (last, reached grid.Tick) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rec.Last(), o.reached
}

// await waits until the pass has played a tick: from then on going there is quick.
func (o *opening) await(ctx context.Context, t grid.Tick) error {
	limit, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		o.mu.Lock()
		reached, broken, moved := o.reached, o.broken, o.moved
		o.mu.Unlock()
		switch {
		case reached >= t:
			return nil
		case broken != nil:
			var diverged *journal.DivergedError
			if errors.As(broken, &diverged) {
				return refuse("diverged", "this build plays the match in another way than it was played, from tick %d on: %v", diverged.Tick, broken)
			}
			return broken
		}
		select {
		case <-moved:
		case <-o.ctx.Done():
			return errClosing
		case <-limit.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return busy("the match is still being read: tick %d of %d", reached, t)
		}
	}
}

// at calls do with a look at a tick, nil: the newest. It has the world for itself.
func (o *opening) at(ctx context.Context, t *uint32, do func(c *cursor, look *inspect.Look) error) error {
	last, reached := o.last()
	tick := reached
	if t != nil {
		if tick = grid.Tick(*t); tick > last || tick < o.first() {
			return badTick(tick, o.first(), last)
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
	return c, o.s.seek(ctx, c, t)
}

// seek brings a cursor to a tick, in slices.
func (s *Service) seek(ctx context.Context, c *cursor, t grid.Tick) error {
	if c.Tick() == t {
		return nil
	}
	begun := false
	for c.Tick() != t || !begun {
		if err := s.enter(ctx); err != nil {
			return err
		}
		err := func() error {
			defer s.leave()
			if !begun {
				begun = true
				if err := c.Approach(t); err != nil {
					return err
				}
			}
			for end := time.Now().Add(slice); c.Tick() < t && time.Now().Before(end); {
				if err := c.Step(); err != nil {
					return err
				}
			}
			return nil
		}()
		if err != nil {
			return err
		}
	}
	return nil
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

var errClosing = busy("the server stops, or has closed this match to open others")

func badTick(t, first, last grid.Tick) *Refusal {
	r := refuse("bad_tick", "tick %d: the match has ticks %d to %d", t, first, last)
	r.Field = "tick"
	return r
}

package playback

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Config configures a library.
type Config struct {
	Journals journal.Follower
	Notes    Notes // nil: no notes
	// Busy reports whether live matches need the processor: then viewers together, and
	// admins together, play for a fiftieth of the time. It is called often, and must not
	// wait. nil: never.
	Busy func() bool
	// Ledger bounds and counts the bytes of recordings, checkpoints and worlds, as
	// [quota.ReplayBytes]; nil: the default limit.
	Ledger *spec.Ledger
	Slots  int              // how many play at the same time; 0: half of the processors
	Clock  func() time.Time // measures how long a slot is held; nil: time.Now
	Logger *slog.Logger     // nil: none
	// Registerer takes the metrics; or nil.
	Registerer prometheus.Registerer
}

// Notes is where the notes of matches are; *notes.Dir is one.
type Notes interface {
	// Read returns the notes of a match as far as they are on disk, or nil.
	Read(match string) (*notes.Notes, error)
}

// Times of playing.
const (
	slice      = 4 * time.Millisecond   // how long a slot is held at a time
	busySlice  = time.Millisecond       // the same while live matches need the processor
	yieldTime  = 3 * time.Millisecond   // a pass waits so long if a viewer wants its slot
	busyPause  = 50 * time.Millisecond  // between two such slices
	refreshing = time.Second            // between two looks at what a live match has become
	following  = 200 * time.Millisecond // the same, with a follower
)

var (
	// ErrFull says that the open recordings take all permitted memory.
	ErrFull = errors.New("playback: as much is open as the memory for replays holds")
	// ErrClosed says that the library is closed.
	ErrClosed = errors.New("playback: the server stops")
	// ErrRuns says that a match is not over.
	ErrRuns = errors.New("playback: the match is not over")

	errInternal = errors.New("the match could not be played; the server's log says why")
)

// Library has the matches that are looked at again. Any goroutine may call it.
type Library struct {
	cfg     Config
	metrics *metrics
	slots   chan struct{}   // a place for each goroutine that plays
	wanting atomic.Int32    // viewers that want a slot: passes let them go first
	next    [2]atomic.Int64 // when viewers and when admins may play again while live matches need the processor

	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	running sync.WaitGroup // passes

	mu     sync.Mutex // held for moments
	closed bool
	open   map[string]*shared
}

// New returns a library without open recordings. [Library.Close] ends it.
func New(cfg Config) *Library {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Busy == nil {
		cfg.Busy = func() bool { return false }
	}
	if cfg.Ledger == nil {
		cfg.Ledger = quota.New(quota.Defaults())
	}
	if cfg.Slots == 0 {
		cfg.Slots = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if cfg.Clock == nil {
		cfg.Clock = time.Now
	}
	l := &Library{cfg: cfg, slots: make(chan struct{}, cfg.Slots), open: map[string]*shared{}}
	l.metrics = newMetrics(l)
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Close ends all passes and waits for them. Open recordings stay readable.
func (l *Library) Close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.running.Wait()
}

// Check looks at a journal, whole or at its setup alone, without opening it: whether there
// is one (else fs.ErrNotExist), whether this build plays it (else journal.OtherBuildError or
// the error of its format), and, if it is read whole, whether it has its end (else ErrRuns).
// playable is false for a journal of another format or build.
func (l *Library) Check(match string, whole bool) (playable bool, err error) {
	tail, err := l.cfg.Journals.Follow(match)
	if err != nil {
		return true, err
	}
	defer tail.Close()
	seen := errors.New("the setup is read")
	over, playable := false, true
	err = tail.Read(func(n uint64, record []byte) error {
		over = over || journal.IsEnd(record)
		if n > 0 {
			return nil
		}
		r, err := journal.Decode(record) // one of another format is an error too
		if err == nil && r.Header != nil {
			err = r.Header.SameBuild()
		}
		playable = err == nil && r.Header != nil
		if err == nil && !whole {
			err = seen
		}
		return err
	})
	switch {
	case errors.Is(err, seen) && playable:
		return true, nil
	case err == nil && playable && !over:
		return true, ErrRuns
	}
	return playable, err
}

// Has reports whether there is a journal of a match.
func (l *Library) Has(match string) bool {
	tail, err := l.cfg.Journals.Follow(match)
	return err == nil && tail.Close() == nil
}

// Busy reports whether live matches need the processor.
func (l *Library) Busy() bool { return l.cfg.Busy() }

// Usage returns how many matches are open, and the bytes that they reserve.
func (l *Library) Usage() (open, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open), int(l.cfg.Ledger.Held(quota.ReplayBytes))
}

// memory returns the limit of all bytes.
func (l *Library) memory() int {
	if n := l.cfg.Ledger.Limit(quota.ReplayBytes).Most[quota.Process]; n > 0 {
		return int(n)
	}
	return math.MaxInt
}

// Full reports whether there is no memory left.
func (l *Library) Full() bool {
	_, bytes := l.Usage()
	return bytes >= l.memory()
}

// reserve takes bytes for a recording and adds the hold to its own. It refuses, but for admins
// and late spectators.
func (l *Library) reserve(bytes int, by *Recording, holds *[]*quota.Hold) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if by.closed {
		return ErrClosed
	}
	if !by.sure {
		hold, err := l.cfg.Ledger.Take(quota.ReplayBytes, quota.Payer{}, int64(bytes))
		if err != nil {
			return ErrFull
		}
		*holds = append(*holds, hold)
		return nil
	}
	*holds = append(*holds, l.cfg.Ledger.Adopt(quota.ReplayBytes, quota.Payer{}, int64(bytes)))
	return nil
}

// release gives holds back.
func release(holds []*quota.Hold) {
	for _, h := range holds {
		h.Release()
	}
}

// begin runs f on a goroutine of the library, unless it is closed.
func (l *Library) begin(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.running.Add(1)
	go func() {
		defer panics.Catch(l.cfg.Logger, "playback", nil)
		defer l.running.Done()
		f()
	}()
	return true
}

// Slots returns where to send for a slot. The sender calls [Library.Hold] next.
func (l *Library) Slots() chan<- struct{} { return l.slots }

// Want counts viewings with viewers that wait for a slot: passes let them go first.
func (l *Library) Want(n int32) { l.wanting.Add(n) }

// Hold runs f for the holder of a slot, and frees the slot. f steps worlds while more
// reports that there is time left.
func (l *Library) Hold(f func(more func() bool) error) error {
	began := l.cfg.Clock()
	defer func() {
		l.metrics.slices.Observe(l.cfg.Clock().Sub(began).Seconds())
		<-l.slots
	}()
	return f(func() bool {
		took := l.cfg.Clock().Sub(began)
		return took < busySlice || took < slice && !l.cfg.Busy()
	})
}

// MayPlay reports whether a viewer may take a slot now. While live matches need the
// processor one viewer may after each busyPause: a replay goes on on a server that is
// always late, and costs it a fiftieth of a processor.
func (l *Library) MayPlay() bool { return l.mayPlay(false) }

func (l *Library) mayPlay(admin bool) bool {
	if !l.cfg.Busy() {
		return true
	}
	next := &l.next[0]
	if admin { // an operator looks into matches just when a server is late
		next = &l.next[1]
	}
	now, due := l.cfg.Clock().UnixNano(), next.Load()
	return now >= due && next.CompareAndSwap(due, now+int64(busyPause))
}

// turn runs f in a slot, once [Library.MayPlay] lets it.
func (l *Library) turn(ctx context.Context, admin bool, f func(more func() bool) error) error {
	if err := ctx.Err(); err != nil {
		return err // the slot below may be free as well
	}
	for !l.mayPlay(admin) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(busyPause):
		}
	}
	select {
	case l.slots <- struct{}{}:
		return l.Hold(f)
	case <-ctx.Done():
		return ctx.Err()
	case <-l.ctx.Done():
		return ErrClosed
	}
}

// metrics are the library's. No match and no account is a label.
type metrics struct {
	ticks          prometheus.Counter
	opened, slices prometheus.Histogram
}

func newMetrics(l *Library) *metrics {
	m := &metrics{
		ticks: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "fogkeep", Subsystem: "replay", Name: "ticks_total", Help: "Ticks that were played again."}),
		opened: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "replay", Name: "open_seconds", Help: "Time to read a journal that was not being watched.",
			Buckets: []float64{.01, .02, .05, .1, .2, .3, .5, 1, 2, 5, 10, 30},
		}),
		slices: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: "fogkeep", Subsystem: "replay", Name: "slice_seconds", Help: "How long a replay was played on before others had their turn.",
			Buckets: []float64{.001, .002, .005, .01, .02, .05, .1, .2, .5},
		}),
	}
	if r := l.cfg.Registerer; r != nil {
		r.MustRegister(m.ticks, m.opened, m.slices)
	}
	return m
}

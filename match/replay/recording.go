package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// Bounds of a recording.
const (
	// CheckpointSeconds is how far checkpoints lie apart at first, in seconds of
	// match time.
	CheckpointSeconds = 5
	// CheckpointBytesDefault bounds the checkpoints of one recording.
	CheckpointBytesDefault = 64 << 20
	// RecordBytesMax bounds the records of one journal: eight players who send as many orders as they may for ten
	// hours take a quarter.
	RecordBytesMax = 1 << 30
	// stateBytesMax bounds an unpacked checkpoint.
	stateBytesMax = 512 << 20
)

// Options are how a journal is opened. The zero value is complete.
type Options struct {
	CheckpointBytes int // most that checkpoints take; 0: CheckpointBytesDefault
	RecordBytes     int // most that the journal's records take; 0: RecordBytesMax
}

// Recording is the content of one journal, as far as it is read, and the checkpoints of all its viewers. Any goroutine
// may call it.
type Recording struct {
	Setup  sim.Setup      // does not change
	Header journal.Header // does not change
	Seats  []spec.Seat    // by slot, as the match service noted them; do not change
	Pack   string         // the hash of the pack that the rules come from; "": no pack

	pack   *zstd.Encoder
	unpack *zstd.Decoder

	reading sync.Mutex // held by who reads the journal
	read    journal.Reader

	mu           sync.Mutex
	summary      journal.Summary
	records      []record // ascending by tick; only appended to
	changes      []change // of seats, ascending by tick; only appended to
	recordBytes  int
	recordsMost  int
	checked      grid.Tick    // so far answers and hashes were compared
	checkpoints  []checkpoint // ascending by tick
	every        grid.Tick    // ticks between checkpoints
	bytes, limit int

	telling sync.Mutex
	line    *timeline.Builder // nil before the first cursor has played
}

// record is the record of a tick, as the journal has it.
type record struct {
	tick  grid.Tick
	bytes []byte
}

// checkpoint is the packed state after a tick.
type checkpoint struct {
	tick  grid.Tick
	bytes []byte
}

// Read reads a journal, to its end or to its present length. [Recording.Refresh] calls read again: then it has to yield
// only new records, as the reader of a [journal.Tail] does.
func Read(read journal.Reader, o Options) (*Recording, error) {
	r := &Recording{read: read, limit: o.CheckpointBytes, recordsMost: o.RecordBytes}
	if r.limit == 0 {
		r.limit = CheckpointBytesDefault
	}
	if r.recordsMost == 0 {
		r.recordsMost = RecordBytesMax
	}
	if err := r.Refresh(); err != nil {
		return nil, err
	}
	sum := &r.summary
	if sum.Setup.Map == nil || !sum.Begun {
		return nil, errors.New("replay: the journal ends before the match begins")
	}
	if err := sum.Header.SameBuild(); err != nil {
		return nil, err
	}
	if err := sum.Setup.Check(); err != nil {
		return nil, fmt.Errorf("replay: the setup: %w", err)
	}
	r.Setup, r.Header = sum.Setup, sum.Header
	if r.Header.TickRate == 0 { // as package sim takes it
		r.Header.TickRate = grid.TickRateDefault
	}
	if err := r.readSeats(); err != nil {
		return nil, err
	}
	var err error
	if r.pack, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)); err != nil {
		return nil, err
	}
	if r.unpack, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(stateBytesMax)); err != nil {
		return nil, err
	}
	r.every, r.checked = r.spacing(), r.First()
	return r, nil
}

// Refresh reads the journal's new records.
func (r *Recording) Refresh() error {
	r.reading.Lock()
	defer r.reading.Unlock()
	r.mu.Lock()
	sum, last, total := r.summary, r.last(), r.recordBytes
	r.mu.Unlock()
	whole := sum // as of the last record without an error
	var fresh []record
	var changes []change
	var raw []byte
	err := journal.WalkOn(&sum, func(each func(uint64, []byte) error) error {
		return r.read(func(n uint64, rec []byte) error {
			raw = rec
			return each(n, rec)
		})
	}, func(n uint64, rec journal.Record, s *journal.Summary) error {
		if err := s.InSetup(n, &rec); err != nil {
			return err
		}
		if rec.Tick == nil {
			whole = *s
			return nil
		}
		last = max(last, s.Header.First())
		if t := rec.Tick.Tick; t <= last || t-last > journal.TicksMax {
			return fmt.Errorf("tick %d follows tick %d", t, last)
		}
		if total += len(raw); total > r.recordsMost {
			return fmt.Errorf("more than %d bytes of records", r.recordsMost)
		}
		last = rec.Tick.Tick
		fresh = append(fresh, record{last, raw})
		changes = appendChanges(changes, rec.Tick)
		whole = *s
		return nil
	})
	if err == nil {
		whole = sum
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	// Records yielded before an error are not yielded again.
	r.summary, r.recordBytes = whole, total
	r.records = append(r.records, fresh...)
	r.changes = append(r.changes, changes...)
	return err
}

// last returns the tick of the last record, 0 without one. r.mu is held.
func (r *Recording) last() grid.Tick {
	if n := len(r.records); n > 0 {
		return r.records[n-1].tick
	}
	return 0
}

// readSeats reads the match service's part of the setup. Other programs' journals may lack it.
func (r *Recording) readSeats() error {
	r.Seats = make([]spec.Seat, len(r.Header.Players))
	if len(r.Header.Extra) == 0 {
		return nil
	}
	var set struct {
		Seats []spec.Seat `json:"seats"`
		Pack  string      `json:"pack"`
	}
	if err := json.Unmarshal(r.Header.Extra, &set); err != nil {
		return fmt.Errorf("replay: the setup's seats: %w", err)
	}
	copy(r.Seats, set.Seats)
	r.Pack = set.Pack
	return nil
}

// Cursor returns a cursor at the match's first tick.
func (r *Recording) Cursor() (*Replay, error) {
	c := &Replay{Recording: r}
	return c, c.restart()
}

// Summary returns the journal's summary of its match, as far as it has been read.
func (r *Recording) Summary() journal.Summary {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.summary
}

// First returns the tick that the match begins with: 0, or its start state's.
func (r *Recording) First() grid.Tick { return r.Header.First() }

// Last returns the last tick of the match that the journal has a record of.
func (r *Recording) Last() grid.Tick {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.summary.Ticks
}

// Over reports whether the journal has the match's end.
func (r *Recording) Over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.summary.Ended != nil || r.summary.Failed != ""
}

// Inputs returns the inputs for a tick, in the order in which they were judged.
func (r *Recording) Inputs(t grid.Tick) ([]sim.Input, error) {
	rec, err := r.Record(t)
	if err != nil || rec == nil {
		return nil, err
	}
	return rec.Inputs, nil
}

// Record returns the record of a tick, or nil.
func (r *Recording) Record(t grid.Tick) (*journal.Tick, error) {
	r.mu.Lock()
	records := r.records
	r.mu.Unlock()
	i := sort.Search(len(records), func(i int) bool { return records[i].tick >= t })
	if i == len(records) || records[i].tick != t {
		return nil, nil
	}
	rec, err := journal.Decode(records[i].bytes)
	return rec.Tick, err
}

// Records hands each record of a tick to a function, in order, up to its first error.
func (r *Recording) Records(each func(*journal.Tick) error) error {
	r.mu.Lock()
	records := r.records
	r.mu.Unlock()
	for i := range records {
		rec, err := journal.Decode(records[i].bytes)
		if err == nil {
			err = each(rec.Tick)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Indexed returns up to which tick the match was played and compared from its start on.
func (r *Recording) Indexed() grid.Tick {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.checked
}

// Checkpoints returns how many checkpoints there are, and the bytes that they take.
func (r *Recording) Checkpoints() (n, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.checkpoints), r.bytes
}

// Bytes returns how much memory the records, the checkpoints and the timeline take.
func (r *Recording) Bytes() int {
	line := 0
	r.telling.Lock()
	if r.line != nil {
		line = r.line.Timeline().Bytes()
	}
	r.telling.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recordBytes + r.bytes + line
}

// Timeline calls f with the timeline up to the last tick that any cursor has played; before the first step it does not.
// f must not keep its argument: it grows.
func (r *Recording) Timeline(f func(*timeline.Timeline)) {
	r.telling.Lock()
	defer r.telling.Unlock()
	if r.line != nil {
		f(r.line.Timeline())
	}
}

// begin begins the timeline, with a world at the match's first tick.
func (r *Recording) begin(w *sim.World) {
	r.telling.Lock()
	defer r.telling.Unlock()
	if r.line == nil {
		r.line = timeline.New(w)
	}
}

// note adds a tick that was played to the timeline, if it is the next one. Ticks behind a seed may be played before the
// ticks in front: another pass notes them.
func (r *Recording) note(w *sim.World, in []sim.Input, out *sim.Outcome) error {
	r.telling.Lock()
	defer r.telling.Unlock()
	if r.line == nil || w.Tick() > r.line.Timeline().Last+1 {
		return nil
	}
	return r.line.Note(w, in, out)
}

// Seed adds a state that the match itself saved to the checkpoints, so that a cursor
// reaches the ticks behind it without playing the earlier ones. The journal has to
// have the state's hash.
func (r *Recording) Seed(s *journal.State) error {
	rec, err := r.Record(s.Tick)
	if err != nil {
		return err
	}
	if rec == nil || !rec.Hashed || rec.Hash != s.Hash {
		return &journal.StateError{Tick: s.Tick, Why: "the journal does not have its hash"}
	}
	c := checkpoint{s.Tick, r.pack.EncodeAll(s.Bytes, nil)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.insert(c)
	return nil
}

// Drop gives the checkpoints back. A later pass makes new ones. The timeline stays.
func (r *Recording) Drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checkpoints, r.bytes, r.checked, r.every = nil, 0, r.First(), r.spacing()
}

// spacing returns how many ticks lie between two checkpoints at first.
func (r *Recording) spacing() grid.Tick { return grid.Tick(CheckpointSeconds * r.Header.TickRate) }

// reached notes that a tick was played and compared, if all before it were, and reports
// whether its checkpoint is missing.
func (r *Recording) reached(t grid.Tick) (due bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t == r.checked+1 {
		r.checked = t
	}
	return t%r.every == 0 && !r.has(t)
}

// has reports whether there is a checkpoint of a tick. r.mu is held.
func (r *Recording) has(t grid.Tick) bool {
	at := r.before(t)
	return at >= 0 && r.checkpoints[at].tick == t
}

// keep keeps the packed state of a tick, unless another goroutine was first.
func (r *Recording) keep(t grid.Tick, state []byte) {
	c := checkpoint{t, r.pack.EncodeAll(state, nil)}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t%r.every == 0 {
		r.insert(c)
	}
}

// insert puts a checkpoint in its place, unless there is one of its tick. r.mu is held.
func (r *Recording) insert(c checkpoint) {
	if r.has(c.tick) {
		return
	}
	r.checkpoints = slices.Insert(r.checkpoints, r.before(c.tick)+1, c)
	r.bytes += len(c.bytes)
	for r.bytes > r.limit && len(r.checkpoints) > 1 {
		r.thin()
	}
}

// thin drops the checkpoints that do not lie twice as far apart. r.mu is held.
func (r *Recording) thin() {
	r.every *= 2
	kept := r.checkpoints[:0]
	r.bytes = 0
	for _, c := range r.checkpoints {
		if c.tick%r.every == 0 {
			kept = append(kept, c)
			r.bytes += len(c.bytes)
		}
	}
	clear(r.checkpoints[len(kept):])
	r.checkpoints = kept
}

// before returns the newest checkpoint of a tick or earlier, -1 without one. r.mu is held.
func (r *Recording) before(t grid.Tick) int {
	return sort.Search(len(r.checkpoints), func(i int) bool { return r.checkpoints[i].tick > t }) - 1
}

// nearest returns the newest checkpoint of a tick or earlier; the checkpoint of the first tick has no bytes.
func (r *Recording) nearest(t grid.Tick) checkpoint {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.before(t); at >= 0 {
		return r.checkpoints[at]
	}
	return checkpoint{tick: r.First()}
}

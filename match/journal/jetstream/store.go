package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
	"github.com/fogkeep/fogkeep/match/journal"
)

// Config says where journals are kept.
type Config struct {
	// Conn is connected to the journal servers. The store does not close it.
	Conn *nats.Conn
	// Owner is this process's name, for people who read a journal.
	Owner string
	// Server is the name of the journal server on this machine, or "". New matches are written to streams that another
	// server leads, so that the loss of this machine costs no log leader.
	Server string
	// Replicas is on how many journal servers each message is kept: 1 or 3.
	Replicas int
	// Shards is how many streams a new cluster spreads its matches over, 1 to ShardsMax.
	// A cluster keeps the number that it began with.
	Shards int
	// StoreBytes is the disk space of a journal server. Each stream may use its part.
	StoreBytes int64
	// Retention is how long journals of ended matches are kept, 0: for ever.
	Retention  time.Duration
	Logger     *slog.Logger
	Registerer prometheus.Registerer // nil: no metrics
}

// ShardsMax bounds the streams of journals.
const ShardsMax = 8

// Parts of the disk, in percent. The rest is for the small buckets of other packages.
const (
	journalsPercent = 55
	statesPercent   = 15
	pastPercent     = 20
)

// Names in JetStream.
const (
	statesStream  = "fogkeep_states"
	statesSubject = "fogkeep.state."
	pastBucket    = "fogkeep_past"
	shardsKey     = "fogkeep-shards"
)

func shardStream(i int) string    { return "fogkeep_j" + strconv.Itoa(i) }
func shardPrefix(i int) string    { return "fogkeep.j" + strconv.Itoa(i) + "." }
func shard(i int, m string) place { return place{shardStream(i), shardPrefix(i) + m} }

// indexOf is where it is written which stream a match's journal lies in.
func indexOf(match string) place { return place{statesStream, statesSubject + match + ".at"} }

// Times of a store's calls.
const (
	// openWait is how long a call waits for a log leader: longer than an election.
	openWait   = 12 * time.Second
	leadersAge = 5 * time.Second
	setupPause = 100 * time.Millisecond
	askTime    = 700 * time.Millisecond
)

// Store keeps journals in JetStream.
type Store struct {
	conn    *nats.Conn
	request func(ctx context.Context, m *nats.Msg) (*nats.Msg, error)
	streams []natsjs.Stream
	past    natsjs.ObjectStore
	states  natsjs.Stream
	owner   uint64
	name    string
	server  string
	log     *slog.Logger
	metrics *metrics
	began   time.Time
	ctx     context.Context // of calls without one
	stop    context.CancelFunc

	mu        sync.Mutex
	open      map[string]*Log
	making    []int    // journals that are being made, by stream
	leaders   []leader // of the streams, as of requested
	requested time.Time
}

var (
	_         journal.Store = (*Store)(nil)
	matchForm               = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// New returns the cluster's journals. It makes the streams if they do not exist. It
// waits for the journal servers until ctx ends.
func New(ctx context.Context, cfg Config) (*Store, error) {
	switch {
	case cfg.Replicas != 1 && cfg.Replicas != 3:
		return nil, fmt.Errorf("journals: %d replicas: want 1 or 3", cfg.Replicas)
	case cfg.Shards < 1 || cfg.Shards > ShardsMax:
		return nil, fmt.Errorf("journals: %d streams: want 1 to %d", cfg.Shards, ShardsMax)
	case cfg.StoreBytes < 64*messageBytesMax:
		return nil, fmt.Errorf("journals: a store of %d bytes: want at least %d", cfg.StoreBytes, 64*messageBytesMax)
	case len(cfg.Owner) > nameBytesMax:
		return nil, fmt.Errorf("journals: an owner's name of %d bytes: want at most %d", len(cfg.Owner), nameBytesMax)
	}
	log := cfg.Logger
	if log == nil {
		log = slog.Default()
	}
	js, err := natsjs.New(cfg.Conn)
	if err != nil {
		return nil, fmt.Errorf("journals: %w", err)
	}
	s := &Store{
		conn: cfg.Conn, request: cfg.Conn.RequestMsgWithContext, name: cfg.Owner, server: cfg.Server,
		log: log, metrics: newMetrics(cfg.Registerer), began: time.Now(), open: map[string]*Log{},
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var id [8]byte
	rand.Read(id[:])
	s.owner = binary.LittleEndian.Uint64(id[:])
	for {
		err := s.setUp(ctx, js, &cfg)
		if err == nil {
			return s, nil
		}
		if ctx.Err() != nil || isCode(err, codeResources, codeStorage) || errors.Is(err, errSetting) {
			s.stop()
			return nil, fmt.Errorf("journals: %w", err)
		}
		log.Debug("the journals' streams are not ready", "error", err)
		select {
		case <-ctx.Done():
		case <-time.After(setupPause):
		}
	}
}

// Close ends calls that are under way. Logs are closed before.
func (s *Store) Close() { s.stop() }

// now is the store's clock: time since its start, which no change of the wall clock
// moves.
func (s *Store) now() time.Duration { return time.Since(s.began) }

// errSetting: the existing streams have other settings.
var errSetting = errors.New("the cluster's streams were made with other settings")

// setUp makes the streams that do not exist. Several processes may do it at once.
func (s *Store) setUp(ctx context.Context, js natsjs.JetStream, cfg *Config) (err error) {
	ctx, cancel := context.WithTimeout(ctx, openWait)
	defer cancel()
	part := func(percent int64) int64 { return cfg.StoreBytes / 100 * percent }
	// The states' stream says how many streams of journals there are.
	s.states, err = stream(ctx, js, natsjs.StreamConfig{
		Name: statesStream, Subjects: []string{statesSubject + ">"}, Replicas: cfg.Replicas,
		MaxMsgsPerSubject: 1, MaxBytes: part(statesPercent), MaxMsgSize: stateMessageMax + 4<<10,
		AllowDirect: true, Metadata: map[string]string{shardsKey: strconv.Itoa(cfg.Shards)},
	})
	if err != nil {
		return err
	}
	info := s.states.CachedInfo().Config
	shards, err := strconv.Atoi(info.Metadata[shardsKey])
	if err != nil || shards < 1 || shards > ShardsMax {
		return fmt.Errorf("%w: stream %s has %s = %q", errSetting, statesStream, shardsKey, info.Metadata[shardsKey])
	}
	if info.Replicas != cfg.Replicas {
		return fmt.Errorf("%w: %d replicas, want %d", errSetting, info.Replicas, cfg.Replicas)
	}
	s.streams, s.making = make([]natsjs.Stream, shards), make([]int, shards)
	for i := range s.streams {
		if s.streams[i], err = stream(ctx, js, natsjs.StreamConfig{
			Name: shardStream(i), Subjects: []string{shardPrefix(i) + "*"}, Replicas: cfg.Replicas,
			MaxBytes: part(journalsPercent) / int64(shards), MaxMsgSize: messageBytesMax, AllowDirect: true,
		}); err != nil {
			return err
		}
	}
	limited, cancelSoon := context.WithTimeout(ctx, askTime)
	defer cancelSoon()
	if s.past, err = js.ObjectStore(limited, pastBucket); errors.Is(err, natsjs.ErrBucketNotFound) || errors.Is(err, natsjs.ErrStreamNotFound) {
		s.past, err = js.CreateObjectStore(ctx, natsjs.ObjectStoreConfig{
			Bucket: pastBucket, Description: "journals of ended matches", TTL: cfg.Retention, MaxBytes: part(pastPercent), Replicas: cfg.Replicas,
		})
	}
	return err
}

// stream returns a stream, and makes it if it does not exist. A full stream refuses new messages: it never drops a
// message of a match.
func stream(ctx context.Context, js natsjs.JetStream, c natsjs.StreamConfig) (natsjs.Stream, error) {
	// A question about a stream that another process makes at this moment gets no answer.
	limited, cancel := context.WithTimeout(ctx, askTime)
	have, err := js.Stream(limited, c.Name)
	cancel()
	if !errors.Is(err, natsjs.ErrStreamNotFound) {
		return have, err
	}
	c.Storage, c.Discard, c.MaxMsgs, c.MaxConsumers = natsjs.FileStorage, natsjs.DiscardNew, -1, -1
	// No message has an id. The server's shortest window keeps it from holding any.
	c.Duplicates = 100 * time.Millisecond
	return js.CreateStream(ctx, c)
}

// indexVersion is the form of the index's entries.
const indexVersion = 1

// Create implements journal.Store.
func (s *Store) Create(match string) (journal.Log, error) {
	if !matchForm.MatchString(match) {
		return nil, fmt.Errorf("journal: %q is no match id", match)
	}
	ctx, cancel := context.WithTimeout(s.ctx, openWait)
	defer cancel()
	if s.isOpen(match) {
		return nil, fmt.Errorf("%w: %s", journal.ErrExists, match)
	}
	// The index decides for all processes in which stream the match is, so that two who
	// begin it at once meet there.
	want := s.choose(ctx)
	defer s.chosen(want)
	at, err := s.enter(ctx, match, want)
	if err != nil {
		return nil, fmt.Errorf("journal of %s: %w", match, err)
	}
	o, m, err := Succeed(nil, s.owner, s.name)
	if err != nil {
		return nil, fmt.Errorf("journal of %s: %w", match, err)
	}
	seq, sent, err := s.take(ctx, at, m, 0)
	if errors.Is(err, errTaken) {
		return nil, fmt.Errorf("%w: %s", journal.ErrExists, match)
	}
	if err != nil {
		return nil, fmt.Errorf("journal of %s: %w", match, err)
	}
	o.Own(seq, sent)
	return s.keep(match, at, o)
}

// enter writes into the index in which stream a new match is. If the match is there
// already, it returns that entry's stream.
func (s *Store) enter(ctx context.Context, match string, want int) (at place, err error) {
	index := indexOf(match)
	err = retry(ctx, func() (done bool, err error) {
		if _, err = s.publish(ctx, index, 0, []byte{indexVersion, byte(want)}); err == nil {
			at = shard(want, match)
			return true, nil
		}
		if needsTail(err) {
			if _, data, e := s.tail(ctx, index); e == nil {
				i, e := s.readIndex(data)
				at = shard(i, match)
				return true, e
			}
		}
		return false, err
	})
	return at, err
}

// retry calls f until it is done, with growing pauses, or ctx ends.
func retry(ctx context.Context, f func() (done bool, err error)) error {
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		done, err := f()
		if done {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(wait):
		}
	}
}

func (s *Store) readIndex(data []byte) (int, error) {
	if len(data) != 2 || data[0] != indexVersion || int(data[1]) >= len(s.streams) {
		return 0, fmt.Errorf("the index has an entry of %d bytes that this build cannot read", len(data))
	}
	return int(data[1]), nil
}

// choose returns the stream for a new match: of the streams that another machine leads, and is to lead
// ([placement.Home]), the one with the fewest matches of this process. The match counts for that stream until chosen is
// called, so that many new matches at once are spread.
func (s *Store) choose(ctx context.Context) int {
	leaders := s.leadersOf(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	load := slices.Clone(s.making)
	for _, l := range s.open {
		for i := range load {
			if l.at.stream == shardStream(i) {
				load[i]++
			}
		}
	}
	best, least := 0, math.MaxInt
	for i := range load {
		cost := load[i]
		if s.server != "" && leaders[i].home == s.server {
			cost += 1 << 21 // it will be led from here
		}
		if s.server != "" && leaders[i].now == s.server {
			cost += 1 << 20
		}
		// Ties are broken by the owner's number, so that processes spread over streams.
		if cost < least || cost == least && (uint64(i)+s.owner)%uint64(len(load)) < (uint64(best)+s.owner)%uint64(len(load)) {
			best, least = i, cost
		}
	}
	s.making[best]++
	return best
}

// chosen says that a match for which a stream was chosen is made, or is not.
func (s *Store) chosen(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.making[i]--
}

// leader is the journal server that leads a stream, and the server that should; "": unknown.
type leader struct{ now, home string }

// leadersOf returns who leads the streams. It asks at most each few seconds.
func (s *Store) leadersOf(ctx context.Context) []leader {
	s.mu.Lock()
	leaders, fresh := s.leaders, !s.requested.IsZero() && time.Since(s.requested) < leadersAge
	s.mu.Unlock()
	if fresh {
		return leaders
	}
	leaders = make([]leader, len(s.streams))
	if s.server != "" {
		ctx, cancel := context.WithTimeout(ctx, attemptTime/2)
		defer cancel()
		_ = s.perStream(func(i int) error { // a leader that is not known is no error
			info, err := s.streams[i].Info(ctx)
			if err == nil && info.Cluster != nil {
				peers := []string{}
				if info.Cluster.Leader != "" {
					peers = append(peers, info.Cluster.Leader)
				}
				for _, r := range info.Cluster.Replicas {
					peers = append(peers, r.Name)
				}
				leaders[i] = leader{info.Cluster.Leader, placement.Home(shardStream(i), peers)}
			}
			return err
		})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaders, s.requested = leaders, time.Now()
	return leaders
}

// perStream calls f for each stream, all at once, and returns their errors.
func (s *Store) perStream(f func(i int) error) []error {
	errs := make([]error, len(s.streams))
	var all sync.WaitGroup
	for i := range s.streams {
		errs[i] = errors.New("internal error")
		all.Go(func() {
			defer panics.Catch(s.log, "journal", nil)
			errs[i] = f(i)
		})
	}
	all.Wait()
	return errs
}

// errTaken: the subject has another end than expected.
var errTaken = errors.New("another process has written")

// take appends a message, an owner's first or a journal's last, behind the message with sequence last. It returns
// errTaken if something else was written there.
func (s *Store) take(ctx context.Context, at place, b []byte, last uint64) (seq uint64, sent time.Duration, err error) {
	first := s.now()
	err = retry(ctx, func() (done bool, err error) {
		sent = s.now()
		if seq, err = s.publish(ctx, at, last, b); err == nil {
			return true, nil
		}
		if needsTail(err) {
			end, data, e := s.tail(ctx, at)
			switch {
			case e == nil && Landed(b, last, end, data):
				seq, sent = end, first
				return true, nil
			case e == nil && end > last, isMismatch(err) && errors.Is(e, errNoMessage):
				return true, errTaken
			}
		}
		return false, err
	})
	return seq, sent, err
}

// keep makes the log of a match that this process has taken.
func (s *Store) keep(match string, at place, o *Owner) (journal.Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[match] != nil {
		return nil, fmt.Errorf("journal of %s: it is open in this process", match)
	}
	l := s.start(match, at, o)
	s.open[match] = l
	return l, nil
}

// Streams counts the matches that this process has open by the stream that each is in.
// A stream without any is there with 0.
func (s *Store) Streams() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]int, len(s.streams))
	for i := range s.streams {
		out[shardStream(i)] = 0
	}
	for _, l := range s.open {
		out[l.at.stream]++
	}
	return out
}

func (s *Store) forget(l *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[l.match] == l {
		delete(s.open, l.match)
	}
}

func (s *Store) isOpen(match string) bool { return s.log0(match) != nil }

// Doubt ends the leases of matches that run here: another node says that it has them, or takes them. The next frame of
// each waits until the journal store has answered.
func (s *Store) Doubt(matches []string) {
	for _, match := range matches {
		if l := s.log0(match); l != nil {
			l.doubt()
		}
	}
}

// log0 returns a match's log if it is open here.
func (s *Store) log0(match string) *Log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[match]
}

// find returns where a match's journal lies, or an error that is fs.ErrNotExist.
func (s *Store) find(ctx context.Context, match string) (place, error) {
	if !matchForm.MatchString(match) {
		return place{}, fmt.Errorf("%q is no match id: %w", match, fs.ErrNotExist)
	}
	if l := s.log0(match); l != nil {
		return l.at, nil
	}
	data, err := s.newest(ctx, indexOf(match))
	if errors.Is(err, errNoMessage) { // as far as a server knows that may lag
		_, data, err = s.tail(ctx, indexOf(match))
	}
	if err == nil {
		i, err := s.readIndex(data)
		return shard(i, match), err
	}
	// The entry is deleted before the journal, so this journal may be half deleted. The index may also be without a
	// leader now.
	found := s.perStream(func(i int) error {
		_, _, err := s.tail(ctx, shard(i, match))
		return err
	})
	gone := errors.Is(err, errNoMessage)
	for i, e := range found {
		if e == nil {
			return shard(i, match), nil
		}
		gone = gone && errors.Is(e, errNoMessage)
	}
	if gone {
		return place{}, fs.ErrNotExist
	}
	return place{}, errors.Join(append(found, err)...)
}

// end returns the last message of a journal as its leader knows it, fs.ErrNotExist if the journal has no message.
func (s *Store) end(ctx context.Context, at place) (seq uint64, m *message, err error) {
	err = retry(ctx, func() (done bool, err error) {
		var data []byte
		seq, data, err = s.tail(ctx, at)
		if errors.Is(err, errNoMessage) {
			return true, fs.ErrNotExist
		}
		if err != nil {
			return false, err
		}
		if m, err = parse(data); err != nil {
			err = &journal.DamageError{File: at.stream + "/" + at.subject, Offset: int64(seq), Why: err.Error()}
		}
		return true, err
	})
	return seq, m, err
}

// Open implements journal.Store: it takes the match from its owner. If another process takes it at the same moment, one
// of the two gets ErrFenced. The error is fs.ErrNotExist if the journal does not exist, or its match has no open work.
func (s *Store) Open(match string) (journal.Log, error) {
	ctx, cancel := context.WithTimeout(s.ctx, openWait)
	defer cancel()
	fail := func(err error) (journal.Log, error) { return nil, fmt.Errorf("journal of %s: %w", match, err) }
	if s.isOpen(match) {
		return fail(errors.New("it is open in this process"))
	}
	at, err := s.find(ctx, match)
	if err != nil {
		return fail(err)
	}
	var before uint64 // the owner that it is taken from
	for {
		last, m, err := s.end(ctx, at)
		if err != nil {
			return fail(err)
		}
		if m.kind == kindOver {
			// The process that ended it was killed before it put the journal away.
			return fail(errors.Join(s.putAway(ctx, match, at, last, m), fs.ErrNotExist))
		}
		if before != 0 && m.epoch != before {
			return fail(journal.ErrFenced)
		}
		before = m.epoch
		o, first, err := m.succeed(s.owner, s.name)
		if err != nil {
			return fail(&journal.DamageError{File: at.stream + "/" + at.subject, Offset: int64(last), Number: m.next, Why: err.Error()})
		}
		seq, sent, err := s.take(ctx, at, first, last)
		if errors.Is(err, errTaken) {
			continue // the owner wrote meanwhile, or another process takes it
		}
		if err != nil {
			return fail(err)
		}
		o.Own(seq, sent)
		return s.keep(match, at, o)
	}
}

// List implements journal.Store. If a stream cannot be asked, it returns the matches of
// the others with the error.
func (s *Store) List() ([]string, error) {
	ctx, cancel := context.WithTimeout(s.ctx, attemptTime)
	defer cancel()
	lists := make([][]string, len(s.streams))
	errs := s.perStream(func(i int) error {
		info, err := s.streams[i].Info(ctx, natsjs.WithSubjectFilter(shardPrefix(i)+"*"))
		if err != nil {
			return fmt.Errorf("journals in %s: %w", shardStream(i), err)
		}
		for subject := range info.State.Subjects {
			lists[i] = append(lists[i], strings.TrimPrefix(subject, shardPrefix(i)))
		}
		return nil
	})
	ids := slices.Concat(lists...)
	slices.Sort(ids)
	return ids, errors.Join(errs...)
}

// Peek returns a journal's setup without taking the match, nil if the setup is not yet written.
func (s *Store) Peek(match string) (*journal.Header, error) {
	ctx, cancel := context.WithTimeout(s.ctx, openWait)
	defer cancel()
	at, err := s.find(ctx, match)
	var last uint64
	if err == nil {
		last, _, err = s.end(ctx, at)
	}
	var h *journal.Header
	if err == nil {
		err = s.records(ctx, at, last, func(_ uint64, record []byte) error {
			r, err := journal.Decode(record)
			if h = r.Header; err == nil {
				err = io.EOF
			}
			return err
		})
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("journal of %s: %w", match, err)
	}
	return h, nil
}

// records calls each with all records of a journal up to the message with sequence last.
func (s *Store) records(ctx context.Context, at place, last uint64, each func(n uint64, record []byte) error) error {
	c := chainReader{name: at.stream + "/" + at.subject}
	return s.read(ctx, at, 0, last, func(seq uint64, data []byte) error { return c.take(seq, data, each) })
}

// Export writes a journal as a file, whether its match is live or past. It does not take
// the match. The error is fs.ErrNotExist if there is no such journal.
func (s *Store) Export(ctx context.Context, match string, w io.Writer) error {
	t, err := s.follow(ctx, match)
	if err != nil {
		return err
	}
	err = journal.Export(w, func(each func(uint64, []byte) error) error { return t.read(ctx, each) })
	if err := errors.Join(err, t.Close()); err != nil {
		return fmt.Errorf("journal of %s: %w", match, err)
	}
	return nil
}

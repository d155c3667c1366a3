package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
)

// archiveWait bounds putting one journal away.
const archiveWait = 2 * time.Minute

// The bodies of a last message.
const (
	overRemove  = 0
	overArchive = 1
)

// Retire implements journal.Store: it archives the journal of a match that this process
// owned last, and deletes it from its stream. If another process has it, it fails with
// ErrFenced.
func (s *Store) Retire(match string) error { return s.over(match, overArchive) }

// Remove implements journal.Store, on the same condition as Retire. The journal of a past match is removed, whichever
// process had it.
func (s *Store) Remove(match string) error { return s.over(match, overRemove) }

// over ends a journal: its last message announces the end, then the journal is put away. If this process is killed in
// between, the next process that opens the journal puts it away.
func (s *Store) over(match string, subject byte) error {
	ctx, cancel := context.WithTimeout(s.ctx, archiveWait)
	defer cancel()
	fail := func(err error) error { return fmt.Errorf("journal of %s: %w", match, err) }
	if s.isOpen(match) {
		return fail(errors.New("it is open"))
	}
	at, err := s.find(ctx, match)
	if errors.Is(err, fs.ErrNotExist) && subject == overRemove {
		if _, err = s.past.GetInfo(ctx, match); errors.Is(err, natsjs.ErrObjectNotFound) {
			return fail(fs.ErrNotExist)
		}
		if err == nil {
			err = s.past.Delete(ctx, match)
		}
		if err == nil {
			return nil
		}
	}
	if err != nil {
		return fail(err)
	}
	for {
		last, m, err := s.end(ctx, at)
		switch {
		case err != nil:
			return fail(err)
		case m.kind == kindOver:
			if err := s.putAway(ctx, match, at, last, m); err != nil {
				return fail(err)
			}
			return nil
		case m.owner != s.owner:
			return fail(journal.ErrFenced)
		}
		next, sum, err := m.after()
		if err != nil {
			return fail(err)
		}
		h := head{kind: kindOver, epoch: m.epoch, owner: s.owner, next: next, sum: sum}
		x := seal(append(h.appendTo(nil), subject))
		if _, _, err := s.take(ctx, at, x, last); err != nil && !errors.Is(err, errTaken) {
			return fail(err)
		}
	}
}

// putAway archives the journal if its last message says so, and deletes it, its saved
// state and its entry in the index. Two processes may do it at once.
func (s *Store) putAway(ctx context.Context, match string, at place, last uint64, m *message) error {
	if len(m.body) == 1 && m.body[0] == overArchive {
		if err := s.archive(ctx, match, at, last); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
	if err := s.states.Purge(ctx, natsjs.WithPurgeSubject(statesSubject+match+".>")); err != nil {
		return fmt.Errorf("saved state: %w", err)
	}
	for i, st := range s.streams {
		if shardStream(i) == at.stream {
			return st.Purge(ctx, natsjs.WithPurgeSubject(at.subject))
		}
	}
	return nil
}

// archive writes the journal as a file into the object store. If that is full, the oldest journals there make room. A
// journal larger than the whole store is dropped: live matches need the room that it has now.
func (s *Store) archive(ctx context.Context, match string, at place, last uint64) error {
	for tries := 0; ; tries++ {
		r, w := io.Pipe()
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer panics.Catch(s.log, "journal", func() { w.CloseWithError(errors.New("internal error")) })
			w.CloseWithError(journal.Export(w, func(each func(uint64, []byte) error) error { return s.records(ctx, at, last, each) }))
		}()
		_, err := s.past.Put(ctx, natsjs.ObjectMeta{Name: match, Description: "journal", Headers: nats.Header{}}, r)
		r.CloseWithError(errors.New("given up"))
		<-done
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the other process has archived it meanwhile
		}
		if err == nil || !isCode(err, codeStoreFailed) || tries == 16 {
			return err
		}
		// The list may name it although it is written in part only.
		if e := s.past.Delete(ctx, match); e != nil && !errors.Is(e, natsjs.ErrObjectNotFound) {
			return errors.Join(err, e)
		}
		n, e := s.dropOldest(ctx)
		if e != nil {
			return errors.Join(err, e)
		}
		if n == 0 {
			s.log.Error("a journal does not fit into the archive and is deleted", "match", match, "error", err)
			return nil
		}
		s.log.Warn("the archive of journals is full: the oldest were deleted", "matches", n)
	}
}

// dropOldest deletes an eighth of the archived journals, the oldest, at least one.
func (s *Store) dropOldest(ctx context.Context) (int, error) {
	list, err := s.past.List(ctx)
	if errors.Is(err, natsjs.ErrNoObjectsFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	slices.SortFunc(list, func(a, b *natsjs.ObjectInfo) int { return a.ModTime.Compare(b.ModTime) })
	n := (len(list) + 7) / 8
	for i, o := range list[:n] {
		if err := s.past.Delete(ctx, o.Name); err != nil {
			return i, err
		}
	}
	return n, nil
}

// A server that lags behind does not know yet of a journal that was just archived, while its stream is deleted already.
// lagTries is how often, and lagWait how long, a missing journal is waited for.
const (
	lagTries = 5
	lagWait  = 100 * time.Millisecond
)

// exportPast writes an archived journal to an empty file. A server that lags behind may describe a journal that was
// rewritten since: its chunks are gone and never arrive. Each attempt is short at first, and the next one reads the
// description again.
func (s *Store) exportPast(ctx context.Context, match string, to *os.File) error {
	missing := 0
	for wait := attemptTime; ; wait *= 2 {
		limited, cancel := context.WithTimeout(ctx, wait)
		err := s.exportOnce(limited, match, to)
		late := limited.Err() != nil || errors.Is(err, os.ErrDeadlineExceeded)
		cancel()
		switch {
		case err == nil:
			return nil
		case errors.Is(err, natsjs.ErrObjectNotFound):
			if missing++; missing < lagTries {
				select {
				case <-time.After(lagWait):
				case <-ctx.Done():
				}
				wait = attemptTime / 2
				continue
			}
			err = fs.ErrNotExist
		case late && ctx.Err() == nil:
			if err = to.Truncate(0); err == nil {
				_, err = to.Seek(0, io.SeekStart)
			}
			if err == nil {
				continue
			}
		}
		return fmt.Errorf("journal of %s: %w", match, err)
	}
}

func (s *Store) exportOnce(ctx context.Context, match string, w io.Writer) error {
	o, err := s.past.Get(ctx, match)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, o)
	return errors.Join(err, o.Close())
}

var _ journal.Rewriter = (*Store)(nil)

// Rewrite implements journal.Rewriter. A journal that is written anew is kept as long
// as if its match had ended now.
func (s *Store) Rewrite(match string, change func(n uint64, record []byte) ([]byte, error)) error {
	if !matchForm.MatchString(match) {
		return fmt.Errorf("%q is no match id: %w", match, fs.ErrNotExist)
	}
	ctx, cancel := context.WithTimeout(s.ctx, archiveWait)
	defer cancel()
	if _, err := s.find(ctx, match); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = journal.ErrNotPast
		}
		return err
	}
	dir, err := os.MkdirTemp("", "fogkeep-journal-")
	if err != nil {
		return fmt.Errorf("journal of %s: %w", match, err)
	}
	defer os.RemoveAll(dir)
	was, fresh := filepath.Join(dir, "was"), filepath.Join(dir, "new")
	f, err := os.OpenFile(was, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("journal of %s: %w", match, err)
	}
	if err := errors.Join(s.exportPast(ctx, match, f), f.Close()); err != nil {
		return err
	}
	changed, err := journal.RewriteFile(was, fresh, change)
	if err != nil || !changed {
		return err
	}
	if f, err = os.Open(fresh); err != nil {
		return fmt.Errorf("journal of %s: %w", match, err)
	}
	defer f.Close()
	if _, err := s.past.Put(ctx, natsjs.ObjectMeta{Name: match, Description: "journal", Headers: nats.Header{}}, f); err != nil {
		return fmt.Errorf("journal of %s: %w", match, err)
	}
	return nil
}

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/fogkeep/fogkeep/match/journal"
)

var _ journal.Follower = (*Store)(nil)

// Follow implements journal.Follower: of a live match any server of the stream answers,
// of a past one the archive does.
func (s *Store) Follow(match string) (journal.Tail, error) {
	ctx, cancel := context.WithTimeout(s.ctx, openWait)
	defer cancel()
	t, err := s.follow(ctx, match)
	if err != nil {
		return nil, err // not t: a nil of its type is no nil to the caller
	}
	return t, nil
}

func (s *Store) follow(ctx context.Context, match string) (*tail, error) {
	if !matchForm.MatchString(match) {
		return nil, fmt.Errorf("%q is no match id: %w", match, fs.ErrNotExist)
	}
	t := &tail{store: s, match: match}
	at, err := s.find(ctx, match)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = t.openPast(ctx)
	case err == nil:
		t.at, t.chain = at, chainReader{name: at.stream + "/" + at.subject}
	}
	if err != nil {
		return nil, fmt.Errorf("journal of %s: %w", match, err)
	}
	return t, nil
}

// tail follows a journal in its stream, and in the archive once it was put away.
type tail struct {
	store *Store
	match string
	at    place
	chain chainReader
	seq   uint64 // of the last message read
	next  uint64 // number of the next record
	past  *os.File
}

var _ journal.Tail = (*tail)(nil)

func (t *tail) Read(each func(n uint64, record []byte) error) error {
	ctx, cancel := context.WithTimeout(t.store.ctx, archiveWait)
	defer cancel()
	return t.read(ctx, each)
}

// read goes on in the archive if the journal is archived before or while it is read.
func (t *tail) read(ctx context.Context, each func(n uint64, record []byte) error) error {
	if t.past == nil {
		last, _, err := t.store.end(ctx, t.at)
		if err == nil && last > t.seq {
			var failed error
			err = t.store.read(ctx, t.at, t.seq+1, last, func(seq uint64, data []byte) error {
				t.seq = seq
				failed = t.chain.take(seq, data, func(n uint64, record []byte) error {
					t.next = n + 1
					return each(n, record)
				})
				return failed
			})
			if failed != nil {
				return failed
			}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := t.openPast(ctx); err != nil {
			return fmt.Errorf("journal of %s: %w", t.match, err)
		}
	}
	// A past journal does not grow: its records are read once.
	_, err := journal.ReadFile(t.past.Name(), func(n uint64, record []byte) error {
		if n < t.next {
			return nil
		}
		t.next = n + 1
		return each(n, record)
	})
	return err
}

// openPast fetches the archived journal.
func (t *tail) openPast(ctx context.Context) error {
	f, err := os.CreateTemp("", "fogkeep-journal-*")
	if err != nil {
		return err
	}
	if err := t.store.exportPast(ctx, t.match, f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	t.past = f
	return nil
}

func (t *tail) Close() error {
	if t.past == nil {
		return nil
	}
	return errors.Join(t.past.Close(), os.Remove(t.past.Name()))
}

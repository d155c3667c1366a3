package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// retentionPeriod is how often [Dir.Retain] looks.
const retentionPeriod = 6 * time.Hour

// Retain deletes the journals of finished matches that are older than keep: at
// once, and then every few hours until ctx ends. A keep of 0 keeps them for ever.
func (d *Dir) Retain(ctx context.Context, keep time.Duration, log *slog.Logger) {
	if keep == 0 {
		return
	}
	tick := time.NewTicker(retentionPeriod)
	defer tick.Stop()
	for {
		d.retain(keep, log)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (d *Dir) retain(keep time.Duration, log *slog.Logger) {
	defer panics.Catch(log, "retention", nil)
	n, err := d.Purge(time.Now().Add(-keep))
	if err != nil {
		log.Warn("past journals are not all deleted", "err", err)
	}
	if n > 0 {
		log.Info("past journals deleted", "matches", n, "olderThanDays", int(keep.Hours()/24))
	}
}

// Rewriter is a [Store] that can replace records of a past journal, to remove data that must not be kept any longer.
type Rewriter interface {
	// Rewrite replaces each record of a past journal with change's result, which is the record itself if it stays. If
	// all stay it leaves the journal alone. It fails with [ErrNotPast] for a journal with open work, and with
	// fs.ErrNotExist if the match has no journal. Readers that have the journal open go on with its old content.
	Rewrite(match string, change func(n uint64, record []byte) ([]byte, error)) error
}

// ErrNotPast: the match of the journal is not over, or its result is not delivered.
var ErrNotPast = errors.New("journal: its match is not over")

var _ Rewriter = (*Dir)(nil)

// RewriteFile writes the journal at path, with records replaced as in [Rewriter], into
// a new file. changed reports whether a record is another one.
func RewriteFile(path, into string, change func(n uint64, record []byte) ([]byte, error)) (changed bool, err error) {
	f, err := os.OpenFile(into, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	w := bufio.NewWriterSize(f, 64<<10)
	err = Export(w, func(each func(uint64, []byte) error) error {
		_, err := ReadFile(path, func(n uint64, record []byte) error {
			out, err := change(n, record)
			if err != nil {
				return err
			}
			changed = changed || string(out) != string(record)
			return each(n, out)
		})
		return err
	})
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	return changed, errors.Join(err, f.Close())
}

// Rewrite implements [Rewriter]. The file keeps its time, by which it is deleted.
func (d *Dir) Rewrite(match string, change func(n uint64, record []byte) ([]byte, error)) error {
	if err := checkID(match); err != nil {
		return err
	}
	path := d.pastPath(match)
	at, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && exists(d.livePath(match)) {
		return ErrNotPast
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	fresh := path + ".new"
	defer os.Remove(fresh) // fails once it is renamed
	changed, err := RewriteFile(path, fresh, change)
	if err != nil || !changed {
		return err
	}
	if err := errors.Join(os.Chtimes(fresh, at.ModTime(), at.ModTime()), os.Rename(fresh, path)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return syncDir(filepath.Dir(path))
}

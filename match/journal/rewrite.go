package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

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

package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Follow implements [Follower]. A journal that is open here is read up to its last record on disk; another one up to
// its last whole record.
func (d *Dir) Follow(match string) (Tail, error) {
	if err := checkID(match); err != nil {
		return nil, err
	}
	f, err := os.Open(d.livePath(match))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(d.pastPath(match))
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return &fileTail{dir: d, match: match, f: f}, nil
}

// fileTail follows the file of a journal, also when that is moved or deleted.
type fileTail struct {
	dir   *Dir
	match string
	f     *os.File
	at    state // behind the last record yielded; zero: before the first
}

// Read implements [Tail].
func (t *fileTail) Read(each func(n uint64, record []byte) error) error {
	var r io.ReaderAt = t.f
	t.dir.mu.Lock()
	l := t.dir.open[t.match]
	t.dir.mu.Unlock()
	if l != nil {
		l.mu.Lock()
		end := l.end
		l.mu.Unlock()
		r = io.NewSectionReader(t.f, 0, end)
	}
	var err error
	if t.at.end == 0 {
		t.at, _, err = scan(r, t.f.Name(), each)
	} else {
		t.at, _, err = scanOn(r, t.f.Name(), t.at, each)
	}
	return err
}

// Close implements [Tail].
func (t *fileTail) Close() error { return t.f.Close() }

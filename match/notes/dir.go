package notes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// Suffix ends the name of a match's file, as ".journal" ends the journal's.
const Suffix = ".notes"

const pastFolder = "past"

// Dir keeps notes as files of one folder. A nil Dir does not keep notes. All methods may be
// called from any goroutine.
type Dir struct {
	path string
	log  *slog.Logger
}

// OpenDir returns the notes of a folder, which it makes if it does not exist.
func OpenDir(path string, log *slog.Logger) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(path, pastFolder), 0o700); err != nil {
		return nil, fmt.Errorf("folder of notes: %w", err)
	}
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Dir{path, log}, nil
}

func (d *Dir) file(match string, past bool) string {
	if past {
		return filepath.Join(d.path, pastFolder, match+Suffix)
	}
	return filepath.Join(d.path, match+Suffix)
}

// Open returns the log of a match that runs here from a tick on, at so many ticks per second. It appends to an existing
// file. If that fails, the match has no notes.
func (d *Dir) Open(match string, from grid.Tick, rate int) *Log {
	if d == nil {
		return nil
	}
	f, size, err := d.open(match)
	if err != nil {
		d.log.Warn("a match is not noted", "match", match, "error", err)
		return nil
	}
	return newLog(f, size, from, rate, d.log)
}

// open returns the file of a match at the end of its last whole row.
func (d *Dir) open(match string) (_ *os.File, size int64, err error) {
	if !isMatch(match) {
		return nil, 0, fmt.Errorf("%q is no match id", match)
	}
	f, err := os.OpenFile(d.file(match, false), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	raw, err := io.ReadAll(io.LimitReader(f, BytesMax+bufferBytesMax))
	if err != nil {
		return nil, 0, err
	}
	if n := Parse(raw); n.end >= len(magic) {
		size = int64(n.end)
	}
	if err = f.Truncate(size); err != nil {
		return nil, 0, err
	}
	if _, err = f.Seek(size, io.SeekStart); err != nil || size > 0 {
		return f, size, err
	}
	_, err = f.WriteString(magic)
	return f, int64(len(magic)), err
}

// Retire moves the notes of a finished match into the past.
func (d *Dir) Retire(match string) {
	if d == nil {
		return
	}
	if err := os.Rename(d.file(match, false), d.file(match, true)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.log.Warn("notes of a match", "match", match, "error", err)
	}
}

// Remove deletes the notes of a match.
func (d *Dir) Remove(match string) {
	if d == nil {
		return
	}
	for _, past := range []bool{false, true} {
		if err := os.Remove(d.file(match, past)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.log.Warn("notes of a match", "match", match, "error", err)
		}
	}
}

// Purge deletes the notes last written before a time, and returns their number: also notes of matches that went on
// elsewhere. If it cannot delete one file, it goes on with the others.
func (d *Dir) Purge(before time.Time) (n int, err error) {
	for _, folder := range []string{d.path, filepath.Join(d.path, pastFolder)} {
		files, e := os.ReadDir(folder)
		if e != nil {
			err = errors.Join(err, fmt.Errorf("folder of notes: %w", e))
		}
		for _, f := range files {
			if !f.Type().IsRegular() || !strings.HasSuffix(f.Name(), Suffix) {
				continue
			}
			at, e := f.Info()
			if e == nil && at.ModTime().Before(before) {
				if e = os.Remove(filepath.Join(folder, f.Name())); e == nil {
					n++
				}
			}
			if e != nil {
				err = errors.Join(err, fmt.Errorf("notes: %w", e))
			}
		}
	}
	return n, err
}

// Read returns the notes of a match, live or past: as far as they are on disk. nil: this folder has no notes of the
// match.
func (d *Dir) Read(match string) (*Notes, error) {
	if d == nil || !isMatch(match) {
		return nil, nil
	}
	for _, past := range []bool{true, false} {
		n, err := Read(d.file(match, past))
		if !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
	}
	return nil, nil
}

// ChunkMax is how many bytes [Dir.Chunk] returns at most.
const ChunkMax = 1 << 20

// Chunk returns the bytes of a match's file from an offset on, for a process that reads the notes of several: whole
// rows, as many as there is room for. Empty: the end so far, or no file here.
func (d *Dir) Chunk(match string, from int64) ([]byte, error) {
	if d == nil || from < 0 || !isMatch(match) {
		return nil, nil
	}
	for _, past := range []bool{true, false} {
		f, err := os.Open(d.file(match, past))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("notes: %w", err)
		}
		defer f.Close()
		raw, err := io.ReadAll(io.NewSectionReader(f, from, ChunkMax))
		if err != nil {
			return nil, fmt.Errorf("notes of %s: %w", match, err)
		}
		return raw[:wholeRows(raw, from == 0)], nil
	}
	return nil, nil
}

// wholeRows returns how many bytes of a file, or of a part of one, are whole rows.
func wholeRows(raw []byte, head bool) (end int) {
	if head {
		if len(raw) < len(magic) || string(raw[:len(magic)]) != magic {
			return 0
		}
		end = len(magic)
	}
	for end < len(raw) {
		_, _, size, err := nextRow(raw[end:])
		if err != nil {
			break
		}
		end += size
	}
	return end
}

func isMatch(id string) bool {
	return id != "" && !strings.ContainsAny(id, `/\`) && !strings.HasPrefix(id, ".")
}

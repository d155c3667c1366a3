package journal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// The file of a journal, little-endian:
//
//	8  "fogkjrn" and the version, 1
//	then each record:
//	4  length of the payload, at least 1
//	4  CRC-32C of the previous record's CRC (the header's is 0) and the payload
//	n  payload
//
// Each sum includes the previous one. So a record that was removed, moved, or
// copied from another journal is detected.
const (
	fileMagic  = "fogkjrn\x01"
	headBytes  = 8
	fileSuffix = ".journal"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Chain returns the sum of a record that follows one with the sum last; the first record follows sum 0. A [Store] keeps
// the sum with each record, to notice a damaged, removed or moved record.
func Chain(last uint32, record []byte) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], last)
	return crc32.Update(crc32.Checksum(b[:], castagnoli), castagnoli, record)
}

// appendRecord appends a record to the bytes of a file, and returns its sum.
func appendRecord(b []byte, last uint32, record []byte) ([]byte, uint32) {
	sum := Chain(last, record)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(record)))
	return append(binary.LittleEndian.AppendUint32(b, sum), record...), sum
}

// Dir keeps journals as files of one folder, one file per match. Journals of finished matches without open work are in
// its subfolder past. The process reads all others at its start.
type Dir struct {
	path string
	// Wrap, if not nil, wraps each journal's file: the server measures the disk with it,
	// and tests simulate full ones. It is set before the first journal is made or opened.
	Wrap func(Handle) Handle

	mu   sync.Mutex
	open map[string]*File // the logs that are open here, by match
}

// probeBytes is more than a disk that is full has left in its last block.
const probeBytes = 64 << 10

// Probe checks that the folder is writable.
func (d *Dir) Probe() error { return Probe(d.path) }

// Probe writes a small file into a folder, down to the disk, and removes it.
func Probe(dir string) error {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

// Handle is a journal's open file; *os.File is one.
type Handle interface {
	io.WriteSeeker
	io.Closer
	Name() string
	Sync() error
	Truncate(size int64) error
}

const pastFolder = "past"

// OpenDir returns the folder's journals. It makes the folder if it does not exist.
func OpenDir(path string) (*Dir, error) {
	if err := os.MkdirAll(filepath.Join(path, pastFolder), 0o700); err != nil {
		return nil, fmt.Errorf("journal folder: %w", err)
	}
	return &Dir{path: path, open: map[string]*File{}}, nil
}

// Path returns the path of a match's journal, whether or not it exists.
func (d *Dir) Path(match string) string {
	if past := d.pastPath(match); exists(past) {
		return past
	}
	return d.livePath(match)
}

func (d *Dir) livePath(match string) string { return filepath.Join(d.path, match+fileSuffix) }

func (d *Dir) pastPath(match string) string {
	return filepath.Join(d.path, pastFolder, match+fileSuffix)
}

// checkID rejects an id that would name a file elsewhere. No match has such an id.
func checkID(match string) error {
	if match == "" || strings.ContainsAny(match, `/\`) || strings.HasPrefix(match, ".") {
		return fmt.Errorf("journal: %q is no match id: %w", match, fs.ErrNotExist)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// List returns the ids of all matches with a journal that is not past, sorted.
func (d *Dir) List() ([]string, error) {
	files, err := os.ReadDir(d.path)
	if err != nil {
		return nil, fmt.Errorf("journal folder: %w", err)
	}
	var ids []string
	for _, f := range files {
		if id, ok := strings.CutSuffix(f.Name(), fileSuffix); ok && f.Type().IsRegular() {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Create makes the journal of a new match. It fails with ErrExists if there is
// one.
func (d *Dir) Create(match string) (Log, error) {
	if err := checkID(match); err != nil {
		return nil, err
	}
	path := d.Path(match)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil, fmt.Errorf("%w: %s", ErrExists, path)
	}
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if err := errors.Join(write(f, []byte(fileMagic)), f.Sync(), syncDir(d.path)); err != nil {
		f.Close()
		os.Remove(path)
		return nil, fmt.Errorf("journal: %w", err)
	}
	return d.start(match, f, state{end: int64(len(fileMagic))}), nil
}

// Open opens a journal to append to it. A last record that was cut off by a kill is
// removed: its inputs were never answered. Damage anywhere else is a DamageError,
// and the file is not changed.
func (d *Dir) Open(match string) (Log, error) {
	f, err := os.OpenFile(d.livePath(match), os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	s, torn, err := scan(f, f.Name(), nil)
	if err == nil && torn {
		err = f.Truncate(s.end)
	}
	if err == nil {
		// A killed process may leave writes that the operating system has not yet brought to disk.
		err = f.Sync()
	}
	if err == nil {
		_, err = f.Seek(s.end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return d.start(match, f, s), nil
}

// Retire moves the journal of a match without open work into the folder past, and deletes its saved state.
func (d *Dir) Retire(match string) error {
	if err := os.Rename(d.livePath(match), d.pastPath(match)); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return errors.Join(syncDir(filepath.Join(d.path, pastFolder)), syncDir(d.path), d.dropState(match))
}

// Purge deletes the past journals that were last written before a time, and returns
// how many. If one cannot be deleted, the others are deleted all the same.
func (d *Dir) Purge(before time.Time) (n int, err error) {
	files, err := os.ReadDir(filepath.Join(d.path, pastFolder))
	if err != nil {
		return 0, fmt.Errorf("journal folder: %w", err)
	}
	for _, f := range files {
		if !f.Type().IsRegular() || !strings.HasSuffix(f.Name(), fileSuffix) {
			continue
		}
		at, e := f.Info()
		if e == nil && at.ModTime().Before(before) {
			if e = os.Remove(filepath.Join(d.path, pastFolder, f.Name())); e == nil {
				n++
			}
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("journal: %w", e))
		}
	}
	return n, err
}

// Remove deletes a match's journal and its saved state.
func (d *Dir) Remove(match string) error {
	path := d.Path(match)
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return errors.Join(syncDir(filepath.Dir(path)), d.dropState(match))
}

// ReadFile calls each with every whole record of the file at path, and
// reports whether the last record was cut off.
func ReadFile(path string, each func(n uint64, record []byte) error) (torn bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("journal: %w", err)
	}
	defer f.Close()
	_, torn, err = scan(f, path, each)
	return torn, err
}

// ReadBytes is ReadFile for the bytes of a file, under the given name in errors.
func ReadBytes(b []byte, name string, each func(n uint64, record []byte) error) (torn bool, err error) {
	_, torn, err = scan(bytes.NewReader(b), name, each)
	return torn, err
}

// Export writes to w the file of the journal that read yields, as a [Dir] has it.
func Export(w io.Writer, read Reader) error {
	if err := write(w, []byte(fileMagic)); err != nil {
		return err
	}
	var sum uint32
	var buf []byte
	return read(func(_ uint64, record []byte) error {
		buf, sum = appendRecord(buf[:0], sum, record)
		return write(w, buf)
	})
}

// state describes the end of a file: the number of records, the offset after the
// last one, and its sum.
type state struct {
	next uint64
	end  int64
	sum  uint32
}

// scan reads a journal from its start. torn reports that the bytes after s.end are only the beginning of a record. A
// length that points past the end of the file is one sign. A rest of zeros is another: some file systems leave zeros
// after a write that a crash cut short.
func scan(r io.ReaderAt, name string, each func(n uint64, record []byte) error) (s state, torn bool, err error) {
	head := make([]byte, len(fileMagic))
	b := io.NewSectionReader(r, 0, int64(len(head)))
	if _, err := io.ReadFull(b, head); err != nil || string(head[:7]) != fileMagic[:7] {
		return s, false, &DamageError{name, 0, 0, "this is no fogkeep journal"}
	}
	if head[7] != fileMagic[7] {
		return s, false, &DamageError{name, 0, 0, fmt.Sprintf("a file of version %d, this build reads %d", head[7], fileMagic[7])}
	}
	s.end = int64(len(fileMagic))
	return scanOn(r, name, s, each)
}

// scanOn is scan for the bytes behind the records that end with s.
func scanOn(r io.ReaderAt, name string, s state, each func(n uint64, record []byte) error) (_ state, torn bool, err error) {
	b := bufio.NewReaderSize(io.NewSectionReader(r, s.end, 1<<62-s.end), 64<<10)
	var rec [headBytes]byte
	for {
		switch n, err := io.ReadFull(b, rec[:]); {
		case err == io.EOF:
			return s, false, nil
		case err == io.ErrUnexpectedEOF && n > 0:
			return s, true, nil
		case err != nil:
			return s, false, fmt.Errorf("journal %s: %w", name, err)
		}
		length := binary.LittleEndian.Uint32(rec[:])
		if length == 0 && zeros(rec[:]) && restIsZero(b) {
			return s, true, nil
		}
		if length == 0 || length > RecordBytesMax {
			return s, false, &DamageError{name, s.end, s.next, fmt.Sprintf("length %d: want 1 to %d", length, RecordBytesMax)}
		}
		sum := binary.LittleEndian.Uint32(rec[4:])
		payload, err := readBounded(b, int(length))
		if err == io.ErrUnexpectedEOF {
			if isFollowed(r, s.end+headBytes, sum) {
				return s, false, &DamageError{name, s.end, s.next, "its length is wrong: the file was damaged or changed"}
			}
			return s, true, nil
		}
		if err != nil {
			return s, false, fmt.Errorf("journal %s: %w", name, err)
		}
		if sum != Chain(s.sum, payload) {
			if _, err := b.Peek(1); err == io.EOF && !isFollowed(r, s.end+headBytes, sum) { // the last one, written in part
				return s, true, nil
			}
			return s, false, &DamageError{name, s.end, s.next, "its sum does not fit: the file was damaged or changed"}
		}
		if each != nil {
			if err := each(s.next, payload); err != nil {
				var of *RecordError
				if errors.As(err, &of) && of.Record == s.next && of.Offset == 0 {
					of.Offset = s.end
				}
				return s, false, err
			}
		}
		s = state{s.next + 1, s.end + headBytes + int64(length), sum}
	}
}

// followBytes is how far isFollowed looks, and followSums how many bytes it sums at most.
const (
	followBytes = 1 << 20
	followSums  = 64 << 20
)

// isFollowed reports whether a record that follows one with a sum begins at offset from or later. A record that was cut
// off is followed by no other. One whose length was changed is, and to cut the file off there would lose the others.
func isFollowed(r io.ReaderAt, from int64, sum uint32) bool {
	rest := make([]byte, followBytes)
	n, _ := r.ReadAt(rest, from) // the bytes that can be read
	rest = rest[:n]
	for left := followSums; len(rest) > headBytes && left > 0; rest = rest[1:] {
		length := binary.LittleEndian.Uint32(rest)
		if length == 0 || int64(length) > int64(len(rest)-headBytes) {
			continue
		}
		left -= int(length)
		if binary.LittleEndian.Uint32(rest[4:]) == Chain(sum, rest[headBytes:headBytes+int(length)]) {
			return true
		}
	}
	return false
}

// readBounded reads n bytes. It allocates no more than the file can fill.
func readBounded(r io.Reader, n int) ([]byte, error) {
	var out []byte
	for len(out) < n {
		step := min(n-len(out), 1<<20)
		at := len(out)
		out = append(out, make([]byte, step)...)
		if _, err := io.ReadFull(r, out[at:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return out, nil
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func restIsZero(r io.Reader) bool {
	buf := make([]byte, 4096)
	for {
		n, err := r.Read(buf)
		if !zeros(buf[:n]) {
			return false
		}
		if err != nil {
			return err == io.EOF
		}
	}
}

// File is a Log in a local file. One goroutine, the writer, owns the end of the
// file. While it writes, further records are collected. The next write takes all gathered records and syncs once.
type File struct {
	f      Handle
	forget func(*File)   // called by Close
	done   chan struct{} // closed when the writer has ended

	mu      sync.Mutex
	wake    *sync.Cond // something was appended, or closed
	synced  *sync.Cond // the durable number rose, or the log failed
	pending [][]byte
	next    uint64 // number of the next record
	durable uint64 // numbers below it are on disk
	end     int64  // offset behind the durable records
	sum     uint32 // of the last record written
	err     error  // the first failure; the log then refuses records
	closed  bool
	full    error // why the writer waits for room, nil: it does not
}

var (
	_ Store    = (*Dir)(nil)
	_ Follower = (*Dir)(nil)
	_ Log      = (*File)(nil)
)

func (d *Dir) start(match string, f Handle, s state) *File {
	if d.Wrap != nil {
		f = d.Wrap(f)
	}
	l := &File{f: f, forget: func(l *File) { d.forget(match, l) }, done: make(chan struct{}), next: s.next, durable: s.next, end: s.end, sum: s.sum}
	l.wake, l.synced = sync.NewCond(&l.mu), sync.NewCond(&l.mu)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[match] = l
	go l.write()
	return l
}

// forget notes that a log is not open any more.
func (d *Dir) forget(match string, l *File) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[match] == l {
		delete(d.open, match)
	}
}

// Name returns the path of the file.
func (l *File) Name() string { return l.f.Name() }

// Next implements Log.
func (l *File) Next() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.next
}

// Append implements Log.
func (l *File) Append(n uint64, record []byte) error {
	if len(record) == 0 || len(record) > RecordBytesMax {
		return fmt.Errorf("journal: record %d of %d bytes: want 1 to %d", n, len(record), RecordBytesMax)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err != nil:
		return l.err
	case l.closed:
		return ErrClosed
	case n != l.next:
		return fmt.Errorf("%w: got %d, want %d", ErrOrder, n, l.next)
	}
	l.pending = append(l.pending, record)
	l.next++
	l.wake.Signal()
	return nil
}

// Synced implements Log.
func (l *File) Synced() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable
}

// Wait implements Log.
func (l *File) Wait(ctx context.Context, n uint64) error {
	stop := context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.synced.Broadcast()
	})
	defer stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.durable <= n {
		switch {
		case l.err != nil:
			return l.err
		case ctx.Err() != nil:
			return ctx.Err()
		case l.closed && len(l.pending) == 0 && n >= l.next:
			return ErrClosed
		}
		l.synced.Wait()
	}
	return nil
}

// Read implements Log.
func (l *File) Read(from uint64, each func(n uint64, record []byte) error) error {
	l.mu.Lock()
	end, err := l.end, l.err
	l.mu.Unlock()
	if err != nil {
		return err
	}
	f, err := os.Open(l.f.Name())
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer f.Close()
	_, _, err = scan(io.NewSectionReader(f, 0, end), l.f.Name(), func(n uint64, record []byte) error {
		if n < from {
			return nil
		}
		return each(n, record)
	})
	return err
}

// Close implements Log. A second call has no effect.
func (l *File) Close() error {
	l.mu.Lock()
	l.closed = true
	l.wake.Signal()
	l.mu.Unlock()
	<-l.done
	l.forget(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if errors.Is(l.err, ErrClosed) {
		return nil
	}
	return l.err
}

// Stalled implements Log: the disk is full, and the log waits for room.
func (l *File) Stalled() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.full
}

// Confirm implements Log: no other process can take a local file over, since its folder is locked.
func (*File) Confirm(context.Context) error { return nil }

// fullWait is how long the writer waits before it tries a full disk again.
const fullWait = 100 * time.Millisecond

// isFull reports whether an error says that the disk or the quota is full.
func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

// put writes a batch at offset end and syncs. If the disk is full, it waits. Then it cuts off the partly written bytes,
// and writes the whole batch again: after a failed write or sync the content of the disk is unknown. It gives up when
// the log is closed.
func (l *File) put(buf []byte, end int64) error {
	for {
		err := write(l.f, buf)
		if err == nil {
			err = l.f.Sync()
		}
		if !isFull(err) {
			return err
		}
		_, seek := l.f.Seek(end, io.SeekStart)
		if err := errors.Join(l.f.Truncate(end), seek); err != nil {
			return err
		}
		l.mu.Lock()
		l.full = err
		closed := l.closed
		l.mu.Unlock()
		if closed {
			return err
		}
		time.Sleep(fullWait)
	}
}

// write is the writer's loop: take all pending records, write them at once, sync, and wake the waiting goroutines. A
// panic in it is a failure of the log.
func (l *File) write() {
	defer close(l.done)
	defer func() {
		if r := recover(); r != nil {
			l.mu.Lock()
			l.err, l.pending, l.closed = fmt.Errorf("journal %s: panic: %v", l.f.Name(), r), nil, true
			l.synced.Broadcast()
			l.mu.Unlock()
		}
	}()
	defer panics.Catch(slog.Default(), "journal", func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.fail(errors.New("internal error"))
		l.f.Close()
	})
	var buf []byte
	for {
		l.mu.Lock()
		for len(l.pending) == 0 && !l.closed {
			l.wake.Wait()
		}
		if len(l.pending) == 0 {
			err := l.f.Close()
			if l.err == nil && err != nil {
				l.err = fmt.Errorf("journal: %w", err)
			}
			l.synced.Broadcast()
			l.mu.Unlock()
			return
		}
		batch, sum, end := l.pending, l.sum, l.end
		l.pending = nil
		l.mu.Unlock()

		buf = buf[:0]
		for _, rec := range batch {
			buf, sum = appendRecord(buf, sum, rec)
		}
		err := l.put(buf, end)

		l.mu.Lock()
		l.full = nil
		if err != nil {
			// After a failed sync the content of the disk is unknown. Another try could report lost records as safe.
			l.fail(err)
		} else {
			l.durable += uint64(len(batch))
			l.end += int64(len(buf))
			l.sum = sum
		}
		l.synced.Broadcast()
		l.mu.Unlock()
	}
}

// fail ends the log: it accepts no more records. l.mu is held.
func (l *File) fail(err error) {
	l.err = fmt.Errorf("journal %s: %w", l.f.Name(), err)
	l.pending, l.closed = nil, true
	l.synced.Broadcast()
}

func write(f io.Writer, b []byte) error {
	_, err := f.Write(b)
	return err
}

// syncDir syncs a folder, so that a new or removed name in it survives a crash.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

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

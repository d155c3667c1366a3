package notes

import (
	"log/slog"
	"os"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Log writes the notes of one match. All methods are for the match's goroutine, and only Close waits for the disk.
// A nil Log does not note.
type Log struct {
	rate    int
	room    int // bytes that may still be written
	buf     []byte
	row     []byte // scratch
	drops   int    // buffers that were left out and are not told of yet
	full    bool
	written map[grid.Slot]wrote

	queue chan []byte
	free  chan []byte
	done  chan struct{}
}

// wrote has the last notes of a slot.
type wrote struct {
	camera  Camera
	second  grid.Tick
	refused int // in that second
}

// queueMax is how many buffers, of a second each, wait for the disk.
const queueMax = 8

// bufferBytesMax bounds a buffer: the excess of one second is left out.
const bufferBytesMax = 256 << 10

// newLog starts the writer of a file that is at its end.
func newLog(f *os.File, size int64, from grid.Tick, rate int, log *slog.Logger) *Log {
	l := &Log{
		rate: rate, room: BytesMax - int(size), written: map[grid.Slot]wrote{},
		queue: make(chan []byte, queueMax), free: make(chan []byte, queueMax+1), done: make(chan struct{}),
	}
	l.add(kindRun, int(from), rate)
	go l.write(f, log)
	return l
}

// write is the writer: it ends with the queue. After a first failure it drops the rest.
func (l *Log) write(f *os.File, log *slog.Logger) {
	defer panics.Catch(log, "notes", nil)
	defer close(l.done)
	failed := false
	for b := range l.queue {
		if !failed {
			if _, err := f.Write(b); err != nil {
				failed = true
				log.Warn("notes of a match are not written any more", "file", f.Name(), "error", err)
			}
		}
		select {
		case l.free <- b[:0]:
		default:
		}
	}
	if err := f.Close(); err != nil && !failed {
		log.Warn("notes of a match", "file", f.Name(), "error", err)
	}
}

// add appends a row of numbers.
func (l *Log) add(kind byte, n ...int) {
	l.row = appendNumbers(l.row[:0], n...)
	l.put(kind, l.row)
}

// put appends a row, if there is room for it.
func (l *Log) put(kind byte, payload []byte) {
	size := 1 + 3 + len(payload) + sumBytes // at most
	if l.full || len(l.buf)+size > bufferBytesMax {
		return
	}
	if l.room -= size; l.room < size {
		l.full = true
		l.buf = appendRow(l.buf, kindFull, nil)
		return
	}
	l.buf = appendRow(l.buf, kind, payload)
}

// Camera notes where a player looks, if that has changed since the last call for its
// slot. It is called [CamerasPerSecond] times a second.
func (l *Log) Camera(c Camera) {
	if l == nil {
		return
	}
	was := l.written[c.Slot]
	same := was.camera
	if same.Tick = c.Tick; same == c && was.camera.Tick != 0 {
		return
	}
	was.camera = c
	l.written[c.Slot] = was
	l.add(kindLook, int(c.Tick), int(c.Slot), int(c.At.X), int(c.At.Y), c.Radius)
}

// Link notes a player's connection. It is called once a second.
func (l *Log) Link(x Link) {
	if l != nil {
		l.add(kindLink, int(x.Tick), int(x.Slot), x.Sent, x.Received, x.Messages, x.Pending, x.Late, int(x.Frame), int(x.Acked), x.InFlight, x.Limit, x.Budget)
	}
}

// Report notes a client's account of its connection.
func (l *Log) Report(r Report) {
	if l == nil {
		return
	}
	l.row = appendNumbers(l.row[:0], int(r.Tick), int(r.Slot))
	for _, x := range r.numbers() {
		l.row = appendNumbers(l.row, *x)
	}
	l.put(kindOwn, l.row)
}

// Times notes the ticks of a second.
func (l *Log) Times(t Times) {
	if l == nil {
		return
	}
	l.row = appendNumbers(l.row[:0], int(t.Tick), t.Ticks, t.Missed)
	for _, p := range t.phases() {
		l.row = appendNumbers(l.row, micro(p.P50), micro(p.Max))
	}
	l.put(kindTimes, l.row)
}

// Refused notes an input that was refused: of a slot the first [RefusedPerSecond] of each second, except too large
// ones.
func (l *Log) Refused(r Refused) {
	if l == nil || len(r.Input) > RefusedBytesMax {
		return
	}
	was := l.written[r.Slot]
	if second := r.Tick / grid.Tick(max(1, l.rate)); was.second != second {
		was.second, was.refused = second, 0
	}
	if was.refused++; was.refused <= RefusedPerSecond {
		l.row = append(appendNumbers(l.row[:0], int(r.Tick), int(r.Slot)), r.Input...)
		l.put(kindOrder, l.row)
	}
	l.written[r.Slot] = was
}

// Flush hands the notes on. It is called once per second.
func (l *Log) Flush() {
	if l == nil || len(l.buf) == 0 {
		return
	}
	if l.drops > 0 {
		l.row = appendNumbers(l.row[:0], l.drops)
		l.buf = appendRow(l.buf, kindGap, l.row)
	}
	select {
	case l.queue <- l.buf:
		l.drops = 0
		select {
		case l.buf = <-l.free:
		default:
			l.buf = nil
		}
	default:
		l.drops++
		l.buf = l.buf[:0]
	}
}

// closeWait is how long Close waits for a disk that hangs.
const closeWait = 2 * time.Second

// Close writes the rest of the notes. It waits at most two seconds for the disk.
func (l *Log) Close() {
	if l == nil {
		return
	}
	l.Flush()
	close(l.queue)
	t := time.NewTimer(closeWait)
	defer t.Stop()
	select {
	case <-l.done:
	case <-t.C:
	}
}

package notes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The file, little-endian:
//
//	8  "fogknot" and the version, 1
//	then each row:
//	1  kind
//	.. length of the payload, a uvarint
//	n  payload: uvarints, or bytes
//	4  CRC-32C of kind, length and payload
//
// A reader passes over kinds that it does not know.
const (
	magic     = "fogknot\x01"
	sumBytes  = 4
	kindRun   = 'S' // a process begins to write: tick, ticks a second
	kindLook  = 'C' // Camera
	kindLink  = 'L' // Link
	kindTimes = 'T' // Times
	kindOrder = 'R' // Refused
	kindOwn   = 'N' // Report
	kindGap   = 'G' // buffers that were left out: how many
	kindFull  = 'F' // the end of this run's rows: BytesMax is reached
)

// Bounds.
const (
	// BytesMax bounds the file of one match: eight players for seven hours.
	BytesMax = 16 << 20
	// RefusedBytesMax bounds the text of one input in a Refused row.
	RefusedBytesMax = 2 << 10
	// RefusedPerSecond is how many inputs of a slot are noted a second.
	RefusedPerSecond = 10
	// CamerasPerSecond is how often a camera is noted at most.
	CamerasPerSecond = 4
	// rowBytesMax bounds a payload that is read.
	rowBytesMax = RefusedBytesMax + 64
)

// Run is a process that wrote: ticks of a later run that a former one has too were
// played again after a kill.
type Run struct {
	From grid.Tick
	Rate int // ticks a second of match time
}

// Camera is where a player looks from a tick on.
type Camera struct {
	Tick   grid.Tick
	Slot   grid.Slot
	At     grid.Tile
	Radius int // tiles
}

// Link is the state of a player's connection, noted once per second. A second without a row: the player had no
// connection.
type Link struct {
	Tick     grid.Tick
	Slot     grid.Slot
	Sent     int       // bytes of payload in the last second
	Received int       // the same, of the client
	Messages int       // sent in the last second
	Pending  int       // rows that the client lacks, for want of bytes
	Late     int       // milliseconds by which its last applied frame is behind
	Frame    grid.Tick // of the last frame that it was sent
	Acked    grid.Tick // of the last that it told to have applied
	InFlight int       // frames that were sent and are not known to be applied
	Limit    int       // bytes per second that its link takes, as measured; 0: not known
	Budget   int       // bytes per second that the server may send; 0: no limit
}

// Report is a client's own account of its connection and page, since its last one.
type Report struct {
	Tick grid.Tick
	Slot grid.Slot
	Account
}

// Account has the fields of wire.NetworkReport.
type Account struct {
	Seconds, Frames, Late, Gaps, LongestMs, TripMs, Corrections, Drawn, Slow int
}

func (r *Report) numbers() []*int {
	return []*int{&r.Seconds, &r.Frames, &r.Late, &r.Gaps, &r.LongestMs, &r.TripMs, &r.Corrections, &r.Drawn, &r.Slow}
}

// Phase is how long a part of the ticks of one second took.
type Phase struct{ P50, Max time.Duration }

// Times is how long the ticks of one second took, in microseconds.
type Times struct {
	Tick   grid.Tick // the last one
	Ticks  int
	Step   Phase // the simulation
	Write  Phase // until the journal had the inputs of the frames
	View   Phase // the views of the teams
	Encode Phase // the frames of all players
	Late   Phase // how late they began
	Missed int   // how many began later than a tick takes
}

// Refused is an input that was refused: the journal has only its number and code.
type Refused struct {
	Tick  grid.Tick
	Slot  grid.Slot
	Input []byte // as journal.AppendInput writes it
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendRow appends one row with its sum.
func appendRow(b []byte, kind byte, payload []byte) []byte {
	at := len(b)
	b = append(b, kind)
	b = binary.AppendUvarint(b, uint64(len(payload)))
	b = append(b, payload...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
}

func appendNumbers(b []byte, n ...int) []byte {
	for _, x := range n {
		b = binary.AppendUvarint(b, uint64(max(0, x)))
	}
	return b
}

func micro(d time.Duration) int { return int(d / time.Microsecond) }

func (t *Times) phases() []*Phase { return []*Phase{&t.Step, &t.Write, &t.View, &t.Encode, &t.Late} }

// errTorn: the rest is no whole row.
var errTorn = errors.New("torn")

// nextRow splits the first row off. It returns how many bytes it takes; errTorn if the
// bytes end before it does or do not fit its sum.
func nextRow(b []byte) (kind byte, payload []byte, size int, err error) {
	if len(b) < 2 {
		return 0, nil, 0, errTorn
	}
	n, used := binary.Uvarint(b[1:])
	if used <= 0 || n > rowBytesMax {
		return 0, nil, 0, errTorn
	}
	end := 1 + used + int(n)
	if len(b) < end+sumBytes || crc32.Checksum(b[:end], castagnoli) != binary.LittleEndian.Uint32(b[end:]) {
		return 0, nil, 0, errTorn
	}
	return b[0], b[1+used : end], end + sumBytes, nil
}

// numbers reads uvarints that fit an int32.
func numbers(b []byte, into ...*int) (rest []byte, err error) {
	for _, x := range into {
		n, used := binary.Uvarint(b)
		if used <= 0 || n > 1<<31-1 {
			return nil, errors.New("a number is missing or too large")
		}
		*x, b = int(n), b[used:]
	}
	return b, nil
}

// take reads one row into the notes.
func (n *Notes) take(kind byte, b []byte) error {
	var tick, slot, x, y, more int
	var err error
	switch kind {
	case kindRun:
		if _, err = numbers(b, &tick, &x); err == nil {
			n.Runs = append(n.Runs, Run{grid.Tick(tick), x})
		}
	case kindLook:
		if _, err = numbers(b, &tick, &slot, &x, &y, &more); err == nil {
			if slot >= int(grid.NoSlot) || x > 1<<15-1 || y > 1<<15-1 {
				return fmt.Errorf("a camera of slot %d at %d,%d", slot, x, y)
			}
			n.Cameras = append(n.Cameras, Camera{grid.Tick(tick), grid.Slot(slot), grid.Tile{X: int16(x), Y: int16(y)}, more})
		}
	case kindLink:
		var l Link
		var frame, acked int
		_, err = numbers(b, &tick, &slot, &l.Sent, &l.Received, &l.Messages, &l.Pending, &l.Late, &frame, &acked, &l.InFlight, &l.Limit, &l.Budget)
		if err == nil {
			if slot >= int(grid.NoSlot) {
				return fmt.Errorf("a link of slot %d", slot)
			}
			l.Tick, l.Slot, l.Frame, l.Acked = grid.Tick(tick), grid.Slot(slot), grid.Tick(frame), grid.Tick(acked)
			n.Links = append(n.Links, l)
		}
	case kindTimes:
		var t Times
		if b, err = numbers(b, &tick, &t.Ticks, &t.Missed); err != nil {
			break
		}
		for _, p := range t.phases() {
			if b, err = numbers(b, &x, &y); err != nil {
				return err
			}
			p.P50, p.Max = time.Duration(x)*time.Microsecond, time.Duration(y)*time.Microsecond
		}
		t.Tick = grid.Tick(tick)
		n.Times = append(n.Times, t)
	case kindOrder:
		if b, err = numbers(b, &tick, &slot); err == nil {
			if slot >= int(grid.NoSlot) {
				return fmt.Errorf("an input of slot %d", slot)
			}
			n.Refused = append(n.Refused, Refused{grid.Tick(tick), grid.Slot(slot), append([]byte(nil), b...)})
		}
	case kindOwn:
		var r Report
		if _, err = numbers(b, append([]*int{&tick, &slot}, r.numbers()...)...); err == nil {
			if slot >= int(grid.NoSlot) {
				return fmt.Errorf("a report of slot %d", slot)
			}
			r.Tick, r.Slot = grid.Tick(tick), grid.Slot(slot)
			n.Reports = append(n.Reports, r)
		}
	case kindGap:
		if _, err = numbers(b, &more); err == nil {
			n.Lost += more
		}
	case kindFull:
		n.Full = true
	}
	return err
}

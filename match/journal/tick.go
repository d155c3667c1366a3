package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// flags of an input
const (
	inQueued = 1 << iota
	inHasPoint
	inAll
)

func appendInput(b []byte, in *sim.Input) []byte {
	flags := byte(0)
	if in.Order.Queued {
		flags |= inQueued
	}
	if in.Order.HasPoint {
		flags |= inHasPoint
	}
	if in.All {
		flags |= inAll
	}
	b = append(b, byte(in.Kind), byte(in.Slot), flags, in.Lag)
	b = binary.AppendUvarint(b, uint64(in.Seq))
	switch in.Kind {
	case sim.InputOrder:
		o := &in.Order
		b = binary.AppendUvarint(b, uint64(in.AsOf))
		b = append(b, byte(o.Kind), o.Ability, o.Item)
		b = binary.AppendUvarint(b, uint64(o.Type))
		b = binary.AppendUvarint(b, uint64(o.Request))
		b = binary.AppendUvarint(b, uint64(o.Target))
		b = appendPos(b, o.Point)
		b = binary.AppendUvarint(b, uint64(len(o.Units)))
		for _, u := range o.Units {
			b = binary.AppendUvarint(b, uint64(u))
		}
	case sim.InputChat:
		b = binary.AppendUvarint(b, uint64(len(in.Text)))
		b = append(b, in.Text...)
	case sim.InputOrderRefused, sim.InputSaidRefused:
		b = append(b, byte(in.Code))
	case sim.InputPing:
		b = append(b, byte(in.Ping))
		b = appendPos(b, in.Point)
		b = append(b, 0) // a ping's target, which there is none of
	}
	return b
}

// AppendInput and AppendAnswer append an input and an answer as a tick's record
// has them, for those who count what they cost.
func AppendInput(b []byte, in *sim.Input) []byte { return appendInput(b, in) }

// AppendAnswer: see [AppendInput].
func AppendAnswer(b []byte, a *sim.Answer) []byte { return appendAnswer(b, a) }

func appendAnswer(b []byte, a *sim.Answer) []byte {
	again := byte(0)
	if a.Again {
		again = 1
	}
	b = append(b, byte(a.Slot), byte(a.Code), again)
	b = binary.AppendUvarint(b, uint64(a.Seq))
	b = binary.AppendUvarint(b, uint64(a.Acts))
	b = binary.AppendUvarint(b, uint64(len(a.Left)))
	for _, l := range a.Left {
		b = binary.AppendUvarint(b, uint64(l.Unit))
		b = append(b, byte(l.Code))
	}
	return b
}

func appendPos(b []byte, p grid.Pos) []byte {
	return binary.AppendVarint(binary.AppendVarint(b, int64(p.X)), int64(p.Y))
}

func decodeTick(b []byte) (*Tick, error) {
	r := reader{b: b}
	t := &Tick{Tick: grid.Tick(r.num(1<<32 - 1))}
	for range r.count(5) { // an input has at least 5 bytes
		t.Inputs = append(t.Inputs, r.input())
	}
	for range r.count(6) {
		t.Answers = append(t.Answers, r.answer())
	}
	switch r.byte() {
	case 0:
	case 1:
		t.Hashed = true
		if h := r.take(8); h != nil {
			t.Hash = binary.LittleEndian.Uint64(h)
		}
	default:
		r.fail("hash flag is neither 0 nor 1")
	}
	if r.err == nil && len(r.b) > 0 {
		r.fail(fmt.Sprintf("%d bytes too many", len(r.b)))
	}
	if r.err != nil {
		return nil, r.err
	}
	return t, nil
}

// reader takes fields off the front; after the first error it yields zeros.
type reader struct {
	b   []byte
	err error
}

var errShort = errors.New("cut short")

func (r *reader) fail(why string) {
	if r.err == nil {
		r.err = errors.New(why)
	}
	r.b = nil
}

func (r *reader) take(n int) []byte {
	if r.err != nil || n > len(r.b) {
		if r.err == nil {
			r.err = errShort
		}
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// num reads a number of at most limit.
func (r *reader) num(limit uint64) uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 || v > limit {
		if r.err == nil {
			r.fail("a number is cut short or out of range")
		}
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the length of a list whose members have at least each bytes, so
// that no more is allocated than the bytes can hold.
func (r *reader) count(each int) int {
	n := r.num(1 << 32)
	if n*uint64(each) > uint64(len(r.b)) {
		r.fail("a list is longer than its record")
		return 0
	}
	return int(n)
}

func (r *reader) signed() int32 {
	v, n := binary.Varint(r.b)
	if n <= 0 || v != int64(int32(v)) {
		if r.err == nil {
			r.fail("a number is cut short or out of range")
		}
		return 0
	}
	r.b = r.b[n:]
	return int32(v)
}

func (r *reader) pos() grid.Pos { return grid.Pos{X: r.signed(), Y: r.signed()} }

func (r *reader) input() sim.Input {
	in := sim.Input{Kind: sim.InputKind(r.byte()), Slot: grid.Slot(r.byte())}
	flags := r.byte()
	in.Lag = r.byte()
	in.Seq = uint32(r.num(1<<32 - 1))
	in.All = flags&inAll != 0
	switch in.Kind {
	case sim.InputOrder:
		o := &in.Order
		o.Queued, o.HasPoint = flags&inQueued != 0, flags&inHasPoint != 0
		in.AsOf = grid.Tick(r.num(1<<32 - 1))
		o.Kind, o.Ability, o.Item = orders.Kind(r.byte()), r.byte(), r.byte()
		o.Type = uint16(r.num(1<<16 - 1))
		o.Request = uint32(r.num(1<<32 - 1))
		o.Target = grid.Handle(r.num(1<<32 - 1))
		o.Point = r.pos()
		for range r.count(1) {
			o.Units = append(o.Units, grid.Handle(r.num(1<<32-1)))
		}
	case sim.InputChat:
		in.Text = string(r.take(r.count(1)))
	case sim.InputOrderRefused, sim.InputSaidRefused:
		in.Code = orders.Reject(r.byte())
	case sim.InputPing:
		in.Ping = sim.PingKind(r.byte())
		in.Point = r.pos()
		r.num(1<<32 - 1) // a ping's target
	}
	return in
}

func (r *reader) answer() sim.Answer {
	a := sim.Answer{Slot: grid.Slot(r.byte()), Code: orders.Reject(r.byte()), Again: r.byte() != 0}
	a.Seq = uint32(r.num(1<<32 - 1))
	a.Acts = grid.Tick(r.num(1<<32 - 1))
	for range r.count(2) {
		a.Left = append(a.Left, orders.LeftOut{Unit: grid.Handle(r.num(1<<32 - 1)), Code: orders.Reject(r.byte())})
	}
	return a
}

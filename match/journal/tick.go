package journal

import (
	"github.com/fogkeep/fogkeep/internal/archive"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// AppendTick appends the record of a tick to b. Numbers are varints; a list
// begins with its length.
func AppendTick(b []byte, t *Tick) []byte {
	a := archive.Writer(append(b, kindTick))
	t.state(a)
	return a.Bytes()
}

// AppendInput appends an input as a tick's record has it, for counting its cost.
func AppendInput(b []byte, in *sim.Input) []byte {
	a := archive.Writer(b)
	inputState(a, in)
	return a.Bytes()
}

// DecodeInput reads the bytes of AppendInput.
func DecodeInput(b []byte) (in sim.Input, err error) {
	a := archive.Reader(b)
	inputState(a, &in)
	return in, a.End()
}

// AppendAnswer appends an answer as a tick's record has it, for counting its cost.
func AppendAnswer(b []byte, answer *sim.Answer) []byte {
	a := archive.Writer(b)
	answerState(a, answer)
	return a.Bytes()
}

func decodeTick(b []byte) (*Tick, error) {
	a, t := archive.Reader(b), &Tick{}
	t.state(a)
	if err := a.End(); err != nil {
		return nil, err
	}
	return t, nil
}

// state describes the record of a tick, for writing and reading.
func (t *Tick) state(a *archive.Archive) {
	archive.Num(a, &t.Tick)
	archive.ShortList(a, &t.Inputs, 5, func(in *sim.Input) { inputState(a, in) })
	archive.ShortList(a, &t.Answers, 6, func(answer *sim.Answer) { answerState(a, answer) })
	hashed := flagsOf(t.Hashed)
	if a.U8(&hashed); hashed > 1 {
		a.Fail("the hash flag is %d", hashed)
	}
	if a.Reading() {
		t.Hashed = hashed == 1
	}
	if hashed == 1 {
		a.U64(&t.Hash)
	}
}

// flagsOf packs truth values into bits, the first into the lowest.
func flagsOf(on ...bool) (flags uint8) {
	for i := range on {
		if on[i] {
			flags |= 1 << i
		}
	}
	return flags
}

func inputState(a *archive.Archive, in *sim.Input) {
	o := &in.Order
	archive.Octet(a, &in.Kind)
	archive.Octet(a, &in.Slot)
	flags := flagsOf(o.Queued, o.HasPoint, in.All, o.Together)
	a.U8(&flags)
	if a.Reading() {
		order := in.Kind == sim.InputOrder
		o.Queued, o.HasPoint, in.All, o.Together = order && flags&1 != 0, order && flags&2 != 0, flags&4 != 0, order && flags&8 != 0
	}
	a.U8(&in.Lag)
	archive.Num(a, &in.Seq)
	switch in.Kind {
	case sim.InputOrder:
		archive.Num(a, &in.AsOf)
		archive.Octet(a, &o.Kind)
		a.U8(&o.Ability)
		a.U8(&o.Item)
		archive.Num(a, &o.Type)
		archive.Num(a, &o.Request)
		archive.Num(a, &o.Target)
		posState(a, &o.Point)
		archive.ShortList(a, &o.Units, 1, func(u *grid.Handle) { archive.Num(a, u) })
	case sim.InputChat, sim.InputTaken:
		a.ShortText(&in.Text)
	case sim.InputOrderRefused, sim.InputSaidRefused:
		archive.Octet(a, &in.Code)
	case sim.InputPing:
		archive.Octet(a, &in.Ping)
		posState(a, &in.Point)
		target := uint32(0) // pings have no target; the format has room for it
		archive.Num(a, &target)
	}
}

func answerState(a *archive.Archive, answer *sim.Answer) {
	archive.Octet(a, &answer.Slot)
	archive.Octet(a, &answer.Code)
	a.Flag(&answer.Again)
	archive.Num(a, &answer.Seq)
	archive.Num(a, &answer.Acts)
	archive.ShortList(a, &answer.Left, 2, func(l *orders.LeftOut) {
		archive.Num(a, &l.Unit)
		archive.Octet(a, &l.Code)
	})
}

func posState(a *archive.Archive, p *grid.Pos) {
	a.Signed(&p.X)
	a.Signed(&p.Y)
}

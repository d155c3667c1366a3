package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
)

// The fields of ServerFrame that many parts of match write.
const (
	fSaid   = 17
	fPinged = 18
)

// AppendAnswer appends what became of one input.
func AppendAnswer(b []byte, a *sim.Answer) []byte {
	at := open(&b, fAnswers)
	b = appendUint(b, 1, a.Seq)
	b = appendUint(b, 2, uint32(a.Code))
	b = column(b, 3, a.Left, func(l *orders.LeftOut) uint32 { return uint32(l.Unit) })
	b = column(b, 4, a.Left, func(l *orders.LeftOut) uint32 { return uint32(l.Code) })
	b = leakAnswer(b)
	return shut(b, at)
}

// AppendSaid appends a line of chat.
func AppendSaid(b []byte, slot grid.Slot, all bool, text string) []byte {
	at := open(&b, fSaid)
	b = appendUint(b, 1, uint32(slot))
	if all {
		b = appendUint(b, 2, 1)
	}
	b = protowire.AppendTag(b, 3, protowire.BytesType)
	b = protowire.AppendString(b, text)
	return shut(b, at)
}

// AppendPinged appends a place that a team-mate pointed at, and what for.
func AppendPinged(b []byte, slot grid.Slot, kind sim.PingKind, p grid.Pos) []byte {
	at := open(&b, fPinged)
	b = appendUint(b, 1, uint32(slot))
	b = appendUint(b, 2, uint32(kind))
	b = appendPoint(b, 3, p)
	return shut(b, at)
}

func appendPoint(b []byte, f protowire.Number, p grid.Pos) []byte {
	at := open(&b, f)
	b = appendSint(b, 1, p.X)
	b = appendSint(b, 2, p.Y)
	return shut(b, at)
}

func appendSint(b []byte, f protowire.Number, n int32) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, f, protowire.VarintType), protowire.EncodeZigZag(int64(n)))
}

// AppendOwn appends the player's own part.
func AppendOwn(b []byte, d *view.OwnDiff) []byte {
	if d.Empty() {
		return b
	}
	at := open(&b, fOwn)
	if d.HasBooks {
		b = appendUint(b, 1, 1)
		b = column(b, 2, d.Books.Resources, func(n *uint32) uint32 { return *n })
		b = appendUint(b, 3, d.Books.Population)
		b = appendUint(b, 4, d.Books.PopulationMax)
		for i := range d.Books.Production {
			b = appendProduction(b, &d.Books.Production[i])
		}
	}
	b = column(b, 6, d.Cancelled, func(c *view.Cancelled) uint32 { return uint32(c.Unit) })
	b = column(b, 7, d.Cancelled, func(c *view.Cancelled) uint32 { return uint32(c.Code) })
	for i := range d.Units {
		b = appendOwnUnit(b, &d.Units[i])
	}
	if len(d.Started) > 0 {
		at := open(&b, 9)
		for _, s := range d.Started {
			b = protowire.AppendVarint(b, uint64(s.Request))
			b = protowire.AppendVarint(b, uint64(s.Handle))
		}
		b = shut(b, at)
	}
	return shut(b, at)
}

func appendProduction(b []byte, p *view.Production) []byte {
	at := open(&b, 5)
	b = appendUint(b, 1, uint32(p.Handle))
	b = column(b, 2, p.Types, func(t *uint16) uint32 { return uint32(*t) })
	b = appendUint(b, 3, p.Progress)
	if p.HasRally {
		b = appendPoint(b, 4, p.Rally)
	}
	return shut(b, at)
}

func appendOwnUnit(b []byte, u *view.OwnUnit) []byte {
	at := open(&b, 8)
	b = appendUint(b, 1, uint32(u.Handle))
	b = appendUint(b, 2, u.Energy)
	b = appendUint(b, 3, uint32(WireKind(orders.Kind(u.Doing))))
	if u.HasTo {
		b = appendPoint(b, 4, u.To)
	}
	b = column(b, 5, u.ReadyAt, func(t *grid.Tick) uint32 { return uint32(*t) })
	return shut(b, at)
}

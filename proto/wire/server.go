package wire

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Kinds encodes owner and type of an entity as one number. In most matches it
// takes one byte.
type Kinds struct{ Players, Types int }

// Of returns the number of an owner and a type.
func (k Kinds) Of(owner grid.Slot, typ uint16) uint32 {
	return ownerNumber(owner)*uint32(k.Types) + uint32(typ)
}

// Count returns how many numbers there are.
func (k Kinds) Count() uint32 { return uint32((k.Players + 1) * k.Types) }

// Split is the inverse of Of.
func (k Kinds) Split(n uint32) (grid.Slot, uint16) {
	return slotOf(n / uint32(k.Types)), uint16(n % uint32(k.Types))
}

// The fields of ServerFrame that this file writes by hand.
const (
	fTick         = 1
	fSpan         = 2
	fLeave        = 3
	fEnter        = 4
	fMotion       = 5
	fDestroyed    = 8
	fGhosts       = 11
	fMask         = 12
	fMaskHash     = 13
	fEvents       = 14
	fSights       = 15
	fPlayers      = 16
	fExact        = 19
	fAnswers      = 20
	fOwn          = 21
	fFire         = 22
	fOwner        = 28
	fActions      = 26
	fEffects      = 27
	fLast         = 36
	fSkipped      = 34
	fPartial      = 40
	fPacked       = 41
	fValues       = 42
	fPackedValues = 43
	fContacts     = 44
)

// values has the rows of each value of entities.
var values = [view.ValueKinds]rowKind[view.ValueRow](valuesOf(&pb.ServerFrame{}, view.ValueNames[:]))

// AppendClock appends the time of a frame: the tick of a snapshot, otherwise the ticks since the client's last frame.
// One tick takes no bytes.
func AppendClock(b []byte, tick grid.Tick, span grid.Ticks, snapshot bool) []byte {
	switch {
	case snapshot:
		b = protowire.AppendTag(b, fTick, protowire.VarintType)
		return protowire.AppendVarint(b, uint64(tick))
	case span != 1:
		b = protowire.AppendTag(b, fSpan, protowire.VarintType)
		return protowire.AppendVarint(b, uint64(span))
	}
	return b
}

// AppendPartial marks a frame that has only the player's own part.
func AppendPartial(b []byte) []byte { return appendUint(b, fPartial, 1) }

// AppendTeam appends the team's part of a frame: everything of d except the time.
func AppendTeam(b []byte, d *view.Diff, k Kinds) []byte {
	start := len(b)
	for _, write := range teamPart {
		b = write(b, d, k)
	}
	if len(b) > start || d.Wrong { // a frame without news has skipped no news
		b = appendUint(b, fSkipped, uint32(d.Skipped))
	}
	return b
}

// teamWriter appends one field of the team's part.
type teamWriter func(b []byte, d *view.Diff, k Kinds) []byte

// teamWriters has the fields that differences have.
var teamWriters = func() map[string]teamWriter {
	out := map[string]teamWriter{
		"last_bursts": func(b []byte, d *view.Diff, _ Kinds) []byte { return lastBurstRows.append(b, d.LastBursts) },
		"leave":       func(b []byte, d *view.Diff, _ Kinds) []byte { return appendHandles(b, fLeave, d.Leave) },
		"destroyed":   func(b []byte, d *view.Diff, _ Kinds) []byte { return appendHandles(b, fDestroyed, d.Destroyed) },
		"enter":       func(b []byte, d *view.Diff, k Kinds) []byte { return appendEnter(b, d.Enter, k) },
		"owner":       func(b []byte, d *view.Diff, _ Kinds) []byte { return ownerRows.append(b, d.Owners) },
		"motion":      func(b []byte, d *view.Diff, _ Kinds) []byte { return motionRows.append(b, d.Motion) },
		"exact":       func(b []byte, d *view.Diff, _ Kinds) []byte { return exactRows.append(b, d.Exact) },
		"actions":     func(b []byte, d *view.Diff, _ Kinds) []byte { return actionRows.append(b, d.Actions) },
		"effects":     func(b []byte, d *view.Diff, _ Kinds) []byte { return effectRows.append(b, d.Effects) },
		"values":      func(b []byte, d *view.Diff, _ Kinds) []byte { return declaredRows.append(b, d.Declared) },
		"ghosts":      func(b []byte, d *view.Diff, _ Kinds) []byte { return appendGhosts(b, d) },
		"mask":        func(b []byte, d *view.Diff, _ Kinds) []byte { return appendMask(b, d.Mask) },
		"mask_hash":   func(b []byte, d *view.Diff, _ Kinds) []byte { return appendMaskHash(b, d) },
		"sights":      func(b []byte, d *view.Diff, _ Kinds) []byte { return appendSights(b, d) },
		"contacts":    func(b []byte, d *view.Diff, _ Kinds) []byte { return appendContacts(b, d) },
		"fire":        func(b []byte, d *view.Diff, _ Kinds) []byte { return fireRows.append(b, d.Fire) },
		"events":      func(b []byte, d *view.Diff, _ Kinds) []byte { return appendEvents(b, d.Events) },
		"players":     func(b []byte, d *view.Diff, _ Kinds) []byte { return appendPlayers(b, d.Players) },
	}
	for i, name := range view.ValueNames {
		out[name] = func(b []byte, d *view.Diff, _ Kinds) []byte { return values[i].append(b, d.Values[i]) }
	}
	return out
}()

// teamPart writes the fields of a difference that the field table says all with
// the same eyes may know, in the table's order.
var teamPart = teamPartOf(view.Fields[:])

func teamPartOf(fields []view.Field) (out []teamWriter) {
	for i := range fields {
		if write := teamWriters[fields[i].Name]; write != nil && fields[i].Audience.Shared() {
			out = append(out, write)
		}
	}
	return out
}

func appendMaskHash(b []byte, d *view.Diff) []byte {
	if !d.HasHash {
		return b
	}
	return protowire.AppendFixed32(protowire.AppendTag(b, fMaskHash, protowire.Fixed32Type), d.Hash)
}

func appendPlayers(b []byte, rows []view.PlayerNote) []byte {
	for _, p := range rows {
		at := beginField(&b, fPlayers)
		b = appendUint(b, 1, uint32(p.Slot))
		b = appendUint(b, 2, uint32(p.State))
		if p.Name != "" {
			b = protowire.AppendString(protowire.AppendTag(b, 3, protowire.BytesType), p.Name)
		}
		if p.Scored { // also if it is 0
			b = protowire.AppendVarint(protowire.AppendTag(b, 4, protowire.VarintType), protowire.EncodeZigZag(int64(p.Score)))
		}
		if p.Valued > 0 {
			list := beginField(&b, 5)
			for _, v := range p.Values[:p.Valued] {
				b = protowire.AppendVarint(b, uint64(v))
			}
			b = endField(b, list)
		}
		b = endField(b, at)
	}
	return b
}

// beginField starts a length-delimited field and returns where its content
// begins. endField writes the length. One byte is reserved for the length, which
// is enough for most fields. Longer content is moved.
func beginField(b *[]byte, f protowire.Number) int {
	*b = append(protowire.AppendTag(*b, f, protowire.BytesType), 0)
	return len(*b)
}

func endField(b []byte, at int) []byte {
	n := len(b) - at
	if n < 1<<7 {
		b[at-1] = byte(n)
		return b
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	b = append(b, make([]byte, more)...)
	copy(b[at+more:], b[at:at+n])
	protowire.AppendVarint(b[:at-1], uint64(n))
	return b
}

func appendHandles(b []byte, f protowire.Number, hs []grid.Handle) []byte {
	if len(hs) == 0 {
		return b
	}
	at := beginField(&b, f)
	last := grid.Handle(0)
	for _, h := range hs {
		b = protowire.AppendVarint(b, uint64(h-last))
		last = h
	}
	return endField(b, at)
}

func appendEnter(b []byte, rows []view.EnterRow, k Kinds) []byte {
	if len(rows) == 0 {
		return b
	}
	at := beginField(&b, fEnter)
	last, count := grid.Handle(0), uint64(k.Count())
	for i := range rows {
		r := &rows[i]
		b = protowire.AppendVarint(b, uint64(r.Handle-last)*count+uint64(k.Of(r.Owner, r.Type)))
		b = protowire.AppendVarint(b, uint64(r.Cell))
		b = protowire.AppendVarint(b, uint64(r.Course))
		last = r.Handle
	}
	return endField(b, at)
}

// column appends a packed field of a nested message, one number a row.
func column[T any](b []byte, f protowire.Number, rows []T, number func(*T) uint32) []byte {
	if len(rows) == 0 {
		return b
	}
	at := beginField(&b, f)
	for i := range rows {
		b = protowire.AppendVarint(b, uint64(number(&rows[i])))
	}
	return endField(b, at)
}

// sparse is column for a field whose missing numbers readers take as 0. If all numbers are 0, it leaves the field out.
func sparse[T any](b []byte, f protowire.Number, rows []T, number func(*T) uint32) []byte {
	for i := range rows {
		if number(&rows[i]) != 0 {
			return column(b, f, rows, number)
		}
	}
	return b
}

func appendUint(b []byte, f protowire.Number, n uint32) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, f, protowire.VarintType), uint64(n))
}

func ownerNumber(s grid.Slot) uint32 {
	if s == grid.NoSlot {
		return 0
	}
	return uint32(s) + 1
}

// slotOf is the inverse of ownerNumber.
func slotOf(n uint32) grid.Slot {
	if n == 0 || n > grid.SlotsMax {
		return grid.NoSlot
	}
	return grid.Slot(n - 1)
}

func appendGhosts(b []byte, d *view.Diff) []byte {
	if len(d.Ghosts) == 0 && len(d.GhostGone) == 0 {
		return b
	}
	at := beginField(&b, fGhosts)
	last := grid.Handle(0)
	b = column(b, 1, d.Ghosts, func(g *view.Ghost) uint32 {
		gap := g.Handle - last
		last = g.Handle
		return uint32(gap)
	})
	b = column(b, 2, d.Ghosts, func(g *view.Ghost) uint32 { return uint32(g.Type) })
	b = column(b, 3, d.Ghosts, func(g *view.Ghost) uint32 { return ownerNumber(g.Owner) })
	b = column(b, 4, d.Ghosts, func(g *view.Ghost) uint32 { return uint32(g.Pos.X) })
	b = column(b, 5, d.Ghosts, func(g *view.Ghost) uint32 { return uint32(g.Pos.Y) })
	b = column(b, 6, d.Ghosts, func(g *view.Ghost) uint32 { return uint32(g.Facing) })
	b = column(b, 7, d.Ghosts, func(g *view.Ghost) uint32 { return uint32(g.Missing) })
	b = appendHandles(b, 8, d.GhostGone)
	b = sparse(b, 9, d.Ghosts, func(g *view.Ghost) uint32 { return g.Amount })
	return endField(b, at)
}

func appendMask(b []byte, rows []view.MaskRow) []byte {
	if len(rows) == 0 {
		return b
	}
	at := beginField(&b, fMask)
	last := 0
	b = column(b, 1, rows, func(r *view.MaskRow) uint32 {
		gap := r.Y - last
		last = r.Y
		return uint32(gap)
	})
	b = column(b, 2, rows, func(r *view.MaskRow) uint32 { return uint32(len(r.Visible)) })
	b = appendRuns(b, 3, rows, func(r *view.MaskRow) []uint32 { return r.Visible })
	b = column(b, 4, rows, func(r *view.MaskRow) uint32 { return uint32(len(r.Explored)) })
	b = appendRuns(b, 5, rows, func(r *view.MaskRow) []uint32 { return r.Explored })
	return endField(b, at)
}

func appendRuns(b []byte, f protowire.Number, rows []view.MaskRow, runs func(*view.MaskRow) []uint32) []byte {
	at := beginField(&b, f)
	for i := range rows {
		for _, n := range runs(&rows[i]) {
			b = protowire.AppendVarint(b, uint64(n))
		}
	}
	return endField(b, at)
}

func appendSights(b []byte, d *view.Diff) []byte {
	for i := range d.Sights {
		s := &d.Sights[i]
		at := beginField(&b, fSights)
		b = appendUint(b, 1, uint32(s.Tile.X))
		b = appendUint(b, 2, uint32(s.Tile.Y))
		b = appendUint(b, 3, uint32(s.Radius))
		if s.Flyer {
			b = appendUint(b, 4, 1)
		}
		b = appendUint(b, 5, uint32(s.LevelBonus))
		b = appendUint(b, 6, uint32(s.Until-d.Tick))
		b = endField(b, at)
	}
	return b
}

func appendContacts(b []byte, d *view.Diff) []byte {
	if len(d.Contacts) == 0 {
		return b
	}
	at := beginField(&b, fContacts)
	b = sparse(b, 1, d.Contacts, func(c *view.Contact) uint32 { return uint32(c.Class) })
	b = column(b, 2, d.Contacts, func(c *view.Contact) uint32 { return uint32(c.Cell.X) })
	b = column(b, 3, d.Contacts, func(c *view.Contact) uint32 { return uint32(c.Cell.Y) })
	b = sparse(b, 4, d.Contacts, func(c *view.Contact) uint32 { return uint32(d.Tick - c.At) })
	return endField(b, at)
}

func appendEvents(b []byte, es []view.Event) []byte {
	if len(es) == 0 {
		return b
	}
	at := beginField(&b, fEvents)
	b = column(b, 1, es, func(e *view.Event) uint32 { return uint32(e.Kind) })
	b = column(b, 2, es, func(e *view.Event) uint32 { return uint32(e.At.X) })
	b = column(b, 3, es, func(e *view.Event) uint32 { return uint32(e.At.Y) })
	b = sparse(b, 4, es, func(e *view.Event) uint32 { return e.What })
	b = sparse(b, 5, es, func(e *view.Event) uint32 { return uint32(e.Source) })
	b = sparse(b, 6, es, func(e *view.Event) uint32 { return uint32(e.Target) })
	return endField(b, at)
}

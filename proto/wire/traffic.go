package wire

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// Part is a part of a message, by which traffic is counted: a top-level field.
// The three fields with the time of a server's frame are one part.
type Part uint8

// The parts of messages: those of ServerFrame, then those of ClientFrame.
const (
	PartOther Part = iota // fields that this build does not know
	PartClock
	PartLeave
	PartDestroyed
	PartEnter
	PartMotion
	PartExact
	PartHealth
	PartHealthChanges
	PartFlags
	PartAmount
	PartBurst
	PartGhosts
	PartMask
	PartMaskHash
	PartSights
	PartFire
	PartEvents
	PartAnswers
	PartOwn
	PartSaid
	PartPinged
	PartPlayers
	PartWelcome
	PartEnded
	PartClosing
	PartWaiting
	PartHello
	PartApplied
	PartOrders
	PartCamera
	PartSays
	PartPings
	PartPace
	PartResync
	Parts
)

// PartInfo is one row of the table of parts.
type PartInfo struct {
	Name   string // of the field on the wire
	Group  string // of fields that belong together
	Client bool   // clients send it; else the server does
	fields []protowire.Number
	// numbers is the length of a row, if the field is packed rows. A row names an
	// entity and counts for its class.
	numbers int
	// lists are the packed fields of a nested message of which each number counts
	// as a row. Without lists, each occurrence of the part is a row.
	lists []protowire.Number
	class Class // for which all of it counts
}

// PartTable lists every part. docs/protocol.md has this table, and the SDK counts
// by the same names.
var PartTable = [Parts]PartInfo{
	PartOther:         {Name: "other", Group: "other"},
	PartClock:         {Name: "clock", Group: "clock", fields: nums(fTick, fSpan, fSkipped)},
	PartLeave:         {Name: "leave", Group: "presence", fields: nums(fLeave), numbers: 1},
	PartDestroyed:     {Name: "destroyed", Group: "presence", fields: nums(fDestroyed), numbers: 1},
	PartEnter:         {Name: "enter", Group: "presence", fields: nums(fEnter), numbers: 3},
	PartMotion:        {Name: "motion", Group: "motion", fields: nums(fMotion), numbers: 3},
	PartExact:         {Name: "exact", Group: "motion", fields: nums(fExact), numbers: 3},
	PartHealth:        {Name: "health", Group: "values", fields: nums(fHealth), numbers: 2},
	PartHealthChanges: {Name: "health_changes", Group: "values", fields: nums(fChanges), numbers: 2},
	PartFlags:         {Name: "flags", Group: "values", fields: nums(fFlags), numbers: 2},
	PartAmount:        {Name: "amount", Group: "values", fields: nums(fAmount), numbers: 2},
	PartBurst:         {Name: "burst", Group: "values", fields: nums(fBurst), numbers: 2},
	PartGhosts:        {Name: "ghosts", Group: "fog", fields: nums(fGhosts), lists: nums(1, 8), class: ClassStructure},
	PartMask:          {Name: "mask", Group: "fog", fields: nums(fMask), lists: nums(1)},
	PartMaskHash:      {Name: "mask_hash", Group: "fog", fields: nums(fMaskHash)},
	PartSights:        {Name: "sights", Group: "fog", fields: nums(fSights)},
	PartFire:          {Name: "fire", Group: "effects", fields: nums(fFire), numbers: 2},
	PartEvents:        {Name: "events", Group: "effects", fields: nums(fEvents), lists: nums(1)},
	PartAnswers:       {Name: "answers", Group: "own", fields: nums(fAnswers)},
	PartOwn:           {Name: "own", Group: "own", fields: nums(fOwn)},
	PartSaid:          {Name: "said", Group: "talk", fields: nums(fSaid)},
	PartPinged:        {Name: "pinged", Group: "talk", fields: nums(fPinged)},
	PartPlayers:       {Name: "players", Group: "match", fields: nums(fPlayers)},
	PartWelcome:       {Name: "welcome", Group: "match", fields: nums(30)},
	PartEnded:         {Name: "ended", Group: "match", fields: nums(31)},
	PartClosing:       {Name: "closing", Group: "match", fields: nums(32)},
	PartWaiting:       {Name: "waiting", Group: "match", fields: nums(33)},
	PartHello:         {Name: "hello", Group: "session", Client: true, fields: nums(1)},
	PartApplied:       {Name: "applied", Group: "session", Client: true, fields: nums(2)},
	PartOrders:        {Name: "orders", Group: "orders", Client: true, fields: nums(fieldOrders)},
	PartCamera:        {Name: "camera", Group: "session", Client: true, fields: nums(4)},
	PartSays:          {Name: "says", Group: "talk", Client: true, fields: nums(fieldSays)},
	PartPings:         {Name: "pings", Group: "talk", Client: true, fields: nums(fieldPings)},
	PartPace:          {Name: "pace", Group: "session", Client: true, fields: nums(7)},
	PartResync:        {Name: "resync", Group: "session", Client: true, fields: nums(8)},
}

// GroupNames lists the groups, in the order of the table.
var GroupNames = func() (out []string) {
	for _, row := range PartTable {
		if !slices.Contains(out, row.Group) {
			out = append(out, row.Group)
		}
	}
	return out
}()

func nums(n ...protowire.Number) []protowire.Number { return n }

func (p Part) String() string { return PartTable[p].Name }

// partOf has the part of each field number: of the server's fields, and of the
// client's.
var partOf = func() (out [2][fieldsMax]Part) {
	for p, row := range PartTable {
		side := 0
		if row.Client {
			side = 1
		}
		for _, f := range row.fields {
			out[side][f] = Part(p)
		}
	}
	return out
}()

// fieldsMax is more than the number of any field of the table.
const fieldsMax = 40

// PartsTable returns the table in Markdown.
func PartsTable() string {
	var b strings.Builder
	b.WriteString("| part | group | sent by | a row is |\n| --- | --- | --- | --- |\n")
	for _, row := range PartTable {
		by, is := "server", "each time it occurs"
		if row.Client {
			by = "client"
		}
		switch {
		case row.numbers > 0:
			is = "an entity: " + plural(row.numbers, "number")
		case len(row.lists) > 0:
			is = "a member of its columns"
		}
		if row.Group == "other" {
			by = "either"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, row.Group, by, is)
	}
	return b.String()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Class is the class of entity that bytes are about. The values are those of
// TypeClass in the schema.
type Class uint8

// The classes. ClassNone is for bytes about no entity, or about an unknown one.
const (
	ClassNone Class = iota
	ClassUnit
	ClassStructure
	ClassProjectile
	ClassResource
	Classes
)

var classNames = [Classes]string{"none", "unit", "structure", "projectile", "resource"}

func (c Class) String() string { return classNames[c] }

// ClassOf returns the class that the wire has for a class of the simulation.
func ClassOf(c sim.Class) Class {
	switch c {
	case sim.ClassUnit:
		return ClassUnit
	case sim.ClassStructure:
		return ClassStructure
	case sim.ClassProjectile:
		return ClassProjectile
	case sim.ClassResource:
		return ClassResource
	}
	return ClassNone
}

// Count is a number of bytes and the number of rows in them.
type Count struct{ Bytes, Rows uint32 }

// Sizes has the bytes of messages by part and class. The zero value is empty.
type Sizes struct {
	used uint64 // bit p: part p is not empty
	of   [Parts][Classes]Count
}

// Of returns the count of a part and class.
func (s *Sizes) Of(p Part, c Class) Count { return s.of[p][c] }

// Add adds the counts of o.
func (s *Sizes) Add(o *Sizes) {
	s.used |= o.used
	for u := o.used; u != 0; u &= u - 1 {
		p := bits.TrailingZeros64(u)
		for c, n := range o.of[p] {
			s.of[p][c].Bytes += n.Bytes
			s.of[p][c].Rows += n.Rows
		}
	}
}

// Each calls f for each part and class with a count.
func (s *Sizes) Each(f func(Part, Class, Count)) {
	for u := s.used; u != 0; u &= u - 1 {
		p := bits.TrailingZeros64(u)
		for c, n := range s.of[p] {
			if n != (Count{}) {
				f(Part(p), Class(c), n)
			}
		}
	}
}

// Clear empties it.
func (s *Sizes) Clear() {
	for u := s.used; u != 0; u &= u - 1 {
		s.of[bits.TrailingZeros64(u)] = [Classes]Count{}
	}
	s.used = 0
}

func (s *Sizes) add(p Part, c Class, bytes, rows int) {
	s.used |= 1 << p
	s.of[p][c].Bytes += uint32(bytes)
	s.of[p][c].Rows += uint32(rows)
}

// Meter counts the bytes of encoded messages by part and class. It reads only the
// bytes, so a client can measure what it receives as the server does. It learns
// from enters which class a handle has.
type Meter struct {
	kinds Kinds
	types []Class // by type number
	named []Class // by handle
}

// namedMax bounds the handles whose class a meter keeps. No match has so many
// entities.
const namedMax = 1 << 17

// NewMeter returns a meter for one team's messages. types has the class of each
// type.
func NewMeter(k Kinds, types []Class) *Meter { return &Meter{kinds: k, types: types} }

// Measure adds the bytes of a server's message to the sizes, or of a piece of one
// that consists of whole fields. Each byte counts once.
func (m *Meter) Measure(b []byte, to *Sizes) {
	for at := 0; at < len(b); {
		num, size, body := field(b[at:])
		p := PartOther
		if num < fieldsMax {
			p = partOf[0][num]
		}
		row := &PartTable[p]
		switch {
		case row.numbers > 0 && len(body) > 0:
			to.add(p, ClassNone, size-len(body), 0)
			m.measureRows(p, row.numbers, body, to)
		case len(row.lists) > 0:
			to.add(p, row.class, size, members(body, row.lists))
		default:
			to.add(p, row.class, size, 1)
		}
		at += size
	}
}

// MeasureClient adds the bytes of a client's message to the sizes.
func MeasureClient(b []byte, to *Sizes) {
	for at := 0; at < len(b); {
		num, size, _ := field(b[at:])
		p := PartOther
		if num < fieldsMax {
			p = partOf[1][num]
		}
		to.add(p, ClassNone, size, 1)
		at += size
	}
}

// field reads the first field of b. It returns the field's number, its size with
// the tag, and its contents if it is length-delimited. Bytes that are no field
// count as one field that ends with b.
func field(b []byte) (num protowire.Number, size int, body []byte) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return 0, len(b), nil
	}
	m := protowire.ConsumeFieldValue(num, typ, b[n:])
	if m < 0 {
		return 0, len(b), nil
	}
	if typ == protowire.BytesType {
		body, _ = protowire.ConsumeBytes(b[n:])
	}
	return num, n + m, body
}

// measureRows adds packed rows of n numbers, each to the class of the entity that it names.
func (m *Meter) measureRows(p Part, n int, body []byte, to *Sizes) {
	h := grid.Handle(0)
	for len(body) > 0 {
		first, size := uvarint(body)
		class := ClassNone
		if p == PartEnter && m.kinds.Types > 0 {
			count := uint64(m.kinds.Count())
			h += grid.Handle(first / count)
			_, typ := m.kinds.Split(uint32(first % count))
			if int(typ) < len(m.types) {
				class = m.types[typ]
			}
			m.learn(h, class)
		} else if h += grid.Handle(first); int(h) < len(m.named) {
			class = m.named[h]
		}
		for range n - 1 {
			_, more := uvarint(body[size:])
			size += more
		}
		to.add(p, class, size, 1)
		body = body[size:]
	}
}

func (m *Meter) learn(h grid.Handle, c Class) {
	if h >= namedMax {
		return
	}
	for int(h) >= len(m.named) {
		m.named = append(m.named, ClassNone)
	}
	m.named[h] = c
}

// uvarint reads the first number of b. A number that is cut off ends with b.
func uvarint(b []byte) (uint64, int) {
	v, n := protowire.ConsumeVarint(b)
	if n < 0 {
		return 0, len(b)
	}
	return v, n
}

// members counts the numbers of packed fields in a nested message.
func members(b []byte, of []protowire.Number) (n int) {
	for len(b) > 0 {
		num, size, body := field(b)
		for _, f := range of {
			if num == f {
				for _, c := range body {
					if c < 0x80 { // the last byte of a number
						n++
					}
				}
			}
		}
		b = b[size:]
	}
	return n
}

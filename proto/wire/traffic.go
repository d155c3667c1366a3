package wire

import (
	"fmt"
	"math/bits"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Part is a part of a message, by which traffic is counted: a top-level field.
// The three fields with the time of a server's frame are one part. Part 0 is for
// fields that this build does not know.
type Part uint8

// PartInfo is one row of the table of parts.
type PartInfo struct {
	Name   string // of the field on the wire
	Group  string // of fields that belong together
	Client bool   // clients send it; else the server does
	Fields []protowire.Number
	// Numbers is the length of a row, if the field is packed rows. A row names an
	// entity and counts for its class.
	Numbers int
	// Lists are the packed fields of a nested message whose numbers count as rows. Without Lists, each occurrence of
	// the part is a row.
	Lists []protowire.Number
	class pb.TypeClass // for which all its bytes count
}

// clientParts are the fields of ClientFrame and their groups.
var clientParts = [...][2]string{
	{"hello", "connection"}, {"applied", "connection"}, {"orders", "orders"}, {"camera", "connection"},
	{"says", "talk"}, {"pings", "talk"}, {"pace", "connection"}, {"resync", "connection"},
	{"set_speed", "connection"}, {"replay", "connection"}, {"vote", "connection"}, {"network", "connection"},
}

// Parts is the number of parts.
const Parts = Part(1 + len(view.Fields) + len(clientParts))

// PartTable lists every part: unknown fields, the fields of ServerFrame by the field table, the fields of
// ClientFrame. docs/reference/protocol.md has this table, and the SDK counts by the same names.
var PartTable = func() (out [Parts]PartInfo) {
	out[0] = PartInfo{Name: "other", Group: "other"}
	server, client := (&pb.ServerFrame{}).ProtoReflect().Descriptor(), (&pb.ClientFrame{}).ProtoReflect().Descriptor()
	for i := range view.Fields {
		f, row := &view.Fields[i], &out[1+i]
		*row = PartInfo{Name: f.Name, Group: f.Group, Fields: numbersOf(server, f.Schema()), Numbers: len(f.Row)}
		if f.Columns != nil {
			row.Lists = numbersOf(server.Fields().ByName(protoreflect.Name(f.Name)).Message(), f.Columns)
		}
		if f.Placed {
			row.class = pb.TypeClass_TYPE_CLASS_STRUCTURE
		}
	}
	for i, part := range clientParts {
		out[1+len(view.Fields)+i] = PartInfo{Name: part[0], Group: part[1], Client: true, Fields: numbersOf(client, part[:1])}
	}
	return out
}()

// numbersOf returns the numbers of a message's fields.
func numbersOf(m protoreflect.MessageDescriptor, names []string) (out []protowire.Number) {
	for _, name := range names {
		f := m.Fields().ByName(protoreflect.Name(name))
		if f == nil {
			panic(fmt.Sprintf("wire: %s has no field %s", m.Name(), name))
		}
		out = append(out, f.Number())
	}
	return out
}

// PartNamed returns the part with a name, 0 if the name is unknown.
func PartNamed(name string) Part {
	return Part(max(0, slices.IndexFunc(PartTable[:], func(p PartInfo) bool { return p.Name == name })))
}

var partEnter = PartNamed("enter")

// GroupNames lists the groups, in the order of the table.
var GroupNames = func() (out []string) {
	for _, row := range PartTable {
		if !slices.Contains(out, row.Group) {
			out = append(out, row.Group)
		}
	}
	return out
}()

func (p Part) String() string { return PartTable[p].Name }

// partOf has the part of each field number: of the server's fields, and of the
// client's.
var partOf = func() (out [2][fieldsMax]Part) {
	for p, row := range PartTable {
		side := 0
		if row.Client {
			side = 1
		}
		for _, f := range row.Fields {
			out[side][f] = Part(p)
		}
	}
	return out
}()

// fieldsMax is more than the number of any field of the table.
const fieldsMax = 48

// Classes is the number of classes of entity by which bytes are counted, as in the schema. Bytes without an entity, or
// about an unknown entity, have the class 0.
const Classes = pb.TypeClass_TYPE_CLASS_RESOURCE + 1

// classes has the schema's class for each of the simulation's.
var classes = [...]pb.TypeClass{
	rules.ClassUnit:       pb.TypeClass_TYPE_CLASS_UNIT,
	rules.ClassStructure:  pb.TypeClass_TYPE_CLASS_STRUCTURE,
	rules.ClassResource:   pb.TypeClass_TYPE_CLASS_RESOURCE,
	rules.ClassProjectile: pb.TypeClass_TYPE_CLASS_PROJECTILE,
	rules.ClassUpgrade:    pb.TypeClass_TYPE_CLASS_UPGRADE,
}

// ClassOf returns the schema's class for a class of the simulation.
func ClassOf(c rules.Class) pb.TypeClass { return classes[c] }

// ClassName returns the name of a class in counts, "none" for 0.
func ClassName(c pb.TypeClass) string {
	if i := slices.Index(classes[:], c); i >= 0 {
		return rules.Class(i).String()
	}
	return "none"
}

// Count is a number of bytes and the number of rows in them.
type Count struct{ Bytes, Rows uint32 }

// Sizes has the bytes of messages by part and class. The zero value is empty.
type Sizes struct {
	used uint64 // bit p: part p is not empty
	of   [Parts][Classes]Count
}

// Of returns the count of a part and class.
func (s *Sizes) Of(p Part, c pb.TypeClass) Count { return s.of[p][c] }

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
func (s *Sizes) Each(f func(Part, pb.TypeClass, Count)) {
	for u := s.used; u != 0; u &= u - 1 {
		p := bits.TrailingZeros64(u)
		for c, n := range s.of[p] {
			if n != (Count{}) {
				f(Part(p), pb.TypeClass(c), n)
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

func (s *Sizes) add(p Part, c pb.TypeClass, bytes, rows int) {
	s.used |= 1 << p
	s.of[p][c].Bytes += uint32(bytes)
	s.of[p][c].Rows += uint32(rows)
}

// Meter counts the bytes of encoded messages by part and class. It reads only the bytes, so a client can measure its
// input as the server does. From enters it learns the class of each handle.
type Meter struct {
	kinds Kinds
	types []pb.TypeClass // by type number
	named []uint16       // by handle: the type's number + 1; 0: unknown

	// Row, if not nil, is called for each packed row that names an entity.
	Row func(p Part, h grid.Handle, c pb.TypeClass, bytes int)
}

// namedMax bounds the handles whose class a meter keeps. No match has so many
// entities.
const namedMax = 1 << 17

// Clone returns a meter that knows the same types of handles.
func (m *Meter) Clone() *Meter {
	return &Meter{kinds: m.kinds, types: m.types, named: slices.Clone(m.named)}
}

// TypeOf returns the type of the entity that has a handle, as far as enters said it.
func (m *Meter) TypeOf(h grid.Handle) (typ uint16, ok bool) {
	if int(h) >= len(m.named) || m.named[h] == 0 {
		return 0, false
	}
	return m.named[h] - 1, true
}

// NewMeter returns a meter for one team's messages. types has the class of each
// type.
func NewMeter(k Kinds, types []pb.TypeClass) *Meter { return &Meter{kinds: k, types: types} }

// Measure adds the bytes of a server's message, or of a piece that consists of whole fields, to the sizes. Each byte
// counts once.
func (m *Meter) Measure(b []byte, to *Sizes) {
	for at := 0; at < len(b); {
		num, size, body := field(b[at:])
		p := Part(0)
		if num < fieldsMax {
			p = partOf[0][num]
		}
		row := &PartTable[p]
		switch {
		case num == fPacked && len(body) > 0:
			to.add(p, 0, size-m.measurePacked(body, rowFields, to), 1)
		case num == fPackedValues && len(body) > 0:
			to.add(p, 0, size-m.measurePacked(body, valueFields, to), 1)
		case row.Numbers > 0 && len(body) > 0:
			to.add(p, 0, size-len(body), 0)
			m.measureRows(p, row.Numbers, body, to)
		case len(row.Lists) > 0:
			to.add(p, row.class, size, members(body, row.Lists))
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
		p := Part(0)
		if num < fieldsMax {
			p = partOf[1][num]
		}
		to.add(p, 0, size, 1)
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
		class := m.names(p, &h, first)
		for range n - 1 {
			_, more := uvarint(body[size:])
			size += more
		}
		to.add(p, class, size, 1)
		if m.Row != nil {
			m.Row(p, h, class, size)
		}
		body = body[size:]
	}
}

// measurePacked adds packed rows, and returns how many bytes it has added. A byte counts
// for the row that has its last bit.
func (m *Meter) measurePacked(body []byte, fields []rowField, to *Sizes) (counted int) {
	r := packedReader{b: body}
	for i := range fields {
		f, h := &fields[i], grid.Handle(0)
		for range r.rows(f) {
			begun := r.at / 8
			first := r.next(f)[0]
			if r.err != nil {
				return counted
			}
			size := r.at/8 - begun
			class := m.names(f.part, &h, uint64(first))
			to.add(f.part, class, size, 1)
			if m.Row != nil {
				m.Row(f.part, h, class, size)
			}
			counted += size
		}
	}
	if &fields[0] != &rowFields[0] { // sights follow these alone
		return counted
	}
	for range r.rows(&sightField) {
		begun := r.at / 8
		if r.next(&sightField); r.err != nil {
			return counted
		}
		to.add(sightField.part, 0, r.at/8-begun, 1)
		counted += r.at/8 - begun
	}
	return counted
}

// names moves h on to the entity that a row names with its first number, and returns
// its class.
func (m *Meter) names(p Part, h *grid.Handle, first uint64) pb.TypeClass {
	if p == partEnter && m.kinds.Types > 0 {
		count := uint64(m.kinds.Count())
		*h += grid.Handle(first / count)
		_, typ := m.kinds.Split(uint32(first % count))
		m.learn(*h, typ)
		return m.classOf(typ)
	}
	*h += grid.Handle(first)
	if typ, ok := m.TypeOf(*h); ok {
		return m.classOf(typ)
	}
	return 0
}

func (m *Meter) classOf(typ uint16) pb.TypeClass {
	if int(typ) < len(m.types) {
		return m.types[typ]
	}
	return 0
}

func (m *Meter) learn(h grid.Handle, typ uint16) {
	if h >= namedMax {
		return
	}
	for int(h) >= len(m.named) {
		m.named = append(m.named, 0)
	}
	m.named[h] = typ + 1
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
		if slices.Contains(of, num) {
			n += numbersIn(body)
		}
		b = b[size:]
	}
	return n
}

package wire

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Code is a code for one number of rows. A prefix gives the number of its bits; its bits after the first, which is 1,
// follow. Prefixes are canonical: shorter ones come first, and equally long ones in the order of their symbols.
type Code struct {
	Letter  byte
	Of      string // the kind of numbers that it encodes
	Lengths string // for each number of bits from 0 to 32 the length of its prefix, a digit of base 36
}

// RowCount is the letter of the code for how many rows a field has.
const RowCount = 'r'

// Codes are the codes of packed frames. Each is the Huffman code of the columns of its kind in the benches w1, w2 and
// battle, with some space for symbols that did not occur there. They are the same for every frame, so the size of a
// frame depends on its own rows alone, and a reader needs no other frame.
var Codes = [...]Code{
	{RowCount, "number of rows", "13433577aaaaabbbbbbbbbbbbbbbbbbaa"},
	{'d', "handle distance, where most entities have rows; counters", "a44232345689bbbccccccbbbbbbbbbbbb"},
	{'g', "other handle distances", "946443332358bbccbbbbbbbbbbbbbbbbb"},
	{'e', "handle distance and kind of `enter`", "bbbba94434443333568bbbbbbbbbbbbbb"},
	{'p', "cell of `enter`", "aaaaaaaaaaaaaaaaaa996413268aaaaaa"},
	{'m', "place of `motion`", "897553228abba559976aa9347bbbccccb"},
	{'c', "course of `motion`", "77666554367543289876539bccccbbbbb"},
	{'h', "health and the like", "776532228877677bbccccbbbbbbbbbbbb"},
	{'t', "handle", "b99877643126abccccccccccccccbbbbb"},
	{'s', "small numbers", "312566889999999999999999999999888"},
	{'n', "course of `enter`, other numbers", "38ab766647653228accca4abccccccccc"},
}

// SightCodes are the codes of a sight, which follow the rows: of the fields of the
// message by their numbers.
const SightCodes = "ggdrrd"

// bitsMax is the largest number of bits in a number of a row, prefixMax in its prefix.
const bitsMax, prefixMax = 32, 12

// coder is a code, ready to use.
type coder struct {
	prefix [bitsMax + 1]uint16    // by number of bits
	length [bitsMax + 1]uint8     // of the prefix
	next   [1 << prefixMax]uint16 // by the next prefixMax bits: length of the prefix and number of bits
}

// coderOf returns the code of a letter. The prefixes fill all that there is, so
// that any bits can be read.
func coderOf(letter byte) *coder {
	for i := range Codes {
		if Codes[i].Letter == letter {
			return newCoder(Codes[i].Lengths)
		}
	}
	panic("wire: no code " + string(letter))
}

func newCoder(lengths string) *coder {
	c := &coder{}
	at := 0 // in c.next: the prefixes fill it in their order
	for long := 1; long <= prefixMax; long++ {
		for b := range c.length {
			if strings.IndexByte("0123456789abc", lengths[b]) != long {
				continue
			}
			end := at + 1<<(prefixMax-long)
			if end > len(c.next) {
				panic("wire: no code: " + lengths)
			}
			c.prefix[b], c.length[b] = uint16(at>>(prefixMax-long)), uint8(long)
			for ; at < end; at++ {
				c.next[at] = uint16(long<<8 | b)
			}
		}
	}
	if at != len(c.next) || slices.Contains(c.length[:], 0) {
		panic("wire: no full code: " + lengths)
	}
	return c
}

// rowField is a field whose rows can be packed.
type rowField struct {
	part   Part
	number protowire.Number
	codes  []*coder
}

func newRowField(p Part, letters string) rowField {
	f := rowField{part: p, number: PartTable[p].Fields[0]}
	for _, letter := range []byte(letters) {
		f.codes = append(f.codes, coderOf(letter))
	}
	return f
}

// rowFields are the fields of a packed frame, in the order of the field table;
// rowFieldOf has the index of each field number, plus 1.
var rowFields, rowFieldOf = func() (out []rowField, of [fieldsMax]uint8) {
	for p := range PartTable {
		row := &PartTable[p]
		if row.Numbers == 0 || view.Fields[p-1].Apart {
			continue
		}
		f := newRowField(Part(p), view.Fields[p-1].Row)
		out = append(out, f)
		of[f.number] = uint8(len(out))
	}
	return out, of
}()

// valueFields has the field of declared values, whose rows are packed in a field of their
// own: a client that is older than the field passes over it.
var valueFields = []rowField{newRowField(PartNamed("values"), view.Fields[PartNamed("values")-1].Row)}

// rowFieldsMax and rowMax are more than there are of fields with rows, and of
// numbers in a row.
const rowFieldsMax, rowMax = 24, 8

var (
	rowCount   = coderOf(RowCount)
	sightField = newRowField(PartNamed("sights"), SightCodes)
)

// AppendPacked appends the team's part of a frame, as [AppendTeam] has it, with its
// rows packed. If that makes it no shorter, it appends the part as it is: a reader of packed rows reads plain fields
// too. Packed rows of a frame with few rows are longer, because each field without rows takes a bit.
func AppendPacked(b, team []byte) []byte {
	begin := len(b)
	if b = pack(b, team); len(b)-begin >= len(team) {
		b = append(b[:begin], team...)
	}
	return b
}

// pack appends the team's part with its rows packed, at any length.
func pack(b, team []byte) []byte {
	var bodies [rowFieldsMax][]byte
	var declared []byte
	some, sights := false, 0
	for rest := team; len(rest) > 0; {
		number, size, body := field(rest)
		switch {
		case number == fSights:
			sights++
		case number == fValues:
			declared = body
		case number < fieldsMax && rowFieldOf[number] != 0:
			bodies[rowFieldOf[number]-1], some = body, true
		default:
			b = append(b, rest[:size]...)
		}
		rest = rest[size:]
	}
	if some || sights > 0 {
		b = packRows(b, team, &bodies, sights)
	}
	if len(declared) > 0 { // a meter has learnt the classes of handles before
		at := beginField(&b, fPackedValues)
		w := bitWriter{b: b}
		w.rows(&valueFields[0], declared)
		b = endField(w.end(), at)
	}
	return b
}

// packRows appends the field of packed rows: the rows of rowFields, and so many sights.
func packRows(b, team []byte, bodies *[rowFieldsMax][]byte, sights int) []byte {
	at := beginField(&b, fPacked)
	w := bitWriter{b: b}
	for i := range rowFields {
		w.rows(&rowFields[i], bodies[i])
	}
	w.number(rowCount, uint32(sights))
	for rest := team; sights > 0; {
		number, size, body := field(rest)
		if number == fSights {
			w.sight(body)
			sights--
		}
		rest = rest[size:]
	}
	return endField(w.end(), at)
}

// rows appends how many rows a packed field of protobuf has, and the rows.
func (w *bitWriter) rows(f *rowField, body []byte) {
	w.number(rowCount, uint32(numbersIn(body)/len(f.codes)))
	for len(body) > 0 {
		for _, c := range f.codes {
			n, size := uvarint(body)
			w.number(c, uint32(n))
			body = body[size:]
		}
	}
}

// sight appends a sight, which is a message of protobuf with numbers alone.
func (w *bitWriter) sight(body []byte) {
	var row [rowMax]uint32
	for len(body) > 0 {
		tag, size := uvarint(body)
		n, more := uvarint(body[size:])
		row[tag>>3-1] = uint32(n)
		body = body[size+more:]
	}
	for i, c := range sightField.codes {
		w.number(c, row[i])
	}
}

// numbersIn counts the numbers of a packed field of protobuf.
func numbersIn(body []byte) (n int) {
	for _, c := range body {
		if c < 0x80 { // the last byte of a number
			n++
		}
	}
	return n
}

// bitWriter appends bits to b, the highest of a byte first.
type bitWriter struct {
	b    []byte
	bits uint64 // the last n wait
	n    int
}

func (w *bitWriter) number(c *coder, v uint32) {
	n := bits.Len32(v)
	low := max(0, n-1)
	w.bits = (w.bits<<c.length[n]|uint64(c.prefix[n]))<<low | uint64(v)&(1<<low-1)
	for w.n += int(c.length[n]) + low; w.n >= 8; {
		w.n -= 8
		w.b = append(w.b, byte(w.bits>>w.n))
	}
}

// end fills the last byte with bits of 0.
func (w *bitWriter) end() []byte {
	if w.n > 0 {
		w.b = append(w.b, byte(w.bits<<(8-w.n)))
	}
	return w.b
}

// packedReader reads packed rows: of each of rowFields in their order and of sightField,
// rows tells how many there are, and next reads one. Its numbers are there until the next.
type packedReader struct {
	b   []byte
	at  int // bit
	row [rowMax]uint32
	err error
}

var errPackedCut = errors.New("packed: rows are cut off")

// rows returns how many rows the field has, bounded by the bits that are left.
func (r *packedReader) rows(f *rowField) int {
	n := int64(r.number(rowCount))
	switch left := int64(8*len(r.b) - r.at); {
	case left < 0 || n*int64(len(f.codes)) > left: // a number takes a bit at least
		r.fail(errPackedCut)
	case n > rowsMax:
		r.fail(fmt.Errorf("%s: %d rows: at most %d", PartTable[f.part].Name, n, rowsMax))
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// next reads a row. A row that is cut off ends with zeros.
func (r *packedReader) next(f *rowField) []uint32 {
	for i, c := range f.codes {
		r.row[i] = r.number(c)
	}
	if r.at > 8*len(r.b) {
		r.fail(errPackedCut)
	}
	return r.row[:len(f.codes)]
}

// end returns the first error. Behind the rows there are less than eight bits, all 0.
func (r *packedReader) end() error {
	if left := 8*len(r.b) - r.at; r.err == nil && (left >= 8 || left > 0 && r.b[len(r.b)-1]<<(8-left) != 0) {
		r.fail(errors.New("packed: something follows the rows"))
	}
	return r.err
}

func (r *packedReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *packedReader) number(c *coder) uint32 {
	w := r.window()
	code := c.next[w>>(64-prefixMax)]
	long, b := int(code>>8), int(code&63)
	if b < 2 {
		r.at += long
		return uint32(b)
	}
	r.at += long + b - 1
	return uint32(1<<(b-1) | w<<long>>(65-b))
}

// window returns the next bits, 56 at least; behind the end they are 0.
func (r *packedReader) window() uint64 {
	at := r.at / 8
	if at+8 <= len(r.b) {
		return binary.BigEndian.Uint64(r.b[at:]) << (r.at % 8)
	}
	var rest [8]byte
	if at < len(r.b) {
		copy(rest[:], r.b[at:])
	}
	return binary.BigEndian.Uint64(rest[:]) << (r.at % 8)
}

// Unpack gives a frame's packed rows to their fields, as they are without packing.
func Unpack(m *pb.ServerFrame) error {
	if len(m.PackedValues) > 0 {
		r := packedReader{b: m.PackedValues}
		if err := cmp.Or(r.unpack(m, valueFields), r.end()); err != nil {
			return err
		}
		m.PackedValues = nil
	}
	if len(m.Packed) == 0 {
		return nil
	}
	r := packedReader{b: m.Packed}
	if err := r.unpack(m, rowFields); err != nil {
		return err
	}
	if len(m.Sights) > 0 {
		return errors.New("sights: rows besides packed ones")
	}
	for range r.rows(&sightField) {
		n := r.next(&sightField)
		m.Sights = append(m.Sights, &pb.Sight{X: n[0], Y: n[1], Radius: n[2], Flyer: n[3] != 0, LevelBonus: n[4], Ticks: n[5]})
	}
	m.Packed = nil
	return r.end()
}

// unpack gives the rows of fields to the fields of the message.
func (r *packedReader) unpack(m *pb.ServerFrame, fields []rowField) error {
	msg := m.ProtoReflect()
	for i := range fields {
		f := &fields[i]
		fd := msg.Descriptor().Fields().ByNumber(f.number)
		if msg.Has(fd) {
			return fmt.Errorf("%s: rows besides packed ones", fd.Name())
		}
		rows := r.rows(f)
		if rows == 0 {
			continue
		}
		list := msg.Mutable(fd).List()
		for range rows {
			for _, n := range r.next(f) {
				list.Append(protoreflect.ValueOfUint32(n))
			}
		}
	}
	return nil
}

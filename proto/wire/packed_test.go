package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The page has the codes, and its example equals the code's output.
func TestPageHasTheCodes(t *testing.T) {
	fresh(t, page, "<!-- codes: made by go test ./proto/wire -update -->\n", codesTable(), "<!-- end of codes -->\n")
	d := &view.Diff{Leave: []grid.Handle{5}, Values: [view.ValueKinds][]view.ValueRow{view.ValueHealth: {{Handle: 3, Value: 20}, {Handle: 4, Value: 7}}}}
	b := pack(nil, AppendTeam(nil, d, testKinds))
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for i, c := range protoBody(t, b, fPacked) {
		if i > 0 {
			said.WriteString(" ")
		}
		const hex = "0123456789abcdef"
		said.WriteString(string(hex[c>>4]) + string(hex[c&15]))
	}
	if !strings.Contains(string(text), "`"+said.String()+"`") {
		t.Errorf("the page's example is not %s", said.String())
	}
}

// protoBody returns the contents of a field.
func protoBody(t testing.TB, b []byte, want protowire.Number) []byte {
	t.Helper()
	for len(b) > 0 {
		number, size, body := field(b)
		if number == want {
			return body
		}
		b = b[size:]
	}
	t.Fatalf("no field %d", want)
	return nil
}

// Packed rows have the content of all other rows, and the meter finds as many rows in them, each for the same
// class, and counts each byte once.
func TestPackedRowsTellTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiff(t)
		clock := AppendClock(nil, d.Tick, d.Span, d.Snapshot)
		plain := AppendTeam(nil, d, testKinds)
		packed := pack(nil, plain)
		dec := Decoder{kinds: testKinds}
		want, err := dec.Decode(append(clock, plain...))
		if err != nil {
			t.Fatal(err)
		}
		got, err := dec.Decode(append(clock, packed...))
		if err != nil {
			t.Fatal(err)
		}
		if n, least := len(AppendPacked(nil, plain)), min(len(plain), len(packed)); n != least {
			t.Fatalf("%d bytes are sent, the shorter form has %d", n, least)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(pb.Welcome{})); diff != "" {
			t.Fatalf("plain (-) and packed (+) differ:\n%s", diff)
		}

		var of [2]Sizes
		for i, b := range [][]byte{plain, packed} {
			NewMeter(testKinds, testClasses()).Measure(b, &of[i])
			sum := 0
			of[i].Each(func(_ Part, _ pb.TypeClass, n Count) { sum += int(n.Bytes) })
			if sum != len(b) {
				t.Fatalf("measured %d bytes of %d", sum, len(b))
			}
		}
		for p := range Parts {
			for c := range Classes {
				if a, b := of[0].Of(p, c).Rows, of[1].Of(p, c).Rows; a != b && PartTable[p].Group != "packed" {
					t.Fatalf("%v of %v: %d rows plain, %d packed", p, c, a, b)
				}
			}
		}
	})
}

// The shorter of both forms is sent: of few rows the plain one, of many the packed one.
func TestTheShorterFormIsSent(t *testing.T) {
	begun := []byte("before")
	few := AppendTeam(nil, &view.Diff{Leave: []grid.Handle{5}}, testKinds)
	if got := AppendPacked(begun, few); string(got) != "before"+string(few) {
		t.Errorf("one row is sent as %x, plain it is %x", got[len(begun):], few)
	}
	many := AppendTeam(nil, benchDiff(), testKinds)
	packed := pack(nil, many)
	if got := AppendPacked(begun, many); string(got) != "before"+string(packed) || len(packed) >= len(many) {
		t.Errorf("many rows are sent in %d bytes, packed they are %d, plain %d", len(got)-len(begun), len(packed), len(many))
	}
}

// Every number that a row can have survives every code.
func TestCodesTakeEveryNumber(t *testing.T) {
	for _, code := range Codes {
		c := coderOf(code.Letter)
		w := bitWriter{}
		var want []uint32
		for n := range bitsMax + 1 {
			for _, v := range []uint64{1 << n >> 1, 1<<n - 1} {
				want = append(want, uint32(v))
				w.number(c, uint32(v))
			}
		}
		r := packedReader{b: w.end()}
		for _, v := range want {
			if got := r.number(c); got != v {
				t.Fatalf("%c: %d is read as %d", code.Letter, v, got)
			}
		}
		if err := r.end(); err != nil {
			t.Error(err)
		}
	}
}

// damaged are packed fields that no server sends, with the reader's error. They
// are in testdata/packed.json for the other clients.
func damaged(t testing.TB) map[string][]byte {
	t.Helper()
	whole := protoBody(t, packedSample(), fPacked)
	counts := func(of ...uint32) []byte {
		w := bitWriter{}
		for _, n := range of {
			w.number(rowCount, n)
		}
		return w.end()
	}
	return map[string][]byte{
		"cut in the rows":          whole[:len(whole)/2],
		"cut by a byte":            whole[:len(whole)-1],
		"a byte too many":          append(bytes.Clone(whole), 0),
		"bits behind the end":      {0, 0, 1}, // no rows of any field, and five bits more
		"more rows than bits":      counts(60000),
		"more rows than there may": append(counts(1<<16+1), make([]byte, 1<<16)...),
		"2^16 rows":                counts(1 << 16), // and none of them there
		"2^32 rows":                append(counts(1<<32-1), make([]byte, 64)...),
		"one byte":                 {0},
	}
}

// packedSample is a frame with rows of all fields.
func packedSample() []byte {
	d := &view.Diff{
		Leave: []grid.Handle{3, 9}, Destroyed: []grid.Handle{11}, Owners: []view.OwnerRow{{Handle: 4, Owner: 1}},
		Enter:  []view.EnterRow{{Handle: 4, Type: 2, Owner: 1, Cell: 77, Course: 300}, {Handle: 700, Owner: grid.NoSlot, Cell: 1 << 21, Course: 16000}},
		Motion: []view.MotionRow{{Handle: 4, Place: 60, Course: 1 << 21}, {Handle: 6, Place: 300000}}, Exact: []view.ExactRow{{Handle: 4, Ago: 3, Fine: 99}},
		Fire: []view.FireRow{{Handle: 4, Target: 700}}, LastBursts: []view.LastBurstsRow{{Handle: 3, Bursts: [view.BurstsMax]uint32{9, 1}}},
		Actions: []view.ActionRow{{Handle: 4, Ability: 1}}, Effects: []view.EffectRow{{Handle: 4, Effect: 1, When: 2, Source: 700}},
		Declared: []view.Declared{{Handle: 4, Value: 1, N: 9}, {Handle: 4, Value: 31, N: 1<<32 - 1}, {Handle: 700, N: 2}},
		Sights:   []view.Sight{{Tile: grid.Tile{X: 70, Y: 9}, Radius: 16, Flyer: true, LevelBonus: 1, Until: 30}},
	}
	for i := range d.Values {
		d.Values[i] = []view.ValueRow{{Handle: 4, Value: uint32(i)}, {Handle: 700, Value: 1 << 31}}
	}
	return pack(nil, AppendTeam(nil, d, testKinds))
}

// packedVectors has fields of packed rows for clients: their content, or that they are no rows.
type packedVectors struct {
	About string         `json:"about"`
	Rows  []packedVector `json:"rows"`
}

type packedVector struct {
	Name   string              `json:"name"`
	Packed []byte              `json:"packed,omitempty"`
	Values []byte              `json:"packed_values,omitempty"`
	Fields map[string][]uint32 `json:"fields,omitempty"` // as they are without packing; a sight is a row too
	Bad    bool                `json:"bad,omitempty"`
}

func TestPackedVectors(t *testing.T) {
	out := packedVectors{About: "the field packed of frames: the numbers of each field in it, or bad: no server sends it; written by go test ./proto/wire -update"}
	add := func(name string, b, values []byte) {
		m := &pb.ServerFrame{Packed: b, PackedValues: values}
		v := packedVector{Name: name, Packed: b, Values: values}
		if err := Unpack(m); err != nil {
			v.Bad = true
		} else {
			v.Fields = map[string][]uint32{}
			for _, f := range slices.Concat(rowFields, valueFields) {
				list := m.ProtoReflect().Get(m.ProtoReflect().Descriptor().Fields().ByNumber(f.number)).List()
				for i := range list.Len() {
					v.Fields[f.part.String()] = append(v.Fields[f.part.String()], uint32(list.Get(i).Uint()))
				}
			}
			for _, s := range m.Sights {
				flyer := uint32(0)
				if s.Flyer {
					flyer = 1
				}
				v.Fields["sights"] = append(v.Fields["sights"], s.X, s.Y, s.Radius, flyer, s.LevelBonus, s.Ticks)
			}
		}
		if _, broken := damaged(t)[name]; v.Bad != (broken || strings.HasPrefix(name, "values cut") || strings.HasPrefix(name, "a byte too many")) {
			t.Errorf("%s: refused: %v", name, v.Bad)
		}
		out.Rows = append(out.Rows, v)
	}
	add("rows of all fields", protoBody(t, packedSample(), fPacked), protoBody(t, packedSample(), fPackedValues))
	add("rows of values alone", nil, protoBody(t, packedSample(), fPackedValues))
	every := view.Diff{}
	for n := range grid.Handle(32) {
		every.Motion = append(every.Motion, view.MotionRow{Handle: n, Place: 1 << n >> 1, Course: 1<<n - 1})
		every.Fire = append(every.Fire, view.FireRow{Handle: n, Target: 1<<n - 1})
	}
	add("numbers of all lengths", protoBody(t, pack(nil, AppendTeam(nil, &every, testKinds)), fPacked), nil)
	for _, name := range []string{"cut in the rows", "cut by a byte", "a byte too many", "bits behind the end", "more rows than bits", "2^32 rows", "one byte"} {
		add(name, damaged(t)[name], nil)
	}
	values := protoBody(t, packedSample(), fPackedValues)
	add("values cut by a byte", nil, values[:len(values)-1])
	add("a byte too many behind values", nil, append(bytes.Clone(values), 0))
	got, err := json.MarshalIndent(out, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	freshFile(t, filepath.Join("testdata", "packed.json"), string(got)+"\n")
}

// A damaged field is refused with an error, and the meter counts its bytes all the same.
func TestDamagedRowsAreRefused(t *testing.T) {
	for name, body := range damaged(t) {
		b := protowire.AppendBytes(protowire.AppendTag(nil, fPacked, protowire.BytesType), body)
		dec := Decoder{kinds: testKinds}
		if f, err := dec.Decode(b); !errors.Is(err, ErrServer) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
		var got Sizes
		NewMeter(testKinds, testClasses()).Measure(b, &got)
		sum := 0
		got.Each(func(_ Part, _ pb.TypeClass, n Count) { sum += int(n.Bytes) })
		if sum != len(b) {
			t.Errorf("%s: measured %d bytes of %d", name, sum, len(b))
		}
	}
	for _, plain := range []*pb.ServerFrame{{Leave: []uint32{1}}, {Sights: []*pb.Sight{{X: 1}}}} {
		b, err := proto.Marshal(plain)
		if err != nil {
			t.Fatal(err)
		}
		dec := Decoder{kinds: testKinds}
		if _, err := dec.Decode(append(b, packedSample()...)); !errors.Is(err, ErrServer) {
			t.Errorf("rows besides packed ones: %v", err)
		}
	}
}

// FuzzPacked holds that any bytes can be read as packed rows, that they are no more
// numbers than twice their bits (where they are cut off, a field is read with zeros),
// and that a field read without an error can be written and read again.
func FuzzPacked(f *testing.F) {
	f.Add(protoBody(f, packedSample(), fPacked))
	for _, b := range damaged(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var sizes Sizes
		b := protowire.AppendBytes(protowire.AppendTag(nil, fPacked, protowire.BytesType), body)
		NewMeter(testKinds, testClasses()).Measure(b, &sizes)
		m := &pb.ServerFrame{Packed: body}
		err := Unpack(m)
		numbers := len(sightField.codes) * len(m.Sights)
		for _, f := range rowFields {
			numbers += m.ProtoReflect().Get(m.ProtoReflect().Descriptor().Fields().ByNumber(f.number)).List().Len()
		}
		if most := 2 * 8 * len(body); numbers > most {
			t.Fatalf("%d bytes are %d numbers", len(body), numbers)
		}
		if err != nil || len(body) == 0 {
			return
		}
		plain, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		again := &pb.ServerFrame{}
		if err := proto.Unmarshal(pack(nil, plain), again); err != nil {
			t.Fatal(err)
		}
		if err := Unpack(again); err != nil || !proto.Equal(m, again) {
			t.Fatalf("%x is read as %v, written and read again as %v (%v)", body, m, again, err)
		}
	})
}

func TestPackingAllocatesNothing(t *testing.T) {
	plain := AppendTeam(nil, benchDiff(), testKinds)
	buf := make([]byte, 0, 2*len(plain))
	meter := NewMeter(testKinds, testClasses())
	var sizes Sizes
	if n := testing.AllocsPerRun(100, func() {
		buf = pack(buf[:0], plain)
		meter.Measure(buf, &sizes)
	}); n > 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func benchDiff() *view.Diff {
	d := &view.Diff{Span: 1}
	for h := range grid.Handle(60) {
		d.Enter = append(d.Enter, view.EnterRow{Handle: 5*h + 1, Cell: 1 << 22, Course: 9000})
		d.Motion = append(d.Motion, view.MotionRow{Handle: 4*h + 2, Place: 60, Course: 9000})
		d.Values[view.ValueHealth] = append(d.Values[view.ValueHealth], view.ValueRow{Handle: 4*h + 2, Value: 120})
	}
	return d
}

// BenchmarkTeam compares writing and measuring plain rows and packed ones.
func BenchmarkTeam(b *testing.B) {
	d := benchDiff()
	var buf, plain []byte
	meter := NewMeter(testKinds, testClasses())
	var sizes Sizes
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			buf = AppendTeam(buf[:0], d, testKinds)
			meter.Measure(buf, &sizes)
		}
		b.ReportMetric(float64(len(buf)), "bytes")
	})
	b.Run("packed", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			plain = AppendTeam(plain[:0], d, testKinds)
			buf = pack(buf[:0], plain)
			meter.Measure(buf, &sizes)
		}
		b.ReportMetric(float64(len(buf)), "bytes")
	})
}

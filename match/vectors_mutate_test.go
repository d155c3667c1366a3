//go:build !race

package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// mutation is one small change of a message.
type mutation struct {
	name string // of the field, and of its change
	do   func()
}

// mutations returns every small change of a message: each number one more, each
// flag the other way, each text longer, each field and each last element gone.
func mutations(m protoreflect.Message) (out []mutation) {
	for f := range m.Descriptor().Fields().Len() {
		fd := m.Descriptor().Fields().Get(f)
		if !m.Has(fd) {
			continue
		}
		name, v := string(fd.FullName()), m.Get(fd)
		out = append(out, mutation{name + " gone", func() { m.Clear(fd) }})
		switch {
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				out = append(out, mutations(v.List().Get(i).Message())...)
			}
			out = append(out, mutation{name + " shorter", func() { v.List().Truncate(v.List().Len() - 1) }})
		case fd.IsList():
			for i := range v.List().Len() {
				out = append(out, mutation{name + " changed", func() { v.List().Set(i, another(fd, v.List().Get(i))) }})
			}
			out = append(out, mutation{name + " shorter", func() { v.List().Truncate(v.List().Len() - 1) }})
		case fd.Message() != nil:
			out = append(out, mutations(v.Message())...)
		default:
			out = append(out, mutation{name + " changed", func() { m.Set(fd, another(fd, v)) }})
		}
	}
	return out
}

// another returns a value that is not v.
func another(fd protoreflect.FieldDescriptor, v protoreflect.Value) protoreflect.Value {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(!v.Bool())
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(v.String() + "x")
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes(append(bytes.Clone(v.Bytes()), 0))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(v.Enum() + 1)
	case protoreflect.Sint32Kind:
		return protoreflect.ValueOfInt32(int32(v.Int()) + 1)
	}
	return protoreflect.ValueOfUint32(uint32(v.Uint()) + 1)
}

// vectorSite is where a mutation can be made: the nth of a message.
type vectorSite struct {
	file    string
	stream  int
	message int
	nth     int
}

// silentMutations do not change a client's state.
var silentMutations = map[string]string{}

// TestVectorsNoticeMutations changes each kind of field in the bytes: the reader of the
// vectors has to notice. A few changes mean nothing, such as the age of a standing
// thing's place, but not all of a kind and not many.
func TestVectorsNoticeMutations(t *testing.T) {
	const most, percent = 80, 90 // changes of a kind without a noticed one; of all that have to be noticed
	const perKind = 1            // changes of a kind that count to the percentage
	names, files := readVectors(t)
	grounds, sites := map[string]*grid.Map{}, map[string][]vectorSite{}
	for _, name := range names {
		var err error
		if grounds[name], err = grid.UnmarshalMap(files[name].Map); err != nil {
			t.Fatal(err)
		}
		for i := range files[name].Streams {
			for j, msg := range files[name].Streams[i].Messages {
				if msg.Server == nil {
					continue
				}
				frame := &pb.ServerFrame{}
				if err := proto.Unmarshal(msg.Server, frame); err != nil {
					t.Fatal(err)
				}
				for n, mut := range mutations(frame.ProtoReflect()) {
					sites[mut.name] = append(sites[mut.name], vectorSite{name, i, j, n})
				}
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	total, noticed := 0, 0
	for _, kind := range slices.Sorted(maps.Keys(sites)) {
		all := sites[kind]
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		found := 0
		for i, at := range all {
			if i >= most || i >= perKind && (found > 0 || silentMutations[kind] != "") {
				break
			}
			notices := noticesSite(t, grounds[at.file], &files[at.file].Streams[at.stream], at)
			if notices {
				found++
			}
			if i < perKind {
				total++
				if notices {
					noticed++
				}
			}
		}
		if why, silent := silentMutations[kind]; silent != (found == 0) {
			t.Errorf("%s: %d changes noticed, though it is said to be silent: %q", kind, found, why)
		}
	}
	if noticed*100 < total*percent {
		t.Errorf("%d of %d changes noticed", noticed, total)
	}
	t.Logf("%d kinds, %d of %d changes noticed", len(sites), noticed, total)
}

func noticesSite(t *testing.T, m *grid.Map, s *vectorStream, at vectorSite) bool {
	t.Helper()
	msg := &s.Messages[at.message]
	before := msg.Server
	defer func() { msg.Server = before }()
	frame := &pb.ServerFrame{}
	if err := proto.Unmarshal(before, frame); err != nil {
		t.Fatal(err)
	}
	mutations(frame.ProtoReflect())[at.nth].do()
	b, err := proto.Marshal(frame)
	if err != nil {
		t.Fatal(err)
	}
	msg.Server = b
	return readStream(m, s, at.message) != nil
}

// TestVectorsNoticeStates changes each kind of value of the states.
func TestVectorsNoticeStates(t *testing.T) {
	names, files := readVectors(t)
	seen := map[string]bool{}
	for _, name := range names {
		m, err := grid.UnmarshalMap(files[name].Map)
		if err != nil {
			t.Fatal(err)
		}
		for i := range files[name].Streams {
			s := &files[name].Streams[i]
			for j := range s.Messages {
				msg := &s.Messages[j]
				for _, part := range []*json.RawMessage{&msg.State, &msg.Told} {
					if *part == nil {
						continue
					}
					var v any
					if err := json.Unmarshal(*part, &v); err != nil {
						t.Fatal(err)
					}
					before := *part
					leaves(v, "", func(path string, change func() func()) {
						if seen[path] {
							return
						}
						seen[path] = true
						undo := change()
						*part = jsonOf(v)
						if !bytes.Equal(*part, before) && readStream(m, s, j) == nil {
							t.Errorf("%s, %s, message %d: a change of %s passes", name, s.Client, j, path)
						}
						undo()
					})
					*part = before
				}
			}
		}
	}
	t.Logf("%d kinds of values", len(seen))
	if len(seen) < 100 {
		t.Errorf("only %d kinds of values", len(seen))
	}
}

// leaves calls each for every value of a JSON document that is no object or
// list, with its path: numbers of things and rows are written as *.
func leaves(v any, path string, each func(path string, change func() (undo func()))) {
	turn := func(old any) any {
		switch x := old.(type) {
		case float64:
			return x + 1
		case bool:
			return !x
		case string:
			return x + "0"
		}
		return 0
	}
	switch x := v.(type) {
	case object:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			step := k
			if strings.Trim(k, "0123456789") == "" {
				step = "*"
			}
			leaf(x[k], path+"."+step, each, func(to any) { x[k] = to }, turn)
		}
	case []any:
		for i := range x {
			leaf(x[i], path+".*", each, func(to any) { x[i] = to }, turn)
		}
	}
}

func leaf(v any, path string, each func(string, func() func()), set func(any), turn func(any) any) {
	switch v.(type) {
	case object, []any:
		leaves(v, path, each)
	default:
		each(fmt.Sprintf("%s (%T)", path, v), func() func() {
			set(turn(v))
			return func() { set(v) }
		})
	}
}

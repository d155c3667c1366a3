package match

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// notInVectors has the schema's parts without a vector, each with the reason.
var notInVectors = map[string]string{
	"fogkeep.v1.Events.target":                    "never sent: rows of fire tell shots at units, and no other event has a target",
	"fogkeep.v1.Score.assists":                    "no two players of a team fight in these matches",
	"fogkeep.v1.Poll.slot":                        "no team of these matches has two persons",
	"fogkeep.v1.VoteKind.VOTE_KIND_KICK":          "no team of these matches has two persons",
	"fogkeep.v1.EventKind.EVENT_KIND_HIT":         "never sent: rows of health tell it",
	"fogkeep.v1.EventKind.EVENT_KIND_DEATH":       "never sent: rows of destroyed tell it",
	"fogkeep.v1.EventKind.EVENT_KIND_TRAINED":     "never sent: rows of enter tell it",
	"fogkeep.v1.EntityFlag.ENTITY_FLAG_DEPLOYED":  "never sent: rows of actions tell it",
	"fogkeep.v1.EntityFlag.ENTITY_FLAG_SPRINTING": "never sent: rows of actions tell it",
	"fogkeep.v1.EntityFlag.ENTITY_FLAG_BURNING":   "never sent: rows of actions tell it",
	"fogkeep.v1.EntityFlag.ENTITY_FLAG_RAGING":    "never sent: rows of actions tell it",
}

// ofReplays are the fields that no match sends. Tests of match/replayserver are about it.
var ofReplays = []string{"fogkeep.v1.ServerFrame.replay", "fogkeep.v1.ServerFrame.timeline", "fogkeep.v1.Welcome.replay"}

// schemaOf returns the possible parts of a message at all depths: fields, and values of
// enums other than 0.
func schemaOf(md protoreflect.MessageDescriptor, out map[string]bool) {
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		if name := string(fd.FullName()); !out[name] && !slices.Contains(ofReplays, name) {
			out[name] = true
			if fd.Message() != nil {
				schemaOf(fd.Message(), out)
			}
			if fd.Enum() != nil {
				enumNames(fd.Enum(), out)
			}
		}
	}
}

func enumNames(ed protoreflect.EnumDescriptor, out map[string]bool) {
	for i := range ed.Values().Len() {
		if v := ed.Values().Get(i); v.Number() != 0 {
			out[enumName(ed, v.Name())] = true
		}
	}
}

// enumName is a value's name with its enum's: protobuf puts values beside their
// enums, not in them.
func enumName(ed protoreflect.EnumDescriptor, value protoreflect.Name) string {
	return string(ed.FullName()) + "." + string(value)
}

// occurs notes the parts that a message has.
func occurs(m protoreflect.Message, out map[string]bool) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		out[string(fd.FullName())] = true
		each := func(v protoreflect.Value) {
			if fd.Message() != nil {
				occurs(v.Message(), out)
			} else if ed := fd.Enum(); ed != nil {
				if known := ed.Values().ByNumber(v.Enum()); known != nil {
					out[enumName(ed, known.Name())] = true
				}
			}
		}
		if fd.IsList() {
			for i := range v.List().Len() {
				each(v.List().Get(i))
			}
		} else {
			each(v)
		}
		return true
	})
}

// TestVectorsCoverTheSchema fails when the schema has a part without a vector: a new
// field needs a match that sends it.
func TestVectorsCoverTheSchema(t *testing.T) {
	t.Parallel()
	want, got := map[string]bool{}, map[string]bool{}
	schemaOf((&pb.ServerFrame{}).ProtoReflect().Descriptor(), want)
	enumNames(pb.EntityFlag(0).Descriptor(), want) // bits of numbers, and no field's type
	_, files := readVectors(t)
	for name, f := range files {
		for _, s := range f.Streams {
			for i, msg := range s.Messages {
				if msg.Server == nil {
					continue
				}
				frame := &pb.ServerFrame{}
				if err := proto.Unmarshal(msg.Server, frame); err != nil {
					t.Fatal(err)
				}
				if n := len(frame.ProtoReflect().GetUnknown()); n > 0 {
					t.Errorf("%s, %s, message %d has %d bytes that the schema does not know", name, s.Client, i, n)
				}
				occurs(frame.ProtoReflect(), got)
				if err := wire.Unpack(frame); err != nil {
					t.Fatal(err)
				}
				occurs(frame.ProtoReflect(), got)
				for row := frame.Flags; len(row) > 1; row = row[2:] {
					bits := pb.EntityFlag(0).Descriptor()
					for k := range bits.Values().Len() {
						if v := bits.Values().Get(k); row[1]&uint32(v.Number()) != 0 {
							got[enumName(bits, v.Name())] = true
						}
					}
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if why, excused := notInVectors[name]; excused == got[name] {
			if excused {
				t.Errorf("%s occurs, though it is said to be %s", name, why)
			} else {
				t.Errorf("no vector has %s: add it to a match in match/vectors_scenes_test.go", name)
			}
		}
	}
	for name := range notInVectors {
		if !want[name] {
			t.Errorf("the schema has no %s", name)
		}
	}
}

// vectorStep is one message of a stream with the state before and after it.
type vectorStep struct {
	frame         *pb.ServerFrame
	before, after object
	told          object
	resumed       bool // the first frame after a welcome that was not the first
}

// vectorCases are the most likely errors of clients; each has to be in a stream. The page
// of the vectors lists them.
var vectorCases = map[string]func(s *vectorStep) bool{
	"snapshot":             func(s *vectorStep) bool { return s.frame.Tick != 0 && !s.resumed },
	"snapshot on return":   func(s *vectorStep) bool { return s.frame.Tick != 0 && s.resumed },
	"difference on return": func(s *vectorStep) bool { return s.frame.Tick == 0 && s.resumed },
	"span without skipped": func(s *vectorStep) bool { return s.frame.Span > 1 && s.frame.Skipped == 0 },
	"some of a span skipped": func(s *vectorStep) bool {
		return s.frame.Skipped > 0 && s.frame.Skipped+1 < s.frame.Span
	},
	"a handle leaves and enters": func(s *vectorStep) bool {
		return meet(append(handlesOf(s.frame.Leave, 1, 1), handlesOf(s.frame.Destroyed, 1, 1)...), entered(s))
	},
	"exact refines enter": func(s *vectorStep) bool { return meet(entered(s), handlesOf(s.frame.Exact, 3, 1)) },
	"exact refines motion": func(s *vectorStep) bool {
		return meet(handlesOf(s.frame.Motion, 3, 1), handlesOf(s.frame.Exact, 3, 1))
	},
	"health and health_changes": func(s *vectorStep) bool {
		return meet(handlesOf(s.frame.Health, 2, 1), handlesOf(s.frame.HealthChanges, 2, 1))
	},
	"shield and shield_changes": func(s *vectorStep) bool {
		return meet(handlesOf(s.frame.Shield, 2, 1), handlesOf(s.frame.ShieldChanges, 2, 1))
	},
	"a ghost goes as the structure enters": func(s *vectorStep) bool {
		return meet(handlesOf(s.frame.GetGhosts().GetGone(), 1, 1), entered(s))
	},
	"a structure leaves and its ghost comes": func(s *vectorStep) bool {
		return meet(handlesOf(s.frame.Leave, 1, 1), handlesOf(s.frame.GetGhosts().GetHandle(), 1, 1))
	},
	"a ghost goes and comes": func(s *vectorStep) bool {
		return meet(handlesOf(s.frame.GetGhosts().GetGone(), 1, 1), handlesOf(s.frame.GetGhosts().GetHandle(), 1, 1))
	},
	"a structure is finished as the mask's hash is told": func(s *vectorStep) bool {
		entities, _ := s.before["entities"].(object)
		for h, row := uint32(0), s.frame.Flags; s.frame.MaskHash != nil && len(row) > 1; row = row[2:] {
			h += row[0]
			e, _ := entities[handleKey(grid.Handle(h))].(object)
			if e != nil && uint32(e["flags"].(float64))&^row[1]&uint32(pb.EntityFlag_ENTITY_FLAG_BUILDING) != 0 {
				return true
			}
		}
		return false
	},
	"fire of what enters, or at it": func(s *vectorStep) bool {
		new := entered(s)
		for h, row := uint32(0), s.frame.Fire; len(row) > 1; row = row[2:] {
			if h += row[0]; slices.Contains(new, h) || slices.Contains(new, row[1]) {
				return true
			}
		}
		return false
	},
	"own rows of what enters": func(s *vectorStep) bool {
		return meet(entered(s), handlesOf(s.frame.GetOwn().GetEnergy(), 2, 1))
	},
	"a mask's hash and a sight": func(s *vectorStep) bool { return s.frame.MaskHash != nil && len(s.frame.Sights) > 0 },
	"the mask outlives an own unit that fell": func(s *vectorStep) bool {
		return s.told["own fell"] != nil && s.frame.Skipped == 0
	},
	"own unit that fell in a skipped tick": func(s *vectorStep) bool {
		return s.told["own fell"] != nil && s.frame.Skipped > 0 && len(s.frame.Sights) > 0
	},
}

func entered(s *vectorStep) []uint32 {
	w := s.told["kinds"].(uint32)
	return handlesOf(s.frame.Enter, 3, w)
}

// handlesOf returns the handles of rows of n numbers.
func handlesOf(rows []uint32, n int, per uint32) (out []uint32) {
	h := uint32(0)
	for i := 0; i+n <= len(rows); i += n {
		h += rows[i] / per
		out = append(out, h)
	}
	return out
}

func meet(a, b []uint32) bool {
	return slices.ContainsFunc(a, func(h uint32) bool { return slices.Contains(b, h) })
}

// TestVectorsHaveTheCases holds the matches to the list above.
func TestVectorsHaveTheCases(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	_, files := readVectors(t)
	for _, f := range files {
		for i := range f.Streams {
			for _, s := range stepsOf(t, &f.Streams[i]) {
				for name, is := range vectorCases {
					if is(s) {
						found[name]++
					}
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(vectorCases)) {
		if found[name] == 0 {
			t.Errorf("no vector has the case: %s", name)
		}
	}
	t.Log(found)
}

func stepsOf(t *testing.T, s *vectorStream) (out []*vectorStep) {
	t.Helper()
	var held any = object{}
	var welcome *pb.Welcome
	resumed := false
	for _, msg := range s.Messages {
		if msg.Server == nil {
			continue
		}
		frame := &pb.ServerFrame{}
		if err := proto.Unmarshal(msg.Server, frame); err != nil {
			t.Fatal(err)
		}
		if err := wire.Unpack(frame); err != nil {
			t.Fatal(err)
		}
		before := held
		if msg.State != nil {
			var patch any
			if err := json.Unmarshal(msg.State, &patch); err != nil {
				t.Fatal(err)
			}
			held = mergePatch(held, patch)
		}
		if frame.Welcome != nil {
			resumed, welcome = welcome != nil, frame.Welcome
		}
		if frame.Welcome != nil || frame.Waiting != nil || frame.Closing != nil {
			continue
		}
		told := object{"kinds": uint32((len(welcome.Players) + 1) * len(welcome.Types))}
		entities, _ := before.(object)["entities"].(object)
		for _, h := range handlesOf(frame.Destroyed, 1, 1) {
			e, _ := entities[handleKey(grid.Handle(h))].(object)
			if e == nil {
				continue
			}
			owner, typ := int(e["owner"].(float64)), welcome.Types[int(e["type"].(float64))]
			if owner < len(welcome.Players) && welcome.Players[owner].Team == welcome.Team && typ.Class != pb.TypeClass_TYPE_CLASS_PROJECTILE {
				told["own fell"] = h
			}
		}
		out = append(out, &vectorStep{frame: frame, before: before.(object), after: held.(object), told: told, resumed: resumed})
		resumed = false
	}
	return out
}

package wire

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The client's table of fields equals the code's.
func TestFieldsAreToldOnce(t *testing.T) {
	freshFile(t, "../../web/sdk/src/gen/fields.ts", fieldsTS())
	freshFile(t, "../../web/sdk/src/gen/orders.ts", ordersTS())
}

// The flags of the table equal the schema's.
func TestFlagsAreThoseOfTheSchema(t *testing.T) {
	named := map[string]uint32{}
	for _, f := range view.Flags {
		named["ENTITY_FLAG_"+strings.ToUpper(f.Name)] = f.Bit
	}
	for _, name := range []string{"DEPLOYED", "SPRINTING", "BURNING", "RAGING"} { // rows of actions show them
		named["ENTITY_FLAG_"+name] = uint32(pb.EntityFlag_value["ENTITY_FLAG_"+name])
	}
	for n, name := range pb.EntityFlag_name {
		if n != 0 && named[name] != uint32(n) {
			t.Errorf("%s is %d, the table has %d", name, n, named[name])
		}
	}
	if len(named) != len(pb.EntityFlag_name)-1 {
		t.Errorf("%d flags are sent or listed as never sent, %d are in the schema", len(named), len(pb.EntityFlag_name)-1)
	}
}

// The part of a frame that all with the same eyes are sent has the fields that the
// field table says they may know, and no others.
func TestTheTableSaysWhoIsSent(t *testing.T) {
	d := &view.Diff{Ghosts: []view.Ghost{{Handle: 9, Type: 2, Owner: 1}}, Leave: []grid.Handle{3}}
	for _, who := range []view.Audience{view.Receiver, view.Everybody, view.Team, view.Seeing, view.Owner} {
		fields := slices.Clone(view.Fields[:])
		for i := range fields {
			if fields[i].Name == "ghosts" {
				fields[i].Audience = who
			}
		}
		var b []byte
		for _, write := range teamPartOf(fields) {
			b = write(b, d, testKinds)
		}
		var m pb.ServerFrame
		if err := proto.Unmarshal(b, &m); err != nil {
			t.Fatal(err)
		}
		if len(m.Leave) != 1 || (m.Ghosts != nil) != who.Shared() {
			t.Errorf("ghosts that %s may know are in the team's part: %v", who, m.Ghosts != nil)
		}
	}
	for name := range teamWriters {
		if len(numbersOf((&pb.ServerFrame{}).ProtoReflect().Descriptor(), []string{name})) != 1 || PartNamed(name) == 0 {
			t.Errorf("%s is written, and is no row of the table", name)
		}
	}
}

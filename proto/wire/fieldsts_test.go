package wire

import (
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// The client's table of fields is that of the code.
func TestFieldsAreToldOnce(t *testing.T) {
	freshFile(t, "../../web/src/gen/fields.ts", FieldsTS())
}

// The flags of the table are those of the schema.
func TestFlagsAreThoseOfTheSchema(t *testing.T) {
	named := map[string]uint32{}
	for _, f := range view.Flags {
		named["ENTITY_FLAG_"+strings.ToUpper(f.Name)] = f.Bit
	}
	for n, name := range pb.EntityFlag_name {
		if n != 0 && named[name] != uint32(n) {
			t.Errorf("%s is %d, the table has %d", name, n, named[name])
		}
	}
	if len(named) != len(pb.EntityFlag_name)-1 {
		t.Errorf("%d flags in the table, %d in the schema", len(named), len(pb.EntityFlag_name)-1)
	}
}

package orders

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the kinds into the protocol")

//go:generate go test . -run TestProtocolHasTheKinds -update

// The protocol has the kinds of the table, by their numbers from 1 on.
func TestProtocolHasTheKinds(t *testing.T) {
	const path, begin, end = "../proto/fogkeep/v1/client.proto", "enum OrderKind {\n", "}\n"
	lines := make([]string, Kinds)
	lines[0] = "  ORDER_KIND_UNSPECIFIED = 0;\n"
	for k := None + 1; k < kindEnd; k++ {
		f := k.Form()
		if n := int(f.Wire); n < 1 || n >= Kinds || lines[n] != "" {
			t.Fatalf("%v has the number %d: it has to be one of 1 to %d that no other kind has", k, n, Kinds-1)
		}
		lines[f.Wire] = fmt.Sprintf("  ORDER_KIND_%s = %d; // %s\n", f.ProtocolName(), f.Wire, f.Does)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := strings.Cut(string(b), begin)
	kinds, tail, found := strings.Cut(rest, end)
	switch want := strings.Join(lines, ""); {
	case !found:
		t.Fatalf("%s has no %q", path, begin)
	case kinds == want:
	case !*update:
		t.Fatalf("%s has other kinds than the table: run make gen", path)
	default:
		if err := os.WriteFile(path, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGeneratedIsFresh: the committed codes equal the server's tables.
func TestGeneratedIsFresh(t *testing.T) {
	const path = "../../../web/sdk/src/gen/codes.ts"
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, generate()) {
		t.Errorf("%s is not what the server's tables give (%v): run go generate ./web", path, err)
	}
}

// TestEveryTable: each of the three lists has what its table has; accepted is no refusal.
func TestEveryTable(t *testing.T) {
	out := generate()
	for _, want := range []string{"  \"lobby_full\",\n", "  \"ticket_used\",\n", "  \"POP_LIMIT\",\n", "export type OrderRefusal ="} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if bytes.Contains(out, []byte("\"OK\"")) {
		t.Error("OK is listed as a refusal")
	}
}

package view

import (
	"os"
	"strings"
	"testing"
)

const (
	page       = "../../docs/protocol.md"
	tableBegin = "<!-- fields: made by go test ./match/view -update -->\n"
	tableEnd   = "<!-- end of fields -->\n"
)

// The page's table is the one that the code has.
func TestPageHasTheTable(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), tableBegin)
	table, tail, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	if table == FieldTable() {
		return
	}
	if !*update {
		t.Fatalf("%s has another table than the code: run go test ./match/view -update", page)
	}
	if err := os.WriteFile(page, []byte(head+tableBegin+FieldTable()+tableEnd+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

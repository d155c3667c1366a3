package view

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	page       = "../../docs/reference/protocol.md"
	tableBegin = "<!-- fields: made by go test ./match/view -update -->\n"
	tableEnd   = "<!-- end of fields -->\n"
)

// The page's table equals the code's.
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
	if table == fieldTable() {
		return
	}
	if !*update {
		t.Fatalf("%s has another table than the code: run go test ./match/view -update", page)
	}
	if err := os.WriteFile(page, []byte(head+tableBegin+fieldTable()+tableEnd+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

var roleWords = [...]string{"server", "owner predicts", "all compute"}

// fieldTable returns the table in Markdown.
func fieldTable() string {
	var b strings.Builder
	b.WriteString("| field | who may know it | of | sent | how exact | computed in between by | turn | droppable |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	row := func(of string, f *Field) {
		name := of + strings.Join(f.Schema(), ", "+of)
		for _, s := range f.Sent {
			drop := "no"
			if s.Droppable {
				drop = "yes"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %d | %s |\n", name, f.Audience, s.Of, s.When, s.Exact, roleWords[s.Role], s.Turn, drop)
		}
	}
	for i := range Fields {
		if row("", &Fields[i]); Fields[i].Name == "own" {
			for k := range OwnFields {
				row("own.", &OwnFields[k])
			}
		}
	}
	return b.String()
}

package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
)

var update = flag.Bool("update", false, "write the table of docs/reference/configuration.md")

// serveFlags asks the command line's parser for the flags of `fogkeep serve`.
func serveFlags(t *testing.T) []*kong.Flag {
	t.Helper()
	k, err := kong.New(&server.Config{}, kong.Name("serve"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*kong.Flag
	for _, f := range k.Model.Flags {
		if f.Name != "help" {
			out = append(out, f)
		}
	}
	return out
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// TestPageHasTheFlags: docs/reference/configuration.md has every flag of the server, its variable and default.
func TestPageHasTheFlags(t *testing.T) {
	const begin, end = "<!-- flags: made by go test ./internal/docs -run TestPageHasTheFlags -update -->\n", "<!-- end of flags -->"
	var table strings.Builder
	table.WriteString("| flag | variable | default | what it does |\n| --- | --- | --- | --- |\n")
	for _, f := range serveFlags(t) {
		value := f.Default
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&table, "| `--%s` | `%s` | %s | %s |\n", f.Name, strings.Join(f.Envs, "`, `"), value, cell(f.Help))
	}
	file := filepath.Join(root, "docs/reference/configuration.md")
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	was, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/reference/configuration.md has no place for the table")
	}
	if was == table.String() {
		return
	}
	if !*update {
		t.Fatal("docs/reference/configuration.md is stale: run make gen")
	}
	if err := os.WriteFile(file, []byte(before+begin+table.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

package budget

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the table of docs/limits.md")

const (
	page  = "../../docs/limits.md"
	begin = "<!-- limits: made by go test ./internal/budget -update -->\n"
	end   = "<!-- end of limits -->"
)

// TestPageHasTheTable holds docs/limits.md to the table in the code.
func TestPageHasTheTable(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table: %s … %s", page, begin, end)
	}
	want := before + begin + table() + end + after
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the table says: run go test ./internal/budget -update", page)
	}
	if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func table() string {
	var b strings.Builder
	fmt.Fprintln(&b, "| resource | how it is counted | account | address | process | who notices | why | metrics |")
	fmt.Fprintln(&b, "| --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, l := range Defaults() {
		fmt.Fprintf(&b, "| `%s` | %s |", l.Resource, how(l))
		for _, s := range []Scope{Account, Address, Process} {
			fmt.Fprintf(&b, " %s |", cell(l, s))
		}
		metrics := "refused"
		if l.Kind == Held {
			metrics = "taken, refused"
		}
		fmt.Fprintf(&b, " %s | %s | %s |\n", l.Notices, l.Why, metrics)
	}
	return b.String()
}

// cell shows a limit, and the limit that contains it.
func cell(l Limit, s Scope) string {
	text, p := number(l.Most[s], l.Unit), l.part
	if s == Process && rows().Of(l.Resource).Most[s] == factor {
		return fmt.Sprintf("%s (%d × address)", text, l.Most[s]/l.Most[Address])
	}
	if !slices.Contains(p.scopes, s) {
		return text
	}
	share := ""
	switch {
	case p.of > 1:
		share = fmt.Sprintf("%d/%d of ", p.times, p.of)
	case p.times > 1:
		share = fmt.Sprintf("%d × ", p.times)
	}
	return fmt.Sprintf("%s (%s`%s`)", text, share, p.base)
}

func how(l Limit) string {
	switch l.Kind {
	case Held:
		return l.Unit + " at once"
	case Rate:
		return l.Unit + " in " + per(l.Per)
	default:
		return l.Unit + " in " + per(l.Per) + ", in the database"
	}
}

func per(d time.Duration) string { return spell(d) }

func number(n int64, unit string) string {
	switch {
	case n == 0:
		return "–"
	case unit == "bytes" && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case unit == "bytes":
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprint(n)
}

// Every row is complete: it makes a refusal, and its shared limits grow with the number
// of sharers.
func TestRowsAreComplete(t *testing.T) {
	seen := map[Resource]bool{}
	for _, l := range Defaults() {
		if seen[l.Resource] {
			t.Errorf("%s stands twice", l.Resource)
		}
		seen[l.Resource] = true
		if l.What == "" || l.Unit == "" || l.Why == "" || l.Notices == "" || (l.Kind != Held) != (l.Per > 0) {
			t.Errorf("%s: the row is not complete", l.Resource)
		}
		last, any := int64(0), false
		for s := Address; s < scopes; s++ {
			if n := l.Most[s]; n > 0 {
				if n < last {
					t.Errorf("%s: %s may have less than what it holds", l.Resource, s)
				}
				last, any = n, true
			}
		}
		if !any && l.Most[Account] == 0 {
			t.Errorf("%s has no limit", l.Resource)
		}
	}
}

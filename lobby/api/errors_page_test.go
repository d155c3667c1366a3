package api

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/orders"
)

// TestPageHasTheCodes: docs/reference/errors.md has every code of an answer to a request and to an order.
func TestPageHasTheCodes(t *testing.T) {
	const page = "../../docs/reference/errors.md"
	var requests, answers strings.Builder
	requests.WriteString("| code | status | meaning |\n| --- | --- | --- |\n")
	for _, c := range model.Codes {
		fmt.Fprintf(&requests, "| `%s` | %d | %s |\n", c.Code, c.Status, c.Text)
	}
	answers.WriteString("| number | code | meaning |\n| --- | --- | --- |\n")
	for _, r := range orders.Table {
		fmt.Fprintf(&answers, "| %d | `%s` | %s |\n", r.Code, r.Name, r.Why)
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, table := range map[string]string{"requests": requests.String(), "orders": answers.String()} {
		begin := "<!-- " + name + ": made by go test ./lobby/api -run TestPageHasTheCodes -update -->\n"
		head, rest, ok := strings.Cut(text, begin)
		_, tail, ok2 := strings.Cut(rest, "<!-- end of "+name+" -->\n")
		if !ok || !ok2 {
			t.Fatalf("%s has no place for the table of %s", page, name)
		}
		text = head + begin + table + "<!-- end of " + name + " -->\n" + tail
	}
	if text == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s has other tables than the code: run go test ./lobby/api -run TestPageHasTheCodes -update", page)
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

package bench

import (
	"strings"
	"testing"
)

// A report is one JSON object, or the same for a person: lines, and a table of each list
// of objects.
func TestReportsArePrinted(t *testing.T) {
	type row struct {
		Name string  `json:"name"`
		Ms   float64 `json:"ms"`
		Note string  `json:"note,omitempty"`
		In   []row   `json:"in,omitempty"`
	}
	report := struct {
		Ticks int            `json:"ticks"`
		Share float64        `json:"share"`
		Short []string       `json:"short"`
		Parts map[string]int `json:"parts"`
		Rows  []row          `json:"rows"`
	}{200, 0.123456, []string{"a", "b"}, map[string]int{"x": 1, "y": 2}, []row{
		{"first", 1234.56, "", []row{{Name: "inner"}}}, {"second", 2, "late", nil},
	}}
	var out strings.Builder
	if err := (asJSON{true}).print(&out, &report); err != nil {
		t.Fatal(err)
	}
	if want := `{"ticks":200,"share":0.123456,"short":["a","b"],"parts":{"x":1,"y":2},"rows":[{"name":"first","ms":1234.56,"in":[{"name":"inner","ms":0}]},{"name":"second","ms":2,"note":"late"}]}` + "\n"; out.String() != want {
		t.Errorf("as JSON:\n%s", out.String())
	}
	out.Reset()
	if err := (asJSON{}).print(&out, &report); err != nil {
		t.Fatal(err)
	}
	got := ""
	for line := range strings.Lines(out.String()) {
		got += strings.Join(strings.Fields(line), " ") + "\n"
	}
	if want := `ticks 200
share 0.1235
short a, b
parts.x 1
parts.y 2

rows.1.in name ms
1 inner 0

rows name ms note
1 first 1235
2 second 2 late
`; got != want {
		t.Errorf("for a person:\n%s", got)
	}
}

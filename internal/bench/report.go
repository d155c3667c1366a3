package bench

import (
	"encoding/json"
	"io"
)

// asJSON is the flag of every bench that has a report.
type asJSON struct {
	JSON bool `name:"json" help:"Write one JSON object on one line. Without it each value has a line of its own."`
}

// print writes a report.
func (j asJSON) print(w io.Writer, report any) error {
	e := json.NewEncoder(w)
	if !j.JSON {
		e.SetIndent("", "  ")
	}
	return e.Encode(report)
}

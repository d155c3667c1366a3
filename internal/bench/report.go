package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// asJSON is the flag of every bench that has a report.
type asJSON struct {
	JSON bool `name:"json" help:"Write one JSON object."`
}

// print writes a report: as a JSON object, or the same keys and values as lines, and as a
// table where the value is a list of objects.
func (j asJSON) print(w io.Writer, report any) error {
	b, err := json.Marshal(report)
	if err != nil {
		return err
	}
	if j.JSON {
		_, err := w.Write(append(b, '\n'))
		return err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var lines sheet
	if err := lines.read(d, ""); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, key := range lines.keys {
		fmt.Fprintf(t, "%s\t%s\n", key, lines.values[i])
	}
	for _, of := range lines.tables {
		fmt.Fprintf(t, "\n%s\t%s\n", of.name, strings.Join(of.keys(), "\t"))
		for i, row := range of.rows {
			fmt.Fprint(t, i+1)
			for _, key := range of.keys() {
				fmt.Fprint(t, "\t", row.value(key))
			}
			fmt.Fprintln(t)
		}
	}
	return t.Flush()
}

// sheet is the content of a JSON value: the values in it by their keys, and its lists of
// objects.
type sheet struct {
	keys, values []string
	tables       []table
}

type table struct {
	name string
	rows []sheet
}

// keys returns the keys of all rows, as they first come.
func (t *table) keys() (out []string) {
	has := map[string]bool{}
	for _, row := range t.rows {
		for _, key := range row.keys {
			if !has[key] {
				has[key] = true
				out = append(out, key)
			}
		}
	}
	return out
}

func (s *sheet) value(key string) string {
	for i, k := range s.keys {
		if k == key {
			return s.values[i]
		}
	}
	return ""
}

// read takes in the next value of d, whose key is key. Keys in an object follow its own.
func (s *sheet) read(d *json.Decoder, key string) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	default:
		s.add(key, shown(token))
		return nil
	case json.Delim('{'):
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return err
			}
			if err := s.read(d, strings.TrimPrefix(key+"."+name.(string), ".")); err != nil {
				return err
			}
		}
	case json.Delim('['):
		var plain []string
		list := table{name: key}
		for d.More() {
			var row sheet
			if err := row.read(d, ""); err != nil {
				return err
			}
			if len(row.keys) == 1 && row.keys[0] == "" {
				plain = append(plain, row.values[0])
				continue
			}
			for _, inner := range row.tables {
				s.tables = append(s.tables, table{fmt.Sprintf("%s.%d.%s", key, len(list.rows)+1, inner.name), inner.rows})
			}
			list.rows = append(list.rows, row)
		}
		if len(list.rows) > 0 {
			s.tables = append(s.tables, list)
		} else {
			s.add(key, strings.Join(plain, ", "))
		}
	}
	_, err = d.Token() // the end
	return err
}

func (s *sheet) add(key, value string) {
	s.keys, s.values = append(s.keys, key), append(s.values, value)
}

// shown is a plain value, numbers with four digits at least.
func shown(token json.Token) string {
	if n, ok := token.(json.Number); ok && strings.Contains(n.String(), ".") {
		if f, err := n.Float64(); err == nil {
			if f >= 1000 || f <= -1000 {
				return strconv.FormatFloat(f, 'f', 0, 64)
			}
			return strconv.FormatFloat(f, 'g', 4, 64)
		}
	}
	return fmt.Sprint(token)
}

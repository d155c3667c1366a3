package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// pages lists the pages with figures.
var pages = []string{"docs/contributing/performance.md", "docs/contributing/vision.md", "docs/contributing/client.md", "docs/contributing/matchmaking.md", "docs/reference/bots.md", "docs/operate/sizing.md", "README.md"}

//go:embed sections.tmpl
var sectionsText string

var place = regexp.MustCompile(`(?s)(<!-- figures: ([a-z0-9 ]+) -->\n?)(.*?)(<!-- end of figures -->)`)

// fill writes every place for figures anew.
func fill(text string, kept record) (string, error) {
	sections, err := kept.sections()
	if err != nil {
		return "", err
	}
	var wrong error
	out := place.ReplaceAllStringFunc(text, func(s string) string {
		m := place.FindStringSubmatch(s)
		var text strings.Builder
		if err := sections.ExecuteTemplate(&text, m[2], kept); err != nil {
			wrong = fmt.Errorf("the figures %q: %w", m[2], err)
			return s
		}
		return m[1] + text.String() + m[4]
	})
	if wrong == nil && strings.Count(text, "<!-- figures:") != len(place.FindAllString(text, -1)) {
		wrong = fmt.Errorf("a place for figures is not closed")
	}
	return out, wrong
}

// values is a run's result, flat: nested members are joined with a slash, yes is 1.
type values map[string]float64

func (k record) run(name string) (run, values) {
	for _, r := range k.Runs {
		if r.Name == name {
			var v any
			if err := json.Unmarshal(r.Result, &v); err != nil {
				panic(fmt.Sprintf("%s: run %s: %v", recordFile, name, err))
			}
			out := values{}
			flatten(out, "", v)
			return r, out
		}
	}
	panic(fmt.Sprintf("%s has no run %s: run make figures", recordFile, name))
}

// of returns a value that has to be there: of a key, or the ratio (by), the product
// (times) or the sum (and) of several.
func (v values) of(run, key string) (float64, error) {
	for word, do := range map[string]func(a, b float64) float64{
		" by ": func(a, b float64) float64 { return a / b }, " times ": func(a, b float64) float64 { return a * b }, " and ": func(a, b float64) float64 { return a + b },
	} {
		if at := strings.LastIndex(key, word); at >= 0 {
			a, err := v.of(run, key[:at])
			b, err2 := v.of(run, key[at+len(word):])
			return do(a, b), errors.Join(err, err2)
		}
	}
	x, ok := v[key]
	if !ok {
		return 0, fmt.Errorf("%s: run %s has no %s", recordFile, run, key)
	}
	return x, nil
}

func flatten(out values, key string, v any) {
	switch v := v.(type) {
	case float64:
		out[key] = v
	case bool:
		out[key] = 0
		if v {
			out[key] = 1
		}
	case map[string]any:
		for k, x := range v {
			flatten(out, strings.TrimPrefix(key+"/"+k, "/"), x)
		}
	case []any:
		for i, x := range v {
			flatten(out, key+"/"+strconv.Itoa(i), x)
		}
	}
}

// num writes a figure with three digits or more, and whole thousands apart.
func num(v float64) string {
	a := math.Abs(v)
	switch {
	case v == math.Trunc(v) || a >= 100:
		s := strconv.FormatFloat(math.Round(a), 'f', 0, 64)
		for i := len(s) - 3; i > 0; i -= 3 {
			s = s[:i] + "," + s[i:]
		}
		if v < 0 {
			s = "-" + s
		}
		return s
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 0.1:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// caption says how runs came to be.
func caption(runs ...run) string {
	var b strings.Builder
	b.WriteString("\n")
	for _, r := range runs {
		fmt.Fprintf(&b, "- `%s`, commit `%s`, %s, load %.1f before it", r.Command, r.Commit, r.Date, r.Load)
		if r.Machine != nil {
			fmt.Fprintf(&b, ", on an earlier machine (%s, %d cores)", r.Machine.CPU, r.Machine.Cores)
		}
		if r.Short {
			b.WriteString("; **short**: not the bench's own settings")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// sections returns the templates of the places for figures, which read the record.
func (k record) sections() (*template.Template, error) {
	scaled := func(name, key string, scale ...float64) (float64, error) {
		_, v := k.run(name)
		x, err := v.of(name, key)
		return x * factor(scale), err
	}
	target := func(most bool) func(label, name, key string, target, scale float64, before string) (string, error) {
		return func(label, name, key string, target, scale float64, before string) (string, error) {
			x, err := scaled(name, key, scale)
			r, _ := k.run(name)
			bound, verdict := "at least ", x >= target
			if most {
				bound, verdict = "at most ", x <= target
			}
			reached := map[bool]string{true: "yes", false: "no"}[verdict]
			if r.Short {
				reached = "a short run does not tell"
			}
			return line(label, bound+num(target), before, num(x), reached), err
		}
	}
	return template.New("").Funcs(template.FuncMap{
		"names": func(names ...string) []string { return names },
		"caption": func(names []string) string {
			var runs []run
			for _, name := range names {
				r, _ := k.run(name)
				runs = append(runs, r)
			}
			return caption(runs...)
		},
		"num":     func(x any, scale ...float64) string { return num(number(x) * factor(scale)) },
		"rounded": func(x any, scale ...float64) string { return num(math.Round(number(x) * factor(scale))) },
		"n": func(name, key string, scale ...float64) (string, error) {
			x, err := scaled(name, key, scale...)
			return num(x), err
		},
		"whole": func(name, key string, scale ...float64) (string, error) {
			x, err := scaled(name, key, scale...)
			return num(math.Round(x)), err
		},
		"result": func(name string) (v any, err error) {
			r, _ := k.run(name)
			return v, json.Unmarshal(r.Result, &v)
		},
		"atMost": target(true), "atLeast": target(false),
		"head": func(names []string) string {
			return line(append([]string{""}, names...)...) + "|" + strings.Repeat(" --- |", len(names)+1) + "\n"
		},
		"row": func(names []string, label, key string, scale float64) string { // none, if no run measured it
			cells, some := []string{label}, false
			for _, name := range names {
				text := ""
				if x, err := scaled(name, key, scale); err == nil {
					text, some = num(x), true
				}
				cells = append(cells, text)
			}
			if !some {
				return ""
			}
			return line(cells...)
		},
		"sight": func(label, key string) (string, error) {
			x, err := scaled("vision", "Vision/"+key)
			of, err2 := scaled("vision", "Vision/refcount-r8/ns/move")
			return line(label, num(x), num(x/of)), errors.Join(err, err2)
		},
		"parts":   func(name string) []part { return k.parts(name) },
		"under":   func(s string) string { return strings.ReplaceAll(s, " ", "_") },
		"spaced":  func(s, prefix string) string { return strings.ReplaceAll(strings.TrimPrefix(s, prefix), "_", " ") },
		"pair":    func(s string) string { return strings.Replace(s, "-", ", ", 1) },
		"minutes": func(seconds float64) string { return fmt.Sprintf("%d:%02d", int(seconds)/60, int(seconds)%60) },
	}).Parse(sectionsText)
}

// number is a number of a result; an unmeasured number is 0.
func number(x any) float64 {
	switch x := x.(type) {
	case float64:
		return x
	case int:
		return float64(x)
	}
	return 0
}

// factor is the scale, if there is one.
func factor(scale []float64) float64 {
	if len(scale) == 0 {
		return 1
	}
	return scale[0]
}

// line is a line of a table.
func line(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// part is a part of a client's messages: bytes and rows per second.
type part struct {
	Name        string
	Bytes, Rows float64
}

// Each is the bytes of a row.
func (p part) Each() float64 { return p.Bytes / p.Rows }

// parts returns the parts of a run, the largest first.
func (k record) parts(name string) (parts []part) {
	_, v := k.run(name)
	for key, bytes := range v {
		if p, ok := strings.CutPrefix(key, "parts/"); ok {
			parts = append(parts, part{p, bytes, v["rows/"+p]})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name)) })
	return parts
}

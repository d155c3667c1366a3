package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// gotestsum runs suites of Go tests by bin/gotestsum and reads the report of each.
type gotestsum struct {
	root, reports string // folders: of the repository, of the reports

	mu   sync.Mutex
	maps int // real maps that a test read
}

func (g *gotestsum) String() string {
	if g.maps == 0 {
		return "real maps: none (set FOGKEEP_TEST_MAPS to a folder that has some)"
	}
	return fmt.Sprintf("real maps: %d", g.maps)
}

// suite returns the suite of a `go test` of these packages with these flags. Its vet is
// the suite "go vet".
func (g *gotestsum) suite(name string, packages []string, flags ...string) suite {
	report := filepath.Join(g.reports, strings.ReplaceAll(name, " ", "_")+".xml")
	return suite{
		name: name,
		argv: slices.Concat([]string{filepath.Join(g.root, "bin", "gotestsum"), "--format=pkgname", "--format-hide-empty-pkg",
			"--junitfile=" + report, "--packages=" + strings.Join(packages, " "), "--", "-timeout", "30m", "-vet=off"}, flags),
		read: func(r io.Reader, w io.Writer) result {
			_, _ = io.Copy(w, r) // to the end of the process: now the report is there
			c, err := g.count(report, w)
			if err != nil {
				fmt.Fprintf(w, "   %s: %v\n", name, err)
				c.fail(err.Error())
			}
			return c
		},
	}
}

// count counts the tests and subtests of a report that have no subtests of their own.
func (g *gotestsum) count(report string, w io.Writer) (r result, err error) {
	raw, err := os.ReadFile(report)
	if err != nil {
		return r, err
	}
	var all struct {
		Cases []struct {
			Package    string    `xml:"classname,attr"`
			Name       string    `xml:"name,attr"`
			Seconds    float64   `xml:"time,attr"`
			Failure    *string   `xml:"failure"`
			Skipped    *struct{} `xml:"skipped"`
			Properties []struct {
				Name  string `xml:"name,attr"`
				Value string `xml:"value,attr"`
			} `xml:"properties>property"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(raw, &all); err != nil {
		return r, fmt.Errorf("%s: %w", report, err)
	}
	parents := map[string]bool{}
	for _, t := range all.Cases {
		if i := strings.LastIndexByte(t.Name, '/'); i >= 0 {
			parents[t.Package+" "+t.Name[:i]] = true
		}
	}
	var slow slowest
	for _, t := range all.Cases {
		key := t.Package + " " + t.Name
		if !strings.Contains(t.Name, "/") {
			slow = append(slow, timed{key, t.Seconds})
		}
		for _, p := range t.Properties {
			if n, err := strconv.Atoi(p.Value); err == nil && p.Name == "real-maps" {
				g.mu.Lock()
				g.maps = max(g.maps, n)
				g.mu.Unlock()
			}
		}
		if parents[key] {
			continue
		}
		switch {
		case t.Failure != nil:
			r.fail(key + "\n" + indent(*t.Failure))
		case t.Skipped != nil:
			r.skipped++
		default:
			r.passed++
		}
	}
	slow.print(w)
	return r, nil
}

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed switch.go.txt
var switchSource string

// maxBuilds bounds how often a package is built again without mutants that do
// not compile.
const maxBuilds = 12

// built is a target with all mutants compiled in.
type built struct {
	mutants []mutant
	bins    []testBinary
}

// testBinary has the tests of one package, with the mutants of the target.
type testBinary struct {
	pkg   string
	path  string
	flags []string
}

// noFailFile is a flag of test binaries with property tests.
const noFailFile = "-rapid.nofailfile"

type listed struct {
	ImportPath, Dir, Export, Name string
	GoFiles                       []string
}

// list asks the go command about packages.
func list(root string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Export,Name,GoFiles"}, args...)...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", strings.Join(args, " "), err)
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
}

// source is a package, read and checked.
type source struct {
	target
	self  listed
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// load reads and checks the package of a target.
func load(root string, t target) (*source, error) {
	deps, err := list(root, "-export", "-deps", "./"+t.pkg)
	if err != nil {
		return nil, err
	}
	s := &source{target: t, self: deps[len(deps)-1], fset: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	for _, want := range t.files {
		if !slices.Contains(s.self.GoFiles, want) {
			return nil, fmt.Errorf("%s has no file %s: targets.go is out of date", t.pkg, want)
		}
	}
	exports := map[string]string{}
	for _, d := range deps {
		exports[d.ImportPath] = d.Export
	}
	for _, name := range s.self.GoFiles {
		f, err := parser.ParseFile(s.fset, filepath.Join(s.self.Dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	imp := importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	_, err = (&types.Config{Importer: imp}).Check(s.self.ImportPath, s.fset, s.files, s.info)
	return s, err
}

// plans makes the plan of each file that is mutated. count is one more than the
// highest number of a mutant.
func (s *source) plans(dropped map[int]bool) (all []*plan, count int, err error) {
	count = 1
	for i, name := range s.self.GoFiles {
		if len(s.target.files) > 0 && !slices.Contains(s.target.files, name) || ast.IsGenerated(s.files[i]) {
			continue
		}
		src, err := os.ReadFile(filepath.Join(s.self.Dir, name))
		if err != nil {
			return nil, 0, err
		}
		p := &plan{pkg: s.pkg, name: name, src: src, fset: s.fset, info: s.info, next: count, dropped: dropped}
		p.file(s.files[i])
		count = p.next
		all = append(all, p)
	}
	return all, count, nil
}

// build compiles the test binaries of a target into dir.
func build(root, dir string, t target) (*built, error) {
	s, err := load(root, t)
	if err != nil {
		return nil, err
	}
	dropped := map[int]bool{}
	for range maxBuilds {
		b := &built{}
		over, err := s.overlay(dir, dropped, b)
		if err != nil {
			return nil, err
		}
		out, err := goBuild(root, over, t.pkg)
		if err == nil {
			return b, b.tests(root, dir, over, t)
		}
		n := len(dropped)
		if err := drop(dropped, root, out); err != nil {
			return nil, err
		}
		if len(dropped) == n {
			return nil, fmt.Errorf("%s does not build with its mutants:\n%s", t.pkg, out)
		}
	}
	return nil, fmt.Errorf("%s: mutants that do not compile after %d builds", t.pkg, maxBuilds)
}

// overlay writes the switched files into dir, and the overlay file for the go command.
func (s *source) overlay(dir string, dropped map[int]bool, b *built) (string, error) {
	plans, count, err := s.plans(dropped)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	put := func(name string, text []byte) error {
		to := filepath.Join(dir, name)
		replace[filepath.Join(s.self.Dir, name)] = to
		return os.WriteFile(to, text, 0o600)
	}
	for _, p := range plans {
		b.mutants = append(b.mutants, p.mutants...)
		if err := put(p.name, p.source()); err != nil {
			return "", err
		}
	}
	sw := strings.NewReplacer("PACKAGE", s.self.Name, "COUNT", strconv.Itoa(count)).Replace(switchSource)
	if err := put("mutation_switch.go", []byte(sw)); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	over := filepath.Join(dir, "overlay.json")
	return over, os.WriteFile(over, text, 0o600)
}

// tests builds the test binaries.
func (b *built) tests(root, dir, over string, t target) error {
	for _, pkg := range t.tests {
		bin := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-")+".test")
		cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", over, "-o", bin, "./"+pkg)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("tests of %s with the mutants of %s do not build: %w\n%s", pkg, t.pkg, err, out)
		}
		if _, err := os.Stat(bin); err != nil {
			continue // a package without tests has none
		}
		tb := testBinary{pkg: pkg, path: bin}
		// A property that fails under a mutant must leave no file beside the sources.
		if _, err := run(context.Background(), root, tb, nil, noFailFile, "-test.run", "^$"); err == nil {
			tb.flags = []string{noFailFile}
		}
		b.bins = append(b.bins, tb)
	}
	return nil
}

func goBuild(root, overlay, pkg string) (string, error) {
	cmd := exec.Command("go", "build", "-gcflags=-e", "-overlay", overlay, "./"+pkg)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
}

var (
	errorLine   = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)
	mutantCalls = regexp.MustCompile(`mutation\w*\((\d+)(?:, (\d+),)?`)
)

// drop notes the mutants of the lines that the compiler complains of.
func drop(dropped map[int]bool, root, out string) error {
	for _, m := range errorLine.FindAllStringSubmatch(out, -1) {
		name := m[1]
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		src, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		line, _ := strconv.Atoi(m[2])
		lines := strings.Split(string(src), "\n")
		if line < 1 || line > len(lines) {
			continue
		}
		for _, c := range mutantCalls.FindAllStringSubmatch(lines[line-1], -1) {
			for _, n := range c[1:] {
				if id, err := strconv.Atoi(n); err == nil && id > 0 {
					dropped[id] = true
				}
			}
		}
	}
	return nil
}

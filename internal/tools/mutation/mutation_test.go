package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const sample1 = `package sample

// Clamp keeps n between lo and hi.
func Clamp(n, lo, hi int) int {
	if n < lo {
		n = lo
	}
	if n > hi {
		return hi
	}
	return n
}

func Both(a, b bool) bool { return a && (b || !a) }

type bits uint8

func (s *bits) add(n uint) {
	*s |= 1 << n
	for i := 0; i < 2; i++ {
		if *s&1 == 0 {
			continue
		}
		panicIf(len("x") > 3)
	}
}

func panicIf(bad bool) {
	if bad {
		panic("bad")
	}
}

func (s bits) String() string {
	if s == 0 {
		return "none"
	}
	return "some"
}
`

func planned(t *testing.T, src string) *plan {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "sample.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := (&types.Config{Importer: importer.Default()}).Check("sample", fset, []*ast.File{f}, info); err != nil {
		t.Fatal(err)
	}
	p := &plan{pkg: "sample", name: "sample.go", src: []byte(src), fset: fset, info: info, next: 1}
	p.file(f)
	return p
}

func TestMutantsOfASample(t *testing.T) {
	var got []string
	for _, m := range planned(t, sample1).mutants {
		got = append(got, m.fn+": "+m.what+": "+m.text)
	}
	want := []string{
		"Clamp: boundary of <: n < lo",
		"Clamp: negated: n < lo",
		"Clamp: assignment left out: n = lo",
		"Clamp: boundary of >: n > hi",
		"Clamp: negated: n > hi",
		"Clamp: return left out: return hi",
		"Both: left side of && left out: a && (b || !a)",
		"Both: right side of && left out: a && (b || !a)",
		"Both: left side of || left out: b || !a",
		"Both: right side of || left out: b || !a",
		"bits.add: assignment left out: *s |= 1 << n",
		"bits.add: boundary of <: i < 2",
		"bits.add: negated: i < 2",
		"bits.add: negated: *s&1 == 0",
		"bits.add: & becomes |: *s&1",
		"bits.add: continue left out: continue",
		"bits.add: call left out: panicIf(len(\"x\") > 3)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("mutants\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A module with a test that notices only some of its mutants: the whole
// way, from the source to the verdicts.
func TestEachMutantIsTriedAlone(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module sample\n\ngo 1.26\n")
	write("clamp/clamp.go", strings.Replace(sample1, "package sample", "package clamp", 1))
	write("clamp/clamp_test.go", `package clamp

import "testing"

func TestClamp(t *testing.T) {
	if Clamp(1, 2, 3) != 2 || Clamp(5, 2, 3) != 3 || Clamp(4, 0, 9) != 4 {
		t.Fatal("wrong")
	}
}

func TestBothOfTrue(t *testing.T) {
	if !Both(true, true) {
		t.Fatal("wrong")
	}
}
`)
	dir := t.TempDir()
	b, err := build(root, dir, target{pkg: "clamp", tests: []string{"clamp"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := measure(root, dir, b, 1<<40, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]verdict{}
	tryAll(root, b, r, b.mutants, 2, func(m *mutant, v verdict) { got[m.fn+": "+m.what+": "+m.text] = v })
	for key, want := range map[string]verdict{
		"Clamp: negated: n < lo":                         killed,
		"Clamp: assignment left out: n = lo":             killed,
		"Clamp: return left out: return hi":              killed,
		"Clamp: boundary of <: n < lo":                   survived, // the same function
		"Both: left side of && left out: a && (b || !a)": notReached,
		"Both: left side of || left out: b || !a":        killed,
		"bits.add: negated: i < 2":                       notReached,
	} {
		if v, ok := got[key]; !ok || v != want {
			t.Errorf("%s: %d (there: %v), want %d", key, v, ok, want)
		}
	}
	if src, err := os.ReadFile(filepath.Join(root, "clamp/clamp.go")); err != nil || strings.Contains(string(src), "mutation") {
		t.Error("the source on disk was changed")
	}
}

// Mutants that the compiler refuses are left out, and the rest is built.
func TestMutantsThatDoNotCompileAreDropped(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.go")
	if err := os.WriteFile(name, []byte("package x\n\nvar a = mutationLess(3, 4, 1, b) && mutation(5)\nvar c = mutation(6)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dropped := map[int]bool{}
	if err := drop(dropped, dir, "# x\n./x.go:3:9: mismatched types\n"); err != nil {
		t.Fatal(err)
	}
	if !dropped[3] || !dropped[4] || !dropped[5] || dropped[6] {
		t.Errorf("dropped %v, want 3, 4, 5", dropped)
	}
}

// Every target exists, and its mutants compile as planned: each line of survivors.txt is a mutant of today's code.
func TestTargetsAndSurvivorsAreOfTodaysCode(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	known, err := survivors(survivorsText)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, tg := range targets {
		ms, err := mutantsOf(root, tg)
		if err != nil {
			t.Errorf("%s: %v", tg.pkg, err)
			continue
		}
		if len(ms) == 0 {
			t.Errorf("%s has no mutants", tg.pkg)
		}
		for i := range ms {
			keys[ms[i].key()] = true
		}
	}
	for key := range known {
		if !keys[key] {
			t.Errorf("survivors.txt lists what is not a mutant: %s", key)
		}
	}
}

func TestASurvivorNeedsAReason(t *testing.T) {
	if _, err := survivors("a/b.go f: negated: x\n"); err == nil {
		t.Error("taken without a reason")
	}
	got, err := survivors("# comment\n\na/b.go f: negated: x # the same\n")
	if err != nil || got["a/b.go f: negated: x"] != "the same" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestASampleIsOfTheListAndRepeatable(t *testing.T) {
	all := make([]mutant, 50)
	for i := range all {
		all[i].id = i + 1
	}
	a, b := sample(all, 10, 7), sample(all, 10, 7)
	if len(a) != 10 || !slices.Equal(a, b) || !slices.IsSortedFunc(a, func(x, y mutant) int { return x.id - y.id }) {
		t.Errorf("sample %v and %v", a, b)
	}
	if len(sample(all, 0, 1)) != 50 || len(sample(all, 99, 1)) != 50 {
		t.Error("0 and more than there are mean all")
	}
}

// mutantsOf returns the mutants of a target, without building them.
func mutantsOf(root string, t target) ([]mutant, error) {
	s, err := load(root, t)
	if err != nil {
		return nil, err
	}
	plans, _, err := s.plans(nil)
	var ms []mutant
	for _, p := range plans {
		ms = append(ms, p.mutants...)
	}
	return ms, err
}

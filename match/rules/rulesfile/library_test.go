package rulesfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/rules/rulesfile"
)

// duel is a ruleset that can be played.
const duel = `{
  "name": "duel",
  "start": [{"type": "hall", "count": 1}],
  "types": [{"name": "hall", "class": "structure", "width": 2, "height": 2, "centre": true, "health": 100}]
}`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	p := filepath.Join(dir, name)
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// A folder's good files are in the library beside what ships, by their names; each
// bad file is left out with an error that names it and the place.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "duel.json", duel)
	write(t, dir, "duel_2.json", strings.Replace(duel, "100", "200", 1))
	write(t, dir, "notes.txt", "no ruleset")
	if err := os.Mkdir(filepath.Join(dir, "older"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "older"), "gone.json", duel)
	want := map[string]string{
		write(t, dir, "bad.json", strings.Replace(duel, `"centre": true`, "\n\"centre\": 7", 1)): ":5: ",
		write(t, dir, "broken.json", duel[:40]):                                                  ":3:21: /start/0/type: the file ends too early",
		write(t, dir, "huge.json", strings.Repeat(" ", rules.RulesBytesMax)+duel):                "at most",
		write(t, dir, "Upper Case.json", duel):                                                   "rename the file",
		write(t, dir, strings.Repeat("x", 41)+".json", duel):                                     "rename the file",
		write(t, dir, "skirmish.json", duel):                                                     "another ruleset has the name",
		write(t, dir, "empty.json", ""):                                                          ":1: the file is empty",
		write(t, dir, "deep.json", strings.Repeat("[", 1000)):                                    "nested deeper",
		write(t, dir, "float.json", strings.Replace(duel, `"health": 100`, `"health": 1e99`, 1)): ":4: ",
		write(t, dir, "nul.json", "\x00\x01\x02"):                                                ":1:1: the control character U+0000",
	}
	folder := filepath.Join(dir, "folder.json")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	want[folder] = "no file"
	l, refused, err := rulesfile.OpenLibrary(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := l.IDs(); !slices.Equal(got, []string{"arsenal", "skirmish", "duel", "duel_2"}) {
		t.Errorf("the library has %v", got)
	}
	a, ok := l.ByID("duel")
	b, _ := l.ByID("duel_2")
	if !ok || a.Shipped || a.Rules.Types[0].Health != 100 || a.Rules.Hash == b.Rules.Hash || !bytes.Equal(a.Rules.Source, []byte(duel)) {
		t.Errorf("duel is %+v", a)
	}
	if s, _ := l.ByID("skirmish"); !s.Shipped || len(s.Rules.Types) < 2 {
		t.Errorf("the shipped ruleset was replaced: %+v", s)
	}
	if len(refused) != len(want) {
		t.Errorf("%d files are refused, want %d: %v", len(refused), len(want), refused)
	}
	for file, why := range want {
		if !slices.ContainsFunc(refused, func(err error) bool {
			return strings.Contains(err.Error(), file) && strings.Contains(err.Error(), why) && !strings.Contains(err.Error(), "\n")
		}) {
			t.Errorf("%s: no error of %v names it and says %q", file, refused, why)
		}
	}
}

func TestFolderThatIsNotThere(t *testing.T) {
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "none")} {
		l, refused, err := rulesfile.OpenLibrary(dir)
		if err != nil || len(refused) > 0 || len(l.List()) != len(rules.ShippedNames()) {
			t.Errorf("%q: %v, %v, %v", dir, l, refused, err)
		}
	}
	if _, _, err := rulesfile.OpenLibrary(write(t, t.TempDir(), "file", "")); err == nil {
		t.Error("a file is taken for a folder")
	}
}

// There are never more than LibraryMax.
func TestFullLibrary(t *testing.T) {
	dir := t.TempDir()
	for i := range rulesfile.LibraryMax + 10 {
		write(t, dir, fmt.Sprintf("r%03d.json", i), duel)
	}
	l, refused, err := rulesfile.OpenLibrary(dir)
	if err != nil || len(l.List()) != rulesfile.LibraryMax || len(refused) != 1 || !strings.Contains(refused[0].Error(), "left out") {
		t.Errorf("%d rulesets, %v, %v", len(l.List()), refused, err)
	}
	rs, err := rules.Parse("duel", []byte(duel))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add("one-more", rs); err == nil {
		t.Error("one more is taken")
	}
}

// Rules that a program adds obey the same rules of names.
func TestAdd(t *testing.T) {
	l, err := rulesfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	rs, err := rules.Parse("duel", []byte(duel))
	if err != nil {
		t.Fatal(err)
	}
	for id, good := range map[string]bool{"duel": true, "skirmish": false, "": false, "../duel": false, "Duel": false} {
		if err := l.Add(id, rs); (err == nil) != good {
			t.Errorf("add %q: %v", id, err)
		}
	}
	if e, ok := l.ByID("duel"); !ok || e.Rules != rs {
		t.Errorf("duel is %+v", e)
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	if _, err := rulesfile.Open(filepath.Join(t.TempDir(), "none.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for text, want := range map[string]string{
		duel: "",
		strings.Replace(duel, `, "centre": true`, "", 1):                 "centre",
		strings.Replace(duel, `[{"type": "hall", "count": 1}]`, "[]", 1): "begin without units",
	} {
		rs, err := rules.Parse("duel", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(rulesfile.Warnings(rs), "; ")
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("warnings %q, want one of %q", got, want)
		}
	}
	shipped, err := rulesfile.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range shipped.List() {
		if w := rulesfile.Warnings(e.Rules); len(w) > 0 {
			t.Errorf("%s: %v", e.ID, w)
		}
	}
}

package rulesfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/script"
)

// LibraryMax bounds the rulesets of a library.
const LibraryMax = 100

// idLenMax is how long an id may be.
const idLenMax = 40

// Entry is one ruleset of a library. It is read-only.
type Entry struct {
	ID      string // what a lobby's option "ruleset" says: 1 to 40 of a-z, 0-9, - and _
	Rules   *rules.Ruleset
	Shipped bool   // comes with the program
	Source  string // the file it was read from; "" for one that a program added
}

// Library is a set of rulesets by id.
type Library struct{ entries []Entry }

// Shipped returns the library of the rulesets that come with the program.
func Shipped() (*Library, error) {
	l := &Library{}
	for _, id := range rules.ShippedNames() {
		rs, err := rules.Shipped(id)
		if err != nil {
			return nil, err
		}
		if err := l.add(Entry{ID: id, Rules: rs, Shipped: true, Source: id + ".json"}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// OpenLibrary returns the shipped rulesets and the rulesets in the files NAME.json of the folder dir, which may be
// "" or missing. Folders below dir are not looked into. refused has an error for each file that cannot be played
// by: one bad file does not keep a server from starting.
func OpenLibrary(dir string) (l *Library, refused []error, err error) {
	if l, err = Shipped(); err != nil {
		return nil, nil, err
	}
	if dir == "" {
		return l, nil, nil
	}
	files, err := os.ReadDir(dir) // by name
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return l, nil, nil
		}
		return nil, nil, fmt.Errorf("find rulesets: %w", err)
	}
	for _, f := range files {
		id, ok := strings.CutSuffix(f.Name(), ".json")
		if !ok {
			continue
		}
		p := filepath.Join(dir, f.Name())
		if len(l.entries) == LibraryMax {
			refused = append(refused, fmt.Errorf("%s: more than %d rulesets, the rest is left out", p, LibraryMax))
			break
		}
		if err := CheckID(id); err != nil {
			refused = append(refused, fmt.Errorf("%s: %w", p, err))
			continue
		}
		rs, err := Open(p)
		if err == nil {
			err = l.add(Entry{ID: id, Rules: rs, Source: p})
		}
		if err != nil {
			refused = append(refused, err)
		}
	}
	return l, refused, nil
}

// Keep puts in an entry of another library, such as one whose file is invalid by now.
// It must not run beside other calls.
func (l *Library) Keep(e Entry) error { return l.add(e) }

// Open reads the ruleset of a file.
func Open(path string) (*rules.Ruleset, error) {
	info, err := os.Stat(path) // of what a link leads to
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: no file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, rules.RulesBytesMax+1)) // Check refuses what is longer
	if err != nil {
		return nil, err
	}
	scripts, err := scriptsOf(path)
	if err != nil {
		return nil, err
	}
	if b, err = rules.WithScripts(b, scripts); err != nil {
		return nil, in(path, err)
	}
	rs, _, err := rules.Check(path, b)
	return rs, err
}

// in names the file of faults.
func in(path string, err error) error {
	if p := (*rules.Problems)(nil); errors.As(err, &p) {
		p.File = path
	}
	return err
}

// scriptsOf reads the scripts of the ruleset NAME.json: the files NAME/*.star beside it.
func scriptsOf(path string) (map[string]string, error) {
	dir, ok := strings.CutSuffix(path, ".json")
	if !ok {
		return nil, nil
	}
	files, err := os.ReadDir(dir) // by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	out := map[string]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".star") {
			continue
		}
		if len(out) == rules.ScriptsMax {
			return nil, fmt.Errorf("%s: more than %d scripts", dir, rules.ScriptsMax)
		}
		r, err := os.Open(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(io.LimitReader(r, script.SourceMax+1)) // the reader of rulesets refuses more
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		out[f.Name()] = string(b)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Add puts in a ruleset that a program has made or read elsewhere. It must not run beside other calls.
func (l *Library) Add(id string, rs *rules.Ruleset) error {
	if err := CheckID(id); err != nil {
		return fmt.Errorf("ruleset %q: %w", id, err)
	}
	if len(l.entries) >= LibraryMax {
		return fmt.Errorf("ruleset %q: there are %d, and there may be no more", id, LibraryMax)
	}
	return l.add(Entry{ID: id, Rules: rs})
}

func (l *Library) add(e Entry) error {
	if _, taken := l.ByID(e.ID); taken {
		return fmt.Errorf("%s: another ruleset has the name %q: rename the file", cmp.Or(e.Source, e.ID), e.ID)
	}
	l.entries = append(l.entries, e)
	slices.SortStableFunc(l.entries, func(a, b Entry) int {
		if a.Shipped != b.Shipped {
			if a.Shipped {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.ID, b.ID)
	})
	return nil
}

// CheckID returns the fault of a ruleset's id: 1 to 40 of a-z, 0-9, - and _.
func CheckID(id string) error {
	if id == "" || len(id) > idLenMax || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("the name before .json has to be 1 to %d lower-case letters, digits, - and _: rename the file", idLenMax)
	}
	return nil
}

// List returns the rulesets, shipped ones first. The slice is the caller's.
func (l *Library) List() []Entry { return slices.Clone(l.entries) }

// ByID returns the ruleset with that id.
func (l *Library) ByID(id string) (Entry, bool) {
	i := slices.IndexFunc(l.entries, func(e Entry) bool { return e.ID == id })
	if i < 0 {
		return Entry{}, false
	}
	return l.entries[i], true
}

// IDs lists the ids, in the order of [Library.List].
func (l *Library) IDs() []string {
	ids := make([]string, 0, len(l.entries))
	for _, e := range l.entries {
		ids = append(ids, e.ID)
	}
	return ids
}

// Warnings are oddities of a ruleset: each with its line and a JSON pointer.
func Warnings(rs *rules.Ruleset) (out []string) {
	_, odd, _ := rules.Check("", rs.Source)
	for _, p := range odd {
		out = append(out, p.String())
	}
	return out
}

package mapfile

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
)

// LibraryMax bounds the maps of a library and the files that [Find] lists.
const LibraryMax = 1000

// findDepthMax is how deep Find looks for maps below its folder.
const findDepthMax = 4

//go:generate go test github.com/fogkeep/fogkeep/internal/mapgen -run TestShippedMapsAreWhatTheGeneratorDraws -update

//go:embed shipped/*.tmj
var shippedFS embed.FS

// Entry is one map of a library. It is read-only.
type Entry struct {
	ID      string // short, for addresses: a-z, 0-9 and dashes
	Map     *grid.Map
	Hash    grid.MapHash
	Shipped bool   // comes with the program
	Source  string // the file it was read from; "" for one that a program added
}

// Library is a set of maps by id and by content.
type Library struct{ entries []Entry }

// Shipped returns the library of the maps that come with the program.
func Shipped() (*Library, error) {
	l := &Library{}
	files, err := fs.Glob(shippedFS, "shipped/*.tmj")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		m, err := OpenFS(shippedFS, f, f)
		if err != nil {
			return nil, err
		}
		l.add(m, strings.TrimSuffix(filepath.Base(f), ".tmj"), f, true)
	}
	l.sort()
	return l, nil
}

// OpenNamed returns the map that a flag names: by the id of a shipped map, or by a path for [Open].
func OpenNamed(name string) (*grid.Map, error) {
	shipped, err := Shipped()
	if err != nil {
		return nil, err
	}
	if e, ok := shipped.ByID(name); ok {
		return e.Map, nil
	}
	m, err := Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%q is neither the id of a shipped map nor a file", name)
	}
	return m, err
}

// OpenLibrary returns the shipped maps and those found in the folder dir, which
// may be "" or missing. refused has an error for each file that looked like a
// map and cannot be played, and for each place that was not looked at: one bad
// map does not keep a server from starting.
func OpenLibrary(dir string) (l *Library, refused []error, err error) {
	if l, err = Shipped(); err != nil {
		return nil, nil, err
	}
	if dir == "" {
		return l, nil, nil
	}
	found, refused, err := Find(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return l, nil, nil
		}
		return nil, nil, err
	}
	for _, p := range found {
		if len(l.entries) == LibraryMax {
			refused = append(refused, fmt.Errorf("%s: more than %d maps, the rest is left out", p, LibraryMax))
			break
		}
		m, err := OpenPlayable(p)
		if err != nil {
			refused = append(refused, err)
			continue
		}
		l.add(m, m.Name, p, false)
	}
	l.sort()
	return l, refused, nil
}

// Find lists, in order, the paths below dir that [Open] might read: Tiled maps,
// zips, and folders with a game.map or a game.js. Links are followed, each
// folder is looked at once, and no more than findFoldersMax are. skipped names the skipped folders and files with
// the reason.
func Find(dir string) (found []string, skipped []error, err error) {
	f := finder{looked: map[string]string{}}
	if err := f.folder(dir, 0); err != nil {
		return nil, nil, fmt.Errorf("find maps: %w", err)
	}
	return f.found, f.skipped, nil
}

// findFoldersMax bounds the folders that Find looks into: a link may lead to a
// whole disk.
const findFoldersMax = 2000

type finder struct {
	found   []string
	skipped []error
	looked  map[string]string // folders that were looked into, by where they really are: as what
	full    bool
}

func (f *finder) skip(p, why string, args ...any) {
	f.skipped = append(f.skipped, fmt.Errorf("%s: %s", p, fmt.Sprintf(why, args...)))
}

// folder looks through the folder dir, which lies depth folders deep.
func (f *finder) folder(dir string, depth int) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if real, err = filepath.Abs(real); err != nil {
		return err
	}
	if as, again := f.looked[real]; again {
		f.skip(dir, "the same folder as %s, which is looked at", as)
		return nil
	}
	if f.looked[real] = dir; len(f.looked) > findFoldersMax {
		f.full = true
		f.skip(dir, "more than %d folders: neither this one nor the rest is looked at", findFoldersMax)
		return nil
	}
	entries, err := os.ReadDir(dir) // by name
	if err != nil {
		return err
	}
	for _, e := range entries {
		if f.full {
			return nil
		}
		p := filepath.Join(dir, e.Name())
		info, err := os.Stat(p) // of what a link leads to
		if err != nil {
			f.skip(p, "%v", err)
			continue
		}
		ext := strings.ToLower(filepath.Ext(p))
		switch {
		case info.IsDir() && isWZDir(p), !info.IsDir() && (ext == ".tmj" || ext == ".tmx" || ext == ".wz"):
			if f.found = append(f.found, p); len(f.found) > LibraryMax {
				f.full = true
			}
		case info.IsDir() && depth == findDepthMax:
			f.skip(p, "more than %d folders deep: not looked at", findDepthMax)
		case info.IsDir():
			if err := f.folder(p, depth+1); err != nil {
				f.skip(p, "%v", err)
			}
		}
	}
	return nil
}

func isWZDir(p string) bool {
	for _, f := range []string{"game.map", "game.js"} {
		if _, err := os.Stat(filepath.Join(p, f)); err == nil {
			return true
		}
	}
	return false
}

// Add puts in a map that a program has made or read elsewhere. Its id is made of
// its name. One with the content of a map that is there already is left out. A map
// that cannot be played is refused, as by [OpenPlayable]. It must not run beside other calls.
func (l *Library) Add(m *grid.Map) error {
	if len(l.entries) >= LibraryMax {
		return fmt.Errorf("map %q: there are %d, and there may be no more", m.Name, LibraryMax)
	}
	if err := m.Check(); err != nil {
		return fmt.Errorf("map %q: %w", m.Name, err)
	}
	if len(m.Starts) == 0 {
		return fmt.Errorf("map %q: no start points, which a match needs", m.Name)
	}
	l.add(m, m.Name, "", false)
	l.sort()
	return nil
}

// Keep puts in an entry of another library, such as one whose file is invalid by now.
// It must not run beside other calls.
func (l *Library) Keep(e Entry) {
	if len(l.entries) < LibraryMax {
		l.add(e.Map, e.Map.Name, e.Source, false)
		l.sort()
	}
}

// With returns a library with further maps.
func (l *Library) With(maps []*grid.Map) *Library {
	out := &Library{slices.Clone(l.entries)}
	for _, m := range maps {
		if len(out.entries) < LibraryMax {
			out.add(m, m.Name, "", false)
		}
	}
	out.sort()
	return out
}

// add puts a map in; one with the same content is there already and is left.
func (l *Library) add(m *grid.Map, name, source string, shipped bool) {
	e := Entry{Map: m, Hash: m.Hash(), Shipped: shipped, Source: source}
	if _, ok := l.ByHash(e.Hash); ok {
		return
	}
	slug := Slug(name)
	e.ID = slug
	for n := 2; ; n++ {
		if _, taken := l.ByID(e.ID); !taken {
			break
		}
		e.ID = fmt.Sprintf("%s-%d", slug, n)
	}
	l.entries = append(l.entries, e)
}

// sort orders by number of starts, then by id, shipped maps first.
func (l *Library) sort() {
	slices.SortFunc(l.entries, func(a, b Entry) int {
		if a.Shipped != b.Shipped {
			if a.Shipped {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(len(a.Map.Starts), len(b.Map.Starts)), cmp.Compare(a.ID, b.ID))
	})
}

// List returns the maps, shipped ones first. The slice is the caller's.
func (l *Library) List() []Entry { return slices.Clone(l.entries) }

// ByID returns the map with that id.
func (l *Library) ByID(id string) (Entry, bool) {
	return l.find(func(e Entry) bool { return e.ID == id })
}

// ByHash returns the map with that content.
func (l *Library) ByHash(h grid.MapHash) (Entry, bool) {
	return l.find(func(e Entry) bool { return e.Hash == h })
}

func (l *Library) find(is func(Entry) bool) (Entry, bool) {
	i := slices.IndexFunc(l.entries, is)
	if i < 0 {
		return Entry{}, false
	}
	return l.entries[i], true
}

// Slug makes a name fit for an address: lower case letters, digits, single
// dashes between them.
func Slug(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if dash && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			dash = false
		} else {
			dash = true
		}
	}
	if b.Len() == 0 {
		return "map"
	}
	return b.String()
}

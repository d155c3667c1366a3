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

//go:generate go run github.com/fogkeep/fogkeep/cmd/fogkeep map generate shipped

//go:embed shipped/*.tmj
var shippedFS embed.FS

// Entry is one map of a library. All of it is read-only.
type Entry struct {
	ID      string // short, for addresses: a-z, 0-9 and dashes
	Map     *grid.Map
	Hash    grid.MapHash
	Bytes   []byte // the public form, what GET /maps/{hash} serves
	Shipped bool   // comes with the program
	Source  string // the file it was read from
}

// Library is a set of maps by id and by content.
type Library struct {
	entries []Entry
	byID    map[string]int
	byHash  map[grid.MapHash]int
}

// Shipped returns the library of the maps that come with the program.
func Shipped() (*Library, error) {
	l := &Library{byID: map[string]int{}, byHash: map[grid.MapHash]int{}}
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

// OpenLibrary returns the shipped maps and those found in the folder dir, which
// may be "" or missing. refused has an error for each file that looked like a
// map and could not be read: one bad map does not keep a server from starting.
func OpenLibrary(dir string) (l *Library, refused []error, err error) {
	if l, err = Shipped(); err != nil {
		return nil, nil, err
	}
	if dir == "" {
		return l, nil, nil
	}
	found, err := Find(dir)
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
		m, err := Open(p)
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
// zips, and folders with a game.map or a game.js.
func Find(dir string) ([]string, error) {
	var found []string
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved // else a folder that is a link would look empty
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if rel, err := filepath.Rel(dir, p); err == nil && d.IsDir() && strings.Count(rel, string(filepath.Separator)) >= findDepthMax {
			return fs.SkipDir
		}
		switch ext := strings.ToLower(filepath.Ext(p)); {
		case d.IsDir() && isWZDir(p):
			found = append(found, p)
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0 && isWZDir(p): // a linked map; other links are not followed
			found = append(found, p)
		case !d.IsDir() && (ext == ".tmj" || ext == ".tmx" || ext == ".wz"):
			found = append(found, p)
		}
		if len(found) > LibraryMax {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find maps: %w", err)
	}
	return found, nil
}

func isWZDir(p string) bool {
	for _, f := range []string{"game.map", "game.js"} {
		if _, err := os.Stat(filepath.Join(p, f)); err == nil {
			return true
		}
	}
	return false
}

// add puts a map in; one with the same content is there already and is left.
func (l *Library) add(m *grid.Map, name, source string, shipped bool) {
	b := m.Marshal()
	e := Entry{Map: m, Hash: m.Hash(), Bytes: b, Shipped: shipped, Source: source}
	if _, ok := l.byHash[e.Hash]; ok {
		return
	}
	slug := Slug(name)
	e.ID = slug
	for n := 2; ; n++ {
		if _, taken := l.byID[e.ID]; !taken {
			break
		}
		e.ID = fmt.Sprintf("%s-%d", slug, n)
	}
	l.byID[e.ID], l.byHash[e.Hash] = len(l.entries), len(l.entries)
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
	for i, e := range l.entries {
		l.byID[e.ID], l.byHash[e.Hash] = i, i
	}
}

// List returns the maps, shipped ones first. The slice is the caller's.
func (l *Library) List() []Entry { return slices.Clone(l.entries) }

// ByID returns the map with that id.
func (l *Library) ByID(id string) (Entry, bool) {
	i, ok := l.byID[id]
	if !ok {
		return Entry{}, false
	}
	return l.entries[i], true
}

// ByHash returns the map with that content.
func (l *Library) ByHash(h grid.MapHash) (Entry, bool) {
	i, ok := l.byHash[h]
	if !ok {
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

package pack

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a library.
const (
	LibraryMax      = 64
	LibraryBytesMax = 256 << 20
)

// Library is the packs of a folder, several versions of one among them. It is read-only.
type Library struct {
	packs []*Pack
	files map[string]asset // by hash, with the indexes of the packs by the packs' hashes
}

// OpenLibrary reads the packs in the folder dir, which may be "" or missing: folders with a pack.json, and files NAME.fogpack.
// refused has an error for each that is faulty: one bad pack does not keep a server from starting.
func OpenLibrary(dir string) (l *Library, refused []error, err error) {
	l = &Library{files: map[string]asset{}}
	entries, err := os.ReadDir(dir)
	if dir == "" || errors.Is(err, fs.ErrNotExist) {
		return l, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("find packs: %w", err)
	}
	var paths []string
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		_, none := os.Stat(filepath.Join(p, ManifestFile))
		if filepath.Ext(p) == Ext && e.Name()[0] != '.' || none == nil {
			paths = append(paths, p)
		}
	}
	// A pack whose base comes later in the folder waits for it.
	for len(paths) > 0 {
		var waiting []string
		var why []error
		for _, p := range paths {
			out, err := Open(p, l.Named)
			if err == nil {
				err = l.add(out)
			}
			if err != nil {
				waiting, why = append(waiting, p), append(why, err)
			}
		}
		if len(waiting) == len(paths) {
			return l, why, nil
		}
		paths = waiting
	}
	return l, nil, nil
}

// Named returns the pack with that name, or with that name and the beginning of a hash: NAME@HASH.
func (l *Library) Named(name string) (*Pack, error) {
	name, hash, _ := strings.Cut(name, "@")
	var found []*Pack
	for _, p := range l.packs {
		if p.Name == name && strings.HasPrefix(p.Hash, hash) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("there is no pack %.60q", name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("there are %d versions of the pack %q; name one of them as %s@%.12s", len(found), name, name, found[0].Hash)
}

// add puts in a pack. One that is there already is left.
func (l *Library) add(p *Pack) error {
	if l.ByHash(p.Hash) != nil {
		return nil
	}
	bytes := p.Bytes
	for _, q := range l.packs {
		bytes += q.Bytes
	}
	if len(l.packs) == LibraryMax || bytes > LibraryBytesMax {
		return fmt.Errorf("pack %s: more than %d packs, or %d bytes of all", p.Name, LibraryMax, LibraryBytesMax)
	}
	l.packs = append(l.packs, p)
	slices.SortFunc(l.packs, func(a, b *Pack) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Hash, b.Hash))
	})
	for _, a := range p.assets {
		l.files[a.Hash] = a
	}
	l.files[p.Hash] = asset{p.Hash, "application/json", p.index()}
	return nil
}

// With returns the library with one more pack. A full library is an error.
func (l *Library) With(p *Pack) (*Library, error) {
	out := &Library{files: map[string]asset{}}
	out.Keep(l)
	return out, out.add(p)
}

// Keep puts in the packs of an older library, for the clients of matches and replays that were played with them.
func (l *Library) Keep(old *Library) {
	for _, p := range old.packs {
		_ = l.add(p) // a full library forgets it
	}
}

// List returns the packs by name and version. The slice is the caller's.
func (l *Library) List() []*Pack { return slices.Clone(l.packs) }

// ByHash returns the pack with that hash, or nil.
func (l *Library) ByHash(hash string) *Pack {
	if i := slices.IndexFunc(l.packs, func(p *Pack) bool { return p.Hash == hash }); i >= 0 {
		return l.packs[i]
	}
	return nil
}

// File returns an asset by its hash, or the index of a pack by the pack's hash, with its type for HTTP.
func (l *Library) File(hash string) (b []byte, contentType string, ok bool) {
	a, ok := l.files[hash]
	return a.b, a.Type, ok
}

// instead is the asset of a base that one of a pack takes the place of.
var instead = map[string]string{"model": "sprite", "sprite": "model"}

// index is the JSON by which a client finds the assets and texts of a pack and of its bases.
func (p *Pack) index() []byte {
	type table = map[string]map[string]string
	out := struct {
		Name    string           `json:"name"`
		Title   string           `json:"title"`
		Version string           `json:"version"`
		Licence string           `json:"licence"`
		Types   table            `json:"types"`
		Weapons table            `json:"weapons"`
		Texts   map[string]texts `json:"texts"`

		Missions []Mission `json:"missions,omitempty"`
	}{p.Name, p.Title, p.Version, p.Licence, table{}, table{}, map[string]texts{}, p.Missions}
	var line []*Pack
	for q := p; q != nil; q = q.Base {
		line = append(line, q)
	}
	for _, q := range slices.Backward(line) {
		for at, a := range q.assets {
			to := out.Types
			if at.table == "weapons" {
				to = out.Weapons
			}
			if to[at.name] == nil {
				to[at.name] = map[string]string{}
			}
			to[at.name][at.use] = a.Hash
			delete(to[at.name], instead[at.use])
		}
		for tag, of := range q.texts {
			if out.Texts[tag] == nil {
				out.Texts[tag] = texts{}
			}
			for key, text := range of {
				out.Texts[tag][key] = text
			}
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic("pack: an index is texts: " + err.Error())
	}
	return b
}

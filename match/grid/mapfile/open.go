package mapfile

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
)

// tiledBytesMax bounds a Tiled map or tileset file.
const tiledBytesMax = 64 << 20

// Open reads the map at p, which is one of
//
//   - a Tiled map, NAME.tmj (or .json) or NAME.tmx;
//   - a Warzone 2100 map folder, or the game.map in it;
//   - such a folder inside a zip, as in mp.wz#multiplay/maps/NAME, or a zip
//     that holds exactly one.
//
// The map has passed [grid.Map.Check]; it may have no start points
// ([OpenPlayable]). Errors about content wrap [ErrFormat] and name the file and
// offset.
func Open(p string) (*grid.Map, error) {
	if archive, dir, ok := strings.Cut(p, "#"); ok {
		return openZip(archive, strings.Trim(path.Clean("/"+filepath.ToSlash(dir)), "/"))
	}
	info, err := os.Stat(p)
	if err != nil {
		return nil, fmt.Errorf("open map: %w", err)
	}
	if info.IsDir() {
		return openWZ(os.DirFS(p), ".", strings.TrimRight(filepath.ToSlash(p), "/"))
	}
	dir, base := filepath.Split(p)
	switch strings.ToLower(filepath.Ext(base)) {
	case ".tmj", ".json", ".tmx":
		return OpenFS(os.DirFS(cmpDir(dir)), base, p)
	case ".wz", ".zip":
		return openZip(p, "")
	}
	if base == "game.map" {
		return openWZ(os.DirFS(cmpDir(dir)), ".", strings.TrimRight(filepath.ToSlash(cmpDir(dir)), "/"))
	}
	return nil, &Error{File: p, Offset: -1, Err: errors.New(
		"unknown kind of map file: want .tmj, .tmx, a Warzone 2100 map folder, or mp.wz#multiplay/maps/NAME")}
}

// OpenPlayable is [Open] for a map that a match is to be played on: one without
// start points is refused.
func OpenPlayable(p string) (*grid.Map, error) {
	m, err := Open(p)
	if err == nil && len(m.Starts) == 0 {
		return nil, &Error{File: p, Offset: -1, Err: errors.New(
			`no start points, which a match needs: a Tiled map has objects of class "start", a Warzone 2100 map structures or droids with a "startpos"`)}
	}
	return m, err
}

func cmpDir(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// OpenFS reads the Tiled map base of a file system; shown is its name in
// errors. Tilesets are read from the same file system.
func OpenFS(fsys fs.FS, base, shown string) (*grid.Map, error) {
	b, err := readFile(fsys, base, tiledBytesMax)
	if err != nil {
		return nil, inFile(shown, nil, err)
	}
	parse := parseTMJ
	if strings.EqualFold(path.Ext(base), ".tmx") {
		parse = parseTMX
	}
	t, err := parse(b)
	if err != nil {
		return nil, inFile(shown, b, err)
	}
	if err := t.loadTilesets(fsys, path.Dir(base), path.Dir(filepath.ToSlash(shown))); err != nil {
		return nil, inFile(shown, b, err)
	}
	m, err := t.build(strings.TrimSuffix(path.Base(base), path.Ext(base)))
	if err != nil {
		return nil, inFile(shown, b, err)
	}
	return m, nil
}

// openZip reads the map folder dir of a zip; dir may be "" if there is one.
func openZip(archive, dir string) (*grid.Map, error) {
	z, err := zip.OpenReader(archive)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) || errors.Is(err, zip.ErrAlgorithm) {
			return nil, &Error{File: archive, Offset: -1, Err: err}
		}
		return nil, fmt.Errorf("open map: %s: %w", archive, err)
	}
	defer z.Close()
	return openZipReader(&z.Reader, archive, dir)
}

func openZipReader(z *zip.Reader, archive, dir string) (*grid.Map, error) {
	// Folders with a map, or with a script alone, which openWZ refuses by name.
	var dirs []string
	for _, f := range z.File {
		d, base := path.Split(f.Name)
		if base == "game.map" || base == "game.js" {
			dirs = append(dirs, strings.Trim(d, "/"))
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if dir == "" && len(dirs) == 1 {
		dir = dirs[0]
	}
	if !slices.Contains(dirs, dir) {
		return nil, &Error{File: archive, Offset: -1, Err: noSuchDir(dirs, dir)}
	}
	return openWZ(zipFS(z, dir), ".", archive+"#"+dir)
}

func noSuchDir(dirs []string, dir string) error {
	switch {
	case len(dirs) == 0:
		return errors.New("no Warzone 2100 map in this zip")
	case dir == "":
		return fmt.Errorf("%d maps in this zip: name one after a #, for example #%s", len(dirs), dirs[0])
	default:
		return fmt.Errorf("no map folder %s among the %d of this zip, for example #%s", quote(dir), len(dirs), dirs[0])
	}
}

// zipFS gives the files of one folder. It is a plain lookup: zip.Reader's own
// Open would index every entry of the archive, and refuse names that are of no
// concern here.
type zipDir map[string]*zip.File

func zipFS(z *zip.Reader, dir string) fs.FS {
	m := zipDir{}
	for _, f := range z.File {
		d, base := path.Split(f.Name)
		if strings.Trim(d, "/") == dir && base != "" {
			m[base] = f
		}
	}
	return m
}

func (m zipDir) Open(name string) (fs.File, error) {
	f, ok := m[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	return zipFile{r, f}, nil
}

type zipFile struct {
	io.ReadCloser
	f *zip.File
}

func (z zipFile) Stat() (fs.FileInfo, error) { return z.f.FileInfo(), nil }

// readFile reads a file of at most most bytes. A compressed file's announced
// size is checked first and then not trusted.
func readFile(fsys fs.FS, name string, most int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() || info.Mode()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > most {
		return nil, fmt.Errorf("%d bytes: %w", info.Size(), tooLarge(most))
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, errAt(int64(len(b)), "read: %w", err)
	}
	if int64(len(b)) > most {
		return nil, tooLarge(most)
	}
	return b, nil
}

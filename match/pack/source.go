package pack

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a pack.
const (
	FilesMax      = 512
	FileBytesMax  = 8 << 20
	BytesMax      = 32 << 20 // of all files, and of a .fogpack
	nameBytesMax  = 120      // of a file's name with its folders
	foldersMax    = 4
	ratioMax      = 200 // of an entry's bytes to its packed bytes, above ratioBytesMin
	ratioBytesMin = 1 << 20
)

// Ext ends the name of a pack in one file.
const Ext = ".fogpack"

// source is a pack's files, read whole.
type source struct {
	fs.FS
	files map[string][]byte
}

func (s *source) names() []string { return slices.Sorted(maps.Keys(s.files)) }

// under returns the names of the files of a folder with one of the endings, in order.
func (s *source) under(folder string, ends ...string) (out []string) {
	for _, name := range s.names() {
		if path.Dir(name) == folder && slices.Contains(ends, path.Ext(name)) {
			out = append(out, name)
		}
	}
	return out
}

// hash identifies the content.
func (s *source) hash(base string) string {
	h := sha256.New()
	fmt.Fprintf(h, "fogkeep pack 1 %s\n", base)
	for _, name := range s.names() {
		fmt.Fprintf(h, "%s %s\n", name, hashOf(s.files[name]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// read reads a folder or a .fogpack. Errors name the file.
func read(p string) (*source, error) {
	info, err := os.Stat(p)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		s, err := readFolder(os.DirFS(p))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Clean(p), err)
		}
		return s, nil
	}
	if !info.Mode().IsRegular() || info.Size() > BytesMax {
		return nil, fmt.Errorf("%s: want a folder, or a file of at most %d bytes", p, BytesMax)
	}
	b, err := os.ReadFile(p)
	if err != nil {
		return nil, err
	}
	s, err := readZip(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p, err)
	}
	return s, nil
}

// readFolder reads a folder. Files and folders whose names begin with a dot are left out: they are an editor's.
func readFolder(dir fs.FS) (*source, error) {
	s := &source{dir, map[string][]byte{}}
	left := int64(BytesMax)
	err := fs.WalkDir(s.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return checkDepth(name)
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s: a link or device; a pack has files and folders", name)
		}
		if err := s.room(name); err != nil {
			return err
		}
		f, err := s.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return s.take(name, f, &left)
	})
	return s, err
}

func readZip(b []byte) (*source, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, fmt.Errorf("no zip: %w", err)
	}
	if len(z.File) > 2*FilesMax {
		return nil, fmt.Errorf("%d entries, at most %d files and as many folders", len(z.File), FilesMax)
	}
	s := &source{z, map[string][]byte{}}
	left := int64(BytesMax)
	for _, f := range z.File {
		if name, folder := strings.CutSuffix(f.Name, "/"); folder {
			if err := checkName(name); err != nil {
				return nil, err
			}
			continue
		}
		if err := s.room(f.Name); err != nil {
			return nil, err
		}
		if !f.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: a link or device; a pack has files and folders", f.Name)
		}
		if f.UncompressedSize64 > ratioBytesMin && f.UncompressedSize64/ratioMax > f.CompressedSize64 {
			return nil, fmt.Errorf("%s: %d bytes packed in %d, at most %d to 1", f.Name, f.UncompressedSize64, f.CompressedSize64, ratioMax)
		}
		in, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		err = s.take(f.Name, in, &left)
		in.Close()
		if err != nil {
			return nil, err
		}
	}
	return s, nil
}

// room checks the name of one more file.
func (s *source) room(name string) error {
	if len(s.files) == FilesMax {
		return fmt.Errorf("%s: more than %d files", name, FilesMax)
	}
	if err := checkName(name); err != nil {
		return err
	}
	for other := range s.files {
		if strings.EqualFold(other, name) {
			return fmt.Errorf("%s: the pack has %s too; a file system may take the two for one", name, other)
		}
	}
	return nil
}

func (s *source) take(name string, in io.Reader, left *int64) error {
	b, err := io.ReadAll(io.LimitReader(in, min(FileBytesMax, *left)+1))
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if *left -= int64(len(b)); len(b) > FileBytesMax {
		return fmt.Errorf("%s: more than %d bytes", name, FileBytesMax)
	}
	if *left < 0 {
		return fmt.Errorf("%s: all files have more than %d bytes", name, BytesMax)
	}
	s.files[name] = b
	return nil
}

// checkName refuses names that lead out of the pack, or that a file system or an address would read in another way.
func checkName(name string) error {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
	shown := fmt.Sprintf("%.80q", name)
	switch {
	case len(name) > nameBytesMax:
		return fmt.Errorf("%s: a name of %d bytes, at most %d", shown, len(name), nameBytesMax)
	case !fs.ValidPath(name) || strings.Trim(name, plain) != "":
		return fmt.Errorf("%s: a name has letters, digits, dots, dashes and _, and stays in the pack", shown)
	case slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return part[0] == '.' }):
		return fmt.Errorf("%s: a name begins with a dot", shown)
	}
	return checkDepth(path.Dir(name))
}

func checkDepth(folder string) error {
	if strings.Count(folder, "/") >= foldersMax {
		return fmt.Errorf("%s: more than %d folders deep", folder, foldersMax)
	}
	return nil
}

// write packs the files into a zip, the same bytes for the same files.
func (s *source) write(to io.Writer) error {
	z := zip.NewWriter(to)
	for _, name := range s.names() {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
		if err == nil {
			_, err = w.Write(s.files[name])
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return z.Close()
}

// FileName is the name of a pack's file in a folder of packs: one for each version.
func (p *Pack) FileName() string { return p.Name + "-" + p.Hash[:12] + Ext }

// Write writes a pack as one file, under a name that must not exist. The folder need not exist.
func (p *Pack) Write(name string) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".pack-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	err = errors.Join(p.source.write(f), f.Sync(), f.Chmod(0o644), f.Close())
	if err != nil {
		return err
	}
	return os.Link(f.Name(), name) // an existing file is an error
}

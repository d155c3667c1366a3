package mapfile

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

func TestShippedMapsOpen(t *testing.T) {
	l, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range l.List() {
		ids = append(ids, e.ID)
		if !e.Shipped || e.Hash != e.Map.Hash() {
			t.Errorf("%s: shipped %v, hash %v", e.ID, e.Shipped, e.Hash)
		}
		if got, ok := l.ByID(e.ID); !ok || got.Hash != e.Hash {
			t.Errorf("%s is not found by its id", e.ID)
		}
		if got, ok := l.ByHash(e.Hash); !ok || got.ID != e.ID {
			t.Errorf("%s is not found by its hash", e.ID)
		}
	}
	if want := []string{"twin-fords", "water-gates", "four-winds", "eight-crowns"}; !slices.Equal(ids, want) {
		t.Errorf("maps %v, want %v", ids, want)
	}
	if _, ok := l.ByID("none"); ok {
		t.Error("there is a map of no name")
	}
}

func TestLibraryReadsAFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, b []byte) {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, b := range wzFiles() {
		write("others/2c-Test/"+name, b)
	}
	for name, b := range wzFiles() { // another name, the same content but for the name
		write("others/2c test/"+name, b)
	}
	write("scripted/game.js", nil)
	write("broken.tmj", []byte("{"))
	write("notes.txt", nil)
	shipped, err := shippedFS.ReadFile("shipped/twin-fords.tmj")
	if err != nil {
		t.Fatal(err)
	}
	write("copy.tmj", shipped)

	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	linked := filepath.Join(t.TempDir(), "3c-linked")
	if err := os.Symlink(filepath.Join(dir, "others", "2c-Test"), linked); err != nil {
		t.Fatal(err)
	}
	if found, skipped, err := Find(filepath.Dir(linked)); err != nil || len(skipped) > 0 || !slices.Equal(found, []string{linked}) {
		t.Errorf("a linked map: %v, %v, %v", found, skipped, err)
	}

	l, refused, err := OpenLibrary(link)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, e := range l.List() {
		ids = append(ids, e.ID)
	}
	if want := []string{"twin-fords", "water-gates", "four-winds", "eight-crowns", "2c-test", "2c-test-2"}; !slices.Equal(ids, want) {
		t.Errorf("maps %v, want %v", ids, want)
	}
	if len(refused) != 2 || !strings.Contains(refused[0].Error(), "broken.tmj: line 1") || !strings.Contains(refused[1].Error(), "game.js") {
		t.Errorf("refused %v", refused)
	}
	if e, ok := l.ByID("2c-test-2"); !ok || e.Shipped || len(e.Map.Starts) != 2 {
		t.Errorf("imported map %+v", e.ID)
	}
	for _, none := range []string{"", filepath.Join(dir, "missing")} {
		if l, refused, err := OpenLibrary(none); err != nil || len(refused) > 0 || len(l.List()) != 4 {
			t.Errorf("folder %q: %d maps, %v, %v", none, len(l.List()), refused, err)
		}
	}
}

// Links to folders are followed, circles end, and what is not looked at is
// said.
func TestFindFollowsLinks(t *testing.T) {
	shipped, err := shippedFS.ReadFile("shipped/twin-fords.tmj")
	if err != nil {
		t.Fatal(err)
	}
	dir, elsewhere := t.TempDir(), t.TempDir()
	for _, p := range []string{
		filepath.Join(elsewhere, "sub", "far.tmj"), filepath.Join(dir, "near.tmj"),
		filepath.Join(dir, "1", "2", "3", "4", "deep.tmj"), filepath.Join(dir, "1", "2", "3", "4", "5", "too-deep.tmj"),
	} {
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, shipped, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"folder": elsewhere, "circle": dir, "again": filepath.Join(elsewhere, "sub"), "gone": filepath.Join(dir, "none"),
		"file.tmj": filepath.Join(dir, "near.tmj"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	found, skipped, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, p := range []string{"1/2/3/4/deep.tmj", "again/far.tmj", "file.tmj", "near.tmj"} {
		want = append(want, filepath.Join(dir, p))
	}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
	var said []string
	for _, err := range skipped {
		said = append(said, strings.ReplaceAll(err.Error(), dir, "DIR"))
	}
	if want := []string{
		"DIR/1/2/3/4/5: more than 4 folders deep: not looked at",
		"DIR/circle: the same folder as DIR, which is looked at",
		"DIR/folder/sub: the same folder as DIR/again, which is looked at",
		"DIR/gone: stat DIR/gone: no such file or directory",
	}; !slices.Equal(said, want) {
		t.Errorf("skipped %q, want %q", said, want)
	}
}

// A map without starts can be read and shown, but not played.
func TestMapsWithoutStarts(t *testing.T) {
	m := grid.NewMap("Quiet", 16, 16)
	dir := t.TempDir()
	p := filepath.Join(dir, "quiet.tmj")
	if err := os.WriteFile(p, WriteTMJ(m), 0o600); err != nil {
		t.Fatal(err)
	}
	if read, err := Open(p); err != nil || read.Hash() != m.Hash() {
		t.Errorf("open: %v", err)
	}
	if _, err := OpenPlayable(p); err == nil || !strings.HasPrefix(err.Error(), p+": no start points") || !errors.Is(err, ErrFormat) {
		t.Errorf("open to play: %v", err)
	}
	l, refused, err := OpenLibrary(dir)
	if err != nil || len(l.List()) != 4 || len(refused) != 1 || !strings.Contains(refused[0].Error(), "no start points") {
		t.Errorf("%d maps in the library, refused %v, %v", len(l.List()), refused, err)
	}
}

func TestSlug(t *testing.T) {
	for in, want := range map[string]string{
		"Twin Fords": "twin-fords", "10c-Emergence": "10c-emergence", "  ÄÖ  ": "map", "a__b--c!": "a-b-c", "": "map",
	} {
		if got := Slug(in); got != want {
			t.Errorf("Slug(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestOpenNamesWhatItWants(t *testing.T) {
	p := filepath.Join(t.TempDir(), "map.bmp")
	if err := os.WriteFile(p, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(p); err == nil || !strings.Contains(err.Error(), "unknown kind of map file: want .tmj, .tmx") {
		t.Error(err)
	}
	if _, err := Open(p + "x"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Error(err)
	}
}

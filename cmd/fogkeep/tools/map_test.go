package tools

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
)

const shippedMap = "../../../match/grid/mapfile/shipped/twin-fords.tmj"

// fogkeep runs one command line.
func fogkeep(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), "fogkeep", "", &Commands{}, args, &out, &errs)
	return code, out.String(), errs.String()
}

func TestMapInfo(t *testing.T) {
	t.Parallel()
	code, out, errs := fogkeep(t, "map", "info", "--json", shippedMap)
	if code != 0 || errs != "" || strings.Count(out, "\n") != 1 {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	want := `{"name":"Twin Fords","width":64,"height":64,"starts":[[11,11],[52,52]],"resources":16,"levels":3}` + "\n"
	if out != want {
		t.Errorf("got  %swant %s", out, want)
	}
	if code, out, _ := fogkeep(t, "map", "info", shippedMap); code != 0 || !strings.Contains(out, "64 x 64 tiles") {
		t.Errorf("exit code %d, %q", code, out)
	}
}

func TestMapValidate(t *testing.T) {
	t.Parallel()
	if code, out, errs := fogkeep(t, "map", "validate", shippedMap); code != 0 || errs != "" || !strings.HasSuffix(out, "valid, 2 starts, 0 warnings\n") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	broken := filepath.Join(t.TempDir(), "broken.tmj")
	if err := os.WriteFile(broken, []byte("{\n\"width\": -1"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := fogkeep(t, "map", "validate", "--json", broken)
	if code != 1 || errs != "fogkeep: "+broken+": line 2, offset 11: width -1: want a whole number from 0 to 2147483647\n" {
		t.Errorf("exit code %d, %q", code, errs)
	}
	var v verdict
	if err := json.Unmarshal([]byte(out), &v); err != nil || v.Valid || !strings.Contains(v.Error, "offset 11") {
		t.Errorf("%q: %v", out, err)
	}
	if code, _, errs := fogkeep(t, "map", "info", filepath.Join(t.TempDir(), "none.tmx")); code != 1 || strings.Count(errs, "\n") != 1 {
		t.Errorf("exit code %d, %q", code, errs)
	}
}

func TestMapConvertAndRender(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tmj := filepath.Join(dir, "copy.tmj")
	if code, out, errs := fogkeep(t, "map", "convert", shippedMap, "-o", tmj); code != 0 || errs != "" || !strings.HasPrefix(out, tmj+": ") {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	a, err := mapfile.Open(shippedMap)
	if err != nil {
		t.Fatal(err)
	}
	b, err := mapfile.Open(tmj)
	if err != nil || a.Hash() != b.Hash() {
		t.Errorf("the copy is another map: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, mapfile.TilesPicture)); err != nil {
		t.Error(err)
	}
	code, out, errs := fogkeep(t, "map", "convert", shippedMap, "-o", "-")
	if code != 0 || errs != "" || out != string(mapfile.WriteTMJ(a)) {
		t.Errorf("to standard output: exit code %d, %d bytes, %q", code, len(out), errs)
	}
	picture := filepath.Join(dir, "picture.png")
	if code, _, errs := fogkeep(t, "map", "render", tmj, "-o", picture, "--scale", "3", "--json"); code != 0 || errs != "" {
		t.Fatalf("exit code %d, %q", code, errs)
	}
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || img.Bounds().Dx() != 64*3 {
		t.Errorf("picture of %v: %v", img.Bounds(), err)
	}
}

// A map without starts is shown by info and render; validate says that it
// cannot be played.
func TestMapWithoutStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	quiet := filepath.Join(dir, "quiet.tmj")
	if err := os.WriteFile(quiet, mapfile.WriteTMJ(grid.NewMap("Quiet", 16, 20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := fogkeep(t, "map", "info", "--json", quiet); code != 0 || errs != "" ||
		out != `{"name":"Quiet","width":16,"height":20,"starts":[],"resources":0,"levels":1}`+"\n" {
		t.Errorf("info: exit code %d, %q, %q", code, out, errs)
	}
	picture := filepath.Join(dir, "quiet.png")
	if code, _, errs := fogkeep(t, "map", "render", quiet, "-o", picture, "--vision", "3,3,5,ground"); code != 0 || errs != "" {
		t.Errorf("render: exit code %d, %q", code, errs)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() == 0 {
		t.Errorf("the picture: %v", err)
	}
	if code, _, errs := fogkeep(t, "map", "validate", quiet); code != 1 || !strings.HasPrefix(errs, "fogkeep: "+quiet+": no start points") {
		t.Errorf("validate: exit code %d, %q", code, errs)
	}
}

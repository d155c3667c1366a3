package tools

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMapRenderVision: what the source sees is drawn as without fog, what it
// does not see darker, and each rule and kind changes the picture.
func TestMapRenderVision(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	render := func(args ...string) []byte {
		t.Helper()
		p := filepath.Join(dir, "out.png")
		args = append([]string{"map", "render", "--no-places", "--scale", "4", "-o", p, shippedMap}, args...)
		if code, _, errs := fogkeep(t, args...); code != 0 || errs != "" {
			t.Fatalf("%v: exit code %d, %q", args, code, errs)
		}
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	bright := render()
	fogged := render("--vision", "11,11,6.5,ground")
	a, err := png.Decode(bytes.NewReader(bright))
	if err != nil {
		t.Fatal(err)
	}
	b, err := png.Decode(bytes.NewReader(fogged))
	if err != nil {
		t.Fatal(err)
	}
	if near := [2]int{4*11 + 1, 4*13 + 1}; a.At(near[0], near[1]) != b.At(near[0], near[1]) {
		t.Error("a tile in sight is drawn darker")
	}
	if far := [2]int{4 * 40, 4 * 40}; a.At(far[0], far[1]) == b.At(far[0], far[1]) {
		t.Error("a tile out of sight is drawn as if it were seen")
	}
	flyer := render("--vision", "32,20,16,flyer")
	los := render("--vision", "32,20,16,ground", "--occlusion", "line-of-sight")
	none := render("--vision", "32,20,16,ground", "--occlusion", "none")
	if !bytes.Equal(flyer, none) || bytes.Equal(los, none) {
		t.Error("a flyer has to see what nothing hides, and line of sight to hide something")
	}
	for want, eye := range map[string]string{
		"got 2 parts":               "1,2",
		"want a tile":               "x,2,3,ground",
		"off the map":               "64,2,3,ground",
		"want a radius":             "1,2,3.25,ground",
		"32 tiles in halves":        "1,2,33,ground",
		"want ground, tower or fly": "1,2,3,mole",
	} {
		if code, _, errs := fogkeep(t, "map", "render", shippedMap, "--vision", eye, "-o", filepath.Join(dir, "no.png")); code != 1 || !strings.Contains(errs, want) {
			t.Errorf("--vision %s: exit code %d, %q", eye, code, errs)
		}
	}
}

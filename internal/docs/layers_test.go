package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// layered lists where packages have to be in the picture of layers; what is below an internal or a
// testing folder is not.
var layered = []string{"match", "visibility", "orders", "minimap", "proto/wire", "lobby", "cmd"}

// TestLayers: in a picture of layers, each package imports only packages of the lines above, and the
// picture of docs/contributing/architecture.md has every package of the product.
func TestLayers(t *testing.T) {
	c, err := theCode()
	if err != nil {
		t.Fatal(err)
	}
	line := map[string]int{}
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.kind != "text" || !b.has("layers") {
				continue
			}
			for i, l := range strings.Split(b.code, "\n") {
				for _, w := range regexp.MustCompile(`\S+(?: \S+)*`).FindAllString(l, -1) {
					if c.imports[w] != nil || c.has(w) && !strings.Contains(w, " ") {
						line[w] = i + 1
					}
				}
			}
		}
	}
	for pkg, imports := range c.imports {
		inside := slices.ContainsFunc(layered, func(room string) bool { return pkg == room || strings.HasPrefix(pkg, room+"/") })
		helper := strings.Contains(pkg, "/internal/") || strings.HasSuffix(filepath.Base(pkg), "test") ||
			pkg == "visibility/obvious"
		if inside && !helper && line[pkg] == 0 {
			t.Errorf("the layers of docs/contributing/architecture.md do not have %s", pkg)
		}
		for of := range imports {
			if line[pkg] > 0 && line[of] > 0 && line[of] >= line[pkg] {
				t.Errorf("%s imports %s, which is not above it in the layers of docs/contributing/architecture.md", pkg, of)
			}
		}
	}
	if len(line) < 20 {
		t.Errorf("only the packages %v found: the test is broken", line)
	}
}

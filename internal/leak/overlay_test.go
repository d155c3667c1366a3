package leak_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/leak"
)

// TestOverlayPlantsEachLeak: each function of testdata has a call in the files that the
// edits change, and every edit finds its place.
func TestOverlayPlantsEachLeak(t *testing.T) {
	dir := t.TempDir()
	if _, err := leak.Overlay("../..", dir); err != nil {
		t.Fatal(err)
	}
	var product, leaks string
	for into, folder := range map[*string]string{&product: dir, &leaks: "testdata"} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(folder + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			*into += string(raw)
		}
	}
	found := 0
	for _, part := range strings.Split(leaks, "\nfunc leak")[1:] {
		name, _, _ := strings.Cut("leak"+part, "(")
		if !strings.Contains(product, name+"(") && strings.Count(leaks, name+"(") < 2 {
			t.Errorf("%s is called nowhere", name)
		}
		found++
	}
	if found < 30 {
		t.Errorf("only %d leaks found: this test is broken", found)
	}
}

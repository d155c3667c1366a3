package minimap

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the client's table of colours")

//go:generate go test . -run TestColorsAreToldOnce -update

// The browser client's table of shared colours is made from the palette.
func TestColorsAreToldOnce(t *testing.T) {
	const path = "../web/sdk/src/gen/colors.ts"
	var b strings.Builder
	b.WriteString("// Made by go test ./minimap -update from minimap/palette.go: the colours that\n// the pictures of the server and of the page share (sRGB).\n\n")
	b.WriteString("/** By the number of a player's colour. */\nexport const PLAYER_COLORS = [\n")
	for _, v := range playerColors {
		fmt.Fprintf(&b, "  \"#%06x\",\n", v)
	}
	b.WriteString("] as const;\n\n")
	c := rgb(unexploredColor)
	fmt.Fprintf(&b, "/** Ground that was never seen. */\nexport const UNEXPLORED = \"#%02x%02x%02x\";\n", c.R, c.G, c.B)
	got, err := os.ReadFile(path)
	if err == nil && string(got) == b.String() {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the palette gives (%v): run go test ./minimap -update", path, err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

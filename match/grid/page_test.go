package grid

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
)

// paged reads the bytes of a map by docs/reference/protocol.md ("The map") alone.
func paged(b []byte) *Map {
	at := 0
	take := func(n int) []byte {
		at += n
		return b[at-n : at]
	}
	one := func() int { return int(take(1)[0]) }
	two := func() int { x := take(2); return int(x[0]) + 256*int(x[1]) }
	tiles := func(n int) (out []Tile) {
		for range n {
			x := two()
			out = append(out, Tile{int16(x), int16(two())})
		}
		return out
	}
	if hex.EncodeToString(take(8)) != "666f676b6d617001" {
		return nil
	}
	m := &Map{W: two(), H: two(), Occlusion: Occlusion(one())}
	m.Name = string(take(one()))
	n := m.W * m.H
	m.Levels = append(m.Levels, take(n)...)
	for _, v := range take(n) {
		m.Terrain = append(m.Terrain, Terrain(v))
	}
	for _, v := range take(n) {
		m.Pass = append(m.Pass, PassMask(v))
	}
	m.Starts = tiles(one())
	m.Resources = tiles(two())
	if at != len(b) {
		return nil
	}
	return m
}

// The page's example equals the code's output, and maps are read by the page's layout as
// they were.
func TestMapBytesAreAsThePageSays(t *testing.T) {
	m := NewMap("ford", 16, 20)
	m.Starts = []Tile{{2, 3}, {12, 16}}
	m.Resources = []Tile{{7, 9}}
	b := m.Marshal()
	raw, err := os.ReadFile("../../docs/reference/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	_, rest, ok := strings.Cut(page, "named \"ford\"")
	if !ok {
		t.Fatal("the page has no example")
	}
	_, rest, _ = strings.Cut(rest, "```")
	_, rest, _ = strings.Cut(rest, "\n") // the block's kind
	lines := strings.Split(rest, "\n")
	head, tail := strings.ReplaceAll(lines[0], " ", ""), strings.ReplaceAll(lines[2], " ", "")
	if got := hex.EncodeToString(b); len(b) != 993 || len(head) != 36 || len(tail) != 30 || !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
		t.Errorf("the example has %d bytes, %s … %s", len(b), got[:36], got[len(got)-30:])
	}
	for i := range m.Levels { // something of everything
		m.Levels[i], m.Terrain[i] = Level(i%LevelsMax), Terrain(i%int(terrainEnd))
		m.Pass[i] = PassOf(m.Terrain[i])
	}
	b = m.Marshal()
	got := paged(b)
	if got == nil || string(got.Marshal()) != string(b) || got.Starts[1] != m.Starts[1] || got.Terrain[7] != Water || got.Name != "ford" {
		t.Errorf("read by the page's layout it is %+v", got)
	}
	if sum := sha256.Sum256(b); m.Hash().String() != hex.EncodeToString(sum[:]) {
		t.Error("the hash is not that of the bytes")
	}
	if !strings.Contains(page, fmt.Sprintf("| starts | how many, 1 to %d |", SlotsMax)) {
		t.Errorf("the page does not have the %d starts of a map", SlotsMax)
	}
	for i := range terrainEnd {
		if !strings.Contains(page, string(rune('0'+i))+" "+i.String()) {
			t.Errorf("the page does not have %d %v", i, i)
		}
	}
}

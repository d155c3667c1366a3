package mapfile

import (
	"bytes"
	"compress/gzip"
	"io"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
)

// The packed form of a map is the public one, and far smaller.
func TestPackedIsPublic(t *testing.T) {
	l, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	c := NewCatalogue(l)
	own := grid.NewMap("own", 40, 30)
	c.Publish(own)
	hashes := []grid.MapHash{own.Hash()}
	for _, e := range l.List() {
		hashes = append(hashes, e.Hash)
	}
	for _, h := range hashes {
		plain, ok := c.Public(h)
		packed, too := c.Packed(h)
		if !ok || !too {
			t.Fatalf("map %v: public %t, packed %t", h, ok, too)
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("map %v: %d bytes are unpacked to %d, not to the map: %v", h, len(packed), len(got), err)
		}
		if 4*len(packed) > len(plain) {
			t.Errorf("map %v: %d bytes packed of %d", h, len(packed), len(plain))
		}
		if again, _ := c.Packed(h); &again[0] != &packed[0] {
			t.Errorf("map %v: it is packed again", h)
		}
	}
	if _, ok := c.Packed(grid.MapHash{}); ok {
		t.Error("a map that there is not is packed")
	}
}

package grid

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/internal/archive"
)

// Bounds of the lists and strings of a map.
const (
	NameBytesMax = 64
	ResourcesMax = 4096
	FeaturesMax  = 256
)

// The public form of a map, little-endian, is:
//
//	8  "fogkmap" and the version, 1
//	2  width in tiles          2  height in tiles
//	1  occlusion               1  bytes of the name, then the name in UTF-8
//	n  level of each tile, row by row
//	n  terrain of each tile
//	n  passability of each tile, one bit a way of moving
//	1  number of starts, then 2+2 bytes (x, y) each
//	2  number of resource places, then 2+2 bytes each
//	2  number of features, above 0, then for each: 2+2 bytes (x, y), 1 link,
//	   1 bytes of its type's name, then the name in UTF-8; a map without
//	   features ends before this
//
// One map has one form, so that the hash of the form names the map.
const mapMagic = "fogkmap\x01"

// ErrMapFormat is in every error of [UnmarshalMap] that says the bytes are no
// map.
var ErrMapFormat = errors.New("not a fogkeep map")

// Marshal returns the public form of the map. The map must have passed
// [Map.Check].
func (m *Map) Marshal() []byte {
	a := archive.Writer(make([]byte, 0, len(mapMagic)+6+len(m.Name)+3*m.W*m.H+3+4*(len(m.Starts)+len(m.Resources))))
	m.state(a)
	return a.Bytes()
}

// state describes the public form, for writing and reading. Sizes are checked
// against the bytes there are before anything is allocated.
func (m *Map) state(a *archive.Archive) {
	a.Magic(mapMagic)
	w, h, name := uint16(m.W), uint16(m.H), []byte(m.Name)
	archive.Half(a, &w)
	archive.Half(a, &h)
	archive.Octet(a, &m.Occlusion)
	nameBytes := uint8(len(name))
	if a.U8(&nameBytes); a.Reading() {
		at := a.Offset()
		if name = a.Take(int(nameBytes)); !utf8.Valid(name) {
			a.FailAt(at, "name is not UTF-8")
		}
		if w > MapSideMax || h > MapSideMax {
			a.FailAt(len(mapMagic), "size %dx%d: at most %d tiles a side", w, h, MapSideMax)
		}
		n := int(w) * int(h)
		if a.Left() < 3*n {
			a.Fail("%d tiles: %w", n, archive.ErrShort)
		}
		if a.Err() != nil {
			return
		}
		m.W, m.H, m.Name = int(w), int(h), string(name)
		m.Levels, m.Terrain, m.Pass = make([]Level, n), make([]Terrain, n), make([]PassMask, n)
	} else {
		archive.Octets(a, name)
	}
	archive.Octets(a, m.Levels)
	archive.Octets(a, m.Terrain)
	archive.Octets(a, m.Pass)
	starts := uint8(len(m.Starts))
	a.U8(&starts)
	tilesState(a, &m.Starts, int(starts))
	resources := uint16(len(m.Resources))
	archive.Half(a, &resources)
	tilesState(a, &m.Resources, int(resources))
	m.featuresState(a)
}

// featuresState writes or reads the features. Maps without features have the form that they had before there were any.
func (m *Map) featuresState(a *archive.Archive) {
	n := uint16(len(m.Features))
	if a.Err() != nil || a.Reading() && a.Left() == 0 || !a.Reading() && n == 0 {
		return
	}
	if archive.Half(a, &n); a.Reading() {
		if n == 0 || n > FeaturesMax {
			a.Fail("%d features: 1 to %d, or the map ends here", n, FeaturesMax)
			return
		}
		m.Features = make([]Feature, n)
	}
	for i := range m.Features {
		f := &m.Features[i]
		archive.Half(a, &f.At.X)
		archive.Half(a, &f.At.Y)
		a.U8(&f.Link)
		name := uint8(len(f.Type))
		if a.U8(&name); a.Reading() {
			f.Type = string(a.Take(int(name)))
		} else {
			archive.Octets(a, []byte(f.Type))
		}
	}
}

// tilesState writes or reads n tiles.
func tilesState(a *archive.Archive, tiles *[]Tile, n int) {
	if a.Reading() && n > 0 {
		if a.Left() < 4*n {
			a.Fail("%d tiles: %w", n, archive.ErrShort)
			return
		}
		*tiles = make([]Tile, n)
	}
	for i := range *tiles {
		archive.Half(a, &(*tiles)[i].X)
		archive.Half(a, &(*tiles)[i].Y)
	}
}

// Hash returns the SHA-256 of the map's public form, which is its public name.
func (m *Map) Hash() MapHash { return sha256.Sum256(m.Marshal()) }

// MapHash names a map by its content.
type MapHash [sha256.Size]byte

func (h MapHash) String() string { return hex.EncodeToString(h[:]) }

// ParseMapHash reads the form that [MapHash.String] writes.
func ParseMapHash(s string) (MapHash, error) {
	var h MapHash
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("map hash: want %d hexadecimal digits, got %q", 2*len(h), s)
	}
	return MapHash(b), nil
}

// UnmarshalMap reads the public form of a map. Its errors name the offset.
func UnmarshalMap(b []byte) (*Map, error) {
	a, m := archive.Reader(b), &Map{}
	m.state(a)
	err := a.End()
	if err == nil {
		err = m.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMapFormat, err)
	}
	return m, nil
}

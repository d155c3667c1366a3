package grid

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Bounds of the lists and strings of a map.
const (
	NameBytesMax = 64
	ResourcesMax = 4096
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
//
// One map has one form, so that the hash of the form names the map.
const mapMagic = "fogkmap\x01"

// ErrMapFormat is in every error of [UnmarshalMap] that says the bytes are no
// map.
var ErrMapFormat = errors.New("not a fogkeep map")

// Marshal returns the public form of the map. The map must have passed
// [Map.Check].
func (m *Map) Marshal() []byte {
	le := binary.LittleEndian
	b := make([]byte, 0, len(mapMagic)+6+len(m.Name)+3*m.W*m.H+3+4*(len(m.Starts)+len(m.Resources)))
	b = append(b, mapMagic...)
	b = le.AppendUint16(b, uint16(m.W))
	b = le.AppendUint16(b, uint16(m.H))
	b = append(b, byte(m.Occlusion), byte(len(m.Name)))
	b = append(b, m.Name...)
	b = append(b, m.Levels...)
	for _, t := range m.Terrain {
		b = append(b, byte(t))
	}
	for _, p := range m.Pass {
		b = append(b, byte(p))
	}
	b = appendTiles(append(b, byte(len(m.Starts))), m.Starts)
	return appendTiles(le.AppendUint16(b, uint16(len(m.Resources))), m.Resources)
}

func appendTiles(b []byte, tiles []Tile) []byte {
	for _, t := range tiles {
		b = binary.LittleEndian.AppendUint16(b, uint16(t.X))
		b = binary.LittleEndian.AppendUint16(b, uint16(t.Y))
	}
	return b
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
// Sizes are checked against the bytes there are before anything is allocated.
func UnmarshalMap(b []byte) (*Map, error) {
	r := reader{b: b}
	if string(r.take(len(mapMagic), "header")) != mapMagic {
		return nil, fmt.Errorf("%w: offset 0: header is not %q", ErrMapFormat, mapMagic)
	}
	m := &Map{W: int(r.u16("width")), H: int(r.u16("height"))}
	m.Occlusion = Occlusion(r.u8("occlusion"))
	name := r.take(int(r.u8("name length")), "name")
	if r.err == nil && !utf8.Valid(name) {
		return nil, fmt.Errorf("%w: offset %d: name is not UTF-8", ErrMapFormat, r.at-len(name))
	}
	m.Name = string(name)
	if r.err == nil && (m.W > MapSideMax || m.H > MapSideMax) {
		return nil, fmt.Errorf("%w: offset %d: size %dx%d: at most %d tiles a side",
			ErrMapFormat, len(mapMagic), m.W, m.H, MapSideMax)
	}
	n := m.W * m.H
	levels, terrain, pass := r.take(n, "levels"), r.take(n, "terrain"), r.take(n, "passability")
	m.Starts = r.tiles(int(r.u8("number of starts")), "starts")
	m.Resources = r.tiles(int(r.u16("number of resources")), "resources")
	if r.err == nil && r.at != len(b) {
		r.err = fmt.Errorf("offset %d: %d bytes too many", r.at, len(b)-r.at)
	}
	if r.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMapFormat, r.err)
	}
	m.Levels = append([]Level(nil), levels...)
	m.Terrain, m.Pass = make([]Terrain, n), make([]PassMask, n)
	for i := range n {
		m.Terrain[i], m.Pass[i] = Terrain(terrain[i]), PassMask(pass[i])
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMapFormat, err)
	}
	return m, nil
}

// reader takes fields off b; after the first error it yields zeros.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) take(n int, what string) []byte {
	if r.err != nil {
		return nil
	}
	if len(r.b)-r.at < n {
		r.err = fmt.Errorf("offset %d: %s needs %d bytes, %d are left", r.at, what, n, len(r.b)-r.at)
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

func (r *reader) u8(what string) uint8 {
	if b := r.take(1, what); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16(what string) uint16 {
	if b := r.take(2, what); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) tiles(n int, what string) []Tile {
	b := r.take(4*n, what)
	if len(b) == 0 {
		return nil
	}
	ts := make([]Tile, n)
	for i := range ts {
		ts[i] = Tile{int16(binary.LittleEndian.Uint16(b[4*i:])), int16(binary.LittleEndian.Uint16(b[4*i+2:]))}
	}
	return ts
}

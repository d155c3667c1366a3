package bench

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A truth is written by the measured server: packed, in a tenth of the time that
// gob takes for thousands of small structs, so that its cost hardly shows in the measurement.

var errTruth = errors.New("bench: a truth ends early")

// GobEncode packs the truth: all numbers as varints, in the order of the fields.
func (t *Truth) GobEncode() ([]byte, error) {
	b := make([]byte, 0, 64+len(t.Facts)*(16+2*len(t.Timed)))
	b = binary.AppendUvarint(b, uint64(t.Tick))
	b = binary.AppendUvarint(b, uint64(t.Lacking))
	b = binary.AppendUvarint(b, uint64(len(t.Timed)))
	b = binary.AppendUvarint(b, uint64(len(t.Facts)))
	for i := range t.Facts {
		f := &t.Facts[i]
		b = append(b, byte(f.Slot), bit(f.Built)|bit(f.Cloaked)<<1)
		for _, n := range [...]int64{int64(f.Type), int64(f.Pos.X), int64(f.Pos.Y), int64(f.Foot.X), int64(f.Foot.Y), int64(f.Missing)} {
			b = binary.AppendVarint(b, n)
		}
		for _, h := range f.Handles {
			b = binary.AppendUvarint(b, uint64(h))
		}
	}
	for _, list := range t.Timed {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, s := range list {
			for _, n := range [...]int64{int64(s.Tile.X), int64(s.Tile.Y), int64(s.Radius), int64(bit(s.Flyer)), int64(s.LevelBonus)} {
				b = binary.AppendVarint(b, n)
			}
		}
	}
	return b, nil
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// GobDecode is the inverse of GobEncode.
func (t *Truth) GobDecode(b []byte) error {
	r := truthReader{b: b}
	t.Tick = uint32(r.count(1 << 32))
	t.Lacking = grid.SlotSet(r.count(math.MaxUint64))
	teams := r.count(grid.TeamsMax)
	t.Facts = make([]Fact, r.count(uint64(len(b))))
	for i := range t.Facts {
		f := &t.Facts[i]
		f.Slot = grid.Slot(r.octet())
		bits := r.octet()
		f.Built, f.Cloaked = bits&1 != 0, bits&2 != 0
		f.Type, f.Pos.X, f.Pos.Y = uint16(r.number()), int32(r.number()), int32(r.number())
		f.Foot.X, f.Foot.Y, f.Missing = int16(r.number()), int16(r.number()), int32(r.number())
		f.Handles = make([]grid.Handle, teams)
		for k := range f.Handles {
			f.Handles[k] = grid.Handle(r.count(1 << 32))
		}
	}
	t.Timed = make([][]Timed, teams)
	for i := range t.Timed {
		for range r.count(uint64(len(b))) {
			t.Timed[i] = append(t.Timed[i], Timed{
				Tile: grid.Tile{X: int16(r.number()), Y: int16(r.number())}, Radius: int(r.number()),
				Flyer: r.number() != 0, LevelBonus: int(r.number()),
			})
		}
	}
	if r.short {
		return errTruth
	}
	return nil
}

// truthReader reads numbers until there are no more; then they are 0.
type truthReader struct {
	b     []byte
	short bool
}

func (r *truthReader) octet() byte {
	if len(r.b) == 0 {
		r.short = true
		return 0
	}
	n := r.b[0]
	r.b = r.b[1:]
	return n
}

func (r *truthReader) number() int64 {
	n, size := binary.Varint(r.b)
	if size <= 0 {
		r.short, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

// count reads a number of at most so many.
func (r *truthReader) count(most uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > most {
		r.short, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

package page

import (
	"bytes"
	"image/png"
	"slices"
	"sync"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
)

// landscapesMax bounds the landscapes kept; the largest has 16 MiB.
const landscapesMax = 8

// pictures draws, and keeps what does not change from one picture to the next:
// landscapes, maps' hashes, and the encoder's buffers.
type pictures struct {
	mu     sync.Mutex
	kept   []landscape // least recently used first
	hashes map[*grid.Map]grid.MapHash
	pool   encoderPool
}

type landscape struct {
	m     *grid.Map // maps are read-only and live as long as their match: the pointer names them
	scale int
	land  *minimap.Landscape
}

func newPictures() *pictures { return &pictures{hashes: map[*grid.Map]grid.MapHash{}} }

// hash returns the map's hash, calculated once.
func (p *pictures) hash(m *grid.Map) grid.MapHash {
	p.mu.Lock()
	defer p.mu.Unlock()
	h, ok := p.hashes[m]
	if !ok {
		h = m.Hash()
		if len(p.hashes) >= 1024 { // maps of matches long gone
			clear(p.hashes)
		}
		p.hashes[m] = h
	}
	return h
}

// landscape returns the ground of a map, drawn once.
func (p *pictures) landscape(m *grid.Map, scale int) (*minimap.Landscape, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.kept, func(l landscape) bool { return l.m == m && l.scale == scale })
	if i >= 0 {
		l := p.kept[i]
		p.kept = append(slices.Delete(p.kept, i, i+1), l)
		return l.land, nil
	}
	land, err := minimap.NewLandscape(m, scale)
	if err != nil {
		return nil, err
	}
	if len(p.kept) == landscapesMax {
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	p.kept = append(p.kept, landscape{m, scale, land})
	return land, nil
}

// draw returns the state's picture as a PNG; scale 0 fits it.
func (p *pictures) draw(s *State, scale int) ([]byte, error) {
	if scale == 0 {
		scale = minimap.FitScale(s.Map, picturePixels)
	}
	land, err := p.landscape(s.Map, scale)
	if err != nil {
		return nil, err
	}
	marks := make([]minimap.Mark, 0, len(s.Entities))
	for _, e := range s.Entities {
		marks = append(marks, minimap.Mark{Shape: e.Shape, At: e.Pos, Size: e.Size, Slot: e.Slot, Color: e.Color})
	}
	// What is small is drawn last, so that nothing covers it.
	slices.SortStableFunc(marks, func(a, b minimap.Mark) int { return layer(a.Shape) - layer(b.Shape) })
	img, err := land.Draw(s.Sight, marks)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := minimap.Encode(&b, img, &p.pool); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func layer(s minimap.Shape) int {
	switch s {
	case minimap.Resource:
		return 0
	case minimap.Ghost:
		return 1
	case minimap.Structure:
		return 2
	case minimap.Unit:
		return 3
	default:
		return 4
	}
}

// encoderPool keeps the encoder's buffers for the next picture.
type encoderPool struct{ pool sync.Pool }

func (p *encoderPool) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *encoderPool) Put(b *png.EncoderBuffer) { p.pool.Put(b) }

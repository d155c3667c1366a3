package inspectserver

import (
	"bytes"
	"image"
	"image/png"
	"slices"
	"sync"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
)

const (
	landscapesMax = 8       // kept; the largest has 16 MiB
	seriesMax     = 8       // kept; each has two pictures, a PNG and a byte a tile
	seriesPixels  = 2 << 20 // a larger picture is drawn from nothing
	picturePixels = 512     // of a picture without a scale
)

// pictures draws, and keeps the parts that do not change from one picture to the next: landscapes, the layers of
// each open match, and the encoder's buffers.
type pictures struct {
	mu     sync.Mutex
	kept   []landscape // least recently used first
	series []*series   // least recently used first
	pool   encoderPool
	drawn  int // landscapes
}

// series is one match as some eyes see it, drawn again and again.
type series struct {
	match string
	eyes  int // as in [Guard]
	land  *minimap.Landscape

	mu      sync.Mutex
	picture *minimap.Picture
	png     []byte // of the picture; never written again once it is made
	encoded int    // how often
}

type landscape struct {
	m     *grid.Map // maps are read-only and live as long as their match: the pointer names them
	scale int
	land  *minimap.Landscape
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
	p.drawn++
	if len(p.kept) == landscapesMax {
		p.kept = slices.Delete(p.kept, 0, 1)
	}
	p.kept = append(p.kept, landscape{m, scale, land})
	return land, nil
}

// seriesOf returns the kept layers of a match and eyes; nil for a picture that is
// too large to keep.
func (p *pictures) seriesOf(match string, eyes int, land *minimap.Landscape) *series {
	if w, h := land.Size(); w*h > seriesPixels {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.series, func(s *series) bool { return s.match == match && s.eyes == eyes && s.land == land })
	if i >= 0 {
		s := p.series[i]
		p.series = append(slices.Delete(p.series, i, i+1), s)
		return s
	}
	if len(p.series) == seriesMax {
		p.series = slices.Delete(p.series, 0, 1)
	}
	s := &series{match: match, eyes: eyes, land: land}
	p.series = append(p.series, s)
	return s
}

// draw returns the state's picture as a PNG, which the caller does not change;
// scale 0 fits it. Parts without a change since the match was last drawn for these eyes are not drawn again.
func (p *pictures) draw(match string, eyes int, s *minimap.State, scale int) ([]byte, error) {
	if scale == 0 {
		scale = minimap.FitScale(s.Map, picturePixels)
	}
	land, err := p.landscape(s.Map, scale)
	if err != nil {
		return nil, err
	}
	kept := p.seriesOf(match, eyes, land)
	if kept == nil {
		img, err := land.Draw(s.Sight, s.Marks)
		if err != nil {
			return nil, err
		}
		return p.encode(img)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.picture == nil {
		kept.picture = land.NewPicture()
	}
	img, changed, err := kept.picture.Draw(s.Sight, s.Marks)
	if err != nil {
		return nil, err
	}
	if !changed && kept.png != nil {
		return kept.png, nil
	}
	kept.png = nil
	b, err := p.encode(img)
	if err != nil {
		return nil, err
	}
	kept.png = b
	kept.encoded++
	return b, nil
}

func (p *pictures) encode(img *image.Paletted) ([]byte, error) {
	var b bytes.Buffer
	if err := minimap.Encode(&b, img, &p.pool); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// encoderPool keeps the encoder's buffers for the next picture.
type encoderPool struct{ pool sync.Pool }

func (p *encoderPool) Get() *png.EncoderBuffer {
	b, _ := p.pool.Get().(*png.EncoderBuffer)
	return b
}

func (p *encoderPool) Put(b *png.EncoderBuffer) { p.pool.Put(b) }

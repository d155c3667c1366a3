package inspectserver

import (
	"bytes"
	"image"
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

// pictures draws, and keeps the parts that do not change from one picture to the next: landscapes, and the layers of
// each open match.
type pictures struct {
	mu         sync.Mutex
	landscapes []*landscape // least recently used first
	series     []*series    // least recently used first
	drawn      int          // landscapes
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

// recent returns the kept value that is meant, or makes it. At most so many are kept: the least recently used one goes.
func recent[T any](kept *[]T, most int, meant func(T) bool, made func() (T, error)) (T, error) {
	if i := slices.IndexFunc(*kept, meant); i >= 0 {
		x := (*kept)[i]
		*kept = append(slices.Delete(*kept, i, i+1), x)
		return x, nil
	}
	x, err := made()
	if err != nil {
		return x, err
	}
	*kept = append(*kept, x)
	*kept = slices.Delete(*kept, 0, max(0, len(*kept)-most))
	return x, nil
}

// seriesOf returns the ground of a map, drawn once, and the kept layers of a match and eyes on it; nil for a picture
// that is too large to keep.
func (p *pictures) seriesOf(match string, eyes int, m *grid.Map, scale int) (*minimap.Landscape, *series, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, err := recent(&p.landscapes, landscapesMax, func(l *landscape) bool { return l.m == m && l.scale == scale }, func() (*landscape, error) {
		land, err := minimap.NewLandscape(m, scale)
		p.drawn++
		return &landscape{m, scale, land}, err
	})
	if err != nil {
		return nil, nil, err
	}
	if w, h := l.land.Size(); w*h > seriesPixels {
		return l.land, nil, nil
	}
	of, err := recent(&p.series, seriesMax, func(s *series) bool { return s.match == match && s.eyes == eyes && s.land == l.land }, func() (*series, error) {
		return &series{match: match, eyes: eyes, land: l.land, picture: l.land.NewPicture()}, nil
	})
	return l.land, of, err
}

// draw returns the state's picture as a PNG, which the caller does not change;
// scale 0 fits it. Parts without a change since the match was last drawn for these eyes are not drawn again.
func (p *pictures) draw(match string, eyes int, s *minimap.State, scale int) ([]byte, error) {
	if scale == 0 {
		scale = minimap.FitScale(s.Map, picturePixels)
	}
	land, kept, err := p.seriesOf(match, eyes, s.Map, scale)
	if err != nil {
		return nil, err
	}
	if kept == nil {
		img, err := land.Draw(s.Sight, s.Marks)
		if err != nil {
			return nil, err
		}
		return encode(img)
	}
	kept.mu.Lock()
	defer kept.mu.Unlock()
	img, changed, err := kept.picture.Draw(s.Sight, s.Marks)
	if err != nil {
		return nil, err
	}
	if !changed && kept.png != nil {
		return kept.png, nil
	}
	if kept.png, err = encode(img); err == nil {
		kept.encoded++
	}
	return kept.png, err
}

func encode(img *image.Paletted) ([]byte, error) {
	var b bytes.Buffer
	err := minimap.Encode(&b, img)
	return b.Bytes(), err
}

package tools

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
	"github.com/fogkeep/fogkeep/visibility"
)

// mapEyes are the sources of sight that `map render` shows.
type mapEyes struct {
	Vision    []string `sep:"none" placeholder:"X,Y,R,KIND" help:"Show the tiles that a source on tile X,Y with a sight of R tiles sees (R may have a half: 7.5). KIND is ground, tower (sees one level higher) or flyer. May be given more than once."`
	Occlusion string   `enum:",none,high-ground,line-of-sight" default:"" help:"How terrain blocks sight, in place of the map's setting: none, high-ground or line-of-sight."`
}

// look returns what the eyes see and where they are, or nothing if there are
// none: then all is seen. Tiles out of sight are drawn as explored.
func (c *mapEyes) look(m *grid.Map) ([]minimap.Sight, []minimap.Mark, error) {
	if len(c.Vision) == 0 {
		return nil, nil, nil
	}
	ruled := *m
	if o, ok := grid.ParseOcclusion(c.Occlusion); ok {
		ruled.Occlusion = o
	}
	eyes, err := visibility.New(visibility.Config{Map: &ruled, Teams: 1})
	if err != nil {
		return nil, nil, err
	}
	var marks []minimap.Mark
	for _, text := range c.Vision {
		s, err := parseEye(text)
		if err != nil {
			return nil, nil, fmt.Errorf("--vision %s: %w", text, err)
		}
		if err := s.Check(m.W, m.H); err != nil {
			return nil, nil, fmt.Errorf("--vision %s: %w", text, err)
		}
		eyes.Add(0, s)
		marks = append(marks, minimap.Mark{Shape: minimap.Unit, At: s.Tile.Center()})
	}
	eyes.Step(0)
	sight := make([]minimap.Sight, m.W*m.H)
	for i := range sight {
		sight[i] = minimap.Explored
		if eyes.Visible(0, m.TileAt(i)) {
			sight[i] = minimap.Visible
		}
	}
	return sight, marks, nil
}

// parseEye reads X,Y,R,KIND.
func parseEye(text string) (visibility.Source, error) {
	var s visibility.Source
	parts := strings.Split(text, ",")
	if len(parts) != 4 {
		return s, fmt.Errorf("want X,Y,R,KIND, got %d parts", len(parts))
	}
	x, errX := strconv.ParseInt(parts[0], 10, 16)
	y, errY := strconv.ParseInt(parts[1], 10, 16)
	if errX != nil || errY != nil {
		return s, fmt.Errorf("want a tile, got %q,%q", parts[0], parts[1])
	}
	radius, err := strconv.ParseFloat(parts[2], 64)
	half := 2 * radius
	if err != nil || !(half >= 0 && half <= float64(visibility.RadiusMax)) || half != float64(int(half)) {
		return s, fmt.Errorf("want a radius of 0 to %d tiles in halves, got %q", visibility.RadiusMax/2, parts[2])
	}
	s.Tile, s.Radius = grid.Tile{X: int16(x), Y: int16(y)}, visibility.Radius(half)
	switch parts[3] {
	case "ground":
	case "tower":
		s.LevelBonus = 1
	case "flyer":
		s.Flyer = true
	default:
		return s, fmt.Errorf("want ground, tower or flyer, got %q", parts[3])
	}
	return s, nil
}

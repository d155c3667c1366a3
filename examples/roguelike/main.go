package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/visibility"
)

// level is the dungeon: # wall, + closed door, @ where the hero begins, r a rat,
// > the way out.
const level = `
##############################
#........#.........#.........#
#..@.....#.........+.......>.#
#........+....r....#.........#
#........#.........#..r......#
######+########..###.........#
#.........#.......############
#....r....+.........#
#.........#.........#
#####################
`

const hero = grid.Team(0) // the only one who looks

type game struct {
	tiles [][]byte // what is there: # + . >
	at    grid.Tile
	rats  []grid.Tile
	eyes  *visibility.Engine
	eye   visibility.SourceID
	now   grid.Tick
	told  string
}

func newGame() (*game, error) {
	g := &game{}
	for _, row := range strings.Split(strings.Trim(level, "\n"), "\n") {
		g.tiles = append(g.tiles, []byte(row+strings.Repeat("#", 30-len(row))))
	}
	m := grid.NewMap("dungeon", 30, 16) // no smaller map is possible: the rest is rock
	m.Occlusion = grid.OcclusionLineOfSight
	for i := range m.Terrain {
		m.Terrain[i] = grid.Cliff
	}
	for y, row := range g.tiles {
		for x, c := range row {
			t := grid.Tile{X: int16(x), Y: int16(y)}
			switch c {
			case '@':
				g.at, row[x] = t, '.'
			case 'r':
				g.rats = append(g.rats, t)
				row[x] = '.'
			}
			if c != '#' && c != '+' {
				m.Terrain[m.Index(t)] = grid.Rock
			}
		}
	}
	for i, t := range m.Terrain {
		m.Pass[i] = grid.PassOf(t)
	}
	var err error
	if g.eyes, err = visibility.New(visibility.Config{Map: m, Teams: 1}); err != nil {
		return nil, err
	}
	g.eye = g.eyes.Add(hero, visibility.Source{Tile: g.at, Radius: visibility.RadiusTiles(7)})
	g.step()
	return g, nil
}

// step ends a turn: the masks follow the changes since the last.
func (g *game) step() {
	g.now++
	g.eyes.Step(g.now)
}

// turn carries out a key. It reports whether the game goes on.
func (g *game) turn(key byte) bool {
	g.told = ""
	to := g.at
	switch key {
	case 'w':
		to.Y--
	case 's':
		to.Y++
	case 'a':
		to.X--
	case 'd':
		to.X++
	case '.':
	case 'q':
		return false
	default:
		g.told = "keys: w a s d move, . waits, q ends"
		return true
	}
	switch c := &g.tiles[to.Y][to.X]; *c {
	case '#':
		g.told = "a wall"
	case '+':
		*c = '.'
		g.eyes.SetGround(to, visibility.Ground{}) // it blocks no sight any more
		g.told = "the door opens"
	case '>':
		g.told = "you are out"
		return false
	default:
		g.at = to
		g.eyes.Move(g.eye, to)
	}
	for i, rat := range g.rats { // to the left and right, in turns
		next := grid.Tile{X: rat.X + 1 - 2*int16(g.now%2), Y: rat.Y}
		if g.tiles[next.Y][next.X] == '.' && next != g.at {
			g.rats[i] = next
		}
	}
	g.step()
	return true
}

// draw writes the hero's view. Remembered tiles are drawn without their inhabitants: a floor as a space, walls and
// doors as they are known.
func (g *game) draw(w io.Writer) {
	var picture strings.Builder
	for y, row := range g.tiles {
		line := make([]byte, len(row))
		for x, c := range row {
			t := grid.Tile{X: int16(x), Y: int16(y)}
			line[x] = ' '
			switch {
			case g.eyes.Visible(hero, t):
				line[x] = c
			case g.eyes.Explored(hero, t) && c != '.':
				line[x] = c
			}
		}
		for _, rat := range g.rats {
			if int(rat.Y) == y && g.eyes.Visible(hero, rat) {
				line[rat.X] = 'r'
			}
		}
		if int(g.at.Y) == y {
			line[g.at.X] = '@'
		}
		fmt.Fprintln(&picture, strings.TrimRight(string(line), " "))
	}
	fmt.Fprintln(w, strings.TrimRight(picture.String(), "\n"))
	if g.told != "" {
		fmt.Fprintln(w, g.told)
	}
	fmt.Fprintln(w)
}

// play reads keys until the game is over, and draws after each line.
func play(in io.Reader, out io.Writer) error {
	g, err := newGame()
	if err != nil {
		return err
	}
	g.draw(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		for _, key := range lines.Bytes() {
			if !g.turn(key) {
				fmt.Fprintln(out, g.told)
				return nil
			}
		}
		g.draw(out)
	}
	return nil
}

func main() {
	if err := play(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "roguelike:", err)
		os.Exit(1)
	}
}

package tools

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/minimap"
)

// Bounds of what render draws.
const (
	renderFramesMax = 20_000
	renderGIFBytes  = 512 << 20 // of changed pixels, which an animation is made of
)

// replayRenderCmd draws the minimap of a match that was played.
type replayRenderCmd struct {
	File  string  `arg:"" help:"A .journal file."`
	Out   string  `required:"" placeholder:"PATH" help:"The output: NAME.png for one tick, NAME.gif for an animation, otherwise a folder for one PNG per frame."`
	Eyes  string  `default:"all" help:"Whose sight: a team's number, or all."`
	Tick  *uint32 `help:"Draw only this tick."`
	From  uint32  `help:"First tick of an animation."`
	To    *uint32 `help:"Last tick of an animation. Default: the match's last."`
	Every uint32  `help:"Ticks between two frames. Default: one second."`
	Size  int     `default:"512" help:"Pixels of the map's longer side, at most."`
	FPS   int     `name:"fps" default:"10" help:"Frames per second of an animation, 1 to 50."`
}

// Run draws.
func (c *replayRenderCmd) Run(in *Invocation) error {
	eyes, err := parseEyes(c.Eyes)
	if err != nil {
		return err
	}
	ext := strings.ToLower(filepath.Ext(c.Out))
	switch {
	case c.FPS < 1 || c.FPS > 50:
		return fmt.Errorf("--fps %d: want 1 to 50", c.FPS)
	case c.Size < 16 || c.Size > minimap.PixelsMax:
		return fmt.Errorf("--size %d: want 16 to %d", c.Size, minimap.PixelsMax)
	case c.Tick != nil && (c.From != 0 || c.To != nil || c.Every != 0):
		return errors.New("--tick draws one picture: it does not go with --from, --to and --every")
	case c.Tick == nil && ext == ".png":
		return errors.New("--out " + c.Out + ": a PNG holds one tick: name it with --tick, or name a folder or a .gif")
	}
	var torn bool
	r, err := replay.Open((&journalPath{File: c.File}).read(&torn), replay.Options{})
	if err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if eyes != grid.NoTeam && int(eyes) >= r.Teams() {
		return fmt.Errorf("--eyes %s: the match has the teams 0 to %d", c.Eyes, r.Teams()-1)
	}
	ticks, err := c.ticks(r)
	if err != nil {
		return err
	}
	m := r.Setup.Map
	land, err := minimap.NewLandscape(m, minimap.FitScale(m, c.Size))
	if err != nil {
		return err
	}
	frame, end, err := c.sink(ext)
	if err != nil {
		return err
	}
	picture := land.NewPicture()
	looks := spec.Picture{Seats: r.Seats}
	progress := newProgressBar(in)
	defer progress.clear()
	for i, t := range ticks {
		if err := r.Seek(in.Ctx, t); err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		p, err := r.Picture(eyes)
		if err != nil {
			return err
		}
		s := minimap.StateOf(p, m, looks.Color)
		img, _, err := picture.Draw(s.Sight, s.Marks)
		if err != nil {
			return err
		}
		if err := frame(i, img); err != nil {
			return fmt.Errorf("--out %s: %w", c.Out, err)
		}
		progress.show(i+1, len(ticks), fmt.Sprintf("frame %d, tick %d", i+1, t))
	}
	progress.clear()
	if err := end(); err != nil {
		return fmt.Errorf("--out %s: %w", c.Out, err)
	}
	_, err = fmt.Fprintf(in.Stdout, "%s: %d frames of %d x %d pixels, ticks %d to %d\n", c.Out, len(ticks), m.W*land.Scale(), m.H*land.Scale(), ticks[0], ticks[len(ticks)-1])
	return err
}

// parseEyes reads a team's number, or "all".
func parseEyes(s string) (grid.Team, error) {
	if s == "all" {
		return grid.NoTeam, nil
	}
	n, err := strconv.ParseUint(s, 10, 8)
	if err != nil || n >= grid.TeamsMax {
		return 0, fmt.Errorf("--eyes %q: want all, or a team's number from 0 to %d", s, grid.TeamsMax-1)
	}
	return grid.Team(n), nil
}

// ticks are the ticks to draw.
func (c *replayRenderCmd) ticks(r *replay.Replay) ([]grid.Tick, error) {
	last := r.Last()
	if c.Tick != nil {
		if t := grid.Tick(*c.Tick); t > last {
			return nil, fmt.Errorf("--tick %d: the match has ticks 0 to %d", t, last)
		}
		return []grid.Tick{grid.Tick(*c.Tick)}, nil
	}
	from, to, every := max(grid.Tick(c.From), r.First()), last, grid.Tick(c.Every)
	if c.To != nil {
		to = grid.Tick(*c.To)
	}
	if every == 0 {
		every = grid.Tick(r.World().TickRate())
	}
	if to > last || from > to {
		return nil, fmt.Errorf("--from %d --to %d: the match has ticks %d to %d", c.From, to, r.First(), last)
	}
	if n := (to - from) / every; n >= renderFramesMax {
		return nil, fmt.Errorf("--every %d: %d frames are more than %d", every, n+1, renderFramesMax)
	}
	var out []grid.Tick
	for t := from; t <= to; t += every {
		out = append(out, t)
	}
	return out, nil
}

// sink returns where pictures go, and how that ends.
func (c *replayRenderCmd) sink(ext string) (frame func(i int, img *image.Paletted) error, end func() error, err error) {
	if ext == ".gif" {
		a := &animation{path: c.Out, delay: 100 / c.FPS}
		return a.frame, a.close, nil
	}
	name := func(int) string { return c.Out }
	if c.Tick == nil {
		if err := os.MkdirAll(c.Out, 0o755); err != nil {
			return nil, nil, fmt.Errorf("--out: %w", err)
		}
		name = func(i int) string { return filepath.Join(c.Out, fmt.Sprintf("frame-%06d.png", i+1)) }
	}
	return func(i int, img *image.Paletted) error {
		return writeFile(name(i), func(w io.Writer) error { return minimap.Encode(w, img) })
	}, func() error { return nil }, nil
}

// animation is a GIF. Of each frame it keeps only the rectangle that differs from the
// frame before, and of that only the pixels that differ.
type animation struct {
	path    string
	delay   int // hundredths of a second
	out     gif.GIF
	palette color.Palette // the minimap's, and behind it the colour of what stays
	last    *image.Paletted
	bytes   int
}

func (a *animation) frame(_ int, img *image.Paletted) error {
	r := img.Rect
	if a.last == nil {
		a.palette = append(slices.Clone(img.Palette), color.Transparent)
		a.out.Config = image.Config{ColorModel: a.palette, Width: r.Dx(), Height: r.Dy()}
		a.last = image.NewPaletted(r, img.Palette)
		for i := range a.last.Pix {
			a.last.Pix[i] = uint8(len(img.Palette)) // no pixel of the first frame stays
		}
	} else if r = changedIn(a.last, img); r.Empty() {
		a.out.Delay[len(a.out.Delay)-1] += a.delay // it stays as it is
		return nil
	}
	if a.bytes += r.Dx() * r.Dy(); a.bytes > renderGIFBytes {
		return fmt.Errorf("the animation has more than %d MiB of pixels: draw fewer frames, or smaller ones", renderGIFBytes>>20)
	}
	part := image.NewPaletted(r, a.palette)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		to := part.Pix[part.PixOffset(r.Min.X, y):][:r.Dx()]
		had, now := a.last.Pix[a.last.PixOffset(r.Min.X, y):], img.Pix[img.PixOffset(r.Min.X, y):]
		for x := range to {
			if to[x] = now[x]; now[x] == had[x] {
				to[x] = uint8(len(img.Palette))
			}
		}
	}
	copy(a.last.Pix, img.Pix)
	a.out.Image = append(a.out.Image, part)
	a.out.Delay = append(a.out.Delay, a.delay)
	a.out.Disposal = append(a.out.Disposal, gif.DisposalNone)
	return nil
}

func (a *animation) close() error {
	return writeFile(a.path, func(w io.Writer) error { return gif.EncodeAll(w, &a.out) })
}

// changedIn returns the smallest rectangle that contains all differences between two pictures of one size.
func changedIn(a, b *image.Paletted) image.Rectangle {
	var out image.Rectangle
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		rowA, rowB := a.Pix[a.PixOffset(a.Rect.Min.X, y):][:a.Rect.Dx()], b.Pix[b.PixOffset(a.Rect.Min.X, y):][:a.Rect.Dx()]
		from, to := 0, len(rowA)
		for from < to && rowA[from] == rowB[from] {
			from++
		}
		if from == to {
			continue
		}
		for rowA[to-1] == rowB[to-1] {
			to--
		}
		out = out.Union(image.Rect(a.Rect.Min.X+from, y, a.Rect.Min.X+to, y+1))
	}
	return out
}

// writeFile writes a file whole, or reports why not.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

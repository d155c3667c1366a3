package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a match of our own: team 0 sees the western half and its own unit,
// the other team's unit stands in the east.
type stage struct {
	m    *grid.Map
	tick atomic.Uint32
}

func newStage() *stage {
	m := grid.NewMap("Stage", 32, 16)
	m.Starts = []grid.Tile{{X: 2, Y: 8}, {X: 29, Y: 8}}
	return &stage{m: m}
}

func (s *stage) Inspect(_ context.Context, id string, eyes Eyes) (*State, error) {
	switch {
	case id == "broken":
		return nil, errors.New("secret detail")
	case id != "m1":
		return nil, fmt.Errorf("match %s: %w", id, ErrNoMatch)
	case eyes > 1:
		return nil, ErrNoTeam
	}
	out := &State{Tick: grid.Tick(s.tick.Add(1)), Map: s.m}
	own := minimap.Mark{Slot: 0, Color: 3, At: grid.Tile{X: 4, Y: 8}.Center()}
	other := minimap.Mark{Shape: minimap.Structure, Size: 2, Slot: 1, Color: 6, At: grid.Tile{X: 28, Y: 8}.Center()}
	if eyes == EyesAll {
		out.Marks = []minimap.Mark{{Shape: minimap.Resource, Slot: grid.NoSlot}, own, other}
		return out, nil
	}
	out.Marks = []minimap.Mark{own}
	out.Sight = make([]minimap.Sight, 32*16)
	for i := range out.Sight {
		if i%32 < 16 {
			out.Sight[i] = minimap.Visible
		}
	}
	out.Sight[17] = minimap.Explored
	return out, nil
}

func (s *stage) Traffic(_ context.Context, id string) (*Traffic, error) {
	if id != "m1" {
		return nil, fmt.Errorf("match %s: %w", id, ErrNoMatch)
	}
	sums := Sums{
		Sent: Messages{20, 1500}, Received: Messages{2, 30},
		Parts: []Part{{"motion", "motion", false, 1500, 200}}, Classes: []Class{{"unit", 1400, 190}},
	}
	all := Spans{Match: sums}
	return &Traffic{Tick: 9, All: all, Clients: []ClientTraffic{{Slot: 1, Spans: all}, {Slot: grid.NoSlot}}}, nil
}

func (s *stage) Trace(ctx context.Context, id string, slot grid.Slot, each func(TraceLine) error) error {
	switch {
	case id == "busy":
		return fmt.Errorf("4 run: %w", ErrTraces)
	case id != "m1":
		return fmt.Errorf("match %s: %w", id, ErrNoMatch)
	case slot != 1 && slot != grid.NoSlot:
		return ErrNoSeat
	}
	for i := range 2 {
		if err := each(TraceLine{Tick: grid.Tick(7 + i), Bytes: 30, Frame: true, Parts: []Part{{"motion", "motion", false, 30, 4}}}); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

// A trace is streamed a line a message, for as long as was asked.
func TestTrace(t *testing.T) {
	h := Handler(newStage(), open, quiet())
	for _, slot := range []string{"1", "spectators"} {
		w := get(t, h, "/matches/m1/trace?seconds=1&slot="+slot)
		want := `{"tick":7,"bytes":30,"frame":true,"snapshot":false,"parts":[{"name":"motion","group":"motion","client":false,"bytes":30,"rows":4}]}` + "\n"
		if got := w.Body.String(); got != want+strings.Replace(want, "7", "8", 1) || w.Header().Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("slot %s: %s", slot, got)
		}
	}
	for path, status := range map[string]int{
		"/matches/m1/trace": 400, "/matches/m1/trace?slot=255": 400, "/matches/m1/trace?slot=-1": 400, "/matches/m1/trace?slot=1&seconds=301": 400,
		"/matches/m1/trace?slot=1&seconds=0": 400, "/matches/m1/trace?slot=2": 404, "/matches/m2/trace?slot=1": 404, "/matches/busy/trace?slot=1": 503,
	} {
		if w := get(t, h, path); w.Code != status {
			t.Errorf("%s: %d, want %d", path, w.Code, status)
		}
	}
}

func open(w http.ResponseWriter, r *http.Request, _ Eyes, next http.HandlerFunc) { next(w, r) }

func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w
}

func TestNobodyLooksWithoutTheGuard(t *testing.T) {
	var audited []Eyes
	deny := func(w http.ResponseWriter, _ *http.Request, eyes Eyes, _ http.HandlerFunc) {
		audited = append(audited, eyes)
		w.WriteHeader(http.StatusForbidden)
	}
	h := Handler(newStage(), deny, quiet())
	for _, p := range []string{"/matches/m1/minimap.png", "/matches/m1/traffic", "/matches/m1/trace?slot=1", "/matches/m1/minimap.png?eyes=all", "/matches/m1/minimap.png?eyes=0", "/matches/m1/minimap.png?eyes=01"} {
		if w := get(t, h, p); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", p, w.Code)
		}
	}
	if want := []Eyes{EyesAll, EyesAll, EyesAll, EyesAll, 0, 1}; !slices.Equal(audited, want) {
		t.Errorf("the guard was told of the eyes %v, want %v", audited, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a handler without a guard was made")
		}
	}()
	Handler(newStage(), nil, quiet())
}

func TestTraffic(t *testing.T) {
	const (
		none = `{"sent":{"messages":0,"bytes":0},"received":{"messages":0,"bytes":0},"parts":[],"classes":[]}`
		some = `"second":` + none + `,"minute":` + none + `,"match":{"sent":{"messages":20,"bytes":1500},"received":{"messages":2,"bytes":30},` +
			`"parts":[{"name":"motion","group":"motion","client":false,"bytes":1500,"rows":200}],"classes":[{"name":"unit","bytes":1400,"rows":190}]}}`
		want = `{"id":"m1","tick":9,"all":{` + some + `,"clients":[{"slot":1,"spectators":false,` + some +
			`,{"slot":-1,"spectators":true,"second":` + none + `,"minute":` + none + `,"match":` + none + `}]}`
	)
	if got := get(t, Handler(newStage(), open, quiet()), "/matches/m1/traffic").Body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPictureThroughEyes(t *testing.T) {
	h := Handler(newStage(), open, quiet())
	picture := func(path string) image.Image {
		w := get(t, h, path)
		if ct := w.Header().Get("Content-Type"); ct != "image/png" {
			t.Fatalf("%s: %s: %s", path, ct, w.Body)
		}
		img, err := png.Decode(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	all, team := picture("/matches/m1/minimap.png?scale=8"), picture("/matches/m1/minimap.png?eyes=0&scale=8")
	if all.Bounds() != image.Rect(0, 0, 256, 128) {
		t.Errorf("the picture is %v", all.Bounds())
	}
	enemy := image.Pt(28*8+4, 8*8+4)
	if c := all.At(enemy.X, enemy.Y); c != minimap.PlayerColor(6) {
		t.Errorf("all eyes see %v where the enemy is", c)
	}
	if r, g, b, _ := team.At(enemy.X, enemy.Y).RGBA(); r>>8 > 40 || g>>8 > 40 || b>>8 > 40 {
		t.Errorf("team 0 sees %v where the enemy is in the dark", team.At(enemy.X, enemy.Y))
	}
	if c := team.At(4*8+4, 8*8+4); c != minimap.PlayerColor(3) {
		t.Errorf("team 0 sees %v where its own unit is", c)
	}
	if picture("/matches/m1/minimap.png").Bounds() != image.Rect(0, 0, 512, 256) {
		t.Error("without a scale the picture does not fit 512 pixels")
	}
}

func TestProblems(t *testing.T) {
	h := Handler(newStage(), open, quiet())
	for path, want := range map[string]string{
		"/matches/none/minimap.png":        `404 no_match`,
		"/matches/m1/minimap.png?eyes=7":   `404 no_team`,
		"/matches/m1/minimap.png?eyes=x":   `400 bad_query`,
		"/matches/m1/minimap.png?eyes=16":  `400 bad_query`,
		"/matches/m1/minimap.png?scale=0":  `400 bad_query`,
		"/matches/m1/minimap.png?scale=17": `400 bad_query`,
		"/matches/none/traffic":            `404 no_match`,

		"/matches/m1/minimap.png?eyes=0&team=1": `400 bad_query`,
		"/matches/m1/minimap.png?eyes=0&eyes=1": `400 bad_query`,
		"/matches/m1/traffic?eyes=0":            `400 bad_query`,
		"/matches/m1/trace?slot=1&eyes=0":       `400 bad_query`,
		"/matches/broken/minimap.png":           `500 internal`,
	} {
		w := get(t, h, path)
		var p struct {
			Status int
			Code   string
			Detail string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Fatalf("%s: %v: %s", path, err, w.Body)
		}
		if got := fmt.Sprintf("%d %s", w.Code, p.Code); got != want || p.Status != w.Code {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if strings.Contains(p.Detail, "secret") {
			t.Errorf("%s: tells %q", path, p.Detail)
		}
	}
}

// A picture that is asked for again is drawn and encoded again only if it
// differs; each pair of eyes and each scale has its own.
func TestPicturesAreDrawnWhenTheyChanged(t *testing.T) {
	src := newStage()
	p := newPictures()
	ask := func(eyes Eyes, scale int, change func(*State)) []byte {
		t.Helper()
		s, err := src.Inspect(t.Context(), "m1", eyes)
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(s)
		}
		got, err := p.draw("m1", eyes, s, scale)
		if err != nil {
			t.Fatal(err)
		}
		want, err := newPictures().draw("m1", eyes, s, scale)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Error("the picture differs from one that is drawn for the first time")
		}
		return got
	}
	crossed := func(s *State) { s.Marks[0].At.X += grid.WUPerTile }
	first := ask(0, 4, nil)
	again := ask(0, 4, nil)
	within := ask(0, 4, func(s *State) { s.Marks[0].At.X += 10 })
	if &first[0] != &again[0] || &first[0] != &within[0] {
		t.Error("a picture that did not change was encoded again")
	}
	if moved := ask(0, 4, crossed); bytes.Equal(first, moved) {
		t.Error("a unit that crossed a pixel is not shown")
	}
	ask(0, 4, crossed)
	if n := p.series[0].encoded; n != 2 {
		t.Errorf("encoded %d times, want 2", n)
	}
	if got, want := p.series[0].picture.Redraws(), (minimap.Redraws{Fog: 1, Marks: 2, Composition: 2}); got != want {
		t.Errorf("drawn %+v, want %+v", got, want)
	}
	ask(EyesAll, 4, nil)
	ask(0, 8, nil)
	ask(0, 4, crossed)
	if len(p.series) != 3 || p.drawn != 2 {
		t.Errorf("%d pictures and %d landscapes are kept, want 3 and 2", len(p.series), p.drawn)
	}
	if n := p.series[2].encoded; n != 2 {
		t.Errorf("encoded %d times after others were looked at, want 2", n)
	}
	for i := range 2 * seriesMax {
		s, _ := src.Inspect(t.Context(), "m1", 0)
		if _, err := p.draw(fmt.Sprint("m", i), 0, s, 4); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.series) != seriesMax || p.series[0].match != fmt.Sprint("m", seriesMax) {
		t.Errorf("%d pictures are kept, the oldest of %s", len(p.series), p.series[0].match)
	}
	// One that is too large is drawn, and not kept.
	large := &State{Map: grid.NewMap("large", 512, 512)}
	if _, err := p.draw("large", EyesAll, large, 4); err != nil {
		t.Fatal(err)
	}
	if p.series[seriesMax-1].match == "large" {
		t.Error("a picture of four million pixels is kept")
	}
}

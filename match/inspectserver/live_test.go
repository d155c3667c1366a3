package inspectserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/minimap"
)

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

func (s *stage) Match(string) (spec.Info, bool) { return spec.Info{}, false }

func (s *stage) Holdings(context.Context, string, grid.Team) (grid.Tick, []feed.Holding, error) {
	return 0, nil, spec.ErrNoMatch
}

func (s *stage) Inspect(_ context.Context, id string, eyes grid.Team) (*spec.Picture, error) {
	switch {
	case id == "broken":
		return nil, errors.New("secret detail")
	case id != "m1":
		return nil, fmt.Errorf("match %s: %w", id, spec.ErrNoMatch)
	case eyes > 1 && eyes != grid.NoTeam:
		return nil, spec.ErrNoTeam
	}
	out := &spec.Picture{Picture: &view.Picture{Tick: grid.Tick(s.tick.Add(1))}, Map: s.m, Seats: []spec.Seat{{Color: 3}, {Color: 6}}}
	own := view.Thing{Slot: 0, Class: rules.ClassUnit, Pos: grid.Tile{X: 4, Y: 8}.Center()}
	other := view.Thing{Class: rules.ClassStructure, Size: 2, Slot: 1, Pos: grid.Tile{X: 28, Y: 8}.Center()}
	if eyes == grid.NoTeam {
		out.Things = []view.Thing{{Class: rules.ClassResource, Slot: grid.NoSlot}, own, other}
		return out, nil
	}
	out.Things = []view.Thing{own}
	out.Visible, out.Explored = make([]bool, 32*16), make([]bool, 32*16)
	for i := range out.Visible {
		out.Visible[i] = i%32 < 16
		out.Explored[i] = out.Visible[i]
	}
	out.Explored[17] = true
	return out, nil
}

// state is a picture of the stage, as it is drawn.
func (s *stage) state(t *testing.T, eyes int) *minimap.State {
	t.Helper()
	team := grid.NoTeam
	if eyes != inspect.AllEyes {
		team = grid.Team(eyes)
	}
	p, err := s.Inspect(t.Context(), "m1", team)
	if err != nil {
		t.Fatal(err)
	}
	return minimap.StateOf(p.Picture, p.Map, p.Color)
}

func (s *stage) Traffic(_ context.Context, id string) (*spec.LiveTraffic, error) {
	if id != "m1" {
		return nil, fmt.Errorf("match %s: %w", id, spec.ErrNoMatch)
	}
	none := spec.SpanSums{Parts: []spec.Part{}, Classes: []spec.Class{}}
	sums := spec.SpanSums{
		Sent: spec.Messages{Messages: 20, Bytes: 1500}, Received: spec.Messages{Messages: 2, Bytes: 30},
		Parts: []spec.Part{{Name: "motion", Group: "motion", Bytes: 1500, Rows: 200}}, Classes: []spec.Class{{Name: "unit", Bytes: 1400, Rows: 190}},
	}
	all := spec.Spans{Second: none, Minute: none, Match: sums}
	return &spec.LiveTraffic{ID: "m1", Tick: 9, All: all, Clients: []spec.ClientTraffic{
		{Slot: 1, Spans: all}, {Slot: -1, Spectators: true, Spans: spec.Spans{Second: none, Minute: none, Match: none}},
	}}, nil
}

func (s *stage) Trace(ctx context.Context, id string, slot grid.Slot, each func(spec.TraceLine) error) error {
	switch {
	case id == "busy":
		return fmt.Errorf("4 run: %w", &quota.Refusal{})
	case id != "m1":
		return fmt.Errorf("match %s: %w", id, spec.ErrNoMatch)
	case slot != 1 && slot != grid.NoSlot:
		return spec.ErrNoSeat
	}
	for i := range 2 {
		l := spec.TraceLine{Time: time.Unix(1_800_000_000, 0).UTC(), Tick: grid.Tick(7 + i), Bytes: 30, Frame: i == 0, From: spec.FromClient, Lost: i, Parts: []spec.Part{{Name: "motion", Group: "motion", Bytes: 30, Rows: 4}}}
		if i == 0 {
			l.From = spec.FromServer
			l.Entities = []spec.TraceEntity{{TraceName: spec.TraceName{Handle: 5, Type: "scout"}, Parts: []spec.TracePart{{Name: "motion", Bytes: 9}}}}
		}
		if err := each(l); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

func staged() http.Handler { return New(Config{Live: newStage()}).Here() }

// A trace is streamed a line a message, for as long as was asked.
func TestTrace(t *testing.T) {
	h := staged()
	server := `{"time":"2027-01-15T08:00:00Z","tick":7,"from":"server","bytes":30,"frame":true,"snapshot":false,"parts":[{"name":"motion","group":"motion","client":false,"bytes":30,"rows":4}],"entities":[{"handle":5,"type":"scout","parts":[{"name":"motion","bytes":9}]}]}` + "\n"
	client := `{"time":"2027-01-15T08:00:00Z","tick":8,"from":"client","bytes":30,"frame":false,"snapshot":false,"lost":1,"parts":[{"name":"motion","group":"motion","client":false,"bytes":30,"rows":4}]}` + "\n"
	for query, want := range map[string]string{
		"slot=1": server + client, "slot=spectators": server + client, "slot=1&from=server": server, "slot=1&from=client": client,
		"slot=1&part=motion": server + client, "slot=1&part=health": "", "slot=1&entity=5": server, "slot=1&entity=6": "",
	} {
		t.Run(query, func(t *testing.T) {
			t.Parallel() // each takes a second
			w := get(t, h, "m1/trace?seconds=1&"+query)
			if got := w.Body.String(); got != want || w.Header().Get("Content-Type") != "application/x-ndjson" {
				t.Errorf("%s", got)
			}
		})
	}
	for path, status := range map[string]int{
		"m1/trace": 422, "m1/trace?slot=255": 422, "m1/trace?slot=-1": 422, "m1/trace?slot=1&seconds=301": 422,
		"m1/trace?slot=1&seconds=0": 422, "m1/trace?slot=1&from=nobody": 422, "m1/trace?slot=1&part=nothing": 422, "m1/trace?slot=2": 404, "m2/trace?slot=1": 404, "busy/trace?slot=1": 503,
	} {
		if w := get(t, h, path); w.Code != status {
			t.Errorf("%s: %d, want %d", path, w.Code, status)
		}
	}
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", LivePrefix+path, nil))
	return w
}

func TestEveryLookAsksTheGuard(t *testing.T) {
	var audited []string
	h := chi.NewMux()
	New(Config{Live: newStage()}).RegisterLive(humachi.New(h, huma.DefaultConfig("test", "0")), func(*huma.Operation) {}, func(_ context.Context, match string, eyes int) (context.Context, func(), error) {
		audited = append(audited, fmt.Sprint(match, " ", eyes))
		return nil, nil, huma.Error403Forbidden("no")
	}, func(http.ResponseWriter, *http.Request, string, http.HandlerFunc) { t.Error("the owner is asked") })
	for _, p := range []string{"m1/minimap.png", "m1/traffic", "m1/trace?slot=1", "m1/minimap.png?eyes=all", "m1/minimap.png?eyes=0", "m1/minimap.png?eyes=01"} {
		if w := get(t, h, p); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d", p, w.Code)
		}
	}
	if want := []string{"m1 -1", "m1 -1", "m1 -1", "m1 -1", "m1 0", "m1 1"}; !slices.Equal(audited, want) {
		t.Errorf("the guard was told of %v, want %v", audited, want)
	}
}

// A request that the guard lets through is answered where its match runs, with the
// guard's context, and the look ends after the answer.
func TestTheOwnerAnswers(t *testing.T) {
	type key struct{}
	var did []string
	h := chi.NewMux()
	New(Config{Live: newStage()}).RegisterLive(humachi.New(h, huma.DefaultConfig("test", "0")), func(*huma.Operation) {}, func(ctx context.Context, _ string, _ int) (context.Context, func(), error) {
		return context.WithValue(ctx, key{}, "looks"), func() { did = append(did, "done") }, nil
	}, func(w http.ResponseWriter, r *http.Request, match string, here http.HandlerFunc) {
		did = append(did, fmt.Sprint(match, " ", r.Context().Value(key{})))
		if match == "m1" {
			here(w, r)
			return
		}
		w.WriteHeader(http.StatusTeapot)
	})
	if w := get(t, h, "m1/traffic"); w.Code != http.StatusOK {
		t.Errorf("here: %d", w.Code)
	}
	if w := get(t, h, "m2/traffic"); w.Code != http.StatusTeapot {
		t.Errorf("elsewhere: %d", w.Code)
	}
	if want := []string{"m1 looks", "done", "m2 looks", "done"}; !slices.Equal(did, want) {
		t.Errorf("done %v, want %v", did, want)
	}
}

func TestTraffic(t *testing.T) {
	const (
		none = `{"sent":{"messages":0,"bytes":0},"received":{"messages":0,"bytes":0},"parts":[],"classes":[]}`
		some = `"second":` + none + `,"minute":` + none + `,"match":{"sent":{"messages":20,"bytes":1500},"received":{"messages":2,"bytes":30},` +
			`"parts":[{"name":"motion","group":"motion","client":false,"bytes":1500,"rows":200}],"classes":[{"name":"unit","bytes":1400,"rows":190}]}}`
		want = `{"id":"m1","tick":9,"all":{` + some + `,"clients":[{"slot":1,"spectators":false,` + some +
			`,{"slot":-1,"spectators":true,"second":` + none + `,"minute":` + none + `,"match":` + none + `}]}`
	)
	if got := strings.TrimSpace(get(t, staged(), "m1/traffic").Body.String()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPictureThroughEyes(t *testing.T) {
	h := staged()
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
	all, team := picture("m1/minimap.png?scale=8"), picture("m1/minimap.png?eyes=0&scale=8")
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
	if picture("m1/minimap.png").Bounds() != image.Rect(0, 0, 512, 256) {
		t.Error("without a scale the picture does not fit 512 pixels")
	}
}

func TestProblems(t *testing.T) {
	h := staged()
	for path, want := range map[string]string{
		"none/minimap.png":        `404 no_match`,
		"m1/minimap.png?eyes=7":   `404 no_team`,
		"m1/minimap.png?eyes=16":  `404 no_team`,
		"m1/minimap.png?eyes=x":   `422 `,
		"m1/minimap.png?scale=0":  `422 `,
		"m1/minimap.png?scale=17": `422 `,
		"none/traffic":            `404 no_match`,
		"broken/minimap.png":      `500 internal`,
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
	var p pictures
	ask := func(eyes, scale int, change func(*minimap.State)) []byte {
		t.Helper()
		s := src.state(t, eyes)
		if change != nil {
			change(s)
		}
		got, err := p.draw("m1", eyes, s, scale)
		if err != nil {
			t.Fatal(err)
		}
		want, err := new(pictures).draw("m1", eyes, s, scale)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Error("the picture differs from one that is drawn for the first time")
		}
		return got
	}
	crossed := func(s *minimap.State) { s.Marks[0].At.X += grid.WUPerTile }
	first := ask(0, 4, nil)
	again := ask(0, 4, nil)
	within := ask(0, 4, func(s *minimap.State) { s.Marks[0].At.X += 10 })
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
	ask(inspect.AllEyes, 4, nil)
	ask(0, 8, nil)
	ask(0, 4, crossed)
	if len(p.series) != 3 || p.drawn != 2 {
		t.Errorf("%d pictures and %d landscapes are kept, want 3 and 2", len(p.series), p.drawn)
	}
	if n := p.series[2].encoded; n != 2 {
		t.Errorf("encoded %d times after others were looked at, want 2", n)
	}
	for i := range 2 * seriesMax {
		s := src.state(t, 0)
		if _, err := p.draw(fmt.Sprint("m", i), 0, s, 4); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.series) != seriesMax || p.series[0].match != fmt.Sprint("m", seriesMax) {
		t.Errorf("%d pictures are kept, the oldest of %s", len(p.series), p.series[0].match)
	}
	// One that is too large is drawn, and not kept.
	large := &minimap.State{Map: grid.NewMap("large", 512, 512)}
	if _, err := p.draw("large", inspect.AllEyes, large, 4); err != nil {
		t.Fatal(err)
	}
	if p.series[seriesMax-1].match == "large" {
		t.Error("a picture of four million pixels is kept")
	}
}

// The answers have the members that the document describes, and no other.
func TestLiveAnswersAreAsDescribed(t *testing.T) {
	h := chi.NewMux()
	api := humachi.New(h, huma.DefaultConfig("test", "0"))
	New(Config{Live: newStage()}).RegisterLive(api, func(*huma.Operation) {}, func(ctx context.Context, _ string, _ int) (context.Context, func(), error) {
		return ctx, func() {}, nil
	}, nil)
	raw, err := json.Marshal(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	for path, c := range map[string]struct{ request, kind, schema string }{
		"/minimap.png": {"", "image/png", ""},
		"/traffic":     {"", "application/json", "LiveTraffic"},
		"/trace":       {"?slot=1&seconds=1", "application/x-ndjson", "TraceLine"},
	} {
		described := doc.Paths.Value(LivePrefix + "{match}" + path).Get.Responses.Status(200).Value
		w := get(t, h, "m1"+path+c.request)
		if kind := w.Header().Get("Content-Type"); kind != c.kind || described.Content[c.kind] == nil {
			t.Errorf("%s: a %s is answered, described is %v", path, kind, described.Content)
		}
		for name := range described.Headers {
			if w.Header().Get(name) == "" {
				t.Errorf("%s: the header %s is described and not sent", path, name)
			}
		}
		if c.schema == "" {
			continue
		}
		check := func(body []byte) error {
			var v any
			if err := json.Unmarshal(body, &v); err != nil {
				return err
			}
			return doc.Components.Schemas[c.schema].Value.VisitJSON(v)
		}
		body, _, _ := bytes.Cut(w.Body.Bytes(), []byte("\n"))
		if err := check(body); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		// The check sees a member that is missing, and one that the document lacks.
		if more := `{"unknown":1,` + string(body[1:]); check([]byte(more)) == nil {
			t.Errorf("%s: a member that is not described passes", path)
		}
		if less := strings.Replace(string(body), `"tick":`, `"tock":`, 1); check([]byte(less)) == nil {
			t.Errorf("%s: a missing member passes", path)
		}
	}
}

package inspectserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-chi/chi/v5"
	"go.uber.org/goleak"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// playedTicks is the length of the tests' match, at ten ticks a second.
const playedTicks = 260

// original is a match as it was played.
type original struct {
	records [][]byte
	states  [][]byte // by tick: what the inspector has to show, with all eyes and each team's
	seen    map[grid.Tile][2][]bool
	orders  []inspect.Order // by what was sent: slot, seq, tick, kind and code
	notes   notes.Notes
}

// theTile is looked at by a scout of team 0 that goes by and comes back.
var theTile = grid.Tile{X: 24, Y: 24}

var played = sync.OnceValue(play)

func play() *original {
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 39, Y: 39}}
	set, err := rules.Shipped("skirmish")
	if err != nil {
		panic(err)
	}
	s := sim.Setup{Map: m, Rules: set, Seed: 42, TickRate: 10, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}}, Options: sim.Options{Mode: "skirmish"}}
	o := &original{seen: map[grid.Tile][2][]bool{}}
	if o.records, err = journal.SetupRecords(journal.Header{Match: "m1", Build: "test", Extra: []byte(`{"seats":[{"Name":"Ada","Color":3},{"Name":"Bob","Color":5,"Bot":true}]}`)}, s); err != nil {
		panic(err)
	}
	w, err := sim.New(s)
	if err != nil {
		panic(err)
	}
	mobile := map[grid.Slot][]grid.Handle{} // handles of each player's units that move
	for slot := range grid.Slot(2) {
		for _, x := range w.Knowledge(grid.Team(slot)).Seen(nil) {
			if e := w.Entity(x.ID); e.Slot() == slot && set.Types[e.Type()].Mobile {
				mobile[slot] = append(mobile[slot], x.Handle)
			}
		}
	}
	keep := func() {
		var all []inspect.State
		for eyes := -1; eyes < 2; eyes++ {
			all = append(all, inspect.At(w).State(eyes, true))
		}
		b, err := json.Marshal(all)
		if err != nil {
			panic(err)
		}
		o.states = append(o.states, b)
		for y := range 48 {
			for x := range 48 {
				at := grid.Tile{X: int16(x), Y: int16(y)}
				row := o.seen[at]
				for team := range grid.Team(2) {
					row[team] = append(row[team], w.Eyes().Visible(team, at))
				}
				o.seen[at] = row
			}
		}
	}
	keep()
	seqs := [2]uint32{}
	for n := range playedTicks {
		var in []sim.Input
		order := func(slot grid.Slot, what orders.Order) {
			seqs[slot]++
			in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: seqs[slot], AsOf: w.Tick(), Order: what})
		}
		switch {
		case n == 5:
			order(0, orders.Order{Kind: orders.Move, Units: mobile[0], HasPoint: true, Point: grid.Tile{X: 26, Y: 26}.Center()})
		case n == 120:
			order(0, orders.Order{Kind: orders.AttackMove, Units: mobile[0], HasPoint: true, Point: grid.Tile{X: 6, Y: 14}.Center()})
		case n == 30:
			order(1, orders.Order{Kind: orders.Move, Units: mobile[1][:1], HasPoint: true, Point: grid.Pos{X: -5000, Y: 3}})
			order(1, orders.Order{Kind: orders.Attack, Units: mobile[1][:1], Target: 4000})
		case n%25 == 7:
			order(1, orders.Order{Kind: orders.Patrol, Units: append([]grid.Handle{3000}, mobile[1][:2]...), HasPoint: true, Point: grid.Tile{X: int16(20 + n%20), Y: 36}.Center()})
		}
		out := w.Step(in)
		for i, a := range out.Answers {
			if a.Code != orders.OK {
				o.notes.Refused = append(o.notes.Refused, notes.Refused{Tick: out.Tick, Slot: a.Slot, Input: journal.AppendInput(nil, &in[i])})
			}
			o.orders = append(o.orders, inspect.Order{Slot: int(a.Slot), Seq: a.Seq, Tick: uint32(out.Tick), Kind: in[i].Order.Kind.String(), Code: a.Code.String(), Acts: uint32(a.Acts)})
		}
		rec := journal.Tick{Tick: out.Tick, Inputs: sim.Compact(nil, in, out.Answers, 2), Answers: out.Answers, Hashed: out.Hashed, Hash: out.Hash}
		if out.Hashed {
			o.notes.Times = append(o.notes.Times, notes.Times{Tick: out.Tick, Ticks: 10, Step: notes.Phase{P50: time.Millisecond, Max: 2500 * time.Microsecond}, Missed: 1})
			o.notes.Reports = append(o.notes.Reports, notes.Report{Tick: out.Tick - 1, Account: notes.Account{Seconds: 60, Frames: 1200, Gaps: int(out.Tick) / 20}})
			o.notes.Links = append(o.notes.Links, notes.Link{Tick: out.Tick, Slot: 0, Sent: 900 + n, Pending: 3, Late: 120, Frame: out.Tick, Acked: out.Tick - 4})
		}
		if !rec.Empty() {
			o.records = append(o.records, journal.AppendTick(nil, &rec))
		}
		keep()
	}
	return o
}

// journals has the journal of the match "m1", as far as it was written.
type journals struct {
	mu      sync.Mutex
	records [][]byte
	follows int
	open    int
}

func (s *journals) Follow(match string) (journal.Tail, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.HasPrefix(match, "m") {
		return nil, fmt.Errorf("no %s: %w", match, fs.ErrNotExist)
	}
	s.follows++
	s.open++
	return &tail{of: s}, nil
}

type tail struct {
	of   *journals
	next int
}

func (t *tail) Read(each func(n uint64, record []byte) error) error {
	t.of.mu.Lock()
	records := t.of.records
	t.of.mu.Unlock()
	for ; t.next < len(records); t.next++ {
		if err := each(uint64(t.next), records[t.next]); err != nil {
			return err
		}
	}
	return nil
}

func (t *tail) Close() error {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.open--
	return nil
}

// noted is where the notes of the match are, if there are any.
type noted struct{ *notes.Notes }

func (x noted) Read(match string) (*notes.Notes, error) {
	if match == "m0" { // nothing was noted
		return nil, nil
	}
	return x.Notes, nil
}

// running is a match service in which the match runs, up to its newest tick.
type running struct {
	stage
	tick grid.Tick
	list []feed.Holding
}

func (r *running) Match(string) (spec.Info, bool) {
	return spec.Info{State: "running", Seats: []spec.SeatInfo{
		{Seat: spec.Seat{Name: "Eve"}, Slot: 0, Connected: true}, {Seat: spec.Seat{Name: "Bob", Bot: true}, Slot: 1},
	}}, true
}

func (r *running) Holdings(context.Context, string, grid.Team) (grid.Tick, []feed.Holding, error) {
	return r.tick, r.list, nil
}

// bench is a service behind its API.
type bench struct {
	*testing.T
	s        *Service
	journals *journals
	h        http.Handler
	api      huma.API
	mu       sync.Mutex
	looks    []string // as the guard was told
}

func newBench(t *testing.T, records [][]byte, limits ...string) *bench {
	t.Helper()
	table, err := quota.Defaults().Set(limits)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{T: t, journals: &journals{records: records}}
	library := playback.New(playback.Config{Journals: b.journals, Notes: noted{&played().notes}})
	b.s = New(Config{Library: library, Ledger: quota.New(table)})
	r := chi.NewMux()
	b.h, b.api = r, humachi.New(r, huma.DefaultConfig("test", "0"))
	b.s.Register(b.api, func(*huma.Operation) {}, func(ctx context.Context, match string, eyes int) (context.Context, func(), error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.looks = append(b.looks, fmt.Sprint(match, " ", eyes))
		return ctx, func() {}, nil
	})
	t.Cleanup(func() {
		b.s.Close()
		library.Close()
		if open, bytes := library.Usage(); open+bytes != 0 {
			t.Errorf("%d matches with %d bytes are left open", open, bytes)
		}
		b.journals.mu.Lock()
		defer b.journals.mu.Unlock()
		if b.journals.open != 0 {
			t.Errorf("%d journals are left open", b.journals.open)
		}
	})
	return b
}

// get asks for a path and returns status and body.
func (b *bench) get(path string) (int, []byte) {
	b.Helper()
	w := httptest.NewRecorder()
	b.h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Prefix+path, nil))
	return w.Code, w.Body.Bytes()
}

// must asks and reads the answer into out.
func (b *bench) must(path string, out any) {
	b.Helper()
	status, body := b.get(path)
	if status != http.StatusOK {
		b.Fatalf("%s: %d %s", path, status, body)
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	if err := dec.Decode(out); err != nil {
		b.Fatalf("%s: %v", path, err)
	}
}

// refused makes a request that must be refused.
func (b *bench) refused(path string, status int, code string) {
	b.Helper()
	got, body := b.get(path)
	var p struct{ Code, Detail string }
	_ = json.Unmarshal(body, &p)
	if got != status || code != "" && (p.Code != code || p.Detail == "") {
		b.Errorf("%s: %d %s, want %d %s", path, got, body, status, code)
	}
}

// TestStatesAreAsTheyWere goes to and fro in a match: each state equals the match's own.
func TestStatesAreAsTheyWere(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	for _, tick := range []int{0, 1, 259, 30, 31, 30, 100, 99, 250, 7} {
		var want []inspect.State
		if err := json.Unmarshal(o.states[tick], &want); err != nil {
			t.Fatal(err)
		}
		for i, eyes := range []string{"all", "0", "1"} {
			var got inspect.State
			b.must(fmt.Sprintf("/m1/state?tick=%d&eyes=%s&sight=1", tick, eyes), &got)
			if !reflect.DeepEqual(got, want[i]) {
				t.Fatalf("tick %d through the eyes of %s: another state", tick, eyes)
			}
		}
	}
	var facts Facts
	b.must("/m1", &facts)
	if facts.Last != playedTicks || facts.TickRate != 10 || !facts.Live || facts.Teams != 2 || facts.Players[0].Name != "Ada" || !facts.Players[1].Bot || facts.Indexed != playedTicks {
		t.Errorf("facts %+v", facts)
	}
	// A difference of two ticks, put on the first, is the second.
	var was, now inspect.State
	var diff inspect.Changes
	b.must("/m1/state?tick=20&eyes=0", &was)
	b.must("/m1/state?tick=140&eyes=0", &now)
	b.must("/m1/changes?from=20&tick=140&eyes=0", &diff)
	if got := patched(was, diff); !reflect.DeepEqual(got.Entities, now.Entities) || len(diff.Changed) == 0 || len(diff.Sight) == 0 {
		t.Errorf("state 20 with the changes is not state 140: %d changed, %d tiles", len(diff.Changed), len(diff.Sight))
	}
	b.refused("/m1/changes?from=140&tick=20", 422, "bad_query")
}

// patched puts changes on a state.
func patched(s inspect.State, c inspect.Changes) inspect.State {
	byID := map[uint32]inspect.Entity{}
	for _, e := range s.Entities {
		byID[e.ID] = e
	}
	for _, e := range append(c.Changed, c.Entered...) {
		byID[e.ID] = e
	}
	for _, id := range c.Left {
		delete(byID, id)
	}
	s.Entities = s.Entities[:0:0]
	for _, e := range byID {
		s.Entities = append(s.Entities, e)
	}
	inspect.Sort(s.Entities)
	return s
}

// TestWhenATileWasSeen: for tiles all over the map and ticks all over the match, first and last sight equal the
// results of a walk through all ticks.
func TestWhenATileWasSeen(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	occurred := map[string]int{}
	for _, at := range []grid.Tile{theTile, {X: 8, Y: 8}, {X: 39, Y: 39}, {X: 20, Y: 20}, {X: 30, Y: 30}, {X: 2, Y: 45}, {X: 17, Y: 14}, {X: 28, Y: 22}} {
		for _, tick := range []int{0, 3, 60, 99, 101, 155, 210, 260} {
			for team := range 2 {
				var got inspect.Tile
				b.must(fmt.Sprintf("/m1/tile?tick=%d&x=%d&y=%d&team=%d", tick, at.X, at.Y, team), &got)
				first, last := -1, -1
				for n := range tick + 1 {
					if o.seen[at][team][n] {
						if last = n; first < 0 {
							first = n
						}
					}
				}
				want := [2]string{"never", "never"}
				if last >= 0 {
					want = [2]string{fmt.Sprint("at ", first), fmt.Sprint("at ", last)}
				}
				if last == tick {
					want[1] = "now"
				}
				if text := [2]string{whenText(got.First), whenText(got.Seen)}; text != want {
					t.Errorf("%v at tick %d by team %d: seen first and last %v, want %v", at, tick, team, text, want)
				}
				if got.Visible != (last == tick) || got.Explored != (last >= 0) || got.Visible != (len(got.Sources) > 0) {
					t.Errorf("%v at tick %d by team %d: %+v", at, tick, team, got)
				}
				occurred[got.Seen.State]++
			}
		}
	}
	if occurred["now"] == 0 || occurred["at"] == 0 || occurred["never"] == 0 {
		t.Errorf("not all occurred: %v", occurred)
	}
}

func whenText(w *inspect.When) string {
	switch {
	case w == nil:
		return "nothing"
	case w.Tick != nil:
		return fmt.Sprint(w.State, " ", *w.Tick)
	}
	return w.State
}

// TestTheOrderLog: the pages of the log have every order once, with number, tick and
// answer as they were given, whatever the page's size and filter.
func TestTheOrderLog(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	read := func(query string, limit int) (rows []inspect.Order) {
		t.Helper()
		from, after := "", ""
		for range 200 {
			var p OrderPage
			b.must(fmt.Sprintf("/m1/orders?limit=%d%s%s%s", limit, query, from, after), &p)
			rows = append(rows, p.Rows...)
			if p.Next == nil {
				return rows
			}
			from, after = fmt.Sprintf("&from=%d", p.Next.Tick), fmt.Sprintf("&after=%d", p.Next.N)
		}
		t.Fatal("the log has no end")
		return nil
	}
	for _, c := range []struct {
		query string
		want  func(inspect.Order) bool
	}{
		{"", func(inspect.Order) bool { return true }},
		{"&slot=1", func(r inspect.Order) bool { return r.Slot == 1 }},
		{"&kind=patrol", func(r inspect.Order) bool { return r.Kind == "patrol" }},
		{"&code=OFF_MAP", func(r inspect.Order) bool { return r.Code == "OFF_MAP" }},
		{"&refused=1", func(r inspect.Order) bool { return r.Code != "OK" }},
		{"&to=31", func(r inspect.Order) bool { return r.Tick <= 31 }},
	} {
		var want []inspect.Order
		for i, r := range o.orders {
			if r.N = uint32(i + 1); c.want(r) {
				want = append(want, r)
			}
		}
		if len(want) == 0 {
			t.Fatalf("%s: nothing is asked for", c.query)
		}
		for _, limit := range []int{1, 2, 500} {
			rows := read(c.query, limit)
			if len(rows) != len(want) {
				t.Errorf("%s, %d a page: %d rows, want %d", c.query, limit, len(rows), len(want))
				continue
			}
			for i, r := range rows {
				x := want[i]
				if r.N != x.N || r.Tick != x.Tick || r.Slot != x.Slot || r.Seq != x.Seq || r.Code != x.Code || r.Acts != x.Acts || r.Why == "" || r.Rule == "" {
					t.Errorf("%s: %+v, want %+v", c.query, r, x)
				}
				if !r.Recorded || r.Kind != x.Kind || len(r.Units) == 0 && r.Code != "UNKNOWN_UNIT" || len(r.Values) == 0 {
					t.Errorf("%s: %+v, want what was asked for", c.query, r)
				}
				if r.Kind == "patrol" && r.Code == "OK" && (len(r.Left) != 1 || r.Left[0].Code != "UNKNOWN_UNIT" || r.UnitCount != 3) {
					t.Errorf("the order with a unit that nobody has: %+v", r)
				}
			}
		}
	}
	first := read("&slot=0", 1)[0]
	unit := read(fmt.Sprintf("&unit=%d", first.Units[0]), 10)
	if len(unit) != 2 || unit[0].N != first.N {
		t.Errorf("orders of unit %d: %+v", first.Units[0], unit)
	}
}

// TestWhyAnOrderWasRefused: the log names the deciding check and its inputs; without notes it says that the order's
// content is not known.
func TestWhyAnOrderWasRefused(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	one := func(query string) inspect.Order {
		t.Helper()
		var p OrderPage
		b.must("/m1/orders?limit=1&"+query, &p)
		if len(p.Rows) != 1 {
			t.Fatalf("%s: %+v", query, p)
		}
		return p.Rows[0]
	}
	value := func(r inspect.Order, asked, name string) (string, bool) {
		for _, v := range r.Values {
			if v.Asked == asked && v.Name == name {
				return v.Value, v.No
			}
		}
		return "", false
	}
	off := one("code=OFF_MAP")
	if v, no := value(off, "on-map", "map"); v != "48x48 tiles" || !no || !strings.Contains(off.Rule, "the point is off the map") || off.Kind != "move" || *off.X >= 0 {
		t.Errorf("off the map: %+v", off)
	}
	lost := one("code=TARGET_LOST")
	if v, no := value(lost, "target", "handle"); v != "4000" || !no || lost.Kind != "attack" {
		t.Errorf("a target that nobody has: %+v", lost)
	}
	ok := one("slot=0")
	if v, no := value(ok, "reachable", "way known to the team"); v != "true" || no || !strings.Contains(ok.Rule, "no check is against it") {
		t.Errorf("an order that is accepted: %+v", ok)
	}
	var without OrderPage
	b.must("/m0/orders?limit=1&code=OFF_MAP", &without)
	if r := without.Rows[0]; r.Recorded || r.Kind != "" || r.Rule == "" {
		t.Errorf("without notes: %+v", r)
	}
}

// TestKnownAgainstSent: of a live match the rows that its server holds back, of a past tick the notes, and in both
// the team's new knowledge since the client's frame.
func TestKnownAgainstSent(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	var k Known
	b.must("/m1/known?tick=155&team=0", &k)
	if len(k.Clients) != 1 || k.Clients[0].Source != "notes" || k.Clients[0].At != 150 || k.Clients[0].Acked != 146 || k.Clients[0].Pending != 3 || k.Clients[0].LateMs != 120 || k.NotRecorded == "" {
		t.Fatalf("%+v", k)
	}
	var diff inspect.Changes
	b.must("/m1/changes?from=146&tick=155&eyes=0", &diff)
	if r := k.Clients[0].Report; r == nil || r.Tick != 149 || r.Gaps != 7 || r.Frames != 1200 {
		t.Errorf("report %+v", r)
	}
	if x := k.Clients[0].Behind; x == nil || x.From != 146 || !reflect.DeepEqual(x.Changed, ids(diff.Changed)) || !reflect.DeepEqual(x.Left, diff.Left) || len(x.Changed) == 0 {
		t.Errorf("behind: %+v, want %+v", x, diff)
	}
	var s inspect.State
	b.must("/m1/state?tick=155&eyes=0", &s)
	others := 0
	for _, e := range s.Entities {
		if e.Team != 0 && e.Shape != "projectile" {
			others++
		}
	}
	if len(k.Contacts) != others || !reflect.DeepEqual(k.Entities, s.Counts) {
		t.Errorf("%d contacts and %v, want %d and %v", len(k.Contacts), k.Entities, others, s.Counts)
	}
	for _, c := range k.Contacts {
		if c.Ghost != (c.Age > 0) || c.SeenAt+c.Age != 155 {
			t.Errorf("contact %+v", c)
		}
	}
	b.refused("/m1/known?team=4", 404, "no_team")

	// The match runs: the newest tick is asked of its server.
	handle := grid.Handle(s.Entities[0].Handle)
	live := &running{tick: playedTicks + 1, list: []feed.Holding{{
		Slot: 0, Connected: true, Base: playedTicks - 1, Sent: playedTicks, Acked: playedTicks - 6, Incomplete: true, Late: 6, LacksAll: 2,
		Lacks: []view.Lack{{Handle: handle, What: view.LackChange, Type: 0, Since: playedTicks - 9}, {Handle: 900, What: view.LackGone, Since: 250}},
	}}}
	b.s.cfg.Live = live
	k = Known{}
	b.must("/m1/known?team=0", &k)
	c := k.Clients[0]
	if c.Source != "live" || c.Base != playedTicks-1 || c.Pending != 2 || c.LateMs != 600 || len(c.Rows) != 2 || c.Rows[0].What != "change" || c.Rows[0].ID == 0 || c.Rows[0].Behind != 10 || c.Rows[1].ID != 0 || c.Behind == nil || k.NotRecorded != "" {
		t.Errorf("live: %+v", c)
	}
	var facts Facts
	b.must("/m1", &facts)
	if facts.State != "running" || facts.Players[0].Name != "Eve" || !facts.Players[0].Connected {
		t.Errorf("facts of a match that runs: %+v", facts)
	}
}

// TestTimesAndBytes: the seconds equal the notes, the density adds up to the orders, and the bytes of tiles and
// entities to the frames' bytes.
func TestTimesAndBytes(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	var s inspect.State
	b.must("/m1/state", &s) // the newest tick: from now on all is read
	b.must("/m1/state?tick=260", &s)
	var x Times
	b.must("/m1/times?from=20&to=59", &x)
	if len(x.Rows) != 4 || x.Rows[0].Tick != 20 || x.Rows[0].Step != (Took{1, 2.5}) || x.Rows[0].Missed != 1 || len(x.Links) != 1 || len(x.Links[0].Rows) != 4 || x.Links[0].Rows[0].Acked != 16 {
		t.Errorf("times: %+v", x)
	}
	b.must("/m1/times", &x)
	accepted, refused := 0, 0
	for _, d := range x.Density.Slots {
		for i := range d.Orders {
			accepted, refused = accepted+int(d.Orders[i]), refused+int(d.Refused[i])
		}
	}
	want := [2]int{}
	for _, r := range o.orders {
		if r.Code == "OK" {
			want[0]++
		} else {
			want[1]++
		}
	}
	if [2]int{accepted, refused} != want {
		t.Errorf("%d orders accepted and %d refused by density, want %v", accepted, refused, want)
	}
	b.refused("/m1/times?from=200&to=100", 422, "bad_tick")

	var n Bytes
	b.must("/m1/bytes?team=0&tick=60&ticks=40", &n)
	sum, tiles, entities := 0, 0, 0
	for _, c := range n.Classes {
		sum += c.Bytes
	}
	for _, c := range n.Tiles {
		tiles += c.Bytes
	}
	for _, c := range n.Entities {
		entities += c.Bytes
	}
	if n.From != 21 || n.To != 60 || n.Total == 0 || sum != n.Total || tiles != n.Placed || entities != n.Placed || n.Placed == 0 || n.Placed > n.Total {
		t.Errorf("bytes: %+v: %d by class, %d by tile, %d by entity", n, sum, tiles, entities)
	}
	b.refused("/m1/bytes?team=0&ticks=401", 422, "")
}

// TestScriptFaults: the facts have the latest faults of a match's scripts, and their number.
func TestScriptFaults(t *testing.T) {
	text, err := rules.ShippedText("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte(`"types": [`), []byte(`"modes": [{"name": "broken", "defeat": "never", "every": 0.1, "script": "broken.star"}], "types": [`), 1)
	if text, err = rules.WithScripts(text, map[string]string{"broken.star": "def tick(w):\n    return [] if w.tick < 3 else 1 // (w.tick - w.tick)"}); err != nil {
		t.Fatal(err)
	}
	set, err := rules.Parse("broken.json", text)
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 48, 48)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 39, Y: 39}}
	records, err := journal.SetupRecords(journal.Header{Match: "m1", Build: "test", Extra: []byte(`{"seats":[{"Name":"Ada"},{"Name":"Bob"}]}`)}, sim.Setup{
		Map: m, Rules: set, Seed: 4, TickRate: 10, Players: []sim.Player{{Team: 0}, {Team: 1, Start: 1}}, Options: sim.Options{Mode: "broken"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const ticks = 120
	b := newBench(t, append(records, journal.AppendTick(nil, &journal.Tick{Tick: ticks, Inputs: []sim.Input{{Kind: sim.InputJoined, Slot: 0}}})))
	var at inspect.State
	b.must(fmt.Sprint("/m1/state?tick=", ticks), &at)
	var f Facts
	b.must("/m1", &f)
	want := func(tick uint32) ScriptFault { return ScriptFault{tick, "broken.star", 2, "tick", "a division by 0"} }
	if f.FaultCount != ticks-2 || len(f.Faults) != faultsMax || f.Faults[0] != want(ticks-faultsMax+1) || f.Faults[faultsMax-1] != want(ticks) {
		t.Errorf("at tick %d: %d faults, %d listed, the last %+v", at.Tick, f.FaultCount, len(f.Faults), f.Faults[max(0, len(f.Faults)-1):])
	}
}

// TestRefusals: a wrong request is refused by a code, with the reason.
func TestRefusals(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	b.refused("/none/state", 404, "no_match")
	b.refused("/m1/state?tick=261", 422, "bad_tick")
	b.refused("/m1/state?tick=-2", 422, "")
	b.refused("/m1/state?tick=x", 422, "")
	b.refused("/m1/state?eyes=2", 404, "no_team")
	b.refused("/m1/state?eyes=some", 422, "")
	b.refused("/m1/entity?id=77777", 404, "no_entity")
	b.refused("/m1/entity", 422, "")
	b.refused("/m1/tile?x=48&y=0&team=0", 404, "no_tile")
	b.refused("/m1/tile?x=0&y=0&team=5", 404, "no_team")
	b.refused("/m1/tile?x=0&y=2000&team=0", 422, "")
	b.refused("/m1/orders?kind=dance", 422, "bad_query")
	b.refused("/m1/orders?code=NO", 422, "bad_query")
	b.refused("/m1/orders?limit=501", 422, "")
	b.refused("/m1/orders?from=300", 422, "bad_tick")
	b.refused("/m1/orders?from=20&to=10", 422, "bad_query")
	b.refused("/m1/difference?a=0&b=7", 404, "no_team")
	b.refused("/..%2Fm1/state", 422, "")
	b.refused("/m1/state/more", 404, "")
	for _, want := range []string{"none -1", "m1 -1", "m1 2", "m1 0", "m1 5"} {
		found := false
		for _, l := range b.looks {
			found = found || l == want
		}
		if !found {
			t.Errorf("no look %q was announced: %v", want, b.looks)
		}
	}
}

// TestTheEyesOfAnAnswerAreAudited asks each operation of the document with all the eyes that
// it may look with, and with parameters of other operations beside: the guard is told of those
// eyes that the answer is of. An answer that names no team may be of all.
func TestTheEyesOfAnAnswerAreAudited(t *testing.T) {
	b := newBench(t, played().records)
	server := httptest.NewServer(b.h)
	defer server.Close()
	defer http.DefaultClient.CloseIdleConnections()
	var s inspect.State
	b.must("/m1/state?tick=100", &s)
	needed := map[string]string{
		"inspect-entity": fmt.Sprint("tick=100&id=", s.Entities[0].ID), "inspect-tile": "x=24&y=24", "inspect-difference": "a=0&b=1", "inspect-changes": "from=20&tick=100",
	}
	asked := 0
	for path, item := range b.api.OpenAPI().Paths {
		own := map[string]bool{}
		for _, p := range item.Get.Parameters {
			own[p.Name] = true
		}
		queries := []string{""}
		switch {
		case own["eyes"]:
			queries = []string{"", "eyes=all", "eyes=-1", "eyes=0", "eyes=1", "eyes=01"}
		case own["team"]:
			queries = []string{"team=0", "team=1"}
		}
		for _, query := range queries {
			for _, other := range []string{"", "eyes=0", "team=0", "team=1", "a=0&b=1"} {
				if name, _, _ := strings.Cut(other, "="); own[name] {
					continue
				}
				address := server.URL + strings.Replace(path, "{match}", "m1", 1) + "?" + query + "&" + other + "&" + needed[item.Get.OperationID]
				req, err := http.NewRequest(http.MethodGet, address, nil)
				if err != nil {
					t.Fatal(err)
				}
				res, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				answer := map[string]any{}
				err = json.NewDecoder(sse{res.Body}).Decode(&answer) // of a stream the first event
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK {
					t.Fatalf("%s: %d %v", address, res.StatusCode, err)
				}
				eyes := any(float64(inspect.AllEyes))
				for _, name := range []string{"eyes", "team"} {
					if v, ok := answer[name]; ok {
						eyes = v
					}
				}
				b.mu.Lock()
				if got := b.looks[len(b.looks)-1]; got != fmt.Sprint("m1 ", eyes) {
					t.Errorf("%s: the guard was told %q, the answer is of %v", address, got, eyes)
				}
				b.mu.Unlock()
				asked++
			}
		}
	}
	if asked < 40 {
		t.Errorf("%d requests: were all operations asked?", asked)
	}
}

// TestUnplayableJournals: a journal that is invalid, ends too early or was played otherwise gives an error, and how
// far it can be looked at.
func TestUnplayableJournals(t *testing.T) {
	o := played()
	newBench(t, o.records[:2]).refused("/m1/state", 410, "not_readable")
	bad := append([][]byte{}, o.records...)
	rec, err := journal.Decode(bad[len(bad)-10])
	if err != nil || rec.Tick == nil || !rec.Tick.Hashed {
		t.Fatalf("%+v %v: want a record with a hash", rec, err)
	}
	rec.Tick.Hash++
	bad[len(bad)-10] = journal.AppendTick(nil, rec.Tick)
	b := newBench(t, bad)
	b.refused("/m1/state?tick=260", 409, "diverged")
	var s inspect.State
	b.must(fmt.Sprintf("/m1/state?tick=%d", rec.Tick.Tick-20), &s)
}

// TestOpenMatchesAreBounded: the match that was used least recently gives way; while all
// are in use, another is refused.
func TestOpenMatchesAreBounded(t *testing.T) {
	o := played()
	b := newBench(t, o.records, "inspections.process=2")
	var facts Facts
	for _, id := range []string{"/m1", "/m2", "/m1", "/m3", "/m1"} {
		b.must(id, &facts)
	}
	if b.journals.follows != 3 {
		t.Errorf("%d journals were read, want 3: of m2 and m3, one of m1", b.journals.follows)
	}
	var held []func()
	for _, id := range []string{"m1", "m3"} {
		_, done, err := b.s.use(context.Background(), id)
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, done)
	}
	b.refused("/m4", 503, "busy")
	held[0]()
	b.must("/m4", &facts)
	held[1]()
}

// TestALiveMatchIsFollowed: new records of the journal are shown, and a stream sends them as differences that add up.
func TestALiveMatchIsFollowed(t *testing.T) {
	o := played()
	half := len(o.records) - 15
	b := newBench(t, o.records[:half])
	server := httptest.NewServer(b.h)
	defer server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+Prefix+"/m1/stream?eyes=0&everyMs=100", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	events := json.NewDecoder(sse{resp.Body})
	var s inspect.State
	if err := events.Decode(&s); err != nil || s.Tick >= playedTicks { // the journal is played meanwhile
		t.Fatalf("the first state is of tick %d: %v", s.Tick, err)
	}
	b.journals.mu.Lock()
	b.journals.records = o.records
	b.journals.mu.Unlock()
	for s.Tick < playedTicks {
		var c inspect.Changes
		if err := events.Decode(&c); err != nil || c.From != s.Tick || c.Tick <= c.From {
			t.Fatalf("changes from %d to %d after tick %d: %v", c.From, c.Tick, s.Tick, err)
		}
		s = patched(s, c)
		s.Tick = c.Tick
	}
	var want inspect.State
	b.must("/m1/state?eyes=0", &want)
	if want.Tick != playedTicks || !reflect.DeepEqual(s.Entities, want.Entities) {
		t.Errorf("the stream's changes do not add up to tick %d", want.Tick)
	}
	b.s.Close() // the server stops: the stream says so
	var end StreamEnd
	if err := events.Decode(&end); err != nil || end.Reason != "closed" {
		t.Errorf("at the end: %+v %v", end, err)
	}
}

// sse leaves the data of events.
type sse struct {
	from interface{ Read([]byte) (int, error) }
}

func (s sse) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	text := string(p[:n])
	for _, word := range []string{"event: state\ndata: ", "event: change\ndata: ", "event: end\ndata: "} {
		text = strings.ReplaceAll(text, word, "")
	}
	return copy(p, text), err
}

// TestAnswersAreAsDescribed: the endpoints' answers fit the document.
func TestAnswersAreAsDescribed(t *testing.T) {
	o := played()
	b := newBench(t, o.records)
	raw, err := json.Marshal(b.api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	var s inspect.State
	b.must("/m1/state?tick=100", &s)
	for path, request := range map[string]string{
		"": "", "/state": "/state?tick=100&eyes=1&sight=1", "/entity": fmt.Sprintf("/entity?tick=100&id=%d", s.Entities[0].ID), "/tile": "/tile?tick=100&x=24&y=24&team=0",
		"/known": "/known?tick=100&team=0", "/times": "/times", "/bytes": "/bytes?tick=100&team=1",
		"/orders": "/orders", "/difference": "/difference?tick=100&a=0&b=1", "/changes": "/changes?from=20&tick=100",
	} {
		status, body := b.get("/m1" + request)
		var v any
		if err := json.Unmarshal(body, &v); err != nil || status != 200 {
			t.Fatalf("%s: %d %v", request, status, err)
		}
		if m, ok := v.(map[string]any); ok {
			delete(m, "$schema")
		}
		schema := doc.Paths.Value(Prefix + "/{match}" + path).Get.Responses.Status(200).Value.Content["application/json"].Schema.Value
		if err := schema.VisitJSON(v); err != nil {
			t.Errorf("%s: %v", request, err)
		}
	}
}

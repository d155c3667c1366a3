package match

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// Over any link a client holds what its team may know at the last tick that the server
// sent. Worlds are random: map, ground, occlusion, teams, units that fight, die, build
// and are built, orders sensible and foolish. So are links: they delay, stall, break and
// come back, with or without the held state, and are short of bytes.
func TestReplicaIsTheViewOverAnyLink(t *testing.T) {
	base, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	var sum linkCounts
	var worlds, deaths, derived int
	rapid.Check(t, func(rt *rapid.T) {
		spec := randomSpec(rt, base)
		r := newLinkHarness(t, rt, spec, Config{})
		crowd(r.m.world, spec.Seed, rapid.IntRange(0, 14).Draw(rt, "crowd"))
		for _, e := range r.ends {
			e.derive(rapid.Bool().Draw(rt, "derives"))
			e.onFrame = func(f *wire.ServerFrame) { checkFrame(e, f) }
			e.enter(false)
		}
		ticks := rapid.IntRange(10, 160).Draw(rt, "ticks")
		mishaps := rapid.SliceOfN(rapid.Custom(drawMishap), 0, 40).Draw(rt, "mishaps")
		slow := rand.New(rand.NewPCG(spec.Seed, 9))
		for now := grid.Tick(1); now <= grid.Tick(ticks); now++ {
			for _, x := range mishaps {
				if x.at == now {
					x.happen(r)
				}
			}
			for _, e := range r.ends {
				e.mend(now)
			}
			if slow.IntN(4) != 0 {
				r.log.synced = r.log.next
			}
			r.tick()
		}
		settle(rt, r)
		worlds++
		deaths += r.deaths
		for _, e := range r.ends {
			c := &e.counts
			sum.frames, sum.snapshots, sum.resumed, sum.anew = sum.frames+c.frames, sum.snapshots+c.snapshots, sum.resumed+c.resumed, sum.anew+c.anew
			sum.spans, sum.short, sum.waited, sum.replaced = sum.spans+c.spans, sum.short+c.short, sum.waited+c.waited, sum.replaced+c.replaced
			sum.bytesMost = max(sum.bytesMost, c.bytesMost)
			if e.derives {
				derived += c.frames
			}
		}
	})
	t.Logf("%d worlds, %d frames (%d with derived fog), the largest of %d bytes: %d resumed, %d begun anew, %d snapshots, %d over several ticks, %d short of bytes, %d enters waited, %d replaced, %d deaths",
		worlds, sum.frames, derived, sum.bytesMost, sum.resumed, sum.anew, sum.snapshots, sum.spans, sum.short, sum.waited, sum.replaced, deaths)
	if worlds >= 50 && (sum.resumed == 0 || sum.anew == 0 || sum.spans == 0 || sum.short == 0 || sum.waited == 0 || sum.replaced == 0 || deaths == 0 || derived == 0) {
		t.Error("a kind of mishap never happened: that proves little")
	}
}

// randomSpec makes up a match of two to four players.
func randomSpec(rt *rapid.T, base *rules.Ruleset) Spec {
	rules := *base
	rules.Settings.FlushTick = rapid.Bool().Draw(rt, "flush")
	seed := rapid.Uint64().Draw(rt, "seed")
	w, h := rapid.IntRange(30, 56).Draw(rt, "w"), rapid.IntRange(30, 56).Draw(rt, "h")
	m := grid.NewMap("random", w, h)
	m.Occlusion = grid.Occlusion(rapid.IntRange(0, 2).Draw(rt, "occlusion"))
	a, b, c := int16(7), int16(w-8), int16(h-8)
	m.Starts = []grid.Tile{{X: a, Y: a}, {X: b, Y: c}, {X: a, Y: c}, {X: b, Y: a}}
	rng := rand.New(rand.NewPCG(seed, 3))
	near := func(at grid.Tile) bool {
		return slices.ContainsFunc(m.Starts, func(s grid.Tile) bool { return s.Dist2(at) < 50 })
	}
	for range rng.IntN(6) {
		x0, y0, level, wall := rng.IntN(w), rng.IntN(h), grid.Level(rng.IntN(3)), rng.IntN(3) == 0
		for y := y0; y < min(h, y0+2+rng.IntN(7)); y++ {
			for x := x0; x < min(w, x0+2+rng.IntN(7)); x++ {
				if at := (grid.Tile{X: int16(x), Y: int16(y)}); !near(at) {
					m.Levels[m.Index(at)] = level
					if wall {
						m.Pass[m.Index(at)] = 0
					}
				}
			}
		}
	}
	for range rng.IntN(6) {
		if at := (grid.Tile{X: int16(2 + rng.IntN(w-4)), Y: int16(2 + rng.IntN(h-4))}); !near(at) && m.Passable(at, grid.Ground) {
			m.Resources = append(m.Resources, at)
		}
	}
	spec := Spec{
		ID: matchID, Map: m, Rules: &rules, Seed: seed, TickRate: rapid.SampledFrom([]int{5, 20}).Draw(rt, "rate"),
		EveryTick: rapid.Bool().Draw(rt, "every tick"),
	}
	teams := rapid.SampledFrom([][]grid.Team{{0, 1}, {0, 0, 1}, {0, 0, 1, 1}, {0, 1, 1, 2}}).Draw(rt, "teams")
	for i, team := range teams {
		spec.Seats = append(spec.Seats, SeatSpec{Name: fmt.Sprint("player ", i), Team: team, Start: i})
	}
	return spec
}

// crowd puts more of everything into the middle, where they meet.
func crowd(w *sim.World, seed uint64, n int) {
	rng := rand.New(rand.NewPCG(seed, 4))
	edit, m := simtest.Edit(w), w.Map()
	for range n * w.Players() {
		typ := uint16(rng.IntN(len(w.Rules().Types)))
		if c := w.Rules().Types[typ].Class; c != rules.ClassUnit && c != rules.ClassStructure {
			continue
		}
		at := grid.Tile{X: int16(m.W/2 - 9 + rng.IntN(18)), Y: int16(m.H/2 - 9 + rng.IntN(18))}
		e := edit.Add(grid.Slot(rng.IntN(w.Players())), typ, at.Center())
		if e == nil {
			continue
		}
		if rng.IntN(3) == 0 {
			hp, _ := e.Health()
			edit.SetHealth(e, hp/8)
		}
		if e.Class() == rules.ClassUnit && rng.IntN(2) == 0 {
			edit.Order(e, orders.AttackMove, grid.Tile{X: int16(m.W / 2), Y: int16(m.H / 2)}.Center(), false)
		}
	}
}

// mishap is a link's fault at a tick.
type mishap struct {
	at   grid.Tick
	end  int
	kind int
	n    int
}

const (
	mishapDelay = iota
	mishapStall
	mishapCut
	mishapForget
	mishapReplaced
	mishapBytes
	mishapFrames
	mishapCamera
	mishapResync
	mishaps
)

func drawMishap(t *rapid.T) mishap {
	return mishap{
		at: grid.Tick(rapid.IntRange(1, 140).Draw(t, "at")), end: rapid.IntRange(0, 3).Draw(t, "end"),
		kind: rapid.IntRange(0, mishaps-1).Draw(t, "kind"), n: rapid.IntRange(0, 60).Draw(t, "n"),
	}
}

func (x mishap) happen(r *linkHarness) {
	e := r.ends[x.end%len(r.ends)]
	n := grid.Tick(x.n)
	switch x.kind {
	case mishapDelay:
		e.upDelay, e.downDelay = n%8, n/8
	case mishapStall:
		e.stalled = r.now() + n
	case mishapCut, mishapForget:
		e.cut()
		e.asked = r.now() + n
		if x.kind == mishapForget {
			e.forget()
			e.forgot = true
		}
	case mishapReplaced:
		e.conn = nil // the server has not noticed; the new one takes its seat
		e.asked = r.now() + n/8
	case mishapBytes:
		e.say(&pb.ClientFrame{Pace: &pb.Pace{BytesPerS: uint32(n) * 40}})
	case mishapFrames:
		e.say(&pb.ClientFrame{Pace: &pb.Pace{FramesPerS: uint32(n) % 6}})
	case mishapCamera:
		e.say(&pb.ClientFrame{Camera: &pb.Camera{X: uint32(n) % 30, Y: uint32(n) / 2, Radius: 9}})
	case mishapResync:
		e.say(&pb.ClientFrame{Resync: true})
	}
}

// mend brings a client back that has been away for long enough.
func (e *end) mend(now grid.Tick) {
	if e.conn == nil && now > e.asked {
		e.enter(true)
	}
}

// checkFrame compares a client's state after a frame with its team's knowledge at the
// frame's tick.
func checkFrame(e *end, f *wire.ServerFrame) {
	e.r.t.Helper()
	rep := e.player.Replica
	truth := e.r.truth[e.r.m.seats.all[e.slot].team]
	fail := func(format string, args ...any) {
		e.r.t.Helper()
		e.r.t.Fatalf("slot %d, tick %d (span %d, snapshot %v): %s", e.slot, rep.Tick, f.Diff.Span, f.Diff.Snapshot, fmt.Sprintf(format, args...))
	}
	if int(rep.Tick) >= len(truth) || truth[rep.Tick] == nil {
		fail("there was no such tick")
	}
	want := truth[rep.Tick]
	left, sent := e.left[rep.Tick]
	if !sent {
		fail("no frame was sent at that tick")
	}
	if f.Diff.Partial { // the next beat has the things in sight
		return
	}
	waits := compareUnits(e, want, left, fail)
	if e.counts.waited += waits; left > 0 {
		e.counts.short++
	}
	if len(rep.Ghosts) != len(want.ghosts) {
		fail("%d ghosts are held, there are %d", len(rep.Ghosts), len(want.ghosts))
	}
	for h, g := range want.ghosts {
		if rep.Ghosts[h] != g {
			fail("ghost %d is held as %+v, it is %+v", h, rep.Ghosts[h], g)
		}
	}
	for i, p := range want.players {
		if i >= len(rep.Players) || rep.Players[i].State != p.State {
			fail("player %d is held as %v, it is %v", i, rep.Players, p.State)
		}
	}
	if got := e.player.MaskHash(); got != want.hash || f.Diff.Snapshot || f.Diff.Span > 1 || rep.Tick%4 == 0 {
		compareFog(e, want, fail)
	}
	compareOwned(e, want, fail)
}

// compareFog compares the fog tile by tile.
func compareFog(e *end, want *shown, fail func(string, ...any)) {
	m := e.r.m.spec.Map
	for i := range m.W * m.H {
		at := m.TileAt(i)
		visible, explored := want.tile(at, m.W)
		if v, x := e.player.Visible(at), e.player.Explored(at); v != visible || x != explored {
			fail("%v: visible %v and held %v, explored %v and held %v", at, visible, v, explored, x)
		}
	}
	if got := e.player.MaskHash(); got != want.hash {
		fail("the hash of the fog is %x, the server's %x", got, want.hash)
	}
}

// compareUnits compares the things in sight, and returns how many enters wait. At most
// left of them may be missing or out of date.
func compareUnits(e *end, want *shown, left int, fail func(string, ...any)) (missing int) {
	rep, behind := e.player.Replica, 0
	for h := range rep.Entities {
		if _, ok := want.units[h]; !ok {
			fail("handle %d is held, and not in sight", h)
		}
	}
	for h, u := range want.units {
		held := rep.Entities[h]
		right := held != nil && held.Type == u.Type && held.Owner == u.Owner && rep.Pos(held, rep.Tick).Within(u.Pos, view.ToleranceDefault) &&
			e.valuesHold(h, held)
		if held == nil {
			missing++
		}
		if right && (!u.Exact || rep.Pos(held, rep.Tick).Tile() == u.Pos.Tile()) {
			continue
		}
		behind++
		if u.Exact || left == 0 {
			fail("handle %d is held as %+v, it is %+v; %d wait", h, held, u, left)
		}
	}
	if behind > left {
		fail("%d are not held as they are, %d wait", behind, left)
	}
	return missing
}

// valuesHold reports whether each held value is the tick's, or an earlier tick's since
// the last look at values.
func (e *end) valuesHold(h grid.Handle, held *client.Entity) bool {
	every := grid.Tick(max(1, e.r.m.rate/10))
	if e.r.m.spec.Rules.Settings.FlushTick {
		every = 1
	}
	truth := e.r.truth[e.r.m.seats.all[e.slot].team]
	var ok [5]bool
	now := truth[e.player.Replica.Tick].units[h]
	for back := grid.Tick(0); back < every && back < e.player.Replica.Tick && truth[e.player.Replica.Tick-back] != nil; back++ {
		u, there := truth[e.player.Replica.Tick-back].units[h]
		if !there || u.Entered != now.Entered {
			break
		}
		ok[0] = ok[0] || held.Values[view.ValueHealth] == u.Values[view.ValueHealth]
		ok[1] = ok[1] || held.Values[view.ValueFlags] == u.Values[view.ValueFlags]
		ok[2] = ok[2] || held.Values[view.ValueAmount] == u.Values[view.ValueAmount]
		ok[3] = ok[3] || held.Values[view.ValueBurst] == u.Values[view.ValueBurst]
		ok[4] = ok[4] || held.Values[view.ValueHealthChanges] == u.Values[view.ValueHealthChanges]
	}
	return ok == [5]bool{true, true, true, true, true}
}

// Frames have progress in steps; a step of rounding comes on top.
const progressSteps = 28

// compareOwned compares the player's own part, which is never cut.
func compareOwned(e *end, want *shown, fail func(string, ...any)) {
	i := slices.IndexFunc(want.owns, func(o view.OwnerState) bool { return o.Slot == e.slot })
	own, held, now := want.owns[i], e.player.Own, e.player.Replica.Tick
	if !slices.Equal(held.Resources, own.Resources) || held.Population != own.Population || held.PopulationMax != own.PopulationMax {
		fail("the books are held as %v, %d of %d, they are %+v", held.Resources, held.Population, held.PopulationMax, own)
	}
	queues, rallies := 0, 0
	for _, p := range own.Production {
		q := held.Queues[p.Handle]
		if queues += min(1, len(p.Types)); !slices.Equal(q.Types, p.Types) {
			fail("queue %d is held as %v, it is %+v", p.Handle, q, p)
		}
		shown := int(view.Progress(q.Progress, grid.Ticks(now-q.At), p.Total))
		if d := shown - int(p.Progress); len(p.Types) > 0 && max(d, -d) >= progressSteps {
			fail("queue %d is held as %+v, which comes to %d, it is %+v", p.Handle, q, shown, p)
		}
		at, has := held.Rallies[p.Handle]
		if has {
			rallies++
		}
		if has != p.HasRally || has && !inCellOf(at, p.Rally) {
			fail("the rally point of %d is held as %v, it is %+v", p.Handle, at, p)
		}
	}
	if queues != len(held.Queues) || rallies != len(held.Rallies) {
		fail("%d queues and %d rally points are held, there are %d and %d", len(held.Queues), len(held.Rallies), queues, rallies)
	}
	busy := 0
	for _, u := range own.Units {
		t := held.Tasks[u.Handle]
		if u.Doing != 0 {
			busy++
		}
		if t.Doing != u.Doing || t.HasTo != u.HasTo || t.HasTo && !inCellOf(t.To, u.To) {
			fail("own unit %d is held to do %+v, it is %+v", u.Handle, t, u)
		}
		for i, name := range view.OwnerValueNames {
			step := max(1, fieldOf(view.OwnFields[:], name).Sent[0].Exact.Step)
			if n := held.Values[i][u.Handle]; n >= u.Values[i]+step || u.Values[i] >= n+step {
				fail("own unit %d is held to have %s %d, it is %+v", u.Handle, name, n, u)
			}
		}
		for i, a := range u.Actions {
			key := client.Ability{Unit: u.Handle, Index: uint32(i)}
			if ready := held.Ready[key]; max(ready, now) != max(a.Ready, now) {
				fail("ability %d of own unit %d is held to be ready at %d, it is %+v at %d", i, u.Handle, ready, u, now)
			}
			if run := held.Running[key]; a.On && (run.Until != a.Until || run.Request != a.Request) {
				fail("ability %d of own unit %d is held to run %+v, it is %+v", i, u.Handle, run, a)
			}
			if held.Grants[key] != uint32(a.Grant) {
				fail("ability %d of own unit %d is held to be granted %d, it is %+v", i, u.Handle, held.Grants[key], a)
			}
		}
	}
	if busy != len(held.Tasks) {
		fail("%d own units are held to be busy, %d are", len(held.Tasks), busy)
	}
}

// inCellOf reports whether a held place is as precise as the sent one: both in one
// sixteenth of a tile.
func inCellOf(held, at grid.Pos) bool { return held.X>>6 == at.X>>6 && held.Y>>6 == at.Y>>6 }

// settleSeconds is how long a link that was found narrow may take to be found wide again:
// its traffic grows by an eighth at a time.
const settleSeconds = 60

// waits reports whether a row waits for any client.
func (r *linkHarness) waits() bool {
	return slices.ContainsFunc(r.ends, func(e *end) bool { return e.conn == nil || e.conn.Incomplete() })
}

// quiet plays a number of ticks, and more while a row waits.
func (r *linkHarness) quiet(ticks int) {
	for n := 0; n < ticks || n < settleSeconds*r.m.rate && r.waits(); n++ {
		r.log.synced = r.log.next
		r.tick()
	}
}

// settle lets all links be well until no row waits, and checks that no row was lost for
// good.
func settle(rt *rapid.T, r *linkHarness) {
	rt.Helper()
	for _, e := range r.ends {
		e.quiet, e.upDelay, e.downDelay, e.stalled, e.asked = true, 0, 0, 0, 0
		e.mend(r.now() + 1)
		e.say(&pb.ClientFrame{Pace: &pb.Pace{}})
	}
	r.quiet(max(3*r.m.rate+6, 56)) // at few ticks per second a slow link takes longer to be trusted again
	for _, e := range r.ends {
		e.say(&pb.ClientFrame{Resync: e.slot%2 == 0})
	}
	r.quiet(max(r.m.rate+2, 17))
	for r.now()%grid.Tick(r.m.output.feeds.Beat) != 0 {
		r.quiet(1)
	}
	for _, e := range r.ends {
		if e.conn == nil || e.conn.Incomplete() {
			rt.Fatalf("slot %d is connected: %v, and something still waits", e.slot, e.conn != nil)
		}
		team := r.m.seats.all[e.slot].team
		want, rep := r.truth[team][r.now()], e.player.Replica
		if len(rep.Entities) != len(want.units) { // an untold unit is as it was
			rt.Fatalf("slot %d holds %d in the end, %d are in sight", e.slot, len(rep.Entities), len(want.units))
		}
		for h, u := range want.units {
			if held := rep.Entities[h]; !rep.Pos(held, r.now()).Within(u.Pos, view.ToleranceDefault) {
				rt.Fatalf("slot %d reckons handle %d at %v in the end, it is at %v", e.slot, h, rep.Pos(held, r.now()), u.Pos)
			}
		}
		if len(e.open) > 0 {
			rt.Fatalf("slot %d was never answered: %v", e.slot, e.open)
		}
	}
	checkHeard(rt, r)
}

// checkHeard checks that all hearers, and no others, heard each accepted line. A client
// that never forgot heard it once.
func checkHeard(rt *rapid.T, r *linkHarness) {
	rt.Helper()
	for _, e := range r.ends {
		want := map[string]bool{}
		for _, from := range r.ends {
			for _, a := range from.answers {
				to, spoken := from.spoken[a.Seq]
				if spoken && a.Code == 0 && (to == "all" || r.m.seats.all[from.slot].team == r.m.seats.all[e.slot].team) {
					want[fmt.Sprintf("%d says %d", from.slot, a.Seq)] = true
				}
			}
		}
		got := map[string]int{}
		for _, line := range e.heard {
			if got[line]++; !want[line] || got[line] > 1 && !e.forgot {
				rt.Fatalf("slot %d heard %q %d times; it was to hear %v", e.slot, line, got[line], want)
			}
		}
		for line := range want {
			if got[line] == 0 && !e.forgot {
				rt.Fatalf("slot %d never heard %q", e.slot, line)
			}
		}
	}
}

// fieldOf returns a row of the field table.
func fieldOf(fields []view.Field, name string) *view.Field {
	return &fields[slices.IndexFunc(fields, func(f view.Field) bool { return f.Name == name })]
}

// TestSixtyFourPlayers: as many players and teams as a match may have, and each client
// holds its team's view.
func TestSixtyFourPlayers(t *testing.T) {
	m := grid.NewMap("many", 160, 160)
	spec := Spec{ID: matchID, Map: m, Rules: shipped(t), Seed: 5, EveryTick: true}
	for i := range grid.SlotsMax {
		m.Starts = append(m.Starts, grid.Tile{X: int16(12 + i%8*19), Y: int16(12 + i/8*19)})
		spec.Seats = append(spec.Seats, SeatSpec{Name: fmt.Sprint("player ", i), Team: grid.Team(i % grid.TeamsMax), Start: i, Color: uint8(i % 16)})
	}
	if err := spec.Check(); err != nil {
		t.Fatal(err)
	}
	r := newLinkHarness(t, t, spec, Config{})
	crowd(r.m.world, spec.Seed, 40)
	for i, e := range r.ends {
		e.derive(i%8 == 0)
		e.onFrame = func(f *wire.ServerFrame) {
			if (int(r.now())+i)%8 == 0 || r.now() == 1 {
				checkFrame(e, f)
			}
		}
		e.enter(false)
	}
	for range 28 { // each client is checked three times or more
		r.log.synced = r.log.next
		r.tick()
	}
	for i, e := range r.ends {
		if e.counts.frames < 25 {
			t.Errorf("client %d had %d frames", i, e.counts.frames)
		}
	}
	if r.deaths == 0 {
		t.Error("nothing happened")
	}
}

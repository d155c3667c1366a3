package timeline

import (
	"cmp"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
)

// loss is the end of a unit or a structure, as the scan saw it.
type loss struct {
	assists []grid.Slot // who hurt it, too
	tick    grid.Tick
	at      grid.Pos
	slot    grid.Slot
	by      grid.Slot // NoSlot: no player's damage
	value   int32
	viewers grid.TeamSet // who saw it before, and saw it go
	beaten  bool         // its player is out since
}

// thing is the scan's state of an entity from one tick to the next.
type thing struct {
	typ     uint16
	slot    grid.Slot
	built   bool
	at      grid.Pos
	viewers grid.TeamSet
}

// whose are the readers of a timeline: teams by their number, then the eyes of all teams while the match runs, then
// a reader of everything.
type whose = grid.Team

const (
	anyTeam whose = 100 + iota
	allKnowing
)

// scan is the obvious version: it looks at the whole world at each tick, and at
// everything it has seen when it is asked.
type scan struct {
	w      *sim.World
	before map[grid.EntityID]thing
	harmed map[grid.EntityID]loss // by the harm that killed it, in this tick
	losses []loss
	events []Event            // but fights
	told   []func(whose) bool // of each
	met    map[[2]grid.Team]bool
	orders [][2]int32 // by slot: accepted, refused
	state  [][]string // by slot: its rows
	points [][]Values
	undone int // losses that no damage caused, defeats aside
}

func newScan(w *sim.World) *scan {
	s := &scan{w: w, met: map[[2]grid.Team]bool{}, orders: make([][2]int32, w.Players()), state: make([][]string, w.Players()), points: make([][]Values, w.Players())}
	wounds := map[grid.EntityID]map[grid.Slot]grid.Tick{}
	w.OnHarm(func(h sim.Harm) {
		id := h.Victim.ID()
		if wounds[id] == nil {
			wounds[id] = map[grid.Slot]grid.Tick{}
		}
		wounds[id][h.By] = w.Tick()
		if h.Killed {
			var assists []grid.Slot
			for by, at := range wounds[id] {
				within := w.Rules().Settings.AssistMs * int32(w.TickRate()) / 1000
				if by != h.By && int(by) < w.Players() && s.team(by) != h.Victim.Team() && int32(w.Tick()-at) <= within && within > 0 {
					assists = append(assists, by)
				}
			}
			s.harmed[h.Victim.ID()] = loss{at: h.Victim.Pos(), slot: h.Victim.Slot(), by: h.By, assists: assists, value: s.value(h.Victim.Type())}
		}
	})
	s.look(nil, &sim.Outcome{})
	return s
}

func (s *scan) value(typ uint16) (n int32) {
	for _, c := range s.w.Rules().Types[typ].Cost {
		n += c
	}
	return n
}

func (s *scan) team(slot grid.Slot) grid.Team { return s.w.Player(slot).Team }

// seenBy is a test for the readers of these teams' sight.
func seenBy(teams grid.TeamSet) func(whose) bool {
	return func(w whose) bool {
		return w == allKnowing || w == anyTeam && teams != 0 || w < anyTeam && teams.Has(w)
	}
}

func (s *scan) add(k Kind, slot grid.Slot, told func(whose) bool, set func(*Event)) {
	e := Event{Kind: k, Tick: s.w.Tick(), End: s.w.Tick(), Known: s.w.Tick(), Slot: slot, By: grid.NoSlot, Team: grid.NoTeam, Other: grid.NoTeam}
	if int(slot) < s.w.Players() {
		e.Team = s.team(slot)
	}
	if set != nil {
		set(&e)
	}
	s.events, s.told = append(s.events, e), append(s.told, told)
}

func (s *scan) look(in []sim.Input, out *sim.Outcome) {
	w := s.w
	for i, answers := 0, out.Answers; i < len(in); i++ {
		slot := in[i].Slot
		switch in[i].Kind {
		case sim.InputAway, sim.InputJoined, sim.InputLeft, sim.InputTaken:
			was := ""
			if n := len(s.state[slot]); n > 0 {
				was = s.state[slot][n-1]
			}
			now := in[i].Kind.String()
			if slices.Contains(s.state[slot], sim.InputLeft.String()) {
				break // who has left for good neither comes nor goes
			}
			s.state[slot] = append(s.state[slot], now)
			switch {
			case in[i].Kind == sim.InputAway && was != now:
				s.add(Away, slot, seenBy(everybody), nil)
			case in[i].Kind == sim.InputJoined && was == sim.InputAway.String():
				s.add(Back, slot, seenBy(everybody), nil)
			case in[i].Kind == sim.InputTaken:
				s.add(TakenOver, slot, seenBy(everybody), nil)
			case in[i].Kind == sim.InputLeft:
				s.add(Left, slot, seenBy(everybody), nil)
			}
		case sim.InputOrder:
			a := answers[0]
			answers = answers[1:]
			if a.Again {
				continue
			}
			if a.Code != orders.OK {
				s.orders[slot][1]++
				continue
			}
			s.orders[slot][0]++
			if in[i].Order.Kind == orders.Surrender {
				s.add(Surrendered, slot, func(w whose) bool { return w == allKnowing }, nil)
			}
		}
	}

	now := map[grid.EntityID]thing{}
	contacts := map[[2]grid.Team]*sim.Entity{}
	for _, e := range w.Entities() {
		now[e.ID()] = thing{e.Type(), e.Slot(), e.Built(), e.Pos(), e.SeenBy()}
		t := &w.Rules().Types[e.Type()]
		was, had := s.before[e.ID()]
		switch {
		case had && !was.built && e.Built() && t.Class == rules.ClassStructure && (t.Centre || t.DropOff):
			start := w.Map().Starts[w.Player(e.Slot()).Start]
			if dx, dy := float64(e.Tile().X-start.X), float64(e.Tile().Y-start.Y); dx*dx+dy*dy > 256 {
				s.add(Expansion, e.Slot(), seenBy(e.SeenBy()), func(v *Event) { v.Placed, v.At, v.Type, v.Value = true, e.Pos(), e.Type(), s.value(e.Type()) })
			}
		case had && was.slot != e.Slot() && t.Class == rules.ClassStructure && (was.slot == grid.NoSlot || s.team(was.slot) != e.Team()):
			s.add(Captured, e.Slot(), seenBy(was.viewers&e.SeenBy()), func(v *Event) {
				v.By, v.Placed, v.At, v.Type, v.Value = was.slot, true, e.Pos(), e.Type(), s.value(e.Type())
			})
		}
	}
	for team := range grid.Team(w.Teams()) {
		for _, seen := range w.Knowledge(team).Seen(nil) {
			e := w.Entity(seen.ID)
			t := &w.Rules().Types[e.Type()]
			if e.Team() == grid.NoTeam || e.Team() == team || t.Class > rules.ClassStructure || t.Relevance == rules.RelevantAlways || s.met[[2]grid.Team{team, e.Team()}] {
				continue
			}
			pair := [2]grid.Team{team, e.Team()}
			if c := contacts[pair]; c == nil || cmp.Or(cmp.Compare(e.Pos().Y, c.Pos().Y), cmp.Compare(e.Pos().X, c.Pos().X), cmp.Compare(e.Slot(), c.Slot()), cmp.Compare(e.Type(), c.Type())) < 0 {
				contacts[pair] = e
			}
		}
	}
	for pair, e := range contacts {
		s.met[pair] = true
		s.add(Contact, e.Slot(), func(w whose) bool { return w == allKnowing || w == pair[0] }, func(v *Event) {
			v.Team, v.Other, v.Placed, v.At, v.Type = pair[0], pair[1], true, e.Pos(), e.Type()
		})
	}

	for id, was := range s.before {
		if _, lives := now[id]; lives || int(was.slot) >= w.Players() {
			continue
		}
		if w.Rules().Types[was.typ].Class > rules.ClassStructure {
			continue
		}
		l, by := s.harmed[id]
		if !by {
			if w.Player(was.slot).Alive {
				s.undone++
			}
			l = loss{at: was.at, slot: was.slot, by: grid.NoSlot, value: s.value(was.typ)}
		}
		l.tick, l.viewers, l.beaten = w.Tick(), was.viewers&w.SeenDie(id), !w.Player(was.slot).Alive
		s.losses = append(s.losses, l)
		if w.Rules().Types[was.typ].Class == rules.ClassStructure {
			s.add(BuildingLost, was.slot, l.counts, func(v *Event) { v.By, v.Placed, v.At, v.Type, v.Value = l.by, true, l.at, was.typ, l.value })
		}
	}
	s.before, s.harmed = now, map[grid.EntityID]loss{}
	for slot := range grid.Slot(w.Players()) {
		n := len(s.state[slot])
		if !w.Player(slot).Alive && (n == 0 || !slices.Contains(s.state[slot], "out")) {
			s.state[slot] = append([]string{"out"}, s.state[slot]...)
			s.add(Out, slot, seenBy(everybody), nil)
		}
	}
	if out.Ended != nil {
		s.add(Ended, grid.NoSlot, seenBy(everybody), func(v *Event) { v.Team, v.Reason = out.Ended.Winner, out.Ended.Reason })
	}
	if w.Tick()%grid.Tick(w.TickRate()) == 0 {
		for slot := range s.points {
			s.points[slot] = append(s.points[slot], s.now(grid.Slot(slot)))
		}
	}
}

// counts reports for which readers it is a loss: for the reader of everything, if damage was the cause, and for
// others if they saw it, and no defeat was the cause.
func (l loss) counts(w whose) bool {
	return w == allKnowing && l.by != grid.NoSlot || w != allKnowing && !l.beaten && seenBy(l.viewers)(w)
}

// now is a player's stock, and its acts.
func (s *scan) now(slot grid.Slot) Values {
	p := s.w.Player(slot)
	v := Values{Held: p.Stock, Pop: p.Pop, PopCap: p.PopCap, Gathered: s.w.Tally(slot).Gathered, Orders: s.orders[slot][0], Refused: s.orders[slot][1]}
	for _, e := range s.w.Entities() {
		if e.Slot() != slot {
			continue
		}
		t := s.w.Rules().Types[e.Type()]
		if t.Class == rules.ClassUnit && t.Carry > 0 {
			v.Workers++
		}
		if t.Class == rules.ClassUnit && t.Carry == 0 && len(t.Weapons) > 0 {
			v.Army += s.value(e.Type())
		}
	}
	for _, p := range Products(s.w) {
		if p.Slot == slot {
			v.Making += p.Count * s.value(p.Type)
		}
	}
	for _, l := range s.losses {
		if !l.counts(allKnowing) {
			continue
		}
		if l.slot == slot {
			v.Lost, v.LostValue = v.Lost+1, v.LostValue+l.value
		}
		if l.by == slot && s.team(l.by) != s.team(l.slot) {
			v.Killed, v.KilledValue = v.Killed+1, v.KilledValue+l.value
		}
		if slices.Contains(l.assists, slot) {
			v.Assisted++
		}
	}
	return v
}

// fights joins the losses that some eyes saw: any two that are near belong together, until there are no more
// changes. end is the tick at which all were over.
func (s *scan) fights(seen func(loss) bool, end grid.Tick) []Event {
	var in []loss
	for _, l := range s.losses {
		if seen(l) {
			in = append(in, l)
		}
	}
	of := make([]int, len(in))
	for i := range of {
		of[i] = i
	}
	gap := FightSeconds * int64(s.w.TickRate())
	for changed := true; changed; {
		changed = false
		for i := range in {
			for j := range in {
				a, b := in[i], in[j]
				dt := int64(a.tick) - int64(b.tick)
				if dt*dt <= gap*gap && a.at.Tile().Dist2(b.at.Tile()) <= FightTiles*FightTiles && of[i] != of[j] {
					of[i], of[j], changed = min(of[i], of[j]), min(of[i], of[j]), true
				}
			}
		}
	}
	var out []Event
	for which := range in {
		e := Event{Kind: Fight, Slot: grid.NoSlot, By: grid.NoSlot, Team: grid.NoTeam, Other: grid.NoTeam, Placed: true}
		var x, y, n int64
		per := map[grid.Slot]Loss{}
		for i, l := range in {
			if of[i] != which {
				continue
			}
			if n == 0 {
				e.Tick = l.tick
			}
			e.Tick, e.End = min(e.Tick, l.tick), max(e.End, l.tick)
			x, y, n = x+int64(l.at.X), y+int64(l.at.Y), n+1
			p := per[l.slot]
			per[l.slot] = Loss{l.slot, p.Count + 1, p.Value + l.value}
			e.Value += l.value
		}
		if n == 0 {
			continue
		}
		e.At = grid.Pos{X: int32(x / n), Y: int32(y / n)}
		e.Known = min(e.End+grid.Tick(gap)+1, end)
		for slot := range grid.Slot(grid.SlotsMax) {
			if l, has := per[slot]; has {
				e.Losses = append(e.Losses, l)
			}
		}
		out = append(out, e)
	}
	return out
}

// expected is what some are to be told.
func (s *scan) expected(eyes whose, end grid.Tick) []Event {
	out := s.fights(func(l loss) bool { return l.counts(eyes) }, end)
	for i, e := range s.events {
		if !s.told[i](eyes) {
			continue
		}
		if e.Kind == BuildingLost && eyes != allKnowing {
			e.By = grid.NoSlot
		}
		out = append(out, e)
	}
	return out
}

func sorted(events []Event) []Event {
	out := slices.Clone(events)
	slices.SortFunc(out, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Known, b.Known), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.End, b.End), cmp.Compare(a.Slot, b.Slot),
			cmp.Compare(a.Team, b.Team), cmp.Compare(a.Other, b.Other), cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X), cmp.Compare(a.Type, b.Type), cmp.Compare(a.By, b.By))
	})
	return out
}

// battlefield is a match of three teams, the third with two players, on a small map.
func battlefield(t require, rate int) *sim.World {
	set, err := simtest.LandmarkRules()
	if err != nil {
		t.Fatal(err)
	}
	m := grid.NewMap("field", 64, 64)
	m.Starts = []grid.Tile{{X: 8, Y: 8}, {X: 55, Y: 8}, {X: 8, Y: 55}, {X: 55, Y: 55}}
	m.Resources = []grid.Tile{{X: 4, Y: 12}, {X: 59, Y: 12}, {X: 4, Y: 50}, {X: 59, Y: 50}}
	w, err := sim.New(sim.Setup{Map: m, Rules: set, Seed: 3, TickRate: rate, Players: []sim.Player{{Team: 0, Start: 0}, {Team: 1, Start: 1}, {Team: 2, Start: 2}, {Team: 2, Start: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

type require interface{ Fatal(...any) }

// TestTimelineIsWhatAScanSees plays matches of random armies, orders, departures and
// constructions. The builder's timeline, for each team's eyes and for all, equals the result of a scan of every tick.
func TestTimelineIsWhatAScanSees(t *testing.T) {
	seen, undone := map[Kind]int{}, 0
	for seed := range uint64(40) {
		const rate = 10
		peace := seed%10 == 9 // nobody has an army: there is time to build
		rng := rand.New(rand.NewPCG(seed, 18))
		w := battlefield(t, rate)
		set := w.Rules()
		ed := simtest.Edit(w)
		pos := func() grid.Pos {
			return grid.Pos{X: (2 + rng.Int32N(60)) * grid.WUPerTile, Y: (2 + rng.Int32N(60)) * grid.WUPerTile}
		}
		typ := func(name string) uint16 {
			n, ok := set.TypeByName(name)
			if !ok {
				t.Fatal("no type", name)
			}
			return n
		}
		for slot := range grid.Slot(4) {
			ed.Credit(slot, 5000, 0)
			for range 12 {
				if peace {
					break
				}
				armies := []string{"soldier", "artillery", "caster", "flyer", "raider", "tower", "wall", "barracks"}
				ed.Add(slot, typ(armies[rng.IntN(len(armies))]), pos())
			}
			centre := typ("command-centre")
			for _, e := range w.Entities() {
				if e.Slot() == slot && set.Types[e.Type()].Carry > 0 {
					ed.SetHealth(e, 500)
				}
				if e.Slot() == slot && e.Type() == centre && rng.IntN(2) == 0 {
					ed.SetHealth(e, 120)
				}
			}
		}
		s := newScan(w)
		b := New(w)
		if err := b.Note(w, nil, &sim.Outcome{}); err != nil {
			t.Fatal(err)
		}
		ticks := 20 + rng.IntN(580)
		if peace {
			ticks = 1500
		}
		var seq uint32
		for range ticks {
			var in []sim.Input
			for slot := range grid.Slot(4) {
				if rng.IntN(10) > 0 || peace && w.Tick() > 60 {
					continue
				}
				seq++
				own := w.Knowledge(s.team(slot)).Seen(nil)
				var units, workers, sites []grid.Handle
				for _, x := range own {
					e := w.Entity(x.ID)
					if e.Slot() == slot && e.Class() == rules.ClassStructure && !e.Built() {
						sites = append(sites, x.Handle)
					}
					if e.Slot() == slot && e.Class() == rules.ClassUnit {
						if set.Types[e.Type()].Carry > 0 {
							workers = append(workers, x.Handle)
						} else {
							units = append(units, x.Handle)
						}
					}
				}
				o := orders.Order{Kind: orders.AttackMove, Units: units, HasPoint: true, Point: pos()}
				what := rng.IntN(13)
				if peace && what > 2 {
					what = 0
				}
				switch what {
				case 0:
					o = orders.Order{Kind: orders.Build, Units: workers, HasPoint: true, Point: pos(), Type: typ("command-centre")}
				case 1:
					o = orders.Order{Kind: orders.Move, Units: []grid.Handle{60000}, HasPoint: true, Point: o.Point}
				case 2:
					if rng.IntN(20) == 0 {
						o = orders.Order{Kind: orders.Surrender}
					}
				case 6:
					if len(sites) > 0 {
						o = orders.Order{Kind: orders.Cancel, Units: sites[:1]}
					}
				case 3, 4:
					presence := []sim.InputKind{sim.InputAway, sim.InputAway, sim.InputJoined, sim.InputJoined, sim.InputTaken}
					in = append(in, sim.Input{Kind: presence[rng.IntN(5)], Slot: slot})
				case 5:
					if rng.IntN(30) == 0 && !w.HasLeft(slot) {
						in = append(in, sim.Input{Kind: sim.InputLeft, Slot: slot})
					}
				}
				if !w.Player(slot).Alive {
					continue
				}
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: seq, AsOf: w.Tick(), Order: o})
			}
			out := w.Step(in)
			s.look(in, &out)
			if err := b.Note(w, in, &out); err != nil {
				t.Fatal(err)
			}
			if w.Result() != nil {
				break
			}
		}
		b.Finish(w)
		undone += s.undone
		got := b.Timeline()
		if got.First != 0 || got.Last != w.Tick() || got.Omitted != 0 {
			t.Fatalf("seed %d: ticks %d to %d, %d omitted", seed, got.First, got.Last, got.Omitted)
		}
		for _, eyes := range []whose{0, 1, 2, anyTeam, allKnowing} {
			told := func(to grid.Tick) []Event {
				switch eyes {
				case allKnowing:
					return got.Events(to)
				case anyTeam:
					return got.Seen(grid.NoTeam, to)
				}
				return got.Seen(eyes, to)
			}
			list, want := told(got.Last), sorted(s.expected(eyes, got.Last))
			if !reflect.DeepEqual(slices.Clone(list), want) && len(list)+len(want) > 0 {
				t.Fatalf("seed %d: eyes %d are told\n%+v\nwant\n%+v", seed, eyes, list, want)
			}
			for _, e := range list {
				seen[e.Kind]++
			}
			cut := grid.Tick(rng.IntN(ticks + 1))
			n := 0
			for _, e := range want {
				if e.Known <= cut {
					n++
				}
			}
			if list := told(cut); len(list) != n {
				t.Fatalf("seed %d: eyes %d: %d events are known at tick %d, want %d", seed, eyes, len(list), cut, n)
			}
		}
		var kills, want []Event
		for _, e := range got.Log(got.Last) {
			if e.Kind == Killed {
				seen[Killed]++
				kills = append(kills, Event{Tick: e.Tick, Slot: e.Slot, By: e.By, At: e.At, Value: e.Value, Assists: e.Assists})
			}
		}
		for _, l := range s.losses {
			if l.counts(allKnowing) {
				e := Event{Tick: l.tick, Slot: l.slot, By: l.by, At: l.at, Value: l.value}
				for _, slot := range l.assists {
					e.Assists |= 1 << slot
				}
				want = append(want, e)
			}
		}
		for _, list := range [][]Event{kills, want} {
			slices.SortFunc(list, func(a, b Event) int {
				return cmp.Or(cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X), cmp.Compare(a.By, b.By), cmp.Compare(a.Value, b.Value))
			})
		}
		if !reflect.DeepEqual(kills, want) {
			t.Fatalf("seed %d: the log has the kills\n%+v\nwant\n%+v", seed, kills, want)
		}
		if !reflect.DeepEqual(got.Points, s.points) {
			t.Fatalf("seed %d: points\n%+v\nwant\n%+v", seed, got.Points, s.points)
		}
		for slot := range grid.Slot(4) {
			if want := s.now(slot); got.Now[slot] != want {
				t.Fatalf("seed %d: slot %d has %+v now, want %+v", seed, slot, got.Now[slot], want)
			}
		}
	}
	if undone == 0 {
		t.Error("nothing was cancelled")
	}
	for k := Contact; k <= Killed; k++ {
		if seen[k] == 0 {
			t.Errorf("no match had an event of kind %v", k)
		}
	}
}

// TestPointsThin: however long a match is, each player has at most PointsMax points,
// the remaining ones lie twice as far apart, and point k is of tick First + k*Step.
func TestPointsThin(t *testing.T) {
	const first = 170
	b := &Builder{t: Timeline{First: first, Last: first, Rate: 20, Step: 20, Teams: []grid.Team{0, 1}, Points: make([][]Values, 2), Now: make([]Values, 2)}}
	for second := range grid.Tick(10 * 3600) {
		b.t.Last = first + 20*second
		for s := range b.t.Now {
			b.t.Now[s].Orders = int32(second) * int32(s+1)
		}
		b.t.point()
		if len(b.t.Points[0]) > PointsMax || len(b.t.Points[0]) < min(int(second)+1, PointsMax/2) {
			t.Fatalf("%d points after %d seconds", len(b.t.Points[0]), second)
		}
	}
	if b.t.Step != 32*20 {
		t.Errorf("points lie %d ticks apart", b.t.Step)
	}
	for s, points := range b.t.Points {
		for k, v := range points {
			if want := int32(k) * 32 * int32(s+1); v.Orders != want {
				t.Fatalf("point %d of slot %d is of %d, want %d", k, s, v.Orders, want)
			}
		}
	}
	for tick, want := range map[grid.Tick]int{0: 0, first - 1: 0, first: 1, first + 639: 1, first + 640: 2, first + 20*36_000: 36_000 / 32} {
		if got := b.t.PointsTo(tick); got != want {
			t.Errorf("%d points at tick %d, want %d", got, tick, want)
		}
	}
}

// TestEventsAreBounded: what finds no room is counted and left out, kind by kind.
func TestEventsAreBounded(t *testing.T) {
	line := Timeline{Teams: []grid.Team{0, 1}, lists: make([]list, 4)}
	for range FightsMax + 10 {
		line.add(Event{Kind: Fight}, 0)
		line.add(Event{Kind: Away}, everybody)
	}
	line.add(Event{Kind: Out}, everybody)
	if n := len(line.Events(0)); n != FightsMax+EventsMax+1 {
		t.Errorf("there are %d events", n)
	}
	if n := len(line.Seen(1, 0)); n != EventsMax+1 {
		t.Errorf("a team has %d events", n)
	}
	if line.Omitted != 10+FightsMax+10-EventsMax {
		t.Errorf("%d are omitted", line.Omitted)
	}
	if line.Seen(2, 0) != nil {
		t.Error("there is no third team")
	}
}

// TestNoteInOrder: a tick is noted once, a gap is refused, and a timeline can begin in
// the middle of a match.
func TestNoteInOrder(t *testing.T) {
	w := battlefield(t, 10)
	for range 35 {
		w.Step(nil)
	}
	b := New(w)
	step := func() sim.Outcome { return w.Step([]sim.Input{{Kind: sim.InputLeft, Slot: 1}}) }
	out := step()
	for range 2 {
		if err := b.Note(w, []sim.Input{{Kind: sim.InputLeft, Slot: 1}}, &out); err != nil {
			t.Fatal(err)
		}
	}
	step()
	out = step()
	if err := b.Note(w, nil, &out); err == nil || err.Error() != "timeline: tick 38 follows tick 36" {
		t.Fatal(err)
	}
	b.Finish(w)
	line := b.Timeline()
	left := 0
	for _, e := range line.Events(38) {
		if e.Kind == Left {
			left++
		}
	}
	if line.First != 35 || line.Last != 36 || left != 1 || len(line.Points[0]) != 1 {
		t.Errorf("from %d to %d, %d left, %d points", line.First, line.Last, left, len(line.Points[0]))
	}
}

// TestProducts: trained and built things, counted from the orders that were given.
func TestProducts(t *testing.T) {
	w := battlefield(t, 10)
	ed := simtest.Edit(w)
	barracks, _ := w.Rules().TypeByName("barracks")
	soldier, _ := w.Rules().TypeByName("soldier")
	raider, _ := w.Rules().TypeByName("raider")
	for _, queue := range [][]uint16{{soldier, soldier, raider}, {soldier}, {raider}} {
		e := ed.Add(2, barracks, grid.Pos{X: int32(20+4*len(queue)+int(queue[0])) * grid.WUPerTile, Y: 40 * grid.WUPerTile})
		if e == nil {
			t.Fatal("no room")
		}
		for _, typ := range queue {
			ed.Enqueue(e, typ)
		}
	}
	half := w.BuildTicks(soldier) / 2
	want := []Product{
		{Slot: 2, Type: soldier, Count: 2, Queued: 1, Done: half, Total: w.BuildTicks(soldier)},
		{Slot: 2, Type: raider, Count: 1, Queued: 1, Done: w.BuildTicks(raider) / 2, Total: w.BuildTicks(raider)},
	}
	if got := Products(w); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

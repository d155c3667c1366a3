package client

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// stayKey is one stay of something in sight of a team.
type stayKey struct {
	handle  grid.Handle
	entered grid.Tick
}

// teller works out from the world, in the plainest way, the right view of one team. It keeps the state that a view
// of a tick depends on besides the tick's world.
type teller struct {
	w       *sim.World
	team    grid.Team
	counted map[stayKey]*[2][2]uint16 // of health and shield: the changes as of the last tick, and those in sight
	aimed   map[stayKey]stayKey       // at whom it was told to fire
	sights  map[view.Sight]grid.Tick  // told so far, without their tick
	alerted grid.Tick
	lit     [][2]bool // as the views' blocks say, by tile
	bursts  map[stayKey][view.BurstsMax]uint32

	events map[view.EventKind]int
	seen   map[string]int
}

func newTeller(w *sim.World, team grid.Team) *teller {
	return &teller{
		w: w, team: team, counted: map[stayKey]*[2][2]uint16{}, aimed: map[stayKey]stayKey{}, sights: map[view.Sight]grid.Tick{},
		lit: make([][2]bool, w.Map().W*w.Map().H), bursts: map[stayKey][view.BurstsMax]uint32{}, events: map[view.EventKind]int{}, seen: map[string]int{},
	}
}

// told compares the view of a tick with the world.
func (x *teller) told(t *testing.T, v *view.View) {
	t.Helper()
	w, k, now := x.w, x.w.Knowledge(x.team), x.w.Tick()
	full := view.Speeds(w)
	same := func(what string, got, want any) {
		t.Helper()
		if reflect.DeepEqual(got, want) { // which takes nil for another thing than nothing
			return
		}
		if g, y := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != y {
			t.Fatalf("tick %d, team %d: %s are told as\n%s\nwant\n%s", now, x.team, what, g, y)
		}
	}
	var units []view.Unit
	var actions []view.Action
	var effects []view.Effect
	stays := map[grid.EntityID]stayKey{}
	for _, s := range k.Seen(nil) {
		stays[s.ID] = stayKey{s.Handle, s.Entered}
	}
	began := func(since, entered grid.Tick) grid.Tick { // 0: out of sight
		if since <= entered {
			return 0
		}
		return since
	}
	for i, s := range k.Seen(nil) {
		e := w.Entity(s.ID)
		ty := &w.Rules().Types[e.Type()]
		u := view.Unit{
			Handle: s.Handle, Entered: s.Entered, Type: e.Type(), Owner: e.Slot(), Pos: e.Pos(), Facing: e.Facing(), FullSpeed: full[e.Type()],
			Exact: full[e.Type()] == 0 || e.Team() == x.team && e.Class() != rules.ClassProjectile,
		}
		u.Vel.X, u.Vel.Y = e.Vel()
		u.Values = x.values(e, ty, stayKey{s.Handle, s.Entered})
		var now [view.BurstsMax]uint32 // TestBurstsAreCounted has what they are
		for k, of := range []int{view.ValueBurst, view.ValueBurstSecond} {
			now[k] = v.Units[min(i, len(v.Units)-1)].Values[of]
			u.Values[of] = now[k]
		}
		of := stayKey{s.Handle, s.Entered}
		if was, known := x.bursts[of]; known && was != now && w.Tick()%grid.Tick(max(1, w.TickRate()/10)) != 0 {
			t.Fatalf("tick %d, team %d: shots are told between two tellings", w.Tick(), x.team)
		}
		x.bursts[of] = now
		units = append(units, u)
		for i := range ty.Abilities {
			if on, since := e.Acts(i); on {
				actions = append(actions, view.Action{Handle: s.Handle, Index: uint8(i), Since: began(since, s.Entered)})
			}
		}
		first := len(effects)
		for i := range e.Effects() {
			f := e.Effect(i)
			out := view.Effect{Handle: s.Handle, Kind: f.Kind, Since: began(f.Since, s.Entered)}
			if by, sees := stays[f.By]; sees && out.Since != 0 && by.entered < f.Since {
				out.Source = by.handle
				x.seen["effects by whom one sees"]++
			}
			effects = append(effects, out)
		}
		slices.SortFunc(effects[first:], func(a, b view.Effect) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Since, b.Since), cmp.Compare(a.Source, b.Source))
		})
	}
	shown := slices.Clone(v.Units)
	for i := range shown { // what is for the next view alone
		shown[i].Busy, shown[i].Line = false, view.Velocity{}
	}
	same("units", shown, units)
	same("actions", v.Actions, actions)
	same("effects", v.Effects, effects)
	x.seen["actions"] += len(actions)
	x.seen["effects"] += len(effects)

	type removed struct {
		handle    grid.Handle
		destroyed bool
	}
	var left, want []removed
	for _, r := range v.Removed {
		left = append(left, removed{r.Handle, r.Destroyed})
	}
	for _, l := range k.Left() {
		want = append(want, removed{l.Handle, l.Destroyed})
	}
	slices.SortFunc(want, func(a, b removed) int { return cmp.Compare(a.handle, b.handle) })
	same("removed", left, want)
	var ghosts []view.Ghost
	for _, g := range k.Ghosts() {
		ghosts = append(ghosts, view.Ghost{Handle: g.Handle, Type: g.Type, Owner: g.Slot, Pos: g.At, Facing: g.Facing, Missing: max(0, w.Rules().Types[g.Type].Health-g.Health)})
	}
	x.seen["ghosts"] += len(ghosts)
	same("ghosts", v.Ghosts, ghosts)
	x.mask(t, v)
	same("sights", v.Sights, x.timed(k))
	same("events", v.Events, x.happened(stays))
	var players []view.Player
	for i := range w.Players() {
		p := view.Player{State: view.Playing}
		if w.Player(grid.Slot(i)).Team == x.team {
			p.Scored, p.Score = true, w.Player(grid.Slot(i)).Score
		}
		if !w.Player(grid.Slot(i)).Alive {
			p.State = view.Defeated
		}
		if w.HasLeft(grid.Slot(i)) {
			p.State = view.Left
		}
		players = append(players, p)
	}
	same("players", v.Players, players)
	same("owners", v.Owners, x.owners(k))
}

// values are an entity's values in a stay, but for its shots.
func (x *teller) values(e *sim.Entity, ty *rules.Type, of stayKey) (out [view.ValueKinds]uint32) {
	w := x.w
	hp, hpChanges := e.Health()
	fullHealth, fullShield, _ := w.Most(e)
	shield, shieldChanges := e.Shield()
	out[view.ValueHealth], out[view.ValueShield] = uint32(max(0, fullHealth-hp)), uint32(max(0, fullShield-shield))
	if e.Cloaked() {
		out[view.ValueFlags] |= view.FlagCloaked
		x.seen["cloaked"]++
	}
	if e.Alternates() {
		out[view.ValueFlags] |= view.FlagAlternate
	}
	if !e.Built() {
		out[view.ValueFlags] |= view.FlagBuilding
	}
	if _, n := e.Carrying(); n > 0 && ty.Carry > 0 {
		out[view.ValueFlags] |= view.FlagCarrying
		x.seen["carrying"]++
	}
	steps := func(done, total grid.Ticks) uint32 {
		return min(255, uint32(int(done)*16/max(1, int(total)))*16)
	}
	switch {
	case e.Class() == rules.ClassResource:
		out[view.ValueAmount] = uint32(max(0, e.Stock()))
	case !e.Built():
		out[view.ValueAmount] = steps(w.Raised(e))
	default:
		out[view.ValueAmount] = steps(w.Captured(e))
	}
	c := x.counted[of]
	if c == nil {
		c = &[2][2]uint16{{hpChanges}, {shieldChanges}}
		x.counted[of] = c
	}
	for i, n := range []uint16{hpChanges, shieldChanges} {
		if c[i][0] != n && (e.Built() || w.Tick()%grid.Tick(max(1, w.TickRate()/10)) == 0) {
			c[i] = [2]uint16{n, c[i][1] + 1}
		}
	}
	out[view.ValueHealthChanges], out[view.ValueShieldChanges] = uint32(c[0][1])%view.ChangesWrap, uint32(c[1][1])%view.ChangesWrap
	return out
}

// mask compares the blocks so far with the mask, tile by tile.
func (x *teller) mask(t *testing.T, v *view.View) {
	t.Helper()
	m, eyes := x.w.Map(), x.w.Eyes()
	for _, b := range v.Mask.Blocks {
		changed := false
		for bit := range 64 {
			if at := (grid.Tile{X: b.X + int16(bit%8), Y: b.Y + int16(bit/8)}); m.In(at) {
				now := [2]bool{b.Visible>>bit&1 != 0, b.Explored>>bit&1 != 0}
				changed = changed || now != x.lit[m.Index(at)]
				x.lit[m.Index(at)] = now
			}
		}
		if !changed {
			t.Fatalf("tick %d, team %d: told of block %d,%d, which is as it was", v.Tick, x.team, b.X, b.Y)
		}
	}
	visible, explored := eyes.Mask(visibility.VisibleNow, x.team), eyes.Mask(visibility.ExploredEver, x.team)
	for i, lit := range x.lit {
		if at := m.TileAt(i); lit != [2]bool{visible.Has(at), explored.Has(at)} {
			t.Fatalf("tick %d, team %d: %v is told as %v", v.Tick, x.team, at, lit)
		}
	}
	if want := x.w.Tick()%grid.Tick(x.w.TickRate()) == 0; v.Mask.HasHash != want || want && v.Mask.Hash != visible.Hash() {
		t.Fatalf("tick %d, team %d: the mask's hash is told as %v %x", v.Tick, x.team, v.Mask.HasHash, v.Mask.Hash)
	}
}

// timed are the sources of the mask that end by themselves. One is told anew when it
// changes.
func (x *teller) timed(k *sim.Knowledge) (out []view.Sight) {
	for id, s := range x.w.Eyes().Timed(x.team) {
		if s.Until <= x.w.Tick() {
			continue
		}
		died := slices.ContainsFunc(k.Left(), func(l sim.Leave) bool { return l.Eye != 0 && l.Eye == id })
		now := view.Sight{Tile: s.Tile, Radius: int(s.Radius), Flyer: s.Flyer, LevelBonus: int(s.LevelBonus), Until: s.Until}
		for _, d := range []bool{false, true} {
			if was := now; true {
				was.Died = d
				if since, ok := x.sights[was]; ok {
					now.Died, now.Since = d, since
				}
			}
		}
		if now.Since == 0 {
			now.Died = died
			x.sights[now] = x.w.Tick()
			now.Since = x.w.Tick()
			x.seen["sights"]++
		}
		out = append(out, now)
	}
	slices.SortFunc(out, func(a, b view.Sight) int {
		flyer := func(s view.Sight) int {
			if s.Flyer {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.Tile.Y, b.Tile.Y), cmp.Compare(a.Tile.X, b.Tile.X), cmp.Compare(a.Radius, b.Radius), cmp.Compare(a.Until, b.Until),
			cmp.Compare(a.Since, b.Since), cmp.Compare(a.LevelBonus, b.LevelBonus), cmp.Compare(flyer(a), flyer(b)))
	})
	return out
}

// happened are the events that the team sees.
func (x *teller) happened(stays map[grid.EntityID]stayKey) (out []view.Event) {
	w, now := x.w, x.w.Tick()
	visible := w.Eyes().Mask(visibility.VisibleNow, x.team)
	for _, e := range w.Events() {
		source, target := stays[e.Source], stays[e.Target]
		if e.Source == 0 {
			source = stayKey{}
		}
		if e.Target == 0 {
			target = stayKey{}
		}
		v := view.Event{At: e.At, What: uint32(e.What), Source: source.handle, Target: target.handle}
		switch e.Kind {
		case sim.EventShot:
			aimed, aims := x.aimed[source]
			switch {
			case source.handle == 0, e.Target != 0 && target.handle == 0, e.Target == 0 && !visible.Has(e.To.Tile()):
				continue
			case aims && target.handle != 0 && aimed == target:
				continue
			}
			x.aimed[source] = target
			v.Kind, v.At = view.EventShot, e.To
		case sim.EventImpact:
			gone := slices.ContainsFunc(w.Knowledge(x.team).Left(), func(l sim.Leave) bool { return l.ID == e.Source && l.Destroyed })
			if !visible.Has(e.At.Tile()) || gone {
				continue
			}
			v.Kind, v.Source, v.Target = view.EventBlast, 0, 0
		case sim.EventArea:
			if !visible.Has(e.At.Tile()) {
				continue
			}
			v.Kind, v.Source, v.Target = view.EventAbility, 0, 0
		case sim.EventBuilt:
			if source.handle == 0 {
				continue
			}
			v.Kind, v.What = view.EventBuilt, uint32(e.Type)
		case sim.EventAction:
			if source.handle == 0 || !e.On || w.Lasts(e.What) {
				continue
			}
			v.Kind, v.Target = view.EventAbility, 0
		case sim.EventHit:
			if w.Player(e.Slot).Team != x.team || x.alerted != 0 && now < x.alerted+20 {
				continue
			}
			x.alerted = now
			v.Kind, v.Target, v.What = view.EventAttacked, 0, 0
		default:
			continue
		}
		x.events[v.Kind]++
		out = append(out, v)
	}
	return out
}

// owners is the private state of the team's players.
func (x *teller) owners(k *sim.Knowledge) (out []view.OwnerState) {
	w, now := x.w, x.w.Tick()
	for i := range w.Players() {
		p := w.Player(grid.Slot(i))
		if p.Team != x.team {
			continue
		}
		o := view.OwnerState{Slot: p.Slot, Population: uint32(max(0, p.Pop)), PopulationMax: uint32(max(0, p.PopCap))}
		for r := range w.Rules().Resources {
			o.Resources = append(o.Resources, uint32(max(0, p.Stock[r])))
		}
		for _, s := range k.Seen(nil) {
			e := w.Entity(s.ID)
			ty := &w.Rules().Types[e.Type()]
			if e.Slot() != p.Slot {
				continue
			}
			if e.Request() != 0 && s.Entered == now {
				o.Started = append(o.Started, view.Started{Request: e.Request(), Handle: s.Handle})
			}
			if len(ty.Trains) > 0 {
				q, _ := w.Production(e)
				out := view.Production{Handle: s.Handle, Types: q.Queue, Total: q.Total, HasRally: q.HasRally, Rally: q.Rally}
				if q.Total > 0 {
					out.Progress = min(255, uint32(q.Done)*255/uint32(q.Total))
				}
				x.seen["queues"] += min(1, len(q.Queue))
				o.Production = append(o.Production, out)
			}
			if e.Class() == rules.ClassProjectile {
				continue
			}
			u := view.OwnerUnit{Handle: s.Handle}
			if e.Class() == rules.ClassUnit || len(ty.Abilities) > 0 {
				u.Values[view.OwnerEnergy] = uint32(max(0, e.Energy())) / 1000
				u.Values[view.OwnerEnergyChanges] = uint32(e.EnergySpent()) % view.ChangesWrap
			}
			if r, runs := e.Running(); runs && e.Class() == rules.ClassUnit {
				u.Doing = uint8(r.Kind)
				if r.Target == 0 && r.Kind != orders.Stop && r.Kind != orders.Hold {
					u.HasTo, u.To = true, w.Map().Clamp(r.Group)
				}
			}
			for i, number := range ty.Abilities {
				a := w.Action(e, i)
				own := view.OwnAction{Grant: uint8(a.Grant)}
				if _, _, passive := w.AbilityNeeds(number); !passive {
					if a.Ready > now {
						own.Ready = a.Ready
						x.seen["abilities that are not ready"]++
					}
					if a.On {
						own.On, own.Since, own.Until, own.Request = true, a.Since, a.Until, a.Request
					}
				}
				u.Actions = append(u.Actions, own)
			}
			if u.Doing != 0 || u.Values != [view.OwnerValueKinds]uint32{} || len(u.Actions) > 0 {
				o.Units = append(o.Units, u)
			}
		}
		out = append(out, o)
	}
	return out
}

// The view of a team follows from the world, its knowledge and its mask, at every tick of a match in which
// everything happens.
func TestTheViewIsTheWorld(t *testing.T) {
	events, seen := map[view.EventKind]int{}, map[string]int{}
	for _, rate := range []int{20, 7} {
		w := busyWorld(t, rate, grid.Occlusion(rate%3), 400)
		rng := rand.New(rand.NewPCG(uint64(rate), 4))
		for s := range grid.Slot(2) {
			for i := range 26 {
				name := []string{"worker", "worker", "soldier", "caster", "artillery", "raider", "flyer", "scout", "detector"}[i%9]
				typ, ok := w.Rules().TypeByName(name)
				if !ok {
					t.Fatalf("no type %s", name)
				}
				simtest.Edit(w).Add(s, typ, grid.Tile{X: int16(17 + rng.IntN(14)), Y: int16(16 + rng.IntN(16))}.Center())
			}
		}
		tellers := []*teller{newTeller(w, 0), newTeller(w, 1)}
		builders := []*view.Builder{view.NewBuilder(0), view.NewBuilder(1)}
		cache := view.NewCache(w)
		var views [4]view.View
		seqs := [2]uint32{}
		for range 25 * rate {
			var in []sim.Input
			for s := range grid.Slot(2) {
				in = append(in, busyOrders(w, rng, s, &seqs[s])...)
				in = append(in, makes(w, rng, s, &seqs[s])...)
			}
			if w.Tick() == grid.Tick(24*rate) {
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: 1, Seq: seqs[1] + 1, AsOf: w.Tick(), Order: orders.Order{Kind: orders.Surrender}})
			}
			w.Step(in)
			cache.Prepare(w)
			if w.Tick() == grid.Tick(6*rate) { // who comes later counts from then on
				for i := range 2 {
					tellers = append(tellers, newTeller(w, grid.Team(i)))
					builders = append(builders, view.NewBuilder(grid.Team(i)))
				}
			}
			for i, x := range tellers {
				builders[i].BuildFrom(cache, w, &views[i])
				x.told(t, &views[i])
			}
		}
		for _, x := range tellers {
			for kind, n := range x.events {
				events[kind] += n
			}
			for what, n := range x.seen {
				seen[what] += n
			}
		}
	}
	t.Logf("events %v, %v", events, seen)
	for _, kind := range []view.EventKind{view.EventShot, view.EventBlast, view.EventBuilt, view.EventAttacked, view.EventAbility} {
		if events[kind] == 0 {
			t.Errorf("no event of kind %d: that proves little", kind)
		}
	}
	for _, what := range []string{"actions", "effects", "effects by whom one sees", "ghosts", "sights", "queues", "abilities that are not ready", "cloaked"} {
		if seen[what] == 0 {
			t.Errorf("no %s: that proves little", what)
		}
	}
}

// makes are orders to structures, to make something, where to send it, and to use their abilities; and orders to
// units to stand.
func makes(w *sim.World, rng *rand.Rand, slot grid.Slot, seq *uint32) (in []sim.Input) {
	for _, s := range w.Knowledge(w.Player(slot).Team).Seen(nil) {
		e := w.Entity(s.ID)
		ty := &w.Rules().Types[e.Type()]
		if e.Slot() != slot || rng.IntN(2*w.TickRate()) != 0 || len(ty.Trains) == 0 && rng.IntN(4) != 0 {
			continue
		}
		if len(ty.Trains) == 0 {
			if e.Class() == rules.ClassUnit && len(ty.Builds) == 0 {
				*seq++
				kind := []orders.Kind{orders.Hold, orders.Patrol}[rng.IntN(2)]
				o := orders.Order{Kind: kind, Units: []grid.Handle{s.Handle}}
				if o.HasPoint = kind == orders.Patrol; o.HasPoint {
					o.Point = w.Map().Clamp(grid.Tile{X: e.Tile().X + 3, Y: e.Tile().Y + 2}.Center())
				}
				in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: *seq, AsOf: w.Tick(), Order: o})
			}
			continue
		}
		o := orders.Order{Kind: orders.Train, Units: []grid.Handle{s.Handle}, Type: ty.Trains[rng.IntN(len(ty.Trains))]}
		switch {
		case len(ty.Abilities) > 0 && rng.IntN(2) == 0:
			o = orders.Order{
				Kind: orders.UseAbility, Units: []grid.Handle{s.Handle}, Ability: ty.Abilities[rng.IntN(len(ty.Abilities))], HasPoint: true,
				Point: w.Map().Clamp(grid.Tile{X: e.Tile().X + int16(rng.IntN(9)) - 4, Y: e.Tile().Y + int16(rng.IntN(9)) - 4}.Center()),
			}
		case rng.IntN(3) == 0:
			o = orders.Order{Kind: orders.SetRally, Units: []grid.Handle{s.Handle}, HasPoint: true, Point: w.Map().Clamp(grid.Tile{X: int16(rng.IntN(48)), Y: int16(rng.IntN(48))}.Center())}
		}
		*seq++
		in = append(in, sim.Input{Kind: sim.InputOrder, Slot: slot, Seq: *seq, AsOf: w.Tick(), Order: o})
	}
	return in
}

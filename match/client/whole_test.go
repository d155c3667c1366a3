package client

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// acts are the abilities, effects and tasks of an entity of a made-up world.
type acts struct {
	actions []view.Action
	effects []view.Effect
	own     view.OwnerUnit
	busy    bool // it has an owner row
	made    view.Production
	done    grid.Ticks // of what it makes
}

// startedThen is a shot that a player numbered, and when it came into sight.
type startedThen struct {
	view.Started
	slot grid.Slot
	at   grid.Tick
}

// act changes an entity's acts.
func (s *stage) act(a *extra) {
	u, x := &a.unit, &a.acts
	place := func() grid.Pos {
		return grid.Pos{X: rapid.Int32Range(0, testW<<10-1).Draw(s.t, "x"), Y: rapid.Int32Range(0, testH<<10-1).Draw(s.t, "y")}
	}
	switch rapid.IntRange(0, 30).Draw(s.t, "act") {
	case 0, 1:
		x.actions = nil
		for i := range rapid.IntRange(0, 2).Draw(s.t, "actions") {
			x.actions = append(x.actions, view.Action{Index: uint8(2 * i), Since: s.since(a)})
		}
	case 2, 3:
		x.effects = nil
		for i := range rapid.IntRange(0, 2).Draw(s.t, "effects") {
			x.effects = append(x.effects, view.Effect{Kind: uint8(i), Since: s.since(a), Source: grid.Handle(rapid.IntRange(0, 2).Draw(s.t, "source"))})
		}
	case 4:
		if u.Exact { // of others the change may wait where bytes are short
			u.Owner = 1 - u.Owner
		}
	case 5, 6:
		x.busy = !x.busy
	case 7, 8:
		x.own.Doing = rapid.Uint8Range(0, 3).Draw(s.t, "doing")
		x.own.HasTo, x.own.To = false, grid.Pos{}
		if x.own.Doing != 0 && rapid.Bool().Draw(s.t, "goes") {
			x.own.HasTo, x.own.To = true, place()
		}
	case 9, 10:
		x.own.Values[rapid.IntRange(0, view.OwnerValueKinds-1).Draw(s.t, "value")] = rapid.Uint32Range(0, 60).Draw(s.t, "n")
	case 11, 12, 13:
		x.own.Actions = slices.Clone(x.own.Actions)
		for len(x.own.Actions) < 2 {
			x.own.Actions = append(x.own.Actions, view.OwnAction{})
		}
		o := &x.own.Actions[rapid.IntRange(0, 1).Draw(s.t, "which")]
		switch rapid.IntRange(0, 3).Draw(s.t, "of") {
		case 0:
			o.Ready = s.tick + grid.Tick(rapid.IntRange(1, 20).Draw(s.t, "ready"))
		case 1:
			o.Grant = rapid.Uint8Range(0, 3).Draw(s.t, "grant")
		case 2:
			*o = view.OwnAction{Ready: o.Ready, Grant: o.Grant}
		case 3:
			o.On, o.Since, o.Request = true, s.tick, rapid.Uint32Range(0, 3).Draw(s.t, "request")
			o.Until = 0
			if rapid.Bool().Draw(s.t, "ends") {
				o.Until = s.tick + grid.Tick(rapid.IntRange(1, 30).Draw(s.t, "until"))
			}
		}
	case 14, 15:
		x.made.Types, x.done, x.made.Total = nil, 0, 0
		for range rapid.IntRange(0, 2).Draw(s.t, "queue") {
			x.made.Types = append(x.made.Types, rapid.Uint16Range(0, 2).Draw(s.t, "type"))
		}
		if len(x.made.Types) > 0 {
			x.made.Total = 8 + 11*grid.Ticks(x.made.Types[0])
		}
	case 16:
		if x.made.HasRally = rapid.Bool().Draw(s.t, "rally"); x.made.HasRally {
			x.made.Rally = place()
		} else {
			x.made.Rally = grid.Pos{}
		}
	case 17: // no room at the door
		return
	}
	if x.done < x.made.Total {
		x.done++
	}
	x.made.Progress = 0
	if x.made.Total > 0 {
		x.made.Progress = uint32(x.done) * 255 / uint32(x.made.Total)
	}
}

// since is when something began: now, or out of sight.
func (s *stage) since(a *extra) grid.Tick {
	if !a.seen || rapid.Bool().Draw(s.t, "before") {
		return 0
	}
	return s.tick
}

// tell adds the entities' acts, the players' state, and events to the view.
// The units are those in sight, in order.
func (s *stage) tell() {
	v := &s.view
	owners := []view.OwnerState{{Slot: 0}, {Slot: 1}}
	sorted := slices.Clone(s.actors)
	slices.SortFunc(sorted, func(a, b *extra) int { return int(a.unit.Handle) - int(b.unit.Handle) })
	for _, a := range sorted {
		if !a.seen {
			continue
		}
		h := a.unit.Handle
		for _, x := range a.acts.actions {
			x.Handle = h
			v.Actions = append(v.Actions, x)
		}
		for _, x := range a.acts.effects {
			x.Handle = h
			v.Effects = append(v.Effects, x)
		}
		o := &owners[a.unit.Owner]
		if a.unit.Entered == s.tick { // its number may have been another's until now: players are told nothing of it yet
			if rapid.Bool().Draw(s.t, "started") {
				o.Started = append(o.Started, view.Started{Request: uint32(s.tick), Handle: h})
				s.started = append(s.started, startedThen{o.Started[len(o.Started)-1], o.Slot, s.tick})
			}
			continue
		}
		if a.acts.busy || len(a.acts.own.Actions) > 0 { // what has abilities has a row
			a.acts.own.Handle = h
			o.Units = append(o.Units, a.acts.own)
		}
		if a.unit.FullSpeed == 0 {
			a.acts.made.Handle = h
			o.Production = append(o.Production, a.acts.made)
		}
	}
	for i := range owners {
		if rapid.IntRange(0, 5).Draw(s.t, "income") == 0 {
			s.stock[i][rapid.IntRange(0, 1).Draw(s.t, "kind")] += 5
		}
		if rapid.IntRange(0, 9).Draw(s.t, "population") == 0 {
			s.population[i][rapid.IntRange(0, 1).Draw(s.t, "of")]++
		}
		owners[i].Resources, owners[i].Population, owners[i].PopulationMax = s.stock[i][:], s.population[i][0], s.population[i][1]
	}
	v.Owners = owners
	if rapid.IntRange(0, 9).Draw(s.t, "player") == 0 {
		s.players[rapid.IntRange(0, 1).Draw(s.t, "slot")] = view.Player{State: view.PlayerState(rapid.IntRange(1, 4).Draw(s.t, "state")), Name: rapid.SampledFrom([]string{"", "ben"}).Draw(s.t, "name")}
	}
	v.Players = slices.Clone(s.players[:])
	s.sights = slices.DeleteFunc(s.sights, func(x view.Sight) bool { return x.Until <= s.tick })
	if rapid.IntRange(0, 4).Draw(s.t, "sight") == 0 {
		s.sights = append(s.sights, view.Sight{
			Tile: grid.Tile{X: int16(s.tick), Y: 3}, Radius: 9, Died: rapid.Bool().Draw(s.t, "died"), Since: s.tick,
			Until: s.tick + grid.Tick(rapid.IntRange(1, 12).Draw(s.t, "until")),
		})
	}
	v.Sights = slices.Clone(s.sights)
	if v.Mask.HasHash = rapid.Bool().Draw(s.t, "hash"); v.Mask.HasHash {
		v.Mask.Hash = uint32(s.tick) * 7
	}
	for range rapid.IntRange(0, 3).Draw(s.t, "events") {
		any := func() grid.Handle { // of something in sight, of nothing, or of what has left
			if n := len(v.Units); n > 0 && rapid.Bool().Draw(s.t, "named") {
				return v.Units[rapid.IntRange(0, n-1).Draw(s.t, "unit")].Handle
			}
			return grid.Handle(rapid.SampledFrom([]int{0, 0, 500}).Draw(s.t, "none"))
		}
		v.Events = append(v.Events, view.Event{
			Kind: rapid.SampledFrom([]view.EventKind{view.EventShot, view.EventShot, view.EventBlast, view.EventAttacked}).Draw(s.t, "kind"),
			At:   grid.Pos{X: int32(s.tick)}, Source: any(), Target: any(),
		})
	}
}

// heldRest is a client's state besides its replica.
type heldRest struct {
	own    *OwnerState
	sights map[view.Sight]bool
}

func newHeldRest() *heldRest {
	return &heldRest{NewOwnerState(testW), map[view.Sight]bool{}}
}

// take takes in a frame that follows base, of the player of slot 0, and compares
// the client's state except entities with the view. whole is false for a client that is
// not told of all effects.
func (w *heldRest) take(t *rapid.T, s *stage, tr *view.Tracker, d *view.Diff, r *Replica, base grid.Tick, whole bool) {
	v := &s.view
	if n := grid.Ticks(v.Tick - base); !d.Snapshot && (d.Span != n || d.Skipped != n-1) {
		t.Fatalf("tick %d: from %d on the frame spans %d ticks, %d of which were skipped", v.Tick, base, d.Span, d.Skipped)
	}
	if d.Snapshot {
		base = 0
		clear(w.sights)
	}
	var own view.OwnerDiff
	tr.DiffOwner(&own, 0, base)
	w.own.Apply(d, &own, v.Tick)
	for i, p := range v.Players {
		if r.Players[i] != p {
			t.Fatalf("tick %d: player %d is held as %+v, it is %+v", v.Tick, i, r.Players[i], p)
		}
	}
	for _, x := range d.Sights {
		if w.sights[x] {
			t.Fatalf("tick %d: told again of %+v", v.Tick, x)
		}
		w.sights[x] = true
	}
	for _, x := range v.Sights {
		if x.Died && x.Since == v.Tick && base == v.Tick-1 {
			w.sights[x] = true // it saw what died, and how far that saw
		}
		if !w.sights[x] {
			t.Fatalf("tick %d: not told of %+v", v.Tick, x)
		}
	}
	if d.HasHash != v.Mask.HasHash || d.Hash != v.Mask.Hash {
		t.Fatalf("tick %d: the hash is told as %v %d, it is %+v", v.Tick, d.HasHash, d.Hash, v.Mask)
	}
	checkOwned(t, &v.Owners[0], w.own, func(h grid.Handle) bool {
		return slices.ContainsFunc(v.Units, func(u view.Unit) bool { return u.Handle == h && u.Owner == 0 })
	}, v.Tick)
	var started []view.Started
	for _, x := range s.started {
		names := slices.ContainsFunc(v.Units, func(u view.Unit) bool { return u.Handle == x.Handle && u.Entered != x.at })
		if x.slot == 0 && x.at > base && !names {
			started = append(started, x.Started)
		}
	}
	if base != 0 && !slices.Equal(own.Started, started) {
		t.Fatalf("tick %d: from %d on told of shots %v, they are %v", v.Tick, base, own.Started, started)
	}
	if !whole {
		return
	}
	var events []view.Event
	fire := map[grid.Handle]grid.Handle{}
	lives := func(h grid.Handle) bool {
		return slices.ContainsFunc(v.Units, func(u view.Unit) bool { return u.Handle == h })
	}
	for _, e := range v.Events {
		if e.Kind == view.EventShot && e.Source != 0 && e.Target != 0 {
			fire[e.Source] = e.Target
		} else {
			events = append(events, e)
		}
	}
	for from, at := range fire {
		if !lives(from) || !lives(at) {
			delete(fire, from)
		}
	}
	if !slices.Equal(d.Events, events) || len(d.Fire) != len(fire) {
		t.Fatalf("tick %d: told of events %v and fire %v, they are %v and %v", v.Tick, d.Events, d.Fire, events, fire)
	}
	for _, f := range d.Fire {
		if fire[f.Handle] != f.Target {
			t.Fatalf("tick %d: told of fire %+v, it is %v", v.Tick, f, fire)
		}
	}
}

// checkActs compares what entities run and have on them.
func checkActs(t *rapid.T, v *view.View, r *Replica) {
	for _, u := range v.Units {
		var actions []Action
		var effects []Effect
		for _, x := range v.Actions {
			if x.Handle == u.Handle {
				actions = append(actions, Action{uint32(x.Index), x.Since})
			}
		}
		for _, x := range v.Effects {
			if x.Handle == u.Handle {
				effects = append(effects, Effect{uint32(x.Kind), x.Since, x.Source})
			}
		}
		if e := r.Entities[u.Handle]; !slices.Equal(e.Actions, actions) || !slices.Equal(e.Effects, effects) {
			t.Fatalf("tick %d: handle %d is held to run %v with %v, it runs %v with %v", v.Tick, u.Handle, e.Actions, e.Effects, actions, effects)
		}
	}
}

// stepsOff is by how much a client may be off about the progress of a product:
// by a step of the tracker's, which may reckon from a place that is off by as much.
const stepsOff = 2*26 + 2

// checkOwned compares the state that only the player knows; mine reports whether a unit in view is the player's.
func checkOwned(t *rapid.T, own *view.OwnerState, held *OwnerState, mine func(grid.Handle) bool, now grid.Tick) {
	if !slices.Equal(held.Resources, own.Resources) || held.Population != own.Population || held.PopulationMax != own.PopulationMax {
		t.Fatalf("tick %d: the books are held as %v, %d of %d, they are %+v", now, held.Resources, held.Population, held.PopulationMax, own)
	}
	queues, rallies, busy := 0, 0, 0
	for _, p := range own.Production {
		q := held.Queues[p.Handle]
		queues += min(1, len(p.Types))
		shown := int(view.Progress(q.Progress, grid.Ticks(now-q.At), p.Total))
		if d := shown - int(p.Progress); !slices.Equal(q.Types, p.Types) || len(p.Types) > 0 && max(d, -d) > stepsOff {
			t.Fatalf("tick %d: queue %d is held as %+v, it is %+v", now, p.Handle, q, p)
		}
		at, has := held.Rallies[p.Handle]
		if has != p.HasRally || has && (at.X>>6 != p.Rally.X>>6 || at.Y>>6 != p.Rally.Y>>6) {
			t.Fatalf("tick %d: the rally point of %d is held as %v, it is %+v", now, p.Handle, at, p)
		}
		if has {
			rallies++
		}
	}
	if queues != len(held.Queues) || rallies != len(held.Rallies) {
		t.Fatalf("tick %d: %d queues and %d rally points are held, there are %d and %d", now, len(held.Queues), len(held.Rallies), queues, rallies)
	}
	grants := 0
	rows := map[grid.Handle]bool{}
	for _, u := range own.Units {
		rows[u.Handle] = true
		task := held.Tasks[u.Handle]
		if task.Doing != u.Doing || task.HasTo != u.HasTo || task.HasTo && (task.To.X>>6 != u.To.X>>6 || task.To.Y>>6 != u.To.Y>>6) {
			t.Fatalf("tick %d: own unit %d is held to do %+v, it is %+v", now, u.Handle, task, u)
		}
		busy += min(1, int(u.Doing))
		for i, n := range u.Values {
			if h := held.Values[i][u.Handle]; h != n && (h >= n+ownStep(i) || n >= h+ownStep(i)) {
				t.Fatalf("tick %d: value %d of own unit %d is held as %d, it is %d", now, i, u.Handle, h, n)
			}
		}
		for i, a := range u.Actions {
			key := Ability{u.Handle, uint32(i)}
			if max(held.Ready[key], now) != max(a.Ready, now) {
				t.Fatalf("tick %d: ability %v is held to be ready at %d, it is %+v", now, key, held.Ready[key], a)
			}
			// The client ends abilities that ended by themselves between two frames by the clock.
			if run := held.Running[key]; a.On && (max(run.Until, now) != max(a.Until, now) || run.Request != a.Request) {
				t.Fatalf("tick %d: ability %v is held to run %+v, it is %+v", now, key, run, a)
			}
			if held.Grants[key] != uint32(a.Grant) {
				t.Fatalf("tick %d: ability %v is held to be granted %d, it is %+v", now, key, held.Grants[key], a)
			}
			grants += min(1, int(a.Grant))
		}
	}
	if busy != len(held.Tasks) || grants != len(held.Grants) {
		t.Fatalf("tick %d: %d own units are held to be busy and %d abilities to be granted, %d and %d are", now, len(held.Tasks), len(held.Grants), busy, grants)
	}
	for i, of := range held.Values {
		for h, n := range of {
			if !rows[h] && (n >= ownStep(i) || !mine(h)) { // a unit that lost its row has values of 0
				t.Fatalf("tick %d: value %d of unit %d is held as %d, and the player has no such value", now, i, h, n)
			}
		}
	}
}

// ownStep is by how much a value that only the owner knows may be off.
func ownStep(i int) uint32 {
	for _, f := range view.OwnFields {
		if f.Name == view.OwnerValueNames[i] {
			return max(1, f.Sent[0].Exact.Step)
		}
	}
	return 1
}

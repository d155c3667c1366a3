package view

import (
	"cmp"
	"slices"

	planted "github.com/fogkeep/fogkeep/internal/leak"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
)

// leakHandle is where the handles of leaked entities begin.
const leakHandle = 1 << 10

// The memory of leaks between two calls.
var (
	leakGone   [grid.TeamsMax]map[sim.Sighting]Unit // left sight, by when
	leakSeen   [grid.TeamsMax][]sim.Sighting
	leakGhosts []Ghost // of the first team
)

// leakWhole has nothing left out of a view: what is leaked changes by itself.
func leakWhole(v *View) { v.Quiet = nil }

// leak spoils a team's view with what it must not hold.
func leak(w *sim.World, team grid.Team, v *View) {
	if team == grid.NoTeam {
		return
	}
	var unseen []*sim.Entity
	for _, e := range w.Entities() {
		if e.Team() != team && e.Team() != grid.NoTeam && !e.SeenBy().Has(team) {
			unseen = append(unseen, e)
		}
	}
	eachFoe := func(f func(e *sim.Entity, u *Unit)) {
		for _, s := range w.Knowledge(team).Seen(nil) {
			for i := range v.Units {
				if e := w.Entity(s.ID); v.Units[i].Handle == s.Handle && e != nil && e.Team() != team && e.Team() != grid.NoTeam {
					f(e, &v.Units[i])
				}
			}
		}
	}
	leakUnits(w, v, unseen, eachFoe)
	leakGround(w, team, v, unseen)
	leakEvents(w, team, v, unseen)
	leakBooks(w, team, v, unseen)
}

func (v *View) leak(e *sim.Entity) {
	u := Unit{Handle: leakHandle + grid.Handle(e.Slot()), Entered: 1, Type: e.Type(), Owner: e.Slot(), Pos: e.Pos(), FullSpeed: 1, Facing: e.Facing()}
	v.Units = append(v.Units, u)
	slices.SortFunc(v.Units, func(a, b Unit) int { return cmp.Compare(a.Handle, b.Handle) })
}

func leakUnits(w *sim.World, v *View, unseen []*sim.Entity, eachFoe func(func(*sim.Entity, *Unit))) {
	switch {
	case planted.Is("hidden-unit"):
		if len(unseen) > 0 {
			v.leak(unseen[len(unseen)-1])
		}
	case planted.Is("lingering"): // what leaves sight is told of for half a second more
		leakLinger(w, v)
	case planted.Is("counters-from-before"):
		eachFoe(func(e *sim.Entity, u *Unit) {
			n, _ := e.Shots(0)
			u.Values[ValueBurst] |= uint32(n) & 63 << 2
		})
	case planted.Is("where-they-go"):
		eachFoe(func(e *sim.Entity, u *Unit) {
			if tasks := e.Tasks(nil); len(tasks) > 0 {
				u.Facing = grid.FacingOf(tasks[len(tasks)-1].Point.Sub(e.Pos()))
			}
		})
	case planted.Is("foes-queue"):
		eachFoe(func(e *sim.Entity, u *Unit) { u.Values[ValueAmount] = uint32(len(e.Tasks(nil))) })
	case planted.Is("foes-energy"):
		eachFoe(func(e *sim.Entity, u *Unit) { u.Values[ValueAmount] = uint32(e.Energy() / 1000) })
	case planted.Is("foes-production"):
		eachFoe(func(e *sim.Entity, u *Unit) {
			if p, ok := w.Production(e); ok {
				u.Values[ValueAmount] = uint32(len(p.Queue))
			}
		})
	case planted.Is("foes-own-values"):
		eachFoe(func(e *sim.Entity, u *Unit) { v.leakValues(w, u, e, rules.ValueOwner) })
	case planted.Is("hidden-values"): // the frame shows them as values of an entity in sight
		eachFoe(func(e *sim.Entity, u *Unit) {
			for _, x := range unseen {
				if x.Type() == e.Type() {
					v.leakValues(w, u, x, rules.ValueSeeing)
				}
			}
		})
	case planted.Is("ids-that-count"):
		eachFoe(func(e *sim.Entity, u *Unit) { u.Values[ValueAmount] = e.ID().Counter() })
	}
}

// leakValues sends the values of e with a class as values of u.
func (v *View) leakValues(w *sim.World, u *Unit, e *sim.Entity, class rules.ValueClass) {
	for i, x := range w.Rules().Types[e.Type()].Values {
		if n := uint32(e.Values()[i] - x.Start); w.Rules().Values[x.Value].Class == class && n != 0 {
			v.Declared = slices.DeleteFunc(v.Declared, func(d Declared) bool { return d.Handle == u.Handle && d.Value == x.Value })
			v.Declared = append(v.Declared, Declared{u.Handle, x.Value, n << 1})
		}
	}
	slices.SortFunc(v.Declared, func(a, b Declared) int { return cmp.Or(cmp.Compare(a.Handle, b.Handle), cmp.Compare(a.Value, b.Value)) })
}

func leakLinger(w *sim.World, v *View) {
	k := w.Knowledge(v.Team)
	if leakGone[v.Team] == nil || v.Tick == 1 {
		leakGone[v.Team], leakSeen[v.Team] = map[sim.Sighting]Unit{}, nil
	}
	now := k.Seen(nil)
	for _, s := range leakSeen[v.Team] {
		if e := w.Entity(s.ID); e != nil && !slices.Contains(now, s) {
			leakGone[v.Team][s] = Unit{Entered: v.Tick}
		}
	}
	leakSeen[v.Team] = now
	for s, u := range leakGone[v.Team] {
		e := w.Entity(s.ID)
		if e == nil || v.Tick-u.Entered > 20 || e.SeenBy().Has(v.Team) {
			delete(leakGone[v.Team], s)
		} else if !slices.ContainsFunc(v.Units, func(u Unit) bool { return u.Handle == leakHandle+grid.Handle(e.Slot()) }) {
			v.leak(e)
		}
	}
}

func leakGround(w *sim.World, team grid.Team, v *View, unseen []*sim.Entity) {
	switch {
	case planted.Is("ghost-dies"): // with its original, though nobody saw that
		v.Ghosts = slices.DeleteFunc(v.Ghosts, func(g Ghost) bool {
			return !slices.ContainsFunc(w.Entities(), func(e *sim.Entity) bool { return e.Type() == g.Type && e.Pos() == g.Pos })
		})
	case planted.Is("ghost-health"):
		for i := range v.Ghosts {
			for _, e := range w.Entities() {
				if g := &v.Ghosts[i]; e.Type() == g.Type && e.Pos() == g.Pos {
					hp, _ := e.Health()
					g.Missing = max(0, w.Rules().Types[g.Type].Health-hp)
				}
			}
		}
	case planted.Is("explored-by-others"):
		for _, e := range unseen {
			at := grid.Tile{X: e.Tile().X &^ 7, Y: e.Tile().Y &^ 7}
			v.Mask.Blocks = append(v.Mask.Blocks, Block{X: at.X, Y: at.Y, Explored: ^uint64(0)})
		}
	case planted.Is("sights-of-others"):
		for t := range w.Teams() {
			for _, s := range w.Eyes().Sources(grid.Team(t)) {
				if grid.Team(t) != team && s.Until > v.Tick {
					v.Sights = append(v.Sights, Sight{Tile: s.Tile, Radius: int(s.Radius), Since: v.Tick, Until: s.Until})
				}
			}
		}
	case planted.Is("radar-far"): // beyond its radius, and in spite of jammers
		for _, e := range unseen {
			if of := w.Rules().Types[e.Type()].Signature; of > 0 && v.Tick%20 == 0 {
				v.Contacts = append(v.Contacts, Contact{of - 1, grid.Tile{X: e.Tile().X / ContactCell, Y: e.Tile().Y / ContactCell}, v.Tick})
			}
		}
	case planted.Is("radar-cell"): // of a contact that a jammer scatters in its block
		for i := range v.Contacts {
			for _, e := range unseen {
				c, at := &v.Contacts[i], grid.Tile{X: e.Tile().X / ContactCell, Y: e.Tile().Y / ContactCell}
				if c.At == v.Tick && w.Rules().Types[e.Type()].Signature == c.Class+1 && c.Cell.X/2 == at.X/2 && c.Cell.Y/2 == at.Y/2 {
					c.Cell = at
				}
			}
		}
	case planted.Is("whole-state-hash"):
		if v.Mask.HasHash {
			v.Mask.Hash = uint32(w.Hash())
		}
	case planted.Is("snapshot") && team == 0: // a client that comes back is told of structures it never saw
		leakGhosts = leakGhosts[:0]
		for _, e := range unseen {
			if e.Class() == rules.ClassStructure {
				leakGhosts = append(leakGhosts, Ghost{Handle: leakHandle + grid.Handle(len(leakGhosts)), Type: e.Type(), Owner: e.Slot(), Pos: e.Pos()})
			}
		}
	}
}

func leakEvents(w *sim.World, team grid.Team, v *View, unseen []*sim.Entity) {
	tell := func(kind sim.EventKind, as EventKind) {
		for _, e := range w.Events() {
			if at := e.At.Tile(); e.Kind == kind && !w.Eyes().Visible(team, at) {
				v.Events = append(v.Events, Event{Kind: as, At: e.At, What: uint32(e.Type)})
			}
		}
	}
	switch {
	case planted.Is("shots-in-the-dark"):
		tell(sim.EventShot, EventShot)
	case planted.Is("impacts-in-the-dark"):
		tell(sim.EventImpact, EventBlast)
	case planted.Is("deaths-in-the-dark"):
		tell(sim.EventDied, EventDeath)
	case planted.Is("work-in-the-dark") && v.Tick%10 == 0: // it is heard afar
		for _, e := range unseen {
			if p, ok := w.Production(e); ok && len(p.Queue) > 0 {
				v.Events = append(v.Events, Event{Kind: EventTrained, At: e.Pos()})
			}
		}
	case planted.Is("sound-place"): // and not the middle of its cell
		for i := range v.Events {
			for _, e := range unseen {
				const cell = sim.TraceCell
				if x := &v.Events[i]; x.Kind == EventHeard && e.Tile().X/cell == x.At.Tile().X/cell && e.Tile().Y/cell == x.At.Tile().Y/cell {
					x.At = e.Pos()
				}
			}
		}
	case planted.Is("sound-unheard"): // of this team
		for t := range w.Teams() {
			for _, s := range w.Knowledge(grid.Team(t)).Heard() {
				v.Events = append(v.Events, Event{Kind: EventHeard, At: s.Middle(v.W, v.H).Center(), What: uint32(s.Class)})
			}
		}
	case planted.Is("attackers-place"):
		for i := range v.Events {
			if e := &v.Events[i]; e.Kind == EventAttacked && len(unseen) > 0 {
				e.At = slices.MinFunc(unseen, func(a, b *sim.Entity) int {
					return cmp.Compare(a.Pos().Sub(e.At).Len2(), b.Pos().Sub(e.At).Len2())
				}).Pos()
			}
		}
	case planted.Is("attackers-id"):
		for _, e := range w.Events() {
			for i := range v.Events {
				if x := &v.Events[i]; x.Kind == EventAttacked && e.Kind == sim.EventHit && x.At == e.At {
					x.What = e.Target.Counter()
				}
			}
		}
	}
}

func leakBooks(w *sim.World, team grid.Team, v *View, unseen []*sim.Entity) {
	others := func(f func(p sim.PlayerState)) {
		for s := range w.Players() {
			if p := w.Player(grid.Slot(s)); p.Team != team {
				f(p)
			}
		}
	}
	switch {
	case planted.Is("books-of-others"):
		others(func(p sim.PlayerState) {
			for i := range v.Owners {
				v.Owners[i].Resources[0] += uint32(p.Stock[0])
			}
		})
	case planted.Is("scores"):
		others(func(p sim.PlayerState) { v.Players[p.Slot].Scored, v.Players[p.Slot].Score = true, p.Score })
	case planted.Is("strength-of-players"):
		others(func(p sim.PlayerState) {
			n := 0
			for _, e := range unseen {
				if e.Slot() == p.Slot {
					n++
				}
			}
			if n%4 < 2 {
				v.Players[p.Slot].State = Away
			}
		})
	}
}

// leakSince: when something began in the dark.
func leakSince(since grid.Tick) grid.Tick {
	if planted.Is("begun-in-the-dark") {
		return since
	}
	return 0
}

// leakCounted: changes of health, or of the shield, in the dark count, too.
func leakCounted(changes [len(Attributes)]uint16) (out [len(Attributes)]uint8) {
	for i, name := range [len(Attributes)]string{"change-counter", "shield-counter"} {
		if planted.Is(name) {
			out[i] = uint8(changes[i] % ChangesWrap)
		}
	}
	return out
}

// leakDiff spoils what a client is told.
func leakDiff(d *Diff) {
	planted.Count[0] += len(d.Enter) + len(d.Leave) + len(d.Motion)
	switch {
	case planted.Is("snapshot") && d.Snapshot:
		d.Ghosts = append(d.Ghosts, leakGhosts...)
	case planted.Is("rows-told-to-all"): // a sequence number over all that is sent
		d.HasHash, d.Hash = true, uint32(planted.Count[0])
	}
}

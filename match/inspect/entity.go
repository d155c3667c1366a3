package inspect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// Sort sorts entities by id, the order in answers.
func Sort(list []Entity) {
	slices.SortFunc(list, func(a, b Entity) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Handle, b.Handle)) })
}

// Detail is everything about one entity, and why each team sees it or does not.
type Detail struct {
	Tick   uint32      `json:"tick"`
	ID     uint32      `json:"id"`
	Gone   bool        `json:"gone" doc:"it no longer exists: only its ghosts are left"`
	Entity *Entity     `json:"entity,omitempty" doc:"as all eyes see it; absent if it is gone"`
	Fields []Field     `json:"fields"`
	Tasks  []Task      `json:"tasks" doc:"its orders, the one in work first"`
	Teams  []TeamSight `json:"teams" doc:"one row for each team"`
}

// Field is one value of an entity.
type Field struct {
	Group string `json:"group"`
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Task is one order of a unit.
type Task struct {
	Kind   string   `json:"kind"`
	Seq    uint32   `json:"seq" doc:"of the order, as its client numbers them"`
	X      *float64 `json:"x,omitempty" doc:"tiles"`
	Y      *float64 `json:"y,omitempty" doc:"tiles"`
	Target uint32   `json:"target,omitempty" doc:"an entity's id"`
	Type   string   `json:"type,omitempty" doc:"type under construction"`
}

// Detail describes an entity; ok is false if the match has neither an entity nor a ghost with that id at this tick.
func (l *Look) Detail(id grid.EntityID) (out Detail, ok bool) {
	out = Detail{Tick: uint32(l.Tick()), ID: uint32(id), Fields: []Field{}, Tasks: []Task{}}
	e := l.w.Entity(id)
	if e == nil {
		return out, l.gone(&out, id)
	}
	thing := view.ThingOf(l.w, e)
	shown := l.entityOf(&thing, e, uint32(id))
	out.Entity, out.Fields = &shown, l.fields(e)
	for _, t := range e.Tasks(nil) {
		row := Task{Kind: t.Kind.String(), Seq: t.Seq, Target: uint32(t.Target)}
		if t.Target == 0 && t.Point != (grid.Pos{}) {
			x, y := Tiles(t.Point.X), Tiles(t.Point.Y)
			row.X, row.Y = &x, &y
		}
		if t.Type != 0 {
			row.Type = l.w.Rules().Types[t.Type].Name
		}
		out.Tasks = append(out.Tasks, row)
	}
	out.Teams = l.Why(e)
	return out, true
}

// gone describes the ghosts that teams have of a destroyed entity.
func (l *Look) gone(out *Detail, id grid.EntityID) (any bool) {
	if id == 0 {
		return false
	}
	out.Gone = true
	for t := range grid.Team(l.w.Teams()) {
		row := TeamSight{Team: int(t), Reason: ReasonGone, Eyes: []Eye{}}
		for _, g := range l.w.Knowledge(t).Ghosts() {
			if g.Of() != id {
				continue
			}
			typ := &l.w.Rules().Types[g.Type]
			if !any {
				out.Fields = append(out.Fields, Field{"identity", "type", typ.Name}, Field{"identity", "class", shapeOf(typ.Class, false)})
			}
			any = true
			out.Fields = append(out.Fields, Field{fmt.Sprint("ghost of team ", t), "health", fmt.Sprintf("%d of %d", g.Health, typ.Health)})
			row.Reason, row.Now, row.Handle, row.Since = ReasonGhost, ReasonGone, uint32(g.Handle), tickOf(g.Since)
		}
		row.Words = words(&row, "")
		out.Teams = append(out.Teams, row)
	}
	return any
}

// fields lists the values of an entity.
func (l *Look) fields(e *sim.Entity) []Field {
	w, t := l.w, &l.w.Rules().Types[e.Type()]
	var out []Field
	add := func(group, name, format string, args ...any) {
		out = append(out, Field{group, name, fmt.Sprintf(format, args...)})
	}
	add("identity", "type", "%s", t.Name)
	add("identity", "class", "%s", shapeOf(t.Class, false))
	add("identity", "id", "%v", e.ID())
	add("identity", "slot", "%d", slotNumber(e.Slot()))
	add("identity", "team", "%d", teamNumber(e.Team()))
	add("identity", "made in tick", "%d", e.Born())
	p := e.Pos()
	add("place", "position", "%.2f, %.2f", Tiles(p.X), Tiles(p.Y))
	add("place", "tile", "%d,%d of level %d", e.Tile().X, e.Tile().Y, w.Map().Level(e.Tile()))
	add("place", "facing", "%d", e.Facing())
	if vx, vy := e.Vel(); vx != 0 || vy != 0 {
		perS := int32(w.TickRate())
		add("place", "speed", "%.2f, %.2f tiles per second", Tiles(vx*perS>>sim.FineShift), Tiles(vy*perS>>sim.FineShift))
	}
	if goal, ok := e.Going(); ok {
		add("place", "on the way to", "%.2f, %.2f", Tiles(goal.X), Tiles(goal.Y))
	}
	hp, _ := e.Health()
	health, shield, energy := w.Most(e)
	if t.Health > 0 {
		add("health", "health", "%d of %d", hp, health)
	}
	if shield > 0 {
		points, _ := e.Shield()
		add("health", "shield", "%d of %d", points, shield)
	}
	if energy > 0 {
		add("health", "energy", "%.1f of %.1f", float64(e.Energy())/1000, float64(energy)/1000)
	}
	if t.Class == rules.ClassResource {
		add("health", "stock", "%d", e.Stock())
	}
	l.sightFields(e, add)
	l.radarFields(e, add)
	l.workFields(e, add)
	for i, n := range t.Weapons {
		target, ready := e.WeaponState(i)
		_, firing := e.Shots(i)
		state := "ready"
		if ready > w.Tick() {
			state = fmt.Sprint("ready at tick ", ready)
		}
		if firing {
			state += ", firing"
		}
		if target != 0 {
			state += fmt.Sprint(", aimed at ", uint32(target))
		}
		add("weapons", w.Rules().Weapons[n].Name, "%s", state)
	}
	if id := e.ChaseTarget(); id != 0 {
		add("weapons", "chases", "%v", id)
	}
	for i, a := range t.Abilities {
		act := w.Action(e, i)
		state := "off"
		if act.On {
			state = fmt.Sprint("on since tick ", act.Since)
		}
		if act.Until != 0 {
			state += fmt.Sprint(", until tick ", act.Until)
		}
		if act.Ready > w.Tick() {
			state += fmt.Sprint(", ready at tick ", act.Ready)
		}
		add("abilities", w.Rules().Abilities[a].Name, "%s; granted: %v", state, act.Grant)
	}
	for i := range e.Effects() {
		x := e.Effect(i)
		until := fmt.Sprint("until tick ", x.Until)
		if duration, _ := w.EffectTicks(x.Kind); duration == 0 {
			until = "for good"
		}
		add("effects", w.Rules().Effects[x.Kind].Name, "since tick %d %s, by %v of slot %d", x.Since, until, x.By, slotNumber(x.Slot))
	}
	return out
}

func (l *Look) sightFields(e *sim.Entity, add func(group, name, format string, args ...any)) {
	t := &l.w.Rules().Types[e.Type()]
	if e.Source() != 0 {
		_, s := l.w.Eyes().Get(e.Source())
		add("sight", "sees", "%.1f tiles", halves(s.Radius))
		if s.Detect > 0 {
			add("sight", "detects", "%.1f tiles", halves(s.Detect))
		}
		if s.Flyer {
			add("sight", "sees over all terrain", "true")
		}
	}
	if e.Cloaked() {
		add("sight", "cloaked", "true")
	}
	if to, until := e.Revealed(); until > l.w.Tick() {
		add("sight", "revealed", "to teams %v until tick %d", teamList(to), until)
	}
	add("sight", "known to", "%s", [...]string{"the teams that see it", "its own team", "all teams"}[t.Relevance])
}

// radarFields says how the radar of other teams that do not see an entity fares with it.
func (l *Look) radarFields(e *sim.Entity, add func(group, name, format string, args ...any)) {
	rs := l.w.Rules()
	if rs.Types[e.Type()].Signature == 0 {
		return
	}
	name := func(e *sim.Entity) string { return fmt.Sprintf("%s %v", rs.Types[e.Type()].Name, e.ID()) }
	add("radar", "signature", "%s", rs.Signatures[rs.Types[e.Type()].Signature-1])
	for t := range grid.Team(l.w.Teams()) {
		if t == e.Team() || e.SeenBy().Has(t) {
			continue
		}
		team := fmt.Sprint("team ", t)
		switch by, jammer, side := l.w.Radar(t, e); {
		case by == nil:
			add("radar", team, "in range of no radar")
		case e.Cloaked():
			add("radar", team, "in range of %s, and cloaked", name(by))
		case side == 0:
			add("radar", team, "in range of %s, and hidden by %s", name(by), name(jammer))
		case side > 1:
			add("radar", team, "found by %s in a block of %d x %d cells, scattered by %s", name(by), side, side, name(jammer))
		default:
			add("radar", team, "found by %s in cell %d,%d", name(by), e.Tile().X/view.ContactCell, e.Tile().Y/view.ContactCell)
		}
	}
}

func (l *Look) workFields(e *sim.Entity, add func(group, name, format string, args ...any)) {
	w := l.w
	if !e.Built() {
		done, total := w.Raised(e)
		add("work", "under construction", "%d of %d ticks", done, total)
	}
	if done, total := w.Captured(e); total > 0 {
		add("work", "capture", "%d of %d ticks", done, total)
	}
	if kind, n := e.Carrying(); n > 0 {
		add("work", "carries", "%d %s", n, w.Rules().Resources[kind])
	}
	if p, ok := w.Production(e); ok {
		for i, typ := range p.Queue {
			state := "waits"
			if i == 0 {
				state = fmt.Sprintf("%d of %d ticks", p.Done, p.Total)
			}
			add("work", fmt.Sprintf("production %d: %s", i+1, w.Rules().Types[typ].Name), "%s", state)
		}
		if p.HasRally {
			add("work", "rally point", "%.2f, %.2f", Tiles(p.Rally.X), Tiles(p.Rally.Y))
		}
	}
}

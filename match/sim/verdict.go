package sim

import (
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// The methods with which match/inspect explains a world to admins. They do not change the
// world. Their results must never reach a player.

// Verdict is how one order was judged. It is valid inside the hook alone.
type Verdict struct {
	Input  *Input
	Result *orders.Result
	Asked  []orders.Question
}

// The world calls VerdictHook with each judged order, in the state of the world in which it
// was judged. It must not touch the world.
type VerdictHook func(Verdict)

// OnVerdict sets the hook; nil removes it. It is no part of the state. The verdicts
// are the same with it and without.
//
// A journal keeps only number and code of a refused order ([Compact]). said, if it is not
// nil, returns the full refused order of this tick, or nil. The world judges such an order
// for the hook alone, at its turn, and calls the hook if that gives the same code.
func (w *World) OnVerdict(h VerdictHook, refused func(s grid.Slot, seq uint32) *Input) {
	w.verdicts, w.refused = h, refused
}

// rejudge tells the hook how an order was judged that was refused.
func (w *World) rejudge(p *player, in *Input) {
	if w.verdicts == nil || w.refused == nil || in.Kind != InputOrderRefused || in.Code == orders.RateLimited || in.Code == orders.Stale {
		return
	}
	if full := w.refused(in.Slot, in.Seq); full != nil {
		if r := orders.Validate(w.judging(), p.slot, min(full.AsOf, w.tick), full.Order, &w.scratch); r.Code == in.Code {
			w.verdicts(Verdict{full, &r, w.witness.Asked})
		}
	}
}

// judging returns whom an order's validation asks.
func (w *World) judging() orders.World {
	if w.verdicts == nil {
		return &w.judge
	}
	w.witness.World = &w.judge
	w.witness.Reset()
	return &w.witness
}

// Fact is one value with its name, in words.
type Fact struct {
	Name  string
	Value string
}

// Facts returns the facts behind a question's answer. Call it inside a [VerdictHook], for
// the player whose order it is.
func (w *World) Facts(s grid.Slot, q *orders.Question) []Fact {
	p := &w.players[s]
	e := w.find(q.Unit)
	switch q.Ask {
	case orders.AskRunning:
		return []Fact{{"running", fmt.Sprint(q.Yes)}}
	case orders.AskAlive:
		return []Fact{{"alive", fmt.Sprint(q.Yes)}}
	case orders.AskUnit:
		return w.unitFacts(s, q, e)
	case orders.AskTarget:
		return w.targetFacts(s, q)
	case orders.AskAbility:
		return w.abilityFacts(q, e)
	case orders.AskTrainable, orders.AskBuildable:
		return w.makeFacts(p, q, e)
	case orders.AskSite:
		t := &w.rules.Types[q.Type]
		foot := footOf(t, q.Point)
		return []Fact{{"type", t.Name}, {"footprint", fmt.Sprintf("%dx%d tiles from %d,%d", t.FootW, t.FootH, foot.X, foot.Y)}, {"free, as far as the team knows", fmt.Sprint(q.Yes)}}
	case orders.AskReachable:
		out := []Fact{{"to", tileText(q.Point.Tile())}, {"way known to the team", fmt.Sprint(q.Yes)}}
		if e != nil {
			out = append(out, Fact{"from", tileText(e.Tile())}, Fact{"moves by", w.rules.Types[e.typ].Move.String()})
		}
		return out
	case orders.AskOnMap:
		return []Fact{{"point", tileText(q.Point.Tile())}, {"map", fmt.Sprintf("%dx%d tiles", w.m.W, w.m.H)}, {"on the map", fmt.Sprint(q.Yes)}}
	case orders.AskCanHit, orders.AskCanHitGround:
		out := []Fact{{"a weapon hits it", fmt.Sprint(q.Yes)}}
		if e != nil {
			for i := range w.rules.Types[e.typ].Weapons {
				out = append(out, Fact{"weapon", w.rules.Weapons[w.WeaponOf(e, i)].Name})
			}
		}
		return out
	case orders.AskCanDo:
		out := []Fact{{"can " + q.Order.String() + " it", fmt.Sprint(q.Yes)}}
		if e != nil && q.Order == orders.Harvest {
			out = append(out, Fact{"carries", fmt.Sprint(w.rules.Types[e.typ].Carry)})
		}
		return out
	case orders.AskCanTarget:
		return []Fact{{"ability", w.abilityName(q.Ability)}, {"may be aimed at it", fmt.Sprint(q.Yes)}}
	}
	return []Fact{{"aim", [...]string{"nothing", "a unit", "a place"}[q.Aim]}}
}

func tileText(t grid.Tile) string { return fmt.Sprintf("tile %d,%d", t.X, t.Y) }

func (w *World) abilityName(a uint8) string {
	if int(a) < len(w.rules.Abilities) {
		return w.rules.Abilities[a].Name
	}
	return fmt.Sprintf("no ability %d", a)
}

func (w *World) unitFacts(s grid.Slot, q *orders.Question, e *Entity) []Fact {
	if !q.Yes || e == nil {
		return []Fact{{"handle", fmt.Sprint(q.Handle)}, {"names a unit in sight, now and in the frame that the client had", "false"}}
	}
	out := []Fact{{"type", w.rules.Types[e.typ].Name}, {"owner", slotText(q.Row.Owner)}}
	if q.Row.Owner != s {
		return out
	}
	kinds := ""
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		if q.Row.Kinds.Has(k) {
			kinds += ", " + k.String()
		}
	}
	out = append(out, Fact{"can be asked to", kinds[min(len(kinds), 2):]}, Fact{"orders in its queue", fmt.Sprintf("%d of %d", q.Row.QueueLen, orders.QueueMax)})
	if len(w.rules.Types[e.typ].Trains) > 0 {
		out = append(out, Fact{"in production", fmt.Sprintf("%d of %d", len(e.maker.queue), trainQueueMax)})
	}
	return out
}

func slotText(s grid.Slot) string {
	if s == grid.NoSlot {
		return "nobody"
	}
	return fmt.Sprint("slot ", s)
}

func (w *World) targetFacts(s grid.Slot, q *orders.Question) []Fact {
	out := []Fact{{"handle", fmt.Sprint(q.Handle)}, {"known to the team, now and in the frame that the client had", fmt.Sprint(q.Yes)}}
	if !q.Yes || int(q.Target.Type) >= len(w.rules.Types) {
		return out
	}
	out = append(out, Fact{"type", w.rules.Types[q.Target.Type].Name}, Fact{"relation", [...]string{"own", "ally", "enemy", "nobody's"}[q.Target.Relation]})
	if q.Target.Ghost {
		out = append(out, Fact{"remembered, not in sight", "true"})
	}
	if q.Target.Unbuilt {
		out = append(out, Fact{"under construction", "true"})
	}
	return out
}

var grantNames = [...]string{
	GrantedByType: "by its type", GrantedByNeeds: "its player has what it needs", GrantedToUnit: "to this unit alone",
	LacksNeeds: "no: its player lacks what it needs", DeniedToUnit: "no: denied to this unit", UnderConstruction: "no: under construction",
}

func (g Grant) String() string { return grantNames[g] }

func (w *World) abilityFacts(q *orders.Question, e *Entity) []Fact {
	out := []Fact{{"ability", w.abilityName(q.Ability)}}
	i := -1
	if e != nil {
		i = w.abilityAt(e, q.Ability)
	}
	if i < 0 {
		return append(out, Fact{"granted", "no: its type does not have it"})
	}
	s, def := &e.acts[i], &w.rules.Abilities[q.Ability]
	out = append(out, Fact{"granted", w.grantOf(e, i).String()}, Fact{"energy", fmt.Sprintf("%s of %s that it costs", thousandths(e.energy), thousandths(def.Energy))})
	if s.on {
		out = append(out, Fact{"runs since", fmt.Sprint("tick ", s.start)})
	}
	if s.ready > w.tick {
		out = append(out, Fact{"ready", fmt.Sprint("tick ", s.ready)})
	}
	return out
}

func thousandths(n int32) string {
	if n%1000 == 0 {
		return fmt.Sprint(n / 1000)
	}
	return fmt.Sprintf("%d.%03d", n/1000, n%1000)
}

// makeFacts holds the facts that [World.canMake] checks.
func (w *World) makeFacts(p *player, q *orders.Question, e *Entity) []Fact {
	if int(q.Type) >= len(w.rules.Types) {
		return []Fact{{"type", fmt.Sprintf("no type %d", q.Type)}}
	}
	t := &w.rules.Types[q.Type]
	out := []Fact{{"type", t.Name}}
	if e != nil {
		of := &w.rules.Types[e.typ]
		out = append(out, Fact{"on the list of " + of.Name, fmt.Sprint(slices.Contains(of.Trains, q.Type) || slices.Contains(of.Builds, q.Type))})
	}
	if f := p.faction; f > 0 {
		out = append(out, Fact{"made by " + w.rules.Factions[f-1].Name, fmt.Sprint(w.rules.Makes(f, q.Type))})
	}
	for _, need := range t.Needs {
		out = append(out, Fact{"needs " + w.rules.Types[need].Name, fmt.Sprintf("the player has finished %d", p.counts[need])})
	}
	for i, cost := range t.Cost {
		if cost > 0 && i < len(w.rules.Resources) {
			out = append(out, Fact{w.rules.Resources[i], fmt.Sprintf("%d of %d that it costs", p.stock[i], cost)})
		}
	}
	if t.Pop > 0 {
		out = append(out, Fact{"population", fmt.Sprintf("%d and %d more, at most %d", p.pop, t.Pop, w.popLimit(p))})
	}
	return out
}

// Source returns the entity's eye in the masks; 0: no eye.
func (e *Entity) Source() visibility.SourceID { return e.source }

// Revealed returns until when the entity's tile is shown to teams that it fired at,
// and to which.
func (e *Entity) Revealed() (to grid.TeamSet, until grid.Tick) { return e.revealedTo, e.revealed }

// ChaseTarget returns the foe that the entity walks to; 0: no foe.
func (e *Entity) ChaseTarget() grid.EntityID { return e.chaseTarget }

// WeaponState returns the aim of weapon i of its type, and when it can fire again.
func (e *Entity) WeaponState(i int) (target grid.EntityID, ready grid.Tick) {
	return e.arms[i].target, e.arms[i].ready
}

// Going returns where a unit is on its way to.
func (e *Entity) Going() (goal grid.Pos, ok bool) { return e.mv.goal, e.mv.going }

// Born returns when the entity was made.
func (e *Entity) Born() grid.Tick { return e.birth }

// FootSize returns the footprint of a type in tiles, 1 by 1 for a type without one.
func (w *World) FootSize(typ uint16) (width, height int) {
	t := &w.rules.Types[typ]
	return max(1, int(t.FootW)), max(1, int(t.FootH))
}

// Of returns the entity of a ghost; it may be gone.
func (g *Ghost) Of() grid.EntityID { return g.id }

// Remembered returns the ghost that the team has of an entity.
func (k *Knowledge) Remembered(e *Entity) (Ghost, bool) {
	if h := e.handles[k.team]; h != 0 && k.names[h-1].ghost {
		return k.Ghost(h)
	}
	return Ghost{}, false
}

// SeenSince returns the team's name for an entity in its sight, and since when it is
// in sight.
func (k *Knowledge) SeenSince(e *Entity) (h grid.Handle, since grid.Tick, ok bool) {
	if h, ok = k.HandleOf(e); ok {
		since = k.names[h-1].Entered
	}
	return h, since, ok
}

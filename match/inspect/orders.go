package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// Order is one order of the order log.
type Order struct {
	N          uint32      `json:"n" doc:"the number of the order in the match, from 1, in the order in which they were judged"`
	Tick       uint32      `json:"tick" doc:"in which it was judged and answered"`
	Acts       uint32      `json:"acts,omitempty" doc:"in which it acted; of an accepted order"`
	Slot       int         `json:"slot"`
	Seq        uint32      `json:"seq" doc:"the client's own number"`
	Again      bool        `json:"again" doc:"the server had answered this number before: it repeated the answer and did not act"`
	Recorded   bool        `json:"recorded" doc:"false: only number and answer are known: a journal keeps just these of a refused order, and the match's notes do not have the order"`
	Kind       string      `json:"kind,omitempty"`
	Queued     bool        `json:"queued,omitempty"`
	AsOf       uint32      `json:"asOf,omitempty" doc:"the tick of the last frame that the client had applied: it gives its handles their meaning"`
	Units      []uint32    `json:"units" doc:"entities that were asked and that the team knew, 200 at most"`
	UnitCount  int         `json:"unitCount" doc:"handles that the order names"`
	Target     uint32      `json:"target,omitempty" doc:"an entity's id"`
	TargetType string      `json:"targetType,omitempty"`
	Type       string      `json:"type,omitempty" doc:"type to build or train"`
	Ability    string      `json:"ability,omitempty"`
	X          *float64    `json:"x,omitempty" doc:"tiles"`
	Y          *float64    `json:"y,omitempty" doc:"tiles"`
	Code       string      `json:"code" doc:"the answer"`
	Why        string      `json:"why" doc:"the meaning of the code"`
	Rule       string      `json:"rule" doc:"the check that decided, in words"`
	Values     []Value     `json:"values" doc:"the values that the rules read, in this order"`
	Left       []LeftOut   `json:"left" doc:"of an accepted order: units that do not take part"`
	Later      []LaterNews `json:"later" doc:"how the accepted order went wrong later, as far as the ticks that were read"`
}

// Value is one value that was looked at.
type Value struct {
	Unit  int    `json:"unit" doc:"the place in the order's list of the unit that it is about; -1: the order as a whole"`
	ID    uint32 `json:"id,omitempty" doc:"that unit"`
	Asked string `json:"asked" doc:"the question"`
	Name  string `json:"name"`
	Value string `json:"value"`
	No    bool   `json:"no" doc:"the answer speaks against the order"`
}

// LeftOut is a unit that does not take part.
type LeftOut struct {
	Handle uint32 `json:"handle"`
	ID     uint32 `json:"id,omitempty"`
	Code   string `json:"code"`
}

// LaterNews is later news for its player about an accepted order.
type LaterNews struct {
	Tick uint32 `json:"tick"`
	Code string `json:"code"`
	Unit uint32 `json:"unit"`
}

// Bounds of one row of the log.
const (
	unitsShown  = 200
	valuesShown = 60
)

// judging collects the verdicts of one tick.
type judging struct {
	world  *sim.World
	judged []judgedOrder
}

// judgedOrder is the verdict on one order.
type judgedOrder struct {
	slot   grid.Slot
	seq    uint32
	row    Order
	handle map[grid.Handle]grid.EntityID
}

// Judge returns the orders among the inputs of a tick, which step plays in the world, and how they were judged. number
// is the number of the last order before. refused, if not nil, returns the content of a refused order of the tick, see
// [sim.World.OnVerdict].
func Judge(w *sim.World, inputs []sim.Input, number uint32, refused func(s grid.Slot, seq uint32) *sim.Input, step func() (sim.Outcome, error)) ([]Order, error) {
	l := judging{world: w}
	w.OnVerdict(l.heard, refused)
	defer w.OnVerdict(nil, nil)
	out, err := step()
	if err != nil {
		return nil, err
	}
	return l.rows(inputs, &out, number), nil
}

// emptyOrder has empty lists: JSON would write missing ones as null.
func emptyOrder() Order {
	return Order{Units: []uint32{}, Values: []Value{}, Left: []LeftOut{}, Later: []LaterNews{}}
}

// heard notes a verdict, while the world is as it was judged.
func (l *judging) heard(v sim.Verdict) {
	in := v.Input
	o, rs := &in.Order, l.world.Rules()
	j := judgedOrder{slot: in.Slot, seq: in.Seq, row: emptyOrder(), handle: map[grid.Handle]grid.EntityID{}}
	row := &j.row
	row.Recorded, row.Kind, row.Queued, row.AsOf, row.UnitCount = true, o.Kind.String(), o.Queued, uint32(in.AsOf), len(o.Units)
	if o.HasPoint {
		x, y := Tiles(o.Point.X), Tiles(o.Point.Y)
		row.X, row.Y = &x, &y
	}
	switch o.Kind.Form().Number {
	case orders.TypeNumber:
		row.Type = fmt.Sprint("no type ", o.Type)
		if int(o.Type) < len(rs.Types) {
			row.Type = rs.Types[o.Type].Name
		}
	case orders.AbilityNumber:
		row.Ability = fmt.Sprint("no ability ", o.Ability)
		if int(o.Ability) < len(rs.Abilities) {
			row.Ability = rs.Abilities[o.Ability].Name
		}
	}
	for i := range v.Asked {
		q := &v.Asked[i]
		switch {
		case q.Ask == orders.AskUnit && q.Yes:
			j.handle[q.Handle] = q.Unit
			if len(row.Units) < unitsShown {
				row.Units = append(row.Units, uint32(q.Unit))
			}
		case q.Ask == orders.AskTarget && q.Yes:
			row.TargetType, row.Target = rs.Types[q.Target.Type].Name, uint32(q.Target.ID)
			if k := l.world.Knowledge(l.world.Player(in.Slot).Team); q.Target.Ghost {
				g, _ := k.Ghost(q.Handle)
				row.Target = uint32(g.Of())
			}
		}
	}
	l.values(row, &v)
	row.Rule = ruleOf(&v)
	l.judged = append(l.judged, j)
}

// values lists the values read: all about the order as a whole, about the unit that decided, and about the first units.
func (l *judging) values(row *Order, v *sim.Verdict) {
	decided := decidedBy(v)
	for i := range v.Asked {
		q := &v.Asked[i]
		if q.Ask == orders.AskAim || q.At > 3 && i != decided {
			continue
		}
		for _, f := range l.world.Facts(v.Input.Slot, q) {
			if len(row.Values) >= valuesShown && i != decided {
				break
			}
			row.Values = append(row.Values, Value{Unit: q.At, ID: uint32(q.Unit), Asked: q.Ask.String(), Name: f.Name, Value: f.Value, No: q.Refused})
		}
	}
}

// decidedBy returns the question whose answer decided about the order: of a refused one
// the last that was asked about its first unit. -1: it was decided without a question.
func decidedBy(v *sim.Verdict) int {
	last := -1
	for i := range v.Asked {
		if v.Result.Code == orders.OK || v.Asked[i].At <= 0 {
			last = i
		}
	}
	return last
}

// ruleOf says which check decided.
func ruleOf(v *sim.Verdict) string {
	code := v.Result.Code
	row := orders.Table[code]
	if code == orders.OK {
		if n := len(v.Result.Left); n > 0 {
			return fmt.Sprintf("no check is against it for %d of its units; %d are left out", len(v.Result.Units), n)
		}
		return "no check is against it"
	}
	rule := fmt.Sprintf("check %d of %d: %s", code, len(orders.Table)-1, row.Why)
	if i := decidedBy(v); i >= 0 && v.Asked[i].At >= 0 {
		rule += fmt.Sprintf(" (decided by what was asked about the order's first unit: %s)", strings.ReplaceAll(v.Asked[i].Ask.String(), "-", " "))
	}
	return rule
}

// rows returns the orders among the inputs, as the journal has them, with the outcome of the step.
func (l *judging) rows(inputs []sim.Input, out *sim.Outcome, number uint32) (rows []Order) {
	answers := out.Answers
	for i := range inputs {
		in := &inputs[i]
		if !in.Kind.Answered() || int(in.Slot) >= l.world.Players() || len(answers) == 0 {
			continue
		}
		a := &answers[0]
		answers = answers[1:]
		if in.Kind != sim.InputOrder && in.Kind != sim.InputOrderRefused {
			continue
		}
		number++
		row := emptyOrder()
		if j := slices.IndexFunc(l.judged, func(j judgedOrder) bool { return j.slot == in.Slot && j.seq == in.Seq }); j >= 0 {
			row = l.judged[j].row
			for _, left := range a.Left {
				row.Left = append(row.Left, LeftOut{uint32(left.Unit), uint32(l.judged[j].handle[left.Unit]), left.Code.String()})
			}
		}
		row.N, row.Tick, row.Slot, row.Seq, row.Again, row.Acts = number, uint32(out.Tick), int(in.Slot), in.Seq, a.Again, uint32(a.Acts)
		row.Code, row.Why = a.Code.String(), orders.Table[a.Code].Why
		if row.Rule == "" {
			row.Rule = fmt.Sprintf("check %d of %d: %s", a.Code, len(orders.Table)-1, row.Why)
		}
		if a.Again {
			row.Rule = "its number was answered before: the same answer again"
		}
		rows = append(rows, row)
	}
	return rows
}

// CountOrders returns how many orders of the log a tick's inputs have.
func CountOrders(inputs []sim.Input, players int) (n uint32) {
	for i := range inputs {
		in := &inputs[i]
		if (in.Kind == sim.InputOrder || in.Kind == sim.InputOrderRefused) && int(in.Slot) < players {
			n++
		}
	}
	return n
}

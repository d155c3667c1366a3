package orders

import "github.com/fogkeep/fogkeep/match/grid"

// Ask is a question of [World].
type Ask uint8

// The questions.
const (
	AskRunning Ask = iota
	AskAlive
	AskUnit
	AskTarget
	AskAbility
	AskAim
	AskCanTarget
	AskTrainable
	AskBuildable
	AskSite
	AskCanHit
	AskCanHitGround
	AskCanDo
	AskOnMap
	AskReachable
	asksEnd
)

var askNames = [asksEnd]string{
	"running", "alive", "unit", "target", "ability", "aim", "can-target", "trainable", "buildable", "site", "can-hit",
	"can-hit-ground", "can-do", "on-map", "reachable",
}

func (a Ask) String() string { return askNames[a] }

// Question is one question that [Validate] asked, and its answer. The fields that
// the question does not have are zero.
type Question struct {
	Ask     Ask
	At      int // the place in the order's list of the unit that was judged; -1: the order as a whole
	Handle  grid.Handle
	Unit    grid.EntityID
	Type    uint16
	Ability uint8
	Order   Kind // of AskCanDo
	Point   grid.Pos

	Yes     bool // the answer of a question for yes or no; of AskUnit and AskTarget: the team knows it
	Code    Reject
	Row     Unit       // of AskUnit
	Target  Target     // for AskTarget, and the subject of other questions
	Grants  Ability    // of AskAbility
	Aim     TargetMode // of AskAim
	Refused bool       // the answer speaks against the order, or against this unit
}

// QuestionsMax bounds the questions that a [Witness] keeps for one order.
const QuestionsMax = 4096

// Witness is a [World] that passes each question on to another World and keeps it with its
// answer. Validation with a witness gives the same verdict; the last question about a unit
// decided about it.
type Witness struct {
	World World
	Asked []Question // of the last order: the caller empties it
	at    int        // of the unit that is judged
}

var _ World = (*Witness)(nil)

// Reset forgets the questions, and goes on with the questions of another order.
func (w *Witness) Reset() { w.Asked, w.at = w.Asked[:0], -1 }

func (w *Witness) note(q Question) {
	if q.At = w.at; len(w.Asked) < QuestionsMax {
		w.Asked = append(w.Asked, q)
	}
}

// yes keeps a question for yes or no. The answer no speaks against the order.
func (w *Witness) yes(q Question, yes bool) bool {
	q.Yes, q.Refused = yes, !yes
	w.note(q)
	return yes
}

// verdict keeps a question whose answer is a code.
func (w *Witness) verdict(q Question, code Reject) Reject {
	q.Code = code
	w.yes(q, code == OK)
	return code
}

// Running implements [World].
func (w *Witness) Running() bool {
	return w.yes(Question{Ask: AskRunning}, w.World.Running())
}

// Alive implements [World].
func (w *Witness) Alive(s grid.Slot) bool {
	return w.yes(Question{Ask: AskAlive}, w.World.Alive(s))
}

// Unit implements [World]. Each call begins the judgement of the order's next unit.
func (w *Witness) Unit(s grid.Slot, h grid.Handle, asOf grid.Tick) (Unit, bool) {
	w.at++
	u, ok := w.World.Unit(s, h, asOf)
	w.note(Question{Ask: AskUnit, Handle: h, Unit: u.ID, Row: u, Yes: ok, Refused: !ok || u.Owner != s})
	return u, ok
}

// Target implements [World].
func (w *Witness) Target(s grid.Slot, h grid.Handle, asOf grid.Tick) (Target, bool) {
	t, ok := w.World.Target(s, h, asOf)
	w.note(Question{Ask: AskTarget, Handle: h, Target: t, Type: t.Type, Yes: ok, Refused: !ok})
	return t, ok
}

// Ability implements [World].
func (w *Witness) Ability(u grid.EntityID, a uint8) Ability {
	g := w.World.Ability(u, a)
	w.note(Question{Ask: AskAbility, Unit: u, Ability: a, Grants: g, Yes: g.Granted, Refused: !g.Granted || !g.Ready || !g.Affordable})
	return g
}

// Aim implements [World].
func (w *Witness) Aim(a uint8) TargetMode {
	mode := w.World.Aim(a)
	w.note(Question{Ask: AskAim, Ability: a, Aim: mode})
	return mode
}

// CanTarget implements [World].
func (w *Witness) CanTarget(u grid.EntityID, a uint8, t Target) bool {
	return w.yes(Question{Ask: AskCanTarget, Unit: u, Ability: a, Target: t, Type: t.Type}, w.World.CanTarget(u, a, t))
}

// Trainable implements [World].
func (w *Witness) Trainable(u grid.EntityID, typ uint16) Reject {
	return w.verdict(Question{Ask: AskTrainable, Unit: u, Type: typ}, w.World.Trainable(u, typ))
}

// Buildable implements [World].
func (w *Witness) Buildable(u grid.EntityID, typ uint16) Reject {
	return w.verdict(Question{Ask: AskBuildable, Unit: u, Type: typ}, w.World.Buildable(u, typ))
}

// Site implements [World].
func (w *Witness) Site(s grid.Slot, typ uint16, p grid.Pos) bool {
	return w.yes(Question{Ask: AskSite, Type: typ, Point: p}, w.World.Site(s, typ, p))
}

// CanHit implements [World].
func (w *Witness) CanHit(u grid.EntityID, t Target) bool {
	return w.yes(Question{Ask: AskCanHit, Unit: u, Target: t, Type: t.Type}, w.World.CanHit(u, t))
}

// CanHitGround implements [World].
func (w *Witness) CanHitGround(u grid.EntityID) bool {
	return w.yes(Question{Ask: AskCanHitGround, Unit: u}, w.World.CanHitGround(u))
}

// CanDo implements [World].
func (w *Witness) CanDo(u grid.EntityID, k Kind, t Target) bool {
	return w.yes(Question{Ask: AskCanDo, Unit: u, Order: k, Target: t, Type: t.Type}, w.World.CanDo(u, k, t))
}

// OnMap implements [World].
func (w *Witness) OnMap(p grid.Pos) bool {
	return w.yes(Question{Ask: AskOnMap, Point: p}, w.World.OnMap(p))
}

// Reachable implements [World].
func (w *Witness) Reachable(u grid.EntityID, p grid.Pos) bool {
	return w.yes(Question{Ask: AskReachable, Unit: u, Point: p}, w.World.Reachable(u, p))
}

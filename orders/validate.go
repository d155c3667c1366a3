package orders

import "github.com/fogkeep/fogkeep/match/grid"

// LeftOut is a unit of an accepted order that does not take part, and why.
type LeftOut struct {
	Unit grid.Handle
	Code Reject
}

// Result is the verdict on one order. Its slices belong to the caller's
// [Scratch].
type Result struct {
	Code  Reject          // OK if any unit takes part (or the order needs no units), else the first unit's code
	Units []grid.EntityID // the units that take part, in the order named, each once
	At    []uint16        // the place of each of Units in the order's own list
	Left  []LeftOut       // the units that do not, LeftMax at most; empty unless Code is OK
	Kind  Kind            // the resulting kind: an attack on a ghost is an attack on its ground
	// Target is the entity meant, 0 for no entity.
	Target grid.EntityID
	// Point is where HasPoint. A place to harvest or to rally at has its own.
	HasPoint bool
	Point    grid.Pos
}

// Scratch is memory that [Validate] reuses between calls.
type Scratch struct {
	units []grid.EntityID
	at    []uint16
	left  []LeftOut
}

// Validate judges an order of the player in slot s against the knowledge of the player's
// team. asOf is the tick of the last frame the client had applied. The checks follow the
// order of [Table], from NotRunning on; Stale and RateLimited belong to the caller, who
// keeps the answers and counts the orders.
func Validate(w World, s grid.Slot, asOf grid.Tick, o Order, scratch *Scratch) Result {
	r := Result{Kind: o.Kind, HasPoint: o.HasPoint, Point: o.Point}
	switch {
	case !w.Running():
		r.Code = NotRunning
	case !w.Alive(s):
		r.Code = NotAlive
	case !wellFormed(o):
		r.Code = Malformed
	}
	if r.Code != OK || o.Kind == Surrender {
		return r
	}
	aim := aimOf(w, s, asOf, o)
	r.Target = aim.target.ID
	switch {
	case aim.ghost && o.Kind == Attack:
		r.Kind, r.HasPoint, r.Point = AttackGround, true, aim.target.At
	case aim.known && (o.Kind == Harvest || o.Kind == SetRally):
		r.HasPoint, r.Point = true, aim.target.At
	}
	units, at, left := scratch.units[:0], scratch.at[:0], scratch.left[:0]
	for i, h := range o.Units {
		u, ok := w.Unit(s, h, asOf)
		code := UnknownUnit
		if ok {
			code = checkUnit(w, s, u, o, aim)
		}
		if code == OK {
			units, at = append(units, u.ID), append(at, uint16(i))
		} else if len(left) < LeftMax {
			left = append(left, LeftOut{h, code})
		}
	}
	scratch.units, scratch.at, scratch.left = units, at, left
	if len(units) == 0 {
		r.Code = left[0].Code
		return r
	}
	r.Units, r.At = dedup(units, at)
	r.Left = left
	return r
}

// wellFormed reports whether the order has the parts its kind needs. The wire bounds shapes
// before; this check holds for orders from anywhere.
func wellFormed(o Order) bool {
	if o.Kind == None || o.Kind >= kindEnd || len(o.Units) > UnitsMax {
		return false
	}
	f := &Forms[o.Kind]
	units, point, target := len(o.Units) > 0, o.HasPoint, o.Target != 0
	return f.Units.meets(units) && f.Point.meets(point) && f.Target.meets(target) && (f.Point != OneOf || point || target)
}

// aim is the order's other end, looked up once for all its units. Orders of kinds without a
// target name no target, even if the client wrote one.
type aim struct {
	named  bool // the order names a target
	known  bool // the team knows it: in sight, or a ghost
	ghost  bool
	target Target
}

func aimOf(w World, s grid.Slot, asOf grid.Tick, o Order) aim {
	switch need := Forms[o.Kind].Target; {
	case o.Target == 0, need == Ignored, need == Forbidden, need == Optional && w.Aim(o.Ability) != AimUnit:
		return aim{}
	}
	t, ok := w.Target(s, o.Target, asOf)
	return aim{named: true, known: ok, ghost: ok && t.Ghost, target: t}
}

// checkUnit runs the checks of one unit, in the order of [Table].
func checkUnit(w World, s grid.Slot, u Unit, o Order, a aim) Reject {
	switch {
	case u.Owner != s:
		return NotYours
	case !u.Kinds.Has(o.Kind):
		return Unable
	case o.Kind == Train && u.TrainFull:
		return QueueFull
	case o.Queued && u.QueueLen >= QueueMax:
		return QueueFull
	}
	f := &Forms[o.Kind]
	if a.named && !a.known && f.Target != Optional { // one the team never saw and one it lost sight of are the same
		return TargetLost
	}
	switch o.Kind {
	case Train:
		return w.Trainable(u.ID, o.Type)
	case Fire:
		if o.Item >= FireModes || u.Fires>>o.Item&1 == 0 {
			return BadTarget
		}
	case UseAbility, StopAbility:
		return checkAbility(w, u, o, a)
	case AttackGround:
		if !w.CanHitGround(u.ID) {
			return BadTarget
		}
	case Attack:
		if a.target.ID == u.ID && !a.ghost || !w.CanHit(u.ID, a.target) || a.ghost && !w.CanHitGround(u.ID) {
			return BadTarget
		}
	case Follow:
		switch {
		case a.target.Relation == Neutral || a.target.ID == u.ID && !a.ghost:
			return BadTarget
		case a.ghost: // a follower loses it as it goes out of sight
			return TargetLost
		}
	case Repair, Board:
		if a.ghost || a.target.ID == u.ID || !w.CanDo(u.ID, o.Kind, a.target) {
			return BadTarget
		}
	case Harvest:
		if a.named && !w.CanDo(u.ID, Harvest, a.target) {
			return BadTarget
		}
	case Build:
		if a.named { // go on with a structure that stands unfinished
			if a.ghost || !a.target.Unbuilt || a.target.Relation != Own {
				return BadTarget
			}
		} else if code := w.Buildable(u.ID, o.Type); code != OK {
			return code
		}
	}
	at := o.Point
	switch {
	case a.named && f.Target == OneOf:
		at = a.target.At
	case !o.HasPoint:
		return OK
	case !w.OnMap(at):
		return OffMap
	case o.Kind == Build && !w.Site(s, o.Type, at):
		return BadSite
	}
	if f.Reach && !w.Reachable(u.ID, at) {
		return Unreachable
	}
	return OK
}

func checkAbility(w World, u Unit, o Order, a aim) Reject {
	st := w.Ability(u.ID, o.Ability)
	switch {
	case !st.Granted:
		return NotGranted
	case o.Kind == StopAbility && !st.Lasting:
		return BadTarget
	case o.Kind == StopAbility:
		return OK
	case !st.Ready:
		return CoolingDown
	case !st.Affordable:
		return Unaffordable
	}
	switch mode := w.Aim(o.Ability); {
	case mode == AimUnit && !a.named, mode == AimGround && !o.HasPoint:
		return BadTarget
	case mode == AimUnit && (!a.known || a.ghost):
		return TargetLost
	case mode == AimUnit && !w.CanTarget(u.ID, o.Ability, a.target):
		return BadTarget
	case mode == AimGround && !w.OnMap(o.Point):
		return OffMap
	}
	return OK
}

// dedup drops repeats, keeping the first of each; a unit named twice does a
// thing once. Lists of handles are almost always sorted, so the common case is
// one pass.
func dedup(ids []grid.EntityID, at []uint16) ([]grid.EntityID, []uint16) {
	sorted := true
	for i := 1; i < len(ids) && sorted; i++ {
		sorted = ids[i-1] < ids[i]
	}
	if sorted {
		return ids, at
	}
	seen := make(map[grid.EntityID]struct{}, len(ids))
	kept := 0
	for i, id := range ids {
		if _, again := seen[id]; !again {
			seen[id] = struct{}{}
			ids[kept], at[kept] = id, at[i]
			kept++
		}
	}
	return ids[:kept], at[:kept]
}

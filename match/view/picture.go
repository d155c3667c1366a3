package view

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/visibility"
)

// Picture is a match at one tick for admins: the inspector and minimaps show it. It may show
// everything, so it is a type that no player's encoder takes.
type Picture struct {
	Tick     grid.Tick
	Visible  []bool // one a tile, row by row; nil in a whole picture
	Explored []bool
	Things   []Thing
}

// Thing is one entity of a [Picture].
type Thing struct {
	Key    uint32 // the entity's id in a whole picture, else the team's handle
	Type   string
	Class  rules.Class
	Ghost  bool      // remembered, not seen
	Slot   grid.Slot // [grid.NoSlot]: neutral
	Team   grid.Team // [grid.NoTeam]: neutral
	Pos    grid.Pos
	Facing grid.Facing
	Health int32
	Full   int32        // health of a whole one
	Size   uint8        // tiles a structure is wide
	Doing  string       // the order in work, "" without one; in a whole picture
	Seen   grid.TeamSet // teams that see it; in a whole picture
}

// WholePicture returns all that is in a world.
func WholePicture(w *sim.World) *Picture {
	p := &Picture{Tick: w.Tick()}
	for _, e := range w.Entities() {
		p.Things = append(p.Things, ThingOf(w, e))
	}
	return p
}

// ThingOf returns one entity as a whole picture has it.
func ThingOf(w *sim.World, e *sim.Entity) Thing {
	t := &w.Rules().Types[e.Type()]
	hp, _ := e.Health()
	full, _, _ := w.Most(e)
	th := Thing{
		Key: uint32(e.ID()), Type: t.Name, Class: t.Class, Slot: e.Slot(), Team: e.Team(), Pos: e.Pos(), Facing: e.Facing(),
		Health: hp, Full: full, Size: uint8(t.FootW), Seen: e.SeenBy(),
	}
	if task, busy := e.Running(); busy {
		th.Doing = task.Kind.String()
	}
	return th
}

// TeamPicture returns the state that a team's clients may know, as a [Builder] builds it, and the team's masks.
func TeamPicture(w *sim.World, team grid.Team) *Picture {
	p := &Picture{Tick: w.Tick()}
	eyes := w.Eyes()
	p.Visible, p.Explored = bools(eyes.Mask(visibility.VisibleNow, team)), bools(eyes.Mask(visibility.ExploredEver, team))
	var v View
	NewBuilder(team).Build(w, &v)
	act := activityReader{v.Actions, v.Effects}
	for _, u := range v.Units {
		var sum rules.Sum
		_, effects := act.of(u.Handle)
		for _, x := range effects {
			for _, c := range w.EffectChanges(x.Kind) {
				if c.Attribute == rules.AttributeHealth {
					sum.Take(&c, 1)
				}
			}
		}
		full := max(1, sum.Of(rules.AttributeHealth, w.Rules().Types[u.Type].Health))
		p.add(w, Thing{Key: uint32(u.Handle), Slot: u.Owner, Pos: u.Pos, Facing: u.Facing, Full: full}, u.Type, int32(u.Values[ValueHealth]))
	}
	for _, g := range v.Ghosts {
		p.add(w, Thing{Key: uint32(g.Handle), Ghost: true, Slot: g.Owner, Pos: g.Pos, Facing: g.Facing, Full: w.Rules().Types[g.Type].Health}, g.Type, g.Missing)
	}
	return p
}

func (p *Picture) add(w *sim.World, th Thing, typ uint16, missing int32) {
	t := &w.Rules().Types[typ]
	th.Type, th.Class, th.Health, th.Size = t.Name, t.Class, th.Full-missing, uint8(t.FootW)
	th.Team = grid.NoTeam
	if int(th.Slot) < w.Players() {
		th.Team = w.Player(th.Slot).Team
	}
	p.Things = append(p.Things, th)
}

func bools(mask visibility.Mask) []bool {
	w, h := mask.Size()
	out := make([]bool, 0, w*h)
	for y := range h {
		for x := range w {
			out = append(out, mask.Has(grid.Tile{X: int16(x), Y: int16(y)}))
		}
	}
	return out
}

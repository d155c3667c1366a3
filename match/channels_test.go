package match

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/sim/simtest"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility/obvious"
)

// The declared channels: the only ways in which facts unknown to a team may come to
// change its messages. The list is closed.
//
// A channel's content is written down tick by tick, by the witness below, which
// asks the world about every eye and every body and shares no code with
// match/view, match/sim's own sight or the engine of masks. Two runs may differ
// for the team from the tick on in which the contents of a channel differ, and
// not before.
const (
	// channelSight: the things in sight, detection counted, their visible actions, and
	// the events on ground in sight.
	channelSight = iota
	// channelContact: bodies that the team does not see and that its own may
	// touch, or find in their way at a door.
	channelContact
	// channelHit: its own were hurt, and shooters were revealed by that.
	channelHit
	// channelArrival: the unseen things on a site that a builder has come to.
	channelArrival
	// channelDefeat: a player is out, or left.
	channelDefeat
	// channelHearing: class and cell of the sounds that its own are near enough to hear, from
	// sources that it does not see.
	channelHearing
	// channelRadar: class and cell, or block of cells, of the things that its radar finds and
	// that it does not see.
	channelRadar
	// channelEnd: the match is over.
	channelEnd
	channels
)

var channelNames = [channels]string{"sight", "contact", "hit", "arrival", "defeat", "hearing", "radar", "end"}

// witness returns the content of one team's channels.
type witness struct {
	team  grid.Team
	rules *rules.Ruleset
	m     *grid.Map
	field *obvious.Field
	eyes  []obvious.Source
	rows  [][]byte
	// Entities that were cloaked and undetected as the last tick ended.
	cloaked map[grid.EntityID]bool
}

func newWitness(setup *sim.Setup, team grid.Team) *witness {
	return &witness{team: team, rules: setup.Rules, m: setup.Map, field: obvious.NewField(setup.Map), cloaked: map[grid.EntityID]bool{}}
}

// open gathers the team's eyes as they are now.
func (o *witness) open(w *sim.World) { o.eyes = simtest.Eyes(w, o.team) }

func (o *witness) lit(t grid.Tile) bool {
	return o.m.In(t) && slices.ContainsFunc(o.eyes, func(s obvious.Source) bool {
		return o.field.Sees(s, s.Radius, int(t.X), int(t.Y))
	})
}

// dark reports whether no tile within r of t is in sight.
func (o *witness) dark(t grid.Tile, r int16) bool {
	for y := t.Y - r; y <= t.Y+r; y++ {
		for x := t.X - r; x <= t.X+r; x++ {
			if o.lit(grid.Tile{X: x, Y: y}) {
				return false
			}
		}
	}
	return true
}

// high reports whether e stands on high ground.
func (o *witness) high(e *sim.Entity) bool { return o.m.Level(e.Tile()) > 0 }

// sees reports whether the open eyes see e.
func (o *witness) sees(e *sim.Entity) bool {
	ty := &o.rules.Types[e.Type()]
	switch {
	case e.Team() == o.team || ty.Relevance == rules.RelevantAlways:
		return true
	case ty.Relevance == rules.RelevantToOwner:
		return false
	case e.Cloaked():
		return o.lit(e.Tile()) && slices.ContainsFunc(o.eyes, func(s obvious.Source) bool {
			return s.Detect > 0 && o.field.Sees(s, s.Detect, int(e.Tile().X), int(e.Tile().Y))
		})
	case e.Class() == rules.ClassStructure:
		for dy := range int16(ty.FootH) {
			for dx := range int16(ty.FootW) {
				if o.lit(grid.Tile{X: e.Foot().X + dx, Y: e.Foot().Y + dy}) {
					return true
				}
			}
		}
		return false
	}
	return o.lit(e.Tile())
}

// numbers appends integers in a form in which rows compare.
func numbers(b []byte, ns ...int64) []byte {
	for _, n := range ns {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// set joins rows without telling in what order they were made.
func (o *witness) set() []byte {
	slices.SortFunc(o.rows, bytes.Compare)
	out := bytes.Join(o.rows, []byte{'|'})
	o.rows = o.rows[:0]
	return out
}

// looks is the visible part of an entity in sight.
func (o *witness) looks(w *sim.World, e *sim.Entity) []byte {
	vx, vy := e.Vel()
	hp, _ := e.Health()
	shield, _ := e.Shield()
	done, _ := w.Raised(e)
	taken, _ := w.Captured(e)
	if o.rules.Types[e.Type()].Relevance == rules.RelevantAlways { // by the rules' declaration alone
		return o.values(numbers(nil, int64(e.Type()), int64(e.Slot()), int64(e.Pos().X), int64(e.Pos().Y), int64(taken)), e, rules.ValueAll)
	}
	_, carried := e.Carrying()
	row := numbers(nil, int64(e.Type()), int64(e.Slot()), int64(e.Pos().X), int64(e.Pos().Y), int64(vx), int64(vy), int64(e.Facing()),
		int64(hp), int64(shield), int64(e.Stock()), bit(e.Built()), bit(e.Cloaked()), bit(carried > 0), int64(done), int64(taken))
	for i := range o.rules.Types[e.Type()].Weapons {
		_, firing := e.Shots(i)
		row = numbers(row, bit(firing))
	}
	for i := range o.rules.Types[e.Type()].Abilities {
		on, _ := e.Acts(i)
		row = numbers(row, bit(on))
	}
	for i := range e.Effects() {
		row = numbers(row, int64(e.Effect(i).Kind))
	}
	return o.values(row, e, rules.ValueSeeing)
}

// values appends the declared values of a class.
func (o *witness) values(row []byte, e *sim.Entity, class rules.ValueClass) []byte {
	for i, v := range o.rules.Types[e.Type()].Values {
		if o.rules.Values[v.Value].Class == class {
			row = numbers(row, int64(e.Values()[i]))
		}
	}
	return row
}

// testify writes down each channel's content in this tick.
func (o *witness) testify(w *sim.World) (out [channels][]byte) {
	o.open(w)
	unseen := o.sight(w)
	out[channelSight] = o.set()
	o.contact(w, unseen)
	out[channelContact] = o.set()
	o.hits(w)
	out[channelHit] = o.set()
	o.arrivals(w, unseen)
	out[channelArrival] = o.set()
	o.sounds(w)
	out[channelHearing] = o.set()
	o.blips(w)
	out[channelRadar] = o.set()
	for s := range w.Players() {
		out[channelDefeat] = numbers(out[channelDefeat], bit(w.Player(grid.Slot(s)).Alive), bit(w.HasLeft(grid.Slot(s))))
	}
	out[channelEnd] = numbers(nil, bit(w.Result() != nil))
	return out
}

func (o *witness) sight(w *sim.World) (unseen []*sim.Entity) {
	for _, e := range w.Entities() {
		switch {
		case e.Team() == o.team:
		case o.sees(e):
			o.rows = append(o.rows, o.looks(w, e))
		default:
			unseen = append(unseen, e)
		}
	}
	for _, e := range w.Events() {
		if e.Kind == sim.EventDied && o.cloaked[e.Source] {
			continue // it was not seen, and is not seen dying
		}
		if e.Kind == sim.EventHit || int(e.Slot) < w.Players() && w.Player(e.Slot).Team == o.team {
			continue // its own affair, and hits are told of below
		}
		source := w.Entity(e.Source)
		if o.lit(e.At.Tile()) || source != nil && o.sees(source) {
			// A shot is seen at the shooter, with where it goes.
			o.rows = append(o.rows, numbers(nil, -1, int64(e.Kind), int64(e.What), bit(e.On), int64(e.Type), int64(e.At.X), int64(e.At.Y), int64(e.To.X), int64(e.To.Y)))
		}
	}
	clear(o.cloaked)
	for _, e := range unseen {
		if e.Cloaked() {
			o.cloaked[e.ID()] = true
		}
	}
	// A mine is in the way of no unit and of no site.
	return slices.DeleteFunc(unseen, func(e *sim.Entity) bool { return o.rules.Types[e.Type()].Feature.Mine != nil })
}

// How far from a body another may be met within a tick, beside the two radii,
// and from a structure at whose door units come out.
const (
	meetSpan = grid.WUPerTile * 3 / 4
	doorSpan = 5 * grid.WUPerTile
)

func (o *witness) contact(w *sim.World, unseen []*sim.Entity) {
	for _, e := range w.Entities() {
		ty := &o.rules.Types[e.Type()]
		if e.Team() != o.team || e.Class() != rules.ClassUnit && len(ty.Trains) == 0 {
			continue
		}
		for _, x := range unseen {
			xt := &o.rules.Types[x.Type()]
			if x.Class() != rules.ClassUnit && x.Class() != rules.ClassStructure {
				continue
			}
			span := ty.Radius + xt.Radius + meetSpan
			if x.Class() == rules.ClassStructure {
				span = ty.Radius + meetSpan + grid.Dist(max(xt.FootW, xt.FootH))*grid.WUPerTile
			}
			if e.Class() == rules.ClassStructure {
				span += doorSpan
			}
			if x.Pos().Within(e.Pos(), span) {
				o.rows = append(o.rows, numbers(nil, int64(x.Type()), int64(x.Pos().X), int64(x.Pos().Y)))
			}
		}
	}
}

func (o *witness) hits(w *sim.World) {
	for _, e := range w.Events() {
		if e.Kind == sim.EventHit && int(e.Slot) < w.Players() && w.Player(e.Slot).Team == o.team {
			o.rows = append(o.rows, numbers(nil, int64(e.Source), int64(e.What)))
		}
	}
	for _, s := range w.Eyes().Sources(o.team) {
		if s.Radius == 0 && s.Until > w.Tick() {
			o.rows = append(o.rows, numbers(nil, -1, int64(s.Tile.X), int64(s.Tile.Y), int64(s.Until)))
		}
	}
}

func (o *witness) arrivals(w *sim.World, unseen []*sim.Entity) {
	for _, e := range w.Entities() {
		task, busy := e.Running()
		if e.Team() != o.team || !busy || task.Kind != orders.Build {
			continue
		}
		ty := &o.rules.Types[task.Type]
		site := grid.Dist(max(ty.FootW, ty.FootH)+1) * grid.WUPerTile
		if !e.Pos().Within(task.Point, site+2*grid.WUPerTile) {
			continue
		}
		for _, x := range unseen {
			xt := &o.rules.Types[x.Type()]
			if x.Pos().Within(task.Point, site+xt.Radius+grid.Dist(max(xt.FootW, xt.FootH))*grid.WUPerTile) {
				o.rows = append(o.rows, numbers(nil, int64(x.Type()), int64(x.Pos().X), int64(x.Pos().Y)))
			}
		}
	}
}

func (o *witness) sounds(w *sim.World) {
	for _, s := range simtest.Audible(w, o.team) {
		source := w.Entity(s.Source)
		own := int(s.Source.Slot()) < w.Players() && w.Player(s.Source.Slot()).Team == o.team
		seen := own || source != nil && o.sees(source) || source == nil && o.lit(s.At.Tile())
		if row := numbers(nil, int64(s.Class), int64(s.Cell.X), int64(s.Cell.Y)); !seen && !slices.ContainsFunc(o.rows, func(x []byte) bool { return bytes.Equal(x, row) }) {
			o.rows = append(o.rows, row)
		}
	}
}

func (o *witness) blips(w *sim.World) {
	for _, b := range simtest.Blips(w, o.team) {
		if row := numbers(nil, int64(b.Class), int64(b.Block.X), int64(b.Block.Y), int64(b.Side)); !o.sees(w.Entity(b.Source)) && !slices.ContainsFunc(o.rows, func(x []byte) bool { return bytes.Equal(x, row) }) {
			o.rows = append(o.rows, row)
		}
	}
}

// ownUnits returns the team's own units as they are: place, task and target. Targets go
// by place and looks, since no team knows ids.
func (o *witness) ownUnits(w *sim.World) []byte {
	var b []byte
	var tasks []sim.Task
	for _, e := range w.Entities() {
		if e.Team() != o.team {
			continue
		}
		b = numbers(b, int64(e.ID()), int64(e.Energy()))
		b = append(b, o.looks(w, e)...)
		tasks = e.Tasks(tasks[:0])
		for _, t := range tasks {
			b = numbers(b, int64(t.Kind), int64(t.Seq), int64(t.Point.X), int64(t.Point.Y), int64(t.Type))
			if x := w.Entity(t.Target); x != nil && o.sees(x) {
				b = append(b, o.looks(w, x)...)
			}
		}
		if p, ok := w.Production(e); ok {
			b = numbers(b, int64(len(p.Queue)), int64(p.Done), int64(p.Rally.X), int64(p.Rally.Y))
		}
	}
	return b
}

// secrets is a digest of all that belongs to others: entities, their plans, and their
// players' possessions.
func (o *witness) secrets(w *sim.World) uint64 {
	h := fnv.New64a()
	var b []byte
	for _, e := range w.Entities() {
		if e.Team() == o.team {
			continue
		}
		hp, moves := e.Health()
		b = numbers(b[:0], int64(e.ID()), int64(e.Type()), int64(e.Pos().X), int64(e.Pos().Y), int64(hp), int64(moves), int64(e.Energy()))
		for _, n := range e.Values() {
			b = numbers(b, int64(n))
		}
		for _, t := range e.Tasks(nil) {
			b = numbers(b, int64(t.Kind), int64(t.Point.X), int64(t.Point.Y))
		}
		if p, ok := w.Production(e); ok {
			b = numbers(b, int64(len(p.Queue)), int64(p.Rally.X), int64(p.Rally.Y))
		}
		h.Write(b)
	}
	for s := range w.Players() {
		if p := w.Player(grid.Slot(s)); p.Team != o.team {
			b = numbers(b[:0], int64(p.Score))
			for _, n := range p.Stock {
				b = numbers(b, int64(n))
			}
			h.Write(b)
		}
	}
	return h.Sum64()
}

package replayserver

import (
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Bounds of one part of a timeline, and how often parts come.
const (
	partPoints = 256 // of each player
	partEvents = 256
	partGap    = 100 * time.Millisecond
)

// told is a client's part of a timeline.
type told struct {
	events, points int
	step           grid.Ticks
}

// next returns the next part of a timeline up to a tick, or nil, and whether there is more. For a running match it has
// the content of the frames for the viewer's eyes. kinds is how many kinds of resources there are.
func (d *told) next(t *timeline.Timeline, kinds int, live bool, eyes grid.Team, to grid.Tick) (part *pb.ReplayTimeline, more bool) {
	part = &pb.ReplayTimeline{PointTicks: uint32(t.Step)}
	if d.step != t.Step && d.points > 0 {
		part.Restart, d.points = true, 0
	}
	d.step = t.Step
	events := t.Events(to)
	if live {
		events = t.Seen(eyes, to)
	}
	from := min(d.events, len(events))
	for i := range events[from:min(len(events), from+partEvents)] {
		part.Events = append(part.Events, eventOf(&events[from+i]))
	}
	d.events = from + len(part.Events)
	points := t.PointsTo(to)
	n := min(points-d.points, partPoints)
	if n > 0 {
		part.Point = uint32(d.points)
		for s := range t.Points {
			if !live || eyes == grid.NoTeam || t.Teams[s] == eyes {
				part.Series = append(part.Series, seriesOf(grid.Slot(s), kinds, live, t.Assists, t.Points[s][d.points:d.points+n]))
			}
		}
		d.points += n
	}
	more = d.events < len(events) || d.points < points
	if len(part.Events) == 0 && n <= 0 && !part.Restart {
		return nil, more
	}
	return part, more
}

// seriesOf returns a player's series. Of a match that runs it has those numbers that can
// be counted in the frames of who sees the player's units.
func seriesOf(slot grid.Slot, kinds int, live, assists bool, points []timeline.Values) *pb.ReplaySeries {
	s := &pb.ReplaySeries{Slot: uint32(slot)}
	add := func(to *[]uint32, n int32) { *to = append(*to, uint32(max(0, n))) }
	each := func(to *[]uint32, c *rules.Cost) {
		for _, n := range c[:kinds] {
			add(to, n)
		}
	}
	for i := range points {
		p := &points[i]
		add(&s.Army, p.Army)
		add(&s.Workers, p.Workers)
		if live {
			continue
		}
		each(&s.Held, &p.Held)
		each(&s.Gathered, &p.Gathered)
		add(&s.Making, p.Making)
		add(&s.Population, p.Pop)
		add(&s.PopulationMax, p.PopCap)
		add(&s.Lost, p.Lost)
		add(&s.LostValue, p.LostValue)
		add(&s.Killed, p.Killed)
		add(&s.KilledValue, p.KilledValue)
		if assists {
			add(&s.Assisted, p.Assisted)
		}
		add(&s.Orders, p.Orders)
		add(&s.Refused, p.Refused)
	}
	return s
}

func eventOf(e *timeline.Event) *pb.ReplayEvent {
	out := &pb.ReplayEvent{
		Kind: pb.ReplayEventKind(e.Kind), Tick: uint32(e.Tick), Slot: slotNumber(e.Slot), By: slotNumber(e.By),
		Team: eyesNumber(e.Team), Other: eyesNumber(e.Other), Value: uint32(max(0, e.Value)), Reason: e.Reason,
	}
	if e.Kind == timeline.Fight {
		out.Until = uint32(e.End)
	}
	if e.Placed {
		at := e.At.Tile()
		out.X, out.Y = uint32(at.X), uint32(at.Y)
	}
	switch e.Kind {
	case timeline.Contact, timeline.BuildingLost, timeline.Expansion, timeline.Captured:
		out.Type = uint32(e.Type) + 1
	}
	for _, l := range e.Losses {
		out.Losses = append(out.Losses, &pb.ReplayLoss{Slot: uint32(l.Slot), Count: uint32(max(0, l.Count)), Value: uint32(max(0, l.Value))})
	}
	return out
}

func slotNumber(s grid.Slot) uint32 {
	if s == grid.NoSlot {
		return 0
	}
	return uint32(s) + 1
}

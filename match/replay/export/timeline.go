package export

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Events and values of a match that was played again. Places are in tiles; slots, teams, places and
// types that an event does not have are absent.
type (
	// Event is an event.
	Event struct {
		Kind   string          `json:"kind"`
		Tick   grid.Tick       `json:"tick"`
		End    grid.Tick       `json:"end,omitempty"` // of a fight
		Slot   *int            `json:"slot,omitempty"`
		By     *int            `json:"by,omitempty"`
		Team   *int            `json:"team,omitempty"`
		Other  *int            `json:"other,omitempty"`
		At     *[2]float64     `json:"at,omitempty"`
		Type   string          `json:"type,omitempty"`
		Value  int32           `json:"value,omitempty"`
		Losses []timeline.Loss `json:"losses,omitempty"`
		Reason string          `json:"reason,omitempty"`
		Known  grid.Tick       `json:"known"` // when it was known: of a fight, when no more losses could follow
	}
	// Values are what a player has, and has done.
	Values struct {
		Slot     int              `json:"slot"`
		Held     map[string]int32 `json:"held"`     // by resource
		Gathered map[string]int32 `json:"gathered"` // by resource, since the beginning
		timeline.Values
	}
)

// Timeline is the course of a match.
type Timeline struct {
	Events  []Event
	Omitted int      // events that found no room
	Final   []Values // of each slot, at the end
	points  []point
}

// point has the players' values at a tick.
type point struct {
	tick   grid.Tick
	values []Values
}

// TimelineOf reads a timeline.
func TimelineOf(line *timeline.Timeline, set *rules.Ruleset) Timeline {
	out := Timeline{Events: []Event{}, Omitted: line.Omitted}
	for _, e := range line.Events(line.Last) {
		out.Events = append(out.Events, eventOf(&e, set))
	}
	for slot := range line.Now {
		out.Final = append(out.Final, valuesOf(slot, &line.Now[slot], set))
	}
	if len(line.Points) == 0 {
		return out
	}
	for k := range line.Points[0] {
		at := point{tick: line.First + grid.Tick(k)*grid.Tick(line.Step)}
		for slot := range line.Points {
			at.values = append(at.values, valuesOf(slot, &line.Points[slot][k], set))
		}
		out.points = append(out.points, at)
	}
	return out
}

func eventOf(e *timeline.Event, set *rules.Ruleset) Event {
	out := Event{Kind: e.Kind.String(), Tick: e.Tick, Value: e.Value, Losses: e.Losses, Reason: e.Reason, Known: e.Known}
	number := func(n uint8, none uint8) *int {
		if n == none {
			return nil
		}
		v := int(n)
		return &v
	}
	out.Slot, out.By = number(uint8(e.Slot), uint8(grid.NoSlot)), number(uint8(e.By), uint8(grid.NoSlot))
	out.Team, out.Other = number(uint8(e.Team), uint8(grid.NoTeam)), number(uint8(e.Other), uint8(grid.NoTeam))
	if e.Placed {
		out.At = InTiles(e.At)
	}
	if e.Kind == timeline.Fight {
		out.End = e.End
	} else if e.Placed {
		out.Type = set.Types[e.Type].Name
	}
	return out
}

func valuesOf(slot int, v *timeline.Values, set *rules.Ruleset) Values {
	out := Values{Slot: slot, Held: map[string]int32{}, Gathered: map[string]int32{}, Values: *v}
	for i, name := range set.Resources {
		out.Held[name], out.Gathered[name] = v.Held[i], v.Gathered[i]
	}
	return out
}

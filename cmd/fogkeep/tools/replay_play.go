package tools

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/rules"
)

// The report of a match that was played again. Places are in tiles; slots, teams, places and
// types that an event does not have are absent.
type (
	playedReport struct {
		Events  []playedEvent  `json:"events"`
		Omitted int            `json:"omitted,omitempty"` // events that found no room
		Final   []playedValues `json:"final"`             // of each slot, at the end
	}
	playedEvent struct {
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
	playedValues struct {
		Slot     int              `json:"slot"`
		Held     map[string]int32 `json:"held"`     // by resource
		Gathered map[string]int32 `json:"gathered"` // by resource, since the beginning
		timeline.Values
	}
)

// played is a journal that was played again.
type played struct {
	sum    journal.Summary
	torn   bool
	report playedReport
	points []playedPoint
}

// playedPoint is what the players had and did at a tick.
type playedPoint struct {
	tick   grid.Tick
	values []playedValues
}

// play plays a journal again, comparing every answer and hash, and sums it up.
func (c *journalPath) play(in *Invocation) (*played, error) {
	p := &played{}
	r, err := replay.Open(c.read(&p.torn), replay.Options{CheckpointBytes: 1})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	progress := newProgressBar(in)
	defer progress.clear()
	first, last := r.First(), r.Last()
	if err := r.Index(in.Ctx, func() error {
		progress.show(int(r.Tick()-first), int(last-first), fmt.Sprintf("tick %d", r.Tick()))
		return nil
	}); err != nil {
		return nil, fmt.Errorf("%s: %w", c.File, err)
	}
	r.EndTimeline()
	p.sum = r.Summary()
	r.Timeline(func(line *timeline.Timeline) { p.take(line, r.Setup.Rules) })
	return p, nil
}

// take reads a timeline.
func (p *played) take(line *timeline.Timeline, set *rules.Ruleset) {
	p.report = playedReport{Events: []playedEvent{}, Omitted: line.Omitted}
	for _, e := range line.Events(line.Last) {
		p.report.Events = append(p.report.Events, reportedEvent(&e, set))
	}
	for slot := range line.Now {
		p.report.Final = append(p.report.Final, reportedValues(slot, &line.Now[slot], set))
	}
	if len(line.Points) == 0 {
		return
	}
	for k := range line.Points[0] {
		at := playedPoint{tick: line.First + grid.Tick(k)*grid.Tick(line.Step)}
		for slot := range line.Points {
			at.values = append(at.values, reportedValues(slot, &line.Points[slot][k], set))
		}
		p.points = append(p.points, at)
	}
}

func reportedEvent(e *timeline.Event, set *rules.Ruleset) playedEvent {
	out := playedEvent{Kind: e.Kind.String(), Tick: e.Tick, Value: e.Value, Losses: e.Losses, Reason: e.Reason, Known: e.Known}
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
		out.At = inTiles(e.At)
	}
	if e.Kind == timeline.Fight {
		out.End = e.End
	} else if e.Placed {
		out.Type = set.Types[e.Type].Name
	}
	return out
}

func reportedValues(slot int, v *timeline.Values, set *rules.Ruleset) playedValues {
	out := playedValues{Slot: slot, Held: map[string]int32{}, Gathered: map[string]int32{}, Values: *v}
	for i, name := range set.Resources {
		out.Held[name], out.Gathered[name] = v.Held[i], v.Gathered[i]
	}
	return out
}

// print writes a table of the players, and a line for each event.
func (r *playedReport) print(w io.Writer, rate int) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nslot\tgathered\tarmy\tworkers\tpop\tlost\tworth\tkilled\tworth\torders\trefused")
	for _, v := range r.Final {
		gathered := int32(0)
		for _, n := range v.Gathered {
			gathered += n
		}
		fmt.Fprintf(table, "%d\t%d\t%d\t%d\t%d/%d\t%d\t%d\t%d\t%d\t%d\t%d\n", v.Slot, gathered, v.Army, v.Workers, v.Pop, v.PopCap, v.Lost, v.LostValue, v.Killed, v.KilledValue, v.Orders, v.Refused)
	}
	fmt.Fprintln(table)
	if err := table.Flush(); err != nil {
		return err
	}
	at := func(t grid.Tick) string {
		s := time.Duration(t) * time.Second / time.Duration(max(1, rate))
		return fmt.Sprintf("%d:%02d", int(s.Minutes()), int(s.Seconds())%60)
	}
	for _, e := range r.Events {
		when := at(e.Tick)
		if e.End > e.Tick {
			when += "-" + at(e.End)
		}
		if _, err := fmt.Fprintf(w, "%-12s%s\n", when, e.words()); err != nil {
			return err
		}
	}
	if r.Omitted > 0 {
		if _, err := fmt.Fprintf(w, "%d more events of kinds with too many\n", r.Omitted); err != nil {
			return err
		}
	}
	return nil
}

// words is an event in words.
func (e *playedEvent) words() string {
	var b strings.Builder
	b.WriteString(e.Kind)
	switch e.Kind {
	case timeline.Contact.String():
		fmt.Fprintf(&b, "  team %d sees team %d's %s", *e.Team, *e.Other, e.Type)
	case timeline.Fight.String():
		for i, l := range e.Losses {
			sep := ", "
			if i == 0 {
				sep = "  "
			}
			fmt.Fprintf(&b, "%sslot %d loses %d worth %d", sep, l.Slot, l.Count, l.Value)
		}
	case timeline.Ended.String():
		b.WriteString("  " + e.Reason)
		if e.Team != nil {
			fmt.Fprintf(&b, ", team %d wins", *e.Team)
		}
	default:
		if e.Slot != nil {
			fmt.Fprintf(&b, "  slot %d", *e.Slot)
		}
		if e.Type != "" {
			b.WriteString("  " + e.Type)
		}
		if e.By != nil && e.Kind == timeline.Captured.String() {
			fmt.Fprintf(&b, "  from slot %d", *e.By)
		} else if e.By != nil {
			fmt.Fprintf(&b, "  by slot %d", *e.By)
		}
	}
	if e.At != nil {
		fmt.Fprintf(&b, "  at %.0f,%.0f", e.At[0], e.At[1])
	}
	return b.String()
}

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
	"github.com/fogkeep/fogkeep/match/replay/export"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
)

// playedReport is the report of a match that was played again.
type playedReport struct {
	Events  []export.Event  `json:"events"`
	Omitted int             `json:"omitted,omitempty"` // events that found no room
	Final   []export.Values `json:"final"`             // of each slot, at the end
}

// played is a journal that was played again.
type played struct {
	sum    journal.Summary
	torn   bool
	report playedReport
	line   export.Timeline
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
	r.Timeline(func(line *timeline.Timeline) { p.line = export.TimelineOf(line, r.Setup.Rules) })
	p.report = playedReport{p.line.Events, p.line.Omitted, p.line.Final}
	return p, nil
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
		if _, err := fmt.Fprintf(w, "%-12s%s\n", when, words(&e)); err != nil {
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
func words(e *export.Event) string {
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

package view

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
)

// plan is the part of the field table that the builder and the tracker use. The program ends at its start if the code
// cannot keep to a row.
type plan struct {
	public [ValueKinds]valuePlan
	own    [OwnerValueKinds]valuePlan
	motion [2]Exact // by row: motionAutonomous, motionSimulated
	fire   When
	// hidden has a bit for each public value that clients receive for the team's own entities alone.
	hidden uint32
	// atOnce lists the public values that have bits whose changes are sent in
	// their tick.
	atOnce []int
}

// valuePlan is when and how exactly a value is sent.
type valuePlan struct {
	When
	step uint32
}

// tablePlan is the plan of the table.
var tablePlan = planOf(Fields[:], OwnFields[:])

func planOf(fields, own []Field) *plan {
	p := &plan{}
	for i, name := range ValueNames {
		f := fieldNamed(fields, name)
		p.public[i] = valuePlanOf(f)
		switch {
		case f.Audience == Team:
			p.hidden |= 1 << i
		case f.Audience != Seeing:
			panic(fmt.Sprintf("view: %s is in the part of a frame that a team shares: its audience is the teams that see the entity, or the team, not %s", name, f.Audience))
		}
		if f.Sent[0].When.AtOnce != 0 {
			p.atOnce = append(p.atOnce, i)
		}
	}
	for _, a := range Attributes {
		if p.public[a.Value].PerS != p.public[a.Changes].PerS {
			panic(fmt.Sprintf("view: clients count %s by the rows of %s: both have one rate", ValueNames[a.Changes], ValueNames[a.Value]))
		}
	}
	for i, name := range OwnerValueNames {
		p.own[i] = valuePlanOf(fieldNamed(own, name))
	}
	for i := range own {
		if own[i].Audience != Owner {
			panic(fmt.Sprintf("view: own.%s is in the part of a frame for one player alone, not for %s", own[i].Name, own[i].Audience))
		}
	}
	for i, s := range fieldNamed(fields, "motion").Sent {
		p.motion[i] = s.Exact
	}
	p.fire = fieldNamed(fields, "fire").Sent[0].When
	return p
}

func valuePlanOf(f *Field) valuePlan {
	return valuePlan{f.Sent[0].When, max(1, f.Sent[0].Exact.Step)}
}

func fieldNamed(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	panic("view: the field table has no row " + name)
}

// due reports whether a field with this rate is sent at a tick, with tickRate ticks per second; 0: it is sent at each
// tick, at any rate.
func (w *When) due(now grid.Tick, tickRate int) bool { return now%grid.Tick(w.every(tickRate)) == 0 }

// every returns how many ticks lie between two sendings.
func (w *When) every(tickRate int) grid.Ticks {
	if w.PerS == 0 || tickRate == 0 {
		return 1
	}
	return grid.Ticks(max(1, tickRate/w.PerS))
}

// off reports whether clients that were sent one value have to be sent another.
func (p *valuePlan) off(sent, is uint32) bool {
	return is >= sent+p.step || sent >= is+p.step
}

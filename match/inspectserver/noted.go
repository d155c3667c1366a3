package inspectserver

import (
	"sort"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/notes"
	"github.com/fogkeep/fogkeep/match/replay/timeline"
	"github.com/fogkeep/fogkeep/match/sim"
)

// notes returns the match's notes, or nil.
func (o *opening) notes() (*notes.Notes, error) {
	n, err := o.rec.Notes()
	if err != nil {
		return nil, refuse("not_readable", "%v", err)
	}
	return n, nil
}

// refusedAt returns the content of a tick's refused orders, as far as it was noted.
func (o *opening) refusedAt(t grid.Tick) (func(grid.Slot, uint32) *sim.Input, error) {
	n, err := o.notes()
	if err != nil || n == nil {
		return nil, err
	}
	from := sort.Search(len(n.Refused), func(i int) bool { return n.Refused[i].Tick >= t })
	return func(s grid.Slot, seq uint32) *sim.Input {
		for i := from; i < len(n.Refused) && n.Refused[i].Tick == t; i++ {
			if n.Refused[i].Slot != s {
				continue
			}
			if in, err := journal.DecodeInput(n.Refused[i].Input); err == nil && in.Seq == seq {
				in.Slot = s
				return &in
			}
		}
		return nil
	}, nil
}

// Times is how long ticks took and how the links of the clients did, a row a second.
type Times struct {
	From    uint32     `json:"from"`
	To      uint32     `json:"to"`
	Rows    []TimeRow  `json:"rows" doc:"ascending"`
	Links   []LinkList `json:"links" doc:"by slot, for connected players"`
	Density Density    `json:"density"`
	Lost    int        `json:"lost" doc:"seconds of the match that were left out, as the disk was slow"`
	Full    bool       `json:"full" doc:"the match had more to note than there was room for"`
	Without string     `json:"without,omitempty" doc:"why there are no rows and links, in words"`
}

// TimeRow is how long the ticks of one second took, in milliseconds.
type TimeRow struct {
	Tick   uint32 `json:"tick" doc:"the last tick"`
	Ticks  int    `json:"ticks"`
	Step   Took   `json:"step" doc:"the simulation"`
	Write  Took   `json:"write" doc:"until the journal had the inputs of the frames"`
	View   Took   `json:"view" doc:"the views of all teams"`
	Encode Took   `json:"encode" doc:"the frames of all players"`
	Late   Took   `json:"late" doc:"how late the ticks began"`
	Missed int    `json:"missed" doc:"how many began later than a tick takes"`
}

// Took is the median and the longest of some ticks, in milliseconds.
type Took struct {
	P50 float64 `json:"p50"`
	Max float64 `json:"max"`
}

// LinkList is how a player's link did.
type LinkList struct {
	Slot int       `json:"slot"`
	Rows []LinkRow `json:"rows" doc:"ascending"`
}

// LinkRow is how a link did in one second.
type LinkRow struct {
	Tick     uint32 `json:"tick"`
	Bytes    int    `json:"bytes" doc:"of payload that the client was sent"`
	Received int    `json:"received" doc:"of payload that it sent"`
	Messages int    `json:"messages" doc:"that it was sent"`
	Pending  int    `json:"pending" doc:"entities with data held back from it, for want of bytes"`
	LateMs   int    `json:"lateMs" doc:"how far its last applied frame was behind"`
	Frame    uint32 `json:"frame" doc:"the tick of the last frame that it was sent"`
	Acked    uint32 `json:"acked" doc:"the tick of the last frame that it had applied"`
	InFlight int    `json:"inFlight" doc:"frames that were sent and not known to be applied"`
	Limit    int    `json:"limit" doc:"measured capacity of its link, bytes per second; 0: unknown"`
	Budget   int    `json:"budget" doc:"its limit, bytes per second; 0: no limit"`
}

// Density is what players did, in steps.
type Density struct {
	First uint32        `json:"first" doc:"the tick with which the first step begins"`
	Step  uint32        `json:"step" doc:"ticks of a step"`
	Slots []DensitySlot `json:"slots"`
}

// DensitySlot is one player's.
type DensitySlot struct {
	Slot    int     `json:"slot"`
	Orders  []int32 `json:"orders" doc:"accepted, a number for each step"`
	Refused []int32 `json:"refused"`
	Losses  []int32 `json:"losses" doc:"units and structures"`
}

// timesMax is how many seconds one answer has.
const timesMax = 7200

// times returns the notes of some ticks.
func (o *opening) times(from, to *uint32) (out Times, err error) {
	last := o.rec.Last()
	first, end := o.rec.First(), last
	if from != nil {
		first = max(first, grid.Tick(*from))
	}
	if to != nil {
		end = min(end, grid.Tick(*to))
	}
	if first > end {
		return out, badTick(first, o.rec.First(), last)
	}
	if most := grid.Tick(timesMax * o.rate()); end-first > most {
		end = first + most
	}
	out = Times{From: uint32(first), To: uint32(end), Rows: []TimeRow{}, Links: []LinkList{}}
	out.Density = o.density(first, end)
	n, err := o.notes()
	switch {
	case err != nil:
		return out, err
	case n == nil:
		out.Without = "this server has no notes about the match: it ran on another server, or before the server took notes"
		return out, nil
	}
	out.Lost, out.Full = n.Lost, n.Full
	for i := range n.Times {
		if t := &n.Times[i]; t.Tick >= first && t.Tick <= end {
			out.Rows = append(out.Rows, TimeRow{uint32(t.Tick), t.Ticks, took(t.Step), took(t.Write), took(t.View), took(t.Encode), took(t.Late), t.Missed})
		}
	}
	bySlot := map[grid.Slot]*LinkList{}
	for i := range n.Links {
		x := &n.Links[i]
		if x.Tick < first || x.Tick > end {
			continue
		}
		l := bySlot[x.Slot]
		if l == nil {
			l = &LinkList{Slot: int(x.Slot)}
			bySlot[x.Slot] = l
		}
		l.Rows = append(l.Rows, linkRow(x))
	}
	for s := range grid.Slot(grid.SlotsMax) {
		if l := bySlot[s]; l != nil {
			out.Links = append(out.Links, *l)
		}
	}
	return out, nil
}

func linkRow(x *notes.Link) LinkRow {
	return LinkRow{uint32(x.Tick), x.Sent, x.Received, x.Messages, x.Pending, x.Late, uint32(x.Frame), uint32(x.Acked), x.InFlight, x.Limit, x.Budget}
}

func took(p notes.Phase) Took {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return Took{ms(p.P50), ms(p.Max)}
}

// density returns what players did between two ticks, as far as the match was read.
func (o *opening) density(from, to grid.Tick) Density {
	out := Density{Slots: []DensitySlot{}}
	o.rec.Timeline(func(t *timeline.Timeline) {
		step := grid.Tick(t.Step)
		k := int((from - t.First) / step)
		end := min(int((to-t.First)/step), t.PointsTo(t.Last)-1)
		out.First, out.Step = uint32(t.First+grid.Tick(k)*step), uint32(step)
		for s, points := range t.Points {
			row := DensitySlot{Slot: s, Orders: []int32{}, Refused: []int32{}, Losses: []int32{}}
			for i := k; i < end; i++ {
				a, b := &points[i], &points[i+1]
				row.Orders = append(row.Orders, b.Orders-a.Orders)
				row.Refused = append(row.Refused, b.Refused-a.Refused)
				row.Losses = append(row.Losses, b.Lost-a.Lost)
			}
			out.Slots = append(out.Slots, row)
		}
	})
	return out
}

// Known compares a team's knowledge at a tick with its clients' frames.
type Known struct {
	Tick        uint32            `json:"tick"`
	Team        int               `json:"team"`
	Entities    map[string]int    `json:"entities" doc:"the entities that the team may know, by shape"`
	Contacts    []inspect.Contact `json:"contacts" doc:"its knowledge of other players' entities: in sight first, then remembered ones, the youngest first; 2000 at most"`
	Radar       []inspect.Trace   `json:"radar" doc:"the contacts of its radar beyond sight, by class and cell"`
	Clients     []Client          `json:"clients" doc:"of the team's players, by slot"`
	NotRecorded string            `json:"notRecorded,omitempty" doc:"the clients' unknown data, and the reason"`
}

// Client is the state of one player's client.
type Client struct {
	Slot      int         `json:"slot"`
	Name      string      `json:"name"`
	Source    string      `json:"source" enum:"live,notes,none" doc:"live: the server's current state; notes: the notes of the last second before the tick; none: unknown, or it had no connection"`
	At        uint32      `json:"at" doc:"the numbers' tick"`
	Base      uint32      `json:"base,omitempty" doc:"its world, once it has read all sent frames; only if live"`
	Sent      uint32      `json:"sent" doc:"the tick of the last frame that it was sent"`
	Acked     uint32      `json:"acked" doc:"the tick of the last frame that it had applied"`
	HeldSince uint32      `json:"heldSince,omitempty" doc:"frames are held back from it since this tick; live alone"`
	Pending   int         `json:"pending" doc:"entities with data that its team may know and that it has not got"`
	LateMs    int         `json:"lateMs" doc:"how far its last applied frame is behind"`
	InFlight  int         `json:"inFlight" doc:"frames that were sent and are not known to be applied"`
	Limit     int         `json:"limit" doc:"measured capacity of its link, bytes per second; 0: unknown"`
	Budget    int         `json:"budget" doc:"its limit, bytes per second; 0: no limit"`
	Rows      []ClientRow `json:"rows" doc:"live alone: those entities, 500 at most"`
	Report    *Report     `json:"report,omitempty" doc:"its own account of the last minute; absent: it gave none in the two minutes before"`
	Behind    *Behind     `json:"behind,omitempty" doc:"its team's news since its last applied frame, which the player has not seen yet"`
}

// Report is a client's own account of its connection and its page.
type Report struct {
	Tick        uint32 `json:"tick" doc:"of its arrival"`
	Seconds     int    `json:"seconds" doc:"since its last report"`
	Frames      int    `json:"frames" doc:"that it received"`
	Late        int    `json:"late" doc:"frames that came more than 100 ms later than the earliest frames of ten seconds"`
	Gaps        int    `json:"gaps" doc:"times without a frame for more than 1.5 seconds"`
	LongestMs   int    `json:"longestMs" doc:"the longest time without a frame"`
	TripMs      int    `json:"tripMs" doc:"from an order to its answer, the median; 0: no order was answered"`
	Corrections int    `json:"corrections" doc:"units whose drawn place was more than a tile wrong"`
	Drawn       int    `json:"drawn" doc:"pictures that the page drew"`
	Slow        int    `json:"slow" doc:"pictures that took more than 50 ms"`
}

// ClientRow is an entity that a client does not have right.
type ClientRow struct {
	Handle uint32  `json:"handle"`
	ID     uint32  `json:"id,omitempty" doc:"the entity, if the handle names one at the newest tick that is on disk"`
	What   string  `json:"what" enum:"enter,change,gone"`
	Type   string  `json:"type,omitempty"`
	X      float64 `json:"x" doc:"tiles"`
	Y      float64 `json:"y" doc:"tiles"`
	Since  uint32  `json:"since" doc:"the tick of its data about the entity; enter: in sight since"`
	Behind int     `json:"behind" doc:"ticks"`
}

// Behind is a team's new knowledge from one tick to another.
type Behind struct {
	From    uint32   `json:"from"`
	Entered []uint32 `json:"entered" doc:"ids"`
	Changed []uint32 `json:"changed" doc:"ids"`
	Left    []uint32 `json:"left" doc:"ids"`
}

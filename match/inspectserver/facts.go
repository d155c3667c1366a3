package inspectserver

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// Facts say what a match is, and how far it can be inspected.
type Facts struct {
	Match    string       `json:"match"`
	Live     bool         `json:"live" doc:"its end is not in the journal yet"`
	State    string       `json:"state" doc:"running, paused, ended, failed; unknown: it is not over and does not run on this server"`
	Map      MapFacts     `json:"map"`
	TickRate int          `json:"tickRate" doc:"ticks per second"`
	First    uint32       `json:"first" doc:"the first tick"`
	Last     uint32       `json:"last" doc:"the newest tick that is on disk"`
	Indexed  uint32       `json:"indexed" doc:"so far the match has been read: going to a tick up to here is quick"`
	Players  []PlayerFact `json:"players" doc:"by slot"`
	Teams    int          `json:"teams" doc:"how many; they are numbered from 0"`
	Types    []string     `json:"types" doc:"names of the entity types, by number"`
	Kinds    []string     `json:"kinds" doc:"of orders"`
	Codes    []Code       `json:"codes" doc:"answers to orders, in the order of the checks"`
	Build    string       `json:"build" doc:"that played it"`
	Mode     string       `json:"mode"`
	Result   *Result      `json:"result,omitempty"`
	Bytes    int          `json:"bytes" doc:"memory of its inspection, without its worlds"`
	// Faults are those up to Indexed.
	Faults     []ScriptFault `json:"faults" doc:"the latest faults of handlers of scripts, whose effects were left out, ascending"`
	FaultCount int           `json:"faultCount" doc:"how many faults there were so far"`
}

// ScriptFault is a fault of a handler of a script.
type ScriptFault struct {
	Tick    uint32 `json:"tick"`
	Script  string `json:"script"`
	Line    int    `json:"line"`
	Handler string `json:"handler" doc:"the event"`
	Why     string `json:"why"`
}

// MapFacts name a match's map.
type MapFacts struct {
	Name   string `json:"name"`
	Hash   string `json:"hash" doc:"of the map's bytes, at GET /maps/{hash}"`
	Width  int    `json:"width" doc:"tiles"`
	Height int    `json:"height" doc:"tiles"`
}

// PlayerFact is a seat.
type PlayerFact struct {
	Slot      int    `json:"slot"`
	Name      string `json:"name"`
	Team      int    `json:"team"`
	Color     int    `json:"color" doc:"its number among the colours of players"`
	Bot       bool   `json:"bot"`
	Connected bool   `json:"connected" doc:"of a match that runs on this server"`
}

// Code is an answer to an order.
type Code struct {
	Code int    `json:"code"`
	Name string `json:"name"`
	Why  string `json:"why"`
}

// Result is how a match ended.
type Result struct {
	Tick   uint32 `json:"tick"`
	Winner int    `json:"winner" doc:"-1: a draw"`
	Reason string `json:"reason"`
}

func (o *opening) facts() Facts {
	sum := o.rec.Summary()
	set := &o.rec.Setup
	out := Facts{
		Match: o.id, Live: !o.rec.Over(), State: "unknown", Map: MapFacts{set.Map.Name, o.rec.Header.MapHash, set.Map.W, set.Map.H},
		TickRate: o.rate(), First: uint32(o.rec.First()), Last: uint32(o.rec.Last()), Indexed: uint32(o.rec.Reached()), Players: []PlayerFact{},
		Types: []string{}, Kinds: []string{}, Codes: []Code{}, Build: o.rec.Header.Build, Mode: set.Options.Mode, Bytes: o.bytes(),
	}
	switch {
	case sum.Failed != "":
		out.State = "failed"
	case sum.Ended != nil:
		out.State, out.Result = "ended", resultOf(sum.Ended)
	}
	for i, p := range set.Players {
		seat := o.rec.Seats[i]
		out.Players = append(out.Players, PlayerFact{Slot: i, Name: seat.Name, Team: int(p.Team), Color: int(seat.Color), Bot: seat.Bot})
		out.Teams = max(out.Teams, int(p.Team)+1)
	}
	if o.s.cfg.Live != nil && out.Live {
		if m, ok := o.s.cfg.Live.Match(o.id); ok {
			out.State = m.State
			for i := range m.Seats {
				s := &m.Seats[i]
				if p := int(s.Slot); p < len(out.Players) {
					out.Players[p].Name, out.Players[p].Bot, out.Players[p].Connected = s.Name, s.Bot, s.Connected
				}
			}
		}
	}
	o.mu.Lock()
	out.Faults, out.FaultCount = append([]ScriptFault{}, o.faults...), o.faultsN
	o.mu.Unlock()
	for i := range set.Rules.Types {
		out.Types = append(out.Types, set.Rules.Types[i].Name)
	}
	for k := orders.None + 1; int(k) < orders.Kinds; k++ {
		out.Kinds = append(out.Kinds, k.String())
	}
	for _, row := range orders.Table {
		out.Codes = append(out.Codes, Code{int(row.Code), row.Name, row.Why})
	}
	return out
}

func resultOf(r *sim.Result) *Result {
	out := &Result{Tick: uint32(r.Tick), Winner: -1, Reason: r.Reason}
	if r.Winner != grid.NoTeam {
		out.Winner = int(r.Winner)
	}
	return out
}

// bytes returns about how much memory the opening takes, besides its worlds.
func (o *opening) bytes() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rec.Bytes() + 4*len(o.counts) + 64*o.noticesN + o.history.Bytes()
}

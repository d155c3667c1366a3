package view

import (
	"fmt"
	"strings"
)

// Field is one row of the table of what is replicated.
type Field struct {
	Name      string // of the frame's field on the wire
	Of        string // what has it
	When      string
	How       string // quantization
	Order     int    // which goes first when bytes are short, 1 first
	Droppable bool   // it may never come; else it comes in the end, whatever the link does
}

// Fields is everything that is replicated. docs/protocol.md has the table that
// is made of it; a test holds the page to it.
var Fields = []Field{
	{"leave, destroyed", "all entities", "at once", "handle", 1, false},
	{"answers", "own player", "once the journal has it", "exact", 2, false},
	{"own: resources, population", "own player", "on change", "exact", 2, false},
	{"own: queues", "own structures", "on change, owner only; progress where clients would reckon it a tenth wrong", "exact; progress 1/255", 2, false},
	{"own: rallies", "own structures", "on change, owner only", "1/16 tile", 2, false},
	{"own: tasks", "own units (autonomous)", "on change, owner only", "kind exact; place 1/16 tile", 2, false},
	{"own: energy, ready", "own units (autonomous)", "on change, owner only; not that time has made an ability ready", "energy in steps of 4; tick", 2, false},
	{"own: started", "own projectiles (autonomous)", "as it comes into being, owner only", "exact", 2, false},
	{"own: cancelled", "own units (autonomous)", "at once, owner only", "exact", 2, false},
	{"motion, exact", "own and allied units (autonomous)", "when a client would be on the wrong tile or 1/8 tile off", "1/16 tile, on the right tile, course in 16,128 directions; on a long way world unit and 1,048,576 directions", 3, false},
	{"enter", "own and allied units (autonomous)", "at once", "1/16 tile; course in 16,128 directions", 3, false},
	{"enter, exact", "structures, resources (static)", "at once", "world unit", 3, false},
	{"enter", "others' units, projectiles (simulated)", "at once", "1/16 tile; course in 16,128 directions", 4, false},
	{"motion", "others' units, projectiles (simulated)", "when a client would be 1/8 tile off", "1/16 tile; course in 16,128 directions", 5, false},
	{"health", "units, structures", "initial if not full, on change, at most 10 a second", "exact", 5, false},
	{"health_changes", "units, structures", "where a client that counts its rows of health would count wrong, at most 10 a second", "7 bits of ticks in which it changed since the enter", 5, false},
	{"flags", "units, structures", "initial if not 0, on change: BUILDING at once, the others at most 10 a second", "exact", 5, false},
	{"amount", "resources, structures being built (static)", "initial if not 0, on change, at most 10 a second", "resources exact; progress 1/16", 5, false},
	{"burst", "what has weapons", "when it begins and ends to fire", "6 bits of shots since the enter", 5, false},
	{"ghosts", "structures out of sight (static)", "as sight of them is lost, changes or comes back", "world unit", 2, false},
	{"mask", "own team", "rows: at join, after a mismatch, to clients that do not derive the fog", "exact", 2, false},
	{"mask_hash", "own team", "each second", "32 bits", 2, false},
	{"sights", "own team", "initial, as they begin; of what fell of the team's own only after skipped ticks", "tile, half tiles", 2, false},
	{"players, said, pinged, ended", "everybody, or the own team", "on change", "exact", 2, false},
	{"fire", "what has weapons", "as it opens fire on another target, at most 10 a second", "exact", 6, true},
	{"events", "what the team's eyes caught", "in the tick it happens", "world unit", 6, true},
}

// FieldTable returns the table as a page has it.
func FieldTable() string {
	var b strings.Builder
	b.WriteString("| field | of | sent | how exact | turn | droppable |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, f := range Fields {
		drop := "no"
		if f.Droppable {
			drop = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %d | %s |\n", f.Name, f.Of, f.When, f.How, f.Order, drop)
	}
	return b.String()
}

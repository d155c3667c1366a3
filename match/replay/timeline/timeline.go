package timeline

import (
	"cmp"
	"slices"
	"sort"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
)

// Bounds of a timeline, and the measures of its events.
const (
	// PointsMax bounds the points of a player. Before there are more, every second one
	// is dropped, and from then on they lie twice as far apart.
	PointsMax = 2048
	// FightsMax bounds the fights that one team's eyes, or all eyes, are told of.
	FightsMax = 2048
	// LogMax bounds the kills, and the changes of a mode's values.
	LogMax = 8192
	// EventsMax bounds the events of any other kind.
	EventsMax = 512
	// FightSeconds is the longest time between two losses of one fight.
	FightSeconds = 10
	// FightTiles is the longest distance between two losses of one fight.
	FightTiles = 12
	// ExpansionTiles is how far from its player's start a structure is an expansion.
	ExpansionTiles = 16
)

// Kind is the kind of an [Event].
type Kind uint8

// The kinds of events. The values are the wire's.
const (
	// Contact: Team sees something of Other's for the first time: one of Slot's, of
	// Type, at At. Each ordered pair of teams has one.
	Contact Kind = 1 + iota
	// Fight: from Tick to End, around At, with these Losses. Value is their sum.
	Fight
	// BuildingLost: Slot's structure of Type, which cost Value, was destroyed by By.
	BuildingLost
	// Expansion: Slot has finished a structure of Type that keeps it in the match or takes gathered resources, away
	// from its start.
	Expansion
	// Captured: a structure of Type is Slot's now; it was By's, or neutral.
	Captured
	// Surrendered: Slot gave up.
	Surrendered
	// Away: Slot's client is not there.
	Away
	// Back: it is there again.
	Back
	// Left: Slot left for good.
	Left
	// TakenOver: Slot has another person from now on.
	TakenOver
	// Out: Slot was defeated.
	Out
	// Ended: the match is over. Team has won, grid.NoTeam: a draw. Reason says why.
	Ended

	// The kinds below are in the log alone, and no replay sends them.

	// Killed: Slot's unit or structure of Type, which cost Value, was destroyed by By, with Assists.
	Killed
	// ModeValue: the mode's value of the name Reason is Value for Team.
	ModeValue

	kinds
)

var kindNames = [kinds]string{
	Contact: "contact", Fight: "fight", BuildingLost: "building-lost", Expansion: "expansion", Captured: "captured",
	Surrendered: "surrendered", Away: "away", Back: "back", Left: "left", TakenOver: "taken-over", Out: "out", Ended: "ended",
	Killed: "killed", ModeValue: "mode-value",
}

func (k Kind) String() string {
	if k == 0 || k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

// Event is an event of the match. Fields that its kind does not use are absent: grid.NoSlot, grid.NoTeam or 0.
type Event struct {
	Kind    Kind
	Tick    grid.Tick // when it began
	End     grid.Tick // its last tick: Tick itself, but for a Fight
	Known   grid.Tick // when it was known: of a Fight, when no more losses could follow
	Slot    grid.Slot
	By      grid.Slot
	Team    grid.Team
	Other   grid.Team
	Placed  bool // it has a place
	At      grid.Pos
	Type    uint16
	Value   int32  // cost, of all resources
	Losses  []Loss // ascending by slot
	Reason  string
	Assists uint64 // of slots, a bit each
}

// Loss is a player's losses in a fight.
type Loss struct {
	Slot  grid.Slot `json:"slot"`
	Count int32     `json:"count"`
	Value int32     `json:"value"` // cost, of all resources
}

// Values is a player's possessions, and its achievements since the beginning.
type Values struct {
	Held    rules.Cost `json:"-"`       // of each resource
	Army    int32      `json:"army"`    // cost of the living armed units, workers aside
	Making  int32      `json:"making"`  // cost of units in training and structures under construction, queues aside
	Workers int32      `json:"workers"` // living units that carry resources
	Pop     int32      `json:"pop"`     // used, units in production included
	PopCap  int32      `json:"popCap"`

	// The fields below count up from the match's beginning.

	Gathered    rules.Cost `json:"-"`                  // of each resource
	Lost        int32      `json:"lost"`               // own units and structures that a player's damage destroyed
	LostValue   int32      `json:"lostValue"`          // their cost
	Killed      int32      `json:"killed"`             // entities of other teams that the player destroyed
	KilledValue int32      `json:"killedValue"`        // their cost
	Assisted    int32      `json:"assisted,omitempty"` // kills of others with damage by the player, in rulesets with assists
	Orders      int32      `json:"orders"`             // accepted
	Refused     int32      `json:"refused"`            // orders that were refused
}

// Timeline is the course of a match up to Last.
type Timeline struct {
	First grid.Tick   // the tick at which the match begins
	Last  grid.Tick   // up to here it was noted
	Rate  int         // ticks a second
	Teams []grid.Team // by slot

	Assists bool // the ruleset has assists

	// Step is how far points lie apart: Points[slot][k] is of tick First + k*Step.
	Step   grid.Ticks
	Points [][]Values
	// Now are the newest values, by slot: of the last full second, and after
	// [Builder.Finish] of tick Last.
	Now []Values

	// Omitted counts the events that found no room. EventsMax says when that is.
	Omitted int

	// The events in each team's sight, in any team's sight, and all events.
	lists []list
	log   list
}

// list is the list of some eyes.
type list struct {
	events []Event // ascending by Known
	counts [kinds]int
	losses int
}

// Events returns all that was known at a tick or earlier, in the order in which it became
// known. The list only grows at its end. It must not be changed.
func (t *Timeline) Events(to grid.Tick) []Event { return t.lists[t.all()].to(to) }

// Log returns all that was known at a tick or earlier for systems outside of the match: the events of [Timeline.Events],
// with each kill in place of the losses of structures, and with the values of the mode. The list only grows at its end.
// It must not be changed.
func (t *Timeline) Log(to grid.Tick) []Event { return t.log.to(to) }

// Seen returns the events that the frames of a live match show to a team's eyes, or with [grid.NoTeam] to all teams'
// eyes. They do not name the destroyer of a structure.
func (t *Timeline) Seen(eyes grid.Team, to grid.Tick) []Event {
	at := t.all() - 1
	if eyes != grid.NoTeam {
		if int(eyes) >= at {
			return nil
		}
		at = int(eyes)
	}
	return t.lists[at].to(to)
}

func (l *list) to(to grid.Tick) []Event {
	n := sort.Search(len(l.events), func(i int) bool { return l.events[i].Known > to })
	return l.events[:n:n]
}

// all is the index of the list that has everything.
func (t *Timeline) all() int { return len(t.lists) - 1 }

// PointsTo returns how many points each player has at a tick or earlier.
func (t *Timeline) PointsTo(to grid.Tick) int {
	if to < t.First || len(t.Points) == 0 {
		return 0
	}
	return min(int((to-t.First)/grid.Tick(t.Step))+1, len(t.Points[0]))
}

// Memory of a timeline, about.
const (
	valuesBytes = 76
	eventBytes  = 120
	lossBytes   = 12
)

// Bytes returns about how much memory the timeline takes.
func (t *Timeline) Bytes() int {
	n := 0
	for _, points := range t.Points {
		n += len(points) * valuesBytes
	}
	for i := range t.lists {
		n += t.lists[i].bytes()
	}
	return n + t.log.bytes()
}

func (l *list) bytes() int { return len(l.events)*eventBytes + l.losses*lossBytes }

// add notes an event, also for the teams that saw it.
func (t *Timeline) add(e Event, saw grid.TeamSet) {
	t.keep(e)
	t.show(e, saw)
}

// keep notes an event for eyes that may know all.
func (t *Timeline) keep(e Event) {
	if !t.lists[t.all()].add(e) {
		t.Omitted++
	}
	if e.Kind != BuildingLost {
		t.log.add(e)
	}
}

// show notes an event for the eyes that saw it. The frames of all teams' eyes do not tell which team sees an event.
func (t *Timeline) show(e Event, saw grid.TeamSet) {
	for i := range t.all() {
		if t.shows(i, saw) && (e.Kind != Contact || i < t.all()-1) {
			t.lists[i].add(e)
		}
	}
}

// shows reports whether the eyes of a list have something that these teams see.
func (t *Timeline) shows(list int, saw grid.TeamSet) bool {
	return list < t.all()-1 && saw.Has(grid.Team(list)) || list == t.all()-1 && saw != 0
}

// settle sorts the events that became known at the last tick by their content: the order of their discovery would
// reveal which entity was made first.
func (t *Timeline) settle() {
	for i := range t.lists {
		t.lists[i].settle(t.Last)
	}
	t.log.settle(t.Last)
}

func (l *list) settle(last grid.Tick) {
	from := len(l.events)
	for from > 0 && l.events[from-1].Known == last {
		from--
	}
	slices.SortFunc(l.events[from:], func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Tick, b.Tick), cmp.Compare(a.End, b.End), cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Team, b.Team),
			cmp.Compare(a.Other, b.Other), cmp.Compare(a.At.Y, b.At.Y), cmp.Compare(a.At.X, b.At.X), cmp.Compare(a.Type, b.Type), cmp.Compare(a.By, b.By),
			cmp.Compare(a.Reason, b.Reason))
	})
}

func (l *list) add(e Event) bool {
	e.End, e.Known = max(e.End, e.Tick), max(e.Known, e.Tick)
	most := EventsMax
	switch e.Kind {
	case Fight:
		most = FightsMax
	case Killed, ModeValue:
		most = LogMax
	}
	if l.counts[e.Kind] >= most {
		return false
	}
	l.counts[e.Kind]++
	l.losses += len(e.Losses)
	l.events = append(l.events, e)
	return true
}

// point adds the newest values as a point.
func (t *Timeline) point() {
	if len(t.Points[0]) == PointsMax {
		t.Step *= 2
		for s, all := range t.Points {
			for k := 0; 2*k < len(all); k++ {
				all[k] = all[2*k]
			}
			t.Points[s] = all[:(len(all)+1)/2]
		}
	}
	if (t.Last-t.First)%grid.Tick(t.Step) != 0 {
		return
	}
	for s := range t.Points {
		t.Points[s] = append(t.Points[s], t.Now[s])
	}
}

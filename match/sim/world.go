package sim

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim/nav"
	"github.com/fogkeep/fogkeep/orders"
	"github.com/fogkeep/fogkeep/visibility"
)

// World is the state of one match: entities, players, and each team's knowledge.
type World struct {
	// The constant parts.
	m     *grid.Map
	rules *rules.Ruleset
	rt    *runtime
	seed  uint64
	rate  int32 // ticks a second
	opts  Options
	mode  GameMode
	// Orders a player may give, a second and at once.
	orderRate, burst int32

	// The state, saved and hashed in full (save.go).
	tick     grid.Tick
	deserted grid.Ticks // since so many ticks no person is connected
	keeps    keepers    // the watchers for whom it goes on without players
	all      []*Entity  // sorted by id
	players  []player
	teams    []Knowledge
	eyes     *visibility.Engine
	solid    []uint8         // a tile's structures in the way of movement
	owner    []grid.EntityID // the structure on a tile, 0: no structure
	places   []bool          // tiles of the map's resource places, which are public; never changes
	due      []dueOrder      // accepted, waiting for their tick
	result   *Result
	guest    guest // in part state
	turns    turns
	scripts  scripts
	roll     rolling

	// Scratch and indexes, rebuilt from the state.
	index      [grid.SlotsMax + 1][]*Entity // by slot (the last: no owner) and counter
	newborns   []*Entity                    // made in this step, not yet in all
	pool       []*Entity                    // free
	lines      []Entity                     // for new entities, all free
	near       nearIndex
	events     []Event
	hits       []hit
	out        Outcome
	judge      judge
	scratch    orders.Scratch
	paths      *nav.Finder // its fields are state
	base       *nav.Base
	shared     *Ground                     // of base; see Ground
	asks       []*Entity                   // for a path
	requests   []nav.Request               // of findPaths
	routes     grid.Runner                 // that searches routes; see SetRouteRunner
	hubs       map[grid.Pos]int            // of asks: how many go there
	turn       []grid.Slot                 // slots in the order they act this tick
	spans      [grid.SlotsMax + 1][2]int32 // of each slot in all
	busy       []uint8                     // by place in all: the work of each entity in the current phase
	choices    []choice                    // by place in all: of the think phase
	choice     *choice                     // of the thinking unit, nil: no choice
	squad      []*Entity
	numbers    []uint32          // the client's numbers for the products of each of squad
	lists      [][]grid.EntityID // of units, free for orders to come
	ranks      []place
	around     []*Entity // the entities around aroundOf
	aroundOf   *Entity
	spots      []grid.Pos // taken at a structure
	foes       []*Entity
	fallen     []fallen // of this step
	dead       []*Entity
	credits    []credited
	feats      []feat     // of this step
	researched []research // in this step
	wounds     []wound    // sorted; state of rulesets with assists
	// Structures that were finished in this step, and what effects let see otherwise: their eyes open with the masks.
	refocused []*Entity
	captures  []capture // sorted by id
	features  []feature // with a state, in the order in which they were made
	wrecks    []wreck   // in the order in which they were made
	blind     []blindSpot
	taken     []taken   // in this step
	sounds    []sound   // of this step
	boarded   []*Entity // got into transports in this tick
	sunk      []*Entity // died in transports in this step
	deaths    bool      // something is gone and not removed
	series    Series
	saved     []byte // of the last Hash
	phases    PhaseHook
	harms     HarmHook
	verdicts  VerdictHook
	refused   func(grid.Slot, uint32) *Input // the full refused orders, for the hook
	witness   orders.Witness
	driver    *Driver
	bands     bands
}

// Phase is a part of a step, for measuring where the time goes.
type Phase uint8

// The phases of a step, in order.
const (
	PhaseIntake Phase = iota
	PhaseAct
	PhaseWork
	PhaseThink
	PhasePaths
	PhaseMove
	PhaseFight
	PhaseDeaths
	PhaseSight
	PhaseMode
	PhaseHash
	Phases
)

var phaseNames = [Phases]string{"intake", "act", "work", "think", "paths", "move", "fight", "deaths", "sight", "mode", "hash"}

func (p Phase) String() string { return phaseNames[p] }

// The world calls PhaseHook as each phase ends. It must not touch the world.
type PhaseHook func(Phase)

// OnPhase sets the hook; nil removes it. It is no part of the state.
func (w *World) OnPhase(h PhaseHook) { w.phases = h }

// OrderDelay is how many ticks after its arrival an order acts. The journal is
// written in that time. It is a constant, the same for all players.
const OrderDelay = 2

// New makes the world that the setup describes: at tick 0, or at the tick of the state with
// which the match begins. If the start units do not fit the map, the error is a
// [StartError].
func New(s Setup) (*World, error) {
	if s.Start != nil {
		return resume(s)
	}
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	w, err := empty(s)
	if err != nil {
		return nil, err
	}
	err = w.placeFeatures()
	if err == nil {
		err = w.mode.Init(w)
	}
	if err != nil {
		return nil, fmt.Errorf("sim: map %q: %w", s.Map.Name, err)
	}
	w.settle()
	w.addPoint()
	w.see()
	w.startHarvest()
	return w, nil
}

// empty returns the world without entities.
func empty(s Setup) (*World, error) {
	rate := s.TickRate
	if rate == 0 {
		rate = grid.TickRateDefault
	}
	mode, err := modeOf(s.Rules, s.Options.Mode)
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	eyes, err := visibility.New(visibility.Config{Map: sightMap(s.Map, s.Rules), Teams: s.teams()})
	if err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	n := s.Map.W * s.Map.H
	w := &World{
		m: s.Map, rules: s.Rules, rt: newRuntime(s.Rules, int32(rate)), seed: s.Seed, rate: int32(rate),
		opts: s.Options, mode: mode, eyes: eyes,
		solid: make([]uint8, n), owner: make([]grid.EntityID, n), places: make([]bool, n),
	}
	for _, t := range s.Map.Resources {
		w.places[s.Map.Index(t)] = true
	}
	if s.Options.NoReveal {
		w.rt.reveal = 0
	}
	w.orderRate, w.burst = s.Options.OrdersPerSecond, s.Options.OrderBurst
	if w.orderRate == 0 {
		w.orderRate = s.Rules.Settings.OrdersPerSecond
	}
	if w.burst == 0 {
		w.burst = s.Rules.Settings.OrderBurst
	}
	w.judge.w = w
	w.base, w.paths = nav.NewBase(s.Map), nav.NewFinder(s.Map, len(s.Players))
	if w.shared = s.Ground; w.shared != nil {
		w.base = w.shared.Share()
	}
	for i, p := range s.Players {
		w.players = append(w.players, newPlayer(w, grid.Slot(i), p))
	}
	for t := range s.teams() {
		w.teams = append(w.teams, newKnowledge(w, grid.Team(t)))
	}
	for i := range s.Rules.Types { // before the first tick has to
		if t := &s.Rules.Types[i]; t.Class == rules.ClassUnit && t.Move != grid.Air {
			for k := range w.teams {
				w.teams[k].ground.Prepare(nav.Body{Move: t.Move, Radius: t.Radius})
			}
		}
	}
	if w.shared == nil {
		w.shared = w.base.Share()
	}
	w.layGaps()
	w.near.init(w)
	w.series = newSeries(w.rate, len(w.players))
	return w, nil
}

// Step moves the world one tick. inputs are the tick's inputs, in the order of their slots.
// The outcome is valid until the next step. Once the match has ended, a step only answers.
func (w *World) Step(inputs []Input) Outcome {
	w.tick++
	w.out = Outcome{Tick: w.tick, Answers: w.out.Answers[:0], Notices: w.out.Notices[:0], Said: w.out.Said[:0]}
	w.events, w.fallen = w.events[:0], w.fallen[:0]
	w.scripts = scripts{thread: w.scripts.thread, orders: w.scripts.orders[:0]}
	w.pool = append(w.pool, w.dead...)
	w.dead = w.dead[:0]
	w.pool, w.sunk = append(w.pool, w.sunk...), w.sunk[:0]
	for i := range w.teams {
		w.teams[i].leaves = w.teams[i].leaves[:0]
	}
	w.intake(inputs)
	w.did(PhaseIntake)
	if w.result == nil {
		w.run()
	} else {
		w.see() // the world stands still, but temporary sight ends in its time
	}
	w.rollOn()
	if w.tick%grid.Tick(w.rate) == 0 || w.out.Ended != nil {
		w.out.Hashed, w.out.Hash = true, w.roll.hash
	}
	w.did(PhaseHash)
	return w.out
}

// run is the part of a step that a finished match no longer has.
func (w *World) run() {
	if w.driver != nil {
		w.drive()
		return
	}
	w.takeTurns()
	w.near.build(w)
	w.act()
	w.did(PhaseAct)
	w.work()
	w.settle()
	w.takeTurns()
	w.did(PhaseWork)
	w.think()
	w.stow()
	w.did(PhaseThink)
	w.findPaths()
	w.did(PhasePaths)
	w.move()
	w.did(PhaseMove)
	w.fight()
	w.settle()
	w.did(PhaseFight)
	w.removeDead()
	w.runCaptures()
	w.runFeatures()
	w.runWrecks()
	w.did(PhaseDeaths)
	// The mode comes before sight: a player who is out is blind from this tick on.
	end := w.mode.Tick(w)
	if over := w.abandoned(); end == nil {
		end = over
	}
	w.sample()
	if end != nil {
		w.finish(end)
	}
	w.removeDead() // of players who are out
	w.did(PhaseMode)
	w.see()
	w.rewardFeats()
	w.loseTargets()
	w.sortEvents()
	w.did(PhaseSight)
}

func (w *World) did(p Phase) {
	if w.phases != nil {
		w.phases(p)
	}
}

// Tick returns the tick of the last step, 0 before the first.
func (w *World) Tick() grid.Tick { return w.tick }

// TickRate returns the ticks in a second of match time.
func (w *World) TickRate() int { return int(w.rate) }

// Map returns the map as the match began.
func (w *World) Map() *grid.Map { return w.m }

// Ground returns what other matches on the map can share; see [Setup].
func (w *World) Ground() *Ground { return w.shared }

// Rules returns the ruleset.
func (w *World) Rules() *rules.Ruleset { return w.rules }

// Eyes returns the masks. They must only be read.
func (w *World) Eyes() *visibility.Engine { return w.eyes }

// Teams returns how many teams there are.
func (w *World) Teams() int { return len(w.teams) }

// Knowledge returns the team's knowledge. It must only be read.
func (w *World) Knowledge(t grid.Team) *Knowledge { return &w.teams[t] }

// Entities returns all entities in the order of their ids. It must only be
// read, and is good until the next step.
func (w *World) Entities() []*Entity { return w.all }

// Len returns how many entities there are.
func (w *World) Len() int { return len(w.all) }

// Entity returns the entity with that id, or nil.
func (w *World) Entity(id grid.EntityID) *Entity { return w.find(id) }

// Events returns the events of the last step. They are read-only, and good until the next
// step.
func (w *World) Events() []Event { return w.events }

// Kept reports whether an admin has the match go on without people.
func (w *World) Kept() bool { return w.keeps&keptByAdmin != 0 }

// Watched reports whether a spectator has the match go on.
func (w *World) Watched() bool { return w.keeps&keptByWatchers != 0 }

// Result returns how the match ended, nil while it runs.
func (w *World) Result() *Result { return w.result }

// find returns the living entity with that id, or nil.
func (w *World) find(id grid.EntityID) *Entity {
	if id == 0 {
		return nil
	}
	ix := &w.index[indexOf(id.Slot())]
	if c := id.Counter(); int64(c) < int64(len(*ix)) {
		return (*ix)[c]
	}
	return nil
}

// indexOf returns the slot's place in World.index.
func indexOf(s grid.Slot) int {
	if int(s) < grid.SlotsMax {
		return int(s)
	}
	return grid.SlotsMax
}

// Package sim is the world of a match and each team's knowledge. It is a pure state
// machine that moves one tick at a time.
//
//	Setup (map, ruleset, seed, players, options)
//	   │ New                                    Restore ◄── bytes
//	   ▼                                                      ▲
//	 World ── Step([]Input) ──► Outcome: answers, notices,    │
//	   │        once a tick      chat and pings, the end      │
//	   ├── Save, Rolling ─────────────────────────────────────┘
//	   └── read-only accessors ──► match/view (entities, Events, Knowledge of a team)
//
// One goroutine owns a World. The package has no locks, and only this goroutine may call
// the accessors, between two steps. A World opens no files, starts no goroutines and
// reads no clock.
//
// A setup may have a state to begin with ([Setup.Start]). [Branch] makes such a state from
// a tick of another match, [Stage] from the things that a scenario puts on the map. These
// are the two ways to begin a match other than by its mode.
//
// Only [World.Step] changes a World. The same Setup and the same inputs give the same
// [World.Rolling] at every tick on every machine. Therefore all numbers are integers, and
// entities are always visited in the order of their ids. There is no shared stream of
// random numbers: [World.draw] is a pure function of seed, tick, slot, the slot's own
// counter and a purpose. So a fight out of a team's sight cannot change the outcome of a
// fight in its sight.
//
// A unit's actions depend only on the knowledge of its team ([Knowledge]). It chooses
// targets that the team sees. It searches its path on the ground as the team remembers it
// (match/sim/nav). An obstacle that the team has not seen stops a unit only when the unit
// touches it.
//
// A tick has these phases, each in one file or more:
//
//	intake   judges and answers inputs; accepted orders wait two ticks
//	act      turns orders that are due into tasks of units
//	work     production, construction, harvest, abilities
//	think    each unit's running task decides where to go and what to shoot
//	paths    finds paths for units that need one, within a budget for each slot
//	move     steering and contact: friends are soft, foes are hard (crowd.go)
//	fight    scripts of abilities and effects (turns.go), weapons, projectiles, damage over time; then
//	         all damage at once
//	deaths   removes entities without health
//	mode     victory and defeat, of fogkeep's modes or a ruleset's (mode_ruleset.go)
//	sight    masks, witnessed deaths, visible entities, handles, ghosts, ground
//
// Entities have their turns in the phases one after the other, because the action of one
// may matter to the next: it takes a place, or uses up a resource. Most entities are idle
// in most phases: a unit in range shoots on. So if the world has a runner, work, think,
// move and fight begin with a look at all entities in bands, side by side (bands.go). This
// look does the work that concerns an entity alone, chooses its target, and finds the
// entities that need a turn.
package sim

// Package sim is the world of a match and what each team knows of it. It is a pure
// state machine that moves one tick at a time.
//
//	Setup (map, ruleset, seed, players, options)
//	   │ New                                    Restore ◄── bytes
//	   ▼                                                      ▲
//	 World ── Step([]Input) ──► Outcome: answers, notices,    │
//	   │        once a tick      chat and pings, the end      │
//	   ├── Save, Hash ────────────────────────────────────────┘
//	   └── read-only accessors ──► match/view (entities, Events, Knowledge of a team)
//
// One goroutine owns a World. Nothing here locks, and only that goroutine may call
// the accessors, between two steps. A World opens no files, starts no goroutines and
// reads no clock.
//
// Only [World.Step] changes a World. The same Setup and the same inputs give the same
// [World.Hash] at every tick on every machine. Therefore all numbers are integers,
// and entities are always visited in the order of their ids. There is no shared
// stream of random numbers: [World.draw] is a pure function of seed, tick, slot, the
// slot's own counter and a purpose. So a fight that a team does not see cannot change
// the outcome of one that it sees.
//
// What a unit does depends only on what its team knows. It chooses targets among
// those that the team sees. Its path is searched on the ground as the team remembers
// it (match/sim/nav). An obstacle that the team has not seen stops a unit only when
// the unit touches it. [Knowledge] has what a team knows.
//
// A tick has these phases, each in one file or more:
//
//	intake   judges and answers inputs; accepted orders wait two ticks
//	act      turns orders that are due into tasks of units
//	work     production, construction, harvest, abilities
//	think    each unit's running task decides where to go and what to shoot
//	paths    finds paths for units that need one, within a budget for each slot
//	move     steering and contact: friends are soft, foes are hard (crowd.go)
//	fight    weapons, projectiles, damage over time; then all damage at once
//	deaths   removes entities without health
//	mode     victory and defeat, of fogkeep's modes or a registered one (mode_world.go)
//	sight    masks, who saw which deaths, who is seen, handles, ghosts, ground
package sim

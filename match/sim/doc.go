// Package sim is the world of a match and what each team knows of it: a pure
// state machine that moves one tick at a time.
//
//	Setup (map, ruleset, seed, players, options)
//	   │ New                                    Restore ◄── bytes
//	   ▼                                                      ▲
//	 World ── Step([]Input) ──► Outcome: answers, notices,    │
//	   │        once a tick      what was said, the end       │
//	   ├── Save, Hash ────────────────────────────────────────┘
//	   └── read-only accessors ──► match/view (entities, Events, Knowledge of a team)
//
// One goroutine owns a World; nothing here locks, and accessors may be called
// between steps by that goroutine only. A World opens nothing, starts nothing
// and reads no clock.
//
// [World.Step] is the only thing that changes it. The same Setup and the same
// inputs give the same [World.Hash] at every tick on every machine: integers
// only, entities walked in the order of their ids, and no shared stream of
// random numbers. [World.draw] is a pure function of seed, tick, slot, the
// slot's own counter and a purpose, so a fight in the dark cannot shift what
// happens in the light.
//
// The package decides everything by what the acting team knows. Targets are
// chosen among what it sees; paths are searched over ground as it remembers
// it; what it has not seen stops a unit by touch alone. [Knowledge] is what is
// kept.
//
// A tick has these phases, one file or more each:
//
//	intake   inputs are judged and answered; accepted orders wait two ticks
//	act      orders that are due become tasks of units
//	work     production, construction, harvest, abilities
//	think    each unit's running task says where to go and what to shoot
//	paths    waypoints for units that need them, within a budget a slot
//	move     steering and contact
//	fight    weapons, projectiles, lasting damage, then all damage at once
//	deaths   what has no health left goes
//	mode     victory and defeat
//	sight    masks, who saw what go, who is seen, handles, ghosts, remembered ground
package sim

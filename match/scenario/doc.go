// Package scenario reads scenarios: matches that begin with what a designer put on the
// map, and the orders that are given in them.
//
//	JSON ──Parse──► Scenario ──Make(maps, rulesets)──► Lab: setup with a start, script
//	                                                    │
//	                                        Play ───────┴──► ticks, as records of a journal see them
//
// docs/scenarios.md describes the file, docs/scenario.schema.json is its JSON Schema.
// A file may come from anybody: its size, depth and every count are bounded, and what
// is wrong is an [Error] with the place in the file.
//
// A scenario is put on the map by [sim.Stage], which is the one way: so nothing stands
// where no match could have brought it, and each team knows what it sees. An order of a
// scenario is judged as a player's is.
//
// The package opens no file, reads no clock and starts no goroutine.
package scenario

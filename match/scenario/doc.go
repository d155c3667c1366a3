// Package scenario reads scenarios: matches that begin with units and structures of a designer, and their scripted
// orders.
//
//	JSON ──Parse──► Scenario ──Make(maps, rulesets)──► Lab: setup with a start, script
//	                                                    │
//	                                        Play ───────┴──► ticks, as records of a journal see them
//
// docs/build/scenarios.md describes the file, docs/scenario.schema.json is its JSON Schema.
// A file may come from any source: its size, depth and every count are bounded, and a fault is an [Error] with the
// place in the file.
//
// A scenario is put on the map by [sim.Stage], which is the one way: so units stand only in possible places, and
// each team knows its own view. An order of a scenario is judged as a player's is.
//
// The package opens no file, reads no clock and starts no goroutine.
package scenario

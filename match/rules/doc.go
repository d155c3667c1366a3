// Package rules reads rulesets: the numbers of a game that a designer tunes.
//
//	a JSON file ──► Parse ──► Ruleset: entity types, weapons, abilities, settings ──► match/sim
//
// [Parse] checks everything before use. An error names the file, the line and the field.
// Lengths become world units and times milliseconds. The simulation converts times to
// ticks, so one ruleset serves every tick rate. A [Ruleset] is never changed after it was
// read: any number of matches and goroutines may share it.
//
// The package has no rules that act: the code of abilities and of a match's end is in match/sim, or in a program that registers
// kinds of its own there (kinds.go). This package has their names, their fields and the fields' checks. It opens no files; the
// rulesets that come with fogkeep are embedded ([Shipped]). docs/reference/rules.md explains the file's fields.
package rules

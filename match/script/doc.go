// Package script compiles and calls the scripts of rulesets, which are written in Starlark.
//
//	source ──Compile──► Program ──Call(event, objects)──► effects ──► match/sim carries them out
//
// A handler is a function of a script with the name of an event. It is pure: it reads the
// objects that it is called with, and returns effects. It cannot act, and keeps nothing from
// one call to the next. A handler that fails has no effects. The caller carries out effects
// after the call, so that a handler never reads its own changes.
//
// A call is deterministic and bounded. The package counts the steps of the interpreter, and
// bounds numbers, texts and lists: [Compile] replaces each operation whose result can be
// large by a call of a function that checks the result and adds steps for it (guard.go).
// There are no floats, no load, no while and no recursion. Programs are frozen after
// Compile, and several goroutines may call one.
//
// Starlark is the only library that the pure core imports, and this is the only package
// that imports it. It counts steps exactly and has no clock, no random numbers and no state
// of its own.
package script

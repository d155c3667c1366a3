// Command mutation changes the product in small ways and counts how many of the
// changes the tests notice.
//
//	packages of targets.go ──► mutants (plan.go) ──► one test binary with all of them (build.go)
//	                                                  │ one run a mutant, of the tests that reach it (run.go)
//	survivors.txt (the ones with a reason) ──────────►┴──► score, survivors
//
// A mutant is one change: a comparison with its boundary moved or negated, an
// operand of && or || left out, an arithmetic operator replaced, a statement left
// out. All mutants of a package are compiled into it at once, each behind a
// switch that an environment variable sets (mutant schemata: Untch, Offutt and
// Harrold, "Mutation analysis using mutant schemata", ISSTA 1993). So a mutant
// costs the run of some tests, and no build. The sources on disk do not change:
// the build reads the changed ones from an overlay.
//
// With --web it is web/mutation that does the same for the browser client, its
// shaders included. With --named the mutants of named.txt are tried, each against the
// test that it names.
//
// Kept mutation testers for Go build once for each mutant and run whole packages;
// for this module that takes days. That is why this one exists.
package main

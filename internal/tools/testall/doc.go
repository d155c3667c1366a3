// Command testall runs every suite of the project and ends with one count.
//
//	gotestsum ──► JUnit ─┐
//	vitest ─────► TAP ───┼──► count ──► a line per suite ──► "N passed, N failed, N skipped"
//	node, C# ───► TAP ───┘
//
// scripts/test.sh calls it when everything that it needs is installed. gotestsum runs
// the Go tests and prints their failures. testall stays for three jobs that gotestsum
// does not do: it runs suites side by side so that two processors are busy while tests
// that watch the clock have the machine to themselves (main.go), it reads from the code
// which packages need the race detector (race.go), and it adds the counts of Go,
// TypeScript, browser and C# tests. The files of a browser suite share a browser
// (web/e2e/run.mjs). The race detector does not check SQLite, which is
// translated from C.
//
// A suite that ran no test has failed. The exit code is 1 if anything failed; the end of
// the output names each failure. Failed browser tests run once more if a whole run has at
// most two (rerun.go); the output names each: its cause has to be found. Failed Go tests
// do not run again.
package main

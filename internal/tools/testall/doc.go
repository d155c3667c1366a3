// Command testall runs every suite of the project and ends with one count.
//
//	go test -json ─┐
//	vitest JSON  ──┼──► count ──► a line a suite ──► "N passed, N failed, N skipped"
//	node TAP     ──┘
//
// What has goroutines is run with the race detector (race.go finds out), the rest
// without it. SQLite, which is translated from C, is not checked by the detector.
//
// scripts/test.sh calls it when everything that it needs is installed. It prints
// the output of tests that failed, and only numbers of those that passed: how many, how
// long, and the processor time of the processes that it waited for. A
// suite that ran no test has failed. The exit code is 1 if anything failed.
//
// When all suites have ended, tests that failed run once more, alone (again.go).
// Those that pass then are printed as UNSTABLE and do not fail the run. Data races,
// crashes, and failures in many places are not tried again.
package main

// Command testall runs every suite of the project and ends with one count.
//
//	go test -json ─┐
//	vitest JSON  ──┼──► count ──► a line a suite ──► "N passed, N failed, N skipped"
//	node TAP     ──┘
//
// What has goroutines is run with the race detector (race.go finds out), the rest
// without it.
//
// scripts/test.sh calls it when everything that it needs is installed. It prints
// the output of tests that failed, and only numbers of those that passed. A
// suite that ran no test has failed. The exit code is 1 if anything failed.
package main

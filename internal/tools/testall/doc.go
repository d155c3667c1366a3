// Command testall runs every suite of the project, one after another, and ends
// with one plain count.
//
//	go test -json ─┐
//	vitest JSON  ──┼──► count ──► a line a suite ──► "N passed, N failed, N skipped"
//	node TAP     ──┘
//
// scripts/test.sh calls it once everything it needs is there. It prints what
// failed with its output and what passed as a number, because a person reads
// the end of a long run first. A suite that ran no test has failed. It ends
// with exit code 1 if anything failed.
package main

// Package leak plants leaks in the fog, to show that the tests would find
// them.
//
//	go test -tags leak, FOGKEEP_LEAK=name ──► Is("name") in match/sim, match/view, proto/wire, match
//	any other build                       ──► On is false: the compiler drops what asks
//
// A leak is a few lines in a leak_on.go beside what it spoils, in builds with
// the tag leak alone; leak_off.go beside it has the same functions, empty, for
// all others. One leak at most is on at a time, by name. Tests of one goroutine
// set [Planted]; nothing else may. No release is built with the tag, and the
// package does nothing in one. Why it exists: a test of secrecy that never saw
// a secret told proves little (match/noninterference_test.go).
package leak

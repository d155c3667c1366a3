// Package leak switches planted leaks on: small faults that leak something
// hidden, with which tests show that they would find a real leak.
//
//	go test -tags leak, FOGKEEP_LEAK=name ──► Is("name") in match/sim, match/view, proto/wire, match, match/replayserver
//	any other build                       ──► On is false: the compiler drops what asks
//
// A planted leak is a few lines in a leak_on.go beside the code that it spoils.
// That file is only in builds with the tag leak. leak_off.go beside it has the
// same functions, empty, for all other builds. At most one leak is on, by name.
// Only tests that run on one goroutine set [Planted]. No release is built with
// the tag. A test of secrecy that never saw a leak proves little: see
// match/noninterference_test.go.
package leak

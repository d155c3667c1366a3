// Package leak plants leaks in the product: small faults that leak something hidden,
// with which tests show that they would find a real leak.
//
//	product files + edits (overlay.go) ─┐
//	testdata: the leaks of each package ┴─► Overlay ──► go test -overlay, FOGKEEP_LEAK=name ──► Is("name")
//
// testdata/match_sim.go has the leaks of match/sim, and so on. The edits put their calls
// into copies of product files, which the compiler reads in place of the product's. So the product contains no leak,
// and one build has all leaks, as a build of the mutation tests has all mutants. At most one leak is on, by name. Only
// tests that run on one goroutine set [Planted]. Tests alone import this package: see match/noninterference_test.go.
package leak

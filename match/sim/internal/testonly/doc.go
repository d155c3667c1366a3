// Package testonly holds the key to the parts of match/sim that only tests may
// use.
//
//	match/sim/simtest ──Key──► sim.World.Editor ──► sim.Editor
//
// Go lets only packages below match/sim import it. Of those, match/sim names the
// key as a parameter and match/sim/simtest makes one. No product package imports
// match/sim/simtest, which internal/arch tests, so none can call what takes a key.
// The package has no behaviour.
package testonly

// Key is the parameter of methods that only tests may call. No literal outside of
// this package can stand for it.
type Key struct{ _ int }

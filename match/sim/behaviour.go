package sim

import "strconv"

// Behaviour numbers how this build simulates. Two builds with the same number give the same
// [World.Rolling] and [World.Hash] at every tick of the same match, so either may continue a match of
// the other. Raise it with every change to the rules of the world, the shipped ruleset or the hashed
// state: TestBehaviour fails until then.
const Behaviour uint64 = 8

// Simulation names [Behaviour] for the nodes of a cluster. It is a variable only so that a test can run a node of another
// build.
var Simulation = strconv.FormatUint(Behaviour, 10)

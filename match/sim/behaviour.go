package sim

// Behaviour numbers how this build simulates. Two builds with the same number give the same
// [World.Rolling] and [World.Hash] at every tick of the same match, so either may continue a match of
// the other. Raise it with every change to the rules of the world, the shipped ruleset or the hashed
// state: TestBehaviour fails until then. Modes that a program registers have a version of their own
// ([RegisterMode]).
const Behaviour uint64 = 8

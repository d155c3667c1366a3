package sim

// Behaviour numbers how this build simulates. Two builds with the same number give
// the same [World.Rolling] and [World.Hash] at every tick of the same match, so either may continue what
// the other has begun. It is raised with every change of the rules of the world, of
// the shipped ruleset, or of what a hash is made of: TestBehaviour fails until it is.
// Modes that a program registers have a version of their own ([RegisterMode]).
const Behaviour uint64 = 5

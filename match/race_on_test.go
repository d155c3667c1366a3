//go:build race

package match

// raceOn: the race detector makes the tests ten times slower.
const raceOn = true

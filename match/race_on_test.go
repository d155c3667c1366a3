//go:build race

package match

// raceOn: the race detector makes all of it ten times slower.
const raceOn = true

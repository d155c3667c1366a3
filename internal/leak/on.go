//go:build leak

package leak

import "os"

// On reports whether this build has leaks to plant.
const On = true

// Planted names the leak that is on, "" is none.
var Planted = os.Getenv("FOGKEEP_LEAK")

// Count is what leaks remember over all players, by what they count. A test
// zeroes it with each run that begins.
var Count [4]int

// Is reports whether the leak of that name is on.
func Is(name string) bool { return Planted == name }

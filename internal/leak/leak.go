package leak

import "os"

// Planted names the leak that is on, "" is none.
var Planted = os.Getenv("FOGKEEP_LEAK")

// Count is the memory of leaks over all players, by their subject. A test zeroes it
// with each run that begins.
var Count [4]int

// Is reports whether the leak of that name is on.
func Is(name string) bool { return Planted == name }

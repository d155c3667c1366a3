//go:build !leak

package leak

// On reports whether this build has leaks to plant.
const On = false

// Is reports whether the leak of that name is on.
func Is(string) bool { return false }

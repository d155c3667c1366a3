// Package config is what an operator may set for `fogkeep serve`: flags, and
// environment variables of the same names, checked before anything starts.
//
//	FOGKEEP_ADDR=… --addr=… ──► kong ──► Server ──Check──► cmd/fogkeep wires
//
// A flag wins over its variable, a variable over the default. The struct is
// filled once, before any goroutine exists, and read-only after that. There is
// no default secret in it, and nothing here opens or connects: a value that
// cannot work is named with the flag that set it and with what to do.
package config

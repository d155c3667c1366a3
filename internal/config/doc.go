// Package config has the settings of `fogkeep serve`: flags, and environment
// variables of the same names, checked before anything starts.
//
//	FOGKEEP_ADDR=… --addr=… ──► kong ──► Server ──Check──► cmd/fogkeep starts the server
//
// A flag counts before its variable, a variable before the default. The struct
// is filled once, before any goroutine is started, and is read-only after that.
// There is no default secret. The package opens no file and no connection except
// to check a certificate. An error names the flag, its value, and what to set.
// docs/configuration.md has the table of all settings.
package config

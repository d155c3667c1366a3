package server

import "github.com/fogkeep/fogkeep/internal/telemetry"

// Version returns the version of the running program's module and the commit that
// was built, as far as the binary knows them. Journals name it.
func Version() string { return telemetry.Version() }

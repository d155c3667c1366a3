package hook

import "github.com/fogkeep/fogkeep/lobby/core"

// Service keeps endpoints and events. Any goroutine may call it.
type Service struct {
	*core.Core
	Outbound core.Outbound // where endpoints may be
}

package admission

import "github.com/fogkeep/fogkeep/lobby/core"

// Gate decides which accounts get in. The services of the domains embed it.
type Gate struct {
	*core.Core
	Protocol uint32 // the wire's version that clients must speak; 0: any
}

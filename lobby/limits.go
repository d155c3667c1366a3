package lobby

import "github.com/fogkeep/fogkeep/internal/budget"

// Ledger counts what accounts, addresses and the whole process take of the limits
// of docs/limits.md. It is the type that package match makes and names: one ledger
// serves both.
type Ledger = budget.Ledger

// Who takes something of a limit: an account, an address, or both.
type Who = budget.Who

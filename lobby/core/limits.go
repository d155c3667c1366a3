package core

import (
	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/internal/outbound"
)

// Ledger counts what accounts, addresses and the whole process take of the limits
// of docs/reference/limits.md. It is the type that package match makes and names: one ledger
// serves both.
type Ledger = budget.Ledger

// Resource names a resource that a [Limit] bounds, in each [Scope].
type (
	Resource = budget.Resource
	Limit    = budget.Limit
	Scope    = budget.Scope
)

// Outbound says which addresses requests to webhook endpoints may go to.
type Outbound = outbound.Policy

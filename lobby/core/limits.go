package core

import (
	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/quota"
)

// Ledger counts what accounts, addresses and the whole process take of the limits
// of docs/reference/limits.md. It is the type that package match makes and names: one ledger
// serves both.
type Ledger = quota.Ledger

// Resource names a resource that a [Limit] bounds, in each [Scope].
type (
	Resource = quota.Resource
	Limit    = quota.Limit
	Scope    = quota.Scope
)

// Outbound says which addresses requests to webhook endpoints may go to.
type Outbound = outbound.Policy

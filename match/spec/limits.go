package spec

import (
	"fmt"

	"github.com/fogkeep/fogkeep/internal/budget"
)

// Ledger counts what accounts, addresses and the whole process take of the limits
// of docs/limits.md, and is a collector of Prometheus metrics. nil has no limits.
type Ledger = budget.Ledger

// Payer is the account or the address, or both, on which a limit counts a use. The zero value
// is counted for the process alone.
type Payer = budget.Payer

// LimitError says which limit is in the way, and after what time another try may
// succeed.
type LimitError = budget.Refusal

// NewLedger returns a ledger with the default limits and these changes, each
// as in the flag --limit: "match-ticks.process=1280".
func NewLedger(changes ...string) (*Ledger, error) {
	limits, err := budget.Defaults().Set(changes)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	return budget.New(limits), nil
}

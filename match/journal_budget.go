package match

import (
	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/spec"
)

// A player's own budget pays for the disk that its inputs take. Refused inputs are
// journalled short ([sim.Compact]). Once the budget is used up, the match answers
// RATE_LIMITED here and keeps the input from the world and the journal.

// journalBudget is a seat's debt for its journalled inputs.
type journalBudget struct {
	owed int64 // bytes written and not yet paid for
	shed [shedKept]shedInput
}

// shedInput is the number of an input that was answered here.
type shedInput struct {
	seq  uint32
	used bool
}

// shedKept is how many shed inputs a seat remembers: a repeated one gets the same answer,
// and no effect.
const shedKept = 256

// pays reports whether an account's budget in the ledger has room, after paying for the
// written inputs.
func (t *journalBudget) pays(ledger *spec.Ledger, account string) bool {
	if t.owed == 0 {
		return true
	}
	pay := t.owed
	if most := ledger.Limit(budget.JournalBytes).Most[budget.Account]; most > 0 {
		pay = min(pay, most) // more than a whole budget is paid in parts
	}
	if ledger.Spend(budget.JournalBytes, budget.Payer{Account: account}, pay) != nil {
		return false
	}
	t.owed -= pay
	return t.owed == 0
}

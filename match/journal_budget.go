package match

import (
	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/spec"
)

// What a player's inputs take of the disk is its own budget's. Refused inputs are
// journalled short ([sim.Compact]). A player whose budget is used up is answered
// RATE_LIMITED here: the world and the journal hear nothing of it.

// journalBudget is what a seat owes for what was journalled.
type journalBudget struct {
	owed int64 // bytes written and not yet paid for
	shed [shedKept]shedInput
}

// shedInput is the number of an input that was answered here.
type shedInput struct {
	seq  uint32
	used bool
}

// shedKept is how many of them are remembered: one that comes again is answered
// as before, and not done.
const shedKept = 256

// pays reports whether an account's budget in the ledger has room, after paying for
// what was written.
func (t *journalBudget) pays(ledger *spec.Ledger, account string) bool {
	if t.owed == 0 {
		return true
	}
	pay := t.owed
	if most := ledger.Limit(budget.JournalBytes).Most[budget.Account]; most > 0 {
		pay = min(pay, most) // more than a whole budget is paid in parts
	}
	if ledger.Spend(budget.JournalBytes, budget.Who{Account: account}, pay) != nil {
		return false
	}
	t.owed -= pay
	return t.owed == 0
}

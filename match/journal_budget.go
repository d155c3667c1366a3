package match

import (
	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
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

// charge notes what the tick's inputs and their answers have added to the journal.
func (s *seats) charge(answers []sim.Answer) {
	for i := range s.inputs.short {
		in := &s.inputs.short[i]
		if int(in.Slot) >= len(s.all) || s.scripted(in.Slot) {
			continue
		}
		s.record = journal.AppendInput(s.record[:0], in)
		s.all[in.Slot].journalBudget.owed += int64(len(s.record))
	}
	for i := range answers {
		if s.scripted(answers[i].Slot) {
			continue
		}
		s.record = journal.AppendAnswer(s.record[:0], &answers[i])
		s.all[answers[i].Slot].journalBudget.owed += int64(len(s.record))
	}
}

// mayJournal reports whether the seat's budget has room, after paying for what
// was written.
func (s *seats) mayJournal(st *seat) bool {
	t := &st.journalBudget
	if t.owed == 0 {
		return true
	}
	ledger := s.host.budget
	pay := t.owed
	if most := ledger.Limit(budget.JournalBytes).Most[budget.Account]; most > 0 {
		pay = min(pay, most) // more than a whole budget is paid in parts
	}
	if ledger.Spend(budget.JournalBytes, budget.Who{Account: st.account}, pay) != nil {
		return false
	}
	t.owed -= pay
	return t.owed == 0
}

// takeInputs lets the inputs of a message in that the seat's budget has room for,
// and answers the others.
func (s *seats) takeInputs(st *seat, inputs []sim.Input) {
	if len(inputs) == 0 {
		return
	}
	room, now := s.mayJournal(st), s.world.Tick()
	for _, in := range inputs {
		row := &st.journalBudget.shed[in.Seq%shedKept]
		if room && !(row.used && row.seq == in.Seq) {
			in.Slot = st.slot
			s.inputs.accepted = append(s.inputs.accepted, in)
			continue
		}
		*row = shedInput{in.Seq, true}
		s.host.metrics.shed.Inc()
		st.backlog.Answer(0, now, sim.Answer{Slot: st.slot, Seq: in.Seq, Code: orders.RateLimited})
	}
}

package sim

import (
	"testing"

	"github.com/fogkeep/fogkeep/orders"
)

// The rules treat orders as the table of kinds says to players.
func TestRulesAreThoseOfTheTable(t *testing.T) {
	for k := orders.None + 1; k < orders.Surrender; k++ {
		f, r := k.Form(), &kindRules[k]
		if queues := f.Tasks == orders.Replaces || f.Tasks == orders.ReplacesToAim; queues != (r.task != nil) {
			t.Errorf("%v: the table says that it becomes a task: %v, it has a rule for tasks: %v", k, queues, r.task != nil)
		}
		if atOnce := f.Tasks != orders.Replaces; atOnce != (r.act != nil) {
			t.Errorf("%v: the table says that it acts at once: %v, it has a rule for that: %v", k, atOnce, r.act != nil)
		}
		if f.Group != (r.group != nil) {
			t.Errorf("%v: the table says that its units are a group: %v, it has a rule for that: %v", k, f.Group, r.group != nil)
		}
	}
}

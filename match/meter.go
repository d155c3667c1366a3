package match

import (
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// minuteSeconds is how many full seconds the last minute has.
const minuteSeconds = 60

// meter counts the traffic of one client, over all its connections, or of all
// spectators. It belongs to the match.
type meter struct {
	of  *counts   // of the match, or of a late broadcast
	now spec.Sums // of the second in work

	second, minute, match spec.Sums // as of the last full second
	last                  [minuteSeconds][spec.Cells]wire.Count
	at                    int // of the oldest of last
}

// sent counts a message that took sizes.
func (t *meter) sent(bytes int, sizes *wire.Sizes) {
	t.now.AddSent(bytes)
	t.now.AddSizes(sizes)
	t.of.all.Add(sizes)
}

// received counts messages of the client.
func (t *meter) received(r *link.Received) {
	t.now.AddReceived(r.Messages)
	t.now.AddSizes(&r.Sizes)
	t.of.all.Add(&r.Sizes)
}

// Frame counts a frame.
func (t *meter) Frame(bytes int, sizes *wire.Sizes, snapshot bool) {
	t.sent(bytes, sizes)
	t.of.frames++
	if snapshot {
		t.of.snapshots++
	}
}

// Message counts a message that tells of no entities.
func (t *meter) Message(msg []byte) {
	var by wire.Meter
	var sizes wire.Sizes
	by.Measure(msg, &sizes)
	t.sent(len(msg), &sizes)
}

// roll ends a second.
func (t *meter) roll() {
	oldest := &t.last[t.at]
	t.at = (t.at + 1) % minuteSeconds
	for i := range t.now {
		n := t.now[i]
		t.minute[i].Bytes += n.Bytes - uint64(oldest[i].Bytes)
		t.minute[i].Rows += n.Rows - uint64(oldest[i].Rows)
		oldest[i] = wire.Count{Bytes: uint32(n.Bytes), Rows: uint32(n.Rows)}
	}
	t.match.Add(&t.now)
	t.second, t.now = t.now, spec.Sums{}
}

// counts are sums over messages to clients.
type counts struct {
	all               wire.Sizes // since the last update of the metrics
	frames, snapshots uint64     // since the last full second
}

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
	if most := ledger.Limit(quota.JournalBytes).Most[quota.Account]; most > 0 {
		pay = min(pay, most) // more than a whole budget is paid in parts
	}
	if ledger.Spend(quota.JournalBytes, quota.Payer{Account: account}, pay) != nil {
		return false
	}
	t.owed -= pay
	return t.owed == 0
}

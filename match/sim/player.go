package sim

import (
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/orders"
)

// player is the state of one seat.
type player struct {
	slot       grid.Slot
	team       grid.Team
	start      int
	faction    uint8         // see [Player]
	income     int32         // see [Player]
	handicap   grid.Handicap // in full
	alive      bool
	bot        bool // until a person takes the seat over
	present    bool // its client is there, or inside the grace period
	online     bool // whether its client is connected
	leaver     bool // for good
	gaveUp     bool
	out        grid.Tick  // when defeated
	lentTo     uint8      // 1 + the slot of the team-mate who has the loan; 0: no loan
	lent       rules.Cost // of the stock
	stock      rules.Cost
	pop        int32 // used, units in production included
	popCap     int32
	score      int32
	shown      int32 // the part of the score that the team saw happen
	kills      int32
	assists    int32 // see assistState
	losses     int32
	products   int32
	gains      rules.Cost
	tokens     int32 // of orders, in 1/rate of one
	said       int32 // of chat and pings, in 1/rate of one
	answers    ledger
	standIn    bool    // a bot plays for the absent player
	ownAnswers ledger  // the player's answers meanwhile
	counts     []int32 // finished structures and living units, by type
}

// PlayerState holds the facts of a seat that only its own player may know.
type PlayerState struct {
	Slot   grid.Slot
	Team   grid.Team
	Start  int
	Alive  bool
	Stock  rules.Cost
	Pop    int32
	PopCap int32
	Score  int32 // for the losses that the team saw; the true score is in [Result]
}

// Player returns the state of a seat.
func (w *World) Player(s grid.Slot) PlayerState {
	p := &w.players[s]
	return PlayerState{p.slot, p.team, p.start, p.alive, p.stock, p.pop, w.popLimit(p), p.shown}
}

// Tally counts a player's deeds and losses so far. No player sees it while the match runs.
type Tally struct {
	Killed   int32 // of other teams
	Assists  int32 // at kills of others
	Lost     int32 // own units and structures, without those that went with its defeat
	Made     int32
	Gathered rules.Cost
}

// Tally returns a seat's tally so far.
func (w *World) Tally(s grid.Slot) Tally {
	p := &w.players[s]
	return Tally{p.kills, p.assists, p.losses, p.products, p.gains}
}

// Players returns how many seats there are.
func (w *World) Players() int { return len(w.players) }

func newPlayer(w *World, s grid.Slot, p Player) player {
	handicap, stock := p.Handicap.Full(), w.rules.Settings.StartStock
	for i := range stock {
		stock[i] = percent(stock[i], handicap.Start)
	}
	return player{
		slot: s, team: p.Team, start: p.Start, faction: p.Faction, bot: p.Bot, income: p.Income, handicap: handicap, alive: true, present: true, stock: stock,
		tokens: w.burst * w.rate, said: SaidBurst * w.rate,
		counts: make([]int32, len(w.rules.Types)),
	}
}

// canPay reports whether the stock covers the cost.
func (p *player) canPay(c rules.Cost) bool {
	for i := range c {
		if p.stock[i] < c[i] {
			return false
		}
	}
	return true
}

// hasAll reports whether the player has finished one of each type.
func (p *player) hasAll(types []uint16) bool {
	for _, t := range types {
		if p.counts[t] <= 0 {
			return false
		}
	}
	return true
}

// pay takes the cost off the stock; sign -1 gives it back. Only pay and deliveries
// of resources change a stock.
func (p *player) pay(c rules.Cost, sign int32) {
	for i := range c {
		p.stock[i] -= sign * c[i]
	}
}

// count adds n to the player's count of e's type.
func (w *World) count(e *Entity, n int32) {
	if int(e.slot) >= len(w.players) {
		return
	}
	p, t := &w.players[e.slot], &w.rules.Types[e.typ]
	if e.class == rules.ClassStructure && e.unbuilt {
		return
	}
	p.counts[e.typ] += n
	p.popCap += n * t.PopGives
	p.pop += n * t.Pop
}

// AnswersKept is how many of a player's last numbers are answered again as they
// were answered before; older ones are stale.
const AnswersKept = 256

// ledger keeps a player's last answers. So an order that arrives twice gets the
// same answer and is done once.
type ledger struct {
	any  bool
	top  uint32 // highest sequence number so far
	rows [AnswersKept]ledgerRow
}

type ledgerRow struct {
	seq  uint32
	used bool
	code orders.Reject
	acts grid.Tick
}

// recall returns the answer given to seq, if it was given; stale says that it
// is too old to know.
func (l *ledger) recall(seq uint32) (row ledgerRow, known, stale bool) {
	if !l.any {
		return ledgerRow{}, false, false
	}
	if seq <= l.top && l.top-seq >= AnswersKept {
		return ledgerRow{}, false, true
	}
	row = l.rows[seq%AnswersKept]
	return row, row.used && row.seq == seq, false
}

// keep notes the answer given to seq.
func (l *ledger) keep(seq uint32, code orders.Reject, acts grid.Tick) {
	if !l.any || seq > l.top {
		l.any, l.top = true, seq
	}
	l.rows[seq%AnswersKept] = ledgerRow{seq, true, code, acts}
}

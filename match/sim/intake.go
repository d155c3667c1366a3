package sim

import (
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/orders"
)

// How many chat lines and pings a player may send: sustained a second, and at
// once.
const (
	SaidPerSecond = 1
	SaidBurst     = 5
)

// dueOrder is an accepted order that waits for its tick.
type dueOrder struct {
	at       grid.Tick
	slot     grid.Slot
	seq      uint32
	kind     orders.Kind
	queued   bool
	abreast  bool
	hasPoint bool
	typ      uint16
	ability  uint8
	item     uint8
	lag      uint8
	target   grid.EntityID
	point    grid.Pos
	units    []grid.EntityID
	requests []uint32 // the client's numbers for the products of each of units; nil: no numbers
}

// intake judges and answers the inputs of this tick.
func (w *World) intake(inputs []Input) {
	for i := range w.players {
		p := &w.players[i]
		p.tokens = min(p.tokens+w.orderRate, w.burst*w.rate)
		p.said = min(p.said+SaidPerSecond, SaidBurst*w.rate)
	}
	for i := range inputs {
		in := &inputs[i]
		switch in.Kind {
		case InputKept:
			w.keeps.set(keptByAdmin, in.All)
			continue
		case InputWatched:
			w.keeps.set(keptByWatchers, in.All)
			continue
		}
		if int(in.Slot) >= len(w.players) || in.Kind >= inputEnd {
			continue // not a seat: there is no client to answer
		}
		p := &w.players[in.Slot]
		switch in.Kind {
		case InputOrder:
			w.answer(p, in)
		case InputChat, InputPing:
			w.say(p, in)
		case InputOrderRefused, InputSaidRefused:
			w.refuse(p, in)
		case InputAway:
			p.online = false
		case InputJoined:
			w.arrived(p, in.All)
		case InputGone:
			w.departed(p, false)
		case InputLeft:
			w.departed(p, true)
		case InputStandIn:
			w.stoodIn(p)
		case InputTaken:
			w.takenOver(p)
		case InputVoted:
			w.voted(p, in.Seq)
		}
	}
}

// voted carries out what the players have decided. A team gives up with its bots, whatever
// the rule for [Leavers] is.
func (w *World) voted(by *player, decision uint32) {
	switch {
	case w.result != nil:
	case decision == VotedRemake:
		w.finish(&Ending{grid.NoTeam, "remake"})
	case decision == VotedSurrender:
		for i := range w.players {
			if p := &w.players[i]; p.team == by.team && p.alive {
				p.gaveUp = true
				w.defeat(p)
			}
		}
	}
}

// answer judges one order, answers it, and schedules it if it is accepted.
func (w *World) answer(p *player, in *Input) {
	if w.answeredBefore(p, in.Seq) {
		return
	}
	a := Answer{Slot: p.slot, Seq: in.Seq}
	if p.tokens < w.rate {
		a.Code = orders.RateLimited
	} else {
		p.tokens -= w.rate
		r := orders.Validate(w.judging(), p.slot, min(in.AsOf, w.tick), in.Order, &w.scratch)
		a.Code = r.Code
		if r.Code == orders.OK {
			a.Acts = w.tick + OrderDelay
			a.Left = append([]orders.LeftOut(nil), r.Left...)
			w.schedule(p.slot, in, r, a.Acts)
		}
		if w.verdicts != nil {
			w.verdicts(Verdict{in, &r, w.witness.Asked})
		}
	}
	w.reply(p, a)
}

// reply answers an input, and keeps the answer.
func (w *World) reply(p *player, a Answer) {
	p.answers.keep(a.Seq, a.Code, a.Acts)
	w.out.Answers = append(w.out.Answers, a)
}

// answeredBefore answers a sequence number that was used before with the same
// answer, or as stale if that answer is no longer known. It reports whether it did.
// So an order that arrives twice is done once.
func (w *World) answeredBefore(p *player, seq uint32) bool {
	a := Answer{Slot: p.slot, Seq: seq}
	row, known, stale := p.answers.recall(seq)
	switch {
	case stale:
		a.Code = orders.Stale
	case known:
		a.Code, a.Acts, a.Again = row.code, row.acts, true
	default:
		return false
	}
	w.out.Answers = append(w.out.Answers, a)
	return true
}

func (w *World) schedule(s grid.Slot, in *Input, r orders.Result, at grid.Tick) {
	o := &in.Order
	var requests []uint32
	if o.Request != 0 {
		requests = make([]uint32, len(r.At))
		for i, at := range r.At {
			requests[i] = o.RequestOf(int(at))
		}
	}
	var units []grid.EntityID
	if n := len(w.lists); n > 0 {
		units, w.lists = w.lists[n-1], w.lists[:n-1]
	}
	w.due = append(w.due, dueOrder{
		at: at, slot: s, seq: in.Seq, kind: r.Kind, queued: o.Queued, abreast: o.Together, hasPoint: r.HasPoint, point: r.Point,
		typ: o.Type, ability: o.Ability, item: o.Item, requests: requests, target: r.Target,
		lag: uint8(min(uint32(in.Lag), uint32(w.rt.lagMax))), units: append(units[:0], r.Units...),
	})
}

// say passes a chat line or ping to its permitted receivers, or answers with the reason of
// the refusal. It shares its sequence numbers with orders.
func (w *World) say(p *player, in *Input) {
	if w.answeredBefore(p, in.Seq) {
		return
	}
	a := Answer{Slot: p.slot, Seq: in.Seq}
	bad := len(in.Text) > TextBytesMax || !utf8.ValidString(in.Text) || in.Kind == InputChat && in.Text == "" ||
		in.Kind == InputPing && !in.Ping.Valid()
	switch {
	case p.said < w.rate:
		a.Code = orders.RateLimited
	case bad:
		a.Code = orders.Malformed
	case in.Kind == InputPing && !w.m.InPos(in.Point):
		a.Code = orders.OffMap
	default:
		p.said -= w.rate
		line := Said{Slot: p.slot, To: grid.TeamSet(0).With(p.team)}
		if in.Kind == InputPing {
			line.Ping, line.Point = in.Ping, in.Point
		} else if line.Text = in.Text; in.All {
			line.To = ^grid.TeamSet(0)
		}
		w.out.Said = append(w.out.Said, line)
	}
	w.reply(p, a)
}

// refuse answers an input that was refused before with the same refusal. The world keeps
// only the answer of a refused order, and its count in the rate limit.
func (w *World) refuse(p *player, in *Input) {
	if w.answeredBefore(p, in.Seq) {
		return
	}
	if in.Kind == InputOrderRefused && in.Code != orders.RateLimited {
		p.tokens -= w.rate
	}
	w.rejudge(p, in)
	w.reply(p, Answer{Slot: p.slot, Seq: in.Seq, Code: in.Code})
}

// Compact appends to dst the parts of a step's inputs that a repetition of the step needs:
// for inputs that were refused or answered before, only the number and the code. answers
// are the step's answers, one for each input with a number, in order.
func Compact(dst, inputs []Input, answers []Answer, players int) []Input {
	for i := range inputs {
		in := inputs[i]
		short := InputOrderRefused
		switch in.Kind {
		case InputChat, InputPing, InputSaidRefused:
			short = InputSaidRefused
		case InputOrder, InputOrderRefused:
		default:
			dst = append(dst, in)
			continue
		}
		if int(in.Slot) >= players || len(answers) == 0 {
			continue // without a seat: it had no effect
		}
		a := &answers[0]
		answers = answers[1:]
		if a.Code != orders.OK || a.Again {
			in = Input{Kind: short, Slot: in.Slot, Seq: in.Seq, Code: a.Code}
		}
		dst = append(dst, in)
	}
	return dst
}

// arrived and departed track the connected players; the mode decides the consequences. A
// new client of the player does not know which numbers were used: it must not take earlier
// answers for its own.
func (w *World) arrived(p *player, anew bool) {
	if !p.leaver {
		p.present, p.online = true, true
		w.endStandIn(p)
		w.takeBack(p)
	}
	if anew {
		p.answers = ledger{}
	}
}

// takenOver gives the rest of a seat's match to a person. The person's client numbers
// its orders anew: answers that were given before must not be taken for its own.
func (w *World) takenOver(p *player) {
	if !p.leaver {
		w.endStandIn(p)
		p.bot, p.present, p.online, p.answers = false, true, true, ledger{}
		w.takeBack(p)
	}
}

// stoodIn gives the seat of an absent player to a bot. To the mode the player stays absent.
// The answers to the player's inputs wait for the player's return.
func (w *World) stoodIn(p *player) {
	if p.present {
		return
	}
	if !p.standIn {
		p.standIn, p.ownAnswers = true, p.answers
	}
	p.answers = ledger{}
}

// endStandIn gives the seat back to its player.
func (w *World) endStandIn(p *player) {
	if p.standIn {
		p.standIn, p.answers, p.ownAnswers = false, p.ownAnswers, ledger{}
	}
}

func (w *World) departed(p *player, forGood bool) {
	p.present, p.online = false, false
	p.leaver = p.leaver || forGood
}

// notice tells the owner of a task how it went wrong.
func (w *World) notice(e *Entity, t *task, code orders.Reject) {
	w.out.Notices = append(w.out.Notices, Notice{e.slot, t.seq, t.kind, code, e.id})
}

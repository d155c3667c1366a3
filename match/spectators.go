package match

import (
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/spec"
)

// delayTicks returns a delay in ticks, rounded up.
func (m *live) delayTicks(d time.Duration) grid.Ticks {
	return grid.Ticks((int64(d)*int64(m.rate) + int64(time.Second) - 1) / int64(time.Second))
}

// spectatorSeat finds the seat of one who may watch, nil if it has none yet. One
// account has one such seat.
func (m *live) spectatorSeat(who Seat) (*seat, error) {
	delay := m.delayTicks(who.Delay)
	refuse := func(text string) (*seat, error) { return nil, &link.Refusal{Code: "no_seat", Text: text} }
	switch {
	case m.spec.Spectators == 0:
		return refuse("this match takes no spectators")
	case who.Eyes != grid.NoTeam && int(who.Eyes) >= m.world.Teams():
		return refuse(fmt.Sprintf("the match has no team %d", who.Eyes+1))
	case who.Delay < 0 || who.Delay > spec.SpectatorDelayMax:
		return refuse(fmt.Sprintf("a delay of %v is outside 0 to %v", who.Delay, spec.SpectatorDelayMax))
	case m.seats.barred[who.Account].Code != "":
		why := m.seats.barred[who.Account]
		return nil, &why
	case m.seats.plays(who.Account):
		return refuse("you play in this match")
	case m.end.failed != "" || m.end.result != nil && m.beyond >= delay:
		return nil, &link.Refusal{Code: codeEnded, Text: "the match is over"}
	}
	return m.watches(who.Account), nil
}

// watches returns the seat of an account that watches, nil if it has none.
func (m *live) watches(account string) *seat {
	for _, st := range m.everySeat() {
		if st.broadcast != nil && st.account == account && !st.kicked {
			return st
		}
	}
	return nil
}

// takeSpectatorSeat returns the seat from which one watches as it may: st, if
// that is it, or a new one in its place.
func (m *live) takeSpectatorSeat(st *seat, who Seat) (*seat, error) {
	delay := m.delayTicks(who.Delay)
	if st != nil && st.broadcast.delay == delay && st.team == who.Eyes {
		return st, nil
	}
	if st != nil {
		m.unseat(st, &link.Refusal{Code: "replaced", Text: "you now watch from a newer connection of yours"})
	}
	g := m.broadcastOf(delay)
	if g == nil {
		return nil, &link.Refusal{Code: "no_seat", Text: "all seats for spectators are taken"}
	}
	st = &seat{slot: grid.NoSlot, team: who.Eyes, account: who.Account, meter: &m.traffic.spectators, broadcast: g}
	if g.late != nil {
		st.meter = &g.meter
	}
	defer st.hold()()
	g.seats = append(g.seats, st)
	return st, nil
}

// broadcastOf returns the broadcast with a delay if there is a seat left for one
// more: a free one, or one that nobody has sat in for longest.
func (m *live) broadcastOf(delay grid.Ticks) *broadcast {
	i := slices.IndexFunc(m.broadcasts, func(g *broadcast) bool { return g.delay == delay })
	if i < 0 && len(m.broadcasts) == broadcastsMax {
		return nil
	}
	var taken int
	var left *seat
	for _, g := range m.broadcasts {
		taken += len(g.seats)
		for _, st := range g.seats {
			if st.session == nil && (left == nil || st.lost.Before(left.lost)) {
				left = st
			}
		}
	}
	if taken >= m.spec.Spectators {
		if left == nil {
			return nil
		}
		left.broadcast.remove(left)
	}
	if i < 0 {
		i = len(m.broadcasts)
		m.broadcasts = append(m.broadcasts, m.newBroadcast(delay))
	}
	return m.broadcasts[i]
}

// unseat ends a spectator's connection and takes its seat.
func (m *live) unseat(st *seat, why *link.Refusal) {
	m.endSession(st, why)
	st.broadcast.remove(st)
}

// remove takes a seat out of the broadcast.
func (g *broadcast) remove(st *seat) {
	defer st.hold()()
	g.seats = slices.DeleteFunc(g.seats, func(o *seat) bool { return o == st })
}

// endSession ends a seat's connection, if it has one.
func (m *live) endSession(st *seat, why *link.Refusal) {
	defer st.hold()()
	if st.session == nil {
		return
	}
	if !st.over {
		st.session.dismiss(why)
	}
	m.vacate(st)
}

// watched reports whether a spectator is connected.
func (m *live) watched() bool {
	return slices.ContainsFunc(m.broadcasts, func(g *broadcast) bool {
		return slices.ContainsFunc(g.seats, func(st *seat) bool { return st.session != nil })
	})
}

// watching counts the seats of those who watch, there or not.
func (m *live) watching() (n int) {
	for _, g := range m.broadcasts {
		n += len(g.seats)
	}
	return n
}

// spectators lists those who watch.
func (m *live) spectators() (out []SpectatorInfo) {
	for _, g := range m.broadcasts {
		for _, st := range g.seats {
			in := SpectatorInfo{Account: st.account, Eyes: st.team, Delay: g.delay}
			if st.session != nil {
				in.Connected, in.Address, in.Epoch = true, st.session.by.from, st.right.Epoch
			}
			out = append(out, in)
		}
	}
	return out
}

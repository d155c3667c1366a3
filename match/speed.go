package match

import (
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/orders"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A match's speed is how fast its clock hands out ticks. The simulation does not
// know it: a second of match time has the same ticks at every speed. While the match
// is paused no tick is played. Its connections, what clients have applied, and chat
// go on, and orders wait for the next tick.
//
//	wish of a player ──► all who have a say wish the same ──► InputSpeed, journalled
//	                                                              │
//	                      beat: time of a tick; feeds: bytes a tick ◄┘
//
// Who plays alone has the only say. Bots and spectators have none.

const (
	speedNormal = 100
	// PausesMax is how often each player of several may ask for a pause.
	PausesMax = 3
	// pauseMost is how long a pause lasts where several people play.
	pauseMost = time.Minute
	// wishMost is how long a wish waits for the others.
	wishMost = 30 * time.Second
	// asksBurst bounds how often a player may change its wish: so often at once, and
	// once a second from then on.
	asksBurst = 10
	// heldMax is how many inputs of a player wait for the end of a pause.
	heldMax = 64
	// arrivedMax is how many comings and goings wait for it.
	arrivedMax = 64
	// pausesAlone is told to one who may pause as often as it likes.
	pausesAlone = 255
)

// speed is how fast a match runs, and what its players ask for.
type speed struct {
	percent int
	paused  bool
	by      grid.Slot // who asked for that first; NoSlot: nobody
	since   time.Time // when the pause began
	pass    bool      // one tick is played in spite of the pause
	beaten  time.Time // when clients were last told that it stands still
	seats   []speedSeat
}

// speedSeat is what of the speed belongs to a seat.
type speedSeat struct {
	wished bool
	want   wire.Speed
	at     time.Time // of the wish
	pauses int       // that it asked for and got
	asks   int       // it may still send at once
	filled time.Time
	held   []sim.Input // that wait for the end of a pause
	heard  int         // lines said in this pause
}

func newSpeed(percent, seats int, now time.Time) speed {
	if percent == 0 {
		percent = speedNormal
	}
	s := speed{percent: percent, by: grid.NoSlot, seats: make([]speedSeat, seats)}
	for i := range s.seats {
		s.seats[i].asks, s.seats[i].filled = asksBurst, now
	}
	return s
}

// input is the speed as the journal has it.
func (s *speed) input() sim.Input {
	return sim.Input{Kind: sim.InputSpeed, Slot: s.by, Seq: uint32(s.percent), All: s.paused}
}

// recall takes in a change of the speed from the journal.
func (s *speed) recall(in *sim.Input, now time.Time) {
	if !slices.Contains(spec.Speeds, int(in.Seq)) {
		return // of a build that had others
	}
	if in.All && !s.paused && int(in.Slot) < len(s.seats) {
		s.seats[in.Slot].pauses++
	}
	s.percent, s.paused, s.by, s.since = int(in.Seq), in.All, in.Slot, now
}

// ask takes in what a player wishes the speed to be.
func (m *live) ask(st *seat, want wire.Speed) {
	now := m.host.now()
	p := &m.speed.seats[st.slot]
	if gained := int(now.Sub(p.filled) / time.Second); gained > 0 {
		p.asks, p.filled = min(asksBurst, p.asks+gained), now
	}
	if p.asks == 0 || !slices.Contains(spec.Speeds, int(want.Percent)) || !m.seats.person(st) || m.end.closed() {
		return
	}
	p.asks--
	has := wire.Speed{Percent: uint32(m.speed.percent), Paused: m.speed.paused}
	begins := want.Paused && !has.Paused
	if begins && !m.seats.alone() && p.pauses >= PausesMax {
		return
	}
	p.wished, p.want, p.at = want != has, want, now
	m.speedChanged()
	if has.Paused && !want.Paused && want.Percent == has.Percent {
		m.setSpeed(want, st.slot) // that a match goes on needs nobody's consent
		return
	}
	m.settleWishes()
}

// settleWishes changes the speed if all who have a say wish the same. For a pause
// these are all persons who play and are connected. For all else they are those who
// may come back, too: nobody shall come back to a match that is three times as fast.
func (m *live) settleWishes() {
	first, found := grid.Slot(0), false
	var want wire.Speed
	for _, st := range m.seats.all {
		p := &m.speed.seats[st.slot]
		if !p.wished {
			continue
		}
		if found && p.want != want {
			return
		}
		if want = p.want; !found || p.at.Before(m.speed.seats[first].at) {
			first = st.slot
		}
		found = true
	}
	if !found {
		return
	}
	onlyPause := want.Paused && int(want.Percent) == m.speed.percent
	for _, st := range m.seats.all {
		has := m.seats.person(st) && (st.session != nil || !onlyPause && !st.gone)
		if has && !m.speed.seats[st.slot].wished {
			return
		}
	}
	m.setSpeed(want, first)
}

// noTicks is said where the budget has no room for a speed.
const noTicks = "The match keeps its speed: the server has no ticks left for a faster one. Try again later."

// setSpeed changes the speed, if the budget of ticks has room for it. The next tick
// journals it: a pause begins after that.
func (m *live) setSpeed(want wire.Speed, by grid.Slot) {
	s := &m.speed
	now := m.host.now()
	if err := m.holds.ticks.Resize(tickLoad(m.rate, int(want.Percent))); err != nil {
		want.Percent = uint32(s.percent)
		m.announce(noTicks)
	}
	if want.Paused && !s.paused {
		s.since, s.pass, s.beaten = now, true, time.Time{}
		if int(by) < len(s.seats) {
			s.seats[by].pauses++
		}
	}
	s.percent, s.paused, s.by = int(want.Percent), want.Paused, by
	for i := range s.seats {
		s.seats[i].wished, s.seats[i].heard = false, 0
	}
	m.inputs.add(s.input())
	m.speedChanged()
	m.publish()
}

// speedChanged makes the feeds tell everybody of the speed and of wishes.
func (m *live) speedChanged() {
	m.feeds.Speed.Percent = max(1, m.speed.percent*m.pace/paceFull)
	m.feeds.Speed.Version++
}

// tellSpeed returns what a client is told of the speed.
func (m *live) tellSpeed(slot grid.Slot) *pb.Speed {
	s := &m.speed
	now := m.host.now()
	out := &pb.Speed{Percent: uint32(s.percent), Paused: s.paused}
	if m.pace < paceFull {
		out.Held = uint32(m.pace)
	}
	if int(s.by) < len(m.seats.all) {
		out.By = uint32(s.by) + 1
	}
	alone := m.seats.alone()
	if s.paused && !alone {
		out.PauseMs = uint32(max(1, pauseMost-now.Sub(s.since)).Milliseconds())
	}
	if int(slot) < len(s.seats) && m.seats.person(m.seats.all[slot]) {
		if out.PausesLeft = pausesAlone; !alone {
			out.PausesLeft = uint32(max(0, PausesMax-s.seats[slot].pauses))
		}
	}
	for i := range s.seats {
		if p := &s.seats[i]; p.wished {
			out.Wishes = append(out.Wishes, &pb.SpeedWish{
				Slot: uint32(i), Percent: p.want.Percent, Paused: p.want.Paused, Ms: uint32(max(1, wishMost-now.Sub(p.at)).Milliseconds()),
			})
		}
	}
	return out
}

// standing plays the part of a tick that goes on in a pause, and reports whether
// there is no more of this one.
func (m *live) standing() bool {
	s := &m.speed
	now := m.host.now()
	for i := range s.seats {
		if p := &s.seats[i]; p.wished && (now.Sub(p.at) > wishMost || m.seats.all[i].session == nil) {
			p.wished = false
			m.speedChanged()
		}
	}
	if slices.ContainsFunc(s.seats, func(p speedSeat) bool { return p.wished }) {
		m.settleWishes() // somebody who had not agreed may have left
	}
	if s.percent != speedNormal && m.end.result == nil && m.seats.deserted(now) {
		m.setSpeed(wire.Speed{Percent: speedNormal, Paused: s.paused}, grid.NoSlot)
	}
	if !s.paused || s.pass || m.end.result != nil {
		s.pass = false
		return false
	}
	m.listen()
	switch {
	case !m.seats.alone() && now.Sub(s.since) >= pauseMost, m.seats.deserted(now):
		m.setSpeed(wire.Speed{Percent: uint32(s.percent)}, grid.NoSlot)
	case len(m.inputs.next) > arrivedMax:
		s.pass = true
	}
	if !s.paused || s.pass { // the next tick is played
		return true
	}
	beat := now.Sub(s.beaten) >= time.Second
	if beat {
		s.beaten = now
	}
	for _, st := range m.everySeat() {
		m.tellStanding(st, beat)
	}
	return true
}

// listen takes in what clients send during a pause. Orders, and the record of what
// is said, wait for the next tick.
func (m *live) listen() {
	for _, st := range m.seats.all {
		if st.session != nil {
			m.drainSeat(st)
		}
	}
	for _, g := range m.broadcasts {
		m.attend(g)
	}
}

// hold keeps a player's inputs until the pause ends, and lets others hear at once
// what it says. Of those who may hear it, the world decides in the same way.
func (m *live) hold(st *seat, inputs []sim.Input) {
	p := &m.speed.seats[st.slot]
	for _, in := range inputs {
		if len(p.held) >= heldMax {
			st.backlog.Answer(0, st.session.Sent(), sim.Answer{Seq: in.Seq, Code: orders.RateLimited})
			continue
		}
		p.held = append(p.held, in)
		if in.Kind != sim.InputChat || in.Text == "" || p.heard >= sim.SaidBurst || slices.ContainsFunc(p.held[:len(p.held)-1], func(o sim.Input) bool { return o.Seq == in.Seq }) {
			continue
		}
		p.heard++
		line := sim.Said{Slot: st.slot, Text: in.Text, To: grid.TeamSet(0).With(st.team)}
		if in.All {
			line.To = ^grid.TeamSet(0)
		}
		m.aired = append(m.aired, line)
		for _, to := range m.seats.all {
			if s := to.session; s != nil && line.To.Has(to.team) && s.Room() {
				s.SendStanding(m.standsTicks(), nil, &line)
			}
		}
	}
}

// wasHeard reports, once, whether a line was heard in the pause in which it was said.
func (m *live) wasHeard(line *sim.Said) bool {
	i := slices.IndexFunc(m.aired, func(a sim.Said) bool {
		return a.Slot == line.Slot && a.To == line.To && a.Text == line.Text && line.Ping == 0
	})
	if i < 0 {
		return false
	}
	m.aired = slices.Delete(m.aired, i, i+1)
	return true
}

// tellStanding tells a client, once a second, that the match stands still, and at
// once what has changed. One that has just come gets the frame of the present tick.
func (m *live) tellStanding(st *seat, beat bool) {
	s := st.session
	if s == nil || !s.Room() {
		return
	}
	f := m.feedOf(st)
	if st.broadcast == nil && s.Holds() < m.world.Tick() {
		if !f.Shows(st.team, m.world.Tick()) || !f.AtBeat() {
			m.speed.pass = true // nobody has looked with these eyes yet, or it is between two beats: a tick is needed
			return
		}
		f.Send(s.Receiver)
	}
	if news := s.SpeedNews(f); beat || news != nil {
		s.SendStanding(m.standsTicks(), news, nil)
	}
}

// standsTicks is what a client is told of how long the next frame takes: a second.
func (m *live) standsTicks() uint32 { return uint32(m.rate) }

//go:build !race

package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// ExitMatch is the match of the field table, for the tests of exits outside of this
// package: its journal, the match socket's messages to late spectators, and the oracle
// that checks them.
type ExitMatch struct {
	Setup   sim.Setup
	Records [][]byte
	Ticks   []grid.Tick // of each record; 0: of the setup
	Ended   grid.Tick
	Delay   grid.Tick // of the late spectators
	h       *history
	seats   []*fieldSeat
}

// ShownFrame is a message, and the tick that it shows.
type ShownFrame struct {
	Tick  grid.Tick
	Bytes []byte
}

// Two spectators come later than the others and are the first with their delay: their
// broadcast begins with a beat, as a replay does.
const (
	exitDelay = 3 * time.Second
	exitFrom  = 92
)

// PlayForExits plays it.
func PlayForExits(t *testing.T) *ExitMatch {
	t.Helper()
	fm := newFieldMatch(t, 1)
	for _, eyes := range []grid.Team{grid.NoTeam, 1} {
		s := &fieldSeat{receiver: &receiver{name: fmt.Sprint("exits ", eyes), slot: grid.NoSlot, team: eyes, delay: ticksOf(exitDelay)}, joins: exitFrom}
		s.who = Seat{Match: matchID, Slot: grid.NoSlot, Account: s.name, Spectator: true, Eyes: eyes, Delay: exitDelay}
		fm.seat(s)
	}
	d := &ExitMatch{Setup: fm.m.spec.Setup(), Delay: ticksOf(exitDelay), h: fm.h, seats: fm.seats}
	d.Setup.Start = fm.m.world.Save(nil) // it is staged
	for range 420 {
		fm.step()
	}
	setup, err := journal.SetupRecords(journal.Header{Match: matchID, Build: "test", Start: &journal.StartOf{}, Extra: fm.m.spec.Extra()}, d.Setup)
	if err != nil {
		t.Fatal(err)
	}
	d.Records, d.Ticks, d.Ended = append(setup, fm.log.records...), make([]grid.Tick, len(setup)), fm.ended
	for _, b := range fm.log.records {
		rec, err := journal.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		tick := d.Ticks[len(d.Ticks)-1]
		if rec.Tick != nil {
			tick = rec.Tick.Tick
		}
		d.Ticks = append(d.Ticks, tick)
	}
	return d
}

// DelayTime is how late they are.
func (d *ExitMatch) DelayTime() time.Duration { return exitDelay }

// Socket returns the frames that a late spectator with these eyes was sent at the match
// socket, over a good link.
func (d *ExitMatch) Socket(eyes grid.Team) (out []ShownFrame) {
	i := slices.IndexFunc(d.seats, func(s *fieldSeat) bool { return s.spectator() && s.team == eyes && s.delay == d.Delay })
	tick := grid.Tick(0)
	for _, s := range d.seats[i].got {
		f, err := parse(s.bytes)
		switch {
		case err != nil || f.Welcome != nil || f.Waiting != nil || f.Closing != nil:
			continue
		case f.Tick != 0:
			tick = grid.Tick(f.Tick)
		default:
			tick += grid.Tick(max(1, f.Span))
		}
		out = append(out, ShownFrame{tick, s.bytes})
	}
	return out
}

// Judge checks frames for some eyes by the rows of the field table, and returns the
// errors.
func (d *ExitMatch) Judge(eyes grid.Team, derives bool, frames []ShownFrame) []string {
	r := &receiver{name: "a replay", slot: grid.NoSlot, team: eyes, steady: true, derives: derives}
	for _, f := range frames {
		r.got = append(r.got, sent{f.Tick, f.Bytes})
	}
	var rows []fieldRow
	for _, row := range fieldTable {
		top, _, _ := cutPath(row.path)
		if !isMessage(row.path) && top != "budget" && top != "speed" && top != "votes" {
			rows = append(rows, row)
		}
	}
	_, out := judge(d.h, r, nil, rows, nil)
	return out.first
}

// Army returns the value of a player's series at a tick, counted from the history.
func (d *ExitMatch) Army(slot grid.Slot, at grid.Tick) (army, workers uint32) {
	for _, x := range d.h.at(at).things {
		typ := &d.Setup.Rules.Types[x.typ]
		switch {
		case x.slot != slot || x.class != rules.ClassUnit:
		case typ.Carry > 0:
			workers++
		case len(typ.Weapons) > 0:
			army += d.cost(x)
		}
	}
	return army, workers
}

func (d *ExitMatch) cost(x *thing) (n uint32) {
	for _, c := range d.Setup.Rules.Types[x.typ].Cost {
		n += uint32(c)
	}
	return n
}

// step is a tick and the one before, as some eyes saw them.
type seenStep struct {
	was, now   *moments
	saw, sees  map[grid.EntityID]stay
	eyes       grid.Team
	slot, by   grid.Slot
	typ        uint16
	tile       grid.Tile
	ofThisKind func(x *thing) bool
}

// JudgeEvent compares an event of a running match's timeline with the view of these eyes, "" if they agree.
func (d *ExitMatch) JudgeEvent(eyes grid.Team, e *pb.ReplayEvent) string {
	at, i := grid.Tick(e.Tick), d.h.eyesOf(eyes)
	s := seenStep{now: d.h.at(at), was: d.h.at(max(1, at) - 1), eyes: eyes}
	if s.now == nil {
		return "there is no such tick"
	}
	s.saw, s.sees = s.was.eyes[i].seen, s.now.eyes[i].seen
	s.slot, s.by, s.typ, s.tile = grid.Slot(e.Slot)-1, grid.Slot(e.By)-1, uint16(e.Type)-1, grid.Tile{X: int16(e.X), Y: int16(e.Y)}
	s.ofThisKind = func(x *thing) bool { return x != nil && x.typ == s.typ && x.pos.Tile() == s.tile }
	is, ok := map[pb.ReplayEventKind]func(*seenStep, *pb.ReplayEvent) bool{
		pb.ReplayEventKind_REPLAY_EVENT_KIND_CONTACT: d.isContact, pb.ReplayEventKind_REPLAY_EVENT_KIND_FIGHT: d.isFight,
		pb.ReplayEventKind_REPLAY_EVENT_KIND_STRUCTURE_LOST: d.isLost, pb.ReplayEventKind_REPLAY_EVENT_KIND_EXPANSION: d.isExpansion,
		pb.ReplayEventKind_REPLAY_EVENT_KIND_CAPTURED: d.isCapture, pb.ReplayEventKind_REPLAY_EVENT_KIND_AWAY: d.isPublic,
		pb.ReplayEventKind_REPLAY_EVENT_KIND_BACK: d.isPublic, pb.ReplayEventKind_REPLAY_EVENT_KIND_LEFT: d.isPublic,
		pb.ReplayEventKind_REPLAY_EVENT_KIND_TAKEN_OVER: d.isPublic, pb.ReplayEventKind_REPLAY_EVENT_KIND_OUT: d.isPublic,
		pb.ReplayEventKind_REPLAY_EVENT_KIND_ENDED: d.isPublic,
	}[e.Kind]
	if !ok {
		return "no frame tells such a thing"
	}
	if !is(&s, e) {
		return "these eyes did not see that"
	}
	return ""
}

// isContact: with a team's eyes, something of another team's that it sees, and never saw
// anything of before.
func (d *ExitMatch) isContact(s *seenStep, e *pb.ReplayEvent) bool {
	other := func(m *moments, sees map[grid.EntityID]stay) (out []*thing) {
		for id := range sees {
			x := m.things[id]
			if x.team == grid.Team(e.Other)-1 && x.class <= rules.ClassStructure && d.Setup.Rules.Types[x.typ].Relevance != rules.RelevantAlways {
				out = append(out, x)
			}
		}
		return out
	}
	for at := grid.Tick(1); at < s.now.tick; at++ { // tick 0 is staged, and never shown
		if m := d.h.at(at); len(other(m, m.eyes[d.h.eyesOf(s.eyes)].seen)) > 0 {
			return false
		}
	}
	return s.eyes != grid.NoTeam && e.Team == uint32(s.eyes)+1 && e.By == 0 &&
		slices.ContainsFunc(other(s.now, s.sees), func(x *thing) bool { return s.ofThisKind(x) && x.slot == s.slot })
}

// gone returns the things that these eyes saw in the tick before and that no longer
// exist.
func (s *seenStep) gone() (out []*thing) {
	for id := range s.saw {
		if x := s.was.things[id]; s.now.things[id] == nil && x.class <= rules.ClassStructure {
			out = append(out, x)
		}
	}
	return out
}

// isLost: a thing in their sight is gone. The event has no author.
func (d *ExitMatch) isLost(s *seenStep, e *pb.ReplayEvent) bool {
	return e.By == 0 && slices.ContainsFunc(s.gone(), func(x *thing) bool { return s.ofThisKind(x) && x.slot == s.slot && d.cost(x) == e.Value })
}

// isFight: of the losses of each player these eyes saw as many at that time, and one in
// its first tick and in its last.
func (d *ExitMatch) isFight(s *seenStep, e *pb.ReplayEvent) bool {
	count, value := map[grid.Slot]uint32{}, map[grid.Slot]uint32{}
	i := d.h.eyesOf(s.eyes)
	for at := grid.Tick(e.Tick); at <= grid.Tick(e.Until); at++ {
		then := seenStep{now: d.h.at(at), was: d.h.at(at - 1), saw: d.h.at(at - 1).eyes[i].seen}
		list := then.gone()
		if len(list) == 0 && (at == grid.Tick(e.Tick) || at == grid.Tick(e.Until)) {
			return false
		}
		for _, x := range list {
			count[x.slot], value[x.slot] = count[x.slot]+1, value[x.slot]+d.cost(x)
		}
	}
	all := uint32(0)
	for _, l := range e.Losses {
		if l.Count > count[grid.Slot(l.Slot)] || l.Value > value[grid.Slot(l.Slot)] {
			return false
		}
		all += l.Value
	}
	return all == e.Value && e.By == 0 && e.Slot == 0
}

func (d *ExitMatch) isExpansion(s *seenStep, _ *pb.ReplayEvent) bool {
	for id := range s.sees {
		if x := s.now.things[id]; s.ofThisKind(x) && x.slot == s.slot && x.built && s.was.things[id] != nil && !s.was.things[id].built {
			return true
		}
	}
	return false
}

// isCapture: they saw it with its old owner, and see it with the new one.
func (d *ExitMatch) isCapture(s *seenStep, e *pb.ReplayEvent) bool {
	for id := range s.sees {
		_, saw := s.saw[id]
		if x := s.now.things[id]; s.ofThisKind(x) && x.slot == s.slot && saw && s.was.things[id].slot == s.by {
			return true
		}
	}
	return false
}

// isPublic: frames tell all clients the states of the players, and the result.
func (d *ExitMatch) isPublic(s *seenStep, e *pb.ReplayEvent) bool {
	if e.Kind == pb.ReplayEventKind_REPLAY_EVENT_KIND_ENDED {
		return s.now.result != nil && s.was.result == nil
	}
	was, now := &s.was.players[s.slot], &s.now.players[s.slot]
	switch e.Kind {
	case pb.ReplayEventKind_REPLAY_EVENT_KIND_OUT:
		return was.Alive && !now.Alive
	case pb.ReplayEventKind_REPLAY_EVENT_KIND_LEFT:
		return now.left
	}
	return e.By == 0
}

// SchemaFields lists the fields of ServerFrame and of each message in it that begin
// with a prefix.
func SchemaFields(prefix string) (out []string) {
	for _, path := range schemaFields() {
		if strings.HasPrefix(path, prefix) {
			out = append(out, path)
		}
	}
	return out
}

// ParseFrame reads a message by the schema alone.
func ParseFrame(b []byte) (*pb.ServerFrame, error) { return parse(b) }

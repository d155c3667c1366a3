package match

import (
	"context"
	"fmt"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// Picture is a match at one tick for the server's admins: a picture of its world,
// with what a world does not know.
type Picture struct {
	*view.Picture
	Map    *grid.Map
	colors []uint8 // of players, by slot
}

// Color returns the colour of a player, 0 of nobody.
func (p *Picture) Color(s grid.Slot) uint8 {
	if int(s) >= len(p.colors) {
		return 0
	}
	return p.colors[s]
}

// ErrNoTeam: the match has no such team.
var ErrNoTeam = fmt.Errorf("match: no such team")

// Inspect returns a copy of a match as it stands, through the eyes of a team,
// or with [grid.NoTeam] all of it. With a team's eyes it has what that team is
// told, from the same [view.Builder] that its clients' frames come from.
func (s *Service) Inspect(ctx context.Context, id string, eyes grid.Team) (*Picture, error) {
	m := s.find(id)
	if m == nil {
		return nil, ErrNoMatch
	}
	var p *Picture
	err := m.do(ctx, func(m *live) { p = m.picture(eyes) })
	if err == nil && p == nil {
		err = ErrNoTeam
	}
	return p, err
}

// picture returns nil if there is no such team.
func (m *live) picture(eyes grid.Team) *Picture {
	p := &Picture{Map: m.spec.Map}
	switch {
	case eyes == grid.NoTeam:
		p.Picture = view.WholePicture(m.world)
	case int(eyes) < m.world.Teams():
		p.Picture = view.TeamPicture(m.world, eyes)
	default:
		return nil
	}
	for _, seat := range m.spec.Seats {
		p.colors = append(p.colors, seat.Color)
	}
	return p
}

// Holding is what the client of a player holds of what its team may know.
type Holding struct {
	Slot      grid.Slot
	Connected bool // without a connection the rest is nothing
	feed.Holding
}

// holdingRowsMax bounds what is told of what one client lacks.
const holdingRowsMax = 500

// Holdings returns what the clients of a team's players hold at the newest tick of a
// match that runs here.
func (s *Service) Holdings(ctx context.Context, id string, team grid.Team) (tick grid.Tick, out []Holding, err error) {
	m := s.find(id)
	if m == nil {
		return 0, nil, ErrNoMatch
	}
	err = m.do(ctx, func(m *live) {
		tick = m.world.Tick()
		for _, st := range m.seats.all {
			if st.team != team {
				continue
			}
			h := Holding{Slot: st.slot, Connected: st.session != nil}
			if h.Connected {
				h.Holding = m.output.players.Holding(st.session.Receiver, holdingRowsMax)
			}
			out = append(out, h)
		}
	})
	return tick, out, err
}

// Announce tells everyone in a match something; an empty id: in all matches.
// It comes to clients as said by nobody ([grid.NoSlot]) to all. How long a text
// may be is for those who let somebody announce: see lobby.ChatLenMax.
func (s *Service) Announce(ctx context.Context, id, text string) error {
	if id != "" {
		return s.ask(ctx, id, func(m *live) { m.announce(text) })
	}
	for _, in := range s.Matches() {
		if err := s.ask(ctx, in.ID, func(m *live) { m.announce(text) }); err != nil {
			return err
		}
	}
	return nil
}

// announce queues a line for every seat. It changes nothing in the match, so
// it is not journalled and waits for no disk.
func (m *live) announce(text string) {
	line := sim.Said{Slot: grid.NoSlot, To: ^grid.TeamSet(0), Text: text}
	for _, st := range m.everySeat() { // the server's own words are no secret of the match
		if st.kept() {
			st.backlog.Say(0, m.world.Tick(), line)
		}
	}
}

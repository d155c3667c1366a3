package match

import (
	"context"
	"slices"

	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
)

// Inspect returns a copy of a match as it stands, through the eyes of a team,
// or with [grid.NoTeam] all of it. With a team's eyes it has what that team is
// told, from the same [view.Builder] that its clients' frames come from.
func (s *Service) Inspect(ctx context.Context, id string, eyes grid.Team) (*spec.Picture, error) {
	m := s.find(id)
	if m == nil {
		return nil, ErrNoMatch
	}
	var p *spec.Picture
	err := m.do(ctx, func(m *live) { p = m.picture(eyes) })
	if err == nil && p == nil {
		err = spec.ErrNoTeam
	}
	return p, err
}

// picture returns nil if there is no such team.
func (m *live) picture(eyes grid.Team) *spec.Picture {
	p := &spec.Picture{Map: m.spec.Map, Seats: slices.Clone(m.spec.Seats)}
	switch {
	case eyes == grid.NoTeam:
		p.Picture = view.WholePicture(m.world)
	case int(eyes) < m.world.Teams():
		p.Picture = view.TeamPicture(m.world, eyes)
	default:
		return nil
	}
	return p
}

// holdingRowsMax bounds what is told of what one client lacks.
const holdingRowsMax = 500

// Holdings returns what the clients of a team's players hold at the newest tick of a
// match that runs here.
func (s *Service) Holdings(ctx context.Context, id string, team grid.Team) (tick grid.Tick, out []feed.Holding, err error) {
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
			var h feed.Holding
			if st.session != nil {
				h = m.output.players.Holding(st.session.Receiver, holdingRowsMax)
			}
			h.Slot, h.Connected = st.slot, st.session != nil
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
		release := st.hold()
		if st.kept() {
			st.backlog.Say(0, m.world.Tick(), line)
		}
		release()
	}
}

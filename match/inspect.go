package match

import (
	"context"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/feed"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/spec"
	"github.com/fogkeep/fogkeep/match/view"
)

// Inspect returns a copy of a match as it stands, through the eyes of a team, or with
// [grid.NoTeam] the whole match. A team's copy has what the server sends that team, from
// the [view.Builder] of its clients' frames.
func (s *Service) Inspect(ctx context.Context, id string, eyes grid.Team) (*spec.Picture, error) {
	var p *spec.Picture
	err := s.in(ctx, id, func(m *live) { p = m.picture(eyes) })
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

// holdingRowsMax bounds the list of rows that one client lacks.
const holdingRowsMax = 500

// Holdings returns what the clients of a team's players hold at the newest tick in a
// match that runs here.
func (s *Service) Holdings(ctx context.Context, id string, team grid.Team) (tick grid.Tick, out []feed.Holding, err error) {
	err = s.in(ctx, id, func(m *live) {
		tick = m.world.Tick()
		for _, st := range m.seats.all {
			if st.team != team {
				continue
			}
			var h feed.Holding
			if st.conn != nil {
				h = m.output.players.Holding(st.conn.Receiver, holdingRowsMax)
			}
			h.Slot, h.Connected = st.slot, st.conn != nil
			out = append(out, h)
		}
	})
	return tick, out, err
}

// Announce sends a text to everyone in a match; an empty id: in all matches. Clients get
// it as chat to all without a speaker ([grid.NoSlot]). The caller bounds the text: see
// lobby.ChatLenMax.
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

// Mute sets the accounts whose chat and pings matches refuse from now on, with the ends of the mutes; zero: for good.
func (s *Service) Mute(until map[string]time.Time) { s.muted.Store(&until) }

// clientTraffic is the traffic of one client, over all its connections in a match, as of
// the last full second.
type clientTraffic struct {
	slot grid.Slot // grid.NoSlot: all spectators together

	second, minute, match spec.Sums
}

func (c *clientTraffic) spans() spec.Spans {
	return spec.Spans{Second: c.second.Listed(), Minute: c.minute.Listed(), Match: c.match.Listed()}
}

// Traffic returns the traffic of a live match by client: the players by slot,
// then the spectators.
func (s *Service) Traffic(ctx context.Context, id string) (*spec.LiveTraffic, error) {
	tick, clients, err := s.clientTraffic(ctx, id)
	if err != nil {
		return nil, err
	}
	out := &spec.LiveTraffic{ID: id, Tick: tick}
	var all clientTraffic
	for i := range clients {
		c := &clients[i]
		all.second.Add(&c.second)
		all.minute.Add(&c.minute)
		all.match.Add(&c.match)
		line := spec.ClientTraffic{Slot: int(c.slot), Spans: c.spans()}
		if c.slot == grid.NoSlot {
			line.Slot, line.Spectators = -1, true
		}
		out.Clients = append(out.Clients, line)
	}
	out.All = all.spans()
	return out, nil
}

func (s *Service) clientTraffic(ctx context.Context, id string) (tick grid.Tick, clients []clientTraffic, err error) {
	err = s.in(ctx, id, func(m *live) {
		tick = m.world.Tick()
		for _, x := range m.connections.traffic.meters() {
			clients = append(clients, clientTraffic{x.slot, x.meter.second, x.meter.minute, x.meter.match})
		}
	})
	return tick, clients, err
}

// Trace calls each with every message that passes between the server and the player of a slot from now on, or with
// [grid.NoSlot] all spectators, until ctx ends, the match ends or each fails; only a failure of each is an error. It runs
// on the caller's goroutine. A slow reader loses lines and delays no client. [quota.Traces] bounds the traces that run
// at once.
func (s *Service) Trace(ctx context.Context, id string, slot grid.Slot, each func(spec.TraceLine) error) error {
	m := s.find(id)
	if m == nil {
		return ErrNoMatch
	}
	if slot != grid.NoSlot && int(slot) >= len(m.spec.Seats) {
		return ErrNoSeat
	}
	hold, err := s.cfg.Ledger.Take(quota.Traces, quota.Payer{Trusted: true}, 1)
	if err != nil {
		return err
	}
	defer hold.Release()
	t := &trace{slot: slot, packets: make(chan packet, packetsMax)}
	if err := m.do(ctx, func(m *live) { m.setTraces(append(m.connections.traces.all, t)) }); err != nil {
		return err
	}
	defer m.do(context.Background(), func(m *live) {
		m.setTraces(slices.DeleteFunc(m.connections.traces.all, func(o *trace) bool { return o == t }))
	})
	for {
		select {
		case p := <-t.packets:
			if err := each(t.line(p)); err != nil {
				return err
			}
			continue
		case <-ctx.Done():
			return nil
		case <-m.done:
		}
		for { // its last lines
			select {
			case p := <-t.packets:
				if err := each(t.line(p)); err != nil {
					return err
				}
			default:
				return nil
			}
		}
	}
}

// setTraces replaces the traces that run, for the clients that are there.
func (m *live) setTraces(to []*trace) {
	for _, g := range m.spectators.broadcasts {
		g.mu.Lock()
		defer g.mu.Unlock()
	}
	m.connections.traces.all = to
	for _, st := range m.spectators.everySeat() {
		if st.conn != nil {
			m.connections.traces.follow(st, m.feedOf(st))
		}
	}
}

package match

import (
	"context"
	"fmt"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
	"github.com/fogkeep/fogkeep/visibility"
)

// Picture is a match at one tick for the server's admins. It may show
// everything, so it is a type that no player's encoder takes.
type Picture struct {
	Tick     grid.Tick
	Map      *grid.Map
	Visible  []bool // one a tile, row by row; nil with all eyes
	Explored []bool
	Things   []Thing
}

// Thing is one entity of a [Picture].
type Thing struct {
	Key    uint32 // the entity's id with all eyes, the team's handle with a team's
	Type   string
	Class  rules.Class
	Ghost  bool      // remembered, not seen
	Slot   grid.Slot // [grid.NoSlot]: nobody's
	Team   grid.Team // [grid.NoTeam]: nobody's
	Color  uint8     // its player's, as the seat says; 0 of nobody's
	Pos    grid.Pos
	Facing grid.Facing
	Health int32
	Full   int32        // health of a whole one
	Size   uint8        // tiles a structure is wide
	Doing  string       // the order in work, "" for none; with all eyes
	Seen   grid.TeamSet // teams that see it; with all eyes
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
	err := m.do(ctx, func(m *live) {
		if eyes == grid.NoTeam {
			p = m.wholePicture()
		} else if int(eyes) < m.world.Teams() {
			p = m.teamPicture(eyes)
		}
	})
	if err == nil && p == nil {
		err = ErrNoTeam
	}
	return p, err
}

func (m *live) wholePicture() *Picture {
	p := &Picture{Tick: m.world.Tick(), Map: m.spec.Map}
	for _, e := range m.world.Entities() {
		t := &m.spec.Rules.Types[e.Type()]
		hp, _ := e.Health()
		th := Thing{
			Key: uint32(e.ID()), Type: t.Name, Class: t.Class, Slot: e.Slot(), Team: e.Team(), Pos: e.Pos(), Facing: e.Facing(),
			Health: hp, Full: t.Health, Size: uint8(t.FootW), Seen: e.SeenBy(),
		}
		if int(th.Slot) < len(m.spec.Seats) {
			th.Color = m.spec.Seats[th.Slot].Color
		}
		if task, busy := e.Running(); busy {
			th.Doing = task.Kind.String()
		}
		p.Things = append(p.Things, th)
	}
	return p
}

func (m *live) teamPicture(team grid.Team) *Picture {
	p := &Picture{Tick: m.world.Tick(), Map: m.spec.Map}
	eyes := m.world.Eyes()
	p.Visible, p.Explored = bools(eyes.Mask(visibility.VisibleNow, team)), bools(eyes.Mask(visibility.ExploredEver, team))
	var v view.View
	view.NewBuilder(team).Build(m.world, &v)
	for _, u := range v.Units {
		p.add(m, Thing{Key: uint32(u.Handle), Slot: u.Owner, Pos: u.Pos, Facing: u.Facing}, u.Type, int32(u.Values[view.ValueHealth]))
	}
	for _, g := range v.Ghosts {
		p.add(m, Thing{Key: uint32(g.Handle), Ghost: true, Slot: g.Owner, Pos: g.Pos, Facing: g.Facing}, g.Type, g.Missing)
	}
	return p
}

func (p *Picture) add(m *live, th Thing, typ uint16, missing int32) {
	t := &m.spec.Rules.Types[typ]
	th.Type, th.Class, th.Full, th.Health, th.Size = t.Name, t.Class, t.Health, t.Health-missing, uint8(t.FootW)
	th.Team = grid.NoTeam
	if int(th.Slot) < len(m.seats) {
		th.Team, th.Color = m.seats[th.Slot].team, m.spec.Seats[th.Slot].Color
	}
	p.Things = append(p.Things, th)
}

func bools(mask visibility.Mask) []bool {
	w, h := mask.Size()
	out := make([]bool, 0, w*h)
	for y := range h {
		for x := range w {
			out = append(out, mask.Has(grid.Tile{X: int16(x), Y: int16(y)}))
		}
	}
	return out
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

package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap/page"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// inspectAdapter is the match service as the live views of minimap/page ask for it.
type inspectAdapter struct{ *match.Service }

// Inspect implements page.Source.
func (a *inspectAdapter) Inspect(ctx context.Context, id string, eyes page.Eyes) (*page.State, error) {
	team := grid.NoTeam
	if eyes != page.EyesAll {
		if eyes < 0 || eyes >= grid.TeamsMax {
			return nil, page.ErrNoTeam
		}
		team = grid.Team(eyes)
	}
	p, err := a.Service.Inspect(ctx, id, team)
	switch {
	case errors.Is(err, match.ErrNoMatch):
		return nil, fmt.Errorf("%w: %w", page.ErrNoMatch, err)
	case errors.Is(err, match.ErrNoTeam):
		return nil, fmt.Errorf("%w: %w", page.ErrNoTeam, err)
	case err != nil:
		return nil, err
	}
	return page.StateOf(p.Picture, p.Map, p.Color), nil
}

// Traffic implements page.Source.
func (a *inspectAdapter) Traffic(ctx context.Context, id string) (*page.Traffic, error) {
	tick, clients, err := a.Service.Traffic(ctx, id)
	if errors.Is(err, match.ErrNoMatch) {
		return nil, fmt.Errorf("%w: %w", page.ErrNoMatch, err)
	}
	if err != nil {
		return nil, err
	}
	out := &page.Traffic{Tick: tick}
	var all match.ClientTraffic
	for i := range clients {
		c := &clients[i]
		all.Second.Add(&c.Second)
		all.Minute.Add(&c.Minute)
		all.Match.Add(&c.Match)
		out.Clients = append(out.Clients, page.ClientTraffic{Slot: c.Slot, Spans: spansOf(c)})
	}
	out.All = spansOf(&all)
	return out, nil
}

// Trace implements page.Source.
func (a *inspectAdapter) Trace(ctx context.Context, id string, slot grid.Slot, each func(page.TraceLine) error) error {
	err := a.Service.Trace(ctx, id, slot, func(l match.TraceLine) error {
		out := page.TraceLine{Tick: l.Tick, Account: l.Account, Bytes: l.Bytes, Frame: l.Frame, Snapshot: l.Snapshot, Lost: l.Lost}
		for _, p := range l.Parts {
			row := &wire.PartTable[p.Part]
			out.Parts = append(out.Parts, page.Part{Name: row.Name, Group: row.Group, Client: row.Client, Bytes: uint64(p.Count.Bytes), Rows: uint64(p.Count.Rows)})
		}
		return each(out)
	})
	switch {
	case errors.Is(err, match.ErrNoMatch):
		return fmt.Errorf("%w: %w", page.ErrNoMatch, err)
	case errors.Is(err, match.ErrNoSeat):
		return fmt.Errorf("%w: %w", page.ErrNoSeat, err)
	case errors.As(err, new(*budget.Refusal)):
		return fmt.Errorf("%w: %w", page.ErrTraces, err)
	}
	return err
}

func spansOf(c *match.ClientTraffic) page.Spans {
	return page.Spans{Second: sumsOf(&c.Second), Minute: sumsOf(&c.Minute), Match: sumsOf(&c.Match)}
}

// sumsOf lists what is not nothing, in the order of the table of parts.
func sumsOf(s *match.Sums) page.Sums {
	out := page.Sums{
		Sent:     page.Messages{Messages: s.Sent().Rows, Bytes: s.Sent().Bytes},
		Received: page.Messages{Messages: s.Received().Rows, Bytes: s.Received().Bytes},
	}
	for p := range wire.Parts {
		if n, row := s.Part(p), &wire.PartTable[p]; n.Bytes > 0 {
			out.Parts = append(out.Parts, page.Part{Name: row.Name, Group: row.Group, Client: row.Client, Bytes: n.Bytes, Rows: n.Rows})
		}
	}
	for c := range wire.Classes {
		if n := s.Class(c); n.Bytes > 0 {
			out.Classes = append(out.Classes, page.Class{Name: wire.ClassName(c), Bytes: n.Bytes, Rows: n.Rows})
		}
	}
	return out
}

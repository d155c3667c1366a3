package queue

import (
	"context"
	"fmt"
	"slices"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// Queues lists the queues there are. The caller does not change them.
func (s *Service) Queues() []model.Queue { return *s.queues.Load() }

// Waiting counts the players in the queues that are not empty.
func (s *Service) Waiting(ctx context.Context) (out map[string]model.QueueLength, err error) {
	return core.Get(ctx, s.Core, func(tx *db.Tx) (map[string]model.QueueLength, error) { return tx.Queues.Lengths() })
}

// Find finds a queue by its id.
func (s *Service) Find(id string) (*model.Queue, error) {
	queues := s.Queues()
	for i := range queues {
		if queues[i].ID == id {
			return &queues[i], nil
		}
	}
	return nil, model.UnknownQueue
}

// Pool lists the maps of a queue's week.
func (s *Service) Pool(q *model.Queue) []model.MapInfo { return q.Pool(s.Maps.Maps(), s.Now()) }

// Factions lists the factions of a queue's ruleset.
func (s *Service) Factions(q *model.Queue) []model.FactionInfo {
	o, err := model.ParseOptions(model.DefaultOptions(), q.Options)
	if err != nil || s.Room.Matches == nil {
		return nil
	}
	return s.Room.Matches.Factions(o.Ruleset)
}

// SetQueues replaces the queues. It takes parties out of queues that no longer exist. An
// error comes from [Service.CheckQueues], and then the queues stay.
func (s *Service) SetQueues(queues []model.Queue) error {
	if err := s.checkQueues(queues); err != nil {
		return err
	}
	var removed []string
	for _, q := range s.Queues() {
		if !slices.ContainsFunc(queues, func(n model.Queue) bool { return n.ID == q.ID }) {
			removed = append(removed, q.ID)
		}
	}
	s.removedQueues.Store(&removed)
	s.queues.Store(&queues)
	return nil
}

// CheckQueues reports the first queue whose matches could not be made: a map that is
// not there or too small, an option that is refused. The server calls it at the start.
func (s *Service) CheckQueues() error { return s.checkQueues(s.Queues()) }

func (s *Service) checkQueues(queues []model.Queue) error {
	for i := range queues {
		q := &queues[i]
		for _, id := range q.Maps {
			if m, ok := s.Maps.Map(id); !ok || m.Starts < q.Players() {
				return fmt.Errorf("queue %q: map %q is not there, or has fewer than %d start points", q.ID, id, q.Players())
			}
		}
		maps := q.MapsAmong(s.Maps.Maps())
		if len(maps) == 0 {
			return fmt.Errorf("queue %q: no map has %d start points", q.ID, q.Players())
		}
		for _, m := range maps {
			if _, err := s.Room.InitGame(room.NewLobby{Name: q.Name, Map: m.ID, Options: q.Options}); err != nil {
				return fmt.Errorf("queue %q, map %q: %w", q.ID, m.ID, err)
			}
		}
	}
	return nil
}

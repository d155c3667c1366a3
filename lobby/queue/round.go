package queue

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Round is the janitor's look at the queues, once a second: it notes which players are
// present, takes out absent ones, ends offers that were not accepted in time and makes
// new ones. Of several processes on one database one pairs at a time, and with a pause
// between two.
func (s *Service) Round(ctx context.Context) error {
	if err := s.noteSeen(ctx); err != nil {
		return err
	}
	if len(s.Queues())+len(*s.removedQueues.Load()) == 0 {
		return s.Room.Hub.PollStandings(ctx)
	}
	now := s.Now()
	work := false
	if err := s.Read(ctx, func(tx *db.Tx) error {
		lengths, err := tx.Queues.Lengths()
		if err != nil {
			return err
		}
		s.queueMetrics.lengths(s.Queues(), lengths)
		gone, err := tx.Parties.Unseen(now.Add(-QueueKeep), now.Add(-partyKeep), 1)
		work = len(lengths)+len(gone) > 0
		return err
	}); err != nil || !work {
		return errors.Join(err, s.Room.Hub.PollStandings(ctx))
	}
	var ready []model.OfferID
	err := s.matchmake(ctx, nil, func(tx *db.Tx) (err error) {
		ready = nil
		if err := s.dropUnseen(tx, now); err != nil {
			return err
		}
		if ready, err = s.endOffers(tx, now); err != nil {
			return err
		}
		return s.pair(tx, now)
	})
	if err != nil {
		return err
	}
	for _, id := range ready {
		s.startOffer(ctx, id)
	}
	return s.Room.Hub.PollStandings(ctx)
}

// noteSeen stores the players that this process has seen.
func (s *Service) noteSeen(ctx context.Context) error {
	seen := s.presence.takeSeen(s.Now(), s.Room.Hub.Standings())
	if len(seen) == 0 {
		return nil
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		if _, err := tx.Queues.Lock(); err != nil {
			return err
		}
		if err := tx.Relations.Seen(seen, s.Now()); err != nil {
			return err
		}
		return tx.Parties.Seen(seen, s.Now())
	})
}

// Bounds of one round, which keep its transaction short in a long queue. The oldest are
// served first, and the others a second later.
const (
	unseenBatch = 100 // parties with members who are gone
	offersBatch = 100 // offers in each queue
)

// dropUnseen takes members whose pages are gone out of their parties.
func (s *Service) dropUnseen(tx *db.Tx, now time.Time) error {
	gone, err := tx.Parties.Unseen(now.Add(-QueueKeep), now.Add(-partyKeep), unseenBatch)
	if err != nil {
		return err
	}
	for _, id := range gone {
		p, err := tx.Parties.Get(id)
		if err != nil {
			return err
		}
		keep := partyKeep
		if p.Queue != "" {
			keep = QueueKeep
		}
		for _, m := range p.Members {
			if m.Seen.Before(now.Add(-keep)) {
				if err := s.Seats.LeaveParty(tx, m.Account); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// endOffers ends the offers whose time is over, and returns the fully accepted ones:
// their process has died before it could start the match.
func (s *Service) endOffers(tx *db.Tx, now time.Time) (ready []model.OfferID, err error) {
	due, err := tx.Queues.DueOffers(now)
	if err != nil {
		return nil, err
	}
	for i := range due {
		o := &due[i]
		all, err := allAccept(tx, o)
		if err != nil {
			return nil, err
		}
		if all {
			ready = append(ready, o.ID)
			continue
		}
		for _, id := range o.Parties() {
			p, err := tx.Parties.Get(id)
			if errors.Is(err, model.ErrNotFound) || err == nil && (p.Offer != o.ID || p.Accepted()) {
				continue
			}
			if err != nil {
				return nil, err
			}
			for _, m := range p.Members {
				if !m.Accepted {
					s.queueMetrics.answer("missed")
					if err := s.Seats.Missed(tx, m.Account); err != nil {
						return nil, err
					}
				}
			}
			p.LeaveQueue(model.OfferMissed)
			if err := tx.Parties.Save(p); err != nil {
				return nil, err
			}
		}
		if err := seat.DropOffer(tx, o.ID); err != nil {
			return nil, err
		}
	}
	return ready, nil
}

// pair makes offers for the waiting parties.
func (s *Service) pair(tx *db.Tx, now time.Time) error {
	last, err := tx.Queues.Lock()
	if err != nil || now.Sub(last) < pairEvery && !now.Before(last) || now.UnixMilli() < s.pausedUntil.Load() {
		return err
	}
	state, err := tx.Nodes.State()
	if err != nil || state.Draining {
		return err
	}
	if err := tx.Queues.SetPaired(now); err != nil {
		return err
	}
	waiting, err := tx.Parties.Waiting()
	if err != nil {
		return err
	}
	for _, p := range waiting {
		if slices.Contains(*s.removedQueues.Load(), p.Queue) {
			p.LeaveQueue(model.UnknownQueue)
			if err := tx.Parties.Save(p); err != nil {
				return err
			}
		}
	}
	queues := s.Queues()
	for i := range queues {
		q := &queues[i]
		parties := map[string]*model.Party{}
		var entries []matchmaking.Entry
		for _, p := range waiting {
			if p.Queue == q.ID {
				entries, parties[string(p.ID)] = append(entries, p.Entry()), p
			}
		}
		if err := avoid(tx, entries, parties); err != nil {
			return err
		}
		rules := q.Rules()
		matches := rules.Pair(now, entries)
		for _, m := range matches[:min(len(matches), offersBatch)] {
			if err := s.offer(tx, q, m, parties, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// avoid notes in entries which others their members avoid.
func avoid(tx *db.Tx, entries []matchmaking.Entry, parties map[string]*model.Party) error {
	var accounts []model.AccountID
	in := map[model.AccountID]int{}
	for i, e := range entries {
		for _, m := range parties[e.ID].Members {
			accounts, in[m.Account] = append(accounts, m.Account), i
		}
	}
	pairs, err := tx.Relations.Among(model.Avoid, accounts)
	for _, p := range pairs {
		if a, b := in[p[0]], in[p[1]]; a != b {
			entries[a].Avoids = append(entries[a].Avoids, entries[b].ID)
		}
	}
	return err
}

// offer asks the parties of a match to accept it. If one of the players cannot play
// now, that party is out of the queue, and the others are paired anew in the next
// round.
func (s *Service) offer(tx *db.Tx, q *model.Queue, m matchmaking.Match, parties map[string]*model.Party, now time.Time) error {
	o := model.Offer{ID: model.OfferID(model.NewID()), Queue: q.ID, Bots: m.Bots, Expires: now.Add(AcceptFor)}
	ok := true
	var vetoes [2][][]string
	for t, ids := range m.Teams {
		for _, id := range ids {
			p := parties[id]
			if _, err := s.dropIfBarred(tx, p); err != nil {
				return err
			}
			ok = ok && p.Queue != ""
			vetoes[t] = append(vetoes[t], p.Vetoes)
			o.Teams[t] = append(o.Teams[t], p.ID)
		}
	}
	random := rand.New(rand.NewPCG(play.RandomSeed(), play.RandomSeed()))
	maps, struck := q.Strike(s.Pool(q), vetoes, random)
	if !ok || len(maps) == 0 {
		return nil // without maps the queue waits for them
	}
	o.Map, o.Vetoed = maps[random.IntN(len(maps))].ID, struck
	if err := tx.Queues.AddOffer(o); err != nil {
		return err
	}
	for _, id := range o.Parties() {
		p := parties[string(id)]
		p.Offered(o.ID)
		if err := tx.Parties.Save(p); err != nil {
			return err
		}
	}
	return nil
}

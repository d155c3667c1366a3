package studio

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Bounds of the webhooks "match.events".
const (
	FeedsMax   = 8               // matches that a node reads by turns; the next match follows when a match is done
	FeedBatch  = 200             // events in one webhook event
	FeedEvery  = 5 * time.Second // from one to the next of a match
	feedLease  = time.Minute     // longer than a reading takes; then another process reads
	feedGiveUp = time.Hour       // a match that is over for so long has no complete journal
)

// Feed reads on in the matches whose events webhooks want, and reports the events to the
// endpoints. A process reads the matches of its own node, and matches that other nodes leave
// unread. lobby/webhook calls it about once a second.
func (s *Service) Feed(ctx context.Context) error {
	if s.Replay.Replays == nil {
		return nil
	}
	due, err := core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.MatchFeed, error) {
		return tx.Hooks.Feeds(s.Node, s.Now().Add(-feedLease), FeedsMax)
	})
	for _, f := range due {
		if f.Due.After(s.Now()) {
			continue
		}
		err = errors.Join(err, s.feed(ctx, f))
	}
	return err
}

// feed reports the next events of one match.
func (s *Service) feed(ctx context.Context, f model.MatchFeed) error {
	var m model.Match
	claimed := false
	until := s.Now().Add(feedLease)
	if err := s.Write(ctx, func(tx *db.Tx) (err error) {
		if claimed, err = tx.Hooks.ClaimFeed(f, until); err != nil || !claimed {
			return err
		}
		m, err = tx.Matches.Get(f.Match)
		return err
	}); err != nil || !claimed {
		return err
	}
	log, err := s.eventsOf(ctx, &m, f.Told, FeedBatch)
	ended := log.Complete
	if err != nil {
		log = model.MatchEvents{Next: f.Told} // a later look may find the journal, or room to read it
	}
	if m.Over() && m.Ended.Before(s.Now().Add(-feedGiveUp)) && log.Next == f.Told {
		ended = true
	}
	told := f.Told
	if f.Told, f.Due = log.Next, s.Now().Add(FeedEvery); len(log.Events) == FeedBatch {
		f.Due = s.Now()
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Lock(f.Match)
		if err != nil {
			return err
		}
		if saved, err := tx.Hooks.SaveFeed(f, told); err != nil || !saved {
			return err // another process has told them
		}
		if len(log.Events) > 0 {
			if err := s.Hooks.Tell(tx, hook.Notice{Kind: hook.HookMatchEvents, Match: &m, Log: &log}); err != nil {
				return err
			}
		}
		if wanted, err := s.Hooks.Wanted(tx, &m); err != nil || wanted && !ended {
			return err
		}
		return tx.Hooks.DropFeed(m.ID)
	})
}

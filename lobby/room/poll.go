package room

import (
	"context"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/poll"
)

// PollRequest is a player's question to the players of its lobby.
type PollRequest struct {
	Kind model.PollKind `json:"kind" enum:"kick,start,settings"`
	Slot *int           `json:"slot,omitempty" doc:"of kick: the seat of the player"`
	model.SettingsAsked
}

// Ask opens a question of a player. A question that could not be carried out is refused as the host's own
// change would be.
func (s *Service) Ask(ctx context.Context, id model.LobbyID, a model.AccountID, q PollRequest) (*model.Lobby, error) {
	return s.Play.ChangeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) error {
		p := model.Poll{Kind: q.Kind}
		switch q.Kind {
		case model.PollKick:
			i := -1
			if q.Slot != nil {
				i = l.SeatAt(*q.Slot)
			}
			if i < 0 || l.Seats[i].Account == "" {
				return model.NoSuchSeat
			}
			p.Target = l.Seats[i].Account
		case model.PollSettings:
			p.Change = q.SettingsAsked
		}
		key, now := "poll:"+string(id)+":"+string(a), s.Now()
		asked, until, err := tx.Throttle.Counted(key, now)
		if err != nil {
			return err
		}
		if err := l.Ask(a, p, now); err != nil {
			return err
		}
		if asked > 0 {
			return &model.Error{Code: model.Throttled, Detail: "you asked a short time ago", RetryAfter: until.Sub(now)}
		}
		trial := *l
		trial.Seats = slices.Clone(l.Seats)
		if err := s.carryOut(&trial, l.Poll); err != nil {
			return err
		}
		rest := time.Duration(l.Options.VoteCooldown) * time.Second
		_, _, err = tx.Throttle.Count(key, 1, now, time.UnixMilli(l.Poll.Ends).Sub(now)+rest)
		return err
	})
}

// Vote counts a player's vote on the open question, and carries the question out if it passes.
func (s *Service) Vote(ctx context.Context, id model.LobbyID, a model.AccountID, num int64, yes bool) (*model.Lobby, error) {
	return s.Play.ChangeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) error {
		if err := l.Vote(a, num, yes, s.Now()); err != nil {
			return err
		}
		return s.Decide(tx, l)
	})
}

// Decide carries out a question that passes: by a vote, or since a voter has left or was removed. The server tells all members why it
// cannot. The janitor makes the match of a passed start, and tells its failure likewise.
func (s *Service) Decide(tx *db.Tx, l *model.Lobby) error {
	p := l.SettlePoll(s.Now())
	if p == nil {
		return nil
	}
	if p.Kind == model.PollKick {
		l.Remove(p.Target, "the players of the lobby voted for it")
		return s.keepOut(tx, l.ID, p.Target, "the players of the lobby have removed the player")
	}
	trial := *l
	trial.Seats = slices.Clone(l.Seats)
	if err := s.carryOut(&trial, p); err != nil {
		p.Over = poll.Failed
		l.Announce("the vote has no effect: " + model.AsError(err).Text())
		l.Changed()
		return nil
	}
	*l = trial
	return nil
}

// carryOut changes the settings that a question asks for, or begins the match, as its host could do it.
func (s *Service) carryOut(l *model.Lobby, p *model.Poll) error {
	switch p.Kind {
	case model.PollStart:
		return l.Begin(l.Host, s.Now())
	case model.PollSettings:
		set, err := s.settings(LobbyChange{Map: p.Change.Map, Limit: p.Change.Limit})
		if err != nil {
			return err
		}
		return s.apply(l, l.Host, set, p.Change.Options)
	}
	return nil
}

package queue

import (
	"context"
	"errors"
	"slices"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
	"github.com/fogkeep/fogkeep/match/grid"
)

// LeaderboardPage bounds the rows of one answer.
const LeaderboardPage = 100

// Leader is a row of a leaderboard.
type Leader struct {
	Place int // from 1
	model.QueueRating
}

// addRatedSeats notes the players for whom a match counts.
func (s *Service) addRatedSeats(tx *db.Tx, m model.MatchID, queue string, teams [2][]model.AccountID) error {
	place := 0
	for t, accounts := range teams {
		ratings, err := s.ratings(tx, queue, accounts)
		if err != nil {
			return err
		}
		for _, a := range accounts {
			before := matchmaking.NewRating()
			if r, ok := ratings[a]; ok {
				before = r.Rating
			}
			if err := tx.Ratings.AddSeat(model.RatedSeat{Match: m, Place: place, Queue: queue, Account: a, Team: t, Before: before}); err != nil {
				return err
			}
			place++
		}
	}
	return nil
}

// Rate counts the result of a match once in the ratings of its rated players. It is
// part of the transaction that stores the result. A player who left the match and is not
// excused, or was away when it ended for want of players, has lost, even if the team won.
//
// A remake counts for no player.
func (s *Service) Rate(tx *db.Tx, spec *model.Spec, r model.Result) error {
	if r.Failed || r.Reason == model.ReasonRemake {
		return nil
	}
	seats, err := tx.Ratings.Seats(r.Match)
	if err != nil || len(seats) == 0 || !seats[0].Rated.IsZero() {
		return err
	}
	queue := seats[0].Queue
	var accounts []model.AccountID
	for _, x := range seats {
		if x.Account != "" {
			accounts = append(accounts, x.Account)
		}
	}
	now, err := tx.Ratings.Lock(queue, accounts)
	if err != nil {
		return err
	}
	rules, season, err := s.ladder(tx, queue)
	if err != nil {
		return err
	}
	for a, have := range now {
		now[a] = rules.InSeason(have, season.Number)
	}
	var teams [2][]matchmaking.Rating
	for _, x := range seats {
		rating := x.Before
		if have, ok := now[x.Account]; ok && x.Account != "" {
			rating = have.Rating
		}
		teams[x.Team] = append(teams[x.Team], rating)
	}
	outcome := matchmaking.Draw
	switch first, second := r.Outcome(0), r.Outcome(1); {
	case first == model.Won && second != model.Won:
		outcome = matchmaking.FirstWon
	case second == model.Won && first != model.Won:
		outcome = matchmaking.SecondWon
	}
	rater := matchmaking.NewWengLin()
	after := map[matchmaking.Outcome][2][]matchmaking.Rating{}
	for _, o := range []matchmaking.Outcome{matchmaking.Draw, matchmaking.FirstWon, matchmaking.SecondWon} {
		after[o] = rater.Rate(teams, o)
	}
	next := [2]int{}
	for i := range seats {
		x := &seats[i]
		j := next[x.Team]
		next[x.Team]++
		if x.Account == "" {
			continue
		}
		own, lost := outcome, matchmaking.SecondWon
		if x.Team == 1 {
			lost = matchmaking.FirstWon
		}
		left, err := tx.Matches.HasLeft(x.Account, r.Match)
		if err != nil {
			return err
		}
		slot := grid.Slot(slices.IndexFunc(spec.Participants, func(p model.Participant) bool { return p.Account == x.Account }))
		if (left || r.Left.Has(slot)) && !r.Excused.Has(slot) || r.Reason == "abandoned" {
			own = lost
		}
		have := now[x.Account]
		have.Queue, have.Account = queue, x.Account
		before := model.Points(teams[x.Team][j])
		have.Rating = after[own][x.Team][j]
		counts := [][3]*int{{&have.Won, &have.Lost, &have.Drawn}}
		for _, p := range spec.Participants {
			if p.Account != x.Account {
				continue
			}
			if f := have.WithFaction(p.Faction); f != nil {
				counts = append(counts, [3]*int{&f.Won, &f.Lost, &f.Drawn})
			}
		}
		for _, c := range counts {
			switch own {
			case matchmaking.Draw:
				*c[2]++
			case lost:
				*c[1]++
			default:
				*c[0]++
			}
		}
		have.Season = season.Number
		rules.Counted(&have, s.Now())
		if err := tx.Ratings.Save(have); err != nil {
			return err
		}
		x.Change = have.Points() - before
		x.Rated = s.Now()
		if err := tx.Ratings.SaveSeat(*x); err != nil {
			return err
		}
	}
	return nil
}

// Leaderboard lists the best of a queue, behind a row (nil: from the top), and the
// caller's row, if it is listed. Guests and players whose rating is provisional are not
// listed.
func (s *Service) Leaderboard(ctx context.Context, queue string, me model.AccountID, after *model.LeaderboardAfter, limit int) (rows []Leader, rank *Leader, err error) {
	if _, err := s.Find(queue); err != nil {
		return nil, nil, err
	}
	limit = max(1, min(limit, LeaderboardPage))
	err = s.Read(ctx, func(tx *db.Tx) error {
		rows, rank = nil, nil
		_, season, err := s.ladder(tx, queue)
		if err != nil {
			return err
		}
		page, err := tx.Ratings.Leaderboard(queue, season.Number, after, limit)
		if err != nil {
			return err
		}
		for i, r := range page {
			place := 0
			if i > 0 {
				place = rows[i-1].Place + 1
			} else if place, err = tx.Ratings.Place(r); err != nil {
				return err
			}
			rows = append(rows, Leader{place, r})
		}
		if me == "" {
			return nil
		}
		own, err := s.ratings(tx, queue, []model.AccountID{me})
		if err != nil {
			return err
		}
		account, err := tx.Accounts.Get(me)
		r, ok := own[me]
		if err != nil || !ok || account.Guest || r.Provisional {
			return seat.IgnoreNotFound(err)
		}
		place, err := tx.Ratings.Place(r)
		rank = &Leader{place, r}
		return err
	})
	return rows, rank, err
}

// OwnRating is an account's rating in a queue, as the account itself sees it.
type OwnRating struct {
	model.QueueRating
	Place int              // 0: not listed
	Last  *model.RatedSeat // the last match that counted; nil: no match

	Division       string
	PlacementsLeft int
}

// OwnRatings returns an account's ratings in the queues that there are.
func (s *Service) OwnRatings(ctx context.Context, a model.AccountID) (out []OwnRating, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		out = nil
		account, err := tx.Accounts.Get(a)
		if err != nil {
			return err
		}
		for _, q := range s.Queues() {
			have, err := s.ratings(tx, q.ID, []model.AccountID{a})
			if err != nil {
				return err
			}
			r, ok := have[a]
			if !ok {
				continue
			}
			rating := OwnRating{QueueRating: r, Division: q.Division(r), PlacementsLeft: q.PlacementsLeft(r)}
			if !account.Guest && !r.Provisional {
				if rating.Place, err = tx.Ratings.Place(r); err != nil {
					return err
				}
			}
			last, err := tx.Ratings.Last(q.ID, a)
			if err == nil {
				rating.Last = &last
			} else if !errors.Is(err, model.ErrNotFound) {
				return err
			}
			out = append(out, rating)
		}
		return nil
	})
	return out, err
}

package db

import (
	"errors"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const ratingColumns = `r.queue, r.account_id, a.name, r.mean, r.deviation, r.won, r.lost, r.drawn, r.factions, r.provisional, r.season, r.decays_at, r.past FROM ratings r JOIN accounts a ON a.id = r.account_id WHERE `

func (t Ratings) ratings(rest string, args ...any) ([]model.QueueRating, error) {
	return list(t, `SELECT `+ratingColumns+rest, args,
		func(r *model.QueueRating) []any {
			return []any{&r.Queue, &r.Account, &r.Name, &r.Rating.Mean, &r.Rating.Deviation, &r.Won, &r.Lost, &r.Drawn, asJSON{&r.Factions}, &r.Provisional, &r.Season, moment{&r.Decays}, asJSON{&r.Past}}
		})
}

func (t Ratings) ratingsOf(queue string, accounts []model.AccountID, lock string) (map[model.AccountID]model.QueueRating, error) {
	out := map[model.AccountID]model.QueueRating{}
	if len(accounts) == 0 {
		return out, nil
	}
	accounts = slices.Clone(accounts)
	slices.Sort(accounts)
	list, err := t.ratings(`r.queue = $1 AND r.account_id IN (`+marksFrom(2, len(accounts))+`) ORDER BY r.account_id`+lock, append([]any{queue}, anys(accounts)...)...)
	for _, r := range list {
		out[r.Account] = r
	}
	return out, err
}

func (t Ratings) Of(queue string, accounts []model.AccountID) (map[model.AccountID]model.QueueRating, error) {
	return t.ratingsOf(queue, accounts, "")
}

// Lock is Of with locks.
func (t Ratings) Lock(queue string, accounts []model.AccountID) (map[model.AccountID]model.QueueRating, error) {
	lock := t.d.ForUpdate
	if lock != "" {
		lock += " OF r"
	}
	return t.ratingsOf(queue, accounts, lock)
}

func (t Ratings) Save(r model.QueueRating) error {
	return t.run(`INSERT INTO ratings (queue, account_id, mean, deviation, points, provisional, won, lost, drawn, factions, season, decays_at, past) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
		ON CONFLICT (queue, account_id) DO UPDATE SET mean = excluded.mean, deviation = excluded.deviation, points = excluded.points,
			provisional = excluded.provisional, won = excluded.won, lost = excluded.lost, drawn = excluded.drawn, factions = excluded.factions,
			season = excluded.season, decays_at = excluded.decays_at, past = excluded.past`,
		r.Queue, string(r.Account), r.Rating.Mean, r.Rating.Deviation, r.Points(), r.Provisional, r.Won, r.Lost, r.Drawn, encode(r.Factions), r.Season, ms(r.Decays), encode(r.Past))
}

// Drop deletes an account's rating in a queue, DropAll an account's ratings in all
// queues, Reset all ratings in a queue.
func (t Ratings) Drop(queue string, a model.AccountID) error {
	return t.must(`DELETE FROM ratings WHERE queue = $1 AND account_id = $2`, queue, string(a))
}

func (t Ratings) DropAll(a model.AccountID) error {
	return t.run(`DELETE FROM ratings WHERE account_id = $1`, string(a))
}

func (t Ratings) Reset(queue string) (int64, error) {
	return t.exec(`DELETE FROM ratings WHERE queue = $1`, queue)
}

// listed is true of a rating that a leaderboard shows.
const listed = `NOT r.provisional AND NOT a.guest AND a.deleted_at = 0 AND a.sharing <> 'name'`

func (t Ratings) Leaderboard(queue string, season int, after *model.LeaderboardAfter, limit int) ([]model.QueueRating, error) {
	if after == nil {
		return t.ratings(`r.queue = $1 AND r.season = $3 AND `+listed+` ORDER BY r.points DESC, r.account_id LIMIT $2`, queue, limit, season)
	}
	return t.ratings(`r.queue = $1 AND r.season = $5 AND `+listed+` AND (r.points < $3 OR (r.points = $3 AND r.account_id > $4)) ORDER BY r.points DESC, r.account_id LIMIT $2`,
		queue, limit, after.Points, string(after.Account), season)
}

// Place counts the players listed before a rating, and one.
func (t Ratings) Place(r model.QueueRating) (place int, err error) {
	err = t.one(`SELECT COUNT(*) + 1 FROM ratings r JOIN accounts a ON a.id = r.account_id
		WHERE r.queue = $1 AND r.season = $4 AND `+listed+` AND (r.points > $2 OR (r.points = $2 AND r.account_id < $3))`,
		[]any{r.Queue, r.Points(), string(r.Account), r.Season}, &place)
	return place, err
}

func (t Ratings) AddSeat(x model.RatedSeat) error {
	return t.run(`INSERT INTO rated_seats (match_id, place, queue, account_id, team, mean, deviation) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(x.Match), x.Place, x.Queue, null(string(x.Account)), x.Team, x.Before.Mean, x.Before.Deviation)
}

func (t Ratings) seats(rest string, args ...any) ([]model.RatedSeat, error) {
	return list(t, `SELECT match_id, place, queue, COALESCE(account_id, ''), team, mean, deviation, change, rated_at FROM rated_seats WHERE `+rest, args,
		func(x *model.RatedSeat) []any {
			return []any{&x.Match, &x.Place, &x.Queue, &x.Account, &x.Team, &x.Before.Mean, &x.Before.Deviation, &x.Change, moment{&x.Rated}}
		})
}

// Seats lists a match's rated seats by place.
func (t Ratings) Seats(m model.MatchID) ([]model.RatedSeat, error) {
	return t.seats(`match_id = $1 ORDER BY place`, string(m))
}

func (t Ratings) SaveSeat(x model.RatedSeat) error {
	return t.must(`UPDATE rated_seats SET change = $3, rated_at = $4 WHERE match_id = $1 AND place = $2`, string(x.Match), x.Place, x.Change, ms(x.Rated))
}

// Last returns the account's seat in the match that was counted last.
func (t Ratings) Last(queue string, a model.AccountID) (model.RatedSeat, error) {
	return first(t.seats(`account_id = $1 AND queue = $2 AND rated_at > 0 ORDER BY rated_at DESC LIMIT 1`, string(a), queue))
}

// Decaying lists and locks ratings of a season that lose points now.
func (t Ratings) Decaying(queue string, season int, now time.Time, limit int) ([]model.QueueRating, error) {
	lock := t.d.ForUpdate
	if lock != "" {
		lock += " OF r"
	}
	return t.ratings(`r.queue = $1 AND r.season = $2 AND r.decays_at > 0 AND r.decays_at <= $3 ORDER BY r.account_id LIMIT $4`+lock, queue, season, ms(now), limit)
}

// Season returns a queue's newest season; before the first one season 0.
func (t Ratings) Season(queue string) (model.Season, error) {
	s, err := first(list(t, `SELECT number, began_at, ends_at FROM seasons WHERE queue = $1 ORDER BY number DESC LIMIT 1`, []any{queue}, func(s *model.Season) []any {
		return []any{&s.Number, moment{&s.Began}, moment{&s.Ends}}
	}))
	if errors.Is(err, model.ErrNotFound) {
		err = nil
	}
	return s, err
}

func (t Ratings) AddSeason(queue string, s model.Season) error {
	return t.run(`INSERT INTO seasons (queue, number, began_at, ends_at) VALUES ($1, $2, $3, $4)`, queue, s.Number, ms(s.Began), ms(s.Ends))
}

func (t Ratings) EndSeason(queue string, s model.Season) error {
	return t.must(`UPDATE seasons SET ends_at = $3 WHERE queue = $1 AND number = $2`, queue, s.Number, ms(s.Ends))
}

// historyMost bounds the matches of a history.
const historyMost = 50

// History lists an account's seats in the newest matches that counted, and the names of the opponents of each.
func (t Ratings) History(queue string, a model.AccountID) (seats []model.RatedSeat, opponents [][]string, err error) {
	seats, err = t.seats(`account_id = $1 AND queue = $2 AND rated_at > 0 ORDER BY rated_at DESC, match_id LIMIT $3`, string(a), queue, historyMost)
	if err != nil || len(seats) == 0 {
		return nil, nil, err
	}
	opponents = make([][]string, len(seats))
	at, ids := map[model.MatchID]int{}, []any{}
	for i, x := range seats {
		at[x.Match], ids = i, append(ids, string(x.Match))
	}
	err = t.each(`SELECT s.match_id, s.team, COALESCE(a.name, '') FROM rated_seats s LEFT JOIN accounts a ON a.id = s.account_id
		WHERE s.match_id IN (`+marks(len(ids))+`) ORDER BY s.match_id, s.place`, ids, func(scan func(...any) error) error {
		var m model.MatchID
		var team int
		var name string
		err := scan(&m, &team, &name)
		if i := at[m]; team != seats[i].Team {
			opponents[i] = append(opponents[i], name)
		}
		return err
	})
	return seats, opponents, err
}

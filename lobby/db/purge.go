package db

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// PurgeMatches looks at the next limit matches behind a number, deletes matches that
// were over before a time and had no player with a password, and returns the last
// number and how many it looked at.
func (t *Tx) PurgeMatches(after int64, before time.Time, limit int) (last int64, seen int, err error) {
	last = after
	type match struct {
		num   int64
		id    string
		state model.MatchState
		ended int64
	}
	page, err := list(t, `SELECT num, id, state, ended_at FROM matches WHERE num > $1 ORDER BY num LIMIT $2`, []any{after, limit},
		func(m *match) []any { return []any{&m.num, &m.id, &m.state, &m.ended} })
	if err != nil {
		return after, 0, err
	}
	for _, m := range page {
		last = m.num
		if (m.state != model.MatchDone && m.state != model.MatchFailed) || m.ended == 0 || m.ended >= ms(before) {
			continue
		}
		people := 0
		if err := t.one(`SELECT COUNT(*) FROM match_seats s JOIN accounts a ON a.id = s.account_id
			WHERE s.match_id = $1 AND NOT a.guest`, []any{m.id}, &people); err != nil {
			return after, 0, err
		}
		if people > 0 {
			continue // it is of their history
		}
		for _, sql := range []string{
			`DELETE FROM tickets WHERE match_id = $1`, `DELETE FROM replay_tickets WHERE match_id = $1`,
			`DELETE FROM match_watchers WHERE match_id = $1`, `DELETE FROM replay_redactions WHERE match_id = $1`, `DELETE FROM match_seats WHERE match_id = $1`, `DELETE FROM matches WHERE id = $1`,
		} {
			if _, err := t.exec(sql, m.id); err != nil {
				return after, 0, err
			}
		}
	}
	return last, len(page), nil
}

// PurgeGuests looks at the next limit guests behind an id (in the order of ids, ""
// before all), deletes useless ones, as [model.Retention] says, and returns the last id
// and how many it looked at.
func (t *Tx) PurgeGuests(after model.AccountID, r model.Retention, limit int) (last model.AccountID, seen int, err error) {
	last = after
	// Locked before the check: an account that takes a seat or begins a match is locked
	// too, so neither can happen in between.
	page, err := column[model.AccountID](t, `SELECT id FROM accounts WHERE guest AND deleted_at = 0 AND id > $1 ORDER BY id LIMIT $2`+t.d.ForUpdate, string(after), limit)
	if err != nil {
		return after, 0, err
	}
	for _, id := range page {
		last = id
		err := t.one(`SELECT id FROM accounts a WHERE id = $1 AND created_at < $2
			AND NOT EXISTS (SELECT 1 FROM seats s WHERE s.account_id = a.id)
			AND NOT EXISTS (SELECT 1 FROM party_members p WHERE p.account_id = a.id)
			AND NOT EXISTS (SELECT 1 FROM resets e WHERE e.account_id = a.id AND e.used_at = 0 AND e.expires_at > $3)
			AND NOT EXISTS (SELECT 1 FROM external_identities x WHERE x.account_id = a.id)
			AND NOT EXISTS (SELECT 1 FROM match_seats s JOIN matches m ON m.id = s.match_id
				WHERE s.account_id = a.id AND (m.ended_at = 0 OR m.ended_at >= $4))
			AND (NOT EXISTS (SELECT 1 FROM sessions e WHERE e.realm = 'player' AND e.subject = a.id AND e.expires_at > $3)
				OR (a.created_at < $5 AND NOT EXISTS (SELECT 1 FROM match_seats s WHERE s.account_id = a.id)))`,
			[]any{string(id), ms(r.New), ms(r.Now), ms(r.History), ms(r.Unused)}, new(string))
		if errors.Is(err, model.ErrNotFound) {
			continue
		}
		if err != nil {
			return after, 0, err
		}
		for _, sql := range []string{
			`DELETE FROM sessions WHERE realm = 'player' AND subject = $1`,
			`DELETE FROM resets WHERE account_id = $1`,
		} {
			if _, err := t.exec(sql, string(id)); err != nil {
				return after, 0, err
			}
		}
		// AnonymizeDeleted does the rest, as after a player's own deletion.
		gone := "deleted " + string(id)
		if err := t.must(`UPDATE accounts SET name = $2, name_key = $3, deleted_at = $4 WHERE id = $1`,
			string(id), gone, model.LoginKey(gone), ms(r.Now)); err != nil {
			return after, 0, err
		}
	}
	return last, len(page), nil
}

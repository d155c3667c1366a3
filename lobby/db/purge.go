package db

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// PurgeGuests looks at the next limit guests behind an id (in the order of ids, ""
// before all), deletes useless ones, as [model.Retention] says, and returns the last id
// and how many it looked at.
func (t Accounts) PurgeGuests(after model.AccountID, r model.Retention, limit int) (last model.AccountID, seen int, err error) {
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

// The store keeps expired rows for these times.
const (
	lobbyLife = 24 * time.Hour // a closed lobby, with its chat
	eventLife = time.Hour      // the events from which a stream can resume
)

// Purge deletes expired sessions, tickets, counters, resets and keys of requests.
func (t *Tx) Purge(now time.Time) error {
	for _, p := range []struct {
		sql    string
		before time.Time
	}{
		{`DELETE FROM sessions WHERE expires_at < $1`, now},
		{`DELETE FROM counters WHERE ends_at < $1`, now},
		{`DELETE FROM tickets WHERE expires_at < $1`, now.Add(-time.Hour)}, // for an hour the server knows a late ticket, and says that it is late
		{`DELETE FROM replay_tickets WHERE expires_at < $1`, now.Add(-time.Hour)},
		{`UPDATE service_matches SET request_key = NULL WHERE created_at < $1 AND request_key IS NOT NULL`, now.Add(-model.RequestKeyLife)},
		{`DELETE FROM resets WHERE expires_at < $1`, now},
		{`DELETE FROM places WHERE used_at < $1`, now.Add(-model.PlaceLife)},
		{`DELETE FROM events WHERE at < $1`, now.Add(-eventLife)},
		{`DELETE FROM direct_messages WHERE at < $1`, now.Add(-model.MessageLife)},
		{`DELETE FROM lobbies WHERE state = 'closed' AND touched_at < $1`, now.Add(-lobbyLife)},
	} {
		if _, err := t.exec(p.sql, ms(p.before)); err != nil {
			return err
		}
	}
	return nil
}

package db

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// hashCostsMax bounds the costs that a realm's hashes are looked through for:
// an operator changes them now and then.
const hashCostsMax = 16

// HashCosts lists the costs of all password hashes of a realm (see [model.HashCost]),
// each once. It steps from one to the next on the index: the table may be long, and the
// costs are few.
func (t *Tx) HashCosts(realm model.Realm) (list []string, err error) {
	table := "accounts"
	if realm == model.AdminRealm {
		table = "admins"
	}
	for last := ""; len(list) < hashCostsMax; list = append(list, last) {
		if err := t.one(`SELECT COALESCE(MIN(hash_cost), '') FROM `+table+` WHERE hash_cost > $1`, []any{last}, &last); err != nil || last == "" {
			return list, err
		}
	}
	return list, nil
}

func (t *Tx) AddSession(s model.Session) error {
	return t.run(`INSERT INTO sessions (hash, realm, subject, address, user_agent, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(s.Hash), string(s.Realm), subject(s), s.Address, s.UserAgent, ms(s.Created), ms(s.Expires))
}

func subject(s model.Session) string {
	if s.Realm == model.AdminRealm {
		return s.Admin.ID
	}
	return string(s.Account.ID)
}

// Session finds a session that has not expired, with its account or admin.
func (t *Tx) Session(realm model.Realm, hash model.SecretHash, now time.Time) (model.Session, error) {
	s := model.Session{Hash: hash, Realm: realm}
	// One query with its owner: every request asks this.
	owner := `JOIN accounts o ON o.id = s.subject AND o.deleted_at = 0`
	columns := `o.id, o.name, COALESCE(o.email, ''), o.guest, o.password_hash, o.created_at, o.deleted_at, o.epoch` // see accountColumns
	into := accountInto(&s.Account)
	if realm == model.AdminRealm {
		owner = `JOIN admins o ON o.id = s.subject AND o.disabled_at = 0`
		columns = `o.id, o.name, o.password_hash, o.role, o.fog, o.created_at, o.disabled_at` // see adminColumns
		into = adminInto(&s.Admin)
	}
	err := t.one(`SELECT s.address, s.user_agent, s.created_at, s.expires_at, `+columns+` FROM sessions s `+owner+`
		WHERE s.hash = $1 AND s.realm = $2 AND s.expires_at > $3`, []any{string(hash), string(realm), ms(now)},
		append([]any{&s.Address, &s.UserAgent, moment{&s.Created}, moment{&s.Expires}}, into...)...)
	return s, err
}

func (t *Tx) EndSession(realm model.Realm, hash model.SecretHash) error {
	return t.run(`DELETE FROM sessions WHERE hash = $1 AND realm = $2`, string(hash), string(realm))
}

// EndSessions ends all of an account's or admin's, but the one with hash keep.
func (t *Tx) EndSessions(realm model.Realm, subject string, keep model.SecretHash) (int64, error) {
	return t.exec(`DELETE FROM sessions WHERE realm = $1 AND subject = $2 AND hash <> $3`, string(realm), subject, string(keep))
}

func (t *Tx) Sessions(realm model.Realm, subject string) ([]model.Session, error) {
	return list(t, `SELECT realm, hash, address, user_agent, created_at, expires_at FROM sessions
		WHERE realm = $1 AND subject = $2 ORDER BY created_at DESC, hash LIMIT 200`,
		[]any{string(realm), subject}, func(s *model.Session) []any {
			return []any{&s.Realm, &s.Hash, &s.Address, &s.UserAgent, moment{&s.Created}, moment{&s.Expires}}
		})
}

// Count adds n to a counter that starts again from 0 at the end of each
// window, and returns its value and when the window ends.
func (t *Tx) Count(key string, n int, now time.Time, window time.Duration) (value int, ends time.Time, err error) {
	var endsAt int64
	err = t.one(`INSERT INTO counters (key, value, ends_at) VALUES ($1, $2, $3)
		ON CONFLICT (key) DO UPDATE SET
			value   = CASE WHEN counters.ends_at <= $4 THEN excluded.value ELSE counters.value + $5 END,
			ends_at = CASE WHEN counters.ends_at <= $4 THEN excluded.ends_at ELSE counters.ends_at END
		RETURNING value, ends_at`,
		[]any{key, max(n, 0), ms(now.Add(window)), ms(now), n}, &value, &endsAt)
	return value, fromMs(endsAt), err
}

// Counted only reads a counter's value and the end of its window.
func (t *Tx) Counted(key string, now time.Time) (value int, ends time.Time, err error) {
	var endsAt int64
	err = t.one(`SELECT value, ends_at FROM counters WHERE key = $1 AND ends_at > $2`, []any{key, ms(now)}, &value, &endsAt)
	if errors.Is(err, model.ErrNotFound) {
		return 0, now, nil
	}
	return value, fromMs(endsAt), err
}

// Forget sets counters back to 0.
func (t *Tx) ResetCounters(keys ...string) error {
	for _, key := range keys {
		if _, err := t.exec(`DELETE FROM counters WHERE key = $1`, key); err != nil {
			return err
		}
	}
	return nil
}

// AddPlace remembers a network or device from which the login key was used
// with success; KnownPlace asks.
func (t *Tx) AddPlace(key, network string, now time.Time) error {
	return t.run(`INSERT INTO places (key, network, used_at) VALUES ($1, $2, $3)
		ON CONFLICT (key, network) DO UPDATE SET used_at = excluded.used_at`, key, network, ms(now))
}

func (t *Tx) KnownPlace(key, network string) (bool, error) {
	n := 0
	err := t.one(`SELECT COUNT(*) FROM places WHERE key = $1 AND network = $2`, []any{key, network}, &n)
	return n > 0, err
}

// Times for which expired rows are kept.
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
		{`DELETE FROM tickets WHERE expires_at < $1`, now.Add(-time.Hour)}, // for an hour, a late one is told it is late
		{`DELETE FROM replay_tickets WHERE expires_at < $1`, now.Add(-time.Hour)},
		{`UPDATE service_matches SET request_key = NULL WHERE created_at < $1 AND request_key IS NOT NULL`, now.Add(-model.RequestKeyLife)},
		{`DELETE FROM resets WHERE expires_at < $1`, now},
		{`DELETE FROM places WHERE used_at < $1`, now.Add(-model.PlaceLife)},
		{`DELETE FROM events WHERE at < $1`, now.Add(-eventLife)},
		{`DELETE FROM lobbies WHERE state = 'closed' AND touched_at < $1`, now.Add(-lobbyLife)},
	} {
		if _, err := t.exec(p.sql, ms(p.before)); err != nil {
			return err
		}
	}
	return nil
}

package db

import (
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// keys reads keys. $1 is the time.
func (t Keys) keys(rest string, args ...any) ([]model.ServiceKey, error) {
	return list(t, `SELECT id, name, issuer, scopes, created_by, created_at, expires_at, revoked_at, used_at,
			(SELECT COALESCE(MAX(until_at), 0) FROM service_key_secrets s WHERE s.key_id = service_keys.id AND s.until_at > $1)
		FROM service_keys WHERE `+rest, args, func(k *model.ServiceKey) []any {
		return []any{&k.ID, &k.Name, &k.Issuer, text(func(scopes string) error { k.Scopes = model.ParseScopes(scopes); return nil }), &k.By,
			moment{&k.Created}, moment{&k.Expires}, moment{&k.Revoked}, moment{&k.Used}, moment{&k.Old}}
	})
}

func (t Keys) key(rest string, args ...any) (model.ServiceKey, error) {
	return first(t.keys(rest, args...))
}

func (t Keys) Add(k model.ServiceKey) error {
	words := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		words[i] = string(s)
	}
	return t.run(`INSERT INTO service_keys (id, name, issuer, scopes, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		k.ID, k.Name, k.Issuer, strings.Join(words, " "), k.By, ms(k.Created), ms(k.Expires))
}

// List lists keys, newest first, revoked ones too.
func (t Keys) List(now time.Time) ([]model.ServiceKey, error) {
	return t.keys(`id <> '' ORDER BY created_at DESC, id DESC LIMIT 1000`, ms(now))
}

// Lock returns a key without Old, and locks it.
func (t Keys) Lock(id string) (model.ServiceKey, error) {
	return t.key(`id = $2`+t.d.ForUpdate, int64(0), id)
}

// BySecret finds the key of a secret that works now. The key itself may be revoked or
// expired.
func (t Keys) BySecret(hash model.SecretHash, now time.Time) (model.ServiceKey, error) {
	return t.key(`id = (SELECT key_id FROM service_key_secrets WHERE hash = $2 AND (until_at = 0 OR until_at > $1))`, ms(now), string(hash))
}

func (t Keys) Touch(id string, now time.Time) error {
	return t.run(`UPDATE service_keys SET used_at = $2 WHERE id = $1 AND used_at < $2`, id, ms(now))
}

func (t Keys) Revoke(id string, now time.Time) error {
	return t.must(`UPDATE service_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0`, id, ms(now))
}

func (t Keys) AddSecret(key string, hash model.SecretHash, now time.Time) error {
	return t.run(`INSERT INTO service_key_secrets (hash, key_id, created_at, until_at) VALUES ($1, $2, $3, 0)`, string(hash), key, ms(now))
}

// EndSecrets has the key's newest secret end at a time, and all before it at
// once.
func (t Keys) EndSecrets(key string, until, now time.Time) error {
	if _, err := t.exec(`DELETE FROM service_key_secrets WHERE key_id = $1 AND until_at > 0`, key); err != nil {
		return err
	}
	if !until.After(now) {
		_, err := t.exec(`DELETE FROM service_key_secrets WHERE key_id = $1`, key)
		return err
	}
	_, err := t.exec(`UPDATE service_key_secrets SET until_at = $2 WHERE key_id = $1`, key, ms(until))
	return err
}

// AddMatch notes for which issuer a match was made, and by which request.
// A second match of the issuer's same request is [model.ErrTaken].
func (t Keys) AddMatch(m model.MatchID, issuer, request, hash string, now time.Time) error {
	return t.run(`INSERT INTO service_matches (match_id, issuer, request_key, request_hash, created_at) VALUES ($1, $2, $3, $4, $5)`,
		string(m), issuer, null(request), hash, ms(now))
}

// Request finds the match that an issuer's request has made, and the
// request's hash.
func (t Keys) Request(issuer, request string) (m model.MatchID, hash string, err error) {
	err = t.one(`SELECT match_id, request_hash FROM service_matches WHERE issuer = $1 AND request_key = $2`, []any{issuer, request}, &m, &hash)
	return m, hash, err
}

func (t Keys) ForgetRequest(m model.MatchID) error {
	return t.run(`UPDATE service_matches SET request_key = NULL WHERE match_id = $1`, string(m))
}

// Issuer returns the issuer that a match was made for; [model.ErrNotFound]
// for a match that players made.
func (t Keys) Issuer(m model.MatchID) (issuer string, err error) {
	err = t.one(`SELECT issuer FROM service_matches WHERE match_id = $1`, []any{string(m)}, &issuer)
	return issuer, err
}

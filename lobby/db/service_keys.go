package db

import (
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// serviceKeys reads keys. $1 is the time.
func (t *Tx) serviceKeys(rest string, args ...any) ([]model.ServiceKey, error) {
	return list(t, `SELECT id, name, issuer, scopes, created_by, created_at, expires_at, revoked_at, used_at,
			(SELECT COALESCE(MAX(until_at), 0) FROM service_key_secrets s WHERE s.key_id = service_keys.id AND s.until_at > $1)
		FROM service_keys WHERE `+rest, args, func(k *model.ServiceKey) []any {
		return []any{&k.ID, &k.Name, &k.Issuer, text(func(scopes string) error { k.Scopes = model.ParseScopes(scopes); return nil }), &k.By,
			moment{&k.Created}, moment{&k.Expires}, moment{&k.Revoked}, moment{&k.Used}, moment{&k.Old}}
	})
}

func (t *Tx) serviceKey(rest string, args ...any) (model.ServiceKey, error) {
	return first(t.serviceKeys(rest, args...))
}

func (t *Tx) AddServiceKey(k model.ServiceKey) error {
	words := make([]string, len(k.Scopes))
	for i, s := range k.Scopes {
		words[i] = string(s)
	}
	return t.run(`INSERT INTO service_keys (id, name, issuer, scopes, created_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		k.ID, k.Name, k.Issuer, strings.Join(words, " "), k.By, ms(k.Created), ms(k.Expires))
}

// ServiceKeys lists keys, newest first, revoked ones too.
func (t *Tx) ServiceKeys(now time.Time) ([]model.ServiceKey, error) {
	return t.serviceKeys(`id <> '' ORDER BY created_at DESC, id DESC LIMIT 1000`, ms(now))
}

// LockServiceKey returns a key as it is now, without Old, and locks it against changes.
func (t *Tx) LockServiceKey(id string) (model.ServiceKey, error) {
	return t.serviceKey(`id = $2`+t.d.ForUpdate, int64(0), id)
}

// ServiceKeyBySecret finds the key that has a secret which works now. Whether the
// key holds is not looked at.
func (t *Tx) ServiceKeyBySecret(hash model.SecretHash, now time.Time) (model.ServiceKey, error) {
	return t.serviceKey(`id = (SELECT key_id FROM service_key_secrets WHERE hash = $2 AND (until_at = 0 OR until_at > $1))`, ms(now), string(hash))
}

func (t *Tx) TouchServiceKey(id string, now time.Time) error {
	return t.run(`UPDATE service_keys SET used_at = $2 WHERE id = $1 AND used_at < $2`, id, ms(now))
}

func (t *Tx) RevokeServiceKey(id string, now time.Time) error {
	return t.must(`UPDATE service_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0`, id, ms(now))
}

func (t *Tx) AddKeySecret(key string, hash model.SecretHash, now time.Time) error {
	return t.run(`INSERT INTO service_key_secrets (hash, key_id, created_at, until_at) VALUES ($1, $2, $3, 0)`, string(hash), key, ms(now))
}

// EndKeySecrets has the key's newest secret end at a time, and all before it at
// once.
func (t *Tx) EndKeySecrets(key string, until, now time.Time) error {
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

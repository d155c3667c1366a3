package studio

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Keys manages service keys for an admin.
type Keys struct {
	s *Service
	o hook.Owner
}

// Keys returns the keys as an admin manages them.
func (s *Service) Keys(o hook.Owner) *Keys { return &Keys{s, o} }

// List lists all keys, newest first.
func (k *Keys) List(ctx context.Context) (list []model.ServiceKey, err error) {
	err = k.o.Query(ctx, func(tx *db.Tx) (err error) {
		list, err = tx.Keys.List(k.s.Now())
		return err
	})
	return list, err
}

// Add makes a key, and returns its secret, this once.
func (k *Keys) Add(ctx context.Context, n NewServiceKey) (key model.ServiceKey, secret KeySecret, err error) {
	if err := n.validate(); err != nil {
		return key, "", err
	}
	secret = NewKeySecret()
	err = k.o.Act(ctx, "key.add", func(tx *db.Tx) (string, string, error) {
		now := k.s.Now()
		all, err := tx.Keys.List(now)
		if err != nil {
			return "", "", err
		}
		count := 0
		for _, x := range all {
			if x.Revoked.IsZero() {
				count++
			}
		}
		if count >= ServiceKeysMax {
			return "", "", model.Refuse(model.Throttled, "there are %d keys: revoke unused ones", count)
		}
		key = model.ServiceKey{ID: model.NewID(), Name: n.Name, Issuer: n.Issuer, Scopes: n.Scopes, By: k.o.By, Created: now}
		if n.Expires > 0 {
			key.Expires = now.Add(n.Expires)
		}
		if err := tx.Keys.Add(key); err != nil {
			return "", "", err
		}
		return key.ID, key.Name + " for " + key.Issuer + ": " + scopesText(key.Scopes), tx.Keys.AddSecret(key.ID, secret.Hash(), now)
	})
	return key, secret, err
}

// Rotate gives a key a new secret, which it returns this once. The previous secret
// works for overlap longer; an older one ends at once.
func (k *Keys) Rotate(ctx context.Context, id string, overlap time.Duration) (key model.ServiceKey, secret KeySecret, err error) {
	if overlap < 0 || overlap > KeyOverlapMax {
		return key, "", model.RefuseField(model.BadRequest, "overlap", "must be 0 to %d hours", KeyOverlapMax/time.Hour)
	}
	secret = NewKeySecret()
	err = k.o.Act(ctx, "key.rotate", func(tx *db.Tx) (string, string, error) {
		if key, err = k.lock(tx, id); err != nil {
			return "", "", err
		}
		now := k.s.Now()
		if err := tx.Keys.EndSecrets(key.ID, now.Add(overlap), now); err != nil {
			return "", "", err
		}
		if err := tx.Keys.AddSecret(key.ID, secret.Hash(), now); err != nil {
			return "", "", err
		}
		if key.Old = now.Add(overlap); overlap == 0 {
			key.Old = time.Time{}
		}
		return key.ID, key.Name + ", the old secret works for " + overlap.String(), nil
	})
	return key, secret, err
}

// Revoke ends a key at once, with all its secrets.
func (k *Keys) Revoke(ctx context.Context, id string) error {
	return k.o.Act(ctx, "key.revoke", func(tx *db.Tx) (string, string, error) {
		key, err := k.lock(tx, id)
		if err != nil {
			return "", "", err
		}
		now := k.s.Now()
		if err := tx.Keys.EndSecrets(key.ID, now, now); err != nil {
			return "", "", err
		}
		return key.ID, key.Name, tx.Keys.Revoke(key.ID, now)
	})
}

// lock returns a key that is not revoked.
func (k *Keys) lock(tx *db.Tx, id string) (model.ServiceKey, error) {
	key, err := tx.Keys.Lock(model.CutText(id, 64))
	if err == nil && !key.Revoked.IsZero() {
		err = model.ErrNotFound
	}
	if errors.Is(err, model.ErrNotFound) {
		err = model.Refuse(model.NotFound, "no valid key %s exists", model.CutText(id, 64))
	}
	return key, err
}

package studio

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fogkeep/fogkeep/internal/plain"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// The scopes. No scope includes another.
const (
	MatchesWrite  model.Scope = "matches:write"  // make matches, get tickets for their players, end them
	MatchesRead   model.Scope = "matches:read"   // look at matches
	PlayersRead   model.Scope = "players:read"   // look at players' results and statistics
	WebhooksWrite model.Scope = "webhooks:write" // register webhook endpoints, look at their dead events, try those again
)

// Scopes lists all scopes, in the order to show them.
func Scopes() []model.Scope {
	return []model.Scope{MatchesRead, MatchesWrite, PlayersRead, WebhooksWrite}
}

// Limits of service keys.
const (
	ServiceKeysMax    = 100 // not revoked
	KeyNameLenMax     = 48
	KeyOverlapMax     = hook.OverlapMax
	KeyOverlap        = 24 * time.Hour // of a rotation that does not say
	KeyUsedResolution = time.Minute    // of ServiceKey.Used
	keyPrefix         = "fks_"
)

// KeySecret is a service key's secret as its owner holds it: a [model.Secret] behind a
// prefix by which scanners of source code find a published key.
type KeySecret string

// NewKeySecret draws one.
func NewKeySecret() KeySecret { return KeySecret(keyPrefix + model.NewSecret()) }

// Hash returns the form in which the store keeps a secret. As with sessions a plain
// SHA-256 is enough: a secret is no guessable password, but 256 random bits. The store
// looks it up by the hash, so the time of a look-up reveals no secret.
func (s KeySecret) Hash() model.SecretHash {
	return model.Secret(strings.TrimPrefix(string(s), keyPrefix)).Hash()
}

// parseKeySecret refuses what cannot be a key, without a look into the store.
func parseKeySecret(text string) (KeySecret, bool) {
	rest, ok := strings.CutPrefix(text, keyPrefix)
	return KeySecret(text), ok && len(rest) == model.SecretLen
}

// NewServiceKey is a key to be made.
type NewServiceKey struct {
	Name         string        `json:"name" maxLength:"100" doc:"for people"`
	Issuer       string        `json:"issuer" maxLength:"255" doc:"the issuer of the players that it names: the issuer of the game's log-in, or else any word"`
	Scopes       []model.Scope `json:"scopes" minItems:"1" maxItems:"8" enum:"matches:read,matches:write,players:read,webhooks:write"`
	ExpiresHours int           `json:"expiresHours,omitempty" minimum:"0" maximum:"87600" doc:"absent or 0: never"`
	Expires      time.Duration `json:"-"` // from now, beside ExpiresHours; 0: never
}

func (n *NewServiceKey) validate() error {
	name, err := model.CleanLine(model.BadName, "name", n.Name, KeyNameLenMax)
	if err != nil {
		return err
	}
	n.Name = name
	if err := (model.ExternalID{Issuer: n.Issuer, Subject: "any"}).Check(); err != nil {
		return err
	}
	if n.Expires += time.Duration(n.ExpiresHours) * time.Hour; n.Expires < 0 {
		return model.RefuseField(model.BadRequest, "expires", "must be in the future, or left out")
	}
	if len(n.Scopes) == 0 {
		return model.RefuseField(model.BadRequest, "scopes", "needs at least one of %v", Scopes())
	}
	for _, s := range n.Scopes {
		if !slices.Contains(Scopes(), s) {
			return model.RefuseField(model.BadRequest, "scopes", "%q is no scope: the scopes are %v", model.CutText(string(s), 40), Scopes())
		}
	}
	slices.Sort(n.Scopes)
	n.Scopes = slices.Compact(n.Scopes)
	return nil
}

func scopesText(list []model.Scope) string {
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = string(s)
	}
	return strings.Join(words, " ")
}

// Session acts for one request of a service key: it checks the scope inside the
// transaction of each action, with the audit row of every change.
type Session struct {
	s    *Service
	key  model.ServiceKey
	from model.Client
}

// KeySession finds the key behind a secret. The refusal of an invalid secret gives no
// reason.
func (s *Service) KeySession(ctx context.Context, c model.Client, secret string) (*Session, error) {
	bad := model.Refuse(model.Unauthenticated, "send a service key that holds, as Authorization: Bearer %s…", keyPrefix)
	given, ok := parseKeySecret(secret)
	if !ok {
		return nil, bad
	}
	now := s.Now()
	var key model.ServiceKey
	err := s.Read(ctx, func(tx *db.Tx) (err error) {
		key, err = tx.Keys.BySecret(given.Hash(), now)
		if errors.Is(err, model.ErrNotFound) || err == nil && !key.Holds(now) {
			return bad
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if now.Sub(key.Used) >= KeyUsedResolution {
		if err := s.Write(ctx, func(tx *db.Tx) error { return tx.Keys.Touch(key.ID, now) }); err != nil {
			return nil, err
		}
	}
	return &Session{s: s, key: key, from: c}, nil
}

// Key returns the acting key.
func (ss *Session) Key() model.ServiceKey { return ss.key }

// may refuses an action outside the key's scopes: it reads the key again in the
// transaction of the action.
func (ss *Session) may(tx *db.Tx, scope model.Scope) error {
	key, err := tx.Keys.Lock(ss.key.ID)
	if err == nil && !key.Holds(ss.s.Now()) {
		err = model.Unauthenticated
	}
	if err != nil {
		return err
	}
	return needs(key, scope)
}

func needs(k model.ServiceKey, scope model.Scope) error {
	if !k.Has(scope) {
		return model.Refuse(model.Forbidden, "this needs a key with the scope %s", scope)
	}
	return nil
}

// query runs a query for a key with a scope.
func (ss *Session) query(ctx context.Context, scope model.Scope, fn func(*db.Tx) error) error {
	if err := needs(ss.key, scope); err != nil {
		return err
	}
	return ss.s.Read(ctx, fn)
}

// act runs a change together with its audit row, as the act of an admin session does.
func (ss *Session) act(ctx context.Context, scope model.Scope, action string, fn func(*db.Tx) (subject, detail string, err error)) error {
	if err := needs(ss.key, scope); err != nil {
		return err
	}
	return ss.s.Write(ctx, func(tx *db.Tx) error {
		if err := ss.may(tx, scope); err != nil {
			return err
		}
		subject, detail, err := fn(tx)
		if err != nil {
			return err
		}
		return ss.audit(tx, action, subject, detail)
	})
}

func (ss *Session) audit(tx *db.Tx, action, subject, detail string) error {
	address := ""
	if ss.from.Address.IsValid() {
		address = ss.from.Address.String()
	}
	return tx.Audit.Add(&model.AuditRow{At: ss.s.Now(), Admin: "key:" + ss.key.ID, Action: action, Subject: subject, Detail: model.CutText(detail, 1000), Address: address})
}

// RequestKeyLenMax bounds the key by which a request is known again.
const RequestKeyLenMax = 128

func checkRequestKey(key string) error {
	if key == "" || len(key) > RequestKeyLenMax || !utf8.ValidString(key) || !plain.Line(key) {
		return model.RefuseField(model.BadRequest, "Idempotency-Key", "needs 1 to %d characters: a new one for each match, the same when a request is sent again", RequestKeyLenMax)
	}
	return nil
}

// Webhooks manages the endpoints of the key's issuer.
func (ss *Session) Webhooks() *hook.Webhooks {
	return ss.s.Hooks.Webhooks(hook.Owner{Issuer: ss.key.Issuer, By: "key:" + ss.key.ID,
		Act: func(ctx context.Context, action string, fn func(*db.Tx) (string, string, error)) error {
			return ss.act(ctx, WebhooksWrite, action, fn)
		},
		Query: func(ctx context.Context, fn func(*db.Tx) error) error { return ss.query(ctx, WebhooksWrite, fn) }})
}

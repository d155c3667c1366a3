package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// AccountByExternal finds the account that an external identity is linked with.
func (t *Tx) AccountByExternal(id model.ExternalID) (model.Account, error) {
	return t.account(`deleted_at = 0 AND id = (SELECT account_id FROM external_identities WHERE issuer = $1 AND subject = $2)`, id.Issuer, id.Subject)
}

// LinkExternal adds a link. An identity has one link at most: a second one, to any
// account, is [model.ErrTaken].
func (t *Tx) LinkExternal(l model.ExternalLink) error {
	return t.run(`INSERT INTO external_identities (issuer, subject, account_id, created_at, used_at) VALUES ($1, $2, $3, $4, $5)`,
		l.Issuer, l.Subject, string(l.Account), ms(l.Created), ms(l.Used))
}

// UseExternal notes a log-in by an identity that is linked.
func (t *Tx) UseExternal(id model.ExternalID, now time.Time) error {
	return t.must(`UPDATE external_identities SET used_at = $3 WHERE issuer = $1 AND subject = $2`, id.Issuer, id.Subject, ms(now))
}

func (t *Tx) UnlinkExternal(a model.AccountID, id model.ExternalID) error {
	return t.must(`DELETE FROM external_identities WHERE issuer = $1 AND subject = $2 AND account_id = $3`, id.Issuer, id.Subject, string(a))
}

// Externals lists the links of an account, the oldest first.
func (t *Tx) Externals(a model.AccountID) ([]model.ExternalLink, error) {
	return list(t, `SELECT account_id, issuer, subject, created_at, used_at FROM external_identities WHERE account_id = $1 ORDER BY created_at, issuer, subject`,
		[]any{string(a)}, func(l *model.ExternalLink) []any {
			return []any{&l.Account, &l.Issuer, &l.Subject, moment{&l.Created}, moment{&l.Used}}
		})
}

func (t *Tx) DropExternals(a model.AccountID) error {
	return t.run(`DELETE FROM external_identities WHERE account_id = $1`, string(a))
}

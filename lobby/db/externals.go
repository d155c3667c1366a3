package db

import (
	"fmt"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// ByExternal finds the account that an external identity is linked with.
func (t Accounts) ByExternal(id model.ExternalID) (model.Account, error) {
	return t.account(`deleted_at = 0 AND id = (SELECT account_id FROM external_identities WHERE issuer = $1 AND subject = $2)`, id.Issuer, id.Subject)
}

// LinkExternal adds a link. An identity has one link at most: a second one, to any
// account, is [model.ErrTaken].
func (t Accounts) LinkExternal(l model.ExternalLink) error {
	return t.run(`INSERT INTO external_identities (issuer, subject, account_id, created_at, used_at) VALUES ($1, $2, $3, $4, $5)`,
		l.Issuer, l.Subject, string(l.Account), ms(l.Created), ms(l.Used))
}

// UseExternal notes a log-in by an identity that is linked.
func (t Accounts) UseExternal(id model.ExternalID, now time.Time) error {
	return t.must(`UPDATE external_identities SET used_at = $3 WHERE issuer = $1 AND subject = $2`, id.Issuer, id.Subject, ms(now))
}

func (t Accounts) UnlinkExternal(a model.AccountID, id model.ExternalID) error {
	return t.must(`DELETE FROM external_identities WHERE issuer = $1 AND subject = $2 AND account_id = $3`, id.Issuer, id.Subject, string(a))
}

// Externals lists the links of an account, the oldest first.
func (t Accounts) Externals(a model.AccountID) ([]model.ExternalLink, error) {
	return list(t, `SELECT account_id, issuer, subject, created_at, used_at FROM external_identities WHERE account_id = $1 ORDER BY created_at, issuer, subject`,
		[]any{string(a)}, func(l *model.ExternalLink) []any {
			return []any{&l.Account, &l.Issuer, &l.Subject, moment{&l.Created}, moment{&l.Used}}
		})
}

func (t Accounts) DropExternals(a model.AccountID) error {
	return t.run(`DELETE FROM external_identities WHERE account_id = $1`, string(a))
}

// Subjects maps accounts to their subjects at an issuer, as far as they have one.
func (t Accounts) Subjects(issuer string, accounts []model.AccountID) (map[model.AccountID]string, error) {
	if len(accounts) == 0 {
		return map[model.AccountID]string{}, nil
	}
	return byKey[model.AccountID, string](t, fmt.Sprintf(`SELECT account_id, MIN(subject) FROM external_identities WHERE account_id IN (%s) AND issuer = $%d GROUP BY account_id`,
		marks(len(accounts)), len(accounts)+1), append(anys(accounts), issuer)...)
}

package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

func (t Sessions) Add(s model.Session) error {
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

// Get finds a session that has not expired, with its account or admin.
func (t Sessions) Get(realm model.Realm, hash model.SecretHash, now time.Time) (model.Session, error) {
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

func (t Sessions) End(realm model.Realm, hash model.SecretHash) error {
	return t.run(`DELETE FROM sessions WHERE hash = $1 AND realm = $2`, string(hash), string(realm))
}

// EndAll ends all sessions of an account or admin except the session with hash keep.
func (t Sessions) EndAll(realm model.Realm, subject string, keep model.SecretHash) (int64, error) {
	return t.exec(`DELETE FROM sessions WHERE realm = $1 AND subject = $2 AND hash <> $3`, string(realm), subject, string(keep))
}

func (t Sessions) List(realm model.Realm, subject string) ([]model.Session, error) {
	return list(t, `SELECT realm, hash, address, user_agent, created_at, expires_at FROM sessions
		WHERE realm = $1 AND subject = $2 ORDER BY created_at DESC, hash LIMIT 200`,
		[]any{string(realm), subject}, func(s *model.Session) []any {
			return []any{&s.Realm, &s.Hash, &s.Address, &s.UserAgent, moment{&s.Created}, moment{&s.Expires}}
		})
}

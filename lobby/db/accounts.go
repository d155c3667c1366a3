package db

import (
	"encoding/json"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const accountColumns = `id, name, COALESCE(email, ''), guest, password_hash, created_at, deleted_at, epoch`

func accountInto(a *model.Account) []any {
	return []any{&a.ID, &a.Name, &a.Email, &a.Guest, &a.PasswordHash, moment{&a.Created}, moment{&a.Deleted}, &a.Epoch}
}

func (t Accounts) account(where string, args ...any) (model.Account, error) {
	return first(list(t, `SELECT `+accountColumns+` FROM accounts WHERE `+where, args, accountInto))
}

func (t Accounts) Add(a model.Account) error {
	return t.run(`INSERT INTO accounts (id, name, name_key, email, guest, password_hash, hash_cost, created_at, deleted_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		string(a.ID), a.Name, model.LoginKey(a.Name), null(a.Email), a.Guest, a.PasswordHash, model.HashCost(a.PasswordHash), ms(a.Created), ms(a.Deleted))
}

func (t Accounts) Get(id model.AccountID) (model.Account, error) {
	return t.account(`id = $1 AND deleted_at = 0`, string(id))
}

// Lock is Get with a lock.
func (t Accounts) Lock(id model.AccountID) (model.Account, error) {
	return t.account(`id = $1 AND deleted_at = 0`+t.d.ForUpdate, string(id))
}

// ByLogin finds by name or email, see [model.LoginKey].
func (t Accounts) ByLogin(key string) (model.Account, error) {
	// A name has no @ and an email has one, so at most one row fits.
	return t.account(`(name_key = $1 OR email = $1) AND deleted_at = 0`, key)
}

func (t Accounts) Save(a model.Account) error {
	return t.must(`UPDATE accounts SET name = $2, name_key = $3, email = $4, guest = $5, password_hash = $6, hash_cost = $7, deleted_at = $8 WHERE id = $1`,
		string(a.ID), a.Name, model.LoginKey(a.Name), null(a.Email), a.Guest, a.PasswordHash, model.HashCost(a.PasswordHash), ms(a.Deleted))
}

// EndEpoch begins a new epoch of the account and returns it. Tickets and
// resume tokens of earlier epochs are invalid.
func (t Accounts) EndEpoch(id model.AccountID) (epoch int64, err error) {
	err = t.one(`UPDATE accounts SET epoch = epoch + 1 WHERE id = $1 RETURNING epoch`, []any{string(id)}, &epoch)
	return epoch, err
}

// Epochs returns the epochs of accounts; deleted ones are left out.
func (t Accounts) Epochs(ids []model.AccountID) (map[model.AccountID]int64, error) {
	return numbers(t, `SELECT id, epoch FROM accounts WHERE deleted_at = 0 AND id`, ids)
}

func (t Accounts) List(f model.AccountFilter) ([]model.Account, error) {
	return list(t, `SELECT `+accountColumns+` FROM accounts
		WHERE deleted_at = 0 AND name_key > $1 AND name_key LIKE $2 ESCAPE '\' ORDER BY name_key LIMIT $3`,
		[]any{f.After, like(f.Query), f.Limit}, accountInto)
}

// Settings returns the settings that PutSettings stored last.
func (t Accounts) Settings(id model.AccountID) (json.RawMessage, error) {
	var body string
	err := t.one(`SELECT body FROM account_settings WHERE account_id = $1`, []any{string(id)}, &body)
	return json.RawMessage(body), err
}

func (t Accounts) PutSettings(id model.AccountID, body json.RawMessage) error {
	return t.run(`INSERT INTO account_settings (account_id, body) VALUES ($1, $2)
		ON CONFLICT (account_id) DO UPDATE SET body = excluded.body`, string(id), string(body))
}

func (t Accounts) DropSettings(id model.AccountID) error {
	return t.run(`DELETE FROM account_settings WHERE account_id = $1`, string(id))
}

// Sharing returns the sight that others have of an account: a value of [model.Sharings].
func (t Accounts) Sharing(id model.AccountID) (sharing string, err error) {
	err = t.one(`SELECT sharing FROM accounts WHERE id = $1 AND deleted_at = 0`, []any{string(id)}, &sharing)
	return sharing, err
}

func (t Accounts) SetSharing(id model.AccountID, sharing string) error {
	return t.must(`UPDATE accounts SET sharing = $2 WHERE id = $1 AND deleted_at = 0`, string(id), sharing)
}

func (t Accounts) AddReset(r model.Reset) error {
	return t.run(`INSERT INTO resets (hash, account_id, by_admin, expires_at) VALUES ($1, $2, $3, $4)`,
		string(r.Hash), string(r.Account), r.By, ms(r.Expires))
}

// Reset finds a reset that is neither used nor expired.
func (t Accounts) Reset(hash model.SecretHash, now time.Time) (r model.Reset, err error) {
	err = t.one(`SELECT hash, account_id, by_admin, expires_at FROM resets WHERE hash = $1 AND used_at = 0 AND expires_at > $2`,
		[]any{string(hash), ms(now)}, &r.Hash, &r.Account, &r.By, moment{&r.Expires})
	return r, err
}

// UseReset finds the reset and marks it used, if it is neither used nor
// expired.
func (t Accounts) UseReset(hash model.SecretHash, now time.Time) (r model.Reset, err error) {
	err = t.one(`UPDATE resets SET used_at = $2 WHERE hash = $1 AND used_at = 0 AND expires_at > $2
		RETURNING hash, account_id, by_admin, expires_at`, []any{string(hash), ms(now)}, &r.Hash, &r.Account, &r.By, moment{&r.Expires})
	return r, err
}

func (t Accounts) DropResets(id model.AccountID) error {
	return t.run(`DELETE FROM resets WHERE account_id = $1`, string(id))
}

// hashCostsMax bounds the costs that a realm's hashes are looked through for:
// an operator changes them now and then.
const hashCostsMax = 16

// HashCosts lists the costs of all password hashes of a realm (see [model.HashCost]),
// each once. It steps from one to the next on the index: the table may be long, and the
// costs are few.
func (t Accounts) HashCosts(realm model.Realm) (list []string, err error) {
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

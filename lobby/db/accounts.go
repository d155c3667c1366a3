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

func (t *Tx) account(where string, args ...any) (model.Account, error) {
	return first(list(t, `SELECT `+accountColumns+` FROM accounts WHERE `+where, args, accountInto))
}

func (t *Tx) AddAccount(a model.Account) error {
	return t.run(`INSERT INTO accounts (id, name, name_key, email, guest, password_hash, hash_cost, created_at, deleted_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		string(a.ID), a.Name, model.LoginKey(a.Name), null(a.Email), a.Guest, a.PasswordHash, model.HashCost(a.PasswordHash), ms(a.Created), ms(a.Deleted))
}

func (t *Tx) Account(id model.AccountID) (model.Account, error) {
	return t.account(`id = $1 AND deleted_at = 0`, string(id))
}

// LockAccount is Account, and keeps other transactions that lock the same
// one waiting until this one ends.
func (t *Tx) LockAccount(id model.AccountID) (model.Account, error) {
	return t.account(`id = $1 AND deleted_at = 0`+t.d.ForUpdate, string(id))
}

// AccountByLogin finds by name or email, see [model.LoginKey].
func (t *Tx) AccountByLogin(key string) (model.Account, error) {
	// A name has no @ and an email has one, so at most one row fits.
	return t.account(`(name_key = $1 OR email = $1) AND deleted_at = 0`, key)
}

func (t *Tx) SaveAccount(a model.Account) error {
	return t.must(`UPDATE accounts SET name = $2, name_key = $3, email = $4, guest = $5, password_hash = $6, hash_cost = $7, deleted_at = $8 WHERE id = $1`,
		string(a.ID), a.Name, model.LoginKey(a.Name), null(a.Email), a.Guest, a.PasswordHash, model.HashCost(a.PasswordHash), ms(a.Deleted))
}

// EndEpoch begins a new epoch of the account and returns it. Tickets and
// resume tokens of earlier epochs are invalid.
func (t *Tx) EndEpoch(id model.AccountID) (epoch int64, err error) {
	err = t.one(`UPDATE accounts SET epoch = epoch + 1 WHERE id = $1 RETURNING epoch`, []any{string(id)}, &epoch)
	return epoch, err
}

// Epochs returns the epochs of accounts; deleted ones are left out.
func (t *Tx) Epochs(ids []model.AccountID) (map[model.AccountID]int64, error) {
	return numbers(t, `SELECT id, epoch FROM accounts WHERE deleted_at = 0 AND id`, ids)
}

func (t *Tx) Accounts(f model.AccountFilter) ([]model.Account, error) {
	return list(t, `SELECT `+accountColumns+` FROM accounts
		WHERE deleted_at = 0 AND name_key > $1 AND name_key LIKE $2 ESCAPE '\' ORDER BY name_key LIMIT $3`,
		[]any{f.After, like(f.Query), f.Limit}, accountInto)
}

func (t *Tx) Record(id model.AccountID) (r model.Record, err error) {
	n, err := byKey[model.Outcome, int](t, `SELECT outcome, COUNT(*) FROM match_seats WHERE account_id = $1 GROUP BY outcome`, string(id))
	r.Won, r.Lost, r.Drawn = n[model.Won], n[model.Lost], n[model.Drawn]
	r.Played = r.Won + r.Lost + r.Drawn
	return r, err
}

// History lists the account's matches, latest first, below num before (0: from the
// latest).
func (t *Tx) History(id model.AccountID, before int64, limit int) ([]model.Played, error) {
	return list(t, `SELECT m.num, m.id, m.state, m.replays, m.started_at, m.ended_at, s.slot % `+formerSlots+`, s.team, s.outcome, m.spec, m.result
		FROM match_seats s JOIN matches m ON m.id = s.match_id
		WHERE s.account_id = $1 AND (CAST($2 AS BIGINT) = 0 OR m.num < $2) ORDER BY m.num DESC LIMIT $3`,
		[]any{string(id), before, limit}, func(p *model.Played) []any {
			return []any{&p.Num, &p.Match, &p.State, &p.Replays, moment{&p.Started}, moment{&p.Ended}, &p.Start, &p.Team, &p.Outcome,
				text(func(spec string) error {
					s := model.Spec{Options: olderOptions}
					err := json.Unmarshal([]byte(spec), &s)
					p.Lobby, p.MapID, p.Map, p.Options, p.Players = s.Lobby, s.Map.ID, s.Map.Name, s.Options, s.Participants
					return err
				}),
				text(func(result string) error {
					var o *model.Outcomes
					if err := decodeResult(result, &o); err != nil || o == nil {
						return err
					}
					p.Reason, p.Ticks, p.Score = o.Reason, o.Ticks, o.Of(p.Start).Score
					p.Length = time.Duration(o.Ticks) * time.Second / time.Duration(max(1, p.Options.TicksPerSecond))
					return nil
				})}
		})
}

// AccountSettings returns the settings that PutAccountSettings stored last.
func (t *Tx) AccountSettings(id model.AccountID) (json.RawMessage, error) {
	var body string
	err := t.one(`SELECT body FROM account_settings WHERE account_id = $1`, []any{string(id)}, &body)
	return json.RawMessage(body), err
}

func (t *Tx) PutAccountSettings(id model.AccountID, body json.RawMessage) error {
	return t.run(`INSERT INTO account_settings (account_id, body) VALUES ($1, $2)
		ON CONFLICT (account_id) DO UPDATE SET body = excluded.body`, string(id), string(body))
}

func (t *Tx) DropAccountSettings(id model.AccountID) error {
	return t.run(`DELETE FROM account_settings WHERE account_id = $1`, string(id))
}

func (t *Tx) AddReset(r model.Reset) error {
	return t.run(`INSERT INTO resets (hash, account_id, by_admin, expires_at) VALUES ($1, $2, $3, $4)`,
		string(r.Hash), string(r.Account), r.By, ms(r.Expires))
}

// Reset finds a reset that is neither used nor expired.
func (t *Tx) Reset(hash model.SecretHash, now time.Time) (r model.Reset, err error) {
	err = t.one(`SELECT hash, account_id, by_admin, expires_at FROM resets WHERE hash = $1 AND used_at = 0 AND expires_at > $2`,
		[]any{string(hash), ms(now)}, &r.Hash, &r.Account, &r.By, moment{&r.Expires})
	return r, err
}

// UseReset finds the reset and marks it used, if it is neither used nor
// expired.
func (t *Tx) UseReset(hash model.SecretHash, now time.Time) (r model.Reset, err error) {
	err = t.one(`UPDATE resets SET used_at = $2 WHERE hash = $1 AND used_at = 0 AND expires_at > $2
		RETURNING hash, account_id, by_admin, expires_at`, []any{string(hash), ms(now)}, &r.Hash, &r.Account, &r.By, moment{&r.Expires})
	return r, err
}

func (t *Tx) DropResets(id model.AccountID) error {
	return t.run(`DELETE FROM resets WHERE account_id = $1`, string(id))
}

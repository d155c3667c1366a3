package db

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const accountColumns = `id, name, COALESCE(email, ''), guest, password_hash, created_at, deleted_at, epoch`

func scanAccount(scan func(...any) error, a *model.Account) error {
	var created, deleted int64
	if err := scan(&a.ID, &a.Name, &a.Email, &a.Guest, &a.PasswordHash, &created, &deleted, &a.Epoch); err != nil {
		return err
	}
	a.Created, a.Deleted = fromMs(created), fromMs(deleted)
	return nil
}

func (t *Tx) account(where string, args ...any) (a model.Account, err error) {
	err = model.ErrNotFound
	if e := t.each(`SELECT `+accountColumns+` FROM accounts WHERE `+where, args, func(scan func(...any) error) error {
		err = nil
		return scanAccount(scan, &a)
	}); e != nil {
		err = e
	}
	return a, err
}

func (t *Tx) AddAccount(a model.Account) error {
	_, err := t.exec(`INSERT INTO accounts (id, name, name_key, email, guest, password_hash, hash_cost, created_at, deleted_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		string(a.ID), a.Name, model.LoginKey(a.Name), null(a.Email), a.Guest, a.PasswordHash, model.HashCost(a.PasswordHash), ms(a.Created), ms(a.Deleted))
	return err
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

// Epochs returns the epochs of accounts; of those deleted, none.
func (t *Tx) Epochs(ids []model.AccountID) (map[model.AccountID]int64, error) {
	out := make(map[model.AccountID]int64, len(ids))
	for part := range slices.Chunk(ids, 500) {
		args := make([]any, len(part))
		for i, id := range part {
			args[i] = string(id)
		}
		if err := t.each(`SELECT id, epoch FROM accounts WHERE deleted_at = 0 AND id IN (`+marks(len(args))+`)`, args, func(scan func(...any) error) error {
			var id model.AccountID
			var epoch int64
			err := scan(&id, &epoch)
			out[id] = epoch
			return err
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t *Tx) Accounts(f model.AccountFilter) (list []model.Account, err error) {
	err = t.each(`SELECT `+accountColumns+` FROM accounts
		WHERE deleted_at = 0 AND name_key > $1 AND name_key LIKE $2 ESCAPE '\' ORDER BY name_key LIMIT $3`,
		[]any{f.After, like(f.Query), f.Limit}, func(scan func(...any) error) error {
			var a model.Account
			err := scanAccount(scan, &a)
			list = append(list, a)
			return err
		})
	return list, err
}

func (t *Tx) Record(id model.AccountID) (r model.Record, err error) {
	err = t.each(`SELECT outcome, COUNT(*) FROM match_seats WHERE account_id = $1 GROUP BY outcome`,
		[]any{string(id)}, func(scan func(...any) error) error {
			var o model.Outcome
			var n int
			if err := scan(&o, &n); err != nil {
				return err
			}
			switch o {
			case model.Won:
				r.Won = n
			case model.Lost:
				r.Lost = n
			case model.Drawn:
				r.Drawn = n
			}
			return nil
		})
	r.Played = r.Won + r.Lost + r.Drawn
	return r, err
}

// History lists what the account played, latest first, below num before
// (0: from the latest).
func (t *Tx) History(id model.AccountID, before int64, limit int) (list []model.Played, err error) {
	err = t.each(`SELECT m.num, m.id, m.spec, m.state, m.replays, m.result, m.started_at, m.ended_at, s.slot % `+formerSlots+`, s.team, s.outcome
		FROM match_seats s JOIN matches m ON m.id = s.match_id
		WHERE s.account_id = $1 AND (CAST($2 AS BIGINT) = 0 OR m.num < $2) ORDER BY m.num DESC LIMIT $3`,
		[]any{string(id), before, limit}, func(scan func(...any) error) error {
			var p model.Played
			var spec, result string
			var started, ended int64
			if err := scan(&p.Num, &p.Match, &spec, &p.State, &p.Replays, &result, &started, &ended, &p.Slot, &p.Team, &p.Outcome); err != nil {
				return err
			}
			s := model.Spec{Options: olderOptions}
			var o *model.Outcomes
			if err := errors.Join(json.Unmarshal([]byte(spec), &s), decodeResult(result, &o)); err != nil {
				return err
			}
			p.Lobby, p.MapID, p.Options = s.Lobby, s.Map.ID, s.Options
			p.Map, p.Players, p.Started, p.Ended = s.Map.Name, s.Participants, fromMs(started), fromMs(ended)
			if o != nil {
				p.Reason, p.Ticks, p.Score = o.Reason, o.Ticks, o.Of(p.Slot).Score
				p.Length = time.Duration(o.Ticks) * time.Second / time.Duration(max(1, s.Options.TicksPerSecond))
			}
			list = append(list, p)
			return nil
		})
	return list, err
}

// AccountSettings returns the settings that PutAccountSettings stored last.
func (t *Tx) AccountSettings(id model.AccountID) (json.RawMessage, error) {
	var body string
	err := t.one(`SELECT body FROM account_settings WHERE account_id = $1`, []any{string(id)}, &body)
	return json.RawMessage(body), err
}

func (t *Tx) PutAccountSettings(id model.AccountID, body json.RawMessage) error {
	_, err := t.exec(`INSERT INTO account_settings (account_id, body) VALUES ($1, $2)
		ON CONFLICT (account_id) DO UPDATE SET body = excluded.body`, string(id), string(body))
	return err
}

func (t *Tx) DropAccountSettings(id model.AccountID) error {
	_, err := t.exec(`DELETE FROM account_settings WHERE account_id = $1`, string(id))
	return err
}

func (t *Tx) AddReset(r model.Reset) error {
	_, err := t.exec(`INSERT INTO resets (hash, account_id, by_admin, expires_at) VALUES ($1, $2, $3, $4)`,
		string(r.Hash), string(r.Account), r.By, ms(r.Expires))
	return err
}

// Reset finds a reset that is neither used nor expired.
func (t *Tx) Reset(hash model.SecretHash, now time.Time) (r model.Reset, err error) {
	var expires int64
	err = t.one(`SELECT hash, account_id, by_admin, expires_at FROM resets WHERE hash = $1 AND used_at = 0 AND expires_at > $2`,
		[]any{string(hash), ms(now)}, &r.Hash, &r.Account, &r.By, &expires)
	r.Expires = fromMs(expires)
	return r, err
}

// UseReset finds the reset and marks it used, if it is neither used nor
// expired.
func (t *Tx) UseReset(hash model.SecretHash, now time.Time) (r model.Reset, err error) {
	var expires int64
	err = t.one(`UPDATE resets SET used_at = $2 WHERE hash = $1 AND used_at = 0 AND expires_at > $2
		RETURNING hash, account_id, by_admin, expires_at`, []any{string(hash), ms(now)}, &r.Hash, &r.Account, &r.By, &expires)
	r.Expires = fromMs(expires)
	return r, err
}

func (t *Tx) DropResets(id model.AccountID) error {
	_, err := t.exec(`DELETE FROM resets WHERE account_id = $1`, string(id))
	return err
}

package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// SetReplays stores a match's Replays and ReplayLinks.
func (t *Tx) SetReplays(m model.Match) error {
	return t.must(`UPDATE matches SET replays = $2, replay_links = $3 WHERE id = $1`, string(m.ID), m.Replays, m.ReplayLinks)
}

// AddWatcher notes that an account was let in to watch a match, once however
// often; HasWatched asks.
func (t *Tx) AddWatcher(m model.MatchID, a model.AccountID) error {
	_, err := t.exec(`INSERT INTO match_watchers (match_id, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, string(m), string(a))
	return err
}

func (t *Tx) HasWatched(m model.MatchID, a model.AccountID) (has bool, err error) {
	err = t.one(`SELECT EXISTS (SELECT 1 FROM match_watchers WHERE match_id = $1 AND account_id = $2)`, []any{string(m), string(a)}, &has)
	return has, err
}

// HasPlayed reports whether the account has or had a player's seat in a match.
func (t *Tx) HasPlayed(m model.MatchID, a model.AccountID) (has bool, err error) {
	err = t.one(`SELECT EXISTS (SELECT 1 FROM match_seats WHERE match_id = $1 AND account_id = $2)`, []any{string(m), string(a)}, &has)
	return has, err
}

// PlayerNames returns the names, as they are today, of the accounts that have or
// had a seat in a match; of those deleted, none.
func (t *Tx) PlayerNames(m model.MatchID) (map[model.AccountID]string, error) {
	out := map[model.AccountID]string{}
	err := t.each(`SELECT a.id, a.name FROM match_seats s JOIN accounts a ON a.id = s.account_id
		WHERE s.match_id = $1 AND a.deleted_at = 0`, []any{string(m)}, func(scan func(...any) error) error {
		var id model.AccountID
		var name string
		err := scan(&id, &name)
		out[id] = name
		return err
	})
	return out, err
}

func (t *Tx) AddReplayTicket(k model.ReplayTicket) error {
	_, err := t.exec(`INSERT INTO replay_tickets (hash, match_id, account_id, epoch, live, link, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(k.Hash), string(k.Match), string(k.Account), k.Epoch, k.Live, k.Link, ms(k.Expires))
	return err
}

func (t *Tx) HasReplayTicket(hash model.SecretHash) (has bool, err error) {
	err = t.one(`SELECT EXISTS (SELECT 1 FROM replay_tickets WHERE hash = $1)`, []any{string(hash)}, &has)
	return has, err
}

// LockReplayTicket finds a ticket and keeps others who present it waiting.
func (t *Tx) LockReplayTicket(hash model.SecretHash) (model.ReplayTicket, error) {
	k := model.ReplayTicket{Hash: hash}
	var expires, used int64
	err := t.one(`SELECT match_id, account_id, epoch, live, link, expires_at, used_at FROM replay_tickets WHERE hash = $1`+t.d.ForUpdate,
		[]any{string(hash)}, &k.Match, &k.Account, &k.Epoch, &k.Live, &k.Link, &expires, &used)
	k.Expires, k.Used = fromMs(expires), fromMs(used)
	return k, err
}

func (t *Tx) UseReplayTicket(hash model.SecretHash, now time.Time) error {
	return t.must(`UPDATE replay_tickets SET used_at = $2 WHERE hash = $1 AND used_at = 0`, string(hash), ms(now))
}

// Redactions lists what is to be taken out of journals, of matches that a node ran
// last ("": of all), behind a match and account.
func (t *Tx) Redactions(node string, after model.Redaction, limit int) (list []model.Redaction, err error) {
	err = t.each(`SELECT r.match_id, r.account_id FROM replay_redactions r JOIN matches m ON m.id = r.match_id
		WHERE ($1 = '' OR m.node = $1) AND (r.match_id > $2 OR r.match_id = $2 AND r.account_id > $3)
		ORDER BY r.match_id, r.account_id LIMIT $4`, []any{node, string(after.Match), string(after.Account), limit}, func(scan func(...any) error) error {
		var r model.Redaction
		err := scan(&r.Match, &r.Account)
		list = append(list, r)
		return err
	})
	return list, err
}

func (t *Tx) DropRedaction(r model.Redaction) error {
	_, err := t.exec(`DELETE FROM replay_redactions WHERE match_id = $1 AND account_id = $2`, string(r.Match), string(r.Account))
	return err
}

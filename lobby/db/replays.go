package db

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// AddListed puts a match into the catalogue.
func (t Replays) AddListed(l model.Listed) error {
	return t.run(`INSERT INTO catalogue (num, match_id, map_id, mode, seconds, version, rating, open_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		l.Num, string(l.Match), l.Map, l.Mode, l.Seconds, l.Version, l.Rating, ms(l.Open))
}

func (t Replays) DropListed(m model.MatchID) error {
	return t.run(`DELETE FROM catalogue WHERE match_id = $1`, string(m))
}

func (t Replays) listed(rest string, args ...any) ([]model.Listed, error) {
	return list(t, `SELECT c.num, c.match_id, c.map_id, c.mode, c.seconds, c.version, c.rating, c.open_at, NOT EXISTS (SELECT 1 FROM match_seats s JOIN accounts a ON a.id = s.account_id
		WHERE s.match_id = c.match_id AND (a.sharing <> 'replays' OR a.deleted_at > 0)) FROM `+rest, args,
		func(l *model.Listed) []any {
			return []any{&l.Num, &l.Match, &l.Map, &l.Mode, &l.Seconds, &l.Version, &l.Rating, moment{&l.Open}, &l.Agreed}
		})
}

// Listed returns a match of the catalogue.
func (t Replays) Listed(m model.MatchID) (model.Listed, error) {
	return first(t.listed(`catalogue c WHERE c.match_id = $1`, string(m)))
}

// Catalogue lists the next matches of the catalogue below num before (0: from the newest), newest first: of a
// player, or else of a map; both empty: all.
func (t Replays) Catalogue(player model.AccountID, mapID string, before int64, limit int) ([]model.Listed, error) {
	const below = `(CAST($1 AS BIGINT) = 0 OR c.num < $1)`
	const page = ` ORDER BY c.num DESC LIMIT $2`
	switch {
	case player != "":
		return t.listed(`match_seats p JOIN catalogue c ON c.match_id = p.match_id WHERE p.account_id = $3 AND `+below+page, before, limit, string(player))
	case mapID != "":
		return t.listed(`catalogue c WHERE c.map_id = $3 AND `+below+page, before, limit, mapID)
	}
	return t.listed(`catalogue c WHERE `+below+page, before, limit)
}

// Set stores a match's Replays and ReplayLinks.
func (t Replays) Set(m model.Match) error {
	return t.must(`UPDATE matches SET replays = $2, replay_links = $3 WHERE id = $1`, string(m.ID), m.Replays, m.ReplayLinks)
}

// AddWatcher notes that an account was let in to watch a match. A repetition has no
// effect. HasWatched reads the note.
func (t Replays) AddWatcher(m model.MatchID, a model.AccountID) error {
	return t.run(`INSERT INTO match_watchers (match_id, account_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, string(m), string(a))
}

func (t Replays) HasWatched(m model.MatchID, a model.AccountID) (bool, error) {
	return t.exists(`SELECT 1 FROM match_watchers WHERE match_id = $1 AND account_id = $2`, string(m), string(a))
}

func (t Replays) AddTicket(k model.ReplayTicket) error {
	return t.run(`INSERT INTO replay_tickets (hash, match_id, account_id, epoch, live, link, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		string(k.Hash), string(k.Match), string(k.Account), k.Epoch, k.Live, k.Link, ms(k.Expires))
}

func (t Replays) HasTicket(hash model.SecretHash) (bool, error) {
	return t.exists(`SELECT 1 FROM replay_tickets WHERE hash = $1`, string(hash))
}

// LockTicket finds a ticket and locks it.
func (t Replays) LockTicket(hash model.SecretHash) (model.ReplayTicket, error) {
	k := model.ReplayTicket{Hash: hash}
	err := t.one(`SELECT match_id, account_id, epoch, live, link, expires_at, used_at FROM replay_tickets WHERE hash = $1`+t.d.ForUpdate,
		[]any{string(hash)}, &k.Match, &k.Account, &k.Epoch, &k.Live, &k.Link, moment{&k.Expires}, moment{&k.Used})
	return k, err
}

func (t Replays) UseTicket(hash model.SecretHash, now time.Time) error {
	return t.must(`UPDATE replay_tickets SET used_at = $2 WHERE hash = $1 AND used_at = 0`, string(hash), ms(now))
}

// Redactions lists the accounts to take out of journals, for matches that a node ran
// last ("": all matches), behind a match and account.
func (t Replays) Redactions(node string, after model.Redaction, limit int) ([]model.Redaction, error) {
	return list(t, `SELECT r.match_id, r.account_id FROM replay_redactions r JOIN matches m ON m.id = r.match_id
		WHERE ($1 = '' OR m.node = $1) AND (r.match_id > $2 OR r.match_id = $2 AND r.account_id > $3)
		ORDER BY r.match_id, r.account_id LIMIT $4`, []any{node, string(after.Match), string(after.Account), limit},
		func(r *model.Redaction) []any { return []any{&r.Match, &r.Account} })
}

func (t Replays) DropRedaction(r model.Redaction) error {
	return t.run(`DELETE FROM replay_redactions WHERE match_id = $1 AND account_id = $2`, string(r.Match), string(r.Account))
}

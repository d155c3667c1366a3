package db

import (
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

func (t Relations) relations(join, where string, args ...any) ([]model.Relation, error) {
	return list(t, `SELECT r.account_id, r.other_id, a.name, r.kind, r.at FROM relations r JOIN accounts a ON a.id = `+join+`
		WHERE a.deleted_at = 0 AND `+where+` ORDER BY a.name_key`, args, func(r *model.Relation) []any {
		return []any{&r.Account, &r.Other, &r.Name, &r.Kind, moment{&r.At}}
	})
}

// Of lists an account's relations, with the names of the others.
func (t Relations) Of(a model.AccountID) ([]model.Relation, error) {
	return t.relations(`r.other_id`, `r.account_id = $1`, string(a))
}

// Requests lists the requests to an account, with the names of the accounts that ask. It leaves out accounts that it
// blocks.
func (t Relations) Requests(a model.AccountID) ([]model.Relation, error) {
	return t.relations(`r.account_id`, `r.other_id = $1 AND r.kind = 'request'
		AND NOT EXISTS (SELECT 1 FROM relations b WHERE b.account_id = $1 AND b.other_id = r.account_id AND b.kind = 'block')`, string(a))
}

// Has reports whether one account has a relation to another.
func (t Relations) Has(a, other model.AccountID, kind model.RelationKind) (bool, error) {
	return t.exists(`SELECT 1 FROM relations WHERE account_id = $1 AND other_id = $2 AND kind = $3`, string(a), string(other), string(kind))
}

// Count counts an account's relations of a kind.
func (t Relations) Count(a model.AccountID, kind model.RelationKind) (n int, err error) {
	err = t.one(`SELECT COUNT(*) FROM relations WHERE account_id = $1 AND kind = $2`, []any{string(a), string(kind)}, &n)
	return n, err
}

// Put adds a relation; one that exists stays.
func (t Relations) Put(r model.Relation) error {
	return t.run(`INSERT INTO relations (account_id, other_id, kind, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		string(r.Account), string(r.Other), string(r.Kind), ms(r.At))
}

// Drop deletes a relation, and reports whether there was one.
func (t Relations) Drop(a, other model.AccountID, kind model.RelationKind) (bool, error) {
	n, err := t.exec(`DELETE FROM relations WHERE account_id = $1 AND other_id = $2 AND kind = $3`, string(a), string(other), string(kind))
	return n > 0, err
}

// Among lists the relations of a kind between accounts of a list.
func (t Relations) Among(kind model.RelationKind, accounts []model.AccountID) (out []model.Pair, err error) {
	for part := range slices.Chunk(accounts, 500) {
		err := t.each(`SELECT account_id, other_id FROM relations WHERE kind = $1 AND account_id IN (`+marksFrom(2, len(part))+`) ORDER BY account_id, other_id`,
			append([]any{string(kind)}, anys(part)...), func(scan func(...any) error) error {
				var p model.Pair
				err := scan(&p[0], &p[1])
				if slices.Contains(accounts, p[1]) {
					out = append(out, p)
				}
				return err
			})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Blocked reports whether one of two accounts blocks the other.
func (t Relations) Blocked(a, b model.AccountID) (bool, error) {
	return t.exists(`SELECT 1 FROM relations WHERE kind = 'block' AND (account_id = $1 AND other_id = $2 OR account_id = $2 AND other_id = $1)`, string(a), string(b))
}

// Changed counts a change of the relations, messages or notices of accounts: their watchers look again.
func (t Relations) Changed(accounts ...model.AccountID) error {
	slices.Sort(accounts) // all transactions lock rows in this order
	for _, a := range accounts {
		if err := t.run(`INSERT INTO presences (account_id, seq) VALUES ($1, 1) ON CONFLICT (account_id) DO UPDATE SET seq = presences.seq + 1`, string(a)); err != nil {
			return err
		}
	}
	return nil
}

// Seq returns the number that counts the changes of an account's relations, messages and notices.
func (t Relations) Seq(a model.AccountID) (seq int64, err error) {
	err = t.one(`SELECT COALESCE(MAX(seq), 0) FROM presences WHERE account_id = $1`, []any{string(a)}, &seq)
	return seq, err
}

// seenEvery is how old a stored sign of life is before it is stored again.
const seenEvery = 30 * time.Second

// Seen notes signs of life of those accounts that have had relations.
func (t Relations) Seen(accounts []model.AccountID, now time.Time) error {
	for part := range slices.Chunk(accounts, 500) {
		n := len(part)
		if err := t.run(fmt.Sprintf(`UPDATE presences SET seen_at = $%d WHERE seen_at < $%d AND account_id IN (%s)`, n+1, n+2, marks(n)),
			append(anys(part), ms(now), ms(now.Add(-seenEvery)))...); err != nil {
			return err
		}
	}
	return nil
}

// Hide says whether an account looks absent to all others.
func (t Relations) Hide(a model.AccountID, hidden bool) error {
	return t.run(`INSERT INTO presences (account_id, hidden) VALUES ($1, $2) ON CONFLICT (account_id) DO UPDATE SET hidden = excluded.hidden`, string(a), hidden)
}

// Hidden reports whether an account looks absent to all others.
func (t Relations) Hidden(a model.AccountID) (bool, error) {
	return t.exists(`SELECT 1 FROM presences WHERE account_id = $1 AND hidden`, string(a))
}

// Present returns the last signs of life of accounts, without hidden ones.
func (t Relations) Present(accounts []model.AccountID) (map[model.AccountID]int64, error) {
	return numbers(t, `SELECT account_id, seen_at FROM presences WHERE NOT hidden AND account_id`, accounts)
}

// DropAll deletes an account's relations, in both directions, its messages and its presence.
func (t Relations) DropAll(a model.AccountID) error {
	others, err := column[model.AccountID](t, `SELECT account_id FROM relations WHERE other_id = $1 AND kind IN ('friend', 'request')`, string(a))
	if err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM relations WHERE account_id = $1 OR other_id = $1`,
		`DELETE FROM direct_messages WHERE from_id = $1 OR to_id = $1`,
		`DELETE FROM presences WHERE account_id = $1`,
	} {
		if err := t.run(sql, string(a)); err != nil {
			return err
		}
	}
	return t.Changed(others...)
}

// messagesMax bounds the messages from one account to another; older ones are deleted.
const messagesMax = 100

// Say stores a message, sets its number, and deletes the oldest messages beyond the bound.
func (t Relations) Say(m *model.DirectMessage) error {
	if err := t.one(`INSERT INTO direct_messages (from_id, to_id, text, at) VALUES ($1, $2, $3, $4) RETURNING num`,
		[]any{string(m.From), string(m.To), m.Text, ms(m.At)}, &m.ID); err != nil {
		return err
	}
	return t.run(`DELETE FROM direct_messages WHERE from_id = $1 AND to_id = $2 AND num <=
		(SELECT num FROM direct_messages WHERE from_id = $1 AND to_id = $2 ORDER BY num DESC LIMIT 1 OFFSET $3)`, string(m.From), string(m.To), messagesMax)
}

// Messages lists the messages between two accounts, oldest first.
func (t Relations) Messages(a, b model.AccountID) ([]model.DirectMessage, error) {
	return list(t, `SELECT num, from_id, to_id, text, at FROM direct_messages
		WHERE from_id = $1 AND to_id = $2 OR from_id = $2 AND to_id = $1 ORDER BY num LIMIT $3`, []any{string(a), string(b), 2 * messagesMax},
		func(m *model.DirectMessage) []any { return []any{&m.ID, &m.From, &m.To, &m.Text, moment{&m.At}} })
}

// Newest returns the number of the newest message from each account to one.
func (t Relations) Newest(to model.AccountID) (map[model.AccountID]int64, error) {
	return byKey[model.AccountID, int64](t, `SELECT from_id, MAX(num) FROM direct_messages WHERE to_id = $1 GROUP BY from_id`, string(to))
}

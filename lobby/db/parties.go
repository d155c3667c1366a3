package db

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

const partyColumns = `id, leader, code, seq, queue, since, offer_id, lobby_id, out_of, vetoes`

// parties reads parties with their members.
func (t Parties) parties(rest string, args ...any) ([]*model.Party, error) {
	read, err := list(t, `SELECT `+partyColumns+` FROM parties WHERE `+rest, args, func(p *model.Party) []any {
		return []any{&p.ID, &p.Leader, &p.Code, &p.Seq, &p.Queue, moment{&p.Since}, &p.Offer, &p.Lobby, &p.OutOf, asJSON{&p.Vetoes}}
	})
	out, byID := make([]*model.Party, len(read)), map[model.PartyID]*model.Party{}
	for i := range read {
		out[i], byID[read[i].ID] = &read[i], &read[i]
	}
	for part := range slices.Chunk(out, 500) {
		ids := make([]any, len(part))
		for i, p := range part {
			ids[i] = string(p.ID)
		}
		err = errors.Join(err, t.each(`SELECT m.party_id, m.account_id, a.name, m.mean, m.deviation, m.accepted, m.seen_at, m.faction
			FROM party_members m JOIN accounts a ON a.id = m.account_id
			WHERE m.party_id IN (`+marks(len(ids))+`) ORDER BY m.party_id, m.place`, ids, func(scan func(...any) error) error {
			var id model.PartyID
			var m model.Member
			if err := scan(&id, &m.Account, &m.Name, &m.Rating.Mean, &m.Rating.Deviation, &m.Accepted, moment{&m.Seen}, &m.Faction); err != nil {
				return err
			}
			byID[id].Members = append(byID[id].Members, m)
			return nil
		}))
	}
	return out, err
}

func (t Parties) party(rest string, args ...any) (*model.Party, error) {
	return first(t.parties(rest, args...))
}

func (t Parties) Get(id model.PartyID) (*model.Party, error) { return t.party(`id = $1`, string(id)) }

func (t Parties) ByCode(code string) (*model.Party, error) { return t.party(`code = $1`, code) }

func (t Parties) Of(a model.AccountID) (*model.Party, error) {
	return t.party(`id = (SELECT party_id FROM party_members WHERE account_id = $1)`, string(a))
}

// WithMembers returns the parties of accounts.
func (t Parties) WithMembers(accounts []model.AccountID) (map[model.AccountID]*model.Party, error) {
	out := map[model.AccountID]*model.Party{}
	for part := range slices.Chunk(accounts, 500) {
		parties, err := t.parties(`id IN (SELECT party_id FROM party_members WHERE account_id IN (`+marks(len(part))+`))`, anys(part)...)
		if err != nil {
			return nil, err
		}
		for _, p := range parties {
			for _, m := range p.Members {
				out[m.Account] = p
			}
		}
	}
	return out, nil
}

// Waiting lists a queue's parties without an offer, the oldest first.
func (t Parties) Waiting() ([]*model.Party, error) {
	return t.parties(`queue <> '' AND offer_id = '' ORDER BY since, id`)
}

func (t Parties) Add(p *model.Party) error {
	p.Seq = 1
	if _, err := t.exec(`INSERT INTO parties (id, leader, code, queue, since, offer_id, lobby_id, out_of, vetoes, seq) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1)`,
		partyArgs(p)...); err != nil {
		return err
	}
	return t.saveMembers(p)
}

// Save stores a party with its members, and counts its Seq up. One without
// members is deleted. An account that is in another party is ErrTaken.
func (t Parties) Save(p *model.Party) error {
	if len(p.Members) == 0 {
		return t.must(`DELETE FROM parties WHERE id = $1`, string(p.ID))
	}
	if err := t.must(`UPDATE parties SET leader = $2, code = $3, queue = $4, since = $5, offer_id = $6, lobby_id = $7, out_of = $8, vetoes = $9, seq = seq + 1 WHERE id = $1`,
		partyArgs(p)...); err != nil {
		return err
	}
	p.Seq++
	ids := []any{string(p.ID)}
	for _, m := range p.Members {
		ids = append(ids, string(m.Account))
	}
	if _, err := t.exec(`DELETE FROM party_members WHERE party_id = $1 AND account_id NOT IN (`+marksFrom(2, len(p.Members))+`)`, ids...); err != nil {
		return err
	}
	return t.saveMembers(p)
}

func partyArgs(p *model.Party) []any {
	return []any{string(p.ID), string(p.Leader), p.Code, p.Queue, ms(p.Since), string(p.Offer), string(p.Lobby), string(p.OutOf), encode(p.Vetoes)}
}

// saveMembers stores the members. A member of another party violates the key: the row
// is not taken over.
func (t Parties) saveMembers(p *model.Party) error {
	for i, m := range p.Members {
		n, err := t.exec(`INSERT INTO party_members (account_id, party_id, place, mean, deviation, accepted, seen_at, faction) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (account_id) DO UPDATE SET place = excluded.place, mean = excluded.mean, deviation = excluded.deviation,
				accepted = excluded.accepted, seen_at = excluded.seen_at, faction = excluded.faction WHERE party_members.party_id = excluded.party_id`,
			string(m.Account), string(p.ID), i, m.Rating.Mean, m.Rating.Deviation, m.Accepted, ms(m.Seen), m.Faction)
		if err != nil {
			return err
		}
		if n == 0 {
			return fmt.Errorf("account %s is in another party: %w", m.Account, model.ErrTaken)
		}
	}
	return nil
}

// Tokens returns for each account a text that is another one when its party or its
// relations have changed.
func (t Parties) Tokens(accounts []model.AccountID) (map[model.AccountID]string, error) {
	out := map[model.AccountID]string{}
	for part := range slices.Chunk(accounts, 500) {
		if err := t.each(`SELECT a.id, COALESCE(p.id, ''), COALESCE(p.seq, 0), COALESCE(r.seq, 0) FROM accounts a
			LEFT JOIN party_members m ON m.account_id = a.id LEFT JOIN parties p ON p.id = m.party_id LEFT JOIN presences r ON r.account_id = a.id
			WHERE a.id IN (`+marks(len(part))+`)`, anys(part), func(scan func(...any) error) error {
			var a model.AccountID
			var id string
			var party, relations int64
			err := scan(&a, &id, &party, &relations)
			out[a] = fmt.Sprintf("%s:%d:%d", id, party, relations)
			return err
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t Parties) Seen(accounts []model.AccountID, now time.Time) error {
	for part := range slices.Chunk(accounts, 500) {
		if _, err := t.exec(fmt.Sprintf(`UPDATE party_members SET seen_at = $%d WHERE account_id IN (%s)`, len(part)+1, marks(len(part))),
			append(anys(part), ms(now))...); err != nil {
			return err
		}
	}
	return nil
}

// Unseen lists parties with a member who was last seen before a time: one time
// for parties in a queue, one for the others.
func (t Parties) Unseen(queued, idle time.Time, limit int) ([]model.PartyID, error) {
	return column[model.PartyID](t, `SELECT DISTINCT p.id FROM party_members m JOIN parties p ON p.id = m.party_id
		WHERE m.seen_at < $1 AND (p.queue <> '' OR m.seen_at < $2) ORDER BY p.id LIMIT $3`, ms(queued), ms(idle), limit)
}

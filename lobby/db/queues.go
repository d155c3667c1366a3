package db

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// Lock locks matchmaking, and returns the time of the last pairing by a process.
func (t Queues) Lock() (time.Time, error) {
	var paired int64
	err := t.one(`SELECT paired_at FROM matchmaking WHERE id = 1`+t.d.ForUpdate, nil, &paired)
	return fromMs(paired), err
}

func (t Queues) SetPaired(now time.Time) error {
	return t.must(`UPDATE matchmaking SET paired_at = $1 WHERE id = 1`, ms(now))
}

// Lengths counts the players of each queue that is not empty.
func (t Queues) Lengths() (map[string]model.QueueLength, error) {
	out := map[string]model.QueueLength{}
	err := t.each(`SELECT p.queue, COUNT(DISTINCT p.id), COUNT(*) FROM parties p JOIN party_members m ON m.party_id = p.id
		WHERE p.queue <> '' GROUP BY p.queue`, nil, func(scan func(...any) error) error {
		var queue string
		var n model.QueueLength
		err := scan(&queue, &n.Parties, &n.Players)
		out[queue] = n
		return err
	})
	return out, err
}

// offered is the part of an offer that the database keeps as JSON.
type offered struct {
	Map    *string             `json:"map"`
	Vetoed *[]string           `json:"vetoed"`
	Teams  *[2][]model.PartyID `json:"teams"`
	Bots   *[2]int             `json:"bots"`
}

func (t Queues) AddOffer(o model.Offer) error {
	return t.run(`INSERT INTO offers (id, queue, match_of, expires_at) VALUES ($1, $2, $3, $4)`,
		string(o.ID), o.Queue, encode(offered{&o.Map, &o.Vetoed, &o.Teams, &o.Bots}), ms(o.Expires))
}

func (t Queues) offers(rest string, args ...any) ([]model.Offer, error) {
	return list(t, `SELECT id, queue, match_of, expires_at FROM offers WHERE `+rest, args, func(o *model.Offer) []any {
		return []any{&o.ID, &o.Queue, asJSON{&offered{&o.Map, &o.Vetoed, &o.Teams, &o.Bots}}, moment{&o.Expires}}
	})
}

func (t Queues) Offer(id model.OfferID) (model.Offer, error) {
	return first(t.offers(`id = $1`, string(id)))
}

func (t Queues) DueOffers(now time.Time) ([]model.Offer, error) {
	return t.offers(`expires_at <= $1 ORDER BY id LIMIT 100`, ms(now))
}

func (t Queues) DropOffer(id model.OfferID) error {
	err := t.must(`DELETE FROM offers WHERE id = $1`, string(id))
	if errors.Is(err, model.ErrNotFound) {
		err = nil // another one dropped it in this transaction
	}
	return err
}

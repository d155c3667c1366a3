package seat

import (
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

func IgnoreNotFound(err error) error {
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	return err
}

// DropOffer deletes an offer. The parties that are still asked wait on, and have
// waited since they came.
func DropOffer(tx *db.Tx, id model.OfferID) error {
	o, err := tx.Queues.Offer(id)
	if err != nil {
		return IgnoreNotFound(err)
	}
	if err := EachAsked(tx, o, func(p *model.Party) error {
		p.DropOffer()
		return tx.Parties.Save(p)
	}); err != nil {
		return err
	}
	return tx.Queues.DropOffer(id)
}

// EachAsked calls do for the parties that an offer still asks.
func EachAsked(tx *db.Tx, o model.Offer, do func(*model.Party) error) error {
	for _, party := range o.Parties() {
		p, err := tx.Parties.Get(party)
		if errors.Is(err, model.ErrNotFound) || err == nil && p.Offer != o.ID {
			continue
		}
		if err != nil {
			return err
		}
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// missedFor is how long an offer that one did not accept is remembered.
const missedFor = time.Hour

// Missed counts an offer that the account did not accept, and keeps it out of
// queues for a time that grows.
func (s *Service) Missed(tx *db.Tx, a model.AccountID) error {
	n, _, err := tx.Throttle.Count("queue:missed:"+string(a), 1, s.Now(), missedFor)
	if err != nil {
		return err
	}
	_, _, err = tx.Throttle.Count(BarredKey(a), 1, s.Now(), model.Barred(n))
	return err
}

func BarredKey(a model.AccountID) string { return "queue:barred:" + string(a) }

// LeaveParty takes an account out of its party, if it has one. An account that leaves
// during an offer has not accepted it. The caller has the lock of matchmaking.
func (s *Service) LeaveParty(tx *db.Tx, a model.AccountID) error {
	p, err := tx.Parties.Of(a)
	if err != nil {
		return IgnoreNotFound(err)
	}
	offer := p.Offer
	if offer != "" {
		if err := s.Missed(tx, a); err != nil {
			return err
		}
	}
	p.Remove(a)
	if err := tx.Parties.Save(p); err != nil {
		return err
	}
	return DropOffer(tx, offer)
}

// OutOfParty is LeaveParty in a transaction that has other locks already.
func (s *Service) OutOfParty(tx *db.Tx, a model.AccountID) error {
	if _, err := tx.Parties.Of(a); err != nil {
		return IgnoreNotFound(err)
	}
	if _, err := tx.Queues.Lock(); err != nil {
		return err
	}
	return s.LeaveParty(tx, a)
}

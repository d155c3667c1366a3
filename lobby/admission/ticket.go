package admission

import (
	"context"
	"errors"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// TicketLife is how long a ticket may wait to be used.
const TicketLife = 30 * time.Second

// ticketKind is a kind of tickets: how the store keeps them, and when one was used and
// until when it may be.
type ticketKind[T any] struct {
	has   func(*db.Tx, model.SecretHash) (bool, error)
	lock  func(*db.Tx, model.SecretHash) (T, error)
	use   func(*db.Tx, model.SecretHash, time.Time) error
	times func(T) (used, expires time.Time)
}

// The kinds of tickets. A ticket of one kind is none of the other.
var (
	SeatTickets   = ticketKind[model.Ticket]{(*db.Tx).HasTicket, (*db.Tx).LockTicket, (*db.Tx).UseTicket, func(t model.Ticket) (time.Time, time.Time) { return t.Used, t.Expires }}
	ReplayTickets = ticketKind[model.ReplayTicket]{(*db.Tx).HasReplayTicket, (*db.Tx).LockReplayTicket, (*db.Tx).UseReplayTicket, func(t model.ReplayTicket) (time.Time, time.Time) { return t.Used, t.Expires }}
)

// Redeem uses a ticket up, once: of any number who present it at the same moment, one is
// let in. take looks, in the same transaction, whether what the ticket gives still holds,
// and takes it; with an error the ticket is as good as before. take may be run again, as
// all of a transaction.
func Redeem[T any](ctx context.Context, s *Gate, kind ticketKind[T], token model.Secret, take func(*db.Tx, T) error) error {
	if len(token) != model.SecretLen {
		return model.BadTicket
	}
	hash := token.Hash()
	// Whoever makes tickets up costs a look, and does not queue for the writer's
	// place with those who have one.
	if err := s.Read(ctx, func(tx *db.Tx) error {
		has, err := kind.has(tx, hash)
		if err == nil && !has {
			err = model.BadTicket
		}
		return err
	}); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		t, err := kind.lock(tx, hash)
		if errors.Is(err, model.ErrNotFound) {
			return model.BadTicket
		}
		if err != nil {
			return err
		}
		now := s.Now()
		switch used, expires := kind.times(t); {
		case !used.IsZero():
			return model.TicketUsed
		case !now.Before(expires):
			return model.TicketLate
		}
		if err := take(tx, t); err != nil {
			return err
		}
		return kind.use(tx, hash, now)
	})
}

func (s *Gate) Ticket(token model.Secret, seat model.Admission, node string) model.Ticket {
	return model.Ticket{Hash: token.Hash(), Match: seat.Match, Node: node, Seat: seat, Expires: s.Now().Add(TicketLife)}
}

// SameEpoch refuses what was given out in an epoch of the account that is over.
func SameEpoch(tx *db.Tx, a model.AccountID, epoch int64) error {
	now, err := tx.Account(a)
	if errors.Is(err, model.ErrNotFound) || err == nil && now.Epoch != epoch {
		return model.LoggedOut
	}
	return err
}

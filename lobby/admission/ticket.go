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

// The kinds of tickets. A ticket of one kind is not valid as the other.
var (
	SeatTickets   = ticketKind[model.Ticket]{(*db.Tx).HasTicket, (*db.Tx).LockTicket, (*db.Tx).UseTicket, func(t model.Ticket) (time.Time, time.Time) { return t.Used, t.Expires }}
	ReplayTickets = ticketKind[model.ReplayTicket]{(*db.Tx).HasReplayTicket, (*db.Tx).LockReplayTicket, (*db.Tx).UseReplayTicket, func(t model.ReplayTicket) (time.Time, time.Time) { return t.Used, t.Expires }}
)

// Redeem uses a ticket up, once: of any number of clients that present it at the same
// moment, one gets in. In the same transaction take checks whether the ticket's right
// still holds, and takes it; after an error the ticket stays valid. take may run again,
// like every function in a transaction.
func Redeem[T any](ctx context.Context, s *Gate, kind ticketKind[T], token model.Secret, take func(*db.Tx, T) error) error {
	if len(token) != model.SecretLen {
		return model.BadTicket
	}
	hash := token.Hash()
	// An invented ticket costs one read, and does not wait for the writer's place among
	// valid ones.
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

// SameEpoch refuses tickets and tokens of an earlier epoch of the account.
func SameEpoch(tx *db.Tx, a model.AccountID, epoch int64) error {
	now, err := tx.Account(a)
	if errors.Is(err, model.ErrNotFound) || err == nil && now.Epoch != epoch {
		return model.LoggedOut
	}
	return err
}

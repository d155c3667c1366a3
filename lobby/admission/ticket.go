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

// tickets are the stored tickets of a kind.
type tickets[T any] interface {
	HasTicket(model.SecretHash) (bool, error)
	LockTicket(model.SecretHash) (T, error)
	UseTicket(model.SecretHash, time.Time) error
}

// ticketKind is a kind of tickets: its rows, and the times at which a ticket was used
// and expires.
type ticketKind[T any] struct {
	in    func(*db.Tx) tickets[T]
	times func(T) (used, expires time.Time)
}

// The kinds of tickets. A ticket of one kind is not valid as the other.
var (
	SeatTickets   = ticketKind[model.Ticket]{func(tx *db.Tx) tickets[model.Ticket] { return tx.Matches }, func(t model.Ticket) (time.Time, time.Time) { return t.Used, t.Expires }}
	ReplayTickets = ticketKind[model.ReplayTicket]{func(tx *db.Tx) tickets[model.ReplayTicket] { return tx.Replays }, func(t model.ReplayTicket) (time.Time, time.Time) { return t.Used, t.Expires }}
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
		has, err := kind.in(tx).HasTicket(hash)
		if err == nil && !has {
			err = model.BadTicket
		}
		return err
	}); err != nil {
		return err
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		t, err := kind.in(tx).LockTicket(hash)
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
		return kind.in(tx).UseTicket(hash, now)
	})
}

func (s *Gate) Ticket(token model.Secret, seat model.Admission, node string) model.Ticket {
	return model.Ticket{Hash: token.Hash(), Match: seat.Match, Node: node, Seat: seat, Expires: s.Now().Add(TicketLife)}
}

// SameEpoch refuses tickets and tokens of an earlier epoch of the account.
func SameEpoch(tx *db.Tx, a model.AccountID, epoch int64) error {
	now, err := tx.Accounts.Get(a)
	if errors.Is(err, model.ErrNotFound) || err == nil && now.Epoch != epoch {
		return model.LoggedOut
	}
	return err
}

package admin

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Times after which idle guests are deleted: guests without a session, who cannot come
// back, and guests with a session who never played.
const (
	guestNew    = time.Hour
	guestUnused = 24 * time.Hour
	purgeBatch  = 100
)

// PurgeOld deletes matches of guests that have been over for longer than GuestLife, and
// useless guests, so that their names are free again. Each sweep handles one part, and continues where the last sweep
// stopped.
func (s *Service) PurgeOld(ctx context.Context) error {
	now := s.Now()
	r := model.Retention{Now: now, New: now.Add(-guestNew), Unused: now.Add(-guestUnused)}
	if s.GuestLife > 0 {
		r.History = now.Add(-s.GuestLife)
	}
	for range pruneTurns {
		if s.GuestLife <= 0 {
			break
		}
		last, seen := s.matchesPurged, 0
		if err := s.Write(ctx, func(tx *db.Tx) (err error) {
			last, seen, err = tx.Matches.Purge(s.matchesPurged, r.History, purgeBatch)
			return err
		}); err != nil {
			return err
		}
		if s.matchesPurged = last; seen < purgeBatch {
			s.matchesPurged = 0
			break
		}
	}
	for range pruneTurns {
		last, seen := s.guestsPurged, 0
		if err := s.Write(ctx, func(tx *db.Tx) (err error) {
			last, seen, err = tx.Accounts.PurgeGuests(s.guestsPurged, r, purgeBatch)
			return err
		}); err != nil {
			return err
		}
		if s.guestsPurged = last; seen < purgeBatch {
			s.guestsPurged = ""
			break
		}
	}
	return nil
}

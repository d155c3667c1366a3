package lobby

import (
	"context"
	"errors"
)

// Recoverable says what the store knows of a match whose journal this process
// has found without an end: whether it still waits for its result, and whether
// it is a match of this process at all. One that is ours and waits no more was
// given up, and its players are free.
func (s *Service) Recoverable(ctx context.Context, id MatchID) (waits, ours bool, err error) {
	err = s.read(ctx, func(tx Tx) error {
		m, err := tx.Match(id)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		ours = err == nil && m.Node == s.Node
		waits = ours && (m.State == MatchLive || m.State == MatchStarting)
		return err
	})
	return waits, ours, err
}

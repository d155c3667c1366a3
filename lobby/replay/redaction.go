package replay

import (
	"context"
	"errors"

	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// redactBatch is how many redactions are looked at in a sweep.
const redactBatch = 100

// Redact takes deleted accounts out of journals that this process keeps. The next sweep
// tries again after a failure, and for a match that still runs.
func (s *Service) Redact(ctx context.Context) error {
	if s.Replays == nil {
		return nil
	}
	node := s.Node
	if s.AllNodes {
		node = "" // all nodes find all journals
	}
	due, err := core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.Redaction, error) {
		return tx.Replays.Redactions(node, s.redacted, redactBatch)
	})
	if err != nil {
		return err
	}
	if s.redacted = (model.Redaction{}); len(due) == redactBatch {
		s.redacted = due[len(due)-1] // else begin again
	}
	for _, r := range due {
		err := s.Replays.Redact(ctx, r.Match, r.Account)
		if errors.Is(err, model.MatchRuns) {
			continue
		}
		if err != nil {
			s.Logger.Error("lobby: a deleted account is still in the journal of a match", "match", r.Match, "err", err)
			continue
		}
		if err := s.Write(ctx, func(tx *db.Tx) error { return tx.Replays.DropRedaction(r) }); err != nil {
			return err
		}
	}
	return nil
}

package replay

import (
	"context"
	"maps"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

// EnforceReplays ends viewings in this process whose right is gone: the viewer was
// banned, logged out or deleted, left its spectator's seat or was removed from it, the
// running match is over, or the replay was turned off. Viewings of a match with a
// player deleted since end too: they show its name.
func (s *Service) EnforceReplays(ctx context.Context) error {
	if s.Replays == nil {
		return nil
	}
	viewings := s.Replays.Viewings()
	if len(viewings) == 0 {
		return nil
	}
	type ended struct {
		account model.AccountID
		match   model.MatchID
		reason  *model.Error
	}
	var ends []ended
	var renewed []shared.Right
	if err := s.Read(ctx, func(tx *db.Tx) error {
		ends, renewed = nil, nil
		for _, v := range viewings {
			now, err := s.watchAgain(tx, v.Right, v.Address)
			e := model.AsError(err)
			switch {
			case e == nil && changed(v.Right, now):
				e = model.Refuse(model.LoggedOut, "your rights to watch have changed: open the replay again")
			case e == nil && !maps.Equal(v.Names, now.Names):
				renewed = append(renewed, now)
				continue
			case e == nil:
				continue
			case e.Code == model.Internal || e.Code == model.Unavailable:
				return err
			}
			ends = append(ends, ended{v.Account, v.Match, e})
		}
		return nil
	}); err != nil {
		return err
	}
	for _, w := range renewed {
		s.Replays.Renew(w)
	}
	for _, x := range ends {
		s.Replays.End(x.account, x.match, x.reason)
	}
	return nil
}

// changed reports whether a viewing shows more than it may now.
func changed(prev, now shared.Right) bool {
	if prev.Live && (now.Eyes != prev.Eyes || now.Delay != prev.Delay) {
		return true
	}
	for a := range prev.Names {
		if _, ok := now.Names[a]; !ok {
			return true
		}
	}
	return false
}

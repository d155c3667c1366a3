package seat

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// bannedPlayer is a player that a ban throws out of a live match.
type bannedPlayer struct {
	match   model.MatchID
	account model.AccountID
	ban     model.Ban
}

// EnforceBans throws the banned out of matches that run here, after a ban by any
// process or command, mutes the muted there, and lets every event stream check whether it may go on. It kicks
// a banned account for good. For a banned range it closes the sockets, and an account
// that comes back from elsewhere plays on, since the account is not banned. It looks
// only after a new ban.
func (s *Service) EnforceBans(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	var outs []bannedPlayer
	var bans int64
	var silent map[model.AccountID]time.Time
	if err := s.Read(ctx, func(tx *db.Tx) error {
		outs = nil
		state, err := tx.Nodes.State()
		if bans = state.Bans; err != nil || (bans == s.bansSeen && !s.recheckBans) {
			return err
		}
		if silent, err = tx.Bans.Silent(s.Now()); err != nil {
			return err
		}
		for _, live := range s.Matches.Live() {
			if outs, err = s.bannedPlayers(tx, live, outs); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if silent != nil {
		s.Matches.Mute(silent)
	}
	// Once more the next time: for an account that had used its ticket before the ban,
	// and got its seat only after this look.
	s.recheckBans = bans != s.bansSeen
	if s.recheckBans {
		s.bansSeen = bans
		s.Hub.RecheckAll()
	}
	for _, o := range outs {
		if o.ban.Account != "" {
			s.EndSeats(ctx, o.account, model.Ending{ForGood: true, Here: true, Why: model.Refuse(model.KickedOut, "banned: %s", o.ban.Reason)})
		} else {
			s.EndSeats(ctx, o.account, model.Ending{Match: o.match, Here: true, Why: admission.Banned(o.ban)})
		}
	}
	return nil
}

// EnforceEpochs closes the sockets of accounts whose epoch has ended since they
// were let in: another process, or the command line, logged them out, kicked or
// deleted them.
func (s *Service) EnforceEpochs(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	let := map[model.AccountID]int64{} // the oldest of its sockets'
	for _, live := range s.Matches.Live() {
		for _, x := range live.Sockets {
			if epoch, ok := let[x.Account]; !ok || x.Epoch < epoch {
				let[x.Account] = x.Epoch
			}
		}
	}
	if len(let) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(let))
	now, err := core.Get(ctx, s.Core, func(tx *db.Tx) (map[model.AccountID]int64, error) { return tx.Accounts.Epochs(ids) })
	if err != nil {
		return err
	}
	for _, a := range ids {
		epoch, known := now[a]
		if known && epoch <= let[a] {
			continue
		}
		s.EndSeats(ctx, a, model.Ending{Epoch: max(epoch, let[a]+1), ForGood: !known, Here: true, Why: &model.Error{Code: model.LoggedOut}})
	}
	return nil
}

// bannedPlayers adds the banned participants of a live match: accounts with a socket by
// account and address, and players who are away by account.
func (s *Service) bannedPlayers(tx *db.Tx, live model.LiveMatch, outs []bannedPlayer) ([]bannedPlayer, error) {
	m, err := tx.Matches.Get(live.Match)
	if errors.Is(err, model.ErrNotFound) {
		return outs, nil
	}
	if err != nil {
		return outs, err
	}
	sockets := slices.Clone(live.Sockets)
	for _, p := range m.Spec.Participants {
		if !p.Bot && !slices.ContainsFunc(sockets, func(x model.LiveSocket) bool { return x.Account == p.Account }) {
			sockets = append(sockets, model.LiveSocket{Account: p.Account})
		}
	}
	for _, x := range sockets {
		ban, err := tx.Bans.Of(x.Account, x.Address, s.Now())
		if errors.Is(err, model.ErrNotFound) {
			continue
		}
		if err != nil {
			return outs, err
		}
		outs = append(outs, bannedPlayer{m.ID, x.Account, ban})
	}
	return outs, nil
}

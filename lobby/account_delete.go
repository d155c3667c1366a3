package lobby

import "context"

// DeleteAccount ends an account for good: sessions, seat, name, email, hash,
// known places and what it said in lobbies go at once. What its matches wrote
// down of it is overwritten right after, or by the keeper if this process dies
// meanwhile; in the end no row of it is left. Guests need no password.
func (s *Service) DeleteAccount(ctx context.Context, c Client, id AccountID, password string) error {
	var account Account
	err := s.read(ctx, func(tx Tx) (err error) {
		account, err = tx.Account(id)
		return err
	})
	if err == nil && !account.Guest {
		_, _, err = s.proven(ctx, c, id, password, func(Account) error { return nil })
	}
	if err != nil {
		return err
	}
	var out ejected
	err = s.write(ctx, func(tx Tx) (err error) {
		out, err = s.deleteAccount(tx, id)
		return err
	})
	if err != nil {
		return err
	}
	s.seeOut(ctx, out)
	s.forgetDeleted(ctx)
	return nil
}

func (s *Service) deleteAccount(tx Tx, id AccountID) (ejected, error) {
	account, err := tx.LockAccount(id)
	if err != nil {
		return ejected{}, err
	}
	out, err := s.eject(tx, id, "the account was deleted")
	if err != nil {
		return ejected{}, err
	}
	if err := tx.DropResets(id); err != nil {
		return ejected{}, err
	}
	for _, login := range []string{account.Name, account.Email} {
		if err := tx.DropPlaces(s.attemptOf(PlayerRealm, login, Client{}).key); err != nil {
			return ejected{}, err
		}
	}
	if err := tx.ForgetTalk(id); err != nil {
		return ejected{}, err
	}
	account.Name, account.Email, account.PasswordHash = "deleted "+string(id), "", ""
	account.Guest, account.Deleted = true, s.Now()
	return out, tx.SaveAccount(account)
}

// ejected is an account that lost its sessions and its seat, for what is to do
// outside of the database once that is kept.
type ejected struct {
	account AccountID
	lobby   LobbyID // in which it sat
	match   MatchID // in which it plays
	reason  string
}

// eject ends an account's sessions and frees its seat.
func (s *Service) eject(tx Tx, a AccountID, reason string) (ejected, error) {
	out := ejected{account: a, reason: reason}
	if _, err := tx.LockAccount(a); err != nil {
		return out, err
	}
	if _, err := tx.EndSessions(PlayerRealm, string(a), ""); err != nil {
		return out, err
	}
	if id, err := tx.LobbyOf(a); err == nil {
		l, err := tx.Lobby(id)
		if err != nil {
			return out, err
		}
		if l.State == Playing {
			out.match = l.Match
		}
	}
	var err error
	out.lobby, err = s.removeFromLobby(tx, a, reason)
	return out, err
}

// seeOut wakes the account's streams, which end, and throws it out of its
// match.
func (s *Service) seeOut(ctx context.Context, out ejected) {
	s.hub.wake(out.lobby)
	s.hub.recheck(out.account)
	if out.match != "" && s.Matches != nil {
		if err := s.Matches.Kick(ctx, out.match, out.account, out.reason); err != nil {
			s.Logger.Error("lobby: kick from match", "match", out.match, "err", err)
		}
	}
}

// How much of a deleted account's history is overwritten in one transaction,
// and in how many of them at most while the one who asked waits.
const (
	forgetSeats = 50
	forgetTurns = 20
)

// forgetDeleted overwrites what matches wrote down of deleted accounts. What is
// left, or fails, is for the keeper's next sweep.
func (s *Service) forgetDeleted(ctx context.Context) {
	for range forgetTurns {
		done := 0
		if err := s.write(ctx, func(tx Tx) (err error) {
			done, err = tx.ForgetDeleted(forgetSeats)
			return err
		}); err != nil || done < forgetSeats {
			return // an error is in the log
		}
	}
}

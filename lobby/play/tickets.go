package play

import (
	"context"
	"errors"
	"net/netip"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Login is the last step of admission: it issues a ticket for the account's
// seat in the lobby's running match, or for a spectator's.
func (s *Service) Login(ctx context.Context, c model.Client, a model.Account, id model.LobbyID, protocol uint32) (token model.Secret, match model.MatchID, err error) {
	if err := s.Speaks(protocol); err != nil {
		return "", "", err
	}
	if err := s.Spent(quota.Tickets, quota.Payer{Account: string(a.ID), Address: c.Address}); err != nil {
		return "", "", err
	}
	token = model.NewSecret()
	err = s.Write(ctx, func(tx *db.Tx) error {
		l, err := tx.Lobbies.Get(id)
		if err != nil {
			return err
		}
		i := l.SeatOf(a.ID)
		if i < 0 {
			return l.Stranger()
		}
		if err := s.NotBanned(tx, a.ID, c); err != nil {
			return err
		}
		if err := s.SpendStored(tx, quota.Tickets, quota.Payer{Account: string(a.ID), Address: c.Address}); err != nil {
			return err
		}
		if l.State != model.Playing {
			return model.Refuse(model.WrongState, "no match is running; the lobby is %s", l.State)
		}
		if err := l.NotWaiting(); err != nil {
			return err
		}
		m, err := tx.Matches.Get(l.Match)
		if err != nil {
			return err
		}
		match = m.ID
		if l.Seats[i].Kind == model.SpectatorSeat {
			if err := tx.Replays.AddWatcher(m.ID, a.ID); err != nil {
				return err
			}
			return tx.Matches.AddTicket(s.Ticket(token, admission.SpectatorOf(m, a, l.Seats[i].Team), m.Node))
		}
		p := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Account == a.ID })
		if p < 0 {
			return model.NotSeated
		}
		seat := admission.SeatOf(m.ID, m.Spec.Participants[p])
		seat.Epoch = a.Epoch
		return tx.Matches.AddTicket(s.Ticket(token, seat, m.Node))
	})
	if err == nil && s.Matches != nil {
		if at := s.Matches.Where(ctx, match); at.Why != "" { // the lobby does not know yet
			return "", "", model.Refuse(model.MatchWaits, "the match waits for a server that can continue it: %s", at.Why)
		}
	}
	return token, match, err
}

// Redeem turns a ticket into its seat, once: of any number of clients that present it
// at the same moment, one gets in. The match service calls it as its Admitter, with the
// first message of a socket and its address. Redeem repeats the checks that may have
// changed since the ticket was issued, in the order of PreLogin: bans of the account
// and of the address, the whitelist, the state of the match, and whether the account
// still has its seat in the lobby. A ticket stays valid if its match does not run in
// this process: [model.RunsElsewhere].
func (s *Service) Redeem(ctx context.Context, token model.Secret, from netip.Addr) (seat model.Admission, err error) {
	var closed model.LobbyID
	err = admission.Redeem(ctx, s.Gate, admission.SeatTickets, token, func(tx *db.Tx, t model.Ticket) error {
		closed = ""
		m, err := tx.Matches.Get(t.Match)
		if err != nil {
			return err
		}
		if s.Matches != nil && !s.Matches.Runs(m.ID) && (m.State == model.MatchLive || m.State == model.MatchStarting) {
			return s.goElsewhere(m.ID, m.Node)
		}
		if t.Seat.Account != "" {
			a, err := tx.Accounts.Get(t.Seat.Account)
			if errors.Is(err, model.ErrNotFound) {
				return model.LoggedOut // deleted since
			}
			if err != nil {
				return err
			}
			t.Seat.Known = !a.Guest
			if err := s.stillAdmitted(tx, a, t.Seat.Epoch, m, from); err != nil {
				return err
			}
			left, err := tx.Matches.HasLeft(a.ID, m.ID)
			if err != nil {
				return err
			}
			if left && !t.Seat.Spectator {
				return model.NotSeated // and watches by now, perhaps
			}
			for _, p := range m.Spec.Participants {
				if p.Account == a.ID {
					t.Seat.Turn = p.Turn
				}
			}
			if closed, err = s.cameBack(tx, a.ID); err != nil {
				return err
			}
		}
		if m.State != model.MatchLive && m.State != model.MatchStarting {
			return model.MatchOver
		}
		seat = t.Seat
		return nil
	})
	if err == nil {
		s.Hub.Wake(closed)
	}
	return seat, err
}

// cameBack closes the seat of a player who was away and comes back before another
// has taken it. It returns the lobby if there was such a seat.
func (s *Service) cameBack(tx *db.Tx, a model.AccountID) (model.LobbyID, error) {
	open, id, err := seatOpen(tx, a)
	if err != nil || !open {
		return "", err
	}
	l, err := tx.Lobbies.Lock(id)
	if err != nil {
		return "", err
	}
	if l.SeatOf(a) < 0 {
		return "", model.Refuse(model.NotSeated, "another player took over your seat")
	}
	l.CloseSeats(func(other model.Seat) model.SeatState {
		if other.Account == a {
			return model.SeatHeld
		}
		return model.SeatAway
	})
	return id, s.Save(tx, l)
}

// seatOpen reports whether the account's seat may be taken over by another, and in
// which lobby it sits.
func seatOpen(tx *db.Tx, a model.AccountID) (open bool, id model.LobbyID, err error) {
	id, err = tx.Lobbies.Of(a)
	if errors.Is(err, model.ErrNotFound) {
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	l, err := tx.Lobbies.Get(id)
	if err != nil {
		return false, "", err
	}
	i := l.SeatOf(a)
	return i >= 0 && l.Seats[i].Open, id, nil
}

// stillAdmitted is the part of [Service.Redeem] that is about people; bots have
// only their ticket.
func (s *Service) stillAdmitted(tx *db.Tx, a model.Account, epoch int64, m model.Match, from netip.Addr) error {
	if err := s.NotBanned(tx, a.ID, model.Client{Address: from}); err != nil {
		return err
	}
	if a.Epoch != epoch {
		return model.LoggedOut
	}
	if !m.Spec.Options.Admits(a.Name) {
		return model.NotWhitelisted
	}
	if m.State != model.MatchLive {
		return nil // its lobby has gone on
	}
	in, err := tx.Lobbies.Of(a.ID)
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return err
	}
	if in != m.Lobby {
		return model.NotSeated // left, kicked or deleted since
	}
	return nil
}

// Resume checks whether a player may come back to its seat by a resume token: neither
// the account nor its address was banned meanwhile, it was not logged out since the
// epoch of its token, and it has not left. It closes the seat, if the host has opened
// it.
func (s *Service) Resume(ctx context.Context, m model.MatchID, a model.AccountID, epoch int64, from netip.Addr) error {
	if a == "" {
		return nil // a bot
	}
	var open bool
	if err := s.Read(ctx, func(tx *db.Tx) error {
		if err := s.NotBanned(tx, a, model.Client{Address: from}); err != nil {
			return err
		}
		if err := admission.SameEpoch(tx, a, epoch); err != nil {
			return err
		}
		left, err := tx.Matches.HasLeft(a, m)
		if err != nil {
			return err
		}
		if left {
			return model.Refuse(model.NotSeated, "you left the match, or another player took over your seat while you were away")
		}
		open, _, err = seatOpen(tx, a)
		return err
	}); err != nil || !open {
		return err
	}
	var closed model.LobbyID
	err := s.Write(ctx, func(tx *db.Tx) (err error) {
		closed, err = s.cameBack(tx, a)
		if err != nil || closed != "" {
			return err
		}
		left, err := tx.Matches.HasLeft(a, m)
		if err == nil && left {
			err = model.Refuse(model.NotSeated, "another player took over your seat while you were away")
		}
		return err
	})
	if err == nil {
		s.Hub.Wake(closed)
	}
	return err
}

// IsSpectator reports whether an account still has its spectator's seat in the lobby of
// a match: the match service asks when a spectator comes back with a resume token. A
// lobby that has closed since has no seats, and takes none away.
func (s *Service) IsSpectator(ctx context.Context, match model.MatchID, a model.AccountID) (yes bool, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get(match)
		if err != nil {
			return err
		}
		l, err := tx.Lobbies.Get(m.Lobby)
		if err != nil {
			return err
		}
		i := l.SeatOf(a)
		yes = l.State == model.Closed || i >= 0 && l.Seats[i].Kind == model.SpectatorSeat
		return nil
	})
	return yes, err
}

// Release frees the lobby's seat of an account that the match refused at the socket.
// unplayed: the account never had the match's seat. If it has taken the seat over in the
// lobby, that is undone, and the account may come back in another seat.
func (s *Service) Release(ctx context.Context, seat model.Admission, unplayed bool, reason string) error {
	var changed model.LobbyID
	err := s.Write(ctx, func(tx *db.Tx) error {
		changed = ""
		m, err := tx.Matches.Get(seat.Match)
		if err != nil {
			return err
		}
		in, err := tx.Lobbies.Of(seat.Account)
		if errors.Is(err, model.ErrNotFound) || err == nil && in != m.Lobby {
			return nil // it sits elsewhere by now
		}
		if err != nil {
			return err
		}
		l, err := tx.Lobbies.Lock(in)
		if err != nil {
			return err
		}
		undone := false
		if unplayed {
			if undone, err = s.undoTakeOver(tx, l, m.ID, seat.Account, reason); err != nil {
				return err
			}
		}
		if !undone {
			if err := tx.Matches.Leave(seat.Account, m.ID, s.Now()); err != nil {
				return err
			}
			l.Remove(seat.Account, reason)
		}
		changed = in
		return s.Save(tx, l)
	})
	s.Hub.Wake(changed)
	return err
}

// undoTakeOver gives a seat that an account took over in the lobby, but never had in the
// match, back to its earlier player or bot. It reports whether there was such a seat. An
// earlier player with a seat in a lobby, or who has watched the match, has left it.
func (s *Service) undoTakeOver(tx *db.Tx, l *model.Lobby, match model.MatchID, a model.AccountID, reason string) (bool, error) {
	m, err := tx.Matches.Lock(match)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Account == a && len(p.Earlier) > 0 && p.From == 0 })
	at := l.SeatOf(a)
	if i < 0 || at < 0 || l.Match != match || l.State != model.Playing {
		return false, nil
	}
	p := &m.Spec.Participants[i]
	former := p.Earlier[len(p.Earlier)-1]
	p.Earlier = p.Earlier[:len(p.Earlier)-1]
	p.Account, p.Name, p.Bot, p.Level, p.From = former.Account, former.Name, former.Bot, former.Level, former.From
	seat := model.Seat{Place: p.Start, Kind: model.BotSeat, Name: former.Name, Team: p.Team, Color: p.Color, Level: former.Level}
	back := true
	if !former.Bot {
		seat.Kind, seat.Account = model.PlayerSeat, former.Account
		watched, err := tx.Replays.HasWatched(match, former.Account)
		if err != nil {
			return false, err
		}
		_, err = tx.Lobbies.Of(former.Account)
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return false, err
		}
		back = err != nil && !watched && former.Account != ""
	}
	if err := tx.Matches.ReturnSeat(m, p.Start, back); err != nil {
		return false, err
	}
	if back {
		l.GiveBack(at, seat, reason)
	} else {
		l.Remove(a, reason)
	}
	return true, nil
}

package lobby

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// errDryRun ends a transaction that was run only to see whether it would
// pass.
var errDryRun = &model.Error{Code: "rehearsed"}

// errAskFirst ends a transaction that needs to know the states of the seats of a match of
// another node: that is asked outside of it, and the transaction begins again.
const errAskFirst model.Code = "ask_first"

// Join is a request for a seat.
type Join struct {
	Password string
	Spectate bool
	Protocol uint32 // of the client; 0: not told

	with   func(*db.Tx) error // runs with a new lobby in its transaction; nil: nothing
	bots   int                // seated with the host of a new lobby
	level  model.BotLevel
	dryRun bool // take the seat, say errRehearsed, and roll back
}

// Join is PreLogin and the seat in one transaction. Joining where one sits
// already changes nothing. A password is compared, which takes long, once it is
// the only thing that keeps the account out: then everything is looked at again.
func (s *Service) Join(ctx context.Context, c model.Client, a model.Account, id model.LobbyID, j Join) (*model.Lobby, error) {
	proven, hash := "", "" // of the password that was compared; as the lobby has it
	sit := func() (*model.Lobby, error) {
		return s.enter(ctx, c, a, id, func(tx *db.Tx) (*model.Lobby, error) {
			l, err := tx.LockLobby(id)
			if err != nil {
				return nil, err
			}
			if l.Planned() && l.SeatOf(a.ID) < 0 && (!j.Spectate || l.Options.Spectators == 0) {
				return nil, model.ErrNotFound // it has no seats but those of the plan
			}
			if hash = l.PasswordHash; hash != proven {
				return l, model.WrongPassword
			}
			return l, nil
		}, j)
	}
	l, err := sit()
	if j.Password == "" || !errors.Is(err, model.WrongPassword) {
		return l, err
	}
	if err := s.tryLobbyPassword(ctx, c, a.ID, id, j.Password, hash); err != nil {
		return nil, err
	}
	proven = hash // the transaction sees whether it is still the lobby's
	return sit()
}

// tryLobbyPassword compares a password with a lobby's hash, counted like a
// log-in.
func (s *Service) tryLobbyPassword(ctx context.Context, c model.Client, a model.AccountID, id model.LobbyID, password, hash string) error {
	key := "lobby:password:" + string(id) + ":" + c.Network()
	counts := []count{{key, s.Budget.Limit(budget.WrongPasswords), budget.Address}}
	if err := s.try(ctx, counts, model.WrongPassword, func() (bool, error) {
		if err := s.mayHash(otherRequest(c, a)); err != nil {
			return false, err
		}
		return s.hasher.fits(ctx, otherRequest(c, a), password, hash)
	}); err != nil {
		return err
	}
	return s.write(ctx, func(tx *db.Tx) error { return tx.ResetCounters(key) })
}

// enter runs the transaction that takes a seat: who waits for whom is always
// server state, account, lobbies by id.
func (s *Service) enter(ctx context.Context, c model.Client, a model.Account, id model.LobbyID, load func(*db.Tx) (*model.Lobby, error), j Join) (*model.Lobby, error) {
	var l *model.Lobby
	var left model.LobbyID
	var watched, asked model.MatchID
	states := held // in the match asked, which runs on another node
	sit := func(tx *db.Tx) (err error) {
		if err := s.preLogin(tx, c, &a, j.Protocol); err != nil {
			return err
		}
		other, err := tx.LobbyOf(a.ID)
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
		var old *model.Lobby
		if other != "" && other != id && other < id {
			if old, err = tx.LockLobby(other); err != nil {
				return err
			}
		}
		l, err = load(tx)
		if err != nil && !errors.Is(err, model.WrongPassword) {
			return err
		}
		wrong := err
		if other == id {
			return nil // there already
		}
		if other != "" && old == nil {
			if old, err = tx.LockLobby(other); err != nil {
				return err
			}
		}
		kicked, _, err := tx.Counted(kickedKey(id, a.ID), s.Now())
		if err != nil {
			return err
		}
		switch {
		case !l.Options.Admits(a.Name):
			return model.NotWhitelisted
		case kicked > 0:
			return model.KickedOut
		case wrong != nil:
			return wrong
		}
		if err := notInMatch(tx, a.ID); err != nil {
			return err
		}
		if err := s.mayPlayOn(tx, l.From, &a); err != nil {
			return err
		}
		if old != nil {
			watched = old.SpectatedMatch(a.ID)
			if err := old.Leave(a.ID); err != nil {
				return err
			}
			if err := s.save(tx, old); err != nil {
				return err
			}
			left = old.ID
		}
		room := Occupancy{Seats: l.Limit, Taken: l.Taken(), Spectates: j.Spectate}
		if l.State == model.Playing { // who came back between two looks has its seat
			if s.Matches != nil && s.Matches.Runs(l.Match) {
				states = s.statesFrom(l.Match)
			} else if asked != l.Match {
				asked = l.Match
				return errAskFirst
			}
			l.CloseSeats(states)
		}
		if err := l.Sit(a, j.Spectate); err != nil {
			return err
		}
		for range j.bots {
			if err := l.AddBot(a.ID, j.level, nil); err != nil {
				return err
			}
		}
		if l.State == model.Playing && !j.Spectate {
			room.Taken-- // who had the seat goes
			if err := s.takeOver(tx, l, a); err != nil {
				return err
			}
		}
		if err := s.modeAdmits(l, a, room); err != nil {
			return err
		}
		if l.Num == 0 {
			if err := s.spend(tx, budget.NewLobbies, budget.Who{Account: string(a.ID), Address: c.Address}); err != nil {
				return err
			}
			if err := tx.AddLobby(l); err != nil {
				return err
			}
			if j.with != nil {
				if err := j.with(tx); err != nil {
					return err
				}
			}
		} else if err := s.save(tx, l); err != nil {
			return err
		}
		if j.dryRun {
			return errDryRun
		}
		return nil
	}
	err := s.write(ctx, sit)
	for tries := 0; errors.Is(err, errAskFirst) && tries < 2; tries++ {
		states = s.statesFrom(asked)
		err = s.write(ctx, sit)
	}
	if errors.Is(err, model.ErrTaken) {
		err = model.AlreadySeated
	}
	if err != nil {
		return nil, err
	}
	s.closeSpectator(ctx, watched, a.ID)
	s.hub.wake(left)
	s.hub.wake(l.ID)
	return l, nil
}

// takeOver gives an account that has just sat down in a lobby whose match runs the
// part in that match that goes with the seat. A player who had it has left the match. Who has left the match, or was let in to watch it, may
// not: nobody plays on with what another team, or the whole map, has shown.
func (s *Service) takeOver(tx *db.Tx, l *model.Lobby, a model.Account) error {
	m, err := tx.LockMatch(l.Match)
	if err != nil {
		return err
	}
	seat := &l.Seats[l.SeatOf(a.ID)]
	i := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Start == seat.Place })
	if m.State != model.MatchLive || i < 0 {
		return model.ErrBegun
	}
	left, err := tx.HasLeft(a.ID, m.ID)
	if err != nil {
		return err
	}
	watched, err := tx.HasWatched(m.ID, a.ID)
	switch {
	case err != nil:
		return err
	case left:
		return model.Refuse(model.NotOpen, "you left this match: you cannot come back in another seat")
	case watched:
		return model.Refuse(model.NotOpen, "you have watched this match: who has seen it cannot play in it")
	}
	p := &m.Spec.Participants[i]
	p.Earlier = append(p.Earlier, model.Holder{Account: p.Account, Name: p.Name, Bot: p.Bot, Level: p.Level, From: p.From})
	p.Bot, p.Level, p.Account, p.Name, p.From = false, "", a.ID, a.Name, 0
	for _, other := range m.Spec.Participants {
		p.Turn = max(p.Turn, other.Turn)
	}
	p.Turn++
	return tx.TakeSeat(m, p.Start, s.Now())
}

// modeAdmits is the mode's own predicate of PreLogin, about a lobby as it was
// before somebody sat down.
func (s *Service) modeAdmits(l *model.Lobby, a model.Account, room Occupancy) error {
	if s.Matches == nil {
		return nil
	}
	if err := s.Matches.PreLogin(l.Options, a, room); err != nil {
		return &model.Error{Code: model.ModeRefused, Detail: err.Error()}
	}
	return nil
}

// preLogin makes the checks that are about the server and the account, in the
// order of the codes: version, draining, bans. It locks what it looked at
// until the seat is taken.
func (s *Service) preLogin(tx *db.Tx, c model.Client, a *model.Account, protocol uint32) error {
	if err := s.speaks(protocol); err != nil {
		return err
	}
	state, err := tx.HoldServerState()
	if err != nil {
		return err
	}
	if state.Draining {
		return &model.Error{Code: model.Draining, RetryAfter: model.RetryAfter(model.Draining)}
	}
	locked, err := tx.LockAccount(a.ID)
	if errors.Is(err, model.ErrNotFound) {
		return model.Unauthenticated // deleted since it logged in
	}
	if err != nil {
		return err
	}
	*a = locked
	return s.notBanned(tx, a.ID, c)
}

func (s *Service) notBanned(tx *db.Tx, a model.AccountID, c model.Client) error {
	ban, err := tx.Banned(a, c.Address, s.Now())
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return banned(ban)
}

// seatOf is the MatchSeat of a participant.
func seatOf(m model.MatchID, p model.Participant) model.Admission {
	return model.Admission{Match: m, Account: p.Account, Name: p.Name, Start: p.Start, Team: p.Team, Bot: p.Bot}
}

// spectatorOf is the MatchSeat of a spectator. A team that nobody of the match
// is in has no eyes: who asks for them looks with all.
func spectatorOf(m model.Match, a model.Account, eyes grid.Team) model.Admission {
	if !slices.ContainsFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Team == eyes }) {
		eyes = grid.NoTeam
	}
	delay := time.Duration(m.Spec.Options.SpectatorDelay) * time.Second
	return model.Admission{Match: m.ID, Account: a.ID, Epoch: a.Epoch, Name: a.Name, Team: eyes, Spectator: true, Delay: delay}
}

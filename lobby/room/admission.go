package room

import (
	"context"
	"errors"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// errDryRun ends a transaction that was run only to see whether it would
// pass.
var errDryRun = &model.Error{Code: "rehearsed"}

// errAskFirst ends a transaction that needs the seat states of another node's match: the
// caller asks that node outside the transaction, and begins again.
const errAskFirst model.Code = "ask_first"

// JoinRequest is a request for a seat.
type JoinRequest struct {
	Password string `json:"password,omitempty" maxLength:"128"`
	Spectate bool   `json:"spectate,omitempty"`
	Protocol uint32 `json:"protocol,omitempty" doc:"version of the wire this client speaks"` // 0: not told

	with   func(*db.Tx) error // runs with a new lobby in its transaction; may be nil
	bots   int                // seated with the host of a new lobby
	level  model.BotLevel
	dryRun bool // take the seat, say errRehearsed, and roll back
}

// Join is PreLogin and the seat in one transaction. A second join of the same lobby has
// no effect. The slow password comparison comes after all other checks; then they all
// run again.
func (s *Service) Join(ctx context.Context, c model.Client, a model.Account, id model.LobbyID, j JoinRequest) (*model.Lobby, error) {
	proven, hash := "", "" // of the password that was compared; as the lobby has it
	sit := func() (*model.Lobby, error) {
		return s.enter(ctx, c, a, id, func(tx *db.Tx) (*model.Lobby, error) {
			l, err := tx.Lobbies.Lock(id)
			if err != nil {
				return nil, err
			}
			if l.Planned() && l.SeatOf(a.ID) < 0 && (!j.Spectate || l.Options.Spectators == 0) {
				return nil, model.ErrNotFound // it has only the seats of the plan
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
	if err := s.Account.TryLobbyPassword(ctx, c, a.ID, id, j.Password, hash); err != nil {
		return nil, err
	}
	proven = hash // the transaction sees whether it is still the lobby's
	return sit()
}

// enter runs the transaction that takes a seat. It always locks in the order server
// state, account, lobbies by id.
func (s *Service) enter(ctx context.Context, c model.Client, a model.Account, id model.LobbyID, load func(*db.Tx) (*model.Lobby, error), j JoinRequest) (*model.Lobby, error) {
	var l *model.Lobby
	var left model.LobbyID
	var watched, running model.MatchID
	states := held // in the match asked, which runs on another node
	sit := func(tx *db.Tx) (err error) {
		if err := s.PreLogin(tx, c, &a, j.Protocol); err != nil {
			return err
		}
		other, err := tx.Lobbies.Of(a.ID)
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
		var old *model.Lobby
		if other != "" && other != id && other < id {
			if old, err = tx.Lobbies.Lock(other); err != nil {
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
			if old, err = tx.Lobbies.Lock(other); err != nil {
				return err
			}
		}
		kicked, _, err := tx.Throttle.Counted(kickedKey(id, a.ID), s.Now())
		if err != nil {
			return err
		}
		blocked, err := tx.Relations.Blocked(a.ID, l.Host)
		if err != nil {
			return err
		}
		switch {
		case blocked:
			return model.NotOpen // as for any lobby that takes no players: a block is not told
		case !l.Options.Admits(a.Name):
			return model.NotWhitelisted
		case kicked > 0:
			return model.KickedOut
		case wrong != nil:
			return wrong
		}
		if err := admission.NotInMatch(tx, a.ID); err != nil {
			return err
		}
		if err := s.Replay.MayPlayOn(tx, l.From, &a); err != nil {
			return err
		}
		if old != nil {
			watched = old.SpectatedMatch(a.ID)
			if err := old.Leave(a.ID); err != nil {
				return err
			}
			if err := s.Decide(tx, old); err != nil {
				return err
			}
			if err := s.Save(tx, old); err != nil {
				return err
			}
			left = old.ID
		}
		room := model.Occupancy{Seats: l.Limit, Taken: l.Taken(), Spectates: j.Spectate}
		if l.State == model.Playing { // who came back between two looks has its seat
			if s.Matches != nil && s.Matches.Runs(l.Match) {
				states = s.statesFrom(l.Match)
			} else if running != l.Match {
				running = l.Match
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
			if err := s.SpendStored(tx, quota.NewLobbies, quota.Payer{Account: string(a.ID), Address: c.Address}); err != nil {
				return err
			}
			if err := tx.Lobbies.Add(l); err != nil {
				return err
			}
			if j.with != nil {
				if err := j.with(tx); err != nil {
					return err
				}
			}
		} else if err := s.Save(tx, l); err != nil {
			return err
		}
		if j.dryRun {
			return errDryRun
		}
		return nil
	}
	err := s.Write(ctx, sit)
	for tries := 0; errors.Is(err, errAskFirst) && tries < 2; tries++ {
		states = s.statesFrom(running)
		err = s.Write(ctx, sit)
	}
	if errors.Is(err, model.ErrTaken) {
		err = model.AlreadySeated
	}
	if err != nil {
		return nil, err
	}
	s.Seats.CloseSpectator(ctx, watched, a.ID)
	s.Hub.Wake(left)
	s.Hub.Wake(l.ID)
	return l, nil
}

// takeOver gives an account that has just sat down in a lobby whose match runs the seat's part
// in that match. The seat's former player has left the match. An account that left the match,
// or watched it, is refused: it has seen another team's view, or the whole map.
func (s *Service) takeOver(tx *db.Tx, l *model.Lobby, a model.Account) error {
	m, err := tx.Matches.Lock(l.Match)
	if err != nil {
		return err
	}
	seat := &l.Seats[l.SeatOf(a.ID)]
	i := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Start == seat.Place })
	if m.State != model.MatchLive || i < 0 {
		return model.ErrBegun
	}
	left, err := tx.Matches.HasLeft(a.ID, m.ID)
	if err != nil {
		return err
	}
	watched, err := tx.Replays.HasWatched(m.ID, a.ID)
	switch {
	case err != nil:
		return err
	case left:
		return model.Refuse(model.NotOpen, "you left this match: you cannot come back in another seat")
	case watched:
		return model.Refuse(model.NotOpen, "you have watched this match: its viewers cannot play in it")
	}
	p := &m.Spec.Participants[i]
	p.Earlier = append(p.Earlier, model.Holder{Account: p.Account, Name: p.Name, Bot: p.Bot, Level: p.Level, From: p.From})
	p.Bot, p.Level, p.Account, p.Name, p.From = false, "", a.ID, a.Name, 0
	for _, other := range m.Spec.Participants {
		p.Turn = max(p.Turn, other.Turn)
	}
	p.Turn++
	return tx.Matches.TakeSeat(m, p.Start, s.Now())
}

// modeAdmits is the mode's own predicate of PreLogin, about a lobby before the account
// sat down.
func (s *Service) modeAdmits(l *model.Lobby, a model.Account, room model.Occupancy) error {
	if s.Matches == nil {
		return nil
	}
	if err := s.Matches.PreLogin(l.Options, a, room); err != nil {
		return &model.Error{Code: model.ModeRefused, Detail: err.Error()}
	}
	return nil
}

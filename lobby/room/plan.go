package room

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
)

// MatchPlan is a match that is started at once for players who did not meet in a lobby:
// on request of a studio's server, or of a queue.
type MatchPlan struct {
	Name    string // of its lobby; "": "Match"
	Map     string // id
	Options map[string]any
	Seats   []model.PlannedSeat
	// The payer of the match. A zero payer with Trusted uses the server's limits alone.
	Payer model.Payer
	// Alongside runs in the transaction that stores the match, after all other checks.
	// Its error prevents the match. It may run more than once, like every function in a
	// transaction. It may be nil.
	Alongside func(*db.Tx, model.Match) error
}

// StartMatchFor makes a lobby with all players of a plan and starts its match: a
// planned match takes the same steps as any other. It is refused if the server drains,
// if a player is banned or plays elsewhere, if the mode does not admit a player, or if
// there is no room for a match. Players leave another lobby whose match does not run.
//
// The lobby has no host, is in no list, and is known to its members alone
// ([model.Lobby.Planned]). No player can change or restart it. It has seats for spectators only
// if the options say so; accounts that know its id take them. It is closed if its match does
// not start, and otherwise like any idle lobby.
//
// The lobby that is returned is playing. Players get tickets by the log-in of a match or
// from studio.Session.Tickets.
func (s *Service) StartMatchFor(ctx context.Context, p MatchPlan) (*model.Lobby, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up must not stop it half way
	planned, err := s.Planned(p)
	if err != nil {
		return nil, err
	}
	match, seed := model.MatchID(model.NewID()), play.RandomSeed()
	var spec model.Spec
	var left []leftLobby
	err = s.Write(ctx, func(tx *db.Tx) (err error) {
		if err := s.MayStart(tx); err != nil {
			return err
		}
		accounts, err := s.lockPlanned(tx, p.Seats)
		if err != nil {
			return err
		}
		if left, err = s.leaveLobbies(tx, accounts); err != nil {
			return err
		}
		l := *planned
		l.State, l.Seats, l.StartAt = model.Starting, nil, s.Now()
		for i := range p.Seats {
			a := accounts[p.Seats[i].Account]
			if _, err := s.factionWish(&l, p.Seats[i].Faction); err != nil {
				return err
			}
			room := model.Occupancy{Seats: l.Map.Starts, Taken: i}
			if err := l.SeatPlanned(p.Seats[i], a.Name); err != nil {
				return err
			}
			if a.ID != "" {
				if err := s.modeAdmits(&l, a, room); err != nil {
					return err
				}
			}
		}
		l.Changed()
		if err := s.SpendStored(tx, quota.NewLobbies, p.Payer); err != nil {
			return err
		}
		if err := tx.Lobbies.Add(&l); err != nil {
			return err
		}
		m, err := s.Play.BindFor(tx, &l, match, seed, p.Payer)
		if err != nil {
			return err
		}
		spec = m.Spec
		if _, err := tx.Lobbies.Lock(l.ID); err != nil { // it is new: no transaction waits
			return err
		}
		if err := s.Save(tx, &l); err != nil || p.Alongside == nil {
			return err
		}
		return p.Alongside(tx, m)
	})
	if err != nil {
		if errors.Is(err, model.ErrTaken) {
			err = model.AlreadySeated // a player sat down elsewhere at the same moment
		}
		return nil, err
	}
	for _, x := range left {
		s.Seats.CloseSpectator(ctx, x.watched, x.account)
		s.Hub.Wake(x.id)
	}
	return s.Play.FinishLaunch(ctx, spec)
}

// Planned checks a plan apart from its players, and returns its lobby without seats.
func (s *Service) Planned(p MatchPlan) (*model.Lobby, error) {
	l, err := s.InitGame(NewLobby{Name: cmp.Or(p.Name, "Match"), Map: p.Map, Options: p.Options})
	if err != nil {
		return nil, err
	}
	if _, given := p.Options["spectators"]; !given { // a player's friend could pass on hidden facts
		l.Options.Spectators = 0
	}
	return l, checkSeats(p.Seats, l.Map)
}

// checkSeats checks the seats of a plan apart from their players. A property is set on
// all seats or on no seat: so the lobby's own choices never meet the plan's.
func checkSeats(seats []model.PlannedSeat, m model.MapInfo) error {
	if n := len(seats); n < 2 || n > m.Starts {
		return model.RefuseField(model.BadLimit, "seats", "%s holds 2 to %d players", m.Name, m.Starts)
	}
	for _, p := range seats {
		if err := model.CheckHandicap(p.Handicap); err != nil {
			return err
		}
	}
	for _, x := range []struct {
		field string
		given func(model.PlannedSeat) bool
	}{
		{"team", func(p model.PlannedSeat) bool { return p.Team != nil }},
		{"start", func(p model.PlannedSeat) bool { return p.Start != nil }},
		{"color", func(p model.PlannedSeat) bool { return p.Color != nil }},
	} {
		for _, p := range seats {
			if x.given(p) != x.given(seats[0]) {
				return model.RefuseField(model.BadRequest, "seats", "give a %s to all seats, or leave it out", x.field)
			}
		}
	}
	return nil
}

// lockPlanned locks the accounts of a plan in the order of their ids, and refuses
// accounts that may not play now.
func (s *Service) lockPlanned(tx *db.Tx, seats []model.PlannedSeat) (map[model.AccountID]model.Account, error) {
	out := map[model.AccountID]model.Account{}
	for _, x := range seats {
		if x.Account == "" {
			continue
		}
		if _, twice := out[x.Account]; twice {
			return nil, model.RefuseField(model.BadRequest, "seats", "account %s has two seats", model.CutText(string(x.Account), 64))
		}
		out[x.Account] = model.Account{}
	}
	if len(out) == 0 {
		return nil, model.RefuseField(model.BadRequest, "seats", "a match needs at least one human player")
	}
	for _, id := range slices.Sorted(maps.Keys(out)) {
		a, err := tx.Accounts.Lock(id)
		if errors.Is(err, model.ErrNotFound) {
			return nil, model.Refuse(model.NotFound, "there is no account %s", model.CutText(string(id), 64))
		}
		if err != nil {
			return nil, err
		}
		if err := s.NotBanned(tx, id, model.Client{}); err != nil {
			return nil, admission.About(a, err)
		}
		if err := admission.NotInMatch(tx, id); err != nil {
			return nil, admission.About(a, err)
		}
		out[id] = a
	}
	return out, nil
}

// leftLobby is a player that a planned match took out of a lobby.
type leftLobby struct {
	id      model.LobbyID
	account model.AccountID
	watched model.MatchID
}

// leaveLobbies takes accounts out of the lobbies they sit in, in the order of the
// lobbies' ids.
func (s *Service) leaveLobbies(tx *db.Tx, accounts map[model.AccountID]model.Account) ([]leftLobby, error) {
	var out []leftLobby
	for a := range accounts {
		id, err := tx.Lobbies.Of(a)
		if errors.Is(err, model.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, leftLobby{id: id, account: a})
	}
	slices.SortFunc(out, func(a, b leftLobby) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.account, b.account))
	})
	for i := range out {
		l, err := tx.Lobbies.Lock(out[i].id)
		if err != nil {
			return nil, err
		}
		out[i].watched = l.SpectatedMatch(out[i].account)
		if l.SeatOf(out[i].account) < 0 {
			continue // it left while this waited
		}
		if err := l.Leave(out[i].account); err != nil {
			return nil, err
		}
		if err := s.Decide(tx, l); err != nil {
			return nil, err
		}
		if err := s.Save(tx, l); err != nil {
			return nil, err
		}
	}
	return out, nil
}

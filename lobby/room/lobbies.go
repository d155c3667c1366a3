package room

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// NewLobby is a lobby to be made.
type NewLobby struct {
	Name     string         `json:"name" maxLength:"200"`
	Map      string         `json:"map" maxLength:"200" doc:"map id"`
	Password string         `json:"password,omitempty" maxLength:"128"`
	Limit    int            `json:"limit,omitempty" doc:"seats; as many as the map holds if absent"`
	Bots     int            `json:"bots,omitempty" minimum:"0" doc:"seated from the beginning, fewer than limit"`
	Level    model.BotLevel `json:"level,omitempty" maxLength:"24" doc:"how well those play: as of one new bot; medium if absent"`
	Options  map[string]any `json:"options,omitempty" doc:"options that differ from the default; the server refuses unknown options by name"`
}

// InitGame checks a match's options before it exists: name, map, limit, every
// option by name, and last the mode's own predicate. It reads no store.
func (s *Service) InitGame(n NewLobby) (*model.Lobby, error) {
	name, err := model.CleanLine(model.BadName, "name", n.Name, model.LobbyNameLenMax)
	if err != nil {
		return nil, err
	}
	info, ok := s.Maps.Map(n.Map)
	if !ok {
		return nil, model.RefuseField(model.UnknownMap, "map", "unknown map %q", model.CutText(n.Map, 60))
	}
	if n.Limit == 0 {
		n.Limit = info.Starts
	}
	if n.Limit < 2 || n.Limit > info.Starts {
		return nil, model.RefuseField(model.BadLimit, "limit", "%s holds 2 to %d players", info.Name, info.Starts)
	}
	if n.Bots < 0 || n.Bots >= n.Limit {
		return nil, model.RefuseField(model.BadLimit, "bots", "a lobby of %d seats has room for 0 to %d bots and its host", n.Limit, n.Limit-1)
	}
	if len(n.Password) > account.PasswordLenMax {
		return nil, model.RefuseField(model.BadPassword, "password", "a lobby's password has at most %d bytes", account.PasswordLenMax)
	}
	options, err := model.ParseOptions(model.DefaultOptions(), n.Options)
	if err != nil {
		return nil, err
	}
	now := s.Now()
	l := &model.Lobby{
		ID: model.LobbyID(model.NewID()), Name: name, Map: info, State: model.Open, Limit: n.Limit, Options: options, SettingsVersion: 1,
		Created: now, Touched: now,
	}
	return l, s.checkMode(l)
}

// checkMode asks the mode whether it would play the lobby as it stands. A refusal of
// one option names that option.
func (s *Service) checkMode(l *model.Lobby) error {
	if s.Matches == nil {
		return nil
	}
	if err := s.Matches.Check(model.Spec{Lobby: l.ID, Map: l.Map, Options: l.Options, From: l.From}); err != nil {
		if e := (*model.Error)(nil); errors.As(err, &e) {
			return e
		}
		return &model.Error{Code: model.ModeRefused, Field: "options", Detail: err.Error()}
	}
	return nil
}

// Create makes a lobby with its host in the first seat, and the bots in the next.
func (s *Service) Create(ctx context.Context, c model.Client, a model.Account, n NewLobby) (*model.Lobby, error) {
	l, err := s.InitGame(n)
	if err != nil {
		return nil, err
	}
	load := func(*db.Tx) (*model.Lobby, error) {
		fresh := *l // a fresh value for each run of the transaction
		return &fresh, nil
	}
	if n.Password != "" {
		// Everything else is looked at before the password is hashed.
		if _, err := s.enter(ctx, c, a, l.ID, load, JoinRequest{dryRun: true, bots: n.Bots, level: n.Level}); !errors.Is(err, errDryRun) {
			return nil, err
		}
		if err := s.Account.MayHash(account.OtherRequest(c, a.ID)); err != nil {
			return nil, err
		}
		if l.PasswordHash, err = s.Account.Hasher.HashPassword(ctx, account.OtherRequest(c, a.ID), n.Password); err != nil {
			return nil, s.Explain(err)
		}
	}
	return s.enter(ctx, c, a, l.ID, load, JoinRequest{bots: n.Bots, level: n.Level})
}

// Leave gives up the account's seat, and with it the one in the lobby's match: a
// player who leaves is out of the match, a spectator watches no longer. Where the
// lobby is closed, or the seat there is gone already, the match is left.
func (s *Service) Leave(ctx context.Context, id model.LobbyID, a model.AccountID) (l *model.Lobby, err error) {
	var watched, played model.MatchID
	err = s.Write(ctx, func(tx *db.Tx) error {
		watched, played = "", ""
		if l, err = tx.Lobbies.Lock(id); err != nil {
			return err
		}
		m, err := tx.Matches.LiveSeat(a)
		if err != nil && !errors.Is(err, model.ErrNotFound) {
			return err
		}
		if err == nil && m.Lobby == id {
			played = m.ID
			if err := tx.Matches.Leave(a, played, s.Now()); err != nil {
				return err
			}
		}
		seated := l.State != model.Closed && l.SeatOf(a) >= 0
		switch {
		case seated:
		case played != "":
			return nil
		case l.State == model.Closed:
			return model.LobbyClosed
		}
		watched = l.SpectatedMatch(a)
		if err := l.Leave(a); err != nil {
			return err
		}
		if err := s.Decide(tx, l); err != nil {
			return err
		}
		return s.Save(tx, l)
	})
	if err != nil {
		return nil, err
	}
	s.Hub.Wake(id)
	s.Seats.CloseSpectator(ctx, watched, a)
	if played != "" {
		s.Seats.EndSeats(ctx, a, model.Ending{Match: played, ForGood: true, Why: model.Refuse(model.NotSeated, "you left the match")})
	}
	return l, nil
}

// ChangeSeat changes the account's own seat.
func (s *Service) ChangeSeat(ctx context.Context, id model.LobbyID, a model.AccountID, c model.SeatChange) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) (err error) {
		c := c
		if c.Faction != nil {
			faction, err := s.factionWish(l, *c.Faction)
			if c.Faction = &faction; err != nil {
				return err
			}
		}
		return l.Change(a, c)
	})
}

// SetFaction gives a bot its faction, at the host's word.
func (s *Service) SetFaction(ctx context.Context, id model.LobbyID, a model.AccountID, place int, wish string) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error {
		faction, err := s.factionWish(l, wish)
		if err != nil {
			return err
		}
		return l.SetFaction(a, place, faction)
	})
}

// SetHandicap gives a player or a bot its handicap, at the host's word.
func (s *Service) SetHandicap(ctx context.Context, id model.LobbyID, a model.AccountID, place int, h grid.Handicap) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error { return l.SetHandicap(a, place, h) })
}

func (s *Service) factionWish(l *model.Lobby, wish string) (string, error) {
	var offered []model.FactionInfo
	if s.Matches != nil {
		offered = s.Matches.Factions(l.Options.Ruleset)
	}
	return model.FactionWish(wish, offered)
}

// AddBot seats a bot for the host. The default level is medium; the default team
// follows the lobby's option.
func (s *Service) AddBot(ctx context.Context, id model.LobbyID, a model.AccountID, level model.BotLevel, team *int) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error { return l.AddBot(a, level, team) })
}

// Kick frees a seat at the host's word.
func (s *Service) Kick(ctx context.Context, id model.LobbyID, a model.AccountID, place int) (*model.Lobby, error) {
	return s.Play.ChangeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) error {
		kicked := model.AccountID("")
		if i := l.SeatAt(place); i >= 0 {
			kicked = l.Seats[i].Account
		}
		if err := l.Kick(a, place); err != nil || kicked == "" {
			return err
		}
		if err := s.Decide(tx, l); err != nil {
			return err
		}
		return s.keepOut(tx, id, kicked, "the lobby's host has removed the player")
	})
}

// keepOut notes that a player was removed from a lobby.
func (s *Service) keepOut(tx *db.Tx, id model.LobbyID, kicked model.AccountID, why string) error {
	if _, _, err := tx.Throttle.Count(kickedKey(id, kicked), 1, s.Now(), kickedFor); err != nil {
		return err
	}
	return s.Hooks.TellKicked(tx, kicked, nil, why)
}

// kickedFor is the time for which a lobby refuses a removed player.
const kickedFor = 10 * time.Minute

func kickedKey(id model.LobbyID, a model.AccountID) string {
	return "kicked:" + string(id) + ":" + string(a)
}

// SetTeam gives a player or a bot its team, at the host's word.
func (s *Service) SetTeam(ctx context.Context, id model.LobbyID, a model.AccountID, place, team int) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error { return l.SetTeam(a, place, team) })
}

// SetLevel gives a bot another level, at the host's word.
func (s *Service) SetLevel(ctx context.Context, id model.LobbyID, a model.AccountID, place int, level model.BotLevel) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error { return l.SetLevel(a, place, level) })
}

// OpenSeat says, at the host's word, whether a person may take over a seat while the
// match runs, see [model.Lobby.MayOpen].
func (s *Service) OpenSeat(ctx context.Context, id model.LobbyID, a model.AccountID, place int, open bool) (*model.Lobby, error) {
	before, err := s.Play.Lobby(ctx, id)
	if err != nil {
		return nil, err
	}
	states := s.SeatStates(before)
	return s.Play.Change(ctx, id, func(l *model.Lobby) error {
		if l.Match != before.Match {
			states = held
		}
		return l.OpenSeat(a, place, open, states)
	})
}

// SeatStates returns the states of a lobby's seats from its match, which may run on
// another node. Without an answer, or without a match, all are held.
func (s *Service) SeatStates(l *model.Lobby) func(model.Seat) model.SeatState {
	if l.State != model.Playing {
		return held
	}
	return s.statesFrom(l.Match)
}

// askTimeout bounds the question to another node for the players in a match.
const askTimeout = time.Second

func held(model.Seat) model.SeatState { return model.SeatHeld }

// statesFrom is SeatStates for a match. It may ask another node: never in a transaction,
// but for a match that runs here.
func (s *Service) statesFrom(m model.MatchID) func(model.Seat) model.SeatState {
	if s.Matches == nil {
		return held
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	seats, known := s.Matches.Seats(ctx, m)
	if !known {
		return held
	}
	return func(of model.Seat) model.SeatState {
		i := slices.IndexFunc(seats, func(x model.LiveSeat) bool { return x.Start == of.Place })
		switch {
		case i < 0:
			return model.SeatHeld
		case seats[i].State == model.SeatAway && seats[i].Account != of.Account:
			return model.SeatHeld // the player in the lobby's seat has not come to the match yet
		}
		return seats[i].State
	}
}

// Rematch opens the lobby again after a match.
func (s *Service) Rematch(ctx context.Context, id model.LobbyID, a model.AccountID) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error { return l.Rematch(a) })
}

// Cancel stops the countdown.
func (s *Service) Cancel(ctx context.Context, id model.LobbyID, a model.AccountID) (*model.Lobby, error) {
	return s.Play.Change(ctx, id, func(l *model.Lobby) error { return l.Cancel(a) })
}

// SetBudget changes, for the host, the limit of bytes per second to the connections of
// the running match. It can only be below the configured limit; 0 means the configured
// one.
func (s *Service) SetBudget(ctx context.Context, id model.LobbyID, a model.AccountID, bytesPerS int) (*model.Lobby, error) {
	b := model.Budget{BytesPerS: bytesPerS}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	l, err := s.Play.Lobby(ctx, id)
	if err == nil {
		err = l.RequireHost(a, model.Playing)
	}
	if err == nil {
		err = s.Play.InReach(ctx, l.Match)
	}
	if err == nil && s.Matches != nil {
		err = s.Matches.SetBudget(ctx, l.Match, b)
	}
	if err != nil {
		return nil, err
	}
	// Kept with the lobby: everybody in it sees the number, and the next match begins with it.
	return s.Play.Change(ctx, id, func(l *model.Lobby) error {
		if err := l.RequireHost(a, model.Playing); err != nil {
			return err
		}
		l.Options.BytesPerS = bytesPerS
		return nil
	})
}

// Chat says a line to everyone in the lobby.
func (s *Service) Chat(ctx context.Context, id model.LobbyID, a model.AccountID, text string) error {
	_, err := s.Play.ChangeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) error {
		if err := s.Within(tx, a, model.LobbyChat); err != nil {
			return err
		}
		if err := l.Say(a, text); err != nil {
			return err
		}
		return s.SpendStored(tx, quota.ChatLines, quota.Payer{Account: string(a)})
	})
	return err
}

// LobbyChange is a host's change of a lobby; nil or an empty map leaves a setting.
type LobbyChange struct {
	Name     *string        `json:"name,omitempty" maxLength:"200"`
	Map      *string        `json:"map,omitempty" maxLength:"200"`
	Password *string        `json:"password,omitempty" maxLength:"128" doc:"an empty text removes the password; absent, the lobby keeps it"`
	Limit    *int           `json:"limit,omitempty"`
	Options  map[string]any `json:"options,omitempty"`
}

// settings reads a change, but not its options and its password.
func (s *Service) settings(c LobbyChange) (set model.Settings, err error) {
	if c.Name != nil {
		name, err := model.CleanLine(model.BadName, "name", *c.Name, model.LobbyNameLenMax)
		if err != nil {
			return set, err
		}
		set.Name = &name
	}
	if c.Map != nil {
		info, ok := s.Maps.Map(*c.Map)
		if !ok {
			return set, model.RefuseField(model.UnknownMap, "map", "unknown map %q", model.CutText(*c.Map, 60))
		}
		set.Map = &info
	}
	set.Limit = c.Limit
	return set, nil
}

// apply changes the settings of a lobby for its host.
func (s *Service) apply(l *model.Lobby, host model.AccountID, set model.Settings, values map[string]any) error {
	if len(values) > 0 {
		options, err := model.ParseOptions(l.Options, values)
		if err != nil {
			return err
		}
		set.Options = &options
	}
	if err := l.Set(host, set); err != nil {
		return err
	}
	return s.checkMode(l)
}

// Configure changes the lobby at the host's word; the same checks as InitGame.
func (s *Service) Configure(ctx context.Context, from model.Client, id model.LobbyID, a model.AccountID, c LobbyChange) (*model.Lobby, error) {
	set, err := s.settings(c)
	if err != nil {
		return nil, err
	}
	hash := ""
	if c.Password != nil {
		if len(*c.Password) > account.PasswordLenMax {
			return nil, model.RefuseField(model.BadPassword, "password", "a lobby's password has at most %d bytes", account.PasswordLenMax)
		}
		set.PasswordHash = &hash
	}
	rule := func(l *model.Lobby) error { return s.apply(l, a, set, c.Options) }
	if c.Password != nil && *c.Password != "" {
		// Whether the lobby is there, and the account may, is looked at before
		// the password is hashed.
		if err := s.Read(ctx, func(tx *db.Tx) error {
			l, err := tx.Lobbies.Get(id)
			if err != nil {
				return err
			}
			if l.State == model.Closed {
				return model.LobbyClosed
			}
			return rule(l)
		}); err != nil {
			return nil, err
		}
		if err := s.Account.MayHash(account.OtherRequest(from, a)); err != nil {
			return nil, err
		}
		if hash, err = s.Account.Hasher.HashPassword(ctx, account.OtherRequest(from, a), *c.Password); err != nil {
			return nil, s.Explain(err)
		}
	}
	return s.Play.Change(ctx, id, rule)
}

// abandonedAfter is the time after which the list leaves out an empty lobby. See
// [play.Service.TouchUsed].
const abandonedAfter = 2 * time.Minute

// Lobbies lists lobbies, newest first, without planned ones.
func (s *Service) Lobbies(ctx context.Context, f model.LobbyFilter) (list []*model.Lobby, err error) {
	f.Limit, f.Hosted = max(1, min(f.Limit, 100)), true
	if f.Meeting {
		f.UsedSince = s.Now().Add(-abandonedAfter)
	}
	return core.Get(ctx, s.Core, func(tx *db.Tx) ([]*model.Lobby, error) { return tx.Lobbies.List(f) })
}

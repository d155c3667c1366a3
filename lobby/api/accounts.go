package api

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// Played is one match of an account's history.
type Played struct {
	MatchID string    `json:"matchId"`
	Map     string    `json:"map"`
	MapID   string    `json:"mapId"`
	LobbyID string    `json:"lobbyId" doc:"where it was played; it may be gone"`
	Start   int       `json:"slot"`
	Team    int       `json:"team"`
	Outcome string    `json:"outcome" enum:",won,lost,drawn,void" doc:"empty while it runs"`
	Score   int32     `json:"score" doc:"of the account: points of the ruleset and of the mode"`
	Reason  string    `json:"reason"`
	Ticks   uint32    `json:"ticks"`
	Seconds int       `json:"seconds" doc:"length of the match"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Players []Fellow  `json:"players" doc:"the players, by slot"`

	Replay  string        `json:"replay" enum:"available,off,not_over,expired,other_version" doc:"whether the account may watch it again"`
	Options model.Options `json:"options" doc:"without the seed and without the rules of admission"`
}

// Fellow is a player in a match of an account's history.
type Fellow struct {
	Name  string `json:"name"`
	Team  int    `json:"team"`
	Bot   bool   `json:"bot"`
	Level string `json:"level,omitempty" doc:"of a bot; orders: of a seat that the orders of a scenario play"`
	You   bool   `json:"you,omitempty" doc:"the account whose history it is"`
	From  uint32 `json:"from,omitempty" doc:"the tick in which it took a seat over; absent: it had it from the start"`
	To    uint32 `json:"to,omitempty" doc:"the tick in which another player, the next in the list, took the seat over"`

	Faction  string        `json:"faction,omitempty" doc:"of the ruleset; absent: it has no factions"`
	Handicap grid.Handicap `json:"handicap,omitzero" doc:"in percent; absent: no handicap"`
}

// Credentials log in.
type Credentials struct {
	Name     string `json:"name" maxLength:"254" doc:"name or email"`
	Password string `json:"password" maxLength:"1000"`
	Bearer   bool   `json:"bearer,omitempty" doc:"answer with a token instead of relying on the cookie"`
	Device   string `json:"device,omitempty" maxLength:"43" doc:"of an earlier answer; browsers have it in a cookie"`
}

// Registration makes an account.
type Registration struct {
	Name     string `json:"name" maxLength:"254"`
	Email    string `json:"email,omitempty" maxLength:"254" doc:"another name to log in by; the server sends no mail to it"`
	Password string `json:"password" maxLength:"1000" doc:"8 to 128 characters, not a common one"`
	Bearer   bool   `json:"bearer,omitempty"`
}

// GuestRequest makes a guest.
type GuestRequest struct {
	Name   string `json:"name,omitempty" maxLength:"254"`
	Bearer bool   `json:"bearer,omitempty" doc:"answer with a token instead of relying on the cookie"`
}

func (a *playerAPI) accounts(h huma.API) {
	t := tag("accounts")
	asAnyone(h, op(http.MethodPost, "/api/guest", "play-as-guest", "Make a guest and log it in", t),
		func(ctx context.Context, in *struct{ Body *GuestRequest }) (*sessionOut, error) {
			caller := callerOf(ctx)
			account, token, err := a.s.Account.Guest(ctx, caller.Client, given(in.Body).Name)
			return a.opened(caller, account, token, given(in.Body).Bearer, err)
		})
	asAnyone(h, op(http.MethodPost, "/api/register", "register", "Make an account and log it in", t),
		func(ctx context.Context, in *body[Registration]) (*sessionOut, error) {
			caller := callerOf(ctx).onDevice("")
			account, token, err := a.s.Account.Register(ctx, caller.Client, in.Body.Name, in.Body.Email, in.Body.Password)
			return a.opened(caller, account, token, in.Body.Bearer, err)
		})
	asAnyone(h, op(http.MethodPost, "/api/login", "log-in", "Log in by name or email", t),
		func(ctx context.Context, in *body[Credentials]) (*sessionOut, error) {
			caller := callerOf(ctx).onDevice(in.Body.Device)
			account, token, err := a.s.Account.LogIn(ctx, caller.Client, in.Body.Name, in.Body.Password)
			return a.opened(caller, account, token, in.Body.Bearer, err)
		})
	asAnyone(h, op(http.MethodPost, "/api/logout", "log-out", "End this session", t),
		func(ctx context.Context, _ *none) (*cookieOut, error) {
			caller := callerOf(ctx)
			return &cookieOut{cookie(model.PlayerRealm, caller, "", 0)}, a.s.Account.LogOut(ctx, model.PlayerRealm, caller.token)
		})
	asPlayer(a, h, op(http.MethodPost, "/api/logout/everywhere", "log-out-everywhere", "End all sessions of the account", t),
		func(ctx context.Context, p player, _ *none) (*cookieOut, error) {
			return &cookieOut{cookie(model.PlayerRealm, p.caller, "", 0)}, a.s.Account.LogOutEverywhere(ctx, p.account.ID)
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me", "me", "The account of the session, and its lobby or match", t), a.me)
	asAnyone(h, op(http.MethodGet, "/api/accounts/{id}", "profile", "A player's name and record", t),
		func(ctx context.Context, in *AccountPath) (*body[Profile], error) {
			account, record, err := a.s.Account.Profile(ctx, model.AccountID(in.ID))
			return &body[Profile]{Profile{account, record}}, err
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me/history", "history", "The account's matches, latest first", t),
		func(ctx context.Context, p player, in *struct {
			Before int64 `query:"before" minimum:"0" doc:"next of the page before"`
		}) (*body[History], error) {
			rows, err := a.s.Account.History(ctx, p.account.ID, in.Before)
			return historyOf(ctx, a.s, p.account.ID, rows), err
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me/settings", "account-settings", "The settings that the account's client keeps here", t),
		func(ctx context.Context, p player, _ *none) (*body[map[string]json.RawMessage], error) {
			raw, err := a.s.Account.AccountSettings(ctx, p.account.ID)
			out := &body[map[string]json.RawMessage]{}
			if err == nil {
				err = json.Unmarshal(raw, &out.Body)
			}
			return out, err
		})
	asPlayer(a, h, op(http.MethodPut, "/api/me/settings", "save-account-settings", "Replace these settings by a JSON object of at most 8 KiB", t),
		func(ctx context.Context, p player, in *struct {
			RawBody []byte
			Body    map[string]any `required:"true"`
		}) (*none, error) {
			return nil, a.s.Account.SaveAccountSettings(ctx, p.account.ID, in.RawBody)
		})
	asPlayer(a, h, op(http.MethodPut, "/api/me/sharing", "share", "Set the sight that others have of the account", t),
		func(ctx context.Context, p player, in *body[Sharing]) (*none, error) {
			return nil, a.s.Account.Share(ctx, p.account.ID, in.Body.Sharing)
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me/export", "export-account", "All that the server has stored about the account, by kind, newest first, at most 5,000 rows of each", t),
		func(ctx context.Context, p player, _ *none) (*body[map[string][]map[string]any], error) {
			out, err := a.s.Account.Export(ctx, p.account.ID)
			return &body[map[string][]map[string]any]{out}, err
		})
	asPlayer(a, h, op(http.MethodPost, "/api/me/upgrade", "upgrade", "Make a guest an account; id, seat and history stay", t),
		func(ctx context.Context, p player, in *body[Registration]) (*sessionOut, error) {
			caller := p.caller.onDevice("")
			account, token, err := a.s.Account.Upgrade(ctx, caller.Client, p.account.ID, in.Body.Name, in.Body.Email, in.Body.Password)
			return a.opened(caller, account, token, in.Body.Bearer, err)
		})
	asPlayer(a, h, op(http.MethodPost, "/api/me/password", "change-password", "Change the password; all other sessions end", t),
		func(ctx context.Context, p player, in *struct {
			Body struct {
				Old    string `json:"old" maxLength:"1000"`
				New    string `json:"new" maxLength:"1000"`
				Bearer bool   `json:"bearer,omitempty"`
			}
		}) (*sessionOut, error) {
			token, err := a.s.Account.ChangePassword(ctx, p.caller.Client, p.account.ID, in.Body.Old, in.Body.New)
			return a.opened(p.caller, p.account, token, in.Body.Bearer, err)
		})
	asPlayer(a, h, op(http.MethodPost, "/api/me/delete", "delete-account", "Delete the account for good", t),
		func(ctx context.Context, p player, in *struct {
			Body struct {
				Password string `json:"password,omitempty" maxLength:"1000" doc:"not needed for guests"`
			}
		}) (*cookieOut, error) {
			return &cookieOut{cookie(model.PlayerRealm, p.caller, "", 0)}, a.s.Account.DeleteAccount(ctx, p.caller.Client, p.account.ID, in.Body.Password)
		})
	asAnyone(h, op(http.MethodPost, "/api/reset", "reset-password", "Set a new password by a link that an admin gave out", t),
		func(ctx context.Context, in *struct {
			Body struct {
				Token    string `json:"token" maxLength:"100"`
				Password string `json:"password" maxLength:"1000"`
			}
		}) (*none, error) {
			return nil, a.s.Account.Reset(ctx, callerOf(ctx).Client, model.Secret(in.Body.Token), in.Body.Password)
		})
}

// opened answers a log-in.
func (a *playerAPI) opened(caller caller, account model.Account, token model.Secret, bearer bool, err error) (*sessionOut, error) {
	if err != nil {
		return nil, err
	}
	out := &sessionOut{}
	out.SetCookie, out.Body.Token, out.Body.Device = opened(model.PlayerRealm, caller, token, a.s.Account.SessionLife, bearer)
	out.Body.Account = account
	return out, nil
}

// Me is the account that asks.
type Me struct {
	Account model.Account `json:"account"`
	Record  model.Record  `json:"record"`
	Lobby   *Lobby        `json:"lobby,omitempty" doc:"in which the account has a seat"`
	Sharing string        `json:"sharing" enum:"name,profile,replays" doc:"the sight that others have of the account"`
	Banned  *Banned       `json:"banned,omitempty" doc:"the ban that keeps the account out of lobbies and matches"`
	Notices []Notice      `json:"notices,omitempty" doc:"decisions of moderators about the account that hold"`
}

// Banned is the answer to a banned player.
type Banned struct {
	Reason string    `json:"reason"`
	Until  time.Time `json:"until,omitzero" doc:"absent: for good"`
}

func (a *playerAPI) me(ctx context.Context, p player, _ *none) (*body[Me], error) {
	me, record, in, err := a.s.Account.Me(ctx, p.account.ID)
	if err != nil {
		return nil, err
	}
	ban, err := a.s.Account.BanOf(ctx, p.caller.Client, p.account.ID)
	if err != nil {
		return nil, err
	}
	sharing, err := a.s.Account.Sharing(ctx, p.account.ID)
	if err != nil {
		return nil, err
	}
	notices, err := a.s.Report.Notices(ctx, p.account.ID)
	if err != nil {
		return nil, err
	}
	out := &body[Me]{Me{Account: me, Record: record, Sharing: sharing, Notices: each(notices, noticeOf)}}
	if ban != nil {
		out.Body.Banned = &Banned{ban.Reason, ban.Until}
	}
	if in != "" {
		if l, err := a.s.Play.Lobby(ctx, in); err == nil {
			shape := a.shape(l)
			out.Body.Lobby = &shape
		}
	}
	return out, nil
}

// Sharing is the sight that others have of an account.
type Sharing struct {
	Sharing string `json:"sharing" enum:"name,profile,replays" doc:"name: its name alone, and no row on leaderboards. profile: also its record. replays: also replays of its matches that are in the catalogue"`
}

// Profile is an account as others see it; the record of a private account is empty.
type Profile struct {
	Account model.Account `json:"account"`
	Record  model.Record  `json:"record"`
}

// History is one page of an account's matches.
type History struct {
	Matches []Played `json:"matches"`
	Next    int64    `json:"next,omitempty" doc:"pass as before for the next page; absent at the end"`
}

const historyPage = 50

// historyOf is a page of an account's history as it is shown.
func historyOf(ctx context.Context, s *lobby.Service, id model.AccountID, rows []model.Played) *body[History] {
	out := &body[History]{}
	out.Body.Matches = make([]Played, 0, len(rows))
	for _, p := range rows {
		row := Played{
			string(p.Match), p.Map, p.MapID, string(p.Lobby), p.Start, int(p.Team), string(p.Outcome), p.Score, p.Reason, p.Ticks,
			int(p.Length.Seconds()), p.Started, p.Ended, []Fellow{}, s.Replay.ReplayState(ctx, &p), p.Options,
		}
		row.Options.Seed, row.Options.Whitelist = "", []string{}
		row.Options.Replays = cmp.Or(p.Replays, row.Options.Replays, model.ReplaysParticipants)
		for _, fellow := range p.Players {
			for _, h := range fellow.Holders() {
				row.Players = append(row.Players, Fellow{h.Name, int(fellow.Team), h.Bot, string(h.Level), h.Account == id, h.From, h.To, fellow.Faction, fellow.Handicap})
			}
		}
		out.Body.Matches = append(out.Body.Matches, row)
	}
	out.Body.Next = next(rows, historyPage, func(x model.Played) int64 { return x.Num })
	return out
}

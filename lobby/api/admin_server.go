package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Match is a match as shown to admins.
type Match struct {
	ID         string          `json:"id"`
	Lobby      string          `json:"lobby"`
	Node       string          `json:"node"`
	Map        model.MapInfo   `json:"map"`
	Options    model.Options   `json:"options"`
	State      string          `json:"state" enum:"starting,live,ended,failed"`
	Result     *model.Outcomes `json:"result,omitempty"`
	Seats      []MatchPlayer   `json:"seats"`
	Started    time.Time       `json:"started"`
	Ended      *time.Time      `json:"ended,omitempty"`
	Tick       *uint32         `json:"tick,omitempty" doc:"of a match that runs on a node which answered"`
	Players    *int            `json:"players,omitempty" doc:"connected now"`
	Spectators *int            `json:"spectators,omitempty" doc:"connected now"`
	Kept       *bool           `json:"kept,omitempty" doc:"an admin has it go on without people"`
}

// MatchPlayer is a seat of a match.
type MatchPlayer struct {
	Start   int            `json:"slot"`
	Name    string         `json:"name"`
	Account string         `json:"account,omitempty"`
	Bot     bool           `json:"bot"`
	Team    int            `json:"team"`
	Color   int            `json:"color"`
	From    uint32         `json:"from,omitempty" doc:"the tick in which this player took the seat over; absent: it had it from the start"`
	Earlier []model.Holder `json:"earlier,omitempty" doc:"earlier players of the seat, the first one first"`
}

func matchOf(m model.Match, live []model.LiveMatch) Match {
	out := Match{
		ID: string(m.ID), Lobby: string(m.Lobby), Node: m.Node, Map: m.Spec.Map, Options: m.Spec.Options,
		State: string(m.State), Result: m.Result, Started: m.Started, Ended: when(m.Ended), Seats: []MatchPlayer{},
	}
	out.Options.Seed, out.Options.Replays = "", m.Access()
	for _, p := range m.Spec.Participants {
		out.Seats = append(out.Seats, MatchPlayer{p.Start, p.Name, string(p.Account), p.Bot, int(p.Team), int(p.Color), p.From, p.Earlier})
	}
	for _, l := range live {
		if l.Match == m.ID {
			out.Node = l.Node
			tick, players, spectators, keeps := uint32(l.Tick), l.Players, l.Spectators, l.Kept
			out.Tick, out.Players, out.Spectators, out.Kept = &tick, &players, &spectators, &keeps
		}
	}
	return out
}

// LadderList lists the queues with a ladder.
type LadderList struct {
	Leaderboards []QueueLadder `json:"leaderboards"`
}

// QueueLadder is the season of a queue, with the queue's id and name.
type QueueLadder struct {
	Queue  string `json:"queue" doc:"id"`
	Name   string `json:"name"`
	Ladder Ladder `json:"ladder"`
}

// matchWith names a match, and has a body.
type matchWith[B any] struct {
	ID   string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$"`
	Body B
}

type matchesOut struct {
	Body struct {
		Matches []Match `json:"matches"`
		Next    int64   `json:"next,omitempty" doc:"pass as before to go on; absent at the end. A search may stop with less than a full page, even without a match"`
	}
}

const matchesPage = 50

// lobbies registers lobbies and matches.
func (a *AdminAPI) lobbies(h huma.API) {
	t := tag("lobbies and matches")
	register(a, h, op(http.MethodGet, "/admin/api/lobbies", "admin-lobbies", "Lobbies, newest first", t),
		func(ctx context.Context, session *admin.Session, in *listIn) (*body[LobbyList], error) {
			list, err := session.Lobbies(ctx, in.filter())
			return in.page(list, a.s.Now()), err
		})
	m := tag("matchmaking")
	register(a, h, op(http.MethodDelete, "/admin/api/leaderboards/{queue}/{account}", "admin-remove-rating", "Delete a player's rating in a queue: the player begins again (moderator)", m),
		func(ctx context.Context, session *admin.Session, in *struct {
			Queue   string `path:"queue" maxLength:"40"`
			Account string `path:"account" maxLength:"64"`
		}) (*none, error) {
			return nil, session.RemoveRating(ctx, in.Queue, model.AccountID(in.Account))
		})
	register(a, h, op(http.MethodDelete, "/admin/api/leaderboards/{queue}", "admin-reset-ratings", "Delete all ratings of a queue: all players begin again (admin)", m),
		func(ctx context.Context, session *admin.Session, in *struct {
			Queue string `path:"queue" maxLength:"40"`
		}) (*none, error) {
			return nil, session.ResetRatings(ctx, in.Queue)
		})
	register(a, h, op(http.MethodGet, "/admin/api/leaderboards", "admin-leaderboards", "The queues with a ladder, and their seasons", m),
		func(ctx context.Context, session *admin.Session, _ *struct{}) (*body[LadderList], error) {
			seasons, err := session.Seasons(ctx)
			out := LadderList{Leaderboards: []QueueLadder{}}
			for _, q := range a.s.Queue.Queues() {
				if season, has := seasons[q.ID]; has {
					out.Leaderboards = append(out.Leaderboards, QueueLadder{q.ID, q.Name, *ladderOf(&q, season, a.s.Now())})
				}
			}
			return &body[LadderList]{out}, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/leaderboards/{queue}/season", "admin-start-season", "Begin the next season of a queue with a ladder, and end the running one (admin)", m),
		func(ctx context.Context, session *admin.Session, in *struct {
			Queue string `path:"queue" maxLength:"40"`
			Body  SeasonStart
		}) (*none, error) {
			return nil, session.StartSeason(ctx, in.Queue, in.Body.EndsAt)
		})
	register(a, h, op(http.MethodDelete, "/admin/api/leaderboards/{queue}/season", "admin-end-season", "End the season of a queue: no match counts until the next one begins (admin)", m),
		func(ctx context.Context, session *admin.Session, in *struct {
			Queue string `path:"queue" maxLength:"40"`
		}) (*none, error) {
			return nil, session.EndSeason(ctx, in.Queue)
		})
	register(a, h, op(http.MethodPost, "/admin/api/lobbies/{id}/close", "admin-close-lobby", "Close a lobby (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *lobbyWith[Reason]) (*none, error) {
			return nil, session.CloseLobby(ctx, model.LobbyID(in.ID), in.Body.Reason)
		})
	register(a, h, op(http.MethodGet, "/admin/api/matches", "admin-matches", "Matches, newest first", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			State   string    `query:"state" enum:"starting,live,ended,failed"`
			Account string    `query:"account" maxLength:"100" doc:"id or name of a player"`
			Map     string    `query:"map" maxLength:"100" doc:"a part of the map's name"`
			From    time.Time `query:"from" doc:"started then or later"`
			To      time.Time `query:"to" doc:"started before"`
			Before  int64     `query:"before" minimum:"0" doc:"next of the page before"`
		}) (*matchesOut, error) {
			search := admin.MatchSearch{Account: in.Account, Map: in.Map, From: in.From, To: in.To, Before: in.Before}
			if in.State != "" {
				search.States = []model.MatchState{model.MatchState(in.State)}
			}
			list, next, err := session.Matches(ctx, search, matchesPage)
			out := &matchesOut{}
			out.Body.Next = next
			live := liveIn(ctx, a.s)
			out.Body.Matches = each(list, func(m model.Match) Match { return matchOf(m, live) })
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/matches/{id}/end", "admin-end-match", "Break a match off, without a winner (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *matchWith[Reason]) (*none, error) {
			return nil, session.EndMatch(ctx, model.MatchID(in.ID), in.Body.Reason)
		})
	register(a, h, op(http.MethodPost, "/admin/api/matches/{id}/keep", "admin-keep-match", "Have a match go on though no person is connected to it, or not (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			ID   string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$"`
			Body struct {
				Keep bool `json:"keep"`
			}
		}) (*none, error) {
			return nil, session.KeepMatch(ctx, model.MatchID(in.ID), in.Body.Keep)
		})
	register(a, h, op(http.MethodPut, "/admin/api/matches/{id}/replays", "admin-match-replays", "Change the access to a finished match's replay (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *matchWith[ReplayAccess]) (*none, error) {
			return nil, session.SetReplays(ctx, model.MatchID(in.ID), in.Body.Access)
		})
	register(a, h, op(http.MethodPost, "/admin/api/matches/{id}/budget", "admin-match-budget", "Limit the bytes per second that the server sends to connections of a match (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *matchWith[MatchBudget]) (*none, error) {
			return nil, session.SetBudget(ctx, model.MatchID(in.ID), in.Body.BytesPerS, in.Body.Start)
		})
}

// MatchBudget is a budget that an admin sets.
type MatchBudget struct {
	BytesPerS int  `json:"bytesPerS" doc:"most bytes of payload per second to a connection, 512 to 1073741824; 0: the server's setting"`
	Start     *int `json:"slot,omitempty" doc:"the player's, as the match's seats have it; absent: all players and spectators"`
}

// liveIn lists what runs, on all nodes.
func liveIn(ctx context.Context, s *lobby.Service) []model.LiveMatch {
	if s.Play.Matches == nil {
		return nil
	}
	return s.Play.Matches.LiveAll(ctx)
}

type auditOut struct {
	Body struct {
		Rows []model.AuditRow `json:"rows"`
		Next int64            `json:"next,omitempty"`
	}
}

type serverOut struct {
	Body struct {
		Store    string `json:"store" doc:"sqlite or postgres"`
		Draining bool   `json:"draining" doc:"no new matches; live ones finish"`
		Lobbies  int    `json:"lobbies" doc:"not closed; 100 at most are counted"`
		Live     int    `json:"live" doc:"matches that run, on all nodes"`
		Players  int    `json:"players" doc:"connected to them"`
	}
}

const auditPage = 100

func (a *AdminAPI) server(h huma.API) {
	t := tag("server")
	register(a, h, op(http.MethodGet, "/admin/api/house", "admin-house", "The server at a glance", t),
		func(ctx context.Context, session *admin.Session, _ *none) (*serverOut, error) {
			o, err := session.Overview(ctx)
			out := &serverOut{}
			out.Body.Store, out.Body.Draining, out.Body.Lobbies, out.Body.Live = a.s.Store.Kind(), o.Server.Draining, o.Open, len(o.Live)
			for _, m := range o.Live {
				out.Body.Players += m.Players
			}
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/house/drain", "admin-drain", "Stop or allow new matches (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Body struct {
				On bool `json:"on"`
			}
		}) (*none, error) {
			return nil, session.Drain(ctx, in.Body.On)
		})
	register(a, h, op(http.MethodPost, "/admin/api/house/announce", "admin-announce", "Tell everyone something (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Body struct {
				Text chatText `json:"text"`
			}
		}) (*none, error) {
			return nil, session.Announce(ctx, string(in.Body.Text))
		})
	register(a, h, op(http.MethodGet, "/admin/api/audit/verify", "admin-verify-audit", "Whether a row of the audit was changed or is missing", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Head string `query:"head" maxLength:"100" doc:"LINK:HASH of an earlier report, which has to be in the chain still"`
		}) (*body[admin.AuditReport], error) {
			var since model.AuditHead
			if err := since.UnmarshalText([]byte(in.Head)); err != nil {
				return nil, err
			}
			r, err := session.VerifyAudit(ctx, since)
			return &body[admin.AuditReport]{r}, err
		})
	register(a, h, op(http.MethodGet, "/admin/api/audit", "admin-audit", "The admins' actions, newest first", t),
		func(ctx context.Context, session *admin.Session, in *pageIn) (*auditOut, error) {
			rows, err := session.Audit(ctx, in.Before, auditPage)
			out := &auditOut{}
			out.Body.Rows = append([]model.AuditRow{}, rows...)
			out.Body.Next = next(rows, auditPage, func(x model.AuditRow) int64 { return x.Num })
			return out, err
		})
}

type adminsOut struct {
	Body struct {
		Admins []Admin `json:"admins"`
	}
}

type newAdminOut struct {
	Body struct {
		Password string `json:"password" doc:"generated; shown this once"`
	}
}

type AdminPath struct {
	Name string `path:"name" maxLength:"100"`
}

func (a *AdminAPI) admins(h huma.API) {
	t := tag("admins")
	register(a, h, op(http.MethodGet, "/admin/api/admins", "admin-admins", "The admins", t),
		func(ctx context.Context, session *admin.Session, _ *none) (*adminsOut, error) {
			list, err := session.Admins().List(ctx)
			out := &adminsOut{}
			out.Body.Admins = each(list, adminOf)
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/admins", "admin-add-admin", "Make an admin with a generated password (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Body struct {
				Name string `json:"name" maxLength:"100"`
				Role string `json:"role" enum:"viewer,moderator,admin"`
				Fog  bool   `json:"fog,omitempty"`
			}
		}) (*newAdminOut, error) {
			password, err := session.Admins().Add(ctx, in.Body.Name, model.Role(in.Body.Role), in.Body.Fog)
			out := &newAdminOut{}
			out.Body.Password = password
			return out, err
		})
	register(a, h, op(http.MethodPatch, "/admin/api/admins/{name}", "admin-change-admin", "Change another admin's rights (admin)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			AdminPath
			Body struct {
				Role     *string `json:"role,omitempty" enum:"viewer,moderator,admin"`
				Fog      *bool   `json:"fog,omitempty"`
				Disabled *bool   `json:"disabled,omitempty"`
			}
		}) (*adminOut, error) {
			c := admin.AdminChange{Fog: in.Body.Fog, Disabled: in.Body.Disabled}
			if in.Body.Role != nil {
				role := model.Role(*in.Body.Role)
				c.Role = &role
			}
			admin, err := session.Admins().Change(ctx, in.Name, c)
			out := &adminOut{}
			out.Body.Admin = adminOf(admin)
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/admins/{name}/password", "admin-new-password", "Generate a new password for an admin (admin)", t),
		func(ctx context.Context, session *admin.Session, in *AdminPath) (*newAdminOut, error) {
			password, err := session.Admins().NewPassword(ctx, in.Name)
			out := &newAdminOut{}
			out.Body.Password = password
			return out, err
		})
}

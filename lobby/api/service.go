package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
	"github.com/fogkeep/fogkeep/match/grid"
)

// serviceAPI is the API for the servers of a studio.
type serviceAPI struct {
	s      *lobby.Service
	config Config
}

// serviceOp describes an operation that needs a scope; "": any key may.
func serviceOp(method, path, id, summary, group string, scope model.Scope) huma.Operation {
	out := op(method, path, id, summary, tag(group))
	out.Security = []map[string][]string{{"bearer": {}}}
	if scope != "" {
		out.Description = "Needs the scope `" + string(scope) + "`."
	}
	return out
}

// registerService registers an operation for servers with a key. The session checks its
// scopes.
func registerService[I, O any](a *serviceAPI, h huma.API, o huma.Operation, do func(context.Context, *studio.Session, *I) (*O, error)) {
	registerWith(h, o, a.session, do)
}

// session finds the key that asks, and counts the request.
func (a *serviceAPI) session(ctx context.Context) (*studio.Session, error) {
	if session, ok := ctx.Value(sessionKey{}).(*studio.Session); ok {
		return session, nil
	}
	caller := callerOf(ctx)
	session, err := a.s.Studio.KeySession(ctx, caller.Client, string(caller.token))
	if err != nil {
		return nil, err
	}
	listen.VisitOf(ctx).Account = "key:" + session.Key().ID
	return session, a.config.Ledger.Spend(quota.ServiceCalls, quota.Payer{Account: "key:" + session.Key().ID, Trusted: true}, 1)
}

// ServiceSeat is a seat of a requested match.
type ServiceSeat struct {
	Subject  string        `json:"subject,omitempty" maxLength:"255" doc:"the player's at the key's issuer; without one a bot plays"`
	Name     string        `json:"name,omitempty" maxLength:"254" doc:"of a player whom the server does not know yet; changed if it is taken or not allowed"`
	Level    string        `json:"level,omitempty" maxLength:"24" doc:"of a bot: a level, or a level and a style, such as hard:rush; medium if absent"`
	Team     *int          `json:"team,omitempty" doc:"from 0; give it to all seats or leave it out: then the option teams decides"`
	Start    *int          `json:"start,omitempty" doc:"start point of the map, from 0; give it to all seats or leave it out"`
	Color    *int          `json:"color,omitempty" doc:"0 to 15; give it to all seats or leave it out"`
	Faction  string        `json:"faction,omitempty" maxLength:"64" doc:"of the ruleset; random if absent"`
	Handicap grid.Handicap `json:"handicap,omitzero" doc:"in percent, each 10 to 400; absent: no handicap"`
}

// ServiceMatchRequest asks for a match.
type ServiceMatchRequest struct {
	Name    string         `json:"name,omitempty" maxLength:"200" doc:"of its lobby, for people"`
	Map     string         `json:"map" maxLength:"200" doc:"map id"`
	Options map[string]any `json:"options,omitempty" doc:"options that differ from the default, including ruleset and mode"`
	Seats   []ServiceSeat  `json:"seats" minItems:"2" maxItems:"64" doc:"at least one player, and players of at least two teams"`
}

// ServiceMatch is a match as the servers of a studio see it.
type ServiceMatch struct {
	ID         string             `json:"id"`
	Lobby      string             `json:"lobby" doc:"players and spectators who log in themselves find the match by it"`
	Node       string             `json:"node" doc:"that runs it, or ran it last"`
	URL        string             `json:"url,omitempty" doc:"where players reach that node, such as https://n1.example.org; absent: where they reach any node"`
	Map        model.MapInfo      `json:"map"`
	Options    model.Options      `json:"options" doc:"without the seed"`
	State      string             `json:"state" enum:"starting,live,ended,failed"`
	Result     *model.Outcomes    `json:"result,omitempty"`
	Seats      []ServiceMatchSeat `json:"seats"`
	Started    time.Time          `json:"started"`
	Ended      *time.Time         `json:"ended,omitempty"`
	Tick       *uint32            `json:"tick,omitempty" doc:"of a match that runs on a node which answered"`
	Players    *int               `json:"players,omitempty" doc:"connected now"`
	Spectators *int               `json:"spectators,omitempty" doc:"connected now"`
}

// ServiceMatchSeat is a seat of a match.
type ServiceMatchSeat struct {
	Start   int            `json:"slot" doc:"the start point"`
	Subject string         `json:"subject,omitempty" doc:"of a player, at the key's issuer"`
	Account string         `json:"account,omitempty" doc:"of a player, on this server"`
	Name    string         `json:"name"`
	Bot     bool           `json:"bot"`
	Level   string         `json:"level,omitempty" doc:"of a bot; orders: of a seat that the orders of a scenario play"`
	Team    int            `json:"team"`
	Color   int            `json:"color"`
	From    uint32         `json:"from,omitempty" doc:"the tick in which this player took the seat over; absent: it had it from the start"`
	Earlier []model.Holder `json:"earlier,omitempty" doc:"earlier players of the seat, the first one first"`
}

func (a *serviceAPI) shape(ctx context.Context, m studio.ServiceMatch, live []model.LiveMatch) ServiceMatch {
	shown := matchOf(m.Match, live)
	out := ServiceMatch{ID: shown.ID, Lobby: shown.Lobby, Node: shown.Node, Map: shown.Map, Options: shown.Options, State: shown.State,
		Result: shown.Result, Seats: []ServiceMatchSeat{}, Started: shown.Started, Ended: shown.Ended,
		Tick: shown.Tick, Players: shown.Players, Spectators: shown.Spectators}
	if m.State == model.MatchLive {
		out.URL = a.s.Play.URLOf(ctx, m.ID)
	}
	out.Seats = each(m.Spec.Participants, func(p model.Participant) ServiceMatchSeat {
		return ServiceMatchSeat{p.Start, m.Subjects[p.Account], string(p.Account), p.Name, p.Bot, string(p.Level), int(p.Team), int(p.Color), p.From, p.Earlier}
	})
	return out
}

// PlayerTicket lets one player in.
type PlayerTicket struct {
	Subject string    `json:"subject"`
	Ticket  string    `json:"ticket" doc:"for the player's client, which shows it once, with the first message of its socket"`
	Expires time.Time `json:"expires"`
	URL     string    `json:"url,omitempty" doc:"where to show it: the node that runs the match, such as https://n1.example.org; the socket is at /ws below it. Absent: at any node"`
}

// PlayerReplayTicket lets one player watch a match that is over.
type PlayerReplayTicket struct {
	Subject string    `json:"subject"`
	Ticket  string    `json:"ticket" doc:"for the player's client, which shows it once, with the first message of a socket at /ws/replay of any node"`
	Expires time.Time `json:"expires"`
}

// ServiceReplays is the right to watch a match once it is over.
type ServiceReplays struct {
	Access string `json:"access" enum:"off,participants,link,listed"`
	Key    string `json:"key,omitempty" doc:"for the link, while everyone with the link may watch"`
}

func ticketsOf(list []studio.PlayerTicket, url string) []PlayerTicket {
	return each(list, func(t studio.PlayerTicket) PlayerTicket {
		return PlayerTicket{t.Subject, string(t.Ticket), t.Expires, url}
	})
}

// ServiceMatchPath is exported since huma skips embedded types that are not.
type ServiceMatchPath struct {
	ID string `path:"id" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the match's id"`
}

type serviceMatchWith[B any] struct {
	ServiceMatchPath
	Body B
}

type (
	createdOut struct {
		Status int
		Body   struct {
			Match    ServiceMatch   `json:"match"`
			Tickets  []PlayerTicket `json:"tickets" doc:"of all players; empty if the match is over"`
			Repeated bool           `json:"repeated,omitempty" doc:"the match was made by an earlier request with the same Idempotency-Key"`
		}
	}
	serviceMatchesOut struct {
		Body struct {
			Matches []ServiceMatch `json:"matches"`
			Next    int64          `json:"next,omitempty" doc:"pass as before for the next page; absent at the end"`
		}
	}
	ticketsOut struct {
		Body struct {
			Tickets []PlayerTicket `json:"tickets"`
		}
	}
	replayTicketsOut struct {
		Body struct {
			Tickets []PlayerReplayTicket `json:"tickets"`
		}
	}
)

func (a *serviceAPI) matches(h huma.API) {
	const group = "matches"
	registerService(a, h, serviceOp(http.MethodGet, "/service/api/key", "service-key", "The key that asks", "key", ""),
		func(_ context.Context, session *studio.Session, _ *none) (*body[model.ServiceKey], error) {
			return &body[model.ServiceKey]{session.Key()}, nil
		})
	create := serviceOp(http.MethodPost, "/service/api/matches", "service-create-match", "Start a match for these players", group, studio.MatchesWrite)
	create.DefaultStatus = http.StatusCreated
	registerService(a, h, create,
		func(ctx context.Context, session *studio.Session, in *struct {
			Key  string `header:"Idempotency-Key" required:"true" maxLength:"128" doc:"chosen by you: new for each match, the same when you send a request again; known for a day"`
			Body ServiceMatchRequest
		}) (*createdOut, error) {
			r := studio.ServiceMatchRequest{RequestKey: in.Key, Name: in.Body.Name, Map: in.Body.Map, Options: in.Body.Options}
			for _, x := range in.Body.Seats {
				r.Seats = append(r.Seats, studio.ServiceSeat{Subject: x.Subject, Name: x.Name, Level: model.BotLevel(x.Level), Team: x.Team, Start: x.Start, Color: x.Color, Faction: x.Faction, Handicap: x.Handicap})
			}
			m, tickets, repeated, err := session.CreateMatch(ctx, r)
			if err != nil {
				return nil, err
			}
			out := &createdOut{Status: http.StatusCreated}
			if repeated {
				out.Status = http.StatusOK
			}
			out.Body.Match, out.Body.Tickets, out.Body.Repeated = a.shape(ctx, m, liveIn(ctx, a.s)), ticketsOf(tickets, a.s.Play.URLOf(ctx, m.ID)), repeated
			return out, nil
		})
	answers := h.OpenAPI().Paths[create.Path].Post.Responses
	answers["200"] = &huma.Response{Description: "The match of an earlier request with the same Idempotency-Key.", Content: answers["201"].Content}
	registerService(a, h, serviceOp(http.MethodGet, "/service/api/matches", "service-matches", "Matches, newest first", group, studio.MatchesRead),
		func(ctx context.Context, session *studio.Session, in *struct {
			State  string `query:"state" enum:"starting,live,ended,failed"`
			Before int64  `query:"before" minimum:"0" doc:"next of the page before"`
		}) (*serviceMatchesOut, error) {
			var states []model.MatchState
			if in.State != "" {
				states = []model.MatchState{model.MatchState(in.State)}
			}
			list, err := session.Matches(ctx, states, in.Before, matchesPage)
			out := &serviceMatchesOut{}
			live := liveIn(ctx, a.s)
			out.Body.Matches = each(list, func(m studio.ServiceMatch) ServiceMatch { return a.shape(ctx, m, live) })
			out.Body.Next = next(list, matchesPage, func(x studio.ServiceMatch) int64 { return x.Num })
			return out, err
		})
	registerService(a, h, serviceOp(http.MethodGet, "/service/api/matches/{id}", "service-match", "One match", group, studio.MatchesRead),
		func(ctx context.Context, session *studio.Session, in *ServiceMatchPath) (*body[ServiceMatch], error) {
			m, err := session.Match(ctx, model.MatchID(in.ID))
			if err != nil {
				return nil, err
			}
			return &body[ServiceMatch]{a.shape(ctx, m, liveIn(ctx, a.s))}, nil
		})
	registerService(a, h, serviceOp(http.MethodGet, "/service/api/matches/{id}/events", "service-match-events", "What happened in a match, as late as its spectators see it", group, studio.MatchesRead),
		func(ctx context.Context, session *studio.Session, in *struct {
			ServiceMatchPath
			After int `query:"after" minimum:"0" doc:"next of the answer before; 0: from the beginning"`
			Limit int `query:"limit" minimum:"1" maximum:"500" default:"100"`
		}) (*body[model.MatchEvents], error) {
			out, err := session.MatchEvents(ctx, model.MatchID(in.ID), in.After, in.Limit)
			return &body[model.MatchEvents]{out}, err
		})
	registerService(a, h, serviceOp(http.MethodPost, "/service/api/matches/{id}/tickets", "service-tickets", "New tickets for players of a match that runs", group, studio.MatchesWrite),
		func(ctx context.Context, session *studio.Session, in *struct {
			ServiceMatchPath
			Body *struct {
				Subjects []string `json:"subjects,omitempty" maxItems:"64" doc:"the players; absent: all players"`
			}
		}) (*ticketsOut, error) {
			list, err := session.Tickets(ctx, model.MatchID(in.ID), given(in.Body).Subjects)
			out := &ticketsOut{}
			out.Body.Tickets = ticketsOf(list, a.s.Play.URLOf(ctx, model.MatchID(in.ID)))
			return out, err
		})
	registerService(a, h, serviceOp(http.MethodPut, "/service/api/matches/{id}/replays", "service-replays", "Change the access to a finished match's replay", group, studio.MatchesWrite),
		func(ctx context.Context, session *studio.Session, in *serviceMatchWith[ReplayAccess]) (*body[ServiceReplays], error) {
			key, err := session.SetReplays(ctx, model.MatchID(in.ID), in.Body.Access)
			return &body[ServiceReplays]{ServiceReplays{in.Body.Access, string(key)}}, err
		})
	registerService(a, h, serviceOp(http.MethodPost, "/service/api/matches/{id}/replay-tickets", "service-replay-tickets", "Tickets to watch a match that is over", group, studio.MatchesWrite),
		func(ctx context.Context, session *studio.Session, in *struct {
			ServiceMatchPath
			Body *struct {
				Subjects []string `json:"subjects,omitempty" maxItems:"64" doc:"the viewers; absent: all players of the match. Other viewers work only while everyone with the link may watch"`
			}
		}) (*replayTicketsOut, error) {
			list, err := session.ReplayTickets(ctx, model.MatchID(in.ID), given(in.Body).Subjects)
			out := &replayTicketsOut{}
			out.Body.Tickets = each(list, func(t studio.PlayerTicket) PlayerReplayTicket {
				return PlayerReplayTicket{t.Subject, string(t.Ticket), t.Expires}
			})
			return out, err
		})
	registerService(a, h, serviceOp(http.MethodPost, "/service/api/matches/{id}/end", "service-end-match", "Break a match off, without a winner", group, studio.MatchesWrite),
		func(ctx context.Context, session *studio.Session, in *struct {
			ServiceMatchPath
			Body *struct {
				Reason string `json:"reason,omitempty" maxLength:"200" doc:"told to the players"`
			}
		}) (*none, error) {
			return nil, session.EndMatch(ctx, model.MatchID(in.ID), given(in.Body).Reason)
		})
}

// ServicePlayer is a player of a studio.
type ServicePlayer struct {
	Subject string       `json:"subject"`
	Account string       `json:"account" doc:"on this server"`
	Name    string       `json:"name"`
	Record  model.Record `json:"record" doc:"of all matches on this server"`
}

type (
	subjectIn struct {
		Subject string `query:"subject" maxLength:"255" doc:"the player's at the key's issuer; never left out"`
	}
)

func (a *serviceAPI) players(h huma.API) {
	const group = "players"
	registerService(a, h, serviceOp(http.MethodGet, "/service/api/player", "service-player", "A player's account and record", group, studio.PlayersRead),
		func(ctx context.Context, session *studio.Session, in *subjectIn) (*body[ServicePlayer], error) {
			account, record, err := session.Player(ctx, in.Subject)
			return &body[ServicePlayer]{ServicePlayer{in.Subject, string(account.ID), account.Name, record}}, err
		})
	registerService(a, h, serviceOp(http.MethodGet, "/service/api/player/results", "service-player-results", "A player's matches, latest first", group, studio.PlayersRead),
		func(ctx context.Context, session *studio.Session, in *struct {
			Subject string `query:"subject" maxLength:"255" doc:"the player's at the key's issuer; never left out"`
			Before  int64  `query:"before" minimum:"0" doc:"next of the page before"`
		}) (*body[History], error) {
			account, rows, err := session.Results(ctx, in.Subject, in.Before)
			return historyOf(ctx, a.s, account.ID, rows), err
		})
}

package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
)

func (a *playerAPI) lobbies(h huma.API) {
	t := tag("lobbies")
	asAnyone(h, op(http.MethodGet, "/api/maps", "maps", "The maps there are", t),
		func(context.Context, *none) (*body[MapList], error) {
			return &body[MapList]{MapList{append([]model.MapInfo{}, a.s.Room.Maps.Maps()...)}}, nil
		})
	asAnyone(h, op(http.MethodGet, "/api/rulesets", "rulesets", "The rulesets there are", t),
		func(context.Context, *none) (*body[RulesetList], error) {
			return &body[RulesetList]{RulesetList{append([]model.RulesetInfo{}, a.s.Rulesets()...)}}, nil
		})
	asAnyone(h, op(http.MethodGet, "/api/modes", "modes", "The game modes there are", t),
		func(context.Context, *none) (*body[ModeList], error) {
			return &body[ModeList]{ModeList{append([]string{}, a.s.Modes()...)}}, nil
		})
	asAnyone(h, op(http.MethodGet, "/api/lobbies", "list-lobbies", "Lobbies, newest first. Without a state the list has the lobbies where players meet: it leaves out ended lobbies, full lobbies with a single player, and abandoned lobbies", t), a.list)
	asChanger(a, h, op(http.MethodPost, "/api/lobbies", "create-lobby", "Make a lobby and sit down as its host", t),
		func(ctx context.Context, p player, in *body[NewLobby]) (*body[Lobby], error) {
			return a.out(a.s.Room.Create(ctx, p.caller.Client, p.account, in.Body))
		})
	asAnyone(h, op(http.MethodGet, "/api/lobbies/{id}", "get-lobby", "One lobby", t),
		func(ctx context.Context, in *LobbyPath) (*body[Lobby], error) {
			l, err := a.s.Play.Lobby(ctx, model.LobbyID(in.ID))
			if err != nil || l.From == nil && !l.Planned() {
				return a.out(l, err)
			}
			viewer, _, err := a.session(ctx)
			stranger := err != nil || l.SeatOf(viewer.ID) < 0
			if stranger && l.Planned() {
				return nil, model.ErrNotFound
			}
			out, err := a.out(l, nil)
			if err == nil && stranger {
				out.Body.forAll()
			}
			return out, err
		})
	asChanger(a, h, op(http.MethodPatch, "/api/lobbies/{id}", "configure-lobby", "Change name, map, limit, password or options (host)", t),
		func(ctx context.Context, p player, in *lobbyWith[LobbyChange]) (*body[Lobby], error) {
			return a.out(a.s.Room.Configure(ctx, p.caller.Client, model.LobbyID(in.ID), p.account.ID, in.Body))
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/join", "join-lobby", "Sit down; leaves the lobby one sat in before", t),
		func(ctx context.Context, p player, in *lobbyWith[*JoinRequest]) (*body[Lobby], error) {
			return a.out(a.s.Room.Join(ctx, p.caller.Client, p.account, model.LobbyID(in.ID), given(in.Body)))
		})
	asChanger(a, h, op(http.MethodPatch, "/api/lobbies/{id}/seat", "change-seat", "Choose team, colour, faction and start point, say ready; spectators: whose eyes to look with", t),
		func(ctx context.Context, p player, in *lobbyWith[model.SeatChange]) (*body[Lobby], error) {
			return a.out(a.s.Room.ChangeSeat(ctx, model.LobbyID(in.ID), p.account.ID, in.Body))
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/bots", "add-bot", "Seat a bot (host)", t),
		func(ctx context.Context, p player, in *lobbyWith[*BotRequest]) (*body[Lobby], error) {
			return a.out(a.s.Room.AddBot(ctx, model.LobbyID(in.ID), p.account.ID, given(in.Body).Level, given(in.Body).Team))
		})
	asChanger(a, h, op(http.MethodDelete, "/api/lobbies/{id}/seats/{slot}", "kick", "Remove a player or bot (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Slot int `path:"slot" minimum:"0" maximum:"200"`
		}) (*body[Lobby], error) {
			return a.out(a.s.Room.Kick(ctx, model.LobbyID(in.ID), p.account.ID, in.Slot))
		})
	asChanger(a, h, op(http.MethodPatch, "/api/lobbies/{id}/seats/{slot}", "change-other-seat", "Give a player or a bot its team or handicap, or a bot its level or its faction; or, while the match runs, let a person take over the seat of a bot or of an absent player, or no longer (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Slot int `path:"slot" minimum:"0" maximum:"200"`
			Body OtherSeatChange
		}) (*body[Lobby], error) {
			id, me := model.LobbyID(in.ID), p.account.ID
			switch b := &in.Body; {
			case b.Handicap != nil && b.Faction == nil && b.Team == nil && b.Open == nil && b.Level == nil:
				return a.out(a.s.Room.SetHandicap(ctx, id, me, in.Slot, *b.Handicap))
			case b.Handicap != nil:
			case b.Faction != nil && b.Team == nil && b.Open == nil && b.Level == nil:
				return a.out(a.s.Room.SetFaction(ctx, id, me, in.Slot, *b.Faction))
			case b.Faction != nil:
			case b.Team != nil && b.Open == nil && b.Level == nil:
				return a.out(a.s.Room.SetTeam(ctx, id, me, in.Slot, *b.Team))
			case b.Open != nil && b.Team == nil && b.Level == nil:
				return a.out(a.s.Room.OpenSeat(ctx, id, me, in.Slot, *b.Open))
			case b.Level != nil && b.Team == nil && b.Open == nil:
				return a.out(a.s.Room.SetLevel(ctx, id, me, in.Slot, *b.Level))
			}
			return nil, &model.Error{Code: model.BadRequest, Detail: "give team, level, faction, handicap or open, and only one of them"}
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/budget", "match-budget", "Limit the bytes per second that the server sends to connections of the running match (host)", t),
		func(ctx context.Context, p player, in *lobbyWith[BudgetRequest]) (*body[Lobby], error) {
			return a.out(a.s.Room.SetBudget(ctx, model.LobbyID(in.ID), p.account.ID, in.Body.BytesPerS))
		})
	asPlayer(a, h, op(http.MethodPost, "/api/lobbies/{id}/leave", "leave-lobby", "Get up; the host's role passes on", t),
		func(ctx context.Context, p player, in *LobbyPath) (*body[Lobby], error) {
			return a.out(a.s.Room.Leave(ctx, model.LobbyID(in.ID), p.account.ID))
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/polls", "ask-lobby", "Ask the players of an open lobby about a removal, the start or settings, where the option votes is lobby", t),
		func(ctx context.Context, p player, in *lobbyWith[PollRequest]) (*body[Lobby], error) {
			return a.out(a.s.Room.Ask(ctx, model.LobbyID(in.ID), p.account.ID, in.Body))
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/votes", "vote-in-lobby", "Vote on the open question of a lobby; a question that passes is carried out at once", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body LobbyVote
		}) (*body[Lobby], error) {
			return a.out(a.s.Room.Vote(ctx, model.LobbyID(in.ID), p.account.ID, in.Body.Poll, in.Body.Yes))
		})
	for _, verb := range []struct {
		path, id, summary string
		do                func(context.Context, model.LobbyID, model.AccountID) (*model.Lobby, error)
	}{
		{"start", "start-match", "Start the countdown, or the match (host)", a.s.Room.Start},
		{"cancel", "cancel-countdown", "Stop the countdown (host)", a.s.Room.Cancel},
		{"rematch", "rematch", "Open the lobby again after a match (host)", a.s.Room.Rematch},
	} {
		asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/"+verb.path, verb.id, verb.summary, t),
			func(ctx context.Context, p player, in *LobbyPath) (*body[Lobby], error) {
				return a.out(verb.do(ctx, model.LobbyID(in.ID), p.account.ID))
			})
	}
	asPlayer(a, h, op(http.MethodPost, "/api/lobbies/{id}/chat", "chat", "Say a line to everyone in the lobby", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body struct {
				Text chatText `json:"text"`
			}
		}) (*none, error) {
			return nil, a.s.Room.Chat(ctx, model.LobbyID(in.ID), p.account.ID, string(in.Body.Text))
		})
	asPlayer(a, h, op(http.MethodPost, "/api/lobbies/{id}/ticket", "ticket", "A ticket for one's seat in the running match", t),
		func(ctx context.Context, p player, in *lobbyWith[*TicketRequest]) (*body[Ticket], error) {
			token, match, err := a.s.Play.Login(ctx, p.caller.Client, p.account, model.LobbyID(in.ID), given(in.Body).Protocol)
			if err != nil {
				return nil, err
			}
			return &body[Ticket]{Ticket{string(token), string(match), admission.TicketLife.Milliseconds(), a.s.Play.URLOf(ctx, match)}}, nil
		})
	asChanger(a, h, op(http.MethodPost, "/api/play/bot", "play-bot", "A lobby against one bot, started at once", t),
		func(ctx context.Context, p player, in *struct{ Body *BotMatchRequest }) (*body[Lobby], error) {
			return a.out(a.s.Room.PlayBot(ctx, p.caller.Client, p.account, given(in.Body)))
		})
	a.events(h)
}

// OtherSeatChange is a host's change of any seat, one field a request.
type OtherSeatChange struct {
	Team     *int            `json:"team,omitempty" doc:"of a player or a bot, while the lobby is open"`
	Level    *model.BotLevel `json:"level,omitempty" maxLength:"24" doc:"of a bot, while the lobby is open: as of a new bot"`
	Faction  *string         `json:"faction,omitempty" doc:"of a bot, while the lobby is open: a faction of the lobby's ruleset, or random"`
	Handicap *grid.Handicap  `json:"handicap,omitempty" doc:"of a player or a bot, while the lobby is open: each percentage 10 to 400"`
	Open     *bool           `json:"open,omitempty" doc:"while the match runs: the next person who joins the lobby takes the seat over in the match"`
}

// BudgetRequest asks for another budget of a running match.
type BudgetRequest struct {
	BytesPerS int `json:"bytesPerS" doc:"bytes of payload, 512 to 1073741824; never more than the server is configured for; 0: as the server is configured"`
}

// MapList is the maps that lobbies may choose.
type MapList struct {
	Maps []model.MapInfo `json:"maps"`
}

// RulesetList is the rulesets that lobbies may choose.
type RulesetList struct {
	Rulesets []model.RulesetInfo `json:"rulesets"`
}

// ModeList is the game modes that lobbies may choose.
type ModeList struct {
	Modes []string `json:"modes" doc:"values of the option mode"`
}

// BotRequest asks for a bot in a free seat.
type BotRequest struct {
	Level model.BotLevel `json:"level,omitempty" maxLength:"24" doc:"how well it plays: beginner, easy, medium, hard, expert or master, and if you like a colon and a style (balanced, rush, turtle, raid, tech or expand), such as hard:rush; default: medium, or in a lobby that plays a match on the level of the earlier bot"`
	Team  *int           `json:"team,omitempty" doc:"by the lobby's option teams if absent"`
}

// BotMatchRequest asks for a match against one bot.
type BotMatchRequest = model.BotMatchRequest

type listIn struct {
	Query  string `query:"q" maxLength:"100" doc:"part of the lobby's or map's name"`
	State  string `query:"state" enum:"open,starting,playing,ended" doc:"only these"`
	Public bool   `query:"public" doc:"only those without a password"`
	Room   bool   `query:"room" doc:"1: only lobbies that a player could join now"`
	Page   int64  `query:"page" minimum:"0" doc:"next of the page before"`
	Limit  int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
}

// LobbyList is one page of lobbies.
type LobbyList struct {
	Lobbies []Lobby `json:"lobbies"`
	Next    int64   `json:"next,omitempty" doc:"pass as page for the next; absent at the end"`
}

func (in *listIn) filter() model.LobbyFilter {
	f := model.LobbyFilter{Query: in.Query, Public: in.Public, HasRoom: in.Room, Before: in.Page, Limit: in.Limit}
	if in.State != "" {
		f.States = []model.State{model.State(in.State)}
	}
	return f
}

// page returns the page of a list with the lobbies found.
func (in *listIn) page(found []*model.Lobby, now time.Time) *body[LobbyList] {
	out := &body[LobbyList]{LobbyList{Lobbies: each(found, func(l *model.Lobby) Lobby { return lobbyOf(l, now) })}}
	out.Body.Next = next(found, in.Limit, func(x *model.Lobby) int64 { return x.Num })
	return out
}

func (a *playerAPI) list(ctx context.Context, in *listIn) (*body[LobbyList], error) {
	f := in.filter()
	f.Meeting = in.State == ""
	account, _, err := a.session(ctx)
	if err != nil && model.AsError(err).Code != model.Unauthenticated {
		return nil, err
	}
	f.For = account.ID
	found, err := a.s.Room.Lobbies(ctx, f)
	if err != nil {
		return nil, err
	}
	out := in.page(found, a.s.Now())
	for i := range out.Body.Lobbies {
		out.Body.Lobbies[i].forAll()
	}
	return out, nil
}

// The requests that the rooms read as they come.
type (
	NewLobby    = room.NewLobby
	LobbyChange = room.LobbyChange
	JoinRequest = room.JoinRequest
	PollRequest = room.PollRequest
)

// LobbyVote is a vote on the question of a lobby.
type LobbyVote struct {
	Poll int64 `json:"poll" doc:"num of the question"`
	Yes  bool  `json:"yes" doc:"false by the player who asked takes the question back"`
}

// Ticket is the right to take a seat in a running match.
type Ticket struct {
	Ticket      string `json:"ticket" doc:"works once"`
	MatchID     string `json:"matchId"`
	ExpiresInMs int64  `json:"expiresInMs"`
	URL         string `json:"url,omitempty" doc:"where to show it: the node that runs the match, such as https://n1.example.org; the socket is at /ws below it. Absent: at the server that answers"`
}

// TicketRequest asks for a ticket.
type TicketRequest struct {
	Protocol uint32 `json:"protocol,omitempty"`
}

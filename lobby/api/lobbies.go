package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

func (a *playerAPI) lobbies(h huma.API) {
	t := tag("lobbies")
	huma.Register(h, op(http.MethodGet, "/api/maps", "maps", "The maps there are", t, public),
		func(context.Context, *none) (*mapsOut, error) {
			out := &mapsOut{}
			out.Body.Maps = append([]model.MapInfo{}, a.s.Room.Maps.Maps()...)
			return out, nil
		})
	huma.Register(h, op(http.MethodGet, "/api/rulesets", "rulesets", "The rulesets there are", t, public),
		func(context.Context, *none) (*rulesetsOut, error) {
			out := &rulesetsOut{}
			out.Body.Rulesets = []model.RulesetInfo{}
			if a.s.Rulesets != nil {
				out.Body.Rulesets = append(out.Body.Rulesets, a.s.Rulesets()...)
			}
			return out, nil
		})
	huma.Register(h, op(http.MethodGet, "/api/modes", "modes", "The game modes there are", t, public),
		func(context.Context, *none) (*modesOut, error) {
			out := &modesOut{}
			out.Body.Modes = []string{}
			if a.s.Modes != nil {
				out.Body.Modes = append(out.Body.Modes, a.s.Modes()...)
			}
			return out, nil
		})
	huma.Register(h, op(http.MethodGet, "/api/lobbies", "list-lobbies", "Lobbies, newest first. Without a state the list has the lobbies where players meet: it leaves out ended lobbies, full lobbies with a single player, and abandoned lobbies", t, public), a.list)
	asChanger(a, h, op(http.MethodPost, "/api/lobbies", "create-lobby", "Make a lobby and sit down as its host", t),
		func(ctx context.Context, p player, in *struct{ Body NewLobby }) (*lobbyOut, error) {
			options, err := rawOptions(in.Body.Options)
			if err != nil {
				return nil, err
			}
			return a.out(a.s.Room.Create(ctx, p.who.Client, p.account, room.NewLobby{
				Name: in.Body.Name, Map: in.Body.Map, Password: in.Body.Password, Limit: in.Body.Limit, Bots: in.Body.Bots, Level: model.BotLevel(in.Body.Level), Options: options,
			}))
		})
	huma.Register(h, op(http.MethodGet, "/api/lobbies/{id}", "get-lobby", "One lobby", t, public),
		func(ctx context.Context, in *LobbyPath) (*lobbyOut, error) {
			l, err := a.s.Play.Lobby(ctx, model.LobbyID(in.ID))
			if err != nil || l.From == nil && !l.Planned() {
				return a.out(l, err)
			}
			who, _, err := a.session(ctx)
			stranger := err != nil || l.SeatOf(who.ID) < 0
			if stranger && l.Planned() {
				return nil, problem(model.ErrNotFound)
			}
			out, err := a.out(l, nil)
			if err == nil && stranger {
				out.Body.forAll()
			}
			return out, err
		})
	asChanger(a, h, op(http.MethodPatch, "/api/lobbies/{id}", "configure-lobby", "Change name, map, limit, password or options (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body LobbyChange
		}) (*lobbyOut, error) {
			options, err := rawOptions(in.Body.Options)
			if err != nil {
				return nil, err
			}
			return a.out(a.s.Room.Configure(ctx, p.who.Client, model.LobbyID(in.ID), p.account.ID, room.LobbySettings{
				Name: in.Body.Name, Map: in.Body.Map, Password: in.Body.Password, Limit: in.Body.Limit, Options: options,
			}))
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/join", "join-lobby", "Sit down; leaves the lobby one sat in before", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body *JoinRequest
		}) (*lobbyOut, error) {
			return a.out(a.s.Room.Join(ctx, p.who.Client, p.account, model.LobbyID(in.ID),
				room.Join{Password: given(in.Body).Password, Spectate: given(in.Body).Spectate, Protocol: given(in.Body).Protocol}))
		})
	asChanger(a, h, op(http.MethodPatch, "/api/lobbies/{id}/seat", "change-seat", "Choose team and colour, say ready; spectators: whose eyes to look with", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body model.SeatChange
		}) (*lobbyOut, error) {
			return a.out(a.s.Room.ChangeSeat(ctx, model.LobbyID(in.ID), p.account.ID, in.Body))
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/bots", "add-bot", "Seat a bot (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body *BotRequest
		}) (*lobbyOut, error) {
			return a.out(a.s.Room.AddBot(ctx, model.LobbyID(in.ID), p.account.ID, model.BotLevel(given(in.Body).Level), given(in.Body).Team))
		})
	asChanger(a, h, op(http.MethodDelete, "/api/lobbies/{id}/seats/{slot}", "kick", "Remove a player or bot (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Slot int `path:"slot" minimum:"0" maximum:"200"`
		}) (*lobbyOut, error) {
			return a.out(a.s.Room.Kick(ctx, model.LobbyID(in.ID), p.account.ID, in.Slot))
		})
	asChanger(a, h, op(http.MethodPatch, "/api/lobbies/{id}/seats/{slot}", "change-other-seat", "Give a player or a bot its team, or a bot its level; or, while the match runs, let a person take over the seat of a bot or of an absent player, or no longer (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Slot int `path:"slot" minimum:"0" maximum:"200"`
			Body OtherSeatChange
		}) (*lobbyOut, error) {
			id, me := model.LobbyID(in.ID), p.account.ID
			switch b := &in.Body; {
			case b.Team != nil && b.Open == nil && b.Level == nil:
				return a.out(a.s.Room.SetTeam(ctx, id, me, in.Slot, *b.Team))
			case b.Open != nil && b.Team == nil && b.Level == nil:
				return a.out(a.s.Room.OpenSeat(ctx, id, me, in.Slot, *b.Open))
			case b.Level != nil && b.Team == nil && b.Open == nil:
				return a.out(a.s.Room.SetLevel(ctx, id, me, in.Slot, model.BotLevel(*b.Level)))
			}
			return nil, &model.Error{Code: model.BadRequest, Detail: "give team, level or open"}
		})
	asChanger(a, h, op(http.MethodPost, "/api/lobbies/{id}/budget", "match-budget", "Limit the bytes per second that the server sends to connections of the running match (host)", t),
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body BudgetRequest
		}) (*lobbyOut, error) {
			return a.out(a.s.Room.SetBudget(ctx, model.LobbyID(in.ID), p.account.ID, in.Body.BytesPerS))
		})
	asPlayer(a, h, op(http.MethodPost, "/api/lobbies/{id}/leave", "leave-lobby", "Get up; the host's role passes on", t),
		func(ctx context.Context, p player, in *LobbyPath) (*lobbyOut, error) {
			return a.out(a.s.Room.Leave(ctx, model.LobbyID(in.ID), p.account.ID))
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
			func(ctx context.Context, p player, in *LobbyPath) (*lobbyOut, error) {
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
		func(ctx context.Context, p player, in *struct {
			LobbyPath
			Body *TicketRequest
		}) (*struct{ Body Ticket }, error) {
			token, match, err := a.s.Play.Login(ctx, p.who.Client, p.account, model.LobbyID(in.ID), given(in.Body).Protocol)
			if err != nil {
				return nil, err
			}
			return &struct{ Body Ticket }{Ticket{string(token), string(match), admission.TicketLife.Milliseconds(), a.s.Play.URLOf(ctx, match)}}, nil
		})
	asChanger(a, h, op(http.MethodPost, "/api/play/bot", "play-bot", "A lobby against one bot, started at once", t),
		func(ctx context.Context, p player, in *struct{ Body *BotMatchRequest }) (*lobbyOut, error) {
			return a.out(a.s.Room.PlayBot(ctx, p.who.Client, p.account, given(in.Body).Map, model.BotLevel(given(in.Body).Level)))
		})
	a.events(h)
}

// changer finds the player that changes a lobby, and counts the request.
func (a *playerAPI) changer(ctx context.Context) (model.Account, caller, error) {
	account, who, err := a.session(ctx)
	if err == nil {
		err = a.config.Budget.Spend(budget.LobbyChanges, budget.Payer{Account: string(account.ID), Address: who.Address, Trusted: !account.Guest}, 1)
	}
	return account, who, err
}

// OtherSeatChange is a host's change of any seat, one field a request.
type OtherSeatChange struct {
	Team  *int    `json:"team,omitempty" doc:"of a player or a bot, while the lobby is open"`
	Level *string `json:"level,omitempty" enum:"easy,medium,hard" doc:"of a bot, while the lobby is open"`
	Open  *bool   `json:"open,omitempty" doc:"while the match runs: the next person who joins the lobby takes the seat over in the match"`
}

// BudgetRequest asks for another budget of a running match.
type BudgetRequest struct {
	BytesPerS int `json:"bytesPerS" doc:"bytes of payload, 512 to 1073741824; never more than the server is configured for; 0: as the server is configured"`
}

// MapList is the maps that lobbies may choose.
type MapList struct {
	Maps []model.MapInfo `json:"maps"`
}

type mapsOut struct{ Body MapList }

// RulesetList is the rulesets that lobbies may choose.
type RulesetList struct {
	Rulesets []model.RulesetInfo `json:"rulesets"`
}

type rulesetsOut struct{ Body RulesetList }

// ModeList is the game modes that lobbies may choose.
type ModeList struct {
	Modes []string `json:"modes" doc:"values of the option mode"`
}

type modesOut struct{ Body ModeList }

// JoinRequest asks for a seat in a lobby.
type JoinRequest struct {
	Password string `json:"password,omitempty" maxLength:"128"`
	Spectate bool   `json:"spectate,omitempty"`
	Protocol uint32 `json:"protocol,omitempty" doc:"version of the wire this client speaks"`
}

// BotRequest asks for a bot in a free seat.
type BotRequest struct {
	Level string `json:"level,omitempty" enum:"easy,medium,hard" doc:"how well it plays; default: medium, or in a lobby that plays a match on the level of the earlier bot"`
	Team  *int   `json:"team,omitempty" doc:"by the lobby's option teams if absent"`
}

// BotMatchRequest asks for a match against one bot.
type BotMatchRequest struct {
	Map   string `json:"map,omitempty" maxLength:"200" doc:"map id; the first if absent"`
	Level string `json:"level,omitempty" enum:"easy,medium,hard" doc:"how well the bot plays; medium if absent"`
}

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

type listOut struct{ Body LobbyList }

func (in *listIn) filter() model.LobbyFilter {
	f := model.LobbyFilter{Query: in.Query, Public: in.Public, HasRoom: in.Room, Before: in.Page, Limit: in.Limit}
	if in.State != "" {
		f.States = []model.State{model.State(in.State)}
	}
	return f
}

// page returns the page of a list with the lobbies found.
func (in *listIn) page(found []*model.Lobby, now time.Time) *listOut {
	out := &listOut{}
	out.Body.Lobbies = make([]Lobby, 0, len(found))
	for _, l := range found {
		out.Body.Lobbies = append(out.Body.Lobbies, lobbyOf(l, now))
	}
	if len(found) == in.Limit {
		out.Body.Next = found[len(found)-1].Num
	}
	return out
}

func (a *playerAPI) list(ctx context.Context, in *listIn) (*listOut, error) {
	f := in.filter()
	f.Meeting = in.State == ""
	found, err := a.s.Room.Lobbies(ctx, f)
	if err != nil {
		return nil, problem(err)
	}
	out := in.page(found, a.s.Now())
	for i := range out.Body.Lobbies {
		out.Body.Lobbies[i].forAll()
	}
	return out, nil
}

// NewLobby is a lobby to be made.
type NewLobby struct {
	Name     string         `json:"name" maxLength:"200"`
	Map      string         `json:"map" maxLength:"200" doc:"map id"`
	Password string         `json:"password,omitempty" maxLength:"128"`
	Limit    int            `json:"limit,omitempty" doc:"seats; as many as the map holds if absent"`
	Bots     int            `json:"bots,omitempty" minimum:"0" doc:"seated from the beginning, fewer than limit"`
	Level    string         `json:"level,omitempty" enum:"easy,medium,hard" doc:"how well those play; medium if absent"`
	Options  map[string]any `json:"options,omitempty" doc:"options that differ from the default; the server refuses unknown options by name"`
}

// LobbyChange is a host's change of a lobby; absent fields stay.
type LobbyChange struct {
	Name     *string        `json:"name,omitempty" maxLength:"200"`
	Map      *string        `json:"map,omitempty" maxLength:"200"`
	Password *string        `json:"password,omitempty" maxLength:"128" doc:"an empty text removes the password; absent, the lobby keeps it"`
	Limit    *int           `json:"limit,omitempty"`
	Options  map[string]any `json:"options,omitempty"`
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

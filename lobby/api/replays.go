package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
	"github.com/fogkeep/fogkeep/match/grid"
)

// ReplayFacts are the facts of a match for an account that may watch it.
type ReplayFacts struct {
	MatchID  string        `json:"matchId"`
	LobbyID  string        `json:"lobbyId" doc:"where it was played; it may be gone"`
	Map      model.MapInfo `json:"map"`
	Mode     string        `json:"mode"`
	Ruleset  string        `json:"ruleset"`
	Started  time.Time     `json:"started"`
	Ended    *time.Time    `json:"ended,omitempty" doc:"absent while the match runs"`
	Ticks    uint32        `json:"ticks" doc:"0 while the match runs"`
	TickRate int           `json:"tickRate" doc:"ticks per second of match time"`
	Seconds  int           `json:"seconds" doc:"length of the match, at its speed"`
	Reason   string        `json:"reason" doc:"how it ended"`
	Winners  []int         `json:"winners" doc:"winning teams; empty for a draw"`

	Players     []ReplayPlayer `json:"players" doc:"by slot"`
	Access      string         `json:"access" enum:"off,participants,link,listed" doc:"the audience of the replay"`
	Unavailable string         `json:"unavailable" enum:",off,not_over,expired,other_version" doc:"why it cannot be watched now; empty: it can"`
	Live        *LiveReplay    `json:"live,omitempty" doc:"the match runs, and the caller is its spectator: the replay reaches up to the delay"`
	MayBranch   bool           `json:"mayBranch" doc:"the caller may play a match on from one of its ticks"`
	MayShare    bool           `json:"mayShare" doc:"the caller may change the access"`
	Key         string         `json:"key,omitempty" doc:"for the link, while everyone with the link may watch; only participants get it"`
}

// LiveReplay is how a spectator may watch a match that runs.
type LiveReplay struct {
	DelaySeconds int `json:"delaySeconds"`
	Eyes         int `json:"eyes" doc:"the team whose eyes it has, as the seat in the lobby says; -1: all"`
}

// ReplayPlayer is a player of a match.
type ReplayPlayer struct {
	Start    int            `json:"slot" doc:"as in the seats of its lobby"`
	Name     string         `json:"name" doc:"as it is today"`
	Team     int            `json:"team"`
	Color    int            `json:"color"`
	Bot      bool           `json:"bot"`
	Level    string         `json:"level,omitempty" doc:"of a bot; orders: of a seat that the orders of a scenario play"`
	Outcome  string         `json:"outcome" enum:",won,lost,drawn,void" doc:"empty while the match runs"`
	Score    int32          `json:"score" doc:"points of the ruleset and of the mode; 0 while the match runs"`
	Faction  string         `json:"faction,omitempty" doc:"of the ruleset; absent: it has no factions"`
	Handicap grid.Handicap  `json:"handicap,omitzero" doc:"in percent; absent: no handicap"`
	You      bool           `json:"you,omitempty"`
	Gone     bool           `json:"gone,omitempty" doc:"the account was deleted"`
	From     uint32         `json:"from,omitempty" doc:"the tick in which this player took the seat over; absent: it had it from the start"`
	Earlier  []model.Holder `json:"earlier,omitempty" doc:"earlier players of the seat, the first one first"`
}

// ReplayAccess is the right to watch a match.
type ReplayAccess struct {
	Access string `json:"access" enum:"off,participants,link,listed" doc:"link: also everyone with the link. Each time it is set the link is a new one, and earlier links stop working. listed: as link, and in the catalogue while each player shares replays"`
}

// BranchRequest asks for a lobby that plays a match on.
type BranchRequest struct {
	Tick uint32 `json:"tick" doc:"of the match, before its end"`
	Key  string `json:"key,omitempty" maxLength:"64" doc:"of the link; participants do not need it"`
}

// ReplayTicketRequest asks for a ticket for a replay.
type ReplayTicketRequest struct {
	Key      string `json:"key,omitempty" maxLength:"64" doc:"of the link; participants do not need it"`
	Protocol uint32 `json:"protocol,omitempty" doc:"version of the wire this client speaks"`
}

type (
	// ReplayPath is exported since huma skips embedded types that are not.
	ReplayPath struct {
		Match string `path:"match" maxLength:"64" pattern:"^[0-9a-f-]+$" doc:"the match's id"`
	}
	replayWith[B any] struct {
		ReplayPath
		Body B
	}
)

// unavailableWords are what [ReplayFacts].Unavailable says.
var unavailableWords = map[model.Code]string{
	"": "", model.ReplayOff: "off", model.MatchRuns: "not_over", model.ReplayExpired: "expired", model.ReplayVersion: "other_version",
}

func (a *playerAPI) replays(h huma.API) {
	t := tag("replays")
	asPlayer(a, h, op(http.MethodGet, "/api/replays/{match}", "replay", "A match's replay, for participants and for people with its link", t),
		func(ctx context.Context, p player, in *struct {
			ReplayPath
			Key string `header:"Replay-Key" maxLength:"64" doc:"of the link; participants do not need it"`
		}) (*body[ReplayFacts], error) {
			return replayShape(a.s.Replay.Replay(ctx, p.caller.Client, p.account.ID, model.MatchID(in.Match), model.Secret(in.Key)))
		})
	ticket := op(http.MethodPost, "/api/replays/{match}/tickets", "replay-ticket", "A ticket to watch a finished match; for a spectator, also a running one", t)
	ticket.Description = "It is shown in the hello of a socket at /ws/replay, and opens no other. It works once."
	asPlayer(a, h, ticket, func(ctx context.Context, p player, in *replayWith[*ReplayTicketRequest]) (*body[Ticket], error) {
		token, err := a.s.Replay.ReplayTicket(ctx, p.caller.Client, p.account.ID, model.MatchID(in.Match), model.Secret(given(in.Body).Key), given(in.Body).Protocol)
		if err != nil {
			return nil, err
		}
		return &body[Ticket]{Ticket{Ticket: string(token), MatchID: in.Match, ExpiresInMs: admission.TicketLife.Milliseconds()}}, nil
	})
	branch := op(http.MethodPost, "/api/replays/{match}/branches", "play-on", "Make a lobby that plays a match on from a tick, and sit down as its host", t)
	branch.Description = "It has the seats of the match. Everyone who may watch the match may join it."
	asChanger(a, h, branch, func(ctx context.Context, p player, in *replayWith[BranchRequest]) (*body[Lobby], error) {
		return a.out(a.s.Room.Branch(ctx, p.caller.Client, p.account, model.MatchID(in.Match), model.Secret(in.Body.Key), in.Body.Tick))
	})
	asChanger(a, h, op(http.MethodPut, "/api/replays/{match}/access", "replay-access", "Change the access to a finished match's replay (its host)", t),
		func(ctx context.Context, p player, in *replayWith[ReplayAccess]) (*body[ReplayFacts], error) {
			return replayShape(a.s.Replay.SetReplays(ctx, p.caller.Client, p.account.ID, model.MatchID(in.Match), in.Body.Access))
		})
}

func replayShape(r replay.Replay, err error) (*body[ReplayFacts], error) {
	return &body[ReplayFacts]{factsOf(&r)}, err
}

func factsOf(r *replay.Replay) ReplayFacts {
	o := &r.Spec.Options
	out := ReplayFacts{
		MatchID: string(r.ID), LobbyID: string(r.Lobby), Map: r.Spec.Map, Mode: o.Mode, Ruleset: o.Ruleset, Started: r.Started,
		TickRate: o.TicksPerSecond, Winners: []int{}, Players: []ReplayPlayer{}, Access: r.Access, Unavailable: unavailableWords[r.Unavailable],
		MayBranch: r.Unavailable == "" && !r.Watching.Live, MayShare: r.MayShare, Key: string(r.Key),
	}
	if !r.Ended.IsZero() {
		out.Ended = &r.Ended
	}
	if x := r.Result; x != nil {
		out.Ticks, out.Reason, out.Winners = x.Ticks, x.Reason, append(out.Winners, x.Winners...)
		out.Seconds = int(x.Ticks) / max(1, o.TicksPerSecond)
	}
	if w := &r.Watching; w.Live {
		out.Live = &LiveReplay{DelaySeconds: int(w.Delay / time.Second), Eyes: int(w.Eyes)}
		if w.Eyes == grid.NoTeam {
			out.Live.Eyes = -1
		}
	}
	for i := range r.Players {
		p := &r.Players[i]
		out.Players = append(out.Players, ReplayPlayer{
			p.Start, p.Name, int(p.Team), int(p.Color), p.Bot, string(p.Level), string(p.Outcome), p.Score, p.Faction, p.Handicap, p.Account != "" && p.Account == r.Asker, p.Gone, p.From, p.Earlier,
		})
	}
	return out
}

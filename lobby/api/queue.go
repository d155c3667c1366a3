package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/queue"
)

// Queue is a kind of match for which players wait.
type Queue struct {
	ID         string              `json:"id"`
	Name       string              `json:"name"`
	TeamSize   int                 `json:"teamSize" doc:"players of each of the two teams, and the most members of a party that queues"`
	Maps       []string            `json:"maps" doc:"ids of this week's pool; the server draws one for each match"`
	PoolEndsMs int64               `json:"poolEndsMs,omitempty" doc:"after this time the pool has other maps; absent: it stays"`
	Vetoes     int                 `json:"vetoes,omitempty" doc:"how many of the maps a party may strike out of a search"`
	Factions   []model.FactionInfo `json:"factions,omitempty" doc:"that players choose from; absent: the ruleset has none"`
	Rated      bool                `json:"rated" doc:"it has ratings and a leaderboard"`
	BotAfterMs int64               `json:"botAfterMs,omitempty" doc:"after this time bots take the free places; absent: never"`
	Waiting    int                 `json:"waiting" doc:"waiting players"`
	Width      matchmaking.Width   `json:"width"`
	Ladder     *Ladder             `json:"ladder,omitempty" doc:"absent: the queue has no seasons"`
}

// Ladder is the season of a queue.
type Ladder struct {
	Season     int              `json:"season" doc:"its number; 0 before the first one"`
	Over       bool             `json:"over,omitempty" doc:"no match counts until the next season begins"`
	EndsMs     int64            `json:"endsMs,omitempty" doc:"after this time the season ends; absent: an admin ends it"`
	Placements int              `json:"placements,omitempty" doc:"first matches of a season, in which the server hides the rating"`
	Divisions  []model.Division `json:"divisions,omitempty" doc:"the lowest first"`
}

// SeasonStart begins a season.
type SeasonStart struct {
	EndsAt time.Time `json:"endsAt,omitzero" doc:"absent: an admin ends it"`
}

// RatedMatch is a match that counted for the caller.
type RatedMatch struct {
	Match     string   `json:"match" doc:"id"`
	AtMs      int64    `json:"atMs" doc:"milliseconds since 1970"`
	Rating    int      `json:"rating,omitempty" doc:"after it; absent while placement matches are left"`
	Change    int      `json:"change,omitempty" doc:"in points; absent while placement matches are left"`
	Opponents []string `json:"opponents" doc:"names; empty texts for deleted accounts"`
}

// RatedMatches are the newest matches that counted, the newest first.
type RatedMatches struct {
	Matches []RatedMatch `json:"matches"`
}

// QueueList is the queues that there are.
type QueueList struct {
	Queues []Queue `json:"queues"`
}

// QueueRequest asks for a place in a queue.
type QueueRequest struct {
	Queue   string   `json:"queue" maxLength:"40" doc:"id"`
	Faction string   `json:"faction,omitempty" maxLength:"64" doc:"that the caller wishes for; random if absent"`
	Vetoes  []string `json:"vetoes,omitempty" maxItems:"8" doc:"ids of maps that the party strikes out of this search, the most wanted first"`
}

// FactionRequest is the wish for a faction.
type FactionRequest struct {
	Faction string `json:"faction" maxLength:"64" doc:"of a queue, or random"`
}

// Standing is where an account stands in matchmaking.
type Standing struct {
	Party      *Party `json:"party,omitempty" doc:"absent: the account has no party"`
	Offer      *Offer `json:"offer,omitempty" doc:"a match that was found, to be accepted"`
	BarredMs   int64  `json:"barredMs,omitempty" doc:"for so long the account may not queue, since it did not accept"`
	InQueueMs  int64  `json:"inQueueMs,omitempty" doc:"how long the party has waited"`
	Relations  int64  `json:"relations,omitempty" doc:"counts changes of friends, requests, messages and notices: ask for them after a change"`
	LeaveAfter int64  `json:"keptMs" doc:"how long the server keeps a place in a queue for a client that neither reads the events nor asks"`
}

// Party is one player, or several who play together.
type Party struct {
	ID      string        `json:"id"`
	Leader  string        `json:"leader" doc:"account id; only the leader queues"`
	Code    string        `json:"code" doc:"of the invitation; everyone with the code may join"`
	Queue   string        `json:"queue,omitempty" doc:"id of the queue in which it waits"`
	Lobby   string        `json:"lobby,omitempty" doc:"id of the lobby of the match that was found for it last: ask there for a ticket"`
	Vetoes  []string      `json:"vetoes,omitempty" doc:"ids of maps that it strikes out of the search"`
	OutOf   string        `json:"outOf,omitempty" doc:"code: why it came out of a queue"`
	Members []PartyMember `json:"members"`
}

// PartyMember is one of a party.
type PartyMember struct {
	Account  Person `json:"account"`
	Accepted bool   `json:"accepted,omitempty" doc:"the match that is offered"`
	Faction  string `json:"faction,omitempty" doc:"that the member wishes for; absent: random"`
}

// Offer is a match that was found. It is made if all accept in time.
type Offer struct {
	ID       string   `json:"id"`
	Queue    string   `json:"queue"`
	Map      string   `json:"map" doc:"id"`
	Vetoed   []string `json:"vetoed,omitempty" doc:"ids of maps that parties of both teams struck out; the server drew from the others"`
	Bots     int      `json:"bots,omitempty" doc:"places that bots take"`
	LeftMs   int64    `json:"leftMs" doc:"how much time is left to accept"`
	Accepted bool     `json:"accepted" doc:"by the caller"`
}

// OfferAnswer accepts a match that was found, or does not.
type OfferAnswer struct {
	Offer  string `json:"offer" maxLength:"64" doc:"id"`
	Accept bool   `json:"accept"`
}

// PartyJoin asks for a place in a party.
type PartyJoin struct {
	Code string `json:"code" maxLength:"40" doc:"of the invitation"`
}

// PartyInvitation is the invitation to a party.
type PartyInvitation struct {
	Leader  string   `json:"leader" doc:"name"`
	Members []string `json:"members" doc:"names"`
}

// Leader is a row of a leaderboard.
type Leader struct {
	Place   int    `json:"place"`
	Account Person `json:"account"`
	Rating  int    `json:"rating"`

	Division string `json:"division,omitempty"`

	Won   int `json:"won"`
	Lost  int `json:"lost"`
	Drawn int `json:"drawn"`
}

// Leaderboard is a page of one.
type Leaderboard struct {
	Rows []Leader `json:"rows"`
	Mine *Leader  `json:"mine,omitempty" doc:"the caller's row, if listed"`
	Next string   `json:"next,omitempty" doc:"pass as page for the next; absent at the end"`
}

// OwnRating is a rating of the caller.
type OwnRating struct {
	Queue       string `json:"queue"`
	Rating      int    `json:"rating" doc:"0 while placement matches are left"`
	Deviation   int    `json:"deviation" doc:"how uncertain it is"`
	Provisional bool   `json:"provisional" doc:"too uncertain to be listed"`
	Place       int    `json:"place,omitempty" doc:"in the leaderboard; absent: not listed"`
	Won         int    `json:"won"`
	Lost        int    `json:"lost"`
	Drawn       int    `json:"drawn"`
	LastMatch   string `json:"lastMatch,omitempty" doc:"id of the last match that counted"`
	LastChange  int    `json:"lastChange" doc:"its change, in points"`

	Factions []model.FactionRecord `json:"factions,omitempty" doc:"results by faction; absent: no match had factions"`

	Division       string             `json:"division,omitempty"`
	PlacementsLeft int                `json:"placementsLeft,omitempty" doc:"matches until the server shows the rating"`
	Past           []model.PastSeason `json:"past,omitempty" doc:"results of earlier seasons, the oldest first"`
}

// OwnRatings are the ratings of the caller.
type OwnRatings struct {
	Ratings []OwnRating `json:"ratings"`
}

func standingOf(me model.AccountID, st queue.Standing, now time.Time) Standing {
	out := Standing{LeaveAfter: queue.QueueKeep.Milliseconds(), Relations: st.Relations}
	if !st.Barred.IsZero() {
		out.BarredMs = max(0, st.Barred.Sub(now).Milliseconds())
	}
	if p := st.Party; p != nil {
		party := &Party{
			ID: string(p.ID), Leader: string(p.Leader), Code: p.Code, Queue: p.Queue, Lobby: string(p.Lobby), Vetoes: p.Vetoes, OutOf: string(p.OutOf), Members: []PartyMember{},
		}
		for _, m := range p.Members {
			party.Members = append(party.Members, PartyMember{Person{string(m.Account), m.Name}, m.Accepted, m.Faction})
		}
		out.Party = party
		if p.Queue != "" {
			out.InQueueMs = max(0, now.Sub(p.Since).Milliseconds())
		}
	}
	if o := st.Offer; o != nil && st.Party != nil {
		out.Offer = &Offer{ID: string(o.ID), Queue: o.Queue, Map: o.Map, Vetoed: o.Vetoed, Bots: o.Bots[0] + o.Bots[1], LeftMs: max(0, o.Expires.Sub(now).Milliseconds())}
		for _, m := range st.Party.Members {
			if m.Account == me {
				out.Offer.Accepted = m.Accepted
			}
		}
	}
	return out
}

// standing answers with where the account stands.
func (a *playerAPI) standing(p player) func(queue.Standing, error) (*body[Standing], error) {
	return func(st queue.Standing, err error) (*body[Standing], error) {
		return &body[Standing]{standingOf(p.account.ID, st, a.s.Now())}, err
	}
}

func (a *playerAPI) queues(h huma.API) {
	t := tag("matchmaking")
	asAnyone(h, op(http.MethodGet, "/api/queues", "queues", "The queues there are", t),
		func(ctx context.Context, _ *none) (*body[QueueList], error) {
			waiting, err := a.s.Queue.Waiting(ctx)
			if err != nil {
				return nil, err
			}
			seasons, err := a.s.Queue.Seasons(ctx)
			return &body[QueueList]{QueueList{each(a.s.Queue.Queues(), func(q model.Queue) Queue {
				rules, pool := q.Rules(), a.s.Queue.Pool(&q)
				var ends int64
				if len(pool) < len(q.MapsAmong(a.s.Queue.Maps.Maps())) {
					ends = model.PoolEnds(a.s.Now()).Sub(a.s.Now()).Milliseconds()
				}
				return Queue{
					Ladder: ladderOf(&q, seasons[q.ID], a.s.Now()), ID: q.ID, Name: q.Name, TeamSize: q.TeamSize, Maps: each(pool, func(m model.MapInfo) string { return m.ID }), PoolEndsMs: ends,
					Vetoes: q.Vetoable(pool), Factions: a.s.Queue.Factions(&q), Rated: !q.Unrated,
					BotAfterMs: rules.BotAfter.Milliseconds(), Waiting: waiting[q.ID].Players, Width: rules.Width,
				}
			})}}, err
		})
	asPlayer(a, h, op(http.MethodGet, "/api/queue", "standing", "Where one stands: party, queue, a match to accept. Asking keeps the place in the queue", t),
		func(ctx context.Context, p player, _ *none) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.Standing(ctx, p.account.ID))
		})
	asChanger(a, h, op(http.MethodPost, "/api/queue", "join-queue", "Wait in a queue with the party (its leader); a player without a party gets one", t),
		func(ctx context.Context, p player, in *body[QueueRequest]) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.JoinQueue(ctx, p.caller.Client, p.account, in.Body.Queue, in.Body.Faction, in.Body.Vetoes...))
		})
	asChanger(a, h, op(http.MethodPut, "/api/queue/faction", "choose-faction", "Wish for a faction in matches of queues, as a member of a party, up to the offer of a match", t),
		func(ctx context.Context, p player, in *body[FactionRequest]) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.SetFaction(ctx, p.account.ID, in.Body.Faction))
		})
	asPlayer(a, h, op(http.MethodDelete, "/api/queue", "leave-queue", "Leave the queue; leaving while a match is offered declines it", t),
		func(ctx context.Context, p player, _ *none) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.LeaveQueue(ctx, p.account.ID))
		})
	asChanger(a, h, op(http.MethodPost, "/api/queue/answer", "answer-offer", "Accept a match that was found, or do not", t),
		func(ctx context.Context, p player, in *body[OfferAnswer]) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.AnswerOffer(ctx, p.account.ID, model.OfferID(in.Body.Offer), in.Body.Accept))
		})
	asChanger(a, h, op(http.MethodPost, "/api/party", "make-party", "Make a party that others can join; a player in a party keeps it", t),
		func(ctx context.Context, p player, _ *none) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.MakeParty(ctx, p.caller.Client, p.account))
		})
	asChanger(a, h, op(http.MethodPost, "/api/party/join", "join-party", "Join the party of an invitation; the player leaves the current party", t),
		func(ctx context.Context, p player, in *body[PartyJoin]) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.JoinParty(ctx, p.caller.Client, p.account, in.Body.Code))
		})
	asPlayer(a, h, op(http.MethodPost, "/api/party/leave", "leave-party", "Leave the party", t),
		func(ctx context.Context, p player, _ *none) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.LeaveParty(ctx, p.account.ID))
		})
	asChanger(a, h, op(http.MethodDelete, "/api/party/members/{account}", "remove-member", "Take another out of the party (its leader)", t),
		func(ctx context.Context, p player, in *struct {
			Account string `path:"account" maxLength:"64"`
		}) (*body[Standing], error) {
			return a.standing(p)(a.s.Queue.RemoveMember(ctx, p.account.ID, model.AccountID(in.Account)))
		})
	asAnyone(h, op(http.MethodGet, "/api/parties/{code}", "party-invitation", "The party of an invitation", t),
		func(ctx context.Context, in *struct {
			Code string `path:"code" maxLength:"40"`
		}) (*body[PartyInvitation], error) {
			p, err := a.s.Queue.Invitation(ctx, in.Code)
			if err != nil {
				return nil, err
			}
			out := &body[PartyInvitation]{PartyInvitation{Members: []string{}}}
			for _, m := range p.Members {
				if out.Body.Members = append(out.Body.Members, m.Name); m.Account == p.Leader {
					out.Body.Leader = m.Name
				}
			}
			return out, nil
		})
	asAnyone(h, op(http.MethodGet, "/api/leaderboards/{queue}", "leaderboard", "The best of a queue. Guests and provisional ratings are not listed", t),
		func(ctx context.Context, in *struct {
			Queue string `path:"queue" maxLength:"40"`
			Page  string `query:"page" maxLength:"100" doc:"next of the page before"`
			Limit int    `query:"limit" minimum:"1" maximum:"100" default:"50"`
		}) (*body[Leaderboard], error) {
			after, err := readPage(in.Page)
			if err != nil {
				return nil, err
			}
			account, _, err := a.session(ctx)
			if err != nil && model.AsError(err).Code != model.Unauthenticated {
				return nil, err
			}
			rows, place, err := a.s.Queue.Leaderboard(ctx, in.Queue, account.ID, after, in.Limit)
			if err != nil {
				return nil, err
			}
			q, err := a.s.Queue.Find(in.Queue)
			if err != nil {
				return nil, err
			}
			out := &body[Leaderboard]{Leaderboard{Rows: each(rows, leaderOf(q))}}
			if place != nil {
				own := leaderOf(q)(*place)
				out.Body.Mine = &own
			}
			if len(rows) == in.Limit {
				last := rows[len(rows)-1]
				out.Body.Next = fmt.Sprintf("%d_%s", last.Points(), last.Account)
			}
			return out, nil
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me/ratings", "own-ratings", "One's ratings", t),
		func(ctx context.Context, p player, _ *none) (*body[OwnRatings], error) {
			list, err := a.s.Queue.OwnRatings(ctx, p.account.ID)
			return &body[OwnRatings]{OwnRatings{each(list, func(r queue.OwnRating) OwnRating {
				own := OwnRating{
					Queue: r.Queue, Rating: r.Points(), Deviation: int(r.Rating.Deviation), Provisional: r.Provisional, Place: r.Place,
					Won: r.Won, Lost: r.Lost, Drawn: r.Drawn, Factions: r.Factions, Division: r.Division, PlacementsLeft: r.PlacementsLeft, Past: r.Past,
				}
				if r.Last != nil {
					own.LastMatch, own.LastChange = string(r.Last.Match), r.Last.Change
				}
				if r.PlacementsLeft > 0 {
					own.Rating, own.Deviation, own.LastChange = 0, 0, 0
				}
				return own
			})}}, err
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me/ratings/{queue}/matches", "rated-matches", "One's newest matches that counted in a queue, with the opponents", t),
		func(ctx context.Context, p player, in *struct {
			Queue string `path:"queue" maxLength:"40"`
		}) (*body[RatedMatches], error) {
			list, err := a.s.Queue.History(ctx, in.Queue, p.account.ID)
			return &body[RatedMatches]{RatedMatches{each(list, func(m queue.RatedMatch) RatedMatch {
				out := RatedMatch{Match: string(m.Match), AtMs: m.Rated.UnixMilli(), Opponents: append([]string{}, m.Opponents...)}
				if !m.Hidden {
					out.Rating, out.Change = model.Points(m.Before)+m.Change, m.Change
				}
				return out
			})}}, err
		})
	a.queueEvents(h)
}

func leaderOf(q *model.Queue) func(queue.Leader) Leader {
	return func(r queue.Leader) Leader {
		return Leader{Place: r.Place, Account: Person{string(r.Account), r.Name}, Rating: r.Points(), Division: q.Division(r.QueueRating), Won: r.Won, Lost: r.Lost, Drawn: r.Drawn}
	}
}

func ladderOf(q *model.Queue, season model.Season, now time.Time) *Ladder {
	if q.Ladder == nil {
		return nil
	}
	out := &Ladder{Season: season.Number, Over: season.Over(now), Placements: q.Ladder.Placements, Divisions: q.Ladder.Divisions}
	if !season.Ends.IsZero() {
		out.EndsMs = max(0, season.Ends.Sub(now).Milliseconds())
	}
	return out
}

// readPage reads the next of a leaderboard.
func readPage(text string) (*model.LeaderboardAfter, error) {
	if text == "" {
		return nil, nil
	}
	n, account, ok := strings.Cut(text, "_")
	points, err := strconv.Atoi(n)
	if !ok || err != nil || points < -1_000_000 || points > 1_000_000 || strings.Trim(account, "0123456789abcdef-") != "" {
		return nil, &model.Error{Code: model.BadRequest, Field: "page", Detail: "page is the next of another page"}
	}
	return &model.LeaderboardAfter{Points: points, Account: model.AccountID(account)}, nil
}

// queueEvents registers the stream of one's standing.
func (a *playerAPI) queueEvents(h huma.API) {
	o := streamOp("/api/queue/events", "queue-events", "Where one stands in matchmaking, as server-sent events", "matchmaking",
		"`event: standing` carries a Standing: at once, and after each change, also of friends, requests, messages and notices. A player who reads the stream is online for friends. A player who reads the stream keeps the place in the queue. The stream ends when the session ends.")
	h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Standing](), true, "")
	huma.Register(h, o, func(ctx context.Context, _ *none) (*huma.StreamResponse, error) {
		return a.streamTo(ctx, func(me model.AccountID) (pieces, error) {
			w := a.s.Queue.WatchStanding(me)
			first, err := a.s.Queue.Standing(ctx, me)
			if err != nil {
				w.Close()
				return pieces{}, err
			}
			return pieces{a.encodeStanding(me, first), false, func(ctx context.Context) ([]byte, bool, error) {
				st, err := w.Next(ctx, heartbeat)
				return a.encodeStanding(me, st), false, err
			}, w.Close}, nil
		})
	})
}

func (a *playerAPI) encodeStanding(me model.AccountID, st queue.Standing) []byte {
	raw, err := json.Marshal(standingOf(me, st, a.s.Now()))
	if err != nil {
		panic(err) // a plain struct
	}
	return fmt.Appendf(nil, "event: standing\ndata: %s\n\n", raw)
}

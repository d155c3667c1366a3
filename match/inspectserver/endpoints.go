package inspectserver

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/orders"
)

// Prefix is the path below which the endpoints are.
const Prefix = "/admin/api/inspect"

// Guard returns a middleware that lets through only admins with the right to look
// through the fog, and leaves a row in the audit: match and eyes say what is looked at
// ("all" or a team's number). It cuts answers that last once the right has ended.
type Guard func(look func(huma.Context) (match, eyes string)) func(huma.Context, func(huma.Context))

// matchIn is what every request names. Exported, since huma skips embedded types that
// are not.
type MatchIn struct {
	Match string `path:"match" maxLength:"64" pattern:"^[0-9A-Za-z_-]+$" doc:"the match's id"`
}

// TickIn is the tick that a request is about.
type TickIn struct {
	Tick int64 `query:"tick" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the tick; -1: the newest that is on disk"`
}

// tickIn returns a tick of a request, nil for -1.
func tickIn(n int64) *uint32 {
	if n < 0 {
		return nil
	}
	t := uint32(n)
	return &t
}

type out[T any] struct{ Body T }

// Register adds the endpoints to the admins' API.
func (s *Service) Register(api huma.API, guard Guard) {
	look := func(c huma.Context) (match, eyes string) {
		eyes = "all"
		for _, name := range []string{"eyes", "team"} { // what names one team looks with its eyes alone
			if v := c.Query(name); v != "" && v != "-1" {
				eyes = v
			}
		}
		if a, b := c.Query("a"), c.Query("b"); a != "" || b != "" {
			eyes = "all"
		}
		return c.Param("match"), eyes
	}
	op := func(path, id, summary string) huma.Operation {
		return huma.Operation{
			Method: http.MethodGet, Path: Prefix + "/{match}" + path, OperationID: id, Summary: summary, Tags: []string{"inspector"},
			Security:    []map[string][]string{{"bearer": {}}, {"cookie": {}}},
			Middlewares: huma.Middlewares{guard(look)},
		}
	}
	huma.Register(api, op("", "inspect-match", "What a match is, live or past, and how far it can be inspected"), func(ctx context.Context, in *MatchIn) (*out[Facts], error) {
		return answer(ctx, s, in.Match, func(ctx context.Context, o *opening) (Facts, error) { return o.facts(), nil })
	})
	huma.Register(api, op("/state", "inspect-state", "A match at a tick, through the eyes of all or of one team"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		Eyes  string `query:"eyes" default:"all" pattern:"^(all|-1|[0-9]{1,2})$" doc:"all, or a team's number"`
		Sight int    `query:"sight" minimum:"0" maximum:"1" doc:"1: with what the eyes know of each tile"`
	}) (*out[inspect.State], error) {
		return look1(ctx, s, in.Match, in.Tick, func(c *cursor, l *inspect.Look) (out inspect.State, err error) {
			eyes, err := eyesOf(c, in.Eyes)
			if err != nil {
				return out, err
			}
			return l.State(eyes, in.Sight == 1), nil
		})
	})
	huma.Register(api, op("/entity", "inspect-entity", "An entity at a tick, and why each team sees it or does not"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		ID uint32 `query:"id" required:"true" doc:"the entity's id"`
	}) (*out[inspect.Detail], error) {
		return look1(ctx, s, in.Match, in.Tick, func(_ *cursor, l *inspect.Look) (inspect.Detail, error) {
			d, ok := l.Detail(grid.EntityID(in.ID))
			if !ok {
				return d, refuse("no_entity", "there is no entity %d at tick %d: it is gone, or not made yet", in.ID, l.Tick())
			}
			return d, nil
		})
	})
	huma.Register(api, op("/tile", "inspect-tile", "What a team knows of a tile, by which eyes, and since when"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		X    int `query:"x" required:"true" minimum:"0" maximum:"1023"`
		Y    int `query:"y" required:"true" minimum:"0" maximum:"1023"`
		Team int `query:"team" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
	}) (*out[inspect.Tile], error) {
		return answer(ctx, s, in.Match, func(ctx context.Context, o *opening) (inspect.Tile, error) {
			return o.tile(ctx, tickIn(in.Tick), in.Team, grid.Tile{X: int16(in.X), Y: int16(in.Y)})
		})
	})
	huma.Register(api, op("/orders", "inspect-orders", "The order log: each order with its answer, the rule that judged it, and what it looked at"), func(ctx context.Context, in *struct {
		MatchIn
		From  int64  `query:"from" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the first tick; -1: that of the match"`
		To    int64  `query:"to" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the last tick; -1: the newest"`
		After uint32 `query:"after" doc:"only orders behind this number: next.n of the page before"`
		Slot  string `query:"slot" pattern:"^[0-9]{0,2}$" doc:"only of this slot"`
		Kind  string `query:"kind" maxLength:"32" doc:"only of this kind, such as attack-move"`
		Code  string `query:"code" maxLength:"32" doc:"only with this answer, such as UNREACHABLE"`
		Unit  uint32 `query:"unit" doc:"only those that ask this entity"`
		No    int    `query:"refused" minimum:"0" maximum:"1" doc:"1: only those that were refused"`
		Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"rows of the page"`
	}) (*out[OrderPage], error) {
		return answer(ctx, s, in.Match, func(ctx context.Context, o *opening) (OrderPage, error) {
			q := orderQuery{from: tickIn(in.From), to: tickIn(in.To), after: in.After, slot: -1, kind: in.Kind, unit: in.Unit, refused: in.No == 1, limit: in.Limit}
			if in.Slot != "" {
				q.slot, _ = strconv.Atoi(in.Slot) // the pattern holds
			}
			if in.Kind != "" {
				if _, ok := orders.ParseKind(in.Kind); !ok {
					return OrderPage{}, badQuery("kind", "no kind of order %.32q", in.Kind)
				}
			}
			if in.Code != "" {
				code, ok := orders.ParseReject(in.Code)
				if !ok {
					return OrderPage{}, badQuery("code", "no code %.32q", in.Code)
				}
				q.code = &code
			}
			return o.orders(ctx, q)
		})
	})
	huma.Register(api, op("/difference", "inspect-difference", "What one team's eyes have at a tick and another's have not"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		A int `query:"a" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
		B int `query:"b" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
	}) (*out[inspect.Difference], error) {
		return look1(ctx, s, in.Match, in.Tick, func(c *cursor, l *inspect.Look) (out inspect.Difference, err error) {
			for _, t := range []int{in.A, in.B} {
				if err := c.hasTeam(t); err != nil {
					return out, err
				}
			}
			return l.Difference(grid.Team(in.A), grid.Team(in.B)), nil
		})
	})
	huma.Register(api, op("/changes", "inspect-changes", "What has changed for some eyes from one tick to another"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		From uint32 `query:"from" required:"true" doc:"the earlier tick"`
		Eyes string `query:"eyes" default:"all" pattern:"^(all|-1|[0-9]{1,2})$" doc:"all, or a team's number"`
	}) (*out[inspect.Changes], error) {
		return answer(ctx, s, in.Match, func(ctx context.Context, o *opening) (inspect.Changes, error) {
			return o.changes(ctx, in.From, tickIn(in.Tick), in.Eyes)
		})
	})
	huma.Register(api, op("/known", "inspect-known", "What a team may know, beside what its clients were sent"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		Team int `query:"team" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
	}) (*out[Known], error) {
		return answer(ctx, s, in.Match, func(ctx context.Context, o *opening) (Known, error) { return o.known(ctx, tickIn(in.Tick), in.Team) })
	})
	huma.Register(api, op("/bytes", "inspect-bytes", "What a team's frames take: by tile, class, part and entity"), func(ctx context.Context, in *struct {
		MatchIn
		TickIn
		Team  int `query:"team" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
		Ticks int `query:"ticks" minimum:"1" maximum:"400" default:"100" doc:"so many ticks up to the tick"`
	}) (*out[Bytes], error) {
		return answer(ctx, s, in.Match, func(ctx context.Context, o *opening) (Bytes, error) {
			return o.bytesOf(ctx, tickIn(in.Tick), in.Team, in.Ticks)
		})
	})
	huma.Register(api, op("/times", "inspect-times", "How long ticks took, how the links of the clients did, what players did: second by second"), func(ctx context.Context, in *struct {
		MatchIn
		From int64 `query:"from" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the first tick; -1: that of the match"`
		To   int64 `query:"to" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the last tick; -1: the newest. One answer has two hours at most"`
	}) (*out[Times], error) {
		return answer(ctx, s, in.Match, func(_ context.Context, o *opening) (Times, error) { return o.times(tickIn(in.From), tickIn(in.To)) })
	})
	s.registerStream(api, op)
}

// requestMax is how long a request may work.
const requestMax = 15 * time.Second

// answer runs a request about a match.
func answer[T any](ctx context.Context, s *Service, match string, do func(context.Context, *opening) (T, error)) (*out[T], error) {
	limited, cancel := context.WithTimeout(ctx, requestMax)
	defer cancel()
	o, done, err := s.use(limited, match)
	if err == nil {
		defer done()
		body, failed := do(limited, o)
		if err = failed; err == nil {
			return &out[T]{body}, nil
		}
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, s.answerOf(match, err)
}

// look1 is answer for what one tick says.
func look1[T any](ctx context.Context, s *Service, match string, t int64, do func(*cursor, *inspect.Look) (T, error)) (*out[T], error) {
	return answer(ctx, s, match, func(ctx context.Context, o *opening) (body T, err error) {
		err = o.at(ctx, tickIn(t), func(c *cursor, l *inspect.Look) (err error) {
			body, err = do(c, l)
			return err
		})
		return body, err
	})
}

func badQuery(field, format string, args ...any) *Refusal {
	r := refuse("bad_query", format, args...)
	r.Field = field
	return r
}

// eyesOf reads whose eyes are meant.
func eyesOf(c *cursor, text string) (int, error) {
	if text == "" || text == "all" || text == "-1" {
		return inspect.AllEyes, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, badQuery("eyes", "eyes is %.8q: want all or a team's number", text)
	}
	return n, c.hasTeam(n)
}

func (c *cursor) hasTeam(n int) error {
	if n < 0 || n >= c.World().Teams() {
		return refuse("no_team", "no team %d: the match has teams 0 to %d", n, c.World().Teams()-1)
	}
	return nil
}

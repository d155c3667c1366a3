package inspectserver

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/orders"
)

// Prefix is the path below which the endpoints are.
const Prefix = "/admin/api/inspect"

// Guard lets only admins with the right to look through the fog go on, and leaves a row in
// the audit: they look at a match through the eyes of a team, or of all ([inspect.AllEyes]).
// The context that it returns ends once the right has ended; done ends the look.
type Guard func(ctx context.Context, match string, eyes int) (looking context.Context, done func(), err error)

// MatchIn is what every request names. Exported, as the types below, since huma skips
// embedded types that are not.
type MatchIn struct {
	Match string `path:"match" maxLength:"64" pattern:"^[0-9A-Za-z_-]+$" doc:"the match's id"`
}

func (in MatchIn) match() string { return in.Match }

// Each request has one of: the eyes it looks with. The guard audits that value, and
// the operation has no other.
type (
	// AllIn looks with all eyes.
	AllIn struct{}
	// TeamIn looks with the eyes of one team.
	TeamIn struct {
		Team int `query:"team" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
	}
	// EyesIn looks with either.
	EyesIn struct {
		Eyes string `query:"eyes" default:"all" pattern:"^(all|-1|[0-9]{1,2})$" doc:"all, or a team's number"`
	}
)

func (AllIn) eyes() int     { return inspect.AllEyes }
func (in TeamIn) eyes() int { return in.Team }
func (in EyesIn) eyes() int {
	if n, err := strconv.Atoi(in.Eyes); err == nil {
		return n
	}
	return inspect.AllEyes // the pattern holds
}

// look is the part of a request that an operation reads.
type look interface {
	match() string
	eyes() int
}

// Requests embed these types, and have their methods from them.
var (
	_ interface{ match() string } = MatchIn{}
	_                             = []interface{ eyes() int }{AllIn{}, TeamIn{}, EyesIn{}}
)

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

// Register adds the endpoints to the admins' API. behind marks each operation as needing the right to look through
// the fog.
func (s *Service) Register(api huma.API, behind func(*huma.Operation), guard Guard) {
	r := &registration{s, api, behind, guard}
	for _, o := range operations {
		o.register(r)
	}
	r.stream()
}

// operations are the operations that answer with one body.
var operations = []operation{
	op("", "inspect-match", "The facts of a match, live or past, and the range of its inspection", func(_ context.Context, o *opening, _ *struct {
		MatchIn
		AllIn
	}, _ int) (Facts, error) {
		return o.facts(), nil
	}),
	op("/state", "inspect-state", "A match at a tick, through the eyes of all or of one team", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		EyesIn
		Sight int `query:"sight" minimum:"0" maximum:"1" doc:"1: with the eyes' knowledge of each tile"`
	}, eyes int) (out inspect.State, err error) {
		err = o.at(ctx, tickIn(in.Tick), func(c *cursor, l *inspect.Look) error {
			if err := c.hasEyes(eyes); err != nil {
				return err
			}
			out = l.State(eyes, in.Sight == 1)
			return nil
		})
		return out, err
	}),
	op("/entity", "inspect-entity", "An entity at a tick, and why each team sees it or does not", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		AllIn
		ID uint32 `query:"id" required:"true" doc:"the entity's id"`
	}, _ int) (out inspect.Detail, err error) {
		err = o.at(ctx, tickIn(in.Tick), func(_ *cursor, l *inspect.Look) error {
			var ok bool
			if out, ok = l.Detail(grid.EntityID(in.ID)); !ok {
				return refuse("no_entity", "entity %d does not exist at tick %d: it is gone, or not made yet", in.ID, l.Tick())
			}
			return nil
		})
		return out, err
	}),
	op("/tile", "inspect-tile", "A team's knowledge of a tile, by which eyes, and since when", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		X int `query:"x" required:"true" minimum:"0" maximum:"1023"`
		Y int `query:"y" required:"true" minimum:"0" maximum:"1023"`
		TeamIn
	}, eyes int) (inspect.Tile, error) {
		return o.tile(ctx, tickIn(in.Tick), eyes, grid.Tile{X: int16(in.X), Y: int16(in.Y)})
	}),
	op("/orders", "inspect-orders", "The order log: each order with its answer, the rule that judged it, and the values that the rule read", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		AllIn
		From  int64  `query:"from" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the first tick; -1: the match's first"`
		To    int64  `query:"to" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the last tick; -1: the newest"`
		After uint32 `query:"after" doc:"only orders behind this number: next.n of the page before"`
		Slot  string `query:"slot" pattern:"^[0-9]{0,2}$" doc:"only of this slot"`
		Kind  string `query:"kind" maxLength:"32" doc:"only of this kind, such as attack-move"`
		Code  string `query:"code" maxLength:"32" doc:"only with this answer, such as UNREACHABLE"`
		Unit  uint32 `query:"unit" doc:"only orders to this entity"`
		No    int    `query:"refused" minimum:"0" maximum:"1" doc:"1: only refused orders"`
		Limit int    `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"rows of the page"`
	}, _ int) (OrderPage, error) {
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
	}),
	op("/difference", "inspect-difference", "Things that one team's eyes have at a tick and another's do not", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		AllIn
		A int `query:"a" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
		B int `query:"b" required:"true" minimum:"0" maximum:"15" doc:"a team's number"`
	}, _ int) (out inspect.Difference, err error) {
		err = o.at(ctx, tickIn(in.Tick), func(c *cursor, l *inspect.Look) error {
			for _, t := range []int{in.A, in.B} {
				if err := c.hasTeam(t); err != nil {
					return err
				}
			}
			out = l.Difference(grid.Team(in.A), grid.Team(in.B))
			return nil
		})
		return out, err
	}),
	op("/changes", "inspect-changes", "The changes for some eyes from one tick to another", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		From uint32 `query:"from" required:"true" doc:"the earlier tick"`
		EyesIn
	}, eyes int) (inspect.Changes, error) {
		return o.changes(ctx, in.From, tickIn(in.Tick), eyes)
	}),
	op("/known", "inspect-known", "A team's permitted knowledge, beside the data sent to its clients", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		TeamIn
	}, eyes int) (Known, error) {
		return o.known(ctx, tickIn(in.Tick), eyes)
	}),
	op("/bytes", "inspect-bytes", "The bytes of a team's frames: by tile, class, part and entity", func(ctx context.Context, o *opening, in *struct {
		MatchIn
		TickIn
		TeamIn
		Ticks int `query:"ticks" minimum:"1" maximum:"400" default:"100" doc:"so many ticks up to the tick"`
	}, eyes int) (Bytes, error) {
		return o.bytesOf(ctx, tickIn(in.Tick), eyes, in.Ticks)
	}),
	op("/times", "inspect-times", "Duration of ticks, quality of the clients' connections, actions of players: second by second", func(_ context.Context, o *opening, in *struct {
		MatchIn
		AllIn
		From int64 `query:"from" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the first tick; -1: the match's first"`
		To   int64 `query:"to" default:"-1" minimum:"-1" maximum:"4294967295" doc:"the last tick; -1: the newest. One answer has two hours at most"`
	}, _ int) (Times, error) {
		return o.times(tickIn(in.From), tickIn(in.To))
	}),
}

// registration is where operations are added.
type registration struct {
	s        *Service
	api      huma.API
	security func(*huma.Operation)
	guard    Guard
}

func (r *registration) op(path, id, summary string) huma.Operation {
	o := huma.Operation{
		Method: http.MethodGet, Path: Prefix + "/{match}" + path, OperationID: id, Summary: summary, Tags: []string{"inspector"},
		Security: []map[string][]string{{"bearer": {}}, {"cookie": {}}},
	}
	r.security(&o)
	return o
}

// operation is a row of [operations]. A program that calls only answer is linked without huma.
type operation interface {
	name() string // its path behind the match
	register(r *registration)
	answer(ctx context.Context, s *Service, match string, query url.Values) (any, error)
}

// looking is an operation that looks at a match with the eyes that its input names.
type looking[I look, T any] struct {
	path, id, summary string
	do                func(ctx context.Context, o *opening, in *I, eyes int) (T, error)
}

func op[I look, T any](path, id, summary string, do func(ctx context.Context, o *opening, in *I, eyes int) (T, error)) operation {
	return looking[I, T]{path, id, summary, do}
}

func (l looking[I, T]) name() string { return l.path }

func (l looking[I, T]) register(r *registration) {
	huma.Register(r.api, r.op(l.path, l.id, l.summary), func(ctx context.Context, in *I) (*out[T], error) {
		ctx, done, err := r.guard(ctx, (*in).match(), (*in).eyes())
		if err != nil {
			return nil, err
		}
		defer done()
		body, err := l.look(ctx, r.s, in)
		if err != nil {
			return nil, r.s.answerOf((*in).match(), err)
		}
		return &out[T]{body}, nil
	})
}

func (l looking[I, T]) look(ctx context.Context, s *Service, in *I) (body T, err error) {
	limited, cancel := context.WithTimeout(ctx, requestMax)
	defer cancel()
	o, close, err := s.use(limited, (*in).match())
	if err == nil {
		defer close()
		body, err = l.do(limited, o, in, (*in).eyes())
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return body, err
}

// requestMax is how long a request may work.
const requestMax = 15 * time.Second

func badQuery(field, format string, args ...any) *Refusal {
	r := refuse("bad_query", format, args...)
	r.Field = field
	return r
}

// hasEyes refuses the eyes of a team that the match does not have.
func (c *cursor) hasEyes(eyes int) error {
	if eyes == inspect.AllEyes {
		return nil
	}
	return c.hasTeam(eyes)
}

func (c *cursor) hasTeam(n int) error {
	if n < 0 || n >= c.World().Teams() {
		return refuse("no_team", "no team %d: the match has teams 0 to %d", n, c.World().Teams()-1)
	}
	return nil
}

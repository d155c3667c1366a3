package inspectserver

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/inspect"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/orders"
)

// tile describes a tile, and when a team saw it: the history says in which seconds, and
// playing those says the tick.
func (o *opening) tile(ctx context.Context, t *uint32, team int, at grid.Tile) (out inspect.Tile, err error) {
	err = o.at(ctx, t, func(c *cursor, l *inspect.Look) error {
		if err := c.hasTeam(team); err != nil {
			return err
		}
		if m := c.World().Map(); !m.In(at) {
			return refuse("no_tile", "tile %d,%d: the map has %dx%d tiles", at.X, at.Y, m.W, m.H)
		}
		out = l.Tile(grid.Team(team), at)
		if out.Seen != nil && out.First != nil {
			return nil
		}
		o.mu.Lock()
		last, first := o.history.Seen(c.World(), grid.Team(team), at, l.Tick())
		o.mu.Unlock()
		sees := func(w *sim.World) bool { return inspect.At(w).Sees(grid.Team(team), at) }
		if out.First == nil {
			tick, _, err := o.walk(ctx, first, sees)
			if err != nil {
				return err
			}
			out.First = &inspect.When{State: "at", Tick: tick}
		}
		for i := 0; out.Seen == nil && i < len(last); i++ {
			_, tick, err := o.walk(ctx, last[i], sees)
			if err != nil {
				return err
			}
			if tick != nil {
				out.Seen = &inspect.When{State: "at", Tick: tick}
			}
		}
		return nil
	})
	return out, err
}

// walk plays a span of ticks and returns the first and the last at which something
// holds; nil: it never does. It has the match's turn.
func (o *opening) walk(ctx context.Context, span inspect.Span, holds func(*sim.World) bool) (first, last *uint32, err error) {
	for t := span.From; t <= span.To; t++ {
		c, err := o.cursorAt(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		if holds(c.World()) {
			n := uint32(t)
			if last = &n; first == nil {
				first = &n
			}
		}
	}
	return first, last, nil
}

// changes compares two ticks.
func (o *opening) changes(ctx context.Context, from uint32, to *uint32, eyes int) (out inspect.Changes, err error) {
	var was, now *inspect.Seen
	take := func(t *uint32, into **inspect.Seen) error {
		return o.at(ctx, t, func(c *cursor, l *inspect.Look) error {
			if err := c.hasEyes(eyes); err != nil {
				return err
			}
			*into = l.Seen(eyes)
			return nil
		})
	}
	if err := take(&from, &was); err != nil {
		return out, err
	}
	if err := take(to, &now); err != nil {
		return out, err
	}
	if now.Tick() < was.Tick() {
		return out, badQuery("from", "from is tick %d, behind tick %d", was.Tick(), now.Tick())
	}
	return now.Since(was), nil
}

// OrderPage is a page of the order log.
type OrderPage struct {
	From uint32          `json:"from" doc:"the first tick that was read"`
	To   uint32          `json:"to" doc:"the last tick that was read"`
	Rows []inspect.Order `json:"rows" doc:"ascending"`
	Next *OrderNext      `json:"next,omitempty" doc:"where the next page begins; absent: this is the last page. A page may have fewer rows than requested, even zero, and still have a next page"`
}

// OrderNext is where a page goes on: from=tick&after=n.
type OrderNext struct {
	Tick uint32 `json:"tick"`
	N    uint32 `json:"n"`
}

// orderQuery is a query of the order log.
type orderQuery struct {
	from, to *uint32
	after    uint32
	slot     int // -1: any
	kind     string
	code     *orders.Reject
	unit     uint32
	refused  bool
	limit    int
}

// ordersMax is how long one page of the order log may play.
const ordersMax = 2 * time.Second

// orders returns a page of the order log. The records say which ticks can match the query; only these are played,
// with the ticks before them.
func (o *opening) orders(ctx context.Context, q orderQuery) (out OrderPage, err error) {
	last := o.rec.Last()
	from, to := o.rec.First(), last
	if q.from != nil {
		from = grid.Tick(*q.from)
	}
	if q.to != nil {
		to = min(to, grid.Tick(*q.to))
	}
	if from > last {
		return out, badTick(from, o.rec.First(), last)
	}
	if to < from {
		return out, badQuery("to", "to is tick %d, before from, tick %d", to, from)
	}
	out = OrderPage{From: uint32(from), To: uint32(to), Rows: []inspect.Order{}}
	if err := o.await(ctx, min(to, from)); err != nil {
		return out, err
	}
	err = o.alone(ctx, func() error {
		// The count before the second in which the page begins.
		rate := grid.Tick(o.rate())
		o.mu.Lock()
		second := min(int(max(from, 1)-1)/int(rate), len(o.counts)-1)
		number := uint32(0)
		if second > 0 {
			number = o.counts[second-1]
		}
		o.mu.Unlock()
		end := time.Now().Add(ordersMax)
		for t := max(grid.Tick(second)*rate, o.rec.First()) + 1; t <= to; t++ {
			rec, err := o.rec.Record(t)
			if err != nil {
				return err
			}
			if rec == nil {
				continue
			}
			n := inspect.CountOrders(rec.Inputs, len(o.rec.Setup.Players))
			if n == 0 || t < from || number+n <= q.after || !q.mayHave(rec) {
				number += n
				continue
			}
			if err := o.await(ctx, t); err != nil {
				return err
			}
			rows, err := o.judged(ctx, t, number)
			if err != nil {
				return err
			}
			number += n
			for i := range rows {
				r := &rows[i]
				if r.N <= q.after || !q.wants(r) {
					continue
				}
				if len(out.Rows) == q.limit {
					out.To, out.Next = uint32(t), &OrderNext{uint32(t), out.Rows[len(out.Rows)-1].N}
					return nil
				}
				out.Rows = append(out.Rows, *r)
			}
			if time.Now().After(end) && t < to {
				out.To, out.Next = uint32(t), &OrderNext{uint32(t + 1), number}
				return nil
			}
		}
		return nil
	})
	return out, err
}

// judged plays a tick and returns its orders. number is the number of the last order before.
func (o *opening) judged(ctx context.Context, t grid.Tick, number uint32) ([]inspect.Order, error) {
	c, err := o.cursorAt(ctx, t-1)
	if err != nil {
		return nil, err
	}
	inputs, err := o.rec.Inputs(t)
	if err != nil {
		return nil, err
	}
	refusal, err := o.refusedAt(t)
	if err != nil {
		return nil, err
	}
	rows, err := inspect.Judge(c.World(), inputs, number, refusal, func() (sim.Outcome, error) {
		err := o.rec.Turn(ctx, func(func() bool) error { return c.Step() })
		return c.Outcome(), err
	})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range rows {
		r := &rows[i]
		if later := o.notices[noticeKey{grid.Slot(r.Slot), r.Seq}]; len(later) > 0 && !r.Again {
			r.Later = later[:min(len(later), laterMax)]
		}
	}
	return rows, nil
}

// laterMax bounds the later news of one order.
const laterMax = 16

// mayHave reports whether the record of a tick can match the query.
func (q *orderQuery) mayHave(rec *journal.Tick) bool {
	for i := range rec.Answers {
		a := &rec.Answers[i]
		no := a.Code != orders.OK
		if (q.slot < 0 || int(a.Slot) == q.slot) && (q.code == nil || a.Code == *q.code) && (no || !q.refused) {
			return true
		}
	}
	return false
}

// wants reports whether a row is asked for.
func (q *orderQuery) wants(r *inspect.Order) bool {
	has := q.unit == 0 || r.Target == q.unit
	for _, id := range r.Units {
		has = has || id == q.unit
	}
	return has && (q.slot < 0 || r.Slot == q.slot) && (q.kind == "" || r.Kind == q.kind) && (q.code == nil || r.Code == q.code.String()) && (!q.refused || r.Code != orders.OK.String())
}

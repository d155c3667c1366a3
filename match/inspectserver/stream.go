package inspectserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/inspect"
)

// writeTimeout is how long a client may take for an event.
const writeTimeout = 10 * time.Second

// StreamEnd is the last event of a stream.
type StreamEnd struct {
	Reason string `json:"reason" enum:"over,closed,failed"`
	Words  string `json:"words"`
}

func (r *registration) stream() {
	o := r.op("/stream", "inspect-stream", "A live match as it goes on, as server-sent events")
	o.Description = "`event: state` carries an InspectState, the first and no other. Then each `change` carries an InspectChanges against the event before, " +
		"at most each everyMs and only when the tick moved. `end` carries an InspectserverStreamEnd: the match is over, or is inspected no more."
	o.Responses = map[string]*huma.Response{"200": {
		Description: "the stream",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}},
	}}
	for _, t := range []reflect.Type{reflect.TypeFor[inspect.State](), reflect.TypeFor[inspect.Changes](), reflect.TypeFor[StreamEnd]()} {
		r.api.OpenAPI().Components.Schemas.Schema(t, true, "") // the document has the events' bodies by name
	}
	huma.Register(r.api, o, func(ctx context.Context, in *struct {
		MatchIn
		EyesIn
		EveryMs int `query:"everyMs" minimum:"100" maximum:"5000" default:"500" doc:"least time between two events"`
	}) (*huma.StreamResponse, error) {
		eyes := in.eyes()
		ctx, done, err := r.guard(ctx, in.Match, eyes)
		if err != nil {
			return nil, err
		}
		st, err := r.s.watch(ctx, in.Match, eyes, time.Duration(in.EveryMs)*time.Millisecond)
		if err != nil {
			done()
			return nil, r.s.answerOf(in.Match, err)
		}
		return &huma.StreamResponse{Body: func(h huma.Context) {
			defer done()
			defer st.close()
			_, w := humachi.Unwrap(h)
			st.run(ctx, w)
		}}, nil
	})
}

// watch begins a stream.
func (s *Service) watch(ctx context.Context, match string, eyes int, every time.Duration) (*stream, error) {
	hold, err := s.cfg.Ledger.Take(quota.InspectionStreams, quota.Payer{}, 1)
	if err != nil {
		return nil, busy("as many streams are open as may be: close one (%v)", err)
	}
	o, done, err := s.use(ctx, match)
	if err != nil {
		hold.Release()
		return nil, err
	}
	st := &stream{o: o, eyes: eyes, every: every, close: func() { done(); hold.Release() }}
	if err := st.look(ctx); err != nil {
		st.close()
		return nil, err
	}
	return st, nil
}

// stream is one onlooker.
type stream struct {
	close  func()
	o      *opening
	eyes   int
	every  time.Duration
	newest *inspect.Seen // the newest
	first  inspect.State
}

// look takes the newest tick.
func (st *stream) look(ctx context.Context) error {
	return st.o.at(ctx, nil, func(c *cursor, l *inspect.Look) error {
		if err := c.hasEyes(st.eyes); err != nil {
			return err
		}
		if st.newest == nil {
			st.first = l.State(st.eyes, true)
		}
		if st.newest == nil || l.Tick() != st.newest.Tick() {
			st.newest = l.Seen(st.eyes)
		}
		return nil
	})
}

// run writes events until the match is over, the client has gone, or its right has
// ended.
func (st *stream) run(ctx context.Context, w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("X-Accel-Buffering", "no") // nginx would collect them
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // the request's own limit would end the stream
	send := func(event string, body any) bool {
		b, err := json.Marshal(body)
		if err != nil {
			return false
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, b); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	if !send("state", st.first) {
		return
	}
	ticker := time.NewTicker(st.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-st.o.ctx.Done():
			send("end", endOf(errClosing))
			return
		case <-ticker.C:
		}
		was := st.newest
		over := st.o.rec.Over()
		if err := st.look(ctx); err != nil {
			if ctx.Err() == nil {
				send("end", endOf(err))
			}
			return
		}
		if st.newest != was && !send("change", st.newest.Since(was)) {
			return
		}
		if over {
			send("end", StreamEnd{"over", "the match is over"})
			return
		}
	}
}

func endOf(err error) StreamEnd {
	if errors.Is(err, errClosing) {
		return StreamEnd{"closed", err.Error()}
	}
	var no *Refusal
	if errors.As(err, &no) {
		return StreamEnd{"failed", no.Text}
	}
	return StreamEnd{"failed", "the match could not be inspected any more"}
}

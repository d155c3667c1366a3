package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// heartbeat is how often a quiet stream says that it lives, and asks whether
// its session still does.
const heartbeat = 15 * time.Second

// streamOp describes an operation that answers with server-sent events.
func streamOp(path, id, summary, group, about string) huma.Operation {
	o := op(http.MethodGet, path, id, summary, tag(group))
	o.Description = about
	o.Responses = map[string]*huma.Response{"200": {
		Description: "the stream",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}},
	}}
	return o
}

// pieces are the parts of a stream. next waits for the next one; [event.ErrSession] has
// the session looked at. Both say whether theirs is the last. end is called at the end.
type pieces struct {
	first []byte
	last  bool
	next  func(context.Context) (piece []byte, last bool, err error)
	end   func()
}

// streamTo answers a player with the stream that begin returns.
func (a *playerAPI) streamTo(ctx context.Context, begin func(model.AccountID) (pieces, error)) (*huma.StreamResponse, error) {
	account, caller, err := a.session(ctx)
	if err == nil && !caller.origin {
		err = model.CrossOrigin
	}
	if err != nil {
		return nil, problem(err)
	}
	hold, err := a.config.Ledger.Take(quota.EventStreams, quota.Payer{Account: string(account.ID), Address: caller.Address, Trusted: !account.Guest}, 1)
	if err != nil {
		return nil, problem(err)
	}
	p, err := begin(account.ID)
	if err != nil {
		hold.Release()
		return nil, problem(err)
	}
	return &huma.StreamResponse{Body: func(h huma.Context) {
		r, out := humachi.Unwrap(h)
		stream(r, out, p.first, p.last, func(ctx context.Context) ([]byte, bool, error) {
			piece, last, err := p.next(ctx)
			if errors.Is(err, event.ErrSession) {
				_, err = a.s.Account.Session(ctx, caller.Client, caller.token)
				return alive, false, err
			}
			return piece, last, err
		}, func() {
			p.end()
			hold.Release()
		})
	}}, nil
}

// events registers the stream of a lobby.
func (a *playerAPI) events(h huma.API) {
	o := streamOp("/api/lobbies/{id}/events", "lobby-events", "The events of a lobby, as server-sent events", "lobbies",
		"`event: lobby` carries a Lobby, `chat` and `announce` a ChatLine, `kicked` a Kicked. "+
			"Every event has an id. A client that comes back with Last-Event-ID gets the events that it missed. The stream ends after `kicked`, when the lobby closes and when the session ends.")
	// No operation answers with the events' bodies: the document has them by name.
	h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[model.ChatLine](), true, "")
	h.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[model.Kicked](), true, "")
	huma.Register(h, o, func(ctx context.Context, in *struct {
		LobbyPath
		LastEventID string `header:"Last-Event-ID" maxLength:"20"`
		After       int64  `query:"after" minimum:"0" doc:"in place of Last-Event-ID"`
	}) (*huma.StreamResponse, error) {
		id, after := model.LobbyID(in.ID), in.After
		if n, err := strconv.ParseInt(in.LastEventID, 10, 64); err == nil {
			after = n
		}
		return a.streamTo(ctx, func(me model.AccountID) (pieces, error) {
			w, first, err := a.s.Hub.Watch(ctx, id, me, after)
			if err != nil {
				return pieces{}, err
			}
			return pieces{a.encode(&first), first.Gone, func(ctx context.Context) ([]byte, bool, error) {
				u, err := w.Next(ctx, heartbeat)
				return a.encode(&u), u.Gone, err
			}, w.Close}, nil
		})
	})
}

// outage is how long a stream waits before it asks a store again that is away.
const outage = time.Second

// alive is the sign of life of a quiet stream.
var alive = []byte(": alive\n\n")

// stream writes pieces until one is the last, or the client has gone. next waits for
// the next one, and says whether it is the last. end is called at the end, which may be
// long after stream has returned: a stream needs no request to go on.
func stream(r *http.Request, w http.ResponseWriter, piece []byte, last bool, next func(context.Context) (piece []byte, last bool, err error), end func()) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would collect them
	control := http.NewResponseController(w)
	// The request's own limit on reading would end the stream. That on writing is
	// set anew for each piece, and lets go of a client that does not read.
	_ = control.SetReadDeadline(time.Time{})
	_, err := w.Write(piece)
	if err = errors.Join(err, control.Flush()); err != nil || last {
		end()
		return
	}
	if listen.Detach(w, r, func(ctx context.Context, write func([]byte) error) {
		defer end()
		streamOn(ctx, write, next)
	}) {
		return
	}
	defer end()
	streamOn(r.Context(), func(piece []byte) error {
		_, err := w.Write(piece)
		return errors.Join(err, control.Flush())
	}, next)
}

// streamOn writes the pieces after the first.
func streamOn(ctx context.Context, write func([]byte) error, next func(context.Context) (piece []byte, last bool, err error)) {
	for last := false; !last; {
		var piece []byte
		var err error
		for piece, last, err = next(ctx); err != nil; piece, last, err = next(ctx) {
			if code := model.AsError(err).Code; code != model.Unavailable && code != model.Busy || ctx.Err() != nil {
				return
			}
			select { // the database is away: the stream waits for it
			case <-ctx.Done():
				return
			case <-time.After(outage):
			}
		}
		if write(piece) != nil {
			return
		}
	}
}

// encode writes an update as events; an empty update is a comment. The lobby comes
// last, under the update's number, so that a client with its id has all earlier events.
func (a *playerAPI) encode(u *event.Update) []byte {
	var b bytes.Buffer
	for _, e := range u.Events {
		fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, e.Body)
	}
	if u.Lobby != nil {
		raw := u.Encoded(func(l *model.Lobby) []byte {
			b, err := json.Marshal(a.shape(l))
			if err != nil {
				panic(err) // a plain struct
			}
			return b
		})
		fmt.Fprintf(&b, "id: %d\nevent: lobby\ndata: %s\n\n", u.Seq, raw)
	}
	if b.Len() == 0 {
		return alive
	}
	return b.Bytes()
}

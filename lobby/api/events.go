package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/fogkeep/fogkeep/lobby"
)

// heartbeat is how often a quiet stream says that it lives, and asks whether
// its session still does.
const heartbeat = 15 * time.Second

// events registers the stream of a lobby.
func (a *player) events(h huma.API) {
	o := op(http.MethodGet, "/api/lobbies/{id}/events", "lobby-events", "What happens in a lobby, as server-sent events", tag("lobbies"))
	o.Description = "`event: lobby` carries the lobby whole, `chat`, `announce` and `kicked` what their names say. " +
		"Every event has an id; a client that comes back with Last-Event-ID is sent what it missed. The stream ends after `kicked`, when the lobby closes and when the session ends."
	o.Responses = map[string]*huma.Response{"200": {
		Description: "the stream",
		Content:     map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}},
	}}
	huma.Register(h, o, func(ctx context.Context, in *struct {
		LobbyPath
		LastEventID string `header:"Last-Event-ID" maxLength:"20"`
		After       int64  `query:"after" minimum:"0" doc:"in place of Last-Event-ID"`
	}) (*huma.StreamResponse, error) {
		account, who, err := a.session(ctx)
		if err != nil {
			return nil, problem(err)
		}
		if !who.origin {
			return nil, problem(lobby.CrossOrigin)
		}
		id, after := lobby.LobbyID(in.ID), in.After
		if n, err := strconv.ParseInt(in.LastEventID, 10, 64); err == nil {
			after = n
		}
		leave, err := a.streams.enter(account.ID, who.Network())
		if err != nil {
			return nil, problem(err)
		}
		wake, unwatch := a.s.Watch(id)
		done := func() { unwatch(); leave() }
		first, err := a.s.Updates(ctx, id, account.ID, after)
		if err != nil {
			done()
			return nil, problem(err)
		}
		return &huma.StreamResponse{Body: func(h huma.Context) {
			defer done()
			_, w := humachi.Unwrap(h)
			a.stream(ctx, w, first, func() (lobby.Update, error) {
				select {
				case <-ctx.Done():
					return lobby.Update{}, ctx.Err()
				case <-wake:
				case <-time.After(heartbeat):
				}
				if _, err := a.s.Session(ctx, who.Client, who.token); err != nil {
					return lobby.Update{}, err
				}
				return a.s.Updates(ctx, id, account.ID, first.Seq)
			}, &first.Seq)
		}}, nil
	})
}

// stream writes updates until there are no more, or the client has gone. next
// waits for the next one; seq is where it goes on from.
func (a *player) stream(ctx context.Context, w http.ResponseWriter, u lobby.Update, next func() (lobby.Update, error), seq *int64) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // nginx would collect them
	control := http.NewResponseController(w)
	// The request's own limit on reading would end the stream.
	_ = control.SetReadDeadline(time.Time{})
	for {
		text := a.encode(u)
		_ = control.SetWriteDeadline(time.Now().Add(10 * time.Second)) // a client that does not read is let go
		if _, err := w.Write(text); err != nil || control.Flush() != nil || u.Gone {
			return
		}
		*seq = u.Seq
		var err error
		if u, err = next(); err != nil {
			if lobby.AsError(err).Code == lobby.Unavailable && ctx.Err() == nil {
				u = lobby.Update{Seq: *seq} // the database is away: the stream waits for it
				continue
			}
			return
		}
	}
}

// encode writes an update as events; nothing new is a comment. The lobby comes
// last, under the update's number, so that a client that knows its id has
// missed nothing before it.
func (a *player) encode(u lobby.Update) []byte {
	var b bytes.Buffer
	for _, e := range u.Events {
		fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, e.Body)
	}
	if u.Lobby != nil {
		raw, err := json.Marshal(lobbyOf(u.Lobby, a.s.Now()))
		if err != nil {
			panic(err) // a plain struct
		}
		fmt.Fprintf(&b, "id: %d\nevent: lobby\ndata: %s\n\n", u.Seq, raw)
	}
	if b.Len() == 0 {
		return []byte(": alive\n\n")
	}
	return b.Bytes()
}

package event

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Watch starts watching a lobby for an account that has a seat there. It tells what
// happened after a number; 0 starts with the lobby as it is. The caller ends it
// with [Watch.Close].
func (h *Hub) Watch(ctx context.Context, id model.LobbyID, a model.AccountID, after int64) (*Watch, Update, error) {
	w := &Watch{Signal: newSignal(a, make(chan *change, changesMax)), hub: h, id: id}
	h.add(w) // first: what happens from now on is not missed
	u, err := h.Updates(ctx, id, a, after)
	if err != nil {
		w.Close()
		return nil, u, err
	}
	w.seq = u.Seq
	return w, u, nil
}

// Updates returns the news of a lobby for an account with a seat: the events after a
// number, and after it took its seat (see [model.Lobby.IsSentTo]). 0 starts with the
// lobby as it is and the last lines of its chat (see [model.Lobby.ChatFor]).
func (h *Hub) Updates(ctx context.Context, id model.LobbyID, a model.AccountID, after int64) (u Update, err error) {
	err = h.Read(ctx, func(tx *db.Tx) error {
		l, err := watchedLobby(tx, id)
		if err != nil {
			return err
		}
		if after <= 0 || after > l.Seq { // new, or from another database
			if l.SeatOf(a) < 0 {
				return l.Stranger()
			}
			from := l.Since(a)
			if l.Options.ChatHistory {
				from = 0
			}
			lines, err := tx.Lobbies.Chat(id, from, chatMax)
			u = Update{Lobby: l, Seq: l.Seq, Events: l.ChatFor(a, lines)}
			return err
		}
		events, err := tx.Lobbies.Events(id, max(after, l.Since(a)), updatesMax)
		if err != nil {
			return err
		}
		u, err = (&change{lobby: l, events: events, after: after}).update(a, after)
		u.of = nil
		return err
	})
	return u, err
}

// Watch is one account that watches a lobby in which it sits. One goroutine
// uses it.
type Watch struct {
	*Signal
	hub *Hub
	id  model.LobbyID
	seq int64 // the last change it got
}

// Next waits for the next update. It returns [ErrSession] after a quiet time, and
// when sessions of the account have changed.
func (w *Watch) Next(ctx context.Context, quiet time.Duration) (Update, error) {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		c, err := w.wait(ctx, timer.C)
		if err != nil {
			return Update{Seq: w.seq}, err
		}
		var u Update
		switch {
		case c != nil && c.err != nil:
			err = c.err
		case c == nil || c.after > w.seq: // it missed the one before
			u, err = w.hub.Updates(ctx, w.id, w.account, w.seq)
		default:
			u, err = c.update(w.account, w.seq)
		}
		if err != nil {
			w.Wake() // the watcher still lacks these events: its next wait ends at once
			return Update{Seq: w.seq}, err
		}
		if u.Seq > w.seq || u.Gone {
			w.seq = u.Seq
			return u, nil
		}
	}
}

func (h *Hub) add(w *Watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l := h.lobbies.add(w.id, w.Signal)
	if l.feed == nil {
		ctx, stop := context.WithCancel(context.Background())
		l.feed = &feed{id: w.id, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
		l.wake() // it looks where the lobby stands
		go h.run(ctx, l)
	}
}

// Close ends the watch. The last watch of a lobby ends its feed too.
func (w *Watch) Close() {
	w.hub.mu.Lock()
	l := w.hub.lobbies.remove(w.id, w.Signal)
	if l != nil {
		l.feed.stop()
	}
	w.hub.mu.Unlock()
	if l != nil {
		<-l.feed.done
	}
}

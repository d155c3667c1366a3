package event

import (
	"context"

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
		l, err := tx.Lobby(id)
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
			lines, err := tx.LobbyChat(id, from, chatMax)
			u = Update{Lobby: l, Seq: l.Seq, Events: l.ChatFor(a, lines)}
			return err
		}
		events, err := tx.LobbyEvents(id, max(after, l.Since(a)), updatesMax)
		if err != nil {
			return err
		}
		u, err = (&change{lobby: l, events: events, after: after}).update(a, after)
		u.of = nil
		return err
	})
	return u, err
}

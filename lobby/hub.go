package lobby

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// hub wakes those who watch a lobby. It holds no event: a waker only says
// "look into the store again", and one lost in a crash is made good by the
// watcher's next look.
type hub struct {
	mu       sync.Mutex
	watchers map[LobbyID]map[chan struct{}]bool
	seen     map[LobbyID]int64 // last number the poll saw
}

func newHub() *hub {
	return &hub{watchers: map[LobbyID]map[chan struct{}]bool{}, seen: map[LobbyID]int64{}}
}

// watch returns a channel that holds one token when something may have
// happened, and a function that ends the watch.
func (h *hub) watch(id LobbyID) (<-chan struct{}, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers[id] == nil {
		h.watchers[id] = map[chan struct{}]bool{}
	}
	ch := make(chan struct{}, 1)
	h.watchers[id][ch] = true
	return ch, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.watchers[id], ch)
		if len(h.watchers[id]) == 0 {
			delete(h.watchers, id)
			delete(h.seen, id)
		}
	}
}

// wake is called after the transaction is kept. An empty id is nobody's.
func (h *hub) wake(id LobbyID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for ch := range h.watchers[id] {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}

// wakeAll wakes every watcher: something may hold for all of them.
func (h *hub) wakeAll() {
	h.mu.Lock()
	ids := slices.Collect(maps.Keys(h.watchers))
	h.mu.Unlock()
	for _, id := range ids {
		h.wake(id)
	}
}

// poll wakes the watchers of lobbies that another process changed.
func (h *hub) poll(ctx context.Context, s *Service) error {
	h.mu.Lock()
	ids := make([]LobbyID, 0, len(h.watchers))
	for id := range h.watchers {
		ids = append(ids, id)
	}
	h.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	var seqs map[LobbyID]int64
	if err := s.read(ctx, func(tx Tx) (err error) {
		seqs, err = tx.LobbySeqs(ids)
		return err
	}); err != nil {
		return err
	}
	for id, seq := range seqs {
		h.mu.Lock()
		fresh := h.watchers[id] != nil && h.seen[id] != seq
		if fresh {
			h.seen[id] = seq
		}
		h.mu.Unlock()
		if fresh {
			h.wake(id)
		}
	}
	return nil
}

// Update is what a watcher is told at once: what happened since the number it
// had, and the lobby as it is now if it changed.
type Update struct {
	Events []Event // chat, announcements and kicks, in order; lobby events are folded into Lobby
	Lobby  *Lobby  // nil: unchanged
	Seq    int64   // to go on from
	Gone   bool    // the watcher was removed, or the lobby closed: nothing follows
}

// updatesMax bounds the events of one Update.
const updatesMax = 200

// Watch returns a channel that wakes when there may be news of a lobby, and a
// function to call in the end. News themselves come from [Service.Updates].
func (s *Service) Watch(id LobbyID) (<-chan struct{}, func()) { return s.hub.watch(id) }

// Updates returns what a seated account has not seen of its lobby: everything
// after a number, and since it sat down (see [Lobby.tells]). 0 starts with the
// lobby as it is, and no past chat.
func (s *Service) Updates(ctx context.Context, id LobbyID, a AccountID, after int64) (u Update, err error) {
	err = s.read(ctx, func(tx Tx) error {
		u = Update{Seq: after}
		l, err := tx.Lobby(id)
		if err != nil {
			return err
		}
		seat := l.SeatOf(a)
		seated := seat >= 0
		if after <= 0 || after > l.Seq { // new, or from another database
			if !seated {
				return NotSeated
			}
			u.Lobby, u.Seq = l, l.Seq
			return nil
		}
		if seated {
			after = max(after, l.Seats[seat].Since)
		}
		events, err := tx.LobbyEvents(id, after, updatesMax)
		if err != nil {
			return err
		}
		if u.Seq < l.Seq && (len(events) == 0 || events[0].Seq != after+1) {
			u.Lobby, u.Seq = l, l.Seq // older events are gone: the lobby as it is, at least
		}
		kicked := false
		for _, e := range events {
			u.Seq = e.Seq
			switch {
			case e.Kind == LobbyEvent:
				u.Lobby = l
			case l.tells(e, a):
				kicked = kicked || e.Kind == KickedEvent
				u.Events = append(u.Events, e)
			}
		}
		if !seated {
			if !kicked {
				return NotSeated
			}
			u.Lobby, u.Gone = nil, true
		}
		if l.State == Closed {
			u.Gone = true
		}
		return nil
	})
	return u, err
}

package event

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Hub wakes the watchers of lobbies and of standings in matchmaking, and sends lobbies'
// events.
//
//	change ──wake──► feed of the lobby ──one read──► change ──► Watch, Watch, …
//	change of a party ──poll──► Signal, Signal, …
//
// Each watched lobby has one feed. The feed reads new events once for all watchers, at
// most ten times per second. The hub holds no state that is not in the store. A wake
// only says "look again", and the next look makes up for a wake lost in a crash.
type Hub struct {
	*core.Core

	mu        sync.Mutex
	lobbies   watches[model.LobbyID, int64]
	standings watches[model.AccountID, string]
}

// NewHub returns a hub without watchers.
func NewHub(c *core.Core) *Hub {
	return &Hub{Core: c, lobbies: watches[model.LobbyID, int64]{}, standings: watches[model.AccountID, string]{}}
}

// changeEvery is the pause of a feed between two reads. It sends the events of a pause
// together.
const changeEvery = 100 * time.Millisecond

// changesMax is how many changes are queued for a watcher. A slower watcher reads from
// the store itself, once.
const changesMax = 8

// run reads new events each time the feed is woken, until ctx ends.
func (h *Hub) run(ctx context.Context, l *watched[int64]) {
	defer close(l.feed.done)
	defer panics.Catch(h.Logger, "lobby feed", func() { h.tell(l, &change{err: model.Internal}) })
	for seq := int64(-1); ; {
		select {
		case <-ctx.Done():
			return
		case <-l.feed.wake:
		}
		c, err := h.read(ctx, l.feed.id, seq)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && model.AsError(err).Code == model.NotFound:
			h.tell(l, &change{err: err})
		case err != nil: // the store is away: look again
			l.wake()
		case seq < 0 || c.lobby.Seq > seq:
			seq = c.lobby.Seq
			if n := len(c.events); n > 0 && c.events[n-1].Seq < seq {
				seq = c.events[n-1].Seq // there are more: they come with the next read
				l.wake()
			}
			h.tell(l, c)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(changeEvery):
		}
	}
}

// read returns the events of a lobby after a number. If the number is negative, it
// returns the lobby as it is and its last event: the watchers have the earlier events,
// or read them themselves.
func (h *Hub) read(ctx context.Context, id model.LobbyID, after int64) (*change, error) {
	c := &change{after: after}
	err := h.Read(ctx, func(tx *db.Tx) (err error) {
		if c.lobby, err = watchedLobby(tx, id); err != nil || after == c.lobby.Seq {
			return err
		}
		if after < 0 {
			// Only the last event. A watch that lacks more reads it itself.
			c.after = max(0, c.lobby.Seq-1)
		}
		c.events, err = tx.Lobbies.Events(id, c.after, updatesMax)
		return err
	})
	return c, err
}

// watchedLobby returns a lobby with the blocks between its members.
func watchedLobby(tx *db.Tx, id model.LobbyID) (*model.Lobby, error) {
	l, err := tx.Lobbies.Get(id)
	if err == nil {
		l.Silenced, err = tx.Relations.Among(model.Block, l.Accounts())
	}
	return l, err
}

// tell hands a change to all watchers.
func (h *Hub) tell(l *watched[int64], c *change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range l.signals {
		select {
		case w.changes <- c:
		default:
			w.Wake()
		}
	}
}

// Wake is called after the commit of a transaction that changed a lobby. An empty id
// has no effect.
func (h *Hub) Wake(id model.LobbyID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.lobbies[id]; l != nil {
		l.wake()
	}
}

// Recheck makes the watchers of an account check whether their session is still valid.
// It is called after the commit of a transaction that ended sessions. An empty account
// has no effect.
func (h *Hub) Recheck(a model.AccountID) {
	if a != "" {
		h.recheck(a)
	}
}

// RecheckAll is [Hub.Recheck] for all accounts, because bans have changed.
func (h *Hub) RecheckAll() { h.recheck("") }

func (h *Hub) recheck(a model.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lobbies.recheck(a)
	h.standings.recheck(a)
}

// Watched lists the lobbies with watchers in this process.
func (h *Hub) Watched() []model.LobbyID { return keysOf(h, h.lobbies) }

// Standings lists the accounts that watch their standing in this process.
func (h *Hub) Standings() []model.AccountID { return keysOf(h, h.standings) }

func keysOf[K, V comparable](h *Hub, m watches[K, V]) []K {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(m))
}

// Poll wakes the feeds of lobbies that another process changed.
func (h *Hub) Poll(ctx context.Context) error {
	return poll(ctx, h, h.lobbies, func(tx *db.Tx, ids []model.LobbyID) (map[model.LobbyID]int64, error) { return tx.Lobbies.Seqs(ids) })
}

// PollStandings wakes the watchers of changed parties, here or in another process.
func (h *Hub) PollStandings(ctx context.Context) error {
	return poll(ctx, h, h.standings, func(tx *db.Tx, ids []model.AccountID) (map[model.AccountID]string, error) {
		return tx.Parties.Tokens(ids)
	})
}

// WatchStanding starts watching where an account stands in matchmaking. The caller ends
// it with done.
func (h *Hub) WatchStanding(a model.AccountID) (s *Signal, done func()) {
	s = newSignal(a, nil)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.standings.add(a, s)
	return s, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.standings.remove(a, s)
	}
}

// Update is one message to a watcher: the events since its last number, and the present
// lobby if it changed.
type Update struct {
	Events []model.Event // chat, announcements and kicks, in order; lobby events are folded into Lobby
	Lobby  *model.Lobby  // nil: unchanged; read-only
	Seq    int64         // to go on from
	Gone   bool          // the watcher was removed, or the lobby closed: the last update

	of *change // whose lobby it is; nil: its own
}

// Encoded returns the update's lobby as f encodes it. f is called once for all
// watchers of the same change, so its result must not depend on the watcher.
func (u *Update) Encoded(f func(*model.Lobby) []byte) []byte {
	if u.of == nil {
		return f(u.Lobby)
	}
	u.of.encode.Do(func() { u.of.encoded = f(u.Lobby) })
	return u.of.encoded
}

// updatesMax bounds the events of one Update.
const updatesMax = 200

// chatMax bounds the lines of chat for a player who opens a lobby.
const chatMax = 100

// update returns the part of a change for an account that has all events up to a
// number.
func (c *change) update(a model.AccountID, after int64) (Update, error) {
	l, u := c.lobby, Update{Seq: after, of: c}
	from := max(after, l.Since(a))
	events := c.events
	for len(events) > 0 && events[0].Seq <= from {
		events = events[1:]
	}
	if u.Seq < l.Seq && (len(events) == 0 || events[0].Seq != from+1) {
		u.Lobby, u.Seq = l, l.Seq // older events are gone: the lobby as it is, at least
	}
	kicked := false
	for _, e := range events {
		u.Seq = e.Seq
		switch {
		case e.Kind == model.LobbyEvent:
			u.Lobby = l
		case l.IsSentTo(e, a):
			kicked = kicked || e.Kind == model.KickedEvent
			u.Events = append(u.Events, e)
		}
	}
	if l.SeatOf(a) < 0 {
		if !kicked {
			return Update{}, l.Stranger()
		}
		u.Lobby, u.Gone = nil, true
	}
	if l.State == model.Closed {
		u.Gone = true
	}
	return u, nil
}

// poll wakes the watchers of things that another process changed.
func poll[K, V comparable](ctx context.Context, h *Hub, m watches[K, V], versions func(*db.Tx, []K) (map[K]V, error)) error {
	keys := keysOf(h, m)
	if len(keys) == 0 {
		return nil
	}
	now, err := core.Get(ctx, h.Core, func(tx *db.Tx) (map[K]V, error) { return versions(tx, keys) })
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, version := range now {
		if w := m[key]; w != nil && w.polled != version {
			w.polled = version
			w.wake()
		}
	}
	return nil
}

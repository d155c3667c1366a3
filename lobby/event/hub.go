package event

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Hub sends the events of lobbies to their watchers.
//
//	change ──wake──► feed of the lobby ──one read──► change ──► Watch, Watch, …
//
// Each watched lobby has one feed. The feed reads new events once for all watchers, at
// most ten times per second. The hub holds no state that is not in the store. A wake
// only says "look again", and the next look makes up for a wake lost in a crash.
type Hub struct {
	*core.Core

	mu        sync.Mutex
	feeds     map[model.LobbyID]*feed
	rechecked []func(model.AccountID) // told of rechecks too
}

// NewHub returns a hub without watchers.
func NewHub(c *core.Core) *Hub { return &Hub{Core: c, feeds: map[model.LobbyID]*feed{}} }

// Rechecked has tell called with each account whose sessions may have ended; "": all
// accounts. It is called before the hub is used.
func (h *Hub) Rechecked(tell func(model.AccountID)) { h.rechecked = append(h.rechecked, tell) }

// changeEvery is the pause of a feed between two reads. It sends the events of a pause
// together.
const changeEvery = 100 * time.Millisecond

// feed is one watched lobby.
type feed struct {
	id   model.LobbyID
	wake chan struct{} // holds one token when something may have happened
	stop context.CancelFunc
	done chan struct{}

	watches map[*Watch]bool // under hub.mu
	polled  int64           // the last number that the poll saw; under hub.mu
}

// change is what happened in a lobby between two reads. All watchers share it, so
// it is never changed.
type change struct {
	lobby  *model.Lobby
	events []model.Event // after the number, without a gap
	after  int64
	err    error // in place of all else: NotFound

	encode  sync.Once
	encoded []byte
}

// changesMax is how many changes are queued for a watcher. A slower watcher reads from
// the store itself, once.
const changesMax = 8

// Watch is one account that watches a lobby in which it sits. One goroutine
// uses it.
type Watch struct {
	hub     *Hub
	id      model.LobbyID
	account model.AccountID
	seq     int64 // the last change it got

	changes chan *change
	behind  chan struct{} // holds a token once a change found no room
	again   chan struct{} // holds a token when its session may have ended
}

// ErrSession is what [Watch.Next] returns when the watcher's session may have
// ended. The caller checks the session, and goes on if it is still valid.
var ErrSession = errors.New("lobby: the session may have ended")

// Next waits for the next update. It returns [ErrSession] after a quiet time, and
// when sessions of the account have changed.
func (w *Watch) Next(ctx context.Context, quiet time.Duration) (Update, error) {
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		select {
		case <-w.again: // before anything is told
			return Update{Seq: w.seq}, ErrSession
		default:
		}
		var u Update
		var err error
		select {
		case <-ctx.Done():
			return Update{}, ctx.Err()
		case <-w.again:
			return Update{Seq: w.seq}, ErrSession
		case <-timer.C:
			return Update{Seq: w.seq}, ErrSession
		case <-w.behind:
			u, err = w.hub.Updates(ctx, w.id, w.account, w.seq)
		case c := <-w.changes:
			switch {
			case c.err != nil:
				err = c.err
			case c.after > w.seq: // it missed the one before
				u, err = w.hub.Updates(ctx, w.id, w.account, w.seq)
			default:
				u, err = c.update(w.account, w.seq)
			}
		}
		if err != nil {
			Note(w.behind) // what happened was not told: who waits again is told at once
			return Update{Seq: w.seq}, err
		}
		if u.Seq > w.seq || u.Gone {
			w.seq = u.Seq
			return u, nil
		}
	}
}

// Close ends the watch.
func (w *Watch) Close() { w.hub.remove(w) }

func (h *Hub) add(w *Watch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.feeds[w.id]
	if f == nil {
		ctx, stop := context.WithCancel(context.Background())
		f = &feed{id: w.id, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{}), watches: map[*Watch]bool{}}
		h.feeds[w.id] = f
		f.nudge() // it looks where the lobby stands
		go h.run(ctx, f)
	}
	f.watches[w] = true
}

// remove ends a watch. The last watch of a lobby ends its feed too.
func (h *Hub) remove(w *Watch) {
	h.mu.Lock()
	f := h.feeds[w.id]
	if f == nil || !f.watches[w] {
		h.mu.Unlock()
		return
	}
	delete(f.watches, w)
	last := len(f.watches) == 0
	if last {
		delete(h.feeds, w.id)
		f.stop()
	}
	h.mu.Unlock()
	if last {
		<-f.done
	}
}

// run reads new events each time the feed is woken, until ctx ends.
func (h *Hub) run(ctx context.Context, f *feed) {
	defer close(f.done)
	defer panics.Catch(h.Logger, "lobby feed", func() { h.tell(f, &change{err: model.Internal}) })
	for seq := int64(-1); ; {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
		c, err := h.read(ctx, f.id, seq)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && model.AsError(err).Code == model.NotFound:
			h.tell(f, &change{err: err})
		case err != nil: // the store is away: look again
			f.nudge()
		case seq < 0 || c.lobby.Seq > seq:
			seq = c.lobby.Seq
			if n := len(c.events); n > 0 && c.events[n-1].Seq < seq {
				seq = c.events[n-1].Seq // there are more: they come with the next read
				f.nudge()
			}
			h.tell(f, c)
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
		if c.lobby, err = tx.Lobby(id); err != nil || after == c.lobby.Seq {
			return err
		}
		if after < 0 {
			// Only the last event. A watch that lacks more reads it itself.
			c.after = max(0, c.lobby.Seq-1)
		}
		c.events, err = tx.LobbyEvents(id, c.after, updatesMax)
		return err
	})
	return c, err
}

// tell hands a change to all watchers.
func (h *Hub) tell(f *feed, c *change) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range f.watches {
		select {
		case w.changes <- c:
		default:
			Note(w.behind)
		}
	}
}

func (f *feed) nudge() { Note(f.wake) }

// Note puts a token into a channel of capacity one, unless it has one.
func Note(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Wake is called after the commit of a transaction that changed a lobby. An empty id
// has no effect.
func (h *Hub) Wake(id model.LobbyID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f := h.feeds[id]; f != nil {
		f.nudge()
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
	for _, tell := range h.rechecked {
		tell(a)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.feeds {
		for w := range f.watches {
			if a == "" || w.account == a {
				Note(w.again)
			}
		}
	}
}

// Watched lists the lobbies with watchers in this process.
func (h *Hub) Watched() []model.LobbyID {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.feeds))
}

// Poll wakes the feeds of lobbies that another process changed.
func (h *Hub) Poll(ctx context.Context) error {
	ids := h.Watched()
	if len(ids) == 0 {
		return nil
	}
	seqs, err := core.Get(ctx, h.Core, func(tx *db.Tx) (map[model.LobbyID]int64, error) { return tx.LobbySeqs(ids) })
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, seq := range seqs {
		if f := h.feeds[id]; f != nil && f.polled != seq {
			f.polled = seq
			f.nudge()
		}
	}
	return nil
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

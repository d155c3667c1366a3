package match

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// admission lets clients in: from the request for a socket to the seat.
type admission struct {
	*host
	registry  *registry
	opening   sync.Mutex
	sockets   sync.WaitGroup
	admitting sync.RWMutex // see [Service.HandOver]
}

func (d *admission) open(w http.ResponseWriter, r *http.Request, from netip.Addr, carried bool) {
	if !d.cfg.Origin(r) {
		d.cfg.Refuse(w, listen.ErrOrigin)
		return
	}
	who := quota.Payer{Address: from}
	if err := d.cfg.Ledger.Spend(quota.Handshakes, who, 1); err != nil {
		d.cfg.Refuse(w, err)
		return
	}
	early, err := d.cfg.Ledger.Take(quota.EarlySockets, who, 1)
	if err != nil {
		d.cfg.Refuse(w, err)
		return
	}
	by := &caller{from: from, counted: true, id: listen.VisitOf(r.Context()).ID, hold: early}
	if d.cfg.Carry != nil && !carried {
		by.request, w = r, link.Detachable(w)
	}
	d.upgrade(w, r, by)
}

// upgrade turns a request into a socket. Closing the socket releases the caller's
// quotas.
func (d *admission) upgrade(w http.ResponseWriter, r *http.Request, by *caller) {
	t, err := link.Upgrade(w, r, d.log, cmp.Or(d.cfg.Sockets, link.DefaultTimeouts))
	if err != nil {
		by.end()
		return // Upgrade has answered
	}
	if !d.begins() {
		by.end()
		t.Close()
		return
	}
	// The handler's goroutine and its buffers are freed.
	go func() {
		defer d.sockets.Done()
		defer panics.Catch(d.log, "upgrade", func() { by.end(); t.Close() })
		d.serve(t, by)
	}()
}

// begins counts a connection that begins. It reports false once the service stops.
func (d *admission) begins() bool {
	d.opening.Lock()
	defer d.opening.Unlock()
	if d.ctx.Err() != nil {
		return false
	}
	d.sockets.Add(1)
	return true
}

// Take is [Service.Serve] for a client of an address: its connection counts as a socket does. It
// is the function for a [link.Driver].
func (d *admission) Take(t link.Transport, from netip.Addr) {
	who := quota.Payer{Address: from}
	err := d.cfg.Ledger.Spend(quota.Handshakes, who, 1)
	var early *quota.Hold
	if err == nil {
		early, err = d.cfg.Ledger.Take(quota.EarlySockets, who, 1)
	}
	by := &caller{from: from, counted: true, hold: early}
	switch {
	case err != nil:
		link.Dismiss(d.log, t, &link.Refusal{Code: "too_many_sockets", Text: err.Error()})
	case !d.begins():
		by.end()
	default:
		defer d.sockets.Done()
		d.serve(t, by)
	}
	t.Close()
}

// serve serves one connection. At the end it releases the caller's quotas. A panic ends
// this connection only.
func (d *admission) serve(t link.Transport, by *caller) {
	defer by.end()
	defer panics.Catch(d.log, "socket", func() { t.Close() })
	stop := context.AfterFunc(d.ctx, func() { t.Close() })
	defer stop()
	conn, m, err := d.admit(t, by)
	if errors.Is(err, ErrNoMatch) {
		err = errNoMatch
	}
	if gone := (*away)(nil); errors.As(err, &gone) && gone.place.Node != "" && by.request != nil {
		stop()
		d.carry(t.(*link.Socket), by, gone.place)
		return
	}
	by.request = nil
	if err != nil {
		d.log.Debug("connection without a seat", "id", by.id, "error", err)
		if no := link.FaultOf(err); no != nil {
			link.Dismiss(d.log, t, no)
		}
		t.Close()
		return
	}
	stop() // from here on the match ends the connection, with a reason
	conn.Serve(d.ctx, d.log, func(err error) {
		level := slog.LevelInfo
		if by.id == "" { // a bot of this server
			level = slog.LevelDebug
		}
		d.log.Log(d.ctx, level, "connection ended", "id", by.id, "account", by.account, "match", m.spec.ID, "slot", conn.seat.slot, "error", err)
		if no := link.FaultOf(err); no != nil {
			m.do(context.Background(), func(m *live) { m.refuse(conn, no) })
		}
	})
}

// errNoMatch refuses a client whose match runs nowhere.
var errNoMatch = &link.Refusal{Code: "no_match", Text: "this match is over or runs elsewhere"}

// admit reads the first message and takes the seat that it entitles to.
func (d *admission) admit(t link.Transport, by *caller) (conn *connection, m *live, err error) {
	f, b, err := link.ReadHello(t)
	if err != nil {
		return nil, nil, err
	}
	// A match is not handed over while a ticket for it is being used up.
	d.admitting.RLock()
	defer d.admitting.RUnlock()
	seat, err := d.seatFor(f.Hello, by.from)
	if err == nil {
		m, err = d.registry.locate(seat.Match)
	}
	if err != nil {
		return nil, nil, err
	}
	by.account = seat.Account
	conn = newConnection(t, f, by)
	conn.CountReceived(b)
	var refused error
	if err := m.do(d.ctx, func(m *live) { refused = m.join(conn, seat) }); err != nil && d.ctx.Err() != nil {
		return nil, nil, &link.Refusal{Code: "stopping", Text: "the server is stopping"}
	} else if errors.Is(err, ErrNoMatch) {
		return nil, nil, d.registry.elsewhere(seat.Match) // it left meanwhile
	} else if err != nil {
		return nil, nil, err
	}
	if no := (*link.Refusal)(nil); errors.As(refused, &no) && forGood(no) && f.Hello.Resume == "" {
		ctx, cancel := context.WithTimeout(d.ctx, link.HelloWait)
		defer cancel()
		d.cfg.Admitter.Release(ctx, seat, no)
	}
	return conn, m, refused
}

// resumeWait is how long a player who resumes waits for the answer of the
// [Admitter]. After that its token is enough.
const resumeWait = time.Second

func (d *admission) seatFor(h *wire.Hello, from netip.Addr) (Seat, error) {
	if h.Resume != "" {
		seat, ok := d.seatOf(h.Resume)
		if !ok {
			return Seat{}, &link.Refusal{Code: "bad_token", Text: "invalid resume token"}
		}
		if _, err := d.registry.locate(seat.Match); err != nil {
			return Seat{}, err
		}
		ctx, cancel := context.WithTimeout(d.ctx, resumeWait)
		defer cancel()
		if err := d.cfg.Admitter.Resume(ctx, seat, from); errors.As(err, new(*link.Refusal)) {
			return Seat{}, err
		}
		return seat, nil
	}
	if seat, ok := d.seatOf(h.Ticket); ok && seat.StandIn {
		return seat, nil // the match itself made this ticket
	}
	ctx, cancel := context.WithTimeout(d.ctx, link.HelloWait)
	defer cancel()
	seat, err := d.cfg.Admitter.Redeem(ctx, h.Ticket, from)
	var away *Elsewhere
	if errors.As(err, &away) {
		if _, err = d.registry.locate(away.Match); err == nil { // it has come here meanwhile
			seat, err = d.cfg.Admitter.Redeem(ctx, h.Ticket, from)
		}
		if errors.As(err, &away) || errors.Is(err, ErrNoMatch) {
			err = link.Moved("")
		}
		if err != nil {
			return Seat{}, err
		}
	}
	if err != nil && !errors.As(err, new(*link.Refusal)) && !errors.Is(err, ErrNoMatch) {
		d.log.Error("a ticket could not be looked at", "error", err)
		err = &link.Refusal{Code: "internal", Text: "the server could not check the ticket; try again"}
	}
	return seat, err
}

// count makes an early socket a socket with a seat. The connection that it replaces, if any,
// is not in its way: an account at its limit may still come back to its own seat. Until
// the old connection has ended, the ledger counts both for its address.
func (d *admission) count(c *caller, seat Seat, old *connection) error {
	if !c.counted {
		return nil
	}
	who := quota.Payer{Account: seat.Account, Address: c.from, Trusted: seat.Known}
	hold, err := d.cfg.Ledger.Take(quota.Sockets, who, 1)
	var no *quota.Refusal
	if errors.As(err, &no) && no.Scope == quota.Account && old != nil {
		old.by.disown()
		hold, err = d.cfg.Ledger.Take(quota.Sockets, who, 1)
	}
	if errors.As(err, &no) {
		code := "too_many_sockets"
		if no.Full() {
			code = "server_full"
		}
		return &link.Refusal{Code: code, Text: no.Error()}
	}
	c.holds(hold)
	return nil
}

// carry passes the socket of a client on to the process that runs its match. It returns once
// the connection has ended.
func (d *admission) carry(t *link.Socket, by *caller, to shared.Whereabouts) {
	defer t.Close()
	out := &carried{header: http.Header{}, socket: t}
	why := link.FaultOf(d.count(by, Seat{}, nil))
	if why == nil {
		d.metrics.carried.Inc()
		defer d.metrics.carried.Dec()
		d.cfg.Carry(out, by.request.WithContext(d.ctx), to.Node)
		why = link.Moved("") // the match may be somewhere else soon
	}
	if out.status == http.StatusTooManyRequests {
		why = &link.Refusal{Code: "too_many_sockets", Text: "your account or your network has too many sockets"}
	}
	if !out.taken {
		link.Dismiss(d.log, t, why)
	}
}

// settleWait is how long a hand-over waits for players whose ticket is used up and who
// have no seat yet.
const settleWait = time.Second

// settleAdmissions waits until no player is between a ticket and a seat. From now on this
// process uses up no ticket of a match that it hands over ([Service.Runs]).
func (d *admission) settleAdmissions(ctx context.Context) {
	end := time.Now().Add(settleWait)
	for !d.admitting.TryLock() {
		if ctx.Err() != nil || time.Now().After(end) {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	d.admitting.Unlock()
}

// forGood reports whether a match that refuses so never has a place for this one. A
// player who finds the match over keeps the seat in the lobby for the next match, and so
// does a player who was logged out, for the next login.
func forGood(r *link.Refusal) bool {
	row, _ := link.ClosingOf(r.Code)
	return !row.Retry && r.Code != codeEnded && r.Code != errLoggedOut.Code
}

package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
)

const (
	waitMax    = 30 * time.Second // for an opponent
	ticketLife = 30 * time.Second
	ticketsMax = 1000
	nameMax    = 40 // bytes
)

// players is this studio's accounts and lobby. It implements match.Admitter and
// match.Reporter.
type players struct {
	key   []byte // of the accounts
	log   *slog.Logger
	start func(id string, names [2]string) error

	mu      sync.Mutex
	waiting *waiter // who came first
	tickets map[[32]byte]ticket
}

type waiter struct {
	name string
	seat chan seating // closed: no match
}

// seating is what who plays is told.
type seating struct {
	Match  string `json:"match"`
	Ticket string `json:"ticket"`
}

type ticket struct {
	seat    match.Seat
	expires time.Time
}

func newPlayers(key []byte, log *slog.Logger) *players {
	return &players{key: key, log: log, tickets: map[[32]byte]ticket{}}
}

// token is who a player is, signed: name, end of its life, signature.
func token(key []byte, name string, until time.Time) string {
	body := base64.RawURLEncoding.EncodeToString([]byte(name)) + "." + strconv.FormatInt(until.Unix(), 10)
	return body + "." + base64.RawURLEncoding.EncodeToString(sign(key, body))
}

func sign(key []byte, body string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(body))
	return h.Sum(nil)
}

// who returns the name in the request's token, if it was signed here and has not
// expired.
func (p *players) who(r *http.Request) (string, bool) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	i := strings.LastIndexByte(text, '.')
	if !ok || i < 0 {
		return "", false
	}
	mac, err := base64.RawURLEncoding.DecodeString(text[i+1:])
	if err != nil || !hmac.Equal(mac, sign(p.key, text[:i])) {
		return "", false
	}
	first, last, _ := strings.Cut(text[:i], ".")
	name, err := base64.RawURLEncoding.DecodeString(first)
	until, err2 := strconv.ParseInt(last, 10, 64)
	if err != nil || err2 != nil || time.Now().Unix() >= until || len(name) == 0 || len(name) > nameMax {
		return "", false
	}
	return string(name), true
}

// play waits for an opponent and answers with a ticket for the match of both.
func (p *players) play(w http.ResponseWriter, r *http.Request) {
	name, ok := p.who(r)
	if !ok {
		http.Error(w, "log in first", http.StatusUnauthorized)
		return
	}
	me := &waiter{name: name, seat: make(chan seating, 1)}
	p.mu.Lock()
	other := p.waiting
	switch {
	case other == nil:
		p.waiting = me
	case other.name == name: // it asks again: the first question is over
		p.waiting = me
		close(other.seat)
		other = nil
	default:
		p.waiting = nil
	}
	p.mu.Unlock()
	if other != nil {
		id := uuid.Must(uuid.NewV7()).String()
		if err := p.start(id, [2]string{other.name, me.name}); err != nil {
			p.log.Error("no match", "err", err)
			close(other.seat)
			close(me.seat)
		} else {
			other.seat <- p.seating(id, 0, other.name)
			me.seat <- p.seating(id, 1, me.name)
		}
	}
	wait, stop := context.WithTimeout(r.Context(), waitMax)
	defer stop()
	var s seating
	select {
	case s = <-me.seat:
	case <-wait.Done():
		p.mu.Lock()
		still := p.waiting == me
		if still {
			p.waiting = nil
		}
		p.mu.Unlock()
		if !still { // somebody has just come: the match is being made
			s = <-me.seat
		}
	}
	if s.Ticket == "" {
		w.Header().Set("Retry-After", "1")
		http.Error(w, "no match: ask again", http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s)
}

// seating makes a ticket for a seat: random, good for once and for a short time. Only
// its hash is kept.
func (p *players) seating(id string, slot grid.Slot, name string) seating {
	secret := rand.Text()
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	for h, t := range p.tickets {
		if now.After(t.expires) {
			delete(p.tickets, h)
		}
	}
	if len(p.tickets) >= ticketsMax {
		return seating{}
	}
	p.tickets[sha256.Sum256([]byte(secret))] = ticket{
		seat: match.Seat{Match: id, Slot: slot, Account: name, Name: name}, expires: now.Add(ticketLife),
	}
	return seating{id, secret}
}

// Redeem implements match.Admitter: it uses a ticket up.
func (p *players) Redeem(_ context.Context, secret string, _ netip.Addr) (match.Seat, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := sha256.Sum256([]byte(secret))
	t, ok := p.tickets[h]
	delete(p.tickets, h)
	if !ok || time.Now().After(t.expires) {
		return match.Seat{}, &link.Refusal{Code: "bad_ticket", Text: "this ticket is not known: it was used, or it is too old"}
	}
	return t.seat, nil
}

// Resume implements match.Admitter. A player who was banned meanwhile would be
// refused here.
func (p *players) Resume(context.Context, match.Seat, netip.Addr) error { return nil }

// Release implements match.Admitter.
func (p *players) Release(_ context.Context, seat match.Seat, why *link.Refusal) {
	p.log.Info("a player is not let in", "match", seat.Match, "player", seat.Account, "why", why.Text)
}

// Ended implements match.Reporter. A studio would store the result here; an error
// has it reported again.
func (p *players) Ended(_ context.Context, r match.Result) error {
	if r.Ended == nil {
		p.log.Warn("a match broke off", "match", r.Match, "why", r.Failed)
		return nil
	}
	p.log.Info("result", "match", r.Match, "reason", r.Ended.Reason, "winner", r.Ended.Winner, "ticks", r.Ticks)
	return nil
}

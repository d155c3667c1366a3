package clustertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	lobbyclient "github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/journal"
)

// Match is a running match with its players.
type Match struct {
	Lobby   string
	ID      string
	Players []*Player
	Host    *lobbyclient.Client

	cancel context.CancelFunc
	wait   sync.WaitGroup
}

// MatchConfig says what match [NewMatch] starts.
type MatchConfig struct {
	Name    string
	URLs    []string // of the nodes: the lobby is made at the first, and players begin there
	Players int
	Bots    int    // seats of the server's own bots
	Map     string // its id; "": the smallest with room
	Seed    uint64
	Options map[string]any
}

// visitors counts the clients that [Visitor] made.
var visitors atomic.Uint32

// Visitor returns a client of a node, in a network of its own, as people on the internet
// have: the server's limits count by it. The node must run with [BelieveAddresses].
func Visitor(url string, h *http.Client) *lobbyclient.Client {
	n := visitors.Add(1)
	return &lobbyclient.Client{URL: url, HTTP: h, Header: http.Header{"X-Forwarded-For": {fmt.Sprintf("10.%d.%d.1", n>>8&255, n&255)}}}
}

// BelieveAddresses are the flags by which a node takes each player for one of another
// address, as a server does that has many players.
var BelieveAddresses = []string{"--trusted-proxies", "127.0.0.0/8"}

// NewMatch makes accounts and a lobby, starts its match and lets its players play.
func NewMatch(ctx context.Context, c MatchConfig) (*Match, error) {
	m := &Match{}
	var clients []*lobbyclient.Client
	for i := range c.Players {
		guest := Visitor(c.URLs[i%len(c.URLs)], &http.Client{Timeout: 30 * time.Second})
		if _, err := guest.Guest(ctx, fmt.Sprintf("%s-%d", c.Name, i)); err != nil {
			return nil, err
		}
		clients = append(clients, guest)
	}
	m.Host = clients[0]
	maps, err := m.Host.Maps(ctx)
	if err != nil {
		return nil, err
	}
	info, ok := MapFor(maps, c.Map, c.Players+c.Bots)
	if !ok {
		return nil, fmt.Errorf("no map %q for %d", c.Map, c.Players+c.Bots)
	}
	ground, err := m.Host.Map(ctx, info.Hash)
	if err != nil {
		return nil, err
	}
	options := map[string]any{"countdownSeconds": 0}
	for k, v := range c.Options {
		options[k] = v
	}
	l, err := m.Host.StartMatch(ctx, api.NewLobby{Name: c.Name, Map: info.ID, Limit: c.Players + c.Bots, Bots: c.Bots, Options: options}, clients[1:]...)
	if err != nil {
		return nil, err
	}
	m.Lobby = l.ID
	for i, guest := range clients {
		ticket, err := guest.SeatTicket(ctx, l.ID)
		if err != nil {
			return nil, err
		}
		m.Players = append(m.Players, NewPlayer(fmt.Sprintf("%s/%d", c.Name, i), ticket.Ticket, ground, guest.Socket(), ticket.URL, c.Seed+uint64(i)))
		m.Players[i].Silence += time.Duration(i) * silenceVary
		m.Players[i].Header = guest.Header
	}
	play, cancel := context.WithCancel(context.WithoutCancel(ctx))
	m.cancel = cancel
	for _, p := range m.Players {
		m.wait.Go(func() { p.Run(play) })
	}
	if err := m.Playing(ctx, 3); err != nil {
		m.Close()
		return nil, err
	}
	m.ID = m.Players[0].Match()
	return m, nil
}

// MapFor returns the smallest map with so many starts; id, if not empty, restricts the search to the map with that
// name.
func MapFor(maps []model.MapInfo, id string, seats int) (best model.MapInfo, ok bool) {
	for _, m := range maps {
		if id != "" && m.ID != id || m.Starts < seats {
			continue
		}
		if !ok || m.Width*m.Height < best.Width*best.Height {
			best, ok = m, true
		}
	}
	return best, ok
}

// Playing waits until each player has had so many ticks more than it had.
func (m *Match) Playing(ctx context.Context, more int) error {
	for _, p := range m.Players {
		for from, _ := p.Frame(); p.Ended() == nil; {
			if now, _ := p.Frame(); now >= from+grid.Tick(more) {
				break
			}
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s has no new frame: %w", p.Name, errors.Join(append(p.Wrong(), p.Story())...))
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	return nil
}

// Story says what a player went through, for reports.
func (p *Player) Story() error {
	conns := p.Connections()
	conns = conns[max(0, len(conns)-12):]
	var b strings.Builder
	tick, at := p.Frame()
	fmt.Fprintf(&b, "%s: tick %d at %s; its last connections:", p.Name, tick, at.Format("15:04:05.000"))
	for _, c := range conns {
		fmt.Fprintf(&b, "\n  %s %s: %s", c.Began.Format("15:04:05.000"), c.URL, c.Why)
	}
	return errors.New(b.String())
}

// Wait waits until all players have seen the end.
func (m *Match) Wait(ctx context.Context) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.wait.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		var errs []error
		for _, p := range m.Players {
			if p.Ended() == nil {
				errs = append(errs, append(p.Wrong(), p.Story())...)
			}
		}
		return fmt.Errorf("match %s does not end: %w", m.ID, errors.Join(errs...))
	}
}

// Close lets the players go, wherever they are.
func (m *Match) Close() {
	m.cancel()
	m.wait.Wait()
}

// Over waits until the journal of a match has its end. The server tells
// players of the end as soon as the records before it are on disk.
func Over(ctx context.Context, read journal.Reader) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for ; ; time.Sleep(50 * time.Millisecond) { // the server is another process
		sum, err := journal.Walk(read, nil)
		if err == nil && sum.Ended != nil {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("match %s: its journal has no end: %w", sum.Header.Match, errors.Join(err, ctx.Err()))
		}
	}
}

// NewSpectator makes a guest who sits down as a spectator of a match that runs.
func NewSpectator(ctx context.Context, name string, urls []string, m *Match) (*Viewer, error) {
	guest := Visitor(urls[0], &http.Client{Timeout: 30 * time.Second})
	if _, err := guest.Guest(ctx, name); err != nil {
		return nil, err
	}
	if _, err := guest.Join(ctx, m.Lobby, api.JoinRequest{Spectate: true}); err != nil {
		return nil, err
	}
	return NewViewer(ctx, name, urls, guest, m.ID)
}

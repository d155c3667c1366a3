package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/lobby"
)

// Maps is a library of three maps.
type Maps struct{}

var maps = []lobby.MapInfo{
	{ID: "ford", Name: "Ford", Hash: "aa", Width: 64, Height: 48, Starts: 2},
	{ID: "delta", Name: "Delta", Hash: "bb", Width: 96, Height: 96, Starts: 4},
	{ID: "ring", Name: "Ring", Hash: "cc", Width: 128, Height: 128, Starts: 8},
}

// Maps implements lobby.Maps.
func (Maps) Maps() []lobby.MapInfo { return maps }

// Map implements lobby.Maps.
func (Maps) Map(id string) (lobby.MapInfo, bool) {
	for _, m := range maps {
		if m.ID == id {
			return m, true
		}
	}
	return lobby.MapInfo{}, false
}

// Matches is a match service that only keeps a list.
type Matches struct {
	mu        sync.Mutex
	specs     map[lobby.MatchID]lobby.Spec
	asked     int  // calls of Live
	FailStart bool // the next starts fail
	Kicked    []lobby.AccountID
	// InPreLogin is called by PreLogin, which is inside the transaction that
	// takes a seat.
	InPreLogin func()
	// Disconnected has an account and a code for each.
	Disconnected []string
	Ended        []lobby.Ending // all of them
	// Sockets is what Live tells of every match.
	Sockets   []lobby.LiveSocket
	Announced []string
	Aborted   []lobby.MatchID
	NoRoom    error        // what Room answers
	Starters  []budget.Who // it was asked for
	Kept      []string     // a match and whether it is kept
	Budgets   []string     // "match slot bytes operator"
}

// NewMatches returns an empty one.
func NewMatches() *Matches { return &Matches{specs: map[lobby.MatchID]lobby.Spec{}} }

// Check implements lobby.Matches: the modes "chess" and "go" are not played
// here, and only of go it is said in the lobby's words.
func (m *Matches) Check(s lobby.Spec) error {
	switch s.Options.Mode {
	case "chess":
		return errors.New("there is no mode chess")
	case "go":
		return &lobby.Error{Code: lobby.BadOption, Field: "mode", Detail: "nobody plays go"}
	}
	return nil
}

// PreLogin implements lobby.Matches: the ruleset "members" takes no guests.
func (m *Matches) PreLogin(o lobby.Options, a lobby.Account, r lobby.Occupancy) error {
	if m.InPreLogin != nil {
		m.InPreLogin()
	}
	if !r.Spectates && r.Taken >= r.Seats {
		return errors.New("nobody asks about a full room")
	}
	if o.Ruleset == "members" && a.Guest {
		return errors.New("members only")
	}
	return nil
}

// CanStart implements lobby.Matches.
func (m *Matches) CanStart(s lobby.Spec) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Starters = append(m.Starters, s.Who)
	return m.NoRoom
}

// Start implements lobby.Matches.
func (m *Matches) Start(_ context.Context, s lobby.Spec) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.FailStart {
		return &lobby.Error{Code: lobby.StartFailed, Detail: "slot 1: 2 of 9 start units placed", Err: errors.New("no room for a match")}
	}
	m.specs[s.Match] = s
	return nil
}

// Abort implements lobby.Matches. The test reports the end.
func (m *Matches) Abort(_ context.Context, id lobby.MatchID, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Aborted = append(m.Aborted, id)
	delete(m.specs, id)
	return nil
}

// Keep implements lobby.Matches.
func (m *Matches) Keep(_ context.Context, id lobby.MatchID, on bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Kept = append(m.Kept, fmt.Sprint(id, " ", on))
	return nil
}

// SetBudget implements lobby.Matches.
func (m *Matches) SetBudget(_ context.Context, id lobby.MatchID, b lobby.Budget) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	slot := "all"
	if b.Slot != nil {
		slot = fmt.Sprint(*b.Slot)
	}
	m.Budgets = append(m.Budgets, fmt.Sprint(id, " ", slot, " ", b.BytesPerS, " ", b.Operator))
	return nil
}

// End implements lobby.Matches.
func (m *Matches) End(_ context.Context, a lobby.AccountID, e lobby.Ending) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Ended = append(m.Ended, e)
	if e.ForGood {
		m.Kicked = append(m.Kicked, a)
	} else {
		m.Disconnected = append(m.Disconnected, string(a)+" "+string(e.Why.Code))
	}
	return nil
}

// Announce implements lobby.Matches.
func (m *Matches) Announce(_ context.Context, _ lobby.MatchID, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Announced = append(m.Announced, text)
	return nil
}

// Live implements lobby.Matches.
func (m *Matches) Live() []lobby.LiveMatch {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	var out []lobby.LiveMatch
	for id := range m.specs {
		out = append(out, lobby.LiveMatch{Match: id, Sockets: m.Sockets})
	}
	return out
}

// Spec returns what a match was started with.
func (m *Matches) Spec(id lobby.MatchID) (lobby.Spec, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.specs[id]
	return s, ok
}

// Lose forgets a match, as a crash without a journal would.
func (m *Matches) Lose(id lobby.MatchID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.specs, id)
}

// Bots notes what it was given.
type Bots struct {
	mu      sync.Mutex
	Tickets []lobby.Secret
	Levels  []lobby.BotLevel // of each ticket
}

// Play implements lobby.Bots.
func (b *Bots) Play(_ context.Context, ticket lobby.Secret, _ lobby.MatchID, level lobby.BotLevel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Tickets, b.Levels = append(b.Tickets, ticket), append(b.Levels, level)
}

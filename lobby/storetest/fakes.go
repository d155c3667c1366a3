package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/shared"
)

// Maps is a library of three maps.
type Maps struct{}

var maps = []model.MapInfo{
	{ID: "ford", Name: "Ford", Hash: "aa", Width: 64, Height: 48, Starts: 2},
	{ID: "delta", Name: "Delta", Hash: "bb", Width: 96, Height: 96, Starts: 4},
	{ID: "ring", Name: "Ring", Hash: "cc", Width: 128, Height: 128, Starts: 8},
}

// Maps implements model.Maps.
func (Maps) Maps() []model.MapInfo { return maps }

// Map implements model.Maps.
func (Maps) Map(id string) (model.MapInfo, bool) {
	for _, m := range maps {
		if m.ID == id {
			return m, true
		}
	}
	return model.MapInfo{}, false
}

// Matches is a match service that only keeps a list.
type Matches struct {
	mu        sync.Mutex
	specs     map[model.MatchID]model.Spec
	calls     int  // calls of Live and Where
	FailStart bool // the next starts fail
	Kicked    []model.AccountID
	// InPreLogin is called by PreLogin, which is inside the transaction that
	// takes a seat.
	InPreLogin func()
	// Disconnected has an account and a code for each.
	Disconnected []string
	Ended        []model.Ending // all endings
	// Sitting is what Live tells of every match.
	Sitting   []model.LiveSocket
	Gone      []model.AccountID       // away from their seats, as the match says
	Holds     map[int]model.AccountID // by slot: the account that has taken it over in the match
	Out       []int                   // slots of seats that are out
	Announced []string
	Muted     map[model.AccountID]time.Time
	Aborted   []model.MatchID
	NoRoom    error         // what Room answers
	Starters  []quota.Payer // it was asked for
	Kept      []string      // a match and whether it is kept
	Budgets   []string      // "match slot bytes operator"
	// At is what Where answers of matches that do not run here. StartAt is the node
	// that starts them; "": this one, which is called local.
	At      map[model.MatchID]shared.Whereabouts
	StartAt string
}

// NewMatches returns an empty one.
func NewMatches() *Matches {
	return &Matches{specs: map[model.MatchID]model.Spec{}, At: map[model.MatchID]shared.Whereabouts{}}
}

// Factions lists the factions of the ruleset "sides".
func (m *Matches) Factions(ruleset string) []model.FactionInfo {
	if ruleset != "sides" {
		return nil
	}
	return []model.FactionInfo{{Name: "north"}, {Name: "south"}}
}

// Check implements model.Matches: the modes "chess" and "go" are not played here, and
// only of go it is said in the lobby's words.
func (m *Matches) Check(s model.Spec) error {
	switch s.Options.Mode {
	case "chess":
		return errors.New("there is no mode chess")
	case "go":
		return &model.Error{Code: model.BadOption, Field: "mode", Detail: "nobody plays go"}
	}
	return nil
}

// PreLogin implements model.Matches: the ruleset "members" takes no guests.
func (m *Matches) PreLogin(o model.Options, a model.Account, r model.Occupancy) error {
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

// CanStart implements model.Matches.
func (m *Matches) CanStart(s model.Spec) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Starters = append(m.Starters, s.Payer)
	return m.NoRoom
}

// Start implements model.Matches.
func (m *Matches) Start(_ context.Context, s model.Spec) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.FailStart {
		return "", &model.Error{Code: model.StartRefused, Field: "map", Detail: "slot 1: 2 of 9 start units placed", Err: errors.New("no room for a match")}
	}
	if m.StartAt != "" {
		m.At[s.Match] = shared.Whereabouts{State: shared.WhereRuns, Node: m.StartAt}
		return m.StartAt, nil
	}
	m.specs[s.Match] = s
	return "local", nil
}

// Runs implements model.Matches.
func (m *Matches) Runs(id model.MatchID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.specs[id]
	return ok
}

// Where implements model.Matches.
func (m *Matches) Where(_ context.Context, id model.MatchID) shared.Whereabouts {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	if _, ok := m.specs[id]; ok {
		return shared.Whereabouts{State: shared.WhereRuns, Node: "local"}
	}
	return m.At[id]
}

// Abort implements model.Matches. The test reports the end.
func (m *Matches) Abort(_ context.Context, id model.MatchID, _ string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Aborted = append(m.Aborted, id)
	delete(m.specs, id)
	return nil
}

// Keep implements model.Matches.
func (m *Matches) Keep(_ context.Context, id model.MatchID, on bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Kept = append(m.Kept, fmt.Sprint(id, " ", on))
	return nil
}

// SetBudget implements model.Matches.
func (m *Matches) SetBudget(_ context.Context, id model.MatchID, b model.Budget) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	place := "all"
	if b.Start != nil {
		place = fmt.Sprint(*b.Start)
	}
	m.Budgets = append(m.Budgets, fmt.Sprint(id, " ", place, " ", b.BytesPerS, " ", b.Operator))
	return nil
}

// End implements model.Matches.
func (m *Matches) End(_ context.Context, a model.AccountID, e model.Ending) error {
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

// Announce implements model.Matches.
func (m *Matches) Announce(_ context.Context, _ model.MatchID, text string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Announced = append(m.Announced, text)
	return nil
}

// Mute implements model.Matches.
func (m *Matches) Mute(accounts map[model.AccountID]time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Muted = accounts
}

// Live implements model.Matches.
func (m *Matches) Live() []model.LiveMatch {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	var out []model.LiveMatch
	for id := range m.specs {
		out = append(out, model.LiveMatch{Match: id, Node: "local", Sockets: m.Sitting})
	}
	return out
}

// LiveAll implements model.Matches.
func (m *Matches) LiveAll(context.Context) []model.LiveMatch { return m.Live() }

// Seats implements model.Matches: the seats of accounts in Gone are away, the slots in
// Out are out.
func (m *Matches) Seats(_ context.Context, id model.MatchID) ([]model.LiveSeat, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	spec, ok := m.specs[id]
	var out []model.LiveSeat
	for _, p := range spec.Participants {
		seat := model.LiveSeat{Start: p.Start, Account: p.Account}
		if a, has := m.Holds[p.Start]; has {
			seat.Account = a
		}
		switch {
		case slices.Contains(m.Out, p.Start):
			seat.State = model.SeatOut
		case slices.Contains(m.Gone, seat.Account):
			seat.State = model.SeatAway
		}
		out = append(out, seat)
	}
	return out, ok
}

// Spec returns the Spec with which a match was started.
func (m *Matches) Spec(id model.MatchID) (model.Spec, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.specs[id]
	return s, ok
}

// Lose forgets a match, as a crash without a journal would.
func (m *Matches) Lose(id model.MatchID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.specs, id)
}

// Bots notes its bots.
type Bots struct {
	mu      sync.Mutex
	Tickets []model.Secret
	Levels  []model.BotLevel // of each ticket
}

// Play implements model.Bots.
func (b *Bots) Play(_ context.Context, ticket model.Secret, _ model.MatchID, level model.BotLevel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Tickets, b.Levels = append(b.Tickets, ticket), append(b.Levels, level)
}

// Replays is a replay service that only keeps lists.
type Replays struct {
	mu       sync.Mutex
	Watched  []shared.Viewing
	Ended    []string                // "account match code"
	Refused  map[model.MatchID]error // what Check answers
	Redacted []model.Redaction
	Runs     map[model.MatchID]bool // matches that Redact reports as running

	Log     []model.MatchEvent // of each match; nil: Events makes as many as are asked for
	LogEnds time.Time          // the moment of the last one
	Now     func() time.Time
}

// Check implements replay.Replays.
func (r *Replays) Check(_ context.Context, m model.MatchID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Refused[m]
}

// Glance implements replay.Replays.
func (r *Replays) Glance(ctx context.Context, m model.MatchID) error { return r.Check(ctx, m) }

// Viewings implements replay.Replays.
func (r *Replays) Viewings() []shared.Viewing {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.Watched)
}

// End implements replay.Replays.
func (r *Replays) End(a model.AccountID, m model.MatchID, why *model.Error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Ended = append(r.Ended, string(a)+" "+string(m)+" "+string(why.Code))
	r.Watched = slices.DeleteFunc(r.Watched, func(v shared.Viewing) bool { return v.Account == a && v.Match == m })
}

// Renew implements replay.Replays.
func (r *Replays) Renew(w shared.Right) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.Watched {
		if v := &r.Watched[i]; v.Account == w.Account && v.Match == w.Match {
			v.Names = w.Names
		}
	}
}

// Said implements replay.Replays: the lines of a match of 1000 ticks, as one that the caller hears.
func (r *Replays) Said(ctx context.Context, m model.MatchID, start int, allies bool, until uint32) ([]model.ReportLine, uint32, error) {
	return []model.ReportLine{{Tick: until, Text: fmt.Sprint("seat ", start, " allies ", allies)}}, 1000, r.Check(ctx, m)
}

// Events implements replay.Replays: each second of delay is the number of an event. With a Log, an event comes each
// second up to the last one.
func (r *Replays) Events(_ context.Context, m model.MatchID, delay time.Duration, after, limit int) (model.MatchEvents, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.Refused[m]; err != nil {
		return model.MatchEvents{}, err
	}
	if r.Log != nil {
		known := max(0, len(r.Log)+min(0, int(r.Now().Add(-delay).Sub(r.LogEnds)/time.Second)))
		last := max(after, min(known, after+limit))
		return model.MatchEvents{Events: r.Log[min(after, last):last], Next: last, Complete: last == len(r.Log)}, nil
	}
	return model.MatchEvents{Events: make([]model.MatchEvent, limit), Next: after + limit, Until: uint32(delay / time.Second)}, nil
}

// Archive implements replay.Replays: the match's id is its only line.
func (r *Replays) Archive(_ context.Context, m model.MatchID, _ bool) (func(io.Writer) error, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return func(w io.Writer) error {
		_, err := io.WriteString(w, string(m)+"\n")
		return err
	}, r.Refused[m]
}

// Redact implements replay.Replays.
func (r *Replays) Redact(_ context.Context, m model.MatchID, a model.AccountID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Runs[m] {
		return model.MatchRuns
	}
	r.Redacted = append(r.Redacted, model.Redaction{Match: m, Account: a})
	return nil
}

// Starts is a maker of beginnings: each has the tick, and of odd ticks start point 1 is
// out.
type Starts struct {
	Refuse error
	Asked  int
}

// Scenario implements room.Starts: seats of two teams at the start points 0 and 1; the
// second is a bot's if the file says "bot".
func (s *Starts) Scenario(_ context.Context, file []byte) (room.Scene, error) {
	s.Asked++
	if s.Refuse != nil {
		return room.Scene{}, s.Refuse
	}
	x := room.Scene{
		Name: "Hill", Map: model.MapInfo{Name: "drawn", Starts: 2}, Options: model.DefaultOptions(), Setup: file,
		Seats: []model.OriginSeat{{Start: 1, Team: 5, Color: 1, Name: "South"}, {Start: 0, Team: 0, Color: 0, Name: "North"}},
	}
	if string(file) == "bot" {
		x.Bots = []int{1}
	}
	return x, nil
}

// Branch implements room.Starts.
func (s *Starts) Branch(_ context.Context, m model.Match, tick uint32) (room.Start, error) {
	s.Asked++
	if s.Refuse != nil {
		return room.Start{}, s.Refuse
	}
	start := room.Start{Setup: fmt.Appendf(nil, "%s at %d", m.ID, tick)}
	if tick%2 == 1 {
		start.Out = []int{1}
	}
	return start, nil
}

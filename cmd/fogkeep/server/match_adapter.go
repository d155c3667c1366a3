package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// matchAdapter is the match service as the lobby asks for it.
type matchAdapter struct {
	*match.Service
	node     string // the name of this one
	maps     mapCatalogue
	rulesets *rulesetLibrary
	ticked   func(match string, took, late time.Duration) // nil: not measured
	// startSetup returns the start of a lobby's matches that have an origin.
	startSetup func(context.Context, model.LobbyID) ([]byte, error)
}

var _ model.Matches = (*matchAdapter)(nil)

// spec turns the lobby's plan into a match's spec. A seat's place in Seats is its slot.
// The start points of the lobby's seats may have gaps.
//
// A match that begins from a state has no map and no rules yet: [matchAdapter.begin]
// takes them from the lobby's plan, whether they are offered or not.
func (a *matchAdapter) spec(s model.Spec) (spec.Match, error) {
	var m *grid.Map
	var played *rules.Ruleset
	packHash := ""
	if s.From == nil {
		var ok bool
		if m, ok = a.maps.Edition(s.Map.ID, s.Options.Occlusion); !ok {
			return spec.Match{}, &model.Error{Code: model.UnknownMap, Field: "map", Detail: fmt.Sprintf("%q is not offered any more", s.Map.ID)}
		}
		if played, packHash, ok = a.rulesets.find(s.Options.Ruleset); !ok {
			return spec.Match{}, &model.Error{Code: model.BadOption, Field: "ruleset", Detail: fmt.Sprintf("unknown ruleset %q: the rulesets are %s", s.Options.Ruleset, strings.Join(a.rulesets.ids(), ", "))}
		}
	}
	out := spec.Match{
		ID: string(s.Match), Map: m, Rules: played, Pack: packHash, Seed: s.Seed, TickRate: s.Options.TicksPerSecond, SpeedPercent: s.Options.SpeedPercent,
		Options: simOptions(s.Options), Payer: s.Payer,
	}
	out.Spectators, out.SpectatorDelay = s.Options.Spectators, time.Duration(s.Options.SpectatorDelay)*time.Second
	out.VoteQuorum, out.VoteRest = s.Options.VoteQuorum, time.Duration(s.Options.VoteCooldown)*time.Second
	if s.Options.Votes == model.VotesSpeed {
		out.Votes = spec.VotesSpeed
	}
	out.Options.Leavers, out.StandIn = leaversOf(s.Options)
	if a.ticked != nil {
		out.OnTick = func(x spec.Ticked) { a.ticked(out.ID, x.Took, x.Late) }
	}
	for _, p := range s.Participants {
		seat := spec.Seat{Name: p.Name, Team: p.Team, Start: p.Start, Color: p.Color, Bot: p.Bot, Account: string(p.Account), Deaf: p.Deaf, Handicap: p.Handicap}
		if played != nil {
			seat.Faction = played.FactionByName(p.Faction)
		}
		if skill, err := bot.Parse(string(p.Level)); err == nil && p.Bot {
			seat.Income = skill.Income()
		}
		out.Seats = append(out.Seats, seat)
	}
	return out, nil
}

// Check implements model.Matches. A lobby that is being made has no seats yet: the checks
// that depend on them assume that all starts are taken.
func (a *matchAdapter) Check(s model.Spec) error {
	played, err := a.spec(s)
	if err != nil {
		return err
	}
	if s.From != nil {
		err = played.CheckService() // the rest is settled
	} else {
		if len(played.Seats) == 0 {
			for i := range played.Map.Starts {
				played.Seats = append(played.Seats, spec.Seat{Team: grid.Team(i % grid.TeamsMax), Start: i})
			}
		}
		err = a.Service.Check(played)
	}
	if o := (*sim.OptionError)(nil); errors.As(err, &o) {
		return &model.Error{Code: model.BadOption, Field: optionName(o.Option), Detail: o.Why}
	}
	return err
}

// Factions implements model.Matches.
func (a *matchAdapter) Factions(ruleset string) []model.FactionInfo {
	if rs, _, ok := a.rulesets.find(ruleset); ok {
		return infoOf(ruleset, rs).Factions
	}
	return nil
}

func (a *matchAdapter) PreLogin(o model.Options, _ model.Account, r model.Occupancy) error {
	played, _, ok := a.rulesets.find(o.Ruleset)
	if !ok { // a match from a saved state has a ruleset of its own
		played = &rules.Ruleset{Modes: []rules.Mode{{Name: o.Mode}}}
	}
	if r.Spectates {
		r.Taken = -1
	}
	return sim.Admit(played, simOptions(o), r.Seats, r.Taken)
}

// simOptions returns the lobby's options in the units of the simulation.
func simOptions(o model.Options) sim.Options {
	const minute = 60_000
	return sim.Options{
		Mode: o.Mode, ScoreLimit: int32(o.ScoreLimit), NoReveal: !o.RevealOnFire, TimeLimitMs: int32(o.TimeLimitMinutes) * minute,
		AbandonMs: int32(cmp.Or(o.AbandonMinutes, model.AbandonMinutes)) * minute, // a match of an older build lacks it
	}
}

// leaversOf returns the rule for players who leave, and the level of the bots that play on for
// them.
func leaversOf(o model.Options) (rule sim.Leavers, level string) {
	if o.Leavers == model.LeaversRules {
		return "", ""
	}
	word, level, _ := strings.Cut(o.Leavers, "-")
	return sim.Leavers(word), level
}

// optionName is the lobby's name of a sim.OptionError's option.
func optionName(term string) string {
	for i := range model.OptionTable {
		if model.OptionTable[i].Term == term {
			return model.OptionTable[i].Name
		}
	}
	return ""
}

func (a *matchAdapter) CanStart(s model.Spec) error {
	played, err := a.spec(s)
	if err != nil {
		return err
	}
	return startError(a.Service.Room(played))
}

// startError is why a match is not started, as the lobby tells it.
func startError(err error) error {
	for _, why := range []error{match.ErrDiskLow, match.ErrBusy} {
		if errors.Is(err, why) {
			return &model.Error{Code: model.ServerFull, Detail: why.Error(), RetryAfter: time.Minute, Err: err}
		}
	}
	return err
}

func (a *matchAdapter) Start(ctx context.Context, s model.Spec) (string, error) {
	played, err := a.spec(s)
	if err == nil && s.From != nil && !a.Runs(s.Match) {
		err = a.begin(ctx, s, &played)
	}
	if err != nil {
		return "", err
	}
	err = a.Service.Start(played)
	if room := (*sim.StartError)(nil); errors.As(err, &room) {
		return "", &model.Error{Code: model.StartRefused, Field: "map", Detail: room.Error(), Err: err}
	}
	return a.node, startError(err)
}

func (a *matchAdapter) Runs(id model.MatchID) bool {
	_, ok := a.Match(string(id))
	return ok
}

func (a *matchAdapter) Where(_ context.Context, id model.MatchID) shared.Whereabouts {
	if a.Runs(id) {
		return shared.Whereabouts{State: shared.WhereRuns, Node: a.node}
	}
	if why, ok := a.Waits(string(id)); ok {
		return shared.Whereabouts{State: shared.WhereWaits, Node: a.node, Why: why.Error()}
	}
	return shared.Whereabouts{}
}

func (a *matchAdapter) LiveAll(context.Context) []model.LiveMatch { return a.Live() }

func (a *matchAdapter) Seats(_ context.Context, id model.MatchID) ([]model.LiveSeat, bool) {
	m, ok := a.Match(string(id))
	out := make([]model.LiveSeat, len(m.Seats))
	for i := range m.Seats {
		s := &m.Seats[i]
		out[i] = model.LiveSeat{Start: s.Start, Account: model.AccountID(s.Account)}
		switch {
		case s.Out:
			out[i].State = model.SeatOut
		case s.Away:
			out[i].State = model.SeatAway
		}
	}
	return out, ok
}

func (a *matchAdapter) Abort(ctx context.Context, id model.MatchID, reason string) error {
	return a.Service.Abort(ctx, string(id), reason)
}

func (a *matchAdapter) Keep(ctx context.Context, id model.MatchID, on bool) error {
	return a.Service.Keep(ctx, string(id), on)
}

func (a *matchAdapter) SetBudget(ctx context.Context, id model.MatchID, b model.Budget) error {
	out := match.Budget{BytesPerS: b.BytesPerS, Operator: b.Operator}
	if b.Start != nil {
		m, _ := a.Match(string(id))
		if out.OneSlot, out.Slot = true, m.SlotAt(*b.Start); out.Slot == grid.NoSlot {
			return model.NoSuchSeat
		}
	}
	err := a.Service.SetBudget(ctx, string(id), out)
	if errors.Is(err, match.ErrNoMatch) {
		return model.MatchOver
	}
	return err
}

func (a *matchAdapter) End(ctx context.Context, account model.AccountID, e model.Ending) error {
	return a.Service.End(ctx, string(account), match.Ending{Match: string(e.Match), Epoch: e.Epoch, ForGood: e.ForGood, Why: *refusal(e.Why)})
}

// Mute implements model.Matches.
func (a *matchAdapter) Mute(accounts map[model.AccountID]time.Time) {
	out := make(map[string]time.Time, len(accounts))
	for account, until := range accounts {
		out[string(account)] = until
	}
	a.Service.Mute(out)
}

func (a *matchAdapter) Announce(ctx context.Context, id model.MatchID, text string) error {
	return a.Service.Announce(ctx, string(id), text)
}

func (a *matchAdapter) Live() []model.LiveMatch {
	var out []model.LiveMatch
	for _, m := range a.Matches() {
		live := model.LiveMatch{Match: model.MatchID(m.ID), Node: a.node, Tick: m.Tick, Kept: m.Kept}
		for _, s := range m.Seats {
			if s.Connected {
				live.Players++
				if s.Account != "" {
					live.Sockets = append(live.Sockets, model.LiveSocket{Account: model.AccountID(s.Account), Epoch: s.Epoch, Address: s.Address})
				}
			}
		}
		for _, s := range m.Spectators {
			if s.Connected {
				live.Spectators++
				live.Sockets = append(live.Sockets, model.LiveSocket{Account: model.AccountID(s.Account), Epoch: s.Epoch, Address: s.Address})
			}
		}
		out = append(out, live)
	}
	return out
}

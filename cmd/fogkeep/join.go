package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/sim"
)

// arena is the match service as the lobby asks for it.
type arena struct {
	*match.Service
	maps *shelf
	// How many orders a player may send a second, and at once; 0 leaves it to
	// the ruleset.
	ordersPerSecond, orderBurst int
	abandonMinutesMax           int                                          // the longest that a lobby may choose
	ticked                      func(match string, took, late time.Duration) // nil: nobody measures
}

// spec turns what the lobby keeps into what a match is made of. A seat's place
// in Seats is its slot; the lobby's slots are start points and may have gaps.
func (a *arena) spec(s lobby.Spec) (match.Spec, error) {
	m, ok := a.maps.edition(s.Map.ID, s.Options.Occlusion)
	if !ok {
		return match.Spec{}, &lobby.Error{Code: lobby.UnknownMap, Field: "map", Detail: fmt.Sprintf("%q is not offered any more", s.Map.ID)}
	}
	rules, err := sim.Shipped(s.Options.Ruleset)
	if err != nil {
		return match.Spec{}, &lobby.Error{Code: lobby.BadOption, Field: "ruleset", Detail: err.Error()}
	}
	out := match.Spec{
		ID: string(s.Match), Map: m, Rules: rules, Seed: s.Seed, TickRate: s.Options.TicksPerSecond,
		Options: simOptions(s.Options), Who: s.Who,
	}
	out.Options.OrdersPerSecond, out.Options.OrderBurst = int32(a.ordersPerSecond), int32(a.orderBurst)
	out.Spectators, out.SpectatorDelay = s.Options.Spectators, time.Duration(s.Options.SpectatorDelay)*time.Second
	if a.ticked != nil {
		out.OnTick = func(_ *sim.World, took, late time.Duration) { a.ticked(out.ID, took, late) }
	}
	for _, p := range s.Participants {
		out.Seats = append(out.Seats, match.SeatSpec{Name: p.Name, Team: p.Team, Start: int(p.Slot), Color: p.Color, Bot: p.Bot, Account: string(p.Account)})
	}
	return out, nil
}

// Check implements lobby.Matches. A lobby that is being made has no seats yet:
// what depends on them is checked as if all starts were taken.
func (a *arena) Check(s lobby.Spec) error {
	spec, err := a.spec(s)
	if err != nil {
		return err
	}
	if most := a.abandonMinutesMax; s.Options.AbandonMinutes > most {
		return &lobby.Error{Code: lobby.BadOption, Field: "abandonMinutes", Detail: fmt.Sprintf("is at most %d on this server", most)}
	}
	if len(spec.Seats) == 0 {
		for i := range spec.Map.Starts {
			spec.Seats = append(spec.Seats, match.SeatSpec{Team: grid.Team(i), Start: i})
		}
	}
	err = a.Service.Check(spec)
	if o := (*sim.OptionError)(nil); errors.As(err, &o) {
		return &lobby.Error{Code: lobby.BadOption, Field: optionNames[o.Option], Detail: o.Why}
	}
	return err
}

// PreLogin implements lobby.Matches.
func (a *arena) PreLogin(o lobby.Options, _ lobby.Account, r lobby.Room) error {
	options := simOptions(o)
	mode, err := sim.ModeOf(options)
	if err != nil || r.Spectates {
		return err
	}
	return mode.Admit(options, r.Seats, r.Taken)
}

// simOptions are the lobby's options as the simulation knows them.
func simOptions(o lobby.Options) sim.Options {
	abandon := cmp.Or(o.AbandonMinutes, lobby.AbandonMinutes) // a match of an older build has none
	return sim.Options{
		AbandonMs: int32(abandon) * 60_000,
		Mode:      o.Mode, NoReveal: !o.RevealOnFire,
		TimeLimitMs: int32(o.TimeLimitMinutes) * 60_000, ScoreLimit: int32(o.ScoreLimit),
	}
}

// optionNames are the lobby's names of what a sim.OptionError is about.
var optionNames = map[string]string{
	"mode": "mode", "tick rate": "ticksPerSecond", "time limit": "timeLimitMinutes", "score limit": "scoreLimit",
	"abandon time": "abandonMinutes",
}

// Room implements lobby.Matches.
func (a *arena) Room(s lobby.Spec) error {
	spec, err := a.spec(s)
	if err != nil {
		return err
	}
	return startError(a.Service.Room(spec))
}

// startError is why a match is not started, as the lobby tells it.
func startError(err error) error {
	if errors.Is(err, match.ErrDiskLow) {
		return &lobby.Error{Code: lobby.ServerFull, Detail: match.ErrDiskLow.Error(), RetryAfter: time.Minute, Err: err}
	}
	return err
}

// Start implements lobby.Matches.
func (a *arena) Start(_ context.Context, s lobby.Spec) error {
	spec, err := a.spec(s)
	if err != nil {
		return err
	}
	err = a.Service.Start(spec)
	if room := (*sim.StartError)(nil); errors.As(err, &room) {
		return &lobby.Error{Code: lobby.StartFailed, Field: "map", Detail: room.Error(), Err: err}
	}
	return startError(err)
}

// Abort implements lobby.Matches.
func (a *arena) Abort(ctx context.Context, id lobby.MatchID, reason string) error {
	return a.Service.Abort(ctx, string(id), reason)
}

// Keep implements lobby.Matches.
func (a *arena) Keep(ctx context.Context, id lobby.MatchID, on bool) error {
	return a.Service.Keep(ctx, string(id), on)
}

// End implements lobby.Matches.
func (a *arena) End(ctx context.Context, account lobby.AccountID, e lobby.Ending) error {
	return a.Service.End(ctx, string(account), match.Ending{Match: string(e.Match), Epoch: e.Epoch, ForGood: e.ForGood, Why: *refusal(e.Why)})
}

// Announce implements lobby.Matches.
func (a *arena) Announce(ctx context.Context, id lobby.MatchID, text string) error {
	return a.Service.Announce(ctx, string(id), text)
}

// Live implements lobby.Matches.
func (a *arena) Live() []lobby.LiveMatch {
	var out []lobby.LiveMatch
	for _, m := range a.Matches() {
		live := lobby.LiveMatch{Match: lobby.MatchID(m.ID), Tick: m.Tick, Kept: m.Kept}
		for _, s := range m.Seats {
			if s.Connected {
				live.Players++
				if s.Account != "" {
					live.Sockets = append(live.Sockets, lobby.LiveSocket{Account: lobby.AccountID(s.Account), Epoch: s.Epoch, Address: s.Address})
				}
			}
		}
		for _, s := range m.Spectators {
			if s.Connected {
				live.Spectators++
				live.Sockets = append(live.Sockets, lobby.LiveSocket{Account: lobby.AccountID(s.Account), Epoch: s.Epoch, Address: s.Address})
			}
		}
		out = append(out, live)
	}
	return out
}

// refusal is a lobby's refusal as the match service tells it to a socket.
func refusal(e *lobby.Error) *match.Refusal {
	code := string(e.Code)
	if _, known := match.ClosingOf(code); !known {
		code = "refused"
	}
	return &match.Refusal{Code: code, Text: e.Text()}
}

// frontDesk is the lobby as the match service asks for it.
type frontDesk struct {
	lobby   *lobby.Service
	matches *match.Service
	log     *slog.Logger
}

// Redeem implements match.Admitter. A ticket for a seat that the match does not
// have gives the lobby's seat back.
func (d *frontDesk) Redeem(ctx context.Context, ticket string, from netip.Addr) (match.Seat, error) {
	s, err := d.lobby.Redeem(ctx, lobby.Secret(ticket), from)
	if err != nil {
		if e := lobby.AsError(err); e.Code != lobby.Internal {
			return match.Seat{}, refusal(e)
		}
		return match.Seat{}, err
	}
	seat := match.Seat{Match: string(s.Match), Account: string(s.Account), Known: s.Known, Epoch: s.Epoch}
	if s.Spectator {
		seat.Slot, seat.Spectator, seat.Eyes, seat.Delay = grid.NoSlot, true, s.Team, s.Delay
		return seat, nil
	}
	for _, m := range d.matches.Matches() {
		if m.ID != seat.Match {
			continue
		}
		// The lobby's slot is the start point; the match's is the seat's place.
		i := slices.IndexFunc(m.Seats, func(x match.SeatInfo) bool { return x.Start == int(s.Slot) })
		if i < 0 {
			if err := d.lobby.Release(ctx, s, "no seat in the match"); err != nil {
				return match.Seat{}, err
			}
			return match.Seat{}, &match.Refusal{Code: "no_seat", Text: "the match has no such seat"}
		}
		seat.Slot = m.Seats[i].Slot
		return seat, nil
	}
	return match.Seat{}, match.ErrNoMatch
}

// Resume implements match.Admitter. Without a database nobody can be told to
// be banned or logged out: the match plays on.
func (d *frontDesk) Resume(ctx context.Context, seat match.Seat, from netip.Addr) error {
	err := d.lobby.Resume(ctx, lobby.MatchID(seat.Match), lobby.AccountID(seat.Account), seat.Epoch, from)
	if e := lobby.AsError(err); e != nil {
		switch e.Code {
		case lobby.BannedAccount, lobby.BannedAddress, lobby.LoggedOut, lobby.NotSeated:
			return refusal(e)
		}
	}
	if err != nil || !seat.Spectator {
		return err
	}
	// A player's seat in the match stays its own; a spectator's is the lobby's.
	watches, err := d.lobby.Watches(ctx, lobby.MatchID(seat.Match), lobby.AccountID(seat.Account))
	if err == nil && !watches {
		return &match.Refusal{Code: "not_seated", Text: "you left your seat among the spectators"}
	}
	return err
}

// Release implements match.Admitter.
func (d *frontDesk) Release(ctx context.Context, seat match.Seat, why *match.Refusal) {
	s := lobby.MatchSeat{Match: lobby.MatchID(seat.Match), Account: lobby.AccountID(seat.Account)}
	if err := d.lobby.Release(ctx, s, why.Text); err != nil {
		d.log.Error("a seat that the match refused is still taken in its lobby", "match", s.Match, "account", s.Account, "err", err)
	}
}

// fate says what becomes of a match whose journal was found without an end.
func (d *frontDesk) fate(ctx context.Context, id string) (match.Fate, error) {
	waits, ours, err := d.lobby.Recoverable(ctx, lobby.MatchID(id))
	switch {
	case waits:
		return match.GoOn, nil
	case ours:
		return match.GiveUp, nil
	}
	return match.Leave, err
}

// Ended implements match.Reporter.
func (d *frontDesk) Ended(ctx context.Context, r match.Result) error {
	out := lobby.Result{Match: lobby.MatchID(r.Match), Failed: r.Failed != "", Reason: r.Failed, Ticks: uint32(r.Ticks)}
	if r.Ended != nil {
		out.Reason = r.Ended.Reason
		if r.Ended.Winner != grid.NoTeam {
			out.Winners = []grid.Team{r.Ended.Winner}
		}
	}
	err := d.lobby.MatchEnded(ctx, out)
	if errors.Is(err, lobby.ErrNotFound) || errors.Is(err, lobby.NotFound) {
		return nil // the store never knew it: asking again is of no use
	}
	return err
}

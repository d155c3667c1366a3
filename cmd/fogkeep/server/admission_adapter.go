package server

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/sim"
)

// refusal is a lobby's refusal as the match service tells it to a socket.
func refusal(e *model.Error) *link.Refusal {
	code := string(e.Code)
	if _, known := link.ClosingOf(code); !known {
		code = "refused"
	}
	return &link.Refusal{Code: code, Text: e.Text()}
}

// admissionAdapter is the lobby as the match service asks for it.
type admissionAdapter struct {
	lobby   *lobby.Service
	matches *match.Service
	log     *slog.Logger
	shared  bool // all nodes find the journals
}

// Redeem implements match.Admitter. A ticket for a seat that the match does not
// have gives the lobby's seat back.
func (d *admissionAdapter) Redeem(ctx context.Context, ticket string, from netip.Addr) (match.Seat, error) {
	s, err := d.lobby.Play.Redeem(ctx, model.Secret(ticket), from)
	if e := (*play.Elsewhere)(nil); errors.As(err, &e) {
		return match.Seat{}, &match.Elsewhere{Match: string(e.Match)}
	}
	if err != nil {
		if e := model.AsError(err); e.Code != model.Internal {
			return match.Seat{}, refusal(e)
		}
		return match.Seat{}, err
	}
	seat := match.Seat{Match: string(s.Match), Account: string(s.Account), Known: s.Known, Epoch: s.Epoch, Name: s.Name, Turn: s.Turn}
	if s.Spectator {
		seat.Slot, seat.Spectator, seat.Eyes, seat.Delay = grid.NoSlot, true, s.Team, s.Delay
		return seat, nil
	}
	m, ok := d.matches.Match(seat.Match)
	if !ok {
		return match.Seat{}, match.ErrNoMatch
	}
	if seat.Slot = m.SlotAt(s.Start); seat.Slot == grid.NoSlot {
		if err := d.lobby.Play.Release(ctx, s, false, "no seat in the match"); err != nil {
			return match.Seat{}, err
		}
		return match.Seat{}, &link.Refusal{Code: "no_seat", Text: "the match has no such seat"}
	}
	return seat, nil
}

// Resume implements match.Admitter. Without a database the server cannot know bans and
// log-outs: the match plays on.
func (d *admissionAdapter) Resume(ctx context.Context, seat match.Seat, from netip.Addr) error {
	err := d.lobby.Play.Resume(ctx, model.MatchID(seat.Match), model.AccountID(seat.Account), seat.Epoch, from)
	if e := model.AsError(err); e != nil {
		switch e.Code {
		case model.BannedAccount, model.BannedAddress, model.LoggedOut, model.NotSeated:
			return refusal(e)
		}
	}
	if err != nil || !seat.Spectator {
		return err
	}
	// A player's seat in the match stays its own; a spectator's is the lobby's.
	watches, err := d.lobby.Play.IsSpectator(ctx, model.MatchID(seat.Match), model.AccountID(seat.Account))
	if err == nil && !watches {
		return &link.Refusal{Code: "not_seated", Text: "you left your spectator seat"}
	}
	return err
}

// Release implements match.Admitter.
func (d *admissionAdapter) Release(ctx context.Context, seat match.Seat, why *link.Refusal) {
	s := model.Admission{Match: model.MatchID(seat.Match), Account: model.AccountID(seat.Account)}
	if err := d.lobby.Play.Release(ctx, s, why.Code == "no_seat", why.Text); err != nil {
		d.log.Error("a seat that the match refused is still taken in its lobby", "match", s.Match, "account", s.Account, "err", err)
	}
}

// Fate implements Admission: it decides about a match whose journal has no end.
func (d *admissionAdapter) Fate(ctx context.Context, id string) (match.Fate, error) {
	waits, owned, err := d.lobby.Play.Recoverable(ctx, model.MatchID(id), d.shared)
	switch {
	case waits:
		return match.GoOn, nil
	case owned:
		return match.GiveUp, nil
	}
	return match.Leave, err
}

// Ended implements match.Reporter.
func (d *admissionAdapter) Ended(ctx context.Context, r match.Result) error {
	out := model.Result{Match: model.MatchID(r.Match), Failed: r.Failed != "", Reason: r.Failed, Ticks: uint32(r.Ticks), Version: sim.Behaviour}
	if r.Ended != nil {
		out.Reason = r.Ended.Reason
		out.Left = r.Left &^ r.Excused
		out.Excused = r.Excused
		if r.Ended.Winner != grid.NoTeam {
			out.Winners = []grid.Team{r.Ended.Winner}
		}
		for _, p := range r.Ended.Players {
			out.Scores, out.Values = append(out.Scores, p.Score), append(out.Values, p.Values)
		}
	}
	err := d.lobby.Play.MatchEnded(ctx, out)
	if errors.Is(err, model.ErrNotFound) || errors.Is(err, model.NotFound) {
		return nil // the store never knew it: asking again is of no use
	}
	return err
}

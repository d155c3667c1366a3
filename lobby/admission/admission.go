package admission

import (
	"errors"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// PreLogin checks the client's protocol version, the server's draining and the account's bans, in this order. It locks
// the rows that it read until the seat is taken.
func (s *Gate) PreLogin(tx *db.Tx, c model.Client, a *model.Account, protocol uint32) error {
	if err := s.Speaks(protocol); err != nil {
		return err
	}
	state, err := tx.Nodes.HoldState()
	if err != nil {
		return err
	}
	if state.Draining {
		return &model.Error{Code: model.Draining, RetryAfter: model.RetryAfter(model.Draining)}
	}
	locked, err := tx.Accounts.Lock(a.ID)
	if errors.Is(err, model.ErrNotFound) {
		return model.Unauthenticated // deleted since it logged in
	}
	if err != nil {
		return err
	}
	*a = locked
	return s.NotBanned(tx, a.ID, c)
}

func (s *Gate) NotBanned(tx *db.Tx, a model.AccountID, c model.Client) error {
	ban, err := tx.Bans.Of(a, c.Address, s.Now())
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return Banned(ban)
}

// SeatOf is the MatchSeat of a participant.
func SeatOf(m model.MatchID, p model.Participant) model.Admission {
	return model.Admission{Match: m, Account: p.Account, Name: p.Name, Start: p.Start, Team: p.Team, Bot: p.Bot}
}

// SpectatorOf is the MatchSeat of a spectator. A team without members has no view: a spectator who asks for it sees the
// view of all teams.
func SpectatorOf(m model.Match, a model.Account, eyes grid.Team) model.Admission {
	if !slices.ContainsFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Team == eyes }) {
		eyes = grid.NoTeam
	}
	delay := time.Duration(m.Spec.Options.SpectatorDelay) * time.Second
	return model.Admission{Match: m.ID, Account: a.ID, Epoch: a.Epoch, Name: a.Name, Team: eyes, Spectator: true, Delay: delay}
}

// MayEnter refuses clients from banned addresses before the server creates rows for them.
func (s *Gate) MayEnter(tx *db.Tx, c model.Client) error {
	ban, err := tx.Bans.Of("", c.Address, s.Now())
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return Banned(ban)
}

func Banned(b model.Ban) *model.Error {
	code, words := model.BannedAddress, "banned"
	switch {
	case b.Scope == model.Search:
		code, words = model.QueueBanned, "banned from matchmaking"
	case b.Scope != "":
		code, words = model.Muted, "muted"
	case b.Account != "":
		code = model.BannedAccount
	}
	return model.Refuse(code, "%s %s: %s", words, UntilText(b.Until), b.Reason)
}

// Within refuses an account that a ban keeps out of a scope.
func (s *Gate) Within(tx *db.Tx, a model.AccountID, scope model.BanScope) error {
	ban, err := tx.Bans.Within(a, scope, s.Now())
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return Banned(ban)
}

// UntilText describes the end of a ban, for people.
func UntilText(t time.Time) string {
	if t.IsZero() {
		return "for good"
	}
	return "until " + t.UTC().Format("2006-01-02 15:04 MST")
}

// About names the player of a refusal, for a request with several players.
func About(a model.Account, err error) error {
	e := (*model.Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	named := *e
	named.Detail = a.Name + ": " + e.Text()
	return &named
}

// MayStart refuses new matches while the server drains.
func (s *Gate) MayStart(tx *db.Tx) error {
	state, err := tx.Nodes.HoldState()
	if err == nil && state.Draining {
		err = &model.Error{Code: model.Draining, RetryAfter: model.RetryAfter(model.Draining)}
	}
	return err
}

// NotInMatch refuses an account that still plays in a match.
func NotInMatch(tx *db.Tx, a model.AccountID) error {
	if a == "" {
		return nil
	}
	m, err := tx.Matches.LiveSeat(a)
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err == nil {
		err = model.Refuse(model.InMatch, "you play in match %s: leave its lobby %s first", m.ID, m.Lobby)
	}
	return err
}

// Speaks refuses a client with another version of the protocol, before the server gives it a useless ticket. 0: the
// client did not send its version.
func (s *Gate) Speaks(protocol uint32) error {
	if s.Protocol != 0 && protocol != 0 && protocol != s.Protocol {
		return model.Refuse(model.BadVersion, "the server speaks version %d, this client %d; reload", s.Protocol, protocol)
	}
	return nil
}

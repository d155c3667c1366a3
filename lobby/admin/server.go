package admin

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
)

// Overview is the server at a glance.
type Overview struct {
	Server model.ServerState
	Live   []model.LiveMatch
	Open   int // lobbies that are not closed, 100 at most
}

// Overview returns the server at a glance.
func (as *Session) Overview(ctx context.Context) (o Overview, err error) {
	err = as.query(ctx, func(tx *db.Tx) (err error) {
		if o.Server, err = tx.Nodes.State(); err != nil {
			return err
		}
		list, err := tx.Lobbies.List(model.LobbyFilter{Limit: 100})
		o.Open = len(list)
		return err
	})
	if as.s.Matches != nil {
		o.Live = as.s.Matches.LiveAll(ctx)
	}
	return o, err
}

// Lobbies lists lobbies, closed ones too if asked for.
func (as *Session) Lobbies(ctx context.Context, f model.LobbyFilter) ([]*model.Lobby, error) {
	f.Limit = max(1, min(f.Limit, 100))
	return ask(ctx, as, func(tx *db.Tx) ([]*model.Lobby, error) { return tx.Lobbies.List(f) })
}

// MatchSearch is what an admin looks for among the matches. The zero value selects all entries, the newest first.
type MatchSearch struct {
	States  []model.MatchState // empty: all
	Account string             // id or name of a past or present player; empty: all players
	Map     string             // a part of the map's name, in any case; empty: any map
	From    time.Time          // started then or later; zero: at any time
	To      time.Time          // started before; zero: at any time
	Before  int64              // below this number; 0: from the newest on
}

// matchesLookedAt bounds the rows that one search reads: the name of a map is no
// column of the table.
const matchesLookedAt = 1000

// Matches lists matches, newest first, limit at most and never more than 100, and the
// number below which the search goes on; 0: there are no more. A search that has looked
// at many matches stops and returns its place, even without a match found.
func (as *Session) Matches(ctx context.Context, q MatchSearch, limit int) (list []model.Match, next int64, err error) {
	limit = max(1, min(limit, 100))
	wanted := strings.ToLower(q.Map)
	err = as.query(ctx, func(tx *db.Tx) error {
		list, next = nil, 0
		f := model.MatchFilter{States: q.States, From: q.From, To: q.To, Before: q.Before, Limit: limit}
		if q.Account != "" {
			a, err := findAccount(tx, q.Account)
			if err != nil {
				return err
			}
			f.Account = a.ID
		}
		for looked := 0; ; {
			page, err := tx.Matches.List(f)
			if err != nil {
				return err
			}
			for _, m := range page {
				if strings.Contains(strings.ToLower(m.Spec.Map.Name), wanted) {
					list = append(list, m)
				}
				if len(list) == limit {
					next = m.Num
					return nil
				}
			}
			if len(page) < f.Limit {
				return nil
			}
			f.Before = page[len(page)-1].Num
			if looked += len(page); looked >= matchesLookedAt {
				next = f.Before
				return nil
			}
		}
	})
	return list, next, err
}

// Drain stops or allows new lobbies, seats and matches. Live matches go on.
func (as *Session) Drain(ctx context.Context, on bool) error {
	return as.act(ctx, model.FullAdmin, "house.drain", func(tx *db.Tx) (string, string, error) {
		return map[bool]string{true: "on", false: "off"}[on], "", tx.Nodes.SetDraining(on)
	})
}

// Announce tells everyone in lobbies and matches something.
func (as *Session) Announce(ctx context.Context, text string) error {
	text, err := model.CleanLine(model.BadText, "text", text, model.ChatLenMax)
	if err != nil {
		return err
	}
	var ids []model.LobbyID
	if err := as.act(ctx, model.Moderator, "house.announce", func(tx *db.Tx) (string, string, error) {
		ids = nil
		for before := int64(0); ; {
			page, err := tx.Lobbies.List(model.LobbyFilter{Before: before, Limit: 100})
			if err != nil {
				return "", "", err
			}
			for _, l := range page {
				ids = append(ids, l.ID)
			}
			if len(page) < 100 {
				return "everyone", text, nil
			}
			before = page[len(page)-1].Num
		}
	}); err != nil {
		return err
	}
	for _, id := range ids { // one short lock each, not all at once
		if _, err := as.s.Play.Change(ctx, id, func(l *model.Lobby) error {
			l.Announce(text)
			return nil
		}); errors.Is(err, model.Unavailable) {
			return err
		}
	}
	if as.s.Matches != nil {
		return as.s.Matches.Announce(ctx, "", text)
	}
	return nil
}

// EndMatch breaks a match off without a winner. The match service writes the
// end into the journal and reports it; a match that no process runs any more
// is closed here.
func (as *Session) EndMatch(ctx context.Context, id model.MatchID, reason string) error {
	reason, err := model.CleanLine(model.BadText, "reason", reason, 200)
	if err != nil {
		return err
	}
	if err := as.s.Play.InReach(ctx, id); err != nil {
		return err
	}
	if err := as.act(ctx, model.Moderator, "match.end", func(tx *db.Tx) (string, string, error) {
		m, err := tx.Matches.Get(id)
		if err == nil && (m.State == model.MatchDone || m.State == model.MatchFailed) {
			err = model.MatchOver
		}
		return string(id), reason, err
	}); err != nil {
		return err
	}
	return as.s.Play.BreakOff(ctx, id, reason)
}

// KeepMatch says whether a match goes on while no person is connected to it,
// where its options would end it.
func (as *Session) KeepMatch(ctx context.Context, id model.MatchID, on bool) error {
	if err := as.s.Play.InReach(ctx, id); err != nil {
		return err
	}
	if err := as.act(ctx, model.Moderator, "match.keep", func(tx *db.Tx) (string, string, error) {
		m, err := tx.Matches.Get(id)
		if err == nil && m.State != model.MatchLive {
			err = model.MatchOver
		}
		return string(id), map[bool]string{true: "on", false: "off"}[on], err
	}); err != nil || as.s.Matches == nil {
		return err
	}
	return as.s.Matches.Keep(ctx, id, on)
}

// SetBudget changes the limit of bytes per second to the connections of a match, or of
// one player.
func (as *Session) SetBudget(ctx context.Context, id model.MatchID, bytesPerS int, start *int) error {
	b := model.Budget{BytesPerS: bytesPerS, Operator: true, Start: start}
	if err := b.Validate(); err != nil {
		return err
	}
	if err := as.s.Play.InReach(ctx, id); err != nil {
		return err
	}
	detail := strconv.Itoa(bytesPerS) + " bytes per second"
	if start != nil {
		detail += " to slot " + strconv.Itoa(*start)
	}
	if err := as.act(ctx, model.Moderator, "match.budget", func(tx *db.Tx) (string, string, error) {
		m, err := tx.Matches.Get(id)
		if err == nil && m.State != model.MatchLive {
			err = model.MatchOver
		}
		if err == nil && start != nil && !slices.ContainsFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Start == *start }) {
			err = model.NoSuchSeat
		}
		return string(id), detail, err
	}); err != nil || as.s.Matches == nil {
		return err
	}
	return as.s.Matches.SetBudget(ctx, id, b)
}

// CloseLobby shuts a lobby; a running match goes on without it.
func (as *Session) CloseLobby(ctx context.Context, id model.LobbyID, reason string) error {
	reason, err := model.CleanLine(model.BadText, "reason", reason, 200)
	if err != nil {
		return err
	}
	err = as.act(ctx, model.Moderator, "lobby.close", func(tx *db.Tx) (string, string, error) {
		l, err := tx.Lobbies.Lock(id)
		if err != nil {
			return "", "", err
		}
		if l.State == model.Closed {
			return "", "", model.LobbyClosed
		}
		l.Announce("closed: " + reason)
		l.Close()
		return l.Name, reason, as.s.Save(tx, l)
	})
	as.s.Hub.Wake(id)
	return err
}

// ChangeOwnPassword sets the admin's own password, after a check of the old.
func (as *Session) ChangeOwnPassword(ctx context.Context, old, password string) error {
	if err := account.CheckPassword(password, as.admin.Name, ""); err != nil {
		return err
	}
	a := as.s.Account.AttemptOf(model.AdminRealm, as.admin.Name, as.from)
	var costs []string
	if err := as.query(ctx, func(tx *db.Tx) (err error) {
		if costs, err = tx.Accounts.HashCosts(model.AdminRealm); err != nil {
			return err
		}
		return as.s.Account.CountersOf(tx, &a)
	}); err != nil {
		return err
	}
	if err := as.s.Account.TryLogIn(ctx, &a, old, as.admin.PasswordHash, costs); err != nil {
		return err
	}
	hash, err := as.s.Account.Hasher.HashPassword(ctx, requester(as), password)
	if err != nil {
		return as.s.Explain(err)
	}
	return as.act(ctx, model.Viewer, "admin.password", func(tx *db.Tx) (string, string, error) {
		now, err := tx.Admins.Get(as.admin.ID)
		if err != nil {
			return "", "", err
		}
		if now.PasswordHash != as.admin.PasswordHash {
			return "", "", model.WrongCredentials
		}
		now.PasswordHash = hash
		if err := tx.Admins.Save(now); err != nil {
			return "", "", err
		}
		if err := as.s.Account.Succeed(tx, &a); err != nil {
			return "", "", err
		}
		_, err = tx.Sessions.EndAll(model.AdminRealm, now.ID, as.from.Old.Hash())
		return now.Name, "", err
	})
}

// SetReplays changes the right to watch a match once it is over.
func (as *Session) SetReplays(ctx context.Context, id model.MatchID, access string) error {
	return as.act(ctx, model.Moderator, "match.replays", func(tx *db.Tx) (string, string, error) {
		m, err := tx.Matches.Lock(id)
		if err != nil {
			return "", "", err
		}
		return string(id), access, replay.SetReplays(tx, &m, access)
	})
}

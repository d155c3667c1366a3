package studio

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
)

// ServiceMatchRequest asks for a match.
type ServiceMatchRequest struct {
	RequestKey string         `json:"-"` // chosen by the caller; the same in a repeated request
	Name       string         `json:"name"`
	Map        string         `json:"map"`
	Options    map[string]any `json:"options"`
	Seats      []ServiceSeat  `json:"seats"`
}

// ServiceSeat is a seat of a match that is asked for: of a player, named by its
// subject at the key's issuer, or without one of a bot.
type ServiceSeat struct {
	Subject  string         `json:"subject"`
	Name     string         `json:"name"` // of a player whom the server does not know yet
	Level    model.BotLevel `json:"level"`
	Team     *int           `json:"team"`
	Start    *int           `json:"start"`
	Color    *int           `json:"color"`
	Faction  string         `json:"faction,omitempty"`
	Handicap grid.Handicap  `json:"handicap,omitzero"`
}

// ServiceMatch is a match with the subjects of its players at the key's issuer.
type ServiceMatch struct {
	model.Match
	Subjects map[model.AccountID]string
}

// PlayerTicket lets one player of a match in, once.
type PlayerTicket struct {
	Subject string
	Ticket  model.Secret
	Expires time.Time
}

// digest tells a request from another one with the same request key.
func (r *ServiceMatchRequest) digest() (string, error) {
	raw, err := json.Marshal(r) // maps by key, so the same for the same
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:]), err
}

// CreateMatch makes accounts for new players, and starts their match
// ([Service.StartMatchFor]). A request with a used request key makes no match: it returns
// the match of the first request, as it is now. Both return new tickets for all players,
// while the match runs. The same request key with another request is refused.
func (ss *Session) CreateMatch(ctx context.Context, r ServiceMatchRequest) (m ServiceMatch, tickets []PlayerTicket, repeated bool, err error) {
	ctx = context.WithoutCancel(ctx)
	if err := needs(ss.key, MatchesWrite); err != nil {
		return m, nil, false, err
	}
	if err := checkRequestKey(r.RequestKey); err != nil {
		return m, nil, false, err
	}
	hash, err := r.digest()
	if err != nil {
		return m, nil, false, err
	}
	id, err := ss.madeBefore(ctx, r.RequestKey, hash)
	if repeated = id != ""; err == nil && !repeated {
		var startErr error
		id, startErr = ss.create(ctx, &r, hash)
		if startErr != nil {
			// Perhaps the same request was sent twice at once, and the other came first.
			id, err = ss.madeBefore(ctx, r.RequestKey, hash)
			repeated = id != ""
			if err != nil || !repeated {
				return m, nil, false, startErr
			}
		}
	}
	if err != nil {
		return m, nil, false, err
	}
	if m, err = ss.find(ctx, id); err != nil || m.State != model.MatchLive && m.State != model.MatchStarting {
		return m, nil, repeated, err
	}
	tickets, err = ss.Tickets(ctx, id, nil)
	return m, tickets, repeated, err
}

// madeBefore returns the match that a request key has made, "" without one.
func (ss *Session) madeBefore(ctx context.Context, key, hash string) (id model.MatchID, err error) {
	err = ss.query(ctx, MatchesWrite, func(tx *db.Tx) error {
		found, before, err := tx.Keys.Request(ss.key.Issuer, key)
		switch {
		case errors.Is(err, model.ErrNotFound):
			return nil
		case err == nil && before != hash:
			return model.RefuseField(model.AlreadyExists, "Idempotency-Key", "this key was used for another request")
		}
		id = found
		return err
	})
	return id, err
}

func (ss *Session) create(ctx context.Context, r *ServiceMatchRequest, hash string) (model.MatchID, error) {
	plan := room.MatchPlan{Name: r.Name, Map: r.Map, Options: r.Options, Payer: ss.who()}
	for _, x := range r.Seats {
		plan.Seats = append(plan.Seats, model.PlannedSeat{Level: x.Level, Team: x.Team, Start: x.Start, Color: x.Color, Faction: x.Faction, Handicap: x.Handicap})
	}
	if _, err := ss.s.Room.Planned(plan); err != nil {
		return "", err // before accounts are made
	}
	accounts, err := ss.findPlayers(ctx, r.Seats)
	if err != nil {
		return "", err
	}
	for i, x := range r.Seats {
		plan.Seats[i].Account = accounts[x.Subject] // a bot has no subject, and no account
	}
	var id model.MatchID
	plan.Alongside = func(tx *db.Tx, m model.Match) error {
		id = m.ID
		if err := ss.may(tx, MatchesWrite); err != nil {
			return err
		}
		if err := tx.Keys.AddMatch(m.ID, ss.key.Issuer, r.RequestKey, hash, ss.s.Now()); err != nil {
			if errors.Is(err, model.ErrTaken) {
				err = model.RefuseField(model.AlreadyExists, "Idempotency-Key", "this key is being used")
			}
			return err
		}
		return ss.audit(tx, "match.start", string(m.ID), m.Spec.Map.ID+" for "+ss.key.Issuer)
	}
	_, err = ss.s.Room.StartMatchFor(ctx, plan)
	if play.NotMade(err) && id != "" {
		// A repeated request means another try.
		if forget := ss.s.Write(ctx, func(tx *db.Tx) error { return tx.Keys.ForgetRequest(id) }); forget != nil {
			return "", forget
		}
	}
	return id, err
}

// who returns the payer of the key's actions: the key has its own limits of requests;
// the other limits are the server's.
func (ss *Session) who() quota.Payer { return quota.Payer{Trusted: true} }

// findPlayers finds the players of seats, and makes accounts for new ones.
func (ss *Session) findPlayers(ctx context.Context, seats []ServiceSeat) (map[string]model.AccountID, error) {
	for _, x := range seats {
		if x.Subject == "" {
			continue
		}
		if err := (model.ExternalID{Issuer: ss.key.Issuer, Subject: x.Subject}).Check(); err != nil {
			return nil, err
		}
	}
	var out map[string]model.AccountID
	var err error
	for range account.NewNameTries {
		err = ss.s.Write(ctx, func(tx *db.Tx) error {
			if err := ss.may(tx, MatchesWrite); err != nil {
				return err
			}
			out = map[string]model.AccountID{}
			for _, x := range seats {
				if x.Subject == "" || out[x.Subject] != "" {
					continue
				}
				id := model.ExternalID{Issuer: ss.key.Issuer, Subject: x.Subject}
				a, err := tx.Accounts.ByExternal(id)
				if errors.Is(err, model.ErrNotFound) {
					if err := ss.s.SpendStored(tx, quota.ServiceAccounts, quota.Payer{Account: "key:" + ss.key.ID}); err != nil {
						return err
					}
					if a, err = ss.s.Account.AddExternal(tx, account.Identity{ExternalID: id, Name: x.Name}); err != nil {
						return err
					}
					err = ss.audit(tx, "account.add", string(a.ID), "")
				}
				if err != nil {
					return err
				}
				out[x.Subject] = a.ID
			}
			return nil
		})
		if !errors.Is(err, model.ErrTaken) { // another request took a name, or the identity, first
			break
		}
	}
	return out, err
}

// own returns a match that was made for the key's issuer. Matches of others look like
// missing ones.
func (ss *Session) own(tx *db.Tx, id model.MatchID) (model.Match, error) {
	issuer, err := tx.Keys.Issuer(id)
	if err == nil && issuer != ss.key.Issuer {
		err = model.ErrNotFound
	}
	if err != nil {
		return model.Match{}, err
	}
	return tx.Matches.Get(id)
}

func (ss *Session) find(ctx context.Context, id model.MatchID) (m ServiceMatch, err error) {
	err = ss.s.Read(ctx, func(tx *db.Tx) error {
		if m.Match, err = ss.own(tx, id); err != nil {
			return err
		}
		m.Subjects, err = ss.subjects(tx, m.Match)
		return err
	})
	return m, err
}

// subjects names the players of matches.
func (ss *Session) subjects(tx *db.Tx, list ...model.Match) (map[model.AccountID]string, error) {
	var ids []model.AccountID
	for _, m := range list {
		for _, p := range m.Spec.Participants {
			if p.Account != "" {
				ids = append(ids, p.Account)
			}
		}
	}
	slices.Sort(ids)
	return tx.Accounts.Subjects(ss.key.Issuer, slices.Compact(ids))
}

// Match looks at one match.
func (ss *Session) Match(ctx context.Context, id model.MatchID) (m ServiceMatch, err error) {
	if err := needs(ss.key, MatchesRead); err != nil {
		return m, err
	}
	return ss.find(ctx, id)
}

// Matches lists the matches that were made for the key's issuer, newest first, below
// num before; empty states: all.
func (ss *Session) Matches(ctx context.Context, states []model.MatchState, before int64, limit int) (list []ServiceMatch, err error) {
	err = ss.query(ctx, MatchesRead, func(tx *db.Tx) error {
		found, err := tx.Matches.List(model.MatchFilter{Issuer: ss.key.Issuer, States: states, Before: before, Limit: max(1, min(limit, 100))})
		if err != nil {
			return err
		}
		names, err := ss.subjects(tx, found...)
		list = nil
		for _, m := range found {
			list = append(list, ServiceMatch{m, names})
		}
		return err
	})
	return list, err
}

// Tickets issues new tickets for players of a match that runs; empty subjects: all of
// its players.
func (ss *Session) Tickets(ctx context.Context, id model.MatchID, subjects []string) (out []PlayerTicket, err error) {
	err = ss.act(ctx, MatchesWrite, "match.tickets", func(tx *db.Tx) (string, string, error) {
		out = nil
		m, err := ss.own(tx, id)
		if err != nil {
			return "", "", err
		}
		if m.State != model.MatchLive && m.State != model.MatchStarting {
			return "", "", model.MatchOver
		}
		names, err := ss.subjects(tx, m)
		if err != nil {
			return "", "", err
		}
		wanted := map[string]bool{}
		for _, x := range subjects {
			wanted[x] = true
		}
		for _, p := range m.Spec.Participants {
			subject := names[p.Account]
			if subject == "" || len(wanted) > 0 && !wanted[subject] {
				continue
			}
			delete(wanted, subject)
			t, err := ss.ticket(tx, m, p)
			if err != nil {
				return "", "", err
			}
			out = append(out, PlayerTicket{subject, t.token, t.Expires})
			if len(subjects) > 0 && len(wanted) == 0 {
				break
			}
		}
		if len(subjects) > 0 && len(wanted) > 0 {
			return "", "", model.RefuseField(model.NotSeated, "subjects", "%d of the given players do not play in this match", len(wanted))
		}
		return string(id), strconv.Itoa(len(out)) + " tickets", nil
	})
	return out, err
}

type issuedTicket struct {
	model.Ticket
	token model.Secret
}

// ticket issues one player's ticket. It does not know the player's address: the use of
// the ticket checks it.
func (ss *Session) ticket(tx *db.Tx, m model.Match, p model.Participant) (t issuedTicket, err error) {
	a, err := tx.Accounts.Get(p.Account)
	if err != nil {
		return t, err
	}
	if err := ss.s.NotBanned(tx, a.ID, model.Client{}); err != nil {
		return t, admission.About(a, err)
	}
	if err := ss.s.SpendStored(tx, quota.Tickets, quota.Payer{Account: string(a.ID)}); err != nil {
		return t, admission.About(a, err)
	}
	t.token = model.NewSecret()
	seat := admission.SeatOf(m.ID, p)
	seat.Epoch = a.Epoch
	t.Ticket = ss.s.Ticket(t.token, seat, m.Node)
	t.Expires = ss.s.Now().Add(model.ServiceTicketLife)
	return t, tx.Matches.AddTicket(t.Ticket)
}

// EndMatch breaks a match off without a winner.
func (ss *Session) EndMatch(ctx context.Context, id model.MatchID, reason string) error {
	reason, err := model.CleanLine(model.BadText, "reason", cmp.Or(reason, "ended by the game's server"), 200)
	if err != nil {
		return err
	}
	if err := needs(ss.key, MatchesWrite); err != nil {
		return err
	}
	if err := ss.s.Read(ctx, func(tx *db.Tx) error { _, err := ss.own(tx, id); return err }); err != nil {
		return err // matches of others look like missing ones
	}
	if err := ss.s.Play.InReach(ctx, id); err != nil {
		return err
	}
	if err := ss.act(ctx, MatchesWrite, "match.end", func(tx *db.Tx) (string, string, error) {
		m, err := ss.own(tx, id)
		if err == nil && (m.State == model.MatchDone || m.State == model.MatchFailed) {
			err = model.MatchOver
		}
		return string(id), reason, err
	}); err != nil {
		return err
	}
	return ss.s.Play.BreakOff(ctx, id, reason)
}

// Player returns a player with its record.
func (ss *Session) Player(ctx context.Context, subject string) (a model.Account, r model.Record, err error) {
	err = ss.query(ctx, PlayersRead, func(tx *db.Tx) error {
		if a, err = ss.player(tx, subject); err != nil {
			return err
		}
		r, err = tx.Matches.Record(a.ID)
		return err
	})
	return a, r, err
}

func (ss *Session) player(tx *db.Tx, subject string) (model.Account, error) {
	id := model.ExternalID{Issuer: ss.key.Issuer, Subject: subject}
	if err := id.Check(); err != nil {
		return model.Account{}, err
	}
	return tx.Accounts.ByExternal(id)
}

// Results lists a player's results in all matches of the server, latest first, below
// num before, 50 at most.
func (ss *Session) Results(ctx context.Context, subject string, before int64) (a model.Account, rows []model.Played, err error) {
	err = ss.query(ctx, PlayersRead, func(tx *db.Tx) error {
		if a, err = ss.player(tx, subject); err != nil {
			return err
		}
		rows, err = tx.Matches.History(a.ID, before, 50)
		return err
	})
	return a, rows, err
}

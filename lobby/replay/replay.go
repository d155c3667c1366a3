package replay

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net/netip"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/shared"
)

// MayPlayOn refuses an account that may not watch the match that is played on: players
// and spectators there see the knowledge of its teams. A valid link opens the
// lobby to each account that finds it. A scenario has no past match.
func (s *Service) MayPlayOn(tx *db.Tx, from *model.Origin, a *model.Account) error {
	if from == nil || from.Match == "" {
		return nil
	}
	m, err := tx.Matches.Get(from.Match)
	if err == nil {
		_, err = s.Watching(tx, &m, a, m.ReplayLinks+1)
	}
	if errors.Is(err, model.ErrNotFound) || errors.Is(err, model.NotFound) {
		return model.Refuse(model.NotOpen, "this lobby plays a match on: only players who may watch that match can join")
	}
	return err
}

// Replays is the replay service as the lobby needs it; cmd adapts it. All methods
// are called from any goroutine and never inside a transaction.
type Replays interface {
	// Check returns why this server cannot replay a finished match: [model.ReplayExpired],
	// [model.ReplayVersion], or [model.MatchRuns] if its journal has no end yet, even if the
	// match is over by the store. nil: it can.
	Check(context.Context, model.MatchID) error
	// Glance is Check for a list of matches: it reads the beginning of the journal alone,
	// and does not find out whether there is an end.
	Glance(context.Context, model.MatchID) error
	// Viewings lists the viewings in this process.
	Viewings() []shared.Viewing
	// End ends an account's viewings of a match here.
	End(a model.AccountID, m model.MatchID, why *model.Error)
	// Renew gives an account's viewings of a match here the names of a newer right.
	Renew(shared.Right)
	// Redact takes an account's names and words out of the journal of a match that is
	// over. It returns [model.MatchRuns] if the match still runs, and nil without a
	// journal.
	Redact(context.Context, model.MatchID, model.AccountID) error
	// Said returns a player's chat, for reports: see report.Record.
	Said(ctx context.Context, m model.MatchID, start int, allies bool, until uint32) (lines []model.ReportLine, last uint32, err error)
	// Events returns the events of a match that were known a delay ago, without the first
	// ones and at most limit. The delay of a match that is over is 0. It refuses as Check does, or
	// with [model.Busy].
	Events(ctx context.Context, m model.MatchID, delay time.Duration, after, limit int) (model.MatchEvents, error)
	// Archive returns the function that writes a finished match as lines of JSON: its inputs, or its timeline. It
	// refuses as Events does, and a match that is not over. The caller calls the function once.
	Archive(ctx context.Context, m model.MatchID, timeline bool) (func(io.Writer) error, error)
}

// Replay has the facts of a match for an account that may watch it.
type Replay struct {
	model.Match
	Access      string          // one of the values of [model.Options.Replays]
	Players     []Player        // by start point
	Unavailable model.Code      // [model.ReplayOff], [model.MatchRuns], [model.ReplayExpired], [model.ReplayVersion]; "": it can be watched now
	Watching    shared.Right    // if it can be watched
	Asker       model.AccountID // who asks
	Key         model.Secret    // of its link; "": no link, or the account may not pass it on
	MayShare    bool            // the account may change the right to watch
}

// Player is a player of a match, by today's name.
type Player struct {
	model.Participant
	Gone    bool // the account was deleted
	Outcome model.Outcome
	Score   int32
}

// ReplayState says in one word how it is with a row of an account's history:
// "available", "off", "not_over", "expired" or "other_version".
func (s *Service) ReplayState(ctx context.Context, p *model.Played) string {
	m := model.Match{State: p.State, Replays: p.Replays, Spec: model.Spec{Options: p.Options}}
	switch {
	case !m.Over():
		return "not_over"
	case m.Access() == model.ReplaysOff:
		return "off"
	case s.Replays == nil, s.ReplayLife > 0 && s.Now().Sub(p.Ended) > s.ReplayLife:
		return "expired"
	}
	if e := model.AsError(s.Replays.Glance(ctx, p.Match)); e != nil {
		switch e.Code {
		case model.ReplayExpired:
			return "expired"
		case model.ReplayVersion:
			return "other_version"
		}
	}
	return "available"
}

// KeyOf is the secret in the link to a match's replay. It is in no database: the server
// derives it from a key outside of the database. A copy of the database opens no
// replay.
func (s *Service) KeyOf(m *model.Match) model.Secret {
	h := hmac.New(sha256.New, s.ReplayKey)
	h.Write(binary.BigEndian.AppendUint64([]byte("fogkeep replay\x00"+string(m.ID)+"\x00"), uint64(m.ReplayLinks)))
	return model.Secret(base64.RawURLEncoding.EncodeToString(h.Sum(nil)))
}

// linkOf returns the number of the link that has the key; 0: the key belongs to no
// valid link.
func (s *Service) linkOf(m *model.Match, key model.Secret) int64 {
	if key == "" || !m.Linked() || !hmac.Equal([]byte(key), []byte(s.KeyOf(m))) {
		return 0
	}
	return m.ReplayLinks + 1
}

// Watching decides whether an account may watch a match now. link is the number of its
// link, 0 without one. An account that may not know of the match gets [model.NotFound].
// The caller checks bans.
func (s *Service) Watching(tx *db.Tx, m *model.Match, a *model.Account, link int64) (shared.Right, error) {
	w := shared.Right{Match: m.ID, Account: a.ID, Known: !a.Guest, Epoch: a.Epoch, Eyes: grid.NoTeam}
	if !m.Over() {
		return s.watchingLive(tx, m, a, link, w)
	}
	played, err := tx.Matches.HasPlayed(m.ID, a.ID)
	if err != nil {
		return w, err
	}
	took := played
	if !took {
		if took, err = tx.Replays.HasWatched(m.ID, a.ID); err != nil {
			return w, err
		}
	}
	switch access := m.Access(); {
	case took && access == model.ReplaysOff:
		return w, model.ReplayOff
	case took:
	case m.Linked() && link == m.ReplayLinks+1:
		if err := s.MayPlayOn(tx, m.Spec.From, a); err != nil { // its first tick shows the knowledge of the earlier match
			if model.AsError(err) != nil {
				err = model.NotFound
			}
			return w, err
		}
		w.Link = link
	case access == model.ReplaysListed:
		listed, err := tx.Replays.Listed(m.ID)
		if err == nil && !s.shows(&listed) || errors.Is(err, model.ErrNotFound) {
			err = model.NotFound
		}
		if err != nil {
			return w, err
		}
		w.Link = fromCatalogue
	default:
		return w, model.NotFound
	}
	w.Names, err = tx.Matches.PlayerNames(m.ID)
	return w, err
}

// watchingLive decides for a match that is not over: only a spectator with a seat in
// its lobby sees it, with the delay and the eyes of its seat. Its players never do.
func (s *Service) watchingLive(tx *db.Tx, m *model.Match, a *model.Account, link int64, w shared.Right) (shared.Right, error) {
	played, err := tx.Matches.HasPlayed(m.ID, a.ID)
	if err != nil {
		return w, err
	}
	left := false
	if played {
		if left, err = tx.Matches.HasLeft(a.ID, m.ID); err != nil {
			return w, err
		}
		if !left {
			return w, model.MatchRuns
		}
	}
	l, err := tx.Lobbies.Get(m.Lobby)
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		return w, err
	}
	i := -1
	if err == nil && l.Match == m.ID && l.State == model.Playing {
		i = l.SeatOf(a.ID)
	}
	if i < 0 || l.Seats[i].Kind != model.SpectatorSeat || m.State != model.MatchLive {
		watched, err := tx.Replays.HasWatched(m.ID, a.ID)
		if err == nil {
			if err = model.NotFound; played || watched || link > 0 {
				err = model.MatchRuns
			}
		}
		return w, err
	}
	if err := l.NotWaiting(); err != nil {
		return w, err
	}
	if !m.Spec.Options.Admits(a.Name) {
		return w, model.NotWhitelisted
	}
	seat := admission.SpectatorOf(*m, *a, l.Seats[i].Team)
	w.Live, w.Delay, w.Eyes = true, seat.Delay, seat.Team
	w.Names, err = tx.Matches.PlayerNames(m.ID)
	return w, err
}

// Replay returns the facts of a match's replay that an account may know: refusals about
// the replay itself are in Unavailable. key is its link's key, "" without a link.
func (s *Service) Replay(ctx context.Context, c model.Client, a model.AccountID, id model.MatchID, key model.Secret) (r Replay, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		r = Replay{}
		m, err := tx.Matches.Get(id)
		if err != nil {
			return err
		}
		account, err := tx.Accounts.Get(a)
		if err != nil {
			return err
		}
		if err := s.NotBanned(tx, a, c); err != nil {
			return err
		}
		r.Match, r.Access, r.Asker = m, m.Access(), a
		r.Watching, err = s.Watching(tx, &m, &account, s.linkOf(&m, key))
		if e := model.AsError(err); e != nil && (e.Code == model.ReplayOff || e.Code == model.MatchRuns) {
			r.Unavailable, err = e.Code, nil
		}
		if err != nil {
			return err
		}
		names := r.Watching.Names
		if names == nil {
			if names, err = tx.Matches.PlayerNames(id); err != nil {
				return err
			}
		}
		r.Players = playersOf(&m, names)
		r.MayShare = m.Host != "" && m.Host == a
		if m.Linked() && r.Watching.Link == 0 && r.Unavailable != model.ReplayOff {
			r.Key = s.KeyOf(&m) // of a participant
		}
		return nil
	})
	if err != nil || r.Unavailable != "" {
		return r, err
	}
	if e := model.AsError(s.Playable(ctx, &r.Watching)); e != nil {
		switch e.Code {
		case model.MatchRuns, model.ReplayExpired, model.ReplayVersion:
			r.Unavailable = e.Code
		default:
			return r, e
		}
	}
	return r, nil
}

// playersOf lists the players of a match by today's names.
func playersOf(m *model.Match, names map[model.AccountID]string) (out []Player) {
	for _, p := range m.Spec.Participants {
		x := Player{Participant: p}
		if name, ok := names[p.Account]; ok {
			x.Name = name
		} else if !p.Bot {
			x.Name, x.Gone = model.GoneName, true
		}
		x.Earlier = slices.Clone(p.Earlier)
		for i := range x.Earlier {
			h := &x.Earlier[i]
			if name, ok := names[h.Account]; ok {
				h.Name = name
			} else if !h.Bot {
				h.Name = model.GoneName
			}
			h.Account = "" // viewers get names, as of the players
		}
		if m.Result != nil {
			r := m.Result.Of(p.Start)
			x.Outcome, x.Score = r.Outcome, r.Score
		}
		out = append(out, x)
	}
	return out
}

// Playable returns why this server cannot play a replay that the account may watch.
func (s *Service) Playable(ctx context.Context, w *shared.Right) error {
	switch {
	case s.Replays == nil:
		return model.ReplayExpired
	case w.Live:
		return nil
	}
	return s.Replays.Check(ctx, w.Match)
}

// MayWatch is [Service.Replay] for an account that wants to watch now, or to use a
// replay otherwise: each obstacle is an error.
func (s *Service) MayWatch(ctx context.Context, c model.Client, a model.AccountID, id model.MatchID, key model.Secret) (Replay, error) {
	r, err := s.Replay(ctx, c, a, id, key)
	if err == nil && r.Unavailable != "" {
		err = r.Unavailable
	}
	return r, err
}

// ReplayTicket issues a ticket by which an account watches a finished match, or as a
// spectator a running one. key is its link's key, "" without a link.
func (s *Service) ReplayTicket(ctx context.Context, c model.Client, a model.AccountID, id model.MatchID, key model.Secret, protocol uint32) (token model.Secret, err error) {
	if err := s.Speaks(protocol); err != nil {
		return "", err
	}
	payer := quota.Payer{Account: string(a), Address: c.Address}
	if err := s.Spent(quota.ReplayTickets, payer); err != nil {
		return "", err
	}
	if _, err := s.MayWatch(ctx, c, a, id, key); err != nil {
		return "", err
	}
	token = model.NewSecret()
	err = s.Write(ctx, func(tx *db.Tx) error {
		if err := s.SpendStored(tx, quota.ReplayTickets, payer); err != nil {
			return err
		}
		account, err := tx.Accounts.Lock(a)
		if err != nil {
			return err
		}
		m, err := tx.Matches.Get(id)
		if err != nil {
			return err
		}
		w, err := s.Watching(tx, &m, &account, s.linkOf(&m, key))
		if err != nil {
			return err
		}
		if w.Live { // as with a seat's ticket: it cannot play in this match any more
			if err := tx.Replays.AddWatcher(id, a); err != nil {
				return err
			}
		}
		return tx.Replays.AddTicket(Ticket(&w, token, s.Now().Add(admission.TicketLife)))
	})
	return token, err
}

// Ticket returns a ticket that gives the right, until a time.
func Ticket(w *shared.Right, token model.Secret, expires time.Time) model.ReplayTicket {
	return model.ReplayTicket{Hash: token.Hash(), Match: w.Match, Account: w.Account, Epoch: w.Epoch, Live: w.Live, Link: w.Link, Expires: expires}
}

// RedeemReplay turns a ticket for a replay into the right to watch it, once. It repeats
// the checks that may have changed since the issue.
func (s *Service) RedeemReplay(ctx context.Context, token model.Secret, from netip.Addr) (w shared.Right, err error) {
	err = admission.Redeem(ctx, s.Gate, admission.ReplayTickets, token, func(tx *db.Tx, t model.ReplayTicket) (err error) {
		w, err = s.watchAgain(tx, shared.Right{Match: t.Match, Account: t.Account, Epoch: t.Epoch, Live: t.Live, Link: t.Link}, from)
		return err
	})
	return w, err
}

// ResumeReplay checks whether an account that comes back to a viewing still may watch,
// and returns the right as it is now.
func (s *Service) ResumeReplay(ctx context.Context, prev shared.Right, from netip.Addr) (w shared.Right, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		w, err = s.watchAgain(tx, prev, from)
		return err
	})
	return w, err
}

// watchAgain repeats the checks that may have changed since a right was given. A
// viewing of a running match does not go on after its end: that needs a new ticket.
func (s *Service) watchAgain(tx *db.Tx, prev shared.Right, from netip.Addr) (w shared.Right, err error) {
	a, err := tx.Accounts.Get(prev.Account)
	if errors.Is(err, model.ErrNotFound) {
		return w, model.LoggedOut // deleted since
	}
	if err != nil {
		return w, err
	}
	if err := s.NotBanned(tx, a.ID, model.Client{Address: from}); err != nil {
		return w, err
	}
	if a.Epoch != prev.Epoch {
		return w, model.LoggedOut
	}
	m, err := tx.Matches.Get(prev.Match)
	if err != nil {
		return w, err
	}
	if prev.Live && m.Over() {
		return w, model.MatchOver
	}
	if w, err = s.Watching(tx, &m, &a, prev.Link); err != nil {
		return w, err
	}
	if w.Live != prev.Live {
		err = model.MatchRuns
	}
	return w, err
}

// SetReplays lets the host change the right to watch a match once it is over. Each time
// the host turns the link on, it is a new one, and earlier links stop working.
func (s *Service) SetReplays(ctx context.Context, c model.Client, a model.AccountID, id model.MatchID, access string) (Replay, error) {
	if _, err := s.Replay(ctx, c, a, id, ""); err != nil {
		return Replay{}, err
	}
	if err := s.Write(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Lock(id)
		if err == nil && m.Host != a {
			err = model.Refuse(model.NotHost, "only the host of the match may do this")
		}
		if err != nil {
			return err
		}
		return SetReplays(tx, &m, access)
	}); err != nil {
		return Replay{}, err
	}
	return s.Replay(ctx, c, a, id, "")
}

// SetReplays stores the right to watch a locked match.
func SetReplays(tx *db.Tx, m *model.Match, access string) error {
	switch access {
	case model.ReplaysOff, model.ReplaysParticipants:
	case model.ReplaysLink, model.ReplaysListed:
		m.ReplayLinks++
	default:
		return model.RefuseField(model.BadRequest, "access", "must be off, participants, link or listed")
	}
	m.Replays = access
	if err := tx.Replays.Set(*m); err != nil {
		return err
	}
	return List(tx, m)
}

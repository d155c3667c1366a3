package studio

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/replay"
	"github.com/fogkeep/fogkeep/match/shared"
)

// ServiceReplayTicketsMax is how many players are given tickets for a replay at once.
const ServiceReplayTicketsMax = 64

// SetReplays changes the right to watch a match of the key's issuer once it is over. It
// returns the key of its link, "" unless the link opens the replay.
func (ss *Session) SetReplays(ctx context.Context, id model.MatchID, access string) (key model.Secret, err error) {
	err = ss.act(ctx, MatchesWrite, "match.replays", func(tx *db.Tx) (string, string, error) {
		m, err := ss.own(tx, id)
		if err == nil {
			m, err = tx.Matches.Lock(m.ID)
		}
		if err != nil {
			return "", "", err
		}
		if err := replay.SetReplays(tx, &m, access); err != nil {
			return "", "", err
		}
		if key = ""; m.Linked() {
			key = ss.s.Replay.KeyOf(&m)
		}
		return string(id), access, nil
	})
	return key, err
}

// ReplayTickets issues tickets by which players of the key's issuer watch its finished
// match; empty subjects: all its players. Other players may watch while the link opens
// the replay: the issuer has that link.
func (ss *Session) ReplayTickets(ctx context.Context, id model.MatchID, subjects []string) (out []PlayerTicket, err error) {
	if len(subjects) > ServiceReplayTicketsMax {
		return nil, model.RefuseField(model.BadRequest, "subjects", "at most %d at once", ServiceReplayTicketsMax)
	}
	if err := ss.query(ctx, MatchesWrite, func(tx *db.Tx) error { _, err := ss.past(tx, id); return err }); err != nil {
		return nil, err
	}
	if err := ss.s.Replay.Playable(ctx, &shared.Right{Match: id}); err != nil {
		return nil, err
	}
	err = ss.act(ctx, MatchesWrite, "match.replay-tickets", func(tx *db.Tx) (string, string, error) {
		out = nil
		m, err := ss.past(tx, id)
		if err != nil {
			return "", "", err
		}
		link := int64(0)
		if m.Linked() {
			link = m.ReplayLinks + 1
		}
		watchers, err := ss.watchers(tx, m, subjects)
		if err != nil {
			return "", "", err
		}
		for _, x := range watchers {
			t, err := ss.replayTicket(tx, m, x.account, link)
			if errors.Is(err, model.NotFound) {
				err = model.RefuseField(model.NotSeated, "subjects", "people who did not play in this match may watch it only while everyone with its link may")
			}
			if err != nil {
				return "", "", err
			}
			t.Subject = x.subject
			out = append(out, t)
		}
		return string(id), strconv.Itoa(len(out)) + " tickets", nil
	})
	return out, err
}

// MatchEventsMax bounds the events of a match in one answer.
const MatchEventsMax = 500

// MatchEvents returns what happened in a match of the key's issuer, without the first events.
// While the match runs, events come as late as to its spectators: nothing of a live match
// gets out before they see it.
func (ss *Session) MatchEvents(ctx context.Context, id model.MatchID, after, limit int) (out model.MatchEvents, err error) {
	if err := needs(ss.key, MatchesRead); err != nil {
		return out, err
	}
	m, err := ss.find(ctx, id)
	if err != nil {
		return out, err
	}
	return ss.s.eventsOf(ctx, &m.Match, max(0, after), max(1, min(limit, MatchEventsMax)))
}

// eventsOf reads events of a match, as late as its spectators see it while it runs.
func (s *Service) eventsOf(ctx context.Context, m *model.Match, after, limit int) (out model.MatchEvents, err error) {
	delay := time.Duration(0)
	if !m.Over() {
		delay = m.Spec.EventsDelay()
	}
	out = model.MatchEvents{Events: []model.MatchEvent{}, Next: after}
	if m.State != model.MatchStarting && s.Replay.Replays != nil {
		out, err = s.Replay.Replays.Events(ctx, m.ID, delay, after, limit)
	}
	out.Delay = int(delay / time.Second)
	return out, err
}

// past returns a finished match of the key's issuer whose replay is open.
func (ss *Session) past(tx *db.Tx, id model.MatchID) (model.Match, error) {
	m, err := ss.own(tx, id)
	switch {
	case err != nil:
	case !m.Over():
		err = model.MatchRuns
	case m.Access() == model.ReplaysOff:
		err = model.ReplayOff
	}
	return m, err
}

// watcher is a player of an issuer for whom a ticket is made.
type watcher struct {
	subject string
	account model.AccountID
}

// watchers finds the accounts of subjects; empty: the match's players whose accounts
// still exist.
func (ss *Session) watchers(tx *db.Tx, m model.Match, subjects []string) (out []watcher, err error) {
	if len(subjects) == 0 {
		names, err := ss.subjects(tx, m)
		for _, p := range m.Spec.Participants {
			if subject := names[p.Account]; subject != "" {
				out = append(out, watcher{subject, p.Account})
			}
		}
		return out, err
	}
	seen := map[string]bool{}
	for _, subject := range subjects {
		if seen[subject] {
			continue
		}
		seen[subject] = true
		a, err := ss.player(tx, subject)
		if err != nil {
			return nil, err
		}
		out = append(out, watcher{subject, a.ID})
	}
	return out, nil
}

// replayTicket issues a player's ticket. The address is looked at when it is used.
func (ss *Session) replayTicket(tx *db.Tx, m model.Match, id model.AccountID, link int64) (t PlayerTicket, err error) {
	a, err := tx.Accounts.Lock(id)
	if err != nil {
		return t, err
	}
	if err := ss.s.NotBanned(tx, a.ID, model.Client{}); err != nil {
		return t, admission.About(a, err)
	}
	if err := ss.s.SpendStored(tx, quota.ReplayTickets, quota.Payer{Account: string(a.ID)}); err != nil {
		return t, admission.About(a, err)
	}
	w, err := ss.s.Replay.Watching(tx, &m, &a, link)
	if err != nil {
		return t, err
	}
	t = PlayerTicket{Ticket: model.NewSecret(), Expires: ss.s.Now().Add(model.ServiceTicketLife)}
	return t, tx.Replays.AddTicket(replay.Ticket(&w, t.Ticket, t.Expires))
}

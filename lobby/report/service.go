package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Service takes reports and appeals. Any goroutine may call it.
type Service struct {
	*admission.Gate
	Record Record // nil: reports have no chat of matches
}

// Record is the record of matches.
type Record interface {
	// Said returns the last lines of a seat's player up to a tick: those to all, and with allies those to its team. last
	// is the newest tick of the record. It is never called inside a transaction.
	Said(ctx context.Context, m model.MatchID, start int, allies bool, until uint32) (lines []model.ReportLine, last uint32, err error)
}

// NewReport is a report to be: of a seat of a match, of a seat or a line of a lobby, or of a message.
type NewReport struct {
	Match   string  `json:"match,omitempty" maxLength:"64"`
	Lobby   string  `json:"lobby,omitempty" maxLength:"64"`
	Slot    *int    `json:"slot,omitempty" doc:"of the reported player in the match or lobby"`
	Tick    *uint32 `json:"tick,omitempty" doc:"of the match; absent: the newest"`
	Line    int64   `json:"line,omitempty" minimum:"0" doc:"number of a chat event of the lobby, in place of slot"`
	Account string  `json:"account,omitempty" maxLength:"64" doc:"the sender of the message"`
	Message int64   `json:"message,omitempty" minimum:"0" doc:"number of a message to the caller"`
	Kind    string  `json:"kind" enum:"cheating,chat,name,sabotage,leaving,other"`
	Text    string  `json:"text,omitempty" maxLength:"4000" doc:"at most 1000 characters"`
}

// lateSeconds is how far a match may be ahead of its record.
const lateSeconds = 5

// Report adds a report to the case of a player, and opens a case without one.
func (s *Service) Report(ctx context.Context, c model.Client, me model.AccountID, n NewReport) error {
	r := model.Report{Reporter: me, Kind: n.Kind, Team: -1, At: s.Now(), Lines: []model.ReportLine{}}
	if !slices.Contains(model.ReportKinds(), n.Kind) {
		return model.RefuseField(model.BadRequest, "kind", "must be one of %v", model.ReportKinds())
	}
	if n.Text != "" {
		text, err := model.CleanLine(model.BadText, "text", n.Text, model.CaseTextMax)
		if err != nil {
			return err
		}
		r.Text = text
	}
	payer := quota.Payer{Account: string(me), Address: c.Address}
	if err := s.Spent(quota.Reports, payer); err != nil {
		return err
	}
	of := model.Case{Opened: r.At}
	var err error
	switch {
	case n.Match != "" && n.Lobby == "" && n.Message == 0 && n.Slot != nil:
		of.Match = model.MatchID(n.Match)
		of.Account, err = s.ofMatch(ctx, of.Match, *n.Slot, n.Tick, &r)
	case n.Lobby != "" && n.Match == "" && n.Message == 0 && (n.Slot != nil) != (n.Line != 0):
		of.Lobby = model.LobbyID(n.Lobby)
		of.Account, err = s.ofLobby(ctx, of.Lobby, n, &r)
	case n.Message != 0 && n.Match == "" && n.Lobby == "":
		of.Account = model.AccountID(n.Account)
		err = s.ofMessage(ctx, of.Account, n.Message, &r)
	default:
		err = model.Refuse(model.BadRequest, "give match and slot, lobby and slot, lobby and line, or account and message")
	}
	switch {
	case err != nil:
		return err
	case of.Account == "":
		return model.Refuse(model.NoSuchSeat, "no account has this seat")
	case of.Account == me:
		return model.Refuse(model.BadRequest, "this is your own account")
	}
	if extra := len(r.Lines) - model.ReportLinesMax; extra > 0 {
		r.Lines = r.Lines[extra:]
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		if err := s.SpendStored(tx, quota.Reports, payer); err != nil {
			return err
		}
		if a, err := tx.Accounts.Get(of.Account); err != nil || !a.Deleted.IsZero() {
			return cmp.Or[error](err, model.NotFound)
		}
		id, err := tx.Cases.Add(of, r)
		if err != nil {
			return err
		}
		return s.audit(tx, c, "case.report", id, r.Kind+" by account "+string(me))
	})
}

// audit adds the row of a player's step. It names accounts by their ids: rows stay after accounts are deleted.
func (s *Service) audit(tx *db.Tx, c model.Client, action string, id int64, detail string) error {
	return tx.Audit.Add(&model.AuditRow{At: s.Now(), Admin: "player", Action: action, Subject: fmt.Sprint("case ", id), Detail: detail, Address: c.Address.String()})
}

// ofMatch finds the player of a seat at a tick, and fills in the reporter's team, the tick and the player's chat.
func (s *Service) ofMatch(ctx context.Context, id model.MatchID, slot int, tick *uint32, r *model.Report) (model.AccountID, error) {
	var m model.Match
	if err := s.Read(ctx, func(tx *db.Tx) (err error) {
		if m, err = tx.Matches.Get(id); err != nil {
			return err
		}
		was, err := tx.Matches.HasPlayed(id, r.Reporter)
		if err == nil && !was {
			was, err = tx.Replays.HasWatched(id, r.Reporter)
		}
		if err == nil && !was {
			err = model.ErrNotFound // as a match that does not exist
		}
		return err
	}); err != nil {
		return "", err
	}
	seat := slices.IndexFunc(m.Spec.Participants, func(p model.Participant) bool { return p.Start == slot })
	if seat < 0 {
		return "", model.NoSuchSeat
	}
	of := &m.Spec.Participants[seat]
	for _, p := range m.Spec.Participants {
		if slices.ContainsFunc(p.Holders(), func(h model.Holder) bool { return h.Account == r.Reporter }) {
			r.Team = int(p.Team)
		}
	}
	r.Tick = math.MaxUint32
	if tick != nil {
		r.Tick = *tick
	}
	last := uint32(0)
	if m.Result != nil {
		last = m.Result.Ticks
	}
	if s.Record != nil {
		lines, recorded, err := s.Record.Said(ctx, id, slot, r.Team == int(of.Team), r.Tick)
		if e := model.AsError(err); e != nil && e.Code != model.ReplayExpired && e.Code != model.ReplayVersion {
			return "", err
		}
		if last = max(last, recorded); err == nil {
			r.Lines = append(r.Lines, lines...)
		}
	}
	if tick != nil && r.Tick > last+uint32(lateSeconds*m.Spec.Options.TicksPerSecond) {
		return "", model.RefuseField(model.BadTick, "tick", "the match has had %d ticks", last)
	}
	r.Tick = min(r.Tick, last)
	for _, h := range of.Holders() {
		if h.From <= r.Tick && (h.To == 0 || r.Tick < h.To) {
			return h.Account, nil
		}
	}
	return "", nil
}

// ofLobby finds the account of a seat, or of a line that the reporter got, and fills in its chat up to that line.
func (s *Service) ofLobby(ctx context.Context, id model.LobbyID, n NewReport, r *model.Report) (of model.AccountID, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		l, err := tx.Lobbies.Get(id)
		if err != nil {
			return err
		}
		if l.SeatOf(r.Reporter) < 0 {
			return l.Stranger()
		}
		if l.Silenced, err = tx.Relations.Among(model.Block, l.Accounts()); err != nil {
			return err
		}
		events, err := tx.Lobbies.Chat(id, 0, 100)
		if err != nil {
			return err
		}
		events = slices.DeleteFunc(l.ChatFor(r.Reporter, events), func(e model.Event) bool { return e.Kind != model.ChatEvent || n.Line != 0 && e.Seq > n.Line })
		if n.Slot != nil {
			if i := l.SeatAt(*n.Slot); i >= 0 {
				of = l.Seats[i].Account
			}
		} else if last := len(events) - 1; last < 0 || events[last].Seq != n.Line {
			return model.Refuse(model.NotFound, "the record has no such line")
		} else {
			of = events[last].Account
		}
		r.Lines = r.Lines[:0]
		for _, e := range events {
			var line model.ChatLine
			if e.Account == of && json.Unmarshal(e.Body, &line) == nil {
				r.Lines = append(r.Lines, model.ReportLine{At: e.At, Text: line.Text})
			}
		}
		return nil
	})
	return of, err
}

// ofMessage fills in the messages of an account to the reporter, up to one.
func (s *Service) ofMessage(ctx context.Context, of model.AccountID, num int64, r *model.Report) error {
	list, err := core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.DirectMessage, error) { return tx.Relations.Messages(r.Reporter, of) })
	list = slices.DeleteFunc(list, func(m model.DirectMessage) bool { return m.From != of || m.To != r.Reporter || m.ID > num })
	if err == nil && (len(list) == 0 || list[len(list)-1].ID != num) {
		err = model.Refuse(model.NotFound, "the record has no such message")
	}
	for _, m := range list {
		r.Lines = append(r.Lines, model.ReportLine{At: m.At, Text: m.Text})
	}
	return err
}

// Own lists the newest reports of an account.
func (s *Service) Own(ctx context.Context, me model.AccountID) ([]model.OwnReport, error) {
	return core.Get(ctx, s.Core, func(tx *db.Tx) ([]model.OwnReport, error) { return tx.Cases.By(me, 200) })
}

// Notice tells an account of a decision that holds.
type Notice struct {
	model.Case
	Bans []model.Ban
}

// Notices lists the decisions about an account that hold, the oldest first.
func (s *Service) Notices(ctx context.Context, me model.AccountID) (out []Notice, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		out = nil
		bans, err := tx.Bans.OfCases(me, 0, s.Now())
		if err != nil {
			return err
		}
		for _, b := range bans {
			i := slices.IndexFunc(out, func(n Notice) bool { return n.ID == b.Case })
			if i < 0 {
				c, err := tx.Cases.Get(b.Case)
				if err != nil {
					return err
				}
				i, out = len(out), append(out, Notice{Case: c})
			}
			out[i].Bans = append(out[i].Bans, b)
		}
		return nil
	})
	return out, err
}

// Appeal asks for another look at a decision, once.
func (s *Service) Appeal(ctx context.Context, from model.Client, me model.AccountID, id int64, text string) error {
	text, err := model.CleanLine(model.BadText, "text", text, model.CaseTextMax)
	if err != nil {
		return err
	}
	return s.Write(ctx, func(tx *db.Tx) error {
		c, err := tx.Cases.Lock(id)
		if err == nil && c.Account != me {
			err = model.ErrNotFound
		}
		if err != nil {
			return err
		}
		if bans, err := tx.Bans.OfCases(me, id, s.Now()); err != nil {
			return err
		} else if len(bans) == 0 || c.State != model.CaseClosed || !c.Appealed.IsZero() {
			return model.Refuse(model.WrongState, "this decision does not hold any more, or you have appealed against it before")
		}
		c.State, c.Appeal, c.Appealed = model.CaseAppealed, text, s.Now()
		if err := tx.Cases.Save(c); err != nil {
			return err
		}
		return s.audit(tx, from, "case.appeal", id, "by account "+string(me))
	})
}

package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Cases lists cases in a state ("": all), newest first.
func (as *Session) Cases(ctx context.Context, state model.CaseState, before int64, limit int) ([]model.Case, error) {
	return ask(ctx, as, func(tx *db.Tx) ([]model.Case, error) {
		return tx.Cases.List(state, "", before, max(1, min(limit, 200)))
	})
}

// CaseFile is all that a moderator reads of a case.
type CaseFile struct {
	model.Case
	Reports []model.Report
	Notes   []model.Note
	Bans    []model.Ban  // of the case, that hold
	Others  []model.Case // of the same account, newest first
}

// Case opens a case.
func (as *Session) Case(ctx context.Context, id int64) (f CaseFile, err error) {
	err = as.query(ctx, func(tx *db.Tx) (err error) {
		f = CaseFile{}
		if f.Case, err = tx.Cases.Get(id); err != nil {
			return err
		}
		if f.Reports, err = tx.Cases.Reports(id); err != nil {
			return err
		}
		if f.Notes, err = tx.Cases.Notes(id); err != nil {
			return err
		}
		if f.Bans, err = tx.Bans.OfCases(f.Account, id, as.s.Now()); err != nil {
			return err
		}
		f.Others, err = tx.Cases.List("", f.Account, 0, 20)
		f.Others = slices.DeleteFunc(f.Others, func(c model.Case) bool { return c.ID == id })
		return err
	})
	return f, err
}

// NoteCase adds a note to a case.
func (as *Session) NoteCase(ctx context.Context, id int64, text string) error {
	text, err := model.CleanLine(model.BadText, "text", text, model.CaseTextMax)
	if err != nil {
		return err
	}
	return as.act(ctx, model.Moderator, "case.note", func(tx *db.Tx) (string, string, error) {
		if _, err := tx.Cases.Get(id); err != nil {
			return "", "", err
		}
		return caseSubject(id), text, tx.Cases.AddNote(id, model.Note{By: as.admin.Name, Text: text, At: as.s.Now()})
	})
}

func caseSubject(id int64) string { return fmt.Sprint("case ", id) }

// Decision closes a case.
type Decision struct {
	Verdict model.Verdict
	Scopes  []model.BanScope // of a mute
	Reason  string           // the account reads it
	For     time.Duration    // 0: for good
}

// Decide closes a case that is open, or whose account has appealed. A decision about an appeal replaces the earlier
// one, or keeps it.
func (as *Session) Decide(ctx context.Context, id int64, d Decision) error {
	reason, err := model.CleanLine(model.BadText, "reason", d.Reason, 200)
	if err != nil {
		return err
	}
	scopes := d.Scopes
	switch {
	case d.Verdict == model.Mute:
		slices.Sort(scopes)
		scopes = slices.Compact(scopes)
		if len(scopes) == 0 || slices.ContainsFunc(scopes, func(s model.BanScope) bool { return !slices.Contains(model.MuteScopes(), s) }) {
			return model.RefuseField(model.BadRequest, "scopes", "a mute has one or more of %v", model.MuteScopes())
		}
	case len(scopes) > 0:
		return model.RefuseField(model.BadRequest, "scopes", "only a mute has scopes")
	case d.Verdict == model.QueueBan:
		scopes = []model.BanScope{model.Search}
	case d.Verdict == model.FullBan:
		scopes = []model.BanScope{""}
	case d.Verdict != model.Nothing && d.Verdict != model.Keep:
		return model.RefuseField(model.BadRequest, "outcome", "must be nothing, mute, queue, ban or keep")
	}
	if d.For < 0 {
		return model.RefuseField(model.BadRequest, "hours", "must not be negative")
	}
	var out seat.Removed
	err = as.act(ctx, model.Moderator, "case.decide", func(tx *db.Tx) (string, string, error) {
		out = seat.Removed{}
		c, err := tx.Cases.Lock(id)
		if err != nil {
			return "", "", err
		}
		if c.State == model.CaseClosed || c.State == model.CaseOpen && d.Verdict == model.Keep {
			return "", "", model.Refuse(model.WrongState, "the case is %s: load it again", c.State)
		}
		now := as.s.Now()
		detail := []string{string(d.Verdict)}
		c.State, c.By, c.Closed, c.Reason = model.CaseClosed, as.admin.Name, now, reason
		if d.Verdict != model.Keep {
			c.Outcome = d.Verdict
			old, err := tx.Bans.OfCases(c.Account, id, now)
			if err != nil {
				return "", "", err
			}
			for _, b := range old {
				if _, err := as.s.lift(tx, b.ID); err != nil {
					return "", "", err
				}
			}
		}
		for _, scope := range scopes {
			ban := model.Ban{Account: c.Account, Name: c.Name, Reason: reason, By: as.admin.Name, Created: now, Scope: scope, Case: id}
			if d.For > 0 {
				ban.Until = now.Add(d.For)
			}
			if out, err = as.s.addBan(tx, &ban); err != nil {
				return "", "", err
			}
			detail = append(detail, string(scope), admission.UntilText(ban.Until))
		}
		if err := tellOfCase(tx, c); err != nil {
			return "", "", err
		}
		return caseSubject(id), strings.Join(detail, " ") + ": " + reason, tx.Cases.Save(c)
	})
	if err == nil {
		as.s.Seats.CloseRemoved(ctx, out)
	}
	return err
}

// tellOfCase lets the pages of a case's account and of its reporters read their notices again.
func tellOfCase(tx *db.Tx, c model.Case) error {
	reports, err := tx.Cases.Reports(c.ID)
	if err != nil {
		return err
	}
	woken := []model.AccountID{c.Account}
	for _, r := range reports {
		if r.Reporter != "" && !slices.Contains(woken, r.Reporter) {
			woken = append(woken, r.Reporter)
		}
	}
	return tx.Relations.Changed(woken...)
}

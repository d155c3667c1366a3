package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/report"
)

// ReportList is the caller's reports.
type ReportList struct {
	Reports []model.OwnReport `json:"reports" doc:"newest first"`
}

// Notice tells the caller of a moderator's decision that holds.
type Notice struct {
	Case   int64     `json:"case"`
	Match  string    `json:"match,omitempty"`
	Scopes []string  `json:"scopes" enum:"lobby,match,messages,queue" doc:"where the caller is muted, or queue for matchmaking; empty: banned from everything"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until,omitzero" doc:"absent: for good"`
	Appeal string    `json:"appeal" enum:"possible,waiting,answered" doc:"possible: the caller may appeal, once"`
	Answer string    `json:"answer,omitempty" doc:"the moderator's answer to the appeal"`
}

// CaseText is a text about a case.
type CaseText struct {
	Text string `json:"text" maxLength:"4000" doc:"1 to 1000 characters"`
}

type caseWith[B any] struct {
	ID   int64 `path:"id" minimum:"1"`
	Body B
}

func noticeOf(n report.Notice) Notice {
	out := Notice{Case: n.ID, Match: string(n.Match), Scopes: []string{}, Reason: n.Bans[0].Reason, Until: n.Bans[0].Until, Appeal: "possible"}
	for _, b := range n.Bans {
		if b.Scope != "" {
			out.Scopes = append(out.Scopes, string(b.Scope))
		}
	}
	if !n.Appealed.IsZero() {
		out.Appeal = "waiting"
		if n.State == model.CaseClosed {
			out.Appeal, out.Answer = "answered", n.Reason
		}
	}
	return out
}

func (a *playerAPI) reports(h huma.API) {
	t := tag("reports")
	asChanger(a, h, op(http.MethodPost, "/api/reports", "report", "Report a player of a match or lobby in which the caller was, or the sender of a message. The server adds the player's chat from its own record", t),
		func(ctx context.Context, p player, in *body[report.NewReport]) (*none, error) {
			return nil, a.s.Report.Report(ctx, p.caller.Client, p.account.ID, in.Body)
		})
	asPlayer(a, h, op(http.MethodGet, "/api/reports", "reports", "The caller's newest reports, at most 200", t),
		func(ctx context.Context, p player, _ *none) (*body[ReportList], error) {
			list, err := a.s.Report.Own(ctx, p.account.ID)
			return &body[ReportList]{ReportList{append([]model.OwnReport{}, list...)}}, err
		})
	asChanger(a, h, op(http.MethodPost, "/api/cases/{id}/appeal", "appeal", "Appeal against a decision about the caller, once", t),
		func(ctx context.Context, p player, in *caseWith[CaseText]) (*none, error) {
			return nil, a.s.Report.Appeal(ctx, p.caller.Client, p.account.ID, in.ID, in.Body.Text)
		})
}

type casesOut struct {
	Body struct {
		Cases []model.Case `json:"cases"`
		Next  int64        `json:"next,omitempty"`
	}
}

// CaseFile is a case as moderators read it.
type CaseFile struct {
	Case    model.Case     `json:"case"`
	Reports []model.Report `json:"reports"`
	Notes   []model.Note   `json:"notes"`
	Bans    []model.Ban    `json:"bans" doc:"by this case, that hold"`
	Others  []model.Case   `json:"others" doc:"of the same account, newest first, at most 20"`
}

// Decision closes a case.
type Decision struct {
	Outcome string           `json:"outcome" enum:"nothing,mute,queue,ban,keep" doc:"keep: after an appeal, the earlier decision stands. All others replace the earlier decision"`
	Scopes  []model.BanScope `json:"scopes,omitempty" maxItems:"3" enum:"lobby,match,messages" doc:"of a mute"`
	Reason  string           `json:"reason" maxLength:"800" doc:"the account reads it"`
	Hours   int64            `json:"hours,omitempty" minimum:"0" maximum:"876000" doc:"0: for good"`
}

const casesPage = 100

func (a *AdminAPI) cases(h huma.API) {
	t := tag("cases")
	file := func(ctx context.Context, session *admin.Session, id int64, err error) (*body[CaseFile], error) {
		if err != nil {
			return nil, err
		}
		f, err := session.Case(ctx, id)
		return &body[CaseFile]{CaseFile{
			f.Case, append([]model.Report{}, f.Reports...), append([]model.Note{}, f.Notes...), append([]model.Ban{}, f.Bans...), append([]model.Case{}, f.Others...),
		}}, err
	}
	register(a, h, op(http.MethodGet, "/admin/api/cases", "admin-cases", "Cases, newest first", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			State  string `query:"state" enum:"open,closed,appealed" doc:"absent: all"`
			Before int64  `query:"before" minimum:"0" doc:"next of the page before"`
		}) (*casesOut, error) {
			list, err := session.Cases(ctx, model.CaseState(in.State), in.Before, casesPage)
			out := &casesOut{}
			out.Body.Cases = append([]model.Case{}, list...)
			out.Body.Next = next(list, casesPage, func(x model.Case) int64 { return x.ID })
			return out, err
		})
	register(a, h, op(http.MethodGet, "/admin/api/cases/{id}", "admin-case", "A case with its reports and notes", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			ID int64 `path:"id" minimum:"1"`
		}) (*body[CaseFile], error) {
			return file(ctx, session, in.ID, nil)
		})
	register(a, h, op(http.MethodPost, "/admin/api/cases/{id}/notes", "admin-note-case", "Add a note (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *caseWith[CaseText]) (*body[CaseFile], error) {
			return file(ctx, session, in.ID, session.NoteCase(ctx, in.ID, in.Body.Text))
		})
	register(a, h, op(http.MethodPost, "/admin/api/cases/{id}/decide", "admin-decide-case", "Close a case with an outcome, or answer an appeal (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *caseWith[Decision]) (*body[CaseFile], error) {
			d := in.Body
			return file(ctx, session, in.ID, session.Decide(ctx, in.ID, admin.Decision{
				Verdict: model.Verdict(d.Outcome), Scopes: d.Scopes, Reason: d.Reason, For: time.Duration(d.Hours) * time.Hour,
			}))
		})
}

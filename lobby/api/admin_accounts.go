package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
)

type banOut struct {
	Body struct {
		Ban model.Ban `json:"ban"`
	}
}

type accountWith[B any] struct {
	AccountPath
	Body B
}

type Reason struct {
	Reason string `json:"reason" maxLength:"800" doc:"told to those it concerns"`
}

type accountsOut struct {
	Body struct {
		Accounts []model.Account `json:"accounts"`
		Next     string          `json:"next,omitempty" doc:"pass as after for the next page"`
	}
}

type accountOut struct {
	Body struct {
		Account    model.Account   `json:"account"`
		Record     model.Record    `json:"record"`
		Sessions   []model.Session `json:"sessions"`
		Identities []Linked        `json:"identities" doc:"the account's external identities"`
		Lobby      string          `json:"lobby,omitempty"`
		Ban        *model.Ban      `json:"ban,omitempty"`
	}
}

type resetOut struct {
	Body struct {
		Link    string    `json:"link" doc:"works once"`
		Expires time.Time `json:"expires"`
	}
}

const accountsPage = 100

func (a *AdminAPI) accounts(h huma.API) {
	t := tag("accounts")
	register(a, h, op(http.MethodGet, "/admin/api/accounts", "admin-accounts", "Accounts by name", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Query string `query:"q" maxLength:"100"`
			After string `query:"after" maxLength:"200"`
		}) (*accountsOut, error) {
			list, err := session.Accounts(ctx, model.AccountFilter{Query: in.Query, After: model.LoginKey(in.After), Limit: accountsPage})
			out := &accountsOut{}
			out.Body.Accounts = append([]model.Account{}, list...)
			if len(list) == accountsPage {
				out.Body.Next = strings.ToLower(list[len(list)-1].Name)
			}
			return out, err
		})
	register(a, h, op(http.MethodGet, "/admin/api/accounts/{id}", "admin-account", "One account's file", t),
		func(ctx context.Context, session *admin.Session, in *AccountPath) (*accountOut, error) {
			file, err := session.Account(ctx, model.AccountID(in.ID))
			out := &accountOut{}
			out.Body.Account, out.Body.Lobby = file.Account, string(file.Lobby)
			out.Body.Record = file.Record
			out.Body.Identities = a.config.linked(file.Links)
			out.Body.Sessions = append([]model.Session{}, file.Sessions...)
			out.Body.Ban = file.Ban
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/accounts/{id}/kick", "admin-kick", "Throw out of lobby and match, end sessions (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *accountWith[Reason]) (*none, error) {
			return nil, session.Kick(ctx, in.ID, in.Body.Reason)
		})
	register(a, h, op(http.MethodPost, "/admin/api/accounts/{id}/logout", "admin-end-sessions", "End all sessions (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *AccountPath) (*none, error) {
			_, err := session.EndSessions(ctx, in.ID)
			return nil, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/accounts/{id}/reset", "admin-reset-password", "A single-use link for a new password (admin)", t),
		func(ctx context.Context, session *admin.Session, in *AccountPath) (*resetOut, error) {
			token, _, err := session.ResetPassword(ctx, in.ID)
			out := &resetOut{}
			out.Body.Link, out.Body.Expires = admin.ResetLink(a.config.PublicURL, token), a.s.Now().Add(admin.ResetLife)
			return out, err
		})
	register(a, h, op(http.MethodDelete, "/admin/api/accounts/{id}", "admin-delete-account", "Delete for good (admin)", t),
		func(ctx context.Context, session *admin.Session, in *AccountPath) (*none, error) {
			return nil, session.DeleteAccount(ctx, in.ID)
		})
	a.bans(h)
}

type bansOut struct {
	Body struct {
		Bans []model.Ban `json:"bans"`
		Next int64       `json:"next,omitempty"`
	}
}

const bansPage = 100

func (a *AdminAPI) bans(h huma.API) {
	t := tag("bans")
	register(a, h, op(http.MethodGet, "/admin/api/bans", "admin-bans", "Bans, newest first", t),
		func(ctx context.Context, session *admin.Session, in *pageIn) (*bansOut, error) {
			list, err := session.Bans(ctx, in.Before, bansPage)
			out := &bansOut{}
			out.Body.Bans = append([]model.Ban{}, list...)
			out.Body.Next = next(list, bansPage, func(x model.Ban) int64 { return x.ID })
			return out, err
		})
	register(a, h, op(http.MethodPost, "/admin/api/bans", "admin-ban", "Ban an account or a range of addresses (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Body struct {
				Account string `json:"account,omitempty" maxLength:"100" doc:"id or name; this or range"`
				Range   string `json:"range,omitempty" maxLength:"60" doc:"such as 192.0.2.7 or 192.0.2.0/24"`
				Reason  string `json:"reason" maxLength:"800" doc:"told to the banned"`
				Hours   int64  `json:"hours,omitempty" minimum:"0" maximum:"876000" doc:"0: for good"`
			}
		}) (*banOut, error) {
			ban, err := session.Ban(ctx, admin.NewBan{
				Account: in.Body.Account, Range: in.Body.Range, Reason: in.Body.Reason, For: time.Duration(in.Body.Hours) * time.Hour,
			})
			out := &banOut{}
			out.Body.Ban = ban
			return out, err
		})
	register(a, h, op(http.MethodDelete, "/admin/api/bans/{ban}", "admin-lift-ban", "Lift a ban (moderator)", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Ban int64 `path:"ban" minimum:"1"`
		}) (*banOut, error) {
			ban, err := session.LiftBan(ctx, in.Ban)
			out := &banOut{}
			out.Body.Ban = ban
			return out, err
		})
}

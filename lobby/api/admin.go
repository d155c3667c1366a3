package api

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// AdminAPI is the admins' API.
type AdminAPI struct {
	http.Handler // everything under /admin/api/ that is the lobby's

	s       *lobby.Service
	api     huma.API
	config  Config
	recheck time.Duration // between two checks of the right of a watching admin
}

// API is where other rooms register operations of theirs below /admin/api: they are in
// the same document, and a session's cookie and address are looked at as for all. What
// shows a match from within is a [AdminAPI.FogOperation] or [AdminAPI.PastOperation] and calls [AdminAPI.Look].
func (a *AdminAPI) API() huma.API { return a.api }

// FogOperation has an operation refuse admins without the right to look through the fog
// before it reads any other part of a request.
func (a *AdminAPI) FogOperation(o *huma.Operation) { a.lookOperation(o, true) }

// PastOperation is FogOperation that lets moderators pass, too: [AdminAPI.Look] admits them to the past matches of cases.
func (a *AdminAPI) PastOperation(o *huma.Operation) { a.lookOperation(o, false) }

func (a *AdminAPI) lookOperation(o *huma.Operation, live bool) {
	o.Metadata = map[string]any{permission: func(ctx context.Context) error {
		session, err := a.session(ctx)
		if err != nil {
			return err
		}
		return session.MayLook(live)
	}}
}

// Look begins a look at a match from within, through the eyes of a team, or, below 0, of
// all teams. An admin with the right to look through the fog gets it, and a moderator for a past match of a case. It leaves an
// audit row for each ten minutes. The look has to use the same value of eyes. Its context
// ends once the session or the right has ended; done ends the look. kept reports whether
// there is a journal of a match that the database no longer has; nil: no journals.
func (a *AdminAPI) Look(ctx context.Context, match string, eyes int, holds func(match string) bool) (looking context.Context, done func(), err error) {
	whose := "all"
	if eyes >= 0 {
		whose = strconv.Itoa(eyes)
	}
	may := func(session *admin.Session, err error) error {
		if err != nil {
			return err
		}
		return session.AllowFog(ctx, model.MatchID(match), whose, func() bool { return holds != nil && holds(match) })
	}
	if err := may(a.session(ctx)); err != nil {
		return nil, nil, problem(err)
	}
	looking, cut := context.WithCancel(ctx)
	var asks sync.WaitGroup
	asks.Go(func() {
		defer panics.Catch(a.s.Logger, "fog", cut)
		a.whileMay(looking, cut, func(ctx context.Context) error { return may(a.fresh(ctx)) })
	})
	return looking, func() { cut(); asks.Wait() }, nil
}

// whileMay asks again and again, until ctx ends, and cuts after a refusal. A missing
// database is no refusal.
func (a *AdminAPI) whileMay(ctx context.Context, cut func(), may func(context.Context) error) {
	again := time.NewTicker(a.recheck)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
		}
		switch e := model.AsError(may(ctx)); {
		case e == nil:
		case e.Code == model.Unauthenticated, e.Code == model.Forbidden, e.Code == model.NotFound:
			cut()
			return
		}
	}
}

// session finds the calling admin.
func (a *AdminAPI) session(ctx context.Context) (*admin.Session, error) {
	if session, ok := ctx.Value(sessionKey{}).(*admin.Session); ok {
		return session, nil
	}
	session, err := a.fresh(ctx)
	if err == nil { // not in fresh, which streams call while the request's line is written
		listen.VisitOf(ctx).Account = "admin:" + session.Admin().Name
	}
	return session, err
}

// fresh is session as it is now, in an answer that lasts.
func (a *AdminAPI) fresh(ctx context.Context) (*admin.Session, error) {
	caller := callerOf(ctx)
	return a.s.Admin.Session(ctx, caller.Client, caller.token)
}

// Admin is an admin as shown to admins.
type Admin struct {
	Name     string    `json:"name"`
	Role     string    `json:"role" enum:"viewer,moderator,admin"`
	Fog      bool      `json:"fog" doc:"may look through the fog of live matches"`
	Disabled bool      `json:"disabled"`
	Created  time.Time `json:"created"`
}

func adminOf(a model.Admin) Admin {
	return Admin{a.Name, string(a.Role), a.Fog, !a.Disabled.IsZero(), a.Created}
}

type adminOut struct {
	Body struct {
		Admin Admin `json:"admin"`
	}
}

// AdminLoggedIn is the answer of an admin's log-in.
type AdminLoggedIn struct {
	Admin  Admin  `json:"admin"`
	Token  string `json:"token,omitempty"`
	Device string `json:"device,omitempty"`
}

type adminSessionOut struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      AdminLoggedIn
}

func (a *AdminAPI) sessions(h huma.API) {
	t := tag("session")
	asAnyone(h, op(http.MethodPost, "/admin/api/login", "admin-log-in", "Log in as an admin", t),
		func(ctx context.Context, in *body[Credentials]) (*adminSessionOut, error) {
			caller := callerOf(ctx).onDevice(in.Body.Device)
			admin, token, err := a.s.Admin.AdminLogIn(ctx, caller.Client, in.Body.Name, in.Body.Password)
			if err != nil {
				return nil, err
			}
			out := &adminSessionOut{}
			out.SetCookie, out.Body.Token, out.Body.Device = opened(model.AdminRealm, caller, token, a.s.Admin.AdminLife, in.Body.Bearer)
			out.Body.Admin = adminOf(admin)
			return out, nil
		})
	asAnyone(h, op(http.MethodPost, "/admin/api/logout", "admin-log-out", "End this session", t),
		func(ctx context.Context, _ *none) (*cookieOut, error) {
			caller := callerOf(ctx)
			return &cookieOut{cookie(model.AdminRealm, caller, "", 0)}, a.s.Account.LogOut(ctx, model.AdminRealm, caller.token)
		})
	register(a, h, op(http.MethodGet, "/admin/api/me", "admin-me", "The admin of the session", t),
		func(_ context.Context, session *admin.Session, _ *none) (*adminOut, error) {
			out := &adminOut{}
			out.Body.Admin = adminOf(session.Admin())
			return out, nil
		})
	register(a, h, op(http.MethodPost, "/admin/api/me/password", "admin-change-password", "Change one's own password; other sessions end", t),
		func(ctx context.Context, session *admin.Session, in *struct {
			Body struct {
				Old string `json:"old" maxLength:"1000"`
				New string `json:"new" maxLength:"1000"`
			}
		}) (*none, error) {
			return nil, session.ChangeOwnPassword(ctx, in.Body.Old, in.Body.New)
		})
}

// register registers an operation for logged-in admins. The session checks the role,
// inside the transaction.
func register[I, O any](a *AdminAPI, h huma.API, o huma.Operation, do func(context.Context, *admin.Session, *I) (*O, error)) {
	registerWith(h, o, a.session, do)
}

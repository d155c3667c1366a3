package api

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// ProviderPath names an identity provider.
type ProviderPath struct {
	Provider string `path:"provider" maxLength:"32" pattern:"^[0-9a-z-]+$" doc:"the provider's id"`
}

// Logins is by what players log in here.
type Logins struct {
	Providers  []identity.LoginProvider `json:"providers"`
	OwnLogin   bool                     `json:"ownLogin" doc:"by name and password"`
	Guests     bool                     `json:"guests" doc:"players may play without an account"`
	PublicURL  string                   `json:"publicUrl,omitempty" doc:"address for links that players give to others; absent: the address at which the page was opened"`
	NetworkURL string                   `json:"networkUrl,omitempty" doc:"this address for a page that was opened at a loopback address, to requests of the server's machine alone: where other machines find the server"`
}

// Linked is an external identity of an account.
type Linked struct {
	Key      string    `json:"key" doc:"names the link for unlinking it"`
	Issuer   string    `json:"issuer" doc:"the provider's name for itself"`
	Subject  string    `json:"subject" doc:"the provider's name for the player"`
	Provider string    `json:"provider,omitempty" doc:"id; absent: the server currently accepts no log-in by this identity"`
	Name     string    `json:"name,omitempty" doc:"of the provider, for people"`
	Created  time.Time `json:"created"`
	Used     time.Time `json:"used" doc:"the last log-in by it"`
}

// Identities is how one comes into an account.
type Identities struct {
	Identities []Linked `json:"identities"`
	Password   bool     `json:"password" doc:"the account has a password"`
}

// TokenLogin logs in by a provider's token.
type TokenLogin struct {
	Token  string `json:"token" maxLength:"8192" minLength:"1"`
	Link   bool   `json:"link,omitempty" doc:"link with the account that asks, instead of logging in"`
	Bearer bool   `json:"bearer,omitempty" doc:"answer with a token instead of relying on the cookie"`
}

// LinkRequest begins a link in the browser.
type LinkRequest struct {
	Return string `json:"return,omitempty" maxLength:"512" doc:"path of this server to come back to; / by default"`
}

// LinkAddress is where a link goes on.
type LinkAddress struct {
	Address string `json:"address" doc:"of the provider, for the browser to go to"`
}

type linkOut struct {
	SetCookie []http.Cookie `header:"Set-Cookie"`
	Body      LinkAddress
}

// away sends the browser somewhere.
type away struct {
	Location  string        `header:"Location"`
	SetCookie []http.Cookie `header:"Set-Cookie"`
}

func seeOther(o *huma.Operation) { o.DefaultStatus = http.StatusSeeOther }

func (a *playerAPI) identities(h huma.API) {
	t := tag("identity")
	asAnyone(h, op(http.MethodGet, "/api/identity/providers", "login-providers", "The ways to log in on this server", t),
		func(ctx context.Context, _ *none) (*body[Logins], error) {
			list := append([]identity.LoginProvider{}, a.config.Identity.List()...)
			out := Logins{list, !a.s.Account.NoOwnLogin, !a.s.Account.NoGuests, a.config.LinkURL, ""}
			if c := a.config; c.LinkURL == "" && c.NetworkURLs != nil && callerOf(ctx).Address.IsLoopback() {
				if urls := c.NetworkURLs(); len(urls) > 0 {
					out.NetworkURL = urls[0]
				}
			}
			return &body[Logins]{out}, nil
		})
	huma.Register(h, op(http.MethodGet, "/api/identity/{provider}/login", "log-in-at-provider", "Go to the provider's log-in page; a browser follows a link of a page of this server's", t, public, seeOther),
		func(ctx context.Context, in *struct {
			ProviderPath
			Return string `query:"return" maxLength:"512" doc:"path of this server to come back to; / by default. If the log-in fails, login=CODE is added to its query"`
		}) (*away, error) {
			return a.goToProvider(ctx, in.Provider, in.Return), nil
		})
	huma.Register(h, op(http.MethodGet, "/api/identity/{provider}/callback", "back-from-provider", "Where the provider sends the browser back to", t, public, seeOther, func(o *huma.Operation) {
		o.Metadata = map[string]any{furtherQuery: true} // providers add parameters of their own
	}),
		func(ctx context.Context, in *struct {
			ProviderPath
			State string `query:"state" maxLength:"64"`
			Code  string `query:"code" maxLength:"4096"`
			Iss   string `query:"iss" maxLength:"255"`
			Error string `query:"error" maxLength:"200"`
		}) (*away, error) {
			return a.backFromProvider(ctx, identity.Answer{
				Provider: in.Provider, Browser: callerOf(ctx).login, State: model.Secret(in.State), Code: in.Code, Issuer: in.Iss, Error: in.Error,
			}), nil
		})
	asAnyone(h, op(http.MethodPost, "/api/identity/{provider}/token", "log-in-by-token", "Log in by a provider's token; a guest becomes an account by an identity that is new", t),
		func(ctx context.Context, in *struct {
			ProviderPath
			Body TokenLogin
		}) (*sessionOut, error) {
			return a.byToken(ctx, in.Provider, in.Body)
		})
	asPlayer(a, h, op(http.MethodPost, "/api/identity/{provider}/link", "link-at-provider", "Begin to link an identity with the account, on the provider's pages", t),
		func(ctx context.Context, p player, in *struct {
			ProviderPath
			Body *LinkRequest
		}) (*linkOut, error) {
			address, cookies, err := a.begin(ctx, p.caller, identity.Login{Provider: in.Provider, Return: localPath(given(in.Body).Return), Link: p.account.ID})
			if err != nil {
				return nil, err
			}
			return &linkOut{cookies, LinkAddress{address}}, nil
		})
	asPlayer(a, h, op(http.MethodGet, "/api/me/identities", "identities", "The account's external identities", t),
		func(ctx context.Context, p player, _ *none) (*body[Identities], error) {
			links, password, err := a.s.Account.Externals(ctx, p.account.ID)
			return &body[Identities]{Identities{a.config.linked(links), password}}, err
		})
	asPlayer(a, h, op(http.MethodDelete, "/api/me/identities/{key}", "unlink", "Unlink an external identity; not the last way into the account", t),
		func(ctx context.Context, p player, in *struct {
			Key string `path:"key" maxLength:"22" pattern:"^[0-9A-Za-z_-]+$"`
		}) (*none, error) {
			return nil, a.s.Account.UnlinkExternal(ctx, p.caller.Client, p.account.ID, in.Key)
		})
}

// linked is links as their account, and admins, see them.
func (c Config) linked(links []model.ExternalLink) []Linked {
	out := make([]Linked, 0, len(links))
	providers := c.Identity.List()
	for _, l := range links {
		shape := Linked{Key: l.Key(), Issuer: l.Issuer, Subject: l.Subject, Created: l.Created, Used: l.Used}
		if i := slices.IndexFunc(providers, func(p identity.LoginProvider) bool { return p.Issuer == l.Issuer }); i >= 0 {
			shape.Provider, shape.Name = providers[i].ID, providers[i].Name
		}
		out = append(out, shape)
	}
	return out
}

// begin begins a log-in at a provider, and binds it to the browser by a cookie.
// Several tabs share it.
func (a *playerAPI) begin(ctx context.Context, caller caller, l identity.Login) (address string, cookies []http.Cookie, err error) {
	l.Address = caller.Address
	if l.Browser = caller.login; l.Browser == "" {
		l.Browser = model.NewSecret()
	}
	if err := a.config.Ledger.Spend(quota.IdentityLogins, quota.Payer{Address: caller.Address}, 1); err != nil {
		return "", nil, err
	}
	if address, err = a.config.Identity.Begin(ctx, l); err != nil {
		return "", nil, err
	}
	k := cookie(model.PlayerRealm, caller, l.Browser, identity.LoginLife)
	k.Name = loginCookie(caller.secure)
	return address, []http.Cookie{k}, nil
}

// goToProvider sends the browser to a provider. Only a page of this server's, or the
// player, may begin that: a log-in that another site begins would log a player in to an
// account that the player did not choose.
func (a *playerAPI) goToProvider(ctx context.Context, provider, back string) *away {
	caller := callerOf(ctx)
	back = localPath(back)
	if !caller.origin {
		return &away{Location: withLogin(back, string(model.CrossOrigin))}
	}
	address, cookies, err := a.begin(ctx, caller, identity.Login{Provider: provider, Return: back})
	if err != nil {
		return &away{Location: withLogin(back, string(model.AsError(err).Code))}
	}
	return &away{address, cookies}
}

// backFromProvider ends a log-in or link that the browser brings back.
func (a *playerAPI) backFromProvider(ctx context.Context, in identity.Answer) *away {
	caller := callerOf(ctx)
	var l identity.Login
	var person account.Identity
	err := a.config.Ledger.Spend(quota.IdentityLogins, quota.Payer{Address: caller.Address}, 1)
	if err == nil {
		l, person, err = a.config.Identity.Finish(ctx, in)
	}
	back := localPath(l.Return)
	var token model.Secret
	switch {
	case err != nil:
	case l.Link == "":
		_, token, err = a.s.Account.LogInExternal(ctx, caller.Client, person)
	default:
		var account model.Account
		if account, _, err = a.session(ctx); err == nil && account.ID != l.Link {
			err = model.LoginExpired // another account is logged in now
		}
		if err == nil {
			_, token, err = a.s.Account.LinkExternal(ctx, caller.Client, l.Link, person)
		}
		if err == nil {
			back = withLogin(back, "linked")
		}
	}
	if err != nil {
		return &away{Location: withLogin(back, string(model.AsError(err).Code))}
	}
	out := &away{Location: back}
	if token != "" {
		out.SetCookie, _, _ = opened(model.PlayerRealm, caller, token, a.s.Account.SessionLife, false)
	}
	return out
}

// byToken logs in, or links, by a token that the client has of a provider.
func (a *playerAPI) byToken(ctx context.Context, provider string, in TokenLogin) (*sessionOut, error) {
	caller := callerOf(ctx)
	var account model.Account
	var err error
	if in.Link {
		if account, caller, err = a.session(ctx); err != nil {
			return nil, err
		}
	}
	if err := a.config.Ledger.Spend(quota.IdentityLogins, quota.Payer{Address: caller.Address}, 1); err != nil {
		return nil, err
	}
	person, err := a.config.Identity.Verify(ctx, caller.Client, provider, in.Token)
	if err != nil {
		return nil, err
	}
	if !in.Link {
		account, token, err := a.s.Account.LogInExternal(ctx, caller.Client, person)
		return a.opened(caller, account, token, in.Bearer, err)
	}
	account, token, err := a.s.Account.LinkExternal(ctx, caller.Client, account.ID, person)
	if err == nil && token == "" { // the session goes on
		out := &sessionOut{}
		out.Body.Account = account
		return out, nil
	}
	return a.opened(caller, account, token, in.Bearer, err)
}

// localPath returns a path of this server for a redirect: "/" replaces an invalid path,
// and a path that some browser might take for another host's.
func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || len(s) > 512 || !strings.HasPrefix(s, "/") || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.HasPrefix(u.Path, "//") ||
		strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r > '~' }) || strings.HasPrefix(u.Path, "/api/") {
		return "/"
	}
	return s
}

// withLogin adds to a local path how a log-in ended.
func withLogin(path, end string) string {
	u, err := url.Parse(path)
	if err != nil {
		u = &url.URL{Path: "/"}
	}
	q := u.Query()
	q.Set("login", end)
	u.RawQuery = q.Encode()
	return u.String()
}

package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/oauth2"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Config is what [New] needs. The zero value has no providers.
type Config struct {
	File      *File        // of the operator; nil: no providers
	Own       []Own        // of a program that embeds the server
	PublicURL string       // where browsers reach the server: providers send them back there
	Ledger    *core.Ledger // nil: no limit
	Logger    *slog.Logger // slog.Default()
	Metrics   prometheus.Registerer
	Now       func() time.Time // time.Now
}

// Own is a verifier of tokens that a program adds to the server.
type Own struct {
	ID       string // in addresses: 1 to 32 of a to z, 0 to 9 and dashes inside
	Name     string // for people
	Issuer   string // of the identities; no other provider's
	Verifier Verifier
}

// LoginProvider is a provider as clients see it.
type LoginProvider struct {
	ID      string `json:"id"`
	Name    string `json:"name" doc:"for people"`
	Browser bool   `json:"browser" doc:"logs in on its own pages, from GET login; else by a token, with POST token"`
	Issuer  string `json:"-"`
}

// provider is a provider with its one duty: to log in by the browser, or to verify
// tokens.
type provider struct {
	LoginProvider
	flow   *codeFlow
	tokens Verifier
}

// Providers are all identity providers of a server. nil means no providers.
type Providers struct {
	list   []provider
	logins *logins
	ledger *quota.Ledger
	log    *slog.Logger
	ends   *prometheus.CounterVec
}

// New returns the providers of a configuration. It sends no request: a server starts
// while a provider is away.
func New(c Config) (*Providers, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Providers{
		logins: newLogins(c.Now), ledger: c.Ledger, log: cmp.Or(c.Logger, slog.Default()),
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fogkeep_identity_checks_total", Help: "Log-ins and tokens that identity providers were asked about, by how it ended: ok, or the code of the refusal.",
		}, []string{"provider", "end"}),
	}
	if c.Metrics != nil {
		if err := c.Metrics.Register(p.ends); err != nil {
			return nil, err
		}
	}
	if c.File != nil {
		for i := range c.File.providers {
			f := &c.File.providers[i]
			one := provider{LoginProvider: LoginProvider{ID: f.ID, Name: f.Name, Issuer: f.Issuer, Browser: f.Kind == kindOIDC}}
			switch f.Kind {
			case kindOIDC:
				if c.PublicURL == "" {
					return nil, fmt.Errorf("provider %q: --public-url is missing: the provider must know where to send browsers back", f.ID)
				}
				one.flow = newOIDC(f, CallbackURL(c.PublicURL, f.ID), c.Now)
			case kindJWT:
				one.tokens = newSigned(f, keysOf(f, c.Now), c.Now)
			case kindURL:
				one.tokens = newAsked(f)
			}
			p.list = append(p.list, one)
		}
	}
	for _, entry := range c.Own {
		err := checkNames(entry.ID, entry.Name)
		if err == nil {
			err = (model.ExternalID{Issuer: entry.Issuer, Subject: "x"}).Check()
		}
		if err == nil && slices.ContainsFunc(p.list, func(o provider) bool { return o.ID == entry.ID || o.Issuer == entry.Issuer }) {
			err = errors.New("there is another provider with this id or issuer")
		}
		if err == nil && entry.Verifier == nil {
			err = errors.New("it has no verifier")
		}
		if err != nil {
			return nil, fmt.Errorf("provider %q: %w", entry.ID, err)
		}
		p.list = append(p.list, provider{LoginProvider{ID: entry.ID, Name: entry.Name, Issuer: entry.Issuer}, nil, issued{entry.Issuer, entry.Verifier}})
	}
	return p, nil
}

// issued is a verifier whose identities always have the same issuer.
type issued struct {
	issuer string
	Verifier
}

func (i issued) Verify(ctx context.Context, token string) (account.Identity, error) {
	if len(token) > TokenMax {
		return account.Identity{}, refused(errors.New("the token is too long"))
	}
	person, err := i.Verifier.Verify(ctx, token)
	person.Issuer = i.issuer
	return person, err
}

// keysOf are the keys by which an issuer signs tokens.
func keysOf(f *providerFile, now func() time.Time) *keySet {
	if f.KeysURL == "" {
		client := newClient(f.AllowHTTP, f.Issuer)
		return discoveredKeys(client, newFetched(now, func(ctx context.Context) (discovered, error) { return discover(ctx, client, f.Issuer) }), now)
	}
	client := newClient(f.AllowHTTP, f.KeysURL)
	return &keySet{newFetched(now, func(ctx context.Context) ([]jose.JSONWebKey, error) { return fetchKeys(ctx, client, f.KeysURL) })}
}

// CallbackURL is where a provider sends browsers back to: the operator registers
// it there.
func CallbackURL(publicURL, provider string) string {
	return strings.TrimSuffix(publicURL, "/") + "/api/identity/" + provider + "/callback"
}

// List returns all providers, in the order of the configuration.
func (p *Providers) List() (list []LoginProvider) {
	if p == nil {
		return nil
	}
	for _, one := range p.list {
		list = append(list, one.LoginProvider)
	}
	return list
}

// Issuers returns the issuers of the identities that log in here.
func (p *Providers) Issuers() (list []string) {
	for _, one := range p.List() {
		if !slices.Contains(list, one.Issuer) {
			list = append(list, one.Issuer)
		}
	}
	return list
}

// find returns the provider with an id, of the given kind.
func (p *Providers) find(id string, browser bool) (*provider, error) {
	if p != nil {
		for i := range p.list {
			if one := &p.list[i]; one.ID == id && one.Browser == browser {
				return one, nil
			}
		}
	}
	return nil, &model.Error{Code: model.NotFound, Detail: "there is no such identity provider"}
}

// Begin returns the address at the provider on which a log-in goes on.
func (p *Providers) Begin(ctx context.Context, l Login) (address string, err error) {
	one, err := p.find(l.Provider, true)
	if err != nil {
		return "", err
	}
	p.logins.sweep()
	hold, err := p.ledger.Take(quota.PendingLogins, quota.Payer{Account: string(l.Link), Address: l.Address}, 1)
	if err != nil {
		return "", err
	}
	begun := &pending{Login: l, nonce: model.NewSecret(), verifier: oauth2.GenerateVerifier(), hold: hold}
	state := p.logins.add(begun)
	if address, err = one.flow.address(ctx, begun, state); err != nil {
		p.logins.take(l.Provider, state, l.Browser)
		p.note(one.ID, err)
	}
	return address, err
}

// Answer is the provider's answer that a browser brings back.
type Answer struct {
	Provider string
	Browser  model.Secret
	State    model.Secret
	Code     string
	Issuer   string // who says that it answers (RFC 9207); "" if it does not say
	Error    string // of the provider, such as "access_denied"
}

// Finish ends the log-in of an answer, and returns it with the person's identity. An
// answer to no log-in of this browser is [model.LoginExpired]. The log-in is returned
// with an error too, if it is known.
func (p *Providers) Finish(ctx context.Context, a Answer) (l Login, person account.Identity, err error) {
	one, err := p.find(a.Provider, true)
	if err != nil {
		return l, person, err
	}
	begun := p.logins.take(a.Provider, a.State, a.Browser)
	if begun == nil {
		return l, person, model.LoginExpired
	}
	l = begun.Login
	defer func() { p.note(one.ID, err) }()
	switch {
	case a.Issuer != "" && a.Issuer != one.Issuer:
		return l, person, refused(fmt.Errorf("it is the answer of %q", cut(a.Issuer)))
	case a.Error != "":
		return l, person, &model.Error{Code: model.ProviderRefused, Err: errors.New(cut(a.Error))}
	case a.Code == "":
		return l, person, refused(errors.New("there is no code"))
	}
	hold, err := p.ledger.Take(quota.ProviderCalls, quota.Payer{Address: l.Address}, 1)
	if err != nil {
		return l, person, err
	}
	defer hold.Release()
	person, err = one.flow.finish(ctx, begun, a.Code)
	return l, person, err
}

// Verify finds out the owner of a token.
func (p *Providers) Verify(ctx context.Context, from model.Client, id, token string) (person account.Identity, err error) {
	one, err := p.find(id, false)
	if err != nil {
		return person, err
	}
	hold, err := p.ledger.Take(quota.ProviderCalls, quota.Payer{Address: from.Address}, 1)
	if err != nil {
		return person, err
	}
	defer hold.Release()
	person, err = one.tokens.Verify(ctx, token)
	p.note(id, err)
	return person, err
}

// note counts how a check ended, and logs why it failed.
func (p *Providers) note(id string, err error) {
	end := "ok"
	if err != nil {
		e := model.AsError(err)
		end = string(e.Code)
		level := slog.LevelDebug // the client's fault
		if e.Code == model.ProviderFailed || e.Code == model.Internal {
			level = slog.LevelWarn
		}
		p.log.Log(context.Background(), level, "identity: a log-in was refused", "provider", id, "code", end, "err", e.Err)
	}
	p.ends.WithLabelValues(id, end).Inc()
}

func cut(s string) string { return s[:min(len(s), 200)] }

package identity

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// discovered is an issuer's description at .well-known/openid-configuration.
type discovered struct {
	endpoint oauth2.Endpoint
	keysURL  string
}

// discover asks an issuer. It refuses an answer that names another issuer.
func discover(ctx context.Context, client *http.Client, issuer string) (discovered, error) {
	p, err := oidc.NewProvider(oidc.ClientContext(ctx, client), issuer)
	if err != nil {
		return discovered{}, err
	}
	var more struct {
		KeysURL     string   `json:"jwks_uri"`
		AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := p.Claims(&more); err != nil {
		return discovered{}, err
	}
	d := discovered{endpoint: p.Endpoint(), keysURL: more.KeysURL}
	if d.keysURL == "" {
		return d, errors.New("the issuer names no jwks_uri")
	}
	// Said, and not tried out: a code that was sent once in vain may be used up.
	d.endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if len(more.AuthMethods) > 0 && !slices.Contains(more.AuthMethods, "client_secret_basic") {
		d.endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return d, nil
}

// codeFlow is the log-in at an OpenID provider, by an authorization code with
// PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9207).
type codeFlow struct {
	client   *http.Client
	config   oauth2.Config // without its endpoint
	endpoint *fetched[discovered]
	tokens   *signed
}

// newOIDC returns the log-in at a provider. back is where it sends browsers back
// to.
func newOIDC(p *providerFile, back string, now func() time.Time) *codeFlow {
	client := newClient(p.AllowHTTP, p.Issuer)
	endpoint := newFetched(now, func(ctx context.Context) (discovered, error) { return discover(ctx, client, p.Issuer) })
	return &codeFlow{
		client: client, endpoint: endpoint, tokens: newSigned(p, discoveredKeys(client, endpoint, now), now),
		config: oauth2.Config{ClientID: p.ClientID, ClientSecret: p.secret, RedirectURL: back, Scopes: p.Scopes},
	}
}

// discoveredKeys are the keys at the address that an issuer names.
func discoveredKeys(client *http.Client, at *fetched[discovered], now func() time.Time) *keySet {
	return &keySet{newFetched(now, func(ctx context.Context) ([]jose.JSONWebKey, error) {
		d, err := at.get(ctx, never)
		if err != nil {
			return nil, err
		}
		return fetchKeys(ctx, client, d.keysURL)
	})}
}

func never(discovered) bool { return false }

// address is the page of the provider on which a log-in goes on.
func (f *codeFlow) address(ctx context.Context, l *pending, state model.Secret) (string, error) {
	d, err := f.endpoint.get(ctx, never)
	if err != nil {
		return "", failed(err)
	}
	config := f.config
	config.Endpoint = d.endpoint
	return config.AuthCodeURL(string(state), oidc.Nonce(string(l.nonce)), oauth2.S256ChallengeOption(l.verifier)), nil
}

// finish exchanges the code that the browser brought for the person's identity.
func (f *codeFlow) finish(ctx context.Context, l *pending, code string) (person account.Identity, err error) {
	d, err := f.endpoint.get(ctx, never)
	if err != nil {
		return person, failed(err)
	}
	config := f.config
	config.Endpoint = d.endpoint
	tokens, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, f.client), code, oauth2.VerifierOption(l.verifier))
	if err != nil {
		if e := (*oauth2.RetrieveError)(nil); errors.As(err, &e) && e.ErrorCode == "invalid_grant" {
			return person, &model.Error{Code: model.LoginExpired, Err: err}
		}
		return person, failed(fmt.Errorf("code: %w", err))
	}
	raw, ok := tokens.Extra("id_token").(string)
	if !ok {
		return person, failed(errors.New("the provider sent no ID token"))
	}
	person, c, err := f.tokens.read(ctx, raw)
	if err != nil {
		return person, err
	}
	if subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(l.nonce)) != 1 {
		return account.Identity{}, refused(errors.New("the nonce is of another log-in"))
	}
	return person, nil // the nonce makes sure that it is shown once
}

package identitytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Client is the only client that a [Provider] knows.
const (
	ClientID     = "fogkeep"
	ClientSecret = "a+secret/of=the%tests"
)

// Claims are the content of a token.
type Claims map[string]any

// Provider is a server that logs in each person by a name without proof.
type Provider struct {
	URL string // its issuer
	// Change, if it is set, alters the claims of each ID token.
	Change func(Claims)
	// Before, if it is set, is called for each request, and reports whether it has
	// answered it.
	Before func(http.ResponseWriter, *http.Request) bool

	mu       sync.Mutex
	codes    map[string]request
	requests map[string]int // requests by path
}

// request is a log-in for which a code was given out.
type request struct{ redirect, challenge, nonce, subject string }

// The keys of all providers, made once: an RSA key takes a while.
var (
	rsaKey = sync.OnceValue(func() *rsa.PrivateKey {
		k, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		return k
	})
	ecKey = sync.OnceValue(func() *ecdsa.PrivateKey {
		k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			panic(err)
		}
		return k
	})
)

// RSA is the private key "rsa" of every provider, for RS256.
func RSA() *rsa.PrivateKey { return rsaKey() }

// EC is the private key "ec" of every provider, for ES256.
func EC() *ecdsa.PrivateKey { return ecKey() }

// New starts a provider, which ends with the test.
func New(t testing.TB) *Provider {
	p := &Provider{codes: map[string]request{}, requests: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { answer(w, KeySet()) })
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests[r.URL.Path]++
		p.mu.Unlock()
		if p.Before == nil || !p.Before(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// KeySet is the public keys of every provider.
func KeySet() jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: RSA().Public(), KeyID: "rsa", Use: "sig", Algorithm: "RS256"}, {Key: EC().Public(), KeyID: "ec", Use: "sig"},
	}}
}

// Seen is how many requests there were for a path.
func (p *Provider) Seen(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client has gone
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"response_types_supported": []string{"code"}, "id_token_signing_alg_values_supported": []string{"RS256"}, "code_challenge_methods_supported": []string{"S256"},
	})
}

// page asks for the person: a link for each answer.
var page = template.Must(template.New("").Parse(`<!doctype html><title>Test provider</title><h1>Who are you?</h1>
{{range .}}<p><a data-do="{{.Who}}" href="{{.To}}">{{.Who}}</a></p>{{end}}`))

// authorize shows the page, or, once the person has given a name, sends the browser
// back with a code.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != ClientID || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		http.Error(w, "this is no request of the client's", http.StatusBadRequest)
		return
	}
	person := q.Get("person")
	if person == "" {
		type choice struct{ Who, To string }
		var list []choice
		for _, person := range []string{"ada", "bob", "nobody"} {
			q.Set("person", person)
			list = append(list, choice{person, "/authorize?" + q.Encode()})
		}
		w.Header().Set("Content-Type", "text/html")
		_ = page.Execute(w, list)
		return
	}
	out := url.Values{"state": {q.Get("state")}, "iss": {p.URL}}
	if person == "nobody" {
		out.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.mu.Lock()
		p.codes[code] = request{q.Get("redirect_uri"), q.Get("code_challenge"), q.Get("nonce"), person}
		p.mu.Unlock()
		out.Set("code", code)
	}
	back.RawQuery = out.Encode()
	http.Redirect(w, r, back.String(), http.StatusSeeOther)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	login, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	p.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	secret, _ = url.QueryUnescape(secret) // RFC 6749, 2.3.1
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !ok || id != ClientID || secret != ClientSecret || login.redirect != r.FormValue("redirect_uri") ||
		login.challenge != base64.RawURLEncoding.EncodeToString(sum[:]) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "invalid_grant"})
		return
	}
	c := p.Claims(login.subject)
	c["aud"], c["nonce"] = ClientID, login.nonce
	if p.Change != nil {
		p.Change(c)
	}
	answer(w, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "id_token": Sign(jose.RS256, RSA(), "rsa", c)})
}

// Claims returns the claims of a token that is valid for an audience of this name, with
// an id of its own.
func (p *Provider) Claims(subject string) Claims {
	now := time.Now().Unix()
	return Claims{"iss": p.URL, "sub": subject, "aud": ClientID, "exp": now + 300, "iat": now, "nbf": now, "name": "The " + subject}
}

// Token is a token that the provider signed, with some claims changed; nil takes
// one away.
func (p *Provider) Token(subject string, change Claims) string {
	c := p.Claims(subject)
	maps.Copy(c, change)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return Sign(jose.RS256, RSA(), "rsa", c)
}

// Sign makes a token by any key, with further fields of its header.
func Sign(alg jose.SignatureAlgorithm, key any, kid string, c Claims, header ...map[string]any) string {
	o := (&jose.SignerOptions{}).WithType("JWT")
	if kid != "" {
		o = o.WithHeader("kid", kid)
	}
	for _, h := range header {
		for k, v := range h {
			o = o.WithHeader(jose.HeaderKey(k), v)
		}
	}
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, o)
	if err != nil {
		panic(err)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	jws, err := s.Sign(raw)
	if err != nil {
		panic(err)
	}
	token, err := jws.CompactSerialize()
	if err != nil {
		panic(err)
	}
	return token
}

package identity

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fogkeep/fogkeep/internal/outbound"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/identity/identitytest"
	"github.com/fogkeep/fogkeep/lobby/model"
)

var ctx = context.Background()

var home = model.Client{Address: netip.MustParseAddr("192.0.2.1")}

// clock is a clock that tests move.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time       { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) step(d time.Duration) { c.ahead.Add(int64(d)) }

// of makes providers of a file's text, in which @ stands for a URL.
func of(t *testing.T, at, text string, change ...func(*Config)) (*Providers, *clock) {
	t.Helper()
	file, err := parse([]byte(strings.ReplaceAll(text, "@", at)), func(string) string { return identitytest.ClientSecret })
	if err != nil {
		t.Fatal(err)
	}
	ticks := &clock{}
	c := Config{File: file, PublicURL: "http://127.0.0.1:8080/", Logger: slog.New(slog.DiscardHandler), Now: ticks.now}
	for _, f := range change {
		f(&c)
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p, ticks
}

const (
	oidcFile = `{"providers":[{"id":"studio","name":"Studio","kind":"oidc","issuer":"@","clientId":"fogkeep","secretEnv":"SECRET"}]}`
	jwtFile  = `{"providers":[{"id":"game","name":"Game","kind":"jwt","issuer":"@","audiences":["fogkeep"]}]}`
	urlFile  = `{"providers":[{"id":"ask","name":"Ask","kind":"url","url":"@/check","secretEnv":"SECRET"}]}`
)

func refusedAs(t *testing.T, what string, err error, code model.Code) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
	if err != nil && model.AsError(err).Text() != code.Info().Text {
		t.Errorf("%s: who shows it is told %q", what, model.AsError(err).Text())
	}
}

func TestTokens(t *testing.T) {
	p := identitytest.New(t)
	game, _ := of(t, p.URL, jwtFile)
	now := time.Now().Unix()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(identitytest.RSA().Public())
	if err != nil {
		t.Fatal(err)
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	sign := func(alg jose.SignatureAlgorithm, key any, kid string, header ...map[string]any) string {
		return identitytest.Sign(alg, key, kid, p.Claims("ada"), header...)
	}
	part := func(v any) string {
		raw, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	good := p.Token("ada", nil)
	pieces := strings.Split(good, ".")
	for name, token := range map[string]string{
		"as it should be":                        good,
		"of another key of the issuer":           sign(jose.ES256, identitytest.EC(), "ec"),
		"without a key id":                       sign(jose.ES256, identitytest.EC(), ""),
		"for several, us among them":             p.Token("ada", identitytest.Claims{"aud": []string{"other", "fogkeep"}}),
		"expired, within what clocks may differ": p.Token("ada", identitytest.Claims{"exp": now - 20}),
	} {
		who, err := game.Verify(ctx, home, "game", token)
		if err != nil || who.Issuer != p.URL || who.Subject != "ada" || who.Name != "The ada" || who.TokenID != "" {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	who, err := game.Verify(ctx, home, "game", p.Token("ada", identitytest.Claims{"jti": "7", "exp": now + 60}))
	if err != nil || who.TokenID != "7" || who.Expires.Unix() != now+90 {
		t.Errorf("with an id: %+v, %v", who, err)
	}

	for name, token := range map[string]string{
		"empty":                                  "",
		"no token":                               "hello",
		"two parts":                              pieces[0] + "." + pieces[1],
		"an issuer of its own":                   p.Token("ada", identitytest.Claims{"iss": "https://evil.example.org"}),
		"the issuer with a slash":                p.Token("ada", identitytest.Claims{"iss": p.URL + "/"}),
		"no issuer":                              p.Token("ada", identitytest.Claims{"iss": nil}),
		"for another audience":                   p.Token("ada", identitytest.Claims{"aud": "other"}),
		"for nobody":                             p.Token("ada", identitytest.Claims{"aud": nil}),
		"for a list of nobody":                   p.Token("ada", identitytest.Claims{"aud": []string{}}),
		"an audience that is no text":            p.Token("ada", identitytest.Claims{"aud": 7}),
		"expired":                                p.Token("ada", identitytest.Claims{"exp": now - 31}),
		"never expires":                          p.Token("ada", identitytest.Claims{"exp": nil}),
		"expires at no time":                     p.Token("ada", identitytest.Claims{"exp": "soon"}),
		"expires beyond all time":                p.Token("ada", identitytest.Claims{"exp": 1e300}),
		"valid for a year":                       p.Token("ada", identitytest.Claims{"exp": now + 365*86400}),
		"not valid yet":                          p.Token("ada", identitytest.Claims{"nbf": now + 40}),
		"made in the future":                     p.Token("ada", identitytest.Claims{"iat": now + 40}),
		"of nobody":                              p.Token("", nil),
		"of a subject that is no text":           p.Token("ada", identitytest.Claims{"sub": 7}),
		"of a subject that is too long":          p.Token(strings.Repeat("x", 256), nil),
		"of a subject with a zero byte":          p.Token("a\x00", nil),
		"an id that is too long":                 p.Token("ada", identitytest.Claims{"jti": strings.Repeat("x", 513)}),
		"too long":                               p.Token("ada", identitytest.Claims{"more": strings.Repeat("x", TokenMax)}),
		"another's key with the issuer's key id": sign(jose.RS256, other, "rsa"),
		"another's key without a key id":         sign(jose.RS256, other, ""),
		"another algorithm than the key's":       sign(jose.RS512, identitytest.RSA(), "rsa"),
		"the key of another algorithm":           sign(jose.ES256, identitytest.EC(), "rsa"),
		"signed by the public key as a password": sign(jose.HS256, public, "rsa"),
		"unsigned":                               part(map[string]string{"alg": "none", "kid": "rsa"}) + "." + pieces[1] + ".",
		"unsigned, with a signature":             part(map[string]string{"alg": "None", "kid": "rsa"}) + "." + pieces[1] + "." + pieces[2],
		"changed":                                pieces[0] + "." + part(p.Claims("bob")) + "." + pieces[2],
		"signature left out":                     pieces[0] + "." + pieces[1] + ".",
		"brings its own key":                     sign(jose.RS256, other, "", map[string]any{"jwk": jose.JSONWebKey{Key: other.Public()}}),
		"must understand what nobody knows":      sign(jose.RS256, identitytest.RSA(), "rsa", map[string]any{"crit": []string{"b65"}, "b65": true}),
		"JSON instead of compact":                `{"payload":"` + pieces[1] + `","protected":"` + pieces[0] + `","signature":"` + pieces[2] + `"}`,
	} {
		_, err := game.Verify(ctx, home, "game", token)
		refusedAs(t, name, err, model.BadIdentityToken)
	}
	if n := p.Seen("/keys"); n > 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
	if _, err := game.Verify(ctx, home, "other", good); !errors.Is(err, model.NotFound) {
		t.Errorf("a provider that there is not: %v", err)
	}
}

// A token names addresses of its keys: the server does not ask them.
func TestTokensNameNoAddresses(t *testing.T) {
	p := identitytest.New(t)
	game, _ := of(t, p.URL, jwtFile)
	visited := false
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited = true }))
	defer trap.Close()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	token := identitytest.Sign(jose.RS256, other, "theirs", p.Claims("ada"), map[string]any{"jku": trap.URL + "/keys", "x5u": trap.URL + "/cert"})
	_, err = game.Verify(ctx, home, "game", token)
	refusedAs(t, "an address of its own", err, model.BadIdentityToken)
	_, err = game.Verify(ctx, home, "game", p.Token("ada", identitytest.Claims{"_claim_names": map[string]string{"name": "s"}, "_claim_sources": map[string]any{"s": map[string]string{"endpoint": trap.URL}}}))
	if err != nil || visited {
		t.Errorf("an address in the claims: %v, asked %t", err, visited)
	}
}

// However many tokens with unknown keys come, the provider is asked now and then.
// New keys are found, and keys that are gone are not believed for ever.
func TestUnknownKeysDoNotHammerTheProvider(t *testing.T) {
	p := identitytest.New(t)
	game, ticks := of(t, p.URL, jwtFile)
	set := identitytest.KeySet()
	down := false
	p.Before = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case down:
			w.WriteHeader(http.StatusInternalServerError)
		case r.URL.Path == "/keys":
			_ = json.NewEncoder(w).Encode(set)
		default:
			return false
		}
		return true
	}
	fresh, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	unknown := identitytest.Sign(jose.RS256, fresh, "fresh", p.Claims("ada"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				_, err := game.Verify(ctx, home, "game", unknown)
				refusedAs(t, "an unknown key", err, model.BadIdentityToken)
			}
		})
	}
	all.Wait()
	if n := p.Seen("/keys"); n != 1 {
		t.Fatalf("%d fetches for 160 tokens", n)
	}
	set.Keys = append(set.Keys, jose.JSONWebKey{Key: fresh.Public(), KeyID: "fresh"})
	ticks.step(fetchWait)
	unknown = identitytest.Sign(jose.RS256, fresh, "fresh", p.Claims("ada"))
	if _, err := game.Verify(ctx, home, "game", unknown); err != nil || p.Seen("/keys") != 2 {
		t.Fatalf("a new key: %v, %d fetches", err, p.Seen("/keys"))
	}
	set.Keys = set.Keys[2:] // the first ones are taken back
	ticks.step(fetchedLife)
	exp := identitytest.Claims{"exp": ticks.now().Unix() + 60}
	if _, err := game.Verify(ctx, home, "game", p.Token("ada", exp)); !errors.Is(err, model.BadIdentityToken) {
		t.Errorf("a key that was taken back: %v", err)
	}
	down = true
	ticks.step(time.Hour)
	lasting := func() string {
		c := p.Claims("ada")
		c["exp"] = ticks.now().Unix() + 60
		return identitytest.Sign(jose.RS256, fresh, "fresh", c)
	}
	for range 20 {
		if _, err := game.Verify(ctx, home, "game", lasting()); err != nil {
			t.Fatalf("while the provider is away: %v", err)
		}
	}
	if n := p.Seen("/keys"); n != 4 {
		t.Errorf("%d fetches, want 4", n)
	}
	ticks.step(fetchedMax)
	_, err = game.Verify(ctx, home, "game", lasting())
	refusedAs(t, "after a day without the provider", err, model.ProviderFailed)
}

// The server bounds a provider's answers in size and time, follows no redirects, and
// ignores useless keys.
func TestBadProviders(t *testing.T) {
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	private, _ := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: identitytest.RSA(), KeyID: "rsa"}}})
	visited := atomic.Bool{}
	inside := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(identitytest.KeySet())
	}))
	inside.Config.ConnState = func(net.Conn, http.ConnState) { visited.Store(true) } // a connection is too much
	inside.Start()
	defer inside.Close()
	keys := func(set any) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path != "/keys" {
				return false
			}
			if raw, ok := set.([]byte); ok {
				w.Write(raw)
			} else {
				_ = json.NewEncoder(w).Encode(set)
			}
			return true
		}
	}
	discovery := func(field, value string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/.well-known/") {
				return false
			}
			at := "http://" + r.Host
			all := map[string]string{"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token", "jwks_uri": at + "/keys"}
			all[field] = value
			_ = json.NewEncoder(w).Encode(all)
			return true
		}
	}
	many := identitytest.KeySet()
	for range keysMax {
		many.Keys = append(many.Keys, many.Keys[0])
	}
	megabytes := []byte(`{"keys":[` + strings.Repeat(" ", 4<<20) + `]}`)
	for name, before := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"megabytes of keys": keys(megabytes),
		"megabytes of keys, a piece at a time": func(w http.ResponseWriter, r *http.Request) bool {
			for i := 0; r.URL.Path == "/keys" && i < len(megabytes); i += 1 << 16 {
				w.Write(megabytes[i:min(i+1<<16, len(megabytes))])
				w.(http.Flusher).Flush()
			}
			return r.URL.Path == "/keys"
		},
		"too many keys":        keys(many),
		"no keys":              keys(map[string]any{}),
		"no JSON":              keys([]byte("<html>")),
		"a weak key":           keys(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: weak.Public(), KeyID: "rsa"}}}),
		"a symmetric key":      keys(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: []byte("a password that everybody can read"), KeyID: "rsa"}}}),
		"a private key":        keys(private),
		"a key for encryption": keys(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: identitytest.RSA().Public(), KeyID: "rsa", Use: "enc"}}}),
		"a redirect": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/keys" {
				http.Redirect(w, r, inside.URL, http.StatusFound)
			}
			return r.URL.Path == "/keys"
		},
		"an error": func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		},
		"another issuer":                     discovery("issuer", "https://other.example.org"),
		"keys at a private address":          discovery("jwks_uri", strings.Replace(inside.URL, "http:", "https:", 1)),
		"keys without TLS":                   discovery("jwks_uri", inside.URL),
		"keys in the link-local range":       discovery("jwks_uri", "https://169.254.169.254/latest/meta-data"),
		"keys in a file":                     discovery("jwks_uri", "file:///etc/passwd"),
		"keys at a name for this machine":    discovery("jwks_uri", "https://localhost:"+inside.URL[strings.LastIndex(inside.URL, ":")+1:]),
		"keys nowhere":                       discovery("jwks_uri", ""),
		"keys at an IPv4 address in an IPv6": discovery("jwks_uri", "https://[::ffff:127.0.0.1]/"),
	} {
		t.Run(name, func(t *testing.T) {
			p := identitytest.New(t)
			p.Before = before
			game, _ := of(t, p.URL, jwtFile)
			_, err := game.Verify(ctx, home, "game", p.Token("ada", nil))
			refusedAs(t, name, err, model.ProviderFailed)
		})
	}
	if visited.Load() {
		t.Error("a host that only the provider named was asked at its private address")
	}
}

// A provider that does not answer holds a request for a bounded time, and takes no more
// than its share of requests.
func TestSlowProvider(t *testing.T) {
	held := make(chan struct{})
	called := make(chan struct{}, 100)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		called <- struct{}{}
		select {
		case <-held:
		case <-r.Context().Done():
		}
	}))
	defer slow.Close()
	answer := sync.OnceFunc(func() { close(held) })
	defer answer()
	limits, err := quota.Defaults().Set([]string{"provider-calls.address=2"})
	if err != nil {
		t.Fatal(err)
	}
	ledger := quota.New(limits)
	ask, _ := of(t, slow.URL, urlFile, func(c *Config) { c.Ledger = ledger })
	ask.list[0].tokens.(*asked).client.Timeout = 300 * time.Millisecond
	_, err = ask.Verify(ctx, home, "ask", "token")
	refusedAs(t, "a slow provider", err, model.ProviderFailed)
	<-called
	ask.list[0].tokens.(*asked).client.Timeout = time.Minute // the two hold their shares until the provider answers
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			_, err := ask.Verify(ctx, home, "ask", "token")
			refusedAs(t, "an answer without content", err, model.ProviderFailed)
		})
	}
	<-called
	<-called
	if _, err := ask.Verify(ctx, home, "ask", "token"); err == nil || model.AsError(err).Code != model.Throttled {
		t.Errorf("a third from one address: %v", err)
	}
	answer()
	all.Wait()
	if n := ledger.Held(quota.ProviderCalls); n != 0 {
		t.Errorf("%d are still held", n)
	}
	if newClient(false).Timeout != callTimeout {
		t.Error("clients have no time limit")
	}
}

func TestAskAURL(t *testing.T) {
	var status int
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in map[string]string
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/check" || r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+identitytest.ClientSecret {
			t.Errorf("asked %s %s by %q: %v", r.Method, r.URL, r.Header.Get("Authorization"), err)
		}
		if in["token"] != `a "ticket"` {
			t.Errorf("asked about %q", in["token"])
		}
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		w.Write([]byte(body))
	}))
	defer s.Close()
	ask, _ := of(t, s.URL, urlFile)
	for _, tt := range []struct {
		status int
		body   string
		code   model.Code
	}{
		{200, `{"subject":"76561198000000000","name":"Ada","more":1}`, ""},
		{401, `{"subject":"1"}`, model.BadIdentityToken}, {403, "", model.BadIdentityToken}, {404, "", model.BadIdentityToken}, {400, "", model.BadIdentityToken},
		{200, `{"subject":""}`, model.ProviderFailed}, {200, `{}`, model.ProviderFailed}, {200, ``, model.ProviderFailed}, {200, `{"subject":7}`, model.ProviderFailed},
		{200, `{"subject":"` + strings.Repeat("x", 256) + `"}`, model.ProviderFailed}, {200, `{"subject":"x"` + strings.Repeat(" ", 1<<20) + `}`, model.ProviderFailed},
		{302, `{"subject":"1"}`, model.ProviderFailed}, {500, `{"subject":"1"}`, model.ProviderFailed}, {201, `{"subject":"1"}`, model.ProviderFailed},
	} {
		status, body = tt.status, tt.body
		who, err := ask.Verify(ctx, home, "ask", `a "ticket"`)
		if tt.code != "" {
			refusedAs(t, fmt.Sprint(tt.status, " ", cut(tt.body)), err, tt.code)
		} else if err != nil || who != (account.Identity{ExternalID: model.ExternalID{Issuer: "url:ask", Subject: "76561198000000000"}, Name: "Ada"}) {
			t.Errorf("%+v, %v", who, err)
		}
	}
	_, err := ask.Verify(ctx, home, "ask", strings.Repeat("x", TokenMax+1))
	refusedAs(t, "too long", err, model.BadIdentityToken)
}

// walk is a log-in in a browser, up to the answer that the provider sends back.
func walk(t *testing.T, p *Providers, l Login, person string) Answer {
	t.Helper()
	address, err := p.Begin(ctx, l)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(address + "&person=" + person)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	back, err := res.Location()
	if err != nil || back.Scheme+"://"+back.Host+back.Path != "http://127.0.0.1:8080/api/identity/studio/callback" {
		t.Fatalf("sent back to %v, %v", back, err)
	}
	q := back.Query()
	return Answer{Provider: l.Provider, Browser: l.Browser, State: model.Secret(q.Get("state")), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}
}

func TestCodeFlow(t *testing.T) {
	p := identitytest.New(t)
	ledger := quota.New(quota.Defaults())
	studio, ticks := of(t, p.URL, oidcFile, func(c *Config) { c.Ledger = ledger })
	begin := Login{Provider: "studio", Browser: model.NewSecret(), Address: home.Address, Return: "/#lobby=1"}
	a := walk(t, studio, begin, "ada")
	l, who, err := studio.Finish(ctx, a)
	if err != nil || l != begin || who != (account.Identity{ExternalID: model.ExternalID{Issuer: p.URL, Subject: "ada"}, Name: "The ada"}) {
		t.Fatalf("%+v of %+v, %v", who, l, err)
	}
	_, _, err = studio.Finish(ctx, a)
	refusedAs(t, "the same answer again", err, model.LoginExpired)
	failed, good := walk(t, studio, begin, "ada"), Answer{}
	good, failed.Code, failed.Error = failed, "", "server_error"
	if _, _, err = studio.Finish(ctx, failed); !errors.Is(err, model.ProviderRefused) {
		t.Errorf("an answer that failed: %v", err)
	}
	_, _, err = studio.Finish(ctx, good)
	refusedAs(t, "a state whose answer failed", err, model.LoginExpired)

	for name, tt := range map[string]struct {
		change func(*Answer)
		code   model.Code
	}{
		"another browser":       {func(a *Answer) { a.Browser = model.NewSecret() }, model.LoginExpired},
		"no browser":            {func(a *Answer) { a.Browser = "" }, model.LoginExpired},
		"a state of its own":    {func(a *Answer) { a.State = model.NewSecret() }, model.LoginExpired},
		"no state":              {func(a *Answer) { a.State = "" }, model.LoginExpired},
		"too late":              {func(*Answer) { ticks.step(LoginLife) }, model.LoginExpired},
		"another issuer":        {func(a *Answer) { a.Issuer = "https://evil.example.org" }, model.BadIdentityToken},
		"no code":               {func(a *Answer) { a.Code = "" }, model.BadIdentityToken},
		"a code of its own":     {func(a *Answer) { a.Code = "guess" }, model.LoginExpired},
		"the provider says no":  {func(a *Answer) { a.Code, a.Error = "", "access_denied" }, model.ProviderRefused},
		"the provider gives up": {func(a *Answer) { a.Code, a.Error = "", strings.Repeat("x", 1<<16) }, model.ProviderRefused},
	} {
		a := walk(t, studio, begin, "ada")
		tt.change(&a)
		_, who, err := studio.Finish(ctx, a)
		refusedAs(t, name, err, tt.code)
		if who != (account.Identity{}) {
			t.Errorf("%s: %+v", name, who)
		}
		ticks.ahead.Store(0)
	}

	// A code of another log-in, that is one with another PKCE verifier and nonce:
	// the provider refuses it, and so do we if the provider does not.
	mine, theirs := walk(t, studio, begin, "ada"), walk(t, studio, begin, "bob")
	mine.Code = theirs.Code
	_, _, err = studio.Finish(ctx, mine)
	refusedAs(t, "the code of another log-in", err, model.LoginExpired)
	for name, change := range map[string]func(identitytest.Claims){
		"another nonce":            func(c identitytest.Claims) { c["nonce"] = string(model.NewSecret()) },
		"no nonce":                 func(c identitytest.Claims) { delete(c, "nonce") },
		"another client's":         func(c identitytest.Claims) { c["aud"] = "other" },
		"several, made for others": func(c identitytest.Claims) { c["aud"], c["azp"] = []string{"fogkeep", "other"}, "other" },
		"several, made for nobody": func(c identitytest.Claims) { c["aud"] = []string{"fogkeep", "other"} },
		"made for another client":  func(c identitytest.Claims) { c["azp"] = "other" },
		"another issuer's":         func(c identitytest.Claims) { c["iss"] = "https://evil.example.org" },
		"expired":                  func(c identitytest.Claims) { c["exp"] = time.Now().Unix() - 60 },
	} {
		p.Change = change
		_, _, err = studio.Finish(ctx, walk(t, studio, begin, "ada"))
		refusedAs(t, "an ID token: "+name, err, model.BadIdentityToken)
	}
	p.Change = nil

	// The server bounds unfinished log-ins, and forgets them in time.
	most := int(ledger.Limit(quota.PendingLogins).Most[quota.Address])
	for i := 0; ; i++ {
		if _, err := studio.Begin(ctx, begin); err != nil {
			if model.AsError(err).Code != model.Throttled || i > most {
				t.Errorf("log-in %d: %v", i, err)
			}
			break
		} else if i > most {
			t.Fatal("nobody bounds what is begun")
		}
	}
	ticks.step(LoginLife)
	if _, err := studio.Begin(ctx, begin); err != nil {
		t.Errorf("after they have expired: %v", err)
	}
	if n, q := len(studio.logins.all), len(studio.logins.queue); n != 1 || q != 1 || ledger.Held(quota.PendingLogins) != 1 {
		t.Errorf("%d log-ins in a queue of %d, %d held", n, q, ledger.Held(quota.PendingLogins))
	}

	// A provider that is away at the start is asked again later.
	p.Before = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(500); return true }
	again, ticks := of(t, p.URL, oidcFile)
	for range 3 {
		_, err = again.Begin(ctx, begin)
		refusedAs(t, "a provider that is away", err, model.ProviderFailed)
	}
	p.Before = nil
	ticks.step(fetchWait)
	if _, err = again.Begin(ctx, begin); err != nil {
		t.Errorf("once the provider is back: %v", err)
	}
}

// The address of the log-in has all parameters that the specification requires.
func TestAddressOfTheLogIn(t *testing.T) {
	p := identitytest.New(t)
	studio, _ := of(t, p.URL, oidcFile)
	seen := map[string]bool{}
	for range 3 {
		address, err := studio.Begin(ctx, Login{Provider: "studio", Browser: model.NewSecret()})
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		for key, want := range map[string]string{
			"client_id": "fogkeep", "response_type": "code", "scope": "openid", "code_challenge_method": "S256",
			"redirect_uri": "http://127.0.0.1:8080/api/identity/studio/callback",
		} {
			if q.Get(key) != want {
				t.Errorf("%s is %q, want %q", key, q.Get(key), want)
			}
		}
		for _, key := range []string{"state", "nonce", "code_challenge"} {
			if v := q.Get(key); len(v) != 43 || seen[v] {
				t.Errorf("%s is %q", key, v)
			} else {
				seen[v] = true
			}
		}
		if strings.Contains(address, url.QueryEscape(identitytest.ClientSecret)) {
			t.Error("the secret is in the address")
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const oidc = `"kind":"oidc","issuer":"https://id.example.org","clientId":"c","secretEnv":"SECRET"`
	getenv := func(name string) string {
		return map[string]string{"SECRET": "a secret"[:7], "LONG": "0123456789abcdef"}[name]
	}
	for text, want := range map[string]string{
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c"}]}`:                                                                                                                                    "",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c","secretEnv":"LONG","scopes":["profile"]}]}`:                                                                                            "",
		`{"providers":[{"id":"a","name":"A","kind":"url","url":"https://a.example.org/check","secretFile":"` + secret + `"}]}`:                                                                                                                    "",
		`{"providers":[{"id":"a","name":"A","kind":"url","url":"http://accounts:8080/check","allowHttp":true,"secretEnv":"LONG"}]}`:                                                                                                               "",
		`{"providers":[{"id":"a","name":"A","kind":"jwt","issuer":"game","audiences":["x"],"keysUrl":"https://a.example.org/keys"},{"id":"b","name":"B","kind":"jwt","issuer":"game","audiences":["y"],"keysUrl":"https://a.example.org/keys"}]}`: "",
		``:                 "EOF",
		`{"providers":[]}`: "want 1 to 16",
		`{"providers":[` + strings.Repeat(`{},`, 16) + `{}]}`:                                                                                                                                                                        "want 1 to 16",
		`{"providers":[{"id":"A","name":"A",` + oidc + `}]}`:                                                                                                                                                                         "id:",
		`{"providers":[{"id":"../a","name":"A",` + oidc + `}]}`:                                                                                                                                                                      "id:",
		`{"providers":[{"id":"a","name":"",` + oidc + `}]}`:                                                                                                                                                                          "name:",
		`{"providers":[{"id":"a","name":"\u202eA",` + oidc + `}]}`:                                                                                                                                                                   "name:",
		`{"providers":[{"id":"a","name":"A",` + oidc + `}]}`:                                                                                                                                                                         "plain characters",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c","clientSecret":"x"}]}`:                                                                                                    "unknown field",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c","secretEnv":"NONE"}]}`:                                                                                                    "NONE is not set",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c","secretFile":"/none"}]}`:                                                                                                  "secretFile",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","secretEnv":"LONG"}]}`:                                                                                                                   "clientId",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"http://id.example.org","clientId":"c"}]}`:                                                                                                                        "want https",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://user@id.example.org","clientId":"c"}]}`:                                                                                                                  "issuer",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org?x","clientId":"c"}]}`:                                                                                                                     "issuer",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c","url":"https://x.org"}]}`:                                                                                                 "no setting of kind",
		`{"providers":[{"id":"a","name":"A","kind":"jwt","issuer":"https://id.example.org"}]}`:                                                                                                                                       "audiences are missing",
		`{"providers":[{"id":"a","name":"A","kind":"jwt","issuer":"https://id.example.org","audiences":["x"],"algorithms":["HS256"]}]}`:                                                                                              "HS256",
		`{"providers":[{"id":"a","name":"A","kind":"jwt","issuer":"https://id.example.org","audiences":["x"],"algorithms":["none"]}]}`:                                                                                               "none",
		`{"providers":[{"id":"a","name":"A","kind":"jwt","issuer":"https://id.example.org","audiences":["x"],"secretEnv":"LONG"}]}`:                                                                                                  "no setting of kind",
		`{"providers":[{"id":"a","name":"A","kind":"url","url":"https://a.example.org/check"}]}`:                                                                                                                                     "secretEnv or secretFile",
		`{"providers":[{"id":"a","name":"A","kind":"url","url":"file:///etc/passwd","secretEnv":"LONG"}]}`:                                                                                                                           "want https",
		`{"providers":[{"id":"a","name":"A","kind":"saml"}]}`:                                                                                                                                                                        "kind",
		`{"providers":[{"id":"a","name":"A","kind":"url","url":"https://a.example.org","secretEnv":"LONG"},{"id":"a","name":"B","kind":"url","url":"https://b.example.org","secretEnv":"LONG"}]}`:                                    "two with this id",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c"},{"id":"b","name":"B","kind":"url","issuer":"https://id.example.org","url":"https://b.example.org","secretEnv":"LONG"}]}`: "same issuer",
		`{"providers":[{"id":"a","name":"A","kind":"oidc","issuer":"https://id.example.org","clientId":"c"}]} more`:                                                                                                                  "behind the object",
	} {
		path := filepath.Join(dir, "providers.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path, getenv)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s\n%v, want %q", cut(text), err, want)
		}
	}
	if err := os.WriteFile(secret, make([]byte, fileMax+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(secret, getenv); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a file that is too long: %v", err)
	}
}

// own answers like a program's own verifier.
type own struct{ who account.Identity }

func (o own) Verify(context.Context, string) (account.Identity, error) { return o.who, nil }

func TestOwnVerifier(t *testing.T) {
	file, err := parse([]byte(strings.ReplaceAll(jwtFile, "@", "https://id.example.org")), nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := Own{ID: "mine", Name: "Mine", Issuer: "mine", Verifier: own{account.Identity{ExternalID: model.ExternalID{Issuer: "https://id.example.org", Subject: "1"}}}}
	p, err := New(Config{File: file, Own: []Own{mine}})
	if err != nil {
		t.Fatal(err)
	}
	// It cannot speak for others.
	if who, err := p.Verify(ctx, home, "mine", "token"); err != nil || who.Issuer != "mine" || who.Subject != "1" {
		t.Errorf("%+v, %v", who, err)
	}
	if l := p.Issuers(); len(l) != 2 || len(p.List()) != 2 {
		t.Errorf("issuers %v", l)
	}
	for _, change := range []func(*Own){
		func(o *Own) { o.ID = "game" }, func(o *Own) { o.ID = "" }, func(o *Own) { o.Issuer = "https://id.example.org" }, func(o *Own) { o.Issuer = "" }, func(o *Own) { o.Verifier = nil },
	} {
		bad := mine
		change(&bad)
		if _, err := New(Config{File: file, Own: []Own{bad}}); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	var none *Providers
	if none.List() != nil || none.Issuers() != nil {
		t.Error("no providers have some")
	}
	if _, err := none.Verify(ctx, home, "x", "y"); !errors.Is(err, model.NotFound) {
		t.Errorf("no providers: %v", err)
	}
}

// TestPublicAddresses: a host that only the provider named is connected to by the one
// policy for addresses outside; a host of the operator's may have any address.
func TestPublicAddresses(t *testing.T) {
	for _, a := range []string{"127.0.0.1", "192.88.99.1", "[3fff::1]", "[fec0::1]", "[::ffff:10.0.0.1]"} {
		_, err := newClient(true, "https://id.example.org").Get("https://" + a + ":9/keys")
		if !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("%s: %v", a, err)
		}
	}
	if _, err := newClient(true, "http://127.0.0.1:9").Get("http://127.0.0.1:9/keys"); err == nil || errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("a host of the operator's: %v", err)
	}
}

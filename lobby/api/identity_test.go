package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/identity"
	"github.com/fogkeep/fogkeep/lobby/identity/identitytest"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// withProviders is a server with an OpenID provider, tokens of the same issuer,
// and a URL that is asked.
func withProviders(t *testing.T, c Config, change ...func(*lobby.Config)) (*harness, *identitytest.Provider) {
	t.Helper()
	p := identitytest.New(t)
	asked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Token string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Token != "ticket of cy" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Write([]byte(`{"subject":"cy","name":"Cy"}`))
	}))
	t.Cleanup(asked.Close)
	path := filepath.Join(t.TempDir(), "providers.json")
	text := `{"providers":[
		{"id":"studio","name":"Studio account","kind":"oidc","issuer":"` + p.URL + `","clientId":"fogkeep","secretEnv":"SECRET"},
		{"id":"game","name":"Game","kind":"jwt","issuer":"` + p.URL + `","audiences":["fogkeep"]},
		{"id":"ask","name":"Ask","kind":"url","url":"` + asked.URL + `","secretEnv":"SECRET"}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := identity.ReadFile(path, func(string) string { return identitytest.ClientSecret })
	if err != nil {
		t.Fatal(err)
	}
	if c.Identity, err = identity.New(identity.Config{File: file, PublicURL: "http://play.example.org", Ledger: c.Ledger}); err != nil {
		t.Fatal(err)
	}
	change = append(change, func(c *lobby.Config) { c.Issuers = []string{p.URL, "url:ask"} })
	return newHarness(t, c, change...), p
}

// here makes a browser stay where it is sent elsewhere.
func here(b *browser) *browser {
	b.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return b
}

// sent is where an answer sends the browser.
func sent(t *testing.T, r reply) *url.URL {
	t.Helper()
	u, err := url.Parse(r.header.Get("Location"))
	if err != nil || r.status != http.StatusSeeOther || r.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d to %q, %v", r.status, r.header.Get("Location"), err)
	}
	return u
}

// continueAs goes from a provider's address to the answer that the browser brings
// back, as the path of the callback with its query.
func continueAs(t *testing.T, address, person string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(address + "&person=" + person)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	back, err := res.Location()
	if err != nil || back.Scheme+"://"+back.Host != "http://play.example.org" {
		t.Fatalf("sent back to %v, %v", back, err)
	}
	return back.RequestURI()
}

// logIn logs a browser in at the studio's provider, and returns where it is in
// the end.
func (b *browser) logInAs(person, back string) *url.URL {
	b.h.t.Helper()
	to := sent(b.h.t, b.do("GET", "/api/identity/studio/login?return="+url.QueryEscape(back), nil))
	return sent(b.h.t, b.do("GET", continueAs(b.h.t, to.String(), person), nil))
}

func TestLogInAtAProvider(t *testing.T) {
	w, p := withProviders(t, Config{})
	b := here(w.browser())
	list := b.must("GET", "/api/identity/providers", nil, 200)
	if text := list.raw; !strings.Contains(text, `{"id":"studio","name":"Studio account","browser":true}`) || !strings.Contains(text, `"ownLogin":true,"guests":true`) || strings.Contains(text, p.URL) {
		t.Errorf("the providers are %s", text)
	}
	if end := b.logInAs("ada", "/?x=1#lobby=7"); end.String() != "/?x=1#lobby=7" {
		t.Errorf("sent to %s in the end", end)
	}
	me := b.must("GET", "/api/me", nil, 200)
	if me.at("account", "name") != "The ada" || me.at("account", "guest") != false {
		t.Fatalf("logged in as %s", me.raw)
	}
	id := me.at("account", "id")
	// By a token of the same issuer it is the same account; bearer clients get a token.
	c := w.browser()
	r := c.must("POST", "/api/identity/game/token", TokenLogin{Token: p.Token("ada", nil), Bearer: true}, 200)
	if r.at("account", "id") != id {
		t.Errorf("by a token: %s", r.raw)
	}
	c.token, _ = r.body["token"].(string)
	if me := c.must("GET", "/api/me", nil, 200); me.at("account", "id") != id {
		t.Errorf("with the bearer token: %s", me.raw)
	}
	// A guest keeps its id.
	g := here(w.guest("Wanderer"))
	guest := g.must("GET", "/api/me", nil, 200).at("account", "id")
	g.logInAs("bob", "/")
	if me := g.must("GET", "/api/me", nil, 200); me.at("account", "id") != guest || me.at("account", "guest") != false || me.at("account", "name") != "Wanderer" {
		t.Errorf("the guest is %s", me.raw)
	}
	cy := w.browser()
	cy.must("POST", "/api/identity/ask/token", TokenLogin{Token: "ticket of cy"}, 200)
	cy.refused("POST", "/api/identity/ask/token", TokenLogin{Token: "ticket of dan"}, model.BadIdentityToken)
	cy.refused("POST", "/api/identity/nobody/token", TokenLogin{Token: "x"}, model.NotFound)
	cy.refused("POST", "/api/identity/studio/token", TokenLogin{Token: p.Token("ada", nil)}, model.NotFound) // its log-in has a nonce

	// Links: one's own alone, and never another's.
	b.refused("POST", "/api/identity/ask/token", TokenLogin{Token: "ticket of cy", Link: true}, model.IdentityTaken)
	w.browser().refused("POST", "/api/identity/ask/token", TokenLogin{Token: "ticket of cy", Link: true}, model.Unauthenticated)
	w.browser().refused("POST", "/api/identity/studio/link", nil, model.Unauthenticated)
	w.server.Step(time.Second)
	address, _ := cy.must("POST", "/api/identity/studio/link", LinkRequest{Return: "/#account"}, 200).body["address"].(string)
	here(cy)
	if end := sent(t, cy.do("GET", continueAs(t, address, "cyrus"), nil)); end.String() != "/?login=linked#account" {
		t.Errorf("after a link the browser is sent to %s", end)
	}
	mine := cy.must("GET", "/api/me/identities", nil, 200)
	links, _ := mine.body["identities"].([]any)
	if len(links) != 2 || mine.at("password") != false {
		t.Fatalf("identities %s", mine.raw)
	}
	first, _ := links[0].(map[string]any)
	key, _ := first["key"].(string)
	if first["provider"] != "ask" || first["subject"] != "cy" || strings.Contains(key, "cy") {
		t.Errorf("the first identity is %v", first)
	}
	b.refused("DELETE", "/api/me/identities/"+key, nil, model.NotFound)
	cy.must("DELETE", "/api/me/identities/"+key, nil, 204)
	second, _ := links[1].(map[string]any)
	cy.refused("DELETE", "/api/me/identities/"+second["key"].(string), nil, model.LastWayIn)
	w.browser().must("POST", "/api/identity/ask/token", TokenLogin{Token: "ticket of cy"}, 200) // a new account

	// Admins see the links of accounts.
	admin := w.adminLoggedIn()
	file := admin.must("GET", "/admin/api/accounts/"+id.(string), nil, 200)
	if text, _ := json.Marshal(file.at("identities")); !strings.Contains(string(text), `"subject":"ada"`) {
		t.Errorf("an admin sees %s", text)
	}
}

// Answers of providers that belong to another browser, are used, late or made up do not
// log in.
func TestAttacksOnLogIns(t *testing.T) {
	w, p := withProviders(t, Config{})
	begin := func(b *browser) string {
		return sent(t, b.do("GET", "/api/identity/studio/login", nil)).String()
	}
	code := func(b *browser, path string) string {
		t.Helper()
		r := b.do("GET", path, nil)
		u := sent(t, r)
		if u.Host != "" || !strings.HasPrefix(u.Path, "/") {
			t.Errorf("%s: sent to %s", path, u)
		}
		for _, k := range r.header.Values("Set-Cookie") {
			if strings.HasPrefix(k, "fogkeep=") {
				t.Errorf("%s: a session in spite of %s", path, u)
			}
		}
		return u.Query().Get("login")
	}
	mallory, victim := here(w.browser()), here(w.browser())

	// The victim's browser is made to bring the attacker's answer.
	theirs := continueAs(t, begin(mallory), "mallory")
	if got := code(victim, theirs); got != string(model.LoginExpired) {
		t.Errorf("another browser's answer: %q", got)
	}
	begin(victim) // also if it has begun one itself
	theirs = continueAs(t, begin(mallory), "mallory")
	if got := code(victim, theirs); got != string(model.LoginExpired) {
		t.Errorf("another browser's answer: %q", got)
	}
	// The attacker brings the victim's answer.
	if got := code(mallory, continueAs(t, begin(victim), "victim")); got != string(model.LoginExpired) {
		t.Errorf("a stolen answer: %q", got)
	}
	// An answer is used once.
	mine := continueAs(t, begin(mallory), "mallory")
	if u := sent(t, mallory.do("GET", mine, nil)); u.String() != "/" {
		t.Errorf("logged in to %s", u)
	}
	if got := code(mallory, mine); got != string(model.LoginExpired) {
		t.Errorf("an answer again: %q", got)
	}
	for path, want := range map[string]model.Code{
		"/api/identity/studio/callback":                                                  model.LoginExpired,
		"/api/identity/studio/callback?state=x&code=y":                                   model.LoginExpired,
		"/api/identity/game/callback?state=x&code=y":                                     model.NotFound,
		"/api/identity/nobody/login":                                                     model.NotFound,
		"/api/identity/game/login":                                                       model.NotFound,
		"/api/identity/studio/callback?error=access_denied":                              model.LoginExpired,
		strings.Replace(mine, "/studio/", "/nobody/", 1):                                 model.NotFound,
		continueAs(t, begin(mallory), "nobody"):                                          model.ProviderRefused,
		continueAs(t, begin(mallory), "mallory") + "&iss=https%3A%2F%2Fevil.example.org": model.BadIdentityToken,
	} {
		if strings.Contains(path, "evil") {
			path = strings.Replace(path, "iss="+url.QueryEscape(p.URL)+"&", "", 1)
		}
		if got := code(mallory, path); got != string(want) {
			t.Errorf("%s: %q, want %s", path, got, want)
		}
	}
	// A link needs the same account at its begin and at its end.
	one := here(w.guest("One"))
	address, _ := one.must("POST", "/api/identity/studio/link", nil, 200).body["address"].(string)
	answer := continueAs(t, address, "one")
	one.must("POST", "/api/logout", nil, 204)
	if got := code(one, answer); got != string(model.Unauthenticated) {
		t.Errorf("a link after the log-out: %q", got)
	}
	two := here(w.guest("Two"))
	address, _ = two.must("POST", "/api/identity/studio/link", nil, 200).body["address"].(string)
	answer = continueAs(t, address, "two")
	two.must("POST", "/api/guest", map[string]any{"name": "Three"}, 200)
	if got := code(two, answer); got != string(model.LoginExpired) {
		t.Errorf("a link as somebody else is logged in: %q", got)
	}
}

// Only pages of this server's begin log-ins; a log-in goes back to this server
// only.
func TestOtherSitesBeginNoLogIns(t *testing.T) {
	w, _ := withProviders(t, Config{})
	for site, allowed := range map[string]bool{"cross-site": false, "same-site": false, "same-origin": true, "none": true} {
		b := here(w.browser())
		b.header.Set("Sec-Fetch-Site", site)
		u := sent(t, b.do("GET", "/api/identity/studio/login", nil))
		if (u.Host != "") != allowed || !allowed && u.Query().Get("login") != string(model.CrossOrigin) {
			t.Errorf("from %s: sent to %s", site, u)
		}
		if r := b.do("POST", "/api/identity/game/token", TokenLogin{Token: "x"}); (r.code() == string(model.CrossOrigin)) == allowed {
			t.Errorf("a token from %s: %s", site, r.raw)
		}
		if r := b.do("DELETE", "/api/me/identities/x", nil); (r.code() == string(model.CrossOrigin)) == allowed {
			t.Errorf("unlinked from %s: %s", site, r.raw)
		}
	}
	for back, want := range map[string]string{
		"/": "/", "": "/", "/#lobby=1": "/#lobby=1", "/a/b?c=d#e": "/a/b?c=d#e", "/?to=https://example.org": "/?to=https://example.org",
		"https://evil.example.org/": "/", "//evil.example.org/": "/", "///evil.example.org": "/", `/\evil.example.org`: "/", `\\evil.example.org`: "/",
		"/\t/evil.example.org": "/", "/\n/evil.example.org": "/", "/%2fevil.example.org": "/", "javascript:alert(1)": "/", "evil.example.org": "/", "@evil.example.org": "/",
		"/api/logout": "/", "/%61pi/logout": "/", "/ä": "/", "/" + strings.Repeat("x", 512): "/", "/%zz": "/", "http:/x": "/",
	} {
		if got := localPath(back); got != want {
			t.Errorf("%q: %q, want %q", back, got, want)
		}
	}
	b := here(w.browser())
	if end := b.logInAs("ada", "//evil.example.org/"); end.String() != "/" {
		t.Errorf("sent to %s in the end", end)
	}
}

// A flood is refused, and cookies are the browser's own.
func TestLogInsAreLimited(t *testing.T) {
	w, p := withProviders(t, Config{})
	b := here(w.browser())
	r := b.do("GET", "/api/identity/studio/login", nil)
	k := r.header.Get("Set-Cookie")
	for _, part := range []string{"fogkeep_login=", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"} {
		if !strings.Contains(k, part) {
			t.Errorf("the cookie %q has no %s", k, part)
		}
	}
	b.refused("POST", "/api/identity/game/token", TokenLogin{Token: strings.Repeat("x", identity.TokenMax+1)}, model.BadRequest)
	b.refused("POST", "/api/identity/game/token", strings.NewReader(`{"token":"`+strings.Repeat("x", BodyMax)+`"}`), model.TooLarge)
	once := p.Token("ada", identitytest.Claims{"jti": "1"})
	w.browser().must("POST", "/api/identity/game/token", TokenLogin{Token: once}, 200)
	w.browser().refused("POST", "/api/identity/game/token", TokenLogin{Token: once}, model.BadIdentityToken)

	limits, err := quota.Defaults().Set([]string{"identity-logins.address=5"})
	if err != nil {
		t.Fatal(err)
	}
	w, p = withProviders(t, Config{Ledger: quota.New(limits)})
	b = here(w.browser())
	for i := range 7 {
		u := sent(t, b.do("GET", "/api/identity/studio/login", nil))
		if (u.Query().Get("login") == string(model.Throttled)) != (i >= 5) {
			t.Errorf("log-in %d: sent to %s", i, u)
		}
	}
	b.refused("POST", "/api/identity/game/token", TokenLogin{Token: p.Token("ada", nil)}, model.Throttled)
	if u := sent(t, b.do("GET", "/api/identity/studio/callback?state=x&code=y", nil)); u.Query().Get("login") != string(model.Throttled) {
		t.Errorf("an answer: sent to %s", u)
	}
}

// TestNetworkURL: a page of the server's own machine learns where others find the server, unless the address for links is configured.
func TestNetworkURL(t *testing.T) {
	found := func() []string { return []string{"http://192.168.1.20:8080", "http://10.0.0.3:8080"} }
	for _, c := range []struct {
		config  Config
		from    string
		network any
	}{
		{Config{NetworkURLs: found}, "", "http://192.168.1.20:8080"},
		{Config{NetworkURLs: found}, "192.0.2.7", nil},
		{Config{NetworkURLs: func() []string { return nil }}, "", nil},
		{Config{NetworkURLs: found, LinkURL: "https://play.example.org"}, "", nil},
	} {
		c.config.Proxies = Proxies{netip.MustParsePrefix("127.0.0.1/32")}
		w, _ := withProviders(t, c.config)
		b := w.browser()
		if c.from != "" {
			b.header.Set("X-Forwarded-For", c.from)
		}
		if r := b.must("GET", "/api/identity/providers", nil, 200); r.at("networkUrl") != c.network {
			t.Errorf("from %q: %s", c.from, r.raw)
		}
	}
}

// With own log-in off, the pages know it, and the endpoints refuse. The pages also know the configured address for links.
func TestOwnLogInOff(t *testing.T) {
	w, p := withProviders(t, Config{LinkURL: "https://play.example.org/fog"}, func(c *lobby.Config) { c.NoOwnLogin, c.NoGuests = true, true })
	b := w.browser()
	if r := b.must("GET", "/api/identity/providers", nil, 200); r.at("ownLogin") != false || r.at("guests") != false || r.at("publicUrl") != "https://play.example.org/fog" {
		t.Errorf("the pages are told %s", r.raw)
	}
	b.refused("POST", "/api/register", Registration{Name: "Ada", Password: "difference engine"}, model.LoginOff)
	b.refused("POST", "/api/login", Credentials{Name: "Ada", Password: "difference engine"}, model.LoginOff)
	b.refused("POST", "/api/guest", nil, model.LoginOff)
	b.must("POST", "/api/identity/game/token", TokenLogin{Token: p.Token("ada", nil)}, 200)
}

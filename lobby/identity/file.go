package identity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"

	"github.com/fogkeep/fogkeep/internal/plain"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Bounds of the file.
const (
	fileMax       = 64 << 10 // bytes
	providersMax  = 16
	nameLenMax    = 40 // characters of a provider's name
	listMax       = 16 // audiences, scopes
	secretMin     = 16 // bytes
	secretMax     = 4096
	scopeOfPerson = "openid"
)

// The kinds of providers.
const (
	kindOIDC = "oidc" // an OpenID Connect log-in in the browser
	kindJWT  = "jwt"  // signed tokens
	kindURL  = "url"  // a URL that is asked about tokens
)

// algorithms are the signatures that are accepted: all are asymmetric, so that
// no key of the provider's that is public can make one.
var algorithms = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

var idPattern = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$`)

// providerFile is one provider as the file has it.
type providerFile struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`

	Issuer     string   `json:"issuer"`
	ClientID   string   `json:"clientId"`
	Scopes     []string `json:"scopes"`
	NameClaims []string `json:"nameClaims"`
	Audiences  []string `json:"audiences"`
	KeysURL    string   `json:"keysUrl"`
	Algorithms []string `json:"algorithms"`
	URL        string   `json:"url"`
	SecretEnv  string   `json:"secretEnv"`
	SecretFile string   `json:"secretFile"`
	AllowHTTP  bool     `json:"allowHttp"`

	secret string
}

// ReadFile reads the providers that a file names, and their secrets. getenv is
// [os.Getenv]; env is for tests. It asks no provider anything.
func ReadFile(path string, getenv func(string) string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, fileMax+1))
	if err != nil {
		return nil, err
	}
	if len(raw) > fileMax {
		return nil, fmt.Errorf("%s: more than %d bytes", path, fileMax)
	}
	out, err := parse(raw, getenv)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// File is the content of the operator's file.
type File struct{ providers []providerFile }

func parse(raw []byte, getenv func(string) string) (*File, error) {
	var in struct {
		Providers []providerFile `json:"providers"`
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the object")
	}
	if n := len(in.Providers); n < 1 || n > providersMax {
		return nil, fmt.Errorf("%d providers: want 1 to %d", n, providersMax)
	}
	for i := range in.Providers {
		p := &in.Providers[i]
		if err := p.complete(getenv); err != nil {
			return nil, fmt.Errorf("provider %d, %q: %w", i+1, p.ID, err)
		}
		for _, other := range in.Providers[:i] {
			if other.ID == p.ID {
				return nil, fmt.Errorf("provider %d, %q: there are two with this id", i+1, p.ID)
			}
			if other.Issuer == p.Issuer && (other.Kind == kindURL || p.Kind == kindURL) {
				return nil, fmt.Errorf("provider %d, %q: %q has the same issuer: two providers would decide on the same players", i+1, p.ID, other.ID)
			}
		}
	}
	return &File{in.Providers}, nil
}

func (p *providerFile) complete(getenv func(string) string) (err error) {
	if err := checkNames(p.ID, p.Name); err != nil {
		return err
	}
	for field, list := range map[string][]string{"scopes": p.Scopes, "audiences": p.Audiences, "nameClaims": p.NameClaims} {
		if len(list) > listMax || slices.Contains(list, "") {
			return fmt.Errorf("%s: want at most %d, without empty ones", field, listMax)
		}
	}
	for _, a := range p.Algorithms {
		if !slices.Contains(algorithms, jose.SignatureAlgorithm(a)) {
			return fmt.Errorf("algorithm %q: want some of %v", a, algorithms)
		}
	}
	unused := func(fields map[string]bool) error {
		for field, set := range fields {
			if set {
				return fmt.Errorf("%s is no setting of kind %q", field, p.Kind)
			}
		}
		return nil
	}
	switch p.Kind {
	case kindOIDC:
		err = errors.Join(p.checkURL("issuer", p.Issuer), unused(map[string]bool{"audiences": p.Audiences != nil, "keysUrl": p.KeysURL != "", "url": p.URL != ""}))
		if p.ClientID == "" {
			err = errors.Join(err, errors.New("clientId is missing"))
		}
		if !slices.Contains(p.Scopes, scopeOfPerson) {
			p.Scopes = append([]string{scopeOfPerson}, p.Scopes...)
		}
	case kindJWT:
		err = unused(map[string]bool{"clientId": p.ClientID != "", "scopes": p.Scopes != nil, "url": p.URL != "", "secretEnv": p.SecretEnv != "", "secretFile": p.SecretFile != ""})
		if p.KeysURL != "" {
			err = errors.Join(err, p.checkURL("keysUrl", p.KeysURL))
		} else {
			err = errors.Join(err, p.checkURL("issuer", p.Issuer))
		}
		if len(p.Audiences) == 0 {
			err = errors.Join(err, errors.New("audiences are missing: a token for another server would log in here"))
		}
	case kindURL:
		err = errors.Join(p.checkURL("url", p.URL), unused(map[string]bool{
			"audiences": p.Audiences != nil, "keysUrl": p.KeysURL != "", "clientId": p.ClientID != "", "scopes": p.Scopes != nil, "algorithms": p.Algorithms != nil, "nameClaims": p.NameClaims != nil,
		}))
		if p.SecretEnv == "" && p.SecretFile == "" {
			err = errors.Join(err, errors.New("secretEnv or secretFile is missing: the URL must know that this server asks"))
		}
		if p.Issuer == "" {
			p.Issuer = "url:" + p.ID
		}
	default:
		return fmt.Errorf("kind %q: want %q, %q or %q", p.Kind, kindOIDC, kindJWT, kindURL)
	}
	if err != nil {
		return err
	}
	if err := (model.ExternalID{Issuer: p.Issuer, Subject: "x"}).Check(); err != nil {
		return fmt.Errorf("issuer: want 1 to %d bytes of characters that can be seen", model.ExternalIDPartMax)
	}
	return p.readSecret(getenv)
}

func checkNames(id, name string) error {
	if !idPattern.MatchString(id) {
		return errors.New("id: want 1 to 32 of a to z, 0 to 9 and dashes inside")
	}
	if n := utf8.RuneCountInString(name); n < 1 || n > nameLenMax || !plain.Line(name) {
		return fmt.Errorf("name: want 1 to %d visible characters: it is the text of the button", nameLenMax)
	}
	return nil
}

// checkURL wants https, but for a host of the machine itself or if the operator
// said otherwise.
func (p *providerFile) checkURL(field, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return fmt.Errorf("%s %q: want https://host/path", field, text)
	}
	if field == "issuer" && u.RawQuery != "" {
		return fmt.Errorf("%s %q: an issuer has no query", field, text)
	}
	if u.Scheme == "http" && !p.AllowHTTP && !loopback(u.Hostname()) {
		return fmt.Errorf(`%s %q: want https, or "allowHttp": true if the network between is your own`, field, text)
	}
	return nil
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.Unmap().IsLoopback()
}

func (p *providerFile) readSecret(getenv func(string) string) error {
	switch {
	case p.SecretEnv != "" && p.SecretFile != "":
		return errors.New("secretEnv and secretFile: give only one")
	case p.SecretEnv != "":
		p.secret = getenv(p.SecretEnv)
		if p.secret == "" {
			return fmt.Errorf("secretEnv: %s is not set", p.SecretEnv)
		}
	case p.SecretFile != "":
		f, err := os.Open(p.SecretFile)
		if err != nil {
			return fmt.Errorf("secretFile: %w", err)
		}
		defer f.Close()
		raw, err := io.ReadAll(io.LimitReader(f, secretMax+1))
		if err != nil {
			return fmt.Errorf("secretFile: %w", err)
		}
		p.secret = strings.TrimSpace(string(raw))
	default:
		return nil
	}
	if n := len(p.secret); n < secretMin || n > secretMax || strings.ContainsFunc(p.secret, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("the secret needs %d to %d plain characters without spaces", secretMin, secretMax)
	}
	return nil
}

package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Bounds of tokens.
const (
	// TokenMax bounds a token, in bytes.
	TokenMax     = 8 << 10
	leeway       = 30 * time.Second // by which clocks may differ
	tokenLifeMax = 24 * time.Hour   // a token that is valid for longer is no token for log-ins
	tokenIDMax   = 512              // bytes
)

// Verifier finds out the owner of a token. A token that is refused is an error of
// [model.BadIdentityToken], a provider that does not answer one of
// [model.ProviderFailed]. The issuer of the identity is always the verifier's own.
type Verifier interface {
	Verify(ctx context.Context, token string) (account.Identity, error)
}

// nameClaims are the claims with a name, in order of preference, unless the operator
// names others.
var nameClaims = []string{"preferred_username", "nickname", "name"}

// signed checks tokens that an issuer signed.
type signed struct {
	issuer     string
	audiences  []string // the token has to be for one
	party      string   // of ID tokens: the client that it was made for; "": of no interest
	nameClaims []string
	algorithms []jose.SignatureAlgorithm
	keys       *keySet
	now        func() time.Time
}

// newSigned returns the check of an issuer's tokens by its keys.
func newSigned(p *providerFile, keys *keySet, now func() time.Time) *signed {
	s := &signed{issuer: p.Issuer, audiences: p.Audiences, nameClaims: p.NameClaims, algorithms: algorithms, keys: keys, now: now}
	if p.Kind == kindOIDC {
		s.audiences, s.party = []string{p.ClientID}, p.ClientID
	}
	if len(s.nameClaims) == 0 {
		s.nameClaims = nameClaims
	}
	if len(p.Algorithms) > 0 {
		s.algorithms = nil
		for _, a := range p.Algorithms {
			s.algorithms = append(s.algorithms, jose.SignatureAlgorithm(a))
		}
	}
	return s
}

// Verify implements [Verifier].
func (s *signed) Verify(ctx context.Context, token string) (account.Identity, error) {
	person, c, err := s.read(ctx, token)
	if err == nil && c.ID != "" {
		person.TokenID, person.Expires = c.ID, c.Expires.time().Add(leeway)
	}
	return person, err
}

// claims are the claims read from a token, beside its name.
type claims struct {
	Issuer    string    `json:"iss"`
	Subject   string    `json:"sub"`
	Audience  textList  `json:"aud"`
	Party     string    `json:"azp"`
	Expires   *unixTime `json:"exp"`
	NotBefore *unixTime `json:"nbf"`
	Issued    *unixTime `json:"iat"`
	ID        string    `json:"jti"`
	Nonce     string    `json:"nonce"`
}

// read checks everything about a token but its nonce and that it is shown once.
func (s *signed) read(ctx context.Context, token string) (person account.Identity, c claims, err error) {
	if len(token) > TokenMax {
		return person, c, refused(errors.New("the token is too long"))
	}
	raw, err := s.keys.payload(ctx, token, s.algorithms)
	if errors.Is(err, errNoAnswer) || ctx.Err() != nil {
		return person, c, failed(err)
	}
	if err != nil {
		return person, c, refused(err)
	}
	all := map[string]any{}
	if err := errors.Join(json.Unmarshal(raw, &c), json.Unmarshal(raw, &all)); err != nil {
		return person, c, refused(err)
	}
	if err := s.valid(&c); err != nil {
		return person, c, refused(err)
	}
	person = account.Identity{ExternalID: model.ExternalID{Issuer: s.issuer, Subject: c.Subject}}
	if err := person.Check(); err != nil {
		return person, c, refused(err)
	}
	for _, claim := range s.nameClaims {
		if name, _ := all[claim].(string); name != "" {
			person.Name = name
			break
		}
	}
	return person, c, nil
}

// valid checks the audience and the times of a token.
func (s *signed) valid(c *claims) error {
	now := s.now()
	switch {
	case c.Issuer != s.issuer:
		return fmt.Errorf("it is of %q", c.Issuer)
	case !slices.ContainsFunc(c.Audience, func(a string) bool { return slices.Contains(s.audiences, a) }):
		return fmt.Errorf("it is for %q", []string(c.Audience))
	case s.party != "" && (len(c.Audience) > 1 || c.Party != "") && c.Party != s.party:
		return fmt.Errorf("it was made for the client %q", c.Party)
	case c.Expires == nil:
		return errors.New("it has no time at which it expires")
	case !now.Before(c.Expires.time().Add(leeway)):
		return errors.New("it has expired")
	case c.Expires.time().After(now.Add(tokenLifeMax + leeway)):
		return fmt.Errorf("it is valid for more than %s", tokenLifeMax)
	case c.NotBefore != nil && c.NotBefore.time().After(now.Add(leeway)):
		return errors.New("it is not valid yet")
	case c.Issued != nil && c.Issued.time().After(now.Add(leeway)):
		return errors.New("it is of the future")
	case len(c.ID) > tokenIDMax:
		return errors.New("its id is too long")
	}
	return nil
}

// textList is a string, or several.
type textList []string

func (l *textList) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*l = []string{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(l))
}

// unixTime is a number of seconds, whole or not.
type unixTime float64

// unixTimeMax is the year 9999: a later time is invalid.
const unixTimeMax = 253402300799

func (t *unixTime) UnmarshalJSON(raw []byte) error {
	var n float64
	if err := json.Unmarshal(raw, &n); err != nil {
		return err
	}
	if n < 0 || n > unixTimeMax {
		return errors.New("a time is out of range")
	}
	*t = unixTime(n)
	return nil
}

func (t *unixTime) time() time.Time { return time.Unix(int64(*t), 0) }

// refused says why a token is not valid: to the log, and not to its bearer.
func refused(why error) error { return &model.Error{Code: model.BadIdentityToken, Err: why} }

// failed says why a provider was of no use.
func failed(why error) error { return &model.Error{Code: model.ProviderFailed, Err: why} }

package identity

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/go-jose/go-jose/v4"
)

// Bounds of key sets.
const (
	keysMax    = 64   // in a set
	triesMax   = 4    // keys that one token without a key id is tried with
	rsaBitsMin = 2048 // NIST SP 800-131A
	rsaBitsMax = 8192
)

// keySet is the keys of one issuer. go-oidc's would fetch the set anew for every
// token with an unknown key id.
type keySet struct {
	set *fetched[[]jose.JSONWebKey]
}

// fetchKeys gets a key set from a URL. It leaves out entries that are no public keys
// for signatures.
func fetchKeys(ctx context.Context, client *http.Client, url string) ([]jose.JSONWebKey, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("keys: the status is %s", res.Status)
	}
	raw, err := io.ReadAll(res.Body) // bounded by the client
	if err != nil {
		return nil, err
	}
	var in struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	if len(in.Keys) > keysMax {
		return nil, fmt.Errorf("keys: %d, want at most %d", len(in.Keys), keysMax)
	}
	out := make([]jose.JSONWebKey, 0, len(in.Keys))
	for _, raw := range in.Keys {
		var k jose.JSONWebKey
		if json.Unmarshal(raw, &k) == nil && signs(k) {
			out = append(out, k)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("keys: there is no public key for signatures")
	}
	return out, nil
}

// signs reports whether a key is a public one by which signatures can be checked.
func signs(k jose.JSONWebKey) bool {
	if k.Use != "" && k.Use != "sig" || !k.Valid() {
		return false
	}
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() >= rsaBitsMin && key.N.BitLen() <= rsaBitsMax
	case *ecdsa.PublicKey, ed25519.PublicKey:
		return true
	}
	return false // symmetric, or private
}

// fits reports whether a token's header may mean a key.
func fits(k jose.JSONWebKey, h jose.Header) bool {
	if k.Algorithm != "" && k.Algorithm != h.Algorithm || h.KeyID != "" && k.KeyID != h.KeyID {
		return false
	}
	switch key := k.Key.(type) {
	case *rsa.PublicKey:
		return h.Algorithm[0] == 'R' || h.Algorithm[0] == 'P'
	case *ecdsa.PublicKey:
		return map[string]int{string(jose.ES256): 256, string(jose.ES384): 384, string(jose.ES512): 521}[h.Algorithm] == key.Params().BitSize
	case ed25519.PublicKey:
		return h.Algorithm == string(jose.EdDSA)
	}
	return false
}

// payload returns the content of a token, if a key of the set signed it by an allowed
// algorithm. Keys that the token brings or names by an address are not looked at.
func (s *keySet) payload(ctx context.Context, token string, allowed []jose.SignatureAlgorithm) ([]byte, error) {
	jws, err := jose.ParseSignedCompact(token, allowed)
	if err != nil {
		return nil, err
	}
	if len(jws.Signatures) != 1 {
		return nil, errors.New("want one signature")
	}
	h := jws.Signatures[0].Header
	of := func(set []jose.JSONWebKey) []jose.JSONWebKey {
		return slices.DeleteFunc(slices.Clone(set), func(k jose.JSONWebKey) bool { return !fits(k, h) })
	}
	set, err := s.set.get(ctx, func(set []jose.JSONWebKey) bool { return len(of(set)) == 0 })
	if err != nil {
		return nil, err
	}
	list := of(set)
	for _, k := range list[:min(len(list), triesMax)] {
		if payload, err := jws.Verify(k.Key); err == nil {
			return payload, nil
		}
	}
	return nil, errors.New("no key of the issuer signed it")
}

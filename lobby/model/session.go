package model

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
)

// Secret is a token as its owner holds it: 32 random bytes in base64url, 43
// characters. The store has only its [SecretHash], so a copy of the database opens no session.
type Secret string

// SecretHash is the SHA-256 of a [Secret], in base64url. A plain hash is enough: 256
// random bits cannot be guessed.
type SecretHash string

// SecretLen is the length of every Secret; others are not worth a query.
const SecretLen = 43

// NewSecret draws a token from the system's randomness.
func NewSecret() Secret {
	var b [32]byte
	rand.Read(b[:]) // never fails: see crypto/rand
	return Secret(base64.RawURLEncoding.EncodeToString(b[:]))
}

// Hash is the form of the secret for the store.
func (s Secret) Hash() SecretHash {
	sum := sha256.Sum256([]byte(s))
	return SecretHash(base64.RawURLEncoding.EncodeToString(sum[:]))
}

// Realm tells players' sessions from admins', and both from service keys: a token of one is invalid in another.
type Realm string

// The realms.
const (
	PlayerRealm  Realm = "player"
	AdminRealm   Realm = "admin"
	ServiceRealm Realm = "service" // keys, and no sessions
)

// Session is one log-in. It ends by logout, by "logout everywhere", by a
// password change, by a ban, or at Expires.
type Session struct {
	Hash      SecretHash `json:"-"`
	Realm     Realm      `json:"-"`
	Account   Account    `json:"-"`         // of the player realm
	Admin     Admin      `json:"-"`         // of the admin realm
	Address   string     `json:"address"`   // at login
	UserAgent string     `json:"userAgent"` // at login, cut to 200 bytes
	Created   time.Time  `json:"created"`
	Expires   time.Time  `json:"expires"`
}

// Client is the server's own knowledge of the caller.
type Client struct {
	Address   netip.Addr // behind trusted proxies: the one they vouch for
	UserAgent string
	Old       Secret // the session it came with, which a new login ends
	Device    Secret // a token that the client keeps; a log-in makes it known for its name. "": no token
}

// Network is the part of the address that one subscriber holds: known places are
// networks, since an IPv6 user has 2^64 addresses.
func (c Client) Network() string {
	p, _, _ := quota.Prefixes(c.Address)
	switch {
	case !p.IsValid():
		return "unknown"
	case p.IsSingleIP():
		return p.Addr().String()
	}
	return p.String()
}

// PlaceLife is how long an address or device stays known without log-ins.
const PlaceLife = 180 * 24 * time.Hour

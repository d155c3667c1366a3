package model

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ExternalID names a person at an identity provider: the provider's name for
// itself, and its name for the person. Both are compared byte by byte.
type ExternalID struct {
	Issuer  string // of OIDC and of tokens the "iss"
	Subject string // the "sub": never given to another person, and never changed
}

// ExternalIDPartMax bounds issuer and subject, in bytes. OIDC bounds subjects
// alike.
const ExternalIDPartMax = 255

// Check refuses an identity that no store should have: an empty or too long one, or one
// with invisible characters.
func (id ExternalID) Check() error {
	for _, p := range []struct{ field, value string }{{"issuer", id.Issuer}, {"subject", id.Subject}} {
		if p.value == "" || len(p.value) > ExternalIDPartMax || !utf8.ValidString(p.value) ||
			strings.ContainsFunc(p.value, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return RefuseField(BadRequest, p.field, "needs 1 to %d bytes of characters that can be seen", ExternalIDPartMax)
		}
	}
	return nil
}

// Key is a short name of the identity for addresses of the API, from which the
// subject cannot be read.
func (id ExternalID) Key() string {
	// No issuer has a zero byte, so no two identities have the same text.
	sum := sha256.Sum256([]byte(id.Issuer + "\x00" + id.Subject))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// ExternalLink links an account with one external identity.
type ExternalLink struct {
	ExternalID
	Account AccountID
	Created time.Time
	Used    time.Time // the last log-in by it
}

package model

import (
	"slices"
	"strings"
	"time"
)

// Scope is one right of a service key.
type Scope string

// ServiceKey is the right of another server to use the service API. A key acts for
// one issuer: it names players by their subjects there, and sees matches that were
// made for it alone. Two keys of one issuer see the same.
type ServiceKey struct {
	ID      string // a UUIDv7; the audit names it
	Name    string // for people
	Issuer  string // whose players it names, see [ExternalID]
	Scopes  []Scope
	By      string // the admin who made it
	Created time.Time
	Expires time.Time // zero: never
	Revoked time.Time // zero while it holds
	Used    time.Time // last use, to the minute; zero: never
	Old     time.Time // until when the secret before the last rotation works; zero: no such secret
}

// Has reports whether the key has a scope.
func (k ServiceKey) Has(s Scope) bool { return slices.Contains(k.Scopes, s) }

// Holds reports whether the key is neither revoked nor expired.
func (k ServiceKey) Holds(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// ParseScopes reads scopes with spaces between them, as the store has them.
func ParseScopes(text string) (list []Scope) {
	for word := range strings.FieldsSeq(text) {
		list = append(list, Scope(word))
	}
	return list
}

const (
	// ServiceTicketLife is how long a ticket waits that went to a studio's server: it
	// has one hop more to its player than others.
	ServiceTicketLife = 2 * time.Minute
	// RequestKeyLife is how long a request that made a match is known again.
	RequestKeyLife = 24 * time.Hour
)

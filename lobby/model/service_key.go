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
	ID      string    `json:"id" doc:"the audit names the key by it"` // a UUIDv7
	Name    string    `json:"name"`                                   // for people
	Issuer  string    `json:"issuer" doc:"the key names players by their subjects at this issuer, and sees matches that were made for it"`
	Scopes  []Scope   `json:"scopes" enum:"matches:read,matches:write,players:read,webhooks:write"`
	By      string    `json:"by" doc:"the admin who made it"`
	Created time.Time `json:"created"`
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
	Used    time.Time `json:"used,omitzero" doc:"last use, to the minute"`
	Old     time.Time `json:"oldUntil,omitzero" doc:"until when the secret before the last rotation works"`
}

// Has reports whether the key has a scope.
func (k ServiceKey) Has(s Scope) bool { return slices.Contains(k.Scopes, s) }

// Holds reports whether the key is neither revoked nor expired.
func (k ServiceKey) Holds(now time.Time) bool {
	return k.Revoked.IsZero() && (k.Expires.IsZero() || now.Before(k.Expires))
}

// ParseScopes reads scopes with spaces between them, as the store has them.
func ParseScopes(text string) []Scope {
	list := []Scope{}
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

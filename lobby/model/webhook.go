package model

import (
	"encoding/base64"
	"strings"
	"time"
)

// HookKind is the kind of a webhook's event.
type HookKind string

// WebhookEndpoint is where the server tells a studio's server what happens.
type WebhookEndpoint struct {
	ID        string
	Issuer    string // whose matches and players it is told of; "": all, as only an admin may ask
	URL       string
	Events    []HookKind
	Secret    HookSecret
	OldSecret HookSecret // signs too until OldUntil
	OldUntil  time.Time
	By        string // "key:ID", or the admin
	Created   time.Time
}

// HookSecret signs the requests to an endpoint: "whsec_" and 32 random bytes in base64,
// as Standard Webhooks has them. The store keeps it as it is, since signing needs it.
type HookSecret string

// Key is the secret's bytes.
func (s HookSecret) Key() []byte {
	b, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(s), "whsec_"))
	if err != nil {
		return nil // no valid secret: the signature is useless
	}
	return b
}

// HookEvent is what one endpoint is to be told.
type HookEvent struct {
	Num      int64
	ID       string // the same at each endpoint, and each time it is tried
	Endpoint string
	Stream   string // events of one stream come in order, each after the one before was taken
	Kind     HookKind
	Body     []byte
	Created  time.Time
	Due      time.Time
	Tries    int
	Dead     time.Time
	Failure  string // of the last try
}

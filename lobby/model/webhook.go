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
	ID        string     `json:"id"`
	Issuer    string     `json:"issuer,omitempty" doc:"the issuer of the matches and players in its events; absent: all"` // absent as only an admin may ask
	URL       string     `json:"url"`
	Events    []HookKind `json:"events"`
	By        string     `json:"by" doc:"the admin who registered it, or key: and a service key's id"`
	Created   time.Time  `json:"created"`
	OldUntil  time.Time  `json:"oldUntil,omitzero" doc:"until when it is signed with the secret before the last rotation too"`
	Secret    HookSecret `json:"-"`
	OldSecret HookSecret `json:"-"` // signs too until OldUntil
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
	Num      int64     `json:"num"`
	ID       string    `json:"id" doc:"of the event"` // the same at each endpoint, and each time it is tried
	Endpoint string    `json:"endpoint" doc:"the endpoint's id"`
	Kind     HookKind  `json:"kind"`
	Created  time.Time `json:"created"`
	Dead     time.Time `json:"dead"`
	Tries    int       `json:"tries"`
	Failure  string    `json:"failure" doc:"of the last try"`
	Stream   string    `json:"-"` // events of one stream come in order, each after the one before was taken
	Body     []byte    `json:"-"`
	Due      time.Time `json:"-"`
}

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// The headers of a delivery, by the Standard Webhooks specification.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp" // seconds since 1970, at this attempt
	HeaderSignature = "Webhook-Signature" // one "v1,SIGNATURE" per secret, with spaces between them
)

// Sign returns a signature: the HMAC-SHA256 of id, timestamp and body with dots
// between them, in base64.
func Sign(secret model.HookSecret, id string, at time.Time, body []byte) string {
	h := hmac.New(sha256.New, secret.Key())
	h.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}

// Verify reports whether a request has a valid signature by the secret and a timestamp within tolerance. It is for
// endpoints in Go, and for tests.
func Verify(secret model.HookSecret, h http.Header, body []byte, now time.Time, tolerance time.Duration) bool {
	seconds, err := strconv.ParseInt(h.Get(HeaderTimestamp), 10, 64)
	at := time.Unix(seconds, 0)
	if err != nil || now.Sub(at).Abs() > tolerance {
		return false
	}
	want := Sign(secret, h.Get(HeaderID), at, body)
	for given := range strings.FieldsSeq(h.Get(HeaderSignature)) {
		if hmac.Equal([]byte(given), []byte(want)) {
			return true
		}
	}
	return false
}

// sign signs a delivery with the endpoint's secrets.
func sign(h http.Header, d hook.HookDelivery, now time.Time) {
	signature := Sign(d.To.Secret, d.ID, now, d.Body)
	if d.To.OldSecret != "" && now.Before(d.To.OldUntil) {
		signature += " " + Sign(d.To.OldSecret, d.ID, now, d.Body)
	}
	h.Set(HeaderID, d.ID)
	h.Set(HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
	h.Set(HeaderSignature, signature)
}

package match

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// A resume token is its seat, signed: the service that made it keeps no copy, and a
// service with the same key accepts it after a restart.
//
//	base64url(seat as JSON) "." base64url(first 16 bytes of HMAC-SHA256(key, seat as JSON))
//
// It tells its owner only the owner's own seat. It ends with the match, and a seat that
// was taken away refuses it.
const (
	keyBytes = 32
	macBytes = 16
)

// tokenBody is a seat as a token has it: short, as tokens are bounded
// (wire.CredentialBytesMax).
type tokenBody struct {
	Match     string        `json:"m"`
	Slot      grid.Slot     `json:"s"`
	Account   string        `json:"a,omitempty"`
	Known     bool          `json:"k,omitempty"`
	Epoch     int64         `json:"e,omitempty"`
	Serial    uint32        `json:"n,omitempty"`
	Name      string        `json:"-"`
	Turn      uint32        `json:"-"`
	StandIn   bool          `json:"b,omitempty"`
	Spectator bool          `json:"w,omitempty"`
	Eyes      grid.Team     `json:"y,omitempty"`
	Delay     time.Duration `json:"d,omitempty"`
}

// signer is the key of resume tokens.
type signer []byte

// newToken makes the right to come back to a seat.
func (k signer) newToken(seat Seat) string {
	body, err := json.Marshal(tokenBody(seat))
	if err != nil {
		panic("match: a seat is plain data: " + err.Error())
	}
	enc := base64.RawURLEncoding
	return enc.EncodeToString(body) + "." + enc.EncodeToString(k.sign(body))
}

// seatOf returns the seat that a token was made for, if it was made with the
// key.
func (k signer) seatOf(token string) (Seat, bool) {
	text, sum, _ := strings.Cut(token, ".")
	body, err1 := base64.RawURLEncoding.DecodeString(text)
	mac, err2 := base64.RawURLEncoding.DecodeString(sum)
	if err1 != nil || err2 != nil || !hmac.Equal(mac, k.sign(body)) {
		return Seat{}, false
	}
	var seat tokenBody
	err := json.Unmarshal(body, &seat)
	return Seat(seat), err == nil
}

func (k signer) sign(body []byte) []byte {
	h := hmac.New(sha256.New, k)
	h.Write(body)
	return h.Sum(nil)[:macBytes]
}

// NewKey draws a key for resume tokens.
func NewKey() []byte {
	key := make([]byte, keyBytes)
	rand.Read(key) // never fails
	return key
}

// Key returns the key kept in a file that only its owner may read; the first
// call makes it.
func Key(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("resume key: %w", err)
	}
	key, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) != keyBytes {
		return nil, fmt.Errorf("resume key: %s does not hold %d bytes in base64url: remove it; disconnected players then need new tickets", path, keyBytes)
	}
	return key, nil
}

// makeKey writes the file under another name first: a kill leaves a whole key or no file.
func makeKey(path string) ([]byte, error) {
	key := NewKey()
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // 0600
	if err != nil {
		return nil, fmt.Errorf("resume key: %w", err)
	}
	defer os.Remove(f.Name()) // fails once it is renamed
	_, err = f.WriteString(base64.RawURLEncoding.EncodeToString(key) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return nil, fmt.Errorf("resume key: %w", err)
	}
	return key, nil
}

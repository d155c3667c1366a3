package studio

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// The values of identity.json for this studio.
const (
	Issuer   = "https://id.studio.example"
	Audience = "duel"
)

const (
	tokenLife = 5 * time.Minute
	callWait  = 10 * time.Second
	hookMax   = 1 << 20         // bytes of an event
	hookLate  = 5 * time.Minute // between the signature and its check
)

// Backend is the studio's own server. It is an [http.Handler] with two addresses:
// GET /keys has the key that its players' tokens are signed with, and POST /hooks
// takes webhooks.
type Backend struct {
	signer jose.Signer
	mux    *http.ServeMux

	service, secret string // the service API, and the key for it
	hooks           []byte // what webhooks are signed with

	mu     sync.Mutex
	seen   map[string]int // by the event's id: how often it came. A real one keeps it in a database
	result map[string]chan Result
}

// Result is how a match ended.
type Result struct {
	Match   string `json:"matchId"`
	Reason  string `json:"reason"`
	Winners []int  `json:"winners"`
	Ticks   int    `json:"ticks"`
	Seats   []struct {
		Slot    int    `json:"slot"`
		Name    string `json:"name"`
		Team    int    `json:"team"`
		Outcome string `json:"outcome"`
	} `json:"seats"`
}

// Match is a match that the server runs or has run.
type Match struct {
	ID     string  `json:"id"`
	Lobby  string  `json:"lobby"`
	State  string  `json:"state"`
	Result *Result `json:"result"`
}

// Player is one of the studio's accounts.
type Player struct{ Subject, Name string }

// New returns a backend with a new key for its players' tokens.
func New() (*Backend, error) {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, err
	}
	id := rand.Text()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	if err != nil {
		return nil, err
	}
	b := &Backend{signer: signer, mux: http.NewServeMux(), seen: map[string]int{}, result: map[string]chan Result{}}
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: public, KeyID: id, Algorithm: string(jose.EdDSA), Use: "sig"}}}
	b.mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(keys)
	})
	b.mux.HandleFunc("POST /hooks", b.hook)
	return b, nil
}

// ServeHTTP implements [http.Handler].
func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.mux.ServeHTTP(w, r) }

// Token returns a player's token for a log-in: once, within five minutes.
func (b *Backend) Token(p Player, audience string) (string, error) {
	now := time.Now()
	return jwt.Signed(b.signer).Claims(jwt.Claims{
		Issuer: Issuer, Subject: p.Subject, Audience: jwt.Audience{audience}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(tokenLife)),
	}).Claims(map[string]any{"name": p.Name}).Serialize()
}

// Connect tells the backend where the service API is and which key it has there, and
// registers the backend's address for webhooks about matches. It is called once,
// before the backend's other methods and before it serves webhooks.
func (b *Backend) Connect(ctx context.Context, service, key, hooks string) error {
	b.service, b.secret = service, key
	var made struct {
		Secret string `json:"secret"`
	}
	want := map[string]any{"url": hooks, "events": []string{"match.started", "match.ended"}}
	if err := b.call(ctx, "POST", "/service/api/webhooks", "", want, &made); err != nil {
		return err
	}
	var err error
	b.hooks, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	return err
}

// CreateMatch starts a match by the studio's rules between two players. Repeating a request returns the same match.
func (b *Backend) CreateMatch(ctx context.Context, request string, players [2]Player) (Match, error) {
	var seats []map[string]any
	for team, p := range players {
		seats = append(seats, map[string]any{"subject": p.Subject, "name": p.Name, "team": team, "start": team})
	}
	var made struct {
		Match Match `json:"match"`
	}
	err := b.call(ctx, "POST", "/service/api/matches", request, map[string]any{
		"name": "Duel", "map": "twin-fords", "options": map[string]any{"ruleset": "duel"}, "seats": seats,
	}, &made)
	return made.Match, err
}

// Match asks the server about a match.
func (b *Backend) Match(ctx context.Context, id string) (m Match, err error) {
	return m, b.call(ctx, "GET", "/service/api/matches/"+id, "", nil, &m)
}

// Result waits until the server has told how a match ended.
func (b *Backend) Result(ctx context.Context, match string) (Result, error) {
	select {
	case r := <-b.resultOf(match):
		return r, nil
	case <-ctx.Done():
		return Result{}, fmt.Errorf("no webhook has told how match %s ended: %w", match, ctx.Err())
	}
}

// Seen returns how often an event was delivered.
func (b *Backend) Seen(event string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.seen[event]
}

func (b *Backend) resultOf(match string) chan Result {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.result[match] == nil {
		b.result[match] = make(chan Result, 1)
	}
	return b.result[match]
}

// call calls the service API with a JSON body, if body is not nil, and reads its answer into out.
func (b *Backend) call(ctx context.Context, method, path, request string, body, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, b.service+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+b.secret)
	r.Header.Set("Content-Type", "application/json")
	if request != "" {
		r.Header.Set("Idempotency-Key", request)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return json.Unmarshal(text, out)
}

// hook takes a webhook: the signature first, then whether it has come before, then its content.
func (b *Backend) hook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hookMax))
	if err != nil {
		http.Error(w, "too long", http.StatusRequestEntityTooLarge)
		return
	}
	if !b.signed(r.Header, body) {
		http.Error(w, "the signature is wrong, or too old", http.StatusForbidden)
		return
	}
	var event struct {
		ID     string  `json:"id"`
		Type   string  `json:"type"`
		Match  string  `json:"match"`
		Result *Result `json:"result"`
	}
	if err := json.Unmarshal(body, &event); err != nil || event.ID != r.Header.Get("Webhook-Id") {
		http.Error(w, "no event", http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	b.seen[event.ID]++
	again := b.seen[event.ID] > 1
	b.mu.Unlock()
	if !again && event.Type == "match.ended" && event.Result != nil {
		select {
		case b.resultOf(event.Match) <- *event.Result:
		default: // nobody has taken the first one: a match ends once
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// signed reports whether the server has signed a webhook, lately.
func (b *Backend) signed(h http.Header, body []byte) bool {
	at := h.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > hookLate {
		return false
	}
	mac := hmac.New(sha256.New, b.hooks)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("Webhook-Id"), at, body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Fields(h.Get("Webhook-Signature")) { // two while the secret is rotated
		if hmac.Equal([]byte(given), want) {
			return true
		}
	}
	return false
}

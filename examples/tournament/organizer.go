package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The bounds of a tournament's description and of its requests.
const (
	bestOfMost  = 9
	mapsMost    = 16
	castersMost = 16
	textMost    = 255
	callWait    = 20 * time.Second
	lookEvery   = 30 * time.Second // a webhook may be lost: the program looks itself
	hookMost    = 1 << 20          // bytes
	hookLate    = 5 * time.Minute  // between the signature and its check
)

// Tournament describes a tournament: the content of its file.
type Tournament struct {
	Name    string         `json:"name"`    // also the first part of all request keys: another tournament has another name
	Double  bool           `json:"double"`  // a player is out after the second defeat
	BestOf  int            `json:"bestOf"`  // games of a match at most
	Maps    []string       `json:"maps"`    // game by game, from the first again
	Options map[string]any `json:"options"` // of the lobby
	Players []Player       `json:"players"` // the best seed first
	Casters int            `json:"casters"` // seats to watch live, for accounts that get the lobby's id
	Delay   int            `json:"delay"`   // seconds that casters are behind
}

// Player is an account of the tournament's issuer.
type Player struct {
	Subject string `json:"subject"`
	Name    string `json:"name"`
}

// Check returns an error that names the fault of a description.
func (t *Tournament) Check() error {
	switch {
	case t.Name == "" || len(t.Name) > 60:
		return errors.New("name: want 1 to 60 bytes")
	case t.BestOf < 1 || t.BestOf > bestOfMost || t.BestOf%2 == 0:
		return fmt.Errorf("bestOf: want an odd number up to %d", bestOfMost)
	case len(t.Maps) < 1 || len(t.Maps) > mapsMost:
		return fmt.Errorf("maps: want 1 to %d", mapsMost)
	case t.Casters < 0 || t.Casters > castersMost:
		return fmt.Errorf("casters: want 0 to %d", castersMost)
	case t.Delay < 0:
		return errors.New("delay: must not be negative")
	}
	if _, err := NewBracket(len(t.Players), t.Double); err != nil {
		return fmt.Errorf("players: %w", err)
	}
	seen := map[string]bool{}
	for i, p := range t.Players {
		if p.Subject == "" || len(p.Subject) > textMost || p.Name == "" || seen[p.Subject] {
			return fmt.Errorf("players[%d]: want a name, and a subject of its own of at most %d bytes", i, textMost)
		}
		seen[p.Subject] = true
	}
	return nil
}

// Result is how a game ended.
type Result struct {
	Reason  string `json:"reason"`
	Winners []int  `json:"winners"` // teams; empty: a draw, or the match failed
}

// Game is a match of the server.
type Game struct {
	ID     string  `json:"id"`
	Lobby  string  `json:"lobby"`
	State  string  `json:"state"`
	Result *Result `json:"result"`
}

// Organizer plays a tournament by a service API. It is the [http.Handler] of the webhooks about its games.
type Organizer struct {
	Tournament
	Service, Key string // address and secret of the service API
	Say          func(format string, args ...any)

	signs []byte // the key of the webhooks' signatures

	mu    sync.Mutex
	ended map[string]chan struct{} // by game: a webhook came
}

// NewOrganizer checks a description, and registers the address at which the organizer takes webhooks.
func NewOrganizer(ctx context.Context, t Tournament, service, key, hooks string, say func(string, ...any)) (*Organizer, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	o := &Organizer{Tournament: t, Service: service, Key: key, Say: say, ended: map[string]chan struct{}{}}
	var made struct {
		Secret string `json:"secret"`
	}
	err := o.call(ctx, "POST", "/service/api/webhooks", "", map[string]any{"url": hooks, "events": []string{"match.ended"}}, &made)
	if err == nil {
		o.signs, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(made.Secret, "whsec_"))
	}
	return o, err
}

// Play plays all matches, those at the same time whose players are known, and returns the champion.
func (o *Organizer) Play(ctx context.Context) (Player, error) {
	bracket, err := NewBracket(len(o.Players), o.Double)
	if err != nil {
		return Player{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		match *Match
		side  int
		err   error
	}
	outcomes, running := make(chan outcome), map[*Match]bool{}
	for {
		if champion, over := bracket.Champion(); over {
			return o.Players[champion], nil
		}
		for _, m := range bracket.Ready() {
			if running[m] {
				continue
			}
			running[m] = true
			who, _ := m.Players()
			go func() {
				side, err := o.series(ctx, m.Name, [2]Player{o.Players[who[0]], o.Players[who[1]]})
				select {
				case outcomes <- outcome{m, side, err}:
				case <-ctx.Done():
				}
			}()
		}
		select {
		case out := <-outcomes:
			if out.err == nil {
				out.err = bracket.Report(out.match, out.side)
			}
			if out.err != nil {
				return Player{}, fmt.Errorf("%s: %w", out.match.Name, out.err)
			}
		case <-ctx.Done():
			return Player{}, ctx.Err()
		}
	}
}

// series plays games until one side has won more than half. The sides of the map alternate from game to game.
// A game without a winner is played again, on the other sides. After twice as many games as planned the side with
// more wins goes on, and of equal sides the first.
func (o *Organizer) series(ctx context.Context, name string, players [2]Player) (side int, err error) {
	var wins [2]int
	for game := range 2 * o.BestOf {
		r, err := o.game(ctx, name, game, players)
		if err != nil {
			return 0, err
		}
		if len(r.Winners) == 1 && (r.Winners[0] == 0 || r.Winners[0] == 1) {
			wins[r.Winners[0]]++
		}
		o.Say("%s, %s against %s: %d to %d after game %d (%s)", name, players[0].Name, players[1].Name, wins[0], wins[1], game+1, r.Reason)
		if max(wins[0], wins[1]) > o.BestOf/2 {
			break
		}
	}
	if wins[1] > wins[0] {
		side = 1
	}
	return side, nil
}

// game starts a game, or finds it after a restart, and waits for its end.
func (o *Organizer) game(ctx context.Context, name string, game int, players [2]Player) (Result, error) {
	var seats []map[string]any
	for team, p := range players {
		seats = append(seats, map[string]any{"subject": p.Subject, "name": p.Name, "team": team, "start": (team + game) % 2})
	}
	options := map[string]any{}
	maps.Copy(options, o.Options)
	options["spectators"], options["spectatorDelay"] = o.Casters, o.Delay
	var made struct {
		Match Game `json:"match"`
	}
	request := fmt.Sprintf("%s/%s/%d", o.Name, name, game+1)
	if err := o.call(ctx, "POST", "/service/api/matches", request, map[string]any{
		"name": fmt.Sprintf("%s %s, game %d", o.Name, name, game+1), "map": o.Maps[game%len(o.Maps)], "options": options, "seats": seats,
	}, &made); err != nil {
		return Result{}, err
	}
	g := made.Match
	if g.State == "starting" || g.State == "live" {
		o.Say("%s, game %d: players and casters meet in lobby %s", name, game+1, g.Lobby)
	}
	for g.State == "starting" || g.State == "live" {
		select {
		case <-o.endOf(g.ID):
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return Result{}, ctx.Err()
		}
		if err := o.call(ctx, "GET", "/service/api/matches/"+g.ID, "", nil, &g); err != nil {
			o.Say("%s, game %d: %v", name, game+1, err) // the next look may succeed
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
	if g.Result == nil {
		return Result{Reason: g.State}, nil
	}
	return *g.Result, nil
}

// endOf returns the channel that is closed with the webhook about a game's end.
func (o *Organizer) endOf(game string) chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended[game] == nil {
		o.ended[game] = make(chan struct{})
	}
	return o.ended[game]
}

// ServeHTTP takes webhooks. A webhook that comes again has no effect.
func (o *Organizer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hookMost))
	if err != nil || !o.signed(r.Header, body) {
		http.Error(w, "the event is too long, or its signature is wrong or too old", http.StatusForbidden)
		return
	}
	var event struct {
		Type  string `json:"type"`
		Match string `json:"match"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		http.Error(w, "no event", http.StatusBadRequest)
		return
	}
	if event.Type == "match.ended" {
		end := o.endOf(event.Match)
		o.mu.Lock()
		select {
		case <-end:
		default:
			close(end)
		}
		o.mu.Unlock()
	}
	w.WriteHeader(http.StatusNoContent)
}

// signed reports whether the server has signed a webhook, lately.
func (o *Organizer) signed(h http.Header, body []byte) bool {
	at := h.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > hookLate {
		return false
	}
	mac := hmac.New(sha256.New, o.signs)
	fmt.Fprintf(mac, "%s.%s.%s", h.Get("Webhook-Id"), at, body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Fields(h.Get("Webhook-Signature")) {
		if hmac.Equal([]byte(given), want) {
			return true
		}
	}
	return false
}

// call calls the service API.
func (o *Organizer) call(ctx context.Context, method, path, request string, body, out any) error {
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
	r, err := http.NewRequestWithContext(ctx, method, o.Service+path, sent)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+o.Key)
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

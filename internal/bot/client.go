package bot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
)

// bodyMax bounds an answer of the server; the public form of the largest map
// has 3 MiB and a little.
const bodyMax = 8 << 20

// Client is a player of a server's HTTP API.
type Client struct {
	base  *url.URL
	http  *http.Client
	token string
}

// NewClient returns a client of the server at address, such as
// http://127.0.0.1:8080.
func NewClient(address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("server %q: want an address such as http://127.0.0.1:8080", address)
	}
	u.Path, u.RawQuery, u.Fragment = strings.TrimRight(u.Path, "/"), "", ""
	return &Client{base: u, http: &http.Client{Timeout: 30 * time.Second}}, nil
}

// Problem is a refusal of the server.
type Problem struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	doing  string
}

func (p *Problem) Error() string {
	return fmt.Sprintf("%s: the server refused: %s (%s, %d)", p.doing, firstOf(p.Detail, p.Title, "no reason given"), firstOf(p.Code, "no code"), p.Status)
}

func firstOf(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// call sends body as JSON, if there is one, and reads the answer into out, if
// there is one: a pointer, or a *[]byte for the answer as it is.
func (c *Client) call(ctx context.Context, method, path string, body, out any) error {
	doing := method + " " + path
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, in)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	r, err := c.http.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, bodyMax+1))
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if len(b) > bodyMax {
		return fmt.Errorf("%s: an answer of more than %d bytes", doing, bodyMax)
	}
	if r.StatusCode/100 != 2 {
		p := &Problem{doing: doing}
		_ = json.Unmarshal(b, p) // a proxy's answer has no code, and is told by its status
		p.Status = r.StatusCode
		return p
	}
	switch out := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*out = b
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s: the answer is not what was asked for: %w", doing, err)
	}
	return nil
}

// Guest makes a guest account and logs in as it.
func (c *Client) Guest(ctx context.Context, name string) (accountID string, err error) {
	var out struct {
		Account struct{ ID string }
		Token   string
	}
	err = c.call(ctx, "POST", "/api/guest", map[string]any{"name": name, "bearer": true}, &out)
	if err == nil && out.Token == "" {
		err = errors.New("POST /api/guest: no token came back")
	}
	c.token = out.Token
	return out.Account.ID, err
}

// LobbyState is what a bot asks about a lobby.
type LobbyState struct {
	ID      string
	Name    string
	State   string
	MatchID string `json:"matchId"`

	SettingsVersion int64 `json:"settingsVersion"`

	Seats []struct {
		Slot    int
		Kind    string
		Account *struct{ ID string }
		Ready   bool
	}
}

// Find returns the id of a lobby given by id or by name.
func (c *Client) Find(ctx context.Context, lobby string) (string, error) {
	var direct LobbyState
	err := c.call(ctx, "GET", "/api/lobbies/"+url.PathEscape(lobby), nil, &direct)
	if err == nil {
		return direct.ID, nil
	}
	if p, ok := errors.AsType[*Problem](err); !ok || p.Status/100 != 4 {
		return "", err
	}
	var list struct{ Lobbies []LobbyState }
	if err := c.call(ctx, "GET", "/api/lobbies?q="+url.QueryEscape(lobby), nil, &list); err != nil {
		return "", err
	}
	for _, l := range list.Lobbies {
		if l.Name == lobby && l.State != "ended" && l.State != "closed" {
			return l.ID, nil
		}
	}
	return "", fmt.Errorf("lobby %q: there is none of that id or name", lobby)
}

// Join takes a seat in a lobby. It is [Client.WaitForMatch] that says ready.
func (c *Client) Join(ctx context.Context, lobby, password string, team int) error {
	path := "/api/lobbies/" + url.PathEscape(lobby)
	body := map[string]any{}
	if password != "" {
		body["password"] = password
	}
	if err := c.call(ctx, "POST", path+"/join", body, nil); err != nil {
		return err
	}
	if team < 0 {
		return nil
	}
	return c.call(ctx, "PATCH", path+"/seat", map[string]any{"team": team}, nil)
}

// ready agrees to the lobby's settings, whatever they are: a bot plays
// anything. Settings that have changed meanwhile are agreed to the next time.
func (c *Client) ready(ctx context.Context, l LobbyState) error {
	body := map[string]any{"ready": true, "settingsVersion": l.SettingsVersion}
	err := c.call(ctx, "PATCH", "/api/lobbies/"+url.PathEscape(l.ID)+"/seat", body, nil)
	if p := (*Problem)(nil); errors.As(err, &p) && (p.Code == "settings_changed" || p.Code == "wrong_state") {
		return nil
	}
	return err
}

// lobbyPoll is how often a bot asks whether its match has begun.
const lobbyPoll = 500 * time.Millisecond

// WaitForMatch says ready whenever the lobby's settings have changed, and
// returns when its match runs. It fails if the bot lost its seat or the lobby
// ended.
func (c *Client) WaitForMatch(ctx context.Context, lobby, account string) error {
	for {
		var l LobbyState
		if err := c.call(ctx, "GET", "/api/lobbies/"+url.PathEscape(lobby), nil, &l); err != nil {
			return err
		}
		seated, ready := false, false
		for _, s := range l.Seats {
			if s.Account != nil && s.Account.ID == account {
				seated, ready = true, s.Ready
			}
		}
		switch {
		case !seated:
			return fmt.Errorf("lobby %q: the bot has lost its seat", l.Name)
		case l.State == "playing":
			return nil
		case l.State == "ended" || l.State == "closed":
			return fmt.Errorf("lobby %q: it ended without a match", l.Name)
		case l.State == "open" && !ready:
			if err := c.ready(ctx, l); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lobbyPoll):
		}
	}
}

// Ticket asks for the right to take the seat in the running match.
func (c *Client) Ticket(ctx context.Context, lobby string) (string, error) {
	var out struct{ Ticket string }
	err := c.call(ctx, "POST", "/api/lobbies/"+url.PathEscape(lobby)+"/ticket", map[string]any{}, &out)
	if err == nil && out.Ticket == "" {
		err = errors.New("no ticket came back")
	}
	return out.Ticket, err
}

// Map fetches a map by its hash.
func (c *Client) Map(ctx context.Context, hash string) (*grid.Map, error) {
	if _, err := grid.ParseMapHash(hash); err != nil {
		return nil, err
	}
	var b []byte
	if err := c.call(ctx, "GET", "/maps/"+hash, nil, &b); err != nil {
		return nil, err
	}
	m, err := grid.UnmarshalMap(b)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", hash, err)
	}
	return m, nil
}

// Socket is the address of the server's websocket.
func (c *Client) Socket() string {
	u := *c.base
	u.Scheme = map[string]string{"http": "ws", "https": "wss"}[u.Scheme]
	u.Path += "/ws"
	return u.String()
}

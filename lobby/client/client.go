package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// bodyMax bounds an answer of the server; the public form of the largest map
// has 3 MiB and a little.
const bodyMax = 8 << 20

// Client is a program that uses one server.
type Client struct {
	URL    string // of the listener, such as http://127.0.0.1:8080
	Token  string // of a log-in; sent if it is not empty
	Header http.Header
	HTTP   *http.Client
}

// New returns a client of the server at an address, such as
// http://127.0.0.1:8080.
func New(address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("server %q: want an address such as http://127.0.0.1:8080", address)
	}
	u.Path, u.RawQuery, u.Fragment = strings.TrimRight(u.Path, "/"), "", ""
	return &Client{URL: u.String(), HTTP: &http.Client{Timeout: 30 * time.Second}}, nil
}

// Refusal is an answer that is no success.
type Refusal struct {
	Request string // method and path
	api.Problem
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s: the server refused: %s (%s, %d)", r.Request, cmp.Or(r.Detail, r.Title, "no reason given"), cmp.Or(r.Code, "no code"), r.Status)
}

// Refused reports whether err is a refusal with the code.
func Refused(err error, code model.Code) bool {
	r, ok := errors.AsType[*Refusal](err)
	return ok && r.Code == string(code)
}

// Call makes one request. It sends body as JSON, unless it is nil, and reads the answer
// into out: a pointer, or a *[]byte for the answer as it is; nil: ignored.
func (c *Client) Call(ctx context.Context, method, path string, body, out any) error {
	request, _, _ := strings.Cut(method+" "+path, "?")
	var in io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("%s: %w", request, err)
		}
		in = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, in)
	if err != nil {
		return fmt.Errorf("%s: %w", request, err)
	}
	req.Header = c.Headers()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	r, err := c.HTTP.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", request, err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(io.LimitReader(r.Body, bodyMax+1))
	if err != nil {
		return fmt.Errorf("%s: %w", request, err)
	}
	if len(b) > bodyMax {
		return fmt.Errorf("%s: an answer of more than %d bytes", request, bodyMax)
	}
	if r.StatusCode/100 != 2 {
		no := &Refusal{Request: request}
		_ = json.Unmarshal(b, &no.Problem) // a proxy's answer has no code, and is told by its status
		no.Status = r.StatusCode
		return no
	}
	if r.StatusCode == http.StatusNoContent {
		return nil
	}
	switch out := out.(type) {
	case nil:
		return nil
	case *[]byte:
		*out = b
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("%s: the answer has an unexpected form: %w", request, err)
	}
	return nil
}

// Stream asks for an answer that lasts, and returns it to be read while it comes.
// The caller closes it.
func (c *Client) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	request, _, _ := strings.Cut("GET "+path, "?")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+path, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", request, err)
	}
	req.Header = c.Headers()
	patient := *c.HTTP
	patient.Timeout = 0
	r, err := patient.Do(req)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", request, err)
	}
	if r.StatusCode/100 == 2 {
		return r.Body, nil
	}
	defer r.Body.Close()
	no := &Refusal{Request: request}
	if b, err := io.ReadAll(io.LimitReader(r.Body, bodyMax)); err == nil {
		_ = json.Unmarshal(b, &no.Problem) // a proxy's answer has no code, and is told by its status
	}
	no.Status = r.StatusCode
	return nil, no
}

// Headers are the headers of a request or a socket of this client.
func (c *Client) Headers() http.Header {
	h := c.Header.Clone()
	if h == nil {
		h = http.Header{}
	}
	if c.Token != "" {
		h.Set("Authorization", "Bearer "+c.Token)
	}
	return h
}

// Socket is the address of the server's websocket.
func (c *Client) Socket() string { return "ws" + strings.TrimPrefix(c.URL, "http") + "/ws" }

// logIn makes a request that opens a session, and keeps its token.
func (c *Client) logIn(ctx context.Context, path string, body any) (model.Account, error) {
	var in api.LoggedIn
	err := c.Call(ctx, http.MethodPost, path, body, &in)
	if err == nil && in.Token == "" {
		err = fmt.Errorf("POST %s: no token came back", path)
	}
	c.Token = in.Token
	return in.Account, err
}

// Guest makes a guest account and logs in as it. The server names it if name is
// empty.
func (c *Client) Guest(ctx context.Context, name string) (model.Account, error) {
	return c.logIn(ctx, "/api/guest", api.GuestRequest{Name: name, Bearer: true})
}

// Register makes an account and logs in as it.
func (c *Client) Register(ctx context.Context, name, password string) (model.Account, error) {
	return c.logIn(ctx, "/api/register", api.Registration{Name: name, Password: password, Bearer: true})
}

// LogIn logs in as an account.
func (c *Client) LogIn(ctx context.Context, name, password string) (model.Account, error) {
	return c.logIn(ctx, "/api/login", api.Credentials{Name: name, Password: password, Bearer: true})
}

// AdminLogIn logs in as an admin, on the admin listener.
func (c *Client) AdminLogIn(ctx context.Context, name, password string) error {
	var in api.AdminLoggedIn
	err := c.Call(ctx, http.MethodPost, "/admin/api/login", api.Credentials{Name: name, Password: password, Bearer: true}, &in)
	c.Token = in.Token
	return err
}

// History returns the account's matches, latest first: the first page.
func (c *Client) History(ctx context.Context) ([]api.Played, error) {
	var out api.History
	err := c.Call(ctx, http.MethodGet, "/api/me/history", nil, &out)
	return out.Matches, err
}

// Maps lists the maps that lobbies may choose.
func (c *Client) Maps(ctx context.Context) ([]model.MapInfo, error) {
	var out api.MapList
	err := c.Call(ctx, http.MethodGet, "/api/maps", nil, &out)
	return out.Maps, err
}

// Modes lists the names of the game modes that lobbies may choose.
func (c *Client) Modes(ctx context.Context) ([]string, error) {
	var out api.ModeList
	err := c.Call(ctx, http.MethodGet, "/api/modes", nil, &out)
	return out.Modes, err
}

// Rulesets lists the rulesets that lobbies may choose.
func (c *Client) Rulesets(ctx context.Context) ([]model.RulesetInfo, error) {
	var out api.RulesetList
	err := c.Call(ctx, http.MethodGet, "/api/rulesets", nil, &out)
	return out.Rulesets, err
}

// Map fetches a map by its hash.
func (c *Client) Map(ctx context.Context, hash string) (*grid.Map, error) {
	if _, err := grid.ParseMapHash(hash); err != nil {
		return nil, err
	}
	var b []byte
	if err := c.Call(ctx, http.MethodGet, "/maps/"+hash, nil, &b); err != nil {
		return nil, err
	}
	m, err := grid.UnmarshalMap(b)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", hash, err)
	}
	return m, nil
}

// Lobbies returns the newest lobbies whose name or map's name has the text.
func (c *Client) Lobbies(ctx context.Context, text string) ([]api.Lobby, error) {
	var out api.LobbyList
	err := c.Call(ctx, http.MethodGet, "/api/lobbies?q="+url.QueryEscape(text), nil, &out)
	return out.Lobbies, err
}

// lobby makes a request that a lobby answers.
func (c *Client) lobby(ctx context.Context, method, path string, body any) (l api.Lobby, err error) {
	err = c.Call(ctx, method, path, body, &l)
	return l, err
}

func lobbyPath(id string) string { return "/api/lobbies/" + url.PathEscape(id) }

// CreateLobby makes a lobby with the account as its host.
func (c *Client) CreateLobby(ctx context.Context, n api.NewLobby) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, "/api/lobbies", n)
}

// PlayBot makes a lobby against one bot and starts its match. By default it takes the
// first map and the level medium.
func (c *Client) PlayBot(ctx context.Context, r api.BotMatchRequest) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, "/api/play/bot", r)
}

// Lobby returns one lobby.
func (c *Client) Lobby(ctx context.Context, id string) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodGet, lobbyPath(id), nil)
}

// Join takes a seat in a lobby.
func (c *Client) Join(ctx context.Context, id string, r api.JoinRequest) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, lobbyPath(id)+"/join", r)
}

// ChangeSeat changes the account's own seat.
func (c *Client) ChangeSeat(ctx context.Context, id string, change model.SeatChange) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPatch, lobbyPath(id)+"/seat", change)
}

// Ready says ready to the settings of the lobby as it is given.
func (c *Client) Ready(ctx context.Context, l api.Lobby) (api.Lobby, error) {
	yes := true
	return c.ChangeSeat(ctx, l.ID, model.SeatChange{Ready: &yes, SettingsVersion: &l.SettingsVersion})
}

// AddBot puts a bot into a free seat.
func (c *Client) AddBot(ctx context.Context, id string, r api.BotRequest) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, lobbyPath(id)+"/bots", r)
}

// Start starts the countdown or, without one, the match.
func (c *Client) Start(ctx context.Context, id string) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, lobbyPath(id)+"/start", nil)
}

// SetBudget changes, as the host, the limit of bytes per second to the connections of
// the running match.
func (c *Client) SetBudget(ctx context.Context, id string, bytesPerS int) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, lobbyPath(id)+"/budget", api.BudgetRequest{BytesPerS: bytesPerS})
}

// OpenSeat sets, as the host, whether a person may take over a seat while the match
// runs: a bot's, or an absent player's.
func (c *Client) OpenSeat(ctx context.Context, id string, place int, open bool) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPatch, lobbyPath(id)+"/seats/"+strconv.Itoa(place), api.OtherSeatChange{Open: &open})
}

// Leave gives the account's seat up.
func (c *Client) Leave(ctx context.Context, id string) (api.Lobby, error) {
	return c.lobby(ctx, http.MethodPost, lobbyPath(id)+"/leave", nil)
}

// Ticket asks for the right to take the seat in the running match.
func (c *Client) Ticket(ctx context.Context, id string) (string, error) {
	out, err := c.SeatTicket(ctx, id)
	return out.Ticket, err
}

// SeatTicket is Ticket with where to show it: its URL is what socket.NewRoute takes
// beside [Client.Socket].
func (c *Client) SeatTicket(ctx context.Context, id string) (api.Ticket, error) {
	var out api.Ticket
	err := c.Call(ctx, http.MethodPost, lobbyPath(id)+"/ticket", api.TicketRequest{}, &out)
	if err == nil && out.Ticket == "" {
		err = errors.New("no ticket came back")
	}
	return out, err
}

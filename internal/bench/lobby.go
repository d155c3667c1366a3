package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// LobbyConfig is what [Lobby] loads.
type LobbyConfig struct {
	URL    string // of the player listener, which must believe X-Forwarded-For from here
	Map    string // id of a map with PerLobby starts
	Guests int
	// PerLobby guests meet in one lobby and play one match.
	PerLobby int
	// Lobbies that form at once.
	Lobbies int
	// Ended is called when all of a match's guests have been let in.
	Ended func(ctx context.Context, match string) error
}

// LobbyReport is how the guests got in.
type LobbyReport struct {
	Guests    int     `json:"guests"`
	Matches   int     `json:"matches"`
	Seconds   float64 `json:"seconds"`
	JoinsPerS float64 `json:"joins_per_s"` // guests with a welcome, a second of the whole run
	JoinP50Ms float64 `json:"join_p50_ms"` // a guest's own calls: log in, create or join, ready, ticket, socket, welcome;
	JoinP99Ms float64 `json:"join_p99_ms"` // not the wait for the others, nor the start
	StartP99  float64 `json:"start_p99_ms"`
	Errors    int     `json:"errors"`
	FirstErr  string  `json:"first_error,omitempty"`
}

// Lobby sends guests through log-in, lobby, ticket and socket of a server,
// over HTTP and websockets as browsers do, until each has been welcomed into
// its match.
func Lobby(ctx context.Context, c LobbyConfig) (LobbyReport, error) {
	r := LobbyReport{Guests: c.Guests, Matches: (c.Guests + c.PerLobby - 1) / c.PerLobby}
	load := &lobbyLoad{LobbyConfig: c, client: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256},
	}}
	defer load.client.CloseIdleConnections()
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(c.Lobbies)
	began := time.Now()
	for i := range r.Matches {
		first, last := i*c.PerLobby, min((i+1)*c.PerLobby, c.Guests)
		g.Go(func() error {
			if err := load.lobby(gctx, first, last); err != nil {
				load.failed(err)
			}
			return gctx.Err()
		})
	}
	if err := g.Wait(); err != nil {
		return r, err
	}
	r.Seconds = time.Since(began).Seconds()
	r.JoinsPerS = float64(len(load.joins)) / r.Seconds
	r.JoinP50Ms, r.JoinP99Ms = millis(load.joins, 50), millis(load.joins, 99)
	r.StartP99 = millis(load.starts, 99)
	r.Errors, r.FirstErr = load.errors, load.first
	return r, nil
}

type lobbyLoad struct {
	LobbyConfig
	client *http.Client

	mu            sync.Mutex
	joins, starts []time.Duration
	errors        int
	first         string
}

func (l *lobbyLoad) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.errors++; l.errors == 1 {
		l.first = err.Error()
	}
}

// guest is one of them, with the time its own calls took.
type guest struct {
	load  *lobbyLoad
	n     int
	token string
	spent time.Duration
	conn  *websocket.Conn
}

// lobby takes guests first to last-1 through one match.
func (l *lobbyLoad) lobby(ctx context.Context, first, last int) error {
	guests := make([]*guest, last-first)
	for i := range guests {
		guests[i] = &guest{load: l, n: first + i}
	}
	defer func() {
		for _, g := range guests {
			if g.conn != nil {
				g.conn.Close()
			}
		}
	}()
	each := func(who []*guest, do func(*guest) error) error {
		var wg sync.WaitGroup
		errs := make([]error, len(who))
		for i, g := range who {
			wg.Go(func() {
				began := time.Now()
				errs[i] = do(g)
				g.spent += time.Since(began)
			})
		}
		wg.Wait()
		return errors.Join(errs...)
	}
	if err := each(guests, func(g *guest) error {
		var out struct{ Token string }
		err := g.call(ctx, "POST", "/api/guest", map[string]any{"bearer": true}, &out)
		g.token = out.Token
		return err
	}); err != nil {
		return err
	}
	var room struct{ ID, MatchID string }
	if err := each(guests[:1], func(g *guest) error {
		return g.call(ctx, "POST", "/api/lobbies", map[string]any{"name": fmt.Sprintf("bench %d", first), "map": l.Map}, &room)
	}); err != nil {
		return err
	}
	path := "/api/lobbies/" + room.ID
	if err := each(guests[1:], func(g *guest) error {
		var joined struct{ SettingsVersion int64 }
		if err := g.call(ctx, "POST", path+"/join", nil, &joined); err != nil {
			return err
		}
		return g.call(ctx, "PATCH", path+"/seat", map[string]any{"ready": true, "settingsVersion": joined.SettingsVersion}, nil)
	}); err != nil {
		return err
	}
	began := time.Now()
	if err := guests[0].call(ctx, "POST", path+"/start", nil, &room); err != nil {
		return err
	}
	started := time.Since(began)
	if err := each(guests, func(g *guest) error {
		var out struct{ Ticket string }
		if err := g.call(ctx, "POST", path+"/ticket", nil, &out); err != nil {
			return err
		}
		return g.enter(ctx, out.Ticket)
	}); err != nil {
		return err
	}
	l.mu.Lock()
	l.starts = append(l.starts, started)
	for _, g := range guests {
		l.joins = append(l.joins, g.spent)
	}
	l.mu.Unlock()
	return l.Ended(ctx, room.MatchID)
}

// enter opens the match's socket and waits for the welcome.
func (g *guest) enter(ctx context.Context, ticket string) error {
	url := "ws" + strings.TrimPrefix(g.load.URL, "http") + "/ws"
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, url, g.header())
	if err != nil {
		return fmt.Errorf("socket: %w", err)
	}
	g.conn = conn
	hello, err := proto.Marshal(&pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: ticket}})
	if err != nil {
		return err
	}
	if err := conn.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		return err
	}
	if err := conn.WriteMessage(websocket.BinaryMessage, hello); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	_, raw, err := conn.ReadMessage()
	if err != nil {
		return fmt.Errorf("welcome: %w", err)
	}
	var frame pb.ServerFrame
	if err := proto.Unmarshal(raw, &frame); err != nil {
		return fmt.Errorf("welcome: %w", err)
	}
	if frame.GetWelcome() == nil {
		return errors.New("the first frame is no welcome")
	}
	return nil
}

// header tells the guests apart by address, as they would be on the internet:
// the server's throttles count by it.
func (g *guest) header() http.Header {
	h := http.Header{"X-Forwarded-For": {fmt.Sprintf("100.%d.%d.1", 64+g.n>>8, g.n&255)}}
	if g.token != "" {
		h.Set("Authorization", "Bearer "+g.token)
	}
	return h
}

func (g *guest) call(ctx context.Context, method, path string, body, into any) error {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.load.URL+path, reader)
	if err != nil {
		return err
	}
	req.Header = g.header()
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := g.load.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, raw)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

func millis(d []time.Duration, percent int) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return float64(d[min(len(d)-1, len(d)*percent/100)].Microseconds()) / 1000
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// e2eClient is a player who lets a bot decide, comes back by itself whenever its
// socket is lost, asks again what was not answered, and wants what was answered
// to stay so.
type e2eClient struct {
	*client.State
	t       *testing.T
	socket  string
	ticket  string
	mind    *bot.Mind            // nil before the first welcome
	last    uint32               // number of its last order
	open    []*pb.Order          // not answered yet
	orders  map[uint32]*pb.Order // all
	verdict map[uint32]uint32    // code, by number
	states  map[grid.Slot]view.PlayerState
	quits   bool // it gives up as soon as it can
	said    bool // and has said so

	mu     sync.Mutex // guards what follows; the rest is run's
	frames int
	again  int // answers that were given before
	ended  *view.Ended
}

// run plays until the match ends.
func (p *e2eClient) run(ctx context.Context) {
	for ctx.Err() == nil && p.result() == nil {
		if err := p.connection(ctx); err != nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

func (p *e2eClient) result() *view.Ended {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *e2eClient) count() (frames, again int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames, p.again
}

func (p *e2eClient) connection(ctx context.Context) error {
	conn, err := socket.Dial(ctx, p.socket, nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Send(p.Hello(p.ticket)); err != nil {
		return err
	}
	for first := true; ; {
		b, err := conn.Read()
		if err != nil {
			return err
		}
		was := p.Tick()
		f, err := p.Receive(b)
		if err != nil {
			p.t.Errorf("tick %d: %v", was, err)
			return err
		}
		switch {
		case f.Closing != nil:
			if !f.Closing.Retry && p.result() == nil {
				p.t.Errorf("slot %d: closed for good: %v", p.Slot(), f.Closing)
			}
			return errors.New(f.Closing.Code)
		case f.Welcome != nil && p.mind == nil:
			p.mind, err = bot.NewMind(p.State)
		case f.Welcome != nil:
			p.mind.Welcomed()
		default:
			if p.take(f, was); p.result() != nil {
				return nil
			}
			err = conn.Send(p.answer(first))
			first = false
		}
		if err != nil {
			return err
		}
	}
}

// take reads what a frame tells after tick was, and the state does not hold.
func (p *e2eClient) take(f *wire.ServerFrame, was grid.Tick) {
	p.mind.Take(f)
	if p.Tick() <= was {
		p.t.Errorf("slot %d: tick %d after tick %d", p.Slot(), p.Tick(), was)
	}
	for _, s := range f.Diff.Players {
		p.states[s.Slot] = s.State
	}
	again := 0
	for _, a := range f.Answers {
		code, known := p.verdict[a.Seq]
		if known && code != a.Code {
			p.t.Errorf("slot %d: order %d was answered %d, and now %d", p.Slot(), a.Seq, code, a.Code)
		} else if known {
			again++
		}
		p.verdict[a.Seq] = a.Code
	}
	open := p.open[:0]
	for _, o := range p.open {
		if _, answered := p.verdict[o.Seq]; !answered {
			open = append(open, o)
		}
	}
	p.open = open
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frames++
	p.again += again
	p.ended = p.mind.Ended()
}

// answer is what a frame moves the player to send. On a new socket these are
// the orders that were not answered, and the last few that were.
func (p *e2eClient) answer(first bool) *pb.ClientFrame {
	out := p.Ack()
	if first {
		for seq := max(p.last, 5) - 4; seq <= p.last; seq++ {
			if _, answered := p.verdict[seq]; answered {
				out.Orders = append(out.Orders, p.orders[seq])
			}
		}
		out.Orders = append(out.Orders, p.open...)
	}
	var fresh []*pb.Order
	p.mu.Lock()
	quits := p.quits
	p.mu.Unlock()
	switch {
	case !quits:
		fresh = p.mind.Think()
	case !p.said:
		p.said = true
		fresh = []*pb.Order{{Seq: p.Number(), Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}
	}
	for _, o := range fresh {
		p.last, p.orders[o.Seq] = o.Seq, o
	}
	p.open = append(p.open, fresh...)
	out.Orders = append(out.Orders, fresh...)
	return out
}

// lobbyOf makes a lobby of two guests and a bot and starts its match. It
// returns the guests' clients, the lobby's id and the first guest's token.
func lobbyOf(t *testing.T, p *process) (players []*e2eClient, id, token string) {
	t.Helper()
	_, text, _ := get(t, p.url+"/api/maps")
	var maps struct {
		Maps []struct {
			ID, Hash string
			Starts   int
		}
	}
	if err := json.Unmarshal([]byte(text), &maps); err != nil {
		t.Fatal(err)
	}
	at := 0
	for maps.Maps[at].Starts < 3 {
		at++
	}
	api, err := bot.NewClient(p.url)
	if err != nil {
		t.Fatal(err)
	}
	ground, err := api.Map(t.Context(), maps.Maps[at].Hash)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []string
	must := func(n int, path string, body any) map[string]any {
		t.Helper()
		code, _, out := post(t, p.url+path, tokens[n], body)
		if code/100 != 2 {
			t.Fatalf("POST %s: %d %v", path, code, out)
		}
		return out
	}
	for i, name := range []string{"Ada", "Bob"} {
		tokens = append(tokens, "")
		tokens[i] = must(i, "/api/guest", map[string]any{"bearer": true, "name": name})["token"].(string)
	}
	id = must(0, "/api/lobbies", map[string]any{
		"name": "kill", "map": maps.Maps[at].ID, "limit": 3, "options": map[string]any{"countdownSeconds": 0},
	})["id"].(string)
	path := "/api/lobbies/" + id
	must(1, path+"/join", map[string]any{})
	version := must(0, path+"/bots", map[string]any{})["settingsVersion"].(float64)
	for _, token := range tokens {
		req, err := http.NewRequest("PATCH", p.url+path+"/seat", strings.NewReader(fmt.Sprintf(`{"ready":true,"settingsVersion":%g}`, version)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != 200 {
			t.Fatalf("ready: %v %v", res, err)
		}
		res.Body.Close()
	}
	must(0, path+"/start", map[string]any{})
	for n := range tokens {
		players = append(players, &e2eClient{
			State: client.New(client.Config{Map: client.OneMap(ground)}), t: t, socket: "ws" + strings.TrimPrefix(p.url, "http") + "/ws",
			ticket: must(n, path+"/ticket", map[string]any{})["ticket"].(string),
			orders: map[uint32]*pb.Order{}, verdict: map[uint32]uint32{}, states: map[grid.Slot]view.PlayerState{},
		})
	}
	return players, id, tokens[0]
}

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

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/bot"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// pilot is a player who lets a bot decide, comes back by itself whenever its
// socket is lost, asks again what was not answered, and wants what was answered
// to stay so.
type pilot struct {
	t       *testing.T
	socket  string
	ticket  string
	ground  *grid.Map
	resume  string
	mind    *bot.Mind
	slot    uint32
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
func (p *pilot) run(ctx context.Context) {
	for ctx.Err() == nil && p.result() == nil {
		if err := p.connection(ctx); err != nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

func (p *pilot) result() *view.Ended {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *pilot) count() (frames, again int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames, p.again
}

func (p *pilot) connection(ctx context.Context) error {
	conn, _, err := websocket.DefaultDialer.DialContext(ctx, p.socket, nil)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	send := func(f *pb.ClientFrame) error {
		b, err := proto.Marshal(f)
		if err != nil {
			return err
		}
		return conn.WriteMessage(websocket.BinaryMessage, b)
	}
	hello := &pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: p.ticket}}
	if p.mind != nil {
		hello.Hello.Ticket, hello.Hello.Resume, hello.Applied = "", p.resume, uint32(p.mind.Tick())
	}
	if err := send(hello); err != nil {
		return err
	}
	var dec wire.Decoder
	for first := true; ; {
		_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		_, b, err := conn.ReadMessage()
		if err != nil {
			return err
		}
		f, err := dec.Decode(b)
		if err != nil {
			p.t.Errorf("slot %d: %v", p.slot, err)
			return err
		}
		switch {
		case f.Closing != nil:
			if !f.Closing.Retry && p.result() == nil {
				p.t.Errorf("slot %d: closed for good: %v", p.slot, f.Closing)
			}
			return errors.New(f.Closing.Code)
		case f.Welcome != nil:
			err = p.welcomed(f.Welcome)
		default:
			if err = p.take(f); err == nil && p.result() != nil {
				return nil
			}
			if err == nil {
				err = send(p.answer(first))
				first = false
			}
		}
		if err != nil {
			return err
		}
	}
}

func (p *pilot) welcomed(w *pb.Welcome) (err error) {
	p.resume, p.slot = w.Resume, w.Slot
	if p.mind != nil {
		return p.mind.Welcomed(w)
	}
	p.mind, err = bot.NewMind(w, p.ground)
	return err
}

func (p *pilot) take(f *wire.ServerFrame) error {
	was := p.mind.Tick()
	if err := p.mind.Take(f); err != nil {
		p.t.Errorf("slot %d, tick %d: %v", p.slot, was, err)
		return err
	}
	if p.mind.Tick() <= was {
		p.t.Errorf("slot %d: tick %d after tick %d", p.slot, p.mind.Tick(), was)
	}
	for _, s := range f.Diff.Players {
		p.states[s.Slot] = s.State
	}
	again := 0
	for _, a := range f.Answers {
		code, known := p.verdict[a.Seq]
		if known && code != a.Code {
			p.t.Errorf("slot %d: order %d was answered %d, and now %d", p.slot, a.Seq, code, a.Code)
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
	return nil
}

// answer is what a frame moves the player to send. On a new socket these are
// the orders that were not answered, and the last few that were.
func (p *pilot) answer(first bool) *pb.ClientFrame {
	out := &pb.ClientFrame{Applied: uint32(p.mind.Tick())}
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
		fresh = []*pb.Order{{Seq: p.last + 1, Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}
	}
	for _, o := range fresh {
		p.last, p.orders[o.Seq] = o.Seq, o
	}
	p.open = append(p.open, fresh...)
	out.Orders = append(out.Orders, fresh...)
	return out
}

// lobbyOf makes a lobby of two guests and a bot and starts its match. It
// returns the guests' pilots, the lobby's id and the first guest's token.
func lobbyOf(t *testing.T, p *process) (pilots []*pilot, id, token string) {
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
	client, err := bot.NewClient(p.url)
	if err != nil {
		t.Fatal(err)
	}
	ground, err := client.Map(t.Context(), maps.Maps[at].Hash)
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
		pilots = append(pilots, &pilot{
			t: t, socket: "ws" + strings.TrimPrefix(p.url, "http") + "/ws", ground: ground,
			ticket: must(n, path+"/ticket", map[string]any{})["ticket"].(string),
			orders: map[uint32]*pb.Order{}, verdict: map[uint32]uint32{}, states: map[grid.Slot]view.PlayerState{},
		})
	}
	return pilots, id, tokens[0]
}

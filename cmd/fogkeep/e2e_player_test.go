package main

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// e2ePlayer is a player who lets a bot decide, comes back by itself whenever its
// socket is lost, asks again what was not answered, and wants what was answered
// to stay so.
type e2ePlayer struct {
	*client.State
	lobby   *e2eClient
	t       *testing.T
	ticket  string
	mind    bot.Player           // nil before the first welcome
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
func (p *e2ePlayer) run(ctx context.Context) {
	for ctx.Err() == nil && p.result() == nil {
		if err := p.connection(ctx); err != nil && ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
}

func (p *e2ePlayer) result() *view.Ended {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *e2ePlayer) count() (frames, again int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frames, p.again
}

func (p *e2ePlayer) connection(ctx context.Context) error {
	conn, err := socket.Dial(ctx, p.lobby.Socket(), nil)
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
			p.mind, err = bot.Medium.New(p.State)
		case f.Welcome != nil:
			p.mind.Take(f)
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
func (p *e2ePlayer) take(f *wire.ServerFrame, was grid.Tick) {
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
	p.ended = p.Replica.Ended
}

// answer is what a frame moves the player to send. On a new socket these are
// the orders that were not answered, and the last few that were.
func (p *e2ePlayer) answer(first bool) *pb.ClientFrame {
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

// threePlayers makes a lobby of two guests and a bot and starts its match. It
// returns the guests, and the lobby's id.
func threePlayers(t *testing.T, url string) (players []*e2ePlayer, id string) {
	t.Helper()
	ctx, host := t.Context(), guest(t, url, "Ada")
	maps, err := host.Maps(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(maps, func(m lobby.MapInfo) bool { return m.Starts >= 3 })
	ground, err := host.Map(ctx, maps[at].Hash)
	if err != nil {
		t.Fatal(err)
	}
	l, err := host.CreateLobby(ctx, api.NewLobby{Name: "kill", Map: maps[at].ID, Limit: 3, Options: map[string]any{"countdownSeconds": 0}})
	if err != nil {
		t.Fatal(err)
	}
	clients := []*e2eClient{host, guest(t, url, "Bob")}
	if _, err = clients[1].Join(ctx, l.ID, api.JoinRequest{}); err == nil {
		l, err = host.AddBot(ctx, l.ID, api.BotRequest{})
	}
	for _, c := range clients {
		if err == nil {
			l, err = c.Ready(ctx, l)
		}
	}
	if err == nil {
		l, err = host.Start(ctx, l.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range clients {
		players = append(players, &e2ePlayer{
			State: client.New(client.Config{Map: client.OneMap(ground)}), lobby: c, t: t, ticket: c.ticket(l.ID).Ticket,
			orders: map[uint32]*pb.Order{}, verdict: map[uint32]uint32{}, states: map[grid.Slot]view.PlayerState{},
		})
	}
	return players, l.ID
}

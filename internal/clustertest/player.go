package clustertest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// How a player behaves.
const (
	silenceMin   = 2500 * time.Millisecond // without a message for so long the connection counts as lost; a match tells once a second that it waits
	silenceVary  = 1500 * time.Millisecond // that much more for each player of a match, so that they do not all leave at once
	lingerMax    = 60 * time.Second        // so long what still comes over a lost connection is read
	restlessGap  = 200 * time.Millisecond  // between two orders that are only there to be orders
	againLast    = 5                       // that many answered orders are sent again over a new connection
	restlessArea = 6                       // tiles: how far such an order sends a unit
)

// Message is what a player was sent.
type Message struct {
	At    time.Time
	Conn  int // over which connection, from 0
	Bytes []byte
}

// Connection is one socket of a player.
type Connection struct {
	URL      string
	Began    time.Time
	LostAt   time.Time // zero while it lasts
	Why      string    // it ended
	Left     bool      // the player took it for lost while it was open; what still came is in Player.Late
	Welcomed bool
}

// Order is an order of a player.
type Order struct {
	*pb.Order
	Sent     time.Time // first
	Answered time.Time // first; zero: not yet
	Code     uint32
}

// Player is a client in Go without a screen. It plays as a bot of level medium does, and
// gives further orders all the time. It comes back by itself whenever its connection is
// lost, asks again what was not answered, and the last few orders that were. It keeps
// every message that it is sent, as it came.
type Player struct {
	Name   string
	Ticket string
	// Header is of each request for a socket; nil: none.
	Header http.Header
	// Silence is after how long without a message the connection counts as lost.
	Silence time.Duration

	route  *socket.Route
	random *rand.Rand
	state  *client.State // run's own
	mind   bot.Player    // nil before the first welcome
	last   uint32        // number of its last order
	open   []*pb.Order   // not answered yet
	rest   time.Time     // when the next restless order is due

	mu        sync.Mutex
	slot      grid.Slot
	team      grid.Team
	match     string
	recording []Message
	late      []Message // over connections that it had left
	conns     []Connection
	orders    map[uint32]*Order
	states    []view.Player // by slot, as the newest frame has them
	again     int           // answers that were given before, and were the same
	tick      grid.Tick
	frameAt   time.Time // of the newest frame
	ended     *view.Ended
	quits     bool
	said      bool // that it gives up
	wrong     []error
	drains    sync.WaitGroup
}

// NewPlayer returns a player of a seat. home is the service's socket, at the address
// beside the ticket.
func NewPlayer(name, ticket string, ground *grid.Map, home, at string, seed uint64) *Player {
	return &Player{
		Name: name, Ticket: ticket, route: socket.NewRoute(home, at), Silence: silenceMin, random: rand.New(rand.NewPCG(seed, 1)),
		state: client.New(client.Config{Map: client.OneMap(ground)}), orders: map[uint32]*Order{}, slot: grid.NoSlot,
	}
}

// Run plays until the match ends or ctx does.
func (p *Player) Run(ctx context.Context) {
	defer p.drains.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for ctx.Err() == nil && p.Ended() == nil {
		var pause time.Duration
		if to, err := p.connection(ctx); errors.Is(err, errMoved) {
			pause = p.route.Moved(to, time.Now())
		} else {
			pause = p.route.Lost()
		}
		if p.Ended() != nil {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// errMoved: the server has the match no more.
var errMoved = errors.New("moved")

// received is what one read of a socket brought.
type received struct {
	b   []byte
	at  time.Time
	err error
}

// connection plays over one socket until it is lost, and returns the address that the
// server sent the player to, if it did.
func (p *Player) connection(ctx context.Context) (moved string, err error) {
	no := p.begin(p.route.Address())
	left := false
	defer func() { p.finish(no, left, err) }()
	conn, err := p.route.Dial(ctx, p.Header)
	if err != nil {
		return "", err
	}
	reads := make(chan received, 64)
	p.drains.Go(func() {
		defer close(reads)
		for {
			b, err := conn.Read()
			reads <- received{b, time.Now(), err}
			if err != nil {
				return
			}
		}
	})
	defer func() {
		if !left {
			conn.Close()
			for range reads {
			}
			return
		}
		stop := time.AfterFunc(lingerMax, func() { conn.Close() })
		p.drains.Go(func() {
			defer stop.Stop()
			defer conn.Close()
			for r := range reads {
				if r.err == nil {
					p.mu.Lock()
					p.late = append(p.late, Message{r.at, no, r.b})
					p.mu.Unlock()
				}
			}
		})
	}()
	if err := conn.Send(p.state.Hello(p.Ticket)); err != nil {
		return "", err
	}
	silence := time.NewTimer(p.Silence)
	defer silence.Stop()
	for first := true; ; {
		var r received
		select {
		case r = <-reads:
		case <-silence.C:
			left = true
			return "", errors.New("silence")
		}
		if r.err != nil {
			return "", r.err
		}
		silence.Reset(p.Silence)
		moved, err := p.message(conn, no, r, &first)
		if err != nil || p.Ended() != nil {
			return moved, err
		}
	}
}

// message takes in one message and answers it.
func (p *Player) message(conn *socket.Conn, no int, r received, first *bool) (moved string, err error) {
	p.keep(no, r)
	was := p.state.Tick()
	f, err := p.state.Receive(r.b)
	if err != nil {
		p.complain("tick %d: %w", was, err)
		if errors.Is(err, client.ErrStream) {
			return "", conn.Send(p.state.Ack())
		}
		return "", err
	}
	switch {
	case f.Closing != nil:
		if !f.Closing.Retry {
			p.complain("closed for good by %s at %s: %s (%s)", p.route.Address(), r.at.Format("15:04:05.000"), f.Closing.Code, f.Closing.Text)
		}
		if f.Closing.Code == "moved" {
			return f.Closing.Url, errMoved
		}
		return "", errors.New(f.Closing.Code)
	case f.Waiting != nil:
		return "", nil
	case f.Welcome != nil:
		p.welcomed(no)
		p.route.Welcomed(f.Welcome.Servers)
		if p.mind == nil {
			p.mind, err = bot.Medium.New(p.state)
			return "", err
		}
		p.mind.Take(f)
		return "", nil
	}
	p.take(f, was, r.at)
	if p.Ended() != nil {
		return "", nil
	}
	out := p.answer(*first, r.at)
	*first = false
	return "", conn.Send(out)
}

// begin notes a new connection.
func (p *Player) begin(url string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, Connection{URL: url, Began: time.Now()})
	return len(p.conns) - 1
}

func (p *Player) finish(no int, left bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := &p.conns[no]
	c.LostAt, c.Left = time.Now(), left
	if err != nil {
		c.Why = err.Error()
	}
}

func (p *Player) keep(no int, r received) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recording = append(p.recording, Message{r.at, no, r.b})
}

func (p *Player) welcomed(no int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slot, p.team, p.match = p.state.Slot(), p.state.Team(), p.state.Welcome.MatchId
	p.conns[no].Welcomed = true
}

// complain notes something that a client may never meet.
func (p *Player) complain(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = append(p.wrong, fmt.Errorf(p.Name+": "+format, args...))
}

// take reads what a frame tells after tick was, and the state does not hold.
func (p *Player) take(f *wire.ServerFrame, was grid.Tick, at time.Time) {
	p.mind.Take(f)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.Tick() <= was {
		p.wrong = append(p.wrong, fmt.Errorf("%s: tick %d after tick %d", p.Name, p.state.Tick(), was))
	}
	p.tick, p.frameAt, p.ended = p.state.Tick(), at, p.state.Replica.Ended
	p.states = append(p.states[:0], p.state.Replica.Players...)
	for _, a := range f.Answers {
		o := p.orders[a.Seq]
		switch {
		case o == nil:
			p.wrong = append(p.wrong, fmt.Errorf("%s: order %d was answered, and was never sent", p.Name, a.Seq))
		case o.Answered.IsZero():
			o.Answered, o.Code = at, a.Code
		case o.Code != a.Code:
			p.wrong = append(p.wrong, fmt.Errorf("%s: order %d was answered %d, and now %d", p.Name, a.Seq, o.Code, a.Code))
		default:
			p.again++
		}
	}
	open := p.open[:0]
	for _, o := range p.open {
		if p.orders[o.Seq].Answered.IsZero() {
			open = append(open, o)
		}
	}
	p.open = open
}

// answer is what a frame moves the player to send. Over a new connection these are first
// the orders that were answered last, and those that were not.
func (p *Player) answer(first bool, now time.Time) *pb.ClientFrame {
	out := p.state.Ack()
	out.Camera = p.look()
	p.mu.Lock()
	defer p.mu.Unlock()
	if first {
		for seq := max(p.last, againLast) - againLast + 1; seq <= p.last; seq++ {
			if o := p.orders[seq]; o != nil && !o.Answered.IsZero() {
				out.Orders = append(out.Orders, o.Order)
			}
		}
		out.Orders = append(out.Orders, p.open...)
	}
	var fresh []*pb.Order
	switch {
	case !p.quits:
		fresh = p.mind.Think()
		if now.After(p.rest) {
			p.rest = now.Add(restlessGap)
			fresh = append(fresh, p.restless()...)
		}
	case !p.said:
		p.said = true
		fresh = []*pb.Order{{Seq: p.state.Number(), Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}
	}
	for _, o := range fresh {
		p.last, p.orders[o.Seq] = o.Seq, &Order{Order: o, Sent: now}
	}
	p.open = append(p.open, fresh...)
	out.Orders = append(out.Orders, fresh...)
	return out
}

// look is what the player looks at: another place each second.
func (p *Player) look() *pb.Camera {
	second := uint32(p.state.Tick()) / max(1, p.state.Welcome.TickRate)
	return &pb.Camera{X: second % uint32(p.state.Map.W), Y: second / 7 % uint32(p.state.Map.H), Radius: 12}
}

// restless sends some unit of its own a few tiles away.
func (p *Player) restless() []*pb.Order {
	r := p.state.Replica
	var own []grid.Handle
	for _, h := range r.Handles() {
		if e := r.Entities[h]; e.Owner == p.state.Slot() && r.FullSpeeds[e.Type] > 0 {
			own = append(own, h)
		}
	}
	if len(own) == 0 {
		return nil
	}
	h := own[p.random.IntN(len(own))]
	at := r.Pos(r.Entities[h], r.Tick)
	near := func(n int32, tiles int) int32 {
		n += int32(p.random.IntN(2*restlessArea*1024) - restlessArea*1024)
		return min(max(n, 512), int32(tiles)*1024-512)
	}
	return []*pb.Order{{
		Seq: p.state.Number(), Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{uint32(h)}, To: &pb.Point{X: near(at.X, r.W), Y: near(at.Y, r.H)},
	}}
}

// Quit lets the player give up as soon as it can.
func (p *Player) Quit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quits = true
}

// Ended returns how the match ended, as the player saw it; nil: it has not.
func (p *Player) Ended() *view.Ended {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// Team returns the player's team.
func (p *Player) Team() grid.Team {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.team
}

// Players returns the states of all players, by slot, as this one was told last.
func (p *Player) Players() []view.Player {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]view.Player(nil), p.states...)
}

// Match returns the id of the match, "" before the first welcome.
func (p *Player) Match() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.match
}

// Frame returns the tick of the newest frame, and when it came.
func (p *Player) Frame() (grid.Tick, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tick, p.frameAt
}

// Frames returns how many messages have come.
func (p *Player) Frames() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.recording)
}

// At returns the address of the newest connection that was welcomed.
func (p *Player) At() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.conns) - 1; i >= 0; i-- {
		if p.conns[i].Welcomed {
			return p.conns[i].URL
		}
	}
	return ""
}

// Connections returns the connections so far, and Late what came over those that the
// player had left.
func (p *Player) Connections() []Connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Connection(nil), p.conns...)
}

// Late returns what came over connections that the player had left.
func (p *Player) Late() []Message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Message(nil), p.late...)
}

// Orders returns all orders so far, by number.
func (p *Player) Orders() map[uint32]Order {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[uint32]Order, len(p.orders))
	for seq, o := range p.orders {
		out[seq] = *o
	}
	return out
}

// Again returns how many answers were given again over a later connection.
func (p *Player) Again() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.again
}

// Wrong returns what the player met that no client may meet.
func (p *Player) Wrong() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]error(nil), p.wrong...)
}

// told returns what there is to verify.
func (p *Player) told() (slot grid.Slot, team grid.Team, recording []Message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slot, p.team, p.recording[:len(p.recording):len(p.recording)]
}

// ToldBy returns how many frames the player was sent since a moment over connections to
// an address, whether it still took them in or had left.
func (p *Player) ToldBy(url string, since time.Time) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, list := range [][]Message{p.recording, p.late} {
		for i := len(list) - 1; i >= 0 && list[i].At.After(since); i-- {
			if p.conns[list[i].Conn].URL == url && isFrame(list[i].Bytes) {
				n++
			}
		}
	}
	return n
}

// FirstFrame returns when the first frame came since a moment, the zero time if none has.
func (p *Player) FirstFrame(since time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, _ := slices.BinarySearchFunc(p.recording, since, func(m Message, at time.Time) int { return m.At.Compare(at) })
	for ; i < len(p.recording); i++ {
		if isFrame(p.recording[i].Bytes) {
			return p.recording[i].At
		}
	}
	return time.Time{}
}

// Gap returns the longest time without a frame between two moments.
func (p *Player) Gap(from, to time.Time) (longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i, _ := slices.BinarySearchFunc(p.recording, from, func(m Message, at time.Time) int { return m.At.Compare(at) })
	for ; i < len(p.recording) && p.recording[i].At.Before(to); i++ {
		if isFrame(p.recording[i].Bytes) {
			longest, from = max(longest, p.recording[i].At.Sub(from)), p.recording[i].At
		}
	}
	return max(longest, to.Sub(from))
}

// isFrame reports whether a message tells something of the match.
func isFrame(b []byte) bool {
	f := &pb.ServerFrame{}
	return proto.Unmarshal(b, f) != nil || f.Closing == nil && f.Waiting == nil && f.Welcome == nil
}

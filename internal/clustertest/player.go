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
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/verify"
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

// Message is a message to a player.
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
	Left     bool      // the player took it for lost while it was open; what still came counts in ToldBy
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
// lost, repeats unanswered orders, and the last few answered ones. It keeps
// every message that it is sent, as it came.
type Player struct {
	Name   string
	Ticket string
	// Header is of each request for a socket; or nil.
	Header http.Header
	// Silence is after how long without a message the connection counts as lost.
	Silence time.Duration

	client  *socket.Client // run's own
	random  *rand.Rand
	mind    bot.Player  // nil before the first welcome
	first   bool        // no frame has come over the newest connection
	last    uint32      // number of its last order
	waiting []*pb.Order // not answered yet
	rest    time.Time   // when the next restless order is due

	mu        sync.Mutex
	slot      grid.Slot
	team      grid.Team
	match     string
	conn      *socket.Conn // the newest, which may have ended
	recording []Message
	late      []Message // over connections that it had left
	conns     []Connection
	orders    map[uint32]*Order
	states    []view.Player // by slot, as the newest frame has them
	again     int           // answers that were given before, and were the same
	tick      grid.Tick
	frameAt   time.Time // of the newest frame
	ended     *pb.Ended
	quits     bool
	said      bool // that it gives up
	wrong     []error
	drains    sync.WaitGroup
}

// NewPlayer returns a player of a seat. home is the service's socket, at the address
// beside the ticket.
func NewPlayer(name, ticket string, ground *grid.Map, home, at string, seed uint64) *Player {
	return &Player{
		Name: name, Ticket: ticket, Silence: silenceMin, random: rand.New(rand.NewPCG(seed, 1)),
		client: &socket.Client{State: client.New(client.Config{Map: client.OneMap(ground)}), Route: socket.NewRoute(home, at)}, orders: map[uint32]*Order{}, slot: grid.NoSlot,
	}
}

// Run plays until the match ends, ctx ends or a server closes for good.
func (p *Player) Run(ctx context.Context) {
	defer p.drains.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.client.Header, p.client.Open = p.Header, p.open
	p.client.Ticket = func(context.Context) (string, error) { return p.Ticket, nil }
	p.client.OnWelcome, p.client.OnFrame, p.client.OnLost = p.welcomed, p.frame, func(err error, _ int, _ time.Duration) { p.lost(err) }
	p.client.OnBroken = func(err error) error {
		p.complain("tick %d: %w", p.client.Tick(), err)
		return nil
	}
	err := p.client.Run(ctx)
	p.lost(err)
	if err != nil && ctx.Err() == nil {
		p.complain("closed for good by %s at %s: %w", p.client.Route.Address(), time.Now().Format("15:04:05.000"), err)
	}
}

// received is what one read of a socket brought.
type received struct {
	b   []byte
	at  time.Time
	err error
}

// link is a connection that counts as lost after a silence. The player reads on what
// still comes over it.
type link struct {
	*socket.Conn
	player *Player
	no     int
	reads  chan received
	left   bool
}

func (p *Player) open(ctx context.Context) (socket.Link, error) {
	no := p.begin(p.client.Route.Address())
	conn, err := p.client.Route.Dial(ctx, p.Header)
	if err != nil {
		p.finish(no, false)
		return nil, err
	}
	p.mu.Lock()
	p.conn = conn
	p.mu.Unlock()
	l := &link{Conn: conn, player: p, no: no, reads: make(chan received, 64)}
	p.drains.Go(func() {
		defer close(l.reads)
		for {
			b, err := conn.Read()
			l.reads <- received{b, time.Now(), err}
			if err != nil {
				return
			}
		}
	})
	return l, nil
}

func (l *link) Read() ([]byte, error) {
	silence := time.NewTimer(l.player.Silence)
	defer silence.Stop()
	select {
	case r := <-l.reads:
		if r.err == nil {
			l.player.keep(l.no, r)
		}
		return r.b, r.err
	case <-silence.C:
		l.left = true
		return nil, errors.New("silence")
	}
}

func (l *link) Close() error {
	p := l.player
	p.finish(l.no, l.left)
	if !l.left {
		l.Conn.Close()
		for range l.reads {
		}
		return nil
	}
	stop := time.AfterFunc(lingerMax, func() { l.Conn.Close() })
	p.drains.Go(func() {
		defer stop.Stop()
		defer l.Conn.Close()
		for r := range l.reads {
			if r.err == nil {
				p.mu.Lock()
				p.late = append(p.late, Message{r.at, l.no, r.b})
				p.mu.Unlock()
			}
		}
	})
	return nil
}

// Cut breaks the player's connection as a lost line does.
func (p *Player) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn.Close()
}

// frame takes in a frame and answers it.
func (p *Player) frame(f *wire.ServerFrame, out *pb.ClientFrame) {
	p.take(f)
	if p.Ended() == nil {
		p.answer(out)
		p.first = false
	}
}

// begin notes a new connection.
func (p *Player) begin(url string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns = append(p.conns, Connection{URL: url, Began: time.Now()})
	return len(p.conns) - 1
}

func (p *Player) finish(no int, left bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[no].LostAt, p.conns[no].Left = time.Now(), left
}

// lost notes why the newest connection ended.
func (p *Player) lost(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.conns); n > 0 && err != nil {
		p.conns[n-1].Why = err.Error()
	}
}

func (p *Player) keep(no int, r received) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recording = append(p.recording, Message{r.at, no, r.b})
}

func (p *Player) welcomed(f *wire.ServerFrame) (err error) {
	s := p.client
	p.mu.Lock()
	p.slot, p.team, p.match = s.Slot(), s.Team(), s.Welcome.MatchId
	p.conns[len(p.conns)-1].Welcomed, p.first = true, true
	p.mu.Unlock()
	if p.mind == nil {
		p.mind, err = bot.Medium.New(s.State)
		return err
	}
	p.mind.Take(f)
	return nil
}

// complain notes something that a client may never meet.
func (p *Player) complain(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = append(p.wrong, fmt.Errorf(p.Name+": "+format, args...))
}

// take reads from a frame all that the state does not hold.
func (p *Player) take(f *wire.ServerFrame) {
	p.mind.Take(f)
	p.mu.Lock()
	defer p.mu.Unlock()
	now, at := p.client.Tick(), p.recording[len(p.recording)-1].At
	if now <= p.tick {
		p.wrong = append(p.wrong, fmt.Errorf("%s: tick %d after tick %d", p.Name, now, p.tick))
	}
	p.tick, p.frameAt, p.ended = now, at, p.client.Ended
	p.states = append(p.states[:0], p.client.Replica.Players...)
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
	p.waiting = slices.DeleteFunc(p.waiting, func(o *pb.Order) bool { return !p.orders[o.Seq].Answered.IsZero() })
}

// answer adds the player's orders to its answer to a frame. Over a new connection these are first the last answered
// orders, and the unanswered ones.
func (p *Player) answer(out *pb.ClientFrame) {
	out.Camera = p.look()
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.frameAt
	if p.first {
		for seq := max(p.last, againLast) - againLast + 1; seq <= p.last; seq++ {
			if o := p.orders[seq]; o != nil && !o.Answered.IsZero() {
				out.Orders = append(out.Orders, o.Order)
			}
		}
		out.Orders = append(out.Orders, p.waiting...)
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
		fresh = []*pb.Order{{Seq: p.client.Number(), Kind: pb.OrderKind_ORDER_KIND_SURRENDER}}
	}
	for _, o := range fresh {
		p.last, p.orders[o.Seq] = o.Seq, &Order{Order: o, Sent: now}
	}
	p.waiting = append(p.waiting, fresh...)
	out.Orders = append(out.Orders, fresh...)
}

// look is the player's camera: another place each second.
func (p *Player) look() *pb.Camera {
	second := uint32(p.client.Tick()) / max(1, p.client.Welcome.TickRate)
	return &pb.Camera{X: second % uint32(p.client.Map.W), Y: second / 7 % uint32(p.client.Map.H), Radius: 12}
}

// restless sends some unit of its own a few tiles away.
func (p *Player) restless() []*pb.Order {
	r := p.client.Replica
	var own []grid.Handle
	for _, h := range r.Handles() {
		if e := r.Entities[h]; e.Owner == p.client.Slot() && r.FullSpeeds[e.Type] > 0 {
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
		Seq: p.client.Number(), Kind: pb.OrderKind_ORDER_KIND_MOVE, Units: []uint32{uint32(h)}, To: &pb.Point{X: near(at.X, r.W), Y: near(at.Y, r.H)},
	}}
}

// Quit lets the player give up as soon as it can.
func (p *Player) Quit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.quits = true
}

// Ended returns how the match ended, as the player saw it; nil: it has not.
func (p *Player) Ended() *pb.Ended {
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

// Connections returns the connections so far.
func (p *Player) Connections() []Connection {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Connection(nil), p.conns...)
}

// Seats returns how many connections have had the seat.
func (p *Player) Seats() (n int) {
	for _, c := range p.Connections() {
		if c.Welcomed {
			n++
		}
	}
	return n
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

// Wrong returns the player's errors that no client may meet.
func (p *Player) Wrong() []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]error(nil), p.wrong...)
}

// Verify compares the players' messages with the journal of their match, and adds the errors that no client may
// meet. final: the match is over.
func Verify(read journal.Reader, players []*Player, final bool) verify.Report {
	var clients []*verify.Client
	var wrong []error
	for _, p := range players {
		p.mu.Lock()
		c := &verify.Client{Name: p.Name, Slot: p.slot, Team: p.team}
		for _, m := range p.recording {
			c.Messages = append(c.Messages, m.Bytes)
		}
		wrong = append(wrong, p.wrong...)
		p.mu.Unlock()
		clients = append(clients, c)
	}
	r := verify.Match(read, clients, verify.Options{Final: final})
	r.Wrong = append(wrong, r.Wrong...)
	return r
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

// FirstFrame returns when the first frame came since a moment, or the zero time.
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

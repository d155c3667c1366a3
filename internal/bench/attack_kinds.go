package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// AttackKind is one way to flood a server.
type AttackKind struct {
	Name, What string
	run        func(a *attacker, ctx context.Context)
}

// Attacks are the floods, each bounded in count and time.
var Attacks = []AttackKind{
	{"matches", "guests start matches against each other and leave", (*attacker).matches},
	{"bots", "guests start matches against seven bots and leave", (*attacker).bots},
	{"journal", "one player sends orders, chat and nonsense as fast as its socket takes them", (*attacker).journal},
	{"lobby-passwords", "guests set passwords of lobbies that are not theirs, and of their own", (*attacker).lobbyPasswords},
	{"logins", "wrong passwords for one name, from many addresses", (*attacker).logIns},
	{"streams", "accounts hold event streams and change their lobby all the time", (*attacker).streams},
	{"silent-sockets", "sockets that say no hello and answer nothing but pings", (*attacker).silentSockets},
	{"pings", "sockets that send pings as fast as they can", (*attacker).pings},
	{"downloads", "connections that ask for the largest asset again and again and read nothing", (*attacker).downloads},
	{"upgrades", "sockets with made-up tickets, and maps, as fast as one address can", (*attacker).upgrades},
	{"guests", "one network makes guests", (*attacker).guests},
	{"empty-matches", "guests start fast matches of two hard bots and leave for good", (*attacker).emptyMatches},
	{"queue-offers", "guests wait for a match, and decline it or leave", (*attacker).queueOffers},
	{"dead-webhooks", "a studio makes and ends matches, and its ten endpoints never answer", (*attacker).deadWebhooks},
}

// RunAttack runs the attack with this name against a server until ctx ends or it has reached its own limit.
func RunAttack(ctx context.Context, name string, at AttackTarget) (r AttackerReport, err error) {
	for _, k := range Attacks {
		if k.Name != name {
			continue
		}
		began, before := time.Now(), time.Duration(0)
		if before, err = cpuTime(); err != nil {
			return r, err
		}
		a := &attacker{AttackTarget: at, used: map[string]bool{}}
		a.http = &http.Client{Timeout: 20 * time.Second, Transport: &counting{a, &http.Transport{MaxIdleConns: 64, MaxIdleConnsPerHost: 64}}}
		k.run(a, ctx)
		after, err := cpuTime()
		if err != nil {
			return r, err
		}
		r = AttackerReport{
			Core: (after - before).Seconds() / time.Since(began).Seconds(), Tries: int(a.tries.Load()), Refused: int(a.refused.Load()),
			Clients: int(a.clients.Load()), SentMB: float64(a.sent.Load()) / (1 << 20), First: a.first, From: len(a.used),
		}
		return r, nil
	}
	return r, fmt.Errorf("unknown attack %q", name)
}

// attackRate bounds what one worker tries a second, so that the attacker's own
// cost leaves the machine to the server.
const attackRate = 400

// attacker is the part that all attacks share.
type attacker struct {
	AttackTarget
	http *http.Client // counts

	tries, refused, clients, sent atomic.Int64

	mu    sync.Mutex
	first string          // refusal
	used  map[string]bool // addresses
}

// workers runs work with numbers from 0 until ctx ends, each at most
// attackRate times a second. Work returns false to stop.
func (a *attacker) workers(ctx context.Context, n int, work func(worker int) bool) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			pace := time.NewTicker(time.Second / attackRate)
			defer pace.Stop()
			for ctx.Err() == nil && work(i) {
				select {
				case <-ctx.Done():
				case <-pace.C:
				}
			}
		})
	}
	all.Wait()
}

// counting counts the requests of an attacker, and the refused ones.
type counting struct {
	a    *attacker
	next http.RoundTripper
}

func (c *counting) RoundTrip(r *http.Request) (*http.Response, error) {
	c.a.tries.Add(1)
	res, err := c.next.RoundTrip(r)
	switch {
	case err != nil && r.Context().Err() == nil:
		c.a.refuse(err)
	case err == nil && res.StatusCode >= http.StatusMultipleChoices:
		b, readErr := io.ReadAll(io.LimitReader(res.Body, 8<<10))
		res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(b))
		if readErr == nil {
			c.a.refuse(fmt.Errorf("%s %s: %d %.200s", r.Method, r.URL.Path, res.StatusCode, b))
		}
	}
	return res, err
}

// from is a client at an address.
func (a *attacker) from(address string) *client.Client {
	a.uses(address)
	return clientFrom(a.URL, a.http, address)
}

// uses counts an address.
func (a *attacker) uses(address string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[address] = true
}

func (a *attacker) refuse(err error) {
	a.refused.Add(1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first == "" {
		a.first = err.Error()
	}
}

// address is the n-th of one network.
func address(n int) string { return fmt.Sprintf("198.51.100.%d", 1+n%250) }

// guest makes a guest at an address; nil if it was refused.
func (a *attacker) guest(ctx context.Context, from string) *client.Client {
	c := a.from(from)
	if _, err := c.Guest(ctx, ""); err != nil {
		return nil
	}
	a.clients.Add(1)
	return c
}

// mapID is a map with room for so many players; or "".
func (a *attacker) mapID(ctx context.Context, players int) string {
	maps, _ := a.from(address(0)).Maps(ctx) // counted
	for _, m := range maps {
		if m.Starts >= players {
			return m.ID
		}
	}
	return ""
}

func (a *attacker) matches(ctx context.Context) {
	m := a.mapID(ctx, 2)
	a.workers(ctx, 4, func(i int) bool {
		host, other := a.guest(ctx, address(i)), a.guest(ctx, address(i))
		if host == nil || other == nil {
			return true
		}
		_, _ = host.StartMatch(ctx, api.NewLobby{Name: "flood", Map: m, Limit: 2}, other) // counted
		return true
	})
}

func (a *attacker) bots(ctx context.Context) {
	a.workers(ctx, 4, func(i int) bool {
		if c := a.guest(ctx, address(i)); c != nil {
			_, _ = c.PlayBot(ctx, api.BotMatchRequest{}) // counted
		}
		return true
	})
}

// socket opens a match socket from an address.
func (a *attacker) socket(ctx context.Context, from string) (*websocket.Conn, bool) {
	a.tries.Add(1)
	a.uses(from)
	c, res, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(a.URL, "http")+"/ws", http.Header{"X-Forwarded-For": {from}})
	if err != nil {
		if ctx.Err() == nil {
			if res != nil {
				b, _ := io.ReadAll(io.LimitReader(res.Body, 200))
				err = fmt.Errorf("%w: %s %s", err, res.Status, b)
			}
			a.refuse(err)
		}
		return nil, false
	}
	return c, true
}

func (a *attacker) send(c *websocket.Conn, f *pb.ClientFrame) error {
	b, err := proto.Marshal(f)
	if err != nil {
		return err
	}
	_ = c.SetWriteDeadline(time.Now().Add(5 * time.Second))
	a.tries.Add(1)
	a.sent.Add(int64(len(b)))
	return c.WriteMessage(websocket.BinaryMessage, b)
}

// journal plays against a bot and sends all inputs that a match would write down.
func (a *attacker) journal(ctx context.Context) {
	from := address(0)
	player := a.guest(ctx, from)
	if player == nil {
		return
	}
	l, err := player.PlayBot(ctx, api.BotMatchRequest{})
	if err != nil {
		return
	}
	ticket, err := player.Ticket(ctx, l.ID)
	if err != nil {
		return
	}
	hello := &pb.Hello{Protocol: wire.Protocol, Ticket: ticket}
	seq := uint32(0)
	a.workers(ctx, 1, func(int) bool {
		c, ok := a.socket(ctx, from)
		if !ok {
			return true
		}
		defer c.Close()
		var resume atomic.Pointer[string]
		read := make(chan struct{})
		go func() {
			defer close(read)
			for {
				_, b, err := c.ReadMessage()
				if err != nil {
					return
				}
				var f pb.ServerFrame
				if proto.Unmarshal(b, &f) == nil && f.Welcome != nil {
					resume.Store(&f.Welcome.Resume)
				}
			}
		}()
		if a.send(c, &pb.ClientFrame{Hello: hello}) != nil {
			return true
		}
		units := make([]uint32, 500)
		for i := range units {
			units[i] = uint32(i + 1)
		}
		text := strings.Repeat("flood ", 40)
		for ctx.Err() == nil {
			f := &pb.ClientFrame{Applied: 1}
			for range 10 {
				seq++
				f.Orders = append(f.Orders, &pb.Order{Seq: seq, Kind: pb.OrderKind(seq % 17), Units: units, To: &pb.Point{X: int32(seq), Y: 4000}})
			}
			for range 3 {
				seq++
				f.Says = append(f.Says, &pb.Say{Seq: seq, All: true, Text: text})
			}
			if a.send(c, f) != nil {
				break
			}
		}
		c.Close()
		<-read
		if r := resume.Load(); r != nil {
			hello = &pb.Hello{Protocol: wire.Protocol, Resume: *r}
		}
		return true
	})
}

func (a *attacker) lobbyPasswords(ctx context.Context) {
	m := a.mapID(ctx, 2)
	players, lobbies := make([]*client.Client, 160), make([]string, 160)
	var next atomic.Int64
	a.workers(ctx, 8, func(int) bool {
		i := int(next.Add(1)) - 1
		if i >= len(players) {
			return false
		}
		players[i] = a.guest(ctx, address(0))
		if i%4 == 0 && players[i] != nil {
			if l, err := players[i].CreateLobby(ctx, api.NewLobby{Name: "flood", Map: m}); err == nil {
				lobbies[i] = l.ID
			}
		}
		return true
	})
	a.workers(ctx, 32, func(i int) bool {
		n := int(next.Add(1)) % len(players)
		lobby := cmp.Or(lobbies[n], "018f0000-0000-7000-8000-000000000000")
		if players[n] != nil {
			password := "tide and time"
			_ = players[n].Call(ctx, http.MethodPatch, "/api/lobbies/"+lobby, api.LobbyChange{Password: &password}, nil) // counted
		}
		return true
	})
}

func (a *attacker) logIns(ctx context.Context) {
	a.clients.Add(250)
	var next atomic.Int64
	a.workers(ctx, 32, func(int) bool {
		_, _ = a.from(address(int(next.Add(1)))).LogIn(ctx, "Honest 0", "a wrong password") // counted
		return true
	})
}

func (a *attacker) streams(ctx context.Context) {
	m := a.mapID(ctx, 2)
	var players []*client.Client
	var l api.Lobby
	for i := range 12 {
		c := a.guest(ctx, address(i))
		if c == nil {
			continue
		}
		if l.ID == "" {
			l, _ = c.CreateLobby(ctx, api.NewLobby{Name: "flood", Map: m, Options: map[string]any{"spectators": 12}})
		} else if _, err := c.Join(ctx, l.ID, api.JoinRequest{}); err != nil {
			_, _ = c.Join(ctx, l.ID, api.JoinRequest{Spectate: true}) // counted
		}
		players = append(players, c)
	}
	var readers sync.WaitGroup
	defer readers.Wait()
	for _, c := range players {
		for range 16 {
			readers.Go(func() {
				if stream, err := c.Stream(ctx, "/api/lobbies/"+l.ID+"/events"); err == nil { // counted
					defer stream.Close()
					_, _ = io.Copy(io.Discard, stream)
				}
			})
		}
	}
	a.workers(ctx, len(players), func(i int) bool {
		color := int(a.tries.Load() % 16)
		_, _ = players[i].ChangeSeat(ctx, l.ID, model.SeatChange{Color: &color}) // counted
		return true
	})
}

// dial opens a connection from an address, which ends with ctx, and returns the prefix of each request over it.
func (a *attacker) dial(ctx context.Context, from string) (c net.Conn, head string, ok bool) {
	a.uses(from)
	host := strings.TrimPrefix(a.URL, "http://")
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		if ctx.Err() == nil {
			a.refuse(err)
		}
		return nil, "", false
	}
	context.AfterFunc(ctx, func() { c.Close() })
	return c, fmt.Sprintf(" HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\n", host, from), true
}

// raw opens a websocket by hand, so that the attack decides each of its answers.
func (a *attacker) raw(ctx context.Context, from string) (net.Conn, *bufio.Reader, bool) {
	a.tries.Add(1)
	c, head, ok := a.dial(ctx, from)
	if !ok {
		return nil, nil, false
	}
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprint(c, "GET /ws", head, "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	r := bufio.NewReader(c)
	res, err := http.ReadResponse(r, nil)
	if err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		if ctx.Err() == nil {
			a.refuse(fmt.Errorf("upgrade: %v %v", res, err))
		}
		c.Close()
		return nil, nil, false
	}
	_ = c.SetDeadline(time.Time{})
	return c, r, true
}

// frame is a masked control frame of no length.
func frame(opcode byte) []byte { return []byte{0x80 | opcode, 0x80, 0, 0, 0, 0} }

func (a *attacker) silentSockets(ctx context.Context) {
	a.clients.Add(250)
	var next atomic.Int64
	var open atomic.Int64
	var held sync.WaitGroup
	defer held.Wait()
	a.workers(ctx, 4, func(int) bool {
		if open.Load() > 4000 {
			return true
		}
		c, r, ok := a.raw(ctx, address(int(next.Add(1))))
		if !ok {
			return true
		}
		open.Add(1)
		held.Go(func() {
			defer open.Add(-1)
			defer c.Close()
			go func() {
				pong := time.NewTicker(time.Second)
				defer pong.Stop()
				for range 60 {
					if _, err := c.Write(frame(10)); err != nil {
						return
					}
					<-pong.C
				}
			}()
			_, _ = io.Copy(io.Discard, r)
		})
		return true
	})
}

func (a *attacker) pings(ctx context.Context) {
	a.clients.Add(4)
	flood := make([]byte, 0, 600)
	for range 100 {
		flood = append(flood, frame(9)...)
	}
	a.workers(ctx, 4, func(i int) bool {
		c, r, ok := a.raw(ctx, address(i))
		if !ok {
			return true
		}
		defer c.Close()
		go io.Copy(io.Discard, r)
		for {
			if _, err := c.Write(flood); err != nil {
				return true
			}
			a.tries.Add(100)
			a.sent.Add(int64(len(flood)))
		}
	})
}

func (a *attacker) downloads(ctx context.Context) {
	var page []byte
	largest := "/"
	if a.from(address(0)).Call(ctx, http.MethodGet, "/", nil, &page) == nil {
		for _, part := range strings.Split(string(page), `"`) {
			if strings.HasPrefix(part, "/assets/") && strings.HasSuffix(part, ".js") {
				largest = part
			}
		}
	}
	var open sync.WaitGroup
	defer open.Wait()
	n := 0
	a.workers(ctx, 1, func(int) bool {
		if n++; n > 400 {
			return false
		}
		c, head, ok := a.dial(ctx, address(n))
		if !ok {
			return true
		}
		open.Go(func() {
			defer c.Close()
			for range 60 {
				a.tries.Add(1)
				if _, err := fmt.Fprint(c, "GET ", largest, head, "\r\n"); err != nil {
					return
				}
			}
			<-ctx.Done()
		})
		return true
	})
	<-ctx.Done()
}

func (a *attacker) upgrades(ctx context.Context) {
	a.clients.Add(1)
	a.workers(ctx, 16, func(i int) bool {
		if i%2 == 0 {
			_ = a.from(address(0)).Call(ctx, http.MethodGet, "/maps/"+strings.Repeat("0", 64), nil, nil) // counted
			return true
		}
		c, ok := a.socket(ctx, address(0))
		if !ok {
			return true
		}
		defer c.Close()
		if a.send(c, &pb.ClientFrame{Hello: &pb.Hello{Protocol: wire.Protocol, Ticket: fmt.Sprintf("%043x", a.tries.Load())}}) == nil {
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			_, _, _ = c.ReadMessage()
		}
		return true
	})
}

func (a *attacker) guests(ctx context.Context) {
	a.workers(ctx, 8, func(i int) bool {
		a.guest(ctx, address(i))
		return true
	})
}

func (a *attacker) emptyMatches(ctx context.Context) {
	m := a.mapID(ctx, 3)
	options := map[string]any{"ticksPerSecond": 60, "speedPercent": 300, "abandonMinutes": 60}
	a.workers(ctx, 4, func(int) bool {
		host := a.guest(ctx, address(0))
		if host == nil {
			return true
		}
		l, err := host.CreateLobby(ctx, api.NewLobby{Name: "flood", Map: m, Limit: 3, Options: options})
		for range 2 {
			if err == nil {
				l, err = host.AddBot(ctx, l.ID, api.BotRequest{Level: model.HardBot})
			}
		}
		if err == nil {
			_, err = host.Start(ctx, l.ID)
		}
		if err == nil {
			_, _ = host.Leave(ctx, l.ID) // counted
		}
		return true
	})
}

func (a *attacker) queueOffers(ctx context.Context) {
	players := make([]*client.Client, 12)
	for i := range players {
		players[i] = a.guest(ctx, address(0))
	}
	a.workers(ctx, len(players), func(i int) bool {
		c := players[i]
		if c == nil {
			return false
		}
		st, err := c.Standing(ctx)
		switch {
		case err != nil:
		case st.Offer != nil:
			_, _ = c.AnswerOffer(ctx, st.Offer.ID, false) // counted
		case st.Party != nil && st.Party.Queue != "":
			if a.tries.Load()%16 == 0 {
				_, _ = c.LeaveQueue(ctx) // counted
			}
		default:
			_, _ = c.JoinQueue(ctx, "1v1", "") // counted
		}
		return true
	})
}

func (a *attacker) deadWebhooks(ctx context.Context) {
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		a.refuse(err)
		return
	}
	var open sync.WaitGroup
	defer open.Wait()
	defer context.AfterFunc(ctx, func() { dead.Close() })()
	defer dead.Close()
	open.Go(func() {
		for {
			c, err := dead.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				<-ctx.Done()
			})
		}
	})
	studio := func(n int64) *client.Client {
		c := clientFrom(a.Service, a.http, address(0))
		c.Token = a.Key
		c.Header.Set("Idempotency-Key", fmt.Sprint("flood ", n))
		return c
	}
	for range hook.EndpointsPerMax {
		_ = studio(0).Call(ctx, http.MethodPost, "/service/api/webhooks", map[string]any{"url": "http://" + dead.Addr().String()}, nil) // counted
	}
	m := a.mapID(ctx, 2)
	var next atomic.Int64
	a.workers(ctx, 4, func(i int) bool { // enough events for hours, in the burst
		n := next.Add(1)
		c := studio(n)
		if n > 24 {
			return false
		}
		var made struct {
			Match struct {
				ID string `json:"id"`
			} `json:"match"`
		}
		wish := map[string]any{"map": m, "seats": []map[string]any{{"subject": fmt.Sprint("player ", i), "name": fmt.Sprint("Player ", i)}, {"level": "easy"}}}
		if c.Call(ctx, http.MethodPost, "/service/api/matches", wish, &made) == nil {
			_ = c.Call(ctx, http.MethodPost, "/service/api/matches/"+made.Match.ID+"/end", map[string]any{"reason": "flood"}, nil) // counted
		}
		return true
	})
}

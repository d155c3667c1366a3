package bench

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

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
}

// RunAttack runs the attack of that name against a server until ctx ends or it
// has done all that it may.
func RunAttack(ctx context.Context, name, url string) (r AttackerReport, err error) {
	for _, k := range Attacks {
		if k.Name != name {
			continue
		}
		began, before := time.Now(), time.Duration(0)
		if before, err = cpuTime(); err != nil {
			return r, err
		}
		a := &attacker{url: url, client: &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{MaxIdleConns: 64, MaxIdleConnsPerHost: 64}}}
		k.run(a, ctx)
		after, err := cpuTime()
		if err != nil {
			return r, err
		}
		r = AttackerReport{
			Core: (after - before).Seconds() / time.Since(began).Seconds(), Tries: int(a.tries.Load()), Refused: int(a.refused.Load()),
			Clients: int(a.clients.Load()), SentMB: float64(a.sent.Load()) / (1 << 20), First: a.first,
		}
		return r, nil
	}
	return r, fmt.Errorf("there is no attack %q", name)
}

// attackRate bounds what one worker tries a second, so that the attacker's own
// cost leaves the machine to the server.
const attackRate = 400

// attacker is what the attacks share.
type attacker struct {
	url    string
	client *http.Client

	tries, refused, clients, sent atomic.Int64

	mu    sync.Mutex
	first string // refusal
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

// call makes one request and reports whether it was granted.
func (a *attacker) call(ctx context.Context, method, path, from, token string, body, into any) bool {
	a.tries.Add(1)
	_, err := call(ctx, a.client, method, a.url+path, from, token, body, into)
	if err != nil && ctx.Err() == nil {
		a.refuse(err)
	}
	return err == nil
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

func (a *attacker) guest(ctx context.Context, from string) (token string, ok bool) {
	var out struct{ Token string }
	if ok = a.call(ctx, "POST", "/api/guest", from, "", map[string]any{"bearer": true}, &out); ok {
		a.clients.Add(1)
	}
	return out.Token, ok
}

func (a *attacker) mapID(ctx context.Context) string {
	var list struct{ Maps []struct{ ID string } }
	if !a.call(ctx, "GET", "/api/maps", address(0), "", nil, &list) || len(list.Maps) == 0 {
		return ""
	}
	return list.Maps[0].ID
}

func (a *attacker) matches(ctx context.Context) {
	m := a.mapID(ctx)
	a.workers(ctx, 4, func(i int) bool {
		from := address(i)
		host, ok := a.guest(ctx, from)
		other, ok2 := a.guest(ctx, from)
		if !ok || !ok2 {
			return true
		}
		var room struct{ ID string }
		if !a.call(ctx, "POST", "/api/lobbies", from, host, map[string]any{"name": "flood", "map": m, "limit": 2}, &room) {
			return true
		}
		path := "/api/lobbies/" + room.ID
		var joined struct{ SettingsVersion int64 }
		if a.call(ctx, "POST", path+"/join", from, other, map[string]any{}, &joined) &&
			a.call(ctx, "PATCH", path+"/seat", from, other, map[string]any{"ready": true, "settingsVersion": joined.SettingsVersion}, nil) {
			a.call(ctx, "POST", path+"/start", from, host, nil, nil)
		}
		return true
	})
}

func (a *attacker) bots(ctx context.Context) {
	a.workers(ctx, 4, func(i int) bool {
		if token, ok := a.guest(ctx, address(i)); ok {
			a.call(ctx, "POST", "/api/play/bot", address(i), token, map[string]any{}, nil)
		}
		return true
	})
}

// socket opens a match socket from an address.
func (a *attacker) socket(ctx context.Context, from string) (*websocket.Conn, bool) {
	a.tries.Add(1)
	c, res, err := websocket.DefaultDialer.DialContext(ctx, "ws"+strings.TrimPrefix(a.url, "http")+"/ws", http.Header{"X-Forwarded-For": {from}})
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

// journal plays against a bot and sends what a match could be asked to write
// down.
func (a *attacker) journal(ctx context.Context) {
	from := address(0)
	token, ok := a.guest(ctx, from)
	if !ok {
		return
	}
	var room struct{ ID string }
	var ticket struct{ Ticket string }
	if !a.call(ctx, "POST", "/api/play/bot", from, token, map[string]any{}, &room) || !a.call(ctx, "POST", "/api/lobbies/"+room.ID+"/ticket", from, token, map[string]any{}, &ticket) {
		return
	}
	hello := &pb.Hello{Protocol: wire.Protocol, Ticket: ticket.Ticket}
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
	m := a.mapID(ctx)
	tokens, rooms := make([]string, 160), make([]string, 160)
	var next atomic.Int64
	a.workers(ctx, 8, func(int) bool {
		i := int(next.Add(1)) - 1
		if i >= len(tokens) {
			return false
		}
		tokens[i], _ = a.guest(ctx, address(0))
		if i%4 == 0 && tokens[i] != "" {
			var room struct{ ID string }
			if a.call(ctx, "POST", "/api/lobbies", address(0), tokens[i], map[string]any{"name": "flood", "map": m}, &room) {
				rooms[i] = room.ID
			}
		}
		return true
	})
	a.workers(ctx, 32, func(i int) bool {
		n := int(next.Add(1)) % len(tokens)
		room := rooms[n]
		if room == "" {
			room = "018f0000-0000-7000-8000-000000000000"
		}
		if tokens[n] != "" {
			a.call(ctx, "PATCH", "/api/lobbies/"+room, address(0), tokens[n], map[string]any{"password": "tide and time"}, nil)
		}
		return true
	})
}

func (a *attacker) logIns(ctx context.Context) {
	a.clients.Add(250)
	var next atomic.Int64
	a.workers(ctx, 32, func(int) bool {
		a.call(ctx, "POST", "/api/login", address(int(next.Add(1))), "", map[string]any{"name": "Honest 0", "password": "a wrong password"}, nil)
		return true
	})
}

func (a *attacker) streams(ctx context.Context) {
	m := a.mapID(ctx)
	var tokens []string
	var room struct{ ID string }
	for i := range 12 {
		token, ok := a.guest(ctx, address(i))
		if !ok {
			continue
		}
		if room.ID == "" {
			a.call(ctx, "POST", "/api/lobbies", address(i), token, map[string]any{"name": "flood", "map": m, "options": map[string]any{"spectators": 12}}, &room)
		} else if !a.call(ctx, "POST", "/api/lobbies/"+room.ID+"/join", address(i), token, map[string]any{}, nil) {
			a.call(ctx, "POST", "/api/lobbies/"+room.ID+"/join", address(i), token, map[string]any{"spectate": true}, nil)
		}
		tokens = append(tokens, token)
	}
	var readers sync.WaitGroup
	defer readers.Wait()
	long := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}
	for i, token := range tokens {
		for range 16 {
			readers.Go(func() {
				req, err := http.NewRequestWithContext(ctx, "GET", a.url+"/api/lobbies/"+room.ID+"/events", nil)
				if err != nil {
					return
				}
				req.Header.Set("X-Forwarded-For", address(i))
				req.Header.Set("Authorization", "Bearer "+token)
				a.tries.Add(1)
				res, err := long.Do(req)
				if err != nil {
					return
				}
				defer res.Body.Close()
				if res.StatusCode != 200 {
					b, _ := io.ReadAll(io.LimitReader(res.Body, 300))
					a.refuse(fmt.Errorf("events: %d %s", res.StatusCode, b))
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
			})
		}
	}
	a.workers(ctx, len(tokens), func(i int) bool {
		a.call(ctx, "PATCH", "/api/lobbies/"+room.ID+"/seat", address(i), tokens[i], map[string]any{"color": a.tries.Load() % 16}, nil)
		return true
	})
}

// raw opens a websocket by hand, so that it answers only what it is told to.
func (a *attacker) raw(ctx context.Context, from string) (net.Conn, *bufio.Reader, bool) {
	u, err := url.Parse(a.url)
	if err != nil {
		return nil, nil, false
	}
	a.tries.Add(1)
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		if ctx.Err() == nil {
			a.refuse(err)
		}
		return nil, nil, false
	}
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	fmt.Fprintf(c, "GET /ws HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", u.Host, from)
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
			defer context.AfterFunc(ctx, func() { c.Close() })()
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
		defer context.AfterFunc(ctx, func() { c.Close() })()
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
	if a.call(ctx, "GET", "/", address(0), "", nil, &page) {
		for _, part := range strings.Split(string(page), `"`) {
			if strings.HasPrefix(part, "/assets/") && strings.HasSuffix(part, ".js") {
				largest = part
			}
		}
	}
	u, err := url.Parse(a.url)
	if err != nil {
		return
	}
	ask := fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nX-Forwarded-For: %%s\r\n\r\n", largest, u.Host)
	var open sync.WaitGroup
	defer open.Wait()
	n := 0
	a.workers(ctx, 1, func(int) bool {
		if n++; n > 400 {
			return false
		}
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", u.Host)
		if err != nil {
			a.refuse(err)
			return true
		}
		open.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			for range 60 {
				a.tries.Add(1)
				if _, err := fmt.Fprintf(c, ask, address(n)); err != nil {
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
			a.call(ctx, "GET", "/maps/"+strings.Repeat("0", 64), address(0), "", nil, nil)
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

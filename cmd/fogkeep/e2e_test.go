package main

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// e2eClient uses a running server from outside, as a player's or an admin's
// program does. Its methods end the test when the server refuses.
type e2eClient struct {
	*client.Client
	t      *testing.T
	dialer *websocket.Dialer
}

// visitor is a client that has not logged in.
func visitor(t *testing.T, url string) *e2eClient {
	t.Helper()
	c, err := client.New(url)
	if err != nil {
		t.Fatal(err)
	}
	return &e2eClient{c, t, websocket.DefaultDialer}
}

// guest is a client logged in as a new guest.
func guest(t *testing.T, url, name string) *e2eClient {
	t.Helper()
	c := visitor(t, url)
	if _, err := c.Guest(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	return c
}

// adminClient is a client logged in as an admin.
func adminClient(t *testing.T, url, name, password string) *e2eClient {
	t.Helper()
	c := visitor(t, url)
	if err := c.AdminLogIn(t.Context(), name, password); err != nil {
		t.Fatal(err)
	}
	return c
}

// from is the same client at another address, which a server takes that believes
// X-Forwarded-For.
func (c *e2eClient) from(address string) *e2eClient {
	other := *c.Client
	other.Header = http.Header{"X-Forwarded-For": {address}}
	return &e2eClient{&other, c.t, c.dialer}
}

// try makes a request and returns its status, and the refusal if it is one.
func (c *e2eClient) try(method, path string, body, out any) (int, api.Problem) {
	c.t.Helper()
	err := c.Call(c.t.Context(), method, path, body, out)
	if no, ok := errors.AsType[*client.Refusal](err); ok {
		return no.Status, no.Problem
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return http.StatusOK, api.Problem{}
}

// must makes a request that is granted.
func (c *e2eClient) must(method, path string, body, out any) {
	c.t.Helper()
	if err := c.Call(c.t.Context(), method, path, body, out); err != nil {
		c.t.Fatal(err)
	}
}

// playBot starts a match against a bot; "" takes the first map.
func (c *e2eClient) playBot(mapID string) api.Lobby {
	c.t.Helper()
	l, err := c.PlayBot(c.t.Context(), api.BotMatchRequest{Map: mapID})
	if err != nil {
		c.t.Fatal(err)
	}
	return l
}

// ticket is the first message of a client with a new ticket.
func (c *e2eClient) ticket(lobby string) *pb.Hello {
	c.t.Helper()
	ticket, err := c.Ticket(c.t.Context(), lobby)
	if err != nil {
		c.t.Fatal(err)
	}
	return &pb.Hello{Ticket: ticket}
}

// e2eSocket is a client's socket in a match.
type e2eSocket struct {
	t    *testing.T
	conn *websocket.Conn
	tick uint32 // of the last frame
}

// open opens a socket and sends a hello.
func (c *e2eClient) open(hello *pb.Hello) *e2eSocket {
	c.t.Helper()
	conn, _, err := c.dialer.Dial(c.Socket(), c.Headers())
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	s := &e2eSocket{t: c.t, conn: conn}
	hello.Protocol = wire.Protocol
	s.send(&pb.ClientFrame{Hello: hello})
	return s
}

func (s *e2eSocket) send(f *pb.ClientFrame) {
	s.t.Helper()
	b, err := proto.Marshal(f)
	if err == nil {
		err = s.conn.WriteMessage(websocket.BinaryMessage, b)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// read reads the next message, and acknowledges every tenth tick.
func (s *e2eSocket) read() *pb.ServerFrame {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(60 * time.Second))
	_, b, err := s.conn.ReadMessage()
	if err != nil {
		s.t.Fatalf("the match's socket: %v", err)
	}
	f := &pb.ServerFrame{}
	if err := proto.Unmarshal(b, f); err != nil {
		s.t.Fatal(err)
	}
	switch {
	case f.Welcome != nil || f.Waiting != nil || f.Closing != nil:
		return f
	case f.Tick != 0:
		s.tick = f.Tick
	default:
		s.tick += max(1, f.Span)
	}
	if s.tick%10 == 0 {
		s.send(&pb.ClientFrame{Applied: s.tick})
	}
	return f
}

// welcome reads on to the welcome, or to what the socket is closed with.
func (s *e2eSocket) welcome() (*pb.Welcome, *pb.Closing) {
	s.t.Helper()
	for {
		if f := s.read(); f.Welcome != nil || f.Closing != nil {
			return f.Welcome, f.Closing
		}
	}
}

// closed reads on until the socket is closed, and returns with what.
func (s *e2eSocket) closed() *pb.Closing {
	s.t.Helper()
	for {
		if c := s.read().Closing; c != nil {
			return c
		}
	}
}

package socket_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// scripted is a server whose connections send one script each, and the client that
// plays there. hellos are the first messages of the connections.
func scripted(t *testing.T, scripts ...[]*pb.ServerFrame) (s *socket.Client, hellos func() []string) {
	t.Helper()
	m := grid.NewMap("Field", 16, 16)
	var mu sync.Mutex // connections come one after the other, each on its own goroutine
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, b, err := conn.ReadMessage()
		var f pb.ClientFrame
		mu.Lock()
		n := len(got)
		if err != nil || proto.Unmarshal(b, &f) != nil || n >= len(scripts) {
			mu.Unlock()
			t.Errorf("connection %d: %v", n, err)
			return
		}
		got = append(got, f.Hello.Ticket+f.Hello.Resume)
		mu.Unlock()
		script := scripts[n]
		for _, frame := range script {
			if w := frame.Welcome; w != nil {
				w.Protocol, w.MatchId, w.TickRate, w.MapHash = wire.Protocol, "m1", 20, m.Hash().String()
				w.Players, w.Resources = []*pb.Player{{Name: "A"}}, []string{"ore"}
				w.Types = []*pb.TypeInfo{{Name: "scout", Class: pb.TypeClass_TYPE_CLASS_UNIT, Health: 60, Speed: 14000}}
			}
			b, err := proto.Marshal(frame)
			if err != nil {
				t.Error(err)
			}
			if conn.WriteMessage(websocket.BinaryMessage, b) != nil {
				return
			}
		}
		for script != nil && err == nil { // until the client closes; without a script the connection breaks
			_, _, err = conn.ReadMessage()
		}
	}))
	t.Cleanup(server.Close)
	tickets := 0
	return &socket.Client{
		State: client.New(client.Config{Map: client.OneMap(m)}), Route: socket.NewRoute("ws"+strings.TrimPrefix(server.URL, "http"), ""),
		Ticket: func(context.Context) (string, error) {
			tickets++
			return fmt.Sprint("ticket-", tickets), nil
		},
	}, func() []string { server.Close(); mu.Lock(); defer mu.Unlock(); return got }
}

var (
	welcomed = &pb.ServerFrame{Welcome: &pb.Welcome{Resume: "resume-1"}}
	ended    = &pb.ServerFrame{Ended: &pb.Ended{Reason: "last-team"}}
	again    = &pb.ServerFrame{Closing: &pb.Closing{Code: "stopping", Retry: true}}
)

// Until it is welcomed a client asks for a ticket for each connection; then it shows its
// resume token.
func TestASessionRenewsItsTicket(t *testing.T) {
	s, hellos := scripted(t, nil, []*pb.ServerFrame{welcomed, again}, []*pb.ServerFrame{welcomed, {Tick: 40}, ended})
	s.OnBroken = func(err error) error { return err }
	var lost []string
	s.OnLost = func(_ error, try int, _ time.Duration) { lost = append(lost, fmt.Sprint(try)) }
	s.Tries = 5
	if err := s.Run(t.Context()); err != nil || s.Ended == nil || s.Ended.Reason != "last-team" {
		t.Fatalf("%v, %v", err, s.Ended)
	}
	if got := hellos(); !slices.Equal(got, []string{"ticket-1", "ticket-2", "resume-1"}) || !slices.Equal(lost, []string{"1", "2"}) {
		t.Errorf("it came with %q, lost connections: %q", got, lost)
	}
}

// A client ends with the error that its owner makes of a broken stream, with a closing
// for good, and after too many connections without a frame.
func TestASessionEnds(t *testing.T) {
	mine := errors.New("mine")
	s, _ := scripted(t, []*pb.ServerFrame{welcomed, {Tick: 40}, {Leave: []uint32{9}}})
	s.OnBroken = func(error) error { return mine }
	if err := s.Run(t.Context()); err != mine {
		t.Errorf("of a broken stream it says %v", err)
	}
	s, _ = scripted(t, []*pb.ServerFrame{{Closing: &pb.Closing{Code: "kicked", Text: "out"}}})
	if no, ok := errors.AsType[*socket.Refusal](s.Run(t.Context())); !ok || no.Code != "kicked" {
		t.Errorf("of a closing for good it says %v", no)
	}
	s, hellos := scripted(t, nil, nil, nil)
	s.Tries = 2
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "gave up after 2 tries") || len(hellos()) != 3 {
		t.Errorf("of a server that answers nothing it says %v", err)
	}
}

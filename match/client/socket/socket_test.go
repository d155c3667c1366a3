package socket_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/client/socket"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// dial connects to a server whose side of the connection is played by a
// function.
func dial(t *testing.T, ctx context.Context, serve func(*websocket.Conn)) *socket.Conn {
	t.Helper()
	done := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		serve(conn)
	}))
	t.Cleanup(func() {
		<-done
		server.Close()
	})
	c, err := socket.Dial(ctx, "ws"+strings.TrimPrefix(server.URL, "http"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestMessagesGoBothWays(t *testing.T) {
	said := make(chan error, 1)
	c := dial(t, t.Context(), func(conn *websocket.Conn) {
		_, b, err := conn.ReadMessage()
		if err == nil {
			err = conn.WriteMessage(websocket.BinaryMessage, b) // back as it came
		}
		if err == nil {
			_, _, err = conn.ReadMessage()
		}
		said <- err
	})
	if err := c.Send(&pb.ClientFrame{Applied: 9}); err != nil {
		t.Fatal(err)
	}
	b, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	var f pb.ClientFrame
	if err := proto.Unmarshal(b, &f); err != nil || f.Applied != 9 {
		t.Errorf("read %v, %v", &f, err)
	}
	c.Bye()
	if err := <-said; !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
		t.Errorf("the server is told %v", err)
	}
}

func TestOnlyBinaryMessagesAreRead(t *testing.T) {
	c := dial(t, t.Context(), func(conn *websocket.Conn) { _ = conn.WriteMessage(websocket.TextMessage, []byte("hello")) })
	if b, err := c.Read(); err == nil {
		t.Errorf("read %q", b)
	}
}

func TestAConnectionEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := dial(t, ctx, func(conn *websocket.Conn) { _, _, _ = conn.ReadMessage() })
	cancel()
	if _, err := c.Read(); err == nil {
		t.Error("a message came over a connection that was ended")
	}
}

func TestDialNamesTheServer(t *testing.T) {
	if _, err := socket.Dial(t.Context(), "ws://127.0.0.1:1/ws", nil); err == nil || !strings.Contains(err.Error(), "dial ws://127.0.0.1:1/ws") {
		t.Errorf("error %v", err)
	}
}

package socket

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// How patient a connection is.
const (
	dialTimeout  = 10 * time.Second
	writeTimeout = 10 * time.Second
	byeTimeout   = time.Second
	silenceMax   = 30 * time.Second // the server sends a frame a second, or a ping
)

// Conn is one connection to a match server.
type Conn struct {
	ws   *websocket.Conn
	stop func() bool
}

// Dial connects to a server's websocket, such as ws://host/ws. header is of the
// request, or nil. The connection ends with ctx.
func Dial(ctx context.Context, url string, header http.Header) (*Conn, error) {
	return dial(ctx, url, header, dialTimeout)
}

func dial(ctx context.Context, url string, header http.Header, patience time.Duration) (*Conn, error) {
	ws, err := open(ctx, url, header, patience)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", url, err)
	}
	ws.SetReadLimit(wire.ServerBytesMax)
	ws.SetPingHandler(func(data string) error {
		if err := ws.SetReadDeadline(time.Now().Add(silenceMax)); err != nil {
			return err
		}
		return ws.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(writeTimeout))
	})
	return &Conn{ws, context.AfterFunc(ctx, func() { ws.Close() })}, nil
}

// Read returns the server's next message.
func (c *Conn) Read() ([]byte, error) {
	if err := c.ws.SetReadDeadline(time.Now().Add(silenceMax)); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	kind, b, err := c.ws.ReadMessage()
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if kind != websocket.BinaryMessage {
		return nil, fmt.Errorf("read: a message of kind %d, want a binary one", kind)
	}
	return b, nil
}

// Send sends a message.
func (c *Conn) Send(f *pb.ClientFrame) error {
	b, err := proto.Marshal(f)
	if err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if err := c.ws.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	if err := c.ws.WriteMessage(websocket.BinaryMessage, b); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	return nil
}

// Bye tells the server that the client leaves on purpose. Close follows.
func (c *Conn) Bye() {
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = c.ws.WriteControl(websocket.CloseMessage, bye, time.Now().Add(byeTimeout)) // the connection ends either way
}

// Close ends the connection.
func (c *Conn) Close() error {
	c.stop()
	return c.ws.Close()
}

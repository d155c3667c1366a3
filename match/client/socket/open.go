//go:build !js

package socket

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
)

func open(ctx context.Context, url string, header http.Header, patience time.Duration) (*websocket.Conn, error) {
	dialer := websocket.Dialer{HandshakeTimeout: patience}
	ws, _, err := dialer.DialContext(ctx, url, header)
	return ws, err
}

package match

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// A socket can be carried: its client has connected to one process, and its match
// runs in another, which the first one connects to.
//
//	client ◄──socket──► process it came to ◄──socket──► process of the match
//	                    copies messages,                 admits, counts and bans
//	                    one at a time each way           by the client's address
//
// The client's address goes with the request in a header that is signed with a key
// that all processes have. A carried socket is not carried again.

// Carrier signs and checks the addresses of clients whose sockets are carried.
type Carrier struct {
	key []byte
	tls *tls.Config
}

// NewCarrier returns a carrier. All processes that carry sockets to each other have
// the same key, which nobody else knows. config is for connections to the others; nil:
// the usual one.
func NewCarrier(key []byte, config *tls.Config) *Carrier {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("fogkeep carried sockets"))
	return &Carrier{key: h.Sum(nil), tls: config}
}

const (
	carriedHeader = "Fogkeep-Carried"
	// carriedLast is how far apart the clocks of two processes may be, the time of the
	// request included.
	carriedLast     = 5 * time.Minute
	carryDialWait   = 5 * time.Second
	carryWriteWait  = 10 * time.Second
	carryCloseWait  = time.Second
	carryReadBuffer = 64 << 10 // of the kernel: what waits here cannot be made up for by a newer frame
)

// carriedBody is what the header says.
type carriedBody struct {
	Address netip.Addr `json:"a"`
	Unix    int64      `json:"t"`
}

// header returns the signed header for a client's address.
func (c *Carrier) header(from netip.Addr, now time.Time) string {
	body, err := json.Marshal(carriedBody{from, now.Unix()})
	if err != nil {
		panic("match: an address is plain data: " + err.Error())
	}
	enc := base64.RawURLEncoding
	return enc.EncodeToString(body) + "." + enc.EncodeToString(c.sign(body))
}

func (c *Carrier) sign(body []byte) []byte {
	h := hmac.New(sha256.New, c.key)
	h.Write(body)
	return h.Sum(nil)[:macBytes]
}

// ErrCarried is the refusal of a request that says it carries somebody's socket and
// does not prove it.
var ErrCarried = errors.New("match: the address of a carried socket is not signed by this service")

// from returns the client's address of a request that carries a socket. carried is
// false for a request of a client's own.
func (c *Carrier) from(r *http.Request, now time.Time) (from netip.Addr, carried bool, err error) {
	said := r.Header.Values(carriedHeader)
	if len(said) == 0 {
		return netip.Addr{}, false, nil
	}
	text, sum, _ := strings.Cut(said[0], ".")
	body, err1 := base64.RawURLEncoding.DecodeString(text)
	mac, err2 := base64.RawURLEncoding.DecodeString(sum)
	var b carriedBody
	if c == nil || len(said) > 1 || err1 != nil || err2 != nil || !hmac.Equal(mac, c.sign(body)) || json.Unmarshal(body, &b) != nil {
		return netip.Addr{}, true, ErrCarried
	}
	if age := now.Sub(time.Unix(b.Unix, 0)).Abs(); age > carriedLast {
		return netip.Addr{}, true, fmt.Errorf("%w: it is of %v ago: are the clocks right?", ErrCarried, age)
	}
	return b.Address, true, nil
}

// socketURL returns the address of a process's player socket.
func socketURL(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	switch u.Scheme {
	case "http", "ws":
		u.Scheme = "ws"
	case "https", "wss":
		u.Scheme = "wss"
	default:
		return "", fmt.Errorf("match: %q is no address of a server", base)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); !strings.HasSuffix(u.Path, "/ws") {
		u.Path += "/ws"
	}
	return u.String(), nil
}

// dial connects to the process that runs a client's match.
func (c *Carrier) dial(ctx context.Context, to string, from netip.Addr, now time.Time) (*websocket.Conn, error) {
	address, err := socketURL(to)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, carryDialWait)
	defer cancel()
	d := websocket.Dialer{TLSClientConfig: c.tls, HandshakeTimeout: carryDialWait, ReadBufferSize: 4 << 10, WriteBufferSize: 1 << 10}
	conn, res, err := d.DialContext(ctx, address, http.Header{carriedHeader: {c.header(from, now)}})
	if res != nil {
		defer res.Body.Close()
	}
	if err != nil {
		if res != nil && res.StatusCode == http.StatusTooManyRequests {
			return nil, &link.Refusal{Code: "too_many_sockets", Text: "your account or your network has too many sockets"}
		}
		return nil, err
	}
	if b, ok := conn.NetConn().(interface{ SetReadBuffer(int) error }); ok {
		_ = b.SetReadBuffer(carryReadBuffer) // the default is worse, not wrong
	}
	conn.SetReadLimit(wire.ServerBytesMax)
	return conn, nil
}

// away says that a client's match runs in another process.
type away struct {
	*link.Refusal
	place Place
}

func (a *away) Unwrap() error { return a.Refusal }

// awayTo returns what a client is told whose match is elsewhere. Where sockets are
// carried, clients know only the way that they came.
func (s *Service) awayTo(p Place) *away {
	if p.Waits != "" {
		return &away{waiting(p.Waits), p}
	}
	if s.cfg.Carry {
		return &away{link.Moved(""), p}
	}
	return &away{link.Moved(p.URL), p}
}

// carries reports whether a client's socket is to be carried to where its match is.
func (s *Service) carries(a *away, by *caller) bool {
	return s.cfg.Carry && s.cfg.Carrier != nil && a.place.URL != "" && by.counted && !by.carried
}

// carry serves the socket of a client whose match runs in another process: it copies
// messages between the two until either ends, and tells the other how it ended. first
// is the client's first message.
func (s *Service) carry(t link.Transport, by *caller, first []byte, p Place) {
	if err := s.count(by, Seat{}, nil); err != nil {
		link.Dismiss(s.log, t, link.FaultOf(err))
		t.Close()
		return
	}
	conn, err := s.cfg.Carrier.dial(s.ctx, p.URL, by.from, time.Now())
	if err == nil {
		err = send(conn, first)
	}
	if err != nil {
		s.log.Debug("a socket is not carried", "node", p.Node, "error", err)
		why := link.Moved("")
		errors.As(err, &why) // else the match may be somewhere else soon
		if conn != nil {
			conn.Close()
		}
		link.Dismiss(s.log, t, why)
		t.Close()
		return
	}
	s.metrics.carried.Inc()
	defer s.metrics.carried.Dec()
	ended := make(chan struct{})
	defer close(ended)
	defer context.AfterFunc(s.ctx, func() {
		conn.Close()
		link.CloseAfter(t, link.StopWait, ended)
	})()
	var fault atomic.Pointer[link.Refusal] // of the client
	var reader sync.WaitGroup
	reader.Go(func() {
		defer panics.Catch(s.log, "carry", func() { conn.Close(); t.Close() })
		s.carryUp(t, conn, &fault)
	})
	told, err := s.carryDown(conn, t)
	conn.Close()
	var end *websocket.CloseError
	why := fault.Load()
	switch {
	case why != nil:
	case told && errors.As(err, &end) && end.Code != websocket.CloseNoStatusReceived && end.Code != websocket.CloseAbnormalClosure:
		link.CloseWith(t, end.Code)
	case told:
	case s.ctx.Err() != nil:
		why = &link.Refusal{Code: "stopping", Text: "the server is stopping; the match continues"}
	default:
		why = link.Moved("") // the process that ran the match is gone
	}
	if why != nil {
		row, _ := link.ClosingOf(why.Code)
		_ = t.Write(link.ClosingMessage(why))
		link.CloseWith(t, row.Status)
	}
	t.Close()
	reader.Wait()
}

// send writes one message to the other process.
func send(conn *websocket.Conn, msg []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(carryWriteWait)); err != nil {
		return err
	}
	return conn.WriteMessage(websocket.BinaryMessage, msg)
}

// carryUp copies what the client sends, until its connection ends or it breaks the
// protocol. It passes on why.
func (s *Service) carryUp(t link.Transport, conn *websocket.Conn, fault *atomic.Pointer[link.Refusal]) {
	status := websocket.CloseNormalClosure
	open := true
	for {
		b, err := t.Read()
		if err == nil {
			open = open && send(conn, b) == nil // else the other direction finds out
			continue
		}
		no := link.FaultOf(err)
		if end := (*websocket.CloseError)(nil); errors.As(err, &end) {
			status = end.Code
		} else if no != nil {
			row, _ := link.ClosingOf(no.Code)
			status = row.Status
			fault.Store(no)
		}
		_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(status, ""), time.Now().Add(carryCloseWait))
		_ = conn.SetReadDeadline(time.Now().Add(carryCloseWait)) // the other side closes in its turn
		if no != nil {
			link.ReadOut(t)
		}
		return
	}
}

// carryDown copies what the process of the match sends. told reports whether it has
// said why the connection ends.
func (s *Service) carryDown(conn *websocket.Conn, t link.Transport) (told bool, err error) {
	alive := func() error { return conn.SetReadDeadline(time.Now().Add(wire.SilenceSeconds * time.Second)) }
	answer := conn.PingHandler()
	conn.SetPingHandler(func(data string) error {
		if err := alive(); err != nil {
			return err
		}
		return answer(data)
	})
	if err := alive(); err != nil {
		return false, err
	}
	for n := 0; ; n++ {
		_, b, err := conn.ReadMessage()
		if err != nil {
			return told, err
		}
		if c := closingOf(b); c != nil {
			told = true
			if c.Code == "moved" {
				b = link.ClosingMessage(link.Moved("")) // the client knows only the way it came
			}
		} else if sock, ok := t.(*link.Socket); ok && n == 0 {
			sock.Seated()
		}
		if err := t.Write(b); err != nil {
			return told, fmt.Errorf("the client: %w", errors.Join(err, io.ErrClosedPipe))
		}
		if err := alive(); err != nil {
			return told, err
		}
	}
}

// closingOf returns what a message says about the end of its connection, nil if it is
// another message. A closing comes alone: its message begins with it.
func closingOf(msg []byte) *pb.Closing {
	const tag = 32<<3 | 2
	if len(msg) < 2 || msg[0] != tag&0x7f|0x80 || msg[1] != tag>>7 {
		return nil
	}
	var f pb.ServerFrame
	if proto.Unmarshal(msg, &f) != nil {
		return nil
	}
	return f.Closing
}

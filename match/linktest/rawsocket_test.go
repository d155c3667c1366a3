package linktest

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// Opcodes of RFC 6455, section 5.2.
const (
	opMore   = 0x0
	opText   = 0x1
	opBinary = 0x2
	opClose  = 0x8
	opPing   = 0x9
	opPong   = 0xa

	fin = 0x80 // of the first byte, beside the opcode
)

// frame is one frame as a client sends it, with all bits of its first byte.
type frame struct {
	first   byte
	payload []byte
}

// bytes returns the frame, masked.
func (f frame) bytes() []byte {
	b := []byte{f.first}
	switch n := len(f.payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	mask := [4]byte{0x12, 0x34, 0x56, 0x78}
	b = append(b, mask[:]...)
	for i, c := range f.payload {
		b = append(b, c^mask[i%4])
	}
	return b
}

// whole is a message in one frame, or a control frame.
func whole(op byte, payload string) frame { return frame{fin | op, []byte(payload)} }

// part is a fragment with others behind it.
func part(op byte, payload string) frame { return frame{op, []byte(payload)} }

// closeFrame is a close frame with a status.
func closeFrame(status int, reason string) frame {
	return frame{fin | opClose, append(binary.BigEndian.AppendUint16(nil, uint16(status)), reason...)}
}

// rawSocket is a client's end of a websocket, down to the bytes.
type rawSocket struct {
	net.Conn
	r *bufio.Reader
}

// dialRaw opens a socket at an address. Header lines are sent beside the usual.
func dialRaw(t *testing.T, address string, header ...string) (*rawSocket, *http.Response) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	lines := append([]string{
		"GET /ws HTTP/1.1", "Host: x", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
	}, header...)
	if _, err := io.WriteString(c, strings.Join(lines, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	s := &rawSocket{c, bufio.NewReader(c)}
	res, err := http.ReadResponse(s.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, res
}

// send sends frames, in pieces of so many bytes, or in one.
func (s *rawSocket) send(chop int, frames ...frame) error {
	var all []byte
	for _, f := range frames {
		all = append(all, f.bytes()...)
	}
	if chop == 0 {
		chop = len(all)
	}
	for len(all) > 0 {
		n := min(chop, len(all))
		if _, err := s.Write(all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// next reads a frame and returns its kind: "binary hello", "closing no_hello", "ping",
// "pong x", "close 1000", or "end".
func (s *rawSocket) next() string {
	var head [2]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		return "end"
	}
	size := uint64(head[1])
	switch head[1] {
	case 126:
		var b [2]byte
		_, _ = io.ReadFull(s.r, b[:])
		size = uint64(binary.BigEndian.Uint16(b[:]))
	case 127:
		var b [8]byte
		_, _ = io.ReadFull(s.r, b[:])
		size = binary.BigEndian.Uint64(b[:])
	}
	if head[1]&0x80 != 0 || size > 1<<24 {
		return fmt.Sprintf("a frame % x of %d bytes", head, size)
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(s.r, b); err != nil {
		return "end"
	}
	switch head[0] {
	case fin | opBinary:
		var f pb.ServerFrame
		if proto.Unmarshal(b, &f) == nil && f.Closing != nil {
			if row, ok := link.ClosingOf(f.Closing.Code); ok && f.Closing.Retry == row.Retry && f.Closing.Text != "" {
				return "closing " + row.Code
			}
		}
		return strings.TrimSpace("binary " + string(b))
	case fin | opPing:
		return "ping"
	case fin | opPong:
		return strings.TrimSpace("pong " + string(b))
	case fin | opClose:
		if len(b) < 2 {
			return "close"
		}
		return fmt.Sprint("close ", binary.BigEndian.Uint16(b))
	}
	return fmt.Sprintf("a frame % x of %d bytes", head, size)
}

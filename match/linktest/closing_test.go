package linktest

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"google.golang.org/protobuf/proto"

	"github.com/fogkeep/fogkeep/match/link"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

var update = flag.Bool("update", false, "write the table of docs/reference/protocol.md")

// sentCodes are the codes that a source says it closes connections with.
var sentCodes = []*regexp.Regexp{
	regexp.MustCompile(`Refusal\{(?:Code: )?("?\w+"?)`),
	regexp.MustCompile(`code :?= ("\w+")`),
	regexp.MustCompile(`\.end\(("?\w+"?), `),
}

// Every code that a source of the server closes a connection with has a row in
// the table, and every row is used: by such a source, or by the lobby, whose codes
// come through the table.
func TestEveryClosingHasARow(t *testing.T) {
	used := map[string]bool{"refused": true} // for codes without a row
	for _, dir := range []string{"..", "../link", "../replayserver", "../../cmd/fogkeep"} {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, re := range sentCodes {
				for _, m := range re.FindAllSubmatch(src, -1) {
					code := strings.Trim(string(m[1]), `"`)
					switch code {
					case "codeEnded":
						code = "ended"
					case "code", "codes": // handed on
						continue
					}
					if dir == "../replayserver" && strings.HasPrefix(code, "err") { // a refusal that is written out there
						continue
					}
					if _, ok := link.ClosingOf(code); !ok {
						t.Errorf("%s closes connections with %q, which has no row", file, code)
					}
					used[code] = true
				}
			}
		}
	}
	lobby, err := os.ReadFile("../../lobby/model/code.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range link.Closings {
		if !used[row.Code] && !strings.Contains(string(lobby), `= "`+row.Code+`"`) {
			t.Errorf("%q is a row, and nobody sends it", row.Code)
		}
	}
	if len(used) < 15 {
		t.Errorf("found %d codes: the expressions no longer fit the sources", len(used))
	}
}

// The page and the code have the same list of codes.
func TestPageHasTheClosings(t *testing.T) {
	const page, begin, end = "../../docs/reference/protocol.md", "<!-- closings: made by go test ./match/linktest -run TestPageHasTheClosings -update -->\n", "<!-- end of closings -->\n"
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), begin)
	table, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	if table == closingsTable() {
		return
	}
	if !*update {
		t.Fatalf("%s has another table than the code: run go test ./match/linktest -run TestPageHasTheClosings -update", page)
	}
	if err := os.WriteFile(page, []byte(head+begin+closingsTable()+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A client that breaks a rule at a real socket gets the reason, in a message if the
// socket still takes it, and with the websocket's own status.
func TestSocketsAreClosedWithAReason(t *testing.T) {
	t.Parallel()
	patient := link.DefaultTimeouts
	patient.Hello = 5 * time.Minute // a busy machine sends late
	a := newHarness(t, patient)
	hello, second := firstHello(t), marshal(t, &pb.ClientFrame{Orders: []*pb.Order{{}}})
	binaryOf := func(b []byte) func(*websocket.Conn) error {
		return func(c *websocket.Conn) error { return c.WriteMessage(websocket.BinaryMessage, b) }
	}
	raw := func(b ...byte) func(*websocket.Conn) error {
		return func(c *websocket.Conn) error { _, err := c.NetConn().Write(b); return err }
	}
	endless := binary.BigEndian.AppendUint64([]byte{0x82, 0x80 | 127}, 1<<63)
	tests := []struct {
		name   string
		send   func(*websocket.Conn) error // nil: sends no message
		code   string                      // "": no message
		status int
	}{
		{"a text message", func(c *websocket.Conn) error { return c.WriteMessage(websocket.TextMessage, []byte("hello")) }, "text_message", 1003},
		{"no ClientFrame", binaryOf([]byte{0xff, 0xff}), "bad_message", 1007},
		{"more than a message", binaryOf(make([]byte, 64<<10)), "too_big", 1009},
		{"a length that is none", raw(append(endless, 0, 0, 0, 0)...), "bad_frame", 1002},
		{"reserved bits", raw(0xf2, 0x80, 0, 0, 0, 0), "", 1002},
		{"a frame that is not masked", raw(0x82, 1, 7), "", 1002},
		{"an order without number", binaryOf(second), "bad_message", 1007},
	}
	dial := func(address string) *websocket.Conn {
		t.Helper()
		c, r, err := websocket.DefaultDialer.Dial("ws://"+address+"/ws", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		t.Cleanup(func() { c.Close() })
		return c
	}
	// ends reads to the end, and returns its kind.
	ends := func(c *websocket.Conn) (*pb.Closing, error) {
		var last *pb.Closing
		c.SetReadDeadline(time.Now().Add(60 * time.Second))
		for {
			_, b, err := c.ReadMessage()
			if err != nil {
				return last, err
			}
			var f pb.ServerFrame
			if err := proto.Unmarshal(b, &f); err != nil {
				t.Fatal(err)
			}
			last = f.Closing
		}
	}
	check := func(name, code string, status int, c *websocket.Conn) {
		t.Helper()
		last, err := ends(c)
		if !websocket.IsCloseError(err, status) {
			t.Errorf("%s: ended with %v, want status %d", name, err, status)
		}
		switch {
		case code == "" && last != nil, code != "" && (last == nil || last.Code != code):
			t.Errorf("%s: told %v, want %q", name, last, code)
		case code != "" && (!last.Retry || last.Text == ""):
			t.Errorf("%s: told %v: the token is still good", name, last)
		}
	}
	for _, tt := range tests {
		c := dial(a.address)
		if err := tt.send(c); err != nil {
			t.Fatal(err)
		}
		check(tt.name+" before the hello", tt.code, tt.status, c)
	}
	hasty := link.DefaultTimeouts
	hasty.Hello = 300 * time.Millisecond
	check("no hello", "no_hello", 1008, dial(newHarness(t, hasty).address))
	// The same from a player with a seat, which stays its own.
	for _, tt := range tests {
		c := dial(a.address)
		if err := c.WriteMessage(websocket.BinaryMessage, hello); err != nil {
			t.Fatal(err)
		}
		var b []byte
		var err error
		a.during(func() { _, b, err = c.ReadMessage() })
		if err != nil {
			t.Fatalf("%s: after it no seat: %v", tt.name, err)
		}
		hello = helloBack(t, b)
		if err := tt.send(c); err != nil {
			t.Fatal(err)
		}
		a.during(func() { check(tt.name, tt.code, tt.status, c) })
	}
}

// A peer that sends on and on, and a peer that never closes in its turn, hold a
// connection only for the time of a goodbye.
func TestAClosedSocketIsNotHeldOpen(t *testing.T) {
	t.Parallel()
	c, err := net.Dial("tcp", newHarness(t, link.DefaultTimeouts).address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	flood := slices.Repeat([]byte{0x82, 0x84, 0, 0, 0, 0, 1, 2, 3, 4}, 400)
	go func() {
		for {
			if _, err := c.Write(flood); err != nil {
				return
			}
		}
	}()
	c.SetReadDeadline(time.Now().Add(60 * time.Second))
	_, _ = io.Copy(io.Discard, c)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it was open for %v", took)
	}
}

// closingsTable returns the codes as a table for people.
func closingsTable() string {
	var b strings.Builder
	b.WriteString("| `code` | websocket | `retry` | why |\n| --- | --- | --- | --- |\n")
	for _, r := range link.Closings {
		retry := "no"
		if r.Retry {
			retry = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s |\n", r.Code, r.Status, retry, r.Why)
	}
	return b.String()
}

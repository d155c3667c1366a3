package linktest

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/link"
)

// echoServer serves the product's socket with a loop that sends each message
// back, and ends it as a connection to a match ends. It returns the address.
func echoServer(t *testing.T, l net.Listener) string {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	var open sync.WaitGroup
	// The server does not wait for a handler whose connection became a socket.
	var mu sync.Mutex
	closed := false
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sock, err := link.Upgrade(w, r, log, link.DefaultTimeouts)
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if closed {
			sock.Close()
			return
		}
		open.Go(func() {
			sock.Seated()
			for {
				b, err := sock.Read()
				if err == nil {
					err = sock.Write(b)
				}
				if err == nil {
					continue
				}
				if no := link.FaultOf(err); no != nil {
					link.Dismiss(log, sock, no)
				}
				sock.Close()
				return
			}
		})
	})
	server := httptest.NewUnstartedServer(h)
	if l != nil {
		server.Listener.Close()
		server.Listener = l
	} else {
		server.Listener = keeping{listen.Listener(server.Listener, nil, nil, false, false)}
	}
	server.Start()
	t.Cleanup(func() {
		server.Close()
		mu.Lock()
		closed = true
		mu.Unlock()
		open.Wait()
	})
	return server.Listener.Addr().String()
}

// keeping accepts connections that can keep bytes that the kernel refuses, as the
// server's listener does, and reads them at any rate.
type keeping struct{ net.Listener }

func (l keeping) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return keepingConn{c, c.(*listen.Conn)}, nil
}

type keepingConn struct {
	net.Conn
	rest *listen.Conn
}

func (c keepingConn) KeepRest() bool                 { return c.rest.KeepRest() }
func (c keepingConn) Kept() int                      { return c.rest.Kept() }
func (c keepingConn) Flush(deadline time.Time) error { return c.rest.Flush(deadline) }

// octets sends byte by byte, frames one frame at a time.
const (
	octets = 1
	frames = -1
)

// conformance is one case of the Autobahn testsuite, by its number.
type conformance struct {
	id   string
	send []frame
	chop int // octets, frames, so many bytes, or 0: all at once
	// want has the server's frames until the end. If it does not close, the test does,
	// with 1000.
	want []string
	// why says how the socket differs from the suite's echo server.
	why string
}

const (
	tooBig   = "a message has at most 16 KiB here"
	noText   = "the protocol is binary: a text message ends the connection with 1003"
	aBinary  = "the same with binary messages"
	strictly = ""
)

var bad = []string{"close 1002"}

func repeat(n int, f ...frame) (out []frame) {
	for range n {
		out = append(out, f...)
	}
	return out
}

// fragments cuts a message.
func fragments(op byte, payload string, size int) (out []frame) {
	for len(payload) > size {
		out = append(out, part(op, payload[:size]))
		op, payload = opMore, payload[size:]
	}
	return append(out, whole(op, payload))
}

func cases() (all []conformance) {
	add := func(id string, chop int, why string, want []string, send ...frame) {
		all = append(all, conformance{id, send, chop, want, why})
	}
	one := func(payload string) []string {
		if len(payload) > 16<<10 {
			return []string{"closing too_big", "close 1009"}
		}
		return []string{strings.TrimSpace("binary " + payload)}
	}
	whyOf := func(n int) string {
		if n > 16<<10 {
			return tooBig
		}
		return strictly
	}
	closingText := []string{"closing text_message", "close 1003"}

	// 1: framing.
	for i, n := range []int{0, 125, 126, 127, 128, 65535, 65536, 65536} {
		chop := 0
		if i == 7 {
			chop = 997
		}
		p := strings.Repeat("*", n)
		add(fmt.Sprintf("1.1.%d", i+1), chop, noText, closingText, whole(opText, p))
		add(fmt.Sprintf("1.2.%d", i+1), chop, whyOf(n), one(strings.Repeat("\xfe", n)), whole(opBinary, strings.Repeat("\xfe", n)))
	}
	for n, id := range map[int]string{16 << 10: "1.2.6/the most", 16<<10 + 1: "1.2.6/one more"} {
		add(id, 0, whyOf(n), one(strings.Repeat("\xfe", n)), whole(opBinary, strings.Repeat("\xfe", n)))
	}

	// 2: pings and pongs.
	long := strings.Repeat("\xfe", 125)
	add("2.1", 0, strictly, []string{"pong"}, whole(opPing, ""))
	add("2.2", 0, strictly, []string{"pong Hello, world!"}, whole(opPing, "Hello, world!"))
	add("2.3", 0, strictly, []string{"pong \x00\xff\xfe\xfd\xfc\xfb\x00\xff"}, whole(opPing, "\x00\xff\xfe\xfd\xfc\xfb\x00\xff"))
	add("2.4", 0, strictly, []string{"pong " + long}, whole(opPing, long))
	add("2.5", 0, strictly, bad, whole(opPing, long+"\xfe"))
	add("2.6", octets, strictly, []string{"pong " + long}, whole(opPing, long))
	add("2.7", 0, strictly, nil, whole(opPong, ""))
	add("2.8", 0, strictly, nil, whole(opPong, "unsolicited pong payload"))
	add("2.9", 0, strictly, []string{"pong ping payload"}, whole(opPong, "unsolicited pong payload"), whole(opPing, "ping payload"))
	var pings []frame
	var pongs []string
	for i := range 10 {
		pings, pongs = append(pings, whole(opPing, fmt.Sprint("payload-", i))), append(pongs, fmt.Sprint("pong payload-", i))
	}
	add("2.10", 0, strictly, pongs, pings...)
	add("2.11", octets, strictly, pongs, pings...)

	// 3: reserved bits. Where the suite sends a text message first, there is a
	// case with a binary one too.
	rsv := func(bits, op byte, payload string) frame { return frame{fin | bits<<4 | op, []byte(payload)} }
	hello, ping := "Hello, world!", whole(opPing, "")
	echoed := []string{"binary " + hello, "close 1002"}
	add("3.1", 0, strictly, bad, rsv(1, opText, hello))
	for i, chop := range []int{0, frames, octets} {
		id := fmt.Sprintf("3.%d", i+2)
		bits := byte(i + 2)
		add(id, chop, noText, closingText, whole(opText, hello), rsv(bits, opText, hello), ping)
		add(id+"/binary", chop, aBinary, echoed, whole(opBinary, hello), rsv(bits, opBinary, hello), ping)
	}
	add("3.5", 0, strictly, bad, rsv(5, opBinary, strings.Repeat("\xff", 8)))
	add("3.6", 0, strictly, bad, rsv(6, opPing, hello))
	add("3.7", 0, strictly, bad, rsv(7, opClose, ""))

	// 4: reserved opcodes, of data and of control.
	for group, first := range []byte{3, 11} {
		for i := range byte(5) {
			id, payload := fmt.Sprintf("4.%d.%d", group+1, i+1), ""
			if i%2 == 1 || i == 4 {
				payload = "reserved opcode payload"
			}
			op := frame{fin | (first + i), []byte(payload)}
			if i < 2 {
				add(id, 0, strictly, bad, op)
				continue
			}
			chop := 0
			if i == 4 {
				chop = octets
			}
			add(id, chop, noText, closingText, whole(opText, hello), op, ping)
			add(id+"/binary", chop, aBinary, echoed, whole(opBinary, hello), op, ping)
		}
	}

	// 5: fragments.
	both := func(id string, chop int, want []string, send ...frame) {
		inText := slices.Clone(send)
		for i, f := range inText {
			if f.first&0xf == opBinary {
				inText[i].first ^= opBinary ^ opText
			}
		}
		// The server answers all messages before the first text frame.
		before := []string{}
		for _, w := range want {
			if strings.HasPrefix(w, "binary") || strings.HasPrefix(w, "pong") && send[0].first&0xf == opBinary {
				break
			}
			before = append(before, w)
		}
		if slices.Contains(before, "close 1002") && send[0].first&0xf != opBinary {
			add(id, chop, strictly, want, inText...)
		} else {
			add(id, chop, noText, closingText, inText...)
		}
		add(id+"/binary", chop, aBinary, want, send...)
	}
	add("5.1", 0, strictly, bad, part(opPing, "fragment1"), whole(opMore, "fragment2"))
	add("5.2", 0, strictly, bad, part(opPong, "fragment1"), whole(opMore, "fragment2"))
	joined := []string{"binary fragment1fragment2"}
	for i, chop := range []int{0, frames, octets} {
		both(fmt.Sprintf("5.%d", i+3), chop, joined, part(opBinary, "fragment1"), whole(opMore, "fragment2"))
		both(fmt.Sprintf("5.%d", i+6), chop, []string{"pong ping payload", joined[0]},
			part(opBinary, "fragment1"), whole(opPing, "ping payload"), whole(opMore, "fragment2"))
		both(fmt.Sprintf("5.%d", i+9), chop, bad, whole(opMore, "non-continuation payload"), whole(opBinary, hello))
		both(fmt.Sprintf("5.%d", i+12), chop, bad, part(opMore, "non-continuation payload"), whole(opBinary, hello))
	}
	both("5.15", 0, append(slices.Clone(joined), bad...), part(opBinary, "fragment1"), whole(opMore, "fragment2"), part(opMore, "fragment3"), whole(opBinary, "fragment4"))
	both("5.16", 0, bad, repeat(2, part(opMore, "fragment1"), part(opBinary, "fragment2"), whole(opMore, "fragment3"))...)
	both("5.17", 0, bad, repeat(2, whole(opMore, "fragment1"), part(opBinary, "fragment2"), whole(opMore, "fragment3"))...)
	both("5.18", 0, bad, part(opBinary, "fragment1"), whole(opBinary, "fragment2"))
	five := []frame{
		part(opBinary, "fragment1"), part(opMore, "fragment2"), whole(opPing, "pongme 1!"),
		part(opMore, "fragment3"), part(opMore, "fragment4"), whole(opPing, "pongme 2!"), whole(opMore, "fragment5"),
	}
	both("5.19", 0, []string{"pong pongme 1!", "pong pongme 2!", "binary fragment1fragment2fragment3fragment4fragment5"}, five...)
	both("5.20", frames, []string{"pong pongme 1!", "pong pongme 2!", "binary fragment1fragment2fragment3fragment4fragment5"}, five...)

	// 6: UTF-8. The server refuses all text, good or bad; as a binary message the same
	// bytes are no text and come back.
	add("6.1.1", 0, noText, closingText, whole(opText, ""))
	add("6.1.2", 0, noText, closingText, part(opText, ""), part(opMore, ""), whole(opMore, ""))
	add("6.1.3", 0, noText, closingText, part(opText, ""), part(opMore, "middle frame payload"), whole(opMore, ""))
	valid, invalid := "Hello-\u00b5@\u00df\u00f6\u00e4\u00fc\u00e0\u00e1-UTF-8!!", "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80\x65\x64\x69\x74\x65\x64"
	utf8 := func(id string, chop int, payload string, size int) {
		add(id, chop, noText, closingText, fragments(opText, payload, size)...)
		add(id+"/binary", chop, aBinary, one(payload), fragments(opBinary, payload, size)...)
	}
	utf8("6.2.1", 0, valid, 1<<10)
	utf8("6.2.2", 0, valid, 15)
	utf8("6.2.3", 0, valid, 1)
	utf8("6.2.4", 0, "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5", 1)
	utf8("6.3.1", 0, invalid, 1<<10)
	utf8("6.3.2", 0, invalid, 1)
	// It has the number 0x110000 in it, which is no code point. It comes in three
	// frames or in pieces of one frame, cut around that number, or at the byte that
	// shows that it is wrong.
	late := "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xf4\x90\x80\x80\x65\x64\x69\x74\x65\x64"
	for i, cut := range [][2]int{{11, 15}, {12, 13}} {
		parts := func(op byte) []frame {
			return []frame{part(op, late[:cut[0]]), part(opMore, late[cut[0]:cut[1]]), whole(opMore, late[cut[1]:])}
		}
		id := fmt.Sprintf("6.4.%d", i+1)
		add(id, frames, noText, closingText, parts(opText)...)
		add(id+"/binary", frames, aBinary, one(late), parts(opBinary)...)
		utf8(fmt.Sprintf("6.4.%d", i+3), 6+cut[0], late, 1<<10) // a frame has 6 bytes before its payload
	}
	for i, payloads := range utf8Cases() {
		for j, p := range payloads {
			utf8(fmt.Sprintf("6.%d.%d", i+5, j+1), 0, p, 1<<10)
		}
	}

	// 7: the end.
	bye := closeFrame(1000, "")
	add("7.1.1", 0, noText, closingText, whole(opText, hello), bye)
	add("7.1.1/binary", 0, aBinary, []string{"binary " + hello, "close 1000"}, whole(opBinary, hello), bye)
	add("7.1.2", 0, strictly, []string{"close 1000"}, bye, bye)
	add("7.1.3", 0, strictly, []string{"close 1000"}, bye, ping)
	add("7.1.4", 0, strictly, []string{"close 1000"}, bye, whole(opText, hello))
	add("7.1.5", 0, noText, closingText, part(opText, "fragment1"), bye, whole(opMore, "fragment2"))
	add("7.1.5/binary", 0, aBinary, []string{"close 1000"}, part(opBinary, "fragment1"), bye, whole(opMore, "fragment2"))
	many := strings.Repeat("BAsd7&jh23", 26214) + "BAsd"
	add("7.1.6", 0, noText, closingText, whole(opText, many), whole(opText, hello), bye, ping)
	add("7.1.6/binary", 0, tooBig, []string{"closing too_big", "close 1009"}, whole(opBinary, many), whole(opBinary, hello), bye, ping)
	add("7.3.1", 0, strictly, []string{"close"}, whole(opClose, ""))
	add("7.3.2", 0, "the library takes a payload of one byte for none, and does not show it to us: it answers with an empty close frame, where 1002 would be right",
		[]string{"close"}, whole(opClose, "a"))
	add("7.3.3", 0, strictly, []string{"close 1000"}, bye)
	add("7.3.4", 0, strictly, []string{"close 1000"}, closeFrame(1000, hello))
	add("7.3.5", 0, strictly, []string{"close 1000"}, closeFrame(1000, strings.Repeat("*", 123)))
	add("7.3.6", 0, strictly, bad, closeFrame(1000, strings.Repeat("*", 124)))
	add("7.5.1", 0, strictly, bad, closeFrame(1000, invalid))
	for i, status := range []int{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999} {
		add(fmt.Sprintf("7.7.%d", i+1), 0, strictly, []string{fmt.Sprint("close ", status)}, closeFrame(status, ""))
	}
	for i, status := range []int{0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999} {
		add(fmt.Sprintf("7.9.%d", i+1), 0, strictly, bad, closeFrame(status, ""))
	}
	const younger = "registered after the suite was written; the library does not know 1014"
	for status, want := range map[int][]string{1012: {"close 1012"}, 1013: {"close 1013"}, 1014: bad, 1015: bad} {
		add(fmt.Sprintf("7.9/%d", status), 0, younger, want, closeFrame(status, ""))
	}
	add("7.13.1", 0, strictly, bad, closeFrame(5000, ""))
	add("7.13.2", 0, strictly, bad, closeFrame(65535, ""))

	// 9: limits. The suite wants large messages echoed, we want them refused.
	large := []string{"closing too_big", "close 1009"}
	for i, n := range []int{64 << 10, 256 << 10, 1 << 20, 4 << 20, 8 << 20, 16 << 20} {
		p := strings.Repeat("*", n)
		add(fmt.Sprintf("9.1.%d", i+1), 0, noText, closingText, whole(opText, p))
		add(fmt.Sprintf("9.2.%d", i+1), 0, tooBig, large, whole(opBinary, p))
	}
	for i, size := range []int{64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20} {
		p := strings.Repeat("*", 4<<20)
		add(fmt.Sprintf("9.3.%d", i+1), 0, noText, closingText, fragments(opText, p, size)...)
		add(fmt.Sprintf("9.4.%d", i+1), 0, tooBig, large, fragments(opBinary, p, size)...)
		if size <= 16<<10 {
			add(fmt.Sprintf("9.4.%d/the most", i+1), 0, "with as much as a message may have", one(p[:16<<10]), fragments(opBinary, p[:16<<10], size)...)
		}
	}
	for i, chop := range []int{64, 128, 256, 512, 1 << 10, 2 << 10} {
		p := strings.Repeat("*", 1<<20)
		add(fmt.Sprintf("9.5.%d", i+1), chop, noText, closingText, whole(opText, p))
		add(fmt.Sprintf("9.6.%d", i+1), chop, tooBig, large, whole(opBinary, p))
		add(fmt.Sprintf("9.6.%d/the most", i+1), chop, "with as much as a message may have", one(p[:16<<10]), whole(opBinary, p[:16<<10]))
	}
	for i, n := range []int{0, 16, 64, 256, 1 << 10, 4 << 10} {
		p := strings.Repeat("*", n)
		add(fmt.Sprintf("9.7.%d", i+1), 0, noText, closingText, repeat(1000, whole(opText, p))...)
		add(fmt.Sprintf("9.8.%d", i+1), 0, strictly, slices.Repeat(one(p), 1000), repeat(1000, whole(opBinary, p))...)
	}

	// 10: fragments by the sender's own choice.
	add("10.1.1", 0, noText, closingText, fragments(opText, strings.Repeat("*", 65536), 1300)...)
	add("10.1.1/binary", 0, tooBig, large, fragments(opBinary, strings.Repeat("*", 65536), 1300)...)
	add("10.1.1/the most", 0, "with as much as a message may have", one(strings.Repeat("*", 16<<10)), fragments(opBinary, strings.Repeat("*", 16<<10), 1300)...)
	return all
}

// utf8Cases are the payloads of the cases 6.5 to 6.23: good and bad UTF-8, group
// by group.
func utf8Cases() [][]string {
	kosme := "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5"
	var prefixes []string
	for n := range len(kosme) {
		prefixes = append(prefixes, kosme[:n+1])
	}
	lonely := func(from, to byte) (out string) { // without the last of each group
		for b := from; b < to; b++ {
			out += string([]byte{b, ' '})
		}
		return out
	}
	var continuations []byte
	for b := byte(0x80); b < 0xbf; b++ {
		continuations = append(continuations, b)
	}
	cut := []string{
		"\xc0", "\xe0\x80", "\xf0\x80\x80", "\xf8\x80\x80\x80", "\xfc\x80\x80\x80\x80",
		"\xdf", "\xef\xbf", "\xf7\xbf\xbf", "\xfb\xbf\xbf\xbf", "\xfd\xbf\xbf\xbf\xbf",
	}
	unexpected := []string{"\x80", "\xbf"}
	for n := 2; n <= 6; n++ {
		unexpected = append(unexpected, strings.Repeat("\x80\xbf", 3)[:n])
	}
	pairs := []string{}
	for _, high := range []string{"\xed\xa0\x80", "\xed\xad\xbf", "\xed\xae\x80", "\xed\xaf\xbf"} {
		pairs = append(pairs, high+"\xed\xb0\x80", high+"\xed\xbf\xbf")
	}
	nobody := []string{"\ufffe", "\uffff"}
	for plane := rune(1); plane <= 16; plane++ {
		nobody = append(nobody, string(plane<<16|0xfffe), string(plane<<16|0xffff))
	}
	return [][]string{
		{"hello$world", "hello\u00a2world", "hello\u20acworld", "hello\U00024b62world", kosme},
		prefixes,
		{"\x00", "\u0080", "\u0800", "\U00010000"},
		{"\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80"},
		{"\x7f", "\u07ff", "\uffff", "\U0010ffff"},
		{"\xf7\xbf\xbf\xbf", "\xfb\xbf\xbf\xbf\xbf", "\xfd\xbf\xbf\xbf\xbf\xbf"},
		{"\ud7ff", "\ue000", "\ufffd", "\U0010ffff", "\xf4\x90\x80\x80"},
		append(unexpected, string(continuations)),
		{lonely(0xc0, 0xdf), lonely(0xe0, 0xef), lonely(0xf0, 0xf7), lonely(0xf8, 0xfb), lonely(0xfc, 0xfd)},
		cut,
		{strings.Join(cut, "")},
		{"\xfe", "\xff", "\xfe\xfe\xff\xff"},
		{"\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xf8\x80\x80\x80\xaf", "\xfc\x80\x80\x80\x80\xaf"},
		{"\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf8\x87\xbf\xbf\xbf", "\xfc\x83\xbf\xbf\xbf\xbf"},
		{"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xf8\x80\x80\x80\x80", "\xfc\x80\x80\x80\x80\x80"},
		{"\xed\xa0\x80", "\xed\xad\xbf", "\xed\xae\x80", "\xed\xaf\xbf", "\xed\xb0\x80", "\xed\xbe\x80", "\xed\xbf\xbf"},
		pairs,
		nobody,
		{"\ufff9", "\ufffa", "\ufffb", "\ufffc", "\ufffd", "\ufffe", "\uffff"},
	}
}

// trimmed is a list of messages, short enough to read.
func trimmed(list []string) string {
	var out []string
	for i, s := range list {
		if i == 12 {
			out = append(out, fmt.Sprintf("and %d more", len(list)-i))
			break
		}
		out = append(out, fmt.Sprintf("%.40q (%d)", s, len(s)))
	}
	return strings.Join(out, ", ")
}

// run plays a case and returns the server's frames.
func (c *conformance) run(t *testing.T, address string) (got []string) {
	t.Helper()
	s, res := dialRaw(t, address)
	if res.StatusCode != http.StatusSwitchingProtocols {
		t.Fatal(res.Status)
	}
	sent := make(chan struct{})
	closes := slices.ContainsFunc(c.want, func(w string) bool { return strings.HasPrefix(w, "close") })
	go func() {
		defer close(sent)
		send := c.send
		if !closes {
			send = append(slices.Clone(send), closeFrame(1000, ""))
		}
		if c.chop != frames {
			_ = s.send(c.chop, send...) // a closed connection can send no more
			return
		}
		for _, f := range send {
			if s.send(0, f) != nil {
				return
			}
			time.Sleep(time.Millisecond) // each frame comes in a packet of its own
		}
	}()
	for next := s.next(); next != "end"; next = s.next() {
		if next != "ping" {
			got = append(got, next)
		}
		if strings.HasPrefix(next, "close") {
			_ = s.Conn.(*net.TCPConn).CloseWrite()
		}
	}
	s.Close()
	<-sent
	if n := len(got); !closes && n > 0 && got[n-1] == "close 1000" {
		got = got[:n-1]
	}
	return got
}

// The product's socket against the case list of the Autobahn testsuite. Cases without an
// answer in data are also tried with a match's socket before its hello.
func TestWebsocketConformance(t *testing.T) {
	echo := echoServer(t, nil)
	w := link.DefaultTimeouts
	w.Hello = 5 * time.Minute // on a busy machine a peer that sends byte by byte takes long
	real := newHarness(t, w).address
	seen := map[string]bool{}
	for _, c := range cases() {
		if seen[c.id] {
			t.Errorf("there are two cases %s", c.id)
		}
		seen[c.id] = true
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			if got := c.run(t, echo); !slices.Equal(got, c.want) {
				t.Errorf("an echo: %s, want %s (%s)", trimmed(got), trimmed(c.want), c.why)
			}
			if slices.ContainsFunc(c.want, func(w string) bool { return strings.HasPrefix(w, "binary") }) {
				return
			}
			if got := c.run(t, real); !slices.Equal(got, c.want) {
				t.Errorf("a match's socket: %s, want %s (%s)", trimmed(got), trimmed(c.want), c.why)
			}
		})
	}
	if len(seen) < 450 {
		t.Errorf("%d cases", len(seen))
	}
}

// In place of the groups 12 and 13, whose cases are sizes and parameters of compressed
// messages: the server agrees to no offer of compression, and a compressed message ends
// the connection.
func TestWebsocketsAreNotCompressed(t *testing.T) {
	echo := echoServer(t, nil)
	for _, offer := range []string{
		"permessage-deflate",
		"permessage-deflate; client_no_context_takeover",
		"permessage-deflate; server_no_context_takeover; client_no_context_takeover",
		"permessage-deflate; client_max_window_bits",
		"permessage-deflate; client_max_window_bits=9; server_max_window_bits=9",
		"permessage-deflate; server_max_window_bits=8; server_no_context_takeover, permessage-deflate; client_max_window_bits",
		"x-webkit-deflate-frame", "permessage-bzip2", "permessage-deflate; nonsense=1", ",,;",
	} {
		for _, compressed := range []bool{false, true} {
			s, res := dialRaw(t, echo, "Sec-WebSocket-Extensions: "+offer)
			if res.StatusCode != http.StatusSwitchingProtocols || len(res.Header["Sec-Websocket-Extensions"]) != 0 {
				t.Errorf("%s: %s, agreed on %q", offer, res.Status, res.Header["Sec-Websocket-Extensions"])
				continue
			}
			f, want := whole(opBinary, "plain"), "binary plain"
			if compressed {
				f, want = frame{fin | 4<<4 | opBinary, []byte("\xf2\x48\xcd\xc9\xc9\x07\x00")}, "close 1002"
			}
			if err := s.send(0, f); err != nil {
				t.Fatal(err)
			}
			if got := s.next(); got != want {
				t.Errorf("%s, compressed %v: %q, want %q", offer, compressed, got, want)
			}
			s.Close()
		}
	}
}

// A request that is no handshake is answered in HTTP.
func TestWebsocketHandshake(t *testing.T) {
	echo := echoServer(t, nil)
	for name, change := range map[string]struct {
		old, new string
		status   int
	}{
		"as it should be": {"", "", 101},
		"another version": {"Sec-WebSocket-Version: 13", "Sec-WebSocket-Version: 8", 400},
		"no key":          {"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n", "", 400},
		"a short key":     {"dGhlIHNhbXBsZSBub25jZQ==", "c2hvcnQ=", 400},
		"no upgrade":      {"Upgrade: websocket\r\n", "", 400},
		"a POST":          {"GET ", "POST ", 405},
	} {
		c, err := net.Dial("tcp", echo)
		if err != nil {
			t.Fatal(err)
		}
		request := "GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
		if _, err := c.Write([]byte(strings.Replace(request, change.old, change.new, 1))); err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(60 * time.Second))
		line := make([]byte, 12)
		if _, err := c.Read(line); err != nil || string(line) != fmt.Sprint("HTTP/1.1 ", change.status) {
			t.Errorf("%s: %q, %v", name, line, err)
		}
		c.Close()
	}
}

package listen

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/internal/quota"
)

func ledger(t *testing.T, changes ...string) *quota.Ledger {
	t.Helper()
	limits, err := quota.Defaults().Set(changes)
	if err != nil {
		t.Fatal(err)
	}
	return quota.New(limits)
}

// refuse answers as the API does, in fewer words.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusTooManyRequests
	if err == ErrInternal {
		status = http.StatusInternalServerError
	}
	http.Error(w, err.Error(), status)
}

// serve serves h on loopback as cmd does and returns its address.
func serve(t *testing.T, h http.Handler, l *quota.Ledger, admin bool, change ...func(*http.Server)) string {
	t.Helper()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := NewHTTPServer(Handler(h, Config{Ledger: l, Admin: admin, Refuse: refuse, Logger: slog.New(slog.DiscardHandler), WriteWait: time.Second}))
	for _, f := range change {
		f(s)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(Listener(tcp, l, nil, admin, true)) }()
	t.Cleanup(func() { s.Close(); <-done })
	return tcp.Addr().String()
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(60 * time.Second))
	return c
}

func ok(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }

func TestSlowAndLargeHeaders(t *testing.T) {
	s := NewHTTPServer(http.NewServeMux())
	if s.ReadHeaderTimeout <= 0 || s.ReadHeaderTimeout > 10*time.Second || s.ReadTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Fatalf("limits %+v", s)
	}
	addr := serve(t, http.HandlerFunc(ok), nil, false, func(s *http.Server) { s.ReadHeaderTimeout = 150 * time.Millisecond })
	slow := dial(t, addr)
	fmt.Fprint(slow, "GET /api/maps HTTP/1.1\r\nHost: x\r\nX-Slow: ")
	if _, err := io.ReadAll(slow); err != nil {
		t.Errorf("a client that never ends its header is not let go: %v", err)
	}
	req, _ := http.NewRequest("GET", "http://"+addr+"/", nil)
	req.Header.Set("X-Large", strings.Repeat("x", 64<<10))
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("large header: %d", res.StatusCode)
		}
	}
}

// Connections beyond the limit are told why and closed, and each place is free
// again once its connection has ended. Admins have the reserve.
func TestConnectionsAreCounted(t *testing.T) {
	l := ledger(t, "connections.address=10", "connections.reserve=50")
	players, admins := serve(t, http.HandlerFunc(ok), l, false), serve(t, http.HandlerFunc(ok), l, true)
	var open []net.Conn
	for range 5 {
		open = append(open, dial(t, players))
	}
	eventually.Holds(t, "five connections are counted", func() bool { return l.Held(quota.Connections) == 5 })
	text, _ := io.ReadAll(dial(t, players))
	if got := string(text); !strings.Contains(got, "503") || !strings.Contains(got, "Retry-After: 5") || !strings.Contains(got, "too many open connections for your address: at most 5 at once") {
		t.Errorf("the sixth was told %q", got)
	}
	admin := dial(t, admins)
	fmt.Fprint(admin, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if text, _ := io.ReadAll(admin); !strings.Contains(string(text), "200 OK") {
		t.Errorf("an admin beside a flood of players was told %q", text)
	}
	for _, c := range open {
		c.Close()
	}
	eventually.Holds(t, "the places are free again", func() bool { return l.Held(quota.Connections) == 0 })
}

// A client that asks for much and does not read is let go, with any further requests.
func TestClientThatDoesNotReadIsClosed(t *testing.T) {
	l := ledger(t)
	large := bytes.Repeat([]byte("fog"), 16<<20)
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "large", time.Time{}, bytes.NewReader(large))
	}), l, false)
	c := dial(t, addr)
	for range 8 {
		fmt.Fprint(c, "GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
	}
	eventually.Holds(t, "the connection is counted", func() bool { return l.Held(quota.Connections) == 1 })
	eventually.Holds(t, "the connection of a client that reads nothing ends", func() bool { return l.Held(quota.Connections) == 0 })
}

// A client that reads, however slowly, gets the whole answer.
func TestSlowReaderGetsAll(t *testing.T) {
	const size = 16 << 20
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range size / (64 << 10) {
			w.Write(make([]byte, 64<<10))
		}
	}), nil, false)
	c := dial(t, addr)
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReaderSize(c, 256<<10), nil)
	if err != nil {
		t.Fatal(err)
	}
	total, begun := 0, time.Now()
	for b := make([]byte, 256<<10); ; {
		n, err := res.Body.Read(b)
		if total += n; err != nil {
			break
		}
		time.Sleep(25 * time.Millisecond) // a slow client
	}
	if total != size || time.Since(begun) < 1200*time.Millisecond {
		t.Errorf("%d of %d bytes came in %v", total, size, time.Since(begun))
	}
}

func TestRequestsAreCountedOnEveryPath(t *testing.T) {
	l := ledger(t, "requests.address=20", "requests.reserve=50", "refusals.address=120")
	addr, admin := serve(t, http.HandlerFunc(ok), l, false), serve(t, http.HandlerFunc(ok), l, true)
	served := 0
	var last *http.Response
	for i := range 30 {
		res, err := http.Get("http://" + addr + []string{"/", "/maps/x", "/ws", "/api/maps"}[i%4])
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if last = res; res.StatusCode == 200 {
			served++
		}
	}
	if served < 10 || served > 12 || last.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%d were served, the last got %d", served, last.StatusCode)
	}
	res, err := http.Get("http://" + admin + "/")
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != 200 {
		t.Errorf("an admin beside a flood: %v", res)
	}
}

// Guard: [writer.slow]. The first refusals of a client are answered at once, further ones
// late, and with too many that wait the connection is closed. A client that hangs up frees its
// place.
func TestRefusalsAreSlow(t *testing.T) {
	l := ledger(t, "requests.address=1", "requests.reserve=0", "refusals.address=2", "slow-refusals.address=1")
	server := func(wait time.Duration) string {
		s := httptest.NewServer(Handler(http.HandlerFunc(ok), Config{Ledger: l, Refuse: refuse, Logger: slog.New(slog.DiscardHandler), RefusalWait: wait}))
		t.Cleanup(s.Close)
		return s.URL
	}
	get := func(ctx context.Context, url string) string {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return "no answer"
		}
		res.Body.Close()
		return res.Status[:3]
	}
	forever, soon := server(time.Hour), server(time.Nanosecond)
	for i, want := range []string{"200", "429", "429"} {
		if got := get(t.Context(), forever); got != want {
			t.Errorf("request %d: %s, want %s", i, got, want)
		}
	}
	if got := get(t.Context(), soon); got != "429" {
		t.Errorf("after the wait: %s", got)
	}
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	held := make(chan string)
	go func() { held <- get(ctx, forever) }()
	waits := func(n int64) {
		t.Helper()
		eventually.Holds(t, fmt.Sprintf("%d answers wait", n), func() bool { return l.Held(quota.SlowRefusals) == n })
	}
	waits(1)
	if got := get(t.Context(), soon); got != "no answer" {
		t.Errorf("with too many that wait: %s", got)
	}
	hangUp()
	if got := <-held; got != "no answer" {
		t.Errorf("the answer that waits for an hour: %s", got)
	}
	waits(0)
	if got := get(t.Context(), soon); got != "429" {
		t.Errorf("after one has hung up: %s", got)
	}
}

// Bodies are paid for by their size before they begin. A refusal is a whole, other answer.
func TestResponseBytesAreCounted(t *testing.T) {
	l := ledger(t, "response-bytes.address=100000", "response-bytes.process=0", "response-bytes.reserve=0")
	body := bytes.Repeat([]byte("x"), 40000)
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		http.ServeContent(w, r, "asset", time.Time{}, bytes.NewReader(body))
	}), l, false)
	for i, want := range []int{200, 200, 429} {
		res, err := http.Get("http://" + addr + "/asset")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if res.Body.Close(); err != nil || res.StatusCode != want {
			t.Fatalf("answer %d: %d, %v", i, res.StatusCode, err)
		}
		if want == 429 && (!strings.Contains(string(text), "too many bytes of pages and maps for your address") || res.Header.Get("Cache-Control") != "") {
			t.Errorf("the refusal is %q, %v", text, res.Header)
		}
	}
	res, err := http.Head("http://" + addr + "/asset")
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != 200 {
		t.Errorf("a HEAD, which has no body: %v", res)
	}
}

// A panic ends one request. The client learns only that it happened.
func TestAPanicEndsOneRequest(t *testing.T) {
	addr := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/late" {
			w.WriteHeader(200)
			w.(http.Flusher).Flush()
		}
		if r.URL.Path != "/" {
			panic("secret words")
		}
		ok(w, r)
	}), nil, false)
	res, err := http.Get("http://" + addr + "/early")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	if res.Body.Close(); res.StatusCode != 500 || strings.Contains(string(text), "secret") {
		t.Errorf("a panic is answered %d %q", res.StatusCode, text)
	}
	if res, err := http.Get("http://" + addr + "/late"); err == nil {
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Error("an answer that broke off looks complete")
		}
		res.Body.Close()
	}
	res, err = http.Get("http://" + addr + "/")
	if err != nil {
		t.Fatal(err)
	}
	if res.Body.Close(); res.StatusCode != 200 {
		t.Errorf("the request after it: %d", res.StatusCode)
	}
}

// Bytes beyond the rate wait in the peer.
func TestReadsAreLimited(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	c := &Conn{Conn: b}
	defer c.Close()
	c.LimitReads(100_000, 1000)
	go a.Write(make([]byte, 20_000))
	begun := time.Now()
	for total := 0; total < 20_000; {
		n, err := c.Read(make([]byte, 4096))
		if total += n; err != nil || n > 1000 {
			t.Fatalf("%d bytes at once, %v", n, err)
		}
	}
	if took := time.Since(begun); took < 150*time.Millisecond {
		t.Errorf("20,000 bytes at 100,000 a second took %v", took)
	}
}

func TestOrigins(t *testing.T) {
	named, err := ParseOrigins([]string{"https://play.example.org", "", "https://play.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	nodes := func() []string { return []string{"", "https://n2.example.org/path", ":", "http://127.0.0.1:8082"} }
	for _, c := range []struct {
		origins        *Origins
		origin, site   string
		want           bool
		sharedWithPage bool
	}{
		{nil, "", "", true, false},                                                // no browser
		{nil, "http://game.test", "", true, false},                                // its own page
		{nil, "", "same-origin", true, false},                                     //
		{nil, "http://internal:8080", "same-origin", true, false},                 // behind a proxy that rewrites Host
		{nil, "https://play.example.org", "", false, false},                       //
		{nil, "null", "", false, false},                                           // a sandboxed frame
		{named, "https://play.example.org", "cross-site", true, true},             //
		{named, "https://evil.example.org", "cross-site", false, false},           //
		{named, "https://play.example.org.evil.test", "cross-site", false, false}, //
		{named.And(nodes), "https://play.example.org", "cross-site", true, true},  //
		{named.And(nodes), "https://n2.example.org", "cross-site", true, false},   // a page of another server of the service
		{named.And(nodes), "http://n2.example.org", "cross-site", false, false},   // of another origin
		{named.And(nodes), "http://127.0.0.1:8082", "cross-site", true, false},    //
		{named.And(nodes), "http://127.0.0.1:8083", "cross-site", false, false},   //
		{named.And(nodes), "null", "cross-site", false, false},                    //
		{named.And(nodes), "", "cross-site", false, false},                        // the address that is empty
		{(*Origins)(nil).And(nodes), "https://n2.example.org", "", true, false},   //
		{(*Origins)(nil).And(nodes), "https://play.example.org", "", false, false},
	} {
		r := httptest.NewRequest("GET", "http://game.test/ws", nil)
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if got := c.origins.Allows(r); got != c.want {
			t.Errorf("%+v: allowed %v", c, got)
		}
		w := httptest.NewRecorder()
		c.origins.Share(http.HandlerFunc(ok)).ServeHTTP(w, r)
		if got := w.Header().Get("Access-Control-Allow-Origin"); (got == c.origin && c.origin != "") != c.sharedWithPage {
			t.Errorf("%+v: shared with %q", c, got)
		}
	}
	for _, bad := range []string{"play.example.org", "https://play.example.org/", "ftp://x", "https://", "*"} {
		if _, err := ParseOrigins([]string{bad}); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// crowded is a listener at which a connection always waits.
type crowded struct{ net.Listener }

func (crowded) Accept() (net.Conn, error) { return &net.TCPConn{}, nil }

// TestAcceptGivesOthersATurn: connections that come at once do not all get a goroutine before the first has run.
func TestAcceptGivesOthersATurn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l := Listener(crowded{}, nil, nil, false, true)
	var served atomic.Int32
	for n := range int32(200) {
		if _, err := l.Accept(); err != nil {
			t.Fatal(err)
		}
		if waiting := n - served.Load(); waiting > 2 {
			t.Fatalf("%d of %d have not had a turn", waiting, n)
		}
		go served.Add(1)
	}
}

// bound is a listener that has an address.
type bound struct {
	net.Listener
	at net.TCPAddr
}

func (b *bound) Addr() net.Addr { return &b.at }

// TestNetworkURLs: a listener on all addresses has this machine's others, one on a single address or with TLS has none.
func TestNetworkURLs(t *testing.T) {
	all := &bound{at: net.TCPAddr{IP: net.IPv4zero, Port: 8123}}
	urls := (&Server{listener: all}).NetworkURLs()
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, a := range own {
		ip := a.(*net.IPNet).IP
		if ip.To4() == nil || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
			continue
		}
		if want++; want <= 3 && !slices.Contains(urls, "http://"+ip.String()+":8123") {
			t.Errorf("%s is not in %v", ip, urls)
		}
	}
	if len(urls) != min(want, 3) {
		t.Errorf("%d of %d addresses: %v", len(urls), want, urls)
	}
	if urls := (&Server{listener: all, Certificate: "cert.pem"}).NetworkURLs(); urls != nil {
		t.Errorf("with TLS: %v", urls)
	}
	one := &bound{at: net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8123}}
	if urls := (&Server{listener: one}).NetworkURLs(); urls != nil {
		t.Errorf("one address: %v", urls)
	}
}

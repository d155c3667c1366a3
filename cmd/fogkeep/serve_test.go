package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
)

// output gathers what a command prints while it runs.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// testServer is a `fogkeep serve` on free ports.
type testServer struct {
	out, errs *output
	stop      context.CancelFunc
	code      chan int
}

// start runs serve and waits until it has said where it is.
func start(t *testing.T, dir string, args ...string) *testServer {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s := &testServer{out: &output{}, errs: &output{}, stop: cancel, code: make(chan int, 1)}
	args = append([]string{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0", "--data-dir", dir}, args...)
	go func() { s.code <- run(ctx, args, s.out, s.errs) }()
	t.Cleanup(func() { s.end(t) })
	eventually.Holds(t, "serve prints its addresses", func() bool { return strings.Contains(s.out.String(), "metrics") }, s.out, s.errs)
	return s
}

// end interrupts the server and returns its exit code.
func (s *testServer) end(t *testing.T) int {
	t.Helper()
	s.stop()
	select {
	case code := <-s.code:
		s.code <- code
		return code
	case <-time.After(3 * time.Minute):
		t.Fatal("serve does not stop")
		return -1
	}
}

func (s *testServer) url(t *testing.T, name string) string {
	t.Helper()
	m := regexp.MustCompile(name + ` +(http\S+)`).FindStringSubmatch(s.out.String())
	if m == nil {
		t.Fatalf("no %s URL in:\n%s", name, s.out)
	}
	return m[1]
}

// firstPassword is the first admin's password, which the first start writes to a file.
func (s *testServer) firstPassword(t *testing.T) string {
	t.Helper()
	m := regexp.MustCompile(`admin password +in (.+)`).FindStringSubmatch(s.out.String())
	if m == nil {
		t.Fatalf("no admin password at the first start:\n%s", s.out)
	}
	b, err := os.ReadFile(m[1])
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(m[1])
	if err != nil || info.Mode() != 0o600 || len(b) < 17 || b[len(b)-1] != '\n' {
		t.Fatalf("the file of the admin password has the mode %v and %d bytes, %v", info.Mode(), len(b), err)
	}
	return strings.TrimSpace(string(b))
}

func get(t *testing.T, url string) (int, string, http.Header) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b), r.Header
}

func TestServeAnswersOnThreeListenersAndStops(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, dir)
	play, admin, metrics := s.url(t, "play"), s.url(t, "admin"), s.url(t, "metrics")
	if _, port, _ := strings.Cut(play, "127.0.0.1"); !strings.Contains(s.out.String(), "SQLite") || !strings.Contains(s.out.String(), "--addr 0.0.0.0"+port+" opens it") {
		t.Errorf("the start lines do not name the store, or the address that opens the server:\n%s", s.out)
	}
	for _, c := range []struct {
		url  string
		code int
		has  string
	}{
		{play + "/readyz", 200, "ok"},
		{play + "/", 200, "<!doctype html>"},
		{play + "/api/maps", 200, `"hash"`},
		{play + "/maps/" + strings.Repeat("0", 64), 404, ""},
		{play + "/maps/short", 400, "hexadecimal"},
		{play + "/admin/api/lobbies", 404, ""}, // the admins' API is not on the players' listener
		{play + "/admin.html", 404, ""},
		{play + "/metrics", 404, ""},
		{admin + "/", 200, "<!doctype html>"},
		{admin + "/admin/api/matches", 401, ""},
		{admin + "/api/lobbies", 404, ""},
		{metrics, 200, "go_goroutines"},
	} {
		code, body, _ := get(t, c.url)
		if code != c.code || !strings.Contains(strings.ToLower(body), c.has) {
			t.Errorf("GET %s = %d %.200q, want %d with %q", c.url, code, body, c.code, c.has)
		}
	}
	if code, out, errs := fogkeep(t, "ready", "--addr", strings.TrimPrefix(play, "http://")); code != 0 || out != "ready\n" {
		t.Errorf("ready: exit code %d, %s%s", code, out, errs)
	}
	if code, _, errs := fogkeep(t, "ready", "--addr", strings.TrimPrefix(admin, "http://")+"0"); code != 1 || !strings.Contains(errs, "no server answers") {
		t.Errorf("ready without a server: exit code %d, %s", code, errs)
	}
	_, body, _ := get(t, play+"/api/maps")
	hash := regexp.MustCompile(`"hash": ?"([0-9a-f]{64})"`).FindStringSubmatch(body)
	if hash == nil {
		t.Fatalf("maps: %s", body)
	}
	if code, b, h := get(t, play+"/maps/"+hash[1]); code != 200 || !strings.HasPrefix(b, "fogkmap") || !strings.Contains(h.Get("Cache-Control"), "immutable") {
		t.Errorf("map = %d %.20q %v", code, b, h)
	}
	whole, part, none := mapAs(t, play+"/maps/"+hash[1], "gzip, br", ""), mapAs(t, play+"/maps/"+hash[1], "gzip", "bytes=0-6"), mapAs(t, play+"/maps/"+hash[1], "gzip;q=0", "")
	if whole.Header.Get("Content-Encoding") != "gzip" || whole.Header.Get("Vary") != "Accept-Encoding" || whole.ContentLength <= 0 || 4*whole.ContentLength > none.ContentLength {
		t.Errorf("a map for one who takes gzip: %d bytes %v, plain %d bytes", whole.ContentLength, whole.Header, none.ContentLength)
	}
	if none.Header.Get("Content-Encoding") != "" || part.Header.Get("Content-Encoding") != "" || part.ContentLength != 7 {
		t.Errorf("a map for one who takes no gzip: %v; a part of it: %d bytes %v", none.Header, part.ContentLength, part.Header)
	}

	if hint := "--addr 0.0.0.0:" + play[strings.LastIndex(play, ":")+1:] + " opens it"; !strings.Contains(s.out.String(), hint) {
		t.Errorf("the start does not say %q:\n%s", hint, s.out)
	}
	password := s.firstPassword(t)
	if code := s.end(t); code != 0 {
		t.Errorf("exit code %d:\n%s", code, s.errs)
	}
	if strings.Contains(s.errs.String()+s.out.String(), password) {
		t.Error("the admin password is in the log, or in the output of a server without a terminal")
	}
	if n := strings.Count(s.errs.String(), "a migration was applied"); n < 2 || !strings.Contains(s.errs.String(), `"migration":"00021_schema.sql","tookMs":`) {
		t.Errorf("%d lines name a migration:\n%s", n, s.errs)
	}
	again := start(t, dir)
	if strings.Contains(again.out.String(), "admin password") {
		t.Errorf("the admin password is printed again:\n%s", again.out)
	}
	if strings.Contains(again.errs.String(), "a migration was applied") {
		t.Errorf("migrations again:\n%s", again.errs)
	}
}

// TestServeSaysWhatIsWrong wants one line and exit code 1 for what an operator
// gets wrong.
func TestServeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		want []string
	}{
		{"port in use", []string{"--addr", busy.Addr().String()}, []string{"player address", busy.Addr().String(), "in use", "--addr or FOGKEEP_ADDR"}},
		{"admin port in use", []string{"--admin-addr", busy.Addr().String()}, []string{"admin address", "FOGKEEP_ADMIN_ADDR"}},
		{"unwritable data folder", []string{"--data-dir", filepath.Join(file, "data")}, []string{"data folder", file, "not a directory", "FOGKEEP_DATA_DIR"}},
		{"unreachable database", []string{"--database-url", "postgres://nobody@127.0.0.1:1/fogkeep?connect_timeout=2"}, []string{"127.0.0.1", "database"}},
		{"nonsense database", []string{"--database-url", "mysql://x"}, []string{"--database-url", "postgres://"}},
		{"no port", []string{"--addr", "localhost"}, []string{"--addr", "host:port"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			var out, errs output
			args := append([]string{"serve", "--addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0", "--metrics-addr=127.0.0.1:0",
				"--log-level=error", "--data-dir", t.TempDir()}, c.args...)
			code := run(ctx, args, &out, &errs)
			line := strings.TrimSuffix(errs.String(), "\n")
			if code != 1 || strings.Contains(line, "\n") || !strings.HasPrefix(line, "fogkeep: ") {
				t.Fatalf("exit code %d, stderr:\n%s", code, line)
			}
			for _, want := range c.want {
				if !strings.Contains(line, want) {
					t.Errorf("%q does not say %q", line, want)
				}
			}
		})
	}
}

func TestACommandLineThatMakesNoSense(t *testing.T) {
	var out, errs output
	if code := run(t.Context(), []string{"sevre"}, &out, &errs); code != 2 || !strings.Contains(errs.String(), "--help") {
		t.Errorf("code %d: %s", code, &errs)
	}
	if code := run(t.Context(), []string{"--help"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "serve") {
		t.Errorf("--help: code %d: %s", code, &out)
	}
	if code := run(t.Context(), []string{"version"}, &out, &errs); code != 0 || !strings.Contains(out.String(), "fogkeep ") {
		t.Errorf("version: code %d: %s", code, &out)
	}
}

// TestFlagsWinOverEnvironment holds the order that the README promises.
func TestFlagsWinOverEnvironment(t *testing.T) {
	t.Setenv("FOGKEEP_ADDR", "wrong")
	var out, errs output
	run(t.Context(), []string{"serve"}, &out, &errs)
	if !strings.Contains(errs.String(), `--addr "wrong"`) {
		t.Errorf("the variable is not used: %s", &errs)
	}
	t.Setenv("FOGKEEP_DATA_DIR", t.TempDir())
	s := start(t, t.TempDir())
	if code, body, _ := get(t, s.url(t, "play")+"/readyz"); code != 200 {
		t.Error(fmt.Sprint(code, body))
	}
}

// mapAs asks for a map with headers of its own, and returns the answer without its body.
func mapAs(t *testing.T, url, encoding, part string) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", encoding)
	if part != "" {
		r.Header.Set("Range", part)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

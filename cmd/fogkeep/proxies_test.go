package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/fogkeep/fogkeep/internal/clustertest"
	"github.com/fogkeep/fogkeep/internal/eventually"
)

// TestProxies: with the settings of docs/operate/run-behind-a-proxy.md, nginx and Caddy pass requests, events and a match,
// and the server believes the proxy that players come by TLS. Only addresses and files of the page are replaced.
func TestProxies(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.FromSlash("../../docs/operate/run-behind-a-proxy.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := func(pattern string) string {
		m := regexp.MustCompile("(?s)```" + pattern + "```").FindSubmatch(page)
		if m == nil {
			t.Fatalf("the page has no block %s", pattern)
		}
		return string(m[1])
	}
	cert, key, trust := certificate(t)
	var ports clustertest.Ports
	t.Cleanup(ports.Close)
	const name = "play.example.org"
	for program, proxy := range map[string]struct {
		config string
		args   []string // FILE and FOLDER are replaced
	}{
		"nginx": {
			"daemon off; master_process off; pid FOLDER/pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path FOLDER; proxy_temp_path FOLDER;\n" +
				"fastcgi_temp_path FOLDER; uwsgi_temp_path FOLDER; scgi_temp_path FOLDER;\n" +
				strings.NewReplacer("443 ssl", "127.0.0.1:PORT ssl", "/etc/ssl/play.example.org.pem", cert, "/etc/ssl/play.example.org.key", key).
					Replace(block("nginx\n(.*?)")) + "}\n",
			[]string{"-p", "FOLDER", "-c", "FILE"},
		},
		"caddy": {
			"{\nadmin off\nauto_https off\nservers {\nprotocols h1 h2\n}\n}\n" + strings.Replace(block(`text\n([^`+"`"+`]*reverse_proxy.*?)`), name+" {", "https://"+name+":PORT {\nbind 127.0.0.1\ntls "+cert+" "+key, 1),
			[]string{"run", "--adapter", "caddyfile", "--config", "FILE"},
		},
	} {
		t.Run(program, func(t *testing.T) {
			path, err := exec.LookPath(program)
			if err != nil {
				path, err = exec.LookPath("/usr/sbin/" + program)
			}
			if err != nil {
				t.Skipf("apt install %s: the test needs it", program)
			}
			at, err := ports.Next()
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(at)
			public := "https://" + name + ":" + port
			s := start(t, t.TempDir(), "--log-level=error", "--grace=1s", "--public-url="+public, "--trusted-proxies=127.0.0.1/32")
			upstream := regexp.MustCompile(`listening on http://(\S+)`).FindStringSubmatch(s.out.String())
			if upstream == nil {
				t.Fatalf("no address in %s", s.out)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "config")
			fill := strings.NewReplacer("PORT", port, "FOLDER", dir, "FILE", file, "127.0.0.1:8080", upstream[1])
			if err := os.WriteFile(file, []byte(fill.Replace(proxy.config)), 0o600); err != nil {
				t.Fatal(err)
			}
			var args []string
			for _, a := range proxy.args {
				args = append(args, fill.Replace(a))
			}
			ctx, stop := context.WithCancel(context.Background())
			errs := &output{}
			run := exec.CommandContext(ctx, path, args...)
			run.Env, run.Stdout, run.Stderr = append(os.Environ(), "HOME="+dir), errs, errs
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- run.Wait(); close(ended) }()
			t.Cleanup(func() { stop(); <-ended })

			dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, network, at)
			}
			jar, _ := cookiejar.New(nil) // never fails
			client := &http.Client{Jar: jar, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trust}, DialContext: dial, ForceAttemptHTTP2: true}}
			defer client.CloseIdleConnections()
			player := visitor(t, public)
			player.HTTP, player.Header = client, http.Header{"Origin": {public}}
			player.dialer = &websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: trust}, NetDialContext: dial}
			eventually.Holds(t, program+" answers", func() bool {
				select {
				case err := <-ended:
					t.Fatalf("%s ended: %v\n%s", program, err, errs)
				default:
				}
				r, err := client.Get(public + "/readyz")
				if err == nil {
					r.Body.Close()
				}
				return err == nil && r.StatusCode == 200
			}, errs)
			r, err := client.Post(public+"/api/guest", "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if r.StatusCode != 200 || r.Header.Get("Strict-Transport-Security") == "" || !strings.Contains(fmt.Sprint(r.Header["Set-Cookie"]), "Secure") {
				t.Errorf("the server does not see TLS: %s %v", r.Status, r.Header)
			}
			id := player.playBot("").ID
			events, err := client.Get(public + "/api/lobbies/" + id + "/events")
			if err != nil {
				t.Fatal(err)
			}
			defer events.Body.Close()
			if lines := bufio.NewScanner(events.Body); !lines.Scan() || !strings.HasPrefix(lines.Text(), "id: ") {
				t.Errorf("events: %s %q", events.Status, lines.Text())
			}
			socket := player.open(player.ticket(id))
			if w, closing := socket.welcome(); w == nil {
				t.Fatalf("closed with %v\n%s", closing, errs)
			}
			for range 40 { // two seconds of the match
				socket.read()
			}
		})
	}
}

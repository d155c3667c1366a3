package studio

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// dayWait bounds the day. On a quiet machine it takes 15 seconds.
const dayWait = 3 * time.Minute

// matchWait bounds the match.
const matchWait = time.Minute

// surrenderAfter is when the player who loses gives up: meanwhile the first event
// comes again.
const surrenderAfter = "4" // seconds

// A studio's day, from the folder of this file and a release of fogkeep alone.
func TestAStudiosDay(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), dayWait)
	defer cancel()
	begun := time.Now()
	step := func(format string, args ...any) {
		t.Helper()
		t.Logf("%5.1fs  %s", time.Since(begun).Seconds(), fmt.Sprintf(format, args...))
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	dir := t.TempDir()

	// The parts: the studio's server, fogkeep's commands, and the bot with the SDK.
	var parts sync.WaitGroup
	var built, packed error
	parts.Go(func() {
		_, built = run(ctx, ".", "go", "build", "-o", dir+string(filepath.Separator), "./server", "github.com/fogkeep/fogkeep/cmd/fogkeep")
	})
	parts.Go(func() { packed = packSDK(ctx, dir) })
	parts.Wait()
	must("the studio's server is not built", built)
	must("the SDK is not packed", packed)
	fogkeep := filepath.Join(dir, "fogkeep")
	step("the server is built, the SDK is packed")

	_, err := run(ctx, ".", filepath.Join(dir, "server"), "rules", "check", "rules/duel.json")
	must("the ruleset is not valid", err)

	// The backend listens first: the server will ask it for its keys, and tell it of
	// matches. Its first answer to a webhook is lost on the way.
	backend, err := New()
	must("no backend", err)
	line := &badLine{to: backend}
	site := httptest.NewServer(line)
	defer site.Close()

	data := filepath.Join(dir, "data")
	at, stop := serve(t, ctx, dir, data, site.URL)
	step("the server is open: %s", at.Players)

	out, err := run(ctx, ".", fogkeep, "admin", "key", "add", "backend", "--issuer", Issuer, "--data-dir", data, "--json",
		"--scope", "matches:write", "--scope", "matches:read", "--scope", "webhooks:write")
	must("no service key", err)
	var key struct{ Secret string }
	must("the service key is not to be read", json.Unmarshal(out, &key))
	must("the backend is not connected", backend.Connect(ctx, at.Services, key.Secret, site.URL+"/hooks"))
	step("the backend has a service key, and an address for webhooks")

	// The players that may log in.
	ada, grace := Player{"player-1", "Ada"}, Player{"player-2", "Grace"}
	other, err := New() // somebody who calls himself by the studio's name
	must("no other backend", err)
	for what, of := range map[string]struct {
		by       *Backend
		audience string
	}{"for another audience": {backend, "another-game"}, "signed with another key": {other, Audience}} {
		token, err := of.by.Token(ada, of.audience)
		must("no token", err)
		if status, code := logIn(ctx, t, at.Players, token); status != http.StatusUnauthorized || code != "bad_identity_token" {
			t.Errorf("a token %s: %d %s, want 401 bad_identity_token", what, status, code)
		}
	}
	step("tokens for others, and of others, are refused")

	match, err := backend.CreateMatch(ctx, "duel-1", [2]Player{ada, grace})
	must("no match", err)
	if again, err := backend.CreateMatch(ctx, "duel-1", [2]Player{ada, grace}); err != nil || again.ID != match.ID {
		t.Errorf("the same request again: match %q, %v, want %s", again.ID, err, match.ID)
	}
	step("match %s is made by the service key", match.ID)

	// The players play. Grace gives up.
	play, leave := context.WithTimeout(ctx, matchWait)
	defer leave()
	var both sync.WaitGroup
	var said [2]report
	var failed [2]error
	for i, p := range []Player{ada, grace} {
		token, err := backend.Token(p, Audience)
		must("no token", err)
		args := []string{"node", "bot.js", at.Players, match.Lobby}
		if p == grace {
			args = append(args, surrenderAfter)
		}
		both.Go(func() {
			var out []byte
			if out, failed[i] = runWith(play, filepath.Join(dir, "bot"), []string{"STUDIO_TOKEN=" + token}, args...); failed[i] == nil {
				failed[i] = said[i].read(out)
			}
			if failed[i] != nil {
				leave() // the other one would wait for the end
			}
		})
	}
	both.Wait()
	must("the bots of Ada and Grace", errors.Join(failed[:]...))
	rules, err := os.ReadFile("rules/duel.json")
	must("no ruleset", err)
	hash := sha256.Sum256(rules)
	for i, r := range said {
		if r.Match != match.ID || r.Rules != hex.EncodeToString(hash[:]) || r.SoldierHealth != 160 {
			t.Errorf("bot %d is welcomed to match %s with rules %s and soldiers of %d, want %s, %x and 160", i, r.Match, r.Rules, r.SoldierHealth, match.ID, hash)
		}
		if r.Reason != "surrender" || !reflect.DeepEqual(r.Winners, []int{0}) || r.Team != i {
			t.Errorf("bot %d of team %d is told: %s, won by %v", i, r.Team, r.Reason, r.Winners)
		}
	}
	step("the bots have played by the studio's own rules, and Grace has given up")

	// The result: by webhook, and the same by the service API.
	result, err := backend.Result(ctx, match.ID)
	must("no result", err)
	if result.Match != match.ID || result.Reason != "surrender" || !reflect.DeepEqual(result.Winners, []int{0}) || len(result.Seats) != 2 {
		t.Errorf("the webhook tells %+v", result)
	}
	for i, want := range []struct{ name, outcome string }{{"Ada", "won"}, {"Grace", "lost"}} {
		if i < len(result.Seats) && (result.Seats[i].Name != want.name || result.Seats[i].Outcome != want.outcome) {
			t.Errorf("seat %d: %+v, want %v", i, result.Seats[i], want)
		}
	}
	stored, err := backend.Match(ctx, match.ID)
	must("the service API does not know the match", err)
	if stored.State != "ended" || stored.Result == nil || !reflect.DeepEqual(*stored.Result, result) {
		t.Errorf("the service API says %s, %+v: the webhook told %+v", stored.State, stored.Result, result)
	}
	step("the result came by webhook, and the service API says the same: %+v", result)

	// Deliveries, and refused ones.
	came := line.deliveries()
	if len(came) != 3 || came[0].event(t) != "match.started" || came[1].event(t) != "match.started" || came[2].event(t) != "match.ended" {
		t.Fatalf("%d deliveries, want match.started twice, since its first answer was lost, then match.ended", len(came))
	}
	first, again, last := came[0], came[1], came[2]
	if id := first.header.Get("Webhook-Id"); id != again.header.Get("Webhook-Id") || backend.Seen(id) != 2 {
		t.Errorf("the second delivery of %s is not known as the same event", id)
	}
	if status := last.send(ctx, t, site.URL); status != http.StatusNoContent || backend.Seen(last.header.Get("Webhook-Id")) != 2 {
		t.Errorf("a delivery that is sent once more: %d, seen %d times", status, backend.Seen(last.header.Get("Webhook-Id")))
	}
	for what, change := range map[string]func(*delivery){
		"with another winner":           func(d *delivery) { d.body = bytes.Replace(d.body, []byte(`"winners":[0]`), []byte(`"winners":[1]`), 1) },
		"as another event":              func(d *delivery) { d.header.Set("Webhook-Id", "another") },
		"without a signature":           func(d *delivery) { d.header.Del("Webhook-Signature") },
		"with the signature of another": func(d *delivery) { d.header.Set("Webhook-Signature", first.header.Get("Webhook-Signature")) },
		"of an hour ago":                func(d *delivery) { d.header.Set("Webhook-Timestamp", fmt.Sprint(time.Now().Add(-time.Hour).Unix())) },
	} {
		d := delivery{last.header.Clone(), bytes.Clone(last.body)}
		change(&d)
		if reflect.DeepEqual(d, last) {
			t.Errorf("%s: nothing is changed in %s", what, last.body)
		}
		if status := d.send(ctx, t, site.URL); status != http.StatusForbidden {
			t.Errorf("an event %s: %d", what, status)
		}
	}
	step("events that come again are known, forged ones are refused")
	must("the server does not stop", stop())
}

// serve starts the studio's server with the files of this folder, on free ports. stop
// asks it to end and waits for that.
func serve(t *testing.T, ctx context.Context, dir, data, site string) (at struct{ Players, Services string }, stop func() error) {
	t.Helper()
	known, err := os.ReadFile("identity.json")
	if err != nil {
		t.Fatal(err)
	}
	identity := filepath.Join(dir, "identity.json")
	if err := os.WriteFile(identity, bytes.Replace(known, []byte("http://127.0.0.1:9000"), []byte(site), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	free := "127.0.0.1:0"
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "server"), "serve", "--addr", free, "--admin-addr", free, "--metrics-addr", free, "--service-addr", free,
		"--data-dir", data, "--content-dir", ".", "--identity-file", identity, "--allow", "none", "--webhook-allow", "127.0.0.1")
	var log bytes.Buffer
	cmd.Stderr = &log
	cmd.WaitDelay = 10 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	wait := func() error {
		if ended {
			return nil
		}
		ended = true
		return cmd.Wait()
	}
	t.Cleanup(func() {
		if !ended {
			cmd.Process.Kill()
		}
		wait() // the log is complete then
		if t.Failed() {
			t.Logf("the server's log:\n%s", log.String())
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &at)
	}
	if err != nil {
		t.Fatalf("the server does not say where it is: %v", err)
	}
	return at, func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return err
		}
		return wait()
	}
}

// packSDK makes the bot's folder below dir, as `npm install` of the packed SDK would:
// nothing else of fogkeep is in it.
func packSDK(ctx context.Context, dir string) error {
	web, err := filepath.Abs("../../web")
	if err != nil {
		return err
	}
	bot := filepath.Join(dir, "bot")
	sdk := filepath.Join(bot, "node_modules", "@fogkeep", "client")
	if err := errors.Join(os.CopyFS(bot, os.DirFS("bot")), os.MkdirAll(sdk, 0o700)); err != nil {
		return err
	}
	if _, err := run(ctx, web, "npm", "pack", "--silent", "--workspace", "sdk", "--pack-destination", dir); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("packed %q, %v", found, err)
	}
	if _, err := run(ctx, dir, "tar", "-xzf", found[0], "--strip-components=1", "-C", sdk); err != nil {
		return err
	}
	for _, name := range []string{"@bufbuild", "ws"} { // what the package depends on
		if err := os.Symlink(filepath.Join(web, "node_modules", name), filepath.Join(bot, "node_modules", name)); err != nil {
			return err
		}
	}
	return nil
}

// run runs a program to its end and returns its output.
func run(ctx context.Context, dir string, argv ...string) ([]byte, error) {
	return runWith(ctx, dir, nil, argv...)
}

// runWith is run with further variables.
func runWith(ctx context.Context, dir string, env []string, argv ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", strings.Join(argv[:min(len(argv), 4)], " "), err, out.Bytes(), errs.Bytes())
	}
	return out.Bytes(), nil
}

// report is a bot's output, in all its lines.
type report struct {
	Match, Rules, Reason string
	SoldierHealth, Team  int
	Winners              []int
}

func (r *report) read(out []byte) error {
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		if err := d.Decode(r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%w in %s", err, out)
		}
	}
}

// logIn logs a player in by a token.
func logIn(ctx context.Context, t *testing.T, server, token string) (status int, code string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"token": token, "bearer": true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, "POST", server+"/api/identity/studio/token", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var problem struct{ Code string }
	if err := json.NewDecoder(answer.Body).Decode(&problem); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, problem.Code
}

// badLine leads to the backend and keeps the webhooks that came. The answer to the first is lost: the server gets
// an error instead.
type badLine struct {
	to   http.Handler
	mu   sync.Mutex
	came []delivery
}

type delivery struct {
	header http.Header
	body   []byte
}

func (l *badLine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/hooks" || r.Header.Get("X-Replay") != "" {
		l.to.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, hookMax))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	l.mu.Lock()
	l.came = append(l.came, delivery{r.Header.Clone(), body})
	lost := len(l.came) == 1
	l.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body))
	if lost {
		l.to.ServeHTTP(httptest.NewRecorder(), r)
		http.Error(w, "no answer from the backend", http.StatusBadGateway)
		return
	}
	l.to.ServeHTTP(w, r)
}

func (l *badLine) deliveries() []delivery {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]delivery(nil), l.came...)
}

func (d delivery) event(t *testing.T) string {
	t.Helper()
	var e struct{ Type string }
	if err := json.Unmarshal(d.body, &e); err != nil {
		t.Fatal(err)
	}
	return e.Type
}

// send sends a webhook once more, from elsewhere.
func (d delivery) send(ctx context.Context, t *testing.T, site string) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, "POST", site+"/hooks", bytes.NewReader(d.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = d.header.Clone()
	r.Header.Set("X-Replay", "1")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

package main

import (
	"bytes"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/match/rules"
)

// TestHangup: SIGHUP ends no server, before it is ready or later. It reads certificate, log
// level, rulesets, maps and queues again, and keeps the old value of an invalid one.
func TestHangup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	takeCertificate := func() {
		t.Helper()
		cert, key, _ := certificate(t)
		for from, to := range map[string]string{cert: "cert.pem", key: "key.pem"} {
			b, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			put(to, string(b))
		}
	}
	shipped, err := rules.Shipped("skirmish")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"data", "data/rules", "data/maps"} {
		if err := os.Mkdir(at(d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	field, err := os.ReadFile("../../match/grid/mapfile/shipped/twin-fords.tmj")
	if err != nil {
		t.Fatal(err)
	}
	takeCertificate()
	put("data/rules/first.json", string(shipped.Source))
	put("queues.json", `{"queues":[{"id":"duel","name":"Duel","teamSize":1}]}`)
	p := newProcess(t, "--data-dir", at("data"), "--tls", at("cert.pem")+","+at("key.pem"), "--queues", at("queues.json"))
	p.start()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	get := func(path string) (string, []byte) {
		t.Helper()
		res, err := client.Get("https" + strings.TrimPrefix(p.URL, "http") + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s, %v", path, res.Status, err)
		}
		return string(b), res.TLS.PeerCertificates[0].Raw
	}
	until := func(what string, holds func() bool) {
		t.Helper()
		out := ""
		eventually.Holds(t, what, func() bool { out = p.Output(1 << 20); return holds() }, &out)
	}
	said := func(text string) func() bool {
		n := strings.Count(p.Output(1<<20), text)
		return func() bool { return strings.Count(p.Output(1<<20), text) > n }
	}
	hangUp := func() {
		t.Helper()
		again := said("configuration read again")
		if err := p.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		until("the server reads the configuration again", again)
	}
	until("the server begins", func() bool { return strings.Contains(p.Output(1<<20), "a migration was applied") })
	early := said("configuration read again")
	if err := p.Signal(syscall.SIGHUP); err != nil { // it is not ready
		t.Fatal(err)
	}
	until("a signal before the server is ready counts", early)
	until("the server opens", func() bool { return strings.Contains(p.Output(1<<20), "metrics  http") })

	_, before := get("/api/rulesets")
	mapsBefore, _ := get("/api/maps")
	put("data/rules/second.json", string(shipped.Source))
	put("data/rules/first.json", "no ruleset")
	put("data/maps/field.tmj", strings.Replace(string(field), "Twin Fords", "Third Ford", 1)+"\n")
	put("queues.json", `{"queues":[{"id":"duel","name":"Duel","teamSize":1},{"id":"pairs","name":"Pairs","teamSize":2}]}`)
	takeCertificate()
	hangUp()
	rulesets, after := get("/api/rulesets")
	if !strings.Contains(rulesets, `"first"`) || !strings.Contains(rulesets, `"second"`) || !strings.Contains(p.Output(1<<20), "a ruleset cannot be read: it stays as it was") {
		t.Errorf("rulesets: %s\n%s", rulesets, p.Output(4000))
	}
	if bytes.Equal(before, after) {
		t.Error("the certificate is the old one")
	}
	if maps, _ := get("/api/maps"); maps == mapsBefore {
		t.Errorf("maps: %s", maps)
	}
	if queues, _ := get("/api/queues"); !strings.Contains(queues, `"pairs"`) {
		t.Errorf("queues: %s", queues)
	}

	put("cert.pem", "none")
	put("queues.json", "none")
	put("data/log-level", "loud")
	hangUp()
	for _, part := range []string{"certificate", "queues", "log level"} {
		if !strings.Contains(p.Output(1<<20), `"level":"ERROR","msg":"a part of the configuration stays as it was","part":"`+part+`"`) {
			t.Errorf("no error about the %s", part)
		}
	}
	if queues, now := get("/api/queues"); !strings.Contains(queues, `"pairs"`) || !bytes.Equal(now, after) {
		t.Errorf("what is invalid did not stay as it was: %s", queues)
	}
	put("data/log-level", "error\n") // from now on there is no line about the reading
	put("data/rules/first.json", "no ruleset still")
	errors := said("a ruleset cannot be read")
	info := strings.Count(p.Output(1<<20), "configuration read again")
	if err := p.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	until("the log has the error", errors)
	get("/api/queues")
	if n := strings.Count(p.Output(1<<20), "configuration read again"); n != info {
		t.Error("at the level error there is a line of the level info")
	}
	p.Stop(20 * time.Second)
}

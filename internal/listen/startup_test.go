package listen

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"
)

// TestAStartingServerSaysSo: a client that comes before the services are ready
// is told to come again, not that nothing is there.
func TestAStartingServerSaysSo(t *testing.T) {
	var gate StartupGate
	s := &Server{Name: "test", Addr: "127.0.0.1:0", Handler: &gate, Config: Config{Logger: slog.New(slog.DiscardHandler)}}
	if err := s.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, time.Second) }()
	get := func() (int, string, http.Header) {
		t.Helper()
		r, err := http.Get(s.URL() + "/readyz")
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
	code, body, header := get()
	var problem struct{ Code, Detail string }
	if err := json.Unmarshal([]byte(body), &problem); code != 503 || header.Get("Retry-After") != "1" || err != nil || problem.Code != "starting" {
		t.Errorf("before: %d %q %v, Retry-After %q", code, body, err, header.Get("Retry-After"))
	}
	gate.Open(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }))
	if code, body, _ := get(); code != 200 || body != "ok\n" {
		t.Errorf("after: %d %q", code, body)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

package server

import (
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/internal/eventually"
)

// TestHealthTestsWrites: /readyz is red while the database or the journals' folder cannot
// be written, though both can be read, and /livez is green. Of each outage there are two
// lines.
func TestHealthTestsWrites(t *testing.T) {
	t.Parallel()
	log := &logged{}
	s, cfg := running(t, func(c *Config) {
		c.Hooks.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo}))
	})
	status := func(path string) int {
		r, err := http.Get(s.Addresses().Players + path)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		return r.StatusCode
	}
	becomes := func(want int) {
		t.Helper()
		eventually.Holds(t, fmt.Sprintf("/readyz answers %d", want), func() bool { return status("/readyz") == want }, &log.text)
		if status("/livez") != http.StatusOK {
			t.Error("/livez is red")
		}
	}
	becomes(http.StatusOK)
	folder := filepath.Join(cfg.DataDir, "journals")
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	becomes(http.StatusServiceUnavailable)
	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	becomes(http.StatusOK)
	if a, b := log.with("journals' folder cannot be written"), log.with("journals' folder can be written again", "outageMs"); a != 1 || b != 1 {
		t.Errorf("%d and %d lines about the folder:\n%s", a, b, &log.text)
	}

	db, err := sql.Open("sqlite", "file:"+filepath.Join(cfg.DataDir, "fogkeep.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	becomes(http.StatusServiceUnavailable)
	for range 5 { // players meet it too
		r, err := http.Post(s.Addresses().Players+"/api/guest", "application/json", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	if n := log.with("the store does not work", "what=writes"); n != 1 || log.with("level=ERROR") != 2 {
		t.Errorf("%d lines about the database:\n%s", n, &log.text)
	}
	if _, err := conn.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	becomes(http.StatusOK)
	eventually.Holds(t, "the log has a line about the end", func() bool {
		status("/readyz")
		return log.with("the store works again", "what=writes", "outageMs", "failures") == 1
	}, &log.text)
}

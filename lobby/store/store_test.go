package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/store"
)

func TestNode(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := store.Node(dir)
	if err != nil || len(first) < 8 {
		t.Fatalf("%q %v", first, err)
	}
	if again, err := store.Node(dir); err != nil || again != first {
		t.Errorf("after a restart: %q %v", again, err)
	}
	if other, err := store.Node(t.TempDir()); err != nil || other == first {
		t.Errorf("another folder: %q %v", other, err)
	}
}

// TestOpen: what cannot work is one line that says so.
func TestOpen(t *testing.T) {
	s, err := store.Open(context.Background(), "", filepath.Join(t.TempDir(), "deep", "er"), nil)
	if err != nil || s.Kind() != "sqlite" || s.Ping(context.Background()) != nil {
		t.Fatalf("SQLite in a new folder: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"mysql://root@x/y": `"mysql"`, "nonsense": `"nonsense"`,
		"postgres://nobody@127.0.0.1:1/none?connect_timeout=2": "127.0.0.1:1",
	} {
		_, err := store.Open(context.Background(), url, "", nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := store.Open(context.Background(), "", "/dev/null/data", nil); err == nil || !strings.Contains(err.Error(), "/dev/null") {
		t.Errorf("an unusable folder: %v", err)
	}
}

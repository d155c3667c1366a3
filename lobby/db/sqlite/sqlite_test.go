package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

func open(t *testing.T, dir string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestFilesAreTheOwners: no other user of the machine reads a file of the store.
func TestFilesAreTheOwners(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

// TestLockedByAnother: a second process holds the file. Short: the writer waits for it.
// Long: the request fails in time because the database is away; readers do not notice;
// and when the lock is gone, all goes on.
func TestLockedByAnother(t *testing.T) {
	dir := sqlitetest.Dir(t)
	s := open(t, dir)
	patient := storetest.NewHarness(s)
	h := storetest.NewHarness(s, func(c *lobby.Config) { c.StoreTimeout = 500 * time.Millisecond })
	a := patient.NewGuest(t, "Ada")
	other, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName)+"?_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	hold := func() *sql.Tx {
		t.Helper()
		tx, err := other.Begin()
		if err != nil {
			t.Fatal(err)
		}
		return tx
	}
	tx := hold()
	time.AfterFunc(100*time.Millisecond, func() { tx.Rollback() })
	patient.NewGuest(t, "patient")

	tx = hold()
	began := time.Now()
	if _, _, err := h.Account.Guest(context.Background(), storetest.Home, "hasty"); !errors.Is(err, model.Unavailable) {
		t.Errorf("a write while another holds the file: %v", err)
	}
	if d := time.Since(began); d > 30*time.Second {
		t.Errorf("told so after %v", d)
	}
	if _, _, _, err := patient.Account.Me(context.Background(), a.ID); err != nil {
		t.Errorf("a read while another writes: %v", err)
	}
	tx.Rollback()
	patient.NewGuest(t, "hasty")
}

func TestDeletionPlans(t *testing.T) {
	dir := sqlitetest.Dir(t)
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	storetest.DeletionPlans(t, func(hook func(string) error) db.Store {
		s, err := sqlite.Open(context.Background(), dir, sqlite.Options{Hook: hook})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}, func(text string) string {
		rows, err := pool.Query("EXPLAIN QUERY PLAN "+strings.ReplaceAll(text, "$", "?"), make([]any, strings.Count(text, "$"))...)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defer rows.Close()
		var out []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(detail, "USING") { // a walk along an index that leaves rows out does not count
				out = append(out, detail)
			}
		}
		return strings.Join(out, "\n")
	}, "SCAN")
}

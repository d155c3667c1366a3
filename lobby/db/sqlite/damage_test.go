//go:build !race

package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// TestEveryDamagedPage flips a bit in the head of each page of the database, in its count of
// cells and in its middle. SQLite's check names the damage, or the file differs
// only inside a value: SQLite has no sums, and such a value is read as it is. The lobby
// gets an answer or an error that says that the database is damaged, and no panic.
func TestEveryDamagedPage(t *testing.T) {
	dir := sqlitetest.Dir(t)
	s := open(t, dir)
	for n := range 40 {
		if err := s.Write(t.Context(), func(tx *db.Tx) error { return tx.Accounts.Add(person(n)) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil { // writes the log back into the file
		t.Fatal(err)
	}
	path := filepath.Join(dir, sqlite.FileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size := int(binary.BigEndian.Uint16(whole[16:]))
	found, told, values := 0, 0, 0
	for page := 0; page*size < len(whole); page++ {
		for _, at := range []int{0, 4, size / 2} {
			at += page * size
			if page == 0 {
				at = min(at+100, size-1) // behind the file's own head
			}
			bad := bytes.Clone(whole)
			bad[at] ^= 1 << (at % 8)
			if err := os.WriteFile(path, bad, 0o600); err != nil {
				t.Fatal(err)
			}
			fault := damageOf(t, path)
			err := readAll(dir)
			switch {
			case err != nil && !errors.Is(err, model.ErrUnavailable):
				t.Errorf("page %d, byte %d: the lobby is told %v", page+1, at%size, err)
			case fault != "":
				found++
			case err != nil:
				told++
			default:
				values++
			}
		}
	}
	t.Logf("%d pages: the check names %d, the lobby's requests fail for %d more, and %d are values or unused bytes", len(whole)/size, found, told, values)
	if found < len(whole)/size {
		t.Errorf("the check names only %d of %d", found, found+told+values)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if fault, err := damageOf(t, path), readAll(dir); fault != "" || err != nil {
		t.Errorf("the whole file: %q, %v", fault, err)
	}
}

// damageOf returns the first damage that SQLite's own check names; "": none.
func damageOf(t *testing.T, path string) (fault string) {
	t.Helper()
	pool, err := sql.Open("sqlite", "file:"+path+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.QueryRow("PRAGMA integrity_check(1)").Scan(&fault); err != nil {
		return err.Error()
	}
	if fault == "ok" {
		return ""
	}
	return fault
}

// readAll opens the database as a server does, and reads accounts by key and in order.
func readAll(dir string) error {
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{NoMigrate: true})
	if err != nil {
		return errors.Join(model.ErrUnavailable, err)
	}
	defer s.Close()
	return s.Read(context.Background(), func(tx *db.Tx) error {
		for n := range 40 {
			if _, err := tx.Accounts.Get(person(n).ID); err != nil && !errors.Is(err, model.ErrNotFound) {
				return err
			}
		}
		_, err := tx.Accounts.List(model.AccountFilter{Limit: 100})
		return err
	})
}

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/lobby/storetest"
	"github.com/fogkeep/fogkeep/match/journal"
)

// filledData makes a data folder with accounts, a match, an audit and a journal.
func filledData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), "", dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := storetest.NewHarness(s)
	a, _, err := h.Account.Register(t.Context(), storetest.Home, "Ada", "ada@example.org", "difference engine")
	if err == nil {
		_, err = h.Room.PlayBot(t.Context(), storetest.Home, a, model.BotMatchRequest{})
	}
	for _, on := range []bool{true, false} {
		if err == nil {
			err = h.Admin.OperatorSession(admin.Operator{Name: "test", UID: "1000"}).Drain(t.Context(), on)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	journals, err := journal.OpenDir(filepath.Join(dir, "journals"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := journals.Create("0190f000-0000-7000-8000-000000000001")
	for range 3 {
		if err == nil {
			err = log.Append(log.Next(), bytes.Repeat([]byte("record"), 20))
		}
	}
	if err == nil {
		err = log.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// command runs a command in this process.
func command(t *testing.T, c interface{ Run(*invocation) error }) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := c.Run(&invocation{Ctx: t.Context(), Stdout: &out, Stderr: &out})
	return out.String(), err
}

// packed is a backup of a data folder, as tar writes it.
func packed(t *testing.T, dir string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.AddFS(os.DirFS(filepath.Dir(dir))); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func save(t *testing.T, b []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "backup")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// flipped has one bit changed.
func flipped(b []byte, at int) []byte {
	b = bytes.Clone(b)
	b[at] ^= 4
	return b
}

// A drill restores a backup of SQLite and reads all of it. Changed bits in the backup, in a page of the database and in a
// journal are found, with the place; the scratch place is deleted.
func TestDrillOfAFolder(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := filledData(t)
	good := packed(t, dir)
	out, err := command(t, &dbDrillCmd{Backup: save(t, good), JSON: true})
	var r dbReport
	if err != nil || json.Unmarshal([]byte(out), &r) != nil || r.Database != "sqlite" || r.Rows["accounts"] != 1 || r.Audit.Link != 2 || r.Journals != 1 || r.Records != 3 {
		t.Fatalf("%s%v: %+v", out, err, r)
	}
	refused := func(what, want string, c interface{ Run(*invocation) error }) {
		t.Helper()
		if out, err := command(t, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s%v, want %q", what, out, err, want)
		}
	}
	for _, at := range []int{len(good) / 3, len(good) / 2, len(good) - 6} {
		refused("a backup with another bit", "backup: ", &dbDrillCmd{Backup: save(t, flipped(good, at))})
	}
	refused("half a backup", "unexpected EOF", &dbDrillCmd{Backup: save(t, good[:len(good)/2])})
	refused("another archive", sqlite.FileName, &dbDrillCmd{Backup: save(t, packed(t, filepath.Join(dir, "journals", "none")))})

	path := filepath.Join(dir, sqlite.FileName)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, &dbDrillCmd{Backup: path, JSON: true}); err != nil || !strings.Contains(out, `"sqlite"`) {
		t.Errorf("a copy of the database alone: %s%v", out, err)
	}
	refused("a copy with another page", sqlite.FileName, &dbDrillCmd{Backup: save(t, whole[:len(whole)/2])})
	refused("a folder", "db check --data-dir", &dbDrillCmd{Backup: dir})
	refused("another file", "neither a .tar.gz", &dbDrillCmd{Backup: save(t, []byte("a letter"))})
	pages := 0
	for page := 1; page*4096 < len(whole) && pages < 3; page++ {
		if kind := whole[page*4096]; kind != 13 && kind != 10 { // a leaf of a table or of an index
			continue
		}
		pages++
		if err := os.WriteFile(path, flipped(whole, page*4096), 0o600); err != nil {
			t.Fatal(err)
		}
		refused("a page", path, &dbCheckCmd{database{DataDir: dir}})
	}
	if pages == 0 {
		t.Error("no page was changed")
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "journals", "*.journal"))
	log, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], flipped(log, len(log)/2), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a journal", filepath.Base(files[0]), &dbCheckCmd{database{DataDir: dir}})
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("the drills left %v, %v", left, err)
	}
}

// The embedded database moves to PostgreSQL with every row, and a server goes on there. The same database is then dumped and
// drilled.
func TestCopyToPostgres(t *testing.T) {
	dir, to := filledData(t), pgtest.New(t, "")
	out, err := command(t, &dbCopyCmd{DataDir: dir, To: to})
	if err != nil {
		t.Fatalf("%s%v", out, err)
	}
	from, err := store.Inspect(t.Context(), "", dir)
	if err != nil {
		t.Fatal(err)
	}
	there, err := store.Inspect(t.Context(), to, "")
	if err != nil {
		t.Fatal(err)
	}
	for table, n := range from {
		if there[table] != n {
			t.Errorf("table %s: %d rows of %d", table, there[table], n)
		}
	}
	if len(from) < 30 || len(there) != len(from) || from["accounts"] != 1 || from["audit"] != 2 {
		t.Errorf("%v, then %v", from, there)
	}
	if _, err := command(t, &dbCopyCmd{DataDir: dir, To: to}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("a second copy: %v", err)
	}
	if _, err := command(t, &dbCopyCmd{DataDir: t.TempDir(), To: to}); err == nil || !strings.Contains(err.Error(), sqlite.FileName) {
		t.Errorf("from an empty folder: %v", err)
	}
	s, err := store.Open(t.Context(), to, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h := storetest.NewHarness(s)
	if _, _, err := h.Account.LogIn(t.Context(), storetest.Home, "Ada", "difference engine"); err != nil {
		t.Error(err)
	}
	h.NewLobby(t, h.NewGuest(t, "Newcomer"), room.NewLobby{}) // numbers go on

	dump := filepath.Join(t.TempDir(), "fogkeep.dump")
	tool, err := pgtest.Bin("pg_dump")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), tool, "--format=custom", "--file="+dump, "--dbname="+to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Setenv("PATH", filepath.Dir(tool)+":"+os.Getenv("PATH"))
	if out, err = command(t, &dbDrillCmd{Backup: dump, DatabaseURL: to}); err != nil || !strings.Contains(out, "postgres: ") || !strings.Contains(out, "2 accounts") {
		t.Errorf("%s%v", out, err)
	}
	whole, err := os.ReadFile(dump)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := command(t, &dbDrillCmd{Backup: save(t, whole[:len(whole)*9/10]), DatabaseURL: to}); err == nil || !strings.Contains(err.Error(), "pg_restore") {
		t.Errorf("a dump that is cut off: %s%v", out, err)
	}
	if !strings.Contains(out, "without "+dump+".sha256") {
		t.Errorf("a dump without a sum: %s", out)
	}
	summed := func(backup string) {
		t.Helper()
		if err := os.WriteFile(backup+".sha256", fmt.Appendf(nil, "%x  fogkeep.dump\n", sha256.Sum256(whole)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	summed(dump)
	if out, err := command(t, &dbDrillCmd{Backup: dump, DatabaseURL: to}); err != nil || strings.Contains(out, "sha256") {
		t.Errorf("a dump with its sum: %s%v", out, err)
	}
	for at := 0; at < len(whole); at += max(1, len(whole)/50) {
		bad := save(t, flipped(whole, at))
		summed(bad)
		if out, err := command(t, &dbDrillCmd{Backup: bad, DatabaseURL: to}); err == nil || !strings.Contains(err.Error(), bad+": its SHA-256") {
			t.Errorf("byte %d of the dump changed: %s%v", at, out, err)
		}
	}
	if out, err := command(t, &dbDrillCmd{Backup: dump}); err == nil || !strings.Contains(err.Error(), "--database-url") {
		t.Errorf("a dump without a server: %s%v", out, err)
	}
	conn, err := pgx.Connect(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var left int
	if err := conn.QueryRow(t.Context(), "SELECT COUNT(*) FROM pg_database WHERE datname LIKE 'fogkeep_drill%'").Scan(&left); err != nil || left > 0 {
		t.Errorf("%d scratch databases are left, %v", left, err)
	}
}

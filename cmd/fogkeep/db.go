package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/store"
	"github.com/fogkeep/fogkeep/match/journal"
)

// dbCmd works on whole databases.
type dbCmd struct {
	Copy  dbCopyCmd  `cmd:"" help:"Copy the embedded database into an empty PostgreSQL, as the first step to a cluster."`
	Check dbCheckCmd `cmd:"" help:"Read all of the database and of the journals, and verify the audit."`
	Drill dbDrillCmd `cmd:"" help:"Restore a backup into a scratch place, check it as db check does, and delete the place."`
}

type dbCopyCmd struct {
	DataDir string `env:"FOGKEEP_DATA_DIR" default:"./data" help:"Folder of the embedded database."`
	To      string `required:"" env:"FOGKEEP_DATABASE_URL" secret:"" help:"postgres://… of the empty database."`
}

func (c *dbCopyCmd) Run(in *invocation) error {
	return store.Copy(in.Ctx, c.DataDir, c.To, func(table string, rows int64) { fmt.Fprintf(in.Stdout, "%-20s %d\n", table, rows) })
}

type dbCheckCmd struct{ database }

func (c *dbCheckCmd) Run(in *invocation) error {
	r, err := c.inspect(in)
	if err != nil {
		return err
	}
	return answer(in, c.JSON, r.text(), r)
}

// dbReport is the content of a database and of the journals beside it.
type dbReport struct {
	Database string           `json:"database"`
	Rows     map[string]int64 `json:"rows"` // by table
	Audit    model.AuditHead  `json:"audit"`
	Journals int              `json:"journals"`
	Records  int64            `json:"records"`        // of all journals
	Torn     []string         `json:"torn,omitempty"` // files whose last record was cut off: normal after a crash
}

func (r *dbReport) text() string {
	all := int64(0)
	for _, n := range r.Rows {
		all += n
	}
	text := fmt.Sprintf("%s: %d rows in %d tables, %d accounts, %d matches; the audit fits up to %d:%s\n%d journals with %d records",
		r.Database, all, len(r.Rows), r.Rows["accounts"], r.Rows["matches"], r.Audit.Link, r.Audit.Hash, r.Journals, r.Records)
	if len(r.Torn) > 0 {
		text += fmt.Sprintf("; the last record is cut off in %s", strings.Join(r.Torn, ", "))
	}
	return text
}

// inspect reads all rows and journals. It changes the schema alone, which becomes the newest.
func (d *database) inspect(in *invocation) (r dbReport, err error) {
	r.Database = "sqlite"
	if d.DatabaseURL != "" {
		r.Database = "postgres"
	}
	if r.Rows, err = store.Inspect(in.Ctx, d.DatabaseURL, d.DataDir); err != nil {
		return r, err
	}
	err = d.adminSession(in, func(s *admin.Session) error {
		audit, err := s.VerifyAudit(in.Ctx, model.AuditHead{})
		if err == nil && audit.Broken != "" {
			err = fmt.Errorf("the audit is not whole: %s", audit.Broken)
		}
		r.Audit = audit.Head
		return err
	})
	if err != nil {
		return r, err
	}
	return r, r.readJournals(filepath.Join(d.DataDir, "journals"))
}

// readJournals reads every journal below a folder. Each record has a checksum.
func (r *dbReport) readJournals(folder string) error {
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".journal" {
			return err
		}
		r.Journals++
		torn, err := journal.ReadFile(path, func(uint64, []byte) error {
			r.Records++
			return nil
		})
		if torn {
			r.Torn = append(r.Torn, e.Name())
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a server without matches, or the cluster's journal servers have them
	}
	return err
}

type dbDrillCmd struct {
	Backup      string `arg:"" help:"A .tar.gz of the data folder, a copy of fogkeep.db, or a file of pg_dump --format=custom."`
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" secret:"" help:"For a dump: postgres://… of any database of a server on which a scratch database may be made."`
	JSON        bool   `name:"json" help:"Write one JSON object."`
}

func (c *dbDrillCmd) Run(in *invocation) error {
	f, err := os.Open(c.Backup)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return errors.Join(err, fmt.Errorf("%s is a folder: fogkeep db check --data-dir reads it", c.Backup))
	}
	scratch, err := os.MkdirTemp("", "fogkeep-drill-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	began, note := time.Now(), ""
	summed, err := compareSum(f)
	if err != nil {
		return err
	}
	buffered, check := bufio.NewReader(f), database{DataDir: scratch}
	switch head, _ := buffered.Peek(5); string(head) {
	case "PGDMP":
		if !summed {
			note = "; without " + c.Backup + sumExt + " changed values in it pass"
		}
		drop := func() error { return nil }
		if check.DatabaseURL, drop, err = c.restore(in.Ctx); err == nil {
			defer func() { _ = drop() }()
		}
	case "SQLit":
		err = copyTo(scratch, buffered)
	default:
		check.DataDir, err = unpack(buffered, scratch)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.Backup, err)
	}
	r, err := check.inspect(in)
	if err != nil {
		return fmt.Errorf("%s, restored: %w", c.Backup, err)
	}
	return answer(in, c.JSON, fmt.Sprintf("%s is good: restored and read in %v%s\n%s", c.Backup, time.Since(began).Round(time.Millisecond), note, r.text()), r)
}

// sumExt ends the name of a file that sha256sum made of the backup beside it.
const sumExt = ".sha256"

// compareSum compares a backup with its sum, if it has one. A dump of PostgreSQL has no sums of its own.
func compareSum(backup *os.File) (summed bool, err error) {
	f, err := os.Open(backup.Name() + sumExt)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer f.Close()
	var want string
	if _, err := fmt.Fscanf(f, "%64s", &want); err != nil {
		return false, fmt.Errorf("%s: no sum as sha256sum writes it: %w", f.Name(), err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, backup); err != nil {
		return false, err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		return false, fmt.Errorf("%s: its SHA-256 is %s, and %s has %s: the backup is damaged", backup.Name(), got, f.Name(), want)
	}
	_, err = backup.Seek(0, io.SeekStart)
	return true, err
}

// restore makes a scratch database from a dump, and returns its address.
func (c *dbDrillCmd) restore(ctx context.Context) (scratch string, drop func() error, err error) {
	if c.DatabaseURL == "" {
		return "", nil, errors.New("a dump of PostgreSQL needs --database-url, to make a scratch database there")
	}
	conn, err := pgx.Connect(ctx, c.DatabaseURL)
	if err != nil {
		return "", nil, err
	}
	name := "fogkeep_drill_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil {
		return "", nil, errors.Join(err, conn.Close(ctx))
	}
	drop = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		_, err := conn.Exec(ctx, "DROP DATABASE "+name)
		return errors.Join(err, conn.Close(ctx))
	}
	to := c.DatabaseURL + " dbname=" + name // of two names in a conninfo the second counts
	if u, err := url.Parse(c.DatabaseURL); err == nil && u.Scheme != "" {
		u.Path = "/" + name
		to = u.String()
	}
	cmd := exec.CommandContext(ctx, "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", "--dbname="+to, c.Backup)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("pg_restore: %w: %s", err, bytes.TrimSpace(out)), drop())
	}
	return to, drop, nil
}

// unpack unpacks a backup of a data folder, and returns the folder with the database in it.
func unpack(from io.Reader, scratch string) (string, error) {
	root, err := os.OpenRoot(scratch)
	if err != nil {
		return "", err
	}
	defer root.Close()
	z, err := gzip.NewReader(from)
	if err != nil {
		return "", fmt.Errorf("neither a .tar.gz of a data folder, nor a copy of %s, nor a dump: %w", sqlite.FileName, err)
	}
	found, last := "", "the first file"
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			return "", fmt.Errorf("behind %s: %w", last, err)
		}
		last = h.Name
		if h.Typeflag == tar.TypeDir {
			err = root.MkdirAll(filepath.Clean(h.Name), 0o700)
		} else if h.Typeflag == tar.TypeReg {
			err = write(root, filepath.Clean(h.Name), archive)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", h.Name, err)
		}
		if filepath.Base(h.Name) == sqlite.FileName {
			found = filepath.Join(scratch, filepath.Dir(filepath.Clean(h.Name)))
		}
	}
	if _, err := io.Copy(io.Discard, z); err != nil { // to the checksum at the end
		return "", err
	}
	if found == "" {
		return "", fmt.Errorf("it has no %s: it is no backup of a data folder", sqlite.FileName)
	}
	return found, nil
}

// copyTo makes a data folder of a copied database.
func copyTo(folder string, from io.Reader) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return write(root, sqlite.FileName, from)
}

func write(root *os.Root, name string, from io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

package migrations_test

import (
	"context"
	"database/sql"
	"fmt"
	_ "github.com/jackc/pgx/v5/stdlib"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/postgres"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/studio"
	"github.com/fogkeep/fogkeep/migrations"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var ctx = context.Background()

// target is one kind of database: a fresh one, opened as often as a test
// likes.
type target struct {
	name           string
	tables, schema string // queries: the names of the tables, and the lines of the schema
	// fresh makes an empty database and returns how to open a migrator on it,
	// plain SQL on it, and the store.
	fresh func(t *testing.T) (migrator func() *migrations.Migrator, pool *sql.DB, store func() db.Store)
}

var targets = []target{
	{"sqlite", `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('goose_db_version', 'sqlite_sequence')`, sqliteSchema, func(t *testing.T) (func() *migrations.Migrator, *sql.DB, func() db.Store) {
		dir := t.TempDir()
		pool, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName)+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { pool.Close() })
		migrator := func() *migrations.Migrator {
			s, err := sqlite.Open(ctx, dir, sqlite.Options{NoMigrate: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			m, err := s.Migrator(dir)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		return migrator, pool, func() db.Store {
			s, err := sqlite.Open(ctx, dir, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
	}},
	{"postgres", `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'goose_db_version'`, postgresSchema, func(t *testing.T) (func() *migrations.Migrator, *sql.DB, func() db.Store) {
		url := pgtest.New(t, "")
		open := func() *sql.DB {
			pool, err := sql.Open("pgx", url)
			if err != nil {
				t.Fatal(err)
			}
			pool.SetMaxIdleConns(0) // a connection's prepared queries do not outlive a change of the schema
			t.Cleanup(func() { pool.Close() })
			return pool
		}
		migrator := func() *migrations.Migrator {
			m, err := migrations.New(migrations.Postgres, open(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		return migrator, open(), func() db.Store {
			s, err := postgres.Open(ctx, url, postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
	}},
}

// TestUpgradesTheOldestDatabase brings a database of version 21 up, which commit 5ebda41
// made and filled: all rows are there, the schema equals a new database's, and the store uses it.
func TestUpgradesTheOldestDatabase(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			migrator, pool, open := target.fresh(t)
			raw, err := os.ReadFile("testdata/5ebda41." + target.name + ".sql")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := pool.Exec(string(raw)); err != nil {
				t.Fatal(err)
			}
			before := rowsOf(t, target.tables, pool)
			if len(before) < 34 {
				t.Fatalf("only %d tables", len(before))
			}
			if _, err := migrator().Up(ctx, 0); err != nil {
				t.Fatal(err)
			}
			after := rowsOf(t, target.tables, pool)
			for table, rows := range before {
				if len(rows) == 0 {
					t.Errorf("%s has no row: nothing is shown of it", table)
				}
				for i, row := range rows {
					for column, want := range row {
						if len(after[table]) != len(rows) || after[table][i][column] != want {
							t.Fatalf("%s was %v and is %v", table, rows, after[table])
						}
					}
				}
			}
			newMigrator, newDB, _ := target.fresh(t)
			if _, err := newMigrator().Up(ctx, 0); err != nil {
				t.Fatal(err)
			}
			got, want := schemaOf(t, target.schema, pool), schemaOf(t, target.schema, newDB)
			if len(want) < 70 {
				t.Fatalf("a new database has only %d lines of schema", len(want))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the upgraded schema differs from a new one (-new +upgraded):\n%s", diff)
			}
			pool.Close()
			check(t, open())
		})
	}
}

// rowsOf returns each table's rows in the order in which they were put in.
func rowsOf(t *testing.T, query string, pool *sql.DB) map[string][]map[string]string {
	t.Helper()
	out := map[string][]map[string]string{}
	for _, table := range linesOf(t, query, pool) {
		rows, err := pool.Query("SELECT * FROM " + table + " ORDER BY 1, 2")
		if err != nil {
			t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		out[table] = nil
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = &values[i]
			}
			if err := rows.Scan(values...); err != nil {
				t.Fatal(err)
			}
			row := map[string]string{}
			for i, c := range columns {
				row[c] = fmt.Sprint(values[i])
			}
			out[table] = append(out[table], row)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// schemaOf returns the lines of a database's schema, without comments and layout.
func schemaOf(t *testing.T, query string, pool *sql.DB) []string {
	t.Helper()
	lines := linesOf(t, query, pool)
	for i, line := range lines {
		line = comment.ReplaceAllString(line, "")
		lines[i] = strings.Join(strings.Fields(punctuation.ReplaceAllString(line, " $1 ")), " ")
	}
	return lines
}

// linesOf returns the one column of a query's answer.
func linesOf(t *testing.T, query string, pool *sql.DB) (lines []string) {
	t.Helper()
	rows, err := pool.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

var (
	comment     = regexp.MustCompile(`--[^\n]*`)
	punctuation = regexp.MustCompile(`([(),])`)
)

const sqliteSchema = `SELECT type || ' ' || name || ' ' || sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type, name`

const postgresSchema = `
SELECT concat_ws(' ', 'column', table_name, ordinal_position, column_name, data_type, column_default, is_nullable, identity_generation) AS line
	FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL SELECT concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
UNION ALL SELECT concat_ws(' ', pg_get_triggerdef(oid), tgenabled) FROM pg_trigger WHERE NOT tgisinternal
UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
ORDER BY line`

// check reads the rows of the fixture through the store.
func check(t *testing.T, store db.Store) {
	t.Helper()
	err := store.Write(ctx, func(tx *db.Tx) error {
		a, err := tx.Accounts.ByLogin("ada")
		if err != nil {
			return fmt.Errorf("account: %w", err)
		}
		if a.Name != "Ada" || a.Guest || a.PasswordHash == "" || a.Created.UnixMilli() != 1790000000000 {
			return fmt.Errorf("account %+v", a)
		}
		s, err := tx.Sessions.Get(model.PlayerRealm, "session-hash", a.Created)
		if err != nil || s.Account.ID != a.ID {
			return fmt.Errorf("session %+v: %w", s, err)
		}
		a.Email = "ada@example.org" // what came last is there for the oldest rows
		if err := tx.Accounts.Save(a); err != nil {
			return fmt.Errorf("save: %w", err)
		}
		costs := []string{"m=128,t=2,p=1", "m=64,t=1,p=1"}
		if got, err := tx.Accounts.HashCosts(model.PlayerRealm); err != nil || !slices.Equal(got, costs) {
			return fmt.Errorf("costs of hashes %q: %w", got, err)
		}
		l, err := tx.Lobbies.Lock("lobby-1")
		if err != nil {
			return fmt.Errorf("lobby: %w", err)
		}
		if l.Map.Starts != 2 || l.Options.Mode != "skirmish" || len(l.Seats) != 2 || l.Seats[0].Account != a.ID || l.Seats[0].Level != "" || l.Seats[1].Level != model.MediumBot {
			return fmt.Errorf("lobby %+v", l)
		}
		if l.SettingsVersion != 5 {
			return fmt.Errorf("version %d of the settings, want %d", l.SettingsVersion, 5)
		}
		if err := l.Say(a.ID, "hello"); err != nil {
			return err
		}
		if err := tx.Lobbies.Save(l); err != nil {
			return err
		}
		if events, err := tx.Lobbies.Events("lobby-1", 0, 10); err != nil || len(events) != 3 {
			return fmt.Errorf("events %v: %w", events, err)
		}
		if r, err := tx.Matches.Record(a.ID); err != nil || r.Won != 1 {
			return fmt.Errorf("record %+v: %w", r, err)
		}
		if k, err := tx.Matches.LockTicket("ticket-hash"); err != nil || k.Seat.Account != a.ID {
			return fmt.Errorf("ticket %+v: %w", k, err)
		}
		rows, err := tx.Audit.List(0, 10)
		if err != nil || len(rows) != 1 || rows[0].Action != "ban.add" {
			return fmt.Errorf("audit %v: %w", rows, err)
		}
		// The chain begins with what was there before it.
		first := model.AuditRow{At: a.Created, Admin: "root", Action: "house.drain"}
		if err := tx.Audit.Add(&first); err != nil || first.Link != 1 || first.Prev != rows[0].Digest() || first.Hash != first.Digest() {
			return fmt.Errorf("first of the chain %+v: %w", first, err)
		}
		if admin, err := tx.Admins.ByName("root"); err != nil || !admin.Fog {
			return fmt.Errorf("admin %+v: %w", admin, err)
		}
		if bans, err := tx.Bans.List(0, 10); err != nil || len(bans) != 1 || bans[0].Range.String() != "198.51.100.0/24" {
			return fmt.Errorf("bans %v: %w", bans, err)
		}
		if events, err := tx.Lobbies.Events("lobby-1", 1, 1); err != nil || events[0].Account != "account-2" {
			return fmt.Errorf("events %v: %w", events, err)
		}
		if _, err := tx.Accounts.UseReset("reset-hash", a.Created); err != nil {
			return fmt.Errorf("reset: %w", err)
		}
		id := model.ExternalID{Issuer: "https://id.example.org", Subject: "ada-1"}
		if linked, err := tx.Accounts.ByExternal(id); err != nil || linked.ID != a.ID {
			return fmt.Errorf("external identity of %+v: %w", linked, err)
		}
		if k, err := tx.Keys.BySecret("key-hash", a.Created); err != nil || k.ID != "key-1" || !k.Has(studio.MatchesWrite) || !k.Holds(a.Created) {
			return fmt.Errorf("service key %+v: %w", k, err)
		}
		if m, _, err := tx.Keys.Request("https://studio.example", "first"); err != nil || m != "match-1" {
			return fmt.Errorf("service match %q: %w", m, err)
		}
		if p, err := tx.Parties.Of(a.ID); err != nil || p.Offer != "offer-1" || !p.Members[0].Accepted || p.Members[0].Rating.Deviation != 210.25 {
			return fmt.Errorf("party %+v: %w", p, err)
		}
		if o, err := tx.Queues.Offer("offer-1"); err != nil || o.Bots != [2]int{0, 1} || o.Teams[0][0] != "party-1" {
			return fmt.Errorf("offer %+v: %w", o, err)
		}
		if r, err := tx.Ratings.Of("1v1", []model.AccountID{a.ID}); err != nil || len(r) != 1 || r[a.ID].Rating.Mean != 1612.5 || r[a.ID].Drawn != 1 {
			return fmt.Errorf("ratings %+v: %w", r, err)
		}
		if x, err := tx.Ratings.Last("1v1", a.ID); err != nil || x.Change != 12 {
			return fmt.Errorf("rated seat %+v: %w", x, err)
		}
		if due, err := tx.Hooks.Lease("hook-1", a.Created, a.Created.Add(time.Minute), "lease", 10); err != nil || len(due) != 1 || due[0].ID != "event-1" {
			return fmt.Errorf("webhook events %v: %w", due, err)
		}
		if n, err := tx.Accounts.AnonymizeDeleted(10); err != nil || n != 1 {
			return fmt.Errorf("forgot %d seats: %w", n, err)
		}
		if m, err := tx.Matches.Get("match-2"); err != nil || m.Spec.Participants[0].Name != "deleted" || m.Result.Seats[0].Name != "deleted" {
			return fmt.Errorf("match %+v: %w", m, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDownAndUp takes everything back, one by one, and applies it again.
func TestDownAndUp(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			migrator, pool, open := target.fresh(t)
			m := migrator()
			if _, err := m.Up(ctx, 0); err != nil {
				t.Fatal(err)
			}
			all, err := m.Status(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, last := range slices.Backward(all) { // numbers may be left out
				s, err := m.Down(ctx)
				if err != nil || s.Version != last.Version {
					t.Fatalf("down from %d: %+v %v", last.Version, s, err)
				}
			}
			if _, err := m.Down(ctx); err == nil {
				t.Fatal("down below nothing")
			}
			if left := linesOf(t, target.tables, pool); len(left) > 0 {
				t.Errorf("%v are still there", left)
			}
			if _, err := m.Up(ctx, 21); err != nil {
				t.Fatal(err)
			}
			list, err := m.Status(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				if s.Applied != (s.Version <= 21) || s.Name == "" {
					t.Errorf("status %+v", s)
				}
			}
			open()
		})
	}
}

// TestRacingStarters: many processes apply the schema at once, and every
// migration runs exactly once.
func TestRacingStarters(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			rounds, starters := 1, 4 // the loser of a race waits a second for PostgreSQL's lock
			if target.name == "sqlite" {
				rounds, starters = 5, 8
			}
			for range rounds {
				race(t, target, starters)
			}
		})
	}
}

func race(t *testing.T, target target, starters int) {
	migrator, pool, _ := target.fresh(t)
	var all []*migrations.Migrator
	for range starters {
		all = append(all, migrator())
	}
	var mu sync.Mutex
	applied := map[int64]int{}
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, m := range all {
		wg.Go(func() {
			<-start
			list, err := m.Up(ctx, 0)
			if err != nil {
				t.Errorf("up: %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, s := range list {
				applied[s.Version]++
			}
		})
	}
	close(start)
	wg.Wait()
	for v := int64(21); v <= all[0].Latest(); v++ {
		if applied[v] != 1 {
			t.Errorf("migration %d ran %d times", v, applied[v])
		}
	}
	rows := 0
	if err := pool.QueryRow("SELECT COUNT(*) FROM house").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d houses, %v", rows, err)
	}
}

// TestOtherVersions: a program leaves a newer database alone, and one that is too old,
// and names a version that it does not have.
func TestOtherVersions(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			migrator, pool, _ := target.fresh(t)
			m := migrator()
			if _, err := m.Up(ctx, 20); err == nil || !strings.Contains(err.Error(), "version 20 does not exist: the first is 21") {
				t.Errorf("up to 20: %v", err)
			}
			if _, err := m.Up(ctx, 0); err != nil {
				t.Fatal(err)
			}
			for version, want := range map[int64]string{m.Latest() + 1: "this program knows", 20: "from version 21 on"} {
				if _, err := pool.Exec(fmt.Sprintf("DELETE FROM goose_db_version WHERE version_id > 0; INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, TRUE)", version)); err != nil {
					t.Fatal(err)
				}
				if _, err := migrator().Up(ctx, 0); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("up from %d: %v", version, err)
				}
			}
		})
	}
}

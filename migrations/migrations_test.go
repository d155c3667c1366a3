package migrations_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/postgres"
	"github.com/fogkeep/fogkeep/lobby/sqlite"
	"github.com/fogkeep/fogkeep/migrations"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var ctx = context.Background()

// target is one kind of database: a fresh one, opened as often as a test
// likes.
type target struct {
	name string
	// fresh makes an empty database and returns how to open a migrator on it,
	// plain SQL on it, and the store.
	fresh func(t *testing.T) (migrator func() *migrations.Migrator, db *sql.DB, store func() lobby.Store)
}

var targets = []target{
	{"sqlite", func(t *testing.T) (func() *migrations.Migrator, *sql.DB, func() lobby.Store) {
		dir := t.TempDir()
		db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, sqlite.FileName)+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(5000)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
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
		return migrator, db, func() lobby.Store {
			s, err := sqlite.Open(ctx, dir, sqlite.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
	}},
	{"postgres", func(t *testing.T) (func() *migrations.Migrator, *sql.DB, func() lobby.Store) {
		url := pgtest.New(t, "")
		open := func() *sql.DB {
			db, err := sql.Open("pgx", url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}
		migrator := func() *migrations.Migrator {
			m, err := migrations.New(migrations.Postgres, open(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		return migrator, open(), func() lobby.Store {
			s, err := postgres.Open(ctx, url, postgres.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
	}},
}

// dataOf returns what a server at a version would have stored: testdata/vN.sql
// for each N up to it.
func dataOf(t *testing.T, version int64) []string {
	t.Helper()
	var out []string
	for v := int64(1); v <= version; v++ {
		raw, err := os.ReadFile(fmt.Sprintf("testdata/v%d.sql", v))
		if err != nil {
			t.Fatalf("every version has its data: %v", err)
		}
		for _, statement := range strings.Split(string(raw), ";\n") {
			if s := strings.TrimSpace(statement); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// TestFromEveryVersion brings a database with data up from every version there
// was, and uses it.
func TestFromEveryVersion(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			migrator, _, _ := target.fresh(t)
			latest := migrator().Latest()
			for from := int64(1); from <= latest; from++ {
				t.Run(fmt.Sprintf("v%d", from), func(t *testing.T) {
					migrator, db, open := target.fresh(t)
					if _, err := migrator().Up(ctx, from); err != nil {
						t.Fatal(err)
					}
					for _, statement := range dataOf(t, from) {
						if _, err := db.Exec(statement); err != nil {
							t.Fatalf("%s: %v", statement, err)
						}
					}
					db.Close()
					store := open() // migrates
					check(t, store, from)
				})
			}
		})
	}
}

// check reads back through the store what the versions up to from had put in.
func check(t *testing.T, store lobby.Store, from int64) {
	t.Helper()
	err := store.Write(ctx, func(tx lobby.Tx) error {
		a, err := tx.AccountByLogin("ada")
		if err != nil {
			return fmt.Errorf("account: %w", err)
		}
		if a.Name != "Ada" || a.Guest || a.PasswordHash == "" || a.Created.UnixMilli() != 1790000000000 {
			return fmt.Errorf("account %+v", a)
		}
		s, err := tx.Session(lobby.PlayerRealm, "session-hash", a.Created)
		if err != nil || s.Account.ID != a.ID {
			return fmt.Errorf("session %+v: %w", s, err)
		}
		a.Email = "ada@example.org" // what came last is there for the oldest rows
		if err := tx.SaveAccount(a); err != nil {
			return fmt.Errorf("save: %w", err)
		}
		costs := []string{"m=64,t=1,p=1"}
		if from >= 7 {
			costs = []string{"m=128,t=2,p=1", "m=64,t=1,p=1"}
		}
		if got, err := tx.HashCosts(lobby.PlayerRealm); err != nil || !slices.Equal(got, costs) {
			return fmt.Errorf("costs of hashes %q: %w", got, err)
		}
		if from >= 2 {
			l, err := tx.LockLobby("lobby-1")
			if err != nil {
				return fmt.Errorf("lobby: %w", err)
			}
			if l.Map.Starts != 2 || l.Options.Mode != "skirmish" || len(l.Seats) != 2 || l.Seats[0].Account != a.ID || l.Seats[0].Level != "" || l.Seats[1].Level != lobby.MediumBot {
				return fmt.Errorf("lobby %+v", l)
			}
			if version := map[bool]int64{false: 1, true: 5}[from >= 8]; l.SettingsVersion != version {
				return fmt.Errorf("version %d of the settings, want %d", l.SettingsVersion, version)
			}
			if err := l.Say(a.ID, "hello"); err != nil {
				return err
			}
			if err := tx.SaveLobby(l); err != nil {
				return err
			}
			many := 2
			if from >= 7 {
				many = 3
			}
			if events, err := tx.LobbyEvents("lobby-1", 0, 10); err != nil || len(events) != many {
				return fmt.Errorf("events %v: %w", events, err)
			}
		}
		if from >= 3 {
			if r, err := tx.Record(a.ID); err != nil || r.Won != 1 {
				return fmt.Errorf("record %+v: %w", r, err)
			}
			if k, err := tx.LockTicket("ticket-hash"); err != nil || k.Seat.Account != a.ID {
				return fmt.Errorf("ticket %+v: %w", k, err)
			}
		}
		if from >= 4 {
			rows, err := tx.Audit(0, 10)
			if err != nil || len(rows) != 1 || rows[0].Action != "ban.add" {
				return fmt.Errorf("audit %v: %w", rows, err)
			}
			// The chain begins with what was there before it.
			first := lobby.AuditRow{At: a.Created, Admin: "root", Action: "house.drain"}
			if err := tx.AddAudit(&first); err != nil || first.Link != 1 || first.Prev != rows[0].Digest() || first.Hash != first.Digest() {
				return fmt.Errorf("first of the chain %+v: %w", first, err)
			}
			if admin, err := tx.AdminByName("root"); err != nil || !admin.Fog {
				return fmt.Errorf("admin %+v: %w", admin, err)
			}
			if bans, err := tx.Bans(0, 10); err != nil || len(bans) != 1 || bans[0].Range.String() != "198.51.100.0/24" {
				return fmt.Errorf("bans %v: %w", bans, err)
			}
		}
		if from >= 7 {
			if events, err := tx.LobbyEvents("lobby-1", 1, 1); err != nil || events[0].Account != "account-2" {
				return fmt.Errorf("events %v: %w", events, err)
			}
		}
		if from >= 5 {
			if _, err := tx.UseReset("reset-hash", a.Created); err != nil {
				return fmt.Errorf("reset: %w", err)
			}
		}
		if from >= 15 {
			id := lobby.ExternalID{Issuer: "https://id.example.org", Subject: "ada-1"}
			if linked, err := tx.AccountByExternal(id); err != nil || linked.ID != a.ID {
				return fmt.Errorf("external identity of %+v: %w", linked, err)
			}
		}
		if from >= 16 {
			if k, err := tx.ServiceKeyBySecret("key-hash", a.Created); err != nil || k.ID != "key-1" || !k.Has(lobby.MatchesWrite) || !k.Holds(a.Created) {
				return fmt.Errorf("service key %+v: %w", k, err)
			}
			if m, _, err := tx.ServiceRequest("https://studio.example", "first"); err != nil || m != "match-1" {
				return fmt.Errorf("service match %q: %w", m, err)
			}
		}
		if from >= 17 {
			if p, err := tx.PartyOf(a.ID); err != nil || p.Offer != "offer-1" || !p.Members[0].Accepted || p.Members[0].Rating.Deviation != 210.25 {
				return fmt.Errorf("party %+v: %w", p, err)
			}
			if o, err := tx.Offer("offer-1"); err != nil || o.Bots != [2]int{0, 1} || o.Teams[0][0] != "party-1" {
				return fmt.Errorf("offer %+v: %w", o, err)
			}
			if r, err := tx.Ratings("1v1", []lobby.AccountID{a.ID}); err != nil || len(r) != 1 || r[a.ID].Rating.Mean != 1612.5 || r[a.ID].Drawn != 1 {
				return fmt.Errorf("ratings %+v: %w", r, err)
			}
			if x, err := tx.LastRated("1v1", a.ID); err != nil || x.Change != 12 {
				return fmt.Errorf("rated seat %+v: %w", x, err)
			}
		}
		if from >= 18 {
			if due, err := tx.LeaseHookEvents("hook-1", a.Created, a.Created.Add(time.Minute), "lease", 10); err != nil || len(due) != 1 || due[0].ID != "event-1" {
				return fmt.Errorf("webhook events %v: %w", due, err)
			}
		}
		if from >= 6 {
			if n, err := tx.AnonymizeDeleted(10); err != nil || n != 1 {
				return fmt.Errorf("forgot %d seats: %w", n, err)
			}
			if m, err := tx.Match("match-2"); err != nil || m.Spec.Participants[0].Name != "deleted" || m.Result.Seats[0].Name != "deleted" {
				return fmt.Errorf("match %+v: %w", m, err)
			}
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
			migrator, db, open := target.fresh(t)
			m := migrator()
			if _, err := m.Up(ctx, 0); err != nil {
				t.Fatal(err)
			}
			for v := m.Latest(); v > 0; v-- {
				s, err := m.Down(ctx)
				if err != nil || s.Version != v {
					t.Fatalf("down from %d: %+v %v", v, s, err)
				}
			}
			if _, err := m.Down(ctx); err == nil {
				t.Fatal("down below nothing")
			}
			for _, table := range []string{"accounts", "lobbies", "matches", "audit", "resets"} {
				if _, err := db.Exec("SELECT 1 FROM " + table); err == nil {
					t.Errorf("%s is still there", table)
				}
			}
			if _, err := m.Up(ctx, 2); err != nil {
				t.Fatal(err)
			}
			list, err := m.Status(ctx)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range list {
				if s.Applied != (s.Version <= 2) || s.Name == "" {
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
	migrator, db, _ := target.fresh(t)
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
	for v := int64(1); v <= all[0].Latest(); v++ {
		if applied[v] != 1 {
			t.Errorf("migration %d ran %d times", v, applied[v])
		}
	}
	rows := 0
	if err := db.QueryRow("SELECT COUNT(*) FROM house").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d houses, %v", rows, err)
	}
}

// TestNewerDatabase: an old program leaves a newer database alone.
func TestNewerDatabase(t *testing.T) {
	for _, target := range targets {
		t.Run(target.name, func(t *testing.T) {
			migrator, db, _ := target.fresh(t)
			m := migrator()
			if _, err := m.Up(ctx, 0); err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec(fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, TRUE)", m.Latest()+1)); err != nil {
				t.Fatal(err)
			}
			if _, err := migrator().Up(ctx, 0); err == nil || !strings.Contains(err.Error(), "version") {
				t.Errorf("up: %v", err)
			}
		})
	}
}

// TestSameNumbers: both dialects have the same migrations.
func TestSameNumbers(t *testing.T) {
	var names [2][]string
	for i, dir := range []string{"postgres", "sqlite"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names[i] = append(names[i], e.Name())
		}
	}
	if a, b := strings.Join(names[0], " "), strings.Join(names[1], " "); a != b || a == "" {
		t.Errorf("postgres: %s\nsqlite: %s", a, b)
	}
}

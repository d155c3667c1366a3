package storetest

import (
	"context"
	"regexp"
	"sync"
	"testing"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/postgres"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// TestStores runs each scenario on SQLite, and on PostgreSQL the scenarios about locks,
// races, restarts and failures. Every statement that the scenarios run runs on both.
func TestStores(t *testing.T) {
	var onSQLite, onPostgres statements
	for _, c := range scenarios {
		t.Run("sqlite/"+c.name, func(t *testing.T) {
			dir := sqlitetest.Dir(t)
			open := func() db.Store { return openSQLite(t, dir, onSQLite.run) }
			c.run(t, NewHarness(open()), open)
			onSQLite.scenarios++
		})
	}
	most := 0
	for _, c := range scenarios {
		if !c.both {
			continue
		}
		most++
		t.Run("postgres/"+c.name, func(t *testing.T) {
			url := PostgresURL(t)
			open := func() db.Store { return openPostgres(t, url, onPostgres.run) }
			c.run(t, NewHarness(open()), open)
			onPostgres.scenarios++
		})
	}
	if t.Failed() || onSQLite.scenarios < len(scenarios) || onPostgres.scenarios < most {
		return // a part was chosen with -run
	}
	both := onPostgres.shapes()
	for sql := range onSQLite.shapes() {
		if !both[sql] {
			t.Errorf("only SQLite runs this statement: mark a scenario that runs it for both\n%s", sql)
		}
	}
}

// statements are the statements that scenarios ran on one database.
type statements struct {
	mu        sync.Mutex
	ran       map[string]bool
	scenarios int // that ran to their end
}

// Statements differ by the locks that PostgreSQL takes, and by the length of lists, which
// moves the numbers of what follows.
var (
	locking = regexp.MustCompile(` FOR (UPDATE|SHARE)( OF r)?( SKIP LOCKED)?`)
	list    = regexp.MustCompile(`\([$0-9, ()]+\)`)
	number  = regexp.MustCompile(`\$\d+`)
)

func (s *statements) run(sql string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ran == nil {
		s.ran = map[string]bool{}
	}
	s.ran[sql] = true
	return nil
}

// shapes returns the statements that ran, without their differences.
func (s *statements) shapes() map[string]bool {
	all := map[string]bool{}
	for sql := range s.ran {
		sql = list.ReplaceAllString(locking.ReplaceAllString(sql, ""), "(list)")
		all[number.ReplaceAllString(sql, "$")] = true
	}
	return all
}

func openSQLite(t testing.TB, dir string, hook func(string) error) db.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), dir, sqlite.Options{Hook: hook})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func openPostgres(t testing.TB, url string, hook func(string) error) db.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{Hook: hook})
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

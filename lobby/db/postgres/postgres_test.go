package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fogkeep/fogkeep/internal/pgtest"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/postgres"
	"github.com/fogkeep/fogkeep/lobby/storetest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(context.Background(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestDeletionPlans(t *testing.T) {
	url := storetest.PostgresURL(t)
	pool, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close(context.Background())
	// The tables of a test are short: without this the plans would be of no index.
	if _, err := pool.Exec(t.Context(), "SET enable_seqscan = off"); err != nil {
		t.Fatal(err)
	}
	storetest.DeletionPlans(t, func(hook func(string) error) db.Store {
		s, err := postgres.Open(context.Background(), url, postgres.Options{Hook: hook})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}, func(text string) string {
		out := []string{}
		if _, err := pool.Exec(t.Context(), "DEALLOCATE ALL"); err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Prepare(t.Context(), "looked", text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		explain := "EXPLAIN EXECUTE looked"
		highest := 0
		for n := 1; n < 20; n++ {
			if strings.Contains(text, fmt.Sprintf("$%d", n)) {
				highest = n
			}
		}
		if highest > 0 {
			explain += "(" + strings.TrimSuffix(strings.Repeat("NULL, ", highest), ", ") + ")"
		}
		if _, err := pool.Exec(t.Context(), "SET plan_cache_mode = force_generic_plan"); err != nil {
			t.Fatal(err)
		}
		rows, err := pool.Query(t.Context(), explain, pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		defer rows.Close()
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				t.Fatal(err)
			}
			out = append(out, line)
		}
		if err := rows.Err(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return strings.Join(out, "\n")
	}, "Seq Scan")
}

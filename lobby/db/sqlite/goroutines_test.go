package sqlite_test

import (
	"context"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// started returns how many goroutines this process has started.
func started() uint64 {
	s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestStatementsStartNoGoroutines that wait for the end of their request: when many log
// in at once, ticks of matches would wait behind these goroutines.
func TestStatementsStartNoGoroutines(t *testing.T) {
	s := open(t, sqlitetest.Dir(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const people = 100
	round := func(from int) {
		for n := from; n < from+people; n++ {
			if err := s.Write(ctx, func(tx *db.Tx) error {
				_, _, err := tx.Throttle.Count("people", 1, time.Unix(1000, 0), time.Hour)
				if err != nil {
					return err
				}
				return tx.Accounts.Add(person(n))
			}); err != nil {
				t.Fatal(err)
			}
			if err := s.Read(ctx, func(tx *db.Tx) error {
				_, err := tx.Accounts.Get(person(n).ID)
				return err
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	round(0) // connections are opened
	before := started()
	round(people)
	if n := started() - before; n > people {
		t.Errorf("%d people cost %d goroutines", people, n)
	}
}

// TestTransactionEndsWithItsRequest: once the request is over, the transaction runs no
// statement and reads no row, and is rolled back.
func TestTransactionEndsWithItsRequest(t *testing.T) {
	s := open(t, sqlitetest.Dir(t))
	for n := range 3 {
		if err := s.Write(t.Context(), func(tx *db.Tx) error { return tx.Accounts.Add(person(n)) }); err != nil {
			t.Fatal(err)
		}
	}
	ctx, hangUp := context.WithCancel(t.Context())
	err := s.Write(ctx, func(tx *db.Tx) error {
		if err := tx.Accounts.Add(person(3)); err != nil {
			return err
		}
		hangUp()
		return tx.Accounts.Add(person(4))
	})
	if err != context.Canceled || there(t, s, 3) || there(t, s, 4) {
		t.Errorf("a writer whose client has gone was told %v; what it wrote is there: %v, %v", err, there(t, s, 3), there(t, s, 4))
	}
	ctx, hangUp = context.WithCancel(t.Context())
	var list []model.Account
	err = s.Read(ctx, func(tx *db.Tx) (err error) {
		hangUp()
		list, err = tx.Accounts.List(model.AccountFilter{Limit: 10})
		return err
	})
	if err != context.Canceled || len(list) > 0 {
		t.Errorf("a reader whose client has gone was told %v, and read %d rows", err, len(list))
	}
	if !there(t, s, 0) {
		t.Error("the connection is of no use any more")
	}
}

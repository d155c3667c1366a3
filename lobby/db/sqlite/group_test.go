package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/internal/eventually"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// account is the n-th of a test.
func person(n int) model.Account {
	return model.Account{ID: model.AccountID(fmt.Sprintf("0000-%04d", n)), Name: fmt.Sprintf("writer %d", n), Guest: true, Created: time.Unix(1000, 0)}
}

// there reports whether the n-th account is in the database.
func there(t *testing.T, s *sqlite.Store, n int) bool {
	t.Helper()
	err := s.Read(t.Context(), func(tx *db.Tx) error {
		_, err := tx.Accounts.Get(person(n).ID)
		return err
	})
	if err != nil && !errors.Is(err, model.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

// holding is a writer whose work lasts until release: later writers wait for its end.
func holding(s *sqlite.Store, fn func(*db.Tx) error) (release func() error) {
	began, end, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.Write(context.Background(), func(tx *db.Tx) error {
			close(began)
			<-end
			return fn(tx)
		})
	}()
	<-began
	return func() error {
		close(end)
		return <-done
	}
}

// come starts writers one after the other, and returns when all wait in this order.
func come(t *testing.T, s *sqlite.Store, writers int, write func(n int)) (wait func()) {
	t.Helper()
	var running sync.WaitGroup
	for n := range writers {
		running.Go(func() { write(n) })
		wait := 0
		eventually.Holds(t, fmt.Sprintf("%d wait", n+1), func() bool { wait = s.Waiting(); return wait == n+1 }, &wait)
	}
	return running.Wait
}

var errOwn = errors.New("the writer changed its mind")

// TestWritersAtOnceShareATransaction: each gets the outcome of its own work. The changes
// of a writer that fails, or panics, are gone, and the changes of all others stay.
func TestWritersAtOnceShareATransaction(t *testing.T) {
	for _, first := range []error{nil, errOwn} {
		s := open(t, sqlitetest.Dir(t))
		release := holding(s, func(tx *db.Tx) error {
			return errors.Join(tx.Accounts.Add(person(1000)), first)
		})
		const writers = 150 // more than one group
		var mu sync.Mutex
		var order []int
		told, panics := make([]error, writers), make([]any, writers)
		wait := come(t, s, writers, func(n int) {
			defer func() { panics[n] = recover() }()
			told[n] = s.Write(context.Background(), func(tx *db.Tx) error {
				mu.Lock()
				order = append(order, n)
				mu.Unlock()
				if n > 0 { // it sees what those before it have written, if they did not fail
					if _, err := tx.Accounts.Get(person(n - 1).ID); (err == nil) != (n%5 < 2) {
						t.Errorf("writer %d sees the one before it: %v", n, err)
					}
				}
				if err := tx.Accounts.Add(person(n)); err != nil {
					return err
				}
				switch n % 5 {
				case 1:
					return errOwn
				case 2:
					return tx.Accounts.Add(person(n)) // taken
				case 3:
					panic("a bug")
				}
				return nil
			})
			if there(t, s, n) != (told[n] == nil) {
				t.Errorf("writer %d is told %v at once, and what it wrote is there: %v", n, told[n], there(t, s, n))
			}
		})
		if err := release(); !errors.Is(err, first) || there(t, s, 1000) != (first == nil) {
			t.Errorf("the first was told %v, want %v", err, first)
		}
		wait()
		for n := range writers {
			p, panicked := panics[n].(string)
			switch n % 5 {
			case 1:
				if !errors.Is(told[n], errOwn) {
					t.Errorf("writer %d was told %v", n, told[n])
				}
			case 2:
				if !errors.Is(told[n], model.ErrTaken) {
					t.Errorf("writer %d was told %v", n, told[n])
				}
			case 3:
				if !panicked || !strings.HasPrefix(p, "a bug\n") || there(t, s, n) {
					t.Errorf("writer %d panicked with %q", n, p)
				}
				continue
			default:
				if told[n] != nil {
					t.Errorf("writer %d was told %v", n, told[n])
				}
			}
			if panics[n] != nil || there(t, s, n) != (told[n] == nil) {
				t.Errorf("writer %d was told %v, panic %v; what it wrote is there: %v", n, told[n], panics[n], there(t, s, n))
			}
		}
		for i, n := range order {
			if i != n {
				t.Fatalf("writer %d had turn %d", n, i)
			}
		}
	}
}

// TestHungUpWriterIsNotRun: a waiting writer that hangs up is not run, and delays no
// other.
func TestHungUpWriterIsNotRun(t *testing.T) {
	s := open(t, sqlitetest.Dir(t))
	release := holding(s, func(*db.Tx) error { return nil })
	ctx, hangUp := context.WithCancel(t.Context())
	told := make([]error, 4)
	wait := come(t, s, len(told), func(n int) {
		c := context.Background()
		if n%2 == 1 {
			c = ctx
		}
		told[n] = s.Write(c, func(tx *db.Tx) error { return tx.Accounts.Add(person(n)) })
	})
	hangUp()
	eventually.Holds(t, "the others wait", func() bool { return s.Waiting() == len(told)/2 })
	if err := release(); err != nil {
		t.Fatal(err)
	}
	wait()
	for n, err := range told {
		if left := n%2 == 1; left != errors.Is(err, context.Canceled) || left == there(t, s, n) {
			t.Errorf("writer %d was told %v; what it wrote is there: %v", n, err, there(t, s, n))
		}
	}
	if err := s.Write(t.Context(), func(tx *db.Tx) error { return tx.Accounts.Add(person(9)) }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestAFullDatabaseLosesNothing that a writer saw committed: the disk is full in the
// middle of a group.
func TestAFullDatabaseLosesNothing(t *testing.T) {
	s := open(t, sqlitetest.Dir(t))
	release := holding(s, func(*db.Tx) error { return nil })
	const writers = 60
	told := make([]error, writers)
	wait := come(t, s, writers, func(n int) {
		told[n] = s.Write(context.Background(), func(tx *db.Tx) error {
			a := person(n)
			a.PasswordHash = strings.Repeat("x", 2000)
			return tx.Accounts.Add(a)
		})
	})
	if err := release(); err != nil { // the group is full, or has had its time
		t.Fatal(err)
	}
	wait()
	if err := s.Raw(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // no more than there are
		t.Fatal(err)
	}
	release = holding(s, func(*db.Tx) error { return nil })
	more := make([]error, writers)
	wait = come(t, s, writers, func(n int) {
		more[n] = s.Write(context.Background(), func(tx *db.Tx) error {
			a := person(writers + n)
			a.PasswordHash = strings.Repeat("x", 2000)
			return tx.Accounts.Add(a)
		})
	})
	if err := release(); err != nil && !errors.Is(err, model.ErrUnavailable) {
		t.Fatal(err)
	}
	wait()
	failed := 0
	for n, err := range append(told, more...) {
		if err != nil {
			failed++
		}
		if err != nil && !errors.Is(err, model.ErrUnavailable) || there(t, s, n) != (err == nil) {
			t.Errorf("writer %d was told %v; what it wrote is there: %v", n, err, there(t, s, n))
		}
	}
	if failed == 0 {
		t.Error("there is room for everything: that proves nothing")
	}
	if err := s.Raw(t.Context(), "PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(t.Context(), func(tx *db.Tx) error { return tx.Accounts.Add(person(500)) }); err != nil {
		t.Errorf("with room again: %v", err)
	}
}

// TestARefusalIsItsWritersOwn: SQLite takes back the whole transaction when the disk is
// full. The writer that met that returns another error. The others in the group hear
// that the database failed, and do not get that writer's error.
func TestARefusalIsItsWritersOwn(t *testing.T) {
	s := open(t, sqlitetest.Dir(t))
	if err := s.Raw(t.Context(), "PRAGMA max_page_count = 1"); err != nil { // no more than there are
		t.Fatal(err)
	}
	release := holding(s, func(*db.Tx) error { return nil })
	told := make([]error, 3)
	wait := come(t, s, len(told), func(n int) {
		told[n] = s.Write(context.Background(), func(tx *db.Tx) error {
			if n != 1 {
				_, err := tx.Nodes.State()
				return err
			}
			for i := range 100 {
				a := person(i)
				a.PasswordHash = strings.Repeat("x", 2000)
				if tx.Accounts.Add(a) != nil {
					return errOwn
				}
			}
			return errors.New("there was room")
		})
	})
	first := release()
	wait()
	if !errors.Is(told[1], errOwn) {
		t.Errorf("the writer is told %v", told[1])
	}
	for _, err := range []error{first, told[0]} {
		if !errors.Is(err, model.ErrUnavailable) || errors.Is(err, errOwn) {
			t.Errorf("another one of its transaction is told %v", err)
		}
	}
	if told[2] != nil { // it has a transaction of its own
		t.Errorf("the next one is told %v", told[2])
	}
}

package core

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// lost is a database that does not answer; during a request its caller may leave.
type lost struct {
	db.Store
	during func()
}

func (lost) Connections() (reads, writes int) { return 1, 1 }

func (l lost) Read(context.Context, func(*db.Tx) error) error {
	l.during()
	return errors.Join(model.ErrUnavailable, context.Canceled)
}

// A request whose caller leaves during it begins no outage of the database; with a caller who waits it does.
func TestACallerWhoLeavesIsNoOutage(t *testing.T) {
	for leaves, outages := range map[bool]int{true: 0, false: 1} {
		var log bytes.Buffer
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		store := lost{during: func() {
			if leaves {
				leave()
			}
		}}
		s := New(Options{Store: store, Logger: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now, StoreTimeout: time.Minute, TurnTimeout: time.Minute})
		if err := s.Read(ctx, nil); !errors.Is(err, model.ErrUnavailable) {
			t.Errorf("the error is %v", err)
		}
		if n := strings.Count(log.String(), "does not work"); n != outages {
			t.Errorf("the caller leaves: %v: %d outages\n%s", leaves, n, &log)
		}
	}
}

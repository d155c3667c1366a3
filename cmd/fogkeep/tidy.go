package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/journal"
)

// tidy deletes what a server has kept for long enough: the journals of matches
// that are over.
type tidy struct {
	journals *journal.Dir
	keep     time.Duration // 0: for ever
	log      *slog.Logger
}

// tidyEvery is how often it looks.
const tidyEvery = 6 * time.Hour

// run looks at once, and then now and then until ctx ends.
func (t *tidy) run(ctx context.Context) {
	if t.keep == 0 {
		return
	}
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		t.purge()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (t *tidy) purge() {
	defer panics.Catch(t.log, "tidy", nil)
	n, err := t.journals.Purge(time.Now().Add(-t.keep))
	if err != nil {
		t.log.Warn("past journals are not all deleted", "err", err)
	}
	if n > 0 {
		t.log.Info("past journals deleted", "matches", n, "older_than", t.keep)
	}
}

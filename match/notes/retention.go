package notes

import (
	"context"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// retentionPeriod is how often [Dir.Retain] looks.
const retentionPeriod = 6 * time.Hour

// Retain deletes notes that are older than keep, as journal.Dir.Retain deletes
// journals: at once, and then every few hours until ctx ends. A keep of 0 keeps them
// for ever.
func (d *Dir) Retain(ctx context.Context, keep time.Duration) {
	if d == nil || keep == 0 {
		return
	}
	tick := time.NewTicker(retentionPeriod)
	defer tick.Stop()
	for {
		d.retain(keep)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (d *Dir) retain(keep time.Duration) {
	defer panics.Catch(d.log, "retention of notes", nil)
	if n, err := d.Purge(time.Now().Add(-keep)); err != nil {
		d.log.Warn("notes are not all deleted", "deleted", n, "error", err)
	}
}

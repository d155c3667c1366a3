package journal

import (
	"context"
	"log/slog"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// retentionPeriod is how often [Dir.Retain] looks.
const retentionPeriod = 6 * time.Hour

// Retain deletes the journals of finished matches that are older than keep: at
// once, and then every few hours until ctx ends. A keep of 0 keeps them for ever.
func (d *Dir) Retain(ctx context.Context, keep time.Duration, log *slog.Logger) {
	if keep == 0 {
		return
	}
	tick := time.NewTicker(retentionPeriod)
	defer tick.Stop()
	for {
		d.retain(keep, log)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (d *Dir) retain(keep time.Duration, log *slog.Logger) {
	defer panics.Catch(log, "retention", nil)
	n, err := d.Purge(time.Now().Add(-keep))
	if err != nil {
		log.Warn("past journals are not all deleted", "err", err)
	}
	if n > 0 {
		log.Info("past journals deleted", "matches", n, "olderThanDays", int(keep.Hours()/24))
	}
}

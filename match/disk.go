package match

import (
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Disk says how much room there is where journals lie.
type Disk interface {
	Free() (bytes int64, err error)
}

// watermark looks at the disk at most once per second.
type watermark struct {
	disk    Disk
	reserve int64
	clock   Clock
	log     *slog.Logger
	metrics *metrics

	mu   sync.Mutex
	seen time.Time
	low  bool
}

// ErrDiskLow is why no match can be started while the disk is nearly full.
var ErrDiskLow = errors.New("the server's disk is nearly full: no match can be started until there is room")

// isLow reports whether less than the reserve is free. It says so in the log and in the
// metrics. A disk that does not answer counts as a disk with room.
func (w *watermark) isLow() bool {
	if w.disk == nil || w.reserve <= 0 {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	if !w.seen.IsZero() && now.Sub(w.seen) < time.Second {
		return w.low
	}
	w.seen = now
	free, err := w.disk.Free()
	if err != nil {
		w.log.Error("the disk's room is not known", "error", err)
		w.low = false
		return false
	}
	w.metrics.diskFree.Set(float64(free))
	low := free < w.reserve
	switch {
	case low && !w.low:
		w.log.Warn("the disk is nearly full: no match is started until there is room", "freeBytes", free, "reserveBytes", w.reserve)
	case !low && w.low:
		w.log.Info("the disk has room again", "freeBytes", free)
	}
	if w.low = low; low {
		w.metrics.diskLow.Set(1)
	} else {
		w.metrics.diskLow.Set(0)
	}
	return low
}

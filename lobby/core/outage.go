package core

import (
	"sync"
	"sync/atomic"
	"time"
)

// outage makes two lines of the log of an outage, however many requests meet it: one when
// it begins, and one when it is over.
type outage struct {
	on atomic.Bool // the usual case costs no lock

	mu          sync.Mutex
	began, last time.Time // of its failures
	failures    int
}

// outageRest is the time without a failure after which an outage is over: some requests
// may succeed during it.
const outageRest = 5 * time.Second

// failed notes a failure, and reports whether an outage begins with it.
func (o *outage) failed(now time.Time) (begins bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if begins = !o.on.Swap(true); begins {
		o.began, o.failures = now, 0
	}
	o.last = now
	o.failures++
	return begins
}

// worked notes a success, and reports whether an outage is over: how long it was, and how
// much failed in it.
func (o *outage) worked(now time.Time) (length time.Duration, failures int, over bool) {
	if !o.on.Load() {
		return 0, 0, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.on.Load() || now.Sub(o.last) < outageRest {
		return 0, 0, false
	}
	o.on.Store(false)
	return o.last.Sub(o.began), o.failures, true
}

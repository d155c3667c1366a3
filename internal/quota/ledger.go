package quota

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Buckets that are full again are forgotten once there are twice as many buckets as the
// last time left, and at least bucketsLeast. bucketsMax bounds the kept buckets: beyond
// it newcomers share one per resource.
const (
	bucketsLeast = 1 << 12
	bucketsMax   = 1 << 17
)

// Ledger counts the use of resources. A nil Ledger has no limits.
type Ledger struct {
	// Now is the clock, for tests.
	Now func() time.Time

	limits map[Resource]*Limit

	mu        sync.Mutex
	amounts   map[key]int64
	buckets   map[key]*rate.Limiter
	refused   map[Resource]*[scopes]uint64
	swept     time.Time // when buckets were last looked through
	remaining int       // buckets that there were then
}

// New returns an unused ledger.
func New(t Limits) *Ledger {
	l := &Ledger{
		Now: time.Now, limits: map[Resource]*Limit{}, amounts: map[key]int64{}, buckets: map[key]*rate.Limiter{},
		refused: map[Resource]*[scopes]uint64{},
	}
	for i := range t {
		row := t[i]
		l.limits[row.Resource], l.refused[row.Resource] = &row, &[scopes]uint64{}
	}
	return l
}

// Limit returns the row of a resource; of a nil ledger, the default one.
func (l *Ledger) Limit(r Resource) Limit {
	if l == nil {
		return Defaults().Of(r)
	}
	return *l.row(r)
}

func (l *Ledger) row(r Resource) *Limit {
	row := l.limits[r]
	if row == nil {
		panic("quota: no resource " + string(r))
	}
	return row
}

// Refusal says which limit is in the way.
type Refusal struct {
	Limit Limit
	Scope Scope
	Most  int64         // for the taker, which may have no part in the reserve
	Wait  time.Duration // after which another try may succeed; at least a second
}

func (r *Refusal) Error() string {
	whose := [...]string{"your account", "your address", "your network", "your network", "this server"}[r.Scope]
	if r.Limit.Kind == Held {
		return fmt.Sprintf("too many %s for %s: at most %d at once", r.Limit.What, whose, r.Most)
	}
	return fmt.Sprintf("too many %s for %s: at most %d in %s", r.Limit.What, whose, r.Most, spell(r.Limit.Per))
}

// Full reports whether the server as a whole is at its limit, and not the taker.
func (r *Refusal) Full() bool { return r.Scope == Process }

func spell(d time.Duration) string {
	switch {
	case d == time.Minute:
		return "a minute"
	case d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}

// heldWait is the wait after a refusal of a held resource: its release cannot be foreseen.
const heldWait = 5 * time.Second

// Hold is a taken amount. Release gives it back, once; a nil Hold is empty.
type Hold struct {
	l        *Ledger
	r        Resource
	n        int64
	payer    Payer // under the ledger's lock
	released bool  // so is this
}

// Release gives the amount back. Further calls have no effect.
func (h *Hold) Release() {
	if h == nil {
		return
	}
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	if h.released {
		return
	}
	h.released = true
	h.payer.keys(h.r, func(k key) bool { h.l.give(k, h.n); return true })
}

// Disown gives back the account's part alone: the amount still counts for the address and the process.
func (h *Hold) Disown() {
	if h == nil {
		return
	}
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	k, ok := h.payer.key(h.r, Account)
	if !ok || h.released {
		return
	}
	h.l.give(k, h.n)
	h.payer.Account = ""
}

// Resize changes the held amount, in every scope or in no scope. Its error is a [Refusal].
func (h *Hold) Resize(n int64) error {
	if h == nil {
		return nil
	}
	h.l.mu.Lock()
	defer h.l.mu.Unlock()
	more := n - h.n
	if h.released || more == 0 {
		return nil
	}
	if more > 0 {
		if refusal := h.l.lacks(h.l.row(h.r), h.payer, more); refusal != nil {
			return refusal
		}
	}
	h.payer.keys(h.r, func(k key) bool { h.l.give(k, -more); return true })
	h.n = n
	return nil
}

// lacks says which scope has no room for n more; nil: all have.
func (l *Ledger) lacks(row *Limit, w Payer, n int64) (refusal *Refusal) {
	w.keys(row.Resource, func(k key) bool {
		limit := row.at(k.scope, w.Trusted)
		if row.Most[k.scope] > 0 && l.amounts[k]+n > limit {
			refusal = l.refuse(row, k.scope, limit, heldWait)
		}
		return refusal == nil
	})
	return refusal
}

func (l *Ledger) give(k key, n int64) {
	if l.amounts[k] -= n; l.amounts[k] == 0 {
		delete(l.amounts, k)
	}
}

// Take takes n of a held resource, in every scope or in no scope. Its error is a [Refusal].
func (l *Ledger) Take(r Resource, w Payer, n int64) (*Hold, error) { return l.take(r, w, n, true) }

// Adopt takes n even beyond the limits: for existing things, such as a match that came back after a restart.
func (l *Ledger) Adopt(r Resource, w Payer, n int64) *Hold {
	h, _ := l.take(r, w, n, false)
	return h
}

func (l *Ledger) take(r Resource, w Payer, n int64, limited bool) (*Hold, error) {
	if l == nil {
		return nil, nil
	}
	row := l.row(r)
	if row.Kind != Held || n < 0 {
		panic(fmt.Sprintf("quota: take %d of %s", n, r))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if limited {
		if refusal := l.lacks(row, w, n); refusal != nil {
			return nil, refusal
		}
	}
	w.keys(r, func(k key) bool { l.amounts[k] += n; return true })
	return &Hold{l: l, r: r, payer: w, n: n}, nil
}

// Spend takes n of a rate, in every scope or in no scope. Its error is a [Refusal].
func (l *Ledger) Spend(r Resource, w Payer, n int64) error {
	if l == nil {
		return nil
	}
	row := l.row(r)
	if row.Kind != Rate || n < 0 {
		panic(fmt.Sprintf("quota: spend %d of %s", n, r))
	}
	now := l.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	var taken []*rate.Reservation
	var refusal *Refusal
	w.keys(r, func(k key) bool {
		if row.Most[k.scope] == 0 {
			return true
		}
		// Strangers pay into two buckets: their own share, and the whole.
		for _, trusted := range [...]bool{false, true} {
			if !trusted && (w.Trusted || k.scope == Account || row.Reserve == 0) {
				continue
			}
			k.trusted = trusted
			most := row.at(k.scope, trusted)
			res := l.bucket(k, row, most, now).ReserveN(now, int(n))
			if wait := res.DelayFrom(now); !res.OK() || wait > 0 {
				res.CancelAt(now)
				refusal = l.refuse(row, k.scope, most, min(wait, row.Per))
				return false
			}
			taken = append(taken, res)
		}
		return true
	})
	if refusal == nil {
		return nil
	}
	for _, res := range taken {
		res.CancelAt(now)
	}
	return refusal
}

// Refuse counts a refusal by a stored limit, which the caller counts, and returns it.
func (l *Ledger) Refuse(row Limit, s Scope, wait time.Duration) *Refusal {
	if l == nil {
		return &Refusal{Limit: row, Scope: s, Most: row.Most[s], Wait: max(time.Second, wait)}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refuse(&row, s, row.Most[s], wait)
}

func (l *Ledger) refuse(row *Limit, s Scope, most int64, wait time.Duration) *Refusal {
	l.refused[row.Resource][s]++
	return &Refusal{Limit: *row, Scope: s, Most: most, Wait: max(time.Second, wait)}
}

// bucket returns the bucket of a key, or makes a full one.
func (l *Ledger) bucket(k key, row *Limit, most int64, now time.Time) *rate.Limiter {
	if b := l.buckets[k]; b != nil {
		return b
	}
	if len(l.buckets) >= min(max(2*l.remaining, bucketsLeast), bucketsMax) {
		l.sweep(now)
	}
	if len(l.buckets) >= bucketsMax {
		k.account, k.prefix = "", netip.Prefix{} // the bucket that newcomers share
		if b := l.buckets[k]; b != nil {
			return b
		}
	}
	b := rate.NewLimiter(rate.Limit(float64(most)/row.Per.Seconds()), int(most))
	l.buckets[k] = b
	return b
}

// sweepEvery bounds how often all buckets are looked through.
const sweepEvery = 5 * time.Second

// sweep forgets the buckets that are full: a new one would be the same.
func (l *Ledger) sweep(now time.Time) {
	if now.Sub(l.swept) < sweepEvery {
		return
	}
	l.swept = now
	for k, b := range l.buckets {
		if b.TokensAt(now) >= float64(b.Burst()) {
			delete(l.buckets, k)
		}
	}
	l.remaining = len(l.buckets)
}

// Held returns how much of a resource is taken in the whole process.
func (l *Ledger) Held(r Resource) int64 {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.amounts[key{resource: r, scope: Process}]
}

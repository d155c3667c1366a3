package account

import (
	"sync"

	"github.com/fogkeep/fogkeep/internal/quota"
)

// count is one counter of wrong passwords, and how far it may go.
type count struct {
	key   string
	limit quota.Limit
	scope quota.Scope
}

func (c count) most() int64 { return c.limit.Most[c.scope] }

// attemptsInFlight counts the running tries, by counter: a hundred tries at once count
// as a hundred, before their results are known.
type attemptsInFlight struct {
	mu sync.Mutex
	n  map[string]int64
}

func (f *attemptsInFlight) begin(counts []count) []int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := make([]int64, len(counts))
	for i, c := range counts {
		f.n[c.key]++
		now[i] = f.n[c.key]
	}
	return now
}

func (f *attemptsInFlight) end(counts []count) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range counts {
		if f.n[c.key]--; f.n[c.key] == 0 {
			delete(f.n, c.key)
		}
	}
}

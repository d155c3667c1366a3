package queue

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// presence has the signs of life of the last seconds: the only state of matchmaking that
// is not in the store.
type presence struct {
	mu       sync.Mutex
	accounts map[model.AccountID]bool // since they were stored last
	noted    time.Time                // when that was
}

func (p *presence) see(a model.AccountID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.accounts[a] = true
}

// seenEvery is how often the signs of life are stored.
const seenEvery = 5 * time.Second

// takeSeen returns the accounts seen since the last call: watchers and callers. It
// returns an empty list if the last store is recent.
func (p *presence) takeSeen(now time.Time, watchers []model.AccountID) []model.AccountID {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.noted.Add(seenEvery)) {
		return nil
	}
	p.noted = now
	out := slices.AppendSeq(watchers, maps.Keys(p.accounts))
	clear(p.accounts)
	slices.Sort(out)
	return slices.Compact(out)
}

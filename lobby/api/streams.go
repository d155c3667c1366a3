package api

import (
	"sync"

	"github.com/fogkeep/fogkeep/lobby"
)

// How many event streams may be open at once: they last, so that the limit on
// requests does not bound them. A browser needs one a tab.
const (
	streamsPerAccount = 16
	streamsPerNetwork = 1024 // a LAN party comes from one
)

// streams counts those that are open.
type streams struct {
	mu   sync.Mutex
	open map[string]int // by account and by network
}

// enter counts one more stream, or refuses it.
func (s *streams) enter(a lobby.AccountID, network string) (leave func(), err error) {
	byAccount, byNetwork := "account "+string(a), "network "+network
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]int{}
	}
	if s.open[byAccount] >= streamsPerAccount || s.open[byNetwork] >= streamsPerNetwork {
		return nil, &lobby.Error{Code: lobby.Throttled, Detail: "too many event streams are open; close some", RetryAfter: heartbeat}
	}
	s.open[byAccount]++
	s.open[byNetwork]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, key := range []string{byAccount, byNetwork} {
			if s.open[key]--; s.open[key] == 0 {
				delete(s.open, key)
			}
		}
	}, nil
}

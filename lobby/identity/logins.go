package identity

import (
	"net/netip"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// LoginLife is how long a log-in at a provider may take.
const LoginLife = 10 * time.Minute

// Login has the facts of a log-in that was sent to a provider.
type Login struct {
	Provider string
	Browser  model.Secret    // which the browser keeps in a cookie: it alone may bring the answer
	Address  netip.Addr      // that began it
	Return   string          // local path to go to in the end
	Link     model.AccountID // to which the identity is to be linked; "": who asks is logged in
}

// pending is a log-in that has not come back.
type pending struct {
	Login
	nonce    model.Secret
	verifier string // of PKCE
	expires  time.Time
	hold     *quota.Hold
}

// logins are the log-ins that were begun, by the hash of their state. How many
// there are is bounded by the ledger.
type logins struct {
	now func() time.Time

	mu    sync.Mutex
	all   map[model.SecretHash]*pending
	queue []model.SecretHash // in the order in which they expire, some already gone
}

func newLogins(now func() time.Time) *logins {
	return &logins{now: now, all: map[model.SecretHash]*pending{}}
}

// add keeps a log-in under a new state.
func (l *logins) add(p *pending) (state model.Secret) {
	state = model.NewSecret()
	l.mu.Lock()
	defer l.mu.Unlock()
	p.expires = l.now().Add(LoginLife)
	l.all[state.Hash()] = p
	l.queue = append(l.queue, state.Hash())
	return state
}

// sweep forgets expired log-ins, and gives back their share of limits.
func (l *logins) sweep() {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for ; n < len(l.queue); n++ {
		p := l.all[l.queue[n]]
		if p == nil {
			continue // it came back
		}
		if l.now().Before(p.expires) {
			break
		}
		delete(l.all, l.queue[n])
		p.hold.Release()
	}
	l.queue = append(l.queue[:0:0], l.queue[n:]...)
}

// take returns the log-in of a state, and uses it up; nil if the state is unknown, too
// old, or another browser's or provider's.
func (l *logins) take(provider string, state, browser model.Secret) *pending {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.all[state.Hash()]
	if p == nil {
		return nil
	}
	delete(l.all, state.Hash())
	p.hold.Release()
	if !l.now().Before(p.expires) || p.Provider != provider || browser == "" || p.Browser.Hash() != browser.Hash() {
		return nil
	}
	return p
}

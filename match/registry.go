package match

import (
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/shared"
)

// registry knows the matches of a process: running, beginning, departed, and waiting for
// another build.
type registry struct {
	*host

	mu         sync.Mutex // held for moments: no disk and no world is waited for
	matches    map[string]*live
	starting   map[string]*starting // matches being made, or brought here
	departures departures           // matches that were moved away
	waiting    map[string]error     // matches that this build cannot continue, and why
	roster     roster
	draining   bool
}

// starting is a match that is being made.
type starting struct {
	done chan struct{} // closed once the match is made, or is not
	err  error         // why not; read it after done
}

// begin runs the match that made returns, if it returns one. It returns nil if the
// match runs already. Of several calls for one match, one makes it and the others
// wait for that.
func (r *registry) begin(id string, made func() (*live, error)) (*live, error) {
	r.mu.Lock()
	if r.draining {
		r.mu.Unlock()
		return nil, ErrDraining
	}
	if r.matches[id] != nil {
		r.mu.Unlock()
		return nil, nil
	}
	if other := r.starting[id]; other != nil {
		r.mu.Unlock()
		<-other.done
		return nil, other.err
	}
	mine := &starting{done: make(chan struct{})}
	r.starting[id] = mine
	r.running.Add(1)
	r.mu.Unlock()
	defer r.running.Done()
	m, err := made()
	if m != nil && r.ctx.Err() != nil {
		m.close()
		m.speed.holds.release()
		m, err = nil, ErrDraining
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	defer close(mine.done)
	delete(r.starting, id)
	mine.err = err
	if m != nil {
		r.enter(m)
	}
	return m, err
}

// enter lets a match begin. r.mu is held.
func (r *registry) enter(m *live) {
	delete(r.departures, m.spec.ID)
	r.matches[m.spec.ID] = m
	r.roster.begin(m)
	r.metrics.matches.Inc()
	r.running.Go(m.run)
}

// finished is a match's last call.
func (r *registry) finished(id string, moved bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.matches, id)
	if len(r.matches) == 0 {
		r.pace.rest()
	}
	r.roster.end(id)
	if moved {
		r.departures.note(id, r.cfg.Clock.Now())
	}
	r.metrics.matches.Dec()
}

func (r *registry) find(id string) *live {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.matches[id]
}

// isDraining reports whether the service is about to stop.
func (r *registry) isDraining() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draining
}

// enroll notes that an account has a seat in a match. It reports false if the
// right to it is of an epoch that is over.
func (r *registry) enroll(match, account string, epoch int64) bool {
	if account == "" {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if epoch < r.roster.epochs[account] {
		return false
	}
	r.roster.add(account, match)
	return true
}

// lost logs and reports that another process has taken a match over.
func (r *registry) lost(match string) {
	r.metrics.fenced.Inc()
	r.log.Warn("match stopped: another server has taken it over", "match", match)
	if r.cfg.Fenced != nil {
		r.cfg.Fenced(match)
	}
}

// locate finds a match that runs here. It waits for a match that is just coming here. The
// error is a [link.Refusal] that names another place, or ErrNoMatch.
func (r *registry) locate(match string) (*live, error) {
	r.mu.Lock()
	m, coming := r.matches[match], r.starting[match]
	r.mu.Unlock()
	if m == nil && coming != nil {
		wait := time.NewTimer(link.HelloWait)
		defer wait.Stop()
		select {
		case <-coming.done:
		case <-wait.C:
		case <-r.ctx.Done():
		}
		m = r.find(match)
	}
	if m == nil {
		return nil, r.elsewhere(match)
	}
	return m, nil
}

// elsewhere says where a match is that does not run here, or ErrNoMatch.
func (r *registry) elsewhere(match string) error {
	if why, ok := r.Waits(match); ok {
		return waiting(why.Error())
	}
	if r.cfg.Where != nil {
		if p := r.cfg.Where(match); p.State != shared.WhereGone {
			return r.awayTo(p)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, ok := r.departures[match]; ok && r.cfg.Clock.Now().Sub(at) < departuresLast || r.starting[match] != nil {
		return link.Moved("")
	}
	return ErrNoMatch
}

// waiting refuses the clients of a match that no server can continue at the moment.
func waiting(why string) *link.Refusal {
	return &link.Refusal{Code: "match_waits", Text: "the match waits for a server that can continue it: " + why}
}

// movedTo redirects the clients of a departed match.
func (r *registry) movedTo(match string) *link.Refusal {
	if r.cfg.Where != nil {
		if p := r.cfg.Where(match); p.State != shared.WhereGone {
			return r.awayTo(p).Refusal
		}
	}
	return link.Moved("")
}

// away says that a client's match runs in another process.
type away struct {
	*link.Refusal
	place shared.Whereabouts
}

func (a *away) Unwrap() error { return a.Refusal }

// awayTo returns the refusal for a client whose match is elsewhere. Where sockets are
// carried, clients know only the way that they came.
func (r *registry) awayTo(p shared.Whereabouts) *away {
	if p.Why != "" {
		return &away{waiting(p.Why), p}
	}
	if r.cfg.Carry != nil {
		return &away{link.Moved(""), p}
	}
	return &away{link.Moved(p.URL), p}
}

// departures are the matches that moved away, and when. If no process is known to have
// one, its clients get the answer to ask again.
type departures map[string]time.Time

const (
	departuresMax  = 4096
	departuresLast = 5 * time.Minute
)

func (d departures) note(match string, now time.Time) {
	if len(d) >= departuresMax {
		for id, at := range d {
			if now.Sub(at) > departuresLast {
				delete(d, id)
			}
		}
		if len(d) >= departuresMax {
			clear(d)
		}
	}
	d[match] = now
}

// Waits reports whether a match waits for a server that can continue it, because
// another build wrote its journal, and why this one cannot.
func (r *registry) Waits(match string) (why error, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	why, ok = r.waiting[match]
	return why, ok
}

// roster knows in which matches each account has, or had, a seat. The service's
// mutex guards it.
type roster struct {
	at     map[string]map[string]bool // ids by account
	epochs map[string]int64
}

// epochsMax bounds the epochs that are remembered. They only have to outlast the
// admissions that run at the moment: after that an [Admitter] knows better.
const epochsMax = 1 << 16

func (r *roster) add(account, match string) {
	if r.at[account] == nil {
		r.at[account] = map[string]bool{}
	}
	r.at[account][match] = true
}

// begin notes the seats that a match begins with.
func (r *roster) begin(m *live) {
	for _, st := range m.seats.all {
		if st.account != "" {
			r.add(st.account, m.spec.ID)
		}
	}
}

// end forgets a match.
func (r *roster) end(match string) {
	for account, in := range r.at {
		if delete(in, match); len(in) == 0 {
			delete(r.at, account)
		}
	}
}

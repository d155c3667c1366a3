package server

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/shared"
)

// clusterMatches is the matches of all nodes as the lobby asks for them: a request about
// a match of another node goes there as a call. Checks that are the
// same at every node are made here.
type clusterMatches struct {
	*matchAdapter // of this node
	peers         *peers
	cluster       *cluster.Cluster
	journals      cluster.Journals
	proxy         bool // players know no nodes
	log           *slog.Logger
	tookOver      func(model.MatchID) // a match runs here that the lobby's row says is elsewhere

	mu       sync.Mutex
	started  map[model.MatchID]startedAt // by this node elsewhere, until the directory says so
	listed   map[string]bool             // matches with a journal
	lists    time.Time                   // when that list was asked for
	listing  bool                        // another one is under way
	searches map[string]time.Time        // since when a match is not known to run anywhere
	live     []model.LiveMatch
	lives    time.Time
	seats    map[model.MatchID]seatsAt
}

var _ model.Matches = (*clusterMatches)(nil)

type startedAt struct {
	node, url string
	at        time.Time
}

type seatsAt struct {
	list []model.LiveSeat
	at   time.Time
}

const (
	startedFor   = 10 * time.Second // longer than the directory takes
	listFor      = 5 * time.Second
	listAgain    = 250 * time.Millisecond
	searchAge    = 10 * time.Minute
	searchesMost = 1 << 14
	liveFor      = time.Second
	liveWait     = 1500 * time.Millisecond
)

// newClusterMatches registers this node's answers.
func newClusterMatches(local *matchAdapter, c *cluster.Cluster, p *peers, journals cluster.Journals, tookOver func(model.MatchID), log *slog.Logger) *clusterMatches {
	m := &clusterMatches{
		matchAdapter: local, peers: p, cluster: c, journals: journals, tookOver: tookOver, log: log,
		started: map[model.MatchID]startedAt{}, searches: map[string]time.Time{}, seats: map[model.MatchID]seatsAt{},
	}
	p.where = m.Where
	answer(p, "start", quiet(func(ctx context.Context, s model.Spec, who model.Payer) error {
		s.Payer = who
		if _, err := local.Start(ctx, s); err != nil {
			return err
		}
		m.cluster.Changed()
		m.tookOver(s.Match)
		return nil
	}))
	answer(p, "abort", quiet(local.Abort))
	answer(p, "keep", quiet(local.Keep))
	answer(p, "budget", quiet(local.SetBudget))
	answer(p, "end", quiet(local.End))
	answer(p, "announce", quiet(local.Announce))
	answer(p, "live", func(context.Context, none, none) ([]model.LiveMatch, error) { return local.Live(), nil })
	answer(p, "seats", func(ctx context.Context, id model.MatchID, _ none) ([]model.LiveSeat, error) {
		list, ok := local.Seats(ctx, id)
		if !ok {
			return nil, model.MatchOver
		}
		return list, nil
	})
	return m
}

// CanStart implements model.Matches: there is room on some node.
func (m *clusterMatches) CanStart(s model.Spec) error {
	err := m.matchAdapter.CanStart(s)
	full := (*quota.Refusal)(nil)
	if err == nil || !errors.Is(err, model.ServerFull) && !(errors.As(err, &full) && full.Full()) {
		return err
	}
	for _, n := range m.cluster.Nodes() {
		if n.State == cluster.Alive && !n.Draining && n.Name != m.node && n.Load.Matches < n.Load.Most {
			return nil
		}
	}
	return err
}

// Start implements model.Matches: by load, on the first of the nodes that takes it.
func (m *clusterMatches) Start(ctx context.Context, s model.Spec) (string, error) {
	if at := m.Where(ctx, s.Match); at.State == shared.WhereRuns {
		return at.Node, nil
	}
	nodes, err := m.cluster.Place(string(s.Match))
	if errors.Is(err, cluster.ErrFull) {
		return "", &model.Error{Code: model.ServerFull, RetryAfter: time.Minute, Err: err}
	}
	if err != nil {
		return "", &model.Error{Code: model.Unavailable, Detail: "this node has not joined its cluster yet", RetryAfter: time.Second, Err: err}
	}
	for _, n := range nodes {
		if n.Name == m.node {
			if _, err = m.matchAdapter.Start(ctx, s); err == nil {
				m.cluster.Changed()
			}
		} else {
			one, cancel := context.WithTimeout(ctx, startWait)
			err = m.peers.call(one, n.Name, "start", s, s.Payer, nil)
			cancel()
		}
		if err == nil {
			m.noteStarted(s.Match, n)
			return n.Name, nil
		}
		if at := m.Where(ctx, s.Match); at.State == shared.WhereRuns {
			return at.Node, nil // its answer was lost
		}
		if !tryNext(err) || ctx.Err() != nil {
			break
		}
		m.log.Warn("a node did not take a new match; the next one is asked", "match", s.Match, "node", n.Name, "err", err)
	}
	return "", err
}

// startWait is for one node to make a match. Three fit into the lobby's wait.
const startWait = 3 * time.Second

// tryNext reports whether another node may take a match that one did not take.
func tryNext(err error) bool {
	e := model.AsError(err)
	switch e.Code {
	case model.ServerFull, model.Busy, model.Unavailable, model.Draining, model.Internal, model.UnknownMap:
		return true
	case model.BadOption:
		return e.Field == "ruleset" // that node does not have it
	}
	return errors.Is(err, match.ErrDraining)
}

func (m *clusterMatches) noteStarted(id model.MatchID, n cluster.Node) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for id, s := range m.started {
		if now.Sub(s.at) > startedFor {
			delete(m.started, id)
		}
	}
	m.started[id] = startedAt{n.Name, m.url(n), now}
}

func (m *clusterMatches) Where(_ context.Context, id model.MatchID) shared.Whereabouts {
	if m.Runs(id) {
		m.runs(string(id))
		return shared.Whereabouts{State: shared.WhereRuns, Node: m.node}
	}
	if n, ok := m.cluster.Where(string(id)); ok && n.Name != m.node {
		m.runs(string(id))
		return shared.Whereabouts{State: shared.WhereRuns, Node: n.Name, URL: m.url(n)}
	} else if ok {
		return shared.Whereabouts{State: shared.WhereWaits} // it is on its way here
	}
	m.mu.Lock()
	s, ok := m.started[id]
	m.mu.Unlock()
	if ok && time.Since(s.at) < startedFor && m.alive(s.node) {
		return shared.Whereabouts{State: shared.WhereRuns, Node: s.node, URL: s.url}
	}
	if m.mayExist(string(id)) {
		return shared.Whereabouts{State: shared.WhereWaits, Why: m.cluster.Waits(string(id))}
	}
	return shared.Whereabouts{State: shared.WhereGone}
}

func (m *clusterMatches) alive(node string) bool {
	return slices.ContainsFunc(m.cluster.Nodes(), func(n cluster.Node) bool { return n.Name == node && n.State == cluster.Alive })
}

// url is where players reach a node.
func (m *clusterMatches) url(n cluster.Node) string {
	if m.proxy {
		return ""
	}
	return n.URL
}

// mayExist reports whether there is a journal of a match that no node is known to run.
// Only a list that was asked for after that began counts: of a match that began later
// than the list, or while the journal store does not answer, it is taken for granted.
func (m *clusterMatches) mayExist(id string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	since, known := m.searches[id]
	if !known {
		for id, at := range m.searches {
			if now.Sub(at) > searchAge || len(m.searches) >= searchesMost {
				delete(m.searches, id)
			}
		}
		since = now
		m.searches[id] = now
	}
	if old := now.Sub(m.lists); !m.listing && (old > listFor || old > listAgain && !m.lists.After(since)) {
		m.listing = true
		go m.listJournals()
	}
	return !m.lists.After(since) || m.listed[id]
}

// runs notes that a match is known to run: a later search begins anew.
func (m *clusterMatches) runs(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.searches, id)
}

// listJournals asks the journal store, on its own goroutine: it may take seconds.
func (m *clusterMatches) listJournals() {
	defer panics.Catch(m.log, "list of journals", func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.listing = false
	})
	began := time.Now()
	ids, err := m.journals.List()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listing = false
	if err != nil {
		m.log.Warn("the journal store does not say which matches have a journal", "err", err)
		return
	}
	m.lists, m.listed = began, make(map[string]bool, len(ids))
	for _, id := range ids {
		m.listed[id] = true
	}
}

// owner makes a call about a match at its node. local does it on this node; its name is
// the call's.
func owner[T any](ctx context.Context, m *clusterMatches, id model.MatchID, name string, local func(context.Context, model.MatchID, T) error, with T) error {
	at := m.Where(ctx, id)
	switch {
	case at.State != shared.WhereRuns:
		if at.Why != "" {
			return &model.Error{Code: model.MatchWaits, Detail: "the match waits for a server that can continue it: " + at.Why}
		}
		if at.State == shared.WhereWaits {
			return noOwner
		}
		return model.MatchOver
	case at.Node == m.node:
		return local(ctx, id, with)
	}
	return m.peers.call(ctx, at.Node, name, id, with, nil)
}

func (m *clusterMatches) Abort(ctx context.Context, id model.MatchID, reason string) error {
	if m.Where(ctx, id).Why != "" {
		err := m.GiveUp(string(id), reason)
		if err == nil {
			m.cluster.Over(string(id))
		}
		return err
	}
	return owner(ctx, m, id, "abort", m.matchAdapter.Abort, reason)
}

func (m *clusterMatches) Keep(ctx context.Context, id model.MatchID, on bool) error {
	return owner(ctx, m, id, "keep", m.matchAdapter.Keep, on)
}

func (m *clusterMatches) SetBudget(ctx context.Context, id model.MatchID, b model.Budget) error {
	return owner(ctx, m, id, "budget", m.matchAdapter.SetBudget, b)
}

// End implements model.Matches: on all nodes. A node that does not answer does the
// same by itself once it sees the account's epoch or the ban.
func (m *clusterMatches) End(ctx context.Context, account model.AccountID, e model.Ending) error {
	err := m.matchAdapter.End(ctx, account, e)
	if !e.Here {
		m.callAll(ctx, "end", account, e)
	}
	return err
}

func (m *clusterMatches) Announce(ctx context.Context, id model.MatchID, text string) error {
	if id != "" {
		return owner(ctx, m, id, "announce", m.matchAdapter.Announce, text)
	}
	err := m.matchAdapter.Announce(ctx, "", text)
	m.callAll(ctx, "announce", id, text)
	return err
}

// callAll makes a call at all other nodes.
func (m *clusterMatches) callAll(ctx context.Context, name string, a, b any) {
	ctx, cancel := context.WithTimeout(ctx, liveWait)
	defer cancel()
	callOthers(ctx, m.peers, name, a, b, func(none) {})
}

// LiveAll implements model.Matches. Nodes that do not answer in time are missing.
func (m *clusterMatches) LiveAll(ctx context.Context) []model.LiveMatch {
	m.mu.Lock()
	if time.Since(m.lives) < liveFor {
		defer m.mu.Unlock()
		return m.live
	}
	m.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, liveWait)
	defer cancel()
	all := m.Live()
	callOthers(ctx, m.peers, "live", none{}, none{}, func(list []model.LiveMatch) { all = append(all, list...) })
	m.mu.Lock()
	defer m.mu.Unlock()
	m.live, m.lives = all, time.Now()
	return all
}

func (m *clusterMatches) Seats(ctx context.Context, id model.MatchID) ([]model.LiveSeat, bool) {
	at := m.Where(ctx, id)
	if at.State != shared.WhereRuns {
		return nil, false
	}
	if at.Node == m.node {
		return m.matchAdapter.Seats(ctx, id)
	}
	m.mu.Lock()
	known, ok := m.seats[id]
	m.mu.Unlock()
	if ok && time.Since(known.at) < liveFor {
		return known.list, true
	}
	var list []model.LiveSeat
	if m.peers.call(ctx, at.Node, "seats", id, none{}, &list) != nil {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	for id, s := range m.seats {
		if now.Sub(s.at) > liveFor {
			delete(m.seats, id)
		}
	}
	m.seats[id] = seatsAt{list, now}
	return list, true
}

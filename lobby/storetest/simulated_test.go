//go:build !race

package storetest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/match/grid"
)

var townSeed = flag.Uint64("lobby.seed", 0, "the seed of TestSimulatedLobby; 0: many")

// town is a lobby of three processes on one database, and the people who use it. A seed
// chooses their requests, the order of all transactions, and the faults:
//
//	the database refuses a transaction that ran to its end; it runs again
//	the connection is lost in the middle of a transaction
//	the connection is lost after the commit: no answer comes
//	the process dies, before or after a commit; its successor knows the database alone
//	the clock of a process is set by up to a minute
//
// On SQLite one request runs at a time, from one transaction to the next. The lobby draws
// its ids anew, so a seed replays nearly as it was. On PostgreSQL requests run at once, and
// its own refusals come on top.
type town struct {
	mu        sync.Mutex
	random    *rand.Rand
	faults    bool
	atOnce    bool
	plain     *Harness // without faults
	matches   *Matches
	processes []*townProcess
	people    []*townsman
	lobbies   []model.LobbyID
	tickets   []*townTicket
	results   map[model.MatchID]model.Result
	told      map[model.MatchID]bool
	acts      []townAct
	codes     []string // of parties
	now       time.Duration
	wrong     string

	events chan townEvent
	parked []chan struct{}
	active int
	counts map[string]int
}

// townProcess is a process.
type townProcess struct {
	*Harness
	store    *faultyStore
	sweeping atomic.Bool
	requests int
}

// townsman has one request at a time.
type townsman struct {
	model.Account
	busy   bool
	banned bool
	lifts  int // begun
	ban    int64
}

type townTicket struct {
	secret model.Secret
	by     *townsman
	used   int
}

// townEvent is a transaction that waits for its turn, or the end of a request.
type townEvent struct {
	turn chan struct{}
	over func()
}

// townAct is an act of an admin. An act without an answer happened or did not.
type townAct struct {
	reason string
	err    error
}

var (
	errNoAnswer = errors.Join(model.ErrUnavailable, errors.New("the connection was lost"))
	errAgain    = errors.New("the database refuses the transaction for another's sake")
)

// faultyStore is a process's way to the database.
type faultyStore struct {
	db.Store
	town *town
	dead atomic.Bool
	left atomic.Int64 // statements until the connection is lost; 0: it is not
	cut  atomic.Bool
}

// townKey marks the context of a request.
type townKey struct{}

// Connections implements db.Store. Many: a transaction waits for its turn with the town.
func (s *faultyStore) Connections() (reads, writes int) { return 0, 1000 }

func (s *faultyStore) statement(string) error {
	if s.left.Load() > 0 && s.left.Add(-1) == 0 {
		s.cut.Store(true)
	}
	if s.cut.Load() {
		return errNoAnswer
	}
	return nil
}

// turn waits until a transaction may begin.
func (s *faultyStore) turn(ctx context.Context) error {
	if ctx.Value(townKey{}) != nil && !s.town.atOnce {
		mine := make(chan struct{})
		s.town.events <- townEvent{turn: mine}
		<-mine
	}
	if s.dead.Load() {
		return errNoAnswer
	}
	return nil
}

func (s *faultyStore) Read(ctx context.Context, fn func(*db.Tx) error) error {
	if err := s.turn(ctx); err != nil {
		return err
	}
	switch s.town.fault(ctx) {
	case "again", "no answer":
		if err := s.Store.Read(ctx, fn); err != nil {
			return err
		}
	case "cut":
		return s.lose(func() error { return s.Store.Read(ctx, fn) })
	}
	return s.Store.Read(ctx, fn)
}

func (s *faultyStore) Write(ctx context.Context, fn func(*db.Tx) error) error {
	for {
		if err := s.turn(ctx); err != nil {
			return err
		}
		fault := s.town.fault(ctx)
		dies := strings.HasPrefix(fault, "dies")
		switch fault {
		case "again", "cut", "dies":
			write := func() error {
				return s.Store.Write(ctx, func(tx *db.Tx) error {
					if err := fn(tx); err != nil {
						return err
					}
					return errAgain
				})
			}
			var err error
			if fault == "cut" {
				err = s.lose(write)
			} else {
				err = write()
			}
			s.dead.Store(s.dead.Load() || dies)
			switch {
			case !errors.Is(err, errAgain):
				return err
			case fault != "again":
				return errNoAnswer
			}
		case "no answer", "dies after":
			err := s.Store.Write(ctx, fn)
			s.dead.Store(s.dead.Load() || dies)
			if err == nil {
				err = errNoAnswer
			}
			return err
		default:
			return s.Store.Write(ctx, fn)
		}
	}
}

// lose cuts the connection after some statements.
func (s *faultyStore) lose(do func() error) error {
	s.town.mu.Lock()
	n := 1 + s.town.random.IntN(12)
	s.town.mu.Unlock()
	s.left.Store(int64(n))
	defer func() { s.left.Store(0); s.cut.Store(false) }()
	return do()
}

// fault draws the fate of a transaction.
func (w *town) fault(ctx context.Context) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.faults || ctx.Value(townKey{}) == nil {
		return ""
	}
	n := w.random.IntN(200)
	for _, x := range []struct {
		name string
		of   int
	}{{"again", 10}, {"cut", 5}, {"no answer", 5}, {"dies", 2}, {"dies after", 3}} {
		if n -= x.of; n < 0 {
			w.counts[x.name]++
			return x.name
		}
	}
	return ""
}

// count counts something, and returns how often it was.
func (w *town) count(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[name]++
	return w.counts[name]
}

func (w *town) failure() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wrong
}

func (w *town) fail(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// newTown opens the processes. open opens the database once more.
func newTown(t testing.TB, seed uint64, atOnce bool, open func(hook func(string) error) db.Store) *town {
	w := &town{
		random: rand.New(rand.NewPCG(seed, 37)), atOnce: atOnce, matches: NewMatches(), results: map[model.MatchID]model.Result{},
		told: map[model.MatchID]bool{}, events: make(chan townEvent), counts: map[string]int{},
	}
	w.plain = w.begin(open(nil))
	for range 3 {
		s := &faultyStore{town: w}
		s.Store = open(s.statement)
		w.processes = append(w.processes, &townProcess{Harness: w.begin(s), store: s})
	}
	for i := range 6 {
		a, _, err := w.plain.Account.Register(ctx, Home, fmt.Sprint("person ", i), "", "a lamp in the valley")
		must(t, err)
		w.people = append(w.people, &townsman{Account: a})
	}
	w.faults = true
	return w
}

// begin begins a process on a store.
func (w *town) begin(store db.Store) *Harness {
	h := NewHarness(store, func(c *lobby.Config) { c.Ledger, c.Matches = Unlimited(), w.matches })
	h.Step(w.now)
	return h
}

// step moves all clocks.
func (w *town) step(d time.Duration) {
	w.now += d
	w.plain.Step(d)
	for _, p := range w.processes {
		p.Step(d)
	}
}

// one draws one of a list.
func one[T any](w *town, of []T) (out T, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(of) == 0 {
		return out, false
	}
	return of[w.random.IntN(len(of))], true
}

func (w *town) chance(percent int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.random.IntN(100) < percent
}

// request draws a request of a person to a process, and returns its work; nil: there is none.
func (w *town) request(p *townProcess, who *townsman) func(ctx context.Context) error {
	chief := p.admin()
	in, sits := one(w, w.lobbies)
	n, _ := one(w, []int{0, 1, 1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 11, 12, 13, 13, 13, 13, 13, 14})
	switch n {
	case 0:
		return func(ctx context.Context) error {
			l, err := p.Room.Create(ctx, Home, who.Account, room.NewLobby{Name: "lobby", Map: "ring"})
			if err == nil {
				w.mu.Lock()
				w.lobbies = append(w.lobbies, l.ID)
				w.mu.Unlock()
			}
			return w.admits(who, err)
		}
	case 1:
		if !sits {
			return nil
		}
		return func(ctx context.Context) error {
			_, err := p.Room.Join(ctx, Home, who.Account, in, room.JoinRequest{})
			return w.admits(who, err)
		}
	case 2:
		if !sits {
			return nil
		}
		return func(ctx context.Context) error { _, err := p.Room.Leave(ctx, in, who.ID); return err }
	case 3: // it begins the match of its lobby, with a bot
		return func(ctx context.Context) error {
			_, _, in, err := p.Account.Me(ctx, who.ID)
			if err != nil || in == "" {
				return err
			}
			if w.chance(50) {
				if _, err := p.Room.AddBot(ctx, in, who.ID, "", nil); err != nil && !errors.Is(err, model.NotHost) {
					return err
				}
			}
			if _, err := p.ready(in, who.Account); err != nil {
				return err
			}
			_, err = p.Room.Start(ctx, in, who.ID)
			return err
		}
	case 4:
		return func(ctx context.Context) error {
			_, _, in, err := p.Account.Me(ctx, who.ID)
			if err != nil || in == "" {
				return err
			}
			ticket, _, err := p.Play.Login(ctx, Home, who.Account, in, 0)
			if err == nil {
				w.mu.Lock()
				w.tickets = append(w.tickets, &townTicket{secret: ticket, by: who})
				w.mu.Unlock()
			}
			return w.admits(who, err)
		}
	case 5:
		k, ok := one(w, w.tickets[max(0, len(w.tickets)-4):])
		if !ok {
			return nil
		}
		return func(ctx context.Context) (err error) { // its client asks again, whatever the answer was
			for range 2 {
				var seat model.Admission
				if seat, err = p.Play.Redeem(ctx, k.secret, Home.Address); err != nil {
					continue
				}
				w.mu.Lock()
				k.used++
				used := k.used
				w.mu.Unlock()
				w.count("redeemed")
				if used > 1 || seat.Account != k.by.ID {
					w.fail("a ticket of %s let %s in, as the %d. use", k.by.Name, seat.Account, used)
				}
			}
			return err
		}
	case 6:
		return func(ctx context.Context) error {
			st, err := p.Queue.MakeParty(ctx, Home, who.Account)
			if err == nil && st.Party != nil {
				w.mu.Lock()
				w.codes = append(w.codes, st.Party.Code)
				w.mu.Unlock()
			}
			return w.admits(who, err)
		}
	case 7:
		code, ok := one(w, w.codes)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error {
			_, err := p.Queue.JoinParty(ctx, Home, who.Account, code)
			return w.admits(who, err)
		}
	case 8:
		return func(ctx context.Context) error {
			if w.chance(50) {
				_, err := p.Queue.LeaveParty(ctx, who.ID)
				return err
			}
			_, err := p.Queue.LeaveQueue(ctx, who.ID)
			return err
		}
	case 9: // it waits for a match, and says mostly yes to it
		return func(ctx context.Context) error {
			st, err := p.Queue.Standing(ctx, who.ID)
			if err != nil {
				return err
			}
			if st.Offer != nil {
				_, err = p.Queue.AnswerOffer(ctx, who.ID, st.Offer.ID, w.chance(95))
				return err
			}
			queue, _ := one(w, []string{"1v1", "1v1", "1v1", "1v1", "1v1", "2v2"})
			_, err = p.Queue.JoinQueue(ctx, Home, who.Account, queue, "")
			return w.admits(who, err)
		}
	case 10: // a match ends: its server tells it until it is heard, and maybe once more
		live := w.matches.Live()
		slices.SortFunc(live, func(a, b model.LiveMatch) int { return strings.Compare(string(a.Match), string(b.Match)) })
		m, ok := one(w, live)
		if !ok {
			return nil
		}
		return func(ctx context.Context) error { return w.ends(ctx, p.Harness, m.Match) }
	case 11:
		if w.chance(60) {
			return nil
		}
		return func(ctx context.Context) error {
			w.mu.Lock()
			reason := fmt.Sprintf("act-%d.", len(w.acts))
			w.acts = append(w.acts, townAct{reason, errNoAnswer})
			at := len(w.acts) - 1
			w.mu.Unlock()
			ban, err := chief.Ban(ctx, admin.NewBan{Account: string(who.ID), Reason: reason})
			w.mu.Lock()
			w.acts[at].err = err
			who.banned, who.ban = who.banned || err == nil, max(who.ban, ban.ID)
			w.mu.Unlock()
			return err
		}
	case 12:
		return func(ctx context.Context) error {
			bans, err := chief.Bans(ctx, 0, 100)
			if err != nil {
				return err
			}
			w.mu.Lock()
			who.banned = false
			who.lifts++
			w.mu.Unlock()
			for _, b := range bans {
				if b.Account == who.ID && b.Lifted.IsZero() {
					if _, err := chief.LiftBan(ctx, b.ID); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}
	if n == 14 {
		return func(ctx context.Context) error {
			_, err := p.Room.PlayBot(ctx, Home, who.Account, model.BotMatchRequest{Map: "ring"})
			return w.admits(who, err)
		}
	}
	if p.sweeping.Load() { // one round at a time: a second would wait for the first
		return nil
	}
	p.sweeping.Store(true)
	w.step(time.Second)
	if jump, _ := one(w, []int{-60, -10, 10, 60}); w.chance(10) { // the clock of its machine is set
		p.Step(time.Duration(jump) * time.Second)
		w.count("clock set")
	}
	return func(ctx context.Context) error {
		defer func() { p.sweeping.Store(false) }()
		return p.RunRound(ctx, 0)
	}
}

// admits returns err, which is an error for a person that is banned.
func (w *town) admits(who *townsman, err error) error {
	w.mu.Lock()
	banned := who.banned
	w.mu.Unlock()
	if banned && err == nil {
		w.fail("%s is let in, and is banned", who.Name)
	}
	return err
}

// ends tells the lobby the result of a match. The winner was drawn once.
func (w *town) ends(ctx context.Context, p *Harness, id model.MatchID) error {
	w.mu.Lock()
	r, ok := w.results[id]
	if !ok {
		r = model.Result{Match: id, Reason: "last-team", Ticks: 900, Winners: []grid.Team{grid.Team(w.random.IntN(2))}}
		w.results[id] = r
	}
	again := w.random.IntN(2) == 0
	w.mu.Unlock()
	err := p.Play.MatchEnded(ctx, r)
	if err == nil {
		w.mu.Lock()
		w.told[id] = true
		w.mu.Unlock()
		if !again {
			w.matches.Lose(id)
		}
	}
	return err
}

// play runs so many requests.
func (w *town) play(requests int) {
	for requests > 0 || w.active > 0 {
		var free []*townsman
		for _, x := range w.people {
			if !x.busy {
				free = append(free, x)
			}
		}
		if who, ok := one(w, free); ok && requests > 0 && w.active < 5 && (len(w.parked) == 0 || w.chance(40)) {
			requests--
			p, _ := one(w, w.processes)
			if p.store.dead.Load() {
				if p.requests > 0 {
					continue // it is being buried
				}
				p.store.dead.Store(false)
				p.Harness = w.begin(p.store) // its successor
				w.count("successors")
			}
			w.logIn(who)
			if do := w.request(p, who); do != nil {
				w.ask(p, who, do)
			}
		} else if n := len(w.parked); n > 0 {
			w.mu.Lock()
			i := w.random.IntN(n)
			w.mu.Unlock()
			next := w.parked[i]
			w.parked = slices.Delete(w.parked, i, i+1)
			close(next)
			w.wait()
		} else {
			w.wait()
		}
		if w.failure() != "" {
			requests = 0
		}
	}
}

// logIn gives a person the account as it is: a ban ends its sessions.
func (w *town) logIn(who *townsman) {
	if err := w.plain.Store.Read(ctx, func(tx *db.Tx) (err error) {
		who.Account, err = tx.Accounts.Get(who.ID)
		return err
	}); err != nil {
		w.fail("%s logs in: %v", who.Name, err)
	}
}

// ask begins a request.
func (w *town) ask(p *townProcess, who *townsman, do func(context.Context) error) {
	w.active++
	p.requests++
	who.busy = true
	go func() {
		err := do(context.WithValue(ctx, townKey{}, true))
		code := model.Code("ok")
		if err != nil {
			code = model.AsError(err).Code
		}
		if code == model.Internal {
			w.fail("%s is told: %v", who.Name, err)
		}
		w.count(string(code))
		w.events <- townEvent{over: func() {
			w.active--
			p.requests--
			who.busy = false
			n := w.count("requests")
			if n%4 == 0 {
				w.check()
			}
			if n%20 == 0 {
				w.checkAudit()
			}
		}}
	}()
	w.wait()
}

// wait takes in the next event. A request that waits for another one, and not for the
// database, has none.
func (w *town) wait() {
	patience := 20 * time.Millisecond
	if len(w.parked) == 0 {
		patience = time.Minute
	}
	select {
	case e := <-w.events:
		if e.over != nil {
			e.over()
		} else {
			w.parked = append(w.parked, e.turn)
		}
	case <-time.After(patience):
		if patience == time.Minute {
			panic("a request waits for ever")
		}
	}
}

// check compares the database with the model at one moment.
func (w *town) check() {
	accounts := make([]model.AccountID, len(w.people))
	for i, x := range w.people {
		accounts[i] = x.ID
	}
	w.mu.Lock()
	results, confirmed := map[model.MatchID]model.Result{}, map[model.MatchID]bool{} // before the moment that is read
	for id, r := range w.results {
		results[id], confirmed[id] = r, w.told[id]
	}
	w.mu.Unlock()
	err := w.plain.Store.Read(ctx, func(tx *db.Tx) error {
		all, err := tx.Lobbies.List(model.LobbyFilter{Limit: 1000})
		if err != nil {
			return err
		}
		sits := map[model.AccountID]model.LobbyID{}
		for _, l := range all {
			places := map[int]bool{}
			for _, seat := range l.Seats {
				if places[seat.Place] || seat.Place >= 8 && seat.Kind != model.SpectatorSeat {
					w.fail("lobby %s has two seats at place %d, or one too many", l.ID, seat.Place)
				}
				places[seat.Place] = true
				if a := seat.Account; a != "" && seat.Kind == model.PlayerSeat && l.State != model.Ended {
					if sits[a] != "" {
						w.fail("%s sits in the lobbies %s and %s", a, sits[a], l.ID)
					}
					sits[a] = l.ID
				}
			}
		}
		matches, err := tx.Matches.List(model.MatchFilter{Limit: 1000})
		if err != nil {
			return err
		}
		plays, counted := map[model.AccountID]model.MatchID{}, map[string]int{}
		for _, m := range matches {
			over := m.State == model.MatchDone || m.State == model.MatchFailed
			for _, x := range m.Spec.Participants {
				if x.Account == "" || over {
					continue
				}
				if left, err := tx.Matches.HasLeft(x.Account, m.ID); err != nil || left {
					if err != nil {
						return err
					}
					continue
				}
				if plays[x.Account] != "" {
					w.fail("%s plays in the matches %s and %s", x.Account, plays[x.Account], m.ID)
				}
				plays[x.Account] = m.ID
			}
			r, told := results[m.ID], confirmed[m.ID]
			if told && (m.State != model.MatchDone || len(m.Result.Winners) != 1 || m.Result.Winners[0] != int(r.Winners[0])) {
				w.fail("the result %v of match %s was confirmed, and the match is %s with %+v", r.Winners, m.ID, m.State, m.Result)
			}
			seats, err := tx.Ratings.Seats(m.ID)
			if err != nil {
				return err
			}
			for _, x := range seats {
				if !x.Rated.IsZero() {
					counted[x.Queue+string(x.Account)]++
				}
				if told && x.Rated.IsZero() {
					w.fail("match %s has ended, and does not count for %s", m.ID, x.Account)
				}
			}
		}
		for _, queue := range []string{"1v1", "2v2"} {
			ratings, err := tx.Ratings.Of(queue, accounts)
			if err != nil {
				return err
			}
			for _, a := range accounts {
				r := ratings[a]
				if n := counted[queue+string(a)]; r.Won+r.Lost+r.Drawn != n {
					w.fail("%s has %d results in %s, of %d matches", a, r.Won+r.Lost+r.Drawn, queue, n)
				}
			}
		}
		for _, x := range w.people {
			p, err := tx.Parties.Of(x.ID)
			if errors.Is(err, model.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if p.Offer == "" {
				continue
			}
			o, err := tx.Queues.Offer(p.Offer)
			if err != nil || o.Queue != p.Queue || !slices.Contains(o.Parties(), p.ID) {
				w.fail("%s has the offer %s in queue %q: %+v, %v", x.Name, p.Offer, p.Queue, o, err)
			}
		}
		return nil
	})
	if err != nil {
		w.fail("check: %v", err)
	}
}

// checkAudit: each confirmed act of an admin is in the audit and among the bans once, each
// refused one is not, and the chain is whole.
func (w *town) checkAudit() {
	report, err := w.plain.admin().VerifyAudit(ctx, model.AuditHead{})
	if err != nil || report.Broken != "" {
		w.fail("the audit: %+v, %v", report, err)
	}
	w.mu.Lock()
	acts := slices.Clone(w.acts)
	w.mu.Unlock()
	rows, bans := "", ""
	err = w.plain.Store.Read(ctx, func(tx *db.Tx) error {
		list, err := tx.Audit.List(0, 1000)
		if err != nil {
			return err
		}
		for _, r := range list {
			rows += r.Detail + "\n"
		}
		all, err := tx.Bans.List(0, 1000)
		for _, b := range all {
			bans += b.Reason + "\n"
		}
		return err
	})
	if err != nil {
		w.fail("check: %v", err)
	}
	for _, a := range acts {
		n, m := strings.Count(rows, a.reason), strings.Count(bans, a.reason)
		if n != m || n > 1 || a.err == nil && n != 1 || a.err != nil && !errors.Is(a.err, model.Unavailable) && !errors.Is(a.err, model.ErrUnavailable) && n != 0 {
			w.fail("%q was answered with %v; the audit has it %d times, the bans %d times", a.reason, a.err, n, m)
		}
	}
}

// heal lets all faults end. Then every match ends, no lobby and no offer hangs, and the
// people find new matches.
func (w *town) heal() {
	w.faults = false
	for _, m := range w.matches.Live() {
		if err := w.ends(ctx, w.plain, m.Match); err != nil && !errors.Is(err, model.NotFound) {
			w.fail("the end of match %s: %v", m.Match, err)
		}
		w.matches.Lose(m.Match)
	}
	rounds := func(n int, d time.Duration) {
		for range n {
			w.step(d)
			if err := w.plain.RunRound(ctx, 0); err != nil {
				w.fail("a round without faults: %v", err)
			}
		}
	}
	rounds(20, 10*time.Second)
	for range 3 { // matches that began meanwhile
		for _, m := range w.matches.Live() {
			_ = w.ends(ctx, w.plain, m.Match)
			w.matches.Lose(m.Match)
		}
		rounds(4, time.Minute)
	}
	w.check()
	w.checkAudit()
	w.counts["told"], w.counts["acts"] = len(w.told), len(w.acts)
	for _, r := range w.results {
		err := w.plain.Store.Read(ctx, func(tx *db.Tx) error {
			seats, err := tx.Ratings.Seats(r.Match)
			w.counts["rated"] += len(seats)
			return err
		})
		if err != nil {
			w.fail("at the end: %v", err)
		}
	}
	err := w.plain.Store.Read(ctx, func(tx *db.Tx) error { // what hangs
		all, err := tx.Lobbies.List(model.LobbyFilter{States: []model.State{model.Starting, model.Playing}, Limit: 10})
		if err != nil {
			return err
		}
		for _, l := range all {
			w.fail("lobby %s hangs: %s, match %s", l.ID, l.State, l.Match)
		}
		open, err := tx.Matches.List(model.MatchFilter{States: []model.MatchState{model.MatchStarting, model.MatchLive}, Limit: 10})
		for _, m := range open {
			w.fail("match %s hangs: %s", m.ID, m.State)
		}
		due, e := tx.Queues.DueOffers(w.plain.Now())
		if len(due) > 0 {
			w.fail("an offer hangs: %+v", due)
		}
		return errors.Join(err, e)
	})
	if err != nil {
		w.fail("at the end: %v", err)
	}
	rounds(3, time.Hour) // no player is barred any more
	found := 0
	for _, x := range w.people[:2] {
		bans, err := w.plain.admin().Bans(ctx, 0, 1000)
		for _, b := range bans {
			if b.Account == x.ID && b.Lifted.IsZero() {
				_, e := w.plain.admin().LiftBan(ctx, b.ID)
				err = errors.Join(err, e)
			}
		}
		w.logIn(x)
		if err == nil {
			if _, err = w.plain.Queue.LeaveParty(ctx, x.ID); errors.Is(err, model.NoParty) {
				err = nil
			}
		}
		if err == nil {
			_, err = w.plain.Queue.JoinQueue(ctx, Home, x.Account, "1v1", "")
		}
		if err != nil {
			w.fail("%s cannot queue in the end: %v", x.Name, err)
		}
	}
	for n := 0; n < 60 && found == 0; n++ {
		rounds(1, 5*time.Second)
		for _, x := range w.people[:2] {
			st, err := w.plain.Queue.Standing(ctx, x.ID)
			if err != nil {
				w.fail("standing: %v", err)
			}
			if st.Offer != nil {
				found++
			}
		}
	}
	if found != 2 {
		w.fail("%d of two players are offered a match in the end", found)
	}
}

// run plays a seed, and returns the faults that the model found.
func (w *town) run(requests int) string {
	w.play(requests)
	if w.wrong == "" {
		w.heal()
	}
	return w.wrong
}

// TestSimulatedLobby: several processes on one database lose connections and die, their
// transactions are refused and run again, and requests come in any order. No account has
// two seats or two matches; a ticket lets one in once; a
// banned account stays out; a result counts once; an answered act of an admin is in the
// audit once; and at the end of the faults no lobby, match or offer hangs.
func TestSimulatedLobby(t *testing.T) {
	first, most := uint64(1), uint64(16)
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		most = 2000
	}
	if *townSeed > 0 {
		first, most = *townSeed, 1
	}
	sum := map[string]int{}
	for seed := first; seed < first+most; seed++ {
		began := time.Now()
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			dir := sqlitetest.Dir(t)
			w := newTown(t, seed, false, func(hook func(string) error) db.Store { return openSQLite(t, dir, hook) })
			if why := w.run(250); why != "" {
				t.Fatalf("after %v: %s\ngo test ./lobby/storetest -run TestSimulatedLobby -lobby.seed %d", time.Since(began).Round(time.Millisecond), why, seed)
			}
			for name, n := range w.counts {
				sum[name] += n
			}
		})
	}
	t.Logf("%v", sum)
	for _, name := range []string{"again", "cut", "no answer", "dies", "dies after", "successors", "clock set", "rated", "acts", "ok"} {
		if *townSeed == 0 && sum[name] == 0 {
			t.Errorf("no request met %q", name)
		}
	}
}

// TestSimulatedLobbyOnPostgres is the same with requests at once: the database itself
// refuses transactions, and locks decide.
func TestSimulatedLobbyOnPostgres(t *testing.T) {
	if os.Getenv("FOGKEEP_TEST_LONG") == "" {
		t.Skip("FOGKEEP_TEST_LONG is not set")
	}
	for seed := uint64(1); seed <= 100; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			url := PostgresURL(t)
			w := newTown(t, seed, true, func(hook func(string) error) db.Store { return openPostgres(t, url, hook) })
			if why := w.run(300); why != "" {
				t.Fatal(why)
			}
			t.Logf("%v", w.counts)
		})
	}
}

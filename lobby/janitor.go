package lobby

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// How often the janitor does what, in rounds.
const (
	janitorRound = 250 * time.Millisecond
	pollRounds   = 4   // events of other processes, bans, epochs
	beatRounds   = 40  // that this node lives, and who else does
	sweepRounds  = 120 // what has expired
)

// Run is the janitor: it starts matches whose countdown is over, looks into
// starts that hang, closes idle lobbies, deletes what has expired and wakes
// watchers for other processes. It returns when the context ends. It is called
// when the match service has recovered its matches.
//
// A duty that panics is left out until the next round.
func (s *Service) Run(ctx context.Context) error {
	s.rounds.Lock()
	s.firstSweep = true
	s.rounds.Unlock()
	quick := time.NewTicker(janitorRound)
	defer quick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-quick.C:
		}
		if err := s.RunRound(ctx, n); err != nil && ctx.Err() == nil {
			// The store has logged it. Wait a little: a database that is
			// down is not helped by four questions a second.
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(2 * time.Second):
			}
		}
	}
}

// RunRound does the janitor's round n, as [Service.Run] does one after the
// other, and waits for a round that goes on. Round 0 has all duties.
func (s *Service) RunRound(ctx context.Context, n int) error {
	s.rounds.Lock()
	defer s.rounds.Unlock()
	var err error
	if n%beatRounds == 0 {
		err = s.duty(ctx, s.beat)
	}
	err = errors.Join(err, s.duty(ctx, s.startDue))
	if n%pollRounds == 0 {
		err = errors.Join(err, s.duty(ctx, s.pollHub), s.duty(ctx, s.enforceBans), s.duty(ctx, s.enforceEpochs), s.duty(ctx, s.enforceReplays), s.duty(ctx, s.matchmakingRound))
	}
	if n%sweepRounds == 0 {
		err = errors.Join(err, s.duty(ctx, s.touchUsed), s.duty(ctx, s.sweep), s.duty(ctx, s.redact))
	}
	return err
}

// duty does one of the janitor's duties. If it panics the others go on.
func (s *Service) duty(ctx context.Context, do func(context.Context) error) (err error) {
	defer panics.Catch(s.Logger, "janitor", func() { err = model.Internal })
	return do(ctx)
}

func (s *Service) pollHub(ctx context.Context) error { return s.hub.poll(ctx, s) }

// startDue launches lobbies whose countdown is over, and takes up launches
// that hang: their process died, or the database was away when they finished.
func (s *Service) startDue(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	due, err := get(ctx, s, func(tx *db.Tx) ([]model.LobbyID, error) { return tx.DueLobbies(s.Now()) })
	if err != nil {
		return err
	}
	for _, id := range due {
		l, err := s.Lobby(ctx, id)
		if err != nil {
			continue
		}
		if l.Match == "" {
			_, err = s.launch(ctx, id)
			if e := model.AsError(err); err != nil && e.Code != model.WrongState && e.Code != model.Unavailable && !notMade(err) {
				// It cannot start as it stands: back to open, with the reason.
				_, err = s.change(ctx, id, func(l *model.Lobby) error { return l.Fail("", e.Text()) })
			}
		} else {
			err = s.retryLaunch(ctx, id, l.Match)
		}
		if errors.Is(err, model.Unavailable) {
			return err
		}
	}
	return nil
}

// retryLaunch takes the lease on a launch that hangs and finishes it here.
func (s *Service) retryLaunch(ctx context.Context, id model.LobbyID, match model.MatchID) error {
	var m model.Match
	at := s.Matches.Where(ctx, match)
	if at.State == WhereWaits {
		return model.WrongState // a node takes it over first
	}
	_, err := s.changeIn(ctx, id, func(tx *db.Tx, l *model.Lobby) (err error) {
		if m, err = tx.Match(match); err != nil {
			return err
		}
		late := s.Now().Sub(l.StartAt)
		if l.State != model.Starting || l.Match != match || late < 0 || (m.Node != s.Node && at.State == WhereUnknown && late < lostTimeout) {
			return model.WrongState
		}
		l.StartAt = s.Now().Add(startTimeout)
		return nil
	})
	if err != nil {
		return err
	}
	if m.Node != s.Node && at.State == WhereUnknown {
		return s.MatchEnded(ctx, Result{Match: match, Failed: true, Reason: "lost"})
	}
	_, err = s.finishLaunch(ctx, m.Spec)
	return err
}

// touchUsed notes in which lobbies somebody is: watches the events in this process,
// or plays in the match that runs here. The others are listed no longer, and closed
// when they have been idle for long.
func (s *Service) touchUsed(ctx context.Context) error {
	lobbies := s.hub.watched()
	var matches []model.MatchID
	if s.Matches != nil {
		for _, live := range s.Matches.Live() {
			if len(live.Sockets) > live.Spectators {
				matches = append(matches, live.Match)
			}
		}
	}
	if len(lobbies)+len(matches) == 0 {
		return nil
	}
	return s.write(ctx, func(tx *db.Tx) error { return tx.TouchLobbies(lobbies, matches, s.Now()) })
}

// sweep deletes what has expired, closes idle lobbies, overwrites the names of
// deleted accounts where that was left undone, and gives up matches that no node
// runs, once their result had time to come.
func (s *Service) sweep(ctx context.Context) error {
	now := s.Now()
	var idle []model.LobbyID
	err := s.write(ctx, func(tx *db.Tx) (err error) {
		if err := tx.Purge(now); err != nil {
			return err
		}
		if idle, err = tx.IdleLobbies(now.Add(-s.LobbyIdle), 100); err != nil {
			return err
		}
		return tx.DropNodes(now.Add(-nodesKept))
	})
	if err != nil {
		return err
	}
	for _, id := range idle {
		if _, err := s.change(ctx, id, func(l *model.Lobby) error {
			if l.Touched.After(now.Add(-s.LobbyIdle)) || (l.State != model.Open && l.State != model.Ended) {
				return model.WrongState
			}
			l.Close()
			return nil
		}); errors.Is(err, model.Unavailable) {
			return err
		}
	}
	err = s.purgeOld(ctx)
	s.anonymizeDeleted(ctx)
	return errors.Join(err, s.pruneAudit(ctx), s.giveUpLost(ctx))
}

// giveUpLost ends live rows that nobody stands behind: of matches that this node
// should run and does not, of nodes that are gone, and in a cluster of those whose
// journal is not kept either.
func (s *Service) giveUpLost(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	const page = 1000
	var live []model.Match
	for before := int64(0); ; before = live[len(live)-1].Num {
		next, err := get(ctx, s, func(tx *db.Tx) ([]model.Match, error) {
			return tx.Matches(model.MatchFilter{States: []model.MatchState{model.MatchLive, model.MatchStarting}, Before: before, Limit: page})
		})
		if err != nil {
			return err
		}
		if live = append(live, next...); len(next) < page {
			break
		}
	}
	defer func() { s.firstSweep = false }()
	for _, m := range live {
		at := s.Matches.Where(ctx, m.ID)
		switch {
		case at.State == WhereWaits && at.Why != "":
			if err := s.wait(ctx, m, at.Why); err != nil {
				return err
			}
			continue
		case m.State == model.MatchStarting, at.State == WhereRuns, at.State == WhereWaits, at.State == WhereUnknown && m.Node != s.Node && s.alive(m.Node):
			delete(s.missing, m.ID)
			continue
		}
		if s.missing[m.ID].IsZero() {
			s.missing[m.ID] = s.Now()
			if s.firstSweep && m.Node == s.Node { // not recovered at the start: it will not come back, only its result may
				s.missing[m.ID] = s.Now().Add(startTimeout - lostTimeout)
			}
		}
		if s.Now().Sub(s.missing[m.ID]) < lostTimeout {
			continue
		}
		s.Logger.Warn("lobby: match is neither running nor has a result", "match", m.ID, "node", m.Node)
		if err := s.MatchEnded(ctx, Result{Match: m.ID, Failed: true, Reason: "lost"}); err != nil {
			return err
		}
		delete(s.missing, m.ID)
	}
	return nil
}

// reasonOtherVersion is the result of a match that no server continued in time.
const reasonOtherVersion = "other-version"

// wait keeps a match that only another build can continue, says so in its lobby, and ends
// it once its time is up. The time goes on while servers are restarted.
func (s *Service) wait(ctx context.Context, m model.Match, why string) error {
	l, err := s.Lobby(ctx, m.Lobby)
	if err == nil && (l.Waiting == nil || l.Match != m.ID) {
		err = s.write(ctx, func(tx *db.Tx) (err error) {
			if l, err = tx.LockLobby(m.Lobby); err != nil || l.Waiting != nil && l.Match == m.ID {
				return err
			}
			l.Waiting = &model.Waiting{Why: why, Until: s.Now().Add(s.BuildWait).UTC()}
			l.Changed()
			return s.save(tx, l)
		})
		s.hub.wake(m.Lobby)
	}
	if err != nil {
		return err
	}
	until := l.Waiting.Until
	if s.missing[m.ID].IsZero() {
		s.missing[m.ID] = s.Now()
		s.Logger.Warn("lobby: a match waits for a server that can continue it: start one of the build that began it", "match", m.ID, "why", why, "keptUntil", until)
	}
	if s.Now().Before(until) {
		return nil
	}
	s.Logger.Warn("lobby: no server came that could continue a match: it is over", "match", m.ID, "why", why)
	if err := s.Matches.Abort(ctx, m.ID, reasonOtherVersion); err != nil {
		s.Logger.Error("lobby: the journal of a match that is over does not say so", "match", m.ID, "err", err)
	}
	delete(s.missing, m.ID)
	return s.MatchEnded(ctx, Result{Match: m.ID, Failed: true, Reason: reasonOtherVersion})
}

// bannedPlayer is one whom a ban throws out of a live match.
type bannedPlayer struct {
	match   model.MatchID
	account model.AccountID
	ban     model.Ban
}

// enforceBans throws the banned out of matches that run here, whichever
// process or command banned them, and lets every event stream look whether it
// may go on. A banned account is kicked for good; of a banned range the sockets
// are closed, and who comes back from elsewhere plays on, since it is not the
// account that is banned. It looks only when there was a new ban.
func (s *Service) enforceBans(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	var outs []bannedPlayer
	var bans int64
	if err := s.read(ctx, func(tx *db.Tx) error {
		outs = nil
		state, err := tx.ServerState()
		if bans = state.Bans; err != nil || (bans == s.bansSeen && !s.recheckBans) {
			return err
		}
		for _, live := range s.Matches.Live() {
			if outs, err = s.bannedPlayers(tx, live, outs); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	// Once more the next time: for who had used its ticket before the ban, and
	// had its seat only after this look.
	s.recheckBans = bans != s.bansSeen
	if s.recheckBans {
		s.bansSeen = bans
		s.hub.recheckAll()
	}
	for _, o := range outs {
		var err error
		if o.ban.Account != "" {
			err = s.Matches.End(ctx, o.account, Ending{ForGood: true, Here: true, Why: model.Refuse(model.KickedOut, "banned: %s", o.ban.Reason)})
		} else {
			err = s.Matches.End(ctx, o.account, Ending{Match: o.match, Here: true, Why: banned(o.ban)})
		}
		if err != nil {
			s.Logger.Error("lobby: a banned player is still in a match", "match", o.match, "err", err)
		}
	}
	return nil
}

// enforceEpochs closes the sockets of accounts whose epoch has ended since they
// were let in: another process, or the command line, logged them out, kicked or
// deleted them.
func (s *Service) enforceEpochs(ctx context.Context) error {
	if s.Matches == nil {
		return nil
	}
	let := map[model.AccountID]int64{} // the oldest of its sockets'
	for _, live := range s.Matches.Live() {
		for _, x := range live.Sockets {
			if epoch, ok := let[x.Account]; !ok || x.Epoch < epoch {
				let[x.Account] = x.Epoch
			}
		}
	}
	if len(let) == 0 {
		return nil
	}
	ids := slices.Sorted(maps.Keys(let))
	now, err := get(ctx, s, func(tx *db.Tx) (map[model.AccountID]int64, error) { return tx.Epochs(ids) })
	if err != nil {
		return err
	}
	for _, a := range ids {
		epoch, there := now[a]
		if there && epoch <= let[a] {
			continue
		}
		s.endSeats(ctx, a, Ending{Epoch: max(epoch, let[a]+1), ForGood: !there, Here: true, Why: &model.Error{Code: model.LoggedOut}})
	}
	return nil
}

// bannedPlayers adds those of a live match whom a ban holds now: everybody with a
// socket by account and address, and players who are away by account.
func (s *Service) bannedPlayers(tx *db.Tx, live LiveMatch, outs []bannedPlayer) ([]bannedPlayer, error) {
	m, err := tx.Match(live.Match)
	if errors.Is(err, model.ErrNotFound) {
		return outs, nil
	}
	if err != nil {
		return outs, err
	}
	who := slices.Clone(live.Sockets)
	for _, p := range m.Spec.Participants {
		if !p.Bot && !slices.ContainsFunc(who, func(x LiveSocket) bool { return x.Account == p.Account }) {
			who = append(who, LiveSocket{Account: p.Account})
		}
	}
	for _, x := range who {
		ban, err := tx.Banned(x.Account, x.Address, s.Now())
		if errors.Is(err, model.ErrNotFound) {
			continue
		}
		if err != nil {
			return outs, err
		}
		outs = append(outs, bannedPlayer{m.ID, x.Account, ban})
	}
	return outs, nil
}

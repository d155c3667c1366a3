package lobby

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
)

const (
	startTimeout = 20 * time.Second // for the match service to make a match
	lostTimeout  = 2 * time.Minute  // for the result of a match that no longer runs
)

// Start begins the countdown at the host's word, or without one the match
// itself: the lobby that is returned is then playing.
func (s *Service) Start(ctx context.Context, id LobbyID, a AccountID) (*Lobby, error) {
	return s.start(ctx, id, func(l *Lobby) error { return l.Begin(a, s.Now()) })
}

// start runs the rule that begins a countdown. Where nothing is left of it, the
// match is bound in the same transaction, so that no janitor comes in between.
func (s *Service) start(ctx context.Context, id LobbyID, rule func(*Lobby) error) (*Lobby, error) {
	ctx = context.WithoutCancel(ctx) // a client that hangs up stops nothing half way
	match, seed := MatchID(newID()), randomSeed()
	var spec Spec
	l, err := s.changeIn(ctx, id, func(tx Tx, l *Lobby) (err error) {
		if err := s.mayStart(tx); err != nil {
			return err
		}
		if err := rule(l); err != nil || s.Now().Before(l.StartAt) {
			return err // it counts down
		}
		spec, err = s.bind(tx, l, match, seed)
		return err
	})
	if err != nil || l.Match != match {
		return l, err
	}
	return s.finishLaunch(ctx, spec)
}

// mayStart refuses new matches while the server drains.
func (s *Service) mayStart(tx Tx) error {
	state, err := tx.HoldServerState()
	if err == nil && state.Draining {
		err = &Error{Code: Draining, RetryAfter: retryAfter(Draining)}
	}
	return err
}

// PlayBot makes a lobby against one bot and starts it at once. An empty map
// takes the first of the library.
func (s *Service) PlayBot(ctx context.Context, c Client, a Account, mapID string) (*Lobby, error) {
	if maps := s.Maps.Maps(); mapID == "" && len(maps) > 0 {
		mapID = maps[0].ID
	}
	l, err := s.InitGame(NewLobby{Name: a.Name + " against a bot", Map: mapID, Limit: 2})
	if err != nil {
		return nil, err
	}
	l, err = s.enter(ctx, c, a, l.ID, func(Tx) (*Lobby, error) {
		fresh := *l
		return &fresh, nil
	}, Join{})
	if err != nil {
		return nil, err
	}
	return s.start(ctx, l.ID, func(l *Lobby) error {
		if err := l.AddBot(a.ID, nil); err != nil {
			return err
		}
		return l.Begin(a.ID, s.Now())
	})
}

// launch makes the match of a lobby whose countdown is over: first the spec is
// stored, then the match service is asked, then the lobby is told. A crash in
// between is found by the janitor, see [Service.startDue].
func (s *Service) launch(ctx context.Context, id LobbyID) (*Lobby, error) {
	return s.start(ctx, id, func(l *Lobby) error {
		if l.State != Starting || l.Match != "" {
			return WrongState // another process was faster
		}
		return nil
	})
}

// notInMatch refuses an account that plays in a match which it has not left.
func notInMatch(tx Tx, a AccountID) error {
	if a == "" {
		return nil
	}
	m, err := tx.LiveSeat(a)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err == nil {
		err = refuse(InMatch, "match %s runs: leave its lobby %s first", m.ID, m.Lobby)
	}
	return err
}

// matchOwner is whose budgets a match is taken from: its host's, with the address
// from which the host logged in last.
func matchOwner(tx Tx, host AccountID) (budget.Who, error) {
	who := budget.Who{Account: string(host)}
	a, err := tx.Account(host)
	if errors.Is(err, ErrNotFound) {
		return who, nil
	}
	if err != nil {
		return who, err
	}
	who.Trusted = !a.Guest
	sessions, err := tx.Sessions(PlayerRealm, string(host))
	var last time.Time
	for _, x := range sessions {
		if addr, bad := netip.ParseAddr(x.Address); bad == nil && x.Created.After(last) {
			who.Address, last = addr, x.Created
		}
	}
	return who, err
}

// bind stores the spec of the match that is about to be made.
func (s *Service) bind(tx Tx, l *Lobby, match MatchID, seed uint64) (Spec, error) {
	if n, err := strconv.ParseUint(l.Options.Seed, 10, 64); err == nil && n != 0 {
		seed = n
	}
	spec, err := l.Launch(match, seed, s.Now(), startTimeout)
	if err != nil {
		return spec, err
	}
	for _, p := range spec.Participants {
		if err := notInMatch(tx, p.Account); err != nil {
			return spec, err
		}
	}
	if spec.Who, err = matchOwner(tx, l.Host); err != nil {
		return spec, err
	}
	if s.Matches != nil {
		if err := s.Matches.CanStart(spec); err != nil {
			return spec, err // before a row is written
		}
	}
	if err := s.Budget.Spend(budget.MatchStarts, spec.Who, 1); err != nil {
		return spec, err
	}
	return spec, tx.AddMatch(Match{ID: match, Lobby: l.ID, Node: s.Node, Spec: spec, State: MatchStarting, Started: s.Now()})
}

// finishLaunch asks for the match and tells the lobby. It may be run again.
func (s *Service) finishLaunch(ctx context.Context, spec Spec) (*Lobby, error) {
	startErr := errors.New("there is no match service")
	if s.Matches != nil {
		ctx, cancel := context.WithTimeout(ctx, startTimeout/2)
		startErr = s.Matches.Start(ctx, spec)
		cancel()
	}
	// What players may be told of it: the cause is for the log, but for a
	// detail that the match service meant for them.
	refusal, text := &Error{Code: StartFailed, Err: startErr}, "the match could not be started"
	if e := (*Error)(nil); errors.As(startErr, &e) && e.Detail != "" {
		refusal.Detail, text = e.Detail, text+": "+e.Detail
	}
	if full := (*budget.Refusal)(nil); errors.As(startErr, &full) {
		refusal, text = AsError(full), text+": "+full.Error()
	}
	l, err := s.changeIn(ctx, spec.Lobby, func(tx Tx, l *Lobby) error {
		m, err := tx.LockMatch(spec.Match)
		if err != nil {
			return err
		}
		if m.State != MatchStarting {
			return nil // someone else has told it
		}
		if startErr != nil {
			m.State, m.Ended = MatchFailed, s.Now()
			m.Result = outcomes(m.Spec, Result{Match: m.ID, Failed: true, Reason: "failed"})
			if err := tx.SaveMatch(m); err != nil {
				return err
			}
			return l.Fail(m.ID, text)
		}
		m.State = MatchLive
		if err := tx.SaveMatch(m); err != nil {
			return err
		}
		return l.Run(m.ID)
	})
	if startErr != nil {
		s.Logger.Error("lobby: match did not start", "match", spec.Match, "err", startErr)
		return nil, refusal
	}
	if err != nil {
		return nil, err
	}
	s.sendBots(ctx, spec)
	return l, nil
}

// sendBots gives every bot's seat of a match a ticket and a player.
func (s *Service) sendBots(ctx context.Context, spec Spec) {
	if s.Bots == nil {
		return
	}
	for _, p := range spec.Participants {
		if !p.Bot {
			continue
		}
		token := NewSecret()
		if err := s.write(ctx, func(tx Tx) error {
			return tx.AddTicket(s.ticket(token, seatOf(spec.Match, p), s.Node))
		}); err != nil {
			continue // logged; the seat stays empty
		}
		s.Bots.Play(context.WithoutCancel(ctx), token, spec.Match)
	}
}

func (s *Service) ticket(token Secret, seat Admission, node string) Ticket {
	return Ticket{Hash: token.Hash(), Match: seat.Match, Node: node, Seat: seat, Expires: s.Now().Add(TicketLife)}
}

// Login is the last step of admission: it issues a ticket for the account's
// seat in the lobby's running match, or for a spectator's.
func (s *Service) Login(ctx context.Context, c Client, a Account, id LobbyID, protocol uint32) (token Secret, match MatchID, err error) {
	if s.Protocol != 0 && protocol != 0 && protocol != s.Protocol {
		return "", "", refuse(BadVersion, "the server speaks version %d, this client %d; reload", s.Protocol, protocol)
	}
	if err := s.spent(budget.Tickets, budget.Who{Account: string(a.ID), Address: c.Address}); err != nil {
		return "", "", err
	}
	token = NewSecret()
	err = s.write(ctx, func(tx Tx) error {
		l, err := tx.Lobby(id)
		if err != nil {
			return err
		}
		i := l.SeatOf(a.ID)
		if i < 0 {
			return NotSeated
		}
		if err := s.notBanned(tx, a.ID, c); err != nil {
			return err
		}
		if err := s.spend(tx, budget.Tickets, budget.Who{Account: string(a.ID), Address: c.Address}); err != nil {
			return err
		}
		if l.State != Playing {
			return refuse(WrongState, "no match runs; the lobby is %s", l.State)
		}
		m, err := tx.Match(l.Match)
		if err != nil {
			return err
		}
		match = m.ID
		if l.Seats[i].Kind == SpectatorSeat {
			return tx.AddTicket(s.ticket(token, spectatorOf(m, a, l.Seats[i].Team), m.Node))
		}
		p := slices.IndexFunc(m.Spec.Participants, func(p Participant) bool { return p.Account == a.ID })
		if p < 0 {
			return NotSeated
		}
		seat := seatOf(m.ID, m.Spec.Participants[p])
		seat.Epoch = a.Epoch
		return tx.AddTicket(s.ticket(token, seat, m.Node))
	})
	return token, match, err
}

// Redeem turns a ticket into its seat, once: of any number who present it at
// the same moment, one is let in. It is the match service's Admitter, asked
// with the first message of a socket that comes from the address. What may have
// changed since the ticket was issued is looked at again, in the order of
// PreLogin: bans of the account and of the address, the whitelist, the state of
// the match, and whether the account still has its seat in the lobby.
func (s *Service) Redeem(ctx context.Context, token Secret, from netip.Addr) (seat Admission, err error) {
	if len(token) != secretLen {
		return seat, BadTicket
	}
	// Whoever makes tickets up costs a look, and does not queue for the writer's
	// place with those who have one.
	if err := s.read(ctx, func(tx Tx) error {
		has, err := tx.HasTicket(token.Hash())
		if err == nil && !has {
			err = BadTicket
		}
		return err
	}); err != nil {
		return seat, err
	}
	err = s.write(ctx, func(tx Tx) error {
		t, err := tx.LockTicket(token.Hash())
		if errors.Is(err, ErrNotFound) {
			return BadTicket
		}
		if err != nil {
			return err
		}
		now := s.Now()
		switch {
		case !t.Used.IsZero():
			return TicketUsed
		case !now.Before(t.Expires):
			return TicketLate
		}
		if t.Node != s.Node {
			return refuse(BadTicket, "the match runs in another process, %s", t.Node)
		}
		m, err := tx.Match(t.Match)
		if err != nil {
			return err
		}
		if t.Seat.Account != "" {
			a, err := tx.Account(t.Seat.Account)
			if errors.Is(err, ErrNotFound) {
				return LoggedOut // deleted since
			}
			if err != nil {
				return err
			}
			t.Seat.Known = !a.Guest
			if err := s.stillAdmitted(tx, a, t.Seat.Epoch, m, from); err != nil {
				return err
			}
		}
		if m.State != MatchLive && m.State != MatchStarting {
			return MatchOver
		}
		seat = t.Seat
		return tx.UseTicket(t.Hash, now)
	})
	return seat, err
}

// stillAdmitted is the part of [Service.Redeem] that is about people; bots have
// only their ticket.
func (s *Service) stillAdmitted(tx Tx, a Account, epoch int64, m Match, from netip.Addr) error {
	if err := s.notBanned(tx, a.ID, Client{Address: from}); err != nil {
		return err
	}
	if a.Epoch != epoch {
		return LoggedOut
	}
	if len(m.Spec.Options.Whitelist) > 0 && !m.Spec.Options.Admits(a.Name) {
		return NotWhitelisted
	}
	if m.State != MatchLive {
		return nil // its lobby has gone on
	}
	in, err := tx.LobbyOf(a.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if in != m.Lobby {
		return NotSeated // left, kicked or deleted since
	}
	return nil
}

// Resume looks whether one who comes back to its seat in a match by its resume
// token still may: it was not banned meanwhile, itself or the address it comes
// from, was not logged out since the epoch of its token, and has not left.
func (s *Service) Resume(ctx context.Context, m MatchID, a AccountID, epoch int64, from netip.Addr) error {
	if a == "" {
		return nil // a bot
	}
	return s.read(ctx, func(tx Tx) error {
		if err := s.notBanned(tx, a, Client{Address: from}); err != nil {
			return err
		}
		if err := sameEpoch(tx, a, epoch); err != nil {
			return err
		}
		left, err := tx.HasLeft(a, m)
		if err == nil && left {
			err = refuse(NotSeated, "you left the match")
		}
		return err
	})
}

// sameEpoch refuses what was given out in an epoch of the account that is over.
func sameEpoch(tx Tx, a AccountID, epoch int64) error {
	now, err := tx.Account(a)
	if errors.Is(err, ErrNotFound) || err == nil && now.Epoch != epoch {
		return LoggedOut
	}
	return err
}

// IsSpectator reports whether an account still has its spectator's seat in the lobby
// of a match: the match service asks when one comes back with a resume token.
// A lobby that has closed since has no seats, and takes none away.
func (s *Service) IsSpectator(ctx context.Context, match MatchID, a AccountID) (yes bool, err error) {
	err = s.read(ctx, func(tx Tx) error {
		m, err := tx.Match(match)
		if err != nil {
			return err
		}
		l, err := tx.Lobby(m.Lobby)
		if err != nil {
			return err
		}
		i := l.SeatOf(a)
		yes = l.State == Closed || i >= 0 && l.Seats[i].Kind == SpectatorSeat
		return nil
	})
	return yes, err
}

// Release frees the lobby's seat of one whom the match refused at the socket.
func (s *Service) Release(ctx context.Context, seat Admission, reason string) error {
	var changed LobbyID
	err := s.write(ctx, func(tx Tx) (err error) {
		m, err := tx.Match(seat.Match)
		if err != nil {
			return err
		}
		if in, err := tx.LobbyOf(seat.Account); err != nil || in != m.Lobby {
			return nil // it sits elsewhere by now
		}
		if err := tx.LeaveMatches(seat.Account, m.ID, s.Now()); err != nil {
			return err
		}
		changed, err = s.removeFromLobby(tx, seat.Account, reason)
		return err
	})
	s.hub.wake(changed)
	return err
}

// MatchEnded records a result and takes the lobby out of its match. The match
// service repeats it until it returns nil; a result that is there already is
// left as it is. [NotFound] means that no such match was ever made here:
// repeating it is of no use.
func (s *Service) MatchEnded(ctx context.Context, r Result) error {
	var lobby LobbyID
	err := s.write(ctx, func(tx Tx) error {
		m, err := tx.Match(r.Match)
		if err != nil {
			return err
		}
		lobby = m.Lobby
		l, err := tx.LockLobby(m.Lobby) // before the match: see finishLaunch
		if err != nil {
			return err
		}
		if m, err = tx.LockMatch(r.Match); err != nil {
			return err
		}
		given := m.Result != nil && m.Result.Reason == "lost" // see sweep
		if (m.State == MatchDone || m.State == MatchFailed) && !given {
			return nil
		}
		m.State, m.Ended, m.Result = MatchDone, s.Now(), outcomes(m.Spec, r)
		if r.Failed {
			m.State = MatchFailed
		}
		if err := tx.SaveMatch(m); err != nil {
			return err
		}
		l.End(m.ID, *m.Result)
		return s.save(tx, l)
	})
	s.hub.wake(lobby)
	return err
}

// outcomes works out how a result is for each seat.
func outcomes(spec Spec, r Result) *Outcomes {
	o := &Outcomes{Match: spec.Match, Reason: cutText(r.Reason, 40), Ticks: r.Ticks, Winners: []int{}}
	if !r.Failed {
		for _, t := range r.Winners {
			o.Winners = append(o.Winners, int(t))
		}
	}
	for _, p := range spec.Participants {
		o.Seats = append(o.Seats, SeatResult{Slot: int(p.Slot), Name: p.Name, Team: int(p.Team), Outcome: r.outcome(p.Team)})
	}
	return o
}

func randomSeed() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

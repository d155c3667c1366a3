package match

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/link"
)

// Ending says how an account's seats end, see [Service.End].
type Ending struct {
	Match string // only in this match; "": in all
	// Epoch is the account's from now on: rights of earlier epochs become void in all
	// matches. 0: no change.
	Epoch int64
	// ForGood gives up the seats, as a player's who leaves. Else only the sockets
	// are closed, and a right to come back that is of the epoch stays.
	ForGood bool
	Why     link.Refusal // told to the sockets
}

// End ends an account's seats: players' and spectators', with and without sockets, in
// every match of the process, and admissions that have used up a ticket and have no seat
// yet. A kick, a ban, a deletion, a password change, a log-out everywhere and a leave
// reach sockets in this way alone. Each socket gets its reason as its last message. It
// returns once the seats have ended, and for seats that end for good once that is on disk.
func (s *Service) End(ctx context.Context, account string, e Ending) error {
	if account == "" {
		return nil
	}
	s.mu.Lock()
	if e.Epoch > s.roster.epochs[account] {
		if len(s.roster.epochs) >= epochsMax {
			clear(s.roster.epochs)
		}
		s.roster.epochs[account] = e.Epoch
	}
	var in []*live
	for id := range s.roster.at[account] {
		if e.Match == "" || e.Match == id {
			in = append(in, s.matches[id])
		}
	}
	if m := s.matches[e.Match]; m != nil && e.ForGood && !slices.Contains(in, m) {
		in = append(in, m) // its seat may be on the way
	}
	s.mu.Unlock()
	var g errgroup.Group
	for _, m := range in {
		g.Go(func() (err error) {
			defer panics.Catch(s.log, "seats", func() { err = link.ErrInternal })
			var kept <-chan struct{}
			err = m.do(ctx, func(m *live) { kept = m.endSeats(account, e) })
			if err == nil && kept != nil {
				if err = m.until(ctx, kept); errors.Is(err, ErrNoMatch) && !m.end.closed() {
					return fmt.Errorf("match %s stopped here before its journal had the end of a seat", m.spec.ID)
				}
			}
			if errors.Is(err, ErrNoMatch) {
				err = nil // the match is over: its seats have ended
			}
			return err
		})
	}
	return g.Wait()
}

// endSeats ends an account's seats in this match. For good, it also bars an admission
// between its ticket and its seat. If the journal has to say so, kept closes once it does:
// a match that stands still plays one tick for it.
func (m *live) endSeats(account string, e Ending) (kept <-chan struct{}) {
	if e.ForGood {
		m.seats.barred[account] = e.Why
	}
	for _, st := range m.seats.all {
		if st.account != account || st.kicked {
			continue
		}
		switch {
		case e.ForGood:
			m.connections.remove(st, &e.Why)
			if !m.end.closed() {
				onDisk := make(chan struct{})
				m.inputs.then(func() { close(onDisk) })
				m.speed.pass, kept = true, onDisk
			}
		case e.reaches(st) && !st.standIn:
			m.connections.dismiss(st, &e.Why)
		}
	}
	if st := m.spectators.of(account); st != nil && e.ForGood {
		m.spectators.unseat(st, &e.Why)
	} else if st != nil && e.reaches(st) {
		m.connections.dismiss(st, &e.Why)
	}
	return kept
}

// reaches reports whether the end of seats closes a seat's socket: a socket that came in
// with the new epoch stays open.
func (e *Ending) reaches(st *seat) bool { return e.ForGood || e.Epoch == 0 || st.right.Epoch < e.Epoch }

package queue

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/matchmaking"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Standing is what matchmaking has of one account.
type Standing struct {
	Party  *model.Party // nil: no party
	Offer  *model.Offer // that its party may accept; nil: no offer
	Barred time.Time
	// Relations counts the changes of the account's relations, messages and notices.
	Relations int64
}

// matchmake runs a transaction that changes parties, offers or queues. All these changes are behind one lock, which
// comes after the locks of accounts, lobbies and matches. first takes the earlier locks, and may be nil.
func (s *Service) matchmake(ctx context.Context, first, do func(*db.Tx) error) error {
	return s.Write(ctx, func(tx *db.Tx) error {
		if first != nil {
			if err := first(tx); err != nil {
				return err
			}
		}
		if _, err := tx.Queues.Lock(); err != nil {
			return err
		}
		return do(tx)
	})
}

// change is matchmake at the word of an account, and tells it where it stands then.
func (s *Service) change(ctx context.Context, a model.AccountID, first, do func(*db.Tx) error) (Standing, error) {
	if err := s.matchmake(ctx, first, do); err != nil {
		return Standing{}, err
	}
	return s.Standing(ctx, a)
}

// admitted locks an account that wants to come into a party or a queue, and looks
// whether it may.
func (s *Service) admitted(c model.Client, a model.AccountID) func(*db.Tx) error {
	return func(tx *db.Tx) error {
		account := model.Account{ID: a}
		if err := s.PreLogin(tx, c, &account, 0); err != nil {
			return err
		}
		return admission.NotInMatch(tx, a)
	}
}

// partyOf returns the account's party; NoParty without one.
func partyOf(tx *db.Tx, a model.AccountID) (*model.Party, error) {
	p, err := tx.Parties.Of(a)
	if errors.Is(err, model.ErrNotFound) {
		err = model.NoParty
	}
	return p, err
}

// Standing tells an account where it stands. It counts as a sign that the account
// is still there.
func (s *Service) Standing(ctx context.Context, a model.AccountID) (out Standing, err error) {
	s.presence.see(a)
	err = s.Read(ctx, func(tx *db.Tx) error {
		out = Standing{}
		n, ends, err := tx.Throttle.Counted(seat.BarredKey(a), s.Now())
		if err != nil {
			return err
		}
		if n > 0 {
			out.Barred = ends
		}
		if out.Relations, err = tx.Relations.Seq(a); err != nil {
			return err
		}
		p, err := tx.Parties.Of(a)
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		out.Party = p
		if p.Offer == "" {
			return nil
		}
		o, err := tx.Queues.Offer(p.Offer)
		if errors.Is(err, model.ErrNotFound) {
			return nil
		}
		out.Offer = &o
		return err
	})
	return out, err
}

// JoinQueue puts the account's party into a queue, at its leader's word, and notes the
// faction that the leader wishes for and the maps that the party strikes out. An account without a party gets one of
// its own.
func (s *Service) JoinQueue(ctx context.Context, c model.Client, a model.Account, queue, faction string, vetoes ...string) (Standing, error) {
	q, err := s.Find(queue)
	if err != nil {
		return Standing{}, err
	}
	if faction, err = model.FactionWish(faction, s.Factions(q)); err != nil {
		return Standing{}, err
	}
	if err := q.CheckVetoes(s.Pool(q), vetoes); err != nil {
		return Standing{}, err
	}
	if err := s.mayQueue(ctx, a.ID, q); err != nil {
		return Standing{}, err
	}
	if err := s.Ledger.Spend(quota.QueueJoins, quota.Payer{Account: string(a.ID), Address: c.Address}, 1); err != nil {
		return Standing{}, s.Explain(err)
	}
	return s.change(ctx, a.ID, s.admitted(c, a.ID), func(tx *db.Tx) error {
		p, err := partyOf(tx, a.ID)
		fresh := errors.Is(err, model.NoParty)
		if fresh {
			p, err = model.NewParty(a.ID, s.Now()), nil
		}
		if err != nil {
			return err
		}
		if err := p.EnterQueue(a.ID, q, s.Now()); err != nil {
			return err
		}
		p.Members[p.IndexOf(a.ID)].Faction = faction
		p.Vetoes = vetoes
		lengths, err := tx.Queues.Lengths()
		if err != nil {
			return err
		}
		if lengths[q.ID].Parties >= model.QueuedMax {
			return &model.Error{Code: model.QueueFull, RetryAfter: model.RetryAfter(model.Busy)}
		}
		if err := s.fitToQueue(tx, p, q); err != nil {
			return err
		}
		if fresh {
			return tx.Parties.Add(p)
		}
		return tx.Parties.Save(p)
	})
}

// SetFaction notes the faction that a member of a party wishes for. A match of a ruleset
// without that faction draws one.
func (s *Service) SetFaction(ctx context.Context, a model.AccountID, wish string) (Standing, error) {
	var offered []model.FactionInfo
	for i := range s.Queues() {
		offered = append(offered, s.Factions(&s.Queues()[i])...)
	}
	faction, err := model.FactionWish(wish, offered)
	if err != nil {
		return Standing{}, err
	}
	return s.change(ctx, a, nil, func(tx *db.Tx) error {
		p, err := partyOf(tx, a)
		if err != nil {
			return err
		}
		if p.Offer != "" {
			return model.OfferOpen
		}
		p.Members[p.IndexOf(a)].Faction = faction
		return tx.Parties.Save(p)
	})
}

// mayQueue makes all checks that only read, so that repeated attempts neither take the
// lock of matchmaking nor write.
func (s *Service) mayQueue(ctx context.Context, a model.AccountID, q *model.Queue) error {
	st, err := s.Standing(ctx, a)
	switch {
	case err != nil:
		return err
	case !st.Barred.IsZero():
		return s.barred(st.Barred)
	case st.Party != nil:
		p := *st.Party
		return p.EnterQueue(a, q, s.Now())
	}
	return nil
}

func (s *Service) barred(until time.Time) error {
	return &model.Error{Code: model.QueueBarred, RetryAfter: max(time.Second, until.Sub(s.Now()))}
}

// fitToQueue looks whether each member may queue now, and notes its rating.
func (s *Service) fitToQueue(tx *db.Tx, p *model.Party, q *model.Queue) error {
	var ids []model.AccountID
	for _, m := range p.Members {
		n, ends, err := tx.Throttle.Counted(seat.BarredKey(m.Account), s.Now())
		if err != nil {
			return err
		}
		if n > 0 {
			return s.barred(ends)
		}
		if err := s.mayPlay(tx, m.Account); err != nil {
			return err
		}
		ids = append(ids, m.Account)
	}
	ratings, err := s.ratings(tx, q.ID, ids)
	if err != nil {
		return err
	}
	for i := range p.Members {
		m := &p.Members[i]
		m.Rating, m.Seen = matchmaking.NewRating(), s.Now()
		if r, ok := ratings[m.Account]; ok {
			m.Rating = r.Rating
		}
	}
	return nil
}

// mayPlay refuses an account that is banned, deleted, or plays in a match.
func (s *Service) mayPlay(tx *db.Tx, a model.AccountID) error {
	account, err := tx.Accounts.Get(a)
	if err == nil && !account.Deleted.IsZero() {
		err = model.ErrNotFound
	}
	if err == nil {
		err = s.NotBanned(tx, a, model.Client{})
	}
	if err == nil {
		err = s.Within(tx, a, model.Search)
	}
	if err == nil {
		err = admission.NotInMatch(tx, a)
	}
	if err != nil {
		return admission.About(account, err)
	}
	return nil
}

// LeaveQueue takes the account's party out of its queue. Leaving during an offer
// refuses the offer.
func (s *Service) LeaveQueue(ctx context.Context, a model.AccountID) (Standing, error) {
	return s.change(ctx, a, nil, func(tx *db.Tx) error {
		p, err := partyOf(tx, a)
		if err != nil {
			return err
		}
		if p.Queue == "" {
			return model.NotQueued
		}
		if p.Offer != "" {
			return s.refuseOffer(tx, p, a)
		}
		p.LeaveQueue("")
		return tx.Parties.Save(p)
	})
}

// AnswerOffer accepts a match that was found, or does not. When all have accepted
// the match is started.
func (s *Service) AnswerOffer(ctx context.Context, a model.AccountID, id model.OfferID, accept bool) (Standing, error) {
	ready := false
	err := s.matchmake(ctx, nil, func(tx *db.Tx) error {
		ready = false
		p, err := partyOf(tx, a)
		if err != nil {
			return err
		}
		if id == "" || p.Offer != id {
			return model.NoOffer
		}
		o, err := tx.Queues.Offer(id)
		if errors.Is(err, model.ErrNotFound) || err == nil && !s.Now().Before(o.Expires) {
			return model.NoOffer
		}
		if err != nil {
			return err
		}
		if !accept {
			return s.refuseOffer(tx, p, a)
		}
		p.Members[p.IndexOf(a)].Accepted = true
		if err := tx.Parties.Save(p); err != nil {
			return err
		}
		ready, err = allAccept(tx, &o)
		return err
	})
	if err != nil {
		return Standing{}, err
	}
	if accept {
		s.queueMetrics.answer("accepted")
	} else {
		s.queueMetrics.answer("declined")
	}
	if ready {
		s.startOffer(context.WithoutCancel(ctx), id)
	}
	return s.Standing(ctx, a)
}

// allAccept reports whether all members of an offer's parties accept.
func allAccept(tx *db.Tx, o *model.Offer) (bool, error) {
	for _, id := range o.Parties() {
		p, err := tx.Parties.Get(id)
		if err != nil || p.Offer != o.ID || !p.Accepted() {
			return false, seat.IgnoreNotFound(err)
		}
	}
	return true, nil
}

// refuseOffer ends an offer since one does not accept it: its party is out, the
// others wait on.
func (s *Service) refuseOffer(tx *db.Tx, p *model.Party, by model.AccountID) error {
	offer := p.Offer
	if err := s.Seats.Missed(tx, by); err != nil {
		return err
	}
	p.LeaveQueue(model.OfferMissed)
	if err := tx.Parties.Save(p); err != nil {
		return err
	}
	return seat.DropOffer(tx, offer)
}

// MakeParty makes a party that others can join. An account with a party keeps it.
func (s *Service) MakeParty(ctx context.Context, c model.Client, a model.Account) (Standing, error) {
	return s.change(ctx, a.ID, s.admitted(c, a.ID), func(tx *db.Tx) error {
		_, err := partyOf(tx, a.ID)
		if errors.Is(err, model.NoParty) {
			err = tx.Parties.Add(model.NewParty(a.ID, s.Now()))
		}
		return err
	})
}

// JoinParty takes the account into the party of an invitation. It leaves its previous
// party.
func (s *Service) JoinParty(ctx context.Context, c model.Client, a model.Account, code string) (Standing, error) {
	if err := s.Ledger.Spend(quota.QueueJoins, quota.Payer{Account: string(a.ID), Address: c.Address}, 1); err != nil {
		return Standing{}, s.Explain(err)
	}
	return s.change(ctx, a.ID, s.admitted(c, a.ID), func(tx *db.Tx) error {
		p, err := invitedTo(tx, code)
		if err != nil || p.Has(a.ID) {
			return err
		}
		for _, m := range p.Members {
			blocked, err := tx.Relations.Blocked(a.ID, m.Account)
			if err != nil {
				return err
			}
			if blocked {
				return model.NoParty // as for an old invitation: a block is not told
			}
		}
		if p.Offer != "" {
			return model.OfferOpen
		}
		if err := s.Seats.LeaveParty(tx, a.ID); err != nil {
			return err
		}
		if err := p.AddMember(a.ID, s.Now()); err != nil {
			return err
		}
		return tx.Parties.Save(p)
	})
}

// invitedTo finds the party of an invitation.
func invitedTo(tx *db.Tx, code string) (*model.Party, error) {
	p, err := tx.Parties.ByCode(strings.ToLower(model.CutText(code, 40)))
	if errors.Is(err, model.ErrNotFound) {
		err = model.NoParty
	}
	return p, err
}

// Invitation returns the party of an invitation code, for an account that may join.
func (s *Service) Invitation(ctx context.Context, code string) (p *model.Party, err error) {
	err = s.Read(ctx, func(tx *db.Tx) error {
		p, err = invitedTo(tx, code)
		return err
	})
	return p, err
}

// LeaveParty takes the account out of its party.
func (s *Service) LeaveParty(ctx context.Context, a model.AccountID) (Standing, error) {
	return s.change(ctx, a, nil, func(tx *db.Tx) error {
		if _, err := partyOf(tx, a); err != nil {
			return err
		}
		return s.Seats.LeaveParty(tx, a)
	})
}

// RemoveMember takes another out of the party, at the leader's word.
func (s *Service) RemoveMember(ctx context.Context, a, other model.AccountID) (Standing, error) {
	return s.change(ctx, a, nil, func(tx *db.Tx) error {
		p, err := partyOf(tx, a)
		switch {
		case err != nil:
			return err
		case p.Leader != a:
			return model.NotLeader
		case !p.Has(other) || other == a:
			return model.NoParty
		case p.Offer != "":
			return model.OfferOpen // else a leader who does not want the match has another pay for it
		}
		return s.Seats.LeaveParty(tx, other)
	})
}

// startOffer makes the match of an offer that all accept. If the match cannot be made,
// the parties wait on, except parties of players who may not play.
func (s *Service) startOffer(ctx context.Context, id model.OfferID) {
	var o model.Offer
	var parties map[model.PartyID]*model.Party
	err := s.Read(ctx, func(tx *db.Tx) (err error) {
		if o, err = tx.Queues.Offer(id); err != nil {
			return err
		}
		parties = map[model.PartyID]*model.Party{}
		for _, party := range o.Parties() {
			if parties[party], err = tx.Parties.Get(party); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return // it is gone: another process was faster, or a player left
	}
	q, err := s.Find(o.Queue)
	if err == nil {
		err = s.startFor(ctx, q, &o, parties)
	}
	if errors.Is(err, model.NoOffer) {
		return
	}
	if err != nil {
		s.Logger.Warn("lobby: the match of a queue was not started", "queue", o.Queue, "err", err)
		s.pausedUntil.Store(s.Now().Add(startPause).UnixMilli())
		if err := s.matchmake(ctx, nil, func(tx *db.Tx) error { return s.giveBack(tx, id) }); err != nil {
			s.Logger.Error("lobby: an offer is not taken back", "err", err)
		}
	}
}

func (s *Service) startFor(ctx context.Context, q *model.Queue, o *model.Offer, parties map[model.PartyID]*model.Party) error {
	plan := room.MatchPlan{Name: q.Name, Map: o.Map, Options: q.Options, Payer: quota.Payer{Trusted: true}}
	var accounts [2][]model.AccountID
	wishes, offered := map[model.AccountID]string{}, s.Factions(q)
	for t, ids := range o.Teams {
		for _, id := range ids {
			for _, m := range parties[id].Members {
				accounts[t] = append(accounts[t], m.Account)
				if wish, err := model.FactionWish(m.Faction, offered); err == nil {
					wishes[m.Account] = wish
				}
			}
		}
	}
	// The teams take turns at the start points, as in a lobby of two teams.
	for i := range q.TeamSize {
		for t := range accounts {
			team := t
			seat := model.PlannedSeat{Team: &team}
			if i < len(accounts[t]) {
				seat.Account = accounts[t][i]
				seat.Faction = wishes[seat.Account]
			} else {
				seat.Level = q.LevelOfBots()
			}
			plan.Seats = append(plan.Seats, seat)
		}
	}
	var waits []time.Duration
	plan.Alongside = func(tx *db.Tx, m model.Match) error {
		waits = waits[:0]
		if _, err := tx.Queues.Lock(); err != nil {
			return err
		}
		now, err := tx.Queues.Offer(o.ID)
		if errors.Is(err, model.ErrNotFound) {
			return model.NoOffer
		}
		if err != nil {
			return err
		}
		all, err := allAccept(tx, &now)
		if err != nil {
			return err
		}
		if !all {
			return model.NoOffer // a player left at this moment
		}
		for _, id := range now.Parties() {
			p, err := tx.Parties.Get(id)
			if err != nil {
				return err
			}
			for range p.Members {
				waits = append(waits, s.Now().Sub(p.Since))
			}
			p.Started(m.Lobby)
			if err := tx.Parties.Save(p); err != nil {
				return err
			}
		}
		if err := tx.Queues.DropOffer(o.ID); err != nil {
			return err
		}
		_, season, err := s.ladder(tx, q.ID)
		if err != nil || q.Unrated || o.Bots != [2]int{} || q.Ladder != nil && season.Over(s.Now()) {
			return err
		}
		return s.addRatedSeats(tx, m.ID, q.ID, accounts)
	}
	_, err := s.Room.StartMatchFor(ctx, plan)
	if len(waits) > 0 {
		s.queueMetrics.started(q.ID, waits)
	}
	if play.NotMade(err) {
		return nil // the match was stored, and could not be made: the players are told by their lobby
	}
	return err
}

// giveBack ends an offer whose match was not made. Parties with a player who may not
// play now are out, the others wait on. An account that may not play, for example
// because it plays elsewhere by now, has not accepted.
func (s *Service) giveBack(tx *db.Tx, id model.OfferID) error {
	o, err := tx.Queues.Offer(id)
	if err != nil {
		return seat.IgnoreNotFound(err)
	}
	if err := seat.EachAsked(tx, o, func(p *model.Party) error {
		by, err := s.dropIfBarred(tx, p)
		if err == nil && by != "" {
			err = s.Seats.Missed(tx, by)
		}
		return err
	}); err != nil {
		return err
	}
	return seat.DropOffer(tx, id)
}

// dropIfBarred takes a party out of its queue if one of its members may not play, and
// returns that member.
func (s *Service) dropIfBarred(tx *db.Tx, p *model.Party) (by model.AccountID, err error) {
	for _, m := range p.Members {
		if err := s.mayPlay(tx, m.Account); err != nil {
			e := (*model.Error)(nil)
			if !errors.As(err, &e) {
				return "", err
			}
			p.LeaveQueue(e.Code)
			return m.Account, tx.Parties.Save(p)
		}
	}
	return "", nil
}

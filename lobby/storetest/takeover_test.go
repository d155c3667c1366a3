package storetest

import (
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admin"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// takeOver: a host opens a bot's seat of the running match, and a joining player gets
// it.
func takeOver(t *testing.T, h *Harness, _ func() db.Store) {
	host, a := h.NewGuest(t, "host"), h.NewGuest(t, "late")
	l := h.playing(t, host)
	_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	open := func(by model.Account, place int, open bool) error {
		_, err := h.Room.OpenSeat(ctx, l.ID, by.ID, place, open)
		return err
	}
	want(t, open(a, 1, true), model.NotSeated)
	want(t, open(host, 0, true), model.WrongState) // a person's
	want(t, open(host, 5, true), model.NoSuchSeat)
	joins := func(wanted int) {
		t.Helper()
		list, err := h.Room.Lobbies(ctx, model.LobbyFilter{HasRoom: true, States: []model.State{model.Playing}})
		if must(t, err); len(list) != wanted {
			t.Errorf("%d lobbies with room, want %d", len(list), wanted)
		}
	}
	joins(0)
	must(t, open(host, 1, true))
	must(t, open(host, 1, true)) // no change
	joins(1)
	must(t, open(host, 1, false))
	_, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	must(t, open(host, 1, true))

	// An admitted spectator may not play, by any way in.
	w := h.NewGuest(t, "watcher")
	_, err = h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	_, _, err = h.Play.Login(ctx, Home, w, l.ID, 0)
	must(t, err)
	_, err = h.Service.Room.Leave(ctx, l.ID, w.ID)
	must(t, err)
	_, err = h.Room.Join(ctx, Home, w, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)

	// Nor may banned players, or players removed from the lobby.
	r, k := h.NewGuest(t, "rogue"), h.NewGuest(t, "kicked")
	_, err = h.admin().Ban(ctx, admin.NewBan{Account: r.Name, Reason: "x"})
	must(t, err)
	_, err = h.Room.Join(ctx, Home, r, l.ID, room.JoinRequest{})
	want(t, err, model.BannedAccount)
	must(t, h.Store.Write(ctx, func(tx *db.Tx) error {
		_, _, err := tx.Throttle.Count("kicked:"+string(l.ID)+":"+string(k.ID), 1, h.Now(), time.Minute)
		return err
	}))
	_, err = h.Room.Join(ctx, Home, k, l.ID, room.JoinRequest{})
	want(t, err, model.KickedOut)

	got, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	must(t, err)
	seat := got.Seats[1]
	if seat.Kind != model.PlayerSeat || seat.Account != a.ID || seat.Name != a.Name || seat.Team != 1 || seat.Open || seat.Level != "" || got.Host != host.ID {
		t.Fatalf("the seat is %+v, the host %s", seat, got.Host)
	}
	joins(0)
	b := h.NewGuest(t, "later")
	_, err = h.Room.Join(ctx, Home, b, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	want(t, open(host, 1, true), model.WrongState) // it is a person's by now
	token, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
	must(t, err)
	in, err := h.Play.Redeem(ctx, token, netip.Addr{})
	must(t, err)
	if in.Account != a.ID || in.Name != a.Name || in.Start != 1 || in.Team != 1 || in.Bot {
		t.Fatalf("the ticket is for %+v", in)
	}

	// The stored match says so too: a restart sends bots by it.
	must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
		m, err := tx.Matches.Get(l.Match)
		if p := m.Spec.Participants[1]; err == nil && (p.Bot || p.Level != "" || p.Account != a.ID || p.Name != a.Name || p.Team != 1) {
			t.Errorf("the match has %+v", p)
		}
		return err
	}))

	// A player who leaves the match cannot come back in another seat, and the result
	// counts for both.
	_, err = h.Service.Room.Leave(ctx, l.ID, a.ID)
	must(t, err)
	want(t, h.Play.Resume(ctx, l.Match, a.ID, 0, netip.Addr{}), model.NotSeated)
	_, err = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	rows, err := h.Account.History(ctx, a.ID, 0)
	if must(t, err); len(rows) != 1 || rows[0].Outcome != model.Won {
		t.Errorf("the history of who took the seat over is %+v", rows)
	}
}

// manyTakeOver: of many players who come for the one open seat, one gets it. The end of
// a match closes open seats.
func manyTakeOver(t *testing.T, h *Harness, _ func() db.Store) {
	host := h.NewGuest(t, "host")
	l := h.playing(t, host)
	_, err := h.Room.OpenSeat(ctx, l.ID, host.ID, 1, true)
	must(t, err)
	var comers []model.Account
	for range 4 {
		comers = append(comers, h.NewGuest(t, "comer"))
	}
	var in sync.WaitGroup
	errs := make([]error, len(comers))
	for i, a := range comers {
		in.Go(func() { _, errs[i] = h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{}) })
	}
	in.Wait()
	seated := 0
	for _, err := range errs {
		if err == nil {
			seated++
		} else {
			want(t, err, model.NotOpen)
		}
	}
	if seated != 1 {
		t.Errorf("%d have one seat", seated)
	}
	other := h.NewGuest(t, "other")
	m := h.playing(t, other)
	_, err = h.Room.OpenSeat(ctx, m.ID, other.ID, 1, true)
	must(t, err)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: m.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	ended, err := h.Play.Lobby(ctx, m.ID)
	if must(t, err); ended.Seats[1].Open {
		t.Error("a seat is open after the match")
	}
	_, err = h.Room.OpenSeat(ctx, m.ID, other.ID, 1, true)
	want(t, err, model.WrongState)
}

// away has the match say of accounts that have a seat in it that they are away.
func (h *Harness) away(place int, holder model.Account, gone ...model.Account) {
	h.Fakes.Holds, h.Fakes.Gone = map[int]model.AccountID{place: holder.ID}, nil
	for _, a := range gone {
		h.Fakes.Gone = append(h.Fakes.Gone, a.ID)
	}
}

// awayTakeOver: a host opens the seat of a player who is away. An away player who comes
// back first has it, closed; one too late has left the match.
func awayTakeOver(t *testing.T, h *Harness, _ func() db.Store) {
	host, owner, late := h.NewGuest(t, "host"), h.NewGuest(t, "owner"), h.NewGuest(t, "late")
	l := h.playing(t, host)
	open := func() error {
		_, err := h.Room.OpenSeat(ctx, l.ID, host.ID, 1, true)
		return err
	}
	closed := func(after string) {
		t.Helper()
		got, err := h.Play.Lobby(ctx, l.ID)
		if must(t, err); got.Seats[1].Open || got.Seats[1].Account != owner.ID {
			t.Errorf("after %s the seat is %+v", after, got.Seats[1])
		}
		_, err = h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
		want(t, err, model.NotOpen)
	}
	must(t, open())
	_, err := h.Room.Join(ctx, Home, owner, l.ID, room.JoinRequest{})
	must(t, err)
	must(t, h.Play.SeatChanged(ctx, l.Match, owner.ID, true, 100))
	redeem := func() (model.Admission, error) {
		t.Helper()
		ticket, _, err := h.Play.Login(ctx, Home, owner, l.ID, 0)
		must(t, err)
		return h.Play.Redeem(ctx, ticket, netip.Addr{})
	}
	want(t, open(), model.WrongState) // it has not come yet
	h.away(1, owner)
	want(t, open(), model.WrongState) // it is there, or was a moment ago

	h.away(1, owner, owner)
	must(t, open())
	must(t, h.Play.Resume(ctx, l.Match, owner.ID, 0, netip.Addr{}))
	closed("a resume")
	must(t, open())
	in, err := redeem()
	if must(t, err); in.Turn != 1 {
		t.Errorf("the owner's ticket is for %+v", in)
	}
	closed("a ticket")
	must(t, open())
	h.away(1, owner) // it came back as the host opened the seat
	_, err = h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)

	h.away(1, owner, owner)
	must(t, open())
	ticket, _, err := h.Play.Login(ctx, Home, owner, l.ID, 0)
	must(t, err)
	got, err := h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{})
	must(t, err)
	if s := got.Seats[1]; s.Account != late.ID || s.Name != late.Name || s.Open || s.Team != 1 || len(got.Seats) != 2 {
		t.Fatalf("the seats are %+v", got.Seats)
	}
	_, err = h.Play.Redeem(ctx, ticket, netip.Addr{})
	want(t, err, model.NotSeated)
	_, err = h.Room.Join(ctx, Home, owner, l.ID, room.JoinRequest{Spectate: true})
	must(t, err)
	_, err = h.Play.Redeem(ctx, ticket, netip.Addr{}) // a player's ticket, for a viewer
	want(t, err, model.NotSeated)
	_, err = h.Service.Room.Leave(ctx, l.ID, owner.ID)
	must(t, err)
	_, _, err = h.Play.Login(ctx, Home, owner, l.ID, 0)
	want(t, err, model.NotSeated)
	want(t, h.Play.Resume(ctx, l.Match, owner.ID, 0, netip.Addr{}), model.NotSeated)
	want(t, open(), model.WrongState) // late has not come yet
	must(t, h.Play.SeatChanged(ctx, l.Match, late.ID, true, 400))
	h.away(1, late, late)
	must(t, open())
	_, err = h.Room.Join(ctx, Home, owner, l.ID, room.JoinRequest{})
	want(t, err, model.NotOpen)
	h.playing(t, owner) // it may play elsewhere

	// A third one has the seat in its turn, and the result counts for all three.
	third := h.NewGuest(t, "third")
	_, err = h.Room.Join(ctx, Home, third, l.ID, room.JoinRequest{})
	must(t, err)
	ticket, _, err = h.Play.Login(ctx, Home, third, l.ID, 0)
	must(t, err)
	in, err = h.Play.Redeem(ctx, ticket, netip.Addr{})
	if must(t, err); in.Account != third.ID || in.Start != 1 || in.Turn != 3 {
		t.Errorf("the third ticket is for %+v", in)
	}
	// The match says from which ticks they had it.
	must(t, h.Play.SeatChanged(ctx, l.Match, third.ID, true, 900))
	must(t, h.Play.SeatChanged(ctx, l.Match, third.ID, true, 900))
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	rows, err := h.Account.History(ctx, owner.ID, 0)
	must(t, err)
	wanted := []model.Holder{
		{Name: "Bot B", Bot: true, Level: model.MediumBot, To: 100},
		{Account: owner.ID, Name: owner.Name, From: 100, To: 400},
		{Account: late.ID, Name: late.Name, From: 400, To: 900},
		{Account: third.ID, Name: third.Name, From: 900},
	}
	p := rows[len(rows)-1].Players[1]
	if got := p.Holders(); !slices.Equal(got, wanted) {
		t.Errorf("who had the seat: %+v, want %+v", got, wanted)
	}
	ended, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if got := ended.Result.Of(1); got.Name != third.Name || got.From != 900 || !slices.Equal(got.Earlier, wanted[:3]) {
		t.Errorf("the result has %+v", got)
	}
	for _, a := range []model.Account{host, owner, late, third} {
		rows, err := h.Account.History(ctx, a.ID, 0)
		must(t, err)
		wanted, place := model.Won, 1
		if a.ID == host.ID {
			wanted, place = model.Lost, 0
		}
		if n := len(rows); n == 0 || rows[n-1].Match != l.Match || rows[n-1].Outcome != wanted || int(rows[n-1].Start) != place {
			t.Errorf("the history of %s is %+v", a.Name, rows)
		}
	}

	// No name of a deleted account is left, even if another had the seat after it.
	must(t, h.admin().DeleteAccount(ctx, string(owner.ID)))
	h.Tick(t)
	rows, err = h.Account.History(ctx, late.ID, 0)
	must(t, err)
	if got := rows[len(rows)-1].Players[1].Holders()[1]; got.Name != model.GoneName || got.Account != "" || got.From != 100 {
		t.Errorf("of the deleted account the match has %+v", got)
	}
	ended, err = h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if got := ended.Result.Of(1); got.Name != third.Name || got.Earlier[1].Name != model.GoneName || got.Earlier[2].Name != late.Name {
		t.Errorf("the result has %+v", got)
	}
}

// backAsAnotherJoins: an away player comes back while another joins: one has the seat.
func backAsAnotherJoins(t *testing.T, h *Harness, _ func() db.Store) {
	for range 5 {
		host, owner, late := h.NewGuest(t, "host"), h.NewGuest(t, "owner"), h.NewGuest(t, "late")
		l := h.playing(t, host)
		_, err := h.Room.OpenSeat(ctx, l.ID, host.ID, 1, true)
		must(t, err)
		_, err = h.Room.Join(ctx, Home, owner, l.ID, room.JoinRequest{})
		must(t, err)
		h.away(1, owner, owner)
		_, err = h.Room.OpenSeat(ctx, l.ID, host.ID, 1, true)
		must(t, err)
		var both sync.WaitGroup
		var back, joined error
		both.Go(func() { back = h.Play.Resume(ctx, l.Match, owner.ID, 0, netip.Addr{}) })
		both.Go(func() { _, joined = h.Room.Join(ctx, Home, late, l.ID, room.JoinRequest{}) })
		both.Wait()
		got, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		switch holder := got.Seats[1].Account; {
		case got.Seats[1].Open:
			t.Error("the seat is open")
		case back == nil && joined != nil && holder == owner.ID:
			want(t, joined, model.NotOpen)
		case back != nil && joined == nil && holder == late.ID:
			want(t, back, model.NotSeated)
		default:
			t.Errorf("the seat is %+v, back: %v, joined: %v", got.Seats[1], back, joined)
		}
	}
}

// notPlayed: an account that the match has no place for after all gets no other seat
// taken from it, and the seat is its player's or bot's again.
func notPlayed(t *testing.T, h *Harness, _ func() db.Store) {
	host, owner, late := h.NewGuest(t, "host"), h.NewGuest(t, "owner"), h.NewGuest(t, "late")
	l := h.playing(t, host)
	open := func() {
		t.Helper()
		_, err := h.Room.OpenSeat(ctx, l.ID, host.ID, 1, true)
		must(t, err)
	}
	enter := func(a model.Account) model.Admission {
		t.Helper()
		_, err := h.Room.Join(ctx, Home, a, l.ID, room.JoinRequest{})
		must(t, err)
		ticket, _, err := h.Play.Login(ctx, Home, a, l.ID, 0)
		must(t, err)
		in, err := h.Play.Redeem(ctx, ticket, netip.Addr{})
		must(t, err)
		return in
	}
	seat := func() model.Seat {
		t.Helper()
		got, err := h.Play.Lobby(ctx, l.ID)
		must(t, err)
		return got.Seats[1]
	}
	open()
	must(t, h.Play.Release(ctx, enter(late), true, "no seat"))
	if s := seat(); s.Kind != model.BotSeat || s.Level != model.MediumBot || s.Name == late.Name || s.Open {
		t.Errorf("the bot's seat is %+v", s)
	}
	open()
	enter(owner)
	h.away(1, owner, owner)
	open()
	must(t, h.Play.Release(ctx, enter(late), true, "no seat"))
	if s := seat(); s.Account != owner.ID || s.Name != owner.Name || s.Open || s.Team != 1 {
		t.Errorf("the owner's seat is %+v", s)
	}
	must(t, h.Play.Resume(ctx, l.Match, owner.ID, 0, netip.Addr{}))
	for _, a := range []model.Account{owner, late} {
		must(t, h.Store.Read(ctx, func(tx *db.Tx) error {
			left, err := tx.Matches.HasLeft(a.ID, l.Match)
			if left {
				t.Errorf("%s has left the match", a.Name)
			}
			return err
		}))
	}
	open()
	enter(late) // which is not locked out

	// An owner who sits elsewhere by then has left.
	h.away(1, late, late)
	open()
	third := enter(h.NewGuest(t, "third"))
	h.playing(t, late)
	must(t, h.Play.Release(ctx, third, true, "no seat"))
	got, err := h.Play.Lobby(ctx, l.ID)
	must(t, err)
	if len(got.Seats) != 1 || got.Host != host.ID {
		t.Errorf("the seats are %+v", got.Seats)
	}
	want(t, h.Play.Resume(ctx, l.Match, late.ID, 0, netip.Addr{}), model.NotSeated)
	must(t, h.Play.MatchEnded(ctx, model.Result{Match: l.Match, Reason: "last-team", Winners: []gridTeam{1}}))
	for a, matches := range map[model.AccountID]int{owner.ID: 1, late.ID: 2, third.Account: 0} {
		rows, err := h.Account.History(ctx, a, 0)
		if must(t, err); len(rows) != matches {
			t.Errorf("%s has played %d matches, want %d", a, len(rows), matches)
		}
	}
}

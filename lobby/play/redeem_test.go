package play

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/db/sqlite/sqlitetest"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// ticketStore is a store with one ticket, its match and its account, with possible
// faults. They are stored with the first transaction.
type ticketStore struct {
	*sqlitetest.Store
	t       *testing.T
	ticket  model.Ticket
	match   model.Match
	account model.Account
	purged  bool // the ticket, between the look for it and its use
	gone    bool // the account
	ban     *model.Ban
	in      model.LobbyID // where the account sits
	left    bool
	filled  bool
}

func (c *ticketStore) Read(ctx context.Context, fn func(*db.Tx) error) error {
	c.fill()
	return c.Store.Read(ctx, fn)
}

func (c *ticketStore) Write(ctx context.Context, fn func(*db.Tx) error) error {
	c.fill()
	if c.purged {
		c.Do(c.t, func(tx *db.Tx) error { return tx.Purge(time.Unix(20_000, 0)) })
	}
	return c.Store.Write(ctx, fn)
}

func (c *ticketStore) fill() {
	if c.filled {
		return
	}
	c.filled = true
	fail := c.FailCall
	c.FailCall = 0
	now := time.Unix(10_000, 0)
	c.Do(c.t, func(tx *db.Tx) error {
		err := tx.Accounts.Add(c.account)
		for range c.account.Epoch {
			_, e := tx.Accounts.EndEpoch(c.account.ID)
			err = errors.Join(err, e)
		}
		for _, id := range []model.LobbyID{"l", "other"} {
			l := &model.Lobby{ID: id, Map: model.MapInfo{Starts: 2}, Limit: 2, State: model.Playing, Created: now, Touched: now}
			if id == c.in {
				l.Seats = []model.Seat{{Kind: model.PlayerSeat, Account: "a", Name: "Ada"}}
			}
			err = errors.Join(err, tx.Lobbies.Add(l))
		}
		c.match.Spec.Participants = []model.Participant{{Account: "a", Name: "Ada"}}
		err = errors.Join(err, tx.Matches.Add(c.match), tx.Matches.AddTicket(c.ticket))
		if !c.ticket.Used.IsZero() {
			err = errors.Join(err, tx.Matches.UseTicket(c.ticket.Hash, c.ticket.Used))
		}
		if c.ban != nil {
			err = errors.Join(err, tx.Bans.Add(c.ban))
		}
		if c.left {
			err = errors.Join(err, tx.Matches.Leave("a", "m", now))
		}
		if c.gone {
			a := c.account
			a.Deleted = now
			err = errors.Join(err, tx.Accounts.Save(a))
		}
		return err
	})
	c.Calls, c.FailCall = 0, fail
}

// used reports whether the ticket is used up.
func (c *ticketStore) used() (used bool) {
	c.Do(c.t, func(tx *db.Tx) error {
		k, err := tx.Matches.LockTicket(c.ticket.Hash)
		used = err == nil && !k.Used.IsZero()
		return nil
	})
	return used
}

func ticketed(t *testing.T) (*Service, *ticketStore, model.Secret) {
	hooked, now := sqlitetest.Open(t), time.Unix(10_000, 0)
	gate := &admission.Gate{Core: core.New(core.Options{
		Store: hooked, Logger: slog.New(slog.DiscardHandler), Now: func() time.Time { return now }, Node: "local", StoreTimeout: time.Minute, TurnTimeout: time.Minute,
	})}
	s := New(gate, Options{}, event.NewHub(gate.Core), &hook.Service{Core: gate.Core})
	token := model.Secret(strings.Repeat("t", model.SecretLen))
	store := &ticketStore{
		Store: hooked, t: t,
		ticket:  model.Ticket{Hash: token.Hash(), Match: "m", Node: s.Node, Seat: model.Admission{Match: "m", Account: "a", Epoch: 3, Name: "Ada"}, Expires: now.Add(time.Second)},
		match:   model.Match{ID: "m", Lobby: "l", State: model.MatchLive},
		account: model.Account{ID: "a", Name: "Ada", Epoch: 3},
		in:      "l",
	}
	s.Gate.Store = store
	return s, store, token
}

var homeAddress = netip.MustParseAddr("192.0.2.7")

// noneRun is a match service without a running match.
type noneRun struct{ model.Matches }

func (noneRun) Runs(model.MatchID) bool { return false }

// A ticket without a fault opens its seat, and each single fault is refused with its
// own code; then the ticket is not used up.
func TestRedeemLooksAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(*ticketStore, *Service)
		want  model.Code // "": admitted
	}{
		{"nothing is wrong", func(*ticketStore, *Service) {}, ""},
		{"another ticket", func(c *ticketStore, _ *Service) {
			c.ticket.Hash = model.Secret(strings.Repeat("u", model.SecretLen)).Hash()
		}, model.BadTicket},
		{"deleted at this moment", func(c *ticketStore, _ *Service) { c.purged = true }, model.BadTicket},
		{"used before", func(c *ticketStore, s *Service) { c.ticket.Used = s.Now() }, model.TicketUsed},
		{"at its end", func(c *ticketStore, s *Service) { c.ticket.Expires = s.Now() }, model.TicketLate},
		{"right before its end", func(c *ticketStore, s *Service) { c.ticket.Expires = s.Now().Add(time.Millisecond) }, ""},
		{"of a match that another node runs", func(c *ticketStore, s *Service) { s.Matches = noneRun{} }, model.RunsElsewhere},
		{"of a match that ran elsewhere and is over", func(c *ticketStore, s *Service) { s.Matches, c.match.State = noneRun{}, model.MatchDone }, model.MatchOver},
		{"deleted since", func(c *ticketStore, _ *Service) { c.gone = true }, model.LoggedOut},
		{"banned since", func(c *ticketStore, _ *Service) { c.ban = &model.Ban{Account: "a"} }, model.BannedAccount},
		{"its address banned since", func(c *ticketStore, _ *Service) { c.ban = &model.Ban{Range: netip.PrefixFrom(homeAddress, 32)} }, model.BannedAddress},
		{"logged out since", func(c *ticketStore, _ *Service) { c.account.Epoch++ }, model.LoggedOut},
		{"not on the list", func(c *ticketStore, _ *Service) { c.match.Spec.Options.Whitelist = []string{"Ben"} }, model.NotWhitelisted},
		{"on the list", func(c *ticketStore, _ *Service) { c.match.Spec.Options.Whitelist = []string{"ada"} }, ""},
		{"sits elsewhere", func(c *ticketStore, _ *Service) { c.in = "other" }, model.NotSeated},
		{"sits nowhere", func(c *ticketStore, _ *Service) { c.in = "" }, model.NotSeated},
		{"sits elsewhere, the match is being made", func(c *ticketStore, _ *Service) { c.in, c.match.State = "other", model.MatchStarting }, ""},
		{"the match is over", func(c *ticketStore, _ *Service) { c.match.State = model.MatchDone }, model.MatchOver},
		{"a bot of a live match", func(c *ticketStore, _ *Service) { c.ticket.Seat.Account, c.gone, c.in = "", true, "" }, ""},
		{"a bot of a match that is over", func(c *ticketStore, _ *Service) { c.ticket.Seat.Account, c.match.State = "", model.MatchDone }, model.MatchOver},
	} {
		s, store, token := ticketed(t)
		c.wrong(store, s)
		seat, err := s.Redeem(t.Context(), token, homeAddress)
		if c.want == "" && (err != nil || !store.used() || seat.Name != "Ada" || seat.Known != (seat.Account != "")) {
			t.Errorf("%s: %v, used is %v, %+v", c.name, err, store.used(), seat)
		}
		if c.want != "" && (!errors.Is(err, c.want) || store.used() != !store.ticket.Used.IsZero() || seat != (model.Admission{})) {
			t.Errorf("%s: %v, want %q; used is %v, %+v", c.name, err, c.want, store.used(), seat)
		}
	}
	// Another length costs no query.
	s, store, token := ticketed(t)
	for _, wrong := range []model.Secret{"", token[1:], token + "t"} {
		if _, err := s.Redeem(t.Context(), wrong, homeAddress); !errors.Is(err, model.BadTicket) || store.Calls != 0 {
			t.Errorf("a token of %d letters: %v after %d calls", len(wrong), err, store.Calls)
		}
	}
	// A guest is let in, and is not known.
	store.account.Guest = true
	if seat, err := s.Redeem(t.Context(), token, homeAddress); err != nil || seat.Known {
		t.Errorf("a guest: %v, known is %v", err, seat.Known)
	}
}

// A player may come back by a resume token, unless banned, logged out, deleted or gone
// by its own will.
func TestResumeLooksAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(*ticketStore)
		want  model.Code
	}{
		{"nothing is wrong", func(*ticketStore) {}, ""},
		{"banned", func(c *ticketStore) { c.ban = &model.Ban{Account: "a"} }, model.BannedAccount},
		{"logged out", func(c *ticketStore) { c.account.Epoch++ }, model.LoggedOut},
		{"deleted", func(c *ticketStore) { c.gone = true }, model.LoggedOut},
		{"left", func(c *ticketStore) { c.left = true }, model.NotSeated},
	} {
		s, store, _ := ticketed(t)
		c.wrong(store)
		err := s.Resume(t.Context(), "m", "a", 3, homeAddress)
		if c.want == "" && err != nil || c.want != "" && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if err := s.Resume(t.Context(), "m", "", 0, homeAddress); err != nil {
			t.Errorf("%s: a bot: %v", c.name, err)
		}
	}
}

// An error of the database, at any call, admits no player.
func TestBrokenStoreAdmitsNobody(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Service, model.Secret) error
		want int // statements
	}{
		{"redeem", func(s *Service, token model.Secret) error {
			_, err := s.Redeem(context.Background(), token, homeAddress)
			return err
		}, 11},
		{"resume", func(s *Service, _ model.Secret) error {
			return s.Resume(context.Background(), "m", "a", 3, homeAddress)
		}, 6},
	} {
		for n := 1; n <= c.want+1; n++ {
			s, store, token := ticketed(t)
			store.FailCall = n
			err := c.do(s, token)
			if n <= c.want && !errors.Is(err, sqlitetest.ErrBroken) || n > c.want && (err != nil || store.Calls != c.want) {
				t.Errorf("%s, call %d of %d fails: %v", c.name, n, store.Calls, err)
			}
		}
	}
}

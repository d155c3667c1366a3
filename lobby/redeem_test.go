package lobby

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/lobby/model"
)

// ticketStore has one ticket, its match and its account, and what may be wrong
// with them. It has nothing else.
type ticketStore struct {
	counterStore
	ticket  model.Ticket
	match   model.Match
	account model.Account
	purged  bool // the ticket
	gone    bool // the account
	ban     *model.Ban
	in      model.LobbyID // where the account sits
	left    bool
	used    int
}

func (*ticketStore) Connections() (reads, writes int) { return 8, 1 }

func (c *ticketStore) Read(_ context.Context, fn func(Tx) error) error  { return fn(c) }
func (c *ticketStore) Write(_ context.Context, fn func(Tx) error) error { return fn(c) }

func (c *ticketStore) HasTicket(h model.SecretHash) (bool, error) {
	if err := c.call(); err != nil {
		return false, err
	}
	return h == c.ticket.Hash, nil
}

func (c *ticketStore) LockTicket(model.SecretHash) (model.Ticket, error) {
	if c.purged {
		return model.Ticket{}, model.ErrNotFound
	}
	return c.ticket, c.call()
}

func (c *ticketStore) Match(model.MatchID) (model.Match, error) { return c.match, c.call() }

func (c *ticketStore) Account(model.AccountID) (model.Account, error) {
	if c.gone {
		return model.Account{}, model.ErrNotFound
	}
	if err := c.call(); err != nil {
		return model.Account{}, err
	}
	return c.account, nil
}

func (c *ticketStore) Banned(model.AccountID, netip.Addr, time.Time) (model.Ban, error) {
	if c.ban != nil {
		return *c.ban, nil
	}
	if err := c.call(); err != nil {
		return model.Ban{}, err
	}
	return model.Ban{}, model.ErrNotFound
}

func (c *ticketStore) LobbyOf(model.AccountID) (model.LobbyID, error) {
	if c.in == "" {
		return "", model.ErrNotFound
	}
	return c.in, c.call()
}

func (c *ticketStore) Lobby(id model.LobbyID) (*model.Lobby, error) {
	return &model.Lobby{ID: id}, c.call()
}

func (c *ticketStore) HasLeft(model.AccountID, model.MatchID) (bool, error) {
	err := c.call()
	return c.left || err != nil, err
}

func (c *ticketStore) UseTicket(model.SecretHash, time.Time) error {
	c.used++
	return c.call()
}

func ticketed(t *testing.T) (*Service, *ticketStore, model.Secret) {
	s, _, now := throttled(t)
	token := model.Secret(strings.Repeat("t", model.SecretLen))
	store := &ticketStore{
		ticket:  model.Ticket{Hash: token.Hash(), Match: "m", Node: s.Node, Seat: model.Admission{Match: "m", Account: "a", Epoch: 3, Name: "Ada"}, Expires: now.Add(time.Second)},
		match:   model.Match{ID: "m", Lobby: "l", State: model.MatchLive},
		account: model.Account{ID: "a", Name: "Ada", Epoch: 3},
		in:      "l",
	}
	s.Store = store
	return s, store, token
}

// noneRun is a match service in whose process nothing runs.
type noneRun struct{ Matches }

func (noneRun) Runs(model.MatchID) bool { return false }

// A ticket opens its seat if nothing is wrong, and each thing that is wrong
// alone is refused with its own code; then the ticket is not used up.
func TestRedeemLooksAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong func(*ticketStore, *Service)
		want  model.Code // "" for none
	}{
		{"nothing is wrong", func(*ticketStore, *Service) {}, ""},
		{"another ticket", func(c *ticketStore, _ *Service) {
			c.ticket.Hash = model.Secret(strings.Repeat("u", model.SecretLen)).Hash()
		}, model.BadTicket},
		{"deleted at this moment", func(c *ticketStore, _ *Service) { c.purged = true }, model.BadTicket},
		{"used before", func(c *ticketStore, s *Service) { c.ticket.Used = s.Now() }, model.TicketUsed},
		{"at its end", func(c *ticketStore, s *Service) { c.ticket.Expires = s.Now() }, model.TicketLate},
		{"right before its end", func(c *ticketStore, s *Service) { c.ticket.Expires = s.Now().Add(1) }, ""},
		{"of a match that another node runs", func(c *ticketStore, s *Service) { s.Matches = noneRun{} }, model.RunsElsewhere},
		{"of a match that ran elsewhere and is over", func(c *ticketStore, s *Service) { s.Matches, c.match.State = noneRun{}, model.MatchDone }, model.MatchOver},
		{"deleted since", func(c *ticketStore, _ *Service) { c.gone = true }, model.LoggedOut},
		{"banned since", func(c *ticketStore, _ *Service) { c.ban = &model.Ban{Account: "a"} }, model.BannedAccount},
		{"its address banned since", func(c *ticketStore, _ *Service) { c.ban = &model.Ban{} }, model.BannedAddress},
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
		if c.want == "" && (err != nil || store.used != 1 || seat.Name != "Ada" || seat.Known != (seat.Account != "")) {
			t.Errorf("%s: %v, used %d times, %+v", c.name, err, store.used, seat)
		}
		if c.want != "" && (!errors.Is(err, c.want) || store.used != 0 || seat != (model.Admission{})) {
			t.Errorf("%s: %v, want %q; used %d times, %+v", c.name, err, c.want, store.used, seat)
		}
	}
	// Another length costs no query.
	s, store, token := ticketed(t)
	for _, wrong := range []model.Secret{"", token[1:], token + "t"} {
		if _, err := s.Redeem(t.Context(), wrong, homeAddress); !errors.Is(err, model.BadTicket) || store.calls != 0 {
			t.Errorf("a token of %d letters: %v after %d calls", len(wrong), err, store.calls)
		}
		if _, err := s.Session(t.Context(), model.Client{}, wrong); !errors.Is(err, model.Unauthenticated) || store.calls != 0 {
			t.Errorf("the session of a token of %d letters: %v after %d calls", len(wrong), err, store.calls)
		}
		if err := s.LogOut(t.Context(), model.PlayerRealm, wrong); err != nil || store.calls != 0 {
			t.Errorf("the end of a session of a token of %d letters: %v after %d calls", len(wrong), err, store.calls)
		}
	}
	// A guest is let in, and is not known.
	store.account.Guest = true
	if seat, err := s.Redeem(t.Context(), token, homeAddress); err != nil || seat.Known {
		t.Errorf("a guest: %v, known is %v", err, seat.Known)
	}
}

// One who comes back by a resume token may, unless banned, logged out, deleted
// or gone of its own will.
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

// An error of the database lets nobody in, at whichever call it comes.
func TestBrokenStoreAdmitsNobody(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Service, model.Secret) error
		want int // calls
	}{
		{"redeem", func(s *Service, token model.Secret) error {
			_, err := s.Redeem(context.Background(), token, homeAddress)
			return err
		}, 10},
		{"resume", func(s *Service, _ model.Secret) error {
			return s.Resume(context.Background(), "m", "a", 3, homeAddress)
		}, 5},
	} {
		for n := 1; n <= c.want+1; n++ {
			s, store, token := ticketed(t)
			store.failCall = n
			err := c.do(s, token)
			if n <= c.want && !errors.Is(err, errBroken) || n > c.want && (err != nil || store.calls != c.want) {
				t.Errorf("%s, call %d of %d fails: %v", c.name, n, store.calls, err)
			}
		}
	}
}

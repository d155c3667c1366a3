package solo

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/client/socket"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

func open(t testing.TB) *Server {
	t.Helper()
	folder, err := os.MkdirTemp("", "solo")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) }) // the demo's file system removes no folders, and lives in memory
	s, err := Open(folder, slog.New(slog.NewTextHandler(t.Output(), nil)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// person returns a client of the person's client, for a ticket.
func person(t *testing.T, s *Server, ticket string) *socket.Client {
	t.Helper()
	return clientOf(s, s.Connect, ticket)
}

func clientOf(s *Server, serve func(link.Transport), ticket string) *socket.Client {
	return &socket.Client{
		State: client.New(client.Config{Map: func(hash string) (*grid.Map, error) {
			b, err := s.PublicMap(hash)
			if err != nil {
				return nil, err
			}
			return grid.UnmarshalMap(b)
		}}),
		Route: socket.NewRoute("", ""), Tries: 1,
		Ticket: func(context.Context) (string, error) { return ticket, nil },
		Open: func(ctx context.Context) (socket.Link, error) {
			near, far := link.Pipe()
			go serve(near)
			return socket.Over(ctx, far), nil
		},
	}
}

// A person plays two seconds against seven bots. The frames have its units, and no unit of the others.
func TestAPersonPlaysAgainstBots(t *testing.T) {
	s := open(t)
	maps := s.Maps()
	crowns := maps[len(maps)-1]
	ticket, err := s.Start(Choice{Map: crowns.ID, Bots: crowns.Starts - 1, Level: "hard", Name: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := person(t, s, ticket)
	frames, own, seen := 0, 0, 0
	p.OnFrame = func(*wire.ServerFrame, *fogkeepv1.ClientFrame) {
		if frames++; p.Tick() < 40 {
			return
		}
		for _, e := range p.Replica.Entities {
			switch e.Owner {
			case 0:
				own++
			case grid.NoSlot:
			default:
				seen++
			}
		}
		cancel()
	}
	if err := p.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if w := p.Welcome; len(w.Players) != crowns.Starts || w.Players[0].Name != "Ada" || !w.Players[1].Bot || w.Slot != 0 {
		t.Errorf("the welcome is %v", w)
	}
	if frames < 3 || own == 0 || seen != 0 || p.MaskDiffers {
		t.Errorf("%d frames with %d own units and %d of others, mask differs: %v", frames, own, seen, p.MaskDiffers)
	}
}

func TestAStartEndsTheMatchBefore(t *testing.T) {
	s := open(t)
	first := s.Maps()[0]
	ticket, err := s.Start(Choice{Map: first.ID, Bots: 1, Level: "easy"})
	if err != nil {
		t.Fatal(err)
	}
	p := person(t, s, ticket)
	p.OnFrame = func(*wire.ServerFrame, *fogkeepv1.ClientFrame) {
		if p.Tick() < 5 || p.OnMessage != nil {
			return
		}
		p.OnMessage = func([]byte) {}
		go s.Start(Choice{Map: first.ID, Bots: 1, Level: "easy"})
	}
	var no *socket.Refusal
	if err := p.Run(t.Context()); !errors.As(err, &no) || !strings.Contains(no.Text, "left") {
		t.Errorf("the first match ended with %v", err)
	}
	if err := person(t, s, ticket).Run(t.Context()); !errors.As(err, &no) || no.Code != "bad_ticket" {
		t.Errorf("a used ticket: %v", err)
	}
}

// The person sees the whole match again, but only once it is over.
func TestAMatchIsShownAgainOnceItIsOver(t *testing.T) {
	s := open(t)
	ticket, err := s.Start(Choice{Map: s.Maps()[0].ID, Bots: 1, Level: "easy"})
	if err != nil {
		t.Fatal(err)
	}
	p := person(t, s, ticket)
	p.OnFrame = func(_ *wire.ServerFrame, answer *fogkeepv1.ClientFrame) {
		var no *socket.Refusal
		switch {
		case p.Tick() < 20 || p.OnMessage != nil:
			return
		case !errors.As(clientOf(s, s.Watch, p.Welcome.MatchId).Run(t.Context()), &no) || no.Code != "match_runs":
			t.Errorf("while the match runs: %v", no)
		}
		p.OnMessage = func([]byte) {}
		answer.Orders = append(answer.Orders, &fogkeepv1.Order{Seq: 1, Kind: fogkeepv1.OrderKind_ORDER_KIND_SURRENDER})
	}
	if err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	owners := map[grid.Slot]bool{}
	err = &socket.Refusal{Code: "match_runs"} // until the journal has the end, which the person has seen
	for no := (*socket.Refusal)(nil); ctx.Err() == nil && errors.As(err, &no) && no.Code == "match_runs"; {
		r := clientOf(s, s.Watch, p.Welcome.MatchId)
		r.OnFrame = func(*wire.ServerFrame, *fogkeepv1.ClientFrame) {
			for _, e := range r.Replica.Entities {
				owners[e.Owner] = true
			}
			if owners[0] && owners[1] {
				cancel()
			}
		}
		err = r.Run(ctx)
	}
	if !owners[0] || !owners[1] {
		t.Errorf("the replay has units of %v, and ended with %v", owners, err)
	}
}

func TestWrongChoices(t *testing.T) {
	s := open(t)
	first := s.Maps()[0]
	for _, c := range []struct {
		Choice
		why string
	}{
		{Choice{Map: "nowhere", Bots: 1, Level: "easy"}, `no map "nowhere"`},
		{Choice{Map: first.ID, Bots: 0, Level: "easy"}, "0 bots"},
		{Choice{Map: first.ID, Bots: first.Starts, Level: "easy"}, "2 bots"},
		{Choice{Map: first.ID, Bots: 1, Level: "wild"}, `"wild" is no level`},
		{Choice{Map: first.ID, Bots: 1, Level: "easy", Name: strings.Repeat("a", 65)}, "name of 65 bytes"},
	} {
		if _, err := s.Start(c.Choice); err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%+v: %v", c.Choice, err)
		}
	}
	if n := len(s.matches.Matches()); n != 0 {
		t.Errorf("%d matches run", n)
	}
	if _, err := s.PublicMap("00"); err == nil {
		t.Error("a map without a hash")
	}
}

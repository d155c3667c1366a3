package match_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"

	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/match/rules"
)

// tickets is an Admitter with two tickets, and a Reporter that passes results on.
type tickets struct {
	seats map[string]match.Seat
	ended chan match.Result
}

func (t *tickets) Redeem(_ context.Context, ticket string, _ netip.Addr) (match.Seat, error) {
	seat, ok := t.seats[ticket]
	if !ok {
		return seat, &link.Refusal{Code: "bad_ticket", Text: "no such ticket"}
	}
	delete(t.seats, ticket)
	return seat, nil
}

func (t *tickets) Resume(context.Context, match.Seat, netip.Addr) error { return nil }

func (t *tickets) Release(context.Context, match.Seat, *link.Refusal) {}

func (t *tickets) Ended(_ context.Context, r match.Result) error {
	t.ended <- r
	return nil
}

// A match service with admission of one's own. Its handler is for the path that
// clients open their sockets at.
func Example() {
	dir, err := os.MkdirTemp("", "journals")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	journals, err := journal.OpenDir(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	maps, err := mapfile.Shipped()
	if err != nil {
		fmt.Println(err)
		return
	}
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		fmt.Println(err)
		return
	}
	const id = "01900000-0000-7000-8000-000000000001"
	players := &tickets{ended: make(chan match.Result, 1), seats: map[string]match.Seat{
		"of Ada": {Match: id, Slot: 0, Account: "Ada"}, "of Bob": {Match: id, Slot: 1, Account: "Bob"},
	}}
	service := match.New(match.Config{Journals: journals, Admitter: players, Reporter: players})
	defer service.Close()
	ford, _ := maps.ByID("twin-fords")
	err = service.Start(match.Spec{ID: id, Map: ford.Map, Rules: ruleset, Seed: 7, Seats: []match.SeatSpec{
		{Name: "Ada", Team: grid.Team(0), Start: 0}, {Name: "Bob", Team: grid.Team(1), Start: 1},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// http.Handle("/ws", service)
	fmt.Println(len(service.Matches()), "match runs")
	if err := service.Abort(context.Background(), id, "aborted"); err != nil {
		fmt.Println(err)
	}
	fmt.Println((<-players.ended).Match == id)
	// Output:
	// 1 match runs
	// true
}

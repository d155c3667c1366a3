package bot_test

import (
	"fmt"

	"github.com/fogkeep/fogkeep/match/bot"
	"github.com/fogkeep/fogkeep/match/bot/headless"
	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/grid/mapfile"
	"github.com/fogkeep/fogkeep/match/rules"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// rush attacks the enemy's start with all that it begins with.
type rush struct {
	*client.State
	next grid.Tick
}

func newRush(s *client.State) (bot.Player, error) { return &rush{State: s}, nil }

func (r *rush) Take(*wire.ServerFrame) {}

func (r *rush) Think() []*pb.Order {
	if r.Tick() < r.next {
		return nil
	}
	r.next = r.Tick() + grid.Tick(5*r.Welcome.TickRate)
	o := &pb.Order{Seq: r.Number(), Kind: pb.OrderKind_ORDER_KIND_ATTACK_MOVE}
	for _, h := range r.Replica.Handles() {
		if e := r.Replica.Entities[h]; e.Owner == r.Slot() && len(r.Welcome.Types[e.Type].Weapons) > 0 && r.Welcome.Types[e.Type].Speed > 0 {
			o.Units = append(o.Units, uint32(h))
		}
	}
	for _, p := range r.Welcome.Players {
		if grid.Team(p.Team) != r.Team() {
			at := r.Map.Starts[p.Start-1].Center()
			o.To = &pb.Point{X: at.X, Y: at.Y}
		}
	}
	if len(o.Units) == 0 || o.To == nil {
		return nil
	}
	return []*pb.Order{o}
}

// A bot of one's own plays against an easy one, without a server.
func Example() {
	maps, err := mapfile.Shipped()
	if err != nil {
		panic(err)
	}
	ruleset, err := rules.Shipped("skirmish")
	if err != nil {
		panic(err)
	}
	entry, _ := maps.ByID("twin-fords")
	result, err := headless.Match{
		Map: entry.Map, Rules: ruleset, Seed: 1,
		Seats: []headless.Seat{{New: newRush, Team: 0, Start: 0}, {New: bot.Easy.New, Team: 1, Start: 1}},
	}.Play()
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s, %v gave orders\n", result.Reason, result.Seats[0].Orders > 0)
	// Output: last-team, true gave orders
}

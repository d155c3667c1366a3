package bot

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/client"
	"github.com/fogkeep/fogkeep/match/grid"
	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"
)

// TestScoutsLookAtContacts: a scout goes to the contact of the team's radar that is nearest and in the dark.
func TestScoutsLookAtContacts(t *testing.T) {
	m := field()
	w := welcome()
	w.MapHash, w.ContactTicks = m.Hash().String(), 100
	for _, c := range []struct {
		contacts *pb.Contacts
		want     grid.Tile
	}{
		{&pb.Contacts{X: []uint32{0, 2}, Y: []uint32{1, 2}}, grid.Tile{X: 20, Y: 20}},
		{&pb.Contacts{X: []uint32{2}, Y: []uint32{4}, Ago: []uint32{9}}, grid.Tile{X: 20, Y: 36}},
	} {
		s := client.New(client.Config{Map: client.OneMap(m)})
		receive(t, s, &pb.ServerFrame{Welcome: w})
		p, err := Easy.New(s)
		if err != nil {
			t.Fatal(err)
		}
		b := p.(*mind)
		b.Take(receive(t, s, &pb.ServerFrame{Tick: 4000, Enter: enter([4]int{1, 2, 1, 33*40 + 33}, [4]int{6, 5, 1, 30*40 + 31}), Contacts: c.contacts, Own: &pb.Own{}}))
		b.Think()
		if got := b.lastOrders[6].to; got != c.want {
			t.Errorf("the scout goes to %v, want %v", got, c.want)
		}
	}
}

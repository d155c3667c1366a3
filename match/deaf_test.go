package match

import (
	"slices"
	"strings"
	"testing"

	pb "github.com/fogkeep/fogkeep/proto/fogkeepv1"

	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/spec"
)

// TestBlocksSilenceChat: a player who is deaf for another gets neither its lines nor its pings, in play and in a pause.
func TestBlocksSilenceChat(t *testing.T) {
	s := newSpeedMatch(t, 2, func(m *Spec, _ *Config) {
		m.Seats[0].Team, m.Seats[1].Team = 0, 0
		m.Seats[1].Deaf = 1 << m.Seats[0].Start
	})
	all := func(text string) *pb.Say { return &pb.Say{Seq: s.clients[0].Number(), All: true, Text: text} }
	s.clients[0].send(&pb.ClientFrame{Says: []*pb.Say{all("in play")}, Pings: []*pb.MapPing{{Kind: 1, Seq: s.clients[0].Number(), At: &pb.Point{X: 1 << 10, Y: 1 << 10}}}})
	s.until("the speaker sees its ping", func() bool {
		return slices.Contains(s.said, "0 sees 0 point") && slices.Contains(s.said, "0 hears 0: in play")
	})
	s.asks(0, 100, true)
	s.asks(1, 100, true)
	s.until("both pause", func() bool { return s.live.speed.paused })
	s.clients[0].send(&pb.ClientFrame{Says: []*pb.Say{all("in the pause")}})
	s.until("the speaker hears itself", func() bool { return slices.Contains(s.said, "0 hears 0: in the pause") })
	s.play(30)
	for _, line := range s.said {
		if strings.HasPrefix(line, "1 ") {
			t.Errorf("%q, heard by a player who blocks", line)
		}
	}
}

// TestTakenSeatHearsAll: the blocks of a seat end with its player.
func TestTakenSeatHearsAll(t *testing.T) {
	m := &spec.Match{Seats: []spec.Seat{{Start: 3, Deaf: 1 << 5}, {Start: 5, Deaf: 1 << 3}}}
	if m.Hears(0, 1) || m.Hears(1, 0) || !m.Hears(0, 0) {
		t.Errorf("%+v", m.Seats)
	}
	m.Take(1, &sim.Input{Kind: sim.InputTaken, Slot: 1, Text: sim.TakenText("account", "name")})
	if !m.Hears(0, 1) || !m.Hears(1, 0) {
		t.Errorf("%+v", m.Seats)
	}
}

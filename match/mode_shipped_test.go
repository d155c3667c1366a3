package match

import (
	"testing"

	"github.com/fogkeep/fogkeep/match/journal"
	"github.com/fogkeep/fogkeep/match/rules"
	"github.com/fogkeep/fogkeep/match/sim"
	"github.com/fogkeep/fogkeep/match/view"
)

// A match of each shipped mode shows the players its open values, comes back after a kill, and its journal replays.
func TestEveryShippedModeComesBack(t *testing.T) {
	t.Parallel()
	rs, err := rules.Shipped("arsenal")
	if err != nil {
		t.Fatal(err)
	}
	for i := range rs.Modes {
		mode := &rs.Modes[i]
		spec := Spec{
			ID: matchID, Map: flatMap(48), Rules: rs, Seed: 7, EveryTick: true, Options: sim.Options{Mode: mode.Name},
			Seats: []SeatSpec{{Name: "player 0", Team: 0}, {Name: "player 1", Team: 1, Start: 1}},
		}
		a := startServiceHarness(t, spec, Config{})
		own := a.join(0)
		for range 45 {
			a.tick()
			own.read()
		}
		known := view.Player{}
		for k, v := range mode.Values {
			if v.Open {
				known.Valued, known.Values[k] = uint8(k)+1, uint32(a.live.world.ModeValue(k, 1))
			}
		}
		if p := own.Replica.Players[1]; p.Valued != known.Valued || p.Values != known.Values {
			t.Errorf("%s: of the other team the player knows %+v, want %+v", mode.Name, p, known)
		}
		file := a.killed()
		dir := folder(t, map[string][]byte{matchID: file})
		if w, _, err := journal.Replay(reading(dir.Path(matchID)), nil); err != nil || w.Tick() < 40 {
			t.Errorf("%s: the replay: %v", mode.Name, err)
		}
		if b := a.revived(dir, Config{}); b.live == nil {
			t.Errorf("%s: the match is not played on", mode.Name)
		}
	}
}

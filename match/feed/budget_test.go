package feed

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/link"
	"github.com/fogkeep/fogkeep/proto/wire"
)

// For every capacity of a link, as much of a game's need comes through as fits, and it is not old. The link is a
// queue that takes so many bytes a second and so long each way; the client tells what it applied twice a second.
func TestRateControlFindsWhatALinkTakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		need := rapid.IntRange(20, 400).Draw(t, "needed a tick")
		takes := rapid.IntRange(500, 12_000).Draw(t, "taken a second")
		way := rapid.IntRange(0, 6).Draw(t, "ticks each way")
		const perS, seconds = 20, 120
		f := (&Match{TickRate: perS}).ForPlayers()
		r := NewReceiver(link.NewConn(nil, wire.ClientFrame{Hello: &wire.Hello{}}))
		type packet struct {
			tick  grid.Tick
			bytes int
			due   int // ticks, of the last byte
		}
		var queue, acks []packet
		free, waiting, oldest := 0, 0, 0 // perS-ths of a byte that the link has sent ahead; bytes the game has to tell; ticks
		came := 0
		for now := grid.Tick(1); now <= perS*seconds; now++ {
			for len(acks) > 0 && acks[0].due <= int(now) {
				r.NoteApplied(acks[0].tick, now, perS)
				acks = acks[1:]
			}
			waiting = min(waiting+need, 40*need) // what is news again and again is told once
			credit := f.refill(r, now)
			allowed := min(waiting, credit)
			behind := f.behind(r, now)
			if behind {
				allowed = 0
			}
			if behind && now-r.sent >= perS || !behind && allowed > 0 && !(r.narrow && credit < r.Limit()/8) {
				bytes := max(allowed, 8)
				r.sent, r.credit, waiting = now, r.credit-bytes, max(0, waiting-bytes)
				r.SendFrame(make([]byte, bytes), now)
				<-r.Out
				queue = append(queue, packet{now, bytes, int(now)})
			}
			for free = min(free, 0) + takes; free > 0 && len(queue) > 0; queue = queue[1:] {
				free -= queue[0].bytes * perS
				if now > perS*seconds/2 {
					came += queue[0].bytes
					oldest = max(oldest, int(now-queue[0].tick)+way)
				}
				if len(acks) == 0 || int(now)+2*way >= acks[len(acks)-1].due+perS/2 {
					acks = append(acks, packet{tick: queue[0].tick, due: int(now) + 2*way})
				}
			}
		}
		if most := 4 * (perS + way); oldest > most {
			t.Fatalf("what came was up to %d ticks old, at most %d are fine", oldest, most)
		}
		if could := min(takes, need*perS) * seconds / 2; came < could/2 {
			t.Fatalf("%d bytes came, %d could have", came, could)
		}
		if r.InFlight() > link.InFlightMax {
			t.Fatalf("%d frames are remembered", r.InFlight())
		}
	})
}

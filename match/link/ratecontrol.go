package link

import (
	"slices"

	"github.com/fogkeep/fogkeep/match/grid"
)

// rateControl is the rate control of one client. It measures the link only by
// comparing the frames that were sent with those that the client reports as
// applied:
//
//	sent ────► |  frames in flight: ticks and bytes  | ────► applied
//	                                         the oldest: its age
//
// The delay is the age of the oldest frame in flight less the shortest round trip
// measured so far. While it is at most a second, only the byte budget limits the
// rate. Above a second the rate becomes 7/8 of the measured throughput, so that
// the queue in the network drains and the frames that arrive are recent. Once the delay is half a second or less, the
// rate control probes upward: at each measurement the rate becomes 9/8 of itself or of the measured throughput, the
// larger of the two, until there is no limit again (above paceMax).
//
// The rate changes only when the client reports what it has applied. A client
// that seldom reports is not taken for a slow link.
type rateControl struct {
	inFlight []inFlightFrame // sent and not told to be applied, the oldest first
	limit    int             // bytes per second that the server sends at most; 0: no limit
	start    grid.Tick       // bytes that came through are counted from then on
	bytes    int
	way      int // ticks: the shortest there and back so far
	reported bool
}

// inFlightFrame is a frame on its way.
type inFlightFrame struct {
	tick  grid.Tick
	bytes int
}

const (
	InFlightMax = 128     // frames in flight that are told apart
	waySeconds  = 2       // the longest way there and back that is taken for one
	paceMin     = 128     // bytes per second; rows that are never cut come on top
	paceMax     = 1 << 16 // bytes a second; a link that takes so much is not narrow
)

// sent notes a frame.
func (p *rateControl) sent(now grid.Tick, bytes int) {
	if len(p.inFlight) == 0 && p.limit == 0 {
		p.start, p.bytes = now, 0
	}
	if len(p.inFlight) == InFlightMax { // of the two oldest, one
		p.inFlight[1].bytes += p.inFlight[0].bytes
		p.inFlight = slices.Delete(p.inFlight, 0, 1)
	}
	p.inFlight = append(p.inFlight, inFlightFrame{now, bytes})
}

// late returns how many ticks the oldest frame has been on its way beyond the time of a trip. A trip counts at most
// waySeconds: the first frames of a narrow link are slow, too.
func (p *rateControl) late(now grid.Tick, perS int) int {
	if len(p.inFlight) == 0 {
		return 0
	}
	return int(now-p.inFlight[0].tick) - min(p.way, waySeconds*perS)
}

// applied takes in that the client has applied tick t. A second has perS ticks.
func (p *rateControl) applied(t, now grid.Tick, perS int) {
	n := 0
	for n < len(p.inFlight) && p.inFlight[n].tick <= t {
		p.bytes += p.inFlight[n].bytes
		n++
	}
	p.inFlight = slices.Delete(p.inFlight, 0, n)
	if trip := int(now - t); !p.reported || trip < p.way {
		p.way, p.reported = trip, true
	}
	took := int(now - p.start)
	if took < perS/2 {
		return // too short to tell
	}
	arrived := p.bytes * perS / took
	switch late := p.late(now, perS); {
	case late > perS:
		p.limit = max(paceMin, arrived*7/8)
	case p.limit > 0 && late <= perS/2:
		// The bytes that arrived may be one large frame that was long on its way.
		if p.limit = max(p.limit, min(arrived, 2*p.limit)) * 9 / 8; p.limit > paceMax {
			p.limit = 0
		}
	}
	p.start, p.bytes = now, 0
}

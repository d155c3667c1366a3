package spec

import (
	"errors"
	"net/netip"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/match/view"
)

// Refusals of questions about a match.
var (
	ErrNoMatch = errors.New("match: no such match here")
	ErrNoSeat  = errors.New("match: no such seat in this match")
	ErrNoTeam  = errors.New("match: no such team")
)

// Info is one line of the list of matches.
type Info struct {
	ID         string
	State      string // running, paused, ended, failed
	Kept       bool   // it goes on without people, as an admin asked for
	Tick       grid.Tick
	TickRate   int
	Map        *grid.Map
	Started    time.Time
	Seats      []SeatInfo
	Spectators []SpectatorInfo
	Traffic    Traffic // so far, as of the last full second
}

// SlotAt returns the slot of the seat at a start point, [grid.NoSlot] without such a seat.
func (m *Info) SlotAt(start int) grid.Slot {
	for i := range m.Seats {
		if m.Seats[i].Start == start {
			return m.Seats[i].Slot
		}
	}
	return grid.NoSlot
}

// SeatInfo is a seat as the list shows it.
type SeatInfo struct {
	Seat
	Slot      grid.Slot
	Account   string
	Epoch     int64      // of the account, as the right that its socket came with says
	Address   netip.Addr // of the socket; zero for none and inside the process
	Connected bool
	Alive     bool
	Away      bool // its player had come, and is gone for longer than the grace period
	Out       bool // defeated, given up, or left for good: it has no player
}

// SpectatorInfo is a spectator as the list shows it.
type SpectatorInfo struct {
	Account   string
	Epoch     int64     // of the account, as the right that its socket came with says
	Eyes      grid.Team // [grid.NoTeam]: all teams'
	Delay     grid.Ticks
	Connected bool
	Address   netip.Addr // of the connection
}

// Picture is a match at one tick for the server's admins: a picture of its world, its
// map, and the colours of its players.
type Picture struct {
	*view.Picture
	Map   *grid.Map
	Seats []Seat // by slot
}

// Color returns the colour of a player, 0 for [grid.NoSlot].
func (p *Picture) Color(s grid.Slot) uint8 {
	if int(s) >= len(p.Seats) {
		return 0
	}
	return p.Seats[s].Color
}

package server

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/grid"
)

// seatNotices tells the lobby which players come to their seats in matches and go, in the
// order in which they do. The matches' goroutines never wait for it: it drops and logs
// notices beyond its queue.
type seatNotices struct {
	lobby *lobby.Service
	log   *slog.Logger
	queue chan seatNotice
}

type seatNotice struct {
	match, account string
	present        bool
	since          grid.Tick
}

// seatNoticesMax is how many notices may wait: a database that is away for a minute
// does not fill it.
const seatNoticesMax = 4096

func newSeatNotices(log *slog.Logger) *seatNotices {
	return &seatNotices{log: log, queue: make(chan seatNotice, seatNoticesMax)}
}

// changed is match.Config.SeatChanged.
func (s *seatNotices) changed(match, account string, present bool, since grid.Tick) {
	select {
	case s.queue <- seatNotice{match, account, present, since}:
	default:
		s.log.Error("the lobby is not told of a player's coming or going: too many wait", "match", match, "account", account)
	}
}

func (s *seatNotices) run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case n := <-s.queue:
			for pause := 200 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
				err := s.lobby.Play.SeatChanged(ctx, model.MatchID(n.match), model.AccountID(n.account), n.present, uint32(n.since))
				if !errors.Is(err, model.Unavailable) || ctx.Err() != nil {
					break // done, or the lobby has logged why not
				}
				select {
				case <-ctx.Done():
				case <-time.After(pause):
				}
			}
		}
	}
}

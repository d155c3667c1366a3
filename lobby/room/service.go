package room

import (
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/replay"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Service keeps the lobbies. Any goroutine may call it.
type Service struct {
	*admission.Gate
	Hub     *event.Hub
	Hooks   *hook.Service
	Seats   *seat.Service
	Replay  *replay.Service
	Account *account.Service
	Play    *play.Service

	Maps            model.Maps
	Matches         model.Matches // nil: no match can start
	Offered         Missions      // nil: there are no missions
	Starts          Starts        // nil: no match can be played on, and no scenario
	PlayerScenarios bool          // players too may make lobbies of scenarios
}

// Package room is where players meet: it makes lobbies, seats players, bots and
// spectators, changes options, and starts the match.
//
//	API --Create, Join, Configure, Start--> model.Lobby (the rules) --> database, hub
//	queue, studio --StartMatchFor(plan)---> a lobby with everybody in it
//
// The rules of a lobby are methods of [model.Lobby]; this package loads, asks and stores.
// What happens from the start of a match on is package play's.
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
	Matches         model.Matches // nil: nothing can start
	Starts          Starts        // nil: no match can be played on, and no scenario
	PlayerScenarios bool          // players too may make lobbies of scenarios
}

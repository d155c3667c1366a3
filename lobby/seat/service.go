package seat

import (
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/db"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Service takes accounts out of their places. Any goroutine may call it, but the
// janitor's duties one at a time.
type Service struct {
	*admission.Gate
	Hub     *event.Hub
	Hooks   *hook.Service
	Matches model.Matches // nil: no match runs
	// Decide carries out the question of a lobby that passes without a removed player: see room.Service.
	Decide func(*db.Tx, *model.Lobby) error

	bansSeen    int64 // of ServerState, when bans were last enforced
	recheckBans bool  // there was a new ban at the last look
}

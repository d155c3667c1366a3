package studio

import (
	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/replay"
	"github.com/fogkeep/fogkeep/lobby/room"
)

// Service opens the sessions of service keys. Any goroutine may call it.
type Service struct {
	*admission.Gate
	Hooks   *hook.Service
	Replay  *replay.Service
	Account *account.Service
	Play    *play.Service
	Room    *room.Service
}

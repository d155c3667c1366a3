package admin

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/account"
	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/event"
	"github.com/fogkeep/fogkeep/lobby/hook"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/play"
	"github.com/fogkeep/fogkeep/lobby/queue"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/seat"
	"github.com/fogkeep/fogkeep/lobby/studio"
)

// Options are the settings of admins; lobby.Config has the defaults.
type Options struct {
	Matches   model.Matches // nil: no match runs
	Cluster   Cluster       // nil: this process is no node of one
	Offered   model.Packs   // nil: there are no packs
	AdminLife time.Duration // of a session
	GuestLife time.Duration // 0: guests' matches are kept for ever
	AuditLife time.Duration // 0: rows of the audit are kept for ever
}

// Service opens the sessions of admins. Any goroutine may call it, but the janitor's
// duties one at a time.
type Service struct {
	*admission.Gate
	Options
	Hub     *event.Hub
	Hooks   *hook.Service
	Seats   *seat.Service
	Account *account.Service
	Play    *play.Service
	Room    *room.Service
	Queue   *queue.Service
	Studio  *studio.Service

	matchesPurged int64           // the last that was looked at
	guestsPurged  model.AccountID // likewise
}

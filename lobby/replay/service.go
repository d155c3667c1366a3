package replay

import (
	"time"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// Service decides which accounts may watch. Any goroutine may call it, but the
// janitor's duties one at a time.
type Service struct {
	*admission.Gate
	Replays    Replays // nil: no match can be watched once it is over
	ReplayLife time.Duration
	ReplayKey  []byte // of the links to replays
	AllNodes   bool   // this process finds the journals of all nodes

	redacted model.Redaction // the last that was looked at
}

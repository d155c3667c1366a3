package queue

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/lobby/room"
	"github.com/fogkeep/fogkeep/lobby/seat"
)

// Service keeps queues, parties and ratings. Any goroutine may call it.
type Service struct {
	*admission.Gate
	Room  *room.Service
	Seats *seat.Service
	Maps  model.Maps

	queues atomic.Pointer[[]model.Queue]
	// Queues that the last change has removed. Queues of other nodes are not known here.
	removedQueues atomic.Pointer[[]string]
	presence      presence
	pausedUntil   atomic.Int64 // no pairing before, in ms since 1970
	queueMetrics  *queueMetrics
}

// New returns the service of some queues. It registers its metrics, unless r is nil.
func New(queues []model.Queue, rooms *room.Service, r prometheus.Registerer) *Service {
	s := &Service{Gate: rooms.Gate, Room: rooms, Seats: rooms.Seats, Maps: rooms.Maps, presence: presence{accounts: map[model.AccountID]bool{}}, queueMetrics: newQueueMetrics(r)}
	s.queues.Store(&queues)
	s.removedQueues.Store(&[]string{})
	return s
}

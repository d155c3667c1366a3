package server

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
)

// health answers those who watch over the server. /livez says that the process
// answers. /healthz says that it can do its work: the database answers, new matches
// are taken, and in a cluster the log answers and the node is not being emptied.
type health struct {
	lobby *lobby.Service
	node  *node // nil: no cluster

	mu    sync.Mutex
	asked time.Time
	err   error
}

const (
	healthKeep = time.Second     // an answer counts for so long, however many ask
	healthWait = 2 * time.Second // for the database
)

func (h *health) routes(r chi.Router) {
	r.Get("/livez", func(w http.ResponseWriter, _ *http.Request) { well(w) })
	r.Get("/healthz", func(w http.ResponseWriter, r *http.Request) {
		if err := h.ask(r.Context()); err != nil {
			w.Header().Set("Cache-Control", "no-store")
			api.WriteProblem(w, err)
			return
		}
		well(w)
	})
}

// ask returns what keeps the server from its work.
func (h *health) ask(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); now.Sub(h.asked) > healthKeep {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthWait)
		defer cancel()
		h.err, h.asked = h.lobby.Ready(ctx), time.Now()
		if h.err == nil && h.node != nil {
			h.err = h.node.ready()
		}
	}
	return h.err
}

func well(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "ok\n")
}

package server

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/lobby"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/journal"
)

// health answers the operator's monitors. /livez says that the process answers, for
// supervisors that restart processes. /readyz says that the server can do its work: the
// database answers and takes writes, the journals' folder takes them, new matches are
// taken, and in a cluster the journal store answers and the node is not being emptied.
type health struct {
	lobby    *lobby.Service
	node     *node        // nil: no cluster
	journals *journal.Dir // nil in a cluster
	log      *slog.Logger

	mu      sync.Mutex
	checked time.Time
	err     error
	wrote   time.Time // when writing was tried last
	wrong   []error   // with it

	probe chan error // of the folder, while it runs
	bad   error      // the folder's last result
	since time.Time  // of bad
}

const (
	healthKeep = time.Second     // an answer counts for so long, however many ask
	healthWait = 2 * time.Second // for the database, and for the disk
	writeKeep  = 5 * time.Second // so often it is tried to write
)

func (h *health) routes(r chi.Router) {
	r.Get("/livez", func(w http.ResponseWriter, _ *http.Request) { well(w) })
	r.Get("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := h.ask(r.Context()); err != nil {
			w.Header().Set("Cache-Control", "no-store")
			api.WriteProblem(w, err)
			return
		}
		well(w)
	})
}

// ask returns why the server cannot work, or nil.
func (h *health) ask(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); now.Sub(h.checked) > healthKeep {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthWait)
		defer cancel()
		reasons := []error{h.lobby.Ready(ctx)}
		if h.node != nil {
			reasons = append(reasons, h.node.ready())
		}
		h.err = together(append(reasons, h.writes(ctx)...))
		h.checked = time.Now()
	}
	return h.err
}

// together is the first reason, with the sentences of all.
func together(reasons []error) error {
	var first *model.Error
	var text []string
	for _, err := range reasons {
		if err == nil {
			continue
		}
		e := model.AsError(err)
		if first == nil {
			first = e
		}
		if !slices.Contains(text, e.Text()) {
			text = append(text, e.Text())
		}
	}
	if first == nil {
		return nil
	}
	out := *first
	out.Detail = strings.Join(text, "; ")
	return &out
}

// writes returns why the database and the journals' folder take no writes. The next look
// tries failed writes again.
func (h *health) writes(ctx context.Context) []error {
	if len(h.wrong) == 0 && time.Since(h.wrote) < writeKeep {
		return nil
	}
	h.wrote, h.wrong = time.Now(), nil
	if err := h.lobby.Writable(ctx); err != nil {
		h.wrong = append(h.wrong, err)
	}
	if h.journals != nil {
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), healthWait) // the database may have used up the other
		defer cancel()
		if err := h.folder(own); err != nil {
			h.wrong = append(h.wrong, &model.Error{Code: model.Unavailable, Detail: "the journals' folder cannot be written", RetryAfter: time.Second, Err: err})
		}
	}
	return h.wrong
}

// errStuck: a disk neither completes a write nor fails it.
var errStuck = errors.New("the disk does not answer")

// folder tries to write into the journals' folder. A disk that does not answer is waited
// for by one goroutine.
func (h *health) folder(ctx context.Context) error {
	if h.probe == nil {
		done := make(chan error, 1)
		h.probe = done
		go func() {
			defer panics.Catch(h.log, "health", func() { done <- model.Internal })
			done <- h.journals.Probe()
		}()
	}
	err := errStuck
	select {
	case err = <-h.probe:
		h.probe = nil
	case <-ctx.Done():
	}
	switch {
	case err != nil && h.bad == nil:
		h.since = time.Now()
		h.log.Error("the journals' folder cannot be written; the next line about it comes when it can", "err", err)
	case err == nil && h.bad != nil:
		h.log.Info("the journals' folder can be written again", "outageMs", time.Since(h.since).Milliseconds())
	}
	h.bad = err
	return err
}

func well(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "ok\n")
}

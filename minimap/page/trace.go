package page

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/grid"
)

// TraceLine is one message that a client was sent.
type TraceLine struct {
	Tick     grid.Tick `json:"tick" doc:"that the message tells of"`
	Account  string    `json:"account,omitempty" doc:"who was sent it; absent: a bot"`
	Bytes    int       `json:"bytes" doc:"of payload"`
	Frame    bool      `json:"frame" doc:"false: a welcome, a pause or an end"`
	Snapshot bool      `json:"snapshot"`
	Lost     int       `json:"lost,omitempty" doc:"lines just before this one that are missing, as they were read too slowly"`
	Parts    []Part    `json:"parts" doc:"the parts of the message"`
}

// How long a trace may last.
const (
	traceSecondsMax = 300
	traceSeconds    = 30
)

// TraceSpectators is the slot that stands for all who watch.
const TraceSpectators = "spectators"

// trace streams a line of JSON a message, until the time is over.
func (h *handler) trace(w http.ResponseWriter, r *http.Request) {
	slot, span, err := parseTrace(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.guard(w, r, EyesAll, func(w http.ResponseWriter, r *http.Request) { h.lines(w, r, slot, span) }) // frames may be of any team
}

// lines writes the lines of a slot for a time.
func (h *handler) lines(w http.ResponseWriter, r *http.Request, slot grid.Slot, span time.Duration) {
	ctx, cancel := context.WithTimeout(r.Context(), span)
	defer cancel()
	control := http.NewResponseController(w)
	begun := false
	begin := func() {
		if !begun {
			header := w.Header()
			header.Set("Content-Type", "application/x-ndjson")
			header.Set("Cache-Control", "no-store")
			header.Set("X-Accel-Buffering", "no")
			begun = true
		}
	}
	err := h.src.Trace(ctx, r.PathValue("id"), slot, func(l TraceLine) error {
		begin()
		if l.Parts == nil {
			l.Parts = []Part{}
		}
		b, err := json.Marshal(l)
		if err != nil {
			return err
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
		return control.Flush()
	})
	switch {
	case err == nil:
		begin() // it may be that nothing was sent
	case begun:
		h.log.Debug("live views: a trace ended", "match", r.PathValue("id"), "error", err)
	default:
		h.fail(w, r, err)
	}
}

func parseTrace(r *http.Request) (slot grid.Slot, span time.Duration, err error) {
	if err := listen.CheckQuery(r.URL, "slot", "seconds"); err != nil {
		return 0, 0, err
	}
	q := r.URL.Query()
	slot, span = grid.NoSlot, traceSeconds*time.Second
	if text := q.Get("slot"); text != TraceSpectators {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil || grid.Slot(n) == grid.NoSlot {
			return 0, 0, &badRequest{fmt.Sprintf("slot is %.20q: want a slot's number or %s", text, TraceSpectators)}
		}
		slot = grid.Slot(n)
	}
	if text := q.Get("seconds"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > traceSecondsMax {
			return 0, 0, &badRequest{fmt.Sprintf("seconds is %.20q: want a number from 1 to %d", text, traceSecondsMax)}
		}
		span = time.Duration(n) * time.Second
	}
	return slot, span, nil
}

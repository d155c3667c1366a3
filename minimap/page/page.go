package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
)

// Eyes says through whose eyes a match is looked at: a team's number, or
// [EyesAll].
type Eyes int

// EyesAll sees everything.
const EyesAll Eyes = -1

// Errors that a [Source] may return (wrapped), for which there is a status.
var (
	ErrNoMatch = errors.New("no such match")
	ErrNoTeam  = errors.New("no such team in this match")
	ErrNoSeat  = errors.New("no such seat in this match")
	ErrTraces  = errors.New("as many packet logs run as may: wait until one has ended")
)

// Source is what the handlers ask: the match service, adapted.
type Source interface {
	// Inspect returns a copy of the match's newest finished tick. The caller
	// owns it.
	Inspect(ctx context.Context, id string, eyes Eyes) (*State, error)
	// Traffic returns what the match's clients were sent and sent.
	Traffic(ctx context.Context, id string) (*Traffic, error)
	// Trace calls each with every message to the player of a slot, or with
	// [grid.NoSlot] to all who watch, until ctx ends, the match ends or each
	// fails.
	Trace(ctx context.Context, id string, slot grid.Slot, each func(TraceLine) error) error
}

// State is what a picture of a match at one tick shows, through some eyes.
type State struct {
	Tick  grid.Tick
	Map   *grid.Map
	Sight []minimap.Sight // one a tile; nil with all eyes
	Marks []minimap.Mark  // in the order in which they are drawn
}

const (
	picturePixels = 512
	writeTimeout  = 10 * time.Second
	tickHeader    = "Fogkeep-Tick" // of a picture
)

// Guard lets a look through that its admin may take, and audits it: at the match of the
// path, through these eyes. next looks with the request that it is given.
type Guard func(w http.ResponseWriter, r *http.Request, eyes Eyes, next http.HandlerFunc)

// Handler serves the endpoints of the package comment. Without a guard there is no
// handler. Who is no admin must not come here.
func Handler(src Source, guard Guard, log *slog.Logger) http.Handler {
	if guard == nil {
		panic("minimap/page: a handler without a guard")
	}
	h := &handler{src: src, log: log, guard: guard, pictures: newPictures()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /matches/{id}/minimap.png", h.picture)
	mux.HandleFunc("GET /matches/{id}/traffic", h.traffic)
	mux.HandleFunc("GET /matches/{id}/trace", h.trace)
	return mux
}

type handler struct {
	src      Source
	log      *slog.Logger
	guard    Guard
	pictures *pictures
}

func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.guard(w, r, q.eyes, func(w http.ResponseWriter, r *http.Request) { h.draw(w, r, q) })
}

func (h *handler) draw(w http.ResponseWriter, r *http.Request, q query) {
	s, err := h.src.Inspect(r.Context(), r.PathValue("id"), q.eyes)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	png, err := h.pictures.draw(r.PathValue("id"), q.eyes, s, q.scale)
	if err != nil {
		h.fail(w, r, &badRequest{err.Error()})
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(tickHeader, strconv.FormatUint(uint64(s.Tick), 10))
	h.write(w, png)
}

// query is what a picture takes.
type query struct {
	eyes  Eyes
	scale int // 0: fit
}

type badRequest struct{ detail string }

func (e *badRequest) Error() string { return e.detail }

func parseQuery(r *http.Request) (query, error) {
	v := r.URL.Query()
	q := query{eyes: EyesAll}
	if err := listen.CheckQuery(r.URL, "eyes", "scale"); err != nil {
		return q, err
	}
	number := func(key string, lo, hi int) (int, error) {
		n, err := strconv.Atoi(v.Get(key))
		if err != nil || n < lo || n > hi {
			return 0, &badRequest{fmt.Sprintf("%s is %.20q: want a number from %d to %d", key, v.Get(key), lo, hi)}
		}
		return n, nil
	}
	if e := v.Get("eyes"); e != "" && e != "all" {
		n, err := number("eyes", 0, grid.TeamsMax-1)
		if err != nil {
			return q, &badRequest{fmt.Sprintf("eyes is %.20q: want all or a team's number", e)}
		}
		q.eyes = Eyes(n)
	}
	if v.Get("scale") != "" {
		n, err := number("scale", 1, minimap.ScaleMax)
		if err != nil {
			return q, err
		}
		q.scale = n
	}
	return q, nil
}

func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var bad *badRequest
	var query *listen.QueryError
	switch {
	case r.Context().Err() != nil: // nobody waits for the answer
	case errors.As(err, &bad), errors.As(err, &query):
		problem(w, http.StatusBadRequest, "bad_query", err.Error())
	case errors.Is(err, ErrNoMatch):
		problem(w, http.StatusNotFound, "no_match", err.Error())
	case errors.Is(err, ErrNoSeat):
		problem(w, http.StatusNotFound, "no_seat", err.Error())
	case errors.Is(err, ErrTraces):
		problem(w, http.StatusServiceUnavailable, "too_many_traces", err.Error())
	case errors.Is(err, ErrNoTeam):
		problem(w, http.StatusNotFound, "no_team", err.Error())
	default:
		h.log.Error("live views: request failed", "path", r.URL.Path, "error", err)
		problem(w, http.StatusInternalServerError, "internal", "the match could not be inspected; the server's log says why")
	}
}

// problem writes an error as RFC 9457 has it.
func problem(w http.ResponseWriter, status int, code, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"status": status, "title": http.StatusText(status), "code": code, "detail": detail,
	})
}

func (h *handler) json(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		h.log.Error("live views: answer cannot be written", "error", err)
		problem(w, http.StatusInternalServerError, "internal", "the answer could not be written")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	h.write(w, b)
}

// write sends an answer; that the client has gone is its own affair.
func (h *handler) write(w http.ResponseWriter, b []byte) {
	if _, err := w.Write(b); err != nil {
		h.log.Debug("live views: client left", "error", err)
	}
}

package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/fogkeep/fogkeep/match/grid"
	"github.com/fogkeep/fogkeep/minimap"
)

// Eyes says through whose eyes a match is looked at: a team's number, or
// [EyesAll].
type Eyes int

// EyesAll sees everything.
const EyesAll Eyes = -1

// MarshalJSON writes "all" or the team's number.
func (e Eyes) MarshalJSON() ([]byte, error) {
	if e == EyesAll {
		return []byte(`"all"`), nil
	}
	return strconv.AppendInt(nil, int64(e), 10), nil
}

// Errors that a [Source] may return (wrapped), for which there is a status.
var (
	ErrNoMatch = errors.New("no such match")
	ErrNoTeam  = errors.New("no such team in this match")
	ErrNoSeat  = errors.New("no such seat in this match")
	ErrTraces  = errors.New("as many packet logs run as may: wait until one has ended")
)

// Source is what the page asks: the match service, adapted.
type Source interface {
	// Matches lists the live matches, newest first.
	Matches(ctx context.Context) ([]Match, error)
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

// Match is one line of the list.
type Match struct {
	ID       string
	State    string // in words: running, paused, ended
	Tick     grid.Tick
	TickRate int // ticks a second
	Paused   bool
	Map      *grid.Map
	Players  []Player
}

// Player is one seat of a match.
type Player struct {
	Slot      grid.Slot `json:"slot"`
	Name      string    `json:"name"`
	Team      grid.Team `json:"team"`
	Color     uint8     `json:"color" doc:"its number among the colours of players"`
	Bot       bool      `json:"bot"`
	Connected bool      `json:"connected"`
	Alive     bool      `json:"alive"`
}

// State is a match at one tick, through some eyes.
type State struct {
	Tick     grid.Tick
	Map      *grid.Map
	Sight    []minimap.Sight // one a tile; nil with all eyes
	Entities []Entity
}

// Entity is one thing that the eyes see.
type Entity struct {
	Key    uint32 // the entity's id with all eyes, the team's handle with a team's
	Type   string
	Shape  minimap.Shape
	Slot   grid.Slot // grid.NoSlot: nobody
	Color  uint8     // of its player
	Team   grid.Team // grid.NoTeam: nobody
	Pos    grid.Pos
	Facing grid.Facing
	HP     int32 // hit points
	HPMax  int32
	Size   uint8        // width in tiles of structures
	Doing  string       // its order or action, "" for none
	Seen   grid.TeamSet // teams that see it; with all eyes
}

const (
	streamsMax    = 32 // live streams at once, of all admins
	picturePixels = 512
	everyMsMin    = 100
	everyMsMax    = 5000
	everyMs       = 500
	writeTimeout  = 10 * time.Second
)

// Handler serves the endpoints of the package comment. auth lets admins
// through and nobody else; without it there is no handler.
func Handler(src Source, auth func(http.Handler) http.Handler, log *slog.Logger) http.Handler {
	if auth == nil {
		panic("minimap/page: a handler without authentication")
	}
	h := &handler{src: src, log: log, pictures: newPictures(), streams: make(chan struct{}, streamsMax)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /matches", h.list)
	mux.HandleFunc("GET /matches/{id}/state", h.state)
	mux.HandleFunc("GET /matches/{id}/minimap.png", h.picture)
	mux.HandleFunc("GET /matches/{id}/live", h.live)
	mux.HandleFunc("GET /matches/{id}/traffic", h.traffic)
	mux.HandleFunc("GET /matches/{id}/trace", h.trace)
	return auth(mux)
}

type handler struct {
	src      Source
	log      *slog.Logger
	pictures *pictures
	streams  chan struct{} // a place each
}

// What /matches answers.
type (
	liveMatches struct {
		Matches []liveMatch `json:"matches" doc:"newest first"`
	}
	liveMatch struct {
		ID       string    `json:"id"`
		State    string    `json:"state" doc:"running, paused or ended"`
		Tick     grid.Tick `json:"tick"`
		TickRate int       `json:"tickRate" doc:"ticks a second"`
		Paused   bool      `json:"paused"`
		Map      liveMap   `json:"map"`
		Players  []Player  `json:"players"`
	}
	liveMap struct {
		Name   string `json:"name"`
		Hash   string `json:"hash" doc:"of the map's bytes, at GET /maps/{hash}"`
		Width  int    `json:"width" doc:"tiles"`
		Height int    `json:"height" doc:"tiles"`
	}
)

// liveEnd is the data of the last event of a stream.
type liveEnd struct {
	Reason string `json:"reason"`
}

func (h *handler) list(w http.ResponseWriter, r *http.Request) {
	matches, err := h.src.Matches(r.Context())
	if err != nil {
		h.fail(w, r, err)
		return
	}
	out := liveMatches{make([]liveMatch, 0, len(matches))}
	for _, m := range matches {
		out.Matches = append(out.Matches, liveMatch{
			ID: m.ID, State: m.State, Tick: m.Tick, TickRate: m.TickRate, Paused: m.Paused,
			Map:     liveMap{m.Map.Name, h.pictures.hash(m.Map).String(), m.Map.W, m.Map.H},
			Players: append([]Player{}, m.Players...),
		})
	}
	h.json(w, out)
}

func (h *handler) state(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	s, err := h.src.Inspect(r.Context(), r.PathValue("id"), q.eyes)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.json(w, stateOf(r.PathValue("id"), q, s))
}

func (h *handler) picture(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
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
	w.Header().Set("Fogkeep-Tick", strconv.FormatUint(uint64(s.Tick), 10))
	h.write(w, png)
}

// live streams states until the client leaves or the match is gone.
func (h *handler) live(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		problem(w, http.StatusServiceUnavailable, "too_many_streams", fmt.Sprintf("%d streams are open: close one", streamsMax))
		return
	}
	id := r.PathValue("id")
	s, err := h.src.Inspect(r.Context(), id, q.eyes)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	send := func(event string, data any) bool {
		b, err := json.Marshal(data)
		if err != nil {
			h.log.Error("debug page: state cannot be written", "match", id, "error", err)
			return false
		}
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // not every writer has deadlines
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, b); err != nil {
			return false
		}
		return control.Flush() == nil
	}
	ticker := time.NewTicker(q.every)
	defer ticker.Stop()
	last := s.Tick + 1 // any other tick
	for {
		if s.Tick != last {
			if !send("state", stateOf(id, q, s)) {
				return
			}
			last = s.Tick
		}
		select {
		case <-r.Context().Done():
			return
		case <-ticker.C:
		}
		if s, err = h.src.Inspect(r.Context(), id, q.eyes); err != nil {
			if r.Context().Err() == nil {
				send("end", liveEnd{err.Error()})
			}
			return
		}
	}
}

// query is what the endpoints take.
type query struct {
	eyes  Eyes
	sight bool
	scale int // 0: fit
	every time.Duration
}

type badRequest struct{ detail string }

func (e *badRequest) Error() string { return e.detail }

func parseQuery(r *http.Request) (query, error) {
	v := r.URL.Query()
	q := query{eyes: EyesAll, sight: v.Get("sight") == "1", every: everyMs * time.Millisecond}
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
	if v.Get("everyMs") != "" {
		n, err := number("everyMs", everyMsMin, everyMsMax)
		if err != nil {
			return q, err
		}
		q.every = time.Duration(n) * time.Millisecond
	}
	return q, nil
}

func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	var bad *badRequest
	switch {
	case r.Context().Err() != nil: // nobody waits for the answer
	case errors.As(err, &bad):
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
		h.log.Error("debug page: request failed", "path", r.URL.Path, "error", err)
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
		h.log.Error("debug page: answer cannot be written", "error", err)
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
		h.log.Debug("debug page: client left", "error", err)
	}
}

// LookedAt says which match a request to the handler is about ("" for none), and
// through whose eyes it looks: "all", or a team.
func LookedAt(u *url.URL) (match, eyes string) {
	rest, ok := strings.CutPrefix(u.Path, "/matches/")
	if !ok {
		return "", ""
	}
	match, what, _ := strings.Cut(rest, "/")
	eyes = u.Query().Get("eyes")
	if eyes == "" || what == "traffic" || what == "trace" { // they may be of all teams, whatever the query says
		eyes = "all"
	}
	return match, eyes
}

package inspectserver

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/fogkeep/fogkeep/internal/budget"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/spec"
)

// problem is a refusal as the admins' API has them: RFC 9457, with a short code.
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Field  string `json:"field,omitempty"`

	after time.Duration
}

func (p *problem) Error() string             { return p.Code + ": " + p.Detail }
func (p *problem) GetStatus() int            { return p.Status }
func (p *problem) ContentType(string) string { return "application/problem+json" }

// GetHeaders implements huma.HeadersError.
func (p *problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.after > 0 {
		h.Set("Retry-After", strconv.Itoa(int((p.after+time.Second-1)/time.Second)))
	}
	return h
}

// write answers a request with the problem.
func (p *problem) write(w http.ResponseWriter) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", p.ContentType(""))
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

// statuses are the HTTP statuses of the codes.
var statuses = map[string]int{
	"no_match": http.StatusNotFound, "no_team": http.StatusNotFound, "no_entity": http.StatusNotFound, "no_tile": http.StatusNotFound,
	"no_seat": http.StatusNotFound, "too_many_traces": http.StatusServiceUnavailable,
	"not_live": http.StatusConflict, "diverged": http.StatusConflict, "not_readable": http.StatusGone,
	"bad_tick": http.StatusUnprocessableEntity, "bad_query": http.StatusUnprocessableEntity, "busy": http.StatusServiceUnavailable,
}

// answerOf makes the answer of an error. A failure of the server goes to the log.
func (s *Service) answerOf(match string, err error) *problem {
	var no *Refusal
	var full *budget.Refusal
	var beyond *replay.RangeError
	switch {
	case errors.As(err, &no):
	case errors.Is(err, playback.ErrClosed):
		no = errClosing
	case errors.Is(err, spec.ErrNoMatch):
		no = refuse("no_match", "no such match runs here")
	case errors.Is(err, spec.ErrNoTeam):
		no = refuse("no_team", "no such team in this match")
	case errors.Is(err, spec.ErrNoSeat):
		no = refuse("no_seat", "no such seat in this match")
	case errors.As(err, &beyond):
		no = badTick(beyond.Tick, beyond.First, beyond.Last)
	case errors.As(err, &full):
		no = busy("as many matches are inspected as may be: wait a minute, or close one (%v)", err)
	case errors.Is(err, context.DeadlineExceeded):
		no = busy("the request took too long")
	case errors.Is(err, context.Canceled):
		return &problem{Status: 499, Title: "Client Closed Request", Code: "gone", Detail: "the request was given up"}
	default:
		s.cfg.Logger.Error("a match cannot be inspected", "match", match, "err", err)
		return &problem{Status: http.StatusInternalServerError, Title: http.StatusText(http.StatusInternalServerError), Code: "internal", Detail: "the match could not be inspected; the server's log says why"}
	}
	status := statuses[no.Code]
	return &problem{Status: status, Title: http.StatusText(status), Code: no.Code, Detail: no.Text, Field: no.Field, after: no.After}
}

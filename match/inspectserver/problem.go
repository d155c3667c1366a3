package inspectserver

import (
	"context"
	"errors"
	"net/http"

	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/match/playback"
	"github.com/fogkeep/fogkeep/match/replay"
	"github.com/fogkeep/fogkeep/match/shared"
	"github.com/fogkeep/fogkeep/match/spec"
)

// statuses are the HTTP statuses of the codes.
var statuses = map[string]int{
	"no_match": http.StatusNotFound, "no_team": http.StatusNotFound, "no_entity": http.StatusNotFound, "no_tile": http.StatusNotFound,
	"no_seat": http.StatusNotFound, "too_many_traces": http.StatusServiceUnavailable,
	"not_live": http.StatusConflict, "diverged": http.StatusConflict, "not_readable": http.StatusGone,
	"bad_tick": http.StatusUnprocessableEntity, "bad_query": http.StatusUnprocessableEntity, "busy": http.StatusServiceUnavailable,
}

// answerOf makes the answer of an error. A failure of the server goes to the log.
func (s *Service) answerOf(match string, err error) *shared.Problem {
	var no *Refusal
	var full *quota.Refusal
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
		return &shared.Problem{Status: 499, Title: "Client Closed Request", Code: "gone", Detail: "the request was given up"}
	default:
		s.cfg.Logger.Error("a match cannot be inspected", "match", match, "err", err)
		return &shared.Problem{Status: http.StatusInternalServerError, Title: http.StatusText(http.StatusInternalServerError), Code: "internal", Detail: "the match could not be inspected; the server's log says why"}
	}
	status := statuses[no.Code]
	return &shared.Problem{Status: status, Title: http.StatusText(status), Code: no.Code, Detail: no.Text, Field: no.Field, RetryAfter: no.After}
}

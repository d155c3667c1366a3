package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match/shared"
)

// Problem is every refusal's body.
type Problem = shared.Problem

// problem makes the answer of an error; an internal failure has no details. nil is nil.
func problem(err error) error {
	if err == nil {
		return nil
	}
	if p := (*Problem)(nil); errors.As(err, &p) {
		return p
	}
	if q := (*listen.QueryError)(nil); errors.As(err, &q) {
		err = &model.Error{Code: model.BadRequest, Field: q.Field, Detail: q.Text}
	}
	if errors.Is(err, listen.ErrHost) {
		err = model.WrongHost
	}
	e := model.AsError(err)
	row := e.Code.Info()
	p := &Problem{
		Status: row.Status, Title: http.StatusText(row.Status), Code: string(row.Code), Detail: e.Text(), Field: e.Field, RetryAfter: e.RetryAfter,
	}
	if errors.Is(err, context.Canceled) {
		p.Status = 499 // the client has gone
	}
	return p
}

// WriteProblem answers with a refusal; an error outside of [model.Codes] becomes a
// plain failure without details.
func WriteProblem(w http.ResponseWriter, err error) { problem(err).(*Problem).Write(w) }

// huma asks this for the answers it makes itself: bodies that do not parse or do not
// fit. It repeats the fault and its place, never the value, which may be a password.
func init() {
	huma.DefaultArrayNullable = false // lists in answers are empty, never null
	huma.NewError = func(status int, text string, errs ...error) huma.StatusError {
		p := &Problem{Status: status, Title: http.StatusText(status), Code: string(codeOf(status)), Detail: text}
		for _, err := range errs {
			if d, ok := err.(huma.ErrorDetailer); ok {
				detail := d.ErrorDetail()
				p.Errors = append(p.Errors, detail.Location+": "+detail.Message)
			}
		}
		if status >= http.StatusInternalServerError {
			p.Detail = model.Internal.Info().Text
		}
		return p
	}
}

func codeOf(status int) model.Code {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return model.TooLarge
	case http.StatusUnsupportedMediaType:
		return model.WrongMediaType
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return model.NotFound
	case http.StatusUnauthorized:
		return model.Unauthenticated
	case http.StatusForbidden:
		return model.Forbidden
	}
	if status >= http.StatusInternalServerError {
		return model.Internal
	}
	return model.BadRequest
}

// registerWith registers an operation that needs a session of the kind S.
func registerWith[S, I, O any](h huma.API, o huma.Operation, begin func(context.Context) (S, error), do func(context.Context, S, *I) (*O, error)) {
	huma.Register(h, o, func(ctx context.Context, in *I) (*O, error) {
		session, err := begin(ctx)
		if err != nil {
			return nil, problem(err)
		}
		out, err := do(ctx, session, in)
		if err != nil {
			return nil, problem(err)
		}
		return out, nil
	})
}

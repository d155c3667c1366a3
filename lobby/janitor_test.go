package lobby

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/fogkeep/fogkeep/lobby/admission"
	"github.com/fogkeep/fogkeep/lobby/core"
	"github.com/fogkeep/fogkeep/lobby/model"
)

// A duty that panics fails, and the janitor's other duties go on.
func TestADutyThatPanicsFails(t *testing.T) {
	s := &Service{Gate: &admission.Gate{Core: &core.Core{Options: core.Options{Logger: slog.New(slog.DiscardHandler)}}}}
	if err := s.duty(t.Context(), func(context.Context) error { panic("planted") }); !errors.Is(err, model.Internal) {
		t.Errorf("%v", err)
	}
	if err := s.duty(t.Context(), func(context.Context) error { return model.NotFound }); !errors.Is(err, model.NotFound) {
		t.Errorf("%v", err)
	}
}

package lobby

import (
	"context"
	"errors"
	"log/slog"
	"testing"
)

// A duty that panics fails, and takes nothing else of the janitor with it.
func TestADutyThatPanicsFails(t *testing.T) {
	s := &Service{Config: Config{Logger: slog.New(slog.DiscardHandler)}}
	if err := s.duty(t.Context(), func(context.Context) error { panic("planted") }); !errors.Is(err, Internal) {
		t.Errorf("%v", err)
	}
	if err := s.duty(t.Context(), func(context.Context) error { return NotFound }); !errors.Is(err, NotFound) {
		t.Errorf("%v", err)
	}
}

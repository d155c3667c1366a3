package main

import (
	"log/slog"
	"testing"
)

// A part of the server that panics ends with an error, as one that fails does.
func TestAPanicIsAnError(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	if err := caught(log, "test", func() error { panic("planted") })(); err == nil || err.Error() != "test: internal error" {
		t.Errorf("%v", err)
	}
	if err := caught(log, "test", func() error { return nil })(); err != nil {
		t.Errorf("%v", err)
	}
}

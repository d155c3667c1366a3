package panics

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// counted returns what the metric says of one place.
func counted(t *testing.T) (n float64) {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	r.MustRegister(Caught)
	all, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		for _, row := range m.GetMetric() {
			n += row.GetCounter().GetValue()
		}
	}
	return n
}

func TestCatch(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	ended := 0
	work := func(f func()) {
		defer Catch(log, "test", func() { ended++ })
		f()
	}
	work(func() {})
	if ended != 0 || out.Len() != 0 {
		t.Fatalf("no panic, but %d ends and %q", ended, out.String())
	}
	work(func() { panic("the plan is broken") })
	if ended != 1 || counted(t) != 1 {
		t.Errorf("%d ends, %v counted", ended, counted(t))
	}
	for _, want := range []string{"the plan is broken", "panics_test.go", "where=test"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the log: %s", want, out.String())
		}
	}
}

// A part of the server that panics ends with an error, as one that fails does.
func TestAPanicIsAnError(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	if err := AsError(log, "test", func() error { panic("planted") })(); err == nil || err.Error() != "test: internal error" {
		t.Errorf("%v", err)
	}
	if err := AsError(log, "test", func() error { return nil })(); err != nil {
		t.Errorf("%v", err)
	}
}

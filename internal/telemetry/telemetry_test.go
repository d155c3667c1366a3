package telemetry

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestSpansHaveAUnit: a time span in the log is a number of milliseconds.
func TestSpansHaveAUnit(t *testing.T) {
	var out bytes.Buffer
	log, err := NewLogger(&out, "info")
	if err != nil {
		t.Fatal(err)
	}
	log.Warn("paused", "late", 1119306116*time.Nanosecond)
	if !strings.Contains(out.String(), `"lateMs":1119}`) {
		t.Errorf("the log has %s", &out)
	}
}

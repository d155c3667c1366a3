package bench

import (
	"encoding/json"
	"testing"
)

// The keys by which scripts read a load are there in every report, also where they are 0.
func TestLoadKeys(t *testing.T) {
	b, err := json.Marshal(LoadReport{})
	if err != nil {
		t.Fatal(err)
	}
	var has map[string]any
	if err := json.Unmarshal(b, &has); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{
		"matches", "clients", "tick_late_p99_ms", "order_rtt_p99_ms", "server_core", "rss_mb", "mismatches", "resyncs", "reconnect_p99_s",
	} {
		if _, ok := has[key].(float64); !ok {
			t.Errorf("%s is missing: %s", key, b)
		}
	}
}

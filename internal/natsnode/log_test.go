package natsnode

import (
	"log/slog"
	"testing"
	"time"
)

// Lines of an embedded server that every start of a cluster or after a kill has are no warnings; a member that stays away
// is one.
func TestLinesOfAStartAreNoWarnings(t *testing.T) {
	for _, c := range []struct {
		text string
		age  time.Duration
		want slog.Level
	}{
		{`Clients that are not using "TLS Handshake First" option will fail to connect`, time.Hour, slog.LevelDebug},
		{"Waiting for routing to be established...", time.Second, slog.LevelInfo},
		{"Error trying to connect to route (attempt 1): dial tcp 127.0.0.1:7412: connect: connection refused", time.Second, slog.LevelInfo},
		{"Error trying to connect to route (attempt 70): dial tcp 127.0.0.1:7412: connect: connection refused", 2 * settles, slog.LevelWarn},
		{"JetStream has not established contact with a meta leader", 2 * settles, slog.LevelError},
		{"JetStream is not current with the meta leader", time.Second, slog.LevelInfo},
		{"Filestore [fogkeep_j0] Stream state outdated, last block has additional entries, will rebuild", time.Second, slog.LevelInfo},
		{"Filestore [fogkeep_j0] Recovering stream state from index errored: prior state file", time.Second, slog.LevelInfo},
		{"Filestore [KV_fogkeep_owners] TTL state is outdated; attempting to recover using linear scan (seq 19 to 27)", time.Second, slog.LevelInfo},
		{"Filestore [fogkeep_j0] Stream state checksum did not match", time.Second, slog.LevelError},
		{"JetStream resource limits exceeded for server", time.Second, slog.LevelError},
	} {
		if got := levelOf(slog.LevelError, c.text, c.age); got != c.want {
			t.Errorf("after %v: %q: %v, want %v", c.age, c.text, got, c.want)
		}
	}
}

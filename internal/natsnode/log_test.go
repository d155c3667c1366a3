package natsnode

import (
	"log/slog"
	"testing"
	"time"
)

// Lines of an embedded server that every start of a cluster has are no warnings; a member that stays away is one.
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
		{"JetStream resource limits exceeded for server", time.Second, slog.LevelError},
	} {
		if got := levelOf(slog.LevelError, c.text, c.age); got != c.want {
			t.Errorf("after %v: %q: %v, want %v", c.age, c.text, got, c.want)
		}
	}
}

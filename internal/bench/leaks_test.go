package bench

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

// noIdle closes the connections that the benches' clients keep.
type noIdle struct{ *testing.M }

func (m noIdle) Run() int {
	defer http.DefaultClient.CloseIdleConnections()
	return m.M.Run()
}

// No test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(noIdle{m}) }

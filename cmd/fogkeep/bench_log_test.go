package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/pgtest"
)

// TestBenchLog measures little: every engine has its run, with as many records as the
// matches have put. The long form kills a log server.
func TestBenchLog(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kill := 0
	if os.Getenv("FOGKEEP_TEST_LONG") != "" {
		kill = 12
	}
	r, err := bench.Log(t.Context(), bench.LogConfig{
		Dir: t.TempDir(), DatabaseURL: pgtest.New(t, ""), Matches: []int{4}, Streams: []int{3}, Bytes: 100, Rate: 10, Seconds: 1, Kill: kill,
		Server: func(folder, store string) *exec.Cmd {
			c := exec.CommandContext(t.Context(), self, "bench", "log-server", folder, store)
			c.Env = append(os.Environ(), asProgram+"=1")
			return c
		},
		Progress: t.Logf,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, engine := range []string{"file", "log servers", "postgresql"} {
		if i >= len(r.Runs) {
			t.Fatalf("%s was not measured", engine)
		}
		run := r.Runs[i]
		if run.Engine != engine || run.Matches != 4 || run.PerSecond < 4 || run.P50Ms <= 0 || run.P99Ms < run.P50Ms || run.MaxMs < run.P99Ms || len(run.ServerCPU) != []int{0, 3, 1}[i] {
			t.Errorf("%+v", run)
		}
	}
	if k := r.Kills; (k != nil) != (kill > 0) || k != nil && (k.Led == 0 || k.Led == kill || k.Lost != 0 || k.Leader <= 0 || k.Follower <= 0) {
		t.Errorf("%+v", k)
	}
	var text strings.Builder
	if err := r.Text(&text); err != nil || strings.Count(text.String(), "\n") < 5 {
		t.Errorf("%q, %v", text.String(), err)
	}
}

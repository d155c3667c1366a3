package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// TestBenchWrites sends a few frames in each way: every client gets all of them, and
// what is sent costs more than nothing.
func TestBenchWrites(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := bench.WritesConfig{Sockets: 3, Bytes: 1500, Rate: 50, Seconds: 1}
	start := func(ctx context.Context, way string, c bench.WritesConfig) (io.ReadCloser, error) {
		cmd := exec.CommandContext(ctx, self, "bench", "writes-server", "--way", way, "--sockets", strconv.Itoa(c.Sockets),
			"--bytes", strconv.Itoa(c.Bytes), "--rate", strconv.Itoa(c.Rate), "--seconds", strconv.Itoa(c.Seconds))
		cmd.Env = append(os.Environ(), asProgram+"=1")
		return startChild(cmd)
	}
	rows, err := bench.Writes(t.Context(), c, start)
	if err != nil {
		t.Fatal(err)
	}
	ways := ""
	for _, r := range rows {
		ways += r.Way + " "
		if r.UserUs+r.SystemUs <= 0 || r.Switches <= 0 || r.HandUs < 0 || r.Way != "none" && r.HandUs == 0 {
			t.Errorf("%+v", r)
		}
	}
	if ways != "none bare session writers " {
		t.Errorf("measured %s", ways)
	}
	c.Sockets = 0
	if _, err := bench.Writes(t.Context(), c, start); err == nil {
		t.Error("nobody is sent anything")
	}
}

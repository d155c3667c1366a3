package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"

	"github.com/fogkeep/fogkeep/internal/bench"
)

// benchWritesCmd measures what the system calls of a tick cost.
type benchWritesCmd struct {
	Sockets int  `default:"8" help:"Clients, a socket each."`
	Bytes   int  `default:"80" help:"Payload of a frame."`
	Rate    int  `default:"20" help:"Ticks a second."`
	Seconds int  `default:"20" help:"Seconds that are measured, of each way."`
	Apart   bool `default:"true" negatable:"" help:"Keep the server on one processor and the clients on another."`
	JSON    bool `name:"json" help:"Write one JSON list."`
}

func (c *benchWritesCmd) config() bench.WritesConfig {
	return bench.WritesConfig{Sockets: c.Sockets, Bytes: c.Bytes, Rate: c.Rate, Seconds: c.Seconds, Apart: c.Apart}
}

// Run measures and prints.
func (c *benchWritesCmd) Run(in *invocation) error {
	rows, err := bench.Writes(in.Ctx, c.config(), startWrites(in.Stderr))
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(rows)
	}
	fmt.Fprintf(in.Stdout, "%d sockets, %d bytes, %d ticks a second\n", c.Sockets, c.Bytes, c.Rate)
	for _, r := range rows {
		fmt.Fprintf(in.Stdout, "%-8s user %6.1f us, system %6.1f us, %5.2f context switches a tick; sent in %6.1f us (p50)\n",
			r.Way, r.UserUs, r.SystemUs, r.Switches, r.HandUs)
	}
	return nil
}

// startWrites starts this very program as the process that sends.
func startWrites(stderr io.Writer) bench.StartWrites {
	return func(ctx context.Context, way string, c bench.WritesConfig) (io.ReadCloser, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, self, "bench", "writes-server", "--way", way, "--sockets", strconv.Itoa(c.Sockets),
			"--bytes", strconv.Itoa(c.Bytes), "--rate", strconv.Itoa(c.Rate), "--seconds", strconv.Itoa(c.Seconds))
		cmd.Stderr = stderr
		return startChild(cmd)
	}
}

// benchWritesServerCmd is the process that sends; benchWritesCmd starts it.
type benchWritesServerCmd struct {
	benchWritesCmd
	Way string
}

// Run sends.
func (c *benchWritesServerCmd) Run(in *invocation) error {
	return bench.ServeWrites(in.Ctx, c.Way, c.config(), in.Stdout)
}

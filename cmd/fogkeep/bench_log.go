package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// benchLogCmd measures where journals can be kept.
type benchLogCmd struct {
	Matches     []int  `default:"50,200" help:"Matches that write at once, 1 to 5000; one run for each."`
	Streams     []int  `default:"1,3" help:"Streams of the log servers that the matches are spread over, 1 to 8; one run for each."`
	Bytes       int    `default:"120" help:"Bytes of a record, 1 to 65536."`
	Rate        int    `default:"20" help:"Records a second and match, 1 to 100."`
	Seconds     int    `default:"6" help:"Seconds of each run."`
	Kill        int    `default:"50" help:"Matches that write while a log server is killed; 0: none is."`
	DatabaseURL string `env:"FOGKEEP_DATABASE_URL" help:"postgres://… on this machine to measure as well, in a table of its own that is dropped afterwards. Without it PostgreSQL is not measured."`
	Dir         string `placeholder:"DIR" help:"Where the data is written meanwhile: a folder on the disk to measure. Without it the system's folder for temporary files."`
	JSON        bool   `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchLogCmd) Run(in *invocation) error {
	outside := func(low, high int) func(int) bool { return func(n int) bool { return n < low || n > high } }
	switch {
	case slices.ContainsFunc(c.Matches, outside(1, 5000)) || slices.ContainsFunc(c.Streams, outside(1, jetstream.ShardsMax)):
		return fmt.Errorf("want 1 to 5000 matches on 1 to %d streams", jetstream.ShardsMax)
	case c.Bytes < 1 || c.Bytes > 65536 || c.Rate < 1 || c.Rate > 100 || c.Seconds < 1 || c.Seconds > 600 || c.Kill < 0 || c.Kill > 5000:
		return errors.New("want 1 to 65536 bytes, 1 to 100 records a second, 1 to 600 seconds, and 0 to 5000 matches for the kill")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(c.Dir, "fkl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	r, err := bench.Log(in.Ctx, bench.LogConfig{
		Dir: dir, Matches: c.Matches, Streams: c.Streams, Bytes: c.Bytes, Rate: c.Rate, Seconds: c.Seconds, Kill: c.Kill, DatabaseURL: c.DatabaseURL,
		Server: func(folder, store string) *exec.Cmd {
			return exec.CommandContext(in.Ctx, self, "bench", "log-server", folder, store)
		},
		Progress: func(format string, args ...any) { progress(in, fmt.Sprintf(format, args...)) },
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	return r.Text(in.Stdout)
}

// benchLogServerCmd is one log server that is measured.
type benchLogServerCmd struct {
	Folder string `arg:"" help:"Its folder of the cluster."`
	Store  string `arg:"" help:"Where it keeps its store."`
}

func (c *benchLogServerCmd) Run(in *invocation) error {
	f, err := natsnode.Read(c.Folder)
	if err != nil {
		return err
	}
	n, err := natsnode.Start(in.Ctx, natsnode.Config{Folder: f, StoreDir: c.Store, Logger: slog.New(slog.NewTextHandler(in.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}
	<-in.Ctx.Done()
	n.Close()
	return nil
}

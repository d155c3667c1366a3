package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/fogkeep/fogkeep/internal/bench"
	"github.com/fogkeep/fogkeep/internal/clustertest"
)

// benchClusterCmd kills nodes of a cluster under its players.
type benchClusterCmd struct {
	DatabaseURL string        `env:"FOGKEEP_DATABASE_URL" help:"postgres://… of an empty database: it is filled with accounts and matches."`
	Nodes       int           `default:"3" help:"Nodes."`
	Logs        int           `default:"3" help:"Log servers apart from the nodes; 0: each node runs one."`
	Matches     int           `default:"12" help:"Matches."`
	Players     int           `default:"2" help:"Players a match, each a client that orders all the time."`
	Kills       int           `default:"4" help:"How often the node with the most matches is killed."`
	Moves       int           `default:"12" help:"How many matches are moved to another node."`
	Quiet       time.Duration `default:"15s" help:"Play without a fault, on a single server and on the cluster, to measure answers to orders."`
	Seed        uint64        `default:"0" help:"Seed of what is random; 0: a new one."`
	JSON        bool          `name:"json" help:"Write one JSON object."`
}

// Run measures and prints.
func (c *benchClusterCmd) Run(in *invocation) error {
	if c.DatabaseURL == "" {
		return errors.New("bench cluster: name an empty PostgreSQL database with --database-url")
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fogkeep-cluster-")
	if err != nil {
		return err
	}
	if c.Seed == 0 {
		c.Seed = uint64(time.Now().UnixNano())
	}
	progress(in, "seed %d, output of the processes in %s", c.Seed, dir)
	r, err := bench.Cluster(in.Ctx, bench.ClusterConfig{
		Program: clustertest.Program{Path: path}, Dir: dir, Database: c.DatabaseURL, Nodes: c.Nodes, Logs: c.Logs, Matches: c.Matches,
		Players: c.Players, Kills: c.Kills, Moves: c.Moves, Quiet: c.Quiet, Seed: c.Seed,
		Progress: func(format string, args ...any) { progress(in, format, args...) },
	})
	if err != nil {
		return fmt.Errorf("%w\nwhat the processes said is in %s", err, dir)
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if c.JSON {
		return json.NewEncoder(in.Stdout).Encode(r)
	}
	_, err = fmt.Fprintf(in.Stdout, "%d nodes, %s, %d matches of %d players\n"+
		"kill -9 of a host  first new frame after %.2f s p50, %.2f s p99, %.2f s at most (%d kills); clients of other hosts waited %.2f s p99\n"+
		"takeover           %.2f core seconds a match\n"+
		"move               %.0f ms p50, %.0f ms p99 without a frame (%d moves)\n"+
		"orders             %d answered, %d lost, %d done twice; %d frames are as the journals say\n"+
		"answers            %.1f ms p50, %.1f ms p99; on a single server %.1f and %.1f ms\n"+
		"journal            %.1f ms p99 an append\n",
		r.Nodes, logsText(r.Logs), r.Matches, r.Players, r.ResumeP50S, r.ResumeP99S, r.ResumeMaxS, r.Kills, r.FrozenP99S, r.TakeoverCoreS,
		r.MovesPauseP50, r.MovesPauseP99, r.Moves, r.Orders, r.LostOrders, r.DoubleOrders, r.FramesCompared,
		r.OrderRTTP50Ms, r.OrderRTTP99Ms, r.SingleOrderRTTP50Ms, r.SingleOrderRTTP99Ms, r.AppendP99Ms)
	return err
}

func logsText(apart int) string {
	if apart == 0 {
		return "each with a log server"
	}
	return fmt.Sprintf("%d log servers", apart)
}

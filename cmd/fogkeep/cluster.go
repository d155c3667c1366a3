package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/internal/telemetry"
)

// clusterCmd makes and operates a cluster. Commands about what runs ask
// a node's admin listener, as one of its admins (running).
type clusterCmd struct {
	Init    clusterInitCmd    `cmd:"" help:"Make a cluster: a folder with certificates and keys for each of its machines."`
	Update  clusterUpdateCmd  `cmd:"" help:"Add machines to a cluster, and renew all certificates."`
	Log     clusterLogCmd     `cmd:"" help:"Run a journal server apart from the nodes."`
	Status  clusterStatusCmd  `cmd:"" help:"Show the nodes, their load, matches without a node, and the journal store."`
	Drain   clusterDrainCmd   `cmd:"" help:"Have a node move its matches to others and take no new ones."`
	Move    clusterMoveCmd    `cmd:"" help:"Move a live match to another node."`
	Journal clusterJournalCmd `cmd:"" help:"Copy a match's journal out of the cluster, for fogkeep replay."`
}

// members are the machines of a cluster, as the command line names them.
type members struct {
	Node []string `placeholder:"NAME[=HOST:PORT]" help:"A node; with an address it runs a journal server there: other machines connect to PORT and the port after it. May be given more than once."`
	Log  []string `name:"log" placeholder:"NAME=HOST:PORT" help:"A journal server apart from the nodes. May be given more than once."`

	StoreMiB int `name:"log-store-mib" placeholder:"8192" help:"Largest size of a journal server's data on disk, in MiB. The folders keep this number."`
}

// plan reads the machines. Journal servers are one, or three and more.
func (m *members) plan() (p natsnode.Plan, err error) {
	p.StoreMiB = m.StoreMiB
	for _, text := range m.Node {
		name, _, serves := strings.Cut(text, "=")
		p.Nodes = append(p.Nodes, name)
		if !serves {
			continue
		}
		s, err := natsnode.ParseServer(text)
		if err != nil {
			return p, fmt.Errorf("--node %s: %w", text, err)
		}
		p.Servers = append(p.Servers, s)
	}
	for _, text := range m.Log {
		s, err := natsnode.ParseServer(text)
		if err != nil {
			return p, fmt.Errorf("--log %s: %w", text, err)
		}
		p.Servers = append(p.Servers, s)
	}
	return p, nil
}

type clusterInitCmd struct {
	Out string `arg:"" help:"The folder to make. It holds the key that makes further members: keep it off the machines."`
	members
}

func (c *clusterInitCmd) Run(in *invocation) error {
	p, err := c.plan()
	if err != nil {
		return err
	}
	if err := natsnode.Init(c.Out, p); err != nil {
		return err
	}
	return c.tell(in, c.Out, p)
}

// tell says what each machine needs.
func (m *members) tell(in *invocation, out string, p natsnode.Plan) error {
	for _, name := range p.Nodes {
		if _, err := fmt.Fprintf(in.Stdout, "%s: fogkeep serve --cluster %s\n", name, filepath.Join(out, name)); err != nil {
			return err
		}
	}
	for _, text := range m.Log {
		name, _, _ := strings.Cut(text, "=")
		if _, err := fmt.Fprintf(in.Stdout, "%s: fogkeep cluster log %s\n", name, filepath.Join(out, name)); err != nil {
			return err
		}
	}
	return nil
}

type clusterUpdateCmd struct {
	Out string `arg:"" help:"The folder that cluster init made."`
	members
}

func (c *clusterUpdateCmd) Run(in *invocation) error {
	p, err := c.plan()
	if err != nil {
		return err
	}
	if err := natsnode.Update(c.Out, p); err != nil {
		return err
	}
	if err := c.tell(in, c.Out, p); err != nil {
		return err
	}
	_, err = fmt.Fprintf(in.Stdout, "all certificates in %s are new: bring each folder to its machine and restart it, one after the other\n", c.Out)
	return err
}

type clusterLogCmd struct {
	Cluster  string `arg:"" help:"The journal server's folder, as cluster init made it."`
	DataDir  string `env:"FOGKEEP_DATA_DIR" default:"./data" help:"Folder for the journal server's data."`
	LogLevel string `env:"FOGKEEP_LOG_LEVEL" default:"info" help:"debug, info, warn or error."`
}

// Run serves until the first interrupt.
func (c *clusterLogCmd) Run(in *invocation) error {
	log, err := telemetry.NewLogger(in.Stderr, c.LogLevel)
	if err != nil {
		return err
	}
	folder, err := natsnode.Read(c.Cluster)
	if err != nil {
		return err
	}
	address, ok := folder.Server()
	if !ok {
		return fmt.Errorf("%s is the folder of a node without a journal server: start it with fogkeep serve --cluster", c.Cluster)
	}
	store := filepath.Join(c.DataDir, server.LogStoreDir)
	if err := os.MkdirAll(store, 0o700); err != nil {
		return err
	}
	n, err := natsnode.Start(in.Ctx, natsnode.Config{Folder: folder, StoreDir: store, Logger: log})
	if err != nil {
		if in.Ctx.Err() != nil {
			return nil // stopped before a majority ran
		}
		return err
	}
	fmt.Fprintf(in.Stdout, "fogkeep %s\n\n  journal server  %s at %s\n  store           %s\n\n", server.Version(), folder.Name, address.Clients, store)
	<-in.Ctx.Done()
	n.Close()
	return nil
}

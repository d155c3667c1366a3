package main

import (
	"fmt"
	"log/slog"
	"os"

	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/match/journal/jetstream"
)

type clusterJournalCmd struct {
	Match   string `arg:"" help:"The match's id. It may be live, or over and still kept."`
	Out     string `arg:"" help:"The file to write, for fogkeep replay. It must not exist."`
	Cluster string `required:"" env:"FOGKEEP_CLUSTER" placeholder:"FOLDER" help:"A node's folder from cluster init. Its owner may read every journal."`
}

// Run copies one journal out of the journal store. Nothing of the match changes.
func (c *clusterJournalCmd) Run(in *invocation) (err error) {
	folder, err := natsnode.Read(c.Cluster)
	if err != nil {
		return err
	}
	quiet := slog.New(slog.NewTextHandler(in.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	n, err := natsnode.Start(in.Ctx, natsnode.Config{Folder: folder, URLs: folder.ServerURLs(), Logger: quiet})
	if err != nil {
		return err
	}
	defer n.Close()
	store, err := jetstream.New(in.Ctx, jetstream.Config{
		Conn: n.Conn(), Owner: folder.Name, Replicas: n.Replicas(), Shards: min(len(folder.Servers), jetstream.ShardsMax),
		StoreBytes: folder.StoreBytes(), Logger: quiet,
	})
	if err != nil {
		return err
	}
	defer store.Close()
	f, err := os.OpenFile(c.Out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	err = store.Export(in.Ctx, c.Match, f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(c.Out)
		return fmt.Errorf("match %s: %w", c.Match, err)
	}
	_, err = fmt.Fprintln(in.Stdout, c.Out)
	return err
}

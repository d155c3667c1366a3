package clustertest

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/fogkeep/fogkeep/match/journal"
	store "github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// Journal reads a match's journal from the journal servers, as it is now, without taking it
// from its owner.
func (c *Cluster) Journal(ctx context.Context, match string) journal.Reader {
	return func(each func(uint64, []byte) error) error {
		store, err := c.journals(ctx)
		if err != nil {
			return err
		}
		path := filepath.Join(c.cfg.Dir, match+".journal")
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := errors.Join(store.Export(ctx, match, f), f.Close()); err != nil {
			return err
		}
		_, err = journal.ReadFile(path, each)
		return err
	}
}

// journals returns the cluster's journals.
func (c *Cluster) journals(ctx context.Context) (*store.Store, error) {
	if c.store != nil {
		return c.store, nil
	}
	tap, err := c.Watch(ctx)
	if err != nil {
		return nil, err
	}
	c.store, err = store.New(ctx, store.Config{
		Conn: tap.Conn(), Owner: watcher, Replicas: tap.Replicas(), Shards: len(c.urls), StoreBytes: 8 << 30, Logger: slog.New(slog.DiscardHandler),
	})
	return c.store, err
}

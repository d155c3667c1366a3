package clustertest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fogkeep/fogkeep/match/journal"
	store "github.com/fogkeep/fogkeep/match/journal/jetstream"
)

// journalStreams begins the names of the streams that hold journals: as many as there are
// log servers.
const journalStreams = "fogkeep_j"

// askMax is how long the log servers are waited for in one attempt.
const askMax = 3 * time.Second

// journalStream is a stream of journals as its leader describes it.
type journalStream struct {
	jetstream.Stream
	info *jetstream.StreamInfo
}

// streams returns the streams of journals; match, if not empty, leaves only the one that
// has its journal.
func (c *Cluster) streams(ctx context.Context, match string) (out []journalStream, err error) {
	tap, err := c.watch(ctx)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(tap.Conn())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askMax)
	defer cancel()
	for i := range c.urls {
		s, err := js.Stream(ctx, journalStreams+strconv.Itoa(i))
		if err != nil {
			return nil, fmt.Errorf("stream %d: %w", i, err)
		}
		subject := ">"
		if match != "" {
			subject = "fogkeep.*." + match
		}
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(subject))
		if err != nil {
			return nil, err
		}
		if match == "" || len(info.State.Subjects) > 0 {
			out = append(out, journalStream{s, info})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no stream has the journal of match %q: %w", match, fs.ErrNotExist)
	}
	return out, nil
}

// Leader returns the name of the log server that leads a match's journal.
func (c *Cluster) Leader(ctx context.Context, match string) (string, error) {
	var err error
	for ctx.Err() == nil {
		var list []journalStream
		if list, err = c.streams(ctx, match); err == nil && list[0].info.Cluster != nil && list[0].info.Cluster.Leader != "" {
			return list[0].info.Cluster.Leader, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return "", errors.Join(err, ctx.Err())
}

// updateTries bounds how often a stream's settings are sent, and updateWait how long one
// answer is waited for. A log server that just lost or won an election drops such a
// request, and nobody answers it.
const (
	updateTries = 10
	updateWait  = 3 * time.Second
)

// update gives a stream other settings.
func update(ctx context.Context, js jetstream.JetStream, cfg jetstream.StreamConfig) (err error) {
	for range updateTries {
		try, cancel := context.WithTimeout(ctx, updateWait)
		_, err = js.UpdateStream(try, cfg)
		cancel()
		if err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}

// Fill makes the journals' streams full, or gives them their room back.
func (c *Cluster) Fill(ctx context.Context, full bool) error {
	list, err := c.streams(ctx, "")
	if err != nil {
		return err
	}
	tap, err := c.watch(ctx)
	if err != nil {
		return err
	}
	js, err := jetstream.New(tap.Conn())
	if err != nil {
		return err
	}
	for _, s := range list {
		cfg := s.info.Config
		if c.room == nil {
			c.room = map[string]int64{}
		}
		if _, known := c.room[cfg.Name]; !known {
			c.room[cfg.Name] = cfg.MaxBytes
		}
		if cfg.MaxBytes = c.room[cfg.Name]; full {
			cfg.MaxBytes = max(1, int64(s.info.State.Bytes))
		}
		if err := update(ctx, js, cfg); err != nil {
			return fmt.Errorf("stream %s with room for %d bytes: %w", cfg.Name, cfg.MaxBytes, err)
		}
	}
	return nil
}

// Current waits until every log server has all of every journal.
func (c *Cluster) Current(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, goneOn)
	defer cancel()
	var last error
	for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
		list, err := c.streams(ctx, "")
		if err != nil {
			last = err
			continue
		}
		last = nil
		for _, s := range list {
			if s.info.Cluster == nil {
				continue
			}
			for _, peer := range s.info.Cluster.Replicas {
				if !peer.Current || peer.Offline {
					last = fmt.Errorf("stream %s: %s lags by %d", s.info.Config.Name, peer.Name, peer.Lag)
				}
			}
		}
		if last == nil {
			return nil
		}
	}
	return fmt.Errorf("the log servers do not come together: %w", last)
}

// Journal reads a match's journal from the log servers, as it is now, without taking it
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
	tap, err := c.watch(ctx)
	if err != nil {
		return nil, err
	}
	c.store, err = store.New(ctx, store.Config{
		Conn: tap.Conn(), Owner: watcher, Replicas: tap.Replicas(), Shards: len(c.urls), StoreBytes: 8 << 30, Logger: slog.New(slog.DiscardHandler),
	})
	return c.store, err
}

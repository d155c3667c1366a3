package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// The directory is a NATS bucket: which node runs which match. A copy is in the memory of each
// node (core.entries). It is never the truth: the journal of each match is.
const (
	bucket       = "fogkeep_owners"
	matchKey     = "m."
	lifeKey      = "life" // its revisions are the incarnations
	markerTime   = time.Hour
	writesAtOnce = 16
)

// directory reads and writes the bucket.
type directory struct {
	c *Cluster

	mu      sync.Mutex
	kv      jetstream.KeyValue
	created time.Time       // of the bucket: tells it from a later bucket; compared with itself only
	fresh   bool            // the bucket was lost, and made anew
	pending map[string]bool // writes to do: true: an entry, false: its removal
	revs    map[string]uint64
	changed chan struct{}
	reread  chan struct{} // read the bucket anew
}

func (d *directory) init(c *Cluster) {
	d.c, d.pending, d.revs = c, map[string]bool{}, map[string]uint64{}
	d.changed, d.reread = make(chan struct{}, 1), make(chan struct{}, 1)
}

// open opens or makes the bucket and takes an incarnation.
func (d *directory) open(ctx context.Context) (incarnation uint64, err error) {
	if err := d.bucket(ctx); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.c.cfg.times.answer)
	defer cancel()
	incarnation, err = d.kv.Put(ctx, lifeKey, []byte(d.c.cfg.Name))
	if err != nil {
		return 0, fmt.Errorf("cluster: directory: %w", err)
	}
	return incarnation, nil
}

func (d *directory) bucket(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.c.cfg.times.answer)
	defer cancel()
	kv, err := d.c.js.KeyValue(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = d.c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: bucket, Description: "which node of fogkeep runs which match; the matches' logs decide", History: 1,
			MaxValueSize: maxEntryBytes, MaxBytes: 256 << 20, Replicas: d.c.cfg.Replicas, Storage: jetstream.FileStorage, LimitMarkerTTL: markerTime,
		})
		if errors.Is(err, jetstream.ErrBucketExists) {
			kv, err = d.c.js.KeyValue(ctx, bucket)
		}
	}
	if err != nil {
		return fmt.Errorf("cluster: directory: %w", err)
	}
	info, err := d.c.js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return fmt.Errorf("cluster: directory: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	created := info.CachedInfo().Created
	d.fresh = d.fresh || !d.created.IsZero() && !d.created.Equal(created)
	d.kv, d.created = kv, created
	return nil
}

// read reads the whole bucket once.
func (d *directory) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.c.cfg.times.answer)
	defer cancel()
	if err := d.watch(ctx, true); err != nil {
		return fmt.Errorf("cluster: directory: %w", err)
	}
	return nil
}

func (d *directory) store() jetstream.KeyValue {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.kv
}

// take takes in the bucket's entry of a key.
func (d *directory) take(e jetstream.KeyValueEntry) {
	match, ok := strings.CutPrefix(e.Key(), matchKey)
	if !ok || !matchNames.MatchString(match) {
		return
	}
	var of *entry
	if e.Operation() == jetstream.KeyValuePut {
		read, err := readEntry(e.Value())
		if err != nil {
			d.c.metrics.bad.Inc()
			d.c.log.Warn("an entry of the directory was dropped", "match", match, "error", err)
			return
		}
		of = &read
	}
	d.mu.Lock()
	if of == nil {
		delete(d.revs, match)
	} else if len(d.revs) < MaxDirectory {
		d.revs[match] = e.Revision()
	}
	d.mu.Unlock()
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	if d.c.core != nil {
		d.c.core.learn(d.c.now(), match, of)
	}
}

// watchLoop keeps the copy fresh.
func (d *directory) watchLoop(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := d.watch(ctx, false); err != nil && ctx.Err() == nil {
			d.c.log.Warn("the node reads the directory again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(d.c.cfg.times.heartbeat):
			}
		}
	}
	return ctx.Err()
}

// watch follows the bucket until something is wrong with it, or once to its present end.
func (d *directory) watch(ctx context.Context, once bool) error {
	w, err := d.store().Watch(ctx, matchKey+">")
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }()
	seen := map[string]bool{} // nil once the bucket was read to its end
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.reread:
			return errors.New("the bucket was created again")
		case e, ok := <-w.Updates():
			switch {
			case !ok:
				return errors.New("the journal store stopped sending it")
			case e == nil && once:
				return nil
			case e == nil:
				d.prune(seen)
				seen = nil
				continue
			case seen != nil:
				seen[strings.TrimPrefix(e.Key(), matchKey)] = e.Operation() == jetstream.KeyValuePut
			}
			d.take(e)
		}
	}
}

// prune forgets matches that the bucket does not have any more. It keeps all matches if the bucket is a new one: living
// owners write their matches again. It keeps the matches of dead nodes: a node that tries to take them finds which are
// over.
func (d *directory) prune(seen map[string]bool) {
	d.mu.Lock()
	fresh := d.fresh
	d.fresh = false
	d.mu.Unlock()
	d.c.mu.Lock()
	defer d.c.mu.Unlock()
	for match, e := range d.c.core.entries {
		if !fresh && !seen[match] && !d.c.core.running[match] && d.c.core.members.lives(e.owner()) {
			d.c.core.learn(d.c.now(), match, nil)
		}
	}
}

// write queues the writing of this node's entries for matches, and the removal of others. It does not wait.
func (d *directory) write(put, drop []string) {
	if len(put) == 0 && len(drop) == 0 {
		return
	}
	d.mu.Lock()
	for _, m := range put {
		if len(d.pending) < 2*MaxMatchesOfNode {
			d.pending[m] = true
		}
	}
	for _, m := range drop {
		if len(d.pending) < 2*MaxMatchesOfNode {
			d.pending[m] = false
		}
	}
	d.mu.Unlock()
	poke(d.changed)
}

// writeLoop does the queued writes, and repeats failed ones.
func (d *directory) writeLoop(ctx context.Context) error {
	retry := time.NewTicker(2 * d.c.cfg.times.heartbeat)
	defer retry.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-d.changed:
		case <-retry.C:
		}
		d.mu.Lock()
		todo := d.pending
		d.pending = map[string]bool{}
		d.mu.Unlock()
		var all sync.WaitGroup
		free := make(chan struct{}, writesAtOnce)
		for match, put := range todo {
			free <- struct{}{}
			all.Go(func() {
				defer panics.Catch(d.c.log, "cluster write", nil)
				defer func() { <-free }()
				if err := d.put(ctx, match, put); err != nil && ctx.Err() == nil {
					d.c.log.Warn("the directory was not written; it is tried again", "match", match, "error", err)
					d.mu.Lock()
					if _, newer := d.pending[match]; !newer {
						d.pending[match] = put
					}
					d.mu.Unlock()
				}
			})
		}
		all.Wait()
	}
}

// put writes one entry of this node, or deletes it.
func (d *directory) put(ctx context.Context, match string, put bool) error {
	ctx, cancel := context.WithTimeout(ctx, d.c.cfg.times.answer)
	defer cancel()
	d.mu.Lock()
	rev, known := d.revs[match]
	d.mu.Unlock()
	switch {
	case put:
		self := d.c.self()
		data, err := json.Marshal(entry{Node: self.name, Incarnation: self.incarnation, Sim: d.c.cfg.Sim})
		if err == nil {
			rev, err = d.store().Put(ctx, matchKey+match, data)
		}
		if err != nil {
			return err
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.revs[match] < rev && len(d.revs) < MaxDirectory {
			d.revs[match] = rev
		}
	case known:
		err := d.store().Purge(ctx, matchKey+match, jetstream.LastRevision(rev), jetstream.PurgeTTL(markerTime))
		if !errors.Is(err, jetstream.ErrKeyRevisionMismatch) { // another process has written it meanwhile: it stays
			return err
		}
	}
	return nil
}

// probeLoop asks the journal store whether it answers, and whether the bucket is still the same.
func (c *Cluster) probeLoop(ctx context.Context) error {
	t := time.NewTicker(c.cfg.times.alone / 5)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		err := c.dir.probe(ctx)
		c.mu.Lock()
		now := c.now()
		if err == nil {
			c.answered = now
		}
		alone := now-c.answered >= c.cfg.times.alone
		changed := alone != c.saidAlone
		c.saidAlone = alone
		running := keys(c.core.running)
		c.mu.Unlock()
		c.metrics.isAlone.Set(number(alone))
		switch {
		case changed && alone:
			c.log.Error("this node is alone: the journal store does not answer it. Its matches stand still until it does", "error", err)
		case changed:
			c.log.Info("the journal store answers this node again")
		}
		if errors.Is(err, errNewBucket) {
			c.log.Warn("the directory was lost; this node writes its matches again", "matches", len(running))
			poke(c.dir.reread)
			c.dir.write(running, nil)
		}
	}
}

var errNewBucket = errors.New("cluster: the directory is a new one")

// probe asks the journal store for the bucket.
func (d *directory) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, d.c.cfg.times.answer)
	defer cancel()
	info, err := d.c.js.Stream(ctx, "KV_"+bucket)
	if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	d.mu.Lock()
	same := err == nil && d.created.Equal(info.CachedInfo().Created)
	d.mu.Unlock()
	if same {
		return nil
	}
	if err := d.bucket(ctx); err != nil {
		return err
	}
	return errNewBucket
}

func keys[V any](m map[string]V) []string {
	return slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
}

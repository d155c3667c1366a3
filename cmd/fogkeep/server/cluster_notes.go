package server

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/notes"
)

// clusterNotes reads all nodes' notes of a match: each has the ticks that it ran. A node
// that is gone takes its part with it until it comes back; notes read before stay for a
// while.
type clusterNotes struct {
	dir   *notes.Dir
	nodes func() []string // the others that live
	chunk func(ctx context.Context, node, match string, from int64) ([]byte, error)
	now   func() time.Time
	log   *slog.Logger

	mu    sync.Mutex
	cache map[string]*keptNotes // by match
}

// keptNotes has the fetched notes of one match on other nodes.
type keptNotes struct {
	mu    sync.Mutex
	files map[string]*keptFile // by node
	bytes int

	used time.Time // clusterNotes.mu
}

// keptFile has the fetched part of another node's notes.
type keptFile struct {
	raw  []byte
	none time.Time // when the node had no notes
}

// Bounds of the fetched and kept notes.
const (
	notesNone    = 10 * time.Second // until a node without notes is asked again
	notesWait    = 2 * time.Second  // for all nodes together; the next look goes on from there
	notesAbreast = 8                // nodes that are asked at once
	notesMatches = 8                // whose notes are kept
	notesBytes   = 2 * notes.BytesMax
)

// newClusterNotes registers this node's answers.
func newClusterNotes(dir *notes.Dir, p *peers, log *slog.Logger) *clusterNotes {
	answer(p, "notes", func(_ context.Context, match string, from int64) ([]byte, error) { return dir.Chunk(match, from) })
	return &clusterNotes{
		dir: dir, log: log, now: time.Now, cache: map[string]*keptNotes{},
		nodes: func() (names []string) {
			for _, n := range p.nodes() {
				if n.State == cluster.Alive && n.Name != p.self {
					names = append(names, n.Name)
				}
			}
			return names
		},
		chunk: func(ctx context.Context, node, match string, from int64) (b []byte, err error) {
			err = p.call(ctx, node, "notes", match, from, &b)
			return b, err
		},
	}
}

// Read returns the notes of a match as far as nodes that live have them, nil without
// notes. A node that does not answer is left out.
func (x *clusterNotes) Read(match string) (*notes.Notes, error) {
	own, err := x.dir.Read(match)
	if err != nil {
		return nil, err
	}
	var parts []*notes.Notes
	if own != nil {
		parts = append(parts, own)
	}
	k := x.of(match)
	k.mu.Lock()
	defer k.mu.Unlock()
	x.fetch(match, k)
	for _, name := range slices.Sorted(maps.Keys(k.files)) {
		if raw := k.files[name].raw; len(raw) > 0 {
			parts = append(parts, notes.Parse(raw))
		}
	}
	switch len(parts) {
	case 0:
		return nil, nil
	case 1:
		return parts[0], nil
	}
	return notes.Join(parts...), nil
}

// of returns the kept notes of a match. The match unread for longest makes room.
func (x *clusterNotes) of(match string) *keptNotes {
	x.mu.Lock()
	defer x.mu.Unlock()
	k := x.cache[match]
	if k == nil {
		if len(x.cache) >= notesMatches {
			delete(x.cache, slices.MinFunc(slices.Collect(maps.Keys(x.cache)), func(a, b string) int { return x.cache[a].used.Compare(x.cache[b].used) }))
		}
		k = &keptNotes{files: map[string]*keptFile{}}
		x.cache[match] = k
	}
	k.used = x.now()
	return k
}

// fetch asks the other nodes for new notes. k.mu is held.
func (x *clusterNotes) fetch(match string, k *keptNotes) {
	ctx, cancel := context.WithTimeout(context.Background(), notesWait)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex // of k.bytes
	free := make(chan struct{}, notesAbreast)
	for _, name := range x.nodes() {
		f := k.files[name]
		if f == nil {
			f = &keptFile{}
			k.files[name] = f
		}
		if x.now().Sub(f.none) < notesNone {
			continue
		}
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			defer panics.Catch(x.log, "notes of another node", nil)
			for {
				b, err := x.chunk(ctx, name, match, int64(len(f.raw)))
				if err != nil {
					x.log.Debug("the notes of another node", "node", name, "match", match, "error", err)
					return
				}
				mu.Lock()
				full := k.bytes+len(b) > notesBytes
				if !full {
					k.bytes += len(b)
				}
				mu.Unlock()
				if len(b) == 0 || full {
					if len(f.raw) == 0 {
						f.none = x.now()
					}
					return
				}
				f.raw = append(f.raw, b...)
			}
		})
	}
	all.Wait()
}

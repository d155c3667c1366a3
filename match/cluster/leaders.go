package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// leaderLoop keeps the leaders of the journal store's streams away from the matches in them. The node beside
// a leader asks it to hand over, and no other does.
func (c *Cluster) leaderLoop(ctx context.Context) error {
	if c.cfg.Streams == nil || c.cfg.LogServer == "" {
		<-ctx.Done()
		return ctx.Err()
	}
	t := time.NewTicker(c.cfg.times.leaders)
	defer t.Stop()
	moved := map[string]time.Duration{}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		}
		streams, err := c.streams(ctx)
		if err != nil {
			continue // a leader is being elected, or probeLoop says that the journal store does not answer
		}
		for _, step := range placement.Leaders(streams) {
			last, before := moved[step.Stream]
			if step.From != c.cfg.LogServer || before && c.now()-last < 3*c.cfg.times.leaders {
				continue
			}
			moved[step.Stream] = c.now()
			if err := c.stepDown(ctx, step); err != nil {
				c.log.Warn("a leader of the journal store did not hand over", "stream", step.Stream, "to", step.To, "error", err)
				continue
			}
			c.metrics.stepdowns.Inc()
			c.log.Info("a leader of the journal store handed over", "stream", step.Stream, "from", step.From, "to", step.To)
		}
	}
}

// streams returns the journal store's streams with matches, their leaders, and how many of their matches each node runs. A stream
// that does not answer is returned without a leader, and named in the error.
func (c *Cluster) streams(ctx context.Context) ([]placement.Stream, error) {
	byName, err := c.matchesOfStreams()
	if err != nil {
		return nil, err
	}
	names := keys(byName)
	slices.Sort(names)
	out, errs := make([]placement.Stream, len(names)), make([]error, len(names))
	var questions sync.WaitGroup
	for i, name := range names {
		questions.Go(func() {
			defer panics.Catch(c.log, "streams", func() { errs[i] = fmt.Errorf("cluster: stream %s: internal error", name) })
			one, cancel := context.WithTimeout(ctx, c.cfg.times.answer)
			defer cancel()
			s, err := c.js.Stream(one, name)
			if err != nil {
				out[i], errs[i] = placement.Stream{Name: name, Matches: byName[name]}, fmt.Errorf("cluster: stream %s: %w", name, err)
				return
			}
			out[i] = streamOf(s.CachedInfo(), byName[name])
		})
	}
	questions.Wait()
	return out, errors.Join(errs...)
}

// matchesOfStreams returns, by stream, how many matches run beside each journal server.
func (c *Cluster) matchesOfStreams() (map[string]map[string]int, error) {
	byName := map[string]map[string]int{}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return nil, ErrNotJoined
	}
	for _, m := range c.core.members.byName {
		if m.State != Alive {
			continue
		}
		of := m.Streams
		if m.Name == c.cfg.Name {
			of = c.core.streams
		}
		for stream, n := range of {
			if byName[stream] == nil && len(byName) < maxStreams {
				byName[stream] = map[string]int{}
			}
			if byName[stream] != nil && m.LogServer != "" {
				byName[stream][m.LogServer] += n
			}
		}
	}
	return byName, nil
}

func streamOf(info *jetstream.StreamInfo, matches map[string]int) placement.Stream {
	s := placement.Stream{Name: info.Config.Name, Matches: matches}
	if info.Cluster == nil {
		return s
	}
	if s.Leader = info.Cluster.Leader; s.Leader != "" {
		s.Servers, s.Peers = append(s.Servers, s.Leader), append(s.Peers, s.Leader)
	}
	for _, r := range info.Cluster.Replicas {
		s.Peers = append(s.Peers, r.Name)
		if r.Current && !r.Offline {
			s.Servers = append(s.Servers, r.Name)
		}
	}
	return s
}

// stepDown asks the leader of a stream to hand over to another server.
func (c *Cluster) stepDown(ctx context.Context, s placement.Step) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.times.answer)
	defer cancel()
	type place struct {
		Preferred string `json:"preferred"`
	}
	body, err := json.Marshal(struct {
		Placement place `json:"placement"`
	}{place{s.To}})
	if err != nil {
		return err
	}
	answer, err := c.cfg.Conn.RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+s.Stream, body)
	if err != nil {
		return err
	}
	var reply struct {
		Success bool `json:"success"`
		Error   *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &reply); err != nil {
		return err
	}
	if reply.Error != nil {
		return errors.New(reply.Error.Description)
	}
	if !reply.Success {
		return errors.New("it did not say why")
	}
	return nil
}

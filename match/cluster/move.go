package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

// Methods that nodes answer.
const (
	methodMove    = "move"    // moveCall: hand a match over
	methodExpect  = "expect"  // takeCall: a match will be handed over
	methodTake    = "take"    // takeCall: take a match that was handed over
	methodDrain   = "drain"   // drainCall
	methodRunning = "running" // runningCall: the given matches that run here
	methodOrphans = "orphans" // runningCall: these matches run nowhere
)

type moveCall struct {
	Match string `json:"match"`
	To    string `json:"to"` // a node; "": placement chooses
}

type takeCall struct {
	Match string `json:"match"`
}

type drainCall struct {
	Drain bool `json:"drain"`
}

type runningCall struct {
	Matches []string `json:"matches"`
}

// Codes of moves.
const (
	CodeNotHere  = "not_here"    // the match does not run on that node
	CodeDraining = "draining"    // the target is emptied itself
	CodeOther    = "other_build" // the target does not simulate as the match does
	CodeFull     = "full"        // the target has no room, or no node has
	CodeUnderWay = "under_way"   // the match is moved already
	CodeReturned = "came_back"   // the target did not take it; the match goes on where it was, or elsewhere
	movesAtOnce  = 4
	mostAsked    = 1000 // matches that one call names
)

// Move moves a match to a node, which may be "": placement chooses. The match stands still for
// less than a second. When it returns, the match runs there; with [CodeReturned] it runs
// elsewhere, because the target did not take it.
func (c *Cluster) Move(ctx context.Context, match, to string) error {
	if !matchNames.MatchString(match) {
		return &CallError{CodeNotHere, strconv.Quote(match) + " is no match"}
	}
	if to != "" && !ValidName(to) {
		return &CallError{CodeNoNode, "no node " + strconv.Quote(to)}
	}
	from, ok := c.Where(match)
	if !ok {
		return &CallError{CodeNotHere, "no living node is known to run the match " + match}
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
	}
	return c.call(ctx, from.Name, methodMove, moveCall{match, to}, nil)
}

// Drain has a node move all its matches to others and take no new ones. It returns as soon as the
// node has begun; [Cluster.Status] shows how many are left.
func (c *Cluster) Drain(ctx context.Context, node string) error {
	return c.call(ctx, node, methodDrain, drainCall{true}, nil)
}

// Undrain lets a node take matches again.
func (c *Cluster) Undrain(ctx context.Context, node string) error {
	return c.call(ctx, node, methodDrain, drainCall{false}, nil)
}

// Empty drains this node and waits until no match runs here, or no other node can take the rest, or the context ends. A
// server that stops calls it.
func (c *Cluster) Empty(ctx context.Context) error {
	c.setDraining(true)
	for {
		left := c.cfg.Host.Running()
		if len(left) == 0 {
			return nil
		}
		c.mu.Lock()
		can := false
		if c.core != nil {
			for _, p := range c.targets(left) {
				can = can || len(p.Nodes) > 0
			}
		}
		c.mu.Unlock()
		if !can {
			return fmt.Errorf("cluster: no other node takes the %d matches of this one", len(left))
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("cluster: %d matches are left on this node: %w", len(left), ctx.Err())
		case <-time.After(c.cfg.times.beat):
		}
	}
}

func (c *Cluster) setDraining(on bool) {
	c.mu.Lock()
	if c.core != nil {
		c.core.self.Draining = on
		c.core.members.byName[c.cfg.Name].Draining = on
	}
	c.mu.Unlock()
	c.wake()
	poke(c.drained)
}

// targets returns the nodes that may take matches of this node. The caller holds c.mu.
func (c *Cluster) targets(matches []string) []placement.Plan {
	of := make([]placement.Match, len(matches))
	for i, m := range matches {
		of[i] = placement.Match{ID: m, Sim: c.cfg.Sim}
	}
	return placement.Drain(placed(c.core.members.living()), c.cfg.Name, of)
}

// handleOwn registers the handlers of the nodes' calls.
func (c *Cluster) handleOwn() {
	c.handle(methodMove, func(ctx context.Context, in []byte) (any, error) {
		var call moveCall
		if err := decode(in, &call); err != nil {
			return nil, err
		}
		if !matchNames.MatchString(call.Match) || call.To != "" && !ValidName(call.To) {
			return nil, &CallError{CodeBad, "no such match or node"}
		}
		return nil, c.handOver(ctx, call.Match, call.To)
	})
	c.handle(methodTake, func(ctx context.Context, in []byte) (any, error) {
		var call takeCall
		if err := decode(in, &call); err != nil {
			return nil, err
		}
		if !matchNames.MatchString(call.Match) {
			return nil, &CallError{CodeBad, "no such match"}
		}
		return nil, c.accept(ctx, call.Match)
	})
	c.handle(methodExpect, func(_ context.Context, in []byte) (any, error) {
		var call takeCall
		if err := decode(in, &call); err != nil {
			return nil, err
		}
		if !matchNames.MatchString(call.Match) {
			return nil, &CallError{CodeBad, "no such match"}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.core == nil {
			return nil, ErrNotJoined
		}
		return nil, c.core.expect(c.now(), call.Match)
	})
	c.handle(methodDrain, func(_ context.Context, in []byte) (any, error) {
		var call drainCall
		if err := decode(in, &call); err != nil {
			return nil, err
		}
		c.setDraining(call.Drain)
		return nil, nil
	})
	c.handle(methodRunning, func(_ context.Context, in []byte) (any, error) {
		var call runningCall
		if err := decode(in, &call); err != nil {
			return nil, err
		}
		running := c.cfg.Host.Running()
		here := runningCall{Matches: []string{}}
		for _, m := range call.Matches {
			if slices.Contains(running, m) || c.has(m) {
				here.Matches = append(here.Matches, m)
			}
		}
		return here, nil
	})
	c.handle(methodOrphans, func(_ context.Context, in []byte) (any, error) {
		var call runningCall
		if err := decode(in, &call); err != nil {
			return nil, err
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.core != nil {
			c.core.scanned(c.now(), call.Matches[:min(len(call.Matches), mostAsked)])
		}
		return nil, nil
	})
}

// has reports whether this node moves a match or takes it over at the moment.
func (c *Cluster) has(match string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.core == nil {
		return false
	}
	_, leaving := c.core.moving[match]
	o := c.core.orphans[match]
	return leaving || o != nil && o.busy
}

// accept takes a match that another node handed over to this one.
func (c *Cluster) accept(ctx context.Context, match string) error {
	c.mu.Lock()
	if c.core == nil {
		c.mu.Unlock()
		return ErrNotJoined
	}
	c.core.moved(c.now(), match)
	ok := c.core.begun(match)
	c.mu.Unlock()
	if !ok {
		return &CallError{CodeUnderWay, "this node takes the match " + match + " already, or runs it"}
	}
	c.send(false)
	switch c.takeOver(ctx, match) {
	case took, wasOver:
		c.wake()
		return nil
	case cannotPlay:
		return &CallError{CodeOther, "this node does not simulate as the match does"}
	}
	return &CallError{CodeFailed, "the match could not be taken; the node's log says why"}
}

// handOver moves a match of this node to another.
func (c *Cluster) handOver(ctx context.Context, match, to string) (err error) {
	chosen := to != ""
	c.mu.Lock()
	order, err := c.choose(match, to)
	if err == nil {
		c.core.moving[match] = c.core.owner()
	}
	c.mu.Unlock()
	if err != nil {
		return err
	}
	result := CodeFailed
	defer func() {
		c.mu.Lock()
		delete(c.core.moving, match)
		c.mu.Unlock()
		c.metrics.moves.WithLabelValues(result).Inc()
		c.wake()
	}()
	// The target is told first: players come to it as soon as the match is handed over.
	for {
		asked, cancel := context.WithTimeout(ctx, c.cfg.times.suspect)
		err := c.call(asked, order[0], methodExpect, takeCall{match}, nil)
		cancel()
		if err == nil {
			break
		}
		if order = order[1:]; chosen || len(order) == 0 {
			return err
		}
	}
	c.mu.Lock()
	if m := c.core.members.byName[order[0]]; m != nil {
		c.core.moving[match] = m.owner()
	}
	c.mu.Unlock()
	began := time.Now()
	if err := c.cfg.Host.HandOver(ctx, match); err != nil {
		return &CallError{CodeNotHere, "the match was not handed over: " + err.Error()}
	}
	c.mu.Lock()
	delete(c.core.running, match)
	c.mu.Unlock()
	// From here on the match has no owner, and a node must take it: the context of the caller does not count any more.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*c.cfg.times.take)
	defer cancel()
	var why error
	for i, node := range append(slices.Clone(order), c.cfg.Name) {
		c.mu.Lock()
		var o owner
		if m := c.core.members.byName[node]; m != nil && m.state == Alive {
			o = m.owner()
			c.core.moving[match] = o
			if node == c.cfg.Name {
				delete(c.core.moving, match)
			}
		}
		c.mu.Unlock()
		if o.name == "" {
			why = &CallError{CodeNoNode, "the node " + node + " is gone"}
			continue
		}
		err := c.give(ctx, match, o)
		if err != nil && CodeOf(err) != CodeUnderWay {
			c.log.Warn("a node did not take a match that was moved to it", "match", match, "node", node, "error", err)
			why = err
			continue
		}
		c.mu.Lock() // before the directory says it
		c.core.learn(c.now(), match, &entry{Node: o.name, Incarnation: o.incarnation, Sim: c.cfg.Sim})
		c.mu.Unlock()
		pause := time.Since(began)
		c.metrics.pause.Observe(pause.Seconds())
		c.log.Info("match moved", "match", match, "to", node, "pauseMs", pause.Milliseconds())
		if i > 0 && chosen || node == c.cfg.Name {
			result = CodeReturned
			return &CallError{CodeReturned, fmt.Sprintf("the match goes on at %s: %v", node, why)}
		}
		result = "moved"
		return nil
	}
	// No node took it: it is an orphan like a dead node's match.
	c.mu.Lock()
	delete(c.core.moving, match)
	c.core.orphaned(c.now(), match)
	c.mu.Unlock()
	return &CallError{CodeFailed, fmt.Sprintf("no node took the match, it is taken over as those of dead nodes are: %v", why)}
}

// give has a node take a match. It gives up when the node is suspected.
func (c *Cluster) give(ctx context.Context, match string, to owner) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.times.take)
	defer cancel()
	done := make(chan error, 1)
	c.calls.running.Go(func() {
		defer panics.Catch(c.log, "cluster move", nil)
		done <- c.call(ctx, to.name, methodTake, takeCall{match}, nil)
	})
	look := time.NewTicker(c.cfg.times.beat / 5)
	defer look.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-look.C:
		}
		c.mu.Lock()
		lives := c.core.members.lives(to)
		c.mu.Unlock()
		if !lives {
			return &CallError{CodeNoNode, "the node " + to.name + " died before it had the match"}
		}
	}
}

// choose returns the nodes that a match of this node may go to, the best first. The caller holds
// c.mu.
func (c *Cluster) choose(match, to string) ([]string, error) {
	if c.core == nil {
		return nil, ErrNotJoined
	}
	if _, under := c.core.moving[match]; under {
		return nil, &CallError{CodeUnderWay, "the match is moved already"}
	}
	if !c.core.running[match] && !slices.Contains(c.cfg.Host.Running(), match) {
		return nil, &CallError{CodeNotHere, "the match does not run here"}
	}
	var order []string
	for _, p := range c.targets([]string{match}) {
		order = p.Nodes
	}
	if to == "" {
		if len(order) == 0 {
			return nil, &CallError{CodeFull, "no other node takes the match"}
		}
		return order, nil
	}
	m := c.core.members.byName[to]
	switch {
	case to == c.cfg.Name:
		return nil, &CallError{CodeUnderWay, "the match runs there"}
	case m == nil || m.state != Alive:
		return nil, &CallError{CodeNoNode, "no node " + to + " lives"}
	case m.Draining:
		return nil, &CallError{CodeDraining, "the node " + to + " is emptied itself"}
	case m.Sim != c.cfg.Sim:
		return nil, &CallError{CodeOther, "the node " + to + " does not simulate as the match does"}
	case m.Load.Room(placement.TakeOverCeiling) < 1:
		return nil, &CallError{CodeFull, "the node " + to + " has no room"}
	}
	return append([]string{to}, slices.DeleteFunc(order, func(n string) bool { return n == to })...), nil
}

// drainLoop moves the matches of this node away while it drains.
func (c *Cluster) drainLoop(ctx context.Context) error {
	again := time.NewTicker(8 * c.cfg.times.beat) // for matches that no node took
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.drained:
		case <-again.C:
		}
		var plans []placement.Plan
		c.mu.Lock()
		if c.core.self.Draining {
			plans = c.targets(c.cfg.Host.Running())
		}
		c.mu.Unlock()
		var all sync.WaitGroup
		free := make(chan struct{}, movesAtOnce)
		for _, p := range plans {
			if len(p.Nodes) == 0 || ctx.Err() != nil || !c.isDraining() {
				continue
			}
			free <- struct{}{}
			all.Go(func() {
				defer panics.Catch(c.log, "cluster drain", nil)
				defer func() { <-free }()
				ctx, cancel := context.WithTimeout(ctx, 2*c.cfg.times.take)
				defer cancel()
				err := c.handOver(ctx, p.Match, p.Nodes[0])
				if code := CodeOf(err); err != nil && code != CodeNotHere && code != CodeUnderWay {
					c.log.Warn("a match was not moved; it is tried again", "match", p.Match, "error", err)
				}
			})
		}
		all.Wait()
	}
}

func (c *Cluster) isDraining() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.core.self.Draining
}

// scanLoop looks for matches that have a journal without an end and no entry in the directory:
// after the directory was lost, or a node died before it wrote one.
func (c *Cluster) scanLoop(ctx context.Context) error {
	t := c.cfg.times
	before := map[string]bool{}
	wait := t.settle
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.rescan:
		case <-time.After(wait):
		}
		living := 0
		for _, n := range c.Nodes() {
			if n.State == Alive {
				living++
			}
		}
		// Three nodes look in each interval, however many there are.
		wait = t.scan * time.Duration(max(1, (living+2)/3))
		unlisted, err := c.unlisted()
		if err != nil {
			c.log.Warn("not all journals could be listed", "error", err)
		}
		var twice []string
		now := make(map[string]bool, len(unlisted))
		for _, m := range unlisted {
			now[m] = true
			if before[m] { // once may be a match that begins at the moment
				twice = append(twice, m)
			}
		}
		before = now
		if len(unlisted) > len(twice) {
			wait = min(wait, t.settle)
		}
		for chunk := range slices.Chunk(twice, mostAsked) {
			c.adopt(ctx, chunk)
		}
	}
}

// unlisted returns the matches that have a journal without an end, and no entry. With an error it returns the matches
// that it could find.
func (c *Cluster) unlisted() ([]string, error) {
	all, err := c.cfg.Journals.List()
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, m := range all {
		if _, listed := c.core.entries[m]; !listed && !c.core.running[m] && c.core.orphans[m] == nil && matchNames.MatchString(m) && len(out) < MaxDirectory {
			out = append(out, m)
		}
	}
	return out, err
}

// adopt asks all nodes for matches without an entry, and starts the takeover of matches that no node runs. A node that
// does not answer does not stop this: it would be wrong to wait for a node that hangs, and taking a running match does
// no harm.
func (c *Cluster) adopt(ctx context.Context, matches []string) {
	asked, cancel := context.WithTimeout(ctx, c.cfg.times.suspect)
	defer cancel()
	run := map[string]bool{}
	c.broadcast(asked, methodRunning, runningCall{matches}, func(n Node, answer []byte, err error) {
		var here runningCall
		if err == nil {
			err = json.Unmarshal(answer, &here)
		}
		if err != nil {
			c.log.Warn("a node did not say what runs there", "node", n.Name, "error", err)
			return
		}
		for _, m := range here.Matches {
			run[m] = true
		}
	})
	var unowned []string
	for _, m := range matches {
		if !run[m] {
			unowned = append(unowned, m)
		}
	}
	if len(unowned) == 0 || ctx.Err() != nil {
		return
	}
	c.log.Warn("matches without a node were found in the log", "matches", len(unowned))
	told, cancel := context.WithTimeout(ctx, c.cfg.times.suspect)
	defer cancel()
	c.broadcast(told, methodOrphans, runningCall{unowned}, func(n Node, _ []byte, err error) {
		if err != nil && !errors.Is(err, context.Canceled) {
			c.log.Warn("a node was not told of matches without a node", "node", n.Name, "error", err)
		}
	})
}

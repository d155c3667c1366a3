package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/cluster/placement"
)

const movesAtOnce = 4

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
	_, err := c.ask(ctx, from.Name, Ask{Do: askMove, Match: match, To: to})
	return err
}

// Drain has a node move all its matches to others and take no new ones, or take matches again. It returns as soon as the
// node has begun; [Cluster.Status] shows how many are left.
func (c *Cluster) Drain(ctx context.Context, node string, on bool) error {
	_, err := c.ask(ctx, node, Ask{Do: askDrain, On: on})
	return err
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
		case <-time.After(c.cfg.times.heartbeat):
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

// accept takes a match that another node handed over to this one. If this node takes it already, or runs it, all is
// well too.
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
		return nil
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
		_, err := c.ask(asked, order[0], Ask{Do: askExpect, Match: match})
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
		if m := c.core.members.byName[node]; m != nil && m.State == Alive {
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
		if err := c.give(ctx, match, o); err != nil {
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
	return &CallError{CodeFailed, fmt.Sprintf("no node took the match; a node takes it over like a dead node's: %v", why)}
}

// give has a node take a match. It gives up when the node is suspected.
func (c *Cluster) give(ctx context.Context, match string, to owner) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.times.take)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		defer panics.Catch(c.log, "cluster move", nil)
		look := time.NewTicker(c.cfg.times.heartbeat / 5)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
			}
			c.mu.Lock()
			lives := c.core.members.lives(to)
			c.mu.Unlock()
			if !lives {
				giveUp(&CallError{CodeNoNode, "the node " + to.name + " died before it had the match"})
			}
		}
	})
	_, err := c.ask(ctx, to.name, Ask{Do: askTake, Match: match})
	if died := context.Cause(ctx); err != nil && codeOf(died) != "" {
		err = died
	}
	giveUp(nil)
	watch.Wait()
	return err
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
	case m == nil || m.State != Alive:
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
	again := time.NewTicker(8 * c.cfg.times.heartbeat) // for matches that no node took
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
				if code := codeOf(err); err != nil && code != CodeNotHere && code != CodeUnderWay {
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
	run := c.askAll(asked, Ask{Do: askRunning, Matches: matches})
	unowned := slices.DeleteFunc(slices.Clone(matches), func(m string) bool { return slices.Contains(run, m) })
	if len(unowned) == 0 || ctx.Err() != nil {
		return
	}
	c.log.Warn("matches without a node were found in the journal store", "matches", len(unowned))
	c.mu.Lock()
	c.core.scanned(c.now(), unowned)
	c.mu.Unlock()
	c.say(owns{Lost: true}, unowned)
}

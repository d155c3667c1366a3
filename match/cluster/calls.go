package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// Ask is a request of one node to another. [Config.Ask] takes it there, and [Cluster.Answer] answers it.
type Ask struct {
	Do      string   `json:"do"` // one of the words below
	Match   string   `json:"match,omitempty"`
	To      string   `json:"to,omitempty"` // of a move: a node; "": placement chooses
	On      bool     `json:"on,omitempty"` // of a drain; false: its end
	Matches []string `json:"matches,omitempty"`
}

const (
	askMove    = "move"    // hand a match over
	askExpect  = "expect"  // a match will be handed over
	askTake    = "take"    // take a match that was handed over
	askDrain   = "drain"   // move all matches away
	askRunning = "running" // which of the matches run here?
)

// mostAsked is how many matches one request names.
const mostAsked = 1000

// CallError is the reason why a node refused a call.
type CallError struct {
	Code string // one of the codes below
	Text string // for people
}

// Codes of refusals.
const (
	CodeNoNode   = "no_node"     // no living node of this name
	CodeFailed   = "failed"      // the text says why
	CodeBad      = "bad_call"    // a request that cannot be read
	CodeNotHere  = "not_here"    // the match does not run on that node
	CodeDraining = "draining"    // the target is emptied itself
	CodeOther    = "other_build" // the target does not simulate as the match does
	CodeFull     = "full"        // the target has no room, or no node has
	CodeUnderWay = "under_way"   // the match is moved already
	CodeReturned = "came_back"   // the target did not take it; the match goes on where it was, or elsewhere
)

// Error is the text, with the code.
func (e *CallError) Error() string { return fmt.Sprintf("cluster: %s (%s)", e.Text, e.Code) }

// codeOf returns the code of a refusal, "" of any other error.
func codeOf(err error) string {
	var e *CallError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Answer does what a node asks. An error that is no *CallError is [ErrNotJoined].
func (c *Cluster) Answer(ctx context.Context, a Ask) ([]string, error) {
	named := a.Do == askMove || a.Do == askExpect || a.Do == askTake
	if named && !matchNames.MatchString(a.Match) || a.To != "" && !ValidName(a.To) || len(a.Matches) > mostAsked {
		return nil, &CallError{CodeBad, "no such match or node, or too many"}
	}
	switch a.Do {
	case askMove:
		return nil, c.handOver(ctx, a.Match, a.To)
	case askExpect:
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.core == nil {
			return nil, ErrNotJoined
		}
		return nil, c.core.expect(c.now(), a.Match)
	case askTake:
		return nil, c.accept(ctx, a.Match)
	case askDrain:
		c.setDraining(a.On)
		return nil, nil
	case askRunning:
		running := c.cfg.Host.Running()
		return slices.DeleteFunc(slices.Clone(a.Matches), func(m string) bool { return !slices.Contains(running, m) && !c.has(m) }), nil
	}
	return nil, &CallError{CodeBad, "no request " + strconv.Quote(a.Do)}
}

// ask asks a node, which may be this one.
func (c *Cluster) ask(ctx context.Context, node string, a Ask) ([]string, error) {
	if node == c.cfg.Name {
		return c.Answer(ctx, a)
	}
	if n, ok := c.node(node); !ok || n.State == Gone {
		return nil, &CallError{CodeNoNode, "no node " + strconv.Quote(node) + " lives"}
	}
	return c.cfg.Ask(ctx, node, a)
}

// askAll asks all living nodes, this one too, and returns their answers. It leaves out silent nodes.
func (c *Cluster) askAll(ctx context.Context, a Ask) (out []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, n := range c.Nodes() {
		if n.State != Alive {
			continue
		}
		all.Go(func() {
			defer panics.Catch(c.log, "cluster call", nil)
			matches, err := c.ask(ctx, n.Name, a)
			if err != nil {
				c.log.Warn("a node did not answer another", "node", n.Name, "asked", a.Do, "error", err)
			}
			mu.Lock()
			defer mu.Unlock()
			out = append(out, matches...)
		})
	}
	all.Wait()
	return out
}

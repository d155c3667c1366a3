package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/fogkeep/fogkeep/internal/panics"
)

// CallError says why a call to another node failed.
type CallError struct {
	Code string `json:"code"` // one of the codes below, or the handler's own
	Text string `json:"text"` // for people
}

// Codes of calls.
const (
	CodeNoNode   = "no_node"   // no living node of this name
	CodeNoMethod = "no_method" // it does not know the call
	CodeTooLarge = "too_large" // the request or the reply
	CodeBusy     = "busy"      // it serves too many calls; try again
	CodeTimeout  = "timeout"   // no answer in time: it may have been done
	CodeInternal = "internal"  // a bug; its log says more
	CodeFailed   = "failed"    // the text says why
	CodeBad      = "bad_call"  // a request that cannot be read
)

// Error is the text, with the code.
func (e *CallError) Error() string { return fmt.Sprintf("cluster: %s (%s)", e.Text, e.Code) }

// CodeOf returns the code of a failed call, "" of any other error.
func CodeOf(err error) string {
	var e *CallError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

const (
	callPrefix   = "fogkeep.node."
	timeHeader   = "Fogkeep-Ms" // how long the caller waits, in milliseconds: never a time of day
	usualWait    = 5 * time.Second
	longestWait  = 2 * time.Minute
	mostErrText  = 1 << 10
	envelopeRoom = 1 << 10 // of the connection's largest message, for headers
)

// reply is the answer to a call.
type reply struct {
	Error *CallError      `json:"error,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
}

// handler answers calls of one method. Its result is encoded as JSON. An error that is a *CallError keeps its code; any
// other has the code failed. The context ends when the caller stops waiting.
type handler func(ctx context.Context, in []byte) (any, error)

// calls serves and makes calls between nodes.
type calls struct {
	mu       sync.Mutex
	handlers map[string]handler
	free     chan struct{} // one for each call that may run
	running  sync.WaitGroup
}

// handle registers the handler of a method. It panics if the method has a handler, or has an invalid name: that is a
// mistake in the program.
func (c *Cluster) handle(method string, f handler) {
	c.calls.mu.Lock()
	defer c.calls.mu.Unlock()
	if _, twice := c.calls.handlers[method]; twice || !methods.MatchString(method) {
		panic("cluster: the method " + strconv.Quote(method) + " has a handler or is no name")
	}
	c.calls.handlers[method] = f
}

// call calls a method of a node, which may be this one. in and out are encoded as JSON; both may be nil. Without a
// deadline it waits five seconds. A failure of the other node or of the way to it is a [*CallError].
func (c *Cluster) call(ctx context.Context, node, method string, in, out any) error {
	data, err := c.request(ctx, node, method, in)
	c.metrics.called(err)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(data, out); err != nil {
		return &CallError{CodeInternal, "the answer of " + node + " cannot be read: " + err.Error()}
	}
	return nil
}

func (c *Cluster) request(ctx context.Context, node, method string, in any) (json.RawMessage, error) {
	if !methods.MatchString(method) {
		return nil, &CallError{CodeNoMethod, "no method " + strconv.Quote(method)}
	}
	if !ValidName(node) {
		return nil, &CallError{CodeNoNode, "no node " + strconv.Quote(node)}
	}
	data, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	if len(data) > c.largest() {
		return nil, &CallError{CodeTooLarge, fmt.Sprintf("a request of %d bytes", len(data))}
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, usualWait)
		defer cancel()
	}
	if node == c.cfg.Name {
		r := c.serve(ctx, method, data)
		if r.Error != nil {
			return nil, r.Error
		}
		return r.Data, nil
	}
	if n, ok := c.node(node); !ok || n.State == Gone {
		return nil, &CallError{CodeNoNode, "no node " + node + " lives"}
	}
	deadline, _ := ctx.Deadline()
	msg := nats.NewMsg(callPrefix + node + "." + method)
	msg.Header.Set(timeHeader, strconv.FormatInt(min(time.Until(deadline), longestWait).Milliseconds(), 10))
	msg.Data = data
	answer, err := c.cfg.Conn.RequestMsgWithContext(ctx, msg)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, &CallError{CodeNoNode, "nobody answers for the node " + node}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return nil, &CallError{CodeTimeout, "the node " + node + " did not answer in time"}
	case err != nil:
		return nil, fmt.Errorf("cluster: call %s of %s: %w", method, node, err)
	case len(answer.Data) > MaxCallBytes:
		return nil, &CallError{CodeTooLarge, fmt.Sprintf("an answer of %d bytes", len(answer.Data))}
	}
	var r reply
	if err := json.Unmarshal(answer.Data, &r); err != nil {
		return nil, &CallError{CodeInternal, "the answer of " + node + " cannot be read: " + err.Error()}
	}
	if r.Error != nil {
		return nil, r.Error
	}
	return r.Data, nil
}

// largest returns how many bytes a request or a reply may have.
func (c *Cluster) largest() int { return min(MaxCallBytes, int(c.cfg.Conn.MaxPayload())-envelopeRoom) }

// serve answers one call.
func (c *Cluster) serve(ctx context.Context, method string, in []byte) (r reply) {
	defer panics.Catch(c.log, "cluster call", func() { r = reply{Error: &CallError{CodeInternal, "internal error"}} })
	c.calls.mu.Lock()
	f := c.calls.handlers[method]
	c.calls.mu.Unlock()
	if f == nil {
		return reply{Error: &CallError{CodeNoMethod, "no method " + strconv.Quote(method)}}
	}
	out, err := f(ctx, in)
	if err != nil {
		var e *CallError
		if !errors.As(err, &e) {
			e = &CallError{CodeFailed, err.Error()}
		}
		return reply{Error: &CallError{cut(e.Code, maxText), cut(e.Text, mostErrText)}}
	}
	data, err := json.Marshal(out)
	if err != nil {
		return reply{Error: &CallError{CodeInternal, err.Error()}}
	}
	if len(data) > c.largest()-envelopeRoom {
		return reply{Error: &CallError{CodeTooLarge, fmt.Sprintf("an answer of %d bytes", len(data))}}
	}
	return reply{Data: data}
}

func cut(s string, n int) string { return s[:min(len(s), n)] }

// answer serves a message that asks this node something. It does not wait.
func (c *Cluster) answer(ctx context.Context, m *nats.Msg) {
	method := m.Subject[min(len(m.Subject), len(callPrefix)+len(c.cfg.Name)+1):]
	respond := func(r reply) {
		b, err := json.Marshal(r)
		if err == nil {
			err = m.Respond(b)
		}
		if err != nil {
			c.log.Warn("a call of another node was not answered", "method", method, "error", err)
		}
	}
	ms, err := strconv.ParseInt(m.Header.Get(timeHeader), 10, 64)
	if len(m.Data) > MaxCallBytes || err != nil || ms <= 0 {
		respond(reply{Error: &CallError{CodeBad, "a call that cannot be read"}})
		return
	}
	select {
	case c.calls.free <- struct{}{}:
	default:
		respond(reply{Error: &CallError{CodeBusy, "too many calls at the same time"}})
		return
	}
	c.calls.running.Go(func() {
		defer panics.Catch(c.log, "cluster call", nil)
		defer func() { <-c.calls.free }()
		ctx, cancel := context.WithTimeout(ctx, min(time.Duration(ms)*time.Millisecond, longestWait))
		defer cancel()
		respond(c.serve(ctx, method, m.Data))
	})
}

// broadcasts at the same time go to so many nodes.
const abreast = 32

// broadcast asks all living nodes, this one too, and tells each of every answer as it comes. It
// is called by one goroutine at a time, and not after broadcast has returned.
func (c *Cluster) broadcast(ctx context.Context, method string, in any, each func(node Node, answer []byte, err error)) {
	nodes := c.Nodes()
	var mu sync.Mutex
	var all sync.WaitGroup
	free := make(chan struct{}, abreast)
	for _, n := range nodes {
		if n.State != Alive {
			continue
		}
		free <- struct{}{}
		all.Go(func() {
			defer panics.Catch(c.log, "cluster broadcast", nil)
			defer func() { <-free }()
			var out json.RawMessage
			err := c.call(ctx, n.Name, method, in, &out)
			mu.Lock()
			defer mu.Unlock()
			each(n, out, err)
		})
	}
	all.Wait()
}

// decode reads the request of a call.
func decode(in []byte, to any) error {
	if err := json.Unmarshal(in, to); err != nil {
		return &CallError{CodeBad, "a call that cannot be read: " + err.Error()}
	}
	return nil
}

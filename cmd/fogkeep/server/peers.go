package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fogkeep/fogkeep/internal/listen"
	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/api"
	"github.com/fogkeep/fogkeep/lobby/client"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/match/shared"
)

// peers is the way to the matches of other nodes. A request about a match goes, through
// one proxy, to the node that runs it. The same handler answers there as would answer
// here:
//
//	client ──► a listener of any node, which asks for the client's rights
//	             ├─ the match runs here ─────────────► handler
//	             └─ proxy ──mutual TLS──► the owner's listener for nodes ──► the same handler
//
// The lobby's calls to a match take the same way, as a method's name with its arguments.
type peers struct {
	self      string
	nodes     func() []cluster.Node // set before the listener opens, as the next one
	where     func(context.Context, model.MatchID) shared.Whereabouts
	log       *slog.Logger
	listener  *listen.Server
	gate      listen.StartupGate
	mux       *http.ServeMux // this node's answers
	transport *http.Transport
	proxy     *httputil.ReverseProxy
	requests  *prometheus.CounterVec // requests, by result
	ledger    *quota.Ledger
}

const (
	moveWait    = 3 * time.Second // a match that changes nodes is waited for so long
	moveLook    = 100 * time.Millisecond
	callWait    = 5 * time.Second // for an answer, unless the caller says otherwise
	dialWait    = 3 * time.Second
	keptIdle    = 8 // connections to each node
	callBodyMax = 8 << 20
)

// anyProxy believes other nodes about a client's address.
var anyProxy = listen.Proxies{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

// newPeers opens the listener for nodes at an address.
func newPeers(ctx context.Context, address string, folder *natsnode.Folder, clients listen.Proxies, metrics prometheus.Registerer, ledger *quota.Ledger, log *slog.Logger) (*peers, error) {
	p := &peers{self: folder.Name, log: log, mux: http.NewServeMux(), ledger: ledger}
	p.listener = &listen.Server{
		Name: "node", Setting: "--node-addr or FOGKEEP_NODE_ADDR", Addr: address, Handler: &p.gate, TLS: folder.TLS(""),
		// Without a ledger: a client's cost is counted where it comes in, and at the
		// owner by its address. The calls of nodes have one, see answer.
		Config: listen.Config{Proxies: anyProxy, Admin: true, Refuse: api.WriteProblem, Logger: log},
	}
	p.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "fogkeep", Subsystem: "cluster", Name: "requests_total", Help: "Requests to the listeners of other nodes, by outcome.",
	}, []string{"result"})
	metrics.MustRegister(p.requests)
	p.transport = &http.Transport{
		MaxIdleConnsPerHost: keptIdle, IdleConnTimeout: time.Minute,
		// The host of a URL is a node's name.
		DialTLSContext: func(ctx context.Context, network, host string) (net.Conn, error) {
			name, _, _ := net.SplitHostPort(host)
			ctx, cancel := context.WithTimeout(ctx, dialWait)
			defer cancel()
			c, err := (&tls.Dialer{Config: folder.TLS(name)}).DialContext(ctx, network, p.addr(name))
			if err != nil {
				return nil, fmt.Errorf("%w: %w", errNotThere, err)
			}
			return c, nil
		},
	}
	p.proxy = &httputil.ReverseProxy{
		Transport: withTrace{p.transport}, FlushInterval: -1, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "https", r.In.Context().Value(forwardKey{}).(*forwarding).node
			r.Out.Host = r.In.Host // a page's origin is compared with it
			for _, name := range []string{"Authorization", "Cookie"} {
				r.Out.Header.Del(name) // the rights were asked for here
			}
			r.Out.Header.Set("X-Forwarded-For", clients.Address(r.In).String())
		},
		ModifyResponse: func(r *http.Response) error {
			if r.StatusCode == http.StatusMisdirectedRequest {
				return errNotThere
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			f := r.Context().Value(forwardKey{}).(*forwarding)
			if f.err = err; !errors.Is(err, errNotThere) {
				api.WriteProblem(w, noAnswer(f.node, err))
			}
		},
	}
	return p, p.listener.Open(ctx)
}

// close is for a node that runs no more.
func (p *peers) close() {
	_ = p.listener.Close() // it may have served, and be closed
	p.transport.CloseIdleConnections()
}

// errNotThere says that a match is not where it was said to be, or the node is gone.
var errNotThere = errors.New("the match is not there")

// forwarding is a request on its way to another node.
type forwarding struct {
	node string
	err  error
}

type forwardKey struct{}

// noOwner is the answer to a client while its match moves from one node to another.
var noOwner = &model.Error{Code: model.Unavailable, Detail: "no node runs the match at the moment; one takes it over: try again shortly", RetryAfter: time.Second}

// noAnswer is the answer to a client whose match runs on a node that does not answer.
func noAnswer(node string, err error) error {
	if node == "" {
		return noOwner
	}
	return &model.Error{Code: model.Unavailable, Detail: "the node " + node + ", which runs the match, does not answer: try again shortly", RetryAfter: time.Second, Err: err}
}

// nodeAddress is where other nodes reach a listener: at the configured host or, if that
// is all of the machine's, at the node URL's host.
func nodeAddress(configured, listens, nodeURL string) string {
	listener, err1 := url.Parse(listens)
	node, err2 := url.Parse(nodeURL)
	host, _, _ := net.SplitHostPort(configured)
	ip, err := netip.ParseAddr(host)
	if all := host == "" || err == nil && ip.IsUnspecified(); errors.Join(err1, err2) != nil || !all || node.Hostname() == "" {
		return listener.Host
	}
	return net.JoinHostPort(node.Hostname(), listener.Port())
}

// addr is where a node that is not gone is reached; "": nowhere.
func (p *peers) addr(node string) string {
	for _, n := range p.nodes() {
		if n.Name == node && n.State != cluster.Gone {
			return n.Addr
		}
	}
	return ""
}

// serveMatch serves other nodes' requests about matches that run here.
func (p *peers) serveMatch(local http.Handler) {
	p.mux.HandleFunc(inspectserver.LivePrefix+"{id}/", func(w http.ResponseWriter, r *http.Request) {
		if p.where(r.Context(), model.MatchID(r.PathValue("id"))).Node != p.self {
			w.WriteHeader(http.StatusMisdirectedRequest)
			return
		}
		local.ServeHTTP(w, r)
	})
}

// forward passes a request on. An error that is errNotThere is not answered.
func (p *peers) forward(w http.ResponseWriter, r *http.Request, f *forwarding) {
	p.proxy.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), forwardKey{}, f)))
	p.count(f.err == nil, false)
}

func (p *peers) count(ok, refused bool) {
	result := "no_answer"
	switch {
	case ok:
		result = "ok"
	case refused:
		result = "refused"
	}
	p.requests.WithLabelValues(result).Inc()
}

// carry is match.Config.Carry.
func (p *peers) carry(w http.ResponseWriter, r *http.Request, node string) {
	p.forward(w, r, &forwarding{node: node})
}

// match answers a request about a match where the match runs: here, or at its node. It
// waits for a match that changes nodes at the moment.
func (p *peers) match(w http.ResponseWriter, r *http.Request, id string, local http.HandlerFunc) {
	for end := time.Now().Add(moveWait); ; {
		at := p.where(r.Context(), model.MatchID(id))
		f := &forwarding{node: at.Node}
		switch {
		case at.State == shared.WhereGone, at.Why != "", at.Node == p.self:
			local(w, r) // it says if there is no such match
			return
		case at.State == shared.WhereRuns:
			p.forward(w, r, f)
			if !errors.Is(f.err, errNotThere) {
				return
			}
		}
		if r.Context().Err() != nil || time.Now().After(end) {
			api.WriteProblem(w, noAnswer(f.node, f.err))
			return
		}
		select {
		case <-r.Context().Done():
		case <-time.After(moveLook):
		}
	}
}

// answer serves the calls of a name, with two arguments.
func answer[A, B, Out any](p *peers, name string, do func(context.Context, A, B) (Out, error)) {
	p.mux.HandleFunc("POST /calls/"+name, func(w http.ResponseWriter, r *http.Request) {
		hold, err := p.ledger.Take(quota.NodeCalls, quota.Payer{}, 1)
		if err != nil { // before the body takes memory
			api.WriteProblem(w, err)
			return
		}
		defer hold.Release()
		var a A
		var b B
		err = json.NewDecoder(http.MaxBytesReader(w, r.Body, callBodyMax)).Decode(&[2]any{&a, &b})
		if err != nil {
			api.WriteProblem(w, &model.Error{Code: model.BadRequest, Detail: "the call " + name + " cannot be read: " + err.Error()})
			return
		}
		out, err := do(r.Context(), a, b)
		switch {
		case errors.Is(err, match.ErrNoMatch):
			err = model.MatchOver
		case errors.Is(err, match.ErrDraining):
			err = model.ServerFull
		}
		if err != nil {
			if model.AsError(err).Code == model.Internal {
				p.log.Error("a call of another node failed", "call", name, "err", err)
			}
			api.WriteProblem(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(out) // the caller has gone
	})
}

// none is an empty argument or answer.
type none struct{}

// quiet is a call that answers only whether it succeeded.
func quiet[A, B any](do func(context.Context, A, B) error) func(context.Context, A, B) (none, error) {
	return func(ctx context.Context, a A, b B) (none, error) { return none{}, do(ctx, a, b) }
}

// call asks a node; with an out of nil it drops the answer. A refusal of the node is a refusal
// of the lobby; a node that does not answer is [model.Unavailable].
func (p *peers) call(ctx context.Context, node, name string, a, b, out any) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, callWait)
		defer cancel()
	}
	var raw []byte // the client takes bytes as they are: out may be bytes in JSON
	to := client.Client{URL: "https://" + node, HTTP: &http.Client{Transport: withTrace{p.transport}}}
	err := to.Call(ctx, http.MethodPost, "/calls/"+name, [2]any{a, b}, &raw)
	no := (*client.Refusal)(nil)
	refused := errors.As(err, &no) && slices.ContainsFunc(model.Codes, func(c model.CodeInfo) bool { return string(c.Code) == no.Code })
	p.count(err == nil, refused)
	switch {
	case err == nil && out != nil:
		return json.Unmarshal(raw, out)
	case err == nil:
		return nil
	case refused:
		return &model.Error{Code: model.Code(no.Code), Field: no.Field, Detail: no.Detail, Err: err}
	}
	return noAnswer(node, err)
}

// callOthers calls all other living nodes at the same time, and logs which fail. each takes their
// answers, one at a time.
func callOthers[Out any](ctx context.Context, p *peers, name string, a, b any, each func(Out)) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, n := range p.nodes() {
		if n.Name == p.self || n.State != cluster.Alive {
			continue
		}
		all.Go(func() {
			defer panics.Catch(p.log, "call", nil)
			var out Out
			if err := p.call(ctx, n.Name, name, a, b, &out); err != nil {
				p.log.Warn("a node did not carry out a request", "node", n.Name, "what", name, "err", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			each(out)
		})
	}
	all.Wait()
}

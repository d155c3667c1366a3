package server

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/fogkeep/fogkeep/internal/natsnode"
	"github.com/fogkeep/fogkeep/internal/quota"
	"github.com/fogkeep/fogkeep/lobby/model"
	"github.com/fogkeep/fogkeep/match"
	"github.com/fogkeep/fogkeep/match/cluster"
	"github.com/fogkeep/fogkeep/match/inspectserver"
	"github.com/fogkeep/fogkeep/match/shared"
)

// testPeers makes the listeners of nodes that know each other. The match runs at the node
// that owner names; "": nowhere.
func testPeers(t *testing.T, owner *atomic.Value, names ...string) []*peers {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cluster")
	if err := natsnode.Init(dir, natsnode.Plan{Servers: []natsnode.Server{{Name: "log", Clients: "127.0.0.1:1", Routes: "127.0.0.1:2"}}, Nodes: names}); err != nil {
		t.Fatal(err)
	}
	var all []*peers
	var known []cluster.Node
	for _, name := range names {
		folder, err := natsnode.Read(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		limits, err := quota.Defaults().Set([]string{"node-calls.process=2"})
		if err != nil {
			t.Fatal(err)
		}
		ledger := quota.New(limits)
		p, err := newPeers(t.Context(), "127.0.0.1:0", folder, nil, prometheus.NewRegistry(), ledger, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		p.nodes = func() []cluster.Node { return known }
		p.where = func(context.Context, model.MatchID) shared.Whereabouts {
			if at := owner.Load().(string); at != "" {
				return shared.Whereabouts{State: shared.WhereRuns, Node: at}
			}
			return shared.Whereabouts{State: shared.WhereWaits}
		}
		known = append(known, cluster.Node{Name: name, Addr: nodeAddress("", p.listener.URL(), ""), State: cluster.Alive})
		p.gate.Open(p.mux)
		ctx, stop := context.WithCancel(context.Background())
		done := make(chan error, 1)
		go func() { done <- p.listener.Run(ctx, time.Second) }()
		t.Cleanup(func() {
			p.transport.CloseIdleConnections()
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
			p.close()
		})
		all = append(all, p)
	}
	return all
}

// A request goes to the node that runs the match, as the client that made it, and without
// the client's proof of identity. One for a match on its way waits until the match is
// there.
func TestARequestGoesToItsMatch(t *testing.T) {
	var owner atomic.Value
	owner.Store("n2")
	all := testPeers(t, &owner, "n1", "n2")
	for _, p := range all {
		p.serveMatch(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, strings.Join([]string{p.self, r.URL.RequestURI(), r.Host, anyProxy.Address(r).String(), r.Header.Get("Cookie"), r.Header.Get("Authorization")}, " "))
		}))
	}
	get := func() string {
		r := httptest.NewRequest(http.MethodGet, "http://front.example"+inspectserver.LivePrefix+"m1/traffic?a=b", nil)
		r.RemoteAddr = "203.0.113.7:99"
		r.Header.Set("Cookie", "session=secret")
		r.Header.Set("Authorization", "Bearer secret")
		r.Header.Set("X-Forwarded-For", "198.51.100.1") // it is no proof
		w := httptest.NewRecorder()
		all[0].match(w, r, "m1", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
		return strings.TrimSpace(w.Body.String())
	}
	want := "n2 " + inspectserver.LivePrefix + "m1/traffic?a=b front.example 203.0.113.7"
	if got := get(); got != want {
		t.Errorf("answered %q, want %q", got, want)
	}
	owner.Store("n1")
	if got := get(); got != "here" {
		t.Errorf("of a match that runs here: %q", got)
	}

	// n1 still believes that n2 has it: n2 says no, and n1 asks until it has come.
	var asked atomic.Int32
	mine := all[0].where
	all[0].where = func(ctx context.Context, id model.MatchID) shared.Whereabouts {
		if asked.Add(1) == 3 {
			owner.Store("n2")
		}
		at := mine(ctx, id)
		at.Node = "n2"
		return at
	}
	if got := get(); got != want || asked.Load() < 3 {
		t.Errorf("of a match on its way: %q after %d looks", got, asked.Load())
	}
}

// A request that a node passes on, and a call, are in the trace of the request that it answers. A client's own word for the
// trace does not pass, and a call of no request has no span.
func TestTracesPassToTheOtherNode(t *testing.T) {
	var owner atomic.Value
	owner.Store("n2")
	all := testPeers(t, &owner, "n1", "n2")
	spans := tracetest.NewInMemoryExporter()
	traces := newTracer(sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans)), "sqlite")
	answer(all[1], "add", func(_ context.Context, a, b int) (int, error) { return a + b, nil })
	all[1].serveMatch(http.NotFoundHandler())
	all[1].gate.Open(traces.between(all[1].mux))
	chosen := http.Header{"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}
	pass := func(ctx context.Context) {
		if err := all[0].call(ctx, "n2", "add", 1, 2, nil); err != nil {
			t.Error(err)
		}
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, inspectserver.LivePrefix+"m1/traffic", nil)
		r.Header = chosen.Clone()
		all[0].match(httptest.NewRecorder(), r, "m1", nil)
	}
	pass(t.Context())
	if got := spans.GetSpans(); len(got) != 0 {
		t.Errorf("requests of no trace have %d spans", len(got))
	}
	ctx, span := traces.Start(t.Context(), "request")
	pass(ctx)
	got := spans.GetSpans()
	for i, name := range []string{"node POST /calls/add", "node " + inspectserver.LivePrefix + "{id}/"} {
		if len(got) != 2 || got[i].Name != name || got[i].Parent.SpanID() != span.SpanContext().SpanID() || got[i].SpanContext.TraceID() != span.SpanContext().TraceID() {
			t.Fatalf("spans %+v, want %q in the trace of the request", got, name)
		}
	}
}

// A call acts by its name at the other node, and refusals come back unchanged.
func TestACallOfAnotherNode(t *testing.T) {
	var owner atomic.Value
	owner.Store("n2")
	all := testPeers(t, &owner, "n1", "n2")
	type pair struct{ Name, Why string }
	answer(all[1], "add", func(_ context.Context, a, b int) (int, error) { return a + b, nil })
	answer(all[1], "end", func(_ context.Context, a model.AccountID, e model.Ending) (pair, error) {
		return pair{string(a), e.Why.Text()}, nil
	})
	fails := map[string]error{"gone": match.ErrNoMatch, "full": match.ErrDraining, "option": &model.Error{Code: model.BadOption, Field: "ruleset", Detail: "no such"}, "bug": errors.New("secret")}
	for name, err := range fails {
		answer(all[1], name, quiet(func(context.Context, none, none) error { return err }))
	}
	ask := func(node, name string, a, b, out any) *model.Error {
		return model.AsError(all[0].call(t.Context(), node, name, a, b, out))
	}
	var sum int
	if err := ask("n2", "add", 2, 3, &sum); err != nil || sum != 5 {
		t.Errorf("2 + 3 is %d, %v", sum, err)
	}
	answer(all[1], "bytes", func(_ context.Context, text string, from int64) ([]byte, error) { return []byte(text)[from:], nil })
	var rest []byte
	if err := ask("n2", "bytes", "abc", 1, &rest); err != nil || string(rest) != "bc" {
		t.Errorf("the bytes after the first are %q, %v", rest, err)
	}
	if err := ask("n2", "bytes", "abc", 3, &rest); err != nil || len(rest) != 0 {
		t.Errorf("no bytes are %q, %v", rest, err)
	}
	var told pair
	why := &model.Error{Code: model.Forbidden, Detail: "rude", Err: errors.New("its cause")}
	if err := ask("n2", "end", "ada", model.Ending{Why: why}, &told); err != nil || told != (pair{"ada", "rude"}) {
		t.Errorf("told %+v, %v", told, err)
	}
	for name, code := range map[string]model.Code{"gone": model.MatchOver, "full": model.ServerFull, "option": model.BadOption, "bug": model.Internal, "nothing": model.Unavailable} {
		err := ask("n2", name, none{}, none{}, nil)
		if err == nil || err.Code != code || strings.Contains(err.Text(), "secret") || name == "option" && (err.Field != "ruleset" || err.Detail != "no such") {
			t.Errorf("%s: %v, want %s", name, err, code)
		}
	}
	if err := ask("n2", "add", "two", 3, &sum); err == nil || err.Code != model.BadRequest {
		t.Errorf("a call that cannot be read: %v", err)
	}
	if err := ask("n3", "add", 2, 3, &sum); err == nil || err.Code != model.Unavailable {
		t.Errorf("of no node: %v", err)
	}
	for result, want := range map[string]float64{"ok": 4, "refused": 5, "no_answer": 2} {
		if n := testutil.ToFloat64(all[0].requests.WithLabelValues(result)); n != want {
			t.Errorf("%v requests are counted as %s, want %v", n, result, want)
		}
	}
	var sums []int
	callOthers(t.Context(), all[0], "add", 1, 1, func(n int) { sums = append(sums, n) })
	if len(sums) != 1 || sums[0] != 2 {
		t.Errorf("the other nodes answer %v", sums)
	}
}

// A node answers so many calls at once, and refuses the next before it reads it.
func TestCallsOfNodesAreBounded(t *testing.T) {
	var owner atomic.Value
	owner.Store("n2")
	all := testPeers(t, &owner, "n1", "n2")
	begun, end, ended := make(chan bool), make(chan bool), make(chan error)
	answer(all[1], "wait", quiet(func(context.Context, none, none) error {
		begun <- true
		<-end
		return nil
	}))
	wait := func() { ended <- all[0].call(t.Context(), "n2", "wait", none{}, none{}, nil) }
	for range 2 { // as testPeers allows
		go wait()
		<-begun
	}
	if err := model.AsError(all[0].call(t.Context(), "n2", "wait", none{}, none{}, nil)); err == nil || err.Code != model.Busy {
		t.Errorf("a third call: %v", err)
	}
	close(end)
	for range 2 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	go wait()
	<-begun
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Only members of the cluster come in, and no member answers in the name of another.
func TestOnlyNodesReachTheListenerForNodes(t *testing.T) {
	var owner atomic.Value
	owner.Store("")
	all := testPeers(t, &owner, "n1", "n2")
	strangers := testPeers(t, &owner, "n1", "n2")
	answer(all[1], "hello", quiet(func(context.Context, none, none) error { return nil }))
	strangers[0].nodes = all[0].nodes
	if err := strangers[0].call(t.Context(), "n2", "hello", none{}, none{}, nil); err == nil {
		t.Error("a node of another cluster came in")
	}
	bare := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	if r, err := bare.Post(all[1].listener.URL()+"/calls/hello", "application/json", strings.NewReader("[{},{}]")); err == nil {
		r.Body.Close()
		t.Error("a client without a certificate came in")
	}
	named := all[0].nodes()
	all[0].nodes = func() []cluster.Node {
		return []cluster.Node{{Name: "n1", Addr: named[1].Addr, State: cluster.Alive}, named[1]}
	}
	if err := all[0].call(t.Context(), "n1", "hello", none{}, none{}, nil); err == nil || !strings.Contains(err.Error(), "n2 answers where n1 is") {
		t.Errorf("n2 answers in the name of n1: %v", err)
	}
	if err := all[0].call(t.Context(), "n2", "hello", none{}, none{}, nil); err != nil {
		t.Error(err)
	}
}

// Other nodes reach the listener at its host, or at the node URL's host if it is bound to
// all of the machine's.
func TestTheAddressForNodes(t *testing.T) {
	for _, c := range [][4]string{
		{"10.0.0.1:0", "https://10.0.0.1:4711", "https://n1.example.org:8443", "10.0.0.1:4711"},
		{"0.0.0.0:7103", "https://127.0.0.1:7103", "https://n1.example.org:8443", "n1.example.org:7103"},
		{":7103", "https://127.0.0.1:7103", "http://[2001:db8::1]", "[2001:db8::1]:7103"},
		{"[::]:7103", "https://127.0.0.1:7103", "", "127.0.0.1:7103"},
		{"n1.local:7103", "https://10.0.0.1:7103", "https://n1.example.org", "10.0.0.1:7103"},
	} {
		if got := nodeAddress(c[0], c[1], c[2]); got != c[3] {
			t.Errorf("bound to %s for %s: %s, want %s", c[0], c[2], got, c[3])
		}
	}
}

package server

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/fogkeep/fogkeep/internal/listen"
)

// tracer makes the spans of requests, of their transactions and of takeovers. No tick has a span.
type tracer struct {
	trace.Tracer
	database string // its kind
}

func newTracer(p trace.TracerProvider, database string) tracer {
	if p == nil {
		p = noop.NewTracerProvider()
	}
	return tracer{p.Tracer("github.com/fogkeep/fogkeep"), strings.Replace(database, "postgres", "postgresql", 1)}
}

// request begins the span of a request. It belongs to the trace of a trusted proxy that names one.
func (t tracer) request(r *http.Request, listener string) (*http.Request, trace.Span) {
	ctx, visit := r.Context(), listen.VisitOf(r.Context())
	if visit.Trusted {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	}
	ctx, span := t.Start(ctx, methodLabel(r.Method), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("fogkeep.listener", listener), attribute.String("fogkeep.request", visit.ID), attribute.String("http.request.method", methodLabel(r.Method))))
	return r.WithContext(ctx), span
}

// between is the middleware for requests of other nodes: their spans belong to the trace of the request that the other node
// answers. Requests outside of a trace, such as polls, lack spans.
func (t tracer) between(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") == "" {
			next.ServeHTTP(w, r)
			return
		}
		r, span := t.request(r, "nodes")
		defer span.End()
		next.ServeHTTP(w, r)
		span.SetName("node " + cmp.Or(r.Pattern, "other"))
	})
}

// withTrace sends the trace of a request along with it, and never one that a client chose.
type withTrace struct{ http.RoundTripper }

func (t withTrace) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("Traceparent")
	r.Header.Del("Tracestate")
	propagation.TraceContext{}.Inject(r.Context(), propagation.HeaderCarrier(r.Header))
	return t.RoundTripper.RoundTrip(r)
}

// answered ends the span of a request, whose route the name has.
func answered(span trace.Span, l accessLine) {
	span.SetName(l.method + " " + l.route)
	span.SetAttributes(attribute.String("http.route", l.route), attribute.Int("http.response.status_code", l.code))
	if l.code >= http.StatusInternalServerError {
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

// transaction begins the span of a transaction within a request or a takeover. Other transactions have none: the polls of
// the server would fill a collector.
func (t tracer) transaction(ctx context.Context, kind string) (context.Context, trace.Span) {
	if parent := trace.SpanFromContext(ctx); !parent.SpanContext().IsValid() {
		return ctx, parent
	}
	return t.Start(ctx, "database "+kind, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("db.system.name", t.database)))
}

// takeover begins the span of a takeover.
func (t tracer) takeover(ctx context.Context, match string) (context.Context, trace.Span) {
	return t.Start(ctx, "takeover", trace.WithAttributes(attribute.String("fogkeep.match", match)))
}

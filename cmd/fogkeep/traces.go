package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/fogkeep/fogkeep/cmd/fogkeep/server"
)

// lastSpansWait is the time that the collector gets for the last spans of a server.
const lastSpansWait = 5 * time.Second

// newTraces returns the provider of spans that the standard variables of OpenTelemetry switch on, and its end, which
// sends the last spans. Without an endpoint the provider is nil.
func newTraces(ctx context.Context, log *slog.Logger) (trace.TracerProvider, func(), error) {
	const general, own = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	name := own
	if os.Getenv(own) == "" {
		name = general
	}
	endpoint := os.Getenv(name)
	if endpoint == "" {
		return nil, func() {}, nil
	}
	if u, err := url.Parse(endpoint); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, fmt.Errorf("%s %q: want http(s)://host, such as http://127.0.0.1:4318", name, endpoint)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := os.Getenv(name); cmp.Or(p, "http/protobuf") != "http/protobuf" {
			return nil, nil, fmt.Errorf("%s %q: fogkeep sends http/protobuf alone; most collectors take it at port 4318", name, p)
		}
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	about, err := resource.New(ctx, resource.WithHost(), resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "fogkeep"), attribute.String("service.version", server.Version())), resource.WithFromEnv())
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("traces were not sent", "err", err) }))
	p := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return p, func() {
		ctx, cancel := context.WithTimeout(context.Background(), lastSpansWait)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil {
			log.Warn("the last traces were not sent", "err", err)
		}
	}, nil
}

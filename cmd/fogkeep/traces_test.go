package main

import (
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// TestTraces: a server with the standard variable sends the spans of requests and of their transactions to a collector, and
// the line of a request in the log names the trace. A caller cannot choose the trace, a trusted proxy can.
func TestTraces(t *testing.T) {
	var mu sync.Mutex
	var spans []*otlp.Span
	service := ""
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var sent otlp.TracesData // the wire format of a request to a collector
		if err == nil {
			err = proto.Unmarshal(body, &sent)
		}
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("X-Team") != "fog" {
			t.Errorf("%s %v: %v", r.URL, r.Header, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, of := range sent.ResourceSpans {
			for _, a := range of.Resource.Attributes {
				if a.Key == "service.name" {
					service = a.Value.GetStringValue()
				}
			}
			for _, scope := range of.ScopeSpans {
				spans = append(spans, scope.Spans...)
			}
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=fog")
	const chosen = "0af7651916cd43dd8448eb211c80319c"
	ended := map[bool]string{} // by whether the proxy is trusted: the log
	for _, trusted := range []bool{false, true} {
		args := []string{"--log-level=debug"}
		if trusted {
			args = append(args, "--trusted-proxies=127.0.0.0/8")
		}
		s := start(t, t.TempDir(), args...)
		c := visitor(t, s.url(t, "play"))
		c.Header = http.Header{"Traceparent": {"00-" + chosen + "-b7ad6b7169203331-01"}}
		_, err1 := c.Register(t.Context(), "Ada", "correct horse")
		_, err2 := c.LogIn(t.Context(), "Ada", "correct horse")
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if trusted { // a match, whose socket has a line
			l := c.playBot("")
			c.open(c.ticket(l.ID)).welcome()
		}
		if code := s.end(t); code != 0 { // it sends the last spans
			t.Fatalf("code %d: %s", code, s.errs)
		}
		ended[trusted] = s.errs.String()
	}
	mu.Lock()
	defer mu.Unlock()
	if service != "fogkeep" {
		t.Errorf("spans of the service %q", service)
	}
	if !regexp.MustCompile(`"msg":"connection ended","id":"[0-9a-f]{16}","account":"[0-9a-f-]{36}","match":"[0-9a-f-]{36}","slot":0,`).MatchString(ended[true]) {
		t.Errorf("no line about the socket:\n%s", ended[true])
	}
	logIns := 0
	for _, login := range spans {
		if login.Name != "POST /api/login" {
			continue
		}
		logIns++
		if !slices.ContainsFunc(spans, func(s *otlp.Span) bool {
			return s.Name == "database write" && string(s.ParentSpanId) == string(login.SpanId) && string(s.TraceId) == string(login.TraceId)
		}) {
			t.Errorf("the log-in has no transaction in its trace")
		}
		trace := hex.EncodeToString(login.TraceId)
		if log := ended[trace == chosen]; !strings.Contains(log, `"route":"/api/login"`) || !strings.Contains(log, `"trace":"`+trace+`"`) {
			t.Errorf("no line of the log names the trace %s:\n%s", trace, log)
		}
	}
	if logIns != 2 || strings.Contains(ended[false], chosen) {
		t.Errorf("%d log-ins have spans, or a caller chose the trace:\n%s", logIns, ended[false])
	}
	if slices.ContainsFunc(spans, func(s *otlp.Span) bool { return len(s.ParentSpanId) == 0 && strings.HasPrefix(s.Name, "database") }) {
		t.Error("a transaction of no request has a span")
	}
}

// TestTracesSayWhatIsWrong: settings that cannot work are refused by name.
func TestTracesSayWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"OTEL_EXPORTER_OTLP_ENDPOINT", "localhost:4318", `OTEL_EXPORTER_OTLP_ENDPOINT "localhost:4318": want http(s)://host`},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", `OTEL_EXPORTER_OTLP_PROTOCOL "grpc": fogkeep sends http/protobuf alone`},
		{"OTEL_RESOURCE_ATTRIBUTES", "a", "OTEL_RESOURCE_ATTRIBUTES: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
			t.Setenv(c.name, c.value)
			if _, _, err := newTraces(t.Context(), slog.Default()); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s=%s: %v, want %s", c.name, c.value, err, c.want)
			}
		})
	}
}

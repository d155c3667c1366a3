package telemetry

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"os"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// NewLogger is [NewLoggerAt] with a level that does not change.
func NewLogger(w io.Writer, level string) (*slog.Logger, error) {
	l, err := ParseLevel(level)
	if err != nil {
		return nil, err
	}
	return NewLoggerAt(w, l), nil
}

// NewLoggerAt returns a logger that writes to w: lines for people where w is a
// terminal, JSON elsewhere.
func NewLoggerAt(w io.Writer, level slog.Leveler) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if IsTerminal(w) {
		return slog.New(slog.NewTextHandler(w, opts))
	}
	opts.ReplaceAttr = inMilliseconds
	return slog.New(slog.NewJSONHandler(w, opts))
}

// ParseLevel reads a level: debug, info, warn or error.
func ParseLevel(text string) (l slog.Level, err error) {
	if l.UnmarshalText([]byte(text)) != nil {
		err = fmt.Errorf("log level %q: want debug, info, warn or error", text)
	}
	return l, err
}

// inMilliseconds writes a time span as a number of milliseconds, with the unit in its name:
// JSON would have the nanoseconds, without a unit.
func inMilliseconds(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		return slog.Int64(a.Key+"Ms", a.Value.Duration().Milliseconds())
	}
	return a
}

// IsTerminal reports whether a person may be reading the output to w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// NewRegistry returns a registry that knows the build, the process and the Go runtime.
func NewRegistry() *prometheus.Registry {
	r := prometheus.NewRegistry()
	b := BuildInfo()
	build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "fogkeep_build_info", Help: "1, with the version, the commit, its date and the version of Go as labels.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "date": b.Date, "goversion": b.Go},
	}, func() float64 { return 1 })
	r.MustRegister(
		build,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return r
}

// Handler serves the registry in Prometheus' text format at /metrics. If profiles is
// true, it also serves the profiles of the process below /debug/pprof/, but not the command line,
// which may have secrets.
func Handler(r *prometheus.Registry, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(r, promhttp.HandlerOpts{Registry: r}))
	if profiles {
		const path = "GET /debug/pprof/"
		mux.HandleFunc(path, bounded(pprof.Index))
		mux.HandleFunc(path+"profile", bounded(pprof.Profile))
		mux.HandleFunc(path+"trace", bounded(pprof.Trace))
		mux.HandleFunc(path+"symbol", pprof.Symbol)
	}
	return mux
}

// profileSecondsMax bounds the time of one profile.
const profileSecondsMax = 60

// bounded refuses profiles over more than [profileSecondsMax].
func bounded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if text := r.FormValue("seconds"); text != "" {
			if n, err := strconv.ParseFloat(text, 64); err != nil || !(n >= 0 && n <= profileSecondsMax) {
				http.Error(w, fmt.Sprintf("seconds=%q: want 0 to %d", text, profileSecondsMax), http.StatusBadRequest)
				return
			}
		}
		next(w, r)
	}
}

package clustertest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Histogram has, by upper bound in seconds, how many observations were not above it.
type Histogram map[float64]float64

// Since returns what came since an earlier state.
func (h Histogram) Since(was Histogram) Histogram {
	out := Histogram{}
	for le, n := range h {
		out[le] = n - was[le]
	}
	return out
}

// Count returns how many observations there are.
func (h Histogram) Count() float64 { return h[math.Inf(1)] }

// Percentile returns the value, in seconds, that so many percent do not exceed. Within a
// bucket it is drawn as a straight line; beyond the last it is that one's bound.
func (h Histogram) Percentile(percent float64) float64 {
	var bounds []float64
	for le := range h {
		bounds = append(bounds, le)
	}
	slices.Sort(bounds)
	if len(bounds) == 0 {
		return 0
	}
	want := h[bounds[len(bounds)-1]] * percent / 100
	below, count := 0.0, 0.0
	for _, le := range bounds {
		if n := h[le]; n >= want && n > count {
			if math.IsInf(le, 1) {
				return below
			}
			return below + (le-below)*(want-count)/(n-count)
		}
		below, count = le, h[le]
	}
	return below
}

// Appends returns how long the nodes' appends to journals took so far.
func (c *Cluster) Appends(ctx context.Context) (Histogram, error) {
	sum := Histogram{}
	for _, n := range c.Nodes {
		h, err := n.Histogram(ctx, "fogkeep_journal_append_seconds")
		if err != nil {
			return nil, err
		}
		for le, count := range h {
			sum[le] += count
		}
	}
	return sum, nil
}

// Histogram reads one of the node's metrics.
func (n *Node) Histogram(ctx context.Context, name string) (Histogram, error) {
	out := Histogram{}
	err := n.metrics(ctx, func(key string, value float64) {
		if le, ok := strings.CutPrefix(key, name+`_bucket{le="`); ok {
			if bound, err := strconv.ParseFloat(strings.TrimSuffix(le, `"}`), 64); err == nil {
				out[bound] = value
			}
		}
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s has no metric %s", n.Name, name)
	}
	return out, err
}

// Counter reads one of the node's metrics that has no labels.
func (n *Node) Counter(ctx context.Context, name string) (value float64, err error) {
	v, err := n.Gauges(ctx, name)
	return v[0], err
}

// Gauges reads some of the node's metrics that have no labels, in the order of the names.
func (n *Node) Gauges(ctx context.Context, names ...string) ([]float64, error) {
	out, found := make([]float64, len(names)), 0
	err := n.metrics(ctx, func(key string, value float64) {
		if i := slices.Index(names, key); i >= 0 {
			out[i] = value
			found++
		}
	})
	if err == nil && found != len(names) {
		err = fmt.Errorf("%s has %d of the metrics %v", n.Name, found, names)
	}
	return out, err
}

// metrics calls each with the node's metrics.
func (n *Node) metrics(ctx context.Context, each func(key string, value float64)) error {
	return get(ctx, 5*time.Second, n.MetricsURL+"/metrics", func(res *http.Response) error {
		for lines := bufio.NewScanner(io.LimitReader(res.Body, 8<<20)); lines.Scan(); {
			if key, value, ok := strings.Cut(lines.Text(), " "); ok && !strings.HasPrefix(key, "#") {
				if v, err := strconv.ParseFloat(value, 64); err == nil {
					each(key, v)
				}
			}
		}
		return nil
	})
}

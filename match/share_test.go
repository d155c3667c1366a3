package match

import (
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/fogkeep/fogkeep/internal/helpers"
	"github.com/fogkeep/fogkeep/internal/panics"
	"github.com/fogkeep/fogkeep/match/view"
)

// A panic in a part of a tick, on any goroutine, ends the match as a panic of its own
// goroutine does. The players do not learn the cause, and the next match goes on with the
// same helpers.
func TestAPanicOfAHelperEndsTheMatch(t *testing.T) {
	a := newServiceHarness(t, 48, 0, 1)
	a.live.host.helpers = helpers.New(7)
	c := a.join(0)
	a.tick()
	before := testutil.ToFloat64(panics.Caught.WithLabelValues("tick"))
	a.ask(func() error {
		return a.live.do(t.Context(), func(m *live) { *m.output.cache = view.Cache{} }) // knows no type: each part panics
	})
	if code := a.closed(c); code != "failed" || strings.Contains(c.closing.Text, "helpers") {
		t.Errorf("the client was told %q, %q", code, c.closing.Text)
	}
	if r := <-a.clerk.results; r.Match != matchID || r.Failed != failedInternal {
		t.Errorf("the result is %+v", r)
	}
	if n := testutil.ToFloat64(panics.Caught.WithLabelValues("tick")) - before; n != 1 {
		t.Errorf("%v panics were counted", n)
	}
	sum := make([]int, 64)
	a.live.host.helpers.Hand().Run(len(sum), func(i int) { sum[i]++ })
	for i := range sum {
		if sum[i] != 1 {
			t.Fatalf("afterwards call %d was made %d times", i, sum[i])
		}
	}
}

// Helpers come from one pool for all matches, which has a processor less than there
// are; and only large matches use it.
func TestHelpersAreOfTheService(t *testing.T) {
	a := newServiceHarness(t, 48, 0, 1)
	a.join(0)
	a.tick()
	a.ask(func() error {
		return a.live.do(t.Context(), func(m *live) {
			if m.output.hand == nil || m.output.feeds.Run == nil || m.output.cache.Run == nil {
				t.Error("the match has no helpers")
			}
			shareFrom = m.world.Len() + 1
			if m.output.share(); m.output.feeds.Run != nil || m.output.cache.Run != nil {
				t.Error("a small match has helpers")
			}
			shareFrom = 0
		})
	})
	if got := a.service.helpers.Size(); got != runtime.GOMAXPROCS(0)-1 {
		t.Errorf("%d helpers for %d processors", got, runtime.GOMAXPROCS(0))
	}
}

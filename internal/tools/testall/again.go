package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// result is what a suite came to, and where it failed.
type result struct {
	count
	// failed are the names of the failed tests by their place: a package, or a file.
	where map[string][]string
	// certain says that another run would prove nothing: something did not build,
	// crashed, or is a data race.
	certain bool
	// cpu is the processor time of the command and of the processes that it waited for.
	cpu time.Duration
}

// lost is the result of a suite that could not be run or read.
func lost() result { return result{count: count{failed: 1}, certain: true} }

// fail notes a failed test. Of a subtest it notes the test that has it.
func (r *result) fail(where, test string) {
	test, _, _ = strings.Cut(test, "/")
	if r.where == nil {
		r.where = map[string][]string{}
	}
	if !slices.Contains(r.where[where], test) {
		r.where[where] = append(r.where[where], test)
	}
}

// sure finds, in what a failed test printed, what chance does not explain.
var sure = regexp.MustCompile(`(?m)^\s*(WARNING: DATA RACE|panic: |fatal error: )`)

// ran is a suite with its result.
type ran struct {
	suite
	result
}

// placesAgain bounds what is run again: failures in more places are no chance.
const placesAgain = 4

// runAgain runs the failed tests of a suite once more, with the machine to
// themselves, and returns the count that holds. Tests with browsers and sockets watch
// the clock, and a machine that is busy with something else can make one late. A
// test that passes now counts as passed, and is named: it is to be mended. If any
// test of the suite fails again, the first count of the suite stays.
func runAgain(ctx context.Context, r ran, w io.Writer) count {
	if r.failed == 0 || r.certain || r.again == nil || len(r.where) == 0 || len(r.where) > placesAgain {
		return r.count
	}
	for _, where := range slices.Sorted(maps.Keys(r.where)) {
		s := r.suite
		s.argv = r.again(where, r.where[where])
		fmt.Fprintf(w, "== %s, again: %s\n", r.name, strings.Join(r.where[where], ", "))
		if got := runSuite(ctx, s, w); got.failed > 0 {
			return r.count
		}
	}
	for _, where := range slices.Sorted(maps.Keys(r.where)) {
		fmt.Fprintf(w, "   UNSTABLE %s: %s (failed above, passed alone)\n", where, strings.Join(r.where[where], ", "))
	}
	return count{passed: r.passed + r.failed, skipped: r.skipped}
}
